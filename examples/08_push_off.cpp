// SPDX-License-Identifier: BSD-3-Clause
// A quadruped pushes off: crouched on four feet it accelerates its trunk upwards by 12 m/s^2,
// then lets the ground go and flies.
//
// The trunk has no motor: the legs must accelerate it. Two solves on the same contacts find how:
// 1. how the legs move when the trunk moves as wished (as if a crane moved it: rows on the trunk, multipliers unused);
//   2. the legs' torques when these accelerations are prescribed: one sweep gives them, with the smallest ground
//      reactions that carry the robot. The six coordinates of the trunk are free and need no torque.
// In flight the contacts are switched off; the centre of mass must then follow the parabola of a thrown stone.
#include <zwang/zwang.hpp>

#include <cmath>
#include <cstdio>

int main() {
  using Eigen::VectorXd;
  const double step = 5e-4, push = 12, lift_off = 0.35, g = 9.81;
  const char* const feet[4] = {"LF_foot", "RF_foot", "LH_foot", "RH_foot"};
  const zwang::Model robot = zwang::load(ZWANG_MODELS "/quadruped.urdf", {{.root = "floating"}});
  zwang::Data data(robot);
  VectorXd q = zwang::neutral(robot), v = zwang::zero(robot);
  for (int leg = 0; leg < 4; ++leg) q[8 + 3 * leg] = 0.35, q[9 + 3 * leg] = -0.7;  // crouched
  q[2] -= zwang::frame_pose(robot, data, q, "LF_foot").p.z;                        // soles at height 0

  zwang::ConstraintSet crane(robot), ground(robot);
  for (const char* foot : feet) crane.add(zwang::ContactConstraint{.name = foot, .frame = foot});
  for (const char* foot : feet) ground.add(zwang::ContactConstraint{.name = foot, .frame = foot});
  crane.add(zwang::FrameConstraint{.name = "trunk",
                                   .frame = "trunk",
                                   .rows = zwang::rows("all"),
                                   .beta = {0, 0, push, 0, 0, 0},
                                   .role = zwang::Role::driver});
  zwang::Solver wish(robot, crane), solver(robot, ground);
  zwang::Prescribed legs;
  for (int k = 6; k < robot.nv(); ++k) zwang::prescribe(robot, legs, robot.coordinate_names()[k], {0});

  double t = 0, proof = 0, weight_error = 0;
  std::printf("pushing\n  t [s]   trunk [m]   reaction of the ground [N]   knee torque [N m]\n");
  for (int k = 0; q[2] < lift_off; ++k, t += step) {
    const zwang::Solution& lifted = wish.solve({.q = q, .v = v});
    for (zwang::PrescribedCoordinate& leg : legs) leg.acceleration = lifted.acceleration[leg.v];
    const zwang::Solution& s = solver.solve({.q = q, .v = v, .prescribed = &legs});
    if (lifted.report.status != zwang::Status::ok || s.report.status != zwang::Status::ok) return 1;

    // Newton: the reactions carry the weight and accelerate the centre of mass.
    zwang::Externals reactions;
    double reaction = 0;
    for (const char* foot : feet) {
      const auto w = s[foot].wrench;
      reactions.push_back(zwang::external_wrench(robot, foot, {w[0], w[1], w[2], 0, 0, 0}));
      reaction += w[2];
    }
    zwang::forward_kinematics(robot, data, q, v, s.acceleration);
    const double a = zwang::centre_of_mass_acceleration(robot, data).z;
    weight_error = std::fmax(weight_error, std::fabs(reaction / robot.mass() - g - a));
    const VectorXd again = zwang::forward_dynamics(robot, data, q, v, s.motor_torque, reactions);
    proof = std::fmax(proof, (again - s.acceleration).cwiseAbs().maxCoeff());
    proof = std::fmax(proof, s.motor_torque.head(6).cwiseAbs().maxCoeff());  // nobody pulls at the trunk
    if (k % 50 == 0) std::printf("%7.3f %11.6f %28.4f %19.4f\n", t, q[2], reaction, s.motor_torque[8]);
    v += step * s.acceleration;
    q = zwang::integrate(robot, q, step * v);
  }

  for (const char* foot : feet) ground[foot].active = false;
  zwang::forward_kinematics(robot, data, q, v);
  const double rise = zwang::centre_of_mass_velocity(robot, data).z, from = zwang::centre_of_mass(robot, data, q).z;
  const double start = t, apex = from + rise * rise / (2 * g);
  double top = from;
  std::printf("flying\n  t [s]   trunk [m]\n");
  for (int k = 0; t < start + rise / g; ++k, t += step) {
    VectorXd tau = -2 * v;  // the legs are calmed
    tau.head(6).setZero();
    if (k % 50 == 0) std::printf("%7.3f %11.6f\n", t, q[2]);
    v += step * solver.solve({.q = q, .v = v, .tau = tau}).acceleration;
    q = zwang::integrate(robot, q, step * v);
    top = std::fmax(top, zwang::centre_of_mass(robot, data, q).z);
  }
  const bool good = proof < 1e-7 && weight_error < 1e-9 && std::fabs(top - apex) < 1e-3;
  std::printf("apex of the centre of mass %.4f m, by the law of the thrown stone %.4f m\n", top, apex);
  std::printf("reactions carry weight and acceleration, torques and reactions give the same motion: %s\n",
              good ? "ok" : "NO");
  return good ? 0 : 1;
}
