// SPDX-License-Identifier: BSD-3-Clause
// The solid of a shape of a robot's description.
#pragma once
#include <string>

#include "zwang/geometry/solid.hpp"
#include "zwang/model/description.hpp"

namespace zwang {

/// Throws std::invalid_argument, with `where` in its text, for a shape that is none. `warning`: what is taken otherwise
/// than the file says.
Solid solid_of(const Shape& shape, const std::string& where, std::string& warning);

}  // namespace zwang
