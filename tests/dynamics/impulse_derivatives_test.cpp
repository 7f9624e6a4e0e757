// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of impulses against differences of impulses, and products from the left against the matrices.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/differences.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "zwang/question/impulse.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

struct Point {
  Vector q, v, impulse, target, restitution;
  Point moved(const Model& model, const Point& d, double h) const {
    Point out{q, v + h * d.v, impulse + h * d.impulse, target + h * d.target, restitution + h * d.restitution};
    integrate(model, q, Vector(h * d.q), out.q);
    return out;
  }
};
Point random_direction(Random& random, Index nv, Index rows) {
  const auto n = static_cast<int>(nv), m = static_cast<int>(rows);
  return {random.vector(n), random.vector(n), random.vector(n), random.vector(m), random.vector(m)};
}
struct Answer {
  Vector velocity, multipliers;
};
Answer ask(Solver& solver, const Mixed& x, const Point& at) {
  const Impulse& got = solver.impulse({.q = at.q,
                                       .v = at.v,
                                       .restitution = at.restitution,
                                       .target = at.target,
                                       .impulse = at.impulse,
                                       .external = &x.external,
                                       .prescribed = &x.prescribed});
  return {got.velocity, got.multipliers};
}
Answer differences(Solver& solver, const Mixed& x, const Point& at, const Point& d, double h) {
  Answer sum;
  at_four_places(h, [&](double e, double weight) {
    const Answer a = ask(solver, x, at.moved(solver.model(), d, e));
    if (sum.velocity.size() == 0) sum = {Vector::Zero(a.velocity.size()), Vector::Zero(a.multipliers.size())};
    sum.velocity += a.velocity * weight;
    sum.multipliers += a.multipliers * weight;
  });
  return sum;
}
Vector along(const ImpulseJacobian& x, const Point& d) {
  return x.q * d.q + x.v * d.v + x.impulse * d.impulse + x.target * d.target + x.restitution * d.restitution;
}
double size_of(const ImpulseJacobian& x) {
  return largest(x.q) + largest(x.v) + largest(x.impulse) + largest(x.target) + largest(x.restitution) + 1;
}
void expect_products(Solver& solver, const ImpulseDerivatives& got, Random& random) {
  const Point d =
      random_direction(random, static_cast<Index>(got.velocity.q.rows()), static_cast<Index>(got.multipliers.q.rows()));
  const ImpulseVariation& right =
      solver.impulse_jvp({.q = d.q, .v = d.v, .impulse = d.impulse, .target = d.target, .restitution = d.restitution});
  ASSERT_EQ(right.status, Status::ok) << right.reason;
  EXPECT_LT(largest(right.velocity - along(got.velocity, d)), 1e-8 * size_of(got.velocity));
  EXPECT_LT(largest(right.multipliers - along(got.multipliers, d)), 1e-8 * size_of(got.multipliers));
  const Vector a = random.vector(static_cast<int>(got.velocity.q.rows())),
               l = random.vector(static_cast<int>(got.multipliers.q.rows()));
  const Matrix by[] = {got.velocity.q.transpose() * a + got.multipliers.q.transpose() * l,
                       got.velocity.v.transpose() * a + got.multipliers.v.transpose() * l,
                       got.velocity.impulse.transpose() * a + got.multipliers.impulse.transpose() * l,
                       got.velocity.target.transpose() * a + got.multipliers.target.transpose() * l,
                       got.velocity.restitution.transpose() * a + got.multipliers.restitution.transpose() * l};
  const double size = size_of(got.velocity) + size_of(got.multipliers);
  const ImpulseInputGradient& g = solver.impulse_vjp({.velocity = a, .multipliers = l});
  ASSERT_EQ(g.status, Status::ok) << g.reason;
  const VectorView* const views[] = {&g.q, &g.v, &g.impulse, &g.target, &g.restitution};
  for (int k = 0; k < 5; ++k) EXPECT_LT(largest(Matrix(*views[k]) - by[k]), 1e-8 * size) << k;
}

TEST(ImpulseDerivatives, AreTheDifferencesOfImpulses) {
  MixedOptions options;
  options.priorities = options.drivers_left_out = options.other_singularities = false;
  int compared = 0, soft = 0, prescribed = 0, loops = 0, with_released = 0;
  for (int seed = 0; seed < effort(150, 20); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed) + 70;
    const Robot robot = random_robot_of_all_joints(at, 2 + seed % 6);
    const bool senses = seed % 3 == 0;
    const Mixed x =
        senses ? with_senses(robot, random_mixed(robot, at, options), at) : random_mixed(robot, at, options);
    const ConstraintSet set = x.set(robot.model);
    Random random(at + 1);
    const auto rows = static_cast<int>(set.rows());
    const Point here{x.state.q, x.state.v, x.state.tau, random.vector(rows),
                     (random.vector(rows).array() + 1).matrix() * 0.4 + Vector::Constant(rows, 0.1)};
    Solver solver(robot.model, set, x.settings), other(robot.model, set, x.settings);
    ask(solver, x, here);
    const Impulse& s = solver.impulse({.q = here.q,
                                       .v = here.v,
                                       .restitution = here.restitution,
                                       .target = here.target,
                                       .impulse = here.impulse,
                                       .external = &x.external,
                                       .prescribed = &x.prescribed});
    if (s.report.status != Status::ok || s.report.rank < s.report.rows) continue;
    const ImpulseDerivatives& got = solver.impulse_derivatives();
    if (senses && got.status == Status::not_differentiable) continue;
    ASSERT_EQ(got.status, Status::ok) << got.reason;
    with_released += !s.report.released.empty();
    const Point d = random_direction(random, robot.model.nv(), set.rows());
    const Answer coarse = differences(other, x, here, d, 2e-4), fine = differences(other, x, here, d, 1e-4);
    const auto compare = [&](const char* name, const ImpulseJacobian& J, const Vector& a, const Vector& b) {
      if (a.size() == 0) return;
      const double doubt = (a - b).cwiseAbs().maxCoeff();
      EXPECT_LT((along(J, d) - b).cwiseAbs().maxCoeff(), 20 * doubt + 1e-7 * size_of(J)) << name;
    };
    compare("velocity", got.velocity, coarse.velocity, fine.velocity);
    compare("multipliers", got.multipliers, coarse.multipliers, fine.multipliers);
    expect_products(solver, got, random);
    ++compared;
    prescribed += !x.prescribed.empty();
    for (const AnyConstraint& c : x.constraints) {
      soft += policy_of(c) == Policy::soft;
      loops += std::holds_alternative<LoopConstraint>(c);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, effort(150, 20) / 4);
  EXPECT_GT(soft, compared / 10);
  EXPECT_GT(prescribed, compared / 10);
  EXPECT_GT(loops, compared / 10);
  EXPECT_GT(with_released, compared / 20);
}

