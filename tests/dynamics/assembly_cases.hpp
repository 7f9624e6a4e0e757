// SPDX-License-Identifier: BSD-3-Clause
// Random closed mechanisms: a random tree with loops that close at a configuration within the limits, and a start that
// lies apart from it.
#pragma once
#include <cmath>
#include <memory>
#include <string>

#include "support/random.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/assembly.hpp"

namespace zwang::test {

struct OpenMechanism {
  std::unique_ptr<Model> model = nullptr;
  std::unique_ptr<ConstraintSet> set = nullptr;
  Eigen::VectorXd closed = {};  ///< a configuration at which all loops are closed
  Eigen::VectorXd start = {};   ///< this, moved by up to `reach` in each coordinate that is not fixed
  AssemblySettings settings = {};
  std::string what = {};
};

/// Four to fifteen joints of every type, mimic joints and limits among them, the root fixed, floating, planar or
/// spherical; one to three loops closed like joints of any type, a quarter of them twice; at times a fixed joint.
inline OpenMechanism open_mechanism(std::uint64_t seed, double reach) {
  Random random(seed);
  RandomRobot options;
  options.joints = 4 + random.below(12);
  options.mimic = 0.1;
  static const char* const roots[] = {"fixed", "fixed", "floating", "planar", "spherical"};
  options.root = roots[random.below(5)];
  RobotDescription d = random_robot(seed, options);
  const Model tree = build(d);
  OpenMechanism m;
  m.closed = zwang::random(tree, seed + 5);
  Data data(tree);
  forward_kinematics(tree, data, m.closed);
  static const char* const kinds[] = {"hinge",  "ball", "cylindrical", "universal",
                                      "planar", "weld", "slider",      "point_on_plane"};
  std::vector<LoopConstraint> loops;
  const int count = 1 + random.below(3);
  for (int k = 0; k < count; ++k) {
    const auto link = [&] {
      return d.links[static_cast<std::size_t>(random.below(static_cast<int>(d.links.size())))].name;
    };
    const std::string a = link(), b = link(), kind = kinds[random.below(8)];
    const Transform<double> X = random.pose(0.3);
    const int copies = random.below(4) == 0 ? 2 : 1;
    for (int c = 0; c < copies && a != b; ++c) {
      const std::string name = std::to_string(k) + (c == 0 ? "" : " again");
      const Transform<double> on_b = inverse(frame_pose(tree, data, b)) * (frame_pose(tree, data, a) * X);
      d.frames.push_back({"a" + name, a, X});
      d.frames.push_back({"b" + name, b, on_b});
      loops.push_back({.name = "loop " + name,
                       .frame = "a" + name,
                       .other = "b" + name,
                       .rows = kind == "universal" ? joint_rows(kind, {0, 0, 1}, {1, 0, 0}) : joint_rows(kind)});
      m.what += kind + " ";
    }
  }
  m.model = std::make_unique<Model>(build(d));
  m.set = std::make_unique<ConstraintSet>(*m.model);
  for (const LoopConstraint& loop : loops) m.set->add(loop);
  Eigen::VectorXd step = random.vector(static_cast<int>(m.model->nv()), reach);
  const Joint& fixed =
      m.model->joints()[static_cast<std::size_t>(random.below(static_cast<int>(m.model->joints().size())))];
  const bool fixes = random.below(5) < 2 && fixed.v.size > 0;
  if (fixes) step.segment(fixed.v.first, fixed.v.size).setZero();
  m.start = integrate(*m.model, m.closed, step);
  if (fixes) {
    m.start.segment(fixed.q.first, fixed.q.size) = m.closed.segment(fixed.q.first, fixed.q.size);
    m.settings.fixed = {fixed.name};
    m.what += "with " + fixed.name + " fixed ";
  }
  m.what = "seed " + std::to_string(seed) + ": " + m.what + "on " + options.root + " root, " +
           std::to_string(m.model->nv()) + " coordinates, " + std::to_string(m.set->rows()) + " rows";
  return m;
}

}  // namespace zwang::test
