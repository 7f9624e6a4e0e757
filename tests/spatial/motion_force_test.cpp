// SPDX-License-Identifier: BSD-3-Clause
// Vectors, matrices, poses, motions and forces against dense matrices and the laws of mechanics, on every scalar.
#include "dense.hpp"

namespace zwang::test {
namespace {

constexpr int k_rounds = 40;
constexpr long double k_tolerance = 64;  // roundings: each entry is a sum of at most 36 products

template <class S> struct Spatial : ::testing::Test { Draw<S> draw{21}; };
TYPED_TEST_SUITE(Spatial, AllScalars);

TYPED_TEST(Spatial, MatricesAndVectorsAreThoseOfTheDenseDefinition) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Mat3<S> A = this->draw.matrix(), B = this->draw.matrix();
    const Sym3<S> Y = this->draw.symmetric();
    const Vec3<S> a = this->draw.vector(), b = this->draw.vector();
    expect_equal(dense(A * B), dense(A) * dense(B), k_tolerance);
    expect_equal(dense(transpose_times(A, B)), transposed(dense(A)) * dense(B), k_tolerance);
    expect_equal(dense(transpose(A)), transposed(dense(A)), k_tolerance);
    expect_equal(column(A * a), dense(A) * column(a), k_tolerance);
    expect_equal(column(transpose_times(A, a)), transposed(dense(A)) * column(a), k_tolerance);
    expect_equal(column(Y * a), dense(Y) * column(a), k_tolerance);
    expect_equal(dense(full(Y)), dense(Y), k_tolerance);
    expect_equal(column(cross(a, b)), cross_matrix(a) * column(b), k_tolerance);
    expect_equal(dense(skew(a)), cross_matrix(a), k_tolerance);
    expect_equal(dense(from_columns(column_x(A), column_y(A), column_z(A))), dense(A), 0);
    expect_equal(dense(A + B), combine(dense(A), S(1), dense(B)), k_tolerance);
    expect_equal(dense(A - B), combine(dense(A), S(-1), dense(B)), k_tolerance);
    expect_equal(dense(A * a.x), combine(Dense<S, 3, 3>{}, a.x, dense(A)), k_tolerance);
    expect_equal(dense(Y * a.x), combine(Dense<S, 3, 3>{}, a.x, dense(Y)), k_tolerance);
    const auto outer = column(a) * transposed(column(b));
    Mat3<S> C = A;
    subtract_outer(C, a, b);
    expect_equal(dense(C), combine(dense(A), S(-1), outer), k_tolerance);
    C = B;
    add_minus_outer(C, A, a, b);
    expect_equal(dense(C), combine(combine(dense(B), S(1), dense(A)), S(-1), outer), k_tolerance);
    const Vec3<S> w = this->draw.vector();
    expect_equal(dense(acceleration_field(w, a)), combine(cross_matrix(a), S(1), cross_matrix(w) * cross_matrix(w)),
                 k_tolerance);
    expect_equal(column(widen<S>(a)), column(a), 0);
    for (int lane = 0; lane < lanes_of<S>; ++lane) {
      EXPECT_TRUE(near(Lanes<S>::value(trace(A), lane), Lanes<S>::value(S(A(0, 0) + A(1, 1) + A(2, 2)), lane),
                       4 * rounding<S>));
      EXPECT_TRUE(
          near(Lanes<S>::value(S(norm(a) * norm(a)), lane), Lanes<S>::value(dot(a, a), lane), 16 * rounding<S>));
    }
  }
}

TYPED_TEST(Spatial, TurnsMultiplyByElementaryRotations) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Mat3<S> A = this->draw.matrix();
    const S angle = this->draw.number(3), o(0), l(1);
    const SinCos<S> t = sincos(angle);
    const Mat3<S> x{{l, o, o}, {o, t.cos, -t.sin}, {o, t.sin, t.cos}},
        y{{t.cos, o, t.sin}, {o, l, o}, {-t.sin, o, t.cos}};
    const Mat3<S> z{{t.cos, -t.sin, o}, {t.sin, t.cos, o}, {o, o, l}};
    expect_equal(dense(turn_x(A, t.cos, t.sin)), dense(A) * dense(x), k_tolerance);
    expect_equal(dense(turn_y(A, t.cos, t.sin)), dense(A) * dense(y), k_tolerance);
    expect_equal(dense(turn_z(A, t.cos, t.sin)), dense(A) * dense(z), k_tolerance);
    expect_equal(dense(exp_so3(Vec3<S>(o, angle, o))), dense(y), k_tolerance);
  }
}

