// SPDX-License-Identifier: BSD-3-Clause
// The demonstration of `make run`: an arm whose tool can fall in one free direction only, and a robot that stands on
// four feet. Every statement it prints is checked; it exits 1 where one does not hold.
#include <zwang/zwang.hpp>

#include <Eigen/Cholesky>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using zwang::Index;

bool all_hold = true;
/// `ok` beside what holds.
const char* verdict(bool holds) {
  all_hold = all_hold && holds;
  return holds ? "ok" : "DOES NOT HOLD";
}
/// A rounding error is a zero without a sign.
double clean(double x) { return std::fabs(x) < 5e-13 ? 0.0 : x; }

/// The proof of a solution: plain forward dynamics with the motor torques, and with the wrenches of the physical
/// constraints as external wrenches, gives the same acceleration. Returns the largest difference relative to the
/// acceleration caused by the torques alone.
double proof(const zwang::Model& model, const zwang::ConstraintSet& constraints, const VectorXd& q, const VectorXd& v,
             const zwang::Solution& s) {
  zwang::Externals external;
  for (const zwang::Constraint& c : constraints.constraints()) {
    if (c.role != zwang::Role::physical) continue;
    zwang::ExternalWrench w{.frame = model.find_frame(c.frame)};
    for (int k = 0; k < 6; ++k) w.wrench[k] = s[c.name].wrench[k];
    external.push_back(w);
  }
  zwang::Data data(model);
  const double scale = zwang::forward_dynamics(model, data, q, v, s.motor_torque).cwiseAbs().maxCoeff();
  return (zwang::forward_dynamics(model, data, q, v, s.motor_torque, external) - s.acceleration).cwiseAbs().maxCoeff() /
         scale;
}

/// Microseconds per solve, the best of ten rounds.
double time_of(zwang::Solver& solver, const zwang::SolveInput& input) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int round = 0; round < 10; ++round) {
    const Clock::time_point start = Clock::now();
    for (int k = 0; k < 2000; ++k) solver.solve(input);
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count() / 2000);
  }
  return best;
}

void held_arm() {
  const zwang::Model arm = zwang::load(ZWANG_MODELS "/arm7.urdf");
  std::printf(
      "1. An arm of %d joints and %.0f kg. The tool is held in five directions by the motors, and falls in the "
      "sixth.\n\n",
      arm.nv(), arm.mass());
  const VectorXd q = zwang::neutral(arm), v = zwang::zero(arm), tau = zwang::zero(arm);
  zwang::ConstraintSet constraints(arm);
  constraints.add(zwang::FrameConstraint{
      .name = "tool", .frame = "tool0", .rows = zwang::rows("linear.x linear.y angular"), .role = zwang::Role::driver});
  zwang::Solver solver(arm, constraints);
  const zwang::Solution& s = solver.solve({.q = q, .v = v, .tau = tau});

  std::printf("   joint    acceleration [rad/s^2]  motor torque [N m]\n");
  for (Index k = 0; k < arm.nv(); ++k)
    std::printf("   %-8s %22.6f %19.6f\n", arm.coordinate_names()[static_cast<std::size_t>(k)].c_str(),
                clean(s.acceleration[k]), clean(s.motor_torque[k]));
  std::printf("\n   row              multiplier [N, N m]\n");
  const std::vector<std::string>& rows = constraints["tool"].row_names;
  for (Index k = 0; k < s.multipliers.size(); ++k)
    std::printf("   %-16s %19.6f\n", rows[static_cast<std::size_t>(k)].c_str(), clean(s.multipliers[k]));

  const zwang::Motion<double> a =
      zwang::frame_acceleration(arm, solver.data(), arm.find_frame("tool0"), zwang::AccelerationKind::classical);
  std::printf(
      "\n   tool, classical acceleration: linear (%.6f, %.6f, %.6f) m/s^2, angular (%.6f, %.6f, %.6f) rad/s^2\n",
      clean(a.v.x), clean(a.v.y), clean(a.v.z), clean(a.w.x), clean(a.w.y), clean(a.w.z));
  const zwang::SolveReport& r = s.report;
  std::printf("   rank %d of %d rows, residual %.0e, Gauss' Zwang %.3f: %s\n", r.rank, r.rows, r.residual, s.zwang,
              verdict(r.status == zwang::Status::ok && r.rank == 5 && r.residual < 1e-10 && a.v.z < -1));
  const double error = proof(arm, constraints, q, v, s);
  std::printf("   proof: these motor torques in plain forward dynamics give the same accelerations to %.0e: %s\n",
              error, verdict(error < 1e-12));
  std::printf("   speed: %.2f us per solve\n\n", time_of(solver, {.q = q, .v = v, .tau = tau}));
}

