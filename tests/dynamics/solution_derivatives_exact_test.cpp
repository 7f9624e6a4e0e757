// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of solutions put into the differentiated equations, whose other terms dual numbers give (residuals.hpp):
//   M dq'' - J^T d lambda + d r1 = d tau,   J dq'' + R d lambda + d r2 = d beta
// for every type of constraint, with and without stabilisation, one or more rows, soft or hard, beta not zero, in motion.
// Tolerance: 1e-12 of the magnitudes that cancel, some 5000 eps: 200 operations a body, and the solve's own rounding.
#include <gtest/gtest.h>

#include "dynamics/residuals.hpp"
#include "support/effort.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/dynamics/derivatives.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
constexpr double k_exact = 1e-12;

double largest(const Matrix& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }
Vector eigen(const std::vector<double>& x) { return Eigen::Map<const Vector>(x.data(), static_cast<Index>(x.size())); }

std::string some_frame(const Robot& robot, Random& random) {
  const auto& frames = robot.model.frames();
  return frames[static_cast<std::size_t>(random.below(static_cast<int>(frames.size())))].name;
}
std::vector<double> some_numbers(Random& random, Index count) {
  std::vector<double> out;
  for (Index i = 0; i < count; ++i) out.push_back(random.uniform(-2, 2));
  return out;
}

/// How a constraint is held, at random.
template <class C> void hold(C& c, Random& random, Index rows, bool errors = true) {
  c.beta = some_numbers(random, rows);
  c.role = random.below(3) == 0 ? Role::driver : Role::physical;
  if (random.below(3) == 0) {
    c.policy = Policy::soft;
    c.compliance = {random.uniform(0.1, 2)};
  }
  if (!errors || random.below(2) == 0) return;
  c.stabilisation = Stabilisation{random.uniform(0.2, 1), random.uniform(0.5, 1.5)};
  if (random.below(2)) c.target = some_numbers(random, rows);
  if (random.below(2)) c.target_velocity = some_numbers(random, rows);
}

struct Kind {
  const char* name;
  void (*add)(const Robot& robot, Random& random, ConstraintSet& set);
};

void add_frame(const Robot& robot, Random& random, ConstraintSet& set) {
  FrameConstraint c = random_frame_constraint(robot, random, "c");
  hold(c, random, c.rows.size(), false);
  set.add(c);
}
void add_frame_target(const Robot& robot, Random& random, ConstraintSet& set) {
  FrameConstraint c = random_frame_constraint(robot, random, "c");
  c.in = random.below(2) ? "local" : "local_world_aligned";
  c.acceleration = AccelerationKind::classical;
  c.has_target = true;
  const Vec3<double> turn = random.direction() * random.uniform(0, 3);
  c.target_pose = {exp_so3(turn), {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}};
  hold(c, random, c.rows.size());
  set.add(c);
}
void add_contact(const Robot& robot, Random& random, ConstraintSet& set) {
  ContactConstraint c = random_contact(robot, random, "c");
  c.has_target = random.below(2) == 1;
  hold(c, random, c.rows, c.has_target);
  set.add(c);
}
void add_loop(const Robot& robot, Random& random, ConstraintSet& set) {
  LoopConstraint c = random_loop(robot, random, "c");
  hold(c, random, c.rows.size());
  set.add(c);
}
void add_distance(const Robot& robot, Random& random, ConstraintSet& set) {
  DistanceConstraint c;
  c.name = "c";
  c.frame = some_frame(robot, random);
  c.other = some_frame(robot, random);
  c.point = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  c.other_point = {random.uniform(1, 2), random.uniform(-1, 1), random.uniform(-1, 1)};
  c.length = random.uniform(0.5, 2);
  hold(c, random, 1);
  set.add(c);
}
void add_rolling(const Robot& robot, Random& random, ConstraintSet& set) {
  RollingConstraint c;
  c.name = "c";
  c.frame = some_frame(robot, random);
  c.other = random.below(2) ? some_frame(robot, random) : "";
  c.radius = random.uniform(0.1, 0.5);
  c.normal = random.direction();
  if (random.below(2)) c.axis = random.direction();
  hold(c, random, 3);
  set.add(c);
}
void add_centre_of_mass(const Robot&, Random& random, ConstraintSet& set) {
  CentreOfMassConstraint c;
  c.name = "c";
  const int count = 1 + random.below(3);
  c.matrix = some_numbers(random, 3 * count);
  hold(c, random, count);
  set.add(c);
}
std::vector<std::string> coordinates(const Robot& robot) {
  std::vector<std::string> out;
  for (const Joint& j : robot.model.joints())
    if (j.mimic.leader.empty() && j.v.size == 1 && j.q.size == 1)
      out.push_back(robot.model.coordinate_names()[static_cast<std::size_t>(j.v.first)]);
  return out;
}
void add_coupling(const Robot& robot, Random& random, ConstraintSet& set) {
  CouplingConstraint c;
  c.name = "c";
  c.coordinates = coordinates(robot);
  if (c.coordinates.empty()) return;
  if (c.coordinates.size() >= 2 && random.below(2)) {
    c.coordinates.resize(2);
    c.polynomial = some_numbers(random, 5);
  } else {
    c.ratio = some_numbers(random, static_cast<Index>(c.coordinates.size()));
  }
  hold(c, random, 1);
  set.add(c);
}

