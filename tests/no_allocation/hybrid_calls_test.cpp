// SPDX-License-Identifier: BSD-3-Clause
// A million row switches and changes of right-hand sides, policies and prescribed joints without one allocation:
// counted by the interposed malloc of support/no_allocation.
#include <gtest/gtest.h>

#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

class NoHybridAllocation : public testing::Test {
 protected:
  void SetUp() override { ZWANG_NEEDS_ALLOCATION_COUNT(); }
};

/// Hard, early and soft rows, some of them repeating others, on two links; everything of them may change.
struct Problem {
  explicit Problem(const Model& model) : m(model), set(m), x(random_state(m, 5)) {
    const std::string tip = m.links().back().name, middle = m.links()[m.links().size() / 2].name;
    const auto frame = [&](const char* name, const std::string& on, const char* words) -> FrameConstraint {
      return {.name = name, .frame = on, .rows = rows(words), .in = "local"};
    };
    FrameConstraint tool = frame("tool", tip, "linear angular.x"), again = frame("again", tip, "linear.x linear.z"),
                    held = frame("held", middle, "linear.y"), spring = frame("spring", middle, "angular");
    tool.role = Role::driver;
    again.priority = 1;
    held.policy = Policy::early;
    spring.policy = Policy::soft;
    spring.compliance = {0.1, 0.2, 0.3};
    for (const FrameConstraint& c : {tool, again, held, spring}) set.add(c);
    set.add(ContactConstraint{.name = "touch", .frame = tip, .point = {0, 0.1, 0.2}, .active = false});
    for (Constraint* c : {&set["tool"], &set["again"], &set["held"], &set["spring"], &set["touch"]}) all.push_back(c);
    for (Constraint* c : all)  // room for what is switched between
      if (c->weight.empty()) c->weight.assign(static_cast<std::size_t>(c->size()), 1.0);
    for (const Joint& j : m.joints()) {
      if (j.v.size == 0 || !j.mimic.leader.empty() || !fixed.empty()) continue;
      prescribe(m, fixed, j.name, std::vector<double>(static_cast<std::size_t>(j.v.size), 0.5));
      moved = j.child;
    }
    push = {external_wrench(m, tip, {1, 2, 3, 4, 5, 6}, Reference::local)};
  }
  SolveInput input(bool prescribed) const {
    return {.q = x.q, .v = x.v, .tau = x.tau, .external = &push, .prescribed = prescribed ? &fixed : nullptr};
  }
  /// Switches one thing.
  void change(Random& random) {
    Constraint& c = *all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))];
    switch (random.below(5)) {
      case 0: c.active = !c.active; break;
      case 1: c.beta[static_cast<std::size_t>(random.below(c.size()))] = random.uniform(-2, 2); break;
      case 2:
        if (c.policy == Policy::soft) {
          c.compliance[0] = random.uniform(0.05, 0.5);
        } else {
          c.policy = random.below(2) ? Policy::hard : Policy::early;
          c.priority = random.below(3);
        }
        break;
      case 3:
        if (c.policy != Policy::soft) c.compensate.gravity = !c.compensate.gravity;
        break;
      case 4: c.weight[0] = random.uniform(0.5, 2); break;
    }
  }
  Model m;
  ConstraintSet set;
  RandomState x;
  std::vector<Constraint*> all;
  Prescribed fixed;  ///< the first joint that moves, and what it carries
  LinkId moved;
  Externals push;
};