/// Torques that hold the robot still on its feet. Gravity needs the generalised forces g. The six coordinates of the
/// base have no motor: the feet carry them, g_b = J_b^T lambda with the smallest lambda, and the motors do the rest,
/// tau = g - J^T lambda.
VectorXd standing_torques(const zwang::Model& robot, const VectorXd& q, const char* const (&feet)[4]) {
  zwang::Data data(robot);
  MatrixXd J(12, robot.nv());
  for (int k = 0; k < 4; ++k) J.middleRows(3 * k, 3) = zwang::jacobian(robot, data, q, feet[k]).topRows(3);
  const VectorXd g = zwang::gravity_forces(robot, data, q);
  const MatrixXd Jb = J.leftCols(6);
  const VectorXd lambda = Jb * (Jb.transpose() * Jb).ldlt().solve(g.head(6));
  VectorXd tau = g - J.transpose() * lambda;
  tau.head(6).setZero();  // zero to rounding
  return tau;
}

void standing_quadruped() {
  const zwang::Model robot = zwang::load(ZWANG_MODELS "/quadruped.urdf", {{.root = "floating"}});
  std::printf("2. A floating robot of %.2f kg with %d coordinates stands on four feet, by torques from statics.\n\n",
              robot.mass(), robot.nv());
  const char* const feet[4] = {"LF_foot", "RF_foot", "LH_foot", "RH_foot"};
  VectorXd q = zwang::neutral(robot);
  q[2] = 0.42;  // the trunk stands this high when the feet, balls of 2 cm, touch the ground
  const VectorXd v = zwang::zero(robot), tau = standing_torques(robot, q, feet);
  zwang::ConstraintSet constraints(robot);
  for (const char* foot : feet) constraints.add(zwang::ContactConstraint{.name = foot, .frame = foot});
  zwang::Solver solver(robot, constraints);
  const zwang::Solution& s = solver.solve({.q = q, .v = v, .tau = tau});

  std::printf(
      "   leg   torques [N m]: abduction  hip pitch       knee    reaction [N]:      x          y          z\n");
  zwang::Vec3<double> sum{0, 0, 0};
  for (int k = 0; k < 4; ++k) {
    const zwang::ConstraintSolution foot = s[feet[k]];
    const zwang::Vec3<double> f{foot.wrench[0], foot.wrench[1], foot.wrench[2]};
    sum = sum + f;
    std::printf("   %.2s %26.6f %10.6f %10.6f %20.6f %10.6f %10.6f\n", feet[k], clean(s.motor_torque[6 + 3 * k]),
                clean(s.motor_torque[7 + 3 * k]), clean(s.motor_torque[8 + 3 * k]), clean(f.x), clean(f.y), clean(f.z));
  }
  const double weight = robot.mass() * 9.81;
  std::printf("\n   sum of the reactions (%.6f, %.6f, %.6f) N, weight %.6f N: %s\n", clean(sum.x), clean(sum.y),
              clean(sum.z), weight,
              verdict(std::fabs(sum.z - weight) < 1e-10 * weight && std::hypot(sum.x, sum.y) < 1e-10 * weight));
  const zwang::Motion<double> a =
      zwang::frame_acceleration(robot, solver.data(), robot.find_frame("trunk"), zwang::AccelerationKind::classical);
  const double still = std::sqrt(dot(a.v, a.v) + dot(a.w, a.w));
  std::printf("   acceleration of the trunk %.0e, rank %d of %d rows, residual %.0e: %s\n", still, s.report.rank,
              s.report.rows, s.report.residual,
              verdict(still < 1e-10 && s.report.rank == 12 && s.report.status == zwang::Status::ok));
  const double error = proof(robot, constraints, q, v, s);
  std::printf("   proof: torques, and reactions as external wrenches, in plain forward dynamics agree to %.0e: %s\n",
              error, verdict(error < 1e-12));
  std::printf("   speed: %.2f us per solve\n", time_of(solver, {.q = q, .v = v, .tau = tau}));
}

}  // namespace

int main() {
  try {
    held_arm();
    standing_quadruped();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return all_hold ? 0 : 1;
}
