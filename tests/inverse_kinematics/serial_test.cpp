// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of serial chains, judged by matrices that know nothing of it (plain_kinematics.hpp): on real arms,
// on random chains of every joint of one freedom, against closed forms, and by the conditions of a nearest pose.
#include <gtest/gtest.h>

#include <cstdio>
#include <numbers>

#include "inverse_kinematics/plain_kinematics.hpp"
#include "support/effort.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/core/random.hpp"
#include "zwang/inverse_kinematics.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double k_pi = std::numbers::pi;

/// Numbers of q of the coordinates v.
std::vector<Index> places(const Model& model, const std::vector<Index>& coordinates) {
  std::vector<Index> q;
  for (const Index v : coordinates)
    for (const Joint& j : model.joints())
      if (j.v.size == 1 && j.v.first == v && j.mimic.leader.empty()) q.push_back(j.q.first);
  return q;
}

double low_of(const Model& m, Index q) {
  const double x = m.lower()[static_cast<std::size_t>(q)];
  return std::isfinite(x) ? x : -k_pi;
}
double high_of(const Model& m, Index q) {
  const double x = m.upper()[static_cast<std::size_t>(q)];
  return std::isfinite(x) ? x : k_pi;
}

enum class Draw { anywhere, on_limits, singular };

/// Random values of the chain's joints; some of them on a limit, or at multiples of a right angle.
Vector draw(const Model& m, const std::vector<Index>& at, Random& random, Draw how = Draw::anywhere) {
  Vector q = neutral(m);
  for (const Index k : at) {
    const double low = low_of(m, k), high = high_of(m, k), u = random.uniform(), x = random.uniform(low, high);
    q(k) = x;
    if (how == Draw::on_limits && u < 0.3) q(k) = u < 0.15 ? low : high;
    if (how == Draw::singular && u < 0.4) q(k) = std::clamp(std::round(x / (k_pi / 2)) * (k_pi / 2), low, high);
  }
  return q;
}
Vector middle(const Model& m, const std::vector<Index>& at) {
  Vector q = neutral(m);
  for (const Index k : at) q(k) = 0.5 * (low_of(m, k) + high_of(m, k));
  return q;
}

struct Arm {
  const char *robot, *base, *tip;
};
const Arm k_arms[] = {{"panda", "panda_link0", "panda_hand_tcp"},    {"ur5", "base_link", "tool0"},
                      {"kinova", "base", "j2s6s200_end_effector"},   {"pr2", "torso_lift_link", "r_gripper_tool_frame"},
                      {"tiago", "torso_lift_link", "arm_tool_link"}, {"pr2", "base_footprint", "r_gripper_tool_frame"}};

Model load_arm(const std::string& file) {
  LoadOptions options;
  options.root = "fixed";
  options.resolve_meshes = false;
  return load(file, options);
}

TEST(SerialInverseKinematics, FindsEveryReachablePoseOfRealArms) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  for (const Arm& arm : k_arms) {
    const std::string file = shared_robot(std::string(arm.robot) + ".urdf");
    if (!exists(file)) continue;
    const Model model = load_arm(file);
    SerialInverseKinematicsSettings settings;
    settings.tolerance = settings.angle_tolerance = 1e-9;
    SerialInverseKinematics ik(model, arm.base, arm.tip, settings);
    const std::vector<Index> at = places(model, ik.coordinates());
    int poses = 0, missed = 0, descents = 0;
    for (const Draw how : {Draw::anywhere, Draw::on_limits, Draw::singular})
      for (int k = 0; k < effort(1000); ++k) {
        Random random(static_cast<std::uint64_t>(how) + 1, static_cast<std::uint64_t>(k));
        const Matrix4 target = plain_pose(model, draw(model, at, random, how), arm.base, arm.tip);
        const SerialSolution& x = ik.solve(pose_of(target), k % 2 == 0 ? middle(model, at) : draw(model, at, random));
        ++poses;
        missed += x.status != PoseStatus::ok;
        descents += x.descents;
        const Vector q = x.q;
        if (x.status != PoseStatus::ok) continue;
        // 1e-13: rounding of the two ways to compute a pose a few metres away.
        EXPECT_LE(pose_error(plain_pose(model, q, arm.base, arm.tip), target), 1e-9 + 1e-13) << arm.robot << " " << k;
        EXPECT_TRUE(within_limits(model, q)) << arm.robot << " " << k;
      }
    std::printf("%s: %d poses, %d missed, %.2f descents each\n", arm.robot, poses, missed, 1.0 * descents / poses);
    EXPECT_EQ(missed, 0) << arm.robot;
  }
}

