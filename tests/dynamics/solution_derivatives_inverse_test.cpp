// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a solution by elimination, where rows are hard and independent, are those of one right-hand side at a
// time, which products with vectors use. Other solves have a right-hand side for each column.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dynamics/limbs.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// The largest difference between w . J and the gradient of w . solution, relative to the sizes of the Jacobians.
double difference(Solver& solver, Random& random, Index nv, Index rows) {
  const SolutionDerivatives& d = solver.derivatives();
  EXPECT_EQ(d.status, Status::ok) << d.reason;
  const Vector a = random.vector(static_cast<int>(nv)), l = random.vector(static_cast<int>(rows)),
               t = random.vector(static_cast<int>(nv));
  const InputGradient& g = solver.vjp({a, l, t});
  EXPECT_EQ(g.status, Status::ok) << g.reason;
  double worst = 0;
  const auto compare = [&](JacobianView SolutionJacobian::*by, const VectorView& gradient) {
    const JacobianView &A = d.acceleration.*by, &L = d.multipliers.*by, &T = d.motor_torque.*by;
    const Vector product = A.transpose() * a + L.transpose() * l + T.transpose() * t;
    const double size = largest(A) + largest(L) + largest(T);
    if (size > 0) worst = std::max(worst, largest(product - gradient) / size);
  };
  compare(&SolutionJacobian::q, g.q);
  compare(&SolutionJacobian::v, g.v);
  compare(&SolutionJacobian::tau, g.tau);
  compare(&SolutionJacobian::beta, g.beta);
  return worst;
}

/// Both sides err by as many roundings as the sweep itself takes the rows to have (own_paths_test.cpp),
/// over two solves and a product of nv terms.
double tolerance(const Went& went, Index nv) {
  return 1000 * std::numeric_limits<double>::epsilon() * std::max(went.doubt, static_cast<double>(nv));
}

TEST(SolutionDerivatives, ByEliminationAreThoseOfOneSideAtATime) {
  int by_paths = 0, by_root = 0;
  for (int seed = 1; seed <= effort(400, 24); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto at = static_cast<std::uint64_t>(seed);
    const LimbOptions o{.limbs = 2 + seed % 6, .any_rows = seed % 5 > 0};
    const Robot robot = random_limbs(at, o);
    const Imposed x = random_rows_on_limbs(robot, at, o);
    const ConstraintSet set = x.set(robot.model);
    const Index nv = robot.model.nv();
    Random random(at);
    for (const char* method : {"automatic", "popov_vereshchagin"}) {
      const SolverSettings settings{.method = method};
      const Went went = how_it_goes(robot.model, set, x.input(), {.method = "automatic"});
      if (went.way != Way::own_paths) continue;
      Solver solver(robot.model, set, settings);
      const Solution& s = solver.solve(x.input());
      if (s.report.status != Status::ok || s.report.rank < s.report.rows) continue;
      ++(by_own_paths(s.report) ? by_paths : by_root);
      EXPECT_LE(difference(solver, random, nv, set.rows()), tolerance(went, nv)) << method;
    }
  }
  std::printf("  %d solved by own paths, %d at the root\n", by_paths, by_root);
  EXPECT_GT(by_paths, effort(400, 24) / 8);
  EXPECT_GT(by_root, effort(400, 24) / 8);
}

/// What the solve has left in Data is still there.
TEST(SolutionDerivatives, LeaveTheFactorAsItWas) {
  int compared = 0;
  for (int seed = 1; seed <= effort(200, 24); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto at = static_cast<std::uint64_t>(seed);
    const LimbOptions o{.limbs = 2 + seed % 6, .any_rows = false};
    const Robot robot = random_limbs(at, o);
    const Imposed x = random_rows_on_limbs(robot, at, o);
    const ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set), alone(robot.model, set);
    if (!by_own_paths(solver.solve(x.input()).report)) continue;
    alone.solve(x.input());
    Random random(at);
    const Vector tau = random.vector(static_cast<int>(robot.model.nv()));
    if (seed % 2 == 0) solver.resolve({.tau = tau});  // a factor is there already
    const Vector before = solver.solution().acceleration;
    solver.derivatives();
    EXPECT_EQ(largest(solver.solution().acceleration - before), 0);
    const Vector one = solver.resolve({.tau = tau}).acceleration, other = alone.resolve({.tau = tau}).acceleration;
    EXPECT_LE(largest(one - other), 1e-12 * largest(other));
    ++compared;
  }
  EXPECT_GT(compared, effort(200, 24) / 8);
}

