// SPDX-License-Identifier: BSD-3-Clause
// Distances, rolling, and frames and contacts with a target: J = d phi / dq and J' v far from where they hold.
//
// Tolerance: 1e-12 of the magnitudes of the terms, as for loops.
#include <gtest/gtest.h>

#include "constraint/relations.hpp"

namespace zwang::test {
namespace {

Transform<double> shifted(const Vec3<double>& p) { return {Mat3<double>::identity(), p}; }

/// Asks a random tree for rows between random frames, `n` times.
template <class F> void for_random_trees(int n, std::uint64_t first, F&& f) {
  for (int seed = 0; seed < effort(n); ++seed) {
    const std::uint64_t k = first + static_cast<std::uint64_t>(seed);
    const Case c = random_tree(k, 8);
    SCOPED_TRACE(c.name);
    Random random(k + 31);
    const RandomState x = random_state(c.model, k);
    Data data(c.model);
    f(c, random, x, c.reference.at(x.q, x.v), data);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(DistanceRows, AreDerivativesOfTheDistance) {
  for_random_trees(
      40, 0, [](const Case& c, Random& random, const RandomState& x, const reference::State& s, Data& data) {
        DistanceConstraint d;
        d.name = "rod";
        d.frame = some_frame(c, random);
        d.other = some_frame(c, random);
        d.point = random.direction();
        d.other_point = random.direction() * 0.3;
        d.length = random.uniform(0.1, 2);
        ConstraintSet set(c.model);
        const Said said = said_by(c.model, data, *set.add(d).relation, x.q, x.v);
        if (c.model.frame(d.frame).body.value != c.model.frame(d.other).body.value)
          expect_given(c, data, said, *set["rod"].relation, d.other,
                       {pose_now(c, data, d.frame).R, (pose_now(c, data, d.other) * shifted(d.other_point)).p});
        expect_same(said,
                    defined_by(s, {d.frame, shifted(d.point)}, {d.other, shifted(d.other_point)},
                               [&](const JetPose& A, const JetPose& B) {
                                 const JetVector r = B.p - A.p;
                                 return std::vector<J>{root(dot(r, r)) - J(Real(d.length))};
                               }),
                    k_tolerance);
      });
}

TEST(DistanceRows, OfPointsThatCoincideAreZero) {
  const Case c = random_tree(4, 6);
  DistanceConstraint d;
  d.name = "rod";
  d.frame = d.other = "far";
  d.length = 0.5;
  ConstraintSet set(c.model);
  Data data(c.model);
  const RandomState x = random_state(c.model, 2);
  const Said said = said_by(c.model, data, *set.add(d).relation, x.q, x.v);
  EXPECT_EQ(said.phi(0), -0.5L);
  EXPECT_EQ(said.jacobian.cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(said.drift(0), 0);
}

/// d/dt of the material velocity at the contact, seen from the plane, along t1, t2, n; and the height.
struct Wheel {
  RollingConstraint r;
  JetVector normal, tangent, axis;
  explicit Wheel(const RollingConstraint& rolling) : r(rolling) {
    const Vec3<double> n = r.normal * (1 / norm(r.normal));
    Vec3<double> t = r.tangent - n * zwang::dot(r.tangent, n);
    t = t * (1 / norm(t));
    normal = constant(n);
    tangent = constant(t);
    if (norm(r.axis) > 0) axis = constant(r.axis * (1 / norm(r.axis)));
  }
  struct Contact {
    JetVector t1, t2, n, c;
  };
  Contact contact(const JetPose& A, const JetPose& B) const {
    Contact x;
    x.n = times(A.R, normal);
    x.t1 = times(A.R, tangent);
    JetVector down = scaled(x.n, J(-1));
    if (norm(r.axis) > 0) {
      const JetVector u = times(B.R, axis), flat = x.n - scaled(u, dot(u, x.n));
      down = scaled(flat, J(-1) * inverse(root(dot(flat, flat))));
      const JetVector across = cross(u, x.n);
      x.t1 = scaled(across, inverse(root(dot(across, across))));
    }
    x.t2 = cross(x.n, x.t1);
    x.c = B.p + scaled(down, J(Real(r.radius)));
    return x;
  }
};

/// Velocity of the material point of X at c: jets of position and axes give v and w by their second unit.
JetVector material(const JetPose& X, const JetVector& c) {
  // p' + R' R^T (c - p), each with its rate: of a jet a + b e1 + c e2 + d e1 e2 the e2 part is (c, d).
  const auto rate = [](const J& x) { return J(x.c, x.d, Real(0), Real(0)); };
  const auto now = [](const J& x) { return J(x.a, x.b, Real(0), Real(0)); };
  JetMatrix dR, R;
  JetVector dp, r;
  for (int i = 0; i < 3; ++i) {
    dp(i) = rate(X.p(i));
    r(i) = now(c(i)) - now(X.p(i));
    for (int j = 0; j < 3; ++j) {
      dR(i, j) = rate(X.R(i, j));
      R(i, j) = now(X.R(i, j));
    }
  }
  return dp + JetVector(dR * JetVector(R.transpose() * r));
}

Defined rolling_rows(const reference::State& s, const Side& plane, const Side& wheel, const Wheel& w) {
  const auto now = [](const JetVector& x) {
    JetVector y;
    for (int i = 0; i < 3; ++i) y(i) = J(x(i).a, x(i).b, Real(0), Real(0));
    return y;
  };
  const auto slip = [&](const JetPose& A, const JetPose& B) {
    const Wheel::Contact x = w.contact(A, B);
    const JetVector u = material(B, x.c) - material(A, x.c);
    return std::vector<J>{dot(now(x.t1), u), dot(now(x.t2), u), dot(now(x.n), u)};
  };
  const JetPose A = pose_in_time(s, plane), B = pose_in_time(s, wheel);
  const std::vector<J> v = slip(A, B);
  const Wheel::Contact x = w.contact(A, B);
  Defined d{Vec(3), Mat(3, s.v().size()), Vec(3)};
  d.phi << std::nanl(""), std::nanl(""), dot(x.n, x.c - A.p).a;
  for (int r = 0; r < 3; ++r) d.drift(r) = v[static_cast<std::size_t>(r)].b;
  const auto along = [&](const Side& side, int k) {  // the unit of coordinate k as rate: into e2
    JetPose X = pose_along(s, side, k);
    for (int i = 0; i < 3; ++i) {
      std::swap(X.p(i).b, X.p(i).c);
      for (int j = 0; j < 3; ++j) std::swap(X.R(i, j).b, X.R(i, j).c);
    }
    return X;
  };
  for (int k = 0; k < s.v().size(); ++k) {
    const std::vector<J> u = slip(along(plane, k), along(wheel, k));
    for (int r = 0; r < 3; ++r) d.jacobian(r, k) = u[static_cast<std::size_t>(r)].a;
  }
  // The height is a position: its derivative is the third row.
  const Defined height = defined_by(s, plane, wheel, [&](const JetPose& P, const JetPose& Q) {
    const Wheel::Contact y = w.contact(P, Q);
    return std::vector<J>{dot(y.n, y.c - P.p)};
  });
  EXPECT_LE((height.jacobian.row(0) - d.jacobian.row(2)).cwiseAbs().maxCoeff(),
            1e-13L * (1 + d.jacobian.cwiseAbs().maxCoeff()));
  EXPECT_NEAR(static_cast<double>(height.drift(0)), static_cast<double>(d.drift(2)),
              1e-13 * (1 + std::fabs(static_cast<double>(d.drift(2)))));
  return d;
}

TEST(RollingRows, AreVelocitiesOfTheMaterialPointAtTheContact) {
  for_random_trees(
      60, 50, [](const Case& c, Random& random, const RandomState& x, const reference::State& s, Data& data) {
        RollingConstraint r;
        r.name = "wheel";
        r.frame = some_frame(c, random);
        r.radius = random.uniform(0.1, 1);
        if (random.below(3) > 0) r.axis = random.direction() * 2.0;
        if (random.below(2)) r.other = some_frame(c, random);
        if (r.other == r.frame) r.other = "";
        r.normal = random.direction() * 0.5;
        r.tangent = random.direction();
        r.plane_point = random.direction();
        ConstraintSet set(c.model);
        const Constraint& bound = set.add(r);
        const Said said = said_by(c.model, data, *bound.relation, x.q, x.v);
        expect_same(said, rolling_rows(s, {r.other, shifted(r.plane_point)}, {r.frame}, Wheel(r)), k_tolerance);
        if (r.other.empty() || c.model.frame(r.frame).body.value != c.model.frame(r.other).body.value)
          expect_given(c, data, said, *bound.relation, r.frame,
                       {pose_now(c, data, r.other).R, pose_now(c, data, r.frame).p});
        // Fewer rows are rows of these.
        r.name = "skate";
        r.rows = "tangent2,normal";
        const Said two = said_by(c.model, data, *set.add(r).relation, x.q, x.v);
        EXPECT_EQ((two.jacobian - said.jacobian.bottomRows(2)).cwiseAbs().maxCoeff(), 0);
        EXPECT_EQ((two.drift - said.drift.tail(2)).cwiseAbs().maxCoeff(), 0);
        EXPECT_EQ(two.phi(1), said.phi(2));
      });
}

/// A cart with a wheel: at constant speeds it rolls in a circle, as the rows want it to, for ever. (A point fixed to
/// the wheel at the contact would be seen to accelerate.)
TEST(RollingRows, OfAWheelInACircleAskForNothing) {
  constexpr double radius = 0.25, spin = 3, yaw = 0.7;
  RobotDescription d;
  d.links = {make_link("floor", 1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}), make_link("cart", 1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}),
             make_link("wheel", 1, {0, 0, 0}, {1, 0, 0, 1, 0, 1})};
  d.joints = {make_joint("drive", "planar", "floor", "cart", {0, 0, 1}),
              make_joint("axle", "revolute", "cart", "wheel", {0, 1, 0}, {0, 0, radius})};
  const Case c(d, {}, "cart");
  RollingConstraint r;
  r.name = "wheel";
  r.frame = "wheel";
  r.radius = radius;
  r.axis = {0, 2, 0};
  ConstraintSet set(c.model);
  const Constraint& bound = set.add(r);
  EXPECT_TRUE(bound.unilateral);
  Random random(5);
  Data data(c.model);
  Eigen::VectorXd v = Eigen::VectorXd::Zero(4);
  v.segment(c.model.joint("drive").v.first, 3) << radius * spin, 0, yaw;
  v(c.model.joint("axle").v.first) = spin;
  for (int k = 0; k < 20; ++k) {
    const Said said = said_by(c.model, data, *bound.relation, random_configuration(c.model, random), v);
    EXPECT_LE(std::fabs(said.phi(2)), 1e-15);
    EXPECT_LE((said.jacobian * v.cast<Real>()).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LE(said.drift.cwiseAbs().maxCoeff(), 1e-14);
    const Real forward = said.jacobian(0, c.model.joint("axle").v.first);  // the rim runs back under the axle
    EXPECT_NEAR(static_cast<double>(forward), -radius, 1e-15);
  }
}

TEST(RollingRows, OfAWheelThatLiesFlatAreZero) {
  const Case c = random_tree(0, 4);
  RollingConstraint r;
  r.name = "coin";
  r.frame = "plate";
  r.other = "plate";
  r.axis = {0, 0, 1};
  r.radius = 0.2;
  ConstraintSet set(c.model);
  Data data(c.model);
  const RandomState x = random_state(c.model, 2);
  const Said said = said_by(c.model, data, *set.add(r).relation, x.q, x.v);
  EXPECT_EQ(said.jacobian.cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(said.drift.cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(said.phi(2), 0);
}

TEST(ContactRows, WithATargetAreDerivativesOfTheWayToIt) {
  for_random_trees(
      30, 200, [](const Case& c, Random& random, const RandomState& x, const reference::State& s, Data& data) {
        ContactConstraint f;
        f.name = "foot";
        f.frame = some_frame(c, random);
        f.point = random.direction() * 0.3;
        f.normal = random.direction();
        f.tangent = random.direction();
        f.has_target = true;
        f.target_point = random.direction();
        ConstraintSet set(c.model);
        const Constraint& bound = set.add(f);
        const Said said = said_by(c.model, data, *bound.relation, x.q, x.v);
        expect_given(c, data, said, *bound.relation, f.frame,
                     {Mat3<double>::identity(), (pose_now(c, data, f.frame) * shifted(f.point)).p});
        const Vec3<double> n = f.normal;
        Vec3<double> t = f.tangent - n * zwang::dot(f.tangent, n);
        t = t * (1 / norm(t));
        const JetVector axes[3] = {constant(t), constant(zwang::cross(n, t)), constant(n)};
        expect_same(said,
                    defined_by(s, {}, {f.frame, shifted(f.point)},
                               [&](const JetPose&, const JetPose& B) {
                                 const JetVector way = B.p - constant(f.target_point);
                                 return std::vector<J>{dot(axes[0], way), dot(axes[1], way), dot(axes[2], way)};
                               }),
                    k_tolerance);
        f.has_target = false;  // the same rows without an error
        f.name = "plain";
        EXPECT_EQ(set.add(f).relation, nullptr);
        EXPECT_EQ(set["plain"].rows_on_body->matrix, set["foot"].rows_on_body->matrix);
      });
}

/// types/frame.hpp: in axes that stand still, psi of R R_t^T; in the frame's own, minus psi of the target seen from it.
Errors to_target(const FrameConstraint& f, const JetMatrix& axes) {
  return [=](const JetPose&, const JetPose& B) {
    const JetPose T = reference::widen<J>(reference::pose_of(f.target_pose));
    JetVector p, w;
    if (f.in == "local") {
      p = B.R.transpose() * JetVector(B.p - T.p);
      w = scaled(rotation_vector(B.R.transpose() * T.R), J(-1));
    } else {
      p = axes.transpose() * JetVector(B.p - T.p);
      w = axes.transpose() * rotation_vector(B.R * T.R.transpose());
    }
    std::vector<J> out;
    for (std::size_t r = 0; r < f.rows.matrix.size() / 6; ++r) {
      J sum(0);
      for (int k = 0; k < 6; ++k)
        sum += J(Real(f.rows.matrix[6 * r + static_cast<std::size_t>(k)])) * (k < 3 ? p(k) : w(k - 3));
      out.push_back(sum);
    }
    return out;
  };
}

TEST(FrameRows, WithATargetAreDerivativesOfTheErrorOfPose) {
  for_random_trees(60, 400,
                   [](const Case& c, Random& random, const RandomState& x, const reference::State& s, Data& data) {
                     FrameConstraint f;
                     f.name = "hold";
                     f.frame = some_frame(c, random);
                     const char* const in[] = {"local", "local_world_aligned", "plate"};
                     f.in = in[random.below(3)];
                     f.has_target = true;
                     f.target_pose = random.pose();
                     std::vector<double> matrix;
                     for (int k = 0; k < 18; ++k) matrix.push_back(random.uniform(-1, 1));
                     f.rows = random.below(2) ? rows("all") : rows(matrix);
                     ConstraintSet set(c.model);
                     const Constraint& bound = set.add(f);
                     JetMatrix axes = JetMatrix::Identity();
                     if (f.in == "plate") axes = reference::widen<J>(s.pose("plate")).R;
                     const Said said = said_by(c.model, data, *bound.relation, x.q, x.v);
                     expect_same(said, defined_by(s, {}, {f.frame}, to_target(f, axes)), k_tolerance);
                     const std::string seen_by = f.in == "local" ? f.frame : f.in == "plate" ? "plate" : "";
                     expect_given(c, data, said, *bound.relation, f.frame,
                                  {pose_now(c, data, seen_by).R, pose_now(c, data, f.frame).p});
                   });
}

/// On the target the rows with and without one are the same (in axes that turn with the frame but for the rate of
/// these: R^T (a - 2 w x v) is the second derivative), and so is the wrench that users see.
TEST(FrameRows, OnTheTargetAreThoseWithoutOne) {
  for_random_trees(
      30, 500, [](const Case& c, Random& random, const RandomState& x, const reference::State& s, Data& data) {
        for (const char* in : {"local", "local_world_aligned", "plate"}) {
          SCOPED_TRACE(in);
          FrameConstraint f;
          f.name = in;
          f.frame = some_frame(c, random);
          f.in = in;
          f.has_target = true;
          forward_kinematics(c.model, data, x.q);
          f.target_pose = frame_pose(c.model, data, c.model.find_frame(f.frame));
          ConstraintSet set(c.model);
          const Relation& relation = *set.add(f).relation;
          const Said said = said_by(c.model, data, relation, x.q, x.v);
          EXPECT_LE(said.phi.cwiseAbs().maxCoeff(), 1e-13);
          using reference::Axes;
          Mat expected = s.jacobian(f.frame, f.in == "local" ? Axes::local : Axes::local_world_aligned);
          Vec drift =
              s.acceleration(f.frame, Vec::Zero(s.v().size()),
                             f.in == "local" ? Axes::local : Axes::local_world_aligned, reference::Kind::classical);
          if (f.in == "local") {
            const reference::Vector6<Real> v = s.velocity(f.frame, Axes::local);
            drift.head(3) -= 2 * reference::Vector3<Real>(v.tail(3)).cross(reference::Vector3<Real>(v.head(3)));
          }
          if (f.in == "plate")
            for (int part = 0; part < 6; part += 3) {
              const auto R = s.pose("plate").R;
              expected.middleRows(part, 3) = (R.transpose() * expected.middleRows(part, 3)).eval();
              drift.segment(part, 3) = (R.transpose() * drift.segment(part, 3)).eval();
            }
          const Real scale = 1 + said.size_of_jacobian.maxCoeff();
          EXPECT_LE((said.jacobian - expected).cwiseAbs().maxCoeff(), k_tolerance * scale);
          EXPECT_LE((said.drift - drift).cwiseAbs().maxCoeff(), k_tolerance * (scale + said.size_of_drift.maxCoeff()));
          for (int r = 0; r < 6; ++r)
            for (int k = 0; k < 6; ++k)
              EXPECT_NEAR(said.as_given[static_cast<std::size_t>(6 * r + k)], r == k ? 1 : 0, 1e-12);
        }
      });
}

}  // namespace
}  // namespace zwang::test
