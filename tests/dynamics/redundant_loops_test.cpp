// SPDX-License-Identifier: BSD-3-Clause
// Loops whose closing rows depend on each other: planar linkages closed by hinges, five rows of which two count.
// Motion, multipliers, report and operators are those of the rows taken together, by every method.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "zwang/zwang.hpp"

namespace zwang {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

std::string link(const std::string& name, double x, double y, double z) {
  return "<link name='" + name + "'><inertial><origin xyz='" + std::to_string(x) + " " + std::to_string(y) + " " +
         std::to_string(z) +
         "'/><mass value='1'/><inertia ixx='.09' iyy='.1' izz='.05' ixy='.01' ixz='0' iyz='0.02'/></inertial></link>";
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child, const std::string& at,
                  const std::string& axis = "0 1 0", const std::string& type = "continuous") {
  return "<joint name='" + name + "' type='" + type + "'><origin xyz='" + at + "'/><parent link='" + parent +
         "'/><child link='" + child + "'/><axis xyz='" + axis + "'/></joint>";
}

/// Parallelograms of sides 1: two rods, and a bar that the first carries; a loop joins the bar to the second.
struct Linkages {
  Model model;
  int count;
  bool in_row;  ///< rods on the ground, each joined to the next; otherwise each parallelogram on a link of its own
  Vector q, v;

