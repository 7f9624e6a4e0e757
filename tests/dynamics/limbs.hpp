// SPDX-License-Identifier: BSD-3-Clause
// Random robots with limbs and rows on them, and what two solvers say of the same problem.
#pragma once
#include "dynamics/imposed.hpp"
#include "solve/solver_parts.hpp"

namespace zwang::test {

/// What a robot with limbs and the rows on it may have.
struct LimbOptions {
  int limbs = 4;         ///< two to seven
  double mimic = 0;      ///< probability that a joint of one coordinate follows another
  bool any_rows = true;  ///< rows anywhere, any number of them on a body; otherwise contacts and frames at the tips
};
/// A torso, at times of several bodies, with limbs of two to five joints of every type, user-defined ones among them;
/// the root fixed, floating, planar or spherical.
Robot random_limbs(std::uint64_t seed, const LimbOptions& options);
/// Rows at the tips of most limbs, at times several constraints on one body, more of them along a limb, on the torso,
/// or anywhere; targets, roles, wrenches from outside.
Imposed random_rows_on_limbs(const Robot& robot, std::uint64_t seed, const LimbOptions& options);

/// How `automatic` treats a problem.
enum class Way {
  own_paths,  ///< rows are eliminated at the ends of their own paths
  fell_back,  ///< they fit, but the root had to tell
  unfit       ///< for another factor
};
/// Where the paths end: Z is computed otherwise in each case.
enum class Ends { at_ground, at_free_root, between };
struct Went {
  Way way = Way::unfit;
  Ends ends = Ends::between;
  /// The largest trace(E^-1) of a block, times its rows, and what rounding of the inertias does to it: the sum that
  /// RankRevealing::is_beyond_doubt() takes as the error of the rows in units of 8 epsilon.
  double doubt = 0;
};
Went how_it_goes(const Model& model, const ConstraintSet& set, const SolveInput& input, const SolverSettings& settings);
inline bool by_own_paths(const SolveReport& r) { return r.place.reason == PlaceOfRows::Reason::own_paths; }

/// The largest difference of each quantity, relative to its size, in units of machine epsilon.
struct Differences {
  double acceleration = 0, multipliers = 0, motor = 0, reaction = 0, wrench = 0, residual = 0, zwang = 0;
  double largest() const;
  void take(const Differences& x);
  std::string text() const;
};
/// The articulated constraint torque is not among them: it depends on where rows are eliminated. Sizes
/// include the free motion: what rows take away has been there. Multipliers, wrenches and Z are as
/// accurate as the change of the motion is.
Differences differences(const Robot& robot, const Imposed& imposed, const Solution& got, const Solution& expected);
/// Everything that is not a number that rounds: status, rank, names, the order of the warnings, which errors are known.
/// `rounding` of multipliers that warnings name, relative to the largest.
void expect_same_words(const Solution& got, const Solution& expected, double rounding = 1e-6);

}  // namespace zwang::test
