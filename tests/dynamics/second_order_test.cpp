// SPDX-License-Identifier: BSD-3-Clause
// Solver::hvp: the Hessian of a scalar of the solution times a direction, against differences of the gradient, by its
// symmetry, and against the second derivatives of forward dynamics, on random hybrid problems of all joints and rows.
#include <gtest/gtest.h>

#include "dynamics/constraint_kinds.hpp"
#include "dynamics/differences.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "zwang/algorithm/second_derivatives.hpp"
#include "zwang/generic.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// A direction of all inputs, or the gradient by them.
struct Inputs : Direction {
  Vector prescribed;  ///< of gradients
  using Direction::Direction;
  template <class Gradient> static Inputs of(const Gradient& g) {
    Inputs x;
    x.q = g.q;
    x.v = g.v;
    x.tau = g.tau;
    x.beta = g.beta;
    x.prescribed = g.prescribed;
    return x;
  }
  InputVariation view() const { return {q, v, tau, beta}; }
  double dot(const Inputs& y) const { return q.dot(y.q) + v.dot(y.v) + tau.dot(y.tau) + beta.dot(y.beta); }
  double size() const { return largest(q) + largest(v) + largest(tau) + largest(beta); }
  Inputs plus(const Inputs& y, double s) const {
    Inputs x = *this;
    if (x.q.size() == 0) {
      x.q = x.v = x.tau = x.prescribed = Vector::Zero(y.q.size());
      x.beta = Vector::Zero(y.beta.size());
    }
    x.q += s * y.q;
    x.v += s * y.v;
    x.tau += s * y.tau;
    x.beta += s * y.beta;
    x.prescribed += s * y.prescribed;
    return x;
  }
};

struct Weights {
  Vector acceleration, multipliers, motor_torque;
  Weights(Random& random, Index nv, Index rows)
      : acceleration(random.vector(static_cast<int>(nv))),
        multipliers(random.vector(static_cast<int>(rows))),
        motor_torque(random.vector(static_cast<int>(nv))) {}
  SolutionGradient view() const { return {acceleration, multipliers, motor_torque}; }
};

/// A random problem, or one with a single constraint of a kind.
struct Case {
  const Model& model;
  Mixed x;
  const Kind* kind = nullptr;
  const Robot* robot = nullptr;
  std::uint64_t seed = 0;
  ConstraintSet set() const {
    if (kind == nullptr) return x.set(model);
    ConstraintSet set(model);
    Random random(seed + 5);
    kind->add(*robot, random, set);
    return set;
  }
};

/// Of the gradient.
Inputs differences(const Case& c, const Inputs& d, const Weights& w, double h) {
  Inputs sum;
  at_four_places(h, [&](double e, double weight) {
    Case there = c;
    there.x = moved(c.model, c.x, d, e);
    ConstraintSet set = there.set();
    move_beta(set, e * d.beta);
    Solver solver(c.model, set, c.x.settings);
    solver.solve(there.x.input());
    const InputGradient& g = solver.vjp(w.view());
    EXPECT_EQ(g.status, Status::ok) << g.reason;
    sum = sum.plus(Inputs::of(g), weight);
  });
  return sum;
}

/// [a, b] in the groups of the joints: of q (+) a (+) b and q (+) b (+) a, to first order in each.
Vector bracket(const Model& model, const Vector& q, const Vector& a, const Vector& b) {
  using S = Dual<Dual<double>>;
  const auto n = static_cast<std::size_t>(model.nv());
  std::vector<S> at, x(static_cast<std::size_t>(model.nq())), y(x), first(n), second(n), apart(n);
  for (const double number : q) at.push_back(S(number));
  for (std::size_t k = 0; k < n; ++k) {
    first[k] = S(Dual<double>(0.0, a(static_cast<Index>(k))), Dual<double>(0.0));
    second[k] = S(Dual<double>(0.0), Dual<double>(b(static_cast<Index>(k))));
  }
  const Tree<double>& tree = model.tree<double>();
  page::integrate(tree, at.data(), first.data(), x.data());
  page::integrate(tree, x.data(), second.data(), x.data());
  page::integrate(tree, at.data(), second.data(), y.data());
  page::integrate(tree, y.data(), first.data(), y.data());
  page::difference(tree, y.data(), x.data(), apart.data());
  Vector out(model.nv());
  for (std::size_t k = 0; k < n; ++k) out(static_cast<Index>(k)) = apart[k].d.d;
  return out;
}

