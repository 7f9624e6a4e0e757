// SPDX-License-Identifier: BSD-3-Clause
// Rollouts: the same steps by a Solver and integrate(), implicit damping against dense algebra, the laws of a pendulum.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "batch/arrays.hpp"
#include "support/passive.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

template <class T> class BatchRollout : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchRollout, Numbers);

/// Without damping a step is a solve and integrate(): by hand.
struct Steps {
  Matrix q, v;  ///< a column per step
};
Steps by_hand(const Model& m, ConstraintSet& set, Vector q, Vector v, const Matrix& tau, int steps, double h,
              const SolverSettings& settings, const Externals& external, RolloutIntegrator integrator) {
  Solver solver(m, set, settings);
  Steps out{Matrix(m.nq(), steps), Matrix(m.nv(), steps)};
  for (int k = 0; k < steps; ++k) {
    const Vector u = tau.col(tau.cols() > 1 ? k : 0);
    const auto acceleration = [&](const Vector& q_now, const Vector& v_now) {
      return Vector(solver.solve({.q = q_now, .v = v_now, .tau = u, .external = &external}).acceleration);
    };
    if (integrator == RolloutIntegrator::rk4) {
      const auto rate = [&](const Vector& q_now, const Vector& v_now) {
        Matrix J0(m.nv(), m.nv()), J1(m.nv(), m.nv());
        difference_jacobians(m, q, q_now, J0, J1);
        return Vector(J1 * v_now);
      };
      const Vector r1 = v, a1 = acceleration(q, v), q2 = integrate(m, q, Vector(h / 2 * r1)), v2 = v + h / 2 * a1;
      const Vector r2 = rate(q2, v2), a2 = acceleration(q2, v2), q3 = integrate(m, q, Vector(h / 2 * r2)),
                   v3 = v + h / 2 * a2;
      const Vector r3 = rate(q3, v3), a3 = acceleration(q3, v3), q4 = integrate(m, q, Vector(h * r3)), v4 = v + h * a3;
      const Vector r4 = rate(q4, v4), a4 = acceleration(q4, v4);
      q = integrate(m, q, Vector(h / 6 * (r1 + 2 * r2 + 2 * r3 + r4)));
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    } else {
      v += h * acceleration(q, v);
      q = integrate(m, q, Vector(h * v));
    }
    out.q.col(k) = q;
    out.v.col(k) = v;
  }
  return out;
}