/// What rows say of the state. A row whose position error is NaN, or that is inactive, has no derivative of it.
void check_errors(const ConstraintSet& set, const Solution& s, const SolutionDerivatives& d, const Matrix& J,
                  const Residuals<double>& of, bool by_q, const Vector& along) {
  const Vector residual = (by_q ? d.residual.q : d.residual.v) * along,
               velocity = (by_q ? d.velocity_error.q : d.velocity_error.v) * along;
  const Vector position = d.position_error.q * along;
  EXPECT_LT(largest(d.residual.a - J), k_exact * (largest(J) + 1));
  Index r = 0;
  for (const Constraint& c : set.constraints())
    for (Index k = 0; k < c.size(); ++k, ++r) {
      const auto at = static_cast<std::size_t>(r);
      const double size = largest(d.residual.q.row(r)) + largest(d.residual.v.row(r)) + largest(J.row(r)) + 1;
      EXPECT_LT(std::fabs(residual(r) - of.row[at]), k_exact * size * along.size()) << "residual " << r;
      const double speed = largest(d.velocity_error.q.row(r)) + largest(J.row(r)) + 1;
      EXPECT_LT(std::fabs(velocity(r) - of.velocity[at]), k_exact * speed * along.size()) << "velocity error " << r;
      EXPECT_EQ(std::isnan(s.position_error(r)), std::isnan(d.position_error.q(r, 0))) << r;
      if (!by_q || std::isnan(s.position_error(r))) continue;
      EXPECT_LT(std::fabs(position(r) - of.position[at]), k_exact * size * along.size()) << "position error " << r;
    }
}

