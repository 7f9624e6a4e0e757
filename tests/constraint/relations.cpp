// SPDX-License-Identifier: BSD-3-Clause
#include "constraint/relations.hpp"

namespace zwang::test {
namespace {

using reference::Axes;
using reference::Kind;
using reference::Matrix3;
using reference::Pose;
using reference::Vector3;

Matrix3<Real> skew(const Vector3<Real>& a) {
  Matrix3<Real> m;
  m << 0, -a(2), a(1), a(2), 0, -a(0), -a(1), a(0), 0;
  return m;
}

/// R, p and their derivatives, put into a jet: R1 = [w1] R and so on.
JetPose jet(const Pose<Real>& X, const Matrix3<Real>& R1, const Vector3<Real>& p1, const Matrix3<Real>& R2,
            const Vector3<Real>& p2, const Matrix3<Real>& R12, const Vector3<Real>& p12) {
  JetPose out;
  for (int i = 0; i < 3; ++i) {
    out.p(i) = J(X.p(i), p1(i), p2(i), p12(i));
    for (int j = 0; j < 3; ++j) out.R(i, j) = J(X.R(i, j), R1(i, j), R2(i, j), R12(i, j));
  }
  return out;
}

JetPose with_offset(const JetPose& X, const Transform<double>& offset) {
  return X * reference::widen<J>(reference::pose_of(offset));
}

}  // namespace

JetVector rotation_vector(const JetMatrix& R) {
  const J half(Real(0.5)), c = (R(0, 0) + R(1, 1) + R(2, 2) - J(1)) * half;
  const JetVector sine{(R(2, 1) - R(1, 2)) * half, (R(0, 2) - R(2, 0)) * half, (R(1, 0) - R(0, 1)) * half};
  if (c.a > 0) {
    const J s = root(dot(sine, sine));
    return scaled(sine, angle(s, c) * inverse(s));
  }
  // Beyond a quarter turn the axis comes from the symmetric part, c 1 + (1 - c) u u^T,
  // which stays clear at half a turn.
  JetMatrix square;
  const J scale = inverse(J(1) - c);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) square(i, j) = ((R(i, j) + R(j, i)) * half - (i == j ? c : J(0))) * scale;
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (square(i, i).a > square(k, k).a) k = i;
  const J along = root(square(k, k));
  JetVector u = scaled(JetVector(square.col(k)), inverse(along));
  if (dot(u, sine).a < 0) u = scaled(u, J(-1));
  return scaled(u, angle(dot(u, sine), c));
}

JetPose pose_along(const reference::State& s, const Side& side, int k) {
  const Matrix3<Real> none = Matrix3<Real>::Zero();
  const Vector3<Real> rest = Vector3<Real>::Zero();
  if (side.frame.empty()) return with_offset(jet({}, none, rest, none, rest, none, rest), side.offset);
  const Pose<Real> X = s.pose(side.frame);
  const reference::Vector6<Real> along = s.jacobian(side.frame, Axes::local_world_aligned).col(k);
  return with_offset(jet(X, skew(along.tail(3)) * X.R, along.head(3), none, rest, none, rest), side.offset);
}

JetPose pose_in_time(const reference::State& s, const Side& side) {
  const Matrix3<Real> none = Matrix3<Real>::Zero();
  const Vector3<Real> rest = Vector3<Real>::Zero();
  if (side.frame.empty()) return with_offset(jet({}, none, rest, none, rest, none, rest), side.offset);
  const Pose<Real> X = s.pose(side.frame);
  const reference::Vector6<Real> v = s.velocity(side.frame, Axes::local_world_aligned);
  const reference::Vector6<Real> a =
      s.acceleration(side.frame, Vec::Zero(s.v().size()), Axes::local_world_aligned, Kind::classical);
  const Matrix3<Real> w = skew(v.tail(3)), R1 = w * X.R, R2 = (skew(a.tail(3)) + w * w) * X.R;
  return with_offset(jet(X, R1, v.head(3), R1, v.head(3), R2, a.head(3)), side.offset);
}

Defined defined_by(const reference::State& s, const Side& a, const Side& b, const Errors& errors) {
  const std::vector<J> now = errors(pose_in_time(s, a), pose_in_time(s, b));
  const Eigen::Index rows = static_cast<Eigen::Index>(now.size()), nv = s.v().size();
  Defined d{Vec(rows), Mat(rows, nv), Vec(rows)};
  for (Eigen::Index r = 0; r < rows; ++r) {
    d.phi(r) = now[static_cast<std::size_t>(r)].a;
    d.drift(r) = now[static_cast<std::size_t>(r)].d;
  }
  for (int k = 0; k < nv; ++k) {
    const std::vector<J> e = errors(pose_along(s, a, k), pose_along(s, b, k));
    for (Eigen::Index r = 0; r < rows; ++r) d.jacobian(r, k) = e[static_cast<std::size_t>(r)].b;
  }
  for (Eigen::Index r = 0; r < rows; ++r)  // phi' = J v: the jets agree with each other
    EXPECT_NEAR(static_cast<double>(now[static_cast<std::size_t>(r)].b), static_cast<double>(d.jacobian.row(r) * s.v()),
                1e-13 * (1 + static_cast<double>(d.jacobian.row(r).cwiseAbs() * s.v().cwiseAbs())));
  return d;
}

