// SPDX-License-Identifier: BSD-3-Clause
// `ok` is said of no wrong answer: hostile problems, where rounding decides what counts, and the bounds that an answer
// called ok promises (ExactMotion::over_promise).
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <map>

#include "certainty/problems.hpp"

namespace zwang::test {
namespace {

struct Tally {
  int solved = 0, ok = 0, missed = 0, over10 = 0, over1000 = 0, held_in_conflict = 0;
  Real worst = 0;
};

/// The least over all ranks that rounding allows.
Real over_promise(const HardProblem& p, const ExactMotion& exact, const Vec& acceleration) {
  Real least = exact.over_promise(acceleration);
  if (exact.clear()) return least;
  for (const Real factor : {0.1L, 0.3L, 3.0L, 10.0L}) {
    if (least <= 1) break;
    const ExactMotion other(*p.mechanics, p.rows, k_double_eps, factor);
    least = std::min(least, other.over_promise(acceleration));
  }
  return least;
}

TEST(HostileProblems, AreNeverCalledOkWithAWrongAnswer) {
  if (const auto seed = replayed_seed()) {
    replay(hostile_problem(*seed));
    return;
  }
  std::map<std::string, Tally> tally;
  int unclear = 0, dependent = 0, shown = 0;
  const int problems = share(100000);
  const std::vector<std::string> all = methods();
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(problems); ++seed) {
    const HardProblem p = hostile_problem(seed);
    const ExactMotion exact(*p.mechanics, p.rows);
    unclear += !exact.clear();
    dependent += exact.rank() < exact.rows();
    const ConstraintSet set = p.set();
    for (const std::string& method : {all[0], all[1 + seed % (all.size() - 1)]}) {  // `automatic` and another one
      const auto answer = answer_of(p, set, method);
      if (!answer) continue;
      Tally& t = tally[method];
      ++t.solved;
      if (answer->status != Status::ok) continue;
      ++t.ok;
      const Real over = over_promise(p, exact, answer->acceleration);
      const bool conflict = exact.clear() && exact.status() == Status::infeasible;
      t.missed += !(over <= 1);
      t.over10 += !(over <= 10);
      t.over1000 += !(over <= 1000);
      t.held_in_conflict += conflict;
      t.worst = std::max(t.worst, over);
      if ((!(over <= 1) || conflict) && shown++ < 5)
        ADD_FAILURE() << method << " says ok, rank " << answer->rank << " of " << exact.rank() << ", "
                      << (conflict ? "rows contradict each other, " : "") << "over its bounds by " << number(over)
                      << "\n"
                      << p.text();
    }
  }
  if (whole_table() || shown > 0) {
    std::cout
        << problems << " problems: " << unclear << " of doubtful rank, " << dependent << " dependent\n"
        << "| method | solved | ok | beyond its bounds | 10 times | 1000 times | ok, but contradictory | worst |\n"
           "|---|---|---|---|---|---|---|---|\n";
    for (const auto& [name, t] : tally)
      std::cout << "| " << name << " | " << t.solved << " | " << t.ok << " | " << t.missed << " | " << t.over10 << " | "
                << t.over1000 << " | " << t.held_in_conflict << " | " << number(t.worst) << " |\n";
  }
  for (const auto& [name, t] : tally) {
    EXPECT_EQ(t.missed, 0) << name << ": ok beyond its bounds";
    EXPECT_EQ(t.held_in_conflict, 0) << name << ": ok, but the rows contradict each other";
  }
  EXPECT_GE(tally["automatic"].ok, problems / 4) << "too few of them are solved";
}

}  // namespace
}  // namespace zwang::test
