// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics with bounds: rows that only push, limits of rows and motors, friction
// cones, transmissions. The laws: it undoes forward dynamics; forward dynamics undoes it; no other
// forces within the bounds take less torque (the conditions of the optimum, by non-negative least
// squares); sets that contradict each other are minimal.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics/imposed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
constexpr double k_free = std::numeric_limits<double>::infinity();

Model quadruped() {
  LoadOptions options;
  options.root = "floating";
  return load(model_file("quadruped.urdf"), options);
}
const std::vector<std::string> k_feet{"LF_foot", "RF_foot", "LH_foot", "RH_foot"};
Vector tall(const Model& model, Random& random) {
  Vector q = neutral(model);
  for (const char* leg : {"LF", "RF", "LH", "RH"}) {
    q(model.joint(std::string(leg) + "_hip_pitch").q.first) = 0.6;
    q(model.joint(std::string(leg) + "_knee").q.first) = -1.2;
  }
  for (const Joint& j : model.joints())
    if (j.v.size == 1) q(j.q.first) += random.uniform(-0.15, 0.15);
  return q;
}
Matrix jacobian_of(const Model& model, const ConstraintSet& set, const Vector& q, const Vector& v) {
  ConstraintEvaluator rows(model, set);
  rows.evaluate(q, v);
  Matrix J(set.rows(), model.nv());
  rows.jacobian(J);
  return J;
}

/// How far g is from a sum of the columns of A with factors >= 0, over |g|: coordinate descent.
double distance_to_cone(const Matrix& A, const Vector& g) {
  Vector x = Vector::Zero(A.cols()), left = g;
  for (int round = 0; round < 20000; ++round) {
    double change = 0;
    for (Eigen::Index k = 0; k < A.cols(); ++k) {
      const double size = A.col(k).squaredNorm();
      if (size < 1e-20) continue;
      const double to = std::max(0.0, x(k) + A.col(k).dot(left) / size);
      left -= A.col(k) * (to - x(k));
      change = std::max(change, std::fabs(to - x(k)) * std::sqrt(size));
      x(k) = to;
    }
    if (change < 1e-13 * g.norm()) break;
  }
  return g.norm() > 0 ? left.norm() / g.norm() : 0.0;
}

/// What a problem asks of u and lambda besides the motion.
struct Bounds {
  Matrix B, J;       ///< J: rows that may carry forces
  Vector low, high;  ///< of u
  Vector force_low, force_high;
  std::vector<std::pair<int, double>> cones = {};  ///< first row, mu
};
Bounds without_bounds(const Matrix& B, const Matrix& J) {
  const auto many = [](Eigen::Index n, double x) { return Vector(Vector::Constant(n, x)); };
  return {B, J, many(B.cols(), -k_free), many(B.cols(), k_free), many(J.rows(), -k_free), many(J.rows(), k_free)};
}
/// The forces are within their bounds, and no way to change them that keeps B u + J^T lambda takes less torque.
void expect_least(const Bounds& b, const Vector& u, const Vector& lambda, const Vector& wish, double tolerance = 1e-6) {
  const Eigen::Index nu = b.B.cols(), m = b.J.rows();
  const double slack = 1e-8 * (1 + lambda.norm() + u.norm());
  Matrix all(b.B.rows(), nu + m);
  all << b.B, b.J.transpose();
  const Matrix ways = Eigen::FullPivLU<Matrix>(all).setThreshold(1e-10).kernel();
  std::vector<Vector> active;  // gradients of bounds that hold as equalities, inwards
  const auto add = [&](Eigen::Index at, double sign) {
    active.emplace_back(Vector::Zero(nu + m));
    active.back()(at) = sign;
  };
  const auto one = [&](Eigen::Index at, double x, double low, double high) {
    EXPECT_GE(x, low - slack) << at;
    EXPECT_LE(x, high + slack) << at;
    if (x < low + slack) add(at, 1);
    if (x > high - slack) add(at, -1);
  };
  for (Eigen::Index j = 0; j < nu; ++j) one(j, u(j), b.low(j), b.high(j));
  for (Eigen::Index j = 0; j < m; ++j) one(nu + j, lambda(j), b.force_low(j), b.force_high(j));
  for (const auto& [first, mu] : b.cones) {
    const Eigen::Vector2d across = lambda.segment(first, 2);
    const double left = mu * lambda(first + 2) - across.norm();
    EXPECT_GE(left, -slack);
    if (left > slack) continue;
    active.emplace_back(Vector::Zero(nu + m));
    active.back()(nu + first + 2) = mu;
    if (across.norm() > slack) active.back().segment(nu + first, 2) = -across / across.norm();
  }
  Vector gradient = Vector::Zero(nu + m);
  gradient.head(nu) = u - wish;
  Matrix A(ways.cols(), static_cast<Eigen::Index>(active.size()));
  for (std::size_t k = 0; k < active.size(); ++k) A.col(static_cast<Eigen::Index>(k)) = ways.transpose() * active[k];
  const Vector g = ways.transpose() * gradient;
  const double size = ways.norm() * gradient.norm();
  EXPECT_LE(distance_to_cone(A, g) * g.norm(), tolerance * size) << active.size() << " bounds are reached";
}