TEST_F(NoHybridAllocation, InAMillionRowSwitchesAndRightHandSides) {
  Problem p(build(sample_arm7()));
  Solver solver(p.m, p.set);
  const SolveInput plain = p.input(false), held = p.input(true);
  Random random(7);
  bool truncated = true;
  const AllocationGuard guard;
  int solved = 0, refused = 0, infeasible = 0, resolved = 0;
  for (int k = 0; k < 1'000'000; ++k) {
    p.change(random);
    if (k % 64 == 0) {
      truncated = !truncated;
      solver.settings().singularity = truncated ? Singularity::truncation : Singularity::weighted;
    }
    if (k % 8 == 0) {
      const bool prescribed = random.below(4) == 0;
      const Status status = solver.try_solve(prescribed ? held : plain).report.status;
      ++solved;
      refused += status != Status::ok && status != Status::infeasible;
      infeasible += status == Status::infeasible;
      if (refused) break;
      // Some right-hand sides on it.
      p.x.tau[k % 7] = random.uniform(-3, 3);
      p.push[0].wrench[k % 6] = random.uniform(-3, 3);
      solver.resolve({.tau = p.x.tau, .external = &p.push, .prescribed = prescribed ? &p.fixed : nullptr});
      ++resolved;
    }
  }
  const long count = guard.count();
  EXPECT_EQ(count, 0) << "the library allocates when rows, policies or right-hand sides change";
  EXPECT_EQ(refused, 0) << solver.solution().report.explain();
  EXPECT_EQ(solved, 125'000);
  EXPECT_EQ(resolved, 125'000);
  EXPECT_GT(infeasible, 1000);
}

TEST_F(NoHybridAllocation, InEveryPolicyAndSingularity) {
  RandomRobot options;
  options.joints = 20;
  options.mimic = 0.5;
  RobotDescription d = random_robot(7, options);
  for (JointDescription& j : d.joints)  // parts of a composite joint may move alike: rotors keep M regular
    if (j.type == "composite") j.rotor_inertia = {0.05};
  for (const RobotDescription& robot : {sample_arm7(), sample_zoo(), d}) {
    Problem p(build(robot));
    for (const char* method : {"automatic", "popov_vereshchagin", "pv_early"}) {
      for (const Singularity s :
           {Singularity::truncation, Singularity::weighted, Singularity::damping, Singularity::proximal}) {
        SCOPED_TRACE(std::string(method) + ", " + name_of(s));
        SolverSettings settings;
        settings.method = method;
        settings.singularity = s;
        const bool levels = s == Singularity::truncation || s == Singularity::weighted;
        p.set["again"].priority = levels ? 1 : 0;
        Solver solver(p.m, p.set, settings);
        const SolveInput in = p.input(true);
        const Index nv = p.m.nv(), rows = p.set.rows();
        Matrix tau(nv, 6), beta(rows, 6), a(nv, 6), lambda(rows, 6), N(nv, nv);
        Random random(3);
        for (int k = 0; k < 6; ++k) {
          tau.col(k) = random.vector(nv, 10);
          beta.col(k) = random.vector(rows, 5);
        }
        const AllocationGuard guard;
        for (int k = 0; k < 50; ++k) {
          p.set["again"].active = k % 2 == 0;
          p.set["touch"].active = k % 3 == 0;
          solver.solve(in);
          p.set["tool"].beta[1] = 0.1 * k;
          solver.resolve({.tau = p.x.tau, .external = &p.push, .prescribed = &p.fixed});
        }
        EXPECT_EQ(guard.count(), 0);
        Matrix J(nv, solver.active_rows()), Lambda(solver.active_rows(), solver.active_rows());
        const AllocationGuard columns;
        if (levels) solver.solve_columns(tau, beta, a, lambda);
        solver.dynamic_pseudo_inverse(J);
        solver.nullspace_projector(N);
        solver.operational_inertia(Lambda);
        const Force<double> f = solver.joint_wrench(p.moved);
        EXPECT_EQ(columns.count(), 0);
        EXPECT_TRUE(is_finite(f.f.x));
      }
    }
  }
}

TEST_F(NoHybridAllocation, WhereItIsStopped) {
  struct Asked {
    long yes_at, questions = 0;
  };
  for (const char* method : {"automatic", "popov_vereshchagin", "dense_cod", "null_space"}) {
    Model m = build(sample_arm7());
    ConstraintSet set(m);
    for (const char* name : {"tool", "again"}) set.add(FrameConstraint{.name = name, .frame = "tool0"});
    SolverSettings settings;
    settings.method = method;
    Solver solver(m, set, settings);
    const Eigen::VectorXd q = Eigen::VectorXd::Constant(m.nq(), 0.3);
    const SolveInput in{.q = q};
    solver.solve(in);
    Asked asked{0};
    const AllocationGuard guard;
    int stopped = 0;
    for (int k = 1; k < 200; ++k) {
      asked = {k};
      solver.settings().stop = {[](void* x) {
                                  Asked& a = *static_cast<Asked*>(x);
                                  return ++a.questions == a.yes_at;
                                },
                                &asked};
      stopped += solver.solve(in).report.status == Status::stopped;
    }
    EXPECT_EQ(guard.count(), 0) << method;
    EXPECT_GT(stopped, 10) << method;
    EXPECT_LT(stopped, 199) << method;
  }
}

TEST_F(NoHybridAllocation, WithinTheSpareRows) {
  Problem p(build(sample_arm7()));
  SolverSettings settings;
  settings.spare_rows = 3;
  Solver solver(p.m, p.set, settings);
  const SolveInput in = p.input(false);
  solver.solve(in);
  p.set.add(FrameConstraint{.name = "late", .frame = "tool0", .rows = rows("angular.y angular.z")});
  Constraint& late = p.set["late"];
  const AllocationGuard guard;
  for (int k = 0; k < 1000; ++k) {
    late.active = k % 2 == 0;
    late.beta[0] = 0.01 * k;
    solver.solve(in);
  }
  EXPECT_EQ(guard.count(), 0) << "a constraint within the spare rows";
  EXPECT_EQ(solver.solution().report.status == Status::ok || solver.solution().report.status == Status::infeasible,
            true);
}

}  // namespace
}  // namespace zwang::test