/// A chain held at its tip and at a body before, and its state.
struct HeldChain {
  Model model;
  Eigen::VectorXd q, v, tau;
  ConstraintSet set;
  HeldChain(int links, Random& random)
      : model(build(sample_chain(links))),
        q(random_configuration(model, random)),
        v(random.vector(static_cast<int>(model.nv()))),
        tau(random.vector(static_cast<int>(model.nv()))),
        set(model) {}
  FrameConstraint frame(const char* name, std::size_t link, const char* which) const {
    return {.name = name, .frame = model.links()[link].name, .rows = zwang::rows(which)};
  }
  SolveInput input() const { return {.q = q, .v = v, .tau = tau}; }
};

/// Long chains, whose factors come from articulated bodies; fewer coordinates than a register has; rows whose units are
/// twelve powers of ten apart.
TEST(SolutionDerivatives, ByEliminationOfChainsOfAnyLength) {
  int compared = 0;
  for (const int links : {1, 2, 3, 7, 8, 9, 17, 40, 110})
    for (const double unit : {1.0, 1e-6, 1e6}) {
      SCOPED_TRACE(std::to_string(links) + " links, unit " + std::to_string(unit));
      Random random(static_cast<std::uint64_t>(links));
      HeldChain x(links, random);
      FrameConstraint tip = x.frame("tip", x.model.links().size() - 1, links > 6 ? "all" : "linear.x");
      for (std::size_t k = 0; k < 6; ++k) tip.rows.matrix[k] *= unit;
      x.set.add(tip);
      Solver solver(x.model, x.set);
      const Solution& s = solver.solve(x.input());
      if (s.report.status != Status::ok || s.report.rank < s.report.rows) continue;
      // each unit is that of a row, and multipliers are compared by the largest
      const double tolerance = 1e-9 * std::max(unit, 1 / unit);
      EXPECT_LE(difference(solver, random, x.model.nv(), x.set.rows()), tolerance);
      ++compared;
    }
  EXPECT_GT(compared, 20);
}

/// Two couplings of two coordinates hold both of them still, however alike they are: nothing moves these by torques.
TEST(SolutionDerivatives, OfNearlyDependentRowsHoldThem) {
  const Model m = build(sample_chain(7));
  const std::vector<std::string> names = m.coordinate_names();
  Random random(5);
  const Eigen::VectorXd q = random_configuration(m, random), v = random.vector(7), tau = random.vector(7);
  for (double angle = 1e-2; angle > 5e-7; angle *= 0.7) {
    SCOPED_TRACE(angle);
    ConstraintSet set(m);
    set.add(CouplingConstraint{.name = "a", .coordinates = {names[0], names[1]}, .ratio = {1, 1}});
    set.add(CouplingConstraint{.name = "b", .coordinates = {names[0], names[1]}, .ratio = {1, 1 + angle}});
    Solver solver(m, set);
    const Solution& s = solver.solve({.q = q, .v = v, .tau = tau});
    if (s.report.status != Status::ok || s.report.rank < 2) continue;
    const SolutionDerivatives& d = solver.derivatives();
    if (d.status != Status::ok) continue;
    // J of the couplings has an inverse of norm 2 / angle; its rows hold to roundings of the accelerations by tau
    const double bound = 1e4 * std::numeric_limits<double>::epsilon() / angle * largest(d.acceleration.tau);
    EXPECT_LE(largest(Eigen::MatrixXd(d.acceleration.tau.topRows(2))), bound);
  }
}

/// Of short chains M comes from derivatives of inverse dynamics, of long ones and of shared coordinates from its own
/// factor: all have the payload.
TEST(SolutionDerivatives, ByEliminationWithAPayload) {
  for (const int links : {5, 12, 40})
    for (const bool shared : {false, true}) {
      SCOPED_TRACE(std::to_string(links) + (shared ? " links, one joint follows another" : " links"));
      RobotDescription description = sample_chain(links);
      if (shared) description.joints[1].mimic = Mimic{.leader = description.joints[2].name, .multiplier = 0.5};
      const Model m = build(description);
      Random random(static_cast<std::uint64_t>(links));
      ConstraintSet set(m);
      set.add(FrameConstraint{.name = "tip", .frame = m.links().back().name, .rows = zwang::rows("linear.x")});
      Solver solver(m, set);
      solver.data().set_payload(m.find_link(m.links()[m.links().size() / 2].name), 10, {0.1, 0.2, 0.3},
                                Sym3<double>::diagonal(1, 2, 2));
      const Eigen::VectorXd q = random_configuration(m, random), v = random.vector(static_cast<int>(m.nv())),
                            tau = random.vector(static_cast<int>(m.nv()));
      ASSERT_EQ(solver.solve({.q = q, .v = v, .tau = tau}).report.status, Status::ok);
      EXPECT_LE(difference(solver, random, m.nv(), 1), 1e-9);
    }
}

