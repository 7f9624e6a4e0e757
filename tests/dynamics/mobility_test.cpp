// SPDX-License-Identifier: BSD-3-Clause
// Mobility: mechanisms whose mobility is known, and ranks in long double.
#include "zwang/question/mobility.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <numbers>

#include "dynamics/mechanisms.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/says.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Vec3d = Vec3<double>;
using Pose = Transform<double>;
constexpr double k_pi = std::numbers::pi;

Pose at(const Vec3d& p) { return {Mat3<double>::identity(), p}; }
/// Along x by a, then about x by alpha: from one axis of a linkage to the next (Denavit and Hartenberg).
Pose link(double a, double alpha) {
  const double c = std::cos(alpha), s = std::sin(alpha);
  return {{{1, 0, 0}, {0, c, -s}, {0, s, c}}, {a, 0, 0}};
}
struct Linkage {
  RobotDescription d{.name = "linkage"};
  Linkage() { d.links.push_back({.name = "ground"}); }
  void joint(const std::string& parent, const std::string& child, const std::string& type, const Pose& origin,
             const Vec3d& axis = {0, 0, 1}) {
    d.links.push_back({.name = child, .mass = 1, .inertia = Sym3<double>::diagonal(0.1, 0.1, 0.1)});
    d.joints.push_back(
        {.name = "to " + child, .type = type, .parent = parent, .child = child, .origin = origin, .axis = axis});
  }
  void frame(const std::string& name, const std::string& on, const Pose& pose) { d.frames.push_back({name, on, pose}); }
};
ConstraintSet closed(const Model& model, const RowSelection& rows) {
  ConstraintSet set(model);
  set.add(LoopConstraint{.name = "loop", .frame = "end", .other = "pin", .rows = rows});
  return set;
}
/// Hinges one after the other; the last is the loop.
Model ring(const std::vector<double>& a, const std::vector<double>& alpha) {
  Linkage x;
  std::string last = "ground";
  for (std::size_t k = 0; k + 1 < a.size(); ++k) {
    const std::string name = "link" + std::to_string(k);
    x.joint(last, name, "revolute", k == 0 ? at({0, 0, 0}) : link(a[k - 1], alpha[k - 1]));
    last = name;
  }
  x.frame("end", last, link(a[a.size() - 2], alpha[a.size() - 2]));
  x.frame("pin", "ground", inverse(link(a.back(), alpha.back())));
  return build(x.d);
}

void expect(const MobilityReport& r, Index instantaneous, Index redundant, Index finite, bool singular) {
  EXPECT_EQ(r.mobility, instantaneous) << r.explain();
  EXPECT_EQ(static_cast<Index>(r.redundant.size()), redundant) << r.explain();
  EXPECT_EQ(r.dependencies.size(), r.redundant.size());
  EXPECT_EQ(r.mobility - r.count, redundant);
  EXPECT_EQ(r.finite_mobility, finite) << r.explain();
  EXPECT_EQ(r.singular, singular) << r.explain();
}
/// J v = 0 for every free motion, and they are orthonormal; coefficients make zero of the rows.
void expect_consistent(const Model& model, const ConstraintSet& set, const Vector& q) {
  const MobilityReport r = mobility(model, set, q);
  ConstraintEvaluator rows(model, set);
  rows.evaluate(q, Vector::Zero(model.nv()));
  Eigen::MatrixXd J(rows.rows(), model.nv());
  rows.jacobian(J);
  const double size = 1 + J.cwiseAbs().maxCoeff();
  EXPECT_LE((J * r.free()).norm(), 1e-11 * size);
  EXPECT_TRUE(within(Eigen::MatrixXd(r.free().transpose() * r.free()),
                     Eigen::MatrixXd::Identity(r.mobility, r.mobility), 1e-14, 1));
  for (const std::vector<RowTerm>& terms : r.dependencies) {
    Vector sum = Vector::Zero(model.nv());
    double largest = 0;
    for (const RowTerm& t : terms)
      for (Index k = 0; k < rows.rows(); ++k)
        if (rows.row_name(k) == t.row)
          sum += t.coefficient * J.row(k), largest = std::max(largest, std::fabs(t.coefficient));
    EXPECT_LE(sum.norm(), 1e-10 * largest * size);
  }
}

TEST(Mobility, OfPlanarMechanismsInSpaceCountsTheirRedundantRows) {
  for (int seed = 1; seed <= effort(10); ++seed) {
    const Mechanism m = four_bar_in_space();
    const RandomState state = closed_state(m, static_cast<std::uint64_t>(seed));
    const MobilityReport r = mobility(m.robot.model, m.set(), state.q);
    expect(r, 1, 3, 1, false);
    ASSERT_EQ(r.loops.size(), 1U);
    EXPECT_EQ(r.loops[0].name, "closed");
    EXPECT_EQ(r.loops[0].redundant, 3);
    expect_consistent(m.robot.model, m.set(), state.q);
  }
  for (const int n : {4, 5, 8}) {
    const Mechanism m = hinge_ring(n);
    expect(mobility(m.robot.model, m.set(), closed_state(m, 2).q), n - 2, 3, n - 2, false);
  }
}