/// A chain of joints of one freedom; base and tip may be on different branches.
TEST(SerialInverseKinematics, TakesEveryJointOfOneFreedomAcrossBranches) {
  int chains = 0, missed = 0, poses = 0, longest = 0, unbounded = 0, followers = 0;
  for (int seed = 1; seed <= effort(300, 20); ++seed) {
    Random random(7, static_cast<std::uint64_t>(seed));
    RandomRobot options;
    options.joints = 4 + seed % 14;
    options.types = {"revolute", "prismatic", "helical", "revolute_unbounded", "continuous", "fixed"};
    options.branching = seed % 3 == 0 ? 0.3 : 0;
    options.mimic = seed % 4 == 0 ? 0.2 : 0;
    BuildOptions build_options;
    build_options.lump = seed % 2 == 0;
    const Model model = build(random_robot(static_cast<std::uint64_t>(seed), options), build_options);
    const std::string base = seed % 5 == 0 ? "link" + std::to_string(seed % 4) : "link0",
                      tip = "link" + std::to_string(options.joints);
    std::unique_ptr<SerialInverseKinematics> ik;
    try {
      ik = std::make_unique<SerialInverseKinematics>(model, base, tip);
    } catch (const UnsupportedError&) {  // two joints of a mimic group, or too many
      continue;
    } catch (const std::invalid_argument&) { continue; }  // no joint between the two
    ++chains;
    const std::vector<Index> at = places(model, ik->coordinates());
    longest = std::max(longest, static_cast<int>(at.size()));
    for (const JointDescription& j : model.description().joints) {
      unbounded += j.type == "revolute_unbounded";
      followers += !j.mimic.leader.empty();
    }
    for (int k = 0; k < 5; ++k) {
      const Vector wanted = zwang::random(model, static_cast<std::uint64_t>(10 * seed + k));
      const Vector q0 = zwang::random(model, static_cast<std::uint64_t>(10 * seed + k + 5));
      const Matrix4 target = plain_pose(model, wanted, base, tip);
      EXPECT_LE(pose_error(plain(ik->pose(wanted)), target), 1e-13 * (1 + target.topRightCorner<3, 1>().norm()))
          << seed;
      const SerialSolution& x = ik->solve(pose_of(target), q0);
      ++poses;
      missed += x.status != PoseStatus::ok;
      if (x.status != PoseStatus::ok) continue;
      const Vector q = x.q;
      EXPECT_LE(pose_error(plain_pose(model, q, base, tip), target), 1e-8 + 1e-12) << seed;
      for (const Index v : ik->coordinates()) ASSERT_LT(v, model.nv());
      // What is not in the chain is as in the seed.
      for (Index i = 0; i < model.nq(); ++i) {
        if (std::find(at.begin(), at.end(), i) != at.end() || std::find(at.begin(), at.end(), i - 1) != at.end())
          continue;
        EXPECT_EQ(q(i), q0(i)) << seed;
      }
    }
  }
  std::printf("%d chains of at most %d joints, %d poses, %d missed; %d unbounded joints, %d followers\n", chains,
              longest, poses, missed, unbounded, followers);
  EXPECT_GT(chains, effort(300, 20) / 2);
  EXPECT_LE(missed, poses / 100);  // random limits leave some chains next to no room
}

