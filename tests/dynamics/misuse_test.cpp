// SPDX-License-Identifier: BSD-3-Clause
// Mistakes of a C++ program that a compiler does not see: objects that were moved from or never filled, pointers to
// nothing, solutions that outlive their solver, and rows that call the solver that evaluates them. Each is an
// exception, a status or the right answer.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>

#include "support/close.hpp"
#include "support/random.hpp"
#include "support/says.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"
#include "zwang/factor/delassus.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

Model arm() { return build(sample_arm7()); }
ConstraintSet held(const Model& m, const char* words = "linear") {
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "hold", .frame = m.links().back().name, .rows = rows(words)});
  set.add_group("all", {"hold"});
  return set;
}

// --- objects that were moved from, or never filled ------------------------------------------------------------

TEST(MovedFrom, AModelIsACopy) {
  Model a = arm();
  const Model b = std::move(a);
  EXPECT_EQ(a.nq(), b.nq());
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.id(), b.id());
  EXPECT_THROW(Model(nullptr), std::invalid_argument);
}

TEST(MovedFrom, ADataIsRefused) {
  const Model m = arm();
  const Vector q = random(m, 1), zero = Vector::Zero(m.nv());
  Data a(m);
  const Data b = std::move(a);
  EXPECT_TRUE(b.made_for(m));
  EXPECT_THROW(forward_kinematics(m, a, q), WorkspaceMismatch);
  EXPECT_THROW(inverse_dynamics(m, a, q, zero, zero), WorkspaceMismatch);
  EXPECT_THROW(a.set_payload(LinkId(1), 1, {0, 0, 0}, {}), std::invalid_argument);
  EXPECT_SAYS("moved from", a.model());
  EXPECT_SAYS("moved from", a.clear_overrides());
  a = Data(m);
  EXPECT_NO_THROW(forward_kinematics(m, a, q));
}

TEST(MovedFrom, ATreeCholeskyIsRefused) {
  const Model m = arm();
  const Vector q = random(m, 1);
  Vector x = Vector::Ones(m.nv());
  Data data(m);
  TreeCholesky a(m);
  a.compute(data, q);
  TreeCholesky b = std::move(a);
  EXPECT_NO_THROW(b.solve(x));
  EXPECT_SAYS("moved from", a.compute(data, q));
  EXPECT_SAYS("moved from", a.solve(x));
  EXPECT_SAYS("moved from", a.diagonal(0));
}

TEST(MovedFrom, ASetIsRefused) {
  const Model m = arm();
  const Vector q = random(m, 1);
  ConstraintSet a = held(m);
  Solver solver(m, a);
  const Vector before = solver.solve({.q = q}).acceleration;
  ConstraintSet b = std::move(a);
  EXPECT_EQ(Vector(solver.solve({.q = q}).acceleration), before) << "the solver follows the constraints";
  EXPECT_SAYS("moved from", a.rows());
  EXPECT_SAYS("moved from", a.constraints());
  EXPECT_SAYS("moved from", a.groups());
  EXPECT_SAYS("moved from", a["hold"]);
  EXPECT_SAYS("moved from", a.model());
  EXPECT_SAYS("moved from", a.version());
  EXPECT_SAYS("moved from", a.set_active("hold", false));
  EXPECT_SAYS("moved from", a.add_group("more", {"hold"}));
  EXPECT_SAYS("moved from", a.add(FrameConstraint{.name = "n", .frame = m.links().back().name, .rows = rows("all")}));
  EXPECT_SAYS("moved from", a.add_loops());
  EXPECT_SAYS("moved from", a.added_as<FrameConstraint>("hold"));
  EXPECT_SAYS("moved from", ConstraintSet copy(a));
  EXPECT_SAYS("moved from", b = a);
  EXPECT_SAYS("moved from", Solver(m, a));
  EXPECT_SAYS("moved from", Delassus(m, a));
  EXPECT_EQ(b.rows(), 3) << "a refused assignment changes nothing";
  a = b;
  EXPECT_EQ(a.rows(), 3);
}

