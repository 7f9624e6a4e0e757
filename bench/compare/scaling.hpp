// SPDX-License-Identifier: BSD-3-Clause
// How costs grow: with the number of joints of chains and combs, with the number of rows.
#pragma once
#include "report.hpp"

namespace zwang::bench {

/// Measures, prints where `table`, and returns the rows with `family`, `joints`, `ns_per_joint`, `growth` (of the cost
/// per joint since n = 30).
Json scaling(const Selection& selection, const std::vector<Plugin>& plugins, const TimingOptions& options,
             std::optional<int> cpu, bool quick, bool table);

}  // namespace zwang::bench
