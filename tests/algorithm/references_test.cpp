// SPDX-License-Identifier: BSD-3-Clause
// Momenta, wrenches and inertias about other points: 6 x 6 congruences with the frame's pose, written out with Eigen.
#include "zwang/algorithm/references.hpp"

#include <gtest/gtest.h>

#include "algorithm/held.hpp"
#include "support/robots.hpp"
#include "zwang/algorithm/kinematics.hpp"

namespace zwang::test {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Ad(X)^-T: of wrenches, from the frame to where X leads from.
Matrix6 of_wrenches(const Transform<double>& X) {
  Eigen::Matrix3d R, p;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = X.R[i][j];
  p << 0, -X.p.z, X.p.y, X.p.z, 0, -X.p.x, -X.p.y, X.p.x, 0;
  Matrix6 A = Matrix6::Zero();
  A.topLeftCorner<3, 3>() = A.bottomRightCorner<3, 3>() = R;
  A.bottomLeftCorner<3, 3>() = p * R;
  return A;
}
Matrix6 matrix(const Inertia<double>& I) {
  Matrix6 out;
  for (int k = 0; k < 6; ++k) {
    Motion<double> e = Motion<double>::zero();
    e[k] = 1;
    out.col(k) = six(I * e);
  }
  return out;
}

TEST(References, AreCongruencesWithThePoseOfTheFrame) {
  for_cases(40, [](Held& h) {
    for (const Link& link : h.m.links()) {
      if (link.body.value == 0) continue;
      const Transform<double> X = frame_pose(h.m, h.data, h.x.q, link.frame);
      for (const Reference reference : {Reference::local, Reference::world, Reference::local_world_aligned}) {
        Transform<double> seen = X;
        if (reference == Reference::local) seen = Transform<double>::identity();
        if (reference == Reference::local_world_aligned) seen.p = {0, 0, 0};
        const Matrix6 A = of_wrenches(seen);
        const double size = (1 + norm(seen.p)) * (1 + norm(seen.p));
        const Matrix6 I = matrix(composite_inertia(h.m, h.data, h.x.q, link.frame));
        EXPECT_TRUE(within(matrix(composite_inertia(h.m, h.data, h.x.q, link.frame, reference)), A * I * A.transpose(),
                           k_sweep, size * (1 + largest(I))));
        const auto p = six(body_momentum(h.m, h.data, h.x.q, h.x.v, link.frame));
        EXPECT_TRUE(within(six(body_momentum(h.m, h.data, h.x.q, h.x.v, link.frame, reference)), A * p, k_sweep,
                           size * (1 + p.norm())));
        Eigen::MatrixXd rate(6, 6), local(6, 6);
        composite_inertia_rate(h.m, h.data, h.x.q, h.x.v, link.frame, local);
        composite_inertia_rate(h.m, h.data, h.x.q, h.x.v, link.frame, reference, rate);
        EXPECT_TRUE(within(rate, A * local * A.transpose(), k_sweep, size * (1 + largest(local))));
        if (link.joint.value < 0 || h.m.joints()[static_cast<std::size_t>(link.joint.value)].lumped) continue;
        inverse_dynamics(h.m, h.data, h.x.q, h.x.v, h.x.a);
        const LinkId id = h.m.find_link(link.name);
        const auto f = six(joint_wrench(h.m, h.data, id));
        EXPECT_TRUE(
            within(six(joint_wrench(h.m, h.data, h.x.q, id, reference)), A * f, k_sweep, size * (1 + f.norm())));
        Eigen::MatrixXd all(6, static_cast<Index>(h.m.joints().size()));
        joint_wrenches(h.m, h.data, h.x.q, h.x.v, h.x.a, reference, all);
        EXPECT_TRUE(within(all.col(link.joint.value), A * f, k_sweep, size * (1 + f.norm())));
      }
    }
  });
}

// Links that are fixed to each other are one body: without merging, theirs is the sum seen from the frame.
TEST(References, InertiaOfAMergedBodyIsTheSumOfItsLinks) {
  for_cases(40, [](Held& h) {
    for (const Link& link : h.m.links()) {
      if (link.body.value == 0) {
        EXPECT_THROW(body_inertia(h.m, h.data, link.frame), std::invalid_argument);
        continue;
      }
      Matrix6 sum = Matrix6::Zero();
      double size = 1;
      for (const Link& other : h.m.links()) {
        if (other.body != link.body) continue;
        const Matrix6 A = of_wrenches(inverse(link.in_body) * other.in_body);
        const Matrix6 I = matrix(from_centre(other.mass, other.centre, other.inertia));
        sum += A * I * A.transpose();
        size += A.norm() * A.norm() * I.norm();
      }
      EXPECT_TRUE(within(matrix(body_inertia(h.m, h.data, link.frame)), sum, k_sweep, size)) << link.name;
    }
  });
}

}  // namespace
}  // namespace zwang::test
