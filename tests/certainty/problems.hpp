// SPDX-License-Identifier: BSD-3-Clause
// Problems whose rows are told apart by little, each from one seed; how much of the tables runs;
// how a failure is shown.
//
//   ZWANG_WHOLE_TABLE=1     the whole tables instead of a hundredth of them
//   ZWANG_SEED=<number>     only the problem of that seed, with its set as JSON, its state and the answer of each
//                           method; --gtest_filter says whose: 'CertainLevels*', 'CertainSets*', 'HostileProblems*'
#pragma once
#include <optional>

#include "certainty/exact_motion.hpp"

namespace zwang::test {

/// `whole` cases, or a hundredth of them where the whole table is not asked for.
int share(int whole);
bool whole_table();
std::optional<std::uint64_t> replayed_seed();

/// One set of rows at one state.
struct HardProblem {
  std::uint64_t seed = 0;
  std::string kind;
  std::shared_ptr<const Mechanics> mechanics;  ///< several seeds in turn have one state
  RandomState state;
  std::vector<AnyConstraint> rows;

  const Robot& robot() const { return mechanics->robot(); }
  SolveInput input() const { return {.q = state.q, .v = state.v, .tau = state.tau}; }
  ConstraintSet set() const;
  /// Everything that is needed to run it again: seed, kind, set as JSON; with `state`, q, v and tau as well.
  std::string text(bool with_state = false) const;
};

/// Two to four levels on a quadruped, a quadruped whose root is next to gimbal lock, an arm, random trees, loops; rows
/// that are combinations of other rows but for 10^-k, so that `seed` mod 11 is about the decade of kappa.
HardProblem level_problem(std::uint64_t seed);
/// One level on the same robots and on massless links between coaxial joints, at 1e6 m, stretched: redundant,
/// contradictory, scaled by 1e-6 to 1e6, or held rows that nothing can move.
HardProblem set_problem(std::uint64_t seed);
/// Either of them, rows more than coordinates, angles down to 1e-12 between them: what rounding leaves undecided.
HardProblem hostile_problem(std::uint64_t seed);

/// A body behind two joints whose freedoms overlap, with a massless link between them.
Robot overlapping_freedoms(const std::string& first, const std::string& second);

/// The answer of a method, or nothing where it refuses the problem.
struct MethodAnswer {
  Status status;
  Index rank;
  Vec acceleration;
  std::string text;  ///< of the report
};
std::optional<MethodAnswer> answer_of(const HardProblem& problem, const ConstraintSet& set, const std::string& method);
/// Prints what is known of the problem of ZWANG_SEED.
void replay(const HardProblem& problem);

/// The middle one.
Real median(std::vector<Real> x);
std::string number(Real x);

}  // namespace zwang::test
