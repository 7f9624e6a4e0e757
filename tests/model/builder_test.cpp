// SPDX-License-Identifier: BSD-3-Clause
// From description to model: numbering, lumping, canonical frames, roots, composite and user-defined joints, refusals.
#include "zwang/model/builder.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <numbers>

#include "model/plain_model.hpp"
#include "support/no_allocation.hpp"
#include "zwang/model/sample.hpp"

namespace zwang {
namespace {

constexpr double k_eps = 2.220446049250313e-16;

RobotDescription random_of(std::uint64_t seed, int joints = 24) {
  RandomRobot options;
  options.joints = joints;
  options.user = {user_joint<plain::Rolling>()};
  return random_robot(seed, options);
}

std::string first_code(const RobotDescription& robot, const BuildOptions& options = {}) {
  try {
    build(robot, options);
  } catch (const ModelError& e) { return e.code(); }
  return "";
}

RobotDescription two_links(const JointDescription& joint) {
  RobotDescription r;
  r.links = {{.name = "a", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)},
             {.name = "b", .mass = 2, .inertia = Sym3<double>::diagonal(1, 1, 1)}};
  r.joints = {joint};
  r.joints[0].name = "j";
  r.joints[0].parent = "a";
  r.joints[0].child = "b";
  return r;
}

// Tolerance of poses: a joint multiplies by three poses (origin, motion, the child's origin), four roundings each of
// numbers up to the size of the robot.
double pose_tolerance(const std::vector<plain::Pose>& poses) {
  double size = 1;
  for (const plain::Pose& p : poses) size = std::max(size, p.translation().norm());
  return 16 * k_eps * size * static_cast<double>(poses.size());
}

TEST(Builder, PutsEveryLinkWherePlainKinematicsPutsIt) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    BuildOptions options;
    options.root = plain::random_root(seed);
    options.lump = seed % 3 != 0;
    options.expand_mimic = seed % 5 == 0;
    const Model model = build(random_of(seed), options);
    const std::vector<double> q = plain::random_configuration(model, seed);
    const std::vector<plain::Pose> expected = plain::link_poses(model, q);
    const auto X = plain::body_poses(model.tree<double>(), q);
    const double tolerance = pose_tolerance(expected);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Link& l = model.links()[i];
      const plain::Pose got = plain::eigen(X[static_cast<std::size_t>(l.body.value)] * l.in_body);
      ASSERT_LT((got.matrix() - expected[i].matrix()).cwiseAbs().maxCoeff(), tolerance)
          << "seed " << seed << " link " << l.name;
    }
  }
}

TEST(Builder, ADeckOfJointsHoldsEveryTypeOfTheList) {
  std::vector<int> seen(static_cast<std::size_t>(JointTypes::size), 0);
  BuildOptions unlumped;
  unlumped.lump = false;
  const Model model = build(random_of(3, 60), unlumped);
  for (Index b = 1; b <= model.bodies(); ++b) ++seen[static_cast<std::size_t>(model.tree<double>().body[b].kind)];
  for (std::size_t k = 0; k < seen.size(); ++k) EXPECT_GT(seen[k], 0) << "kind " << k;
}

TEST(Builder, ALumpedBodyWeighsWhatItsLinksWeigh) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomRobot few;
    few.joints = 30;
    few.types = {"fixed", "fixed", "revolute", "floating"};
    BuildOptions options;
    options.root = plain::random_root(seed);
    const Model model = build(random_robot(seed, few), options);
    const std::vector<double> q = plain::random_configuration(model, seed);
    const std::vector<plain::Pose> pose = plain::link_poses(model, q);
    const auto X = plain::body_poses(model.tree<double>(), q);
    using Matrix6 = Eigen::Matrix<double, 6, 6>;
    std::vector<Matrix6> sum(static_cast<std::size_t>(model.bodies()) + 1, Matrix6::Zero());
    double mass = 0;
    for (std::size_t i = 0; i < pose.size(); ++i) {
      const LinkDescription& l = model.description().links[i];
      const Eigen::Matrix3d R = pose[i].linear();
      sum[static_cast<std::size_t>(model.links()[i].body.value)] += plain::dense_inertia(
          l.mass, pose[i] * plain::eigen(l.centre), R * plain::eigen(full(l.inertia)) * R.transpose());
      mass += l.mass;
    }
    EXPECT_NEAR(model.mass(), mass, 1e-12 * mass);
    for (Index b = 0; b <= model.bodies(); ++b) {
      const Inertia<double> I = X[static_cast<std::size_t>(b)] * model.tree<double>().body[b].inertia;
      const Matrix6& expected = sum[static_cast<std::size_t>(b)];
      Matrix6 got = plain::dense_inertia(I.m, Eigen::Vector3d::Zero(), plain::eigen(full(I.I)));
      got.bottomLeftCorner<3, 3>() = plain::eigen(skew(I.h));
      got.topRightCorner<3, 3>() = -plain::eigen(skew(I.h));
      // sums of some 30 links moved over the length of the robot: a thousand roundings of the greatest entry
      ASSERT_LT((got - expected).cwiseAbs().maxCoeff(), 1e3 * k_eps * (1 + expected.cwiseAbs().maxCoeff()))
          << "seed " << seed << " body " << b;
    }
  }
}

