// SPDX-License-Identifier: BSD-3-Clause
// Rows between bodies that are eliminated where they have met: the same answer at another place, and in linear time.
#include <gtest/gtest.h>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {
namespace {

TEST(WhereMet, AgreesWithTheDenseOracleOnRandomTreesWithRandomLoops) {
  for (const char* method : {"bbo", "pv_early"}) {
    Tally tally;
    int where_met = 0;
    for (int seed = 1; seed <= effort(300); ++seed) {
      SCOPED_TRACE(std::string(method) + ", tree " + std::to_string(seed));
      const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 21000, 6 + seed % 25);
      MixedOptions options;
      options.priorities = options.drivers_left_out = options.other_singularities = false;
      Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 21000, options);
      if (x.settings.method == "pv_soft") continue;
      x.settings.method = method;
      check(robot, x, tally);
      if (HasFailure()) return;
      const ConstraintSet set = x.set(robot.model);
      Solver solver(robot.model, set, x.settings);
      where_met += std::string(solver.solve(x.input()).report.method) == method;
    }
    if (tally.all < 100) continue;
    EXPECT_GE(where_met, tally.all / 8) << method;  // the others are redundant, or have no rows between bodies
    EXPECT_GE(tally.deficient, tally.all / 50) << method;
    EXPECT_GE(tally.soft, tally.all / 20) << method;
  }
}

/// A chain of linkages: every fourth body hangs by a distance from the third before it.
struct Linkages {
  Model model;
  ConstraintSet set;
  Eigen::VectorXd q, v, tau;
};
Linkages linkages(int bodies, Policy policy) {
  RobotDescription d{.name = "linkages"};
  d.links.push_back({.name = "link0"});
  for (int k = 1; k <= bodies; ++k) {
    const std::string n = std::to_string(k);
    d.links.push_back({.name = "link" + n,
                       .mass = 1 + 0.1 * (k % 3),
                       .centre = {0.1, 0, 0},
                       .inertia = Sym3<double>::diagonal(.02, .03, .02)});
    d.joints.push_back({.name = "joint" + n,
                        .type = "revolute",
                        .parent = "link" + std::to_string(k - 1),
                        .child = "link" + n,
                        .origin = {Mat3<double>::identity(), {0.2, 0, 0}},
                        .axis = k % 4 == 3 ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1}});
  }
  Linkages x{build(d, {}), ConstraintSet(build(d, {})), {}, {}, {}};
  x.set = ConstraintSet(x.model);
  for (int k = 5; k <= bodies; k += 4)
    x.set.add(
        DistanceConstraint{.name = "rod" + std::to_string(k),
                           .frame = "link" + std::to_string(k - 3),
                           .point = {0, 0.1, 0},
                           .other = "link" + std::to_string(k),
                           .other_point = {0, 0.2, 0.1},
                           .length = 0.7,
                           .beta = {0.1},
                           .policy = policy,
                           .compliance = policy == Policy::soft ? std::vector<double>{0.05} : std::vector<double>{}});
  Random random(7);
  const auto some = [&](Index n) {
    Eigen::VectorXd y(n);
    for (Index i = 0; i < n; ++i) y(i) = random.uniform(-0.7, 0.7);
    return y;
  };
  x.q = some(x.model.nq());
  x.v = some(x.model.nv());
  x.tau = some(x.model.nv());
  return x;
}

