// SPDX-License-Identifier: BSD-3-Clause
// Limits of position along paths: q(s) at many s that no algorithm has looked at, against the model's limits; extremes
// of cubics in closed form; starts a little beyond a limit.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/effort.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/core/random.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/data.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/path.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

/// How far q(s) leaves the limits anywhere, at `points` + 1 values of s.
double excess_along(const ConfigurationPath& path, int points) {
  const Model& m = path.model();
  double most = 0;
  for (int k = 0; k <= points; ++k) {
    const Eigen::VectorXd q = path.at(path.begin() + (path.end() - path.begin()) * k / points).q;
    for (Index i = 0; i < m.nq(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (m.lower()[at] > q[i]) most = std::max(most, m.lower()[at] - q[i]);
      if (m.upper()[at] < q[i]) most = std::max(most, q[i] - m.upper()[at]);
    }
  }
  return most;
}
Vec3<double> direction(Random& g, double length) {
  Vec3<double> d{g.uniform(-1, 1), g.uniform(-1, 1), g.uniform(-1, 1)};
  return d * (length / std::sqrt(dot(d, d)));
}
PosePath path_of(int kind, const Transform<double>& start, Random& g) {
  const Vec3<double> d = direction(g, 0.15);
  const Transform<double> turned{exp_so3(direction(g, 0.3)) * start.R, start.p + d};
  if (kind == 0) return PosePath::line(start, turned);
  if (kind == 1) return PosePath::line(start, {start.R, start.p + d});
  if (kind == 2) return PosePath::arc(start, start.p + d, cross(d, Vec3<double>{0.3, 0.5, 0.8}), 0.8);
  return PosePath::through({start, turned, {start.R, start.p + direction(g, 0.15)}});
}

TEST(Follow, StaysWithinLimitsBetweenItsSamples) {
  const Model m = build(sample_arm7());
  Data data(m);
  const int wanted = effort(60, 4);
  for (int kind = 0; kind < 4; ++kind) {
    int ok = 0, slid = 0;
    double worst = 0;
    for (int k = 0; k < wanted; ++k) {
      Random g(static_cast<std::uint64_t>(k));
      const Eigen::VectorXd q0 = random(m, static_cast<std::uint64_t>(k));
      const PosePath path = path_of(kind, frame_pose(m, data, q0, "tool0"), g);
      PoseTarget target{.frame = "tool0"};
      if (kind == 1) target.rows = rows("linear");
      const FollowReport r = follow(m, target, path, q0);
      if (r.status != Status::ok) continue;
      ++ok;
      const double over = excess_along(*r.path, 2001);
      EXPECT_LE(over, 1e-11) << kind << ' ' << k;
      worst = std::max(worst, over);
      EXPECT_LT(difference(m, q0, r.path->at(r.path->begin()).q).norm(), 1e-6);
      // what it slides along: some coordinate is near a limit for a while
      int near = 0;
      for (int i = 0; i <= 50; ++i) {
        const Eigen::VectorXd q = r.path->at(r.path->begin() + (r.path->end() - r.path->begin()) * i / 50).q;
        for (Index c = 0; c < m.nq(); ++c)
          near += std::min(m.upper()[static_cast<std::size_t>(c)] - q[c],
                           q[c] - m.lower()[static_cast<std::size_t>(c)]) < 1e-3
                      ? 1
                      : 0;
      }
      slid += near > 3 ? 1 : 0;
      const PathTiming timing =
          time_path(*r.path, {.acceleration = {5}, .torque = {std::numeric_limits<double>::infinity()}});
      EXPECT_EQ(timing.status, Status::ok) << timing.reason;
    }
    std::printf("kind %d: %d of %d followed, %d along a limit, worst %.1e beyond it\n", kind, ok, wanted, slid, worst);
    EXPECT_GE(ok, wanted / 3);
  }
}

/// A table that slides in a plane within narrow limits, under an arm of three joints.
Model table_with_arm() {
  RobotDescription d{.name = "table"};
  d.links = {{.name = "floor"}};
  const auto link = [&](const std::string& name, const std::string& parent, const std::string& type, Vec3<double> axis,
                        Vec3<double> at) {
    d.links.push_back({.name = name, .mass = 1, .inertia = Sym3<double>::diagonal(0.1, 0.1, 0.1)});
    JointDescription j{.name = "to_" + name, .type = type, .parent = parent, .child = name};
    j.axis = axis;
    j.origin.p = at;
    d.joints.push_back(j);
  };
  link("table", "floor", "planar", {0, 0, 1}, {0, 0, 0});
  link("upper", "table", "revolute", {0, 0, 1}, {0.1, 0, 0.2});
  link("lower", "upper", "revolute", {0, 1, 0}, {0.5, 0, 0});
  link("hand", "lower", "prismatic", {0, 0, 1}, {0.4, 0, 0});
  d.joints[0].lower = {-0.2, -0.1, -0.5};
  d.joints[0].upper = {0.2, 0.1, 0.5};
  d.joints[1].lower = {-0.4};
  d.joints[1].upper = {0.4};
  d.joints[2].lower = {-1};
  d.joints[2].upper = {1};
  d.joints[3].lower = {-0.3};
  d.joints[3].upper = {0.3};
  return build(d);
}

TEST(Follow, StaysWithinLimitsOfAPlaneAndOfASlide) {
  const Model m = table_with_arm();
  Data data(m);
  int ok = 0;
  for (int k = 0; k < effort(12, 2); ++k) {
    Random g(static_cast<std::uint64_t>(k));
    Eigen::VectorXd q0 = neutral(m);
    const Transform<double> start = frame_pose(m, data, q0, "hand");
    const Vec3<double> d = direction(g, 0.25);
    const FollowReport r = follow(m, {.frame = "hand", .rows = rows("linear")},
                                  PosePath::line(start, {start.R, start.p + Vec3<double>{d[0], d[1], 0.2 * d[2]}}), q0);
    if (r.status != Status::ok) {
      EXPECT_FALSE(r.reason.empty());
      continue;
    }
    ++ok;
    EXPECT_LE(excess_along(*r.path, 2001), 1e-11) << k;
  }
  EXPECT_GT(ok, effort(12, 2) / 4);
}

TEST(InverseKinematics, KeepsAMarginFromLimits) {
  const Model m = build(sample_arm7());
  Data data(m);
  int near = 0;
  for (int k = 0; k < effort(30, 3); ++k)
    for (const bool chain : {true, false}) {  // a posture is for the assembly
      const Eigen::VectorXd q0 = random(m, static_cast<std::uint64_t>(k));
      const Transform<double> pose = frame_pose(m, data, random(m, static_cast<std::uint64_t>(k + 100)), "tool0");
      InverseKinematicsSettings settings{.tolerance = 1e-8};
      if (!chain) settings.posture.assign(q0.data(), q0.data() + 7);
      const auto plain = inverse_kinematics(m, {{.frame = "tool0", .pose = pose}}, q0, nullptr, settings);
      settings.limit_margin = 0.05;
      const auto drawn_in = inverse_kinematics(m, {{.frame = "tool0", .pose = pose}}, q0, nullptr, settings);
      for (Index i = 0; i < 7; ++i) {
        const double low = m.lower()[static_cast<std::size_t>(i)], high = m.upper()[static_cast<std::size_t>(i)];
        EXPECT_GE(drawn_in.q[i], low + 0.05 - 1e-15) << k;
        EXPECT_LE(drawn_in.q[i], high - 0.05 + 1e-15) << k;
        near += std::min(plain.q[i] - low, high - plain.q[i]) < 0.05 ? 1 : 0;
      }
    }
  EXPECT_GT(near, 0);  // without it some are nearer
  EXPECT_THROW(InverseKinematics(m, {{.frame = "tool0"}}, nullptr, {.limit_margin = -1}), std::invalid_argument);
}

TEST(TimePath, FindsTheExtremesOfASplineBetweenItsPoints) {
  RobotDescription d{.name = "slide"};
  d.links = {{.name = "rail"}, {.name = "cart", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)}};
  JointDescription j{.name = "slide", .type = "prismatic", .parent = "rail", .child = "cart"};
  j.axis = {1, 0, 0};
  j.lower = {-1};
  // y'' is -6 / (5 h^2) at both inner knots, so that the spline is 1 + 6 / 40 in the middle
  const double highest = 1.15;
  for (const double over : {-1e-8, 1e-8, 1e-5, 0.1}) {
    j.upper = {highest - over};
    d.joints = {j};
    const Model m = build(d);
    Eigen::MatrixXd Q(1, 4);
    Q << 0, 1, 1, 0;
    const ConfigurationPath path = ConfigurationPath::through(m, Q, Eigen::Vector4d(0, 1. / 3, 2. / 3, 1));
    const PathTiming r = time_path(path, {.acceleration = {1}}, {.grid = 7});
    EXPECT_EQ(r.status, over < 0 ? Status::ok : Status::infeasible) << over << ": " << r.reason;
    if (over < 0) continue;
    EXPECT_NE(r.reason.find("at s = 0.5 joint 'slide' is at 1.15, beyond its limits -1 and 1."), std::string::npos)
        << r.reason;
  }
}