  Linkages(int number, bool row, double angle, double rate)
      : model(loads(row ? row_of(number) : chain_of(number))),
        count(number),
        in_row(row),
        q(neutral(model)),
        v(model.nv()) {
    Vector step(model.nv());
    for (Index k = 0; k < model.nv(); ++k) {
      const char kind = model.coordinate_names()[static_cast<std::size_t>(k)][0];
      step[k] = kind == 'b' ? -1.0 : kind == 's' ? 0.3 : 1.0;  // bars keep their direction
    }
    v = rate * step;
    q = integrate(model, q, Vector(angle * step));
  }
  static std::string row_of(int number) {
    std::string s = "<link name='base'/>";
    for (int i = 0; i <= number; ++i) {
      const std::string k = std::to_string(i);
      s += link("rod" + k, 0.01, 0.02, 0.5) + joint("g" + k, "base", "rod" + k, k + " 0 0") + top_of("rod" + k, k);
      if (i < number) s += bar(k);
    }
    return "<robot name='row'>" + s + "</robot>";
  }
  static std::string chain_of(int number) {
    std::string s = "<link name='base'/>";
    for (int i = 0; i < number; ++i) {
      const std::string k = std::to_string(i), before = i > 0 ? "spine" + std::to_string(i - 1) : "base";
      s += link("spine" + k, 0.1, 0.1, 0.2) + joint("s" + k, before, "spine" + k, "0 0.3 0.4", "1 0.2 0");
      s += link("rod" + k, 0.01, 0.02, 0.5) + joint("g" + k, "spine" + k, "rod" + k, "0 0 0");
      s += link("other" + k, 0.01, 0.02, 0.5) + joint("h" + k, "spine" + k, "other" + k, "1 0 0");
      s += top_of("other" + k, k) + bar(k);
    }
    return "<robot name='chain'>" + s + "</robot>";
  }
  static std::string top_of(const std::string& rod, const std::string& k) {
    return "<link name='top" + k + "'/>" + joint("t" + k, rod, "top" + k, "0 0 1", "0 1 0", "fixed");
  }
  static std::string bar(const std::string& k) {
    return link("bar" + k, 0.5, 0.01, 0) + joint("b" + k, "rod" + k, "bar" + k, "0 0 1") + "<link name='end" + k +
           "'/>" + joint("e" + k, "bar" + k, "end" + k, "1 0 0", "0 1 0", "fixed");
  }
  ConstraintSet closed(const RowSelection& closing) const {
    ConstraintSet set(model);
    for (int i = 0; i < count; ++i)
      set.add(LoopConstraint{.name = "loop" + std::to_string(i),
                             .frame = "top" + std::to_string(in_row ? i + 1 : i),
                             .other = "end" + std::to_string(i),
                             .rows = closing});
    return set;
  }
};

const RowSelection k_hinge = rows("linear angular.x angular.z"), k_enough = rows("linear.x linear.z");
/// Five combinations of x and z, one of them with y, which no joint moves.
const std::vector<double> k_mixed_numbers = {1,  0, 0,  0, 0, 0,  //
                                             1,  0, 2,  0, 0, 0,  //
                                             0,  0, 1,  0, 0, 0,  //
                                             1,  0, -1, 0, 0, 0,  //
                                             -2, 1, 1,  0, 0, 0};
const RowSelection k_mixed = rows(k_mixed_numbers);

/// Every method that takes the set.
template <class F> void for_each_method(const Model& model, const ConstraintSet& set, F&& f) {
  int tried = 0;
  for (const std::string& method : methods()) {
    std::optional<Solver> solver;
    try {
      solver.emplace(model, set, SolverSettings{.method = method});
      solver->solve({.q = neutral(model)});
    } catch (const UnsupportedError&) { continue; }
    SCOPED_TRACE(method);
    f(*solver);
    ++tried;
  }
  EXPECT_GE(tried, 10);
}

Vector torque(const Linkages& x) {
  Vector tau(x.model.nv());
  for (Index k = 0; k < tau.size(); ++k) tau[k] = std::sin(1.0 + 3 * k);
  return tau;
}
double off(const Vector& got, const Vector& expected) { return (got - expected).norm() / expected.norm(); }

TEST(RedundantLoops, MoveAsTheRowsThatCountAndPushLeast) {
  for (int kind = 0; kind < 4; ++kind)
    for (const int number : {1, 2, 7}) {
      const bool row = kind % 2 == 0, mixed = kind > 1;
      SCOPED_TRACE((row ? "row of " : "chain of ") + std::to_string(number) + (mixed ? ", mixed" : ""));
      const Linkages x(number, row, 0.4, 0.7);
      const ConstraintSet set = x.closed(mixed ? k_mixed : k_hinge), enough = x.closed(k_enough);
      const Vector tau = torque(x);
      Solver reference(x.model, enough);
      const Solution& expected = reference.solve({.q = x.q, .v = x.v, .tau = tau});
      ASSERT_EQ(expected.report.status, Status::ok);
      for_each_method(x.model, set, [&](Solver& solver) {
        const Solution& s = solver.solve({.q = x.q, .v = x.v, .tau = tau});
        ASSERT_EQ(s.report.status, Status::ok) << s.report.explain();
        EXPECT_EQ(s.report.rank, 2 * number);
        EXPECT_EQ(s.report.rows, 5 * number);
        EXPECT_TRUE(s.report.warnings.empty()) << s.report.explain();
        EXPECT_LT(off(s.acceleration, expected.acceleration), 1e-10);
        EXPECT_LT(off(s.reaction, expected.reaction), 1e-10);
        EXPECT_NEAR(s.zwang, expected.zwang, 1e-10 * expected.zwang);
        Matrix J(5 * number, x.model.nv());
        solver.constraint_jacobian(J);
        const Vector lambda = s.multipliers;  // least-norm: a combination of columns of J
        Eigen::CompleteOrthogonalDecomposition<Matrix> inverse;
        inverse.setThreshold(1e-9);
        inverse.compute(J);
        EXPECT_LT((lambda - J * inverse.solve(lambda)).norm(), 1e-10 * lambda.norm());
      });
    }
}

TEST(RedundantLoops, AreNamedRowByRow) {
  const Linkages x(3, false, 0.4, 0.7);
  const ConstraintSet set = x.closed(k_hinge);
  std::vector<std::string> names;
  for (const char* loop : {"loop0", "loop1", "loop2"})
    for (const std::string& row : set[loop].row_names) names.push_back(row);
  Matrix J(15, x.model.nv());
  for_each_method(x.model, set, [&](Solver& solver) {
    const SolveReport& r = solver.solve({.q = x.q, .v = x.v}).report;
    solver.constraint_jacobian(J);
    ASSERT_EQ(r.dependencies.size(), 9U);
    ASSERT_EQ(r.redundant.size(), 9U);
    for (std::size_t k = 0; k < 9; ++k) {
      EXPECT_EQ(r.redundant[k].substr(0, 5), "loop" + std::to_string(k / 3));
      const Dependency& d = r.dependencies[k];
      EXPECT_FALSE(d.conflicting);
      Vector sum = Vector::Zero(x.model.nv());
      double size = 0;
      for (const DependencyTerm& t : r.terms_of(d)) {
        const auto row = std::find(names.begin(), names.end(), t.row) - names.begin();
        ASSERT_LT(row, 15);
        sum += t.coefficient * J.row(row).transpose();
        size += std::fabs(t.coefficient);
      }
      EXPECT_LT(sum.norm(), 1e-13 * size);
      EXPECT_LT(std::fabs(d.contradiction), 1e-12 * (1 + size));
    }
  });
}

/// Rows of every kind beside the loops: others share bodies with them, some are soft, a crank is driven.
TEST(RedundantLoops, StandBesideOtherRows) {
  const Linkages x(3, true, 0.4, 0.7);
  const Vector tau = torque(x);
  Prescribed crank;
  prescribe(x.model, crank, "g1", {0.3});
  for (const bool driven : {false, true}) {
    const auto with_others = [&](const RowSelection& closing) {
      ConstraintSet set = x.closed(closing);
      set.add(FrameConstraint{
          .name = "spring", .frame = "bar1", .rows = rows("linear.z"), .policy = Policy::soft, .compliance = {0.2}});
      if (!driven) set.add(FrameConstraint{.name = "hold", .frame = "bar2", .rows = rows("linear.x"), .beta = {0.1}});
      return set;
    };
    const ConstraintSet set = with_others(k_hinge), enough = with_others(k_enough);
    Solver reference(x.model, enough);
    const SolveInput input{.q = x.q, .v = x.v, .tau = tau, .prescribed = driven ? &crank : nullptr};
    const Solution& expected = reference.solve(input);
    ASSERT_EQ(expected.report.status, Status::ok) << expected.report.explain();
    for_each_method(x.model, set, [&](Solver& solver) {
      const Solution& s = solver.solve(input);
      ASSERT_EQ(s.report.status, Status::ok) << s.report.explain();
      EXPECT_EQ(s.report.rank, expected.report.rank);
      EXPECT_LT(off(s.acceleration, expected.acceleration), 1e-9);
      EXPECT_LT(off(s.motor_torque, expected.motor_torque), 1e-9);
      EXPECT_NEAR(s["spring"].multipliers[0], expected["spring"].multipliers[0], 1e-9);
    });
  }
}

TEST(RedundantLoops, ThatContradictThemselvesAreMetInTheSenseOfLeastSquares) {
  const Linkages x(2, true, 0.4, 0.7);
  ConstraintSet set = x.closed(k_hinge);
  set["loop1"].beta = {0.0, 0.5, 0.0, 0.0, 0.0};  // linear.y, which no joint moves
  for_each_method(x.model, set, [&](Solver& solver) {
    const Solution& s = solver.solve({.q = x.q, .v = x.v});
    EXPECT_EQ(s.report.status, Status::infeasible);
    ASSERT_EQ(s.report.infeasible.size(), 1U) << s.report.explain();
    EXPECT_EQ(s.report.infeasible[0], "loop1:linear.y");
    EXPECT_NEAR(s["loop1"].residual[1], -0.5, 1e-12);
    EXPECT_NEAR(s["loop0"].residual.norm(), 0, 1e-10);
  });
}

/// However large the accelerations are, what no joint moves must be asked for nothing:
/// after a solve as after a resolve.
TEST(RedundantLoops, ThatContradictThemselvesALittleAreNotHidden) {
  const Linkages x(2, true, 0.4, 0);
  ConstraintSet set = x.closed(k_hinge);
  const Vector push = 1e5 * torque(x), rest = Vector::Zero(x.model.nv());
  for_each_method(x.model, set, [&](Solver& solver) {
    set["loop1"].beta = std::vector<double>(5, 0.0);
    EXPECT_EQ(solver.solve({.q = x.q, .tau = push}).report.status, Status::ok);
    set["loop1"].beta = {0.0, 1e-3, 0.0, 0.0, 0.0};
    EXPECT_EQ(solver.resolve({.tau = rest}).report.status, Status::infeasible);
    EXPECT_EQ(solver.solve({.q = x.q, .tau = push}).report.status, Status::infeasible);
    EXPECT_EQ(solver.solve({.q = x.q, .tau = rest}).report.status, Status::infeasible);
  });
}

TEST(RedundantLoops, ServeOtherRightHandSidesAndOperators) {
  const Linkages x(2, false, 0.4, 0.7);
  const ConstraintSet set = x.closed(k_mixed);
  const Index n = x.model.nv();
  const Vector tau = torque(x);
  Data data(x.model);
  const Matrix M = mass_matrix(x.model, data, x.q);
  for_each_method(x.model, set, [&](Solver& solver) {
    solver.solve({.q = x.q, .v = x.v});
    const Solution& s = solver.resolve({.tau = tau});
    const Vector again = s.acceleration, lambda = s.multipliers;
    EXPECT_EQ(s.report.rank, 4);
    Matrix J(10, n), a(n, 1), mu(10, 1), L(10, 10), inverse(n, 10), projector(n, n);
    solver.constraint_jacobian(J);
    solver.solve_columns(tau, Matrix::Zero(10, 1), a, mu);
    solver.operational_inertia(L);
    solver.dynamic_pseudo_inverse(inverse);
    solver.nullspace_projector(projector);
    const Solution& fresh = solver.solve({.q = x.q, .v = x.v, .tau = tau});
    EXPECT_LT(off(again, fresh.acceleration), 1e-10);
    EXPECT_LT(off(lambda, fresh.multipliers), 1e-10);
    EXPECT_LT(off(a, fresh.acceleration), 1e-10);
    EXPECT_LT(off(mu, fresh.multipliers), 1e-10);
    Eigen::CompleteOrthogonalDecomposition<Matrix> G;
    G.setThreshold(1e-10);
    G.compute(J * M.inverse() * J.transpose());
    const Matrix expected = G.pseudoInverse();
    EXPECT_LT((L - expected).norm(), 1e-9 * expected.norm());
    EXPECT_LT((inverse - M.inverse() * J.transpose() * expected).norm(), 1e-9 * inverse.norm());
    EXPECT_LT((projector - (Matrix::Identity(n, n) - inverse * J)).norm(), 1e-9);
  });
}

/// Six parallel hinges and one that closes them: as many columns as rows, so that counting does not show the
/// dependency. The first solve finds it.
TEST(RedundantLoops, ThatCountingDoesNotShow) {
  const Vector q = Vector::LinSpaced(6, 0.2, 0.9), tau = Vector::LinSpaced(6, -1, 2);
  const auto arm = [](const std::string& pin) {
    std::string s = "<link name='base'/>", before = "base";
    for (int i = 0; i < 6; ++i) {
      const std::string k = std::to_string(i);
      s += link("l" + k, 0.2, 0.1, 0.1) + joint("j" + k, before, "l" + k, i == 0 ? "0 0 0" : "0.4 0.1 0.1");
      before = "l" + k;
    }
    s += "<link name='end'/>" + joint("e", "l5", "end", "0.3 0 0", "0 1 0", "fixed") + pin;
    return loads("<robot name='six'>" + s + "</robot>");
  };
  const Model open = arm("");
  Data data(open);
  const Vec3<double> p = frame_pose(open, data, q, "end").p;
  std::ostringstream pin;
  pin.precision(17);
  pin << "<link name='pin'/><joint name='p' type='fixed'><origin xyz='" << p.x << " " << p.y << " " << p.z
      << "' rpy='0 " << q.sum() << " 0'/><parent link='base'/><child link='pin'/></joint>";
  const Model model = arm(pin.str());
  ConstraintSet set(model), enough(model);
  const auto add = [](ConstraintSet& to, const RowSelection& closing) {
    to.add(LoopConstraint{.name = "pin", .frame = "pin", .other = "end", .rows = closing});
  };
  add(set, k_hinge);
  add(enough, k_enough);
  Solver solver(model, set), reference(model, enough);
  const Vector expected = reference.solve({.q = q, .tau = tau}).acceleration;
  for (int k = 0; k < 3; ++k) {
    const Solution& now = solver.solve({.q = q, .tau = tau});
    EXPECT_EQ(now.report.status, Status::ok) << now.report.explain();
    EXPECT_EQ(now.report.rank, 2);
    EXPECT_EQ(now.report.redundant.size(), 3U);
    EXPECT_LT(off(now.acceleration, expected), 1e-10);
  }
}

/// Axes off by the rounding of a file: rows that should be nothing are 1e-12,
/// less than what the drift of the loop does.
TEST(RedundantLoops, WithAxesThatAreNearlyParallel) {
  for (const char* tilt : {"1e-13", "1e-12", "1e-11", "1e-9", "1e-7"}) {
    std::string text = Linkages::row_of(2);
    const std::string axis = "<axis xyz='0 1 0'/>";
    text.replace(text.rfind(axis), axis.size(), "<axis xyz='" + std::string(tilt) + " 1 0'/>");
    const Model model = loads(text);
    Linkages x(2, true, 0.4, 0);
    x.model = model;
    const ConstraintSet set = x.closed(k_hinge);
    Matrix J(10, model.nv());
    for_each_method(model, set, [&](Solver& solver) {
      const SolveReport& r = solver.solve({.q = x.q}).report;
      solver.constraint_jacobian(J);
      EXPECT_EQ(r.rows - r.rank, static_cast<Index>(r.dependencies.size())) << tilt << ": " << r.explain();
      for (const Dependency& d : r.dependencies) {
        ASSERT_GT(d.size, 0);
        EXPECT_NE(r.terms_of(d).begin()->row, std::string_view());
      }
    });
  }
}

TEST(RedundantLoops, OnTheGroundAreEliminatedInLinearTime) {
  const Linkages x(60, true, 0.4, 0.7);
  const ConstraintSet set = x.closed(k_hinge);
  Solver solver(x.model, set);
  const SolveReport& r = solver.solve({.q = x.q, .v = x.v}).report;
  EXPECT_EQ(r.status, Status::ok);
  EXPECT_STREQ(r.method, "loop_aba");
  EXPECT_LT(r.place.loops, r.place.root);
  EXPECT_NE(r.explain().find("by loop_aba"), std::string::npos);
}

}  // namespace
}  // namespace zwang
