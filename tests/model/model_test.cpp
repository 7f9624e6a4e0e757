// SPDX-License-Identifier: BSD-3-Clause
// Model: names, frames, layouts, copies, and the tree in single precision.
#include "zwang/model/model.hpp"

#include <gtest/gtest.h>

#include <functional>

#include <thread>
#include <type_traits>

#include "model/plain_model.hpp"
#include "zwang/model/sample.hpp"

namespace zwang {
namespace {

Transform<double> some_pose() {
  return {turn_y(turn_z(Mat3<double>::identity(), std::cos(0.4), std::sin(0.4)), std::cos(1.1), std::sin(1.1)),
          {0.1, -0.2, 0.3}};
}

TEST(Model, FindsByNameAndSuggestsTheNearest) {
  const Model m = build(sample_arm7());
  EXPECT_EQ(m.find_joint("joint4").value, 3);
  EXPECT_FALSE(m.find_joint("joint9"));
  EXPECT_FALSE(m.find_link("joint4"));
  EXPECT_EQ(m.joint("joint4").name, "joint4");
  try {
    m.frame("tol0");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("tool0"), std::string::npos) << e.what();
  }
  EXPECT_THROW(m.joint("x"), std::invalid_argument);
  EXPECT_THROW(m.link("x"), std::invalid_argument);
  EXPECT_THROW(m.frame(FrameId(-1)), std::invalid_argument);
  EXPECT_THROW(m.frame(FrameId(1000)), std::invalid_argument);
}

TEST(Model, EveryLinkJointAndUserFrameIsAFrame) {
  RobotDescription r = sample_arm7();
  r.frames = {{"tip", "middle", some_pose()}, {"middle", "tool0", some_pose()}};  // the parent comes later
  r.joints[1].name = "link3";  // a joint named like another link than its own
  const Model m = build(r);
  EXPECT_EQ(m.frames().size(), m.links().size() + m.joints().size() + 2);
  EXPECT_EQ(m.frame_names().back(), "middle");
  EXPECT_EQ(m.frame("link:link3").kind, Frame::Kind::link);
  EXPECT_EQ(m.frame("joint:link3").kind, Frame::Kind::joint);
  EXPECT_EQ(m.frame("joint3").kind, Frame::Kind::joint);
  EXPECT_EQ(m.frame("joint3").link, m.find_link("link3"));
  EXPECT_EQ(m.frame("tool_mount").body.value, 7);
  for (std::size_t i = 0; i < m.links().size(); ++i)
    EXPECT_EQ(m.frame(m.links()[i].frame).link.value, static_cast<Index>(i));
  const Transform<double> expected = m.link("tool0").in_body * some_pose() * some_pose();
  EXPECT_LT((plain::eigen(m.frame("tip").in_body).matrix() - plain::eigen(expected).matrix()).cwiseAbs().maxCoeff(),
            1e-15);

  r.frames.push_back({"joint5", "base", some_pose()});
  EXPECT_THROW(build(r), ModelError);
}

TEST(Model, WithFrameGivesANewModelThatSharesTheNumbers) {
  const Model m = build(sample_arm7());
  const Model n = m.with_frame("tcp", "tool0", some_pose());
  EXPECT_NE(m.id(), n.id());
  EXPECT_FALSE(m.find_frame("tcp"));
  EXPECT_EQ(n.frame("tcp").body, m.frame("tool0").body);
  EXPECT_EQ(n.frame("tcp").link, m.find_link("tool0"));
  EXPECT_EQ(n.tree<double>().body, m.tree<double>().body);
  EXPECT_EQ(n.description().frames.size(), m.description().frames.size() + 1);
  const Model p = n.with_frame("deeper", "tcp", some_pose());
  EXPECT_LT((plain::eigen(p.frame("deeper").in_body).matrix() -
             plain::eigen(p.link("tool0").in_body * some_pose() * some_pose()).matrix())
                .cwiseAbs()
                .maxCoeff(),
            1e-15);
  const Model q = build(p.description());  // the description says it too
  EXPECT_EQ(q.frame("deeper").in_body.p.x, p.frame("deeper").in_body.p.x);
  EXPECT_THROW(n.with_frame("tcp", "tool0", some_pose()), ModelError);
  EXPECT_THROW(n.with_frame("", "tool0", some_pose()), ModelError);
  EXPECT_THROW(n.with_frame("other", "nothing", some_pose()), std::invalid_argument);
  Transform<double> bad = some_pose();
  bad.R[1][1] = 2;
  EXPECT_THROW(n.with_frame("other", "tool0", bad), std::invalid_argument);
  bad = some_pose();
  bad.p.y = unknown;
  EXPECT_THROW(n.with_frame("other", "tool0", bad), std::invalid_argument);
}

TEST(Model, LayoutPermutesJointsOfAnySize) {
  BuildOptions options;
  options.root = "floating";
  const Model m = build(sample_cart_pole(), options);
  const Layout l = m.layout({"hinge", "root_joint", "slide"});
  EXPECT_EQ(l.q, (std::vector<Index>{8, 0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(l.v, (std::vector<Index>{7, 0, 1, 2, 3, 4, 5, 6}));
  EXPECT_THROW(m.layout({"hinges"}), std::invalid_argument);
}

TEST(Model, IsSharedWhenCopiedAndHasAnIdOfItsOwn) {
  static_assert(std::is_same_v<decltype(std::declval<const Model&>().joints()), const std::vector<Joint>&>);
  const Model a = build(sample_arm7()), b = build(sample_arm7()), c = a;
  EXPECT_NE(a.id(), b.id());
  EXPECT_EQ(a.id(), c.id());
  EXPECT_EQ(&a.impl(), &c.impl());
}

TEST(Model, OutlivesTheDescriptionAndItsUserJoints) {
  RandomRobot options;
  options.types = {"revolute"};
  options.user = {user_joint<plain::Rolling>()};
  std::unique_ptr<Model> m;
  {
    RobotDescription r = random_robot(1, options);
    m = std::make_unique<Model>(build(r));
    r = {};
    options.user.clear();
  }
  bool some = false;
  for (Index b = 1; b <= m->bodies(); ++b) {
    const UserJoint* user = m->tree<double>().body[b].user;
    some = some || (user != nullptr && std::string(user->name) == "rolling");
  }
  EXPECT_TRUE(some);
}

TEST(Model, TheFloatTreeIsTheDoubleTreeRounded) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomRobot options;
    options.joints = 24;
    options.user = {user_joint<plain::Rolling>()};
    const Model m = build(random_robot(seed, options));
    const Tree<double>& d = m.tree<double>();
    const Tree<float>& f = m.tree<float>();
    ASSERT_EQ(d.n, f.n);
    ASSERT_EQ(d.spanning_nv, f.spanning_nv);
    ASSERT_EQ(d.passive == nullptr, f.passive == nullptr);
    for (Index b = 0; b <= d.n; ++b) {
      const Body<double>& x = d.body[b];
      const Body<float>& y = f.body[b];
      ASSERT_EQ(static_cast<float>(x.inertia.I.xy), y.inertia.I.xy);
      ASSERT_EQ(static_cast<float>(x.placement.p.z), y.placement.p.z);
      const Index same_x[] = {x.parent, x.kind, x.q, x.nq, x.v, x.nv, x.angle, x.depth, x.last, x.root};
      const Index same_y[] = {y.parent, y.kind, y.q, y.nq, y.v, y.nv, y.angle, y.depth, y.last, y.root};
      for (int i = 0; i < 10; ++i) ASSERT_EQ(same_x[i], same_y[i]);
      ASSERT_EQ(x.user, y.user);
      ASSERT_EQ(x.parameters == nullptr, y.parameters == nullptr);
      if (x.parameters != nullptr) { ASSERT_EQ(static_cast<float>(x.parameters[0]), y.parameters[0]); }
    }
    for (Index i = 0; i < d.spanning_nv; ++i) {
      ASSERT_EQ(static_cast<float>(d.column[i].armature), f.column[i].armature);
      ASSERT_EQ(d.column[i].v, f.column[i].v);
      ASSERT_EQ(d.column[i].deferred, f.column[i].deferred);
    }
    // the same poses to single precision
    const std::vector<double> q = plain::random_configuration(m, seed);
    const auto X = plain::body_poses(d, q);
    const auto Y = plain::body_poses(f, q);
    for (std::size_t b = 0; b < X.size(); ++b)
      ASSERT_NEAR(X[b].p.x, Y[b].p.x, 1e-4);  // 24 joints of some 10 m, 1e-7 each
  }
}

TEST(Model, IsReadByManyThreads) {
  const Model m = build(sample_zoo());
  std::vector<std::thread> threads;
  std::vector<double> sums(8, 0);
  for (std::size_t k = 0; k < 8; ++k)
    threads.emplace_back([&m, &sums, k] {
      const Model copy = m;
      for (int i = 0; i < 100; ++i)
        for (const Joint& j : copy.joints())
          sums[k] += copy.joint(j.name).q.first + copy.tree<double>().body[j.body.value].inertia.m;
    });
  for (std::thread& t : threads) t.join();
  for (const double s : sums) EXPECT_EQ(s, sums[0]);
  EXPECT_GT(sums[0], 0);
}

TEST(JointTypes, TheTableFollowsTheList) {
  EXPECT_EQ(static_cast<Index>(joint_type_names().size()), JointTypes::size - 2);  // without fixed and user
  EXPECT_EQ(find_joint_type("fixed"), nullptr);
  EXPECT_EQ(find_joint_type("continuous"), nullptr);
  const JointTypeInfo* free = find_joint_type("floating");
  ASSERT_NE(free, nullptr);
  EXPECT_EQ(free->kind, kind_of<Free>);
  EXPECT_EQ(free->unit, 0b1111000);
  EXPECT_FALSE(free->additive);
  EXPECT_EQ(find_joint_type("revolute_unbounded")->unit, 0b11);
  EXPECT_EQ(find_joint_type("planar")->unit, 0);
  EXPECT_FALSE(find_joint_type("planar")->additive);
  EXPECT_TRUE(find_joint_type("universal")->additive);
  EXPECT_EQ(find_joint_type("ellipsoid")->parameters, 3);
}

TEST(JointTypes, AUserJointWithoutAScalarSaysSo) {
  UserJoint empty;
  empty.name = "hollow";
  try {
    double q[1] = {0};
    User::table<double>(&empty).normalize(q);
    FAIL();
  } catch (const UnsupportedError& e) { EXPECT_NE(std::string(e.what()).find("hollow"), std::string::npos); }
}

/// base - elbow - hand: joint `first` carries link `elbow`, joint `elbow` carries link `hand`.
Model of_one_name(const std::string& second = "elbow") {
  RobotDescription r;
  for (const char* name : {"base", "elbow", "hand"})
    r.links.push_back({.name = name, .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)});
  JointDescription first{.name = "first", .type = "revolute", .parent = "base", .child = "elbow"};
  JointDescription next{.name = second, .type = "revolute", .parent = "elbow", .child = "hand"};
  first.origin.p = {0, 0, 1}, next.origin.p = {2, 0, 0};
  r.joints = {first, next};
  return build(r);
}
std::string said_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) { return error.what(); }
  return "";
}