/// Rows that are released have zeros, the others what they have without them; switched on and off nothing stays of
/// what was there before.
TEST(SolutionDerivatives, ByEliminationOfTheRowsThatHold) {
  Random random(4);
  HeldChain x(14, random);
  x.set.add(x.frame("first", 5, "linear"));
  x.set.add(x.frame("second", x.model.links().size() - 1, "all"));
  const Index nv = x.model.nv();
  Solver solver(x.model, x.set);
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(round);
    ConstraintSet& set = x.set;
    set["first"].active = round % 2 == 0;
    set["second"].active = round / 2 % 2 == 0;
    ConstraintSet fewer(x.model);
    if (set["first"].active) fewer.add(x.frame("first", 5, "linear"));
    if (set["second"].active) fewer.add(x.frame("second", x.model.links().size() - 1, "all"));
    Solver alone(x.model, fewer);
    solver.solve(x.input());
    alone.solve(x.input());
    const SolutionDerivatives &d = solver.derivatives(), &e = alone.derivatives();
    ASSERT_EQ(d.status, Status::ok);
    const Index first = set["first"].active ? 0 : 3, count = fewer.rows();
    for (JacobianView SolutionJacobian::*by : {&SolutionJacobian::q, &SolutionJacobian::v, &SolutionJacobian::tau}) {
      const Matrix a = d.acceleration.*by, l = d.multipliers.*by, t = d.motor_torque.*by;
      EXPECT_LE(largest(a - e.acceleration.*by), 1e-11 * largest(a));
      EXPECT_LE(largest(l.middleRows(first, count) - e.multipliers.*by), 1e-11 * (1 + largest(l)));
      EXPECT_TRUE(l.topRows(first).isZero(0) && l.bottomRows(9 - first - count).isZero(0));
      EXPECT_EQ(t, by == &SolutionJacobian::tau ? Matrix(Matrix::Identity(nv, nv)) : Matrix(Matrix::Zero(nv, nv)));
    }
    EXPECT_LE(largest(d.acceleration.beta.middleCols(first, count) - e.acceleration.beta),
              1e-11 * largest(d.acceleration.beta));
    EXPECT_TRUE(d.acceleration.beta.leftCols(first).isZero(0));
    EXPECT_TRUE(d.acceleration.beta.rightCols(9 - first - count).isZero(0));
    EXPECT_LE(largest(d.residual.q.middleRows(first, count) - e.residual.q), 1e-12 * largest(d.residual.q));
    EXPECT_EQ(d.motor_torque.beta.cwiseAbs().sum(), 0);
  }
}

/// Zeros and ones of motors stand from call to call, and must not where something else was written there.
TEST(SolutionDerivatives, OfMotorsAreThoseOfThisSolve) {
  Random random(5);
  HeldChain x(9, random);
  x.set.add(x.frame("tip", x.model.links().size() - 1, "linear"));
  const Index nv = x.model.nv();
  const Matrix one = Matrix::Identity(nv, nv);
  Solver solver(x.model, x.set);
  const Prescribed prescribed{{.v = 2, .acceleration = 0.3}};
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    SolveInput input = x.input();
    if (round % 3 == 1) input.prescribed = &prescribed;
    Eigen::VectorXd v = x.v;
    if (round % 4 == 3) v.setConstant(1e200);  // overflows
    input.v = v;
    const Solution& s = solver.solve(input);
    const SolutionDerivatives& d = solver.derivatives();
    if (d.status != Status::ok) {
      EXPECT_EQ(largest(d.motor_torque.tau), 0) << s.report.rank;
      continue;
    }
    const bool held = input.prescribed != nullptr;
    EXPECT_EQ(d.motor_torque.tau(2, 2), held ? 0 : 1);
    EXPECT_EQ(largest(d.motor_torque.q) > 0, held);
    if (!held) {
      EXPECT_EQ(Matrix(d.motor_torque.tau), one);
      EXPECT_EQ(largest(d.motor_torque.beta), 0);
    }
  }
}

}  // namespace
}  // namespace zwang::test