/// Torques lead by forward dynamics, with feet that let go, to a motion; of this motion inverse dynamics finds the rows
/// that are open, and torques that are no larger and lead to the same motion.
TEST(InverseBounds, UndoesForwardDynamicsOfRowsThatOnlyPush) {
  const Model model = quadruped();
  const int n = static_cast<int>(model.nv());
  int opened = 0, held = 0, smaller = 0;
  const int all = effort(80, 80);
  for (int seed = 1; seed <= all; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    const Vector q = tall(model, random), v = 0.1 * random.vector(n, 1);
    ConstraintSet set(model);
    const bool rope = seed % 3 == 0, tangents = seed % 2 == 0;  // a normal that points down pulls by at_most
    for (const std::string& foot : k_feet)
      set.add(ContactConstraint{.name = foot,
                                .frame = foot,
                                .normal = {0, 0, rope ? -1.0 : 1.0},
                                .rows = tangents ? 3 : 1,
                                .sense = {rope ? Sense::at_most : Sense::at_least}});
    Solver solver(model, set);
    Vector tau = Vector::Zero(n);
    tau.tail(n - 6) = random.vector(n - 6, 8);
    const Externals push{external_wrench(model, model.find_frame("trunk"),
                                         {0, 0, random.uniform(-100, 300), 0, 0, random.uniform(-5, 5)})};
    const Solution& forward = solver.solve({.q = q, .v = v, .tau = tau, .external = &push});
    ASSERT_EQ(forward.report.status, Status::ok) << forward.report.explain();
    const Vector a = forward.acceleration;
    const std::size_t released = forward.report.released.size();
    ConstrainedInverseDynamics inverse(model, set);
    const InverseSolution& s = inverse.solve({.q = q, .v = v, .a = a, .external = &push});
    ASSERT_EQ(s.report.status, Status::ok) << s.report.explain() << s.report.motion << ' ' << s.report.optimality;
    EXPECT_EQ(s.report.released.size(), released);
    opened += static_cast<int>(released);
    held += static_cast<int>(s.report.held.size());
    EXPECT_TRUE(within(s.acceleration, a, 1e-10, 1 + a.norm()));
    EXPECT_LE(s.tau.norm(), tau.norm() * (1 + 1e-7) + 1e-7);
    smaller += s.tau.norm() < 0.999 * tau.norm();
    const Vector least = s.tau, lambda = s.multipliers;
    Bounds b = without_bounds(Matrix::Identity(n, n).rightCols(n - 6), jacobian_of(model, set, q, v));
    const int step = tangents ? 3 : 1;
    for (int k = 0; k < 4; ++k) {
      const int i = step * k + step - 1;
      const bool open =
          std::find(s.report.released.begin(), s.report.released.end(),
                    set.constraints()[static_cast<std::size_t>(k)].row_names.value().back()) != s.report.released.end();
      (rope ? b.force_high : b.force_low)(i) = 0;
      if (!open) continue;
      EXPECT_EQ(lambda(i), 0);
      b.J.row(i).setZero();
    }
    expect_least(b, s.motors, lambda, Vector::Zero(n - 6));
    const Solution& again = solver.solve({.q = q, .v = v, .tau = least, .external = &push});
    EXPECT_TRUE(within(again.acceleration, a, 1e-10, 1 + a.norm() + least.norm()));
    if (HasFailure()) return;
  }
  EXPECT_GE(opened, all / 4);
  EXPECT_GE(held, all / 2);
  EXPECT_GE(smaller, all / 8);
}

