// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of fewer than six rows: what is measured where they are missed, axes that can only point the other
// way, lengths in other units, where a search begins, weights, poses along a path. Judged by plain matrices.
#include <gtest/gtest.h>

#include <numbers>

#include "inverse_kinematics/plain_kinematics.hpp"
#include "support/effort.hpp"
#include "support/random.hpp"
#include "support/robots.hpp"
#include "support/says.hpp"
#include "zwang/inverse_kinematics.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/path.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double k_pi = std::numbers::pi;

struct Part {
  const char* type;
  Vec3<double> axis, at;  ///< the joint in the link before it
  double lower = unknown, upper = unknown;
};
/// Links l0, l1, ... one after the other, and `tip` fixed to the last; lengths times `scale`.
Model chain_of(const std::vector<Part>& parts, const Vec3<double>& tip, double scale = 1) {
  RobotDescription d;
  d.name = "chain";
  d.links = {{.name = "l0"}};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Part& p = parts[k];
    d.links.push_back({.name = "l" + std::to_string(k + 1), .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
    JointDescription j{.name = "j" + std::to_string(k + 1), .type = p.type, .parent = "l" + std::to_string(k)};
    j.child = d.links.back().name;
    j.origin.p = p.at * scale;
    j.axis = p.axis;
    const double unit = std::string(p.type) == "prismatic" ? scale : 1;
    j.lower = {p.lower * unit};
    j.upper = {p.upper * unit};
    d.joints.push_back(j);
  }
  d.links.push_back({.name = "tip", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  JointDescription fixed{.name = "flange", .parent = d.links[parts.size()].name, .child = "tip"};
  fixed.origin.p = tip * scale;
  d.joints.push_back(fixed);
  return build(d, {.root = "fixed"});
}
Model scara() {
  return chain_of({{"revolute", {0, 0, 1}, {0, 0, 0}, -3.1, 3.1},
                   {"revolute", {0, 0, 1}, {.4, 0, 0}, -3.1, 3.1},
                   {"revolute", {0, 0, 1}, {.4, 0, 0}, -3.1, 3.1},
                   {"prismatic", {0, 0, 1}, {.2, 0, 0}, -.3, .3}},
                  {0, 0, 0});
}
/// One to seven hinges about random axes, within limits.
Model random_chain(Random& random) {
  std::vector<Part> parts;
  for (int k = 1 + random.below(7); k > 0; --k) {
    const double low = random.uniform(-3, -0.2);
    parts.push_back({"revolute", random.direction(), random.direction() * 0.4, low, random.uniform(0.2, 3)});
  }
  return chain_of(parts, random.direction() * 0.3);
}

/// Entries of the error that the words ask for, in the axes of the world: p_t - p, and the rotation vector.
double error_of(const Matrix4& X, const Matrix4& T, const std::vector<int>& rows) {
  const Eigen::AngleAxisd turn(Eigen::Matrix3d(T.topLeftCorner<3, 3>() * X.topLeftCorner<3, 3>().transpose()));
  const Eigen::Vector3d p = (T - X).topRightCorner<3, 1>(), w = turn.angle() * turn.axis();
  int angles = 0, free = 3;
  for (const int r : rows) angles += r >= 3, free -= r >= 3 ? r - 3 : 0;
  double worst = 0;
  for (const int r : rows) worst = std::max(worst, std::fabs(r < 3 ? p(r) : angles == 2 ? 0 : w(r - 3)));
  if (angles == 2) {  // of the axis that is left over, in the target's turn: it is to be where it was
    const Eigen::Vector3d u = Eigen::Vector3d::Unit(free);
    const Eigen::Vector3d y = turn.toRotationMatrix().transpose() * u;
    worst = std::max(worst, std::atan2(u.cross(y).norm(), u.dot(y)));
  }
  return worst;
}
RowSelection words(const std::vector<int>& rows) {
  static const char* const name[] = {"linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"};
  std::string text;
  for (const int r : rows) text += std::string(name[r]) + " ";
  return zwang::rows(text);
}

/// What a solution says is what plain matrices say of its q. 1e-9: near half a turn the axis of AngleAxis has half the
/// digits of the matrix.
void expect_measured(const Model& m, const InverseKinematicsSolution& s, const Matrix4& T, const std::vector<int>& rows,
                     const std::string& what) {
  ASSERT_EQ(s.errors.size(), 6u) << what;
  ASSERT_EQ(s.q.size(), m.nq()) << what;
  const Vector q = s.q;
  EXPECT_TRUE(within_limits(m, q)) << what;
  const double error = error_of(plain_pose(m, q, "tip"), T, rows);
  const double slack = error > 3 ? 1e-6 : 1e-9;
  EXPECT_NEAR(s.error, error, slack) << what;
  EXPECT_EQ(s.status == PoseStatus::ok, s.error <= 1e-8) << what << " " << name_of(s.status) << " " << s.error;
  EXPECT_EQ(s.residual > 1e-6, error > 1e-5) << what << " " << s.residual << " " << error;
}

TEST(InverseKinematicsOfSomeRows, OneAngularRowIsNeverHalfATurnAway) {
  const Model arm = scara();
  int ok = 0, all = 0;
  for (int seed = 0; seed < effort(300, 30); ++seed) {
    Random random(11000 + static_cast<std::uint64_t>(seed));
    const Matrix4 T = plain_pose(arm, zwang::random(arm, static_cast<std::uint64_t>(seed)), "tip");
    const std::vector<int> rows = {0, 1, 2, 5};
    const auto r = inverse_kinematics(arm, {{"tip", pose_of(T), words(rows)}},
                                      zwang::random(arm, static_cast<std::uint64_t>(seed) + 5000));
    ++all;
    ok += r.solution.status == PoseStatus::ok;
    InverseKinematicsSolution s = r.solution;
    new (&s.q) VectorView(r.q.data(), r.q.size());
    expect_measured(arm, s, T, rows, "SCARA " + std::to_string(seed));
  }
  EXPECT_GE(ok, all - all / 20);  // some of the others are local minima of the general way
  // A hinge alone; any axis of an arm; axes of the frame itself.
  const Model hinge = chain_of({{"continuous", {0, 0, 1}, {0, 0, 0}}}, {.3, 0, 0});
  for (const double from : {2.0, 3.14, -1.6, 0.1}) {
    const auto r = inverse_kinematics(hinge, {{"tip", Transform<double>::identity(), words({5})}}, Vector{{from}});
    ASSERT_EQ(r.solution.status, PoseStatus::ok) << from;
    EXPECT_NEAR(std::remainder(r.q(0), 2 * k_pi), 0, 1e-8) << from;
  }
  for (int seed = 0; seed < effort(60, 6); ++seed) {
    Random random(12000 + static_cast<std::uint64_t>(seed));
    const Model m = random_chain(random);
    const Matrix4 T = plain_pose(m, zwang::random(m, static_cast<std::uint64_t>(seed)), "tip");
    for (const std::vector<int>& rows : {std::vector<int>{3}, {4, 0}, {5, 0, 1, 2}}) {
      InverseKinematics ik(m, {{"tip", pose_of(T), words(rows)}});
      expect_measured(m, ik.solve(neutral(m)), T, rows, "chain " + std::to_string(seed));
    }
  }
}

TEST(InverseKinematicsOfSomeRows, AnAxisThatCanOnlyPointTheOtherWayIsMeasured) {
  const Model hinge = chain_of({{"continuous", {0, 0, 1}, {0, 0, 0}}}, {0, 0, 0});
  const Transform<double> down{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {0, 0, 0}};
  for (const std::vector<int>& rows : {std::vector<int>{3, 4}, {0, 1, 2, 3, 4}}) {
    InverseKinematics ik(hinge, {{"tip", down, words(rows)}});
    const InverseKinematicsSolution& s = ik.solve(Vector{{0.3}});
    EXPECT_NE(s.status, PoseStatus::ok);
    EXPECT_NEAR(s.error, k_pi, 1e-12);
    EXPECT_NEAR(s.residual, k_pi, 1e-9);
    ASSERT_EQ(s.errors.size(), 6u);
    Eigen::MatrixXd q(1, 3);
    BatchInverseKinematics batch(hinge, {{"tip", down, words(rows)}}, nullptr, {}, {.threads = 2});
    for (const PoseOutcomeOfMany& o : batch.solve({down, Transform<double>::identity(), down}, Vector{{0.3}}, q))
      EXPECT_EQ(o.status == PoseStatus::ok, o.error <= 1e-8) << name_of(o.status);
    EXPECT_EQ(batch.errors().size(), 18u);
  }
  for (int seed = 0; seed < effort(400, 40); ++seed) {  // random axes, most of them out of reach
    Random random(13000 + static_cast<std::uint64_t>(seed));
    const Model m = random_chain(random);
    const Transform<double> T = random.pose(1.5);
    for (const std::vector<int>& rows : {std::vector<int>{3, 4}, {2, 4, 5}, {0, 1, 2, 3, 5}}) {
      InverseKinematicsSettings quick;
      quick.attempts = 2;
      quick.max_iterations = 200;
      InverseKinematics ik(m, {{"tip", T, words(rows)}}, nullptr, quick);
      expect_measured(m, ik.solve(neutral(m)), plain(T), rows, "chain " + std::to_string(seed));
    }
  }
}

TEST(InverseKinematicsOfSomeRows, MeasureWhatIsMissed) {
  const Model arm =
      chain_of({{"revolute", {0, 0, 1}, {0, 0, 0}, -3, 3}, {"revolute", {0, 0, 1}, {1, 0, 0}, -3, 3}}, {1, 0, 0});
  const Vector q0{{0.4, 1.0}};
  Transform<double> far = Transform<double>::identity(), tilted = far, near = far;
  far.p = {2.1, 0, 0};
  near.p = {1, 0, 0};
  tilted.R = exp_so3(Vec3<double>{0.5, 0, 0});
  const auto missed = inverse_kinematics(arm, {{"tip", far, rows("linear")}}, q0);
  EXPECT_EQ(missed.solution.status, PoseStatus::nearest_found);
  EXPECT_NEAR(missed.solution.error, 0.1, 1e-9);
  EXPECT_NEAR(missed.solution.residual, 0.1 / 1, 1e-9);  // the farthest body, the forearm, begins 1 m from the base
  const auto turned = inverse_kinematics(arm, {{"tip", tilted, rows("angular")}}, q0);
  EXPECT_EQ(turned.solution.status, PoseStatus::nearest_found);
  EXPECT_NEAR(turned.solution.error, 0.5, 1e-9);
  EXPECT_NEAR(turned.solution.residual, 0.5, 1e-9);
  Eigen::MatrixXd q(2, 2);
  BatchInverseKinematics batch(arm, {{"tip", far, rows("linear")}});
  const auto& many = batch.solve({far, near}, q0, q);
  EXPECT_NEAR(many[0].error, 0.1, 1e-9);
  EXPECT_LE(many[1].error, 1e-8);
  EXPECT_NEAR(batch.errors()[0], 0.1, 1e-9);
  // The general way measures likewise: with weights it takes every problem.
  InverseKinematicsSettings weighed;
  weighed.weights = {1, 2};
  const auto general = inverse_kinematics(arm, {{"tip", far, rows("linear")}}, q0, nullptr, weighed);
  EXPECT_FALSE(general.solution.serial);
  EXPECT_NEAR(general.solution.error, missed.solution.error, 1e-9);
  EXPECT_NEAR(general.solution.residual, missed.solution.residual, 1e-9);
  // A row of any length and direction counts as one of length 1.
  const Matrix4 is = plain_pose(arm, q0, "tip");
  const double off = 3 / std::sqrt(2.0);
  Transform<double> beside = pose_of(is);
  beside.p = beside.p + Vec3<double>{0, 0, off};
  const auto row = inverse_kinematics(arm, {{"tip", beside, rows(std::vector<double>{0, 0, 7, 0, 0, 0})}}, q0);
  EXPECT_NEAR(row.solution.error, off, 1e-9);
}

/// Lengths a power of two longer: the same steps, to the bit, with slides, positions and tolerances so much longer.
TEST(InverseKinematicsOfLengths, AreTheSameInAllUnits) {
  const std::vector<Part> parts = {
      {"prismatic", {1, 0, 0}, {0, 0, 0.2}, -5, 5},  {"revolute", {0, 0, 1}, {0.3, 0, 0}, -2, 2},
      {"revolute", {0, 1, 0}, {0.1, 0, 0.3}, -2, 2}, {"prismatic", {0, 0, 1}, {0.2, 0, 0}, 0, 0.5},
      {"revolute", {1, 0, 0}, {0.1, 0, 0}, -3, 3},   {"revolute", {0, 1, 0}, {0, 0.1, 0}, -2, 2}};
  const double scale = 1024;
  const Model m = chain_of(parts, {0.1, 0, 0.1}), mm = chain_of(parts, {0.1, 0, 0.1}, scale);
  SerialInverseKinematicsSettings settings, scaled;
  scaled.tolerance *= scale;
  SerialInverseKinematics a(m, "l0", "tip", settings), b(mm, "l0", "tip", scaled);
  const auto times = [&](Vector q) {
    q(0) *= scale;
    q(3) *= scale;
    return q;
  };
  for (int k = 0; k < effort(200, 20); ++k) {
    const Vector at = zwang::random(m, static_cast<std::uint64_t>(k)),
                 from = zwang::random(m, static_cast<std::uint64_t>(k) + 900);
    Transform<double> T = a.pose(at);
    if (k % 4 == 0) T.p.z += 3;  // out of reach
    const SerialSolution& x = a.solve(T, from);
    const Vector q = x.q;
    T.p = T.p * scale;
    const SerialSolution& y = b.solve(T, times(from));
    EXPECT_EQ(x.status, y.status) << k;
    EXPECT_EQ(x.evaluations, y.evaluations) << k;
    EXPECT_TRUE((times(q).array() == y.q.array()).all()) << k << "\n"
                                                         << times(q).transpose() << "\n"
                                                         << y.q.transpose();
    if (k % 4 != 0) { EXPECT_EQ(x.status, PoseStatus::ok) << k; }
  }
}

TEST(InverseKinematicsOfLengths, SlidesReachHoweverFarTheyGo) {
  const auto rail = [](double limit, double scale) {
    return chain_of({{"prismatic", {1, 0, 0}, {0, 0, 0}, -limit, limit}, {"revolute", {0, 0, 1}, {0.3, 0, 0}, -2, 2}},
                    {0.5, 0, 0}, scale);
  };
  for (const double scale : {1.0, 1000.0, 1e-3})
    for (const double limit : {unlimited, 1e6})
      for (const double x : {20.0, 150.0, -1000.0, 5e5}) {
        const Model m = rail(limit, scale);
        const Vector q{{x * scale, 0.7}};
        const auto r = inverse_kinematics(m, {{"tip", pose_of(plain_pose(m, q, "tip"))}}, neutral(m));
        EXPECT_EQ(r.solution.status, PoseStatus::ok) << x << " m, scale " << scale << r.solution.explain();
        EXPECT_NEAR(r.q(0), q(0), 3e-8 + 1e-7 * scale + 1e-14 * std::fabs(q(0)));
      }
  // A mobile base with an arm, 300 m away; two tips of a gantry, whose slide they share; a target beyond the limits.
  const Model mobile = chain_of({{"prismatic", {1, 0, 0}, {0, 0, 0}},
                                 {"prismatic", {0, 1, 0}, {0, 0, 0}},
                                 {"continuous", {0, 0, 1}, {0, 0, 0}},
                                 {"revolute", {0, 1, 0}, {0, 0, .3}, -2, 2},
                                 {"revolute", {0, 1, 0}, {0, 0, .3}, -2, 2},
                                 {"continuous", {1, 0, 0}, {0, 0, 0}}},
                                {0.2, 0, 0});
  const Vector there{{300, -200, 0.4, 0.3, 0.5, -0.2}};
  const auto r = inverse_kinematics(mobile, {{"tip", pose_of(plain_pose(mobile, there, "tip"))}}, neutral(mobile));
  EXPECT_EQ(r.solution.status, PoseStatus::ok) << r.solution.explain();
  const auto both = inverse_kinematics(mobile,
                                       {{"tip", pose_of(plain_pose(mobile, there, "tip")), rows("linear")},
                                        {"l4", pose_of(plain_pose(mobile, there, "l4")), rows("linear")}},
                                       neutral(mobile));
  EXPECT_EQ(both.solution.status, PoseStatus::ok) << both.solution.explain();
  const Model shorter = rail(100, 1000);
  const auto nearest = inverse_kinematics(
      shorter, {{"tip", pose_of(plain_pose(rail(unlimited, 1000), Vector{{150e3, 0.0}}, "tip")), rows("linear")}},
      neutral(shorter));
  EXPECT_EQ(nearest.solution.status, PoseStatus::nearest_found);
  EXPECT_EQ(nearest.q(0), 100e3);
  EXPECT_NEAR(nearest.solution.error, 50e3, 1e-3);
}

TEST(InverseKinematicsOfLengths, PathsOfSlidesAreFollowedInAllUnits) {
  for (const double scale : {1.0, 1000.0}) {
    const Model m =
        chain_of({{"prismatic", {1, 0, 0}, {0, 0, 0}, -50, 50}, {"revolute", {0, 0, 1}, {0.3, 0, 0}, -2, 2}},
                 {0.5, 0, 0}, scale);
    const Vector q0{{scale, 0.7}};
    const Transform<double> T = pose_of(plain_pose(m, q0, "tip"));
    Transform<double> end = T;
    end.p.x += 5 * scale;
    const FollowReport r = follow(m, {.frame = "tip"}, PosePath::line(T, end), q0);
    EXPECT_EQ(r.status, Status::ok) << scale << r.reason;
  }
}

TEST(InverseKinematics, EqualWeightsFindTheNearestSolutionToo) {
  const Model arm = build(sample_arm7());
  int nearer = 0;
  for (int k = 0; k < effort(20, 20); ++k) {
    const auto seed = static_cast<std::uint64_t>(k);
    const Vector q0 = zwang::random(arm, seed + 40);
    const Transform<double> T = pose_of(plain_pose(arm, integrate(arm, q0, Vector::Constant(7, 0.1)), "tool0"));
    InverseKinematicsSettings ones, twos;
    ones.weights.assign(7, 1);
    twos.weights.assign(7, 2);
    const auto plain_one = inverse_kinematics(arm, {{"tool0", T}}, q0);
    const auto a = inverse_kinematics(arm, {{"tool0", T}}, q0, nullptr, ones);
    const auto b = inverse_kinematics(arm, {{"tool0", T}}, q0, nullptr, twos);
    if (a.solution.status != PoseStatus::ok || b.solution.status != PoseStatus::ok) continue;
    EXPECT_FALSE(a.solution.serial);
    EXPECT_LE((a.q - b.q).norm(), 1e-6) << k;
    const double one = (plain_one.q - q0).norm(), nearest = (a.q - q0).norm();
    EXPECT_LE(nearest, one * (1 + 1e-9) + 1e-7) << k;
    nearer += nearest < one * (1 - 1e-3);
  }
  EXPECT_GT(nearer, 0);
  InverseKinematicsSettings wrong;
  wrong.weights = {1, 1};
  EXPECT_SAYS("weights", InverseKinematics(arm, {{"tool0"}}, nullptr, wrong));
}

TEST(InverseKinematics, BeginsAtTheNeutralConfigurationWithinLimits) {
  const Model m = chain_of({{"revolute", {0, 0, 1}, {0, 0, 0}, 0.8, 2},
                            {"prismatic", {1, 0, 0}, {.3, 0, 0}, -2, -1},
                            {"revolute", {0, 1, 0}, {.3, 0, 0}, -1, 1}},
                           {.2, 0, 0});
  const Vector start = default_start(m);
  EXPECT_EQ(start, (Vector{{0.8, -1, 0}}));
  const Model dog = build(sample_quadruped(), {.root = "floating"});  // its knees cannot be straight
  EXPECT_TRUE(within_limits(dog, default_start(dog)) && !within_limits(dog, neutral(dog)));
  EXPECT_EQ(default_start(dog).head(7), neutral(dog).head(7));
  // Joints that no target moves are within limits, too.
  const auto r = inverse_kinematics(m, {{"l1", pose_of(plain_pose(m, Vector{{1.5, -1.5, 0}}, "l1"))}}, start);
  EXPECT_EQ(r.solution.status, PoseStatus::ok);
  EXPECT_TRUE(within_limits(m, r.q));
  // A start a little beyond a limit is taken back to it.
  for (const double beyond : {1e-6, 1e-12, 0.3}) {
    const Vector q0{{2 + beyond, -2 - beyond, 1 + beyond}}, on{{2, -2, 1}};
    for (const bool weighed : {false, true}) {
      InverseKinematicsSettings s;
      if (weighed) s.weights = {1, 1, 1};
      const auto back =
          inverse_kinematics(m, {{"tip", pose_of(plain_pose(m, on, "tip")), rows("linear")}}, q0, nullptr, s);
      EXPECT_EQ(back.solution.status, PoseStatus::ok) << beyond << back.solution.explain();
      EXPECT_TRUE(within_limits(m, back.q)) << beyond << " " << weighed;
    }
  }
}

TEST(BatchInverseKinematics, AlongAPathEachPoseBeginsAtTheLastSolution) {
  const Model arm = load(model_file("arm7.urdf"));
  const Index n = 40;
  std::vector<Transform<double>> poses;
  for (Index k = 0; k < n; ++k) {  // a circle, the tool pointing down
    const double t = 2 * k_pi * k / n;
    poses.push_back({{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {0.35 + 0.1 * std::cos(t), 0.1 * std::sin(t), 0.35}});
  }
  poses[7].p.x = 9;  // out of reach: its neighbours do not mind
  poses[8].p.x = std::numeric_limits<double>::quiet_NaN();
  const Vector q0 = default_start(arm);
  Eigen::MatrixXd q(arm.nq(), n), apart(arm.nq(), n);
  BatchInverseKinematics batch(arm, {{"tool0"}}, nullptr, {}, {.threads = 3});
  const std::vector<PoseOutcomeOfMany> along = batch.solve_along(poses, q0, q);
  EXPECT_EQ(batch.errors().size(), 6u * n);
  batch.solve(poses, q0, apart);
  InverseKinematics one(arm, {{"tool0"}});
  Vector from = q0;
  double jump = 0, jump_apart = 0;
  Index before = -1;
  for (Index k = 0; k < n; ++k) {
    const PoseStatus status = along[static_cast<std::size_t>(k)].status;
    EXPECT_EQ(status, k == 7 ? PoseStatus::nearest_found : k == 8 ? PoseStatus::non_finite_input : PoseStatus::ok) << k;
    if (k == 8) continue;
    const InverseKinematicsSolution& s = one.solve({poses[static_cast<std::size_t>(k)]}, from);
    EXPECT_TRUE((s.q.array() == q.col(k).array()).all()) << k;
    if (status != PoseStatus::ok) continue;
    if (before >= 0) {
      jump = std::max(jump, (q.col(k) - q.col(before)).cwiseAbs().maxCoeff());
      jump_apart = std::max(jump_apart, (apart.col(k) - apart.col(before)).cwiseAbs().maxCoeff());
    }
    from = q.col(k);
    before = k;
  }
  EXPECT_LT(jump, 0.5);
  EXPECT_GT(jump_apart, jump);
  EXPECT_SAYS("q0", batch.solve_along(poses, Vector::Zero(3), q));
  EXPECT_SAYS("poses", batch.solve_along({}, q0, q));
}

}  // namespace
}  // namespace zwang::test
