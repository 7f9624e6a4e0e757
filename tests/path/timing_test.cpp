// SPDX-License-Identifier: BSD-3-Clause
// Motions along paths: limits by inverse dynamics of the motion itself, closed forms where they exist, and that no
// random law along the same path is faster.
#include <gtest/gtest.h>

#include <cmath>

#include "support/effort.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/core/random.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/data.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/path.hpp"

namespace zwang::test {
namespace {

constexpr double k_no_limit = std::numeric_limits<double>::infinity();

struct State {
  Eigen::VectorXd q, v, a;
};
State state_at(const TimedPath& motion, double t) {
  const Model& m = motion.path().model();
  State x{Eigen::VectorXd(m.nq()), Eigen::VectorXd(m.nv()), Eigen::VectorXd(m.nv())};
  motion.at(t, x.q, x.v, x.a);
  return x;
}
/// A cart of mass 2 on a level rail.
Model cart(double damping = 0, double friction = 0) {
  RobotDescription d{.name = "cart"};
  d.links = {{.name = "rail"}, {.name = "cart", .mass = 2, .inertia = Sym3<double>::diagonal(1, 1, 1)}};
  JointDescription j{.name = "slide", .type = "prismatic", .parent = "rail", .child = "cart"};
  j.axis = {1, 0, 0};
  j.damping = {damping};
  j.friction = {friction};
  d.joints = {j};
  return build(d);
}
Eigen::VectorXd one(double x) { return Eigen::VectorXd::Constant(1, x); }

TEST(Move, IsADoubleSOfTheSlowestCoordinate) {
  const Model m = build(sample_arm7());
  const Eigen::VectorXd q0 = random(m, 1), q1 = random(m, 2);
  const Eigen::VectorXd d = difference(m, q0, q1);
  const TimedPath motion = move(m, q0, q1, {.velocity = {1}, .acceleration = {2}, .jerk = {10}});
  const double longest = d.lpNorm<Eigen::Infinity>();
  const double expected = MotionProfile::fastest(0, longest, {.velocity = 1, .acceleration = 2, .jerk = 10}).duration();
  EXPECT_NEAR(motion.duration(), expected, 1e-13);
  EXPECT_EQ(state_at(motion, 0).q, q0);
  EXPECT_EQ(state_at(motion, motion.duration()).q, q1);
  EXPECT_EQ(state_at(motion, motion.duration() + 1).v, Eigen::VectorXd::Zero(7));
  for (int k = 0; k <= 100; ++k) {
    const State x = state_at(motion, motion.duration() * k / 100);
    EXPECT_LT(x.v.lpNorm<Eigen::Infinity>(), 1 + 1e-14);
    EXPECT_LT(x.a.lpNorm<Eigen::Infinity>(), 2 + 1e-13);
  }
  EXPECT_EQ(move(m, q0, q0, {.acceleration = {1}}).duration(), 0);
  EXPECT_THROW(move(m, q0, q1, {}), std::invalid_argument);
  EXPECT_THROW(move(m, q0, q1, {.acceleration = {1, 2}}), std::invalid_argument);
  EXPECT_THROW(move(m, q0, q1, {.acceleration = {-1}}), std::invalid_argument);
}

TEST(Move, KeepsTheLimitsOfPosition) {
  const Model m = build(sample_arm7());
  Eigen::VectorXd q0 = random(m, 1), q1 = random(m, 2);
  const auto said = [&](const MotionLimits& limits) -> std::string {
    try {
      move(m, q0, q1, limits);
    } catch (const std::invalid_argument& error) { return error.what(); }
    return "";
  };
  EXPECT_EQ(said({.acceleration = {2}}), "");
  q1[3] = m.upper()[3] + 1e-12;  // rounding
  EXPECT_EQ(said({.acceleration = {2}}), "");
  q1[3] = m.upper()[3] + 1;
  const std::string end = said({.acceleration = {2}});
  EXPECT_NE(end.find("move: at the end joint '" + m.joints()[3].name + "' is at "), std::string::npos) << end;
  EXPECT_NE(end.find("beyond its limits"), std::string::npos) << end;
  EXPECT_EQ(said({.acceleration = {2}, .position_limits = false}), "");
  q0[0] = m.lower()[0] - 1;
  EXPECT_NE(said({.acceleration = {2}}).find("at the start joint '" + m.joints()[0].name), std::string::npos);
}

TEST(Move, LooksAtAPlaneBetweenItsEnds) {
  RobotDescription d{.name = "puck"};
  d.links = {{.name = "floor"}, {.name = "puck", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)}};
  JointDescription j{.name = "slide", .type = "planar", .parent = "floor", .child = "puck"};
  d.joints = {j};
  const Model wide = build(d);
  const Eigen::VectorXd q0 = neutral(wide);
  const Eigen::Vector3d arc(2 * std::cos(1.5), -2 * std::sin(1.5), 3);  // from y = 0 to y = 0, below it between
  Eigen::VectorXd q1 = q0, half = q0;
  integrate(wide, q0, arc, q1);
  integrate(wide, q0, arc / 2, half);
  ASSERT_NEAR(q1[1], 0, 1e-14);
  ASSERT_LT(half[1], -0.1);
  d.joints[0].lower = {-5, half[1] / 2, -5};
  d.joints[0].upper = {5, 1, 5};
  const Model narrow = build(d);
  const MotionLimits limits{.velocity = {1}, .acceleration = {1}};
  EXPECT_GT(move(wide, q0, q1, limits).duration(), 0);
  try {
    move(narrow, q0, q1, limits);
    FAIL() << "moved through " << half.transpose();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("between start and end joint 'slide' is at -"), std::string::npos)
        << error.what();
  }
}

