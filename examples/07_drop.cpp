// SPDX-License-Identifier: BSD-3-Clause
// A quadruped is dropped, tilted, on ground: each foot lands by an event, with its impulse, and stays.
//
// Springs and dampers of a controller hold the legs. A foot's rows are switched on where its height
// falls through zero, which is located inside of a step. Between two touch-downs energy is lost by
// the dampers alone, in one by the impulse.
#include <zwang/simulation.hpp>
#include <zwang/zwang.hpp>

#include <cmath>
#include <cstdio>

int main() {
  using Eigen::VectorXd;
  const zwang::Model robot = zwang::load(ZWANG_MODELS "/quadruped.urdf", {{.root = "floating"}});
  zwang::ConstraintSet feet(robot);
  const char* const names[] = {"LF_foot", "RF_foot", "LH_foot", "RH_foot"};
  for (const char* name : names)
    feet.add(zwang::ContactConstraint{.name = name, .frame = name, .normal = {0, 0, 1}, .active = false});

  VectorXd q = zwang::neutral(robot);
  q[3] = std::sin(0.05), q[6] = std::cos(0.05);  // rolled by 0.1 rad
  for (Eigen::Index k = 7; k < robot.nq(); k += 3) q[k + 1] = 0.6, q[k + 2] = -1.2;
  zwang::Data data(robot);
  double lowest = 0;
  zwang::forward_kinematics(robot, data, q);
  for (const char* name : names) lowest = std::fmin(lowest, zwang::frame_pose(robot, data, name).p.z);
  q[2] = 0.1 - lowest;  // the lowest foot 10 cm above the ground

  zwang::Simulator simulator(robot, feet,
                             {.time = 1, .integrator = zwang::Integrator::rk4, .keep = zwang::Keep::projection});
  for (const char* name : names)
    simulator.add_event(
        {.name = name, .function = zwang::point_height(robot, name, {0, 0, 0}, {0, 0, 1}), .on = {name}});
  const VectorXd wanted = q.tail(12);
  simulator.set_control(
      [&](zwang::SimulationStage& x) { x.tau.tail(12) = 150 * (wanted - x.q.tail(12)) - 6 * x.v.tail(12); });
  const zwang::Trajectory t = simulator.run({.q = q});
  if (t.report.status != zwang::Status::ok) {
    std::printf("%s\n", t.report.reason.c_str());
    return 1;
  }
  bool good = t.events.size() == 4 && std::fabs(t.events[0].time - std::sqrt(0.2 / 9.81)) < 1e-6 + 1e-2;
  for (const zwang::EventRecord& e : t.events) {
    std::printf("%s lands at %.4f s: kinetic energy %.4f J, then %.4f J\n", e.name.c_str(), e.time, e.energy_before,
                e.energy_after);
    good = good && e.energy_after < e.energy_before;
  }
  double up = 0;
  for (Eigen::Index k = 2; k < t.rows; k += 3) up += t.multipliers()(k, t.states() - 1);
  const double weight = robot.mass() * 9.81;
  std::printf("after a second the ground carries %.3f of the weight\n", up / weight);
  good = good && std::fabs(up / weight - 1) < 0.1 && t.report.velocity_error < 1e-10;
  std::printf("four feet land one after the other and stay where they are: %s\n", good ? "ok" : "NOT ok");
  return good ? 0 : 1;
}