/// A planar arm of two equal links of length 1, turning about z.
Model two_links(double limit = k_pi) {
  RobotDescription r{.name = "planar"};
  for (const char* name : {"base", "upper", "lower", "tip"}) r.links.push_back({.name = name, .mass = 1});
  for (LinkDescription& l : r.links) l.inertia = Sym3<double>::diagonal(1, 1, 1);
  const auto joint = [&](const char* name, const char* type, const char* parent, const char* child, double x) {
    JointDescription j{.name = name, .type = type, .parent = parent, .child = child};
    j.origin.p = {x, 0, 0};
    if (j.type == "revolute") j.lower = {-limit}, j.upper = {limit};
    r.joints.push_back(j);
  };
  joint("shoulder", "revolute", "base", "upper", 0);
  joint("elbow", "revolute", "upper", "lower", 1);
  joint("mount", "fixed", "lower", "tip", 1);
  return build(r);
}
Transform<double> at(double x, double y, double angle = 0) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {Mat3<double>{Vec3<double>{c, -s, 0}, Vec3<double>{s, c, 0}, Vec3<double>{0, 0, 1}}, {x, y, 0}};
}

TEST(SerialInverseKinematics, AgreesWithTheClosedFormOfTwoLinks) {
  const Model model = two_links();
  SerialInverseKinematicsSettings settings;
  settings.attitude = AttitudeRows::none;
  settings.solutions = 4;
  SerialInverseKinematics ik(model, "base", "tip", settings);
  for (int k = 0; k < 200; ++k) {
    Random random(3, static_cast<std::uint64_t>(k));
    const double radius = random.uniform(0.3, 1.9), angle = random.uniform(-1.2, 1.2);
    const double bend = 2 * std::acos(radius / 2);  // of the elbow, either way
    for (const double side : {-1.0, 1.0}) {
      const Vector wanted = Vector{{angle - side * bend / 2, side * bend}};
      const Vector seed = wanted + Vector{{random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2)}};
      const SerialSolution& x = ik.solve(at(radius * std::cos(angle), radius * std::sin(angle)), seed);
      ASSERT_EQ(x.status, PoseStatus::ok);
      EXPECT_LE((x.q - wanted).norm(), 1e-6) << k << " " << side;  // 1e-8 over the sine of the elbow
    }
  }
}

TEST(SerialInverseKinematics, NearestPoseOfTwoLinksIsTheStretchedArm) {
  const Model model = two_links();
  SerialInverseKinematicsSettings settings;
  settings.attitude = AttitudeRows::none;
  SerialInverseKinematics ik(model, "base", "tip", settings);
  const SerialSolution& x = ik.solve(at(3 * std::cos(0.7), 3 * std::sin(0.7)), Vector{{-1.0, 1.0}});
  EXPECT_EQ(x.status, PoseStatus::nearest_found);
  EXPECT_TRUE(x.out_of_reach);
  EXPECT_LE(x.gradient, 1e-9);
  EXPECT_NEAR(x.q(0), 0.7, 1e-8);
  EXPECT_NEAR(x.q(1), 0, 1e-8);
  EXPECT_NEAR(x.position_error, 1, 1e-12);
  EXPECT_TRUE(x.at_lower.empty() && x.at_upper.empty());
  // Limits of half a radian: a target behind the arm leaves both joints at a limit.
  const Model stiff = two_links(0.5);
  SerialInverseKinematics held(stiff, "base", "tip", settings);
  const SerialSolution& y = held.solve(at(-1, 0.5), Vector{{0.0, 0.1}});
  EXPECT_EQ(y.status, PoseStatus::nearest_found);
  EXPECT_FALSE(y.out_of_reach);
  EXPECT_EQ(y.q(0), 0.5);
  EXPECT_EQ(y.q(1), 0.5);
  EXPECT_EQ(y.at_upper, (std::vector<Index>{0, 1}));
}

/// f of the definition, by plain matrices.
double distance(const Model& m, const Arm& arm, const Vector& q, const Matrix4& T, double w) {
  const Matrix4 X = plain_pose(m, q, arm.base, arm.tip);
  return 0.5 * w * w * (T - X).topRightCorner<3, 1>().squaredNorm() +
         0.25 * (T - X).topLeftCorner<3, 3>().squaredNorm();
}

