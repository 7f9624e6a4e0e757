// SPDX-License-Identifier: BSD-3-Clause
// What a stranger writes first: load a robot, ask for its dynamics, hold its tool. Prints 12 digits;
// exits 1 where laws fail.
#include <zwang/zwang.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const zwang::Model arm = zwang::load(argv[1]);
  zwang::Data data(arm);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(arm.nq(), -0.7, 0.9);
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(arm.nv(), 0.4, -0.6);
  const Eigen::VectorXd a = Eigen::VectorXd::LinSpaced(arm.nv(), -1.0, 2.0);
  const Eigen::VectorXd tau = zwang::inverse_dynamics(arm, data, q, v, a);
  const double back = (zwang::forward_dynamics(arm, data, q, v, tau) - a).norm();

  zwang::ConstraintSet constraints(arm);
  constraints.add(zwang::FrameConstraint{
      .name = "tool", .frame = "tool0", .rows = zwang::rows("linear.x linear.y angular"), .role = zwang::Role::driver});
  zwang::Solver solver(arm, constraints);
  const zwang::Solution& s = solver.solve({.q = q, .v = v, .tau = tau});
  if (s.report.status != zwang::Status::ok) std::puts(s.report.explain().c_str());

  for (Eigen::Index i = 0; i < tau.size(); ++i) std::printf("%.9g %.9g\n", tau[i], s.acceleration[i]);
  const double proof = (zwang::forward_dynamics(arm, data, q, v, s.motor_torque) - s.acceleration).norm();
  const bool good = s.report.status == zwang::Status::ok && s.report.rank == 5 && back < 1e-9 && proof < 1e-9;
  std::puts(good ? "consumer ok" : "consumer FAILED");
  return good ? 0 : 1;
}