/// A robot on its feet with everything that can be bounded: what a test takes out and puts back.
struct BoundedMotors {
  explicit BoundedMotors(std::uint64_t seed, bool cones)
      : random(seed),
        q(tall(model, random)),
        n(static_cast<int>(model.nv())) {
    for (const std::string& foot : k_feet) {
      set.add(ContactConstraint{
          .name = foot, .frame = foot, .normal = {random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), 1}});
      if (cones)
        settings.friction.push_back({foot, random.uniform(0.3, 0.8)});
      else
        set[foot].sense = std::vector<Sense>{Sense::equal, Sense::equal, Sense::at_least};
      if (random.below(3) == 0) set[foot].limit = std::vector<double>{40, 40, random.uniform(60, 150)};
    }
    push.push_back(
        external_wrench(model, model.find_frame("trunk"),
                        {random.uniform(-40, 40), random.uniform(-40, 40), random.uniform(-60, 60), 0, 0, 0}));
  }
  Model model = quadruped();
  Random random;
  Vector q;
  int n;
  ConstraintSet set{model};
  InverseSettings settings;
  Externals push;

  Bounds bounds(const Matrix& B, const Vector& low, const Vector& high) const {
    Bounds b = without_bounds(B, jacobian_of(model, set, q, Vector::Zero(n)));
    b.low = low;
    b.high = high;
    for (int k = 0; k < 4; ++k) {
      const Constraint& c = set.constraints()[static_cast<std::size_t>(k)];
      for (int i = 0; i < 3 && !c.limit.empty(); ++i) {
        b.force_low(3 * k + i) = -c.limit[static_cast<std::size_t>(i)];
        b.force_high(3 * k + i) = c.limit[static_cast<std::size_t>(i)];
      }
      if (!c.sense.empty()) b.force_low(3 * k + 2) = 0;
    }
    for (std::size_t k = 0; k < settings.friction.size(); ++k) b.cones.emplace_back(3 * k, settings.friction[k].mu);
    return b;
  }
};

