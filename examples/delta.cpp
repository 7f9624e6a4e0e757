// SPDX-License-Identifier: BSD-3-Clause
// A Delta robot: three motors on the ground move a platform through three pairs of rods.
//
// Each rod hangs on two balls, so that 18 rows close the robot. Its mobility is nine: three of the platform, and six of
// rods that turn about themselves. The Jacobian by the motors leaves those out. The torques of a motion of the platform
// are those of the three motors; constrained forward dynamics with them gives the motion again.
#include <zwang/algorithm/edit.hpp>
#include <zwang/mechanisms.hpp>
#include <zwang/zwang.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

using Eigen::VectorXd;
using Pose = zwang::Transform<double>;
using Axes = zwang::Mat3<double>;

namespace {

constexpr double k_arm = 0.2, k_rod = 0.45, k_base = 0.2, k_platform = 0.05;  // [m]: lengths, radii
constexpr double k_half = 0.04;                                               // [m] half the distance of a pair of rods
constexpr double k_tilt = 0.5;  // of the arms below the horizontal at q = 0

Axes about_x(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{1, 0, 0}, {0, c, -s}, {0, s, c}};
}
Pose at(double x, double y, double z) { return {Axes::identity(), {x, y, z}}; }

/// Slender, along y from its origin.
zwang::LinkDescription rod(const std::string& name, double mass, double length) {
  const double across = mass * length * length / 12;
  return {.name = name,
          .mass = mass,
          .centre = {0, length / 2, 0},
          .inertia = zwang::Sym3<double>::diagonal(across, mass * 1e-5, across)};
}

zwang::Model delta() {
  const double drop =
      k_arm * std::sin(k_tilt) + std::sqrt(k_rod * k_rod - std::pow(k_base + k_arm * std::cos(k_tilt) - k_platform, 2));
  zwang::RobotDescription d;
  d.name = "delta";
  d.links.push_back({.name = "ground"});
  d.links.push_back({.name = "platform", .mass = 0.3, .inertia = zwang::Sym3<double>::diagonal(3e-4, 3e-4, 6e-4)});
  d.joints.push_back({.name = "platform_joint",
                      .type = "floating",
                      .parent = "ground",
                      .child = "platform",
                      .origin = at(0, 0, -drop)});
  for (int k = 0; k < 3; ++k) {
    const double c = std::cos(2 * std::numbers::pi / 3 * k), s = std::sin(2 * std::numbers::pi / 3 * k);
    const Axes out{{s, c, 0}, {-c, s, 0}, {0, 0, 1}};  // y outwards, x the axis of the motor
    const std::string n = std::to_string(k), arm = "arm" + n;
    d.links.push_back(rod(arm, 0.25, k_arm));
    d.joints.push_back({.name = "motor" + n,
                        .type = "revolute",
                        .parent = "ground",
                        .child = arm,
                        .origin = {out * about_x(-k_tilt), {k_base * c, k_base * s, 0}},
                        .axis = {1, 0, 0}});
    const double inwards =  // from elbow to platform
        std::atan2(k_arm * std::sin(k_tilt) - drop, k_platform - k_base - k_arm * std::cos(k_tilt));
    for (const int side : {-1, 1}) {
      const std::string name = n + (side > 0 ? "r" : "l");
      d.links.push_back(rod("rod" + name, 0.08, k_rod));
      d.joints.push_back({.name = "elbow" + name,
                          .type = "spherical",
                          .parent = arm,
                          .child = "rod" + name,
                          .origin = {about_x(inwards + k_tilt), {k_half * side, k_arm, 0}}});
      d.frames.push_back({"end" + name, "rod" + name, at(0, k_rod, 0)});
      d.frames.push_back({"seat" + name, "platform",
                          at(out(0, 0) * k_half * side + out(0, 1) * k_platform,
                             out(1, 0) * k_half * side + out(1, 1) * k_platform, 0)});
    }
  }
  return zwang::with_actuated(zwang::build(d), {"motor0", "motor1", "motor2"});
}

const char* word(bool x) { return x ? "True" : "False"; }

}  // namespace

int main() {
  const zwang::Model robot = delta();
  zwang::ConstraintSet constraints(robot);
  for (const char* name : {"0l", "0r", "1l", "1r", "2l", "2r"})
    constraints.add(zwang::LoopConstraint{.name = std::string("ball") + name,
                                          .frame = std::string("end") + name,
                                          .other = std::string("seat") + name,
                                          .rows = zwang::joint_rows("ball")});
  const VectorXd q = zwang::neutral(robot), rest = zwang::zero(robot);
  zwang::Mobility mobility(robot, constraints);
  const zwang::MobilityReport m = mobility.at(q);
  std::printf("mobility %d: %d coordinates, rank %d of %d rows; it goes on in %d\n", int(m.mobility), int(robot.nv()),
              int(m.rank), int(m.rows), int(m.finite_mobility));
  const zwang::ActuatedJacobian J = mobility.jacobian(q, "platform");
  std::printf("%d rods turn about themselves; motors lock the platform: %s, move it: %s\n", int(J.passive),
              word(!J.type2()), word(!J.type1()));
  const Eigen::MatrixXd by_motors = J.jacobian();
  std::printf("platform [m/s] by the motors [rad/s], vertical: %.6f %.6f %.6f\n", by_motors(2, 0), by_motors(2, 1),
              by_motors(2, 2));

  const zwang::Index up = robot.joint("platform_joint").v.first;
  VectorXd wish = rest, weight = rest;
  wish[up + 2] = 5;
  weight.segment(up, 6).setOnes();  // the platform is demanded to rise, nothing else
  zwang::ConstrainedInverseDynamics inverse(robot, constraints);
  const zwang::InverseSolution& r = inverse.solve({.q = q, .a = wish, .weight = weight});
  const std::string said = r.report.explain();
  std::printf("%s\n", said.substr(0, said.find('\n')).c_str());
  const VectorXd tau = r.tau, a = r.acceleration;
  Eigen::Vector3d torque, rate;
  for (int k = 0; k < 3; ++k) {
    const zwang::Index motor = robot.joint("motor" + std::to_string(k)).v.first;
    torque[k] = tau[motor];
    rate[k] = a[motor];
  }
  std::printf("torques [N m]: %.6f %.6f %.6f acceleration of the platform [m/s2]: %.6f %.6f %.6f\n", torque[0],
              torque[1], torque[2], a[up], a[up + 1], a[up + 2]);

  zwang::Solver solver(robot, constraints);
  const VectorXd again = solver.solve({.q = q, .v = rest, .tau = tau}).acceleration;
  const double error = (again - a).cwiseAbs().maxCoeff() / (1 + a.cwiseAbs().maxCoeff());
  const VectorXd twist = by_motors * rate;  // at rest accelerations follow as velocities do
  bool ok = r.report.status == zwang::Status::ok && error < 1e-10;
  ok = ok && (twist - a.segment(up, 6)).cwiseAbs().maxCoeff() < 1e-9 && m.mobility == 9 && J.passive == 6;
  ok = ok && (tau.array().abs() > 0).count() == 3;
  std::printf("three torques give the platform's motion in forward dynamics, the Jacobian agrees: %s\n",
              ok ? "ok" : "NOT ok");
  return ok ? 0 : 1;
}
