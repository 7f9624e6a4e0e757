// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "zwang/simulation/settings.hpp"

namespace zwang {

/// The settings. Throws std::invalid_argument naming a number that is out of range.
const SimulationSettings& checked_settings(const SimulationSettings& settings);

}  // namespace zwang