/// Differences and symmetry at one problem. False where there is nothing to compare.
bool check(const Case& c, std::uint64_t seed) {
  ConstraintSet set = c.set();
  Solver solver(c.model, set, c.x.settings);
  const Solution& s = solver.solve(c.x.input());
  if (s.report.status != Status::ok || s.report.rank < s.report.rows) return false;
  Random random(seed + 1);
  const Index nv = c.model.nv(), rows = set.rows();
  const Inputs d(random, nv, rows), other(random, nv, rows);
  const Weights w(random, nv, rows);
  const Inputs gradient = Inputs::of(solver.vjp(w.view()));
  const GradientVariation& got = solver.hvp(d.view(), w.view());
  EXPECT_EQ(got.status, Status::ok) << got.reason;
  if (got.status != Status::ok) return false;
  const Inputs H_d = Inputs::of(got), H_other = Inputs::of(solver.hvp(other.view(), w.view()));

  const Inputs coarse = differences(c, d, w, 4e-4), fine = differences(c, d, w, 2e-4);
  const double size = H_d.size() + gradient.size() + 1;
  const auto compare = [&](const char* name, const Vector& x, const Vector& a, const Vector& b) {
    EXPECT_LT(largest(x - b), 20 * largest(a - b) + 1e-7 * size) << name << " size " << size;
  };
  compare("q", H_d.q, coarse.q, fine.q);
  compare("v", H_d.v, coarse.v, fine.v);
  compare("tau", H_d.tau, coarse.tau, fine.tau);
  compare("beta", H_d.beta, coarse.beta, fine.beta);
  compare("prescribed", H_d.prescribed, coarse.prescribed, fine.prescribed);

  // Exact but for rounding: some 5000 eps of what is summed, times the condition that the first derivatives show.
  const double skew = other.dot(H_d) - d.dot(H_other);
  const double expected = bracket(c.model, c.x.state.q, d.q, other.q).dot(gradient.q);
  EXPECT_LT(std::fabs(skew - expected), 1e-11 * (size + H_other.size()) * static_cast<double>(nv + rows)) << expected;
  return true;
}

TEST(SecondOrder, IsTheDifferenceOfGradientsAndSymmetric) {
  int compared = 0;
  for (int seed = 0; seed < effort(200, 24); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed);
    const Robot robot = random_robot_of_all_joints(at, 2 + seed % 6);
    if (robot.model.nv() == 0) continue;
    compared += check({robot.model, random_mixed(robot, at, one_level())}, at) ? 1 : 0;
  }
  EXPECT_GT(compared, effort(200, 24) / 4);
}

TEST(SecondOrder, OfEveryTypeOfConstraint) {
  for (const Kind& kind : every_kind()) {
    SCOPED_TRACE(kind.name);
    int compared = 0;
    for (int seed = 0; seed < effort(40, 24); ++seed) {
      SCOPED_TRACE(seed);
      const auto at = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot_of_all_joints(at, 3 + seed % 6);
      if (robot.model.nv() == 0) continue;
      Case c{robot.model, {}, &kind, &robot, at};
      static_cast<Imposed&>(c.x) = random_imposed(robot, at);
      c.x.constraints.clear();
      try {
        if (c.set().rows() == 0) continue;
      } catch (const std::exception&) {
        continue;  // two frames on one body, and so on
      }
      compared += check(c, at) ? 1 : 0;
    }
    EXPECT_GT(compared, effort(40, 24) / 5);
  }
}

