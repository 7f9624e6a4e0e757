// SPDX-License-Identifier: BSD-3-Clause
// Every first derivative against its own function on dual numbers and by the complex step in double: columns of
// inverse and forward dynamics, bias, gravity, static torque, motion of frames, centre of mass, momentum and its
// rate. For each joint type alone, random trees with mimics and user-defined joints, and every robot on a fixed
// and on a floating root, whatever its size.
// Tolerance: 1e-12 = 4500 eps of the largest entry, some 200 operations a body on a path of up to 30 bodies. Forward
// dynamics as forces, M times the difference, since both sides carry the condition of M.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "algorithm/cases.hpp"
#include "core/scalars.hpp"
#include "support/robots.hpp"
#include "zwang/algorithm/kinematics_derivatives.hpp"
#include "zwang/algorithm/page/applied.hpp"
#include "zwang/algorithm/page/inverse_dynamics_derivatives.hpp"
#include "zwang/algorithm/second_derivatives.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/generic.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
constexpr double k_exact = 1e-12;

struct State {
  const Model& m;
  RandomState x;
  Externals external;
  std::string frame;
};

/// A state in S that moves along (dq, dv, da, dtau), and the functions there.
template <class S> struct Along {
  Along(const State& s_, const Vector& dq, const Vector& dv, const Vector& da, const Vector& dtau)
      : s(s_),
        data(s_.m),
        q(numbers(s_.x.q, Vector::Zero(s_.x.q.size()))),
        v(numbers(s_.x.v, dv)),
        a(numbers(s_.x.a, da)),
        tau(numbers(s_.x.tau, dtau)) {
    const std::vector<S> d = numbers(Vector::Zero(dq.size()), dq), at = q;
    page::integrate(tree(), at.data(), d.data(), q.data());
  }
  static std::vector<S> numbers(const Vector& value, const Vector& derivative) {
    std::vector<S> out(static_cast<std::size_t>(value.size()), S(0.0));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      Lanes<S>::set(out[i], 0, value(k), derivative(k));
    }
    return out;
  }
  static Vector derivative(const std::vector<S>& x) {
    Vector out(static_cast<Eigen::Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i)
      out(static_cast<Eigen::Index>(i)) = static_cast<double>(Lanes<S>::derivative(x[i], 0));
    return out;
  }
  template <class Six> static Vector derivative6(const Six& x) {
    std::vector<S> out;
    for (int k = 0; k < 6; ++k) out.push_back(x[k]);
    return derivative(out);
  }
  const Tree<double>& tree() const { return s.m.template tree<double>(); }

  void wrenches(bool wanted) {
    data.force.has_external = wanted;
    if (!wanted) return;
    page::kinematics(data, q.data());
    for (Index i = 0; i <= data.tree().n; ++i) data.force.external[i] = Force<S>::zero();
    for (const ExternalWrench& e : s.external) {
      const Frame& frame = s.m.frames()[static_cast<std::size_t>(e.frame.value)];
      Force<S> w;
      for (int k = 0; k < 6; ++k) w[k] = S(e.wrench[k]);
      page::add_wrench(data, frame.body.value, frame.in_body, e.in, w);
    }
  }
  Vector inverse_dynamics(bool with_a, bool moves, bool with_wrenches, const page::PassiveEffects& effects) {
    const std::vector<S> zero(v.size(), S(0.0));
    std::vector<S> out(v.size(), S(0.0));
    wrenches(with_wrenches);
    const S* const rate = moves ? v.data() : zero.data();
    page::inverse_dynamics(data, q.data(), rate, with_a ? a.data() : zero.data(), out.data());
    page::add_passive(tree(), q.data(), rate, effects, -1.0, out.data());
    return derivative(out);
  }
  Vector forward_dynamics() {
    std::vector<S> out(v.size(), S(0.0));
    wrenches(true);
    page::add_passive(tree(), q.data(), v.data(), {true, false, true}, 1.0, tau.data());
    EXPECT_TRUE(page::forward_dynamics(data, q.data(), v.data(), tau.data(), out.data()));
    return derivative(out);
  }
  void move() { page::kinematics(data, q.data(), v.data(), a.data()); }
  page::PointOfView<S> view(Reference in) {
    const Frame& f = s.m.frame(s.frame);
    return page::point_of_view(data, f.body.value, f.in_body, in);
  }
  Vector frame_velocity(Reference in) {
    return derivative6(view(in).see(Motion<S>(data.velocity.twist[s.m.frame(s.frame).body.value])));
  }
  Vector frame_acceleration(Reference in) {
    return derivative6(view(in).see(page::body_acceleration(data, s.m.frame(s.frame).body.value)));
  }
  Vector centre_velocity() {
    const Vec3<S> c = page::centre_of_mass(data).velocity;
    return derivative({c.x, c.y, c.z});
  }
  Vector momentum() { return derivative6(page::centroidal_momentum(data)); }
  Vector momentum_rate() { return derivative6(page::centroidal_momentum_rate(data)); }

  const State& s;
  BasicData<S> data;
  std::vector<S> q, v, a, tau;
};

