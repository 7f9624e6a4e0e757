// SPDX-License-Identifier: BSD-3-Clause
// Batches allocate nothing once a call, or reserve(), has seen as many states.
#include <gtest/gtest.h>

#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "zwang/batch/batch_derivatives.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

struct States {
  StateRows<double> q, v, a;
  States(const Model& m, long n) : q(n, m.nq()), v(n, m.nv()), a(n, m.nv()) {
    for (long s = 0; s < n; ++s) {
      const RandomState x = random_state(m, static_cast<std::uint64_t>(s));
      q.row(s) = x.q, v.row(s) = x.v, a.row(s) = x.a;
    }
  }
};

class BatchNoAllocation : public testing::Test {
 protected:
  void SetUp() override { ZWANG_NEEDS_ALLOCATION_COUNT(); }
};

TEST_F(BatchNoAllocation, AfterReserve) {
  for (const char* name : {"quadruped", "zoo", "gripper"})
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(name);
      const Model m = build(sample(name), {.root = std::string(name) == "quadruped" ? "floating" : "automatic"});
      const long n = 100;
      const States x(m, n);
      StateRows<double> f(n, m.nv()), M(n, m.nv() * m.nv()), six(n, 6), J(n, 6 * m.nv()), pose(n, 16), q(n, m.nq());
      const StateRows<double> w = StateRows<double>::Ones(n, 6);
      const FrameId tip = m.links().back().frame;
      Batch b(m, {.threads = threads});
      b.reserve(n);
      EXPECT_NO_ALLOCATION(b.inverse_dynamics(x.q, x.v, x.a, f));
      EXPECT_NO_ALLOCATION(b.forward_dynamics(x.q, x.v, x.a, f));
      EXPECT_NO_ALLOCATION(b.bias_forces(x.q, x.v, f));
      EXPECT_NO_ALLOCATION(b.gravity_forces(x.q, f));
      EXPECT_NO_ALLOCATION(b.mass_matrix(x.q, M));
      EXPECT_NO_ALLOCATION(b.mass_matrix_inverse(x.q, M));
      EXPECT_NO_ALLOCATION(b.mass_matrix_solve(x.q, x.a, f));
      EXPECT_NO_ALLOCATION(b.frame_pose(x.q, tip, pose));
      const std::vector<FrameId> all = {tip, m.links()[0].frame, tip};
      StateRows<double> poses(n, 48);
      b.frame_poses(x.q, all, poses);  // makes room for the list
      EXPECT_NO_ALLOCATION(b.frame_poses(x.q, all, poses));
      EXPECT_NO_ALLOCATION(b.frame_velocity(x.q, x.v, tip, six));
      EXPECT_NO_ALLOCATION(b.frame_acceleration(x.q, x.v, x.a, tip, six, AccelerationKind::classical));
      EXPECT_NO_ALLOCATION(b.jacobian(x.q, tip, Reference::local, J));
      EXPECT_NO_ALLOCATION(b.jacobian_dot(x.q, x.v, tip, Reference::world, J));
      EXPECT_NO_ALLOCATION(b.integrate(x.q, x.v, q));
      StateRows<double> nine(n, 9), J3(n, 3 * m.nv()), one(n, 1);
      EXPECT_NO_ALLOCATION(b.centre_of_mass(x.q, x.v, x.a, nine));
      EXPECT_NO_ALLOCATION(b.centre_of_mass_jacobian(x.q, J3));
      EXPECT_NO_ALLOCATION(b.kinetic_energy(x.q, x.v, one));
      EXPECT_NO_ALLOCATION(b.potential_energy(x.q, one));
      EXPECT_NO_ALLOCATION(b.difference(x.q, q, f));
      const BatchWrenches<double> external{{tip, w, Reference::world}};
      b.inverse_dynamics(x.q, x.v, x.a, f, {}, external);  // makes room for wrenches
      EXPECT_NO_ALLOCATION(b.forward_dynamics(x.q, x.v, x.a, f, {}, external));
      const BatchWrenches<double> none;
      for (const Algorithm& row : algorithms()) {
        if (!row.named) continue;  // derivatives of dynamics
        std::vector<StateRows<double>> results;
        for (const Result& r : row.gives) results.emplace_back(n, numbers_of(r.shape, sizes_of(m, {})));
        std::vector<StatesIn<double>> in{x.q};
        for (const Argument& argument : row.takes)
          if (argument.what == Takes::tangent) in.emplace_back(in.size() % 2 == 1 ? x.v : x.a);
        const std::vector<StatesOut<double>> out(results.begin(), results.end());
        SCOPED_TRACE(row.name);
        EXPECT_NO_ALLOCATION(b.run(row, in, out, {}, row.reads(Takes::external) ? external : none));
      }
    }
}