/// Half a turn takes at most as long as an angle of pi alone, whatever the numbers: with |v| <= 1 and |a| <= 1 an angle
/// of w takes w + 1 for w >= 1, else 2 sqrt(w).
TEST(Move, TurnsAPlaneTheShorterWayRound) {
  RobotDescription d{.name = "puck"};
  d.links = {{.name = "floor"}, {.name = "puck", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)}};
  d.joints = {JointDescription{.name = "slide", .type = "planar", .parent = "floor", .child = "puck"}};
  const Model m = build(d);
  const double pi = 3.14159265358979323846;
  for (const auto& [from, to] : {std::pair(3.1, -3.1), std::pair(0.0, 6.0), std::pair(0.0, 10.0), std::pair(-3.0, 3.0),
                                 std::pair(1.0, 1 - 14 * pi + 2)}) {
    const Eigen::Vector3d a(1, 2, from), b(1, 2, to);
    const double w = std::abs(std::remainder(to - from, 2 * pi));
    const TimedPath path = move(m, a, b, {.velocity = {1}, .acceleration = {1}});
    EXPECT_NEAR(path.duration(), w >= 1 ? w + 1 : 2 * std::sqrt(w), 1e-12) << from << " to " << to;
    const State end = state_at(path, path.duration());
    EXPECT_NEAR(end.q[2], from + std::remainder(to - from, 2 * pi), 1e-13);
    const Eigen::Vector3d there(3, 2, to);  // 2 m sideways: an arc, at most pi/2 times its chord long
    const double duration = move(m, a, there, {.velocity = {1}, .acceleration = {1}}).duration();
    EXPECT_LE(duration, std::max(pi, w) + 1 + 1e-12);
  }
  EXPECT_EQ(move(m, Eigen::Vector3d(1, 2, 0), Eigen::Vector3d(1, 2, 0), {.acceleration = {1}}).duration(), 0);
}