TEST(MovedFrom, ASolverIsRefusedAndTriesNothing) {
  const Model m = arm();
  const Vector q = random(m, 1);
  const ConstraintSet set = held(m);
  Solver a(m, set);
  a.solve({.q = q});
  Solver b = std::move(a);
  Eigen::MatrixXd out(m.nv(), m.nv()), six(6, m.nv());
  Vector x(3);
  EXPECT_SAYS("moved from", a.solve({.q = q}));
  EXPECT_SAYS("moved from", a.resolve());
  EXPECT_SAYS("moved from", a.solve_columns(out, out, out, out));
  EXPECT_SAYS("moved from", a.solution());
  EXPECT_SAYS("moved from", a.model());
  EXPECT_SAYS("moved from", a.data());
  EXPECT_SAYS("moved from", a.settings());
  EXPECT_SAYS("moved from", a.active_rows());
  EXPECT_SAYS("moved from", a.joint_wrench(LinkId(1)));
  EXPECT_SAYS("moved from", a.joint_wrenches(six));
  EXPECT_SAYS("moved from", a.constraint_jacobian(out));
  EXPECT_SAYS("moved from", a.constraint_target(x));
  EXPECT_SAYS("moved from", a.operational_inertia(out));
  EXPECT_SAYS("moved from", a.dynamic_pseudo_inverse(out));
  EXPECT_SAYS("moved from", a.nullspace_projector(out));
  const Solution& s = a.try_solve({.q = q});
  EXPECT_EQ(s.report.status, Status::invalid_input);
  EXPECT_EQ(s.report.invalid, "solver");
  EXPECT_NE(s.report.explain().find("moved from"), std::string::npos) << s.report.explain();
  EXPECT_EQ(s.acceleration.size(), 0);
  a = std::move(b);
  EXPECT_EQ(a.try_solve({.q = q}).report.status, Status::ok);
}

TEST(MovedFrom, ADelassusIsRefused) {
  const Model m = arm();
  Delassus a(m, held(m));
  const Delassus b = std::move(a);
  EXPECT_SAYS("moved from", a.compute(random(m, 1)));
  EXPECT_SAYS("moved from", a.rows());
  EXPECT_SAYS("moved from", a.model());
  EXPECT_SAYS("moved from", a.data());
}

TEST(DefaultSolution, IsEmptyAndSaysSo) {
  const Solution s;
  EXPECT_EQ(s.acceleration.size(), 0);
  EXPECT_THROW(s["hold"], std::logic_error);
  EXPECT_THROW(s.group("all"), std::logic_error);
}

TEST(PointersToNothing, AreRefusedByName) {
  const Model m = arm();
  const Vector q = random(m, 1);
  const ConstraintSet set = held(m);
  Solver solver(m, set);
  const ConstVector nothing(nullptr, m.nv());
  EXPECT_SAYS("q", solver.solve({.q = nothing}));
  EXPECT_SAYS("v", solver.solve({.q = q, .v = nothing}));
  EXPECT_SAYS("tau", solver.solve({.q = q, .tau = nothing}));
  EXPECT_EQ(solver.try_solve({.q = nothing}).report.invalid, "q");
  EXPECT_EQ(solver.try_solve({.q = q, .v = nothing}).report.invalid, "v");
  EXPECT_EQ(solver.try_solve({.q = q, .tau = nothing}).report.status, Status::invalid_input);
  solver.solve({.q = q});
  EXPECT_SAYS("tau", solver.resolve({.tau = nothing}));
  Data data(m);
  const Eigen::Map<const Vector> map(nullptr, m.nq());
  EXPECT_SAYS("q", forward_kinematics(m, data, map));
  EXPECT_SAYS("a", inverse_dynamics(m, data, q, q, map));
}

// --- solutions that outlive their solver -----------------------------------------------------------------------

