// SPDX-License-Identifier: BSD-3-Clause
// A biped whose legs are closed by rods and driven through gears, as Cassie's are: all of it is read from an SDF.
//
// load_robot gives the tree, its loops and gears as constraints, and the configuration in which the file draws the
// robot. The robot hangs by its pelvis and swings: the loops stay closed. Then it stands on its feet: motors behind the
// gears and rods hold it. Another SDF may be given: the first two parts are those of any robot that floats.
#include <zwang/mechanisms.hpp>
#include <zwang/simulation.hpp>
#include <zwang/zwang.hpp>

#include <cmath>
#include <cstdio>

int main(int count, char** arguments) {
  using Eigen::VectorXd;
  const zwang::Robot bird = zwang::load_robot(count > 1 ? arguments[1] : ZWANG_MODELS "/bird.sdf");
  const zwang::Model& robot = bird.model;
  const std::vector<double>& drawn = bird.configurations[0].q;
  const VectorXd q = Eigen::Map<const VectorXd>(drawn.data(), robot.nq()), still = zwang::zero(robot);

  // 1. What the file holds, and whether it is drawn closed.
  zwang::ConstraintEvaluator rows(robot, bird.constraints);
  rows.evaluate(q, still);
  const double open = bird.constraints.rows() == 0 ? 0 : rows.position_error().cwiseAbs().maxCoeff();
  const zwang::MobilityReport m = zwang::mobility(robot, bird.constraints, q);
  std::printf("%d coordinates, %zu loops, %d constraints of %d rows; drawn closed: %s\n", static_cast<int>(robot.nv()),
              robot.loops().size(), static_cast<int>(bird.constraints.size()),
              static_cast<int>(bird.constraints.rows()), open < 1e-12 ? "yes" : "no");
  std::printf("mobility %d: rank %d of the rows\n", static_cast<int>(m.mobility), static_cast<int>(m.rank));

  // 2. It hangs by its pelvis and swings for half a second.
  zwang::ConstraintSet hanging = bird.constraints;
  const std::string pelvis = robot.links()[static_cast<std::size_t>(robot.joints()[0].child.value)].name;
  hanging.add(zwang::FrameConstraint{.name = "hook", .frame = pelvis});
  zwang::SimulationSettings settings{.time = 0.5, .dt = 1e-3};
  settings.keep = zwang::Keep::projection;
  const zwang::Trajectory t = zwang::simulate(robot, hanging, {.q = q}, settings);
  const bool closed = t.report.status == zwang::Status::ok && t.report.error < 1e-10;
  std::printf("hanging for %.1f s: %s, loops and gears %s\n", settings.time, zwang::name_of(t.report.status),
              closed ? "closed to 1e-10" : "open");
  if (!robot.find_frame("left_sole")) return open < 1e-12 && closed ? 0 : 1;

  // 3. It stands: the torques of its eight motors.
  zwang::ConstraintSet standing = bird.constraints;
  for (const char* side : {"left", "right"})
    standing.add(zwang::FrameConstraint{.name = side, .frame = std::string(side) + "_sole"});
  std::vector<std::string> motors;
  for (const char* side : {"left", "right"})
    for (const char* joint : {"_hip_roll", "_hip_pitch", "_knee_motor", "_foot_motor"})
      motors.push_back(side + std::string(joint));
  zwang::ConstrainedInverseDynamics inverse(robot, standing, motors);
  const zwang::InverseSolution& held = inverse.solve({.q = q, .a = still});
  std::printf("standing: %s\n", zwang::name_of(held.report.status));
  for (const std::string& name : motors) {
    const double torque = held.tau[robot.joint(name).v.first];
    std::printf("  %-17s %9.4f N m\n", name.c_str(), std::fabs(torque) < 1e-10 ? 0.0 : torque);
  }
  zwang::Solver solver(robot, standing);
  const zwang::Solution& s = solver.solve({.q = q, .v = still, .tau = held.tau});
  const double up = s["left"].multipliers[2] + s["right"].multipliers[2];
  const double weight = 9.81 * robot.mass();
  const bool good = open < 1e-12 && closed && s.report.status == zwang::Status::ok &&
                    s.acceleration.cwiseAbs().maxCoeff() < 1e-9 && std::fabs(up / weight - 1) < 1e-12;
  std::printf("with these torques it stays where it is, the feet carry %.4f N: %s\n", up, good ? "ok" : "NOT ok");
  return good ? 0 : 1;
}
