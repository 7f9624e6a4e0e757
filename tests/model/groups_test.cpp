// SPDX-License-Identifier: BSD-3-Clause
// The laws of the configuration groups, for every group on every scalar, against matrix exponentials in long double.
#include "zwang/model/joints/groups.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "zwang/core/sincos.hpp"

namespace zwang {
namespace {

using Real = long double;
using Matrix4 = Eigen::Matrix<Real, 4, 4>;
constexpr Real k_real_pi = 3.14159265358979323846264338327950288L;

// --- one lane of any scalar --------------------------------------------------------------------------------
template <class S> Real get(const S& x, int) { return static_cast<Real>(x); }
Real get(const std::complex<double>& x, int) { return x.real(); }
template <class T> Real get(const Dual<T>& x, int lane) { return get(x.v, lane); }
template <class T, int N> Real get(const Pack<T, N>& x, int lane) { return x[lane]; }
template <class S> void set(S& x, int, double value) { x = S(static_cast<Uniform<S>>(value)); }
template <class T> void set(Dual<T>& x, int lane, double value) {
  set(x.v, lane, value);
  x.d = T(0);
}
template <class T, int N> void set(Pack<T, N>& x, int lane, double value) { x.set(lane, static_cast<T>(value)); }

template <class S> constexpr Real k_epsilon = std::is_same_v<Uniform<S>, float> ? 1.2e-7L : 2.3e-16L;
template <> constexpr Real k_epsilon<Real> = 1.1e-19L;
template <> constexpr Real k_epsilon<Dual<Real>> = 2e-17L;  // its series coefficients are doubles

// --- the groups as matrices: X(q) and the generator of an increment ----------------------------------------
Matrix4 pose(const Real* quat, const Real* p) {
  Real n = 0;
  for (int i = 0; i < 4; ++i) n += quat[i] * quat[i];
  const Real x = quat[0], y = quat[1], z = quat[2], w = quat[3], k = 2 / n;
  Matrix4 X = Matrix4::Identity();
  X.topLeftCorner<3, 3>() << 1 - k * (y * y + z * z), k * (x * y - z * w), k * (x * z + y * w), k * (x * y + z * w),
      1 - k * (x * x + z * z), k * (y * z - x * w), k * (x * z - y * w), k * (y * z + x * w), 1 - k * (x * x + y * y);
  for (int i = 0; i < 3; ++i) X(i, 3) = p[i];
  return X;
}
Matrix4 generator(Real vx, Real vy, Real vz, Real wx, Real wy, Real wz) {
  Matrix4 g;
  g << 0, -wz, wy, vx, wz, 0, -wx, vy, -wy, wx, 0, vz, 0, 0, 0, 0;
  return g;
}
constexpr Real k_no_turn[4] = {0, 0, 0, 1}, k_no_step[3] = {0, 0, 0};

template <class G> struct AsMatrix;
template <> struct AsMatrix<Additive<3>> {
  static Matrix4 element(const Real* q) { return pose(k_no_turn, q); }
  static Matrix4 algebra(const Real* d) { return generator(d[0], d[1], d[2], 0, 0, 0); }
  static constexpr int angular = 3;  // entries from here on are angular
};
template <> struct AsMatrix<UnitCircle> {
  static Matrix4 element(const Real* q) {
    Matrix4 X = Matrix4::Identity();
    X.topLeftCorner<2, 2>() << q[0], -q[1], q[1], q[0];
    return X;
  }
  static Matrix4 algebra(const Real* d) { return generator(0, 0, 0, 0, 0, d[0]); }
  static constexpr int angular = 0;
};
template <> struct AsMatrix<Rotations> {
  static Matrix4 element(const Real* q) { return pose(q, k_no_step); }
  static Matrix4 algebra(const Real* d) { return generator(0, 0, 0, d[0], d[1], d[2]); }
  static constexpr int angular = 0;
};
template <> struct AsMatrix<PlanarMotions> {
  static Matrix4 element(const Real* q) {
    const Real quat[4] = {0, 0, std::sin(q[2] / 2), std::cos(q[2] / 2)}, p[3] = {q[0], q[1], 0};
    return pose(quat, p);
  }
  static Matrix4 algebra(const Real* d) { return generator(d[0], d[1], 0, 0, 0, d[2]); }
  static constexpr int angular = 2;
};
template <> struct AsMatrix<RigidMotions> {
  static Matrix4 element(const Real* q) { return pose(q + 3, q); }
  static Matrix4 algebra(const Real* d) { return generator(d[0], d[1], d[2], d[3], d[4], d[5]); }
  static constexpr int angular = 3;
};
/// exp by Taylor's series of the 64th part, squared six times.
Matrix4 exponential(const Matrix4& g) {
  Matrix4 term = Matrix4::Identity(), sum = term;
  for (int k = 1; k <= 24; ++k) {
    term = (term * g / (64 * k)).eval();
    sum += term;
  }
  for (int i = 0; i < 6; ++i) sum = (sum * sum).eval();
  return sum;
}

template <class S> std::vector<Real> lane_of(const S* x, int n, int lane) {
  std::vector<Real> r(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) r[static_cast<std::size_t>(i)] = get(x[i], lane);
  return r;
}

// --- the typed suite ---------------------------------------------------------------------------------------
template <class G_, class S_> struct Case {
  using G = G_;
  using S = S_;
};

/// Configurations and increments with different numbers in every lane.
template <class C> class GroupLaws : public ::testing::Test {
 public:
  using Group = typename C::G;
  using Scalar = typename C::S;
  static constexpr int k_samples = 200, nq = Group::nq, nv = Group::nv, lanes = lanes_of<Scalar>;
  static constexpr Real eps = k_epsilon<Scalar>;

  static void draw(Random& r, Scalar* q) {
    const double wide[7] = {2, 2, 2, 2, 2, 2, 2}, low[7] = {-2, -2, -2, -2, -2, -2, -2};
    for (int l = 0; l < lanes; ++l) {
      double x[7];
      Group::random(r, low, wide, x);
      for (int i = 0; i < nq; ++i) set(q[i], l, x[i]);
    }
    Group::normalize(q);  // to the precision of the scalar
  }
  /// Linear parts of [-2, 2], angular ones of any direction and an angle in [0, largest].
  static void draw_increment(Random& r, Scalar* d, double largest = 3.1) {
    constexpr int a = AsMatrix<Group>::angular;
    for (int l = 0; l < lanes; ++l) {
      double x[6], n = 0;
      for (int i = 0; i < nv; ++i) x[i] = i < a ? r.uniform(-2, 2) : r.normal();
      for (int i = a; i < nv; ++i) n += x[i] * x[i];
      const double scale = r.uniform(0, largest) / std::sqrt(n > 0 ? n : 1);
      for (int i = 0; i < nv; ++i) set(d[i], l, i < a ? x[i] : x[i] * scale);
    }
  }
  static Matrix4 matrix(const Scalar* q, int lane) { return AsMatrix<Group>::element(lane_of(q, nq, lane).data()); }
  static Matrix4 step(const Scalar* d, int lane) {
    return exponential(AsMatrix<Group>::algebra(lane_of(d, nv, lane).data()));
  }

  static void expect_same_element(const Scalar* a, const Scalar* b, Real tolerance, const char* what) {
    for (int l = 0; l < lanes; ++l)
      EXPECT_LE((matrix(a, l) - matrix(b, l)).cwiseAbs().maxCoeff(), tolerance) << what << ", lane " << l;
  }
  static void expect_same_increment(const Scalar* a, const Scalar* b, Real tolerance, const char* what) {
    for (int l = 0; l < lanes; ++l)
      for (int i = 0; i < nv; ++i)
        EXPECT_LE(std::fabs(get(a[i], l) - get(b[i], l)), tolerance) << what << ", lane " << l << ", entry " << i;
  }
};

template <class... C> using Types = ::testing::Types<C...>;
using Lanes = NativePack<double>;
using FloatLanes = NativePack<float>;
#define ZWANG_SCALARS_OF(G)                                                                             \
  Case<G, double>, Case<G, float>, Case<G, Real>, Case<G, std::complex<double>>, Case<G, Dual<double>>, \
      Case<G, Lanes>, Case<G, FloatLanes>
using Cases = Types<ZWANG_SCALARS_OF(Additive<3>), ZWANG_SCALARS_OF(UnitCircle), ZWANG_SCALARS_OF(Rotations),
                    ZWANG_SCALARS_OF(PlanarMotions), ZWANG_SCALARS_OF(RigidMotions)>;
TYPED_TEST_SUITE(GroupLaws, Cases);

// Numbers are at most about 10 (a position of 2 plus a step of 3.5), errors a few roundings of them.

TYPED_TEST(GroupLaws, IntegrateIsTheProductWithTheMatrixExponential) {
  using S = typename TypeParam::S;
  Random r(1);
  for (int k = 0; k < this->k_samples; ++k) {
    S q[7], d[6], out[7];
    this->draw(r, q);
    this->draw_increment(r, d, 6.0);  // beyond half turns too
    TypeParam::G::integrate(q, d, out);
    for (int l = 0; l < this->lanes; ++l)
      EXPECT_LE((this->matrix(out, l) - this->matrix(q, l) * this->step(d, l)).cwiseAbs().maxCoeff(),
                40 * this->eps + 1e-17L);  // the oracle's own
  }
}

TYPED_TEST(GroupLaws, DifferenceUndoesIntegrate) {
  using S = typename TypeParam::S;
  using G = typename TypeParam::G;
  Random r(2);
  for (int k = 0; k < this->k_samples; ++k) {
    S q[7], d[6], out[7], back[6];
    this->draw(r, q);
    this->draw_increment(r, d);
    G::integrate(q, d, out);
    G::difference(q, out, back);
    this->expect_same_increment(back, d, 80 * this->eps, "(q + d) - q = d");
  }
}

TYPED_TEST(GroupLaws, IntegrateUndoesDifference) {
  using S = typename TypeParam::S;
  using G = typename TypeParam::G;
  Random r(3);
  for (int k = 0; k < this->k_samples; ++k) {
    S q0[7], q1[7], d[6], out[7];
    this->draw(r, q0);
    this->draw(r, q1);
    G::difference(q0, q1, d);
    G::integrate(q0, d, out);
    this->expect_same_element(out, q1, 80 * this->eps, "q0 + (q1 - q0) = q1");
  }
}

TYPED_TEST(GroupLaws, NeutralIsTheIdentityAndZeroIncrementsStay) {
  using S = typename TypeParam::S;
  using G = typename TypeParam::G;
  Random r(4);
  S e[7], q[7], out[7], d[6], zero[6];
  for (S& x : zero) x = S(0);
  G::neutral(e);
  this->draw(r, q);
  for (int l = 0; l < this->lanes; ++l) EXPECT_EQ((this->matrix(e, l) - Matrix4::Identity()).cwiseAbs().maxCoeff(), 0);
  G::integrate(q, zero, out);
  this->expect_same_element(out, q, 4 * this->eps, "q + 0 = q");
  G::difference(q, q, d);
  this->expect_same_increment(d, zero, 2 * this->eps, "q - q = 0");
  G::integrate(e, zero, out);
  for (int i = 0; i < G::nq; ++i)
    for (int l = 0; l < this->lanes; ++l) EXPECT_EQ(get(out[i], l), get(e[i], l));
}

TYPED_TEST(GroupLaws, IncrementsInOneDirectionAdd) {
  using S = typename TypeParam::S;
  using G = typename TypeParam::G;
  Random r(5);
  for (int k = 0; k < this->k_samples; ++k) {
    S q[7], d[6], part[6], rest[6], minus[6], a[7], b[7];
    this->draw(r, q);
    this->draw_increment(r, d);
    const Uniform<S> t = static_cast<Uniform<S>>(r.uniform(0, 1));
    for (int i = 0; i < G::nv; ++i) {
      part[i] = d[i] * t;
      rest[i] = d[i] - part[i];
      minus[i] = -d[i];
    }
    G::integrate(q, part, a);
    G::integrate(a, rest, a);  // in place
    G::integrate(q, d, b);
    this->expect_same_element(a, b, 60 * this->eps, "(q + t d) + (1 - t) d = q + d");
    G::integrate(b, minus, b);
    this->expect_same_element(b, q, 60 * this->eps, "(q + d) - d = q");
  }
}

TYPED_TEST(GroupLaws, DifferenceDoesNotDependOnWhereBothAre) {
  // g q0 and g q1 differ as q0 and q1 do: with q_i = e + d_i and g = e + c, g q_i = (e + c) + d_i.
  using S = typename TypeParam::S;
  using G = typename TypeParam::G;
  Random r(6);
  for (int k = 0; k < this->k_samples; ++k) {
    S e[7], g[7], c[6], d0[6], d1[6], q0[7], q1[7], g0[7], g1[7], here[6], there[6];
    G::neutral(e);
    this->draw_increment(r, c);
    this->draw_increment(r, d0, 1.5);
    this->draw_increment(r, d1, 1.5);
    G::integrate(e, c, g);
    G::integrate(e, d0, q0);
    G::integrate(e, d1, q1);
    G::integrate(g, d0, g0);
    G::integrate(g, d1, g1);
    G::difference(q0, q1, here);
    G::difference(g0, g1, there);
    // the Jacobian of log grows towards half turns, to about 3 at the 3.0 reached here
    this->expect_same_increment(here, there, 200 * this->eps, "left invariance");
  }
}

/// The exact derivative of e -> f(e) by a dual number in long double, row by row.
template <class G, class F> std::vector<Real> derivative(F&& f) {
  std::vector<Real> J(static_cast<std::size_t>(G::nv * G::nv));
  for (int column = 0; column < G::nv; ++column) {
    Dual<Real> e[6], result[6];
    for (int i = 0; i < 6; ++i) e[i] = Dual<Real>(0, i == column ? 1 : 0);
    f(e, result);
    for (int row = 0; row < G::nv; ++row) J[static_cast<std::size_t>(row * G::nv + column)] = result[row].d;
  }
  return J;
}
/// The four Jacobians at q, d and q (+) d: by q, by d, by q0 and by q1.
template <class G>
std::vector<std::vector<Real>> jacobians_by_dual(const std::vector<Real>& q, const std::vector<Real>& d) {
  Dual<Real> x[7], y[7], t[6], moved[7], s[6];
  for (int i = 0; i < G::nq; ++i) x[i] = Dual<Real>(q[static_cast<std::size_t>(i)]);
  for (int i = 0; i < G::nv; ++i) t[i] = Dual<Real>(d[static_cast<std::size_t>(i)]);
  G::normalize(x);
  G::integrate(x, t, y);
  const auto by_q = [&](const Dual<Real>* e, Dual<Real>* out) {
    G::integrate(x, e, moved);
    G::integrate(moved, t, moved);
    G::difference(y, moved, out);
  };
  const auto by_d = [&](const Dual<Real>* e, Dual<Real>* out) {
    for (int i = 0; i < G::nv; ++i) s[i] = t[i] + e[i];
    G::integrate(x, s, moved);
    G::difference(y, moved, out);
  };
  const auto by_q0 = [&](const Dual<Real>* e, Dual<Real>* out) {
    G::integrate(x, e, moved);
    G::difference(moved, y, out);
  };
  const auto by_q1 = [&](const Dual<Real>* e, Dual<Real>* out) {
    G::integrate(y, e, moved);
    G::difference(x, moved, out);
  };
  return {derivative<G>(by_q), derivative<G>(by_d), derivative<G>(by_q0), derivative<G>(by_q1)};
}

TYPED_TEST(GroupLaws, JacobiansAreTheDerivativesByDualNumbers) {
  using S = typename TypeParam::S;
  using G = typename TypeParam::G;
  Random r(7);
  const Real tolerance = 200 * std::max(this->eps, k_epsilon<Dual<Real>>);
  for (int k = 0; k < 20; ++k) {
    S q[7], d[6], q1[7], J[4][36];
    this->draw(r, q);
    this->draw_increment(r, d, k % 4 == 0 ? 1e-3 : 2.8);
    G::integrate(q, d, q1);
    G::integrate_jacobians(q, d, J[0], J[1]);
    G::difference_jacobians(q, q1, J[2], J[3]);
    for (int l = 0; l < this->lanes; ++l) {
      const auto exact = jacobians_by_dual<G>(lane_of(q, G::nq, l), lane_of(d, G::nv, l));
      for (int m = 0; m < 4; ++m)
        for (int i = 0; i < G::nv * G::nv; ++i)
          EXPECT_LE(std::fabs(get(J[m][i], l) - exact[static_cast<std::size_t>(m)][static_cast<std::size_t>(i)]),
                    tolerance)
              << "Jacobian " << m << ", entry " << i << ", lane " << l;
    }
  }
}

TYPED_TEST(GroupLaws, SmallIncrementsKeepTheirDigits) {
  using S = typename TypeParam::S;
  using G = typename TypeParam::G;
  Random r(8);
  for (const double size : {1e-1, 1e-2, 1e-3, 1e-5, 1e-8, 1e-12}) {
    S e[7], d[6], q[7], back[6];
    G::neutral(e);
    this->draw_increment(r, d, 3.0);
    for (S& x : d) x *= S(static_cast<Uniform<S>>(size));
    G::integrate(e, d, q);
    G::difference(e, q, back);
    this->expect_same_increment(back, d, 20 * this->eps * size, "relative to the increment");
  }
}

TYPED_TEST(GroupLaws, NormalizeForgetsTheLength) {
  using S = typename TypeParam::S;
  using G = typename TypeParam::G;
  if (std::is_base_of_v<Additive<3>, G> || std::is_same_v<G, PlanarMotions>)
    return;  // nothing to normalise: checked below
  constexpr int first = std::is_same_v<G, RigidMotions> ? 3 : 0;
  Random r(9);
  for (int k = 0; k < this->k_samples; ++k) {
    S q[7], scaled[7];
    this->draw(r, q);
    for (int i = 0; i < G::nq; ++i)
      scaled[i] = i < first ? q[i] : q[i] * static_cast<Uniform<S>>(std::exp(0.1 * (k - 100)));
    G::normalize(scaled);
    for (int i = 0; i < G::nq; ++i)
      for (int l = 0; l < this->lanes; ++l) EXPECT_LE(std::fabs(get(scaled[i], l) - get(q[i], l)), 6 * this->eps);
  }
}

TYPED_TEST(GroupLaws, AMillionStepsDoNotLeaveTheManifold) {
  using S = typename TypeParam::S;
  using G = typename TypeParam::G;
  Random r(10);
  S q[7], d[6], n[7];
  this->draw(r, q);
  this->draw_increment(r, d, 0.1);
  const int steps = std::is_same_v<S, double> || std::is_same_v<S, float> ? 1000000 : 10000;
  for (int k = 0; k < steps; ++k) G::integrate(q, d, q);
  for (int i = 0; i < G::nq; ++i) n[i] = q[i];
  G::normalize(n);
  for (int i = 0; i < G::nq; ++i)
    for (int l = 0; l < this->lanes; ++l) EXPECT_LE(std::fabs(get(n[i], l) - get(q[i], l)), 4 * this->eps);
}

}  // namespace
}  // namespace zwang
