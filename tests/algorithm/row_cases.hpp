// SPDX-License-Identifier: BSD-3-Clause
// What the tests of matrices by rows (algorithm/page/row_writer.hpp) share: trees, states in any scalar, outputs whose
// numbers around the matrices are watched.
// Tolerance: both pages add up some 30 products for each of up to 30 bodies of a path in different order: 1000
// roundings of the largest entry.
#pragma once
#include <gtest/gtest.h>

#include <functional>

#include "algorithm/cases.hpp"
#include "core/scalars.hpp"
#include "model/plain_model.hpp"
#include "zwang/algorithm/page/inverse_dynamics_derivatives.hpp"
#include "zwang/generic.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {

inline constexpr long double k_row_order = 1000;

/// One column, which depends on q: a turn about z whose axis slides.
struct SlidingTurn {
  static constexpr const char* name = "sliding_turn";
  static constexpr int nq = 1, nv = 1;
  template <class S> static void transform(const S* q, const Uniform<S>* parameters, Transform<S>& X) {
    const SinCos<S> t = sincos(q[0]);
    X.R = turn_z(Mat3<S>::identity(), t.cos, t.sin);
    X.p = {t.sin * parameters[0], S(0), S(0)};
  }
  template <class S> static void columns(const S* q, const Uniform<S>* parameters, Motion<S>* s) {
    const SinCos<S> t = sincos(q[0]);
    s[0] = {{t.cos * t.cos * parameters[0], -(t.sin * t.cos) * parameters[0], S(0)}, {S(0), S(0), S(1)}};
  }
  template <class S> static void rates(const S* q, const S* v, const Uniform<S>* parameters, Motion<S>* r) {
    const SinCos<S> t = sincos(q[0]);
    const S k = v[0] * parameters[0];
    r[0] = {{-(t.sin * t.cos * k) * Uniform<S>(2), (t.sin * t.sin - t.cos * t.cos) * k, S(0)}, Vec3<S>::zero()};
  }
};

/// A state in S, other numbers in each lane, and external wrenches on all bodies.
template <class S> struct RowsState {
  BasicData<S> data;
  std::vector<S> q, v, a;

  RowsState(const Model& m, std::uint64_t seed, bool wrenches) : data(m) {
    Random random(seed);
    const auto numbers = [&](const std::function<Eigen::VectorXd()>& draw) {
      const Eigen::VectorXd derivative = draw();
      std::vector<S> x(static_cast<std::size_t>(derivative.size()), S(Uniform<S>(0)));
      for (int lane = 0; lane < lanes_of<S>; ++lane) {
        const Eigen::VectorXd value = draw();
        for (std::size_t k = 0; k < x.size(); ++k)
          Lanes<S>::set(x[k], lane, value(static_cast<Eigen::Index>(k)), derivative(static_cast<Eigen::Index>(k)));
      }
      return x;
    };
    const std::function<Eigen::VectorXd()> rates = [&] { return random.vector(m.nv()); };
    q = numbers([&] { return random_configuration(m, random); });
    v = numbers(rates);
    a = numbers(rates);
    data.armature_factor = 1;
    data.force.has_external = wrenches;
    page::kinematics(data, q.data(), v.data(), a.data());
    if (!wrenches) return;
    page::clear_turning(data);
    for (Force<S>& f : data.force.external) f = Force<S>::zero();
    for (Index i = 1; i <= data.tree().n; ++i) {
      const auto f = numbers([&] { return random.vector(6, 10); });
      const Force<S> wrench{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
      const auto pose = widen<Uniform<S>>(random.pose(0.5));
      const Reference in = k_references[random.below(3)];
      page::add_wrench(data, i, pose, in, wrench);
      page::add_turning(data, i, pose, in, wrench);
    }
  }
};

/// Matrices with `gap` numbers below each column.
template <class S> struct RowsOutput {
  Index n, stride;
  int count;
  std::vector<S> numbers;
  S before = S(Uniform<S>(-0.5));

  RowsOutput(Index n_, Index gap, int count_) : n(n_), stride(n_ + gap), count(count_) {
    numbers.assign(static_cast<std::size_t>(3 * n * stride), before);
  }
  page::MatrixView<S> view(int k) { return {k < count ? numbers.data() + k * n * stride : nullptr, n, n, 1, stride}; }
  page::TorqueDerivatives<S> views() { return {view(0), view(1), view(2)}; }
  const S& at(int k, Index r, Index c) const {
    return numbers[static_cast<std::size_t>(k * n * stride + c * stride + r)];
  }
};

/// The first `count` matrices are those expected, and nothing else was written.
template <class S> void expect_same(const RowsOutput<S>& rows, const RowsOutput<S>& expected, int count) {
  for (int lane = 0; lane < lanes_of<S>; ++lane)
    for (int k = 0; k < 3; ++k) {
      long double value = 1, derivative = 1;
      for (Index i = k * rows.n * rows.stride; i < (k + 1) * rows.n * rows.stride; ++i) {
        const S& x = expected.numbers[static_cast<std::size_t>(i)];
        value = std::max(value, std::fabs(Lanes<S>::value(x, lane)));
        derivative = std::max(derivative, std::fabs(Lanes<S>::derivative(x, lane)));
      }
      for (Index c = 0; c < rows.n; ++c)
        for (Index r = 0; r < rows.stride; ++r) {
          const bool inside = k < count && r < rows.n;
          const S &x = rows.at(k, r, c), &y = inside ? expected.at(k, r, c) : rows.before;
          const long double tolerance = inside ? k_row_order * rounding<S> : 0;
          ASSERT_TRUE(near(Lanes<S>::value(x, lane), Lanes<S>::value(y, lane), tolerance * value))
              << "matrix " << k << " row " << r << " column " << c << " of " << rows.n << " lane " << lane;
          ASSERT_TRUE(near(Lanes<S>::derivative(x, lane), Lanes<S>::derivative(y, lane), tolerance * derivative))
              << "derivative, matrix " << k << " row " << r << " column " << c << " of " << rows.n;
        }
    }
}

/// Trees whose joints share no coordinates, but for every tenth; with the joint types that users define where S has
/// them.
template <class S = double> Model rows_model(int seed) {
  const char* roots[4] = {"fixed", "floating", "planar", "spherical"};
  const std::uint64_t number = static_cast<std::uint64_t>(seed) + 900;
  const int joints = 1 + seed % 17;
  BuildOptions options;
  options.expand_mimic = seed % 10 != 9;
  static const std::vector<std::shared_ptr<const UserJoint>> user{user_joint<plain::Rolling>(),
                                                                  user_joint<SlidingTurn>()};
  RandomRobot robot;
  robot.joints = joints;
  robot.root = roots[seed / 2 % 4];
  robot.mimic = 0.35;
  if (!std::is_same_v<S, std::complex<double>>) robot.user = user;
  return build(random_robot(number, robot), options);
}

}  // namespace zwang::test
