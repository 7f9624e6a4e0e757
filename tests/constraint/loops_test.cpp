// SPDX-License-Identifier: BSD-3-Clause
// Loops between any two frames, on any rows, far from closing: J = d phi / dq and J' v.
//
// Tolerance: 1e-12 of the magnitudes of the terms: some 20 operations per body on paths of up to ten bodies, times the
// norm of the inverse Jacobian of the logarithm, below pi.
#include <gtest/gtest.h>

#include "constraint/relations.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::test {
namespace {

using Axis = std::array<double, 3>;

/// psi over poses (types/loop.hpp), for the axes u1 and u2 of a universal joint (1), or the free one of two (2).
JetVector psi(int held, const JetMatrix& R, const Vec3<double>& u1, const Vec3<double>& u2) {
  if (held == 3) return rotation_vector(R);
  const JetVector u = constant(u1), y = times(R, u), turn = cross(u, y);
  if (held == 2) {
    const J sine = root(dot(turn, turn));
    return scaled(turn, angle(sine, dot(u, y)) * inverse(sine));
  }
  return scaled(cross(u, constant(u2)), -dot(u, times(R, constant(u2))));
}

Errors loop_errors(const std::vector<double>& matrix, int held, const Vec3<double>& u1 = {0, 0, 1},
                   const Vec3<double>& u2 = {0, 0, 1}) {
  return [=](const JetPose& A, const JetPose& B) {
    const JetVector p = A.R.transpose() * JetVector(B.p - A.p);
    const JetVector w = psi(held, A.R.transpose() * B.R, u1, u2);
    std::vector<J> out;
    for (std::size_t r = 0; r < matrix.size() / 6; ++r) {
      J sum(0);
      for (std::size_t k = 0; k < 6; ++k)
        if (matrix[6 * r + k] != 0)
          sum += J(Real(matrix[6 * r + k])) * (k < 3 ? p(static_cast<int>(k)) : w(static_cast<int>(k) - 3));
      out.push_back(sum);
    }
    return out;
  };
}

struct Pair {
  std::string a, b;
};
std::vector<Pair> pairs(const Case& c, Random& random) {
  const std::string any = some_frame(c, random), tip = c.model.links().back().name;
  return {{some_frame(c, random), some_frame(c, random)},
          {tip, "far"},
          {any, "plate"},
          {"rail", any},
          {any, any},
          {"plate", "rail"}};
}

TEST(LoopRows, OfEveryAxisSubsetAreDerivativesOfTheirErrors) {
  for (int seed = 0; seed < effort(12); ++seed) {
    const Case c = random_tree(static_cast<std::uint64_t>(seed), 8);
    SCOPED_TRACE(c.name);
    Random random(static_cast<std::uint64_t>(seed) + 9);
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const reference::State s = c.reference.at(x.q, x.v);
    Data data(c.model);
    for (const Pair& pair : pairs(c, random)) {
      SCOPED_TRACE(pair.a + " to " + pair.b);
      if (pair.a == pair.b) continue;
      for (int subset = 1; subset < 64; subset += seed < 2 ? 1 : 1 + random.below(12)) {
        static const char* const words[] = {"linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"};
        LoopConstraint loop;
        loop.name = "loop";
        loop.frame = pair.a;
        loop.other = pair.b;
        std::string chosen;
        for (int k = 0; k < 6; ++k)
          if (subset >> k & 1) chosen += std::string(words[k]) + " ";
        SCOPED_TRACE(chosen);
        loop.rows = rows(chosen);
        const int angular = subset >> 3, held = angular == 3 || angular == 5 || angular == 6 ? 2 : 3;
        const Vec3<double> e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const Vec3<double> free = e[angular == 3 ? 2 : angular == 5 ? 1 : 0];
        ConstraintSet set(c.model);
        const Constraint& bound = set.add(loop);
        const Said said = said_by(c.model, data, *bound.relation, x.q, x.v);
        expect_same(said, defined_by(s, {pair.a}, {pair.b}, loop_errors(loop.rows.matrix, held, free)), k_tolerance);
        if (c.model.frame(pair.a).body.value != c.model.frame(pair.b).body.value)
          expect_given(c, data, said, *bound.relation, pair.b,
                       {pose_now(c, data, pair.a).R, pose_now(c, data, pair.b).p});
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// phi = d . (p_b - p_a), in axes of the world that stand still.
TEST(LoopRows, InAxesOfTheWorldAreDerivativesOfTheDifferenceOfPoints) {
  for (int seed = 0; seed < effort(40); ++seed) {
    const Case c = random_tree(static_cast<std::uint64_t>(300 + seed), 8);
    SCOPED_TRACE(c.name);
    Random random(static_cast<std::uint64_t>(seed) + 3);
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const reference::State s = c.reference.at(x.q, x.v);
    Data data(c.model);
    for (const Pair& pair : pairs(c, random)) {
      SCOPED_TRACE(pair.a + " to " + pair.b);
      if (pair.a == pair.b) continue;
      std::vector<double> matrix;
      for (int r = 0; r < 1 + seed % 4; ++r) {
        const Vec3<double> d = random.direction() * random.uniform(0.2, 2);
        matrix.insert(matrix.end(), {d.x, d.y, d.z, 0, 0, 0});
      }
      const Errors points = [&](const JetPose& A, const JetPose& B) {
        std::vector<J> out;
        for (std::size_t r = 0; r < matrix.size(); r += 6)
          out.push_back(dot(constant({matrix[r], matrix[r + 1], matrix[r + 2]}), JetVector(B.p - A.p)));
        return out;
      };
      ConstraintSet set(c.model);
      const Constraint& bound = set.add(LoopConstraint{
          .name = "loop", .frame = pair.a, .other = pair.b, .rows = rows(matrix), .in = "local_world_aligned"});
      EXPECT_EQ(bound.in.value(), "local_world_aligned");
      const Said said = said_by(c.model, data, *bound.relation, x.q, x.v);
      expect_same(said, defined_by(s, {pair.a}, {pair.b}, points), k_tolerance);
      if (c.model.frame(pair.a).body.value != c.model.frame(pair.b).body.value)
        expect_given(c, data, said, *bound.relation, pair.b, {Mat3<double>::identity(), pose_now(c, data, pair.b).p});
    }
  }
}

TEST(LoopRows, OfAnyMatrixAreDerivativesOfTheirErrors) {
  for (int seed = 0; seed < effort(40); ++seed) {
    const Case c = random_tree(static_cast<std::uint64_t>(100 + seed), 9);
    SCOPED_TRACE(c.name);
    Random random(static_cast<std::uint64_t>(seed) + 5);
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const reference::State s = c.reference.at(x.q, x.v);
    Data data(c.model);
    const std::string a = some_frame(c, random), b = some_frame(c, random);
    if (a == b) continue;
    for (int held = 2; held <= 3; ++held) {  // two: rows whose angular parts are normal to one axis
      const Vec3<double> free = random.direction();
      std::vector<double> matrix;
      for (int r = 0; r < 4; ++r) {
        Vec3<double> w = random.direction() * random.uniform(0.2, 2);
        if (held == 2) w -= free * zwang::dot(free, w);
        const Vec3<double> v = random.direction();
        matrix.insert(matrix.end(), {v.x, v.y, v.z, w.x, w.y, w.z});
      }
      LoopConstraint loop;
      loop.name = "loop";
      loop.frame = a;
      loop.other = b;
      loop.rows = rows(matrix);
      ConstraintSet set(c.model);
      const Said said = said_by(c.model, data, *set.add(loop).relation, x.q, x.v);
      Defined expected = defined_by(s, {a}, {b}, loop_errors(matrix, held, free));
      // The free axis found from the rows may point either way: psi does not care.
      expect_same(said, expected, k_tolerance);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// A body on the ground by one joint whose axes are as wanted, both frames at the joint.
Case one_joint(const std::string& type, const Vec3<double>& axis) {
  RobotDescription d;
  d.links = {make_link("base", 1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}),
             make_link("arm", 1, {0.1, 0.2, 0.3}, {1, 0, 0, 1, 0, 1})};
  d.joints = {make_joint("joint", type, "base", "arm", axis, {0.3, -0.2, 0.5})};
  d.frames.push_back({"seat", "base", {Mat3<double>::identity(), {0.3, -0.2, 0.5}}});
  BuildOptions options;
  return Case(d, options, type);
}

TEST(LoopRows, OfAJointHoldWhatTheJointHolds) {
  struct Like {
    const char *word, *type;
    bool axis;
    int rows;
  };
  const Like like[] = {{"hinge", "revolute", true, 5},
                       {"revolute", "continuous", true, 5},
                       {"slider", "prismatic", true, 5},
                       {"prismatic", "prismatic", true, 5},
                       {"cylindrical", "cylindrical", true, 4},
                       {"planar", "planar", true, 3},
                       {"ball", "spherical", false, 3},
                       {"spherical", "spherical_zyx", false, 3},
                       {"weld", "fixed", false, 6},
                       {"point_on_line", "prismatic", true, 2},
                       {"point_on_plane", "planar", true, 1}};
  Random random(3);
  for (const Like& l : like) {
    SCOPED_TRACE(std::string(l.word) + " as " + l.type);
    for (int k = 0; k < 12; ++k) {
      const Vec3<double> named[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, -1, 0}};
      const Vec3<double> axis = k < 4 ? named[k] : random.direction();
      const Case c = one_joint(l.type, axis);
      LoopConstraint loop;
      loop.name = "loop";
      loop.frame = "seat";
      loop.other = "arm";
      loop.rows = joint_rows(l.word, axis * 3.0);
      ConstraintSet set(c.model);
      const Constraint& bound = set.add(loop);
      ASSERT_EQ(bound.size(), l.rows);
      Eigen::VectorXd q = random_configuration(c.model, random), v = random.vector(c.model.nv());
      if (std::string(l.type) == "continuous") q(0) = 17.3 + 2 * k;  // several turns
      Data data(c.model);
      const Said said = said_by(c.model, data, *bound.relation, q, v);
      EXPECT_LE(said.phi.cwiseAbs().maxCoeff(), 1e-14);  // an axis of the description and of the rows: rounded apart
      if (c.model.nv() > 0) { EXPECT_LE(said.jacobian.cwiseAbs().maxCoeff(), 1e-14); }
      EXPECT_LE(said.drift.cwiseAbs().maxCoeff(), 1e-13);
    }
  }
}

TEST(LoopRows, OfAJointHaveTwoNames) {
  const char* const names[][2] = {{"hinge", "revolute"},   {"slider", "prismatic"},   {"cylindrical", "cylinder"},
                                  {"planar", "plane"},     {"ball", "spherical"},     {"weld", "fixed"},
                                  {"universal", "cardan"}, {"point_on_line", "line"}, {"point_on_plane", "surface"}};
  for (const auto& [name, alias] : names) {
    const RowSelection a = joint_rows(name, {1, 2, 3}), b = joint_rows(alias, {1, 2, 3});
    EXPECT_EQ(a.names, b.names) << name;
    EXPECT_EQ(a.matrix, b.matrix) << name;
    EXPECT_EQ(a.free_axes, b.free_axes) << name;
  }
}

TEST(LoopRows, OfAUniversalJointAllowBothAxesAtAnyAngle) {
  const Case c = one_joint("universal", {0, 0, 1});  // about z, then about the turned x
  LoopConstraint loop;
  loop.name = "loop";
  loop.frame = "seat";
  loop.other = "arm";
  loop.rows = joint_rows("universal", {0, 0, 2}, {1, 0, 0});
  ConstraintSet set(c.model);
  const Constraint& bound = set.add(loop);
  ASSERT_EQ(bound.size(), 4);
  Random random(8);
  Data data(c.model);
  for (int k = 0; k < 100; ++k) {
    const Eigen::Vector2d q(random.uniform(-9, 9), k < 10 ? 3.14159265358979 + 1e-9 * k : random.uniform(-9, 9));
    const Said said = said_by(c.model, data, *bound.relation, q, random.vector(2));
    EXPECT_LE(said.phi.cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LE(said.jacobian.cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LE(said.drift.cwiseAbs().maxCoeff(), 4e-15);
  }
}

TEST(LoopRows, OfUniversalJointsAreDerivativesOfTheirErrors) {
  for (int seed = 0; seed < effort(20); ++seed) {
    const Case c = random_tree(static_cast<std::uint64_t>(300 + seed), 8);
    SCOPED_TRACE(c.name);
    Random random(static_cast<std::uint64_t>(seed));
    const RandomState x = random_state(c.model, static_cast<std::uint64_t>(seed));
    const Vec3<double> u1 = random.direction(), any = random.direction();
    const Vec3<double> across = zwang::cross(u1, any), u2 = across * (1 / norm(across));
    LoopConstraint loop;
    loop.name = "loop";
    loop.frame = some_frame(c, random);
    loop.other = some_frame(c, random);
    if (loop.frame == loop.other) continue;
    loop.rows = joint_rows("universal", u1, u2);
    ConstraintSet set(c.model);
    Data data(c.model);
    const Said said = said_by(c.model, data, *set.add(loop).relation, x.q, x.v);
    expect_same(
        said,
        defined_by(c.reference.at(x.q, x.v), {loop.frame}, {loop.other}, loop_errors(loop.rows.matrix, 1, u1, u2)),
        k_tolerance);
  }
}

/// One or three angular rows near half a turn: the logarithm is as smooth there as anywhere below.
TEST(LoopRows, AreExactNearHalfATurn) {
  const Case c = one_joint("spherical", {0, 0, 1});
  LoopConstraint loop, yaw;
  loop.name = "loop";
  loop.frame = yaw.frame = "seat";
  loop.other = yaw.other = "arm";
  yaw.name = "yaw";
  yaw.rows = rows("linear.x angular.z");
  ConstraintSet set(c.model);
  set.add(loop);
  set.add(yaw);
  const Constraint &bound = set["loop"], &single = set["yaw"];
  Random random(6);
  Data data(c.model);
  for (int k = 0; k < 40; ++k) {
    const double angle = 3.14159265358979323846 - std::pow(10.0, -7 * random.uniform(0, 1));
    const Vec3<double> u = random.direction();
    const double s = std::sin(angle / 2);
    Eigen::VectorXd q(4), v = random.vector(3);
    q << u.x * s, u.y * s, u.z * s, std::cos(angle / 2);
    const Said said = said_by(c.model, data, *bound.relation, q, v);
    expect_same(said, defined_by(c.reference.at(q, v), {"seat"}, {"arm"}, loop_errors(loop.rows.matrix, 3)),
                k_tolerance);
    EXPECT_NEAR(static_cast<double>(said.phi.tail(3).norm()), angle, 1e-14);
    const Said one = said_by(c.model, data, *single.relation, q, v);
    expect_same(one, defined_by(c.reference.at(q, v), {"seat"}, {"arm"}, loop_errors(yaw.rows.matrix, 3)), k_tolerance);
    EXPECT_NEAR(static_cast<double>(one.phi(1)), angle * u.z, 1e-14);
  }
}

/// Two angular rows hold an axis. Their error is the angle between the axes, up to half a turn, whatever the turn about
/// the axis; its rate across the angle grows with 1 / sin, and with it the tolerance.
TEST(LoopRows, OfAnAxisMeasureTheAngleUpToHalfATurn) {
  const Case c = one_joint("spherical", {0, 0, 1});
  Random random(16);
  Data data(c.model);
  for (int k = 0; k < effort(200); ++k) {
    const Vec3<double> axis = random.direction(), any = random.direction(), across = zwang::cross(axis, any),
                       u = across * (1 / norm(across));
    LoopConstraint loop;
    loop.name = "loop";
    loop.frame = "seat";
    loop.other = "arm";
    loop.rows = joint_rows("hinge", axis);
    ConstraintSet set(c.model);
    const Constraint& bound = set.add(loop);
    const double pi = 3.14159265358979323846;
    const double angle = k % 3 == 0 ? random.uniform(0, pi) : pi - std::pow(10.0, -5 * random.uniform(0, 1));
    // first any turn about the axis, then the one that takes it away from itself
    const zwang::Quat<double> turn = from_rotation_vector(Vec3<double>(u * angle)) *
                                     from_rotation_vector(Vec3<double>(axis * random.uniform(-3, 3)));
    Eigen::VectorXd q(4), v = random.vector(3);
    q << turn.x, turn.y, turn.z, turn.w;
    const Said said = said_by(c.model, data, *bound.relation, q, v);
    EXPECT_NEAR(static_cast<double>(said.phi.tail(2).norm()), angle, 1e-14);
    const double away = std::max(std::sin(angle), 1e-6);
    expect_same(said, defined_by(c.reference.at(q, v), {"seat"}, {"arm"}, loop_errors(loop.rows.matrix, 2, axis)),
                k_tolerance / away);
  }
}

/// Where the axes are opposed the angle is half a turn, along a direction that is always the same;
/// all numbers are finite.
TEST(LoopRows, OfAnOpposedAxisAreHalfATurnOff) {
  const Case c = one_joint("spherical", {0, 0, 1});
  Random random(17);
  Data data(c.model);
  for (int k = 0; k < 20; ++k) {
    const Vec3<double> axis = k == 0 ? Vec3<double>{0, 0, 1} : random.direction(), any = random.direction();
    const Vec3<double> across = zwang::cross(axis, any), u = across * (1 / norm(across));
    LoopConstraint loop;
    loop.name = "loop";
    loop.frame = "seat";
    loop.other = "arm";
    loop.rows = joint_rows("hinge", axis);
    ConstraintSet set(c.model);
    const Constraint& bound = set.add(loop);
    Eigen::VectorXd q(4), v = random.vector(3);
    q << u.x, u.y, u.z, 0;
    const Said said = said_by(c.model, data, *bound.relation, q, v);
    EXPECT_NEAR(static_cast<double>(said.phi.tail(2).norm()), 3.14159265358979323846, 1e-14);
    EXPECT_TRUE(said.jacobian.allFinite() && said.drift.allFinite());
  }
}

}  // namespace
}  // namespace zwang::test