TEST(TimedPath, VelocitiesAreDerivativesOfTheMotion) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Model m = build(random_robot(seed, {.joints = 8, .limits = 0}));
    Eigen::VectorXd q0 = random(m, seed), step(m.nv());
    Random g(seed);
    Eigen::MatrixXd Q(m.nq(), 4);
    Q.col(0) = q0;
    for (Eigen::Index k = 1; k < 4; ++k) {
      for (Index i = 0; i < m.nv(); ++i) step[i] = g.uniform(-0.4, 0.4);
      Q.col(k) = integrate(m, Q.col(k - 1), step);
    }
    const PathTiming r =
        time_path(ConfigurationPath::through(m, Q), {.velocity = {1}, .acceleration = {3}, .torque = {k_no_limit}});
    ASSERT_EQ(r.status, Status::ok) << r.reason;
    const auto& pieces = r.motion->pieces();
    double t = 0;
    for (std::size_t k = 0; k < pieces.size(); t += pieces[k++].duration) {
      if (k % 13 != 5) continue;
      const double mid = t + pieces[k].duration / 2, h = pieces[k].duration / 50;
      const State x = state_at(*r.motion, mid), a = state_at(*r.motion, mid - h), b = state_at(*r.motion, mid + h);
      const Eigen::VectorXd v = difference(m, a.q, b.q) / (2 * h), acceleration = (b.v - a.v) / (2 * h);
      EXPECT_LT((v - x.v).norm(), 1e-6 * (1 + x.v.norm()));
      EXPECT_LT((acceleration - x.a).norm(), 1e-3 * (1 + x.a.norm()));
    }
    EXPECT_LT((state_at(*r.motion, r.motion->duration()).q - Q.col(3)).norm(), 1e-12 * (1 + Q.col(3).norm()));
  }
}

TEST(TimePath, IsTheTrapezoidOfACart) {
  // force 6 on 2 kg: a = 3; v = 1.5: the switch is at s = 0.375, a point of the grid
  const Model m = cart();
  const ConfigurationPath path = ConfigurationPath::line(m, one(0), one(3));
  const PathTiming r = time_path(path, {.velocity = {1.5}, .torque = {6}});
  ASSERT_EQ(r.status, Status::ok) << r.reason;
  EXPECT_NEAR(r.motion->duration(), 3 / 1.5 + 1.5 / 3, 1e-9);
  EXPECT_LE(r.utilisation, 1 + 1e-9);
  ASSERT_EQ(r.binding.size(), 3U);
  EXPECT_EQ(r.binding[0].what, "torque of slide");
  EXPECT_EQ(r.binding[1].what, "velocity of slide");
}

TEST(TimePath, CountsFrictionAndViscousDamping) {
  // 2 v' = 6 - 1 - 2 v while it drives; 2 v' = -6 - 1 - 2 v while it brakes: v = 2.5 (1 - e^-t), then v' = -(3.5 + v)
  const Model m = cart(2, 1);
  const PathTiming r = time_path(ConfigurationPath::line(m, one(0), one(3)), {.torque = {6}},
                                 {.grid = 3000, .joint_effects = {.friction = true}});
  ASSERT_EQ(r.status, Status::ok) << r.reason;
  // t1: x = 2.5 (t1 - 1 + e^-t1), v1 = 2.5 (1 - e^-t1); brake from v1: t2 = ln(1 + v1 / 3.5), way v1 - 3.5 t2
  const auto way = [](double t1) {
    const double v1 = 2.5 * (1 - std::exp(-t1)), t2 = std::log1p(v1 / 3.5);
    return 2.5 * (t1 - 1 + std::exp(-t1)) + v1 - 3.5 * t2;
  };
  double low = 0, high = 10;
  for (int k = 0; k < 100; ++k) (way((low + high) / 2) < 3 ? low : high) = (low + high) / 2;
  const double exact = low + std::log1p(2.5 * (1 - std::exp(-low)) / 3.5);
  EXPECT_NEAR(r.motion->duration(), exact, 1e-3 * exact);
  EXPECT_GE(r.motion->duration(), exact * (1 - 1e-9));
  EXPECT_LT(time_path(ConfigurationPath::line(m, one(0), one(3)), {.torque = {6}}).motion->duration(),
            r.motion->duration());
}