TEST(SerialInverseKinematics, NearestPoseSatisfiesItsConditions) {
  const Model model = build(sample_arm7());
  const Arm arm{"arm7", "base", "tool0"};
  SerialInverseKinematics ik(model, arm.base, arm.tip);
  const double w = ik.settings().position_weight;
  const std::vector<Index> at_q = places(model, ik.coordinates());
  int nearest = 0, held = 0;
  for (int k = 0; k < effort(300); ++k) {
    Random random(5, static_cast<std::uint64_t>(k));
    Matrix4 target = plain_pose(model, draw(model, at_q, random), arm.base, arm.tip);
    target.topRightCorner<3, 1>() *= random.uniform(1.1, 3);
    const SerialSolution& x = ik.solve(pose_of(target), middle(model, at_q));
    if (x.status == PoseStatus::ok) {
      EXPECT_LE(pose_error(plain_pose(model, x.q, arm.base, arm.tip), target), 1.1e-8);
      continue;
    }
    ASSERT_EQ(x.status, PoseStatus::nearest_found) << k << " " << x.gradient;
    ++nearest;
    EXPECT_LE(x.gradient, 1e-9);
    const Vector q = x.q;
    ASSERT_TRUE(within_limits(model, q));
    const double f = distance(model, arm, q, target, w);
    for (const Index i : at_q) {  // central differences: error h^2 + eps / h
      Vector up = q, down = q;
      const double h = 1e-5;
      up(i) += h;
      down(i) -= h;
      const double g = (distance(model, arm, up, target, w) - distance(model, arm, down, target, w)) / (2 * h);
      const bool low = std::find(x.at_lower.begin(), x.at_lower.end(), i) != x.at_lower.end(),
                 high = std::find(x.at_upper.begin(), x.at_upper.end(), i) != x.at_upper.end();
      if (low) { EXPECT_EQ(q(i), low_of(model, i)); }
      if (high) { EXPECT_EQ(q(i), high_of(model, i)); }
      held += low || high;
      const double left = low ? std::min(g, 0.0) : high ? std::max(g, 0.0) : g;
      EXPECT_LE(std::fabs(left), 1e-8 * (1 + f)) << k << " joint " << i;
    }
    for (int trial = 0; trial < 30; ++trial) {  // no configuration nearby is nearer
      Vector other = q;
      for (const Index i : at_q)
        other(i) = std::clamp(q(i) + random.uniform(-1e-3, 1e-3), low_of(model, i), high_of(model, i));
      EXPECT_GE(distance(model, arm, other, target, w), f * (1 - 1e-12) - 1e-13) << k;
    }
  }
  std::printf("%d nearest poses, %d limits that hold\n", nearest, held);
  EXPECT_GT(nearest, effort(300) / 2);
  EXPECT_GT(held, 0);
}

TEST(SerialInverseKinematics, LeavesFreeWhatIsNotAskedFor) {
  const Model model = build(sample_arm7());
  for (const AttitudeRows rows : {AttitudeRows::none, AttitudeRows::x, AttitudeRows::y, AttitudeRows::z})
    for (const bool position : {true, false}) {
      if (!position && rows == AttitudeRows::none) continue;
      SerialInverseKinematicsSettings settings;
      settings.position = position;
      settings.attitude = rows;
      SerialInverseKinematics ik(model, "base", "tool0", settings);
      const std::vector<Index> at_q = places(model, ik.coordinates());
      int turned = 0;
      for (int k = 0; k < effort(200, 20); ++k) {
        Random random(11, static_cast<std::uint64_t>(k));
        const Matrix4 target = plain_pose(model, draw(model, at_q, random), "base", "tool0");
        const SerialSolution& x = ik.solve(pose_of(target), draw(model, at_q, random));
        ASSERT_EQ(x.status, PoseStatus::ok) << k;
        const Matrix4 X = plain_pose(model, x.q, "base", "tool0");
        if (position) {
          const Eigen::Vector3d off = (X - target).topRightCorner<3, 1>();
          EXPECT_LE(off.cwiseAbs().maxCoeff(), 1.001e-8);
        }
        if (rows != AttitudeRows::none) {
          const int axis = static_cast<int>(rows) - static_cast<int>(AttitudeRows::x);
          EXPECT_LE((X - target).col(axis).head<3>().norm(), 2e-8);
        }
        turned += pose_error(X, target) > 0.1;
      }
      EXPECT_GT(turned, 0);  // the rest of the pose is indeed free
    }
}

