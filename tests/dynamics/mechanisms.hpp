// SPDX-License-Identifier: BSD-3-Clause
// Closed mechanisms with real sizes, consistent states of theirs, and what they mean in the dense reference.
#pragma once
#include <map>

#include "dynamics/imposed.hpp"
#include "support/reference_lexicographic.hpp"

namespace zwang::test {

/// Two coordinates at a fixed ratio: out = ratio in.
struct Gear {
  std::string name, in, out;
  double ratio;
};

struct Mechanism {
  Robot robot;
  std::vector<AnyConstraint> constraints = {};
  std::vector<Gear> gears = {};
  Eigen::VectorXd start = {};  ///< a configuration near which it closes; empty: neutral
  double reach = 0.3;          ///< how far from there it is moved before it is closed again [rad, m]
  int mobility = -1;           ///< degrees of freedom that the rows leave; -1: not known

  ConstraintSet set() const;  ///< the constraints, then the gears
};

/// Six legs on universal joints with a prismatic joint each, balls at a platform: 18 rows on 24 coordinates.
Mechanism stewart_platform();
/// Three arms, each with two rods between balls, that carry a platform: 18 rows on 27 coordinates.
Mechanism delta_robot();
/// A chain of n hinges about one axis whose end is pinned to where it starts: of five rows three are redundant.
Mechanism hinge_ring(int n);
/// A floating necklace of n links on balls.
Mechanism ball_ring(int n);
/// A crank, a coupler and a rocker on hinges about one slanting axis: two rows of five count.
Mechanism four_bar_in_space();
/// Agility Robotics' Cassie from its SDF file: a spanning tree; joints that close loops as rows, gears as couplings.
Mechanism cassie(const std::string& file);

void soften(AnyConstraint& c, double compliance);
void soften(Mechanism& m, double compliance);  ///< every constraint, gears apart

/// A configuration as far from the start as `reach` says, random velocities and torques.
RandomState near_start(const Mechanism& m, std::uint64_t seed);
/// The same, moved to a configuration and velocity that keep all rows that have an error of position.
RandomState closed_state(const Mechanism& m, std::uint64_t seed);
/// The problem in the reference, and what rounding of its rows is measured against: size + reach |a| (imposed.hpp).
struct MechanismProblem : reference::HybridProblem {
  Vec size;
  Mat reach;
};
MechanismProblem problem(const Mechanism& m, const RandomState& state);

/// How many methods answered and how many refused.
struct MethodCount {
  std::map<std::string, int> solved, refused;
  int infeasible = 0, dependent = 0;
};
/// The answer of a method, or nullptr where it refuses by an UnsupportedError: a failure where it takes all hard rows.
const Solution* solution_by(Solver& solver, const std::string& method, const SolveInput& input);
/// Every method of methods() gives the oracle's motion, forces, rank and status at the state, or refuses by an
/// UnsupportedError; those that take any set may not.
void expect_every_method(const Mechanism& m, const RandomState& state, MethodCount& count);

}  // namespace zwang::test