TEST(TimePath, TorquesOfTheMotionKeepTheirLimits) {
  const Model m = build(sample_arm7());
  Data data(m);
  const std::vector<double> torque{150, 150, 100, 80, 60, 25, 15};
  Random g(4);
  const int wanted = effort(40, 4);
  int solved = 0;
  double worst = 0, between = 0;
  for (int k = 0; k < wanted; ++k) {
    Eigen::MatrixXd Q(7, 5);
    for (Eigen::Index c = 0; c < 5; ++c)
      for (Index i = 0; i < 7; ++i) Q(i, c) = g.uniform(-1, 1);
    const ConfigurationPath path = ConfigurationPath::through(m, Q);
    const PathTiming r = time_path(path, {.velocity = {3}, .acceleration = {20}, .torque = torque},
                                   {.position_limits = false, .joint_effects = {.friction = true}});
    if (r.status == Status::infeasible) continue;
    ++solved;
    ASSERT_EQ(r.status, Status::ok) << r.reason;
    between = std::max(between, r.utilisation_between);
    double t = 0;
    int idle = 0;
    for (const auto& piece : r.motion->pieces()) {
      double most = 0;
      for (const double part : {1e-9, 1 - 1e-9}) {
        const State x = state_at(*r.motion, t + part * piece.duration);
        const Eigen::VectorXd tau = inverse_dynamics(m, data, x.q, x.v, x.a, {}, {.friction = true});
        for (Index i = 0; i < 7; ++i)
          most = std::max({most, std::abs(tau[i]) / torque[static_cast<std::size_t>(i)], std::abs(x.v[i]) / 3,
                           std::abs(x.a[i]) / 20});
      }
      worst = std::max(worst, most);
      idle += most < 0.99 ? 1 : 0;
      t += piece.duration;
    }
    // The fastest motion has a limit that holds it back nearly everywhere.
    EXPECT_LE(idle, 10);
  }
  std::printf("%d of %d paths: worst utilisation %.9f, between points of the grid %.4f\n", solved, wanted, worst,
              between);
  EXPECT_GE(solved, wanted / 2);
  EXPECT_LT(worst, 1 + 1e-6);
}

/// The largest |value| / limit of a motion by inverse dynamics, at `parts` + 1 points of every piece.
double use_along(const TimedPath& motion, const PathLimits& limits, int parts, const JointEffects& effects) {
  const Model& m = motion.path().model();
  Data data(m);
  double most = 0, t = 0;
  for (const auto& piece : motion.pieces()) {
    for (int k = 0; k <= parts; ++k) {
      const double part = std::clamp(static_cast<double>(k) / parts, 1e-9, 1 - 1e-9);
      const State x = state_at(motion, t + part * piece.duration);
      const Eigen::VectorXd tau = inverse_dynamics(m, data, x.q, x.v, x.a, {}, effects);
      const auto use = [&](const std::vector<double>& of, double value, Index i) {
        if (!of.empty()) most = std::max(most, std::abs(value) / of[of.size() == 1 ? 0 : static_cast<std::size_t>(i)]);
      };
      for (Index i = 0; i < m.nv(); ++i) {
        use(limits.velocity, x.v[i], i);
        use(limits.acceleration, x.a[i], i);
        use(limits.torque, tau[i], i);
      }
    }
    t += piece.duration;
  }
  return most;
}

TEST(TimePath, LimitsHoldBetweenThePointsOfTheGrid) {
  Random g(8);
  int solved = 0;
  const int wanted = effort(80, 8);
  double worst = 0;
  std::size_t most_pieces = 0;
  for (int k = 0; k < wanted; ++k) {
    const Model m =
        build(k % 2 == 0 ? sample_arm7() : random_robot(static_cast<std::uint64_t>(k), {.joints = 6, .limits = 0}));
    Data data(m);
    Eigen::MatrixXd Q(m.nq(), 3 + k % 3);
    Q.col(0) = random(m, static_cast<std::uint64_t>(k));
    Eigen::VectorXd step(m.nv());
    for (Eigen::Index c = 1; c < Q.cols(); ++c) {
      for (double& x : step) x = g.uniform(-0.4, 0.4);
      Q.col(c) = integrate(m, Q.col(c - 1), step);
    }
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(m.nv());
    const Eigen::VectorXd held = inverse_dynamics(m, data, Q.col(0), none, none);
    PathLimits limits{.velocity = {2}, .acceleration = {10}};
    const bool motors = std::all_of(m.actuated().begin(), m.actuated().end(), [](bool x) { return x; });
    for (Index i = 0; i < m.nv(); ++i) limits.torque.push_back(motors ? 2 * std::abs(held[i]) + 20 : k_no_limit);
    const JointEffects effects{.damping = k % 3 != 0, .friction = k % 4 == 1};
    const int grids[] = {2, 10, 50, 200};
    const PathTiming r = time_path(ConfigurationPath::through(m, Q), limits,
                                   {.grid = grids[k % 4], .position_limits = false, .joint_effects = effects});
    if (r.status == Status::infeasible) continue;
    ASSERT_EQ(r.status, Status::ok) << k << ": " << r.reason;
    ++solved;
    // Between the points looked at, at most a quarter of an interval apart, an excess of e may be e / 16 larger.
    const double use = use_along(*r.motion, limits, 12, effects);
    EXPECT_LE(use, 1 + 1.1e-4) << k << " with " << r.motion->pieces().size() << " intervals";
    EXPECT_LE(r.utilisation_between, 1 + 1e-4);
    worst = std::max(worst, use);
    most_pieces = std::max(most_pieces, r.motion->pieces().size());
  }
  std::printf("%d of %d: limits used to 1 + %.1e, at most %zu intervals\n", solved, wanted, worst - 1, most_pieces);
  EXPECT_GE(solved, wanted / 2);
}