/// Everything that a solution shows.
std::vector<double> numbers_of(const Solution& s) {
  std::vector<double> all;
  const auto add = [&](const auto& x) {
    for (Eigen::Index k = 0; k < x.size(); ++k) all.push_back(x[k]);
  };
  for (const VectorView* v : {&s.acceleration, &s.multipliers, &s.motor_torque, &s.reaction,
                              &s.articulated_constraint_torque, &s.residual, &s.velocity_error})
    add(*v);
  const ConstraintSolution hold = s["hold"];
  add(hold.multipliers), add(hold.wrench), add(hold.residual), add(hold.velocity_error);
  const GroupSolution group = s.group("all", {0.3, -0.2, 1.1});
  for (int k = 0; k < 6; ++k) all.push_back(group.wrench[k]);
  all.insert(all.end(), {hold.power, group.power, s.zwang});
  return all;
}

TEST(CopiedSolution, KeepsItsNumbersAndNames) {
  const Model m = arm();
  const RandomState x = random_state(m, 3), y = random_state(m, 4);
  std::unique_ptr<Solution> first, second;
  std::vector<double> expected;
  std::string text;
  {
    ConstraintSet set = held(m, "all");
    set.add(FrameConstraint{
        .name = "a name that is too long for a short string", .frame = m.links().back().name, .rows = rows("all")});
    Solver solver(m, set);
    const Solution& live = solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
    expected = numbers_of(live);
    text = live.report.explain();
    first = std::make_unique<Solution>(live);
    second = std::make_unique<Solution>(*first);
    EXPECT_EQ(numbers_of(*first).size(), expected.size());
    solver.solve({.q = y.q, .v = y.v, .tau = y.tau});
    EXPECT_NE(Vector(live.acceleration), Vector(first->acceleration)) << "the copy keeps the first solve";
    set["hold"].name = "renamed";
  }
  for (const Solution* s : {first.get(), second.get()}) {
    const std::vector<double> got = numbers_of(*s);
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(got[k], expected[k], 1e-12 * (1 + std::fabs(expected[k]))) << k;
    EXPECT_EQ(s->report.explain(), text);
    EXPECT_FALSE(s->report.redundant.empty());
    EXPECT_EQ(s->report.redundant.front().substr(0, 6), "a name");
    EXPECT_SAYS("hold", (*s)["hald"]);
    EXPECT_SAYS("all", s->group("al"));
  }
  second.reset();
  EXPECT_EQ(first->report.explain(), text);
}

TEST(CopiedSolution, OfAFailedSolveIsZeros) {
  const Model m = arm();
  Solver solver(m, held(m));
  Vector q = random(m, 1);
  q[0] = std::nan("");
  const Solution copy = solver.try_solve({.q = q});
  EXPECT_EQ(copy.report.status, Status::non_finite_input);
  EXPECT_EQ(copy.acceleration.size(), m.nv());
  EXPECT_EQ(copy.group("all").power, 0);
  EXPECT_EQ(copy["hold"].multipliers.norm(), 0);
}

// --- rows that call the solver that evaluates them -------------------------------------------------------------

/// One row on the first coordinate; does something else on the way.
struct MeddlingRows : CustomRows {
  std::function<void()> then = [] {};
  Index count = 1, columns = 0;
  Index rows() const override { return count; }
  void evaluate(const double* q, const double*, double* phi, double* J, double* rate) const override {
    phi[0] = q[0];
    J[0] = 1;
    rate[0] = 0;
    then();
  }
};

struct Recursive : testing::Test {
  Model m = arm();
  Vector q = random(m, 1);
  std::shared_ptr<MeddlingRows> own = std::make_shared<MeddlingRows>();
  ConstraintSet set{m};
  std::optional<Solver> solver;
  void SetUp() override {
    CustomConstraint c{.name = "own"};
    c.rows = own;
    set.add(c);
    SolverSettings settings;
    settings.spare_rows = 30;
    solver.emplace(m, set, settings);
  }
  /// The solver refuses `statement` and solves again afterwards.
  void expect_refused(const char* words, const std::function<void()>& statement) {
    own->then = statement;
    EXPECT_SAYS(words, solver->solve({.q = q}));
    EXPECT_EQ(solver->solution().report.status, Status::invalid_input);
    const Solution& tried = solver->try_solve({.q = q});
    EXPECT_EQ(tried.report.status, Status::invalid_input);
    EXPECT_EQ(tried.report.invalid, "constraints");
    own->then = [] {};
    EXPECT_EQ(solver->solve({.q = q}).report.status, Status::ok);
    EXPECT_NEAR(solver->solution().acceleration[0], 0, 1e-9);
  }
};

