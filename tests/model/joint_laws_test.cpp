// SPDX-License-Identifier: BSD-3-Clause
// The laws of a joint file, for every type of THE list: a new joint is tested by standing in it.
//
//   S is the derivative of the pose along its group's increments;  dS/dt is the derivative of S along v;
//   the fast forms (world_columns, advance, project) equal the general ones.
#include <gtest/gtest.h>

#include "zwang/algorithm/page/sweep.hpp"
#include "zwang/core/dual.hpp"
#include "zwang/core/random.hpp"

namespace zwang {
namespace {

using D = Dual<double>;

/// A joint's coordinates with sines and cosines, and a body that carries it.
template <class J, class S> struct At {
  explicit At(const S* q_, const double* parameters) {
    Index slot = 0;
    for (int i = 0; i < J::nq; ++i) {
      q[i] = q_[i];
      if ((J::angles >> i) & 1) {
        const SinCos<S> r = sincos(q_[i]);
        sin[slot] = r.sin;
        cos[slot++] = r.cos;
      }
    }
    in = {q, sin, cos, parameters, nullptr};
  }
  At(const At&) = delete;
  S q[8] = {}, sin[8] = {}, cos[8] = {};
  JointInput<S> in;
};

template <class J> class JointLaws : public testing::Test {
 protected:
  static constexpr int n = J::nv;
  void draw(std::uint64_t seed) {
    Random random(seed, 5);
    const auto u = random.unit_quaternion();
    body = {};
    body.placement = {rotation(Quat<double>{u[0], u[1], u[2], u[3]}),
                      {random.normal(), random.normal(), random.normal()}};
    body.nq = J::nq;
    body.nv = J::nv;
    double lower[8], upper[8];
    for (int i = 0; i < 8; ++i) lower[i] = upper[i] = std::numeric_limits<double>::quiet_NaN();
    for (double& p : parameters) p = random.uniform(0.2, 1.5);
    J::random(random, lower, upper, q);
    for (int i = 0; i < 8; ++i) v[i] = random.normal(), a[i] = random.normal();
    for (int i = 0; i < 3; ++i) m.w[i] = random.normal(), m.al[i] = random.normal(), m.a[i] = random.normal();
    for (int i = 0; i < 6; ++i) f[i] = random.normal();
    body.parameters = parameters;
  }
  /// q (+) e d as duals.
  void moved(const double* d, D* out) const {
    D q0[8], dd[8];
    for (int i = 0; i < J::nq; ++i) q0[i] = D(q[i]);
    for (int i = 0; i < n; ++i) dd[i] = D(0.0, d[i]);
    J::integrate(q0, dd, out);
  }
  static void expect_close(const Motion<double>& a, const Motion<double>& b, double scale) {
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(a[i], b[i], 64 * 2.2e-16 * scale) << J::name << " component " << i;
  }
  double size() const {
    double s = 1;
    for (int i = 0; i < J::nq; ++i) s += std::fabs(q[i]);
    for (int i = 0; i < n; ++i) s += std::fabs(v[i]) + std::fabs(a[i]);
    for (int i = 0; i < 3; ++i) s += std::fabs(m.w[i]) + std::fabs(m.a[i]) + std::fabs(body.placement.p[i]);
    return s * s * s;  // products of at most three such numbers, some dozens of roundings
  }

  Body<double> body;
  double q[8], v[8], a[8], parameters[4];
  LocalMotion<double> m;
  Force<double> f;
};

template <class List> struct AsTypes;
template <class... J> struct AsTypes<JointList<J...>> { using Types = testing::Types<J...>; };
TYPED_TEST_SUITE(JointLaws, AsTypes<JointTypes>::Types);

// User joints and fixed ones have no law of their own here: a user's struct is tested through whole robots.
template <class J> constexpr bool k_has_laws = J::nv > 0 && !std::is_same_v<J, User>;

TYPED_TEST(JointLaws, ColumnsAreTheDerivativeOfThePose) {
  using J = TypeParam;
  if constexpr (k_has_laws<J>) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      this->draw(seed);
      const At<J, double> at(this->q, this->parameters);
      Transform<double> X;
      J::place(this->body, at.in, X);
      Motion<double> s[6];
      J::columns(at.in, s);
      for (int k = 0; k < J::nv; ++k) {
        double e[6] = {};
        e[k] = 1;
        D qd[8];
        this->moved(e, qd);
        const At<J, D> dual(qd, this->parameters);
        Transform<D> Xd;
        J::place(this->body, dual.in, Xd);
        const Mat3<double> dR{{Xd.R.r0.x.d, Xd.R.r0.y.d, Xd.R.r0.z.d},
                              {Xd.R.r1.x.d, Xd.R.r1.y.d, Xd.R.r1.z.d},
                              {Xd.R.r2.x.d, Xd.R.r2.y.d, Xd.R.r2.z.d}};
        const Mat3<double> W = transpose_times(X.R, dR);  // [w] in body axes
        const Vec3<double> dp{Xd.p.x.d, Xd.p.y.d, Xd.p.z.d};
        this->expect_close({transpose_times(X.R, dp), {W.r2.y, W.r0.z, W.r1.x}}, s[k], this->size());
      }
    }
  }
}