/// A user's joint on the group of rotations whose columns depend on q: a body that turns on an ellipsoid,
/// p = D R e, D = diag(0.3, 0.2, 0.4).
struct Shell {
  static constexpr const char* name = "shell";
  static constexpr int nq = 4, nv = 3;
  using group = Rotations;
  template <class S> static Vec3<S> scaled(const Vec3<S>& x) {
    return {x.x * Uniform<S>(0.3), x.y * Uniform<S>(0.2), x.z * Uniform<S>(0.4)};
  }
  template <class S> static Vec3<S> unit(int k) { return {S(k == 0), S(k == 1), S(k == 2)}; }
  template <class S> static Mat3<S> turn(const S* q) { return rotation(Quat<S>{q[0], q[1], q[2], q[3]}); }
  template <class S> static void transform(const S* q, const Uniform<S>*, Transform<S>& X) {
    const Mat3<S> R = turn(q);
    X = {R, scaled(column_z(R))};
  }
  template <class S> static void columns(const S* q, const Uniform<S>*, Motion<S>* s) {
    const Mat3<S> R = turn(q);
    for (int k = 0; k < 3; ++k) s[k] = {transpose_times(R, scaled(R * cross(unit<S>(k), unit<S>(2)))), unit<S>(k)};
  }
  template <class S> static void rates(const S* q, const S* v, const Uniform<S>*, Motion<S>* r) {
    const Mat3<S> R = turn(q);
    const Vec3<S> w{v[0], v[1], v[2]};
    for (int k = 0; k < 3; ++k) {
      const Vec3<S> d = cross(unit<S>(k), unit<S>(2));
      r[k] = {transpose_times(R, scaled(R * cross(w, d))) - cross(w, transpose_times(R, scaled(R * d))),
              Vec3<S>::zero()};
    }
  }
};

TEST(SecondOrder, OfUserJointsOnAGroup) {
  RandomRobot options;
  options.joints = 4;
  options.types = {"revolute", "spherical"};
  options.user = {user_joint<Shell>()};
  int compared = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(20, 24)); ++seed) {
    SCOPED_TRACE(seed);
    const Model model = build(random_robot(seed, options));
    Random random(seed);
    Case c{model, {}};
    c.x.state.q = zwang::random(model, seed);
    c.x.state.v = random.vector(static_cast<int>(model.nv()));
    c.x.state.tau = random.vector(static_cast<int>(model.nv()));
    FrameConstraint tip;
    tip.name = tip.frame = model.links().back().name;
    tip.rows = rows("linear.x angular.y");
    tip.beta = {0.5, -0.3};
    c.x.constraints = {tip};
    compared += check(c, seed) ? 1 : 0;
  }
  EXPECT_GT(compared, effort(20, 24) / 2);
}

