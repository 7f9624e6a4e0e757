// SPDX-License-Identifier: BSD-3-Clause
// Second derivatives against first derivatives on dual numbers: the same quantity by other formulas, exact to rounding,
// for every joint type, mimic joints, user joints and wrenches in all axes. And the rules that hold for any tau(q, v,
// a). Tolerance: that of first derivatives, some 200 operations per body on a path of up to 30 bodies.
#include "zwang/algorithm/second_derivatives.hpp"

#include <gtest/gtest.h>

#include "algorithm/held.hpp"
#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "zwang/algorithm/page/inverse_dynamics_derivatives.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/generic.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {
namespace {

using D = Dual<double>;
using Values = std::vector<double>;
constexpr double k_second = 2 * k_sweep;

/// qq, qv, vv, qa.
struct Tensors {
  explicit Tensors(Index n_) : n(n_), qq(size()), qv(size()), vv(size()), qa(size()) {}
  std::size_t size() const {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  }
  std::size_t at(Index t, Index x, Index y) const { return static_cast<std::size_t>((t * n + x) * n + y); }
  Index n;
  Values qq, qv, vv, qa;
};

void set_wrenches(const Model& model, BasicData<D>& data, const std::vector<D>& q, const Externals& given) {
  data.force.has_external = !given.empty();
  if (given.empty()) return;
  page::clear_turning(data);
  page::kinematics(data, q.data());
  for (Index i = 0; i <= data.tree().n; ++i) data.force.external[i] = Force<D>::zero();
  for (const ExternalWrench& e : given) {
    const Frame& frame = detail::frame_of(model, e.frame, "wrench");
    Force<D> w;
    for (int k = 0; k < 6; ++k) w[k] = D(e.wrench[k]);
    page::add_wrench(data, frame.body.value, frame.in_body, e.in, w);
    page::add_turning(data, frame.body.value, frame.in_body, e.in, w);
  }
}

/// Derivatives of first derivatives along coordinate y of q or v: one dual direction each.
Tensors by_dual_numbers(const Held& h, const Eigen::VectorXd& acceleration, const Externals& given) {
  const Index n = h.nv;
  const auto size = static_cast<std::size_t>(n);
  Tensors out(n);
  BasicData<D> data(h.m);
  for (const bool by_q : {true, false})
    for (Index y = 0; y < n; ++y) {
      std::vector<D> at(static_cast<std::size_t>(h.x.q.size())), q(at.size()), v(size), a(size), d(size),
          Q(size * size), V(size * size), A(size * size);
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = D(h.x.q(static_cast<Eigen::Index>(i)));
      for (Index i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        v[k] = D(h.x.v(i), !by_q && i == y ? 1 : 0);
        a[k] = D(acceleration(i));
        d[k] = D(0, by_q && i == y ? 1 : 0);
      }
      page::integrate(h.m.tree<double>(), at.data(), d.data(), q.data());
      set_wrenches(h.m, data, q, given);
      page::kinematics(data, q.data(), v.data(), a.data());
      const auto matrix = [&](std::vector<D>& x) { return page::MatrixView<D>{x.data(), n, n, 1, n}; };
      page::inverse_dynamics_derivatives<D>(data, q.data(), v.data(), a.data(), page::PassiveEffects{true, false, true},
                                            {matrix(Q), matrix(V), matrix(A)});
      for (Index t = 0; t < n; ++t)
        for (Index x = 0; x < n; ++x) {
          const auto k = static_cast<std::size_t>(t + x * n);
          if (by_q) {
            out.qq[out.at(t, x, y)] = Q[k].d;
            out.qv[out.at(t, y, x)] = V[k].d;
            out.qa[out.at(t, y, x)] = A[k].d;
          } else {
            out.vv[out.at(t, x, y)] = V[k].d;
          }
        }
    }
  return out;
}

double largest_of(const Values& x) {
  double out = 0;
  for (const double a : x) out = std::max(out, std::fabs(a));
  return out;
}
void expect_tensor(const TensorView& ours, const Values& expected, double scale, const char* name) {
  double worst = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double e = std::fabs(ours.data[k] - expected[k]);
    if (!(e <= worst)) worst = e;
  }
  EXPECT_LE(worst, k_second * scale) << name;
}

TEST(SecondDerivatives, AreThoseOfFirstDerivativesOnDualNumbers) {
  for_cases(60, [](Held& h) {
    if (h.nv > 30) return;  // minutes
    Random random(3);
    const Wrenches given = random_wrenches(h.c, random);
    SecondDerivatives H(h.m);
    for (const Externals& external : {given.external, Externals{}}) {  // twice into the same memory
      inverse_dynamics_second_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.a, H, external);
      const Tensors expected = by_dual_numbers(h, h.x.a, external);
      const double scale = 1 + largest_of(expected.qq) + largest_of(expected.qv) + largest_of(expected.vv);
      expect_tensor(H.qq(), expected.qq, scale, "qq");
      expect_tensor(H.qv(), expected.qv, scale, "qv");
      expect_tensor(H.vv(), expected.vv, scale, "vv");
      expect_tensor(H.qa(), expected.qa, 1 + largest_of(expected.qa), "qa");
    }
  });
}

