// SPDX-License-Identifier: BSD-3-Clause
// Five boxes on each other, each ten times as heavy as the one below: what every face carries, and what a push does
// to them.
//
// Solvers that iterate over contacts need thousands of sweeps for a ratio of 10^4. Here a step is an answer or says
// that it is none. Prints what 16_stack.py prints.
#include <cmath>
#include <cstdio>
#include <string>

#include "zwang/model/builder.hpp"
#include "zwang/simulation.hpp"
#include "zwang/zwang.hpp"

int main() {
  constexpr int k_boxes = 5;
  zwang::RobotDescription stack{.name = "stack"};
  stack.links = {{.name = "world"}};
  double above[k_boxes + 1] = {};
  for (int k = 0; k < k_boxes; ++k) {
    const double m = std::pow(10.0, k), a = m / 12 * (0.04 + 0.01), c = m / 12 * 0.08;
    const std::string name = "box" + std::to_string(k);
    zwang::LinkDescription link{.name = name, .mass = m, .inertia = zwang::Sym3<double>::diagonal(a, a, c)};
    zwang::Shape shape{.kind = zwang::Shape::Kind::box, .collision = true, .name = name};
    shape.size[0] = shape.size[1] = 0.2;
    shape.size[2] = 0.1;
    link.shapes = {shape};
    stack.links.push_back(link);
    zwang::JointDescription joint{.name = "free " + name, .type = "floating", .parent = "world", .child = name};
    joint.origin.p = {0, 0, 0.05 + 0.1 * k};
    stack.joints.push_back(joint);
  }
  for (int k = k_boxes - 1; k >= 0; --k) above[k] = above[k + 1] + 9.81 * std::pow(10.0, k);
  const zwang::Model model = zwang::build(stack);
  zwang::Scene scene(model);
  scene.friction = 0.5;
  scene.add_ground({.law = {.friction = 0.5}});

  Eigen::VectorXd q = Eigen::VectorXd::Zero(model.nq());
  for (int k = 0; k < k_boxes; ++k) q[7 * k + 6] = 1;
  const zwang::Trajectory t = zwang::simulate(model, zwang::ConstraintSet(model), {.q = q},
                                              {.time = 0.5, .integrator = zwang::Integrator::contact}, scene);
  double force[k_boxes] = {};  // under each box
  const long last = t.contact_count.back();
  for (auto c = t.contacts.end() - last; c != t.contacts.end(); ++c) {
    if (c->what != zwang::ContactState::What::point) continue;
    const int b = scene.shapes()[static_cast<std::size_t>(c->b)].name.back() - '0';  // the upper one of a pair
    force[b] += std::fabs(c->force.z);
  }
  double worst = 0;
  std::printf("box    mass [kg]    the face below carries [N]\n");
  for (int k = 0; k < k_boxes; ++k) {
    std::printf("%3d %12.0f %29.4f\n", k, std::pow(10.0, k), force[k]);
    worst = std::fmax(worst, std::fabs(force[k] / above[k] - 1));
  }
  const double moved = t.v().col(t.states() - 1).cwiseAbs().maxCoeff();
  const bool good = t.report.status == zwang::Status::ok && worst < 1e-11 && moved < 1e-11;
  std::printf("each face carries what is above it to 1e-11, nothing moves: %s\n", good ? "ok" : "NOT ok");
  return good ? 0 : 1;
}