TEST(Model, ANameOfALinkAndOfAJointThatCarriesAnotherIsRefusedWithBothIds) {
  const Model m = of_one_name();
  EXPECT_FALSE(m.find_frame("elbow"));
  const std::string said = said_of([&] { m.frame("elbow"); });
  const std::string link_id = "(id " + std::to_string(m.find_frame("link:elbow").value) + ")";
  const std::string joint_id = "(id " + std::to_string(m.find_frame("joint:elbow").value) + ")";
  for (const std::string& part : {std::string("link:elbow"), std::string("joint:elbow"), link_id, joint_id})
    EXPECT_NE(said.find(part), std::string::npos) << said;
  EXPECT_EQ(m.frame("link:elbow").link, m.find_link("elbow"));
  EXPECT_EQ(m.frame("joint:elbow").link, m.find_link("hand"));
  EXPECT_EQ(m.frame("joint:elbow").kind, Frame::Kind::joint);
  EXPECT_EQ(m.with_frame("mark", "joint:elbow", Transform<double>::identity()).frame("mark").link, m.find_link("hand"));
  EXPECT_THROW(m.with_frame("mark", "elbow", Transform<double>::identity()), std::invalid_argument);
  EXPECT_THROW(m.with_frame("elbow", "hand", Transform<double>::identity()), ModelError);
  EXPECT_EQ(m.joint("elbow").child, m.find_link("hand")) << "a joint is asked for as a joint";
}

TEST(Model, NamesThatMeanOneFrameStay) {
  const Model own = of_one_name("hand");  // joint and link of one name, one carries the other: one frame
  EXPECT_EQ(own.frame("hand").link, own.find_link("hand"));
  EXPECT_EQ(own.frame("joint:hand").link, own.frame("link:hand").link);
  const Model plain = of_one_name("wrist");
  EXPECT_EQ(plain.frame("link:hand").link, plain.frame("hand").link);
  EXPECT_EQ(plain.frame("joint:wrist").link, plain.find_link("hand"));
  for (const char* none : {"joint:hand", "link:wrist", "joint:", "link:", "frame:hand", "link:link:hand"}) {
    EXPECT_FALSE(plain.find_frame(none)) << none;
    EXPECT_THROW(plain.frame(none), std::invalid_argument) << none;
  }
  RobotDescription r = plain.description();
  r.links[2].name = r.joints[1].child = "link:hand";  // a name is a name first
  EXPECT_EQ(build(r).frame("link:hand").name, "link:hand");
}

}  // namespace
}  // namespace zwang
