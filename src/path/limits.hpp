// SPDX-License-Identifier: BSD-3-Clause
// Limits of coordinates as arguments: one number for all or one for each; limits of position.
#pragma once
#include <string>
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang {

/// [nv]; `otherwise` where `given` is empty, NaN in it means none. Throws std::invalid_argument, naming argument and
/// coordinate, for another number of entries and entries that are not above 0.
std::vector<double> limits_of(const Model& model, const std::vector<double>& given,
                              const std::vector<double>& otherwise, const char* function, const char* argument);

/// "joint 'elbow' is at 4, beyond its limits -2.5 and 2.5": the first joint of which this is so; empty where there is none.
std::string beyond_limits(const Model& model, const std::vector<double>& q);

}  // namespace zwang