TEST_F(BatchNoAllocation, InConstrainedCalls) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  for (const char* foot : {"LF_foot", "RF_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  set.add(ContactConstraint{.name = "again", .frame = "LF_foot"});  // dependent where it is on
  const long n = 100;
  const States x(m, n);
  StateRows<double> a(n, m.nv()), lambda(n, set.rows()), q(n, m.nq()), v(n, m.nv()), qs(n, 4 * m.nq());
  StateRows<double> active = StateRows<double>::Ones(n, 3), beta = StateRows<double>::Zero(n, set.rows());
  const StateRows<double> w = StateRows<double>::Ones(n, 6), given = StateRows<double>::Ones(n, 2);
  for (long s = 0; s < n; ++s) active(s, 2) = s % 6 == 0;
  for (const int threads : {1, 3}) {
    BatchSolver b(m, set, {}, {.threads = threads});
    const BatchWrenches<double> external{{m.links().back().frame, w, Reference::world}};
    const BatchSolveInput<double> in{.q = x.q,
                                     .v = x.v,
                                     .tau = x.a,
                                     .beta = beta,
                                     .active = active,
                                     .external = external,
                                     .prescribed = {8, 10},
                                     .prescribed_acceleration = given};
    const BatchSolveOutput<double> out{.acceleration = a, .multipliers = lambda};
    const BatchRolloutInput<double> roll{
        .q = x.q, .v = x.v, .tau = x.a, .steps = 4, .active = active, .external = external};
    const BatchRolloutOutput<double> rolled{.q = q, .v = v, .q_trajectory = qs};
    b.solve(in, out);
    EXPECT_GT(b.solved_alone(), 0);
    EXPECT_NO_ALLOCATION(b.solve(in, out));
    b.rollout(roll, rolled);
    EXPECT_NO_ALLOCATION(b.rollout(roll, rolled));
    EXPECT_NO_ALLOCATION(b.solve(in, out));
    set["LF_foot"].beta[1] = 2;
    EXPECT_NO_ALLOCATION(b.solve(in, out));
  }
}

TEST_F(BatchNoAllocation, InCallsWithRowsBetweenBodies) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  set.add(LoopConstraint{.name = "tied", .frame = "LF_foot", .other = "RF_foot", .rows = rows("linear")});
  set.add(DistanceConstraint{.name = "rod", .frame = "LF_foot", .other = "RH_foot", .length = 0.5});
  set.add(CouplingConstraint{
      .name = "gear", .coordinates = {m.coordinate_names()[6], m.coordinate_names()[9]}, .ratio = {1, -2}});
  set.add(CentreOfMassConstraint{.name = "centre", .rows = rows("linear.z")});
  set.add(LoopConstraint{.name = "again", .frame = "LF_foot", .other = "RF_foot", .rows = rows("linear")});
  const long n = 70;
  const States x(m, n);
  StateRows<double> active = StateRows<double>::Ones(n, 5), a(n, m.nv()), lambda(n, set.rows()), q(n, m.nq());
  for (long s = 0; s < n; ++s) active(s, 4) = s % 9 == 0;  // solved alone
  BatchSolver solver(m, set, {}, {.threads = 2});
  const BatchSolveInput<double> in{.q = x.q, .v = x.v, .tau = x.a, .active = active};
  const BatchSolveOutput<double> out{.acceleration = a, .multipliers = lambda, .motor_torque = {}, .reaction = {}};
  solver.solve(in, out);
  EXPECT_GT(solver.solved_alone(), 0);
  EXPECT_LT(solver.solved_alone(), n / 4);
  EXPECT_NO_ALLOCATION(solver.solve(in, out));
  const BatchRolloutInput<double> roll{.q = x.q, .v = x.v, .tau = x.a, .steps = 3, .step = 1e-3, .active = active};
  const BatchRolloutOutput<double> end{.q = q, .v = a};
  solver.rollout(roll, end);
  EXPECT_NO_ALLOCATION(solver.rollout(roll, end));
}

