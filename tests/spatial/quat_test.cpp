// SPDX-License-Identifier: BSD-3-Clause
// Quaternions: they compose and turn as their matrices do, and come back from matrices, angles and rotation vectors.
#include "dense.hpp"

namespace zwang::test {
namespace {

constexpr int k_rounds = 200;
constexpr long double k_tolerance = 32;  // roundings of numbers of size 1 in chains of at most a dozen products

template <class S> struct Quaternion : ::testing::Test {
  Draw<S> draw{41};
  /// A unit quaternion uniform over rotations in every lane, with tangent derivatives.
  Quat<S> attitude() {
    Quat<S> q{S(0), S(0), S(0), S(0)};
    for (int lane = 0; lane < lanes_of<S>; ++lane) {
      const std::array<double, 4> u = draw.random.unit_quaternion();
      S* const part[] = {&q.x, &q.y, &q.z, &q.w};
      for (int i = 0; i < 4; ++i) Lanes<S>::set(*part[i], lane, u[i], draw.random.uniform(-1, 1));
    }
    return normalized(q);
  }
};
TYPED_TEST_SUITE(Quaternion, AllScalars);

template <class S> Dense<S, 4, 1> column4(const Quat<S>& q) {
  Dense<S, 4, 1> r;
  r(0, 0) = q.x, r(1, 0) = q.y, r(2, 0) = q.z, r(3, 0) = q.w;
  return r;
}
/// The one of q and -q, lane by lane, that lies on the side of `other`.
template <class S> Quat<S> same_side(const Quat<S>& q, const Quat<S>& other) {
  return select(less(dot(q, other), S(0)), -q, q);
}

TYPED_TEST(Quaternion, ComposesAndTurnsAsItsMatrix) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Quat<S> a = this->attitude(), b = this->attitude();
    const Vec3<S> v = this->draw.vector(2);
    expect_equal(dense(rotation(a * b)), dense(rotation(a)) * dense(rotation(b)), k_tolerance);
    expect_equal(column(rotate(a, v)), dense(rotation(a)) * column(v), k_tolerance, 4);
    expect_equal(dense(rotation(a)) * transposed(dense(rotation(a))), unit_matrix<S, 3>(), k_tolerance);
    expect_equal(dense(rotation(conjugate(a))), transposed(dense(rotation(a))), k_tolerance);
    expect_equal(dense(rotation(-a)), dense(rotation(a)), 4);
    expect_equal(column4(a * conjugate(a)), column4(Quat<S>::identity()), k_tolerance);
    const S size = b.x + Uniform<S>(2);
    const Quat<S> scaled{a.x * size, a.y * size, a.z * size, a.w * size};
    expect_equal(column4(normalized(scaled)), column4(a), k_tolerance, 4);
  }
}

// The rotation of a quaternion is that of its direction: its length, near or far from 1, does not count.
TYPED_TEST(Quaternion, TurnsByItsDirectionWhateverItsLength) {
  using S = TypeParam;
  for (const double length : {1 + 1e-6, 1 - 1e-6, 1 + 1e-3, 0.01, 40.0}) {
    for (int round = 0; round < k_rounds; ++round) {
      const Quat<S> a = this->attitude();
      const Uniform<S> k(static_cast<Uniform<S>>(length));
      const Quat<S> scaled{a.x * k, a.y * k, a.z * k, a.w * k};
      const Vec3<S> v = this->draw.vector(2);
      expect_equal(dense(rotation(scaled)), dense(rotation(a)), k_tolerance);
      expect_equal(column(rotate(scaled, v)), column(rotate(a, v)), k_tolerance, 4);
    }
  }
}

TYPED_TEST(Quaternion, TurnsRightHanded) {
  using S = TypeParam;
  const S angle = this->draw.number(3);
  const SinCos<S> half = sincos(S(angle * Uniform<S>(0.5))), full = sincos(angle);
  const Vec3<S> turned = rotate(Quat<S>{S(0), S(0), half.sin, half.cos}, Vec3<S>(S(1), S(0), S(0)));
  expect_equal(column(turned), column(Vec3<S>(full.cos, full.sin, S(0))), k_tolerance);
}

// Random attitudes reach all four divisors; half turns about and between the axes are added, where w is 0.
TYPED_TEST(Quaternion, ComesBackFromItsMatrix) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Quat<S> q = this->attitude();
    expect_equal(column4(same_side(from_rotation(rotation(q)), q)), column4(q), k_tolerance);
  }
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        for (int w = -1; w <= 1; ++w) {
          if (x == 0 && y == 0 && z == 0 && w == 0) continue;
          const Quat<S> q = normalized(Quat<S>{S(x), S(y), S(z), S(w)});
          const Quat<S> r = from_rotation(rotation(q));
          ASSERT_TRUE(is_finite(r.x) && is_finite(r.y) && is_finite(r.z) && is_finite(r.w));
          for (int lane = 0; lane < lanes_of<S>; ++lane)
            EXPECT_TRUE(near(std::fabs(Lanes<S>::value(dot(q, r), lane)), 1, k_tolerance * rounding<S>));
        }
}

