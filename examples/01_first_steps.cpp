// SPDX-License-Identifier: BSD-3-Clause
// First steps: the torques of a motion, and an arm whose tool is held in five directions and free in the sixth.
#include <zwang/zwang.hpp>

#include <cstdio>

int main() {
  const zwang::Model arm = zwang::load(ZWANG_MODELS "/arm7.urdf");
  zwang::Data data(arm);
  const Eigen::VectorXd q = zwang::random(arm, 1), v = Eigen::VectorXd::Constant(arm.nv(), 0.1);
  const Eigen::VectorXd a = Eigen::VectorXd::Zero(arm.nv());
  const Eigen::VectorXd tau = zwang::inverse_dynamics(arm, data, q, v, a);

  zwang::ConstraintSet constraints(arm);
  constraints.add(zwang::FrameConstraint{
      .name = "tool", .frame = "tool0", .rows = zwang::rows("linear.x linear.y angular"), .role = zwang::Role::driver});
  zwang::Solver solver(arm, constraints);  // allocates everything once
  const zwang::Solution& s = solver.solve({.q = q, .v = v, .tau = tau});
  std::puts(s.report.explain().c_str());
  for (zwang::Index k = 0; k < arm.nv(); ++k)
    std::printf("%s: acceleration %+.4f rad/s^2, motor torque %+.4f N m\n", arm.coordinate_names()[k].c_str(),
                s.acceleration[k], s.motor_torque[k]);
  return s.report.status == zwang::Status::ok ? 0 : 1;
}