/// Both equations along one direction. False where there is nothing to compare.
bool check(const Robot& robot, const Mixed& x, const ConstraintSet& set, std::uint64_t seed) {
  Solver solver(robot.model, set, x.settings);
  const Solution& s = solver.solve(x.input());
  if (s.report.status != Status::ok || s.report.rank < s.report.rows) return false;
  const Vector a = s.acceleration, lambda = s.multipliers, motor = s.motor_torque;
  const Index nv = robot.model.nv(), rows = set.rows();
  Matrix J = Matrix::Zero(rows, nv);
  {
    Matrix active(solver.active_rows(), nv);
    solver.constraint_jacobian(active);
    Index i = 0, r = 0;
    for (const Constraint& c : set.constraints())
      for (Index k = 0; k < c.size(); ++k, ++r)
        if (c.active) J.row(r) = active.row(i++);
  }
  Vector R = Vector::Zero(rows);
  Index r = 0;
  for (const Constraint& c : set.constraints())
    for (Index k = 0; k < c.size(); ++k, ++r)
      if (c.policy == Policy::soft) R(r) = c.compliance[c.compliance.size() > 1 ? static_cast<std::size_t>(k) : 0];
  const SolutionDerivatives& d = solver.derivatives();
  EXPECT_EQ(d.status, Status::ok) << d.reason;
  Data data(robot.model);
  const Matrix M = mass_matrix(robot.model, data, x.state.q, x.settings.joint_effects);
  Random random(seed + 1000);
  const int n = static_cast<int>(nv);
  const Vector none = Vector::Zero(nv);
  for (const bool by_q : {true, false}) {
    const Vector along = random.vector(n);
    const SolutionJacobian &A = d.acceleration, &L = d.multipliers, &T = d.motor_torque;
    const Vector da = (by_q ? A.q : A.v) * along, dl = (by_q ? L.q : L.v) * along, dt = (by_q ? T.q : T.v) * along;
    const Residuals<double> of =
        residuals_along(robot.model, set, x.external, x.state.q, x.state.v, by_q ? along : none, by_q ? none : along, a,
                        lambda, x.settings.joint_effects);
    const Vector torque = eigen(of.torque), row = eigen(of.row);
    Vector rest = M * da - J.transpose() * dl + torque;
    Vector size = M.cwiseAbs() * da.cwiseAbs() + J.cwiseAbs().transpose() * dl.cwiseAbs() + torque.cwiseAbs();
    std::vector<bool> held(static_cast<std::size_t>(nv));
    for (const PrescribedCoordinate& p : x.prescribed) held[static_cast<std::size_t>(p.v)] = true;
    double scale = largest(size) + largest(lambda) + largest(a) + 1;
    for (Index y = 0; y < nv; ++y) {
      if (held[static_cast<std::size_t>(y)]) {
        EXPECT_EQ(da(y), 0);
        continue;  // its motor torque: differences of solves
      }
      EXPECT_LT(std::fabs(rest(y)), k_exact * scale) << "coordinate " << y << (by_q ? " by q" : " by v");
    }
    for (Index i = 0; i < rows; ++i) {
      if (J.row(i).isZero(0)) continue;
      const double sum = J.row(i).dot(da) + R(i) * dl(i) + row(i);
      const double reach = J.row(i).cwiseAbs().dot(da.cwiseAbs()) + std::fabs(row(i)) + R(i) * std::fabs(dl(i)) + scale;
      EXPECT_LT(std::fabs(sum), k_exact * reach) << "row " << i << (by_q ? " by q" : " by v");
    }
    (void)dt;
    check_errors(set, s, d, J, of, by_q, along);
  }
  return true;
}

TEST(SolutionDerivativesExactly, SatisfyTheDifferentiatedEquationsForEveryTypeOfConstraint) {
  const Kind kinds[] = {{"frame", add_frame},       {"frame with target", add_frame_target},
                        {"contact", add_contact},   {"loop", add_loop},
                        {"distance", add_distance}, {"rolling", add_rolling},
                        {"coupling", add_coupling}, {"centre of mass", add_centre_of_mass}};
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    int compared = 0;
    for (int seed = 0; seed < effort(60); ++seed) {
      SCOPED_TRACE(seed);
      const auto at = static_cast<std::uint64_t>(seed);
      const Robot robot = random_robot_of_all_joints(at, 3 + seed % 6);
      if (robot.model.nv() == 0) continue;
      Random random(at + 5);
      Mixed x;
      static_cast<Imposed&>(x) = random_imposed(robot, at);
      x.constraints.clear();
      x.settings.method = seed % 2 ? "automatic" : "popov_vereshchagin";
      ConstraintSet set(robot.model);
      try {
        kind.add(robot, random, set);
      } catch (const std::exception&) {
        continue;  // two frames on one body, and so on
      }
      if (set.rows() == 0) continue;
      compared += check(robot, x, set, at) ? 1 : 0;
    }
    EXPECT_GT(compared, effort(60) / 5);
  }
}

TEST(SolutionDerivativesExactly, SatisfyTheDifferentiatedEquationsOfMixedProblems) {
  int compared = 0;
  MixedOptions options;
  options.priorities = options.drivers_left_out = options.other_singularities = false;
  for (int seed = 0; seed < effort(300); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed) + 500;
    const Robot robot = random_robot_of_all_joints(at, 2 + seed % 8);
    if (robot.model.nv() == 0) continue;
    const Mixed x = random_mixed(robot, at, options);
    compared += check(robot, x, x.set(robot.model), at) ? 1 : 0;
  }
  EXPECT_GT(compared, effort(300) / 4);
}

}  // namespace
}  // namespace zwang::test
