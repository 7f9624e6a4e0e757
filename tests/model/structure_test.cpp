// SPDX-License-Identifier: BSD-3-Clause
// What hangs where, against the poses and the motion that the model computes.
#include "zwang/model/structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/close.hpp"
#include "support/random.hpp"
#include "support/says.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/io/model.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

using Name = std::string;

RobotDescription described(std::uint64_t seed) {
  RobotDescription robot = random_robot(seed, {.joints = 1 + static_cast<int>(seed % 9), .mimic = 0.2});
  Random random(seed);
  for (std::size_t k = 0; k < robot.joints.size(); k += 2) robot.joints[k].child_origin = random.pose(0.4);
  // In an order in which a frame comes before the one that it hangs on.
  robot.frames = {{"outer", "inner", random.pose(0.3)}, {"inner", robot.links.back().name, random.pose(0.3)}};
  return robot;
}

Eigen::VectorXd some_q(const Model& m, std::uint64_t seed) {
  Eigen::VectorXd q(m.nq());
  random(m, seed, q);
  return q;
}

double apart(const Transform<double>& a, const Transform<double>& b) {
  double most = 0;
  for (int i = 0; i < 3; ++i) {
    most = std::fmax(most, std::fabs(a.p[i] - b.p[i]));
    for (int k = 0; k < 3; ++k) most = std::fmax(most, std::fabs(a.R(i, k) - b.R(i, k)));
  }
  return most;
}

Transform<double> pose_of(const Model& m, Data& data, const Eigen::VectorXd& q, FrameId f) {
  return frame_pose(m, data, q, f);
}

TEST(PlaceOf, IsWhereTheModelMovesTheFrame) {
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const bool lump : {true, false}) {
      BuildOptions options;
      options.lump = lump;
      options.root = seed % 2 == 0 ? "fixed" : "floating";
      const Model m = build(described(seed), options);
      Data data(m);
      const Eigen::VectorXd q = some_q(m, seed);
      for (Index k = 0; k < static_cast<Index>(m.frames().size()); ++k) {
        const FramePlace at = place_of(m, FrameId(k));
        const Frame& frame = m.frames()[static_cast<std::size_t>(k)];
        const Link& link = m.links()[static_cast<std::size_t>(at.link.value)];
        EXPECT_EQ(at.link, frame.link);
        EXPECT_EQ(at.joint, link.joint);
        const Transform<double> expected = pose_of(m, data, q, link.frame) * at.pose;
        EXPECT_LT(apart(pose_of(m, data, q, FrameId(k)), expected), 1e-13) << frame.name << ": tens of products";
        if (frame.kind == Frame::Kind::link) { EXPECT_EQ(apart(at.pose, Transform<double>::identity()), 0); }
      }
    }
}

TEST(PlaceOf, OfAFrameIsExactlyWhatWasSaid) {
  const RobotDescription robot = described(5);
  const Model m = build(robot);
  const FramePlace at = place_of(m, m.find_frame("outer"));
  EXPECT_EQ(m.links()[static_cast<std::size_t>(at.link.value)].name, robot.links.back().name);
  EXPECT_EQ(apart(at.pose, robot.frames[1].placement * robot.frames[0].placement), 0);
  EXPECT_SAYS("expected 0 to", place_of(m, FrameId(static_cast<Index>(m.frames().size()))));
  EXPECT_SAYS("frame -1", place_of(m, FrameId()));
}

/// Link b carries link c by a joint that is called b, too: a frame on b hangs on the link, as the builder reads it.
TEST(PlaceOf, OfANameThatALinkAndAJointShareIsOnTheLink) {
  Random random(3);
  const RobotDescription robot{
      .name = "shared",
      .links = {{.name = "base"}, {.name = "b", .mass = 1}, {.name = "c", .mass = 2}},
      .joints = {{.name = "j", .type = "revolute", .parent = "base", .child = "b", .origin = random.pose(0.3)},
                 {.name = "b", .type = "revolute", .parent = "b", .child = "c", .origin = random.pose(0.3)}},
      .frames = {{"tip", "b", random.pose(0.3)}}};
  const Model m = build(robot);
  const FramePlace tip = place_of(m, m.find_frame("tip"));
  EXPECT_EQ(tip.link, m.find_link("b"));
  EXPECT_EQ(apart(tip.pose, robot.frames[0].placement), 0);

  const Transform<double> further = random.pose(0.3);
  const Model more = m.with_frame("t2", "tip", further);
  EXPECT_EQ(apart(place_of(more, more.find_frame("t2")).pose, robot.frames[0].placement * further), 0);
  const Model loaded = append(m, build({.name = "load", .links = {{.name = "weight", .mass = 1}}}), "tip");
  Data data(more), other(loaded);
  const Eigen::VectorXd q = some_q(m, 3);
  EXPECT_LT(apart(frame_pose(more, data, q, "t2"), frame_pose(more, data, q, "link:b") * tip.pose * further), 1e-14);
  EXPECT_LT(apart(frame_pose(loaded, other, q, "weight"), frame_pose(loaded, other, q, "tip")), 1e-14);
}

