// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/constraint_kinds.hpp"

#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

std::string some_frame(const Robot& robot, Random& random) {
  const auto& frames = robot.model.frames();
  return frames[static_cast<std::size_t>(random.below(static_cast<int>(frames.size())))].name;
}
std::vector<double> some_numbers(Random& random, Index count) {
  std::vector<double> out;
  for (Index i = 0; i < count; ++i) out.push_back(random.uniform(-2, 2));
  return out;
}

/// How a constraint is held, at random.
template <class C> void hold(C& c, Random& random, Index rows, bool errors = true) {
  c.beta = some_numbers(random, rows);
  c.role = random.below(3) == 0 ? Role::driver : Role::physical;
  if (random.below(3) == 0) {
    c.policy = Policy::soft;
    c.compliance = {random.uniform(0.1, 2)};
  }
  if (!errors || random.below(2) == 0) return;
  c.stabilisation = Stabilisation{random.uniform(0.2, 1), random.uniform(0.5, 1.5)};
  if (random.below(2)) c.target = some_numbers(random, rows);
  if (random.below(2)) c.target_velocity = some_numbers(random, rows);
}

void add_frame(const Robot& robot, Random& random, ConstraintSet& set) {
  FrameConstraint c = random_frame_constraint(robot, random, "c");
  hold(c, random, c.rows.size(), false);
  set.add(c);
}
void add_frame_target(const Robot& robot, Random& random, ConstraintSet& set) {
  FrameConstraint c = random_frame_constraint(robot, random, "c");
  c.in = random.below(2) ? "local" : "local_world_aligned";
  c.acceleration = AccelerationKind::classical;
  c.has_target = true;
  const Vec3<double> turn = random.direction() * random.uniform(0, 3);
  c.target_pose = {exp_so3(turn), {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}};
  hold(c, random, c.rows.size());
  set.add(c);
}
void add_contact(const Robot& robot, Random& random, ConstraintSet& set) {
  ContactConstraint c = random_contact(robot, random, "c");
  c.has_target = random.below(2) == 1;
  hold(c, random, c.rows, c.has_target);
  set.add(c);
}
void add_loop(const Robot& robot, Random& random, ConstraintSet& set) {
  LoopConstraint c = random_loop(robot, random, "c");
  hold(c, random, c.rows.size());
  set.add(c);
}
void add_distance(const Robot& robot, Random& random, ConstraintSet& set) {
  DistanceConstraint c;
  c.name = "c";
  c.frame = some_frame(robot, random);
  c.other = some_frame(robot, random);
  c.point = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  c.other_point = {random.uniform(1, 2), random.uniform(-1, 1), random.uniform(-1, 1)};
  c.length = random.uniform(0.5, 2);
  hold(c, random, 1);
  set.add(c);
}
void add_rolling(const Robot& robot, Random& random, ConstraintSet& set) {
  RollingConstraint c;
  c.name = "c";
  c.frame = some_frame(robot, random);
  c.other = random.below(2) ? some_frame(robot, random) : "";
  c.radius = random.uniform(0.1, 0.5);
  c.normal = random.direction();
  if (random.below(2)) c.axis = random.direction();
  hold(c, random, 3);
  set.add(c);
}
void add_centre_of_mass(const Robot&, Random& random, ConstraintSet& set) {
  CentreOfMassConstraint c;
  c.name = "c";
  const int count = 1 + random.below(3);
  c.matrix = some_numbers(random, 3 * count);
  hold(c, random, count);
  set.add(c);
}
std::vector<std::string> coordinates(const Robot& robot) {
  std::vector<std::string> out;
  for (const Joint& j : robot.model.joints())
    if (j.mimic.leader.empty() && j.v.size == 1 && j.q.size == 1)
      out.push_back(robot.model.coordinate_names()[static_cast<std::size_t>(j.v.first)]);
  return out;
}
void add_coupling(const Robot& robot, Random& random, ConstraintSet& set) {
  CouplingConstraint c;
  c.name = "c";
  c.coordinates = coordinates(robot);
  if (c.coordinates.empty()) return;
  if (c.coordinates.size() >= 2 && random.below(2)) {
    c.coordinates.resize(2);
    c.polynomial = some_numbers(random, 5);
  } else {
    c.ratio = some_numbers(random, static_cast<Index>(c.coordinates.size()));
  }
  hold(c, random, 1);
  set.add(c);
}

/// Some coordinates of joints of every kind, near a posture: rotations reach no half turn.
void add_joint(const Robot& robot, Random& random, ConstraintSet& set) {
  JointConstraint c;
  c.name = "c";
  const Eigen::VectorXd q = random_configuration(robot.model, random);
  if (random.below(2)) c.posture.assign(q.data(), q.data() + q.size());
  const std::vector<std::string>& names = robot.model.coordinate_names();
  if (names.empty()) return;
  for (const std::string& name : names)
    if (random.below(3) == 0) c.coordinates.push_back(name);
  if (c.coordinates.empty()) c.coordinates = {names.front()};
  const auto rows = static_cast<Index>(c.coordinates.size());
  hold(c, random, rows);
  set.add(c);
}

}  // namespace

const std::vector<Kind>& every_kind() {
  static const std::vector<Kind> kinds = {{"frame", add_frame},       {"frame with target", add_frame_target},
                                          {"contact", add_contact},   {"loop", add_loop},
                                          {"distance", add_distance}, {"rolling", add_rolling},
                                          {"coupling", add_coupling}, {"centre of mass", add_centre_of_mass},
                                          {"joint", add_joint}};
  return kinds;
}

}  // namespace zwang::test