// A quaternion or a point of a circle is read as its direction, at the tolerance of check_configuration too.
TYPED_TEST(JointLaws, ThePoseIsThatOfTheDirection) {
  using J = TypeParam;
  if constexpr (k_has_laws<J> && J::nq > J::nv) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      this->draw(seed);
      double longer[8];
      for (int i = 0; i < J::nq; ++i) longer[i] = this->q[i] * (J::nq == 7 && i < 3 ? 1 : 1 + 1e-6);
      const At<J, double> at(this->q, this->parameters), off(longer, this->parameters);
      Transform<double> X, Y;
      J::place(this->body, at.in, X);
      J::place(this->body, off.in, Y);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(X.R[i][j], Y.R[i][j], 16 * 2.2e-16) << J::name;
        EXPECT_EQ(X.p[i], Y.p[i]);
      }
    }
  }
}

TYPED_TEST(JointLaws, RatesAreTheDerivativeOfTheColumns) {
  using J = TypeParam;
  if constexpr (k_has_laws<J>) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      this->draw(seed);
      D qd[8];
      this->moved(this->v, qd);
      const At<J, D> dual(qd, this->parameters);
      Motion<D> sd[6];
      J::columns(dual.in, sd);
      Motion<double> r[6];
      for (Motion<double>& x : r) x = Motion<double>::zero();
      if constexpr (!J::constant_columns) {
        const At<J, double> at(this->q, this->parameters);
        J::rates(at.in, this->v, r);
      }
      for (int k = 0; k < J::nv; ++k) {
        Motion<double> d;
        for (int i = 0; i < 6; ++i) d[i] = sd[k][i].d;
        this->expect_close(d, r[k], this->size());
      }
    }
  }
}

TYPED_TEST(JointLaws, FastFormsEqualTheGeneralOnes) {
  using J = TypeParam;
  if constexpr (k_has_laws<J>) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      this->draw(seed);
      const At<J, double> at(this->q, this->parameters);
      Transform<double> X;
      J::place(this->body, at.in, X);
      Motion<double> s[6], w[6], vJ = Motion<double>::zero(), aJ = Motion<double>::zero();
      J::columns(at.in, s);
      if constexpr (requires { J::world_columns(X, at.in, w); }) {
        J::world_columns(X, at.in, w);
        for (int k = 0; k < J::nv; ++k) this->expect_close(w[k], X * s[k], this->size());
      }
      if constexpr (requires { J::project(at.in, this->f, this->v); }) {
        double tau[6];
        J::project(at.in, this->f, tau);
        for (int k = 0; k < J::nv; ++k) EXPECT_NEAR(tau[k], dot(s[k], this->f), 64 * 2.2e-16 * this->size());
      }
      if constexpr (requires { J::advance(at.in, this->v, this->a, this->m); }) {
        for (int k = 0; k < J::nv; ++k) vJ += s[k] * this->v[k], aJ += s[k] * this->a[k];
        LocalMotion<double> general = this->m, fast = this->m;
        add_relative(general, vJ, aJ);
        J::advance(at.in, this->v, this->a, fast);
        this->expect_close({fast.a, fast.al}, {general.a, general.al}, this->size());
        this->expect_close({fast.w, fast.w}, {general.w, general.w}, this->size());
      }
    }
  }
}

TYPED_TEST(JointLaws, TheListKnowsItsOwnPositions) {
  if constexpr (k_has_laws<TypeParam>) {
    const JointTypeInfo* info = find_joint_type(TypeParam::name);
    ASSERT_NE(info, nullptr) << TypeParam::name;
    EXPECT_EQ(info->kind, kind_of<TypeParam>);
  }
}

}  // namespace
}  // namespace zwang
