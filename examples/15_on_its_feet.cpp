// SPDX-License-Identifier: BSD-3-Clause
// A quadruped is dropped on the ground, tilted: it lands, slides, and stands on its feet by springs and dampers of
// its controller.
//
// The scene knows the shapes of the robot's file and the ground. Nobody says which foot lands when: every step finds
// what touches and the impulses that obey Signorini's and Coulomb's laws, and says how exactly they do. Prints what
// 15_on_its_feet.py prints.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "zwang/io/load.hpp"
#include "zwang/simulation.hpp"
#include "zwang/zwang.hpp"

int main() {
  zwang::LoadOptions options;
  options.root = "floating";
  const zwang::Model robot = zwang::load(ZWANG_MODELS "/quadruped.urdf", options);
  zwang::Scene scene(robot);
  scene.add_ground({.law = {.friction = 0.6}});

  zwang::Index first = robot.joint("root_joint").v.size;  // of the legs
  Eigen::VectorXd q = Eigen::VectorXd::Zero(robot.nq());
  q[2] = 0.75;
  q[3] = std::sin(0.1);  // rolled by 0.2 rad
  q[6] = std::cos(0.1);
  for (zwang::Index leg = 0; leg < 4; ++leg) {
    q[8 + 3 * leg] = 0.2;
    q[9 + 3 * leg] = -0.3;
  }
  const Eigen::VectorXd wanted = q.tail(robot.nv() - first);
  Eigen::VectorXd v = Eigen::VectorXd::Zero(robot.nv());
  v[0] = 0.8;

  const zwang::ConstraintSet none(robot);
  zwang::Simulator simulator(robot, none, {.time = 3, .dt = 1e-3, .integrator = zwang::Integrator::contact}, scene);
  simulator.set_control([&](zwang::SimulationStage& x) {
    x.tau.tail(wanted.size()) = 300 * (wanted - x.q.tail(wanted.size())) - 8 * x.v.tail(wanted.size());
  });
  simulator.start({.q = q, .v = v});
  double landed = -1;
  while (simulator.step()) {
    const zwang::SimulationState& s = simulator.state();
    const bool touches = std::any_of(s.contacts.begin(), s.contacts.end(), [](const zwang::ContactState& c) {
      return c.kind != zwang::ContactState::Kind::open;
    });
    if (landed < 0 && touches) landed = s.time;
  }
  const zwang::SimulationState& s = simulator.state();
  const zwang::SimulationReport& report = simulator.report();
  int feet = 0;
  double up = 0;
  for (const zwang::ContactState& c : s.contacts) {
    if (c.what != zwang::ContactState::What::point || !(c.force.z > 0)) continue;
    ++feet;
    up += c.force.z;
  }
  const double weight = 9.81 * robot.mass();
  std::printf("%.4f kg, %zu shapes that can touch\n", robot.mass(), scene.shapes().size());
  std::printf("the first foot lands after %.3f s\n", landed);
  std::printf("after %.1f s %d feet carry %.4f of the weight, the fastest coordinate moves at %.0e\n", s.time, feet,
              up / weight, s.v.cwiseAbs().maxCoeff() < 1e-4 ? 0.0 : s.v.cwiseAbs().maxCoeff());
  const bool good = report.status == zwang::Status::ok && feet == 4 && std::fabs(up / weight - 1) < 1e-3 &&
                    report.contact.residual < 1e-10 && report.contact.penetration < 1e-6;
  std::printf("laws hold to 1e-10 in every step, nothing sinks in by more than 1e-6 m: %s\n", good ? "ok" : "NOT ok");
  return good ? 0 : 1;
}
