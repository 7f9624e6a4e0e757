// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a solution allocate in their first call alone.
#include "support/no_allocation.hpp"
#include "zwang/mechanisms.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/derivatives.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

TEST(SolutionDerivativeCalls, AllocateInTheirFirstCallOnly) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Model robot = build(sample_quadruped(), {.root = "floating"});
  ConstraintSet set(robot);
  set.add(ContactConstraint{.name = "foot", .frame = "LF_foot"});
  set.add(FrameConstraint{
      .name = "axes", .frame = "RF_foot", .rows = rows("linear.x"), .in = "LH_foot", .role = Role::driver});
  set.add(LoopConstraint{
      .name = "loop", .frame = "RF_foot", .other = "RH_foot", .rows = rows("linear.z"), .stabilisation = {0.3, 1}});
  set.add(LoopConstraint{.name = "points",
                         .frame = "LF_foot",
                         .other = "RH_foot",
                         .rows = rows("linear.x"),
                         .in = "local_world_aligned",
                         .stabilisation = {0.3, 1}});
  set.add(CentreOfMassConstraint{.name = "centre", .rows = rows("linear.y")});
  Solver solver(robot, set);
  Eigen::VectorXd q = neutral(robot);
  const Eigen::VectorXd d = Eigen::VectorXd::LinSpaced(robot.nv(), -0.5, 0.7);
  q = integrate(robot, q, d);
  const Eigen::VectorXd w = Eigen::VectorXd::LinSpaced(set.rows(), -1, 1);
  Externals external;
  for (const Reference in : {Reference::local, Reference::world, Reference::local_world_aligned})
    external.push_back(external_wrench(robot, "RH_foot", {1, 2, 3, 4, 5, 6}, in));
  const SolveInput input{.q = q, .v = d, .tau = d, .external = &external};
  const auto all = [&] {
    solver.solve(input);
    bool ok = solver.derivatives().status == Status::ok;
    ok = ok && solver.vjp({d, w, d}).status == Status::ok;
    ok = ok && solver.jvp({d, d, d, w}).status == Status::ok;
    return ok && solver.hvp({d, d, d, w}, {d, w, d}).status == Status::ok;
  };
  ASSERT_TRUE(all());
  const AllocationGuard guard;
  EXPECT_TRUE(all());
  EXPECT_TRUE(all());
  EXPECT_EQ(guard.count(), 0);
}

TEST(ImpulseCalls, AllocateInTheirFirstCallOnly) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Model robot = build(sample_quadruped(), {.root = "floating"});
  ConstraintSet set(robot);
  for (const char* foot : {"LF_foot", "RF_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  set.add(LoopConstraint{.name = "loop", .frame = "RF_foot", .other = "RH_foot", .rows = rows("linear.z")});
  const Eigen::VectorXd d = Eigen::VectorXd::LinSpaced(robot.nv(), -0.5, 0.7), q = integrate(robot, neutral(robot), d);
  const Eigen::VectorXd w = Eigen::VectorXd::Zero(set.rows());
  Externals external{external_wrench(robot, "RH_foot", {1, 2, 3, 4, 5, 6})};
  for (const char* method : {"automatic", "popov_vereshchagin", "dense_cod", "loop_aba"}) {
    SCOPED_TRACE(method);
    Solver solver(robot, set, {.method = method});
    std::vector<double> E = restitution_of(set, {{"LF_foot", {0, 0, 0.5}}});
    const auto all = [&] {
      bool ok = true;
      for (const Restitution model : {Restitution::poisson, Restitution::energetic, Restitution::newton}) {
        const ImpulseInput input{
            .q = q, .v = d, .restitution = E, .target = w, .model = model, .impulse = d, .external = &external};
        ok = ok && solver.impulse(input).report.status == Status::ok;
        ok = ok && solver.try_impulse(input).report.status == Status::ok;
      }
      ok = ok && solver.impulse_derivatives().status == Status::ok;
      ok = ok && solver.impulse_jvp({d, d, d, w, w}).status == Status::ok;
      return ok && solver.impulse_vjp({d, w}).status == Status::ok;
    };
    ASSERT_TRUE(all());
    const AllocationGuard guard;
    EXPECT_TRUE(all());
    E[2] = 0.25;
    EXPECT_TRUE(all());
    EXPECT_EQ(guard.count(), 0);
  }
}

TEST(ImpulseCalls, OfManyStatesAllocateInTheirFirstCallOnly) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Model robot = build(sample_quadruped(), {.root = "floating"});
  ConstraintSet set(robot);
  for (const char* foot : {"LF_foot", "RF_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  const long n = 40;
  StateRows<double> q(n, robot.nq()), v(n, robot.nv()), E = StateRows<double>::Constant(n, 6, 0.3),
                                                        after(n, robot.nv()), wrench(n, 12);
  for (long s = 0; s < n; ++s) {
    const Eigen::VectorXd d = Eigen::VectorXd::LinSpaced(robot.nv(), -0.5, 0.01 * static_cast<double>(s));
    q.row(s) = integrate(robot, neutral(robot), d);
    v.row(s) = d;
  }
  BatchSolver solver(robot, set, {}, {.threads = 2});
  for (const Restitution model : {Restitution::newton, Restitution::energetic}) {
    const auto all = [&] {
      return solver.impulse({.q = q, .v = v, .restitution = E, .model = model}, {.velocity = after, .wrench = wrench})
          .ok;
    };
    ASSERT_EQ(all(), n);
    const AllocationGuard guard;
    EXPECT_EQ(all(), n);
    EXPECT_EQ(guard.count(), 0);
  }
}

}  // namespace
}  // namespace zwang::test