Said said_by(const Model& model, Data& data, const Relation& relation, const Eigen::VectorXd& q,
             const Eigen::VectorXd& v) {
  const Index rows = relation.rows(), n = static_cast<Index>(relation.bodies().size());
  const std::size_t m = static_cast<std::size_t>(rows);
  const double nan = std::nan("");
  std::vector<double> phi(m, nan), gamma(m, nan);
  Said x;
  x.K.assign(m * static_cast<std::size_t>(n), {{nan, nan, nan}, {nan, nan, nan}});
  x.as_given.assign(6 * m, nan);
  forward_kinematics(model, data, q, v);
  relation.evaluate(data, q.data(), v.data(), {phi.data(), gamma.data(), x.K.data(), x.as_given.data()});
  const Tree<double>& tree = model.tree<double>();
  x.phi = x.drift = x.size_of_drift = Vec::Zero(rows);
  x.jacobian = x.size_of_jacobian = Mat::Zero(rows, model.nv());
  for (Index r = 0; r < rows; ++r) {
    x.phi(r) = phi[static_cast<std::size_t>(r)];
    x.drift(r) = gamma[static_cast<std::size_t>(r)];
    x.size_of_drift(r) = std::fabs(gamma[static_cast<std::size_t>(r)]);
    for (Index t = 0; t < n; ++t) {
      const Force<double>& K = x.K[static_cast<std::size_t>(t * rows + r)];
      const Index body = relation.bodies()[static_cast<std::size_t>(t)];
      if (body == 0) {
        for (int i = 0; i < 6; ++i) EXPECT_TRUE(std::isfinite(K[i]));
        continue;
      }
      for (int i = 0; i < 6; ++i) {
        const double bias = data.velocity.bias[body][i] + (i < 3 ? data.gravity[i] : 0);
        x.drift(r) += Real(K[i]) * bias;
        x.size_of_drift(r) +=
            std::fabs(K[i]) * (std::fabs(data.velocity.bias[body][i]) + (i < 3 ? norm(data.gravity) : 0));
      }
      for (Index b = body; b > 0; b = tree.body[b].parent)
        for (Index k = tree.body[b].v; k < tree.body[b].v + tree.body[b].nv; ++k)
          for (int i = 0; i < 6; ++i) {
            const Real term = Real(K[i]) * data.articulated.column[k].s[i] * tree.column[k].multiplier;
            x.jacobian(r, tree.column[k].v) += term;
            x.size_of_jacobian(r, tree.column[k].v) += std::fabs(term);
          }
    }
  }
  return x;
}

void expect_same(const Said& got, const Defined& expected, double tolerance) {
  ASSERT_EQ(got.phi.size(), expected.phi.size());
  for (Eigen::Index r = 0; r < got.phi.size(); ++r) {
    SCOPED_TRACE("row " + std::to_string(r));
    if (std::isnan(expected.phi(r)))
      EXPECT_TRUE(std::isnan(got.phi(r)));
    else
      EXPECT_LE(std::fabs(got.phi(r) - expected.phi(r)), tolerance * (1 + std::fabs(expected.phi(r)))) << got.phi(r);
    const Real size = 1 + got.size_of_jacobian.row(r).maxCoeff() + expected.jacobian.row(r).cwiseAbs().maxCoeff();
    EXPECT_LE((got.jacobian.row(r) - expected.jacobian.row(r)).cwiseAbs().maxCoeff(), tolerance * size)
        << got.jacobian.row(r) << "\n"
        << expected.jacobian.row(r);
    EXPECT_LE(std::fabs(got.drift(r) - expected.drift(r)),
              tolerance * (size + got.size_of_drift(r) + std::fabs(expected.drift(r))))
        << got.drift(r) << " " << expected.drift(r);
  }
}

Transform<double> pose_now(const Case& c, const Data& data, const std::string& frame) {
  return frame.empty() ? Transform<double>::identity() : frame_pose(c.model, data, c.model.find_frame(frame));
}

void expect_given(const Case& c, const Data& data, const Said& said, const Relation& relation, const std::string& on,
                  Transform<double> seen) {
  const Index body = c.model.frame(on).body.value, rows = relation.rows();
  if (body == 0) return;
  seen.p -= data.position.centre[data.tree().body[body].root];
  Index t = 0;
  while (relation.bodies().at(static_cast<std::size_t>(t)) != body) ++t;
  for (Index r = 0; r < rows; ++r) {
    const double* const g = &said.as_given[static_cast<std::size_t>(6 * r)];
    const Force<double> moved = seen * Force<double>{{g[0], g[1], g[2]}, {g[3], g[4], g[5]}};
    EXPECT_TRUE(within(six(moved), six(said.K[static_cast<std::size_t>(t * rows + r)]), 1e-13, 10));
  }
}

Case random_tree(std::uint64_t seed, int joints) {
  const char* const roots[] = {"fixed", "floating", "planar", "spherical"};
  RobotDescription d = random_description(seed, joints, roots[seed % 4]);
  Random random(seed + 4242);
  const std::string ground = d.links.front().name;  // `world`, or the fixed first link
  const auto link = [&] {
    return d.links[static_cast<std::size_t>(random.below(static_cast<int>(d.links.size())))].name;
  };
  d.frames.push_back({"far", link(), random.pose(2)});
  d.frames.push_back({"plate", ground, random.pose()});
  d.frames.push_back({"rail", ground, random.pose()});
  BuildOptions options;
  options.lump = seed % 3 != 0;
  options.gravity = {random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-12, 3)};
  return Case(d, options, "random tree " + std::to_string(seed));
}

std::string some_frame(const Case& c, Random& random) {
  static const char* const own[] = {"far", "plate", "rail"};
  if (random.below(4) == 0) return own[random.below(3)];
  const auto& links = c.model.links();
  return links[static_cast<std::size_t>(random.below(static_cast<int>(links.size())))].name;
}

}  // namespace zwang::test
