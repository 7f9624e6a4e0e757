// SPDX-License-Identifier: BSD-3-Clause
// Geometry with velocities (…Vel) and with accelerations (…Acc): every operation along curves,
// judged by differences of its value and of its rates.
#include <gtest/gtest.h>

#include <kdl/utilities/rallNd.h>
#include <functional>
#include <kdl/frameacc.hpp>
#include <kdl/framevel.hpp>
#include <kdl/jntarrayacc.hpp>
#include <limits>
#include <unordered_set>

#include "support.hpp"

namespace zwang::test {
namespace {

using namespace KDL;

constexpr double k_step = 1e-5;
// Central differences: rounding eps / k_step = 2e-11 and k_step^2 = 1e-10 times third derivatives,
// both of terms up to 1e2.
constexpr double k_difference = 1e-7;

/// Value, rate, and rate of the rate of something.
template <class Value, class Rate> struct Parts {
  Value value;
  std::vector<Rate> rates;
};
Parts<double, double> parts(const doubleVel& x) { return {x.t, {x.grad}}; }
Parts<double, double> parts(const doubleAcc& x) { return {x.t, {x.d, x.dd}}; }
Parts<Vector, Vector> parts(const VectorVel& x) { return {x.value(), {x.deriv()}}; }
Parts<Vector, Vector> parts(const VectorAcc& x) { return {x.value(), {x.deriv(), x.dderiv()}}; }
Parts<Rotation, Vector> parts(const RotationVel& x) { return {x.value(), {x.deriv()}}; }
Parts<Rotation, Vector> parts(const RotationAcc& x) { return {x.value(), {x.deriv(), x.dderiv()}}; }
Parts<Frame, Twist> parts(const FrameVel& x) { return {x.value(), {x.deriv()}}; }
Parts<Frame, Twist> parts(const FrameAcc& x) { return {x.value(), {x.deriv(), x.dderiv()}}; }
Parts<Twist, Twist> parts(const TwistVel& x) { return {x.value(), {x.deriv()}}; }
Parts<Twist, Twist> parts(const TwistAcc& x) {
  return {x.value(), {x.GetTwistDot(), Twist(x.vel.dderiv(), x.rot.dderiv())}};
}

/// `of(t)` gives a result with its rates: each of them is the difference of what comes before it.
template <class Of> void expect_rates(const char* what, const Of& of) {
  const auto now = parts(of(0.)), before = parts(of(-k_step)), behind = parts(of(k_step));
  EXPECT_TRUE(Equal(now.rates[0], diff(before.value, behind.value, 2 * k_step), k_difference)) << what;
  for (std::size_t i = 1; i < now.rates.size(); ++i)
    EXPECT_TRUE(Equal(now.rates[i], diff(before.rates[i - 1], behind.rates[i - 1], 2 * k_step), k_difference))
        << what << ", second derivative";
}

/// Curves of a time t: cubic, and rotations by such angles about two axes one after the other. `Acc` or `Vel`.
template <class Number, class VectorT, class RotationT, class FrameT, class TwistT> class Curves {
 public:
  explicit Curves(unsigned seed) : draw_(seed) {
    for (double& c : coefficients_) c = draw_.number(0.3, 1);
    for (Vector& v : vectors_) v = draw_.vector();
    start_ = draw_.rotation();
  }
  Number number(int k, double t) const {
    const double* c = &coefficients_[4 * k];
    return make_number(c[0] + t * (c[1] + t * (c[2] + t * c[3])), c[1] + t * (2 * c[2] + t * 3 * c[3]),
                       2 * c[2] + 6 * t * c[3]);
  }
  VectorT vector(int k, double t) const {
    const Vector* c = &vectors_[4 * k];
    return make_vector(c[0] + t * (c[1] + t * (c[2] + t * c[3])), c[1] + t * (2 * c[2] + t * 3 * c[3]),
                       2 * c[2] + 6 * t * c[3]);
  }
  /// Rz(a) Rx(b) R0: w = a' z + b' Rz x, and its rate.
  RotationT rotation(int k, double t) const {
    const doubleAcc a = acc_number(2 * k, t), b = acc_number(2 * k + 1, t);
    const Rotation Rz = Rotation::RotZ(a.t);
    const Vector z(0, 0, 1), x = Rz.UnitX();
    const Vector w = z * a.d + x * b.d, dw = z * a.dd + x * b.dd + z * a.d * (x * b.d);
    return make_rotation(Rz * Rotation::RotX(b.t) * start_, w, dw);
  }
  FrameT frame(int k, double t) const { return FrameT(rotation(k, t), vector(k, t)); }
  TwistT twist(int k, double t) const { return TwistT(vector(2 * k, t), vector(2 * k + 1, t)); }
  Rotation fixed_rotation() const { return start_; }
  Vector fixed_vector() const { return vectors_[0]; }

 private:
  doubleAcc acc_number(int k, double t) const {
    const double* c = &coefficients_[4 * k];
    return doubleAcc(c[0] + t * (c[1] + t * (c[2] + t * c[3])), c[1] + t * (2 * c[2] + t * 3 * c[3]),
                     2 * c[2] + 6 * t * c[3]);
  }
  static Number make_number(double x, double d, double dd) {
    if constexpr (std::is_same_v<Number, doubleAcc>)
      return doubleAcc(x, d, dd);
    else
      return Number(x, d);
  }
  static VectorT make_vector(const Vector& x, const Vector& d, const Vector& dd) {
    if constexpr (std::is_same_v<VectorT, VectorAcc>)
      return VectorAcc(x, d, dd);
    else
      return VectorT(x, d);
  }
  static RotationT make_rotation(const Rotation& R, const Vector& w, const Vector& dw) {
    if constexpr (std::is_same_v<RotationT, RotationAcc>)
      return RotationAcc(R, w, dw);
    else
      return RotationT(R, w);
  }
  KdlDraw draw_;
  double coefficients_[16];
  Vector vectors_[16];
  Rotation start_;
};
using VelCurves = Curves<doubleVel, VectorVel, RotationVel, FrameVel, TwistVel>;
using AccCurves = Curves<doubleAcc, VectorAcc, RotationAcc, FrameAcc, TwistAcc>;

template <class C> class KdlRates : public testing::Test {};
using AllCurves = testing::Types<VelCurves, AccCurves>;
TYPED_TEST_SUITE(KdlRates, AllCurves);

TYPED_TEST(KdlRates, OfTheCurvesThemselves) {
  const TypeParam c(1);
  expect_rates("number", [&](double t) { return c.number(0, t); });
  expect_rates("vector", [&](double t) { return c.vector(0, t); });
  expect_rates("rotation", [&](double t) { return c.rotation(0, t); });
  expect_rates("frame", [&](double t) { return c.frame(0, t); });
  expect_rates("twist", [&](double t) { return c.twist(0, t); });
}

TYPED_TEST(KdlRates, OfVectors) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const TypeParam c(seed);
    const Vector fixed = c.fixed_vector();
    const auto a = [&](double t) { return c.vector(0, t); };
    const auto b = [&](double t) { return c.vector(1, t); };
    const auto s = [&](double t) { return c.number(0, t); };
    expect_rates("a + b", [&](double t) { return a(t) + b(t); });
    expect_rates("a - b", [&](double t) { return a(t) - b(t); });
    expect_rates("a + fixed", [&](double t) { return a(t) + fixed; });
    expect_rates("fixed + a", [&](double t) { return fixed + a(t); });
    expect_rates("a - fixed", [&](double t) { return a(t) - fixed; });
    expect_rates("fixed - a", [&](double t) { return fixed - a(t); });
    expect_rates("-a", [&](double t) { return -a(t); });
    expect_rates("a x b", [&](double t) { return a(t) * b(t); });
    expect_rates("a x fixed", [&](double t) { return a(t) * fixed; });
    expect_rates("fixed x a", [&](double t) { return fixed * a(t); });
    expect_rates("2 a", [&](double t) { return 2 * a(t); });
    expect_rates("a 2", [&](double t) { return a(t) * 2; });
    expect_rates("a / 2", [&](double t) { return a(t) / 2; });
    expect_rates("a s", [&](double t) { return a(t) * s(t); });
    expect_rates("s a", [&](double t) { return s(t) * a(t); });
    expect_rates("a / s", [&](double t) { return a(t) / s(t); });
    expect_rates("R a", [&](double t) { return c.fixed_rotation() * a(t); });
    expect_rates("dot", [&](double t) { return dot(a(t), b(t)); });
    expect_rates("dot with fixed", [&](double t) { return dot(a(t), fixed); });
    expect_rates("dot of fixed", [&](double t) { return dot(fixed, a(t)); });
    expect_rates("length", [&](double t) { return a(t).Norm(); });
    expect_rates("+=, -=", [&](double t) {
      auto sum = a(t);
      sum += b(t);
      sum += b(t);
      sum -= a(t) * s(t);
      sum.ReverseSign();
      return sum;
    });
    // The values are those of plain vectors.
    EXPECT_EQ((a(0) * b(0)).value(), a(0).value() * b(0).value());
    EXPECT_EQ((a(0) / s(0)).value(), a(0).value() / s(0).value());
  }
}