enum class By { q, v, last };  ///< last: a or tau

/// The matrix whose columns f gives along each coordinate.
template <class S, class F> Matrix columns(const State& s, By by, F&& f) {
  const Index n = s.m.nv();
  const Vector none = Vector::Zero(n);
  Matrix out;
  for (Index k = 0; k < n; ++k) {
    const Vector unit = Vector::Unit(n, k), &last = by == By::last ? unit : none;
    Along<S> along(s, by == By::q ? unit : none, by == By::v ? unit : none, last, last);
    const Vector column = f(along);
    if (k == 0) out.resize(column.size(), n);
    out.col(k) = column;
  }
  return out;
}
struct Columns {
  Matrix q, v, last;
};
template <class S, class F> Columns all_columns(const State& s, F&& f) {
  return {columns<S>(s, By::q, f), columns<S>(s, By::v, f), columns<S>(s, By::last, f)};
}

template <class S> void expect_dynamics(const State& s, Data& data) {
  const Model& m = s.m;
  const page::PassiveEffects all{true, false, true}, springs{false, false, true}, none{};
  const JointEffects effects{};
  {
    const auto d = inverse_dynamics_derivatives(m, data, s.x.q, s.x.v, s.x.a, s.external, effects);
    const Columns c = all_columns<S>(s, [&](Along<S>& x) { return x.inverse_dynamics(true, true, true, all); });
    EXPECT_TRUE(within(d.q, c.q, k_exact, largest(c.q) + largest(c.v) + 1));
    EXPECT_TRUE(within(d.v, c.v, k_exact, largest(c.q) + largest(c.v) + 1));
    EXPECT_TRUE(within(d.a, c.last, k_exact, largest(c.last)));
  }
  {
    Matrix q(m.nv(), m.nv()), v = q;
    bias_forces_derivatives(m, data, s.x.q, s.x.v, q, v, s.external, effects);
    const auto f = [&](Along<S>& x) { return x.inverse_dynamics(false, true, true, all); };
    const Matrix by_q = columns<S>(s, By::q, f), by_v = columns<S>(s, By::v, f);
    EXPECT_TRUE(within(q, by_q, k_exact, largest(by_q) + largest(by_v) + 1));
    EXPECT_TRUE(within(v, by_v, k_exact, largest(by_q) + largest(by_v) + 1));
    gravity_forces_derivatives(m, data, s.x.q, q);
    const Matrix gravity =
        columns<S>(s, By::q, [&](Along<S>& x) { return x.inverse_dynamics(false, false, false, none); });
    EXPECT_TRUE(within(q, gravity, k_exact, largest(gravity) + 1));
    static_torque_derivatives(m, data, s.x.q, q, s.external, {.armature = false, .damping = false, .springs = true});
    const Matrix at_rest =
        columns<S>(s, By::q, [&](Along<S>& x) { return x.inverse_dynamics(false, false, true, springs); });
    EXPECT_TRUE(within(q, at_rest, k_exact, largest(at_rest) + largest(gravity) + 1));
  }
  try {
    const Vector a = forward_dynamics(m, data, s.x.q, s.x.v, s.x.tau, s.external, effects);
    const auto d = forward_dynamics_derivatives(m, data, s.x.q, s.x.v, s.x.tau, s.external, effects);
    const auto tau = inverse_dynamics_derivatives(m, data, s.x.q, s.x.v, a, s.external, effects);
    const Columns c = all_columns<S>(s, [](Along<S>& x) { return x.forward_dynamics(); });
    const double n = static_cast<double>(m.nv()), forces = largest(tau.q) + largest(tau.v) + 1;
    const double scale = forces + largest(tau.a) * n * (largest(c.q) + largest(c.v));
    EXPECT_TRUE(within(tau.a * (d.q - c.q), Matrix::Zero(m.nv(), m.nv()), k_exact, scale));
    EXPECT_TRUE(within(tau.a * (d.v - c.v), Matrix::Zero(m.nv(), m.nv()), k_exact, scale));
    EXPECT_TRUE(within(tau.a * (d.tau - c.last), Matrix::Zero(m.nv(), m.nv()), k_exact,
                       1 + largest(tau.a) * n * largest(c.last)));
  } catch (const SingularMassError&) {}
}