TEST(SerialInverseKinematics, NearerSolutionsCostMoreDescents) {
  const Model model = build(sample_arm7());
  SerialInverseKinematicsSettings one, many;
  many.solutions = 6;
  SerialInverseKinematics first(model, "base", "tool0", one), best(model, "base", "tool0", many);
  const std::vector<Index> at_q = places(model, first.coordinates());
  double fast = 0, near = 0;
  for (int k = 0; k < effort(200, 20); ++k) {
    Random random(13, static_cast<std::uint64_t>(k));
    const Matrix4 target = plain_pose(model, draw(model, at_q, random), "base", "tool0");
    const Vector seed = draw(model, at_q, random);
    const SerialSolution& x = first.solve(pose_of(target), seed);
    const SerialSolution& y = best.solve(pose_of(target), seed);
    ASSERT_EQ(x.status, PoseStatus::ok);
    ASSERT_EQ(y.status, PoseStatus::ok);
    EXPECT_GE(y.descents, 6);
    fast += (x.q - seed).norm();
    near += (y.q - seed).norm();
  }
  EXPECT_LT(near, 0.9 * fast);
}

TEST(SerialInverseKinematics, GivesTheSameBitsInAnyOrder) {
  const Model model = build(sample_arm7());
  SerialInverseKinematics ik(model, "base", "tool0");
  const std::vector<Index> at_q = places(model, ik.coordinates());
  std::vector<Vector> before;
  for (int round = 0; round < 2; ++round)
    for (int k = 0; k < 100; ++k) {
      const int which = round == 0 ? k : 99 - k;
      Random random(17, static_cast<std::uint64_t>(which));
      const Matrix4 target = plain_pose(model, draw(model, at_q, random), "base", "tool0");
      SerialInverseKinematics fresh(model, "base", "tool0");
      const Vector q = (round == 0 ? fresh : ik).solve(pose_of(target), middle(model, at_q)).q;
      if (round == 0)
        before.push_back(q);
      else
        EXPECT_TRUE((q.array() == before[static_cast<std::size_t>(which)].array()).all()) << which;
    }
}

TEST(SerialInverseKinematics, VelocitiesFollowTheTwistWithinLimits) {
  const Model model = build(sample_arm7());
  SerialInverseKinematics ik(model, "base", "tool0");
  const std::vector<Index> at_q = places(model, ik.coordinates());
  const double dt = 0.01;
  int held = 0, free = 0;
  for (int k = 0; k < 300; ++k) {
    Random random(19, static_cast<std::uint64_t>(k));
    const Vector q = draw(model, at_q, random);
    Eigen::MatrixXd J(6, 7);  // by central differences of plain matrices
    for (Index i = 0; i < 7; ++i) {
      Vector up = q, down = q;
      up(i) += 1e-6;
      down(i) -= 1e-6;
      const Matrix4 D = (plain_pose(model, up, "base", "tool0") - plain_pose(model, down, "base", "tool0")) / 2e-6;
      const Eigen::Matrix3d W =
          D.topLeftCorner<3, 3>() * plain_pose(model, q, "base", "tool0").topLeftCorner<3, 3>().transpose();
      J.col(i) << D.topRightCorner<3, 1>(), W(2, 1), W(0, 2), W(1, 0);
    }
    Vector rest(7);
    for (Index i = 0; i < 7; ++i) rest(i) = random.uniform(-0.5, 0.5);
    const Vector twist = J * Vector::NullaryExpr(7, [&] { return random.uniform(-1.0, 1.0); });
    const Motion<double> wanted{{twist(0), twist(1), twist(2)}, {twist(3), twist(4), twist(5)}};
    SerialVelocitySettings unlimited;
    unlimited.limits = false;
    const Vector v = ik.velocity(q, wanted, unlimited, rest).v;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeFullU | Eigen::ComputeFullV);
    if (svd.singularValues()(5) < 0.05) continue;  // the pseudo-inverse below would not be accurate
    EXPECT_LE((J * v - twist).norm(), 1e-6);       // damping 1e-9 over the square of 0.05
    const Vector nearest = rest + svd.solve(twist - J * rest);
    EXPECT_LE((v - nearest).norm(), 1e-5);
    SerialVelocitySettings limits;
    limits.time_step = dt;
    limits.acceleration_limit.assign(7, 20);
    const Vector before = 0.9 * v;
    const SerialVelocity& x = ik.velocity(q, wanted, limits, rest, before);
    for (Index i = 0; i < 7; ++i) {
      const auto at_i = static_cast<std::size_t>(i);
      const double most = std::min({model.velocity_limit()[at_i], before(i) + 0.2, (high_of(model, i) - q(i)) / dt});
      const double least = std::max({-model.velocity_limit()[at_i], before(i) - 0.2, (low_of(model, i) - q(i)) / dt});
      if (least > most) continue;
      EXPECT_GE(x.v(i), least);
      EXPECT_LE(x.v(i), most);
    }
    (x.held.empty() ? free : held) += 1;
    if (x.held.empty()) { EXPECT_LE((x.v - v).norm(), 1e-9); }
  }
  EXPECT_GT(held, 0);
  EXPECT_GT(free, 0);
}

