// SPDX-License-Identifier: BSD-3-Clause
// Limits of coordinates as arguments: one number for all or one for each; limits of position along a path.
#pragma once
#include <string>
#include <vector>

#include "zwang/path/configuration_path.hpp"
#include "zwang/path/position_limits.hpp"

namespace zwang {

/// [nv]; `otherwise` where `given` is empty, NaN in it means none. Throws std::invalid_argument, naming argument and
/// coordinate, for another number of entries and entries that are not above 0.
std::vector<double> limits_of(const Model& model, const std::vector<double>& given,
                              const std::vector<double>& otherwise, const char* function, const char* argument);

/// Two numbers with at least six digits, and with so many that their texts differ where they do.
struct Texts {
  std::string x, y;
};
Texts texts_of(double x, double y);

/// The point of a path that is furthest beyond limits of position.
struct Beyond {
  double s = 0;
  double amount = 0;      ///< beyond the limit; 0: no point is
  std::string text = {};  ///< as of beyond_limits()
};
/// Looks at all points: q(s) of a coordinate that adds is a cubic between two knots, whose ends and extremes are
/// computed; one that turns with others of its joint is taken as a cubic between points at an eighth of that. Beyond a
/// limit by `room` (1 + |limit|) is within. Where the path begins beyond a limit by no more than k_start_beyond
/// (1 + |limit|), it may stay so far out and only come back; `notes`, if it is not null, is told.
Beyond furthest_beyond(const ConfigurationPath& path, double room, std::vector<std::string>* notes);

}  // namespace zwang