/// Limits of motors, of rows, and cones at once: within them the least torques, which make the motion.
TEST(InverseBounds, KeepsTorquesAndForcesWithinTheirLimits) {
  int at_limits = 0, refused = 0;
  const int all = effort(80, 80);
  for (int seed = 1; seed <= all; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BoundedMotors x(static_cast<std::uint64_t>(seed), seed % 2 == 0);
    const Vector still = Vector::Zero(x.n), wish = x.random.vector(x.n, seed % 5 == 0 ? 5 : 0);
    ConstrainedInverseDynamics inverse(x.model, x.set, {}, x.settings);
    const Vector free = inverse.solve({.q = x.q, .a = still, .torque_wish = wish, .external = &x.push}).motors;
    const double most = free.cwiseAbs().maxCoeff();
    Vector high(x.n - 6), low(x.n - 6);
    for (int j = 0; j < x.n - 6; ++j) {
      high(j) = x.random.uniform(0.6, 1.5) * most;
      low(j) = x.random.below(5) == 0 ? -k_free : -x.random.uniform(0.6, 1.5) * most;
    }
    const InverseSolution& s = inverse.solve(
        {.q = x.q, .a = still, .torque_wish = wish, .external = &x.push, .motor_lower = low, .motor_upper = high});
    if (s.report.status == Status::infeasible) {
      EXPECT_FALSE(s.report.beyond.empty() && s.report.outside.empty());
      EXPECT_EQ(s.report.conflicts.size(), 1U) << s.report.explain();
      ++refused;
      continue;
    }
    ASSERT_EQ(s.report.status, Status::ok) << s.report.explain() << s.report.motion << ' ' << s.report.optimality;
    at_limits += (s.motors - free).norm() > 1e-6;
    EXPECT_LE(s.report.bound, 1e-9);
    const Bounds b = x.bounds(Matrix::Identity(x.n, x.n).rightCols(x.n - 6), low, high);
    expect_least(b, s.motors, s.multipliers, wish.tail(x.n - 6));
    const Vector tau = s.tau, a = s.acceleration;
    EXPECT_EQ((tau.tail(x.n - 6) - s.motors).norm(), 0);
    for (const std::string& foot : k_feet) {  // plain rows: forward dynamics at these limits is not what is tested here
      x.set[foot].sense = std::vector<Sense>{};
      x.set[foot].limit = std::vector<double>{};
    }
    Solver solver(x.model, x.set);
    EXPECT_TRUE(
        within(solver.solve({.q = x.q, .tau = tau, .external = &x.push}).acceleration, a, 1e-10, 1 + tau.norm()));
    if (HasFailure()) return;
  }
  RecordProperty("at their limits", at_limits);
  RecordProperty("refused", refused);
  EXPECT_GE(at_limits, all / 8);
  EXPECT_GE(refused, all / 20);
}

/// Where nothing meets all demands within the bounds: the members of the set that is named contradict each other alone,
/// and no longer without any one of them.
TEST(InverseBounds, NamesMinimalSetsOfDemandsAndBounds) {
  int found = 0, with_demands = 0, members = 0, undecided = 0;
  const int all = effort(60, 60);
  for (int seed = 1; seed <= all; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BoundedMotors x(static_cast<std::uint64_t>(seed) + 500, seed % 2 == 0);
    const Vector still = Vector::Zero(x.n);
    Vector high = Vector::Constant(x.n - 6, k_free), low = -high;
    for (int j = 0; j < x.n - 6; ++j)
      if (x.random.below(2) == 0) low(j) = -x.random.uniform(3, 10), high(j) = x.random.uniform(3, 10);
    ConstrainedInverseDynamics inverse(x.model, x.set, {}, x.settings);
    const InverseSolution& s =
        inverse.solve({.q = x.q, .a = still, .external = &x.push, .motor_lower = low, .motor_upper = high});
    if (s.report.status != Status::infeasible) continue;
    ++found;
    ASSERT_EQ(s.report.conflicts.size(), 1U) << s.report.explain();
    const MotionConflict conflict = s.report.conflicts[0];
    EXPECT_GT(conflict.contradiction, 0);
    const std::vector<MotionTerm> terms(s.report.terms.begin() + conflict.first,
                                        s.report.terms.begin() + conflict.first + conflict.size);
    members += static_cast<int>(terms.size());
    std::string said;
    const auto status_without = [&](std::size_t left_out) {
      ConstraintSet set(x.model);
      for (const Constraint& c : x.set.constraints()) set.add(*x.set.added_as<ContactConstraint>(c.name));
      InverseSettings settings;
      Vector weight = still, lower = Vector::Constant(x.n - 6, -k_free), upper = -lower;
      const std::vector<std::string>& names = x.model.coordinate_names();
      for (std::size_t k = 0; k < terms.size(); ++k) {
        if (k == left_out) continue;
        const std::string name(terms[k].name);
        const auto at = std::find(names.begin(), names.end(), name) - names.begin();
        const std::string foot = name.substr(0, name.find(':'));
        const auto row = [&] {
          const auto& list = x.set[foot].row_names.value();
          return static_cast<std::size_t>(std::find(list.begin(), list.end(), name) - list.begin());
        };
        switch (terms[k].kind) {
          case MotionTerm::Kind::demand: weight(at) = 1; break;
          case MotionTerm::Kind::torque:
            (terms[k].coefficient > 0 ? upper : lower)(at - 6) = (terms[k].coefficient > 0 ? high : low)(at - 6);
            break;
          case MotionTerm::Kind::cone:
            for (const FrictionCone& cone : x.settings.friction)
              if (cone.contact == name) settings.friction.push_back(cone);
            break;
          case MotionTerm::Kind::sense:
            set[foot].sense = std::vector<Sense>{Sense::equal, Sense::equal, Sense::at_least};
            break;
          case MotionTerm::Kind::limit: {  // of one side
            std::vector<double> limit = set[foot].limit.empty() ? std::vector<double>(3, 1e9) : set[foot].limit.value();
            limit[row()] = x.set[foot].limit[row()];
            set[foot].limit = limit;
            break;
          }
          default: ADD_FAILURE();
        }
      }
      ConstrainedInverseDynamics again(x.model, set, {}, settings);
      const InverseReport& r = again
                                   .solve({.q = x.q,
                                           .a = still,
                                           .weight = weight,
                                           .external = &x.push,
                                           .motor_lower = lower,
                                           .motor_upper = upper})
                                   .report;
      said = r.explain() + std::to_string(r.optimality) + ' ' + std::to_string(r.motion) + '\n';
      return r.status;
    };
    EXPECT_EQ(status_without(terms.size()), Status::infeasible) << s.report.explain();
    for (std::size_t k = 0; k < terms.size(); ++k) {
      // Where what is left meets its bounds in one point alone, its program may end without a decision.
      const Status left = status_without(k);
      EXPECT_NE(left, Status::infeasible) << said << "without " << terms[k].name << '\n' << s.report.explain();
      undecided += left != Status::ok;
      with_demands += terms[k].kind == MotionTerm::Kind::demand;
    }
    if (HasFailure()) return;
  }
  RecordProperty("found", found);
  RecordProperty("members", members);
  EXPECT_LE(undecided, members / 50);
  EXPECT_GE(found, all / 5);
  EXPECT_GE(with_demands, 1);
}