TEST(Builder, AWarningTakesNeitherFramesNorLoops) {
  RobotDescription r = two_links({.name = "j", .type = "revolute"});
  r.links[1].inertia = Sym3<double>::diagonal(0, 0, 0);  // a point on the axis: W_MASSLESS
  r.frames = {{.name = "tip", .parent = "b", .placement = {Mat3<double>::identity(), {0.1, 0.2, 0.3}}}};
  JointDescription closed = r.joints[0];
  closed.name = "closed", closed.closes_loop = true;
  r.joints.push_back(closed);
  Diagnostics found;
  const Model model = build(r, {}, &found);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Diagnostic& d) { return d.code == "W_MASSLESS"; }));
  EXPECT_EQ(norm(model.frame("tip").in_body.p - model.frame("b").in_body.p), norm(Vec3<double>{0.1, 0.2, 0.3}));
  ASSERT_EQ(model.loops().size(), 1u);
  EXPECT_EQ(model.loops()[0].name, "closed");
  EXPECT_EQ(model.frame(model.loops()[0].successor).name, "closed_successor");
}

TEST(Builder, NumbersBodiesDepthFirstAndJointsInDocumentOrder) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Model model = build(random_of(seed, 40));
    const Tree<double>& t = model.tree<double>();
    Index deepest = 0;
    for (Index b = 1; b <= t.n; ++b) {
      const Body<double>& body = t.body[b];
      ASSERT_LT(body.parent, b);
      ASSERT_EQ(body.depth, t.body[body.parent].depth + 1);
      ASSERT_EQ(body.root, body.parent == 0 ? b : t.body[body.parent].root);
      deepest = std::max(deepest, body.depth);
      for (Index c = 1; c <= t.n; ++c) {  // the subtree is the run [b, last)
        Index up = c;
        while (up > b) up = t.body[up].parent;
        ASSERT_EQ(up == b, c >= b && c < body.last) << "bodies " << b << " " << c;
      }
    }
    EXPECT_EQ(t.max_depth, deepest);
    EXPECT_EQ(t.body[0].last, t.n + 1);
    // Depth first with siblings as written: joint i's parent link is on the path of the joint before,
    // and siblings ascend.
    std::map<std::string, int> written;
    for (const JointDescription& j : model.description().joints)
      written.emplace(j.name, static_cast<int>(written.size()));
    std::map<Index, int> last_child;
    std::vector<Index> path;
    for (const Joint& j : model.joints()) {
      while (!path.empty() && path.back() != j.parent.value) path.pop_back();
      ASSERT_TRUE(!path.empty() || !model.links()[static_cast<std::size_t>(j.parent.value)].parent);
      path.push_back(j.child.value);
      const auto [it, fresh] = last_child.emplace(j.parent.value, written[j.name]);
      if (!fresh) {
        ASSERT_LT(it->second, written[j.name]);
        it->second = written[j.name];
      }
    }
    for (std::size_t i = 0; i < model.links().size(); ++i)
      EXPECT_EQ(model.links()[i].name, model.description().links[i].name);
  }
}

TEST(Builder, TurnsAxesToLocalZExactlyForTheAxesOfTheFrame) {
  const double directions[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (const auto& d : directions) {
    JointDescription j;
    j.type = "revolute";
    j.axis = {d[0], d[1], d[2]};
    const Model model = build(two_links(j));
    const Mat3<double>& R = model.tree<double>().body[1].placement.R;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(R(i, 2), d[i]);
      for (int k = 0; k < 3; ++k) EXPECT_TRUE(R(i, k) == 0 || std::fabs(R(i, k)) == 1);
    }
    EXPECT_EQ(plain::eigen(R).determinant(), 1);
    if (d[2] == 1) { EXPECT_EQ(plain::eigen(R), Eigen::Matrix3d::Identity()); }
  }
}