/// Every constraint twice: accelerations have second derivatives, multipliers are refused.
TEST(SecondOrder, OfAccelerationsUnderDependentRows) {
  MixedOptions options = one_level();
  options.soft = options.early = options.prescribed = false;
  int compared = 0;
  for (int seed = 0; seed < effort(80, 24); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed);
    const Robot robot = random_robot_of_all_joints(at, 3 + seed % 6);
    Case c{robot.model, random_mixed(robot, at, options)};
    for (std::size_t k = 0, count = c.x.constraints.size(); k < count; ++k) {
      c.x.constraints.push_back(c.x.constraints[k]);
      std::visit([](auto& x) { x.name += " again"; }, c.x.constraints.back());
    }
    ConstraintSet set = c.set();
    Solver solver(robot.model, set, c.x.settings);
    const Solution& s = solver.solve(c.x.input());
    if (s.report.status != Status::ok || 2 * s.report.rank != s.report.rows || s.report.rank == 0) continue;
    const Index nv = robot.model.nv(), rows = set.rows();
    Random random(at + 1);
    Inputs d(random, nv, rows);
    d.beta.setZero();  // the copies must stay consistent
    Weights w(random, nv, rows);
    EXPECT_EQ(solver.hvp(d.view(), {.multipliers = w.multipliers}).status, Status::not_differentiable);
    w.multipliers.setZero();
    w.motor_torque.resize(0);
    const GradientVariation& got = solver.hvp(d.view(), w.view());
    EXPECT_EQ(got.status, Status::ok) << got.reason;
    const Inputs H_d = Inputs::of(got), coarse = differences(c, d, w, 4e-4), fine = differences(c, d, w, 2e-4);
    const double size = H_d.size() + Inputs::of(solver.vjp(w.view())).size() + 1;
    EXPECT_LT(largest(H_d.q - fine.q), 20 * largest(coarse.q - fine.q) + 1e-7 * size);
    EXPECT_LT(largest(H_d.v - fine.v), 20 * largest(coarse.v - fine.v) + 1e-7 * size);
    EXPECT_LT(largest(H_d.tau - fine.tau), 20 * largest(coarse.tau - fine.tau) + 1e-7 * size);
    ++compared;
  }
  EXPECT_GT(compared, effort(80, 24) / 6);
}

/// Whatever method has solved.
TEST(SecondOrder, IsThatOfEveryMethod) {
  MixedOptions options = one_level();
  options.soft = options.early = options.prescribed = false;
  int compared = 0;
  for (int seed = 0; seed < effort(20, 24); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed) + 40;
    const Robot robot = random_robot_of_all_joints(at, 3 + seed % 5);
    Mixed x = random_mixed(robot, at, options);
    ConstraintSet set = x.set(robot.model);
    Random random(at);
    const Inputs d(random, robot.model.nv(), set.rows());
    const Weights w(random, robot.model.nv(), set.rows());
    Inputs expected;
    for (const std::string& method : methods()) {
      SCOPED_TRACE(method);
      x.settings.method = method;
      try {
        Solver solver(robot.model, set, x.settings);
        const Solution& s = solver.solve(x.input());
        if (s.report.status != Status::ok || s.report.rank < s.report.rows) continue;
        const GradientVariation& h = solver.hvp(d.view(), w.view());
        ASSERT_EQ(h.status, Status::ok) << h.reason;
        const Inputs got = Inputs::of(h);
        if (expected.q.size() == 0) expected = got;
        EXPECT_LT(got.plus(expected, -1).size(), 1e-7 * (expected.size() + 1));
        ++compared;
      } catch (const UnsupportedError&) {}
    }
  }
  EXPECT_GT(compared, effort(20, 24));
}

/// Bad arguments are named, and what vjp and jvp have returned stays as it is.
TEST(SecondOrder, LeavesOtherResultsAndTheSolution) {
  const Robot robot = sample_robot("arm7");
  ConstraintSet set(robot.model);
  FrameConstraint c;
  c.name = c.frame = "tool0";
  c.rows = rows("linear");
  set.add(c);
  Solver solver(robot.model, set);
  const Vector q = Vector::LinSpaced(robot.model.nq(), 0.2, 0.9), v = Vector::LinSpaced(robot.model.nv(), -1, 1);
  const SolveInput input{.q = q, .v = v};
  EXPECT_THROW(solver.hvp({.q = v}, {.acceleration = v}), std::logic_error);  // nothing is solved
  const Vector a = solver.solve(input).acceleration;
  const InputGradient& g = solver.vjp({.acceleration = v});
  const SolutionVariation& t = solver.jvp({.v = v});
  const Vector by_q = g.q, along = t.acceleration;
  const Vector first = solver.hvp({.q = v}, {.acceleration = a}).q;
  EXPECT_EQ(Vector(g.q), by_q);
  EXPECT_EQ(Vector(t.acceleration), along);
  EXPECT_EQ(Vector(solver.solution().acceleration), a);
  EXPECT_EQ(Vector(solver.hvp({.q = v}, {.acceleration = a}).q), first);
  EXPECT_EQ(largest(solver.hvp({}, {.acceleration = a}).q), 0);
  EXPECT_EQ(largest(solver.hvp({.q = v}, {}).q), 0);
  EXPECT_LT(largest(Vector(solver.resolve().acceleration) - a), 1e-12 * largest(a));
  const Vector three = Vector::Ones(4);
  Vector bad = v;
  bad(2) = std::nan("");
  EXPECT_THROW(solver.hvp({.q = three}, {.acceleration = a}), std::invalid_argument);
  EXPECT_THROW(solver.hvp({.q = bad}, {.acceleration = a}), std::invalid_argument);
  EXPECT_THROW(solver.hvp({.q = v}, {.multipliers = three}), std::invalid_argument);
}