TYPED_TEST(KdlRates, OfRotations) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const TypeParam c(seed);
    const Rotation fixed = c.fixed_rotation();
    const auto R = [&](double t) { return c.rotation(0, t); };
    const auto S = [&](double t) { return c.rotation(1, t); };
    const auto x = [&](double t) { return c.vector(2, t); };
    using RotationT = decltype(R(0.));
    expect_rates("R S", [&](double t) { return R(t) * S(t); });
    expect_rates("fixed R", [&](double t) { return fixed * R(t); });
    expect_rates("R fixed", [&](double t) { return R(t) * fixed; });
    expect_rates("inverse", [&](double t) { return R(t).Inverse(); });
    expect_rates("R x", [&](double t) { return R(t) * x(t); });
    expect_rates("R fixed x", [&](double t) { return R(t) * c.fixed_vector(); });
    expect_rates("inverse of x", [&](double t) { return R(t).Inverse(x(t)); });
    expect_rates("inverse of fixed x", [&](double t) { return R(t).Inverse(c.fixed_vector()); });
    expect_rates("R twist", [&](double t) { return R(t) * c.twist(1, t); });
    expect_rates("inverse of twist", [&](double t) { return R(t).Inverse(c.twist(1, t)); });
    const Twist twist(c.fixed_vector(), Vector(1, 2, 3));
    expect_rates("R fixed twist", [&](double t) { return R(t) * twist; });
    expect_rates("inverse of fixed twist", [&](double t) { return R(t).Inverse(twist); });
    expect_rates("x axis", [&](double t) { return R(t).UnitX(); });
    expect_rates("y axis", [&](double t) { return R(t).UnitY(); });
    expect_rates("z axis", [&](double t) { return R(t).UnitZ(); });
    expect_rates("RotX", [&](double t) { return RotationT::RotX(c.number(2, t)); });
    expect_rates("RotY", [&](double t) { return RotationT::RotY(c.number(2, t)); });
    expect_rates("RotZ", [&](double t) { return RotationT::RotZ(c.number(2, t)); });
    expect_rates("Rot", [&](double t) { return RotationT::Rot(Vector(1, -2, 2), c.number(2, t)); });
    expect_rates("Rot2", [&](double t) { return RotationT::Rot2(Vector(1, -2, 2) / 3, c.number(2, t)); });
    expect_rates("DoRot", [&](double t) {
      RotationT out = R(t);
      out.DoRotX(c.number(1, t));
      out.DoRotY(c.number(2, t));
      out.DoRotZ(c.number(3, t));
      return out;
    });
    EXPECT_TRUE(Equal((R(0) * S(0)).value(), R(0).value() * S(0).value(), 1e-15));
    EXPECT_TRUE(Equal(RotationT::Rot(Vector(1, -2, 2), c.number(2, 0)).value(),
                      Rotation::Rot(Vector(1, -2, 2), c.number(2, 0).t), 1e-15));
    EXPECT_EQ((R(0) * x(0)).value(), R(0).value() * x(0).value());
    EXPECT_EQ(R(0) * RotationT::Identity(), R(0));
  }
}