/// Soft rows too; resolve() on that factorisation, and columns.
TEST(WhereMet, ChainsOfLinkagesNeedNothingAtTheRoot) {
  for (const Policy policy : {Policy::hard, Policy::soft}) {
    Linkages x = linkages(60, policy);
    Solver root(x.model, x.set, {.method = "popov_vereshchagin"}), met(x.model, x.set, {.method = "bbo"});
    const Solution &a = root.solve({.q = x.q, .v = x.v, .tau = x.tau}),
                   &b = met.solve({.q = x.q, .v = x.v, .tau = x.tau});
    EXPECT_STREQ(b.report.method, "bbo") << name_of(policy);
    EXPECT_EQ(b.report.rank, x.set.rows());
    EXPECT_EQ(b.report.status, Status::ok);
    EXPECT_CLOSE(Eigen::VectorXd(b.acceleration), Eigen::VectorXd(a.acceleration), 1e-9);
    EXPECT_CLOSE(Eigen::VectorXd(b.multipliers), Eigen::VectorXd(a.multipliers), 1e-9);
    EXPECT_NEAR(a.zwang, b.zwang, 1e-9 * a.zwang);
    x.tau *= -2;
    x.set["rod9"].beta[0] = -3;
    root.resolve({.tau = x.tau});
    met.resolve({.tau = x.tau});
    EXPECT_STREQ(b.report.method, "bbo") << name_of(policy);
    EXPECT_CLOSE(Eigen::VectorXd(b.acceleration), Eigen::VectorXd(a.acceleration), 1e-9);
    EXPECT_CLOSE(Eigen::VectorXd(b.multipliers), Eigen::VectorXd(a.multipliers), 1e-9);
    Random random(11);
    Eigen::MatrixXd tau(x.model.nv(), 5), beta(x.set.rows(), 5);
    for (Eigen::MatrixXd* m : {&tau, &beta})
      for (Eigen::Index i = 0; i < m->size(); ++i) (*m)(i) = random.uniform(-1, 1);
    Eigen::MatrixXd A(x.model.nv(), 5), B = A, lambda(x.set.rows(), 5), mu = lambda;
    root.solve_columns(tau, beta, A, lambda);
    met.solve_columns(tau, beta, B, mu);
    EXPECT_CLOSE(B, A, 1e-9);
    EXPECT_CLOSE(mu, lambda, 1e-9);
  }
}

bool says(const Solution& s, const char* part) { return s.report.explain().find(part) != std::string::npos; }

/// Few rows go to the root, many small loops where they meet; explain() says so,
/// and why not where that is not possible.
TEST(Automatic, EliminatesRowsWhereThatIsExpectedToBeCheapest) {
  Linkages few = linkages(20, Policy::hard), many = linkages(400, Policy::hard);
  const Solution by_paths = Solver(many.model, many.set).solve({.q = many.q, .v = many.v});
  EXPECT_EQ(by_paths.report.place.reason, PlaceOfRows::Reason::own_paths);
  for (Linkages* x : {&few, &many})  // a spring keeps rows from their own paths: what follows is about the others
    x->set.add(FrameConstraint{
        .name = "spring", .frame = "link1", .rows = rows("linear.x"), .policy = Policy::soft, .compliance = {1e6}});
  Solver small(few.model, few.set), large(many.model, many.set);
  const Solution &a = small.solve({.q = few.q, .v = few.v}), &b = large.solve({.q = many.q, .v = many.v});
  EXPECT_STREQ(a.report.method, "popov_vereshchagin");
  EXPECT_EQ(a.report.place.reason, PlaceOfRows::Reason::few_rows);
  EXPECT_LT(a.report.place.root, a.report.place.early);
  EXPECT_STREQ(b.report.method, "bbo");
  EXPECT_TRUE(says(b, "Chosen: bbo")) << b.report.explain();
  EXPECT_LT(b.report.place.where_met, b.report.place.root);
  EXPECT_CLOSE(Eigen::VectorXd(b.acceleration), Eigen::VectorXd(by_paths.acceleration), 1e-4);
  const Eigen::VectorXd where_met = b.acceleration;
  many.set["rod9"].priority = 1;  // levels are for the root
  large.solve({.q = many.q, .v = many.v});
  EXPECT_STREQ(b.report.method, "popov_vereshchagin");
  EXPECT_TRUE(says(b, "as the settings")) << b.report.explain();
  EXPECT_CLOSE(Eigen::VectorXd(b.acceleration), where_met, 1e-8);
  many.set["rod9"].priority = 0;
  DistanceConstraint twice{.name = "twice",
                           .frame = "link2",
                           .point = {0, 0.1, 0},
                           .other = "link5",
                           .other_point = {0, 0.2, 0.1},
                           .length = 0.7,
                           .beta = {0.1}};
  many.set.add(twice);
  Solver again(many.model, many.set);
  for (int k = 0; k < 2; ++k) {
    const Solution& c = again.solve({.q = many.q, .v = many.v});
    EXPECT_STREQ(c.report.method, "popov_vereshchagin");
    EXPECT_EQ(c.report.rank, many.set.rows() - 1);
    EXPECT_TRUE(says(c, "told apart")) << c.report.explain();
    EXPECT_CLOSE(Eigen::VectorXd(c.acceleration), where_met, 1e-8);
  }
}

}  // namespace
}  // namespace zwang::test