TEST(TimePath, SaysWhereALimitIsExceededBetweenThePointsOfItsGrid) {
  const Model m = build(sample_arm7());
  Random g(4);
  Eigen::MatrixXd Q(7, 3);
  for (double& x : Q.reshaped()) x = g.uniform(-1, 1);
  const ConfigurationPath path = ConfigurationPath::through(m, Q);
  const PathLimits limits{.velocity = {3}, .acceleration = {20}, .torque = {k_no_limit}};
  const PathTiming few = time_path(path, limits, {.grid = 8, .position_limits = false, .most_grid = 9});
  EXPECT_EQ(few.status, Status::not_converged);
  EXPECT_GT(few.utilisation_between, 1 + 1e-4);
  EXPECT_NE(few.reason.find("between points of the grid the "), std::string::npos) << few.reason;
  EXPECT_NE(few.reason.find(" intervals; expected a larger most_grid or tolerance"), std::string::npos) << few.reason;
  const PathTiming rough =
      time_path(path, limits, {.grid = 8, .position_limits = false, .tolerance = 1, .most_grid = 9});
  EXPECT_EQ(rough.status, Status::ok) << rough.reason;
  EXPECT_EQ(rough.motion->pieces().size(), few.motion->pieces().size());
  EXPECT_EQ(time_path(path, limits, {.grid = 8, .position_limits = false}).status, Status::ok);
  EXPECT_THROW(time_path(path, limits, {.tolerance = 0}), std::invalid_argument);
}

TEST(TimePath, CountsTheJointEffectsOfInverseDynamics) {
  // 10 N m, of which friction takes 6 where it counts: (J + m c^2) alpha = 10 or 4 while it drives,
  // 10 or 16 while it brakes.
  RobotDescription d{.name = "bar"};
  d.links = {{.name = "wall"},
             {.name = "bar", .mass = 1, .centre = {0.2, 0, 0}, .inertia = Sym3<double>::diagonal(1e-4, 0.02, 0.02)}};
  JointDescription j{.name = "pivot", .type = "revolute", .parent = "wall", .child = "bar"};
  j.axis = {0, 0, 1};
  j.friction = {6};
  d.joints = {j};
  const Model m = build(d);
  const double inertia = 0.02 + 0.04;
  const ConfigurationPath path = ConfigurationPath::line(m, one(0), one(1));
  for (const bool friction : {false, true}) {
    const JointEffects effects{.friction = friction};
    const PathTiming r = time_path(path, {.torque = {10}}, {.joint_effects = effects});
    ASSERT_EQ(r.status, Status::ok) << r.reason;
    const double up = (friction ? 4 : 10) / inertia, down = (friction ? 16 : 10) / inertia;
    // v^2 / (2 up) + v^2 / (2 down) = 1
    const double v = std::sqrt(2 / (1 / up + 1 / down)), exact = v / up + v / down;
    EXPECT_NEAR(r.motion->duration(), exact, 1e-3 * exact);
    EXPECT_NEAR(use_along(*r.motion, {.torque = {10}}, 4, effects), 1, 1e-6);
    EXPECT_EQ(r.notes.size(), friction ? 0U : 1U);
    if (!friction) {
      EXPECT_NE(r.notes[0].find("Coulomb friction of 'pivot' is not counted"), std::string::npos) << r.notes[0];
    }
  }
  EXPECT_TRUE(time_path(path, {.acceleration = {1}, .torque = {k_no_limit}}).notes.empty());
}

