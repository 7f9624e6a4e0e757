// SPDX-License-Identifier: BSD-3-Clause
// A closed loop: the crank of a four-bar linkage is driven, the rocker swings.
//
// The file holds a tree; a hinge between the frames rod_end and crank_pin closes it. Of its five rows a planar linkage
// needs two: the solver finds the three others dependent and shares the force. Rows on accelerations alone let the loop
// drift open by the errors of the integration; Baumgarte stabilisation closes it again.
#include <zwang/zwang.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

int main() {
  using Eigen::VectorXd;
  const double step = 1e-3, duration = 2, gain = 0.1, speed = 6;
  const zwang::Model robot = zwang::load(ZWANG_MODELS "/four_bar.urdf");
  zwang::Data data(robot);
  double gap[2] = {0, 0}, proof = 0;
  for (int run = 0; run < 2; ++run) {
    zwang::LoopConstraint hinge{.name = "pin", .frame = "rod_end", .other = "crank_pin"};
    hinge.rows = zwang::joint_rows("hinge", {0, 0, 1});
    hinge.stabilisation.time_constant = run == 0 ? 0 : 0.02;
    zwang::ConstraintSet constraints(robot);
    constraints.add(hinge);
    zwang::Solver solver(robot, constraints);
    VectorXd q = zwang::neutral(robot), v = zwang::zero(robot), tau = zwang::zero(robot);
    std::printf("time constant %.2f s, %d rows\n", hinge.stabilisation.time_constant,
                static_cast<int>(constraints.rows()));
    std::printf("  t [s]   crank [rad]   gap [um]   rank\n");
    const int last = static_cast<int>(std::lround(duration / step));
    for (int k = 0; k <= last; ++k) {
      tau[0] = gain * (speed - v[0]);  // a motor on the crank
      const zwang::Solution& s = solver.solve({.q = q, .v = v, .tau = tau});
      if (s.report.status != zwang::Status::ok) {
        std::printf("%s\n", s.report.explain().c_str());
        return 1;
      }
      zwang::forward_kinematics(robot, data, q);
      const zwang::Vec3<double> open = zwang::frame_pose(robot, data, robot.find_frame("rod_end")).p -
                                       zwang::frame_pose(robot, data, robot.find_frame("crank_pin")).p;
      gap[run] = std::sqrt(dot(open, open));
      const VectorXd a = s.acceleration, all = s.motor_torque + s.reaction;
      const VectorXd plain = zwang::forward_dynamics(robot, data, q, v, all);
      proof = std::max(proof, (plain - a).cwiseAbs().maxCoeff() / (1 + a.cwiseAbs().maxCoeff()));
      if (k % 500 == 0)
        std::printf("%7.2f %13.5f %10.3f %6d\n", k * step, q[0], gap[run] * 1e6, static_cast<int>(s.report.rank));
      v += step * a;
      const VectorXd move = step * v;
      q = zwang::integrate(robot, q, move);
    }
  }
  const bool ok = gap[1] < 0.5 * gap[0] && proof < 1e-9;
  std::printf("the stabilised loop stays closed, its force in plain forward dynamics gives the same motion: %s\n",
              ok ? "ok" : "NOT ok");
  return ok ? 0 : 1;
}