TYPED_TEST(Quaternion, OfRollPitchAndYawTurnsAboutFixedAxes) {
  using S = TypeParam;
  const Vec3<S> x(S(1), S(0), S(0)), y(S(0), S(1), S(0)), z(S(0), S(0), S(1));
  for (int round = 0; round < k_rounds; ++round) {
    const Vec3<S> rpy(this->draw.number(3.1), this->draw.number(1.4), this->draw.number(3.1));
    const Quat<S> q = from_rotation_vector(Vec3<S>(z * rpy.z)) * from_rotation_vector(Vec3<S>(y * rpy.y)) *
                      from_rotation_vector(Vec3<S>(x * rpy.x));
    expect_equal(column4(from_rpy(rpy)), column4(q), k_tolerance);
    expect_equal(dense(rotation_from_rpy(rpy)), dense(rotation(q)), k_tolerance);
    // Near pitch = pi/2 roll and yaw are known to a rounding over cos(pitch); cos 1.4 = 0.17.
    expect_equal(column(rpy_from_rotation(rotation_from_rpy(rpy))), column(rpy), 8 * k_tolerance, 4);
  }
}

TYPED_TEST(Quaternion, OfRollPitchAndYawComesBackAtTheSingularPitch) {
  using S = TypeParam;
  for (const double off : {0.0, 1e-17, 1e-12, 1e-7, 1e-4, 1e-2})
    for (const double side : {-1.0, 1.0}) {
      const S pitch(static_cast<Uniform<S>>(side * (1.5707963267948966 - off)));
      const Mat3<S> R = rotation_from_rpy(Vec3<S>(this->draw.number(3), pitch, this->draw.number(3)));
      const Vec3<S> back = rpy_from_rotation(R);
      ASSERT_TRUE(is_finite(back.x) && is_finite(back.y) && is_finite(back.z));
      const Mat3<S> again = rotation_from_rpy(back);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (int lane = 0; lane < lanes_of<S>; ++lane)
            ASSERT_TRUE(
                near(Lanes<S>::value(again(i, j), lane), Lanes<S>::value(R(i, j), lane), k_tolerance * rounding<S>))
                << off;
    }
}

TYPED_TEST(Quaternion, OfARotationVectorIsHalfItsAngleAlongIt) {
  using S = TypeParam;
  const auto program = [](const auto& x) {
    using T = typename std::remove_cvref_t<decltype(x)>::value_type;
    const Quat<T> q = from_rotation_vector(Vec3<T>(x[0], x[1], x[2]));
    return std::vector<T>{q.x, q.y, q.z, q.w};
  };
  for (int round = 0; round < k_rounds; ++round) {
    const auto inputs = [&](int) {  // from 1e-20 to several turns, distinct in each lane
      const double size = std::pow(10.0, this->draw.random.uniform(-20, 1.2));
      std::vector<double> phi(3);
      for (double& a : phi) a = size * this->draw.random.uniform(-1, 1);
      return phi;
    };
    expect_like_long_double<S>(program, inputs, k_tolerance, this->draw.random);
  }
}

// Against long double sine and cosine of the half angle, relative to the vector part.
TEST(QuaternionOfDouble, OfARotationVectorHasFullRelativeAccuracy) {
  Random random(42);
  for (int round = 0; round < 20000; ++round) {
    const double size = std::pow(10.0, random.uniform(-20, 0.49));
    const Vec3<double> phi{size * random.normal() / 2, size * random.normal() / 2, size * random.normal() / 2};
    const Vec3<long double> exact = widen<long double>(phi);
    const long double angle = norm(exact);
    if (angle > 3.14L) continue;
    const Quat<double> q = from_rotation_vector(phi);
    const long double k = angle > 0 ? std::sin(angle / 2) / angle : 0.5L;
    ASSERT_TRUE(near(q.x, exact.x * k, 4e-16L * std::fabs(exact.x * k)));
    ASSERT_TRUE(near(q.z, exact.z * k, 4e-16L * std::fabs(exact.z * k)));
    ASSERT_TRUE(near(q.w, std::cos(angle / 2), 3e-16L));
  }
}

}  // namespace
}  // namespace zwang::test
