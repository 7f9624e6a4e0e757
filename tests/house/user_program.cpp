// SPDX-License-Identifier: BSD-3-Clause
// The program whose cost of compiling is bounded (tools/compile_cost.py): a user's main job and nothing else.
#include <zwang/zwang.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const zwang::Model arm = zwang::load(argv[1]);
  zwang::Data data(arm);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(arm.nq(), 0.3);
  const Eigen::VectorXd v = Eigen::VectorXd::Constant(arm.nv(), -0.2);
  const Eigen::VectorXd a = Eigen::VectorXd::Constant(arm.nv(), 0.1);
  const Eigen::VectorXd tau = zwang::inverse_dynamics(arm, data, q, v, a);
  const Eigen::VectorXd qdd = zwang::forward_dynamics(arm, data, q, v, tau);
  const Eigen::MatrixXd M = zwang::mass_matrix(arm, data, q);
  zwang::ConstraintSet constraints(arm);
  constraints.add(zwang::FrameConstraint{
      .name = "tool", .frame = "tool0", .rows = zwang::rows("linear.x linear.y angular"), .role = zwang::Role::driver});
  zwang::Solver solver(arm, constraints);
  const zwang::Solution& s = solver.solve({.q = q, .v = v, .tau = tau});
  if (s.report.status != zwang::Status::ok) std::puts(s.report.explain().c_str());
  std::printf("%g %g %g\n", qdd[0], M(0, 0), s.motor_torque[0]);
}