TYPED_TEST(KdlRates, OfFramesAndTwists) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const TypeParam c(seed);
    const Frame fixed(c.fixed_rotation(), c.fixed_vector());
    const auto F = [&](double t) { return c.frame(0, t); };
    const auto G = [&](double t) { return c.frame(1, t); };
    const auto T = [&](double t) { return c.twist(1, t); };
    const auto s = [&](double t) { return c.number(2, t); };
    const Twist twist(c.fixed_vector(), Vector(1, 2, 3));
    using FrameT = decltype(F(0.));
    expect_rates("F G", [&](double t) { return F(t) * G(t); });
    expect_rates("F fixed", [&](double t) { return F(t) * fixed; });
    expect_rates("fixed F", [&](double t) { return fixed * F(t); });
    expect_rates("inverse", [&](double t) { return F(t).Inverse(); });
    expect_rates("F x", [&](double t) { return F(t) * c.vector(3, t); });
    expect_rates("F fixed x", [&](double t) { return F(t) * c.fixed_vector(); });
    expect_rates("inverse of x", [&](double t) { return F(t).Inverse(c.vector(3, t)); });
    expect_rates("inverse of fixed x", [&](double t) { return F(t).Inverse(c.fixed_vector()); });
    expect_rates("F twist", [&](double t) { return F(t) * T(t); });
    expect_rates("F fixed twist", [&](double t) { return F(t) * twist; });
    expect_rates("inverse of twist", [&](double t) { return F(t).Inverse(T(t)); });
    expect_rates("inverse of fixed twist", [&](double t) { return F(t).Inverse(twist); });
    expect_rates("twist + twist", [&](double t) { return T(t) + c.twist(0, t); });
    expect_rates("twist - twist", [&](double t) { return T(t) - c.twist(0, t); });
    expect_rates("-twist", [&](double t) { return -T(t); });
    expect_rates("twist s", [&](double t) { return s(t) * (T(t) * s(t)); });
    expect_rates("twist / s", [&](double t) { return 2 * (T(t) / s(t)) / 3 * 4; });
    expect_rates("RefPoint", [&](double t) { return T(t).RefPoint(c.vector(0, t)); });
    expect_rates("+=, -=", [&](double t) {
      auto sum = T(t);
      sum += c.twist(0, t);
      sum -= T(t) * s(t);
      sum.ReverseSign();
      return sum;
    });
    EXPECT_TRUE(Equal((F(0) * G(0)).value(), F(0).value() * G(0).value(), 1e-14));
    EXPECT_TRUE(Equal((F(0) * T(0)).value(), F(0).value() * T(0).value(), 1e-14));
    EXPECT_TRUE(Equal(F(0) * F(0).Inverse(), FrameT::Identity(), 1e-13)) << "rates, too";
    EXPECT_EQ(F(0).GetFrame(), F(0).value());
    EXPECT_EQ(F(0).GetTwist(), F(0).deriv());
    FrameT still = F(0);
    still = fixed;
    EXPECT_TRUE(Equal(still, fixed) && Equal(fixed, still));
    EXPECT_EQ(still.GetTwist(), Twist::Zero());
  }
}