/// Over-constrained, and mobile by their measures alone: 2 / sin = 1 / sin for Bennett, Bricard's with right angles.
TEST(Mobility, OfBennettSarrusAndBricardIsOne) {
  const double alpha = 0.5, a = 1, beta = std::asin(std::sin(alpha) / a * 1.6), b = 1.6;
  const Model bennett = ring({a, b, a, b}, {alpha, beta, alpha, beta});
  for (const double theta : {0.4, 1.1, 2.3}) {
    const double other =
        2 * std::atan(std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2) / std::tan(theta / 2));
    const Vector q = Eigen::Vector3d(theta, other, -theta);
    const ConstraintSet set = closed(bennett, joint_rows("hinge"));
    const MobilityReport r = mobility(bennett, set, q);
    ASSERT_LE(r.closure, 1e-12);
    expect(r, 1, 3, 1, false);
    expect_consistent(bennett, set, q);
  }

  const double turn = k_pi / 2;
  const Model bricard = ring({1, 1, 1, 1, 1, 1}, {turn, -turn, turn, -turn, turn, -turn});
  for (const double c : {0.5, 0.2, -0.3}) {
    const double theta = std::acos(c), phi = std::acos(-c / (1 + c));
    Vector q(5);
    q << theta, phi, theta, phi, theta;
    const MobilityReport r = mobility(bricard, closed(bricard, joint_rows("hinge")), q);
    ASSERT_LE(r.closure, 1e-12);
    expect(r, 1, 1, 1, false);
  }

  Linkage sarrus;
  const double c = std::cos(0.7), s = std::sin(0.7);
  sarrus.joint("ground", "a1", "revolute", at({0, -1, 0}), {1, 0, 0});
  sarrus.joint("a1", "a2", "revolute", at({0, -c, s}), {1, 0, 0});
  sarrus.joint("a2", "table", "revolute", at({0, c, s}), {1, 0, 0});
  sarrus.joint("ground", "b1", "revolute", at({-1, 0, 0}), {0, 1, 0});
  sarrus.joint("b1", "b2", "revolute", at({-c, 0, s}), {0, 1, 0});
  sarrus.frame("end", "b2", at({c, 0, s}));
  sarrus.frame("pin", "table", at({-1, 1, 0}));
  const Model table = build(sarrus.d);
  const ConstraintSet set = closed(table, joint_rows("hinge", {0, 1, 0}));
  const MobilityReport r = mobility(table, set, Vector::Zero(5));
  ASSERT_LE(r.closure, 1e-14);
  expect(r, 1, 1, 1, false);
  Data data(table);
  const auto J = jacobian<Eigen::MatrixXd>(table, data, Vector::Zero(5), "table", Reference::local_world_aligned);
  const Vector twist = J * r.free();
  EXPECT_LE((twist - twist(2) * Vector::Unit(6, 2)).norm(), 1e-13);  // it moves straight up
  EXPECT_GT(std::fabs(twist(2)), 0.1);
}

TEST(Mobility, OfPlatformsIsWhatTheirJointsLeave) {
  const Mechanism stewart = stewart_platform(), delta = delta_robot();
  for (int seed = 1; seed <= effort(3); ++seed) {
    const MobilityReport r =
        mobility(stewart.robot.model, stewart.set(), closed_state(stewart, static_cast<std::uint64_t>(seed)).q);
    expect(r, 6, 0, 6, false);
    const MobilityReport d =
        mobility(delta.robot.model, delta.set(), closed_state(delta, static_cast<std::uint64_t>(seed)).q);
    expect(d, 9, 0, 9, false);  // three of the platform, and each rod turns about itself
  }
}