/// tau = B u with tendons that only pull, differentials, motors that share a joint; more or fewer motors than joints.
TEST(InverseBounds, DrivesJointsThroughTransmissions) {
  const Model arm = load(model_file("arm7.urdf"));
  const int n = static_cast<int>(arm.nv());
  int tight = 0;
  for (int seed = 1; seed <= effort(60, 60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    const int nu = 4 + seed % 8;
    Matrix B(n, nu);
    for (int j = 0; j < nu; ++j) B.col(j) = random.vector(n, 1);
    if (seed % 3 == 0) B.row(2) = B.row(4) * 0.5;  // two joints on the same tendons
    if (nu > n && seed % 2 == 1)                   // antagonists
      for (int j = n; j < nu; ++j) B.col(j) = -B.col(j - n);
    const Vector q = random_state(arm, static_cast<std::uint64_t>(seed)).q, v = random.vector(n, 1),
                 wish = random.vector(nu, 3);
    const Vector a = random.vector(n, 1);
    const ConstraintSet none(arm);
    const ActuationMap map(B);
    ConstrainedInverseDynamics inverse(arm, none, map);
    const InverseSolution& s = inverse.solve({.q = q, .v = v, .a = a, .torque_wish = wish});
    const Eigen::Index rank = Eigen::FullPivLU<Matrix>(B).rank();
    EXPECT_EQ(s.report.conditions, n - rank);
    EXPECT_EQ(s.report.motors, nu);
    EXPECT_EQ(s.report.status == Status::ok, rank == n) << s.report.explain();
    const Vector free = s.motors;
    EXPECT_TRUE(within(s.tau, Vector(B * free), 1e-13, 1 + free.norm() * B.norm()));
    Data data(arm);
    const Vector tau = s.tau;
    EXPECT_TRUE(within(forward_dynamics(arm, data, q, v, tau), Vector(s.acceleration), 1e-10, 1 + 100 * tau.norm()));
    expect_least(without_bounds(B, Matrix(0, n)), free, Vector(0), wish, 1e-10);
    if (rank < n) continue;
    if (nu == n) {
      EXPECT_TRUE(within(Vector(B * free), inverse_dynamics(arm, data, q, v, a), 1e-10, 1 + tau.norm()));
      continue;
    }
    Vector low = Vector::Constant(nu, -0.8 * free.cwiseAbs().maxCoeff());
    if (nu > n && seed % 2 == 1)
      for (int j = n; j < nu; ++j) low(j) = low(j - n) = 0;
    const Vector high = Vector::Constant(nu, 1.5 * free.cwiseAbs().maxCoeff());
    const InverseSolution& pulled =
        inverse.solve({.q = q, .v = v, .a = a, .torque_wish = wish, .motor_lower = low, .motor_upper = high});
    if (pulled.report.status == Status::infeasible) {  // two directions of tendons do not span all of them
      EXPECT_EQ(pulled.report.conflicts.size(), 1U) << pulled.report.explain();
      continue;
    }
    ASSERT_EQ(pulled.report.status, Status::ok) << pulled.report.explain() << pulled.report.optimality;
    Bounds b = without_bounds(B, Matrix(0, n));
    b.low = low;
    b.high = high;
    expect_least(b, pulled.motors, Vector(0), wish);
    EXPECT_TRUE(within(pulled.tau, tau, 1e-9, 1 + tau.norm() + pulled.motors.norm() * B.norm()));
    tight += 1;
    if (HasFailure()) return;
  }
  RecordProperty("tight", tight);
  EXPECT_GE(tight, 1);
}

/// A differential between roll and pitch of a wrist: u = (tau_r +- tau_p) / 2. By names, and as a matrix.
TEST(InverseBounds, ADifferentialSharesTorquesBetweenTwoMotors) {
  const Model arm = load(model_file("arm7.urdf"));
  const auto n = static_cast<std::size_t>(arm.nv());
  std::vector<ActuationMap::Motor> motors;
  for (std::size_t c = 0; c + 2 < n; ++c) motors.push_back({"m" + std::to_string(c), {{arm.coordinate_names()[c], 1}}});
  const std::string roll = arm.coordinate_names()[n - 2], pitch = arm.coordinate_names()[n - 1];
  motors.push_back({"left", {{roll, 1}, {pitch, 1}}});
  motors.push_back({"right", {{roll, 1}, {pitch, -1}}});
  const ActuationMap map(arm, motors);
  ConstrainedInverseDynamics inverse(arm, ConstraintSet(arm), map);
  const Vector q = random_state(arm, 3).q, a = Vector::Ones(arm.nv());
  Data data(arm);
  const Vector v = Vector::Zero(arm.nv()), tau = inverse_dynamics(arm, data, q, v, a);
  const InverseSolution& s = inverse.solve({.q = q, .a = a});
  ASSERT_EQ(s.report.status, Status::ok);
  EXPECT_EQ(inverse.motor_names().back(), "right");
  EXPECT_NEAR(s.motors(5), (tau(5) + tau(6)) / 2, 1e-12 * (1 + tau.norm()));
  EXPECT_NEAR(s.motors(6), (tau(5) - tau(6)) / 2, 1e-12 * (1 + tau.norm()));
  // Efforts of the joints hold behind transmissions, too; where they do not: which joint.
  inverse.settings().effort_limits = true;
  EXPECT_EQ(inverse.solve({.q = q, .a = a}).report.status, Status::ok);
  const InverseSolution& fast = inverse.solve({.q = q, .a = Vector(1e4 * a)});
  EXPECT_EQ(fast.report.status, Status::infeasible);
  ASSERT_FALSE(fast.report.terms.empty()) << fast.report.explain();
  EXPECT_EQ(fast.report.terms.back().kind, MotionTerm::Kind::torque);
}

/// A demand on one joint leaves the others to the bounds: they give way before anything is refused.
TEST(InverseBounds, LetsGiveWayWhatIsNotDemanded) {
  const Model arm = load(model_file("arm7.urdf"));
  const int n = static_cast<int>(arm.nv());
  const ConstraintSet none(arm);
  ConstrainedInverseDynamics inverse(arm, none);
  const Vector q = random_state(arm, 5).q;
  Vector a = Vector::Zero(n), weight = a;
  a(3) = 4;
  weight(3) = 1;
  const Vector free = inverse.solve({.q = q, .a = a, .weight = weight}).motors;
  const Vector high = Vector::Constant(n, 0.9 * free.cwiseAbs().maxCoeff()), low = -high;
  const InverseSolution& s = inverse.solve({.q = q, .a = a, .weight = weight, .motor_lower = low, .motor_upper = high});
  ASSERT_EQ(s.report.status, Status::ok) << s.report.explain() << s.report.optimality;
  EXPECT_NEAR(s.acceleration(3), 4, 1e-10);
  EXPECT_LE(s.motors.cwiseAbs().maxCoeff(), high(0) * (1 + 1e-9));
  Data data(arm);
  const Vector v = Vector::Zero(n), tau = s.tau;
  EXPECT_TRUE(within(forward_dynamics(arm, data, q, v, tau), Vector(s.acceleration), 1e-10, 1 + 100 * tau.norm()));
}

TEST(InverseBounds, RefusesWhatDoesNotGoTogether) {
  const Model model = quadruped();
  const int n = static_cast<int>(model.nv());
  const Vector q = neutral(model), a = Vector::Zero(n);
  ConstraintSet set(model);
  Constraint& foot = set.add(ContactConstraint{.name = "foot", .frame = "LF_foot", .sense = {Sense::at_least}});
  ConstrainedInverseDynamics inverse(model, set);
  const Vector wrong = Vector::Ones(n), low = Vector::Constant(n - 6, 1.0), high = -low, nan = low * std::nan("");
  EXPECT_SAYS("motor_lower: a wrong size", inverse.solve({.q = q, .a = a, .motor_lower = wrong}));
  EXPECT_SAYS("motor_upper: NaN", inverse.solve({.q = q, .a = a, .motor_upper = nan}));
  EXPECT_SAYS("above that of motor_upper", inverse.solve({.q = q, .a = a, .motor_lower = low, .motor_upper = high}));
  EXPECT_EQ(inverse.try_solve({.q = q, .a = a, .motor_upper = wrong}).report.status, Status::invalid_input);
  inverse.settings().penalty = 100;
  EXPECT_SAYS("'foot' has a sense or a limit", inverse.solve({.q = q, .a = a}));
  EXPECT_SAYS("penalty exclude", inverse.solve({.q = q, .a = a, .motor_upper = low}));
  inverse.settings().penalty = 0;
  foot.role = Role::driver;
  EXPECT_EQ(inverse.try_solve({.q = q, .a = a}).report.status, Status::infeasible);  // it flies
  foot.limit = std::vector<double>{5, 5, 5};
  EXPECT_SAYS("'foot' is a driver with a limit", inverse.solve({.q = q, .a = a}));
  foot.role = Role::physical;
  foot.policy = Policy::soft;
  foot.compliance = std::vector<double>{1, 1, 1};
  EXPECT_SAYS("'foot' is soft and has a sense or a limit", inverse.solve({.q = q, .a = a}));
  EXPECT_SAYS("3 rows, expected nv = 18", ConstrainedInverseDynamics(model, set, ActuationMap(Matrix(3, 2))));
  EXPECT_SAYS("named 'a'", ConstrainedInverseDynamics(model, set, ActuationMap(Matrix::Ones(n, 2), {"a", "a"})));
  EXPECT_SAYS("not finite", ConstrainedInverseDynamics(model, set, ActuationMap(Matrix::Ones(n, 2) * std::nan(""))));
  EXPECT_SAYS("LF_knee", ActuationMap(model, {{"m", {{"LF_kne", 1}}}}));
  EXPECT_SAYS("root_joint[0]", ActuationMap(model, {{"m", {{"root_joint", 1}}}}));
}

}  // namespace
}  // namespace zwang::test
