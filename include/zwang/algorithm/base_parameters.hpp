// SPDX-License-Identifier: BSD-3-Clause
// Base parameters: the combinations of inertial parameters that motions and torques can tell apart. Gautier 1991,
// Numerical calculation of the base inertial parameters of robots.
#pragma once
#include <string>
#include <vector>

#include "zwang/algorithm/quantities.hpp"

namespace zwang {

/// base = matrix phi, phi = inertial_parameters(model), and Y phi = Y_columns base: the regressor of inverse dynamics,
/// reduced to `columns`, does with `rank` numbers what it does with all of them.
struct BaseParameters {
  Index rank = 0;
  std::vector<Index> columns;      ///< [rank] of the regressor, ascending: the parameters that stand for themselves
  std::vector<std::string> names;  ///< [rank] `link.m`, `link.mx`, ... `link.Izz`: the parameter of each column
  std::vector<double> matrix;  ///< [rank x 10 links] row by row; 1 at (k, columns[k]); rows add to it what moves alike
  /// The clearest column that was given up and the least clear one that was kept: the sine of its angle with those
  /// before it. The rank is certain where they are far apart.
  double largest_dependent = 0, smallest_independent = 1;
};

/// Of the model with all its JointEffects off. Columns are judged from the root outward, so
/// that what a link shares with the one before it is counted there. `tolerance`: the smallest sine that counts.
/// Regressors of random states, in number enough for all parameters; allocates; cost O(links^3). Throws
/// std::invalid_argument unless 0 < tolerance < 1.
BaseParameters base_parameters(const Model& model, double tolerance = 1e-8);

}  // namespace zwang