/// Flat, a parallelogram can go on as a parallelogram or crossed: two motions at first order, one that goes on.
TEST(Mobility, OfAParallelogramHasABranchPointWhereItIsFlat) {
  Linkage x;
  x.joint("ground", "crank", "revolute", at({0, 0, 0}));
  x.joint("crank", "bar", "revolute", at({1, 0, 0}));
  x.joint("bar", "rocker", "revolute", at({2, 0, 0}));
  x.frame("end", "rocker", at({1, 0, 0}));
  x.frame("pin", "ground", at({2, 0, 0}));
  const Model model = build(x.d);
  const ConstraintSet set = closed(model, rows("linear.x linear.y"));
  const Vector flat = Eigen::Vector3d(0, 0, k_pi);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) expect(mobility(model, set, flat, {.seed = seed}), 2, 1, 1, true);
  Eigen::MatrixXd path(3, 21);
  for (int k = 0; k < 21; ++k) path.col(k) = Eigen::Vector3d(0.1 * (k - 10), -0.1 * (k - 10), k_pi + 0.1 * (k - 10));
  expect(mobility(model, set, path.col(3)), 1, 0, 1, false);
  const PathMobility along = Mobility(model, set).along(path);
  EXPECT_EQ(along.rank, 2);
  for (std::size_t k = 0; k < 21; ++k) {
    EXPECT_EQ(along.singular[k], k == 10);
    EXPECT_EQ(along.mobility[k], k == 10 ? 2 : 1);
    EXPECT_EQ(along.smallest_singular_value[k] < 1e-12, k == 10);
    if (k > 10) { EXPECT_GT(along.smallest_singular_value[k], along.smallest_singular_value[k - 1]); }
  }
}

/// Stretched out between two pins, two bars move at first order, and not at second: a shaky structure.
TEST(Mobility, OfAShakyStructureDoesNotGoOn) {
  for (const double unit : {1e-3, 1.0, 1e3}) {  // of any size
    Linkage x;
    x.joint("ground", "one", "revolute", at({0, 0, 0}));
    x.joint("one", "two", "revolute", at({unit, 0, 0}));
    x.frame("end", "two", at({2 * unit, 0, 0}));
    x.frame("pin", "ground", at({3 * unit, 0, 0}));
    const Model model = build(x.d);
    expect(mobility(model, closed(model, rows("linear.x linear.y")), Vector::Zero(2)), 1, 1, 0, true);
    // A pin that is nearer: a structure, rigid at first order.
    x.d.frames.back().placement = at({2.9 * unit, 0, 0});
    const Model bent = build(x.d);
    const double first = std::acos((1 + 2.9 * 2.9 - 4) / 5.8), second = -(k_pi - std::acos((1 + 4 - 2.9 * 2.9) / 4));
    expect(mobility(bent, closed(bent, rows("linear.x linear.y")), Eigen::Vector2d(first, second)), 0, 0, 0, false);
  }
}

/// Any joints, any rows: the rank of J in long double, and where nothing is special the count.
TEST(Mobility, OfRandomLoopsIsNvLessTheRankInLongDouble) {
  int general = 0, special = 0;
  for (int seed = 1; seed <= effort(100, 20); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed) + 600);
    Mechanism m{.robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 50000, 2 + seed % 8)};
    m.constraints.push_back(random_loop(m.robot, random, "loop"));
    std::visit([](auto& c) { c.policy = Policy::hard; }, m.constraints[0]);
    if (!is_active(m.constraints[0])) continue;
    const RandomState state = random_state(m.robot.reference, static_cast<std::uint64_t>(seed));
    Mat J = problem(m, state).A;
    for (Eigen::Index i = 0; i < J.rows(); ++i)
      if (J.row(i).norm() > 1e-13L) J.row(i).normalize();
    const Eigen::JacobiSVD<Mat> svd(J);
    Index rank = 0;
    bool clear = true;
    for (const Real s : svd.singularValues()) {
      rank += s > 1e-9L;
      clear = clear && (s < 1e-13L || s > 1e-6L);
    }
    if (!clear) continue;
    const MobilityReport r = mobility(m.robot.model, m.set(), state.q, {.samples = 0});
    EXPECT_EQ(r.rank, rank) << r.explain();
    EXPECT_EQ(r.mobility, m.robot.model.nv() - rank);
    EXPECT_EQ(r.finite_mobility, -1);
    (r.mobility == r.count ? general : special)++;
    expect_consistent(m.robot.model, m.set(), state.q);
    if (HasFailure()) return;
  }
  RecordProperty("general", general);
  RecordProperty("special", special);
  if (effort(100) == 100) {
    EXPECT_GE(general, 30);
    EXPECT_GE(special, 10);
  }
}

TEST(ActuatedJacobian, OfAStewartPlatformIsTheInverseOfItsLegsRates) {
  const Mechanism m = stewart_platform();
  const Model& model = m.robot.model;
  std::vector<std::string> legs;
  for (const Joint& j : model.joints())
    if (j.type == "prismatic") legs.push_back(j.name);
  for (int seed = 1; seed <= effort(5); ++seed) {
    const Vector q = closed_state(m, static_cast<std::uint64_t>(seed)).q;
    const ActuatedJacobian r = Mobility(model, m.set()).jacobian(q, "platform", legs);
    EXPECT_EQ(r.mobility, 6);
    EXPECT_EQ(r.passive, 0);
    EXPECT_FALSE(r.type1() || r.type2());
    EXPECT_EQ(r.names, legs);
    // A leg's rate is what its head moves along the leg: no constraint, no null space.
    Data data(model);
    forward_kinematics(model, data, q);
    Eigen::MatrixXd inverse(6, 6);
    const Vec3d centre = frame_pose(model, data, "platform").p;
    for (int k = 0; k < 6; ++k) {
      const std::string n = std::to_string(k);
      const Vec3d head = frame_pose(model, data, "seat" + n).p, way = head - frame_pose(model, data, "cylinder" + n).p;
      const Vec3d u = way * (1 / norm(way)), moment = cross(head - centre, u);
      inverse.row(k) << u.x, u.y, u.z, moment.x, moment.y, moment.z;
    }
    EXPECT_TRUE(within(Eigen::MatrixXd(inverse * r.jacobian()), Eigen::MatrixXd::Identity(6, 6), 1e-11, 1));
  }
}