TYPED_TEST(Spatial, PosesComposeAndInvert) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Transform<S> X = this->draw.pose(), Y = this->draw.pose();
    const Vec3<S> r = this->draw.vector(2);
    expect_equal(column((X * Y) * r), column(X * (Y * r)), k_tolerance);
    expect_equal(motion_matrix(X * Y), motion_matrix(X) * motion_matrix(Y), k_tolerance, 4);
    expect_equal(motion_matrix(inverse(X)) * motion_matrix(X), unit_matrix<S, 6>(), k_tolerance, 4);
    expect_equal(motion_matrix(inverse_times(X, Y)), motion_matrix(inverse(X)) * motion_matrix(Y), k_tolerance, 4);
  }
}

TYPED_TEST(Spatial, ReferencePointBasisAndBothAreTheirMatrices) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Transform<S> X = this->draw.pose();
    const Motion<S> m = this->draw.motion();
    const Force<S> f = this->draw.force();
    const Vec3<S> r = this->draw.vector(2);
    const Transform<S> shift{Mat3<S>::identity(), -r}, turn{X.R, Vec3<S>::zero()};
    // Seen from r, the old reference point lies at -r.
    expect_equal(column6(with_reference_point(m, r)), motion_matrix(shift) * column6(m), k_tolerance, 4);
    expect_equal(column6(with_reference_point(f, r)), force_matrix(shift) * column6(f), k_tolerance, 4);
    expect_equal(column6(with_basis(X.R, m)), motion_matrix(turn) * column6(m), k_tolerance, 4);
    expect_equal(column6(with_basis(X.R, f)), force_matrix(turn) * column6(f), k_tolerance, 4);
    expect_equal(column6(X * m), motion_matrix(X) * column6(m), k_tolerance, 4);
    expect_equal(column6(X * f), force_matrix(X) * column6(f), k_tolerance, 4);
    expect_equal(column6(inverse_times(X, m)), column6(inverse(X) * m), k_tolerance, 4);
    expect_equal(column6(inverse_times(X, f)), column6(inverse(X) * f), k_tolerance, 4);
    // Both = the basis, then the reference point: the parent's origin lies at -p.
    expect_equal(column6(with_reference_point(with_basis(X.R, m), Vec3<S>(-X.p))), column6(X * m), k_tolerance, 4);
    expect_equal(column6(with_reference_point(with_basis(X.R, f), Vec3<S>(-X.p))), column6(X * f), k_tolerance, 4);
    // The force transform is the inverse transpose of the motion transform.
    expect_equal(transposed(force_matrix(X)) * motion_matrix(X), unit_matrix<S, 6>(), k_tolerance, 4);
  }
}

TYPED_TEST(Spatial, PowerDoesNotDependOnTheFrame) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Transform<S> X = this->draw.pose();
    const Motion<S> m = this->draw.motion();
    const Force<S> f = this->draw.force();
    const Vec3<S> r = this->draw.vector(2);
    Dense<S, 3, 1> moved, power;
    moved(0, 0) = dot(X * m, X * f);
    moved(1, 0) = dot(with_reference_point(m, r), with_reference_point(f, r));
    moved(2, 0) = dot(with_basis(X.R, m), with_basis(X.R, f));
    for (int i = 0; i < 3; ++i) power(i, 0) = dot(m, f);
    expect_equal(moved, power, k_tolerance, 16);
  }
}

