// SPDX-License-Identifier: BSD-3-Clause
// Random hybrid problems on random robots: policies, priorities, drivers left out, prescribed coordinates, singularity
// policies; what they mean in the dense reference; and what a Solution must then be.
#pragma once
#include <memory>

#include "dynamics/imposed.hpp"
#include "support/reference_lexicographic.hpp"

namespace zwang::test {

struct Mixed : Imposed {
  Prescribed prescribed;
  SolverSettings settings;
  SolveInput input() const;  ///< views of this
};

/// What a random problem may have.
struct MixedOptions {
  bool soft = true, early = true, priorities = true, drivers_left_out = true, prescribed = true;
  bool other_singularities = true;  ///< than truncation
  bool loops = true;                ///< in every other problem
};
/// Rows of one level, all drivers made up for, truncation where they depend: what has derivatives.
inline MixedOptions one_level() {
  MixedOptions o;
  o.priorities = o.drivers_left_out = o.other_singularities = false;
  return o;
}
/// The same without rows that ask to be eliminated early: what every method does.
inline MixedOptions for_every_method() {
  MixedOptions o = one_level();
  o.early = false;
  return o;
}
/// One to four constraints of random_imposed, each with a policy of its own and so on.
Mixed random_mixed(const Robot& robot, std::uint64_t seed, const MixedOptions& options = {});
/// The same with a random sense of every row.
Mixed with_senses(const Robot& robot, Mixed x, std::uint64_t seed);
/// Some joints of a robot with random accelerations: several coordinates, leaders of mimics and the root among them.
Prescribed random_prescribed(const Robot& robot, Random& random);
std::vector<bool> held_coordinates(const Model& model, const Prescribed& prescribed);

/// A problem in the reference, everything evaluated at its state.
struct Stated {
  std::shared_ptr<const reference::State> state;
  Posed posed;  ///< rows of active constraints
  reference::HybridProblem problem;
};
Stated stated(const Robot& robot, const Mixed& x);
/// What the settings and the set of a problem make of rows at a state that stays: the rest of `s` is kept.
void restate(const Robot& robot, const Mixed& x, Stated& s);
inline reference::HybridMotion solve(const Stated& s) { return reference::hybrid_motion(s.problem); }

const Constraint& constraint_of(const ConstraintSet& set, const Posed& p, Eigen::Index active_row);
Policy policy_of(const AnyConstraint& c);
int priority_of(const AnyConstraint& c);

/// Counts over many problems, so that a test can say that it saw enough of everything.
struct Tally {
  int all = 0, unclear = 0, beyond_flat = 0;  ///< beyond_flat: q'' further than 1e-10 from the oracle
  int deficient = 0, infeasible = 0, given_up = 0, soft = 0, levels = 0, left_out = 0, prescribed = 0;
};

/// M q'' + h = motor torque + reaction with the published numbers, true residuals, forces as J^T lambda, forward
/// dynamics under them: laws that hold whatever the rank.
void expect_laws(const Robot& robot, const Mixed& x, const Stated& s, const ConstraintSet& set,
                 const reference::HybridMotion& oracle, const Solution& got);
/// q'', lambda, Z, rank, status and the rows given up are the oracle's. Counts; false where the rank is in doubt.
bool expect_oracle(const Mixed& x, const Stated& s, const ConstraintSet& set, const reference::HybridMotion& oracle,
                   const Solution& got, Tally& tally);
/// Both, and the wrenches of joints, on a new solver.
void check(const Robot& robot, const Mixed& x, Tally& tally);

/// The wrenches of the physical constraints of a solution beside those from outside.
Externals with_reactions(const Robot& robot, const Imposed& x, const reference::State& state, const Solution& s);

/// Random, with rotors where parts of a composite joint may move alike: M is regular.
Robot regular_robot(std::uint64_t seed, const RandomRobot& options);
/// A robot with a floating, fixed or planar root by its sample's name.
Robot sample_robot(const std::string& name, const std::string& root = "automatic");

}  // namespace zwang::test
