// SPDX-License-Identifier: BSD-3-Clause
// Roll, pitch, yaw: the Jacobian is that of the rotation matrix, by dual numbers and complex steps; its rate and its
// inverse are those of the Jacobian; what is no rotation is seen.
#include "zwang/spatial/rpy.hpp"

#include "dense.hpp"

namespace zwang::test {
namespace {

constexpr double k_tolerance = 32 * 2.3e-16;  // products of three sines and cosines

Vec3<double> axis_of(const Mat3<double>& W) {
  return {(W.r2.y - W.r1.z) / 2, (W.r0.z - W.r2.x) / 2, (W.r1.x - W.r0.y) / 2};
}
void expect_near(const Mat3<double>& a, const Mat3<double>& b, double tolerance) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(a[i][j], b[i][j], tolerance) << i << ' ' << j;
}

TEST(RollPitchYaw, JacobianIsThatOfTheRotationAndItsRateThatOfTheJacobian) {
  using D = Dual<double>;
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const bool locked = round % 5 == 0;
    const Vec3<double> x{random.uniform(-4, 4), locked ? 1.5707963267948966 : random.uniform(-4, 4),
                         random.uniform(-4, 4)};
    const Vec3<double> rate{random.normal(), random.normal(), random.normal()};
    const Vec3<D> moving{{x.x, rate.x}, {x.y, rate.y}, {x.z, rate.z}};
    const Mat3<D> moved = rotation_from_rpy(moving);
    Mat3<double> R = rotation_from_rpy(x), R_dot = R, J_dot = R, B_dot = R;
    const Mat3<D> J = rpy_jacobian(moving), B = rpy_body_jacobian(moving);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) R_dot[i][j] = moved[i][j].d, J_dot[i][j] = J[i][j].d, B_dot[i][j] = B[i][j].d;
    const Vec3<double> world = axis_of(R_dot * transpose(R)), body = axis_of(transpose(R) * R_dot);
    const Vec3<double> w = rpy_jacobian(x) * rate, b = rpy_body_jacobian(x) * rate;
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(w[k], world[k], 4 * k_tolerance);
      EXPECT_NEAR(b[k], body[k], 4 * k_tolerance);
    }
    expect_near(rpy_jacobian_dot(x, rate), J_dot, 4 * k_tolerance);
    expect_near(rpy_body_jacobian_dot(x, rate), B_dot, 4 * k_tolerance);
    if (locked) continue;
    const double worse = 1 / std::fabs(std::cos(x.y));
    expect_near(rpy_jacobian_inverse(x) * rpy_jacobian(x), Mat3<double>::identity(), k_tolerance * worse);
    expect_near(rpy_body_jacobian_inverse(x) * rpy_body_jacobian(x), Mat3<double>::identity(), k_tolerance * worse);
  }
}

TEST(RollPitchYaw, SeesWhatIsNoRotation) {
  const Mat3<double> R = rotation_from_rpy(Vec3<double>{0.3, -1.1, 2});
  EXPECT_TRUE(is_rotation(R, 1e-15));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Mat3<double> off = R;
      off[i][j] += 1e-4;
      EXPECT_FALSE(is_rotation(off, 1e-6)) << i << ' ' << j;
    }
  EXPECT_FALSE(is_rotation(Mat3<double>{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}, 1e-6));  // a reflection
  EXPECT_FALSE(is_rotation(Mat3<double>::zero(), 1e-6));
  EXPECT_FALSE(is_rotation(R * std::nan(""), 1e-6));
}

}  // namespace
}  // namespace zwang::test