TYPED_TEST(Spatial, CrossProductsAreDualAndTheirMatrices) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Motion<S> a = this->draw.motion(), m = this->draw.motion(), c = this->draw.motion();
    const Force<S> f = this->draw.force();
    const Transform<S> X = this->draw.pose();
    const Dense<S, 6, 6> ad = motion_cross_matrix(a);
    expect_equal(column6(cross(a, m)), ad * column6(m), k_tolerance, 4);
    expect_equal(column6(cross(a, f)), combine(Dense<S, 6, 1>{}, S(-1), transposed(ad) * column6(f)), k_tolerance, 4);
    Dense<S, 1, 1> left, right;
    left(0, 0) = dot(m, cross(a, f));
    right(0, 0) = -dot(cross(a, m), f);
    expect_equal(left, right, k_tolerance, 16);
    const Motion<S> jacobi = cross(a, cross(m, c)) + cross(m, cross(c, a)) + cross(c, cross(a, m));
    expect_equal(column6(jacobi), Dense<S, 6, 1>{}, k_tolerance, 64);
    expect_equal(column6(cross(X * a, X * m)), column6(X * cross(a, m)), k_tolerance, 32);
    expect_equal(column6(cross(X * a, X * f)), column6(X * cross(a, f)), k_tolerance, 32);
  }
}

// A constant in plain numbers meets a state: the result has the state's scalar and the value of the widened product.
TYPED_TEST(Spatial, UniformTimesVaryingIsTheWidenedProduct) {
  using S = TypeParam;
  using U = Uniform<S>;
  Draw<U> constants(22);
  for (int round = 0; round < k_rounds; ++round) {
    const Vec3<U> u = constants.vector();
    const Vec3<S> v = this->draw.vector(), wide = widen<S>(u);
    static_assert(std::is_same_v<decltype(u + v), Vec3<S>> && std::is_same_v<decltype(v - u), Vec3<S>>);
    static_assert(std::is_same_v<decltype(cross(u, v)), Vec3<S>> && std::is_same_v<decltype(dot(v, u)), S>);
    expect_equal(column(u + v), column(wide + v), k_tolerance);
    expect_equal(column(u - v), column(wide - v), k_tolerance);
    expect_equal(column(v - u), column(v - wide), k_tolerance);
    expect_equal(column(cross(u, v)), column(cross(wide, v)), k_tolerance);
    expect_equal(column(cross(v, u)), column(cross(v, wide)), k_tolerance);
    expect_equal(column(v * u.x), column(v * wide.x), k_tolerance);
    expect_equal(column(u * v.x), column(wide * v.x), k_tolerance);
    Vec3<S> sum = v;
    sum += u;
    expect_equal(column(sum), column(v + wide), k_tolerance);
    sum -= u;
    expect_equal(column(sum), column(v), k_tolerance);
    const Mat3<U> M = constants.matrix();
    const Sym3<U> Y = constants.symmetric();
    expect_equal(column(M * v), column(widen<S>(M) * v), k_tolerance);
    expect_equal(column(transpose_times(M, v)), column(transpose_times(widen<S>(M), v)), k_tolerance);
    expect_equal(column(Y * v), column(widen<S>(Y) * v), k_tolerance);
    const Transform<U> X = constants.pose();
    const Motion<S> m = this->draw.motion();
    const Force<S> f = this->draw.force();
    const Transform<S> Z = this->draw.pose();
    expect_equal(column6(X * m), column6(widen<S>(X) * m), k_tolerance, 4);
    expect_equal(column6(X * f), column6(widen<S>(X) * f), k_tolerance, 4);
    expect_equal(column6(inverse_times(X, m)), column6(inverse_times(widen<S>(X), m)), k_tolerance, 4);
    expect_equal(motion_matrix(X * Z), motion_matrix(widen<S>(X) * Z), k_tolerance, 4);
    expect_equal(motion_matrix(Z * X), motion_matrix(Z * widen<S>(X)), k_tolerance, 4);
    const Motion<U> c = constants.motion();
    expect_equal(column6(cross(m, c)), column6(cross(m, widen<S>(c))), k_tolerance, 4);
    expect_equal(column6(cross(c, f)), column6(cross(widen<S>(c), f)), k_tolerance, 4);
    expect_equal(column6(c + m), column6(widen<S>(c) + m), k_tolerance, 4);
    const Inertia<U> I = constants.inertia();
    expect_equal(column6(I * m), column6(widen<S>(I) * m), k_tolerance, 4);
    expect_equal(inertia_matrix(Z * I), inertia_matrix(Z * widen<S>(I)), k_tolerance, 16);
  }
}

}  // namespace
}  // namespace zwang::test