TEST(ActuatedJacobian, OfADeltaLeavesTheTurningRodsOut) {
  const Mechanism m = delta_robot();
  const Vector q = closed_state(m, 4).q;
  const ActuatedJacobian r =
      Mobility(m.robot.model, m.set()).jacobian(q, "platform", {"to arm0", "to arm1", "to arm2"});
  EXPECT_EQ(r.mobility, 9);
  EXPECT_EQ(r.passive, 6);
  EXPECT_FALSE(r.type1() || r.type2());
}

/// Stretched out, a crank cannot move the piston for a moment (type 1); a piston cannot hold the crank (type 2).
TEST(ActuatedJacobian, TellsTheTypesOfSingularitiesApart) {
  Linkage x;
  x.joint("ground", "crank", "revolute", at({0, 0, 0}));
  x.joint("crank", "rod", "revolute", at({1, 0, 0}));
  x.joint("ground", "piston", "prismatic", at({0, 0, 0}), {1, 0, 0});
  x.frame("end", "rod", at({2, 0, 0}));
  x.frame("pin", "piston", at({0, 0, 0}));
  const Model model = build(x.d);
  const ConstraintSet set = closed(model, rows("linear.x linear.y"));
  Mobility m(model, set);
  const Vector dead = Eigen::Vector3d(0, 0, 3);
  const auto types = [&](const Vector& q, const char* frame, const char* motor) {
    const ActuatedJacobian r = m.jacobian(q, frame, {motor});
    EXPECT_EQ(r.mobility, 1);
    return std::array<Index, 3>{r.lost, r.uncontrolled, r.passive};
  };
  using Types = std::array<Index, 3>;
  EXPECT_EQ(types(dead, "piston", "to crank"), (Types{1, 0, 0}));
  EXPECT_EQ(types(dead, "crank", "to piston"), (Types{0, 1, 0}));
  EXPECT_EQ(types(dead, "piston", "to piston"), (Types{0, 0, 1}));
  const double angle = 0.6, rod = std::asin(std::sin(angle) / 2);
  const Vector turned = Eigen::Vector3d(angle, -angle - rod, std::cos(angle) + 2 * std::cos(rod));
  EXPECT_EQ(types(turned, "piston", "to crank"), (Types{0, 0, 0}));
  EXPECT_EQ(types(turned, "crank", "to piston"), (Types{0, 0, 0}));
  const ActuatedJacobian r = m.jacobian(turned, "piston", {"to crank"});
  const double rate = -std::sin(angle) - std::tan(rod) * std::cos(angle);  // of the slider-crank's closed form
  EXPECT_NEAR(r.jacobian()(0, 0), rate, 1e-13);
  EXPECT_LE(r.jacobian().bottomRows(5).norm(), 1e-13);
  // With both as motors, one rate depends on the other.
  EXPECT_EQ(m.jacobian(turned, "piston", {"to crank", "to piston"}).dependent_inputs, 1);
}

TEST(Mobility, RefusesWhatItCannotUse) {
  const Mechanism m = four_bar_in_space();
  Mobility x(m.robot.model, m.set());
  EXPECT_SAYS("q", x.at(Vector::Zero(2)));
  EXPECT_SAYS("q", x.along(Eigen::MatrixXd::Zero(2, 4)));
  EXPECT_SAYS("samples", Mobility(m.robot.model, m.set(), {.samples = -1}));
  for (const double tolerance : {-1e-9, 1.0, std::nan("")})
    EXPECT_SAYS("tolerance", Mobility(m.robot.model, m.set(), {.tolerance = tolerance}));
  EXPECT_SAYS("step", Mobility(m.robot.model, m.set(), {.step = 0}));
  EXPECT_SAYS("coupler", x.jacobian(m.start, "couplr"));
  // Open by far: what would go on is not known.
  EXPECT_EQ(x.at(Vector::Zero(3)).finite_mobility, -1);
  EXPECT_GT(x.at(Vector::Zero(3)).closure, 0.1);
}

}  // namespace
}  // namespace zwang::test
