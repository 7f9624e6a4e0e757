// SPDX-License-Identifier: BSD-3-Clause
// Levels of priority against the motion in long double, by the condition of the rows: rank, each level as good as the
// levels above allow, accelerations within 100 eps kappa. A table with ZWANG_WHOLE_TABLE=1.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <iostream>

#include "certainty/problems.hpp"

namespace zwang::test {
namespace {

constexpr int k_decades = 11;  ///< of kappa: 1e0 ... 1e10, the last one for information

struct Decade {
  int problems = 0, certain = 0;  ///< certain: ExactMotion::certain(), everything is required of it
  int rank = 0, betterable_ok = 0, betterable = 0, no_answer = 0;
  int doubtful = 0;  ///< wrong in any way among the others
  Real worst_betterable = 0, worst_units = 0;
  std::vector<Real> error, units;  ///< of certain problems; units of eps kappa
};

void print(const std::array<Decade, k_decades>& table) {
  std::cout << "| kappa | problems | certain | wrong rank | ok, level betterable | any, betterable | no answer | "
               "worst betterable | q'' in M: median error | median / (eps kappa) | worst / (eps kappa) | others: wrong "
               "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (int d = 0; d < k_decades; ++d) {
    const Decade& t = table[static_cast<std::size_t>(d)];
    std::cout << "| 1e" << d << " | " << t.problems << " | " << t.certain << " | " << t.rank << " | " << t.betterable_ok
              << " | " << t.betterable << " | " << t.no_answer << " | " << number(t.worst_betterable) << " | "
              << number(median(t.error)) << " | " << number(median(t.units)) << " | " << number(t.worst_units) << " | "
              << t.doubtful << " |\n";
  }
}

/// Counts one problem; what is wrong with it, or an empty string.
std::string judge(const HardProblem& p, const ExactMotion& exact, const std::string& method, Decade& t) {
  const auto answer = answer_of(p, p.set(), method);
  if (!answer) return "refused";
  ++t.problems;
  const Flaws f = exact.flaws(answer->acceleration);
  const bool solved = answer->status == Status::ok || answer->status == Status::infeasible;
  const bool rank = answer->rank != exact.rank(), betterable = !(f.betterable <= 1e-3L);
  if (!exact.certain()) {
    t.doubtful += !solved || rank || betterable;
    return "";
  }
  ++t.certain;
  t.no_answer += !solved;
  t.rank += rank;
  t.betterable += betterable;
  t.betterable_ok += betterable && answer->status == Status::ok;
  t.worst_betterable = std::max(t.worst_betterable, f.betterable);
  t.error.push_back(f.error);
  t.units.push_back(f.error / (k_double_eps * exact.kappa()));
  t.worst_units = std::max(t.worst_units, t.units.back());
  if (solved && !rank && !betterable) return "";
  std::string why = method + " says " + name_of(answer->status) + ", rank " + std::to_string(answer->rank) + " of " +
                    std::to_string(exact.rank()) + ", kappa " + number(exact.kappa());
  if (betterable) why += ", level " + std::to_string(f.level) + " betterable by " + number(f.betterable);
  return why;
}

/// Methods that take levels, `automatic` first.
const std::vector<std::string>& methods_with_levels() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> takes;
    HardProblem p = level_problem(24);  // of two levels at least, on a tree without special joints
    for (const std::string& method : methods())
      if (answer_of(p, p.set(), method)) takes.push_back(method);
    return takes;
  }();
  return all;
}

TEST(CertainLevels, AreAsGoodAsTheLevelsAboveAllowUpToConditions1e10) {
  if (const auto seed = replayed_seed()) {
    replay(level_problem(*seed));
    return;
  }
  std::array<Decade, k_decades> table;
  const int wanted = share(10000);
  int full = 0, shown = 0;
  std::uint64_t seed = 0;
  ASSERT_EQ(methods_with_levels().front(), "automatic");
  for (; full < k_decades && seed < static_cast<std::uint64_t>(60 * wanted); ++seed) {
    const HardProblem p = level_problem(seed);
    const ExactMotion exact(*p.mechanics, p.rows);
    const int decade = static_cast<int>(std::log10(exact.kappa()));
    if (decade >= k_decades) continue;
    Decade& t = table[static_cast<std::size_t>(decade)];
    if (t.problems >= wanted) continue;
    // Every other problem by another method than `automatic`.
    const auto& names = methods_with_levels();
    const std::string& method = seed % 2 ? names[0] : names[seed / 2 % names.size()];
    const std::string why = judge(p, exact, method, t);
    full += t.problems == wanted;
    if (!why.empty() && shown++ < 5) ADD_FAILURE() << why << "\n" << p.text();
  }
  if (whole_table() || shown > 0) print(table);
  int problems = 0;
  for (const Decade& t : table) {
    problems += t.problems;
    EXPECT_EQ(t.rank, 0) << "wrong ranks";
    EXPECT_EQ(t.betterable, 0) << "levels that could be better";
    EXPECT_EQ(t.no_answer, 0);
    EXPECT_LE(median(t.units), 100) << "q'' in M, units of eps kappa";
    EXPECT_GE(t.problems, wanted / 2) << "too few problems of this condition";
  }
  EXPECT_GE(problems, 10 * wanted);
}

}  // namespace
}  // namespace zwang::test