// The second derivative by v is that of a function of a vector: symmetric. That by q is so between joints; within a
// joint of the group SO(3), H[x, y] - H[y, x] = the derivative along the bracket of the increments, (e_y x e_x).
TEST(SecondDerivatives, FollowTheRuleOfTheGroup) {
  RobotDescription robot = sample_arm7();
  robot.joints[2].type = "spherical";
  const Model model = build(robot);
  Data data(model);
  const Index n = model.nv(), first = 2;
  Random random(4);
  const Eigen::VectorXd q = random_configuration(model, random), v = random.vector(n), a = random.vector(n);
  const SecondDerivatives H = inverse_dynamics_second_derivatives(model, data, q, v, a);
  const auto d = inverse_dynamics_derivatives(model, data, q, v, a);
  const double scale = 1 + d.q.cwiseAbs().maxCoeff() * 10;
  double asymmetry = 0;
  for (Index t = 0; t < n; ++t)
    for (Index x = 0; x < n; ++x)
      for (Index y = 0; y < n; ++y) {
        double expected = 0;
        if (x >= first && x < first + 3 && y >= first && y < first + 3) {
          const Eigen::Vector3d bracket = Eigen::Vector3d::Unit(y - first).cross(Eigen::Vector3d::Unit(x - first));
          expected = d.q.row(t).segment<3>(first).dot(bracket);
        }
        asymmetry = std::max(asymmetry, std::fabs(expected));
        EXPECT_NEAR(H.qq()(t, x, y) - H.qq()(t, y, x), expected, k_second * scale);
        EXPECT_NEAR(H.vv()(t, x, y), H.vv()(t, y, x), k_second * scale);
        EXPECT_NEAR(H.qa()(t, x, y), H.qa()(y, x, t), k_second * scale);  // d M_ty / d q_x
      }
  EXPECT_GT(asymmetry, 0.1);
}

TEST(SecondDerivatives, OfForwardDynamicsFollowFromItsFirstDerivatives) {
  for_cases(20, [](Held& h) {
    if (h.nv > 16) return;
    Random random(3);
    const Wrenches given = random_wrenches(h.c, random);
    const JointEffects effects{};
    Eigen::VectorXd a;
    try {
      a = forward_dynamics(h.m, h.data, h.x.q, h.x.v, h.x.tau, given.external, effects);
    } catch (const SingularMassError&) { return; }
    const auto d = forward_dynamics_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.tau, given.external, effects);
    const Tensors H = by_dual_numbers(h, a, given.external);
    const auto F = forward_dynamics_second_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.tau, given.external, effects);
    const Eigen::MatrixXd M = mass_matrix(h.m, h.data, h.x.q, effects);
    const Index n = h.nv;
    // M a_xy + H_xy + M_x a_y + M_y a_x = 0, term by term of its own size
    const double first = 1 + largest_of(H.qa) * (largest(d.q) + largest(d.v) + largest(d.tau));
    const double scale = (first + largest_of(H.qq) + largest_of(H.qv) + largest_of(H.vv) +
                          largest(M) * (largest_of(Values(F.qq().data, F.qq().data + H.size())) +
                                        largest_of(Values(F.qtau().data, F.qtau().data + H.size())))) *
                         static_cast<double>(n);
    double worst[4] = {};
    for (Index t = 0; t < n; ++t)
      for (Index x = 0; x < n; ++x)
        for (Index y = 0; y < n; ++y) {
          double qq = H.qq[H.at(t, x, y)], qv = H.qv[H.at(t, x, y)], vv = H.vv[H.at(t, x, y)], qtau = 0;
          for (Index s = 0; s < n; ++s) {
            qq += M(t, s) * F.qq()(s, x, y) + H.qa[H.at(t, x, s)] * d.q(s, y) + H.qa[H.at(t, y, s)] * d.q(s, x);
            qv += M(t, s) * F.qv()(s, x, y) + H.qa[H.at(t, x, s)] * d.v(s, y);
            vv += M(t, s) * F.vv()(s, x, y);
            qtau += M(t, s) * F.qtau()(s, x, y) + H.qa[H.at(t, x, s)] * d.tau(s, y);
          }
          const double rest[] = {qq, qv, vv, qtau};
          for (int k = 0; k < 4; ++k)
            if (!(std::fabs(rest[k]) <= worst[k])) worst[k] = std::fabs(rest[k]);
        }
    for (const double e : worst) EXPECT_LE(e, k_second * scale);
  });
}

TEST(SecondDerivatives, AreSummedAndSplitOnRequest) {
  const Model model = build(sample_arm7());
  Data data(model);
  Random random(5);
  const Index n = model.nv();
  const Eigen::VectorXd q = random_configuration(model, random), v = random.vector(n), a = random.vector(n),
                        w = random.vector(n);
  const SecondDerivatives H = inverse_dynamics_second_derivatives(model, data, q, v, a);
  Eigen::MatrixXd sum(n, n);
  H.contract("qv", w, sum);
  double expected = 0;
  for (Index t = 0; t < n; ++t) expected += w(t) * H.dense("qv")(t, 2, 3);
  EXPECT_DOUBLE_EQ(sum(2, 3), expected);
  const auto symmetric = H.symmetric("qq");
  EXPECT_DOUBLE_EQ(symmetric[static_cast<std::size_t>((1 * n + 2) * n + 3)], 0.5 * (H.qq()(1, 2, 3) + H.qq()(1, 3, 2)));
  EXPECT_THROW(H.dense("va"), std::invalid_argument);
  EXPECT_THROW(H.symmetric("qv"), std::invalid_argument);
  const Model other = build(sample_arm7());
  Data others(other);
  SecondDerivatives mine = H;
  EXPECT_THROW(inverse_dynamics_second_derivatives(other, others, q, v, a, mine), std::invalid_argument);
  const Eigen::VectorXd shorter = v.head(n - 1);
  EXPECT_THROW(inverse_dynamics_second_derivatives(model, data, q, shorter, a, mine), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