TEST(BeyondLimits, NeverPrintsTwoEqualNumbers) {
  const Model m = build(sample_arm7());
  for (const double over : {1e-4, 3e-7, 2e-8, 1e-2, 4.}) {
    for (const double side : {-1., 1.}) {
      Eigen::VectorXd q = neutral(m);
      const double limit = side > 0 ? m.upper()[2] : m.lower()[2];
      q[2] = limit + side * over;
      const std::string text = beyond_limits(m, q);
      const std::string name = "joint '" + m.joints()[2].name + "' is at ";
      ASSERT_EQ(text.rfind(name, 0), 0U) << text;
      const std::size_t end = text.find(',');
      const double said = std::stod(text.substr(name.size(), end - name.size()));
      EXPECT_GT(side * (said - limit), 0) << text;  // as printed
      EXPECT_NEAR(std::stod(text.substr(text.rfind("by ") + 3)), over, 0.06 * over) << text;
    }
  }
  EXPECT_EQ(beyond_limits(m, neutral(m)), "");
}

TEST(Move, AStartALittleBeyondALimitComesBack) {
  const Model m = build(sample_arm7());
  for (const Index i : {0, 3, 6})
    for (const double side : {-1., 1.}) {
      const auto at = static_cast<std::size_t>(i);
      const double limit = side > 0 ? m.upper()[at] : m.lower()[at];
      Eigen::VectorXd q0 = neutral(m), q1 = neutral(m);
      q0[i] = limit + side * 1e-6;
      q1[i] = limit - side * 0.3;
      const TimedPath motion = move(m, q0, q1, {.acceleration = {2}});
      ASSERT_EQ(motion.notes().size(), 1U);
      EXPECT_NE(motion.notes()[0].find("joint '" + m.joints()[at].name + "'"), std::string::npos) << motion.notes()[0];
      EXPECT_NE(motion.notes()[0].find("by 1e-06 at the start; the motion brings it back"), std::string::npos)
          << motion.notes()[0];
      const PathTiming timing = time_path(motion.path(), {.acceleration = {2}, .torque = {1e3}});
      EXPECT_EQ(timing.status, Status::ok) << timing.reason;
      EXPECT_EQ(timing.notes, motion.notes());
      // not further out, not to stay out, and not from further out
      Eigen::VectorXd away = q0, stay = q0;
      away[i] = limit + side * 2e-6;
      stay[i] = q0[i];
      stay[(i + 1) % 7] = 0.1;
      EXPECT_THROW(move(m, q0, away, {.acceleration = {2}}), std::invalid_argument);
      EXPECT_THROW(move(m, q0, stay, {.acceleration = {2}}), std::invalid_argument);
      q0[i] = limit + side * 1e-5;
      try {
        move(m, q0, q1, {.acceleration = {2}});
        FAIL() << "a start 1e-5 beyond a limit was taken";
      } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("by 1e-05"), std::string::npos) << error.what();
      }
      EXPECT_EQ(time_path(ConfigurationPath::line(m, q0, q1), {.acceleration = {2}, .torque = {1e3}}).status,
                Status::infeasible);
    }
}

