// SPDX-License-Identifier: BSD-3-Clause
// Two fingers press a box and lift it: friction holds it as long as 2 mu F exceeds its weight and what the lift adds.
//
// The box is lifted by 0.1 m with an acceleration of 2 m/s^2 and braked likewise. Below the force F = m (g + 2) / (2
// mu) it slips. Prints what 17_grip.py prints.
#include <cmath>
#include <cstdio>
#include <string>

#include "zwang/model/builder.hpp"
#include "zwang/simulation.hpp"
#include "zwang/zwang.hpp"

namespace {

constexpr double k_mu = 0.5, k_mass = 0.4;

zwang::LinkDescription body(const std::string& name, double mass, double x, double y, double z) {
  zwang::LinkDescription link{.name = name, .mass = mass};
  link.inertia = zwang::Sym3<double>::diagonal(mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z),
                                               mass / 12 * (x * x + y * y));
  zwang::Shape shape{.kind = zwang::Shape::Kind::box, .collision = true, .name = name};
  shape.size[0] = x;
  shape.size[1] = y;
  shape.size[2] = z;
  link.shapes = {shape};
  return link;
}

zwang::JointDescription slide(const std::string& name, const std::string& parent, const std::string& child,
                              const zwang::Vec3<double>& axis, const zwang::Vec3<double>& at) {
  zwang::JointDescription joint{.name = name, .type = "prismatic", .parent = parent, .child = child};
  joint.axis = axis;
  joint.origin.p = at;
  return joint;
}

/// A hand that moves along z, its fingers along x, and a box on the ground between them.
zwang::Model hand() {
  zwang::RobotDescription d{.name = "hand"};
  zwang::LinkDescription palm = body("palm", 1, 0.1, 0.1, 0.02);
  palm.shapes.clear();
  d.links = {{.name = "world"},
             palm,
             body("left", 0.2, 0.02, 0.04, 0.08),
             body("right", 0.2, 0.02, 0.04, 0.08),
             body("box", k_mass, 0.08, 0.06, 0.1)};
  d.joints = {slide("lift", "world", "palm", {0, 0, 1}, {0, 0, 0.2}),
              slide("left_finger", "palm", "left", {1, 0, 0}, {-0.0505, 0, -0.15}),
              slide("right_finger", "palm", "right", {-1, 0, 0}, {0.0505, 0, -0.15}),
              {.name = "free", .type = "floating", .parent = "world", .child = "box"}};
  d.joints.back().origin.p = {0, 0, 0.05};
  return zwang::build(d);
}

}  // namespace

int main() {
  const zwang::Model model = hand();
  const double limit = k_mass * (9.81 + 2) / (2 * k_mu);
  zwang::Scene scene(model);
  scene.add_ground({.law = {.friction = 0.3}});
  for (const char* finger : {"left", "right"}) scene.set_pair(finger, "box", {.friction = k_mu});
  zwang::ConstraintSet set(model);
  set.add(zwang::JointConstraint{.name = "lift", .coordinates = {"lift"}, .role = zwang::Role::driver});

  Eigen::VectorXd q = Eigen::VectorXd::Zero(model.nq());
  q[model.joint("free").q.first + 6] = 1;
  const double rise = std::sqrt(0.1 / 2);  // [s] up to the fastest
  bool good = true;
  std::printf("F / F needed    box rises by [m]    it slips down by [m]\n");
  for (const double part : {0.8, 0.95, 1.05, 1.5}) {
    zwang::Simulator simulator(model, set, {.time = 0.2 + 2 * rise, .integrator = zwang::Integrator::contact}, scene);
    simulator.set_control([&](zwang::SimulationStage& x) {
      const double t = x.time - 0.2 + 1e-9;
      x.constraints["lift"].beta = {t < 0 ? 0.0 : t < rise ? 2.0 : -2.0};
      x.tau[model.joint("left_finger").v.first] = x.tau[model.joint("right_finger").v.first] = part * limit;
    });
    bool goes_on = simulator.start({.q = q});
    while (goes_on) goes_on = simulator.step();
    const Eigen::VectorXd end = simulator.state().q;
    const double box = end[model.joint("free").q.first + 2], lifted = end[model.joint("lift").q.first];
    std::printf("%12.2f %19.4f %23.4f\n", part, std::fabs(box), std::fabs(lifted - box));
    const bool holds = lifted - box < 1e-4;
    good = good && simulator.report().status == zwang::Status::ok && holds == (part > 1) && lifted > 0.09;
  }
  std::printf("above the force of the closed form it is held, below it slips: %s\n", good ? "ok" : "NOT ok");
  return good ? 0 : 1;
}
