// SPDX-License-Identifier: BSD-3-Clause
// Robots whose documents are tested: samples, random ones, and one with every member that a description has.
#pragma once
#include <cstring>
#include <vector>

#include "support/random.hpp"
#include "zwang/io/model.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {

/// A robot with something in every member.
inline RobotDescription full_robot() {
  Random random(7);
  RobotDescription r;
  r.name = "all \xC3\xA4";
  r.links.resize(3);
  for (std::size_t k = 0; k < 3; ++k) {
    LinkDescription& l = r.links[k];
    l.name = "l" + std::to_string(k);
    l.mass = 1.0 / 3 + static_cast<double>(k);
    l.centre = {0.1, -0.0, 1e-310};
    l.inertia = random.inertia(l.mass, 0.3);
    l.place = {"file \"x\"\n", 3, 4, "robot/link"};
  }
  for (int k = 0; k < 7; ++k) {
    Shape s;
    s.kind = static_cast<Shape::Kind>(k);
    s.collision = k % 2 == 0;
    s.name = "shape\t" + std::to_string(k);
    s.origin = random.pose();
    s.size[0] = 0.1, s.size[1] = 0.2, s.size[2] = -0.0;
    s.mesh = "package://x/\\y.dae", s.mesh_path = "/x/y.dae", s.material = "blue";
    s.colour[0] = 0.25, s.colour[1] = 1, s.colour[2] = -0.0, s.colour[3] = 1e-300;
    if (s.collision) s.contact = {{0.5, unknown, -0.0}, k, 1 - k, 4, -k, 1e-3};
    r.links[1].shapes.push_back(s);
  }
  JointDescription j;
  j.name = "j", j.type = "helical", j.parent = "l0", j.child = "l1";
  j.origin = random.pose(), j.axis = random.direction(), j.parameters = {0.05};
  j.lower = {-unlimited}, j.upper = {1e300}, j.velocity = {unknown}, j.effort = {3.5};
  j.damping = {0.1}, j.friction = {0.2}, j.stiffness = {0.3}, j.spring_reference = {-0.4};
  j.rotor_inertia = {1e-5}, j.gear_ratio = {-120};
  j.actuated = JointDescription::Actuated::no;
  j.soft_lower = -1, j.soft_upper = 1, j.k_position = 20, j.k_velocity = unlimited, j.rising = 0.5, j.falling = -0.0;
  j.place = {"", 0, 7, ""};
  r.joints.push_back(j);
  JointDescription c;
  c.name = "c", c.type = "composite", c.parent = "l1", c.child = "l2";
  c.parts = {{"revolute", random.pose(), random.direction(), {}}, {"helical", random.pose(), {0, 1, 0}, {0.1}}};
  c.actuated = JointDescription::Actuated::yes;
  r.joints.push_back(c);
  r.motors = {{.name = "motor",
               .joint = "c",
               .kind = "position",
               .gear = -2,
               .control_lower = -1,
               .control_upper = 2,
               .force_lower = -3,
               .force_upper = 4,
               .attributes = {{"kp", "1e3"}, {"kv", ""}},
               .place = {"f", 1, 2, ""}},
              {.name = "plain", .joint = "c"}};
  r.contact_exclusions = {{"l0", "l2", "Never"}, {"l1", "l0", {}}};
  r.frames = {{"tool", "l2", random.pose()}, {"tip", "tool", random.pose()}};
  return r;
}

/// Options that are all unlike their defaults.
inline BuildOptions full_options() {
  BuildOptions o;
  o.root = "floating", o.root_joint = "world", o.lump = false, o.expand_mimic = true, o.mode = Mode::lenient;
  o.gravity = {0.5, -0.0, -9.80665}, o.loops = ClosedLoops::constraints;
  return o;
}

inline std::vector<Model> document_models() {
  std::vector<Model> all;
  for (const std::string& name : sample_names())
    for (const char* root : {"automatic", "floating", "planar"}) all.push_back(build(sample(name), {.root = root}));
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    all.push_back(build(random_robot(seed, {.joints = 1 + static_cast<int>(seed)})));
  all.push_back(build(full_robot(), full_options()));
  all.push_back(build(full_robot()));
  return all;
}

}  // namespace zwang::test