TEST(TimePath, NoRandomLawIsFaster) {
  // A law of random rates that keeps the limits at the ends of the same intervals takes as long or longer.
  const Model m = build(sample_arm7());
  Random g(5);
  Eigen::MatrixXd Q(7, 4);
  for (Eigen::Index c = 0; c < 4; ++c)
    for (Index i = 0; i < 7; ++i) Q(i, c) = g.uniform(-1, 1);
  const ConfigurationPath path = ConfigurationPath::through(m, Q);
  const int grid = 30;
  const PathTiming r = time_path(path, {.velocity = {2}, .acceleration = {5}, .torque = {k_no_limit}},
                                 {.grid = grid, .position_limits = false});
  ASSERT_EQ(r.status, Status::ok);
  const auto& pieces = r.motion->pieces();
  std::vector<double> best;
  for (const auto& p : pieces) best.push_back(p.start.velocity * p.start.velocity);
  best.push_back(0);
  std::vector<PathPoint<>> points;
  std::vector<double> s;
  for (const auto& p : pieces) s.push_back(p.start.position);
  s.push_back(path.end());
  for (const double x : s) points.push_back(path.at(x));
  const auto feasible = [&](const std::vector<double>& x) {
    for (std::size_t i = 0; i + 1 < s.size(); ++i) {
      const double u = (x[i + 1] - x[i]) / (2 * (s[i + 1] - s[i]));
      for (const std::size_t e : {i, i + 1}) {
        if ((points[e].first.cwiseAbs() * std::sqrt(x[e])).maxCoeff() > 2) return false;
        if ((points[e].first * u + points[e].second * x[e]).cwiseAbs().maxCoeff() > 5) return false;
      }
    }
    return true;
  };
  int tried = 0;
  for (int k = 0; k < effort(20000, 500); ++k) {
    std::vector<double> x = best;
    for (std::size_t i = 1; i + 1 < x.size(); ++i) x[i] *= 1 + g.uniform(-0.02, k % 2 == 0 ? 0.02 : 0.002);
    // one rate alone, or all of them
    if (k % 3 == 0) {
      x = best;
      x[1 + static_cast<std::size_t>(g.uniform(0, static_cast<double>(x.size()) - 2.001))] *= 1 + 1e-6;
    }
    if (!feasible(x)) continue;
    ++tried;
    double t = 0;
    for (std::size_t i = 0; i + 1 < s.size(); ++i) t += 2 * (s[i + 1] - s[i]) / (std::sqrt(x[i]) + std::sqrt(x[i + 1]));
    EXPECT_GE(t, r.motion->duration() * (1 - 1e-9));
  }
  // Lowered all together they are feasible: the test is not empty.
  std::vector<double> lower = best;
  for (double& x : lower) x *= 0.9;
  EXPECT_TRUE(feasible(lower));
  std::printf("%d laws tried\n", tried);
}