/// Twelve rows of rank six, whose dependency turns with the box; and the same by methods that keep other factors.
TEST(ImpulseDerivatives, OfDependentRowsAreThoseAtConstantRank) {
  RobotDescription d{.name = "box"};
  d.links.push_back(
      {.name = "box", .mass = 4, .centre = {0.02, 0.01, 0}, .inertia = Sym3<double>::diagonal(0.1, 0.15, 0.2)});
  BuildOptions options;
  options.root = "floating";
  const Robot robot(d, options);
  ConstraintSet set(robot.model);
  for (int k = 0; k < 4; ++k)
    set.add(ContactConstraint{.name = "corner" + std::to_string(k),
                              .frame = "box",
                              .point = {k % 2 ? 0.3 : -0.3, k / 2 ? 0.2 : -0.2, -0.1},
                              .normal = {0.1, 0.2, 1}});
  const RandomState s = random_state(robot.reference, 3);
  Random random(5);
  Mixed none;
  const Vector e = Vector::Constant(12, 0.3), w = Vector::Zero(12), impulse = random.vector(6);
  const Point here{s.q, s.v, impulse, w, e};
  Point along_all = random_direction(random, 6, 12);
  along_all.target.setZero();  // these and those of single rows leave what J can do
  along_all.restitution.setConstant(0.7);
  for (const char* method : {"popov_vereshchagin", "dense_cod", "contact_cholesky"}) {
    SCOPED_TRACE(method);
    Solver solver(robot.model, set, {.method = method}), other(robot.model, set, {.method = method});
    ask(solver, none, here);
    const ImpulseDerivatives& got = solver.impulse_derivatives();
    ASSERT_EQ(got.status, Status::ok) << got.reason;
    const Answer coarse = differences(other, none, here, along_all, 2e-4),
                 fine = differences(other, none, here, along_all, 1e-4);
    const double doubt = largest(coarse.velocity - fine.velocity) + largest(coarse.multipliers - fine.multipliers);
    EXPECT_LT(largest(along(got.velocity, along_all) - fine.velocity), 20 * doubt + 1e-8 * size_of(got.velocity));
    EXPECT_LT(largest(along(got.multipliers, along_all) - fine.multipliers),
              20 * doubt + 1e-8 * size_of(got.multipliers));
    expect_products(solver, got, random);
    Vector other_e = e;
    other_e(3) = 0.8;  // contradicts the other rows
    solver.impulse({.q = s.q, .v = s.v, .restitution = other_e});
    EXPECT_EQ(solver.impulse_derivatives().status, Status::not_differentiable);
  }
}

TEST(ImpulseDerivatives, AreRefusedWhereThereAreNone) {
  BuildOptions options;
  options.root = "floating";
  const Robot robot(sample_quadruped(), options);
  ConstraintSet set(robot.model);
  set.add(ContactConstraint{.name = "foot", .frame = "LF_foot", .normal = {0, 0, 1}});
  const RandomState s = random_state(robot.reference, 3);
  Solver solver(robot.model, set);
  EXPECT_THROW(solver.impulse_derivatives(), std::logic_error);
  const double e = 0.5;
  solver.impulse({.q = s.q, .v = s.v, .restitution = ConstVector(&e, 1), .model = Restitution::poisson});
  EXPECT_EQ(solver.impulse_derivatives().status, Status::not_differentiable);
  EXPECT_NE(std::string(solver.impulse_derivatives().reason).find("Newton"), std::string::npos);
  EXPECT_EQ(largest(solver.impulse_derivatives().velocity.q), 0);
  solver.impulse({.q = s.q, .v = s.v, .restitution = ConstVector(&e, 1)});
  EXPECT_EQ(solver.impulse_derivatives().status, Status::ok);
  const Vector wrong = Vector::Zero(3);
  EXPECT_THROW(solver.impulse_vjp({.velocity = wrong}), std::invalid_argument);
  EXPECT_THROW(solver.impulse_jvp({.v = wrong}), std::invalid_argument);
  solver.try_impulse({.q = wrong, .v = s.v});
  EXPECT_EQ(solver.impulse_derivatives().status, Status::not_differentiable);
  // The derivatives of the last solve are another matter.
  solver.solve({.q = s.q, .v = s.v, .tau = s.tau});
  const Matrix before = solver.derivatives().acceleration.q;
  solver.impulse({.q = s.q, .v = s.v});
  solver.impulse_derivatives();
  EXPECT_EQ(Matrix(solver.derivatives().acceleration.q), before);
}

}  // namespace
}  // namespace zwang::test