template <class S> void expect_kinematics(const State& s, Data& data) {
  const Model& m = s.m;
  const auto at = [](auto&& f) {
    return [f](Along<S>& x) {
      x.move();
      return f(x);
    };
  };
  for (const Reference in : k_references) {
    SCOPED_TRACE(static_cast<int>(in));
    const Columns v = all_columns<S>(s, at([in](Along<S>& x) { return x.frame_velocity(in); }));
    const double scale = largest(v.q) + largest(v.v) + 1;
    const auto d = frame_velocity_derivatives(m, data, s.x.q, s.x.v, s.frame, in);
    EXPECT_TRUE(within(d.q, v.q, k_exact, scale));
    EXPECT_TRUE(within(d.v, v.v, k_exact, scale));
    const Columns a = all_columns<S>(s, at([in](Along<S>& x) { return x.frame_acceleration(in); }));
    const double size = largest(a.q) + largest(a.v) + 10;  // gravity comes and goes
    const auto e = frame_acceleration_derivatives(m, data, s.x.q, s.x.v, s.x.a, s.frame, AccelerationKind::spatial, in);
    EXPECT_TRUE(within(e.q, a.q, k_exact, size));
    EXPECT_TRUE(within(e.v, a.v, k_exact, size));
    EXPECT_TRUE(within(e.a, a.last, k_exact, size));
  }
  const Columns c = all_columns<S>(s, at([](Along<S>& x) { return x.centre_velocity(); }));
  const auto d = centre_of_mass_velocity_derivatives(m, data, s.x.q, s.x.v);
  EXPECT_TRUE(within(d.q, c.q, k_exact, largest(c.q) + largest(c.v) + 1));
  EXPECT_TRUE(within(d.v, c.v, k_exact, largest(c.v) + 1));
  const Columns h = all_columns<S>(s, at([](Along<S>& x) { return x.momentum(); }));
  const Columns r = all_columns<S>(s, at([](Along<S>& x) { return x.momentum_rate(); }));
  const auto e = centroidal_derivatives(m, data, s.x.q, s.x.v, s.x.a);
  const double momentum = largest(h.q) + largest(h.v) + 1;
  EXPECT_TRUE(within(e.momentum.q, h.q, k_exact, momentum));
  EXPECT_TRUE(within(e.momentum.v, h.v, k_exact, momentum));
  const double rate = largest(r.q) + largest(r.v) + 10 * momentum;  // gravity comes and goes
  EXPECT_TRUE(within(e.rate.q, r.q, k_exact, rate));
  EXPECT_TRUE(within(e.rate.v, r.v, k_exact, rate));
  EXPECT_TRUE(within(e.rate.a, r.last, k_exact, rate));
}