/// A frame on a joint stands at child_origin in the child link; so it does in the description.
TEST(WithFrame, OnAJointStaysWhereItIsWhenTheModelIsBuiltAgain) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Model plain = build(described(seed));
    Random random(seed + 7);
    for (const Joint& j : plain.joints()) {
      const std::string joint = "joint:" + j.name, link = "link:" + plain.links()[0].name;
      const Model m = plain.with_frame("mark", joint, random.pose(0.3)).with_frame("other", link, random.pose(0.3));
      const Model again = build(m.description(), m.options());
      ASSERT_EQ(again.frame_names(), m.frame_names());
      Data a(m), b(again);
      const Eigen::VectorXd q = some_q(m, seed);
      for (const char* name : {"mark", "other"})
        EXPECT_LT(apart(frame_pose(m, a, q, name), frame_pose(again, b, q, name)), 1e-14) << j.name;
      EXPECT_TRUE(same_robot(model_from_json(to_json(m)), m));
    }
  }
}

TEST(Append, OnAJointsFrameIsWhereThatFrameIs) {
  const Model plain = build(described(4));
  RobotDescription weight{.name = "load", .links = {{.name = "weight", .mass = 1}}};
  for (const Joint& j : plain.joints()) {
    const Model m = append(plain, build(weight), "joint:" + j.name);
    Data data(m);
    const Eigen::VectorXd q = some_q(m, 3);
    EXPECT_LT(apart(frame_pose(m, data, q, "weight"), frame_pose(m, data, q, "joint:" + j.name)), 1e-14) << j.name;
  }
}

std::set<Index> as_set(const std::vector<Index>& x) { return {x.begin(), x.end()}; }

/// A coordinate is of a subtree where it moves a link of it relative to what carries the subtree.
TEST(SubtreeLayout, HasTheCoordinatesThatMoveItsLinks) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    BuildOptions options;
    options.root = seed % 2 == 0 ? "fixed" : "floating";
    const Model m = build(described(seed), options);
    const auto is_behind = [&](const Link& l, const Link& from) {
      for (const Link* x = &l; x->parent; x = &m.links()[static_cast<std::size_t>(x->parent.value)])
        if (&m.links()[static_cast<std::size_t>(x->parent.value)] == &from) return true;
      return false;
    };
    for (const Link& l : m.links()) {
      std::set<Index> q, v;
      for (const Joint& j : m.joints()) {
        if (!is_behind(m.links()[static_cast<std::size_t>(j.child.value)], l)) continue;
        for (Index k = j.q.first; k < j.q.end(); ++k) q.insert(k);
        for (Index k = j.v.first; k < j.v.end(); ++k) v.insert(k);
      }
      const Layout below = subtree_layout(m, m.find_link(l.name));
      EXPECT_EQ(as_set(below.q), q);
      EXPECT_EQ(as_set(below.v), v);
      EXPECT_EQ(below.q.size(), q.size()) << "each once";
      EXPECT_TRUE(std::is_sorted(below.v.begin(), below.v.end()));
      if (!l.joint) continue;
      const Joint& carrier = m.joints()[static_cast<std::size_t>(l.joint.value)];
      for (Index k = carrier.q.first; k < carrier.q.end(); ++k) q.insert(k);
      for (Index k = carrier.v.first; k < carrier.v.end(); ++k) v.insert(k);
      const Layout with = subtree_layout(m, l.joint);
      EXPECT_EQ(as_set(with.q), q);
      EXPECT_EQ(as_set(with.v), v);
    }
    EXPECT_SAYS("expected 0 to", subtree_layout(m, LinkId()));
    EXPECT_SAYS("joint 1000", subtree_layout(m, JointId(1000)));
  }
}

/// What moves a link behind a joint, and not the link that the joint stands on.
TEST(SubtreeLayout, IsWhatMovesTheLinksBehindAndNotTheOneBefore) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Model m = build(random_robot(seed, {.joints = 9, .mimic = 0}));
    for (const Joint& j : m.joints()) {
      if (!j.parent) continue;
      const auto links = static_cast<Index>(m.links().size());
      std::set<Index> moving;
      for (Index l = 0; l < links; ++l) {
        bool behind = false;
        for (LinkId x(l); x && !behind; x = m.links()[static_cast<std::size_t>(x.value)].parent) behind = x == j.child;
        const std::vector<Index> all = support(m, m.links()[static_cast<std::size_t>(l)].frame);
        if (behind) moving.insert(all.begin(), all.end());
      }
      for (const Index c : support(m, m.links()[static_cast<std::size_t>(j.parent.value)].frame)) moving.erase(c);
      const Layout sub = subtree_layout(m, m.find_joint(j.name));
      EXPECT_EQ(std::vector<Index>(moving.begin(), moving.end()), sub.v) << j.name;
    }
  }
}

}  // namespace
}  // namespace zwang::test
