// SPDX-License-Identifier: BSD-3-Clause
// Rows that are eliminated at the ends of their own paths give what the root gives.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "dynamics/limbs.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/robots.hpp"
#include "zwang/io/urdf.hpp"

namespace zwang::test {
namespace {

constexpr double k_epsilon = std::numeric_limits<double>::epsilon();

struct Ways {
  int own_paths = 0, fell_back = 0, unfit = 0;
  void count(Way w) { ++(w == Way::own_paths ? own_paths : w == Way::fell_back ? fell_back : unfit); }
  int all() const { return own_paths + fell_back + unfit; }
  void print(const char* what) const {
    std::printf("  %s: %d sets, %d by own paths, %d fell back to the root, %d did not fit\n", what, all(), own_paths,
                fell_back, unfit);
  }
};

/// A whole table is a hundred thousand sets.
int number_of_sets() {
  const char* whole = std::getenv("ZWANG_WHOLE_TABLE");
  return whole != nullptr && whole[0] == '1' ? 100'000 : effort(1500);
}

/// Differences are roundings of both sweeps, a hundred of them, as large as the sweep itself takes the error of its
/// rows to be (RankRevealing::is_beyond_doubt()). For the limbs of usual robots this is 100 epsilon trace(E^-1) rows.
constexpr double k_roundings = 100;

TEST(OwnPaths, GiveWhatTheRootGives) {
  std::array<Ways, 8> ways;
  std::array<int, 3> ends{};
  Ways all;
  Differences worst;
  double most = 0;
  const int sets = number_of_sets();
  for (int seed = 1; seed <= sets; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const LimbOptions o{.limbs = 2 + seed % 6, .any_rows = seed % 5 > 0};
    const Robot robot = random_limbs(static_cast<std::uint64_t>(seed), o);
    const Imposed x = random_rows_on_limbs(robot, static_cast<std::uint64_t>(seed), o);
    const ConstraintSet set = x.set(robot.model);
    const SolverSettings settings{.method = seed % 2 == 0 ? "automatic" : "pv_early"};
    const Went went = how_it_goes(robot.model, set, x.input(), settings);
    ways[static_cast<std::size_t>(o.limbs)].count(went.way);
    all.count(went.way);
    Solver paths(robot.model, set, settings), root(robot.model, set, {.method = "popov_vereshchagin"});
    const Solution &a = paths.solve(x.input()), &b = root.solve(x.input());
    if (settings.method == "automatic") { EXPECT_EQ(by_own_paths(a.report), went.way == Way::own_paths); }
    expect_same_words(a, b, std::max(1e-6, k_roundings * k_epsilon * went.doubt));
    if (went.way == Way::own_paths) {
      const Differences d = differences(robot, x, a, b);
      EXPECT_LE(d.largest(), k_roundings * went.doubt) << d.text();
      EXPECT_LE(a.report.residual, 64 * k_epsilon * robot.model.nv());
      ++ends[static_cast<std::size_t>(went.ends)];
      worst.take(d);
      most = std::max(most, d.largest() / went.doubt);
    }
    if (HasFailure()) return;
  }
  for (int limbs = 2; limbs <= 7; ++limbs) {
    const Ways& w = ways[static_cast<std::size_t>(limbs)];
    w.print((std::to_string(limbs) + " limbs").c_str());
    EXPECT_GE(w.own_paths, w.all() / 4) << "of " << limbs << " limbs";
  }
  std::printf("  largest differences in epsilon: %s; over the doubt: %.2g\n", worst.text().c_str(), most);
  std::printf("  paths end at the ground %d times, at a free root %d times, at other bodies %d times\n", ends[0],
              ends[1], ends[2]);
  for (const int n : ends) EXPECT_GE(n, all.all() / 100) << "Z is computed otherwise in each of these cases";
  EXPECT_GE(all.own_paths, all.all() / 2);
  EXPECT_GE(all.fell_back, all.all() / 100);
  EXPECT_LE(all.fell_back, all.all() / 8) << "residuals are larger than roundings";
  EXPECT_GE(all.unfit, all.all() / 100);
}

/// Where joints share coordinates, paths are not disjoint.
TEST(OwnPaths, LeaveMimicJointsToTheRoot) {
  Ways ways;
  for (int seed = 1; seed <= effort(200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const LimbOptions o{.limbs = 2 + seed % 6, .mimic = 0.3};
    const Robot robot = random_limbs(static_cast<std::uint64_t>(seed), o);
    bool mimics = false;
    for (const JointDescription& j : robot.description.joints) mimics = mimics || !j.mimic.leader.empty();
    if (!mimics) continue;
    const Imposed x = random_rows_on_limbs(robot, static_cast<std::uint64_t>(seed), o);
    const ConstraintSet set = x.set(robot.model);
    const Went went = how_it_goes(robot.model, set, x.input(), {});
    EXPECT_EQ(went.way, Way::unfit);
    ways.count(went.way);
    Solver automatic(robot.model, set), root(robot.model, set, {.method = "popov_vereshchagin"});
    const Solution &a = automatic.solve(x.input()), &b = root.solve(x.input());
    expect_same_words(a, b);
    EXPECT_CLOSE(Eigen::VectorXd(a.acceleration), Eigen::VectorXd(b.acceleration), 1e-9);
    if (HasFailure()) return;
  }
  EXPECT_GE(ways.unfit, effort(100));
}

TEST(OwnPaths, SeldomFallBackOnFourFeet) {
  ZWANG_NEEDS_SHARED_ROBOT("solo12.urdf");
  LoadOptions options;
  options.root = "floating";
  options.resolve_meshes = false;
  const Model model = load(shared_robot("solo12.urdf"), options);
  ConstraintSet set(model);
  for (const char* foot : {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"})
    set.add(ContactConstraint{.name = foot, .frame = foot});
  Solver automatic(model, set), early(model, set, {.method = "pv_early"}),
      root(model, set, {.method = "popov_vereshchagin"});
  Ways ways;
  for (int seed = 1; seed <= 128; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    // Random numbers of neighbouring seeds overlap.
    const RandomState x = random_state(model, static_cast<std::uint64_t>(seed) * 1009);
    const SolveInput in{.q = x.q, .v = x.v, .tau = x.tau};
    const Went went = how_it_goes(model, set, in, {});
    ways.count(went.way);
    const Solution &a = automatic.solve(in), &b = root.solve(in), &c = early.solve(in);
    ASSERT_EQ(by_own_paths(a.report), went.way == Way::own_paths);
    if (went.way != Way::own_paths) continue;
    EXPECT_LE(relative_error(Eigen::VectorXd(a.acceleration), Eigen::VectorXd(b.acceleration)),
              k_roundings * k_epsilon * went.doubt);
    EXPECT_LE(relative_error(Eigen::VectorXd(a.multipliers), Eigen::VectorXd(b.multipliers)),
              k_roundings * k_epsilon * went.doubt);
    EXPECT_TRUE(Eigen::VectorXd(a.acceleration) == Eigen::VectorXd(c.acceleration));
    expect_same_words(a, b);
    if (HasFailure()) return;
  }
  ways.print("four feet of solo12");
  EXPECT_EQ(ways.unfit, 0);
  EXPECT_LE(ways.fell_back, ways.all() / 20);
}

}  // namespace
}  // namespace zwang::test