TEST(SerialInverseKinematics, RefusesWhatItCannotMean) {
  const Model model = build(sample_arm7());
  EXPECT_SAYS("no joint is between", SerialInverseKinematics(model, "link7", "tool0"));
  EXPECT_SAYS("tool0", SerialInverseKinematics(model, "base", "tool"));
  EXPECT_SAYS("has not one freedom", SerialInverseKinematics(build(sample_zoo()), "link0", "link2"));
  EXPECT_SAYS("more than 16", SerialInverseKinematics(build(sample_chain(17)), "link0", "link17"));
  EXPECT_SAYS("tolerance is > 0", SerialInverseKinematics(model, "base", "tool0", {.tolerance = 0}));
  EXPECT_SAYS("solutions is at least 1", SerialInverseKinematics(model, "base", "tool0", {.solutions = 0}));
  EXPECT_SAYS("neither position nor attitude",
              SerialInverseKinematics(model, "base", "tool0", {.position = false, .attitude = AttitudeRows::none}));
  SerialInverseKinematics ik(model, "base", "tool0");
  const Vector q = neutral(model);
  Transform<double> T = ik.pose(q);
  EXPECT_SAYS("seed", ik.solve(T, Vector::Zero(3)));
  EXPECT_EQ(ik.try_solve(T, Vector::Zero(3)).status, PoseStatus::invalid_input);
  Transform<double> bad = T;
  bad.p.y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_SAYS("not finite", ik.solve(bad, q));
  EXPECT_EQ(ik.try_solve(bad, q).status, PoseStatus::non_finite_input);
  EXPECT_EQ(ik.try_solve(bad, q).q.size(), 0);
  bad = T;
  bad.R.r0 = -bad.R.r0;
  EXPECT_SAYS("right-handed", ik.solve(bad, q));
  EXPECT_EQ(ik.try_solve(bad, q).status, PoseStatus::invalid_input);
  bad = T;
  bad.p.x = 1e99;  // far, and finite all the way
  const SerialSolution& far = ik.solve(bad, q);
  EXPECT_TRUE(far.out_of_reach);
  EXPECT_NE(far.status, PoseStatus::ok);
  EXPECT_TRUE(Vector(far.q).allFinite());
  EXPECT_EQ(ik.solve(T, q).status, PoseStatus::ok);
  EXPECT_SAYS("time_step > 0", ik.velocity(q, Motion<double>{}, {.acceleration_limit = std::vector<double>(7, 1.0)}));
}

}  // namespace
}  // namespace zwang::test