TEST(Builder, TurnsAxesNearMinusZWithoutLosingDigits) {
  for (const double tilt : {1e-3, 1e-7, 1e-9, 1e-11}) {
    JointDescription j;
    j.type = "revolute";
    j.axis = {0.6 * tilt, -0.8 * tilt, -std::sqrt(1 - tilt * tilt)};
    const Eigen::Matrix3d R = plain::eigen(build(two_links(j)).tree<double>().body[1].placement.R);
    EXPECT_LT((R * R.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(), 8 * k_eps) << tilt;
    EXPECT_LT((R.col(2) - plain::eigen(j.axis)).cwiseAbs().maxCoeff(), 4 * k_eps) << tilt;
    EXPECT_NEAR(R.determinant(), 1, 8 * k_eps);
  }
}

TEST(Builder, TakesRoundedConstantsForExactOnesAndSaysSo) {
  JointDescription j;
  j.type = "revolute";
  j.origin.R = turn_x(Mat3<double>::identity(), std::cos(std::numbers::pi / 2),
                      std::sin(std::numbers::pi / 2));  // cos(pi/2) = 6e-17
  j.origin.p = {1, 3e-17, 1e-9};
  const Model model = build(two_links(j));
  const Transform<double>& X = model.tree<double>().body[1].placement;
  EXPECT_EQ(X.R(1, 1), 0);
  EXPECT_EQ(X.R(1, 2), -1);
  EXPECT_EQ(X.p.y, 0);
  EXPECT_EQ(X.p.z, 1e-9);  // a nanometre on a metre is data
  bool told = false;
  for (const Diagnostic& d : model.diagnostics())
    told = told || (d.code == "N_SNAPPED" && d.severity == Severity::note && d.found.starts_with("3 "));
  EXPECT_TRUE(told);
}

TEST(Builder, BringsRotationsOfSixDigitsBackToOrthonormalAxes) {
  JointDescription j;
  j.type = "revolute";
  j.origin.R = turn_z(turn_x(Mat3<double>::identity(), std::cos(0.7), std::sin(0.7)), std::cos(0.3), std::sin(0.3));
  j.origin.R[0][1] += 2e-7;
  const Eigen::Matrix3d R = plain::eigen(build(two_links(j)).tree<double>().body[1].placement.R);
  EXPECT_LT((R * R.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Builder, HangsTheRootAsAsked) {
  const RobotDescription arm = sample_arm7();
  const auto with = [&](const std::string& root) {
    BuildOptions o;
    o.root = root;
    return build(arm, o);
  };
  for (const char* fixed : {"automatic", "auto", "fixed"}) {
    const Model m = with(fixed);
    EXPECT_EQ(m.nv(), 7);
    EXPECT_EQ(m.link("base").body.value, 0);
    EXPECT_FALSE(m.link("base").joint);
    EXPECT_NEAR(m.mass(), 4 + 3.5 + 3.4 + 3.0 + 2.7 + 2.0 + 1.6 + 0.6 + 0.3, 1e-13);
  }
  const Model floating = with("floating");
  EXPECT_EQ(floating.nq(), 14);
  EXPECT_EQ(floating.nv(), 13);
  EXPECT_EQ(floating.joints()[0].name, "root_joint");
  EXPECT_FALSE(floating.joints()[0].parent);
  EXPECT_EQ(floating.coordinate_names()[5], "root_joint[5]");
  EXPECT_EQ(floating.coordinate_names()[6], "joint1");
  for (Index v = 0; v < 13; ++v) EXPECT_EQ(floating.actuated()[static_cast<std::size_t>(v)], v >= 6);
  const Model planar = with("planar");
  for (Index v = 0; v < 10; ++v) EXPECT_EQ(planar.actuated()[static_cast<std::size_t>(v)], v >= 3);
  EXPECT_EQ(floating.lower()[3], -unlimited);
  EXPECT_EQ(with("planar").nv(), 10);
  EXPECT_EQ(with("spherical").nq(), 11);

  BuildOptions clash;
  clash.root = "floating";
  clash.root_joint = "joint3";
  EXPECT_EQ(first_code(arm, clash), "E_DUPLICATE");
  BuildOptions wrong;
  wrong.root = "floatin";
  EXPECT_EQ(first_code(arm, wrong), "E_JOINT_TYPE");
  wrong.root = "helical";  // has a pitch that no option can give
  EXPECT_EQ(first_code(arm, wrong), "E_JOINT_TYPE");
}

TEST(Builder, GivesNoMotorToAFreeJointUnlessItIsDeclared) {
  using Actuated = JointDescription::Actuated;
  for (const char* type : {"floating", "planar", "revolute"})
    for (const Actuated declared : {Actuated::by_default, Actuated::yes, Actuated::no}) {
      RobotDescription r;
      r.name = "two links";
      r.links = {{.name = "a"}, {.name = "b", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}}};
      JointDescription j;
      j.name = "j", j.type = type, j.parent = "a", j.child = "b", j.actuated = declared;
      r.joints = {j};
      const bool expected = declared == Actuated::yes || (declared == Actuated::by_default && j.type == "revolute");
      const Model m = build(r);
      for (const bool actuated : m.actuated()) EXPECT_EQ(actuated, expected) << type;
    }
}

TEST(Builder, KeepsAFloatingJointOfTheFile) {
  RandomRobot options;
  options.root = "floating";
  const Model model = build(random_robot(5, options));
  EXPECT_EQ(model.joints()[0].name, "base");
  EXPECT_EQ(model.joints()[0].q.size, 7);
  EXPECT_EQ(model.link("world").body.value, 0);
}

TEST(Builder, ShowsACompositeJointAsOneJoint) {
  JointDescription j;
  j.type = "composite";
  j.parts = {{.type = "prismatic", .axis = {1, 0, 0}},
             {.type = "fixed", .origin = {Mat3<double>::identity(), {0, 0, 0.5}}},
             {.type = "spherical"},
             {.type = "revolute", .axis = {0, 1, 0}}};
  j.damping = {1, 2, 3, 4, 5};
  const Model model = build(two_links(j));
  EXPECT_EQ(model.bodies(), 3);
  EXPECT_EQ(model.joints().size(), 1u);
  EXPECT_EQ(model.joint("j").q.size, 6);
  EXPECT_EQ(model.joint("j").v.size, 5);
  EXPECT_EQ(model.joint("j").body.value, 3);
  EXPECT_EQ(model.damping(), (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(model.tree<double>().body[1].inertia.m, 0);
  EXPECT_EQ(model.coordinate_names()[4], "j[4]");
  EXPECT_EQ(model.impl().body_joint, (std::vector<Index>{-1, 0, 0, 0}));
  j.parts = {{.type = "fixed"}};
  EXPECT_EQ(first_code(two_links(j)), "E_PARAMETERS");
  j.parts = {{.type = "helical"}};
  EXPECT_EQ(first_code(two_links(j)), "E_PARAMETERS");
  j.type = "revolute";  // which would move without its parts
  EXPECT_EQ(first_code(two_links(j)), "E_PARAMETERS");
}

TEST(Builder, ReflectsRotorsAndKeepsSpringsWhereTheyMeanSomething) {
  JointDescription j;
  j.type = "revolute";
  j.rotor_inertia = {2e-4};
  j.gear_ratio = {-50};
  j.stiffness = {3};
  j.spring_reference = {0.25};
  j.friction = {0.1};
  const Model model = build(two_links(j));
  EXPECT_DOUBLE_EQ(model.armature()[0], 0.5);
  ASSERT_NE(model.tree<double>().passive, nullptr);
  EXPECT_EQ(model.tree<double>().passive[0].q, 0);
  EXPECT_EQ(model.tree<double>().passive[0].reference, 0.25);
  EXPECT_EQ(build(sample_gripper()).tree<double>().passive, nullptr);
  j.type = "spherical";
  EXPECT_EQ(first_code(two_links(j)), "E_SPRING");
  j.type = "revolute";
  j.gear_ratio = {1e200};
  EXPECT_EQ(first_code(two_links(j)), "E_NUMBER");
}

TEST(Builder, KeepsUnknownAbsentAndInfiniteLimitsApart) {
  JointDescription j;
  j.type = "revolute";
  Model model = build(two_links(j));
  EXPECT_TRUE(std::isnan(model.lower()[0]) && std::isnan(model.effort_limit()[0]));
  j.type = "continuous";
  model = build(two_links(j));
  EXPECT_EQ(model.upper()[0], unlimited);
  j.type = "floating";
  j.lower = {-1, -2, -3, -9, -9, -9, -9};
  model = build(two_links(j));
  EXPECT_EQ(model.lower(), (std::vector<double>{-1, -2, -3, -unlimited, -unlimited, -unlimited, -unlimited}));
  j.lower = {1, 2};
  EXPECT_EQ(first_code(two_links(j)), "E_PARAMETERS");
}

TEST(Builder, BuildsModelsWithoutCoordinates) {
  RobotDescription r;
  r.links = {{.name = "only", .mass = 2, .inertia = Sym3<double>::diagonal(1, 1, 1)}};
  const Model one = build(r);
  EXPECT_EQ(one.nq() + one.nv() + one.bodies(), 0);
  EXPECT_EQ(one.mass(), 2);
  JointDescription j;
  for (const bool lump : {true, false}) {
    BuildOptions options;
    options.lump = lump;
    const Model fixed = build(two_links(j), options);
    EXPECT_EQ(fixed.nv(), 0);
    EXPECT_EQ(fixed.bodies(), lump ? 0 : 1);
    EXPECT_EQ(fixed.joint("j").lumped, lump);
    EXPECT_EQ(fixed.mass(), 3);
  }
}

TEST(Builder, HangsEveryRootOfAForestOnTheWorldAndWarns) {
  RobotDescription r = sample_cart_pole();
  const RobotDescription other = sample_gripper();
  r.links.insert(r.links.end(), other.links.begin(), other.links.end());
  r.joints.insert(r.joints.end(), other.joints.begin(), other.joints.end());
  Diagnostics found;
  const Model model = build(r, {}, &found);
  EXPECT_EQ(model.nv(), 4);
  EXPECT_EQ(model.link("rail").body.value, 0);
  EXPECT_EQ(model.link("mount").body.value, 0);
  EXPECT_EQ(model.tree<double>().body[0].last, model.bodies() + 1);
  bool warned = false;
  for (const Diagnostic& d : found)
    warned = warned || (d.code == "W_ROOTS" && d.found.find("mount") != std::string::npos);
  EXPECT_TRUE(warned);
  BuildOptions floating;
  floating.root = "floating";
  const Model free = build(r, floating);
  EXPECT_EQ(free.nv(), 16);
  EXPECT_EQ(free.joint("root_joint_mount").v.first, 8);
  EXPECT_EQ(free.tree<double>().body[free.link("palm").body.value].root, free.link("mount").body.value);
  BuildOptions strict;
  strict.mode = Mode::strict;
  EXPECT_EQ(first_code(r, strict), "W_ROOTS");
}

TEST(Builder, RefusesWithEverythingFound) {
  RobotDescription r = sample_arm7();
  r.joints[2].child = "nowhere";
  r.joints[4].axis = {0, 0, 0};
  Diagnostics found;
  try {
    build(r, {}, &found);
    FAIL() << "built";
  } catch (const ModelError& e) {
    EXPECT_EQ(e.diagnostics().size(), found.size());
    EXPECT_GE(found.size(), 2u);
    EXPECT_EQ(e.diagnostics().front().severity, Severity::error);
  }
}

struct ChainResult {
  Index bodies = 0, depth = 0, last = 0;
};
void* build_chain(void* out) {
  auto* result = static_cast<ChainResult*>(out);
  const RobotDescription chain = sample_chain(100000 - 1);
  const Model model = build(chain);
  result->bodies = model.bodies();
  result->depth = model.tree<double>().max_depth;
  result->last = model.tree<double>().row_parent[model.nv() - 1];
  return nullptr;
}

TEST(Builder, BuildsAHundredThousandLinksOnASmallStack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);  // a recursion over the chain would need megabytes
  pthread_t thread;
  ChainResult result;
  ASSERT_EQ(pthread_create(&thread, &attributes, build_chain, &result), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(result.bodies, 99999);
  EXPECT_EQ(result.depth, 99999);
  EXPECT_EQ(result.last, 99997);
}

TEST(Builder, NeedsMemoryInProportionToTheLinks) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  struct Need {
    long allocations, bytes;
  };
  const auto need = [](int links) {
    const RobotDescription chain = sample_chain(links);
    const Need before = {test::allocations(), test::allocated_bytes()};
    const Model model = build(chain);
    return Need{test::allocations() - before.allocations, test::allocated_bytes() - before.bytes};
  };
  const Need half = need(8000), whole = need(16000);
  // Names grow by a letter, and what grows by doubling asks for up to twice what it needs.
  EXPECT_LT(static_cast<double>(whole.allocations), 2.2 * static_cast<double>(half.allocations));
  EXPECT_LT(static_cast<double>(whole.bytes), 2.5 * static_cast<double>(half.bytes));
}

}  // namespace
}  // namespace zwang