TEST(KdlRatesVel, DifferencesAndTheirInverse) {
  KdlDraw draw(2);
  for (int trial = 0; trial < 10; ++trial) {
    const FrameVel F(draw.frame(), draw.twist());
    const VectorVel a(draw.vector(), draw.vector()), b(draw.vector(), draw.vector());
    EXPECT_TRUE(Equal(addDelta(a, diff(a, b, 0.3), 0.3), b, 1e-14));
    const VectorVel step = diff(F.M, RotationVel(draw.rotation(), draw.vector()), 0.3);
    const RotationVel moved = addDelta(F.M, step, 0.3);
    EXPECT_TRUE(Equal(moved.R, addDelta(F.M.R, step.p, 0.3), 1e-14));
    EXPECT_TRUE(Equal(moved.w, F.M.w + 0.3 * step.v, 1e-14));
    const TwistVel whole(a, b);
    const FrameVel G = addDelta(F, whole, 0.3);
    EXPECT_TRUE(Equal(diff(F, G, 0.3), whole, 1e-12)) << "angles below half a turn";
    EXPECT_EQ(diff(doubleVel(1, 2), doubleVel(2, 5), 0.5), doubleVel(2, 6));
    EXPECT_EQ(addDelta(doubleVel(1, 2), doubleVel(2, 6), 0.5), doubleVel(2, 5));
  }
}