TEST_F(Recursive, CallsOfTheSolverAreRefused) {
  Eigen::MatrixXd out(m.nv(), m.nv());
  const char* const words = "rows that it evaluates";
  expect_refused(words, [&] { solver->solve({.q = q}); });
  solver->solve({.q = q});
  expect_refused(words, [&] { solver->resolve(); });
  expect_refused(words, [&] { solver->solve_columns(out, out, out, out); });
  expect_refused(words, [&] { solver->nullspace_projector(out); });
  expect_refused(words, [&] { solver->joint_wrench(LinkId(1)); });
}

TEST_F(Recursive, ATrialIsAStatus) {
  Status inner = Status::ok;
  std::string_view invalid;
  own->then = [&] {
    const Solution& s = solver->try_solve({.q = q});
    inner = s.report.status;
    invalid = s.report.invalid;
  };
  EXPECT_EQ(solver->solve({.q = q}).report.status, Status::ok) << "the outer solve is as if the trial had not been";
  EXPECT_NEAR(solver->solution().acceleration[0], 0, 1e-9);
  EXPECT_EQ(inner, Status::invalid_input);
  EXPECT_EQ(invalid, "solver");
}

TEST_F(Recursive, ChangesOfTheSetAreRefused) {
  const FrameConstraint more{.name = "more", .frame = m.links().back().name, .rows = rows("linear")};
  expect_refused("are being evaluated", [&] { set.add(more); });
  EXPECT_EQ(set.size(), 1);
  expect_refused("are being evaluated", [&] { set = ConstraintSet(m); });
  expect_refused("are being evaluated", [&] { set = held(m); });
  const Constraint whole = set["own"];
  for (const std::function<void()>& change :
       {std::function<void()>([&] { set["own"].active = false; }), std::function<void()>([&] { set["own"].beta = {}; }),
        std::function<void()>([&] { set["own"].relation = nullptr; })}) {
    own->then = change;
    EXPECT_SAYS("changed", solver->solve({.q = q}));
    EXPECT_EQ(solver->solution().report.status, Status::invalid_input);
    own->then = [] {};
    set["own"] = whole;
    EXPECT_EQ(solver->solve({.q = q}).report.status, Status::ok);
    EXPECT_NEAR(solver->solution().acceleration[0], 0, 1e-9);
  }
}

TEST_F(Recursive, ADelassusIsRefused) {
  Delassus G(m, set);
  own->then = [&] { G.compute(q); };
  EXPECT_SAYS("rows that it evaluates", G.compute(q));
  EXPECT_THROW(G.rows(), std::logic_error);
  own->then = [] {};
  G.compute(q);
  EXPECT_EQ(G.rows(), 1);
}

TEST_F(Recursive, AnExceptionLeavesTheSolverUsable) {
  own->then = [] { throw 42; };
  EXPECT_THROW(solver->solve({.q = q}), int);
  EXPECT_EQ(solver->try_solve({.q = q}).report.status, Status::invalid_input);
  expect_refused("mine", [] { throw std::runtime_error("mine"); });
  solver->solve({.q = q});
  own->then = [] { throw 42; };
  EXPECT_THROW(solver->resolve({.tau = q}), int);
  own->then = [] {};
  EXPECT_EQ(solver->solve({.q = q}).report.status, Status::ok);
}

TEST_F(Recursive, NumbersOfRowsThatNoSolverTakesAreRefused) {
  for (const Index count : {-3, 0, 20001, 2000000000}) {
    own->count = count;
    CustomConstraint c{.name = "more"};
    c.rows = own;
    EXPECT_SAYS("rows", set.add(c));
  }
}

}  // namespace
}  // namespace zwang::test
