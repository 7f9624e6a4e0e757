// SPDX-License-Identifier: BSD-3-Clause
// A humanoid from an MJCF file stands and crouches: torques within its motors' limits, forces within friction cones.
//
// load_robot gives the model, its motors and the keyframes of the file as configurations. Four sites at the corners of
// each sole touch the ground. Of all torques and forces that hold the robot, those of least norm are chosen. What they
// are is checked by the motion that they give.
#include <zwang/mechanisms.hpp>
#include <zwang/zwang.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

int main() {
  using Eigen::VectorXd;
  const double mu = 0.6;
  const zwang::Robot biped = zwang::load_robot(ZWANG_MODELS "/biped.xml");
  const zwang::Model& robot = biped.model;
  const VectorXd still = zwang::zero(robot);
  const double weight = 9.81 * robot.mass();

  zwang::ConstraintSet feet(robot);
  zwang::InverseSettings settings;
  settings.effort_limits = true;
  for (const char* corner : {"left_heel_out", "left_heel_in", "left_toe_out", "left_toe_in", "right_heel_out",
                             "right_heel_in", "right_toe_out", "right_toe_in"}) {
    feet.add(zwang::ContactConstraint{.name = corner, .frame = corner});
    settings.friction.push_back({.contact = corner, .mu = mu});
  }
  zwang::ConstrainedInverseDynamics inverse(robot, feet, {}, settings);
  zwang::Solver solver(robot, feet);
  zwang::Data data(robot);
  bool good = true;
  std::printf("%zu motors, %.4f kg\n", inverse.motor_names().size(), robot.mass());
  std::printf("keyframe   knee [N m]   ankle [N m]   steepest force   ground carries [N]\n");
  for (const zwang::Configuration& c : biped.configurations) {
    if (c.name == "file") continue;
    const VectorXd q = Eigen::Map<const VectorXd>(c.q.data(), robot.nq());
    zwang::forward_kinematics(robot, data, q);
    const zwang::InverseSolution& r = inverse.solve({.q = q, .a = still});
    double steepest = 0, up = 0;
    for (Eigen::Index k = 0; k < r.multipliers.size(); k += 3) {
      steepest = std::max(steepest, r.multipliers.segment<2>(k).norm() / r.multipliers[k + 2]);
      up += r.multipliers[k + 2];
    }
    std::printf("%-8s %12.4f %13.4f %16.4f %20.4f\n", c.name.c_str(), r.tau[robot.joint("left_knee").v.first],
                r.tau[robot.joint("left_ankle_pitch").v.first], steepest, up);
    const zwang::Solution& s = solver.solve({.q = q, .v = still, .tau = r.tau});
    const double height = std::fabs(zwang::frame_pose(robot, data, robot.find_frame("left_toe_in")).p.z);
    good = good && r.report.status == zwang::Status::ok && steepest < mu && std::fabs(up / weight - 1) < 1e-9 &&
           height < 1e-12 && s.report.status == zwang::Status::ok && s.acceleration.cwiseAbs().maxCoeff() < 1e-9;
  }
  std::printf("the soles lie on the ground, nothing moves: %s\n", good ? "ok" : "NOT ok");
  return good ? 0 : 1;
}