TEST(MotionProfile, AStartALittleBeyondALimitComesBackFirst) {
  Random g(11);
  int taken = 0;
  for (int k = 0; k < effort(4000, 100); ++k) {
    const bool smooth = k % 4 != 0;
    ProfileLimits l{.velocity = g.uniform(0.3, 3), .acceleration = g.uniform(0.3, 3)};
    if (smooth) l.jerk = g.uniform(0.3, 5);
    const double side = k % 2 == 0 ? 1 : -1;
    ProfilePoint start{g.uniform(-1, 1), g.uniform(-0.2, 0.2), 0, 0};
    const double beyond = g.uniform(0, 1e-6);
    const bool of_acceleration = smooth && k % 3 == 0;
    if (of_acceleration) {
      start.acceleration = side * (l.acceleration + beyond);
      if (std::abs(start.velocity) + start.acceleration * start.acceleration / (2 * l.jerk) > l.velocity) continue;
    } else {
      start.velocity = side * (l.velocity + beyond);
      if (smooth && k % 5 == 0) start.acceleration = -side * g.uniform(0, 0.1);
    }
    ++taken;
    const double end = k % 7 < 3 ? 0 : g.uniform(-2, 2), position = g.uniform(-4, 4);
    const MotionProfile p = MotionProfile::fastest(start, position, std::clamp(end, -l.velocity, l.velocity), l);
    EXPECT_NEAR(of_acceleration ? p.beyond().acceleration : p.beyond().velocity, beyond, 1e-15);
    // by small steps: continuous, from the start to the end, never further out, and back for good
    ProfilePoint x = start;
    double t = 0, out = 1e-6;
    for (Index i = 0; i < p.pieces(); ++i) {
      const auto& piece = p.piece(i);
      EXPECT_NEAR(piece.start.position, x.position, 1e-12);
      EXPECT_NEAR(piece.start.velocity, x.velocity, 1e-12);
      EXPECT_NEAR(piece.start.acceleration, smooth ? x.acceleration : piece.start.acceleration, 1e-12);
      for (int c = 1; c <= 20; ++c) {
        const double h = piece.duration * c / 20;
        x = {piece.start.position +
                 h * (piece.start.velocity + h * (piece.start.acceleration / 2 + h * piece.start.jerk / 6)),
             piece.start.velocity + h * (piece.start.acceleration + h * piece.start.jerk / 2),
             piece.start.acceleration + h * piece.start.jerk, 0};
        const double now =
            std::max(std::abs(x.velocity) - l.velocity, smooth ? std::abs(x.acceleration) - l.acceleration : 0);
        EXPECT_LE(now, std::max(out, 0.0) + 1e-13);
        if (now < out) out = now;
      }
      EXPECT_LE(std::abs(piece.start.jerk), smooth ? l.jerk : 0);
      t += piece.duration;
    }
    EXPECT_NEAR(x.position, position, 1e-11);
    EXPECT_NEAR(t, p.duration(), 1e-12 * (1 + t));
    // To rest, time is continuous: a way that is longer by e takes about the cube root of e / jerk more.
    if (end != 0) continue;
    ProfilePoint within = start;
    within.velocity = std::clamp(start.velocity, -l.velocity, l.velocity);
    within.acceleration = std::clamp(start.acceleration, -l.acceleration, l.acceleration);
    EXPECT_NEAR(p.duration(), MotionProfile::fastest(within, position, 0, l).duration(), 0.1);
  }
  EXPECT_GT(taken, effort(4000, 100) / 2);
  for (const auto& [what, start] :
       {std::pair{"velocity at the start is 1.001, expected at most 1", ProfilePoint{0, 1.001, 0, 0}},
        {"velocity at the start is -1.00001, expected at least -1", ProfilePoint{0, -1.00001, 0, 0}},
        {"acceleration at the start is 2.00001, expected at most 2", ProfilePoint{0, 0, 2.00001, 0}}})
    try {
      MotionProfile::fastest(start, 1, 0, {.velocity = 1, .acceleration = 2, .jerk = 10});
      FAIL() << what;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace zwang::test
