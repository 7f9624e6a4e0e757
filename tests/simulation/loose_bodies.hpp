// SPDX-License-Identifier: BSD-3-Clause
// Loose bodies for scenes of contact: boxes and balls that float.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "zwang/model/builder.hpp"
#include "zwang/simulation.hpp"

namespace zwang::test {

constexpr double k_fall = 9.81;

struct Loose {
  std::string name;
  double mass = 1;
  Vec3<double> size{0.2, 0.2, 0.2};  ///< whole lengths of a box; x: radius of a ball
  Vec3<double> at{0, 0, 0}, velocity{0, 0, 0}, turning{0, 0, 0};
  bool ball = false;
  Transform<double> turned = Transform<double>::identity();
  bool bare = false;  ///< no shape of its own
};
inline Loose box(const std::string& name, double mass, const Vec3<double>& size, const Vec3<double>& at) {
  return {.name = name, .mass = mass, .size = size, .at = at};
}
inline Loose ball(const std::string& name, double mass, double radius, const Vec3<double>& at) {
  return {.name = name, .mass = mass, .size = {radius, 0, 0}, .at = at, .ball = true};
}

/// A model of them, and the state where they are. The pose of a body is the origin of its joint: q = 0 there.
struct LooseBodies {
  explicit LooseBodies(const std::vector<Loose>& bodies, const Vec3<double>& gravity = {0, 0, -k_fall})
      : model(made(bodies, gravity)),
        q(Eigen::VectorXd::Zero(model.nq())),
        v(Eigen::VectorXd::Zero(model.nv())) {
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const Joint& j = model.joint("free " + bodies[k].name);
      const Loose& b = bodies[k];
      q(j.q.first + 6) = 1;  // x y z, then a quaternion x y z w
      for (int i = 0; i < 3; ++i) {
        v(j.v.first + i) = transpose_times(b.turned.R, b.velocity)[i];
        v(j.v.first + 3 + i) = b.turning[i];
      }
    }
  }
  static Model made(const std::vector<Loose>& bodies, const Vec3<double>& gravity) {
    RobotDescription d{.name = "loose"};
    d.links = {{.name = "base"}};
    for (const Loose& b : bodies) {
      const double m = b.mass, x = b.size.x * b.size.x, y = b.size.y * b.size.y, z = b.size.z * b.size.z;
      LinkDescription link{.name = b.name, .mass = m};
      link.inertia = b.ball ? Sym3<double>::diagonal(0.4 * m * x, 0.4 * m * x, 0.4 * m * x)
                            : Sym3<double>::diagonal(m / 12 * (y + z), m / 12 * (x + z), m / 12 * (x + y));
      Shape shape{.kind = b.ball ? Shape::Kind::sphere : Shape::Kind::box, .collision = true, .name = b.name};
      for (int i = 0; i < 3; ++i) shape.size[i] = b.size[i];
      if (!b.bare) link.shapes = {shape};
      d.links.push_back(link);
      JointDescription j{.name = "free " + b.name, .type = "floating", .parent = "base", .child = b.name};
      j.origin = {b.turned.R, b.at};
      d.joints.push_back(j);
    }
    return build(d, {.gravity = gravity});
  }
  /// Where its centre is.
  Eigen::Vector3d place(const VectorView& x, const std::string& name) const {
    const Joint& j = model.joint("free " + name);
    const Transform<double>& origin = j.description.origin;
    const Vec3<double> p = origin * Vec3<double>{x[j.q.first], x[j.q.first + 1], x[j.q.first + 2]};
    return {p.x, p.y, p.z};
  }
  Model model;
  Eigen::VectorXd q, v;
};

inline SimulationSettings touching(double time, double dt) {
  return {.time = time, .dt = dt, .integrator = Integrator::contact};
}

}  // namespace zwang::test
