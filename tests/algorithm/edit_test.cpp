// SPDX-License-Identifier: BSD-3-Clause
// Edited models against the models they are made of.
//
// One oracle for all that changes coordinates: the original with every mimicking joint on a coordinate of its own. With
// velocities v_own = G v of the edited model, M = G^T M_own G and h = G^T h_own, where a locked joint has a zero row.
#include "zwang/algorithm/edit.hpp"

#include <gtest/gtest.h>

#include "algorithm/held.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/io/urdf.hpp"

namespace zwang::test {
namespace {

/// q_joint = multiplier q_owner + offset, through chains.
struct Follows {
  std::string owner;
  double multiplier = 1, offset = 0;
};
Follows follows(const Model& m, const std::string& joint) {
  Follows f{joint};
  while (!m.options().expand_mimic && !m.joint(f.owner).mimic.leader.empty()) {
    const Mimic& mimic = m.joint(f.owner).mimic;
    f = {mimic.leader, f.multiplier * mimic.multiplier, f.multiplier * mimic.offset + f.offset};
  }
  return f;
}

Model with_own_coordinates(const Model& m) {
  BuildOptions options = m.options();
  options.expand_mimic = true;
  return build(m.description(), options);
}

/// The configuration of `own`, where every joint has coordinates of its own, that is q of `m`.
Eigen::VectorXd own_configuration(const Model& m, const Model& own, const Eigen::VectorXd& q) {
  Eigen::VectorXd x(own.nq());
  for (const Joint& j : own.joints()) {
    const Follows f = follows(m, j.name);
    for (Index k = 0; k < j.q.size; ++k) x(j.q.first + k) = f.multiplier * q(m.joint(f.owner).q.first + k) + f.offset;
  }
  return x;
}

/// The coordinates of `m` that `part` has.
Eigen::VectorXd taken(const Model& m, const Model& part, const Eigen::VectorXd& x, Range Joint::*range) {
  Eigen::VectorXd y(range == &Joint::q ? part.nq() : part.nv());
  for (const Joint& j : part.joints())
    if (follows(part, j.name).owner == j.name)
      for (Index k = 0; k < (j.*range).size; ++k) y((j.*range).first + k) = x((m.joint(j.name).*range).first + k);
  return y;
}

/// M, bias forces and gravity of `edited` at q, v are G^T of those of `own`, whose rows without an entry stand still.
void expect_same_dynamics(const Model& own, const Eigen::VectorXd& q_own, const Model& edited, const Eigen::VectorXd& q,
                          const Eigen::VectorXd& v, const Eigen::MatrixXd& G) {
  Data a(own), b(edited);
  const Eigen::MatrixXd M = mass_matrix(own, a, q_own);
  const double scale = largest(M) * (1 + largest(G) * largest(G)) * static_cast<double>(own.nv() + 1);
  EXPECT_TRUE(within(mass_matrix(edited, b, q), G.transpose() * M * G, k_sweep, scale));
  const Eigen::VectorXd h = bias_forces(own, a, q_own, G * v);
  EXPECT_TRUE(
      within(Eigen::VectorXd(bias_forces(edited, b, q, v)), G.transpose() * h, k_sweep, largest(h) + scale * 10));
  const Eigen::VectorXd g = gravity_forces(own, a, q_own);
  EXPECT_TRUE(
      within(Eigen::VectorXd(gravity_forces(edited, b, q)), G.transpose() * g, k_sweep, largest(g) + scale * 10));
}

/// Every frame of `m` is in `edited`, where it was.
void expect_same_poses(const Model& m, const Eigen::VectorXd& q, const Model& edited, const Eigen::VectorXd& q_edited) {
  Data a(m), b(edited);
  for (const Frame& f : m.frames()) {
    ASSERT_TRUE(edited.find_frame(f.name)) << f.name;
    const auto expected = eigen(frame_pose(m, a, q, f.name));
    EXPECT_TRUE(within(eigen(frame_pose(edited, b, q_edited, f.name)), expected, k_sweep, largest(expected) + 1))
        << f.name;
  }
}

/// G of the oracle for a model with some joints locked, by the rules of lock_joints and nothing else.
Eigen::MatrixXd locked_map(const Model& m, const Model& own, const Model& locked,
                           const std::vector<std::string>& names) {
  const auto named = [&](const std::string& j) { return std::find(names.begin(), names.end(), j) != names.end(); };
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(own.nv(), locked.nv());
  for (const Joint& j : own.joints()) {
    const Follows f = follows(m, j.name);
    if (named(j.name) || named(f.owner)) continue;
    const Range to = locked.joint(f.owner).v;
    for (Index k = 0; k < j.v.size; ++k) G(j.v.first + k, to.first + k) = f.multiplier;
  }
  return G;
}

void expect_locked(const Held& h, const std::vector<std::string>& names, const Model& locked) {
  const Model own = with_own_coordinates(h.m);
  const Eigen::VectorXd q = taken(h.m, locked, h.x.q, &Joint::q), v = taken(h.m, locked, h.x.v, &Joint::v);
  expect_same_poses(h.m, h.x.q, locked, q);
  expect_same_dynamics(own, own_configuration(h.m, own, h.x.q), locked, q, v, locked_map(h.m, own, locked, names));
  std::vector<std::string> order;
  for (const std::string& name : h.m.coordinate_names())
    if (std::find(locked.coordinate_names().begin(), locked.coordinate_names().end(), name) !=
        locked.coordinate_names().end())
      order.push_back(name);
  EXPECT_EQ(locked.coordinate_names(), order);
}

TEST(Edit, LockedJointsLeaveTheRowsOfTheOthers) {
  for_cases(60, [](Held& h) {
    Random random(static_cast<std::uint64_t>(h.nv) + 3);
    std::vector<std::string> names;
    for (const Joint& j : h.m.joints())
      if (random.below(3) == 0) names.push_back(j.name);
    if (h.m.find_frame("world") && !h.m.joints().front().parent) return;  // see Refusals
    expect_locked(h, names, lock_joints(h.m, names, h.x.q));
  });
}

TEST(Edit, KeptJointsAreTheOthersLocked) {
  for_cases(30, [](Held& h) {
    std::vector<std::string> kept, rest;
    Random random(static_cast<std::uint64_t>(h.nv) + 5);
    for (const Joint& j : h.m.joints())
      if (follows(h.m, j.name).owner == j.name) (random.below(2) == 0 ? kept : rest).push_back(j.name);
    if (h.m.find_frame("world") && !h.m.joints().front().parent) return;
    expect_locked(h, rest, keep_joints(h.m, kept, h.x.q));
  });
}

TEST(Edit, MergingFixedJointsChangesNoMotion) {
  int merged_links = 0;
  for_cases(60, [&](Held& h) {
    const Model merged = merge_fixed(h.m);
    ASSERT_EQ(merged.coordinate_names(), h.m.coordinate_names());
    merged_links += static_cast<int>(h.m.links().size() - merged.links().size());
    for (const Joint& j : merged.joints()) EXPECT_NE(j.type, "fixed") << j.name;
    EXPECT_CLOSE(merged.mass(), h.m.mass(), 100 * k_eps);
    expect_same_poses(h.m, h.x.q, merged, h.x.q);
    expect_same_dynamics(h.m, h.x.q, merged, h.x.q, h.x.v, Eigen::MatrixXd::Identity(h.nv, h.nv));
  });
  EXPECT_GT(merged_links, effort(20));
}

TEST(Edit, AppendedRobotsMoveWithTheFrame) {
  for (int seed = 0; seed < effort(30); ++seed) {
    const auto s = static_cast<std::uint64_t>(seed);
    SCOPED_TRACE(seed);
    const Case one = random_case(s, 4);
    const Model two =
        build(random_description(s + 900, 5, "fixed"), {.root = "fixed", .expand_mimic = one.options.expand_mimic});
    Random random(s);
    const Transform<double> pose = random.pose(1);
    const std::string at = seed % 2 == 0 ? "tip" : one.model.links().back().name;
    const Model both = append(one.model, two, at, pose, "hand/");
    EXPECT_CLOSE(both.mass(), one.model.mass() + two.mass(), 100 * k_eps);
    const RandomState x = random_state(both, s);
    Eigen::VectorXd q1 = taken(both, one.model, x.q, &Joint::q), q2(two.nq());
    std::vector<Index> columns(static_cast<std::size_t>(two.nv()));
    for (const Joint& j : two.joints()) {
      const Joint& there = both.joint("hand/" + j.name);
      for (Index k = 0; k < j.q.size; ++k) q2(j.q.first + k) = x.q(there.q.first + k);
      for (Index k = 0; k < j.v.size; ++k) columns[static_cast<std::size_t>(j.v.first + k)] = there.v.first + k;
    }
    expect_same_poses(one.model, q1, both, x.q);
    Data a(one.model), b(two), c(both);
    for (const Frame& f : two.frames()) {
      const auto expected = eigen(frame_pose(one.model, a, q1, at) * pose * frame_pose(two, b, q2, f.name));
      EXPECT_TRUE(within(eigen(frame_pose(both, c, x.q, "hand/" + f.name)), expected, k_sweep, largest(expected) + 1));
    }
    // With the first robot at rest the second one moves as on the ground.
    const Eigen::MatrixXd M = mass_matrix(both, c, x.q), own = mass_matrix(two, b, q2);
    for (Index i = 0; i < two.nv(); ++i)
      for (Index k = 0; k < two.nv(); ++k)
        EXPECT_NEAR(M(columns[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(k)]), own(i, k),
                    k_sweep * largest(M));
  }
}

TEST(Edit, MotorsAreWhereTheyAreAskedFor) {
  LoadOptions options;
  options.root = "floating";
  const Model m = load(model_file("quadruped.urdf"), options), knees = with_actuated(m, {"LF_knee", "RH_knee"});
  for (const Joint& j : m.joints())
    for (Index k = j.v.first; k < j.v.end(); ++k) {
      EXPECT_EQ(m.actuated()[static_cast<std::size_t>(k)], j.name != "root_joint");
      EXPECT_EQ(knees.actuated()[static_cast<std::size_t>(k)], j.name == "LF_knee" || j.name == "RH_knee");
    }
  EXPECT_EQ(knees.coordinate_names(), m.coordinate_names());
  EXPECT_SAYS("LF_knee", with_actuated(m, {"LF_kne"}));
  EXPECT_SAYS("root_joint", with_actuated(m, {"root_joint"}));
  EXPECT_SAYS("fixed", with_actuated(m, {"LF_foot_mount"}));
}

TEST(Edit, AMimicAddedAndRemoved) {
  for (int seed = 0; seed < effort(30); ++seed) {
    RandomRobot draw;
    draw.joints = 8, draw.mimic = 0, draw.types = {"revolute", "prismatic", "continuous", "helical"};
    const Model m = build(random_robot(static_cast<std::uint64_t>(seed), draw));
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<std::string> able;
    for (const Joint& j : m.joints())
      if (j.v.size == 1) able.push_back(j.name);
    ASSERT_GT(able.size(), 4u);
    const Model one = add_mimic(m, able[3], able[1], -0.7, 0.2), two = add_mimic(one, able[4], able[3], 1.5, -0.1);
    ASSERT_EQ(two.nv(), m.nv() - 2);
    const RandomState x = random_state(two, static_cast<std::uint64_t>(seed));
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(m.nv(), two.nv());
    Eigen::VectorXd q(m.nq());
    for (const std::string& j : able) {
      const double factor = j == able[3] ? -0.7 : j == able[4] ? 1.5 * -0.7 : 1;
      const double offset = j == able[3] ? 0.2 : j == able[4] ? 1.5 * 0.2 - 0.1 : 0;
      const Joint& own = two.joint(factor == 1 ? j : able[1]);
      G(m.joint(j).v.first, own.v.first) = factor;
      q(m.joint(j).q.first) = factor * x.q(own.q.first) + offset;
    }
    expect_same_poses(m, q, two, x.q);
    expect_same_dynamics(m, q, two, x.q, x.v, G);
    // Without the one in the middle, the last one follows the first one.
    const Model without = lock_joints(two, {able[3]}, x.q);
    ASSERT_EQ(without.coordinate_names(), two.coordinate_names());
    expect_same_poses(m, q, without, x.q);
    Eigen::MatrixXd H = G;
    H.row(m.joint(able[3]).v.first).setZero();
    expect_same_dynamics(m, q, without, x.q, x.v, H);
    const Model back = remove_mimic(remove_mimic(two, able[4]), able[3]);
    Data a(m), b(back);
    EXPECT_EQ(mass_matrix(m, a, q), mass_matrix(back, b, q));
  }
}

TEST(Edit, SubtreesMoveAsTheyDidOnTheRobot) {
  int parts = 0, refused = 0;
  for_cases(40, [&](Held& h) {
    const Link& link = h.m.links()[h.m.links().size() / 2];
    std::optional<Model> part, rest;
    try {
      part = subtree(h.m, link.name);
      if (link.parent) rest = remove_subtree(h.m, link.name);
    } catch (const ModelError& e) {
      EXPECT_EQ(e.code(), "E_MIMIC");
      ++refused;
      return;
    }
    // What carries the link is in neither part; it may follow a joint of the one.
    const std::string carrier = link.joint ? h.m.joints()[static_cast<std::size_t>(link.joint.value)].name : "";
    if (link.joint && link.parent && part->find_joint(follows(h.m, carrier).owner)) return;
    ++parts;
    EXPECT_CLOSE(part->mass() + (rest ? rest->mass() : 0), h.m.mass(), 1000 * k_eps);
    const Eigen::VectorXd q = taken(h.m, *part, h.x.q, &Joint::q);
    Data a(h.m), b(*part);
    const Eigen::MatrixXd M = mass_matrix(h.m, a, h.x.q), own = mass_matrix(*part, b, q);
    for (const Frame& f : part->frames()) {
      const auto expected = eigen(relative_pose(h.m, a, h.x.q, f.name, link.frame));
      EXPECT_TRUE(within(eigen(frame_pose(*part, b, q, f.name)), expected, k_sweep, largest(expected) + 1)) << f.name;
    }
    for (const Joint& i : part->joints())
      for (const Joint& j : part->joints())
        for (Index k = 0; k < i.v.size * j.v.size; ++k) {
          const Index r = k / j.v.size, c = k % j.v.size;
          EXPECT_NEAR(own(i.v.first + r, j.v.first + c),
                      M(h.m.joint(i.name).v.first + r, h.m.joint(j.name).v.first + c), k_sweep * largest(M));
        }
    if (!rest) return;
    // The rest moves as the whole would, were the part without mass and what carries it without a rotor.
    RobotDescription light = h.m.description();
    for (LinkDescription& l : light.links)
      if (part->find_link(l.name)) l.mass = 0, l.inertia = Sym3<double>::zero();
    for (JointDescription& j : light.joints)
      if (j.name == carrier) j.rotor_inertia.clear();
    const Model whole = build(light, h.m.options());
    Data c(whole), d(*rest);
    const Eigen::VectorXd q_rest = taken(h.m, *rest, h.x.q, &Joint::q);
    const Eigen::MatrixXd M_light = mass_matrix(whole, c, h.x.q), M_rest = mass_matrix(*rest, d, q_rest);
    Eigen::MatrixXd expected(rest->nv(), rest->nv());
    for (const Joint& i : rest->joints())
      for (const Joint& j : rest->joints())
        expected.block(i.v.first, j.v.first, i.v.size, j.v.size) =
            M_light.block(h.m.joint(i.name).v.first, h.m.joint(j.name).v.first, i.v.size, j.v.size);
    EXPECT_TRUE(within(M_rest, expected, k_sweep, largest(M) + 1));
  });
  EXPECT_GT(parts, effort(20));
  if (effort(40) == 40) { EXPECT_GT(refused, 0); }
}

/// M of all joints but the floating root with the root left free: it does not depend on which link is the root.
Eigen::MatrixXd free_inertia(const Model& m, const Eigen::VectorXd& q, const std::vector<std::string>& names) {
  Data data(m);
  const Eigen::MatrixXd M = mass_matrix(m, data, q);
  const Eigen::MatrixXd root = M.topLeftCorner(6, 6), to_root = M.bottomLeftCorner(m.nv() - 6, 6);
  const Eigen::MatrixXd S =
      M.bottomRightCorner(m.nv() - 6, m.nv() - 6) - to_root * root.ldlt().solve(Eigen::MatrixXd(to_root.transpose()));
  Eigen::MatrixXd sorted(names.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < names.size(); ++j)
      sorted(static_cast<Index>(i), static_cast<Index>(j)) =
          S(m.joint(names[i]).v.first - 6, m.joint(names[j]).v.first - 6);
  return sorted;
}

TEST(Edit, AnotherRootChangesNoRelativeMotion) {
  int composite = 0, plain = 0;
  for (int seed = 0; seed < effort(40); ++seed) {
    SCOPED_TRACE(seed);
    RandomRobot draw;
    draw.joints = 9, draw.mimic = 0.3, draw.types = {"revolute", "prismatic", "continuous", "helical", "fixed"};
    RobotDescription robot = random_robot(static_cast<std::uint64_t>(seed), draw);
    if (seed % 3 == 0)
      for (JointDescription& j : robot.joints) j.origin.p = j.axis * (seed % 2 == 0 ? 0.3 : 0);  // through the parent
    if (seed % 3 == 0)
      for (JointDescription& j : robot.joints) j.origin.R = Mat3<double>::identity();
    const Model m = build(robot, {.root = "floating"});
    const std::string link = m.links().back().name;
    const Model turned = re_root(m, link);
    ASSERT_EQ(turned.nv(), m.nv());
    ASSERT_FALSE(turned.link(link).parent);
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    Eigen::VectorXd q = random_state(turned, 3).q;
    std::vector<std::string> names;
    for (const Joint& j : m.joints())
      if (j.parent && follows(m, j.name).owner == j.name && j.v.size == 1) {
        q(turned.joint(j.name).q.first) = x.q(j.q.first);
        names.push_back(j.name);
      }
    ASSERT_EQ(static_cast<Index>(names.size()), m.nv() - 6);
    for (const Joint& j : turned.joints()) ++(j.type == "composite" ? composite : plain);
    Data a(m), b(turned);
    for (const Frame& f : m.frames()) {
      if (f.kind == Frame::Kind::joint) continue;  // that of the child, which is another link
      const auto expected = eigen(relative_pose(m, a, x.q, f.name, link));
      EXPECT_TRUE(within(eigen(relative_pose(turned, b, q, f.name, link)), expected, k_sweep, largest(expected) + 1))
          << f.name;
    }
    const Eigen::MatrixXd S = free_inertia(m, x.q, names);
    EXPECT_TRUE(within(free_inertia(turned, q, names), S, 100 * k_sweep, largest(S) + 1));
    const Model back = re_root(turned, m.links().front().name);  // through the composite joints
    ASSERT_EQ(back.coordinate_names(), m.coordinate_names());
    Data c(back);
    const Eigen::MatrixXd M = mass_matrix(m, a, x.q);
    EXPECT_TRUE(within(mass_matrix(back, c, x.q), M, 100 * k_sweep, largest(M) + 1));
    for (const Joint& j : back.joints()) EXPECT_EQ(j.type, m.joint(j.name).type);
  }
  if (effort(40) == 40) { EXPECT_GT(std::min(composite, plain), 20); }
  const Model ball = build(random_robot(1, {.joints = 3, .types = {"spherical"}, .mimic = 0}));
  EXPECT_SAYS("E_JOINT_TYPE", re_root(ball, ball.links().back().name));
}

TEST(Edit, LockingTakesLinearTime) {  // with one pass over the tree for every joint this takes a minute
  RandomRobot draw;
  draw.joints = 100'000, draw.branching = 0, draw.mimic = 0, draw.types = {"revolute"};
  const Model m = build(random_robot(1, draw));
  const Model locked = keep_joints(m, {m.joints()[7].name}, Eigen::VectorXd::Zero(m.nq()));
  EXPECT_EQ(locked.nv(), 1);
}

TEST(Edit, WhatIsMergedNeedNotBeASolid) {  // corrections of inertia are given as links of their own
  RobotDescription robot;
  robot.links = {{.name = "base"},
                 {.name = "arm", .mass = 2, .centre = {0.1, 0, 0.3}, .inertia = Sym3<double>::diagonal(1, 1, 1)},
                 {.name = "less", .inertia = Sym3<double>::diagonal(-0.1, -0.2, -0.3)},
                 {.name = "skew", .inertia = {0, 0.1, 0.2, 0, 0.3, 0}}};
  robot.joints = {{.name = "turn", .type = "spherical", .parent = "base", .child = "arm"},
                  {.name = "less_mount", .parent = "arm", .child = "less"},
                  {.name = "skew_mount", .parent = "less", .child = "skew"}};
  const Model m = build(robot), merged = merge_fixed(m);
  ASSERT_EQ(merged.links().size(), 2U);
  const Eigen::VectorXd q = random_state(m, 1).q;
  Data a(m), b(merged);
  const Eigen::MatrixXd M = mass_matrix(m, a, q);
  EXPECT_TRUE(within(mass_matrix(merged, b, q), M, k_sweep, largest(M)));
}

Model closed_robot(const std::string& file) {
  LoadOptions options;
  options.loops = ClosedLoops::constraints;
  return load(model_file(file), options);
}

TEST(Edit, LoopsStayWhereBothLinksDo) {
  for (const std::string& file : closed_models()) {
    SCOPED_TRACE(file);
    const Model m = closed_robot(file);
    ASSERT_EQ(m.loops().size(), 1u);
    const Loop& loop = m.loops().front();
    const Eigen::VectorXd q = Eigen::VectorXd::Constant(m.nq(), 0.3);
    const Model locked = lock_joints(m, {m.joints().back().name}, q);
    EXPECT_EQ(locked.loops().size(), 1u);
    const Model merged = merge_fixed(m);
    EXPECT_EQ(merged.loops().size(), 1u);
    expect_same_poses(m, q, merged, q);
    const std::string child = m.links()[static_cast<std::size_t>(loop.child.value)].name;
    const Model rest = remove_subtree(m, child);
    EXPECT_TRUE(rest.loops().empty());
    EXPECT_TRUE(rest.find_frame(loop.name + "_predecessor"));
    EXPECT_FALSE(rest.find_frame(loop.name + "_successor"));
    const Model twice = append(m, m, m.links().back().name, Transform<double>::identity(), "b_");
    EXPECT_EQ(twice.loops().size(), 2u);
    EXPECT_EQ(twice.loops().back().name, "b_" + loop.name);
  }
}

TEST(Edit, ARobotBuiltInCodeIsTheOneOfTheText) {
  const char* text = R"(<robot name="two"><link name="base"/>
    <link name="arm"><inertial><origin xyz="0.1 0 0.02"/><mass value="2"/>
      <inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="-0.002" iyz="0.0005"/></inertial></link>
    <link name="hand"><inertial><mass value="0.1"/>
      <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
      <origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="2" velocity="3" effort="40"/><dynamics damping="0.3" friction="0.2"/></joint>
    <joint name="screw" type="helical" pitch="0.02"><parent link="arm"/><child link="hand"/><origin xyz="0.4 0 0"/>
      <axis xyz="1 0 0"/></joint></robot>)";
  RobotDescription robot{.name = "two"};
  robot.links = {{.name = "base"},
                 make_link("arm", 2, {0.1, 0, 0.02}, {0.02, 0.001, -0.002, 0.03, 0.0005, 0.025}),
                 make_link("hand", 0.1, {0, 0, 0}, {1e-4, 0, 0, 1e-4, 0, 1e-4})};
  robot.joints = {make_joint("turn", "revolute", "base", "arm", {0, 1, 0}, {0, 0, 0.3}),
                  make_joint("screw", "helical", "arm", "hand", {1, 0, 0}, {0.4, 0, 0})};
  JointDescription& turn = robot.joints[0];
  turn.lower = {-1}, turn.upper = {2}, turn.velocity = {3}, turn.effort = {40}, turn.damping = {0.3};
  turn.friction = {0.2};
  robot.joints[1].parameters = {0.02};
  const Model built = build(robot), read = loads(text);
  const RandomState x = random_state(read, 1);
  Data a(built), b(read);
  EXPECT_EQ(built.frame_names(), read.frame_names());
  EXPECT_EQ(built.lower().front(), read.lower().front());
  EXPECT_EQ(built.effort_limit().front(), read.effort_limit().front());
  EXPECT_EQ(mass_matrix(built, a, x.q), mass_matrix(read, b, x.q));
  EXPECT_EQ(Eigen::VectorXd(inverse_dynamics(built, a, x.q, x.v, x.a)),
            Eigen::VectorXd(inverse_dynamics(read, b, x.q, x.v, x.a)));
}

TEST(Edit, RefusalsNameWhatIsWrong) {
  const Model arm = load(model_file("arm7.urdf"));
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(arm.nq());
  const std::string joint = arm.coordinate_names()[2], link = arm.links().back().name;
  EXPECT_SAYS("'" + joint + "'", lock_joints(arm, {joint + "x"}, q));
  EXPECT_SAYS("lock_joints", lock_joints(arm, {joint}, Eigen::VectorXd::Zero(3)));
  EXPECT_SAYS("keep_joints", keep_joints(arm, {joint}, Eigen::VectorXd::Constant(arm.nq(), NAN)));
  EXPECT_SAYS("'" + link + "'", append(arm, arm, link + "x"));
  EXPECT_SAYS("E_DUPLICATE robot/link[" + arm.links().front().name + "]", append(arm, arm, link));
  EXPECT_SAYS("prefix", append(arm, arm, link));
  EXPECT_SAYS("E_MIMIC", remove_mimic(arm, joint));
  EXPECT_SAYS("E_MIMIC", add_mimic(arm, joint, joint));
  EXPECT_SAYS("root link", remove_subtree(arm, arm.links().front().name));
  EXPECT_SAYS("'" + link + "'", subtree(arm, link + "x"));
  LoadOptions floating;
  floating.root = "floating";
  const Model quadruped = load(model_file("quadruped.urdf"), floating);
  EXPECT_SAYS("the joint between the world and the root link",
              add_mimic(quadruped, "root_joint", quadruped.coordinate_names().back()));
  Data data(quadruped);
  Random random(4);
  const Model named = quadruped.with_frame("world", quadruped.links().back().name, Transform<double>::identity());
  EXPECT_SAYS("E_DUPLICATE robot/link[world]", lock_joints(named, {"root_joint"}, random_configuration(named, random)));
}

}  // namespace
}  // namespace zwang::test