TEST_F(BatchNoAllocation, InDerivativesOfSolutions) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  for (const char* foot : {"LF_foot", "RF_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  set.add(LoopConstraint{.name = "tied", .frame = "LH_foot", .other = "RH_foot", .rows = rows("linear")});
  set["tied"].stabilisation = Stabilisation{0.2, 1};
  set.add(ContactConstraint{.name = "again", .frame = "LF_foot"});  // dependent where it is on
  const long n = 60;
  const Index nv = m.nv(), rows = set.rows();
  const States x(m, n);
  StateRows<double> active = StateRows<double>::Ones(n, 4), by_q(n, nv), inertia(n, 10 * m.links().size());
  StateRows<double> matrix(n, rows * nv), lambda(n, rows);
  const StateRows<double> w = StateRows<double>::Ones(n, 6), given = StateRows<double>::Ones(n, 2);
  for (long s = 0; s < n; ++s) active(s, 3) = s % 6 == 0;
  const BatchWrenches<double> external{{m.links().back().frame, w, Reference::local_world_aligned}};
  const BatchSolveInput<double> in{.q = x.q,
                                   .v = x.v,
                                   .tau = x.a,
                                   .active = active,
                                   .external = external,
                                   .prescribed = {8, 10},
                                   .prescribed_acceleration = given};
  for (const int threads : {1, 3}) {
    SolverSettings settings;
    settings.method = "popov_vereshchagin";
    BatchDerivatives b(m, set, settings, {.threads = threads});
    const BatchSolutionDerivatives<double> all{.multipliers = {.q = matrix}, .residual = {.q = matrix}};
    const auto everything = [&] {
      b.derivatives(in, all);
      b.vjp(in, {.acceleration = x.a}, {.q = by_q, .inertial_parameters = inertia});
      b.jvp(in, {.q = x.v, .tau = x.a}, {.multipliers = lambda});
    };
    everything();
    EXPECT_NO_ALLOCATION(everything());
    set["LF_foot"].beta[1] += 2;
    EXPECT_NO_ALLOCATION(everything());
  }
}

template <class T> void expect_no_allocation_in_gradients() {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  for (const char* foot : {"LF_foot", "RF_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  const long n = 70;
  const Index nv = m.nv();
  const States x(m, n);
  const StateRows<T> q = x.q.cast<T>(), v = x.v.cast<T>(), a = x.a.cast<T>(), w = StateRows<T>::Ones(n, 6);
  StateRows<T> by_q(n, nv), by_target(n, set.rows()), inertia(n, 10 * static_cast<Index>(m.links().size())),
      placement(n, 6 * static_cast<Index>(m.joints().size()));
  const BatchWrenches<T> external{{m.links().back().frame, w, Reference::local_world_aligned}};
  for (const int threads : {1, 3}) {
    BasicBatchDerivatives<T> b(m, set, {}, {.threads = threads});
    const BatchSolveInput<T> in{.q = q, .v = v, .tau = a, .external = external};
    const auto call = [&] {
      b.vjp(in, {.acceleration = a},
            {.q = by_q, .target = by_target, .inertial_parameters = inertia, .placement = placement});
    };
    call();
    EXPECT_LT(b.solved_alone(), n / 4);
    EXPECT_NO_ALLOCATION(call());
  }
}
TEST_F(BatchNoAllocation, InGradientsInLanes) {
  expect_no_allocation_in_gradients<double>();
  expect_no_allocation_in_gradients<float>();
}

TEST_F(BatchNoAllocation, InCallsWithRowsBetweenBodiesThatMimic) {
  const Model m = build(sample("gripper"));
  ConstraintSet set(m);
  DistanceConstraint rod{.name = "rod", .frame = m.links().front().name, .point = {0.3, 0.2, 0.1}};
  rod.other = m.links().back().name;
  rod.length = 0.5;
  set.add(rod);
  const long n = 70;
  const States x(m, n);
  StateRows<double> a(n, m.nv()), lambda(n, set.rows());
  BatchSolver solver(m, set, {}, {.threads = 2});
  const BatchSolveInput<double> in{.q = x.q, .v = x.v, .tau = x.a};
  const BatchSolveOutput<double> out{.acceleration = a, .multipliers = lambda, .motor_torque = {}, .reaction = {}};
  solver.solve(in, out);
  EXPECT_EQ(solver.solved_alone(), 0);
  EXPECT_NO_ALLOCATION(solver.solve(in, out));
}

}  // namespace
}  // namespace zwang::test