TEST(KdlRatesVel, AreComparedWithWhatStandsStill) {
  const Vector v(1, 2, 3);
  const Rotation R = Rotation::RotX(0.3);
  const Frame F(R, v);
  const Twist t(v, -v);
  const auto compare = [](const auto& still, const auto& moving, const auto& value) {
    EXPECT_TRUE(still == value && value == still && !(still != value) && !(value != still));
    EXPECT_TRUE(moving != value && value != moving && !(moving == value) && !(value == moving));
  };
  compare(VectorVel(v), VectorVel(v, v), v);
  compare(RotationVel(R), RotationVel(R, v), R);
  compare(FrameVel(F), FrameVel(F, t), F);
  compare(TwistVel(t), TwistVel(t, t), t);
}

TEST(KdlRatesVel, OfLengthZeroAreZero) {
  EXPECT_EQ(VectorVel(Vector::Zero(), Vector(1, 2, 3)).Norm(), doubleVel(0, 0));
  EXPECT_EQ(VectorAcc(Vector::Zero(), Vector(1, 2, 3), Vector(1, 1, 1)).Norm(), doubleAcc(0, 0, 0));
}

template <class Number> void expect_functions(Number (*at)(double)) {
  const auto rates = [&](const char* what, const std::function<Number(const Number&)>& f) {
    expect_rates(what, [&](double t) { return f(at(t)); });
  };
  using N = const Number&;
  rates("exp", [](N x) { return exp(x); });
  rates("log", [](N x) { return log(x); });
  rates("sin", [](N x) { return sin(x); });
  rates("cos", [](N x) { return cos(x); });
  rates("tan", [](N x) { return tan(x); });
  rates("sinh", [](N x) { return sinh(x); });
  rates("cosh", [](N x) { return cosh(x); });
  rates("tanh", [](N x) { return tanh(x); });
  rates("asin", [](N x) { return asin(x); });
  rates("acos", [](N x) { return acos(x); });
  rates("atan", [](N x) { return atan(x); });
  rates("sqrt", [](N x) { return sqrt(x); });
  rates("sqr", [](N x) { return sqr(x); });
  rates("pow", [](N x) { return pow(x, 2.7); });
  rates("abs", [](N x) { return abs(x - 1.0) + abs(x); });
  rates("atan2", [](N x) { return atan2(x * x, x - 0.3); });
  rates("hypot", [](N x) { return hypot(x * x, x - 0.3); });
  rates("LinComb", [](N x) { return LinComb(2.0, x, 3.0, x * x); });
  rates("quotients", [](N x) { return (2.0 - x) / (x + 1.0) + 1.0 / x - x / 3.0; });
  rates("in place", [](N x) {
    Number y(x);
    y *= x;
    y += x;
    y /= x + 1.0;
    y -= x * x;
    y += 2.0;
    y *= 3.0;
    y -= 1.0;
    y /= 2.0;
    y.ReverseSign();
    return y;
  });
  EXPECT_EQ(at(0).value(), 0.6);
  EXPECT_EQ(sin(at(0)).value(), std::sin(0.6));
  EXPECT_EQ(pow(at(0), 2.7).value(), std::pow(0.6, 2.7));
  EXPECT_EQ(Norm(-at(0)), 0.6);
}