TEST(SecondOrder, OfAnInfeasibleSetIsAStatus) {
  const Robot robot = sample_robot("arm7");
  ConstraintSet set(robot.model);
  for (const double beta : {1.0, 2.0}) {
    FrameConstraint c;
    c.name = beta == 1 ? "one" : "two";
    c.frame = "tool0";
    c.rows = rows("linear.x");
    c.beta = {beta};
    set.add(c);
  }
  Solver solver(robot.model, set);
  const Vector q = Vector::LinSpaced(robot.model.nq(), 0.2, 0.9), v = Vector::Ones(robot.model.nv());
  solver.solve({.q = q});
  const GradientVariation& h = solver.hvp({.q = v}, {.acceleration = v});
  EXPECT_EQ(h.status, Status::not_differentiable);
  EXPECT_FALSE(h.reason.empty());
  EXPECT_EQ(largest(h.q) + largest(h.v) + largest(h.tau) + largest(h.beta), 0);
}

/// Without rows: the contracted second derivatives of forward dynamics, to rounding.
TEST(SecondOrder, WithoutRowsIsThatOfForwardDynamics) {
  for (int seed = 0; seed < effort(60, 24); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed);
    const Robot robot = random_robot_of_all_joints(at, 2 + seed % 6);
    const Index nv = robot.model.nv();
    if (nv == 0) continue;
    const RandomState state = random_state(robot.model, at);
    const ConstraintSet set(robot.model);
    Solver solver(robot.model, set);
    const SolveInput input{.q = state.q, .v = state.v, .tau = state.tau};
    if (solver.solve(input).report.status != Status::ok) continue;
    Random random(at + 1);
    const Inputs d(random, nv, 0);
    const Vector w = random.vector(static_cast<int>(nv));
    const Inputs got = Inputs::of(solver.hvp(d.view(), {.acceleration = w}));
    Data data(robot.model);
    const ForwardSecondDerivatives h =
        forward_dynamics_second_derivatives(robot.model, data, state.q, state.v, state.tau);
    Matrix qq(nv, nv), qv(nv, nv), vv(nv, nv), qt(nv, nv);
    h.contract("qq", w, qq);
    h.contract("qv", w, qv);
    h.contract("vv", w, vv);
    h.contract("qtau", w, qt);
    const double size = largest(qq) + largest(qv) + largest(vv) + largest(qt) + 1;
    EXPECT_LT(largest(got.q - (qq * d.q + qv * d.v + qt * d.tau)), 1e-11 * size * static_cast<double>(nv));
    EXPECT_LT(largest(got.v - (qv.transpose() * d.q + vv * d.v)), 1e-11 * size * static_cast<double>(nv));
    EXPECT_LT(largest(got.tau - qt.transpose() * d.q), 1e-11 * size * static_cast<double>(nv));
  }
}

}  // namespace
}  // namespace zwang::test