/// sum_y H[t, x, y] d_y is the derivative of the first derivatives along d:
/// all tensors of a large robot in two evaluations.
void expect_second(const State& s, Data& data) {
  using D = Dual<double>;
  const Index n = s.m.nv();
  Random random(9);
  const Vector d = random.vector(n), none = Vector::Zero(n);
  SecondDerivatives H(s.m);
  inverse_dynamics_second_derivatives(s.m, data, s.x.q, s.x.v, s.x.a, H);
  const auto along_last = [&](const TensorView& t) {
    Matrix out = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index x = 0; x < n; ++x)
        for (Index y = 0; y < n; ++y) out(i, x) += t(i, x, y) * d(y);
    return out;
  };
  const auto along_first = [&](const TensorView& t) {  // x in q moves
    Matrix out = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index x = 0; x < n; ++x)
        for (Index y = 0; y < n; ++y) out(i, y) += t(i, x, y) * d(x);
    return out;
  };
  const auto first = [&](const Vector& dq, const Vector& dv) {
    Along<D> x(s, dq, dv, none, none);
    std::vector<D> Q(static_cast<std::size_t>(n * n)), V = Q, A = Q;
    page::clear_turning(x.data);
    x.data.force.has_external = false;
    page::kinematics(x.data, x.q.data(), x.v.data(), x.a.data());
    const auto view = [&](std::vector<D>& y) { return page::MatrixView<D>{y.data(), n, n, 1, n}; };
    page::inverse_dynamics_derivatives<D>(x.data, x.q.data(), x.v.data(), x.a.data(), {true, false, true},
                                          {view(Q), view(V), view(A)});
    const auto matrix = [&](const std::vector<D>& y) { return Matrix(Along<D>::derivative(y).reshaped(n, n)); };
    return Columns{matrix(Q), matrix(V), matrix(A)};
  };
  const Columns by_q = first(d, none), by_v = first(none, d);
  const double reach = d.cwiseAbs().sum();
  double size = 1;
  for (const TensorView& t : {H.qq(), H.qv(), H.vv()})
    for (Index k = 0; k < n * n * n; ++k) size = std::max(size, std::fabs(t.data[k]));
  EXPECT_TRUE(within(along_last(H.qq()), by_q.q, k_exact, size * reach));
  EXPECT_TRUE(within(along_last(H.qv()), by_v.q, k_exact, size * reach));
  EXPECT_TRUE(within(along_first(H.qv()), by_q.v, k_exact, size * reach));
  EXPECT_TRUE(within(along_last(H.vv()), by_v.v, k_exact, size * reach));
  EXPECT_TRUE(within(along_first(H.qa()), by_q.last, k_exact, size * reach));
}

void expect_all(const Case& c, std::uint64_t seed) {
  SCOPED_TRACE(c.name);
  if (c.model.nv() == 0) return;
  Random random(seed + 3);
  const State s{c.model, random_state(c.model, seed), random_wrenches(c, random).external, random_frame(c, random)};
  Data data(c.model);
  for (const bool by_step : {false, true}) {
    SCOPED_TRACE(by_step ? "complex step" : "dual numbers");
    if (by_step) {
#if !defined(ZWANG_TEST_FEW_SCALARS)
      expect_dynamics<std::complex<double>>(s, data);
      expect_kinematics<std::complex<double>>(s, data);
#endif
    } else {
      expect_dynamics<Dual<double>>(s, data);
      expect_kinematics<Dual<double>>(s, data);
    }
  }
  if (c.model.nv() <= 100) expect_second(s, data);  // 32 MB of tensors
}

TEST(DerivativesByDualNumbers, OfEveryJointType) {
  std::vector<std::string> types;
  for (const JointDescription& j : sample_zoo().joints) types.push_back(j.type);
  types.push_back("composite");  // user-defined joints: among the random trees
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  EXPECT_GE(types.size(), 12u);
  for (const std::string& type : types)
    for (const char* root : {"fixed", "floating"}) {
      SCOPED_TRACE(type);
      RandomRobot options;
      options.joints = 4;
      options.root = root;
      options.types = {type, "revolute"};
      RobotDescription robot = random_robot(17, options);
      int used = 0;
      for (JointDescription& j : robot.joints) {
        used += j.type == type;
        if (j.type == "composite") j.rotor_inertia = {0.05};  // parts may move alike: rotors keep M regular
      }
      EXPECT_GT(used, 0);
      expect_all(Case(robot, {}, type + std::string(" on ") + root), 5);
    }
}

TEST(DerivativesByDualNumbers, OfRandomTreesWithMimicJoints) {
  for (int seed = 0; seed < effort(40); ++seed)
    expect_all(random_case(static_cast<std::uint64_t>(seed) + 300, 2 + seed % 12), static_cast<std::uint64_t>(seed));
}

TEST(DerivativesByDualNumbers, OfEveryRobotOfTheProject) {
  for (const RobotFile& file : robot_files())
    if (file.path.find(models_folder()) == 0) expect_all(load_case(file), 5);
}

TEST(DerivativesByDualNumbers, OfEverySharedRobot) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  int robots = 0;
  Index largest_nv = 0;
  for (const RobotFile& file : robot_files()) {
    if (file.path.find(models_folder()) == 0) continue;
    const Case c = load_case(file);
    expect_all(c, 5);
    largest_nv = std::max(largest_nv, c.model.nv());
    ++robots;
  }
  std::printf("%d robots, of up to %d coordinates\n", robots, static_cast<int>(largest_nv));
}

}  // namespace
}  // namespace zwang::test