TEST(KdlRatesOfNumbers, OfFunctions) {
  expect_functions<doubleVel>([](double t) { return doubleVel(0.6 + 0.5 * t + 0.2 * t * t, 0.5 + 0.4 * t); });
  expect_functions<doubleAcc>([](double t) { return doubleAcc(0.6 + 0.5 * t + 0.2 * t * t, 0.5 + 0.4 * t, 0.4); });
}

TEST(KdlRatesOfNumbers, OfPowersAtZeroAreFinite) {
  // x^m with m = 0, 1, 2: 1, x, x^2.
  const doubleAcc x(0, 2, 3);
  EXPECT_EQ(pow(x, 0), doubleAcc(1, 0, 0));
  EXPECT_EQ(pow(x, 1), x);
  EXPECT_EQ(pow(x, 2), doubleAcc(0, 0, 8));
  EXPECT_EQ(pow(doubleVel(0, 2), 0), doubleVel(1, 0));
  EXPECT_EQ(pow(doubleVel(0, 2), 1), doubleVel(0, 2));
}

TEST(KdlRatesOfNumbers, OfAnyOrder) {
  // sin(2 t) at 0.3, t^3 at 0.5, three derivatives each.
  const auto derivatives = [](const RallNd<3>& x) {
    return std::vector<double>{x.t.t.t, x.grad.t.t, x.grad.grad.t, x.grad.grad.grad};
  };
  const auto time = [](double t) {
    return RallNd<3>(RallNd<2>(RallNd<1>(t, 1), RallNd<1>(1)), RallNd<2>(RallNd<1>(1), RallNd<1>(0.)));
  };
  const std::vector<double> sines = derivatives(sin(2.0 * time(0.3)));
  const double expected[] = {std::sin(0.6), 2 * std::cos(0.6), -4 * std::sin(0.6), -8 * std::cos(0.6)};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(sines[i], expected[i], 1e-14);
  const RallNd<3> t = time(0.5);
  const std::vector<double> cubes = derivatives(t * t * t);
  const double powers[] = {0.125, 0.75, 3, 6};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(cubes[i], powers[i], 1e-15);
}

TEST(KdlRatesOfNumbers, OfNumbersOfJoints) {
  KdlDraw draw(5);
  const JntArray p[] = {draw.joints(3), draw.joints(3), draw.joints(3)}, r = draw.joints(3);
  const auto q = [&](double t) {
    JntArrayAcc out(3);
    out.q.data = p[0].data + t * p[1].data + t * t / 2 * p[2].data;
    out.qdot.data = p[1].data + t * p[2].data;
    out.qdotdot = p[2];
    return out;
  };
  const auto s = [](double t) { return doubleAcc(0.7 + 0.3 * t + 0.4 * t * t, 0.3 + 0.8 * t, 0.8); };
  using Of = std::function<JntArrayAcc(double)>;
  JntArrayAcc out(3);
  const auto keep = [&out](auto&&... arguments) { return (void(arguments), ..., out); };
  const std::pair<const char*, Of> cases[] = {
      {"q s", [&](double t) { return Multiply(q(t), s(t), out), keep(); }},
      {"q / s", [&](double t) { return Divide(q(t), s(t), out), keep(); }},
      {"q / 2", [&](double t) { return Divide(q(t), 2, out), keep(); }},
      {"q 2", [&](double t) { return Multiply(q(t), 2, out), keep(); }},
      {"q + q s", [&](double t) { return Multiply(q(t), s(t), out), Add(out, q(t), out), keep(); }},
      {"q - q s", [&](double t) { return Multiply(q(t), s(t), out), Subtract(q(t), out, out), keep(); }},
      {"q + r", [&](double t) { return Add(q(t), r, out), keep(); }},
      {"q - r", [&](double t) { return Subtract(q(t), r, out), keep(); }},
  };
  for (const auto& [name, of] : cases) {
    const JntArrayAcc now = of(0), before = of(-k_step), behind = of(k_step);
    EXPECT_LE((now.qdot.data - (behind.q.data - before.q.data) / (2 * k_step)).norm(), k_difference) << name;
    EXPECT_LE((now.qdotdot.data - (behind.qdot.data - before.qdot.data) / (2 * k_step)).norm(), k_difference) << name;
    EXPECT_GT(now.q.data.norm(), 0.1);
  }
  // Velocities alone, with a rate of the factor; results may be the arguments.
  JntArrayVel v(p[0], p[1]), w(v);
  Multiply(v, doubleVel(0.7, 0.3), v);
  EXPECT_LE((v.qdot.data - 0.7 * p[1].data - 0.3 * p[0].data).norm(), 1e-15);
  Divide(v, doubleVel(0.7, 0.3), v);
  EXPECT_TRUE(Equal(v, w, 1e-15));
  SetToZero(v);
  EXPECT_TRUE(Equal(v, JntArrayVel(3), 1e-300));
}