TEST(TimePath, FindsAMotionWhereverRestIsPossible) {
  // Slow motions need little more than the torques at rest: infeasible is right only where those exceed a limit.
  Random g(6);
  int tried = 0, solved = 0;
  const int wanted = effort(400, 20);
  for (int k = 0; k < wanted; ++k) {
    const Model m =
        build(k % 2 == 0 ? sample_arm7()
                         : random_robot(
                               static_cast<std::uint64_t>(k),
                               {.joints = 6, .types = {"revolute", "prismatic", "helical", "universal"}, .limits = 0}));
    Data data(m);
    const Index nv = m.nv();
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(nv);
    Eigen::MatrixXd Q(m.nq(), 2 + k % 4);
    Q.col(0) = random(m, static_cast<std::uint64_t>(k));
    Eigen::VectorXd step(nv);
    for (Eigen::Index c = 1; c < Q.cols(); ++c) {
      for (double& x : step) x = g.uniform(-0.4, 0.4);
      Q.col(c) = integrate(m, Q.col(c - 1), step);
    }
    const ConfigurationPath path = ConfigurationPath::through(m, Q);
    std::vector<double> torque(static_cast<std::size_t>(nv)), acceleration(torque.size());
    const Eigen::VectorXd held = inverse_dynamics(m, data, Q.col(0), none, none);
    for (Index i = 0; i < nv; ++i) {
      torque[static_cast<std::size_t>(i)] = 1.5 * std::abs(held[i]) + std::pow(10, g.uniform(-2, 2));
      acceleration[static_cast<std::size_t>(i)] = std::pow(10, g.uniform(-1, 2));
    }
    const int grids[] = {2, 5, 40, 150};
    const PathTiming r = time_path(path,
                                   {.velocity = {k % 3 == 0 ? k_no_limit : 2.0},
                                    .acceleration = k % 5 == 0 ? std::vector<double>{k_no_limit} : acceleration,
                                    .torque = torque},
                                   {.grid = grids[k % 4], .position_limits = false});
    double most = 0;
    for (int i = 0; i <= 400; ++i) {
      const PathPoint<> x = path.at(path.begin() + (path.end() - path.begin()) * i / 400);
      const Eigen::VectorXd tau = inverse_dynamics(m, data, x.q, none, none);
      for (Index j = 0; j < nv; ++j) {
        const double friction = m.friction()[static_cast<std::size_t>(j)];
        most = std::max(most, (std::abs(tau[j]) + friction) / torque[static_cast<std::size_t>(j)]);
      }
    }
    if (most > 0.999) continue;
    ++tried;
    EXPECT_EQ(r.status, Status::ok) << k << ": " << r.reason;
    solved += r.status == Status::ok ? 1 : 0;
    EXPECT_LE(r.utilisation, 1 + 1e-6);
  }
  std::printf("%d of %d solved\n", solved, tried);
  EXPECT_GT(tried, wanted / 8);
}

TEST(TimePath, SaysWhyNoMotionExists) {
  const Model m = build(sample_arm7());
  Eigen::MatrixXd Q(7, 3);
  Q.setZero();
  Q.row(1) << 0.2, 0.9, 1.4;
  const ConfigurationPath path = ConfigurationPath::through(m, Q);
  const PathTiming weak = time_path(path, {.torque = {1}});
  EXPECT_EQ(weak.status, Status::infeasible);
  EXPECT_FALSE(weak.motion.has_value());
  EXPECT_NE(weak.reason.find("torque of"), std::string::npos) << weak.reason;
  Q(0, 2) = 50;
  const PathTiming beyond = time_path(ConfigurationPath::through(m, Q), {.acceleration = {1}, .torque = {k_no_limit}});
  EXPECT_EQ(beyond.status, Status::infeasible);
  EXPECT_NE(beyond.reason.find("beyond its limits"), std::string::npos) << beyond.reason;
  EXPECT_EQ(time_path(path, {.acceleration = {1}, .torque = {k_no_limit}}, {.start_rate = 100}).status,
            Status::infeasible);

  EXPECT_THROW(time_path(path, {.torque = {k_no_limit}}), std::invalid_argument);
  EXPECT_THROW(time_path(path, {.acceleration = {0}}), std::invalid_argument);
  EXPECT_THROW(time_path(path, {.acceleration = {1}}, {.grid = 1}), std::invalid_argument);
  const Model quadruped = build(sample_quadruped(), {.root = "floating"});
  const Eigen::VectorXd q0 = neutral(quadruped);
  EXPECT_THROW(time_path(ConfigurationPath::line(quadruped, q0, random(quadruped, 1)), {.torque = {10}}),
               std::invalid_argument);
}

TEST(TimedPath, SamplesAreATrajectory) {
  const Model m = build(sample_arm7());
  const TimedPath motion = move(m, random(m, 1), random(m, 2), {.velocity = {1}, .acceleration = {2}});
  const Trajectory t = motion.sample(0.01);
  ASSERT_EQ(t.states(), static_cast<Eigen::Index>(std::ceil(motion.duration() / 0.01)) + 1);
  EXPECT_EQ(t.time.back(), motion.duration());
  EXPECT_EQ(t.q().col(5), state_at(motion, 0.05).q);
  EXPECT_EQ(t.acceleration().col(5), state_at(motion, 0.05).a);
  EXPECT_THROW(motion.sample(0), std::invalid_argument);
  EXPECT_THROW(motion.sample(1e-9), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
