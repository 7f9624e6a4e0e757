// SPDX-License-Identifier: BSD-3-Clause
// Sentences of reports: none says the contrary of another.
#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "zwang/core/random.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

/// What stands between the words and the next full stop that ends a sentence.
std::string part(const std::string& text, const std::string& after) {
  const std::size_t at = text.find(after);
  if (at == std::string::npos) return {};
  const std::size_t from = at + after.size();
  return ' ' + text.substr(from, text.find_first_of(".;", from) - from) + ',';
}
bool names(const std::string& list, std::string_view row) {
  return list.find(' ' + std::string(row) + ',') != std::string::npos;
}

/// Along two lines at most, one, two or three rows with senses and limits: many contradict each other.
TEST(ReportText, NeverSaysThatARowIsBothHeldAndNotHeld) {
  const Model model = load(ZWANG_MODELS "/arm7.urdf");
  int missed = 0, pressing = 0;
  for (int seed = 1; seed <= effort(1000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    const auto pick = [&](int n) { return std::min(static_cast<int>(random.uniform(0, n)), n - 1); };
    ConstraintSet set(model);
    const int rows = 1 + pick(4);
    for (int i = 0; i < rows; ++i) {
      CouplingConstraint c{.name = "row" + std::to_string(i), .coordinates = {"joint1", "joint2"}};
      const double sign = pick(2) == 0 ? 1 : -1;
      c.ratio = pick(3) > 0 ? std::vector<double>{sign, sign} : std::vector<double>{sign, 2 * sign};
      c.beta = {random.uniform(-1, 1)};
      c.sense = {static_cast<Sense>(pick(3))};
      if (pick(4) == 0) c.limit = {random.uniform(0.01, 1)};
      set.add(c);
    }
    Solver solver(model, set);
    Eigen::VectorXd q(model.nq());
    for (double& x : q) x = random.uniform(-1, 1);
    const SolveReport& r = solver.solve({.q = q}).report;
    const std::string text = r.explain(), held = part(text, "limit, held: "), failed = part(text, "Not held: ");
    EXPECT_EQ(text.find("0 rows"), std::string::npos) << text;
    EXPECT_EQ(text.find("rank 0"), std::string::npos) << text;
    for (const GivenUp& g : r.given_up) EXPECT_FALSE(names(held, g.row)) << text;
    for (const std::string_view row : r.infeasible) {
      EXPECT_TRUE(names(failed, row)) << text;
      EXPECT_FALSE(names(held, row)) << text;
      ++missed;
    }
    for (const std::string_view row : r.held) {
      const bool holds = std::none_of(r.given_up.begin(), r.given_up.end(), [&](auto& g) { return g.row == row; });
      EXPECT_EQ(names(held, row), holds) << text;
      pressing += !holds;
    }
    if (HasFailure()) return;
  }
  if (effort(1000) == 1000) {
    EXPECT_GE(missed, 100);
    EXPECT_GE(pressing, 30);
  }
}

TEST(ReportText, CountsNoRowsThatAreNotThere) {
  SolveReport r;
  r.status = Status::infeasible;
  r.infeasible = {"foot:row[0]"};
  EXPECT_EQ(r.explain().find("No motion satisfies the rows. Not held: foot:row[0];"), 0U) << r.explain();
  r.rows = 1;
  EXPECT_EQ(r.explain().find("No motion satisfies the row (rank 0). Not held"), 0U) << r.explain();
}

}  // namespace
}  // namespace zwang::test