// Equal numbers have equal hashes, 0 and -0, too. (== forgives 1e-6: such objects are equal, and their hashes are not.)
template <class Type> void expect_hash(const Type& a, const Type& same, const Type& other) {
  std::unordered_set<Type> set{a, other};
  EXPECT_TRUE(a == same);
  EXPECT_EQ(std::hash<Type>()(a), std::hash<Type>()(same));
  EXPECT_EQ(set.count(same), 1u);
  EXPECT_NE(std::hash<Type>()(a), std::hash<Type>()(other));
  EXPECT_EQ(set.size(), 2u);
}

TEST(KdlHash, IsTheSameForTheSameNumbers) {
  const Vector a(0., 1, 2), same(-0., 1, 2), b(1, 0, 2);
  const Rotation R = Rotation::RotX(0.), minus = Rotation::RotX(-0.), S = Rotation::RotX(0.1);
  const VectorVel av(a, b), sv(same, b), bv(b, a);
  const VectorAcc aa(a, b, a), sa(same, b, same), ba(b, a, b);
  expect_hash(a, same, b);
  expect_hash(R, minus, S);
  expect_hash(Frame(R, a), Frame(minus, same), Frame(R, b));
  expect_hash(Twist(a, b), Twist(same, b), Twist(b, a));
  expect_hash(Wrench(a, b), Wrench(same, b), Wrench(b, a));
  expect_hash(Vector2(0., 1), Vector2(-0., 1), Vector2(1, 0));
  expect_hash(Rotation2(0.), Rotation2(-0.), Rotation2(1));
  expect_hash(Frame2(Rotation2(0.), Vector2(0., 1)), Frame2(Rotation2(-0.), Vector2(-0., 1)), Frame2(Vector2(1, 1)));
  expect_hash(doubleVel(0., 1), doubleVel(-0., 1), doubleVel(1, 0));
  expect_hash(av, sv, bv);
  expect_hash(TwistVel(av, bv), TwistVel(sv, bv), TwistVel(bv, av));
  expect_hash(RotationVel(R, a), RotationVel(minus, same), RotationVel(S, a));
  expect_hash(FrameVel(RotationVel(R, a), av), FrameVel(RotationVel(minus, same), sv), FrameVel(RotationVel(R, a), bv));
  expect_hash(doubleAcc(0., 1, 2), doubleAcc(-0., 1, 2), doubleAcc(1, 0, 2));
  expect_hash(aa, sa, ba);
  expect_hash(TwistAcc(aa, ba), TwistAcc(sa, ba), TwistAcc(ba, aa));
  expect_hash(RotationAcc(R, a, b), RotationAcc(minus, same, b), RotationAcc(R, b, a));
  expect_hash(FrameAcc(RotationAcc(R, a, b), aa), FrameAcc(RotationAcc(minus, same, b), sa),
              FrameAcc(RotationAcc(R, a, b), ba));
}

}  // namespace
}  // namespace zwang::test