TYPED_TEST(BatchRollout, IsStepsOfTheSolver) {
  using T = TypeParam;
  RobotDescription robot = sample("quadruped");
  add_passive_forces(robot, 3);
  const Model m = build(robot, {.root = "floating"});
  const double h = 1e-3;
  const int steps = 25;
  const long n = 37;
  SolverSettings settings;
  settings.joint_effects.damping = false;
  for (const bool constrained : {false, true})
    for (const int way : {0, 1, 2, 3}) {
      const bool per_step = way % 2 == 1;
      const RolloutIntegrator integrator = way < 2 ? RolloutIntegrator::semi_implicit : RolloutIntegrator::rk4;
      SCOPED_TRACE(testing::Message() << constrained << way);
      ConstraintSet set(m);
      if (constrained)
        for (const char* foot : {"LF_foot", "RF_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
      if (constrained)  // dependent where it is on
        set.add(ContactConstraint{.name = "again", .frame = "LF_foot"});
      const States<T> x = random_states<T>(m, n, 5, 0.3);
      StateRows<T> tau(n, m.nv() * (per_step ? steps : 1)), active(n, set.size()), push(n, 6);
      Random random(8);
      for (long s = 0; s < n; ++s) {
        tau.row(s) = random.vector(static_cast<int>(tau.cols()), 3).template cast<T>();
        push.row(s) = random.vector(6).template cast<T>();
        for (Index k = 0; k < set.size(); ++k) active(s, k) = k == 2 ? s % 5 == 0 : s % 3 != k;
      }
      BasicBatchSolver<T> batch(m, set, settings, {.threads = 2});
      StateRows<T> q(n, m.nq()), v(n, m.nv()), qs(n, m.nq() * steps), vs(n, m.nv() * steps);
      BatchRolloutInput<T> in{.q = x.q, .v = x.v, .tau = tau, .steps = steps, .step = h, .integrator = integrator};
      if (constrained) in.active = active;
      const FrameId trunk = m.links()[1].frame;
      in.external = {{trunk, push, Reference::world}};
      ASSERT_TRUE(batch.rollout(in, {.q = q, .v = v, .q_trajectory = qs, .v_trajectory = vs}).good());
      EXPECT_EQ(batch.solved_alone() > 0, constrained);
      EXPECT_TRUE(same_bits(q, qs.rightCols(m.nq())) && same_bits(v, vs.rightCols(m.nv())));
      ConstraintSet own = set;
      for (long s = 0; s < n; ++s) {
        for (Index k = 0; k < set.size(); ++k)
          own[set.constraints()[static_cast<std::size_t>(k)].name].active = active(s, k) != 0;
        Externals external{{trunk, {}, Reference::world}};
        for (int i = 0; i < 6; ++i) external[0].wrench[i] = static_cast<double>(push(s, i));
        Vector u = tau.row(s).template cast<double>();
        const Steps right = by_hand(m, own, x.q_of(s), x.v_of(s), u.reshaped(m.nv(), per_step ? steps : 1), steps, h,
                                    settings, external, integrator);
        // Errors of a step move on to the next ones: some thousand epsilon, condition of the rows included.
        const Vector q_got = qs.row(s).template cast<double>(), v_got = vs.row(s).template cast<double>();
        EXPECT_TRUE(within(q_got, Vector(right.q.reshaped()), 3e4 * k_epsilon<T>, 1)) << s;
        EXPECT_TRUE(within(v_got, Vector(right.v.reshaped()), 1e6 * k_epsilon<T>, 1 + right.v.cwiseAbs().maxCoeff()))
            << s;
        for (int k = 0; k < steps; ++k) EXPECT_NEAR(qs.row(s).segment(m.nq() * k + 3, 4).norm(), 1, 8 * k_epsilon<T>);
      }
      // Input and output may be one.
      StateRows<T> q2 = x.q, v2 = x.v;
      in.q = q2, in.v = v2;
      batch.rollout(in, {.q = q2, .v = v2});
      EXPECT_TRUE(same_bits(q, q2) && same_bits(v, v2));
      // Tiles, other numbers of threads.
      const StateTiles<T> qt = tiles_of(x.q), vt = tiles_of(x.v), ut = tiles_of(tau);
      StateTiles<T> q3(n, m.nq()), v3(n, m.nv()), qs3(n, m.nq() * steps);
      in.q = qt, in.v = vt, in.tau = ut;
      BasicBatchSolver<T> other(m, set, settings, {.threads = 7});
      other.rollout(in, {.q = q3, .v = v3, .q_trajectory = qs3});
      EXPECT_TRUE(same_bits(q, rows_of(q3)) && same_bits(v, rows_of(v3)) && same_bits(qs, rows_of(qs3)));
    }
}

TYPED_TEST(BatchRollout, HoldsPrescribedAccelerations) {
  using T = TypeParam;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  const double h = 1e-3;
  const int steps = 12;
  const long n = 21;
  SolverSettings settings;
  settings.joint_effects.damping = false;
  ConstraintSet set(m);
  for (const char* foot : {"LF_foot", "RF_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  const States<T> x = random_states<T>(m, n, 5, 0.3);
  StateRows<T> given(n, 2), q(n, m.nq()), v(n, m.nv());
  Random random(9);
  for (long s = 0; s < n; ++s) given.row(s) = random.vector(2, 3).template cast<T>();
  const std::vector<Index> coordinates{7, 16};
  BasicBatchSolver<T> batch(m, set, settings, {.threads = 2});
  const BatchRolloutInput<T> in{
      .q = x.q, .v = x.v, .steps = steps, .step = h, .prescribed = coordinates, .prescribed_acceleration = given};
  ASSERT_TRUE(batch.rollout(in, {.q = q, .v = v}).good());
  Solver solver(m, set, settings);
  for (long s = 0; s < n; ++s) {
    Prescribed prescribed;
    for (int k = 0; k < 2; ++k)
      prescribed.push_back({coordinates[static_cast<std::size_t>(k)], static_cast<double>(given(s, k))});
    Vector q_right = x.q_of(s), v_right = x.v_of(s);
    for (int k = 0; k < steps; ++k) {
      v_right += h * Vector(solver.solve({.q = q_right, .v = v_right, .prescribed = &prescribed}).acceleration);
      q_right = integrate(m, q_right, Vector(h * v_right));
    }
    const Vector q_got = q.row(s).template cast<double>(), v_got = v.row(s).template cast<double>();
    EXPECT_TRUE(within(q_got, q_right, 3e4 * k_epsilon<T>, 1)) << s;
    EXPECT_TRUE(within(v_got, v_right, 1e6 * k_epsilon<T>, 1 + v_right.cwiseAbs().maxCoeff())) << s;
    for (int k = 0; k < 2; ++k) {
      const Index c = coordinates[static_cast<std::size_t>(k)];
      const double expected = x.v_of(s)[c] + steps * h * static_cast<double>(given(s, k));
      EXPECT_NEAR(v_got[c], expected, 100 * k_epsilon<T> * (1 + std::abs(expected)));
    }
  }
  EXPECT_THROW(batch.rollout({.q = x.q, .v = x.v, .prescribed = coordinates}, {.q = q, .v = v}), std::invalid_argument);
}

/// (M + h D) q'' = tau - h(q, v), where h(q, v) holds D v.
TYPED_TEST(BatchRollout, DampingIsImplicit) {
  using T = TypeParam;
  for (const char* name : {"arm7", "chain", "gripper", "cart_pole"}) {
    SCOPED_TRACE(name);
    RobotDescription d = sample(name);
    for (JointDescription& j : d.joints)
      if (j.type != "fixed") j.damping = {30};  // stiff: explicit steps of this length explode
    const Model m = build(d);
    Matrix D = Matrix::Zero(m.nv(), m.nv());
    {
      Data data(m);  // bias forces are linear in v through the dampers alone at first order: taken from the difference
      const Vector q = neutral(m);
      JointEffects off{true, false, false, false}, on{true, true, false, false};
      for (Index k = 0; k < m.nv(); ++k) {
        const Vector e = Vector::Unit(m.nv(), k);
        const Vector with = bias_forces(m, data, q, e, {}, on);
        D.col(k) = with - Vector(bias_forces(m, data, q, e, {}, off));
      }
    }
    const double h = 0.01;
    const long n = 19;
    const States<T> x = random_states<T>(m, n, 9);
    ConstraintSet none(m);
    BasicBatchSolver<T> batch(m, none, {}, {.threads = 1});
    StateRows<T> q(n, m.nq()), v(n, m.nv());
    ASSERT_TRUE(batch.rollout({.q = x.q, .v = x.v, .tau = x.tau, .step = h}, {.q = q, .v = v}).good());
    Data data(m);
    Matrix M(m.nv(), m.nv());
    for (long s = 0; s < n; ++s) {
      mass_matrix(m, data, x.q_of(s), M);
      const Vector bias = bias_forces(m, data, x.q_of(s), x.v_of(s));
      const Vector a = (M + h * D).llt().solve(x.tau_of(s) - bias), moved = x.v_of(s) + h * a;
      EXPECT_TRUE(
          within(Vector(v.row(s).template cast<double>()), moved, 2e4 * k_epsilon<T>, 1 + moved.cwiseAbs().maxCoeff()))
          << s;
      EXPECT_TRUE(within(Vector(q.row(s).template cast<double>()), integrate(m, x.q_of(s), Vector(h * moved)),
                         2e4 * k_epsilon<T>, 4));
    }
  }
}

/// h D stands where rotors do: the same steps as those of a robot with larger rotors, pushed by -D v. In lanes, and one
/// at a time where a contact is given twice.
TYPED_TEST(BatchRollout, DampingIsImplicitUnderConstraints) {
  using T = TypeParam;
  const double h = 0.01, damping = 5;
  RobotDescription d = sample("quadruped"), with_rotors = d;
  for (std::size_t k = 0; k < d.joints.size(); ++k) {
    if (d.joints[k].type != "revolute") continue;
    JointDescription& rotor = with_rotors.joints[k];
    d.joints[k].damping = {damping};
    rotor.damping = {0.0};
    const double ratio = rotor.gear_ratio.empty() ? 1.0 : rotor.gear_ratio[0];
    const double inertia = rotor.rotor_inertia.empty() ? 0.0 : rotor.rotor_inertia[0];
    rotor.gear_ratio = {1.0};
    rotor.rotor_inertia = {h * damping + ratio * ratio * inertia};
  }
  const Model m = build(d, {.root = "floating"}), rotors = build(with_rotors, {.root = "floating"});
  const long n = 11;
  const States<T> x = random_states<T>(m, n, 5, 0.3);
  StateRows<T> active = StateRows<T>::Ones(n, 3), push = x.tau;
  push.rightCols(m.nv() - 6) -= static_cast<T>(damping) * x.v.rightCols(m.nv() - 6);
  for (long s = 0; s < n; ++s) active(s, 2) = static_cast<T>(s % 3 == 0);
  const auto step = [&](const Model& robot, const StateRows<T>& tau, StateRows<T>& v) {
    ConstraintSet set(robot);
    for (const char* foot : {"LF_foot", "RF_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
    set.add(ContactConstraint{.name = "again", .frame = "LF_foot"});
    BasicBatchSolver<T> batch(robot, set, {}, {.threads = 1});
    EXPECT_TRUE(batch.rollout({.q = x.q, .v = x.v, .tau = tau, .step = h, .active = active}, {.v = v}).good());
    EXPECT_EQ(batch.solved_alone() >= 4, true);
  };
  StateRows<T> damped(n, m.nv()), expected(n, m.nv());
  step(m, x.tau, damped);
  step(rotors, push, expected);
  for (long s = 0; s < n; ++s) {
    const Vector a = damped.row(s).template cast<double>(), b = expected.row(s).template cast<double>();
    EXPECT_TRUE(within(a, b, 2e4 * k_epsilon<T>, 1 + b.cwiseAbs().maxCoeff())) << s;
  }
}

/// A pendulum without damping: symplectic steps keep the energy within a bound of first order in h, for all times.
TEST(BatchRolloutLaws, EnergyOfAPendulum) {
  const Model m = build(sample_chain(1));
  ConstraintSet none(m);
  BatchSolver batch(m, none, {}, {.threads = 1});
  Data data(m);
  double error[2];
  for (int half = 0; half < 2; ++half) {
    const Index steps = 4000 << half;
    const double h = 2e-3 / (1 << half);
    StateRows<double> q = StateRows<double>::Constant(5, 1, 1.0), v = StateRows<double>::Zero(5, 1), qs(5, steps),
                      vs(5, steps);
    q(3, 0) = 1.5;
    ASSERT_TRUE(
        batch.rollout({.q = q, .v = v, .steps = steps, .step = h}, {.q_trajectory = qs, .v_trajectory = vs}).good());
    error[half] = 0;
    for (const long s : {0L, 3L}) {
      const auto energy = [&](double at, double speed) {
        const Vector one = Vector::Constant(1, at), rate = Vector::Constant(1, speed);
        return kinetic_energy(m, data, one, rate) + potential_energy(m, data, one);
      };
      const double begin = energy(q(s, 0), 0);
      for (Index k = 0; k < steps; ++k)
        error[half] = std::max(error[half], std::fabs(energy(qs(s, k), vs(s, k)) - begin));
    }
  }
  EXPECT_GT(error[0], 0);
  EXPECT_NEAR(error[0] / error[1], 2, 0.2);
}

TYPED_TEST(BatchRollout, StatusAndRefusals) {
  using T = TypeParam;
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  BasicBatchSolver<T> batch(m, set, {}, {.threads = 2});
  const long n = 40;
  States<T> x = random_states<T>(m, n, 5);
  const Index steps = 5;
  StateRows<T> tau = StateRows<T>::Zero(n, steps * m.nv()), q(n, m.nq()), v(n, m.nv()), qs(n, steps * m.nq());
  StateRows<T> right(n, m.nq());
  batch.rollout({.q = x.q, .v = x.v, .tau = tau, .steps = steps}, {.q = right});
  x.v.row(11).tail(12).setConstant(std::sqrt(std::numeric_limits<T>::max()) * T(8));
  x.q.row(12).segment(3, 4) *= T(1.1);
  tau(39, 3 * m.nv() + 2) = std::numeric_limits<T>::quiet_NaN();  // in a later step
  batch.rollout({.q = x.q, .v = x.v, .tau = tau, .steps = steps}, {.q = q, .v = v, .q_trajectory = qs});
  EXPECT_EQ(batch.report().ok, n - 3);
  if constexpr (std::is_same_v<T, double>) { EXPECT_EQ(batch.report().status(11), Status::overflow); }
  EXPECT_NE(batch.report().status(11), Status::ok);
  EXPECT_EQ(batch.report().status(12), Status::invalid_input);
  EXPECT_EQ(batch.report().status(39), Status::non_finite_input);
  for (long s = 0; s < n; ++s)
    if (batch.report().status(s) != Status::ok) {
      EXPECT_TRUE(q.row(s).array().isNaN().all() && v.row(s).array().isNaN().all() && qs.row(s).array().isNaN().all());
    } else {
      EXPECT_TRUE(same_bits(q.row(s), right.row(s))) << s;
    }
  EXPECT_THROW(batch.rollout({.q = x.q, .steps = 0}, {.q = q}), std::invalid_argument);
  EXPECT_THROW(batch.rollout({.q = x.q, .steps = -3}, {.q = q}), std::invalid_argument);
  EXPECT_THROW(batch.rollout({.q = x.q, .step = 0}, {.q = q}), std::invalid_argument);
  EXPECT_THROW(batch.rollout({.q = x.q, .step = std::nan("")}, {.q = q}), std::invalid_argument);
  EXPECT_THROW(batch.rollout({.q = x.q, .tau = tau, .steps = 4}, {.q = q}), std::invalid_argument);
  EXPECT_THROW(batch.rollout({.q = x.q, .steps = 4}, {.q_trajectory = qs}), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
