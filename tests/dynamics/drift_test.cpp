// SPDX-License-Identifier: BSD-3-Clause
// Loops that an integrator has left by a little: Bennett's linkage (Bennett 1903), four skew hinges
// that move although their five closing rows allow it only at closed positions. Off these by 1e-8
// the rows contradict each other by as much.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <optional>
#include <sstream>

#include "zwang/zwang.hpp"

namespace zwang {
namespace {

Model bennett() {
  const double a = 1, alpha = std::acos(-1.0) / 6, b = 1.5, beta = std::asin(b / a * std::sin(alpha));
  std::ostringstream s;
  s.precision(17);
  const auto link = [&](const char* name, double x) {
    s << "<link name='" << name << "'><inertial><origin xyz='" << x / 2
      << " 0.02 0.01'/><mass value='1'/><inertia ixx='0.01' iyy='0.09' izz='0.08' ixy='0' ixz='0' "
         "iyz='0'/></inertial></link>";
  };
  const auto joint = [&](const char* name, const char* type, const char* parent, const char* child, double x,
                         double roll) {
    s << "<joint name='" << name << "' type='" << type << "'><origin xyz='" << x << " 0 0' rpy='" << roll
      << " 0 0'/><parent link='" << parent << "'/><child link='" << child << "'/><axis xyz='0 0 1'/></joint>";
  };
  s << "<robot name='bennett'><link name='base'/><link name='post'/><link name='end'/>";
  link("A", a);
  link("B", b);
  link("C", a);
  joint("j1", "continuous", "base", "A", 0, 0);
  joint("j2", "continuous", "A", "B", a, alpha);
  joint("j3", "continuous", "B", "C", b, beta);
  joint("e", "fixed", "C", "end", a, alpha);
  joint("p", "fixed", "base", "post", -b, -beta);
  s << "</robot>";
  return loads(s.str());
}

struct Linkage {
  Model model = bennett();
  ConstraintSet set{model};
  std::optional<Solver> solver;
  Eigen::VectorXd q;
  Linkage() {
    set.add(LoopConstraint{.name = "pin", .frame = "post", .other = "end", .rows = rows("linear angular.x angular.y")});
    solver.emplace(model, set);
    Eigen::MatrixXd J(5, 3);
    for (unsigned seed = 1;; ++seed) {  // closed by Newton's method from random angles
      q = random(model, seed);
      double open = 1;
      for (int k = 0; k < 60 && open > 1e-13; ++k) {
        const Solution& s = solver->solve({.q = q});
        const Eigen::VectorXd phi = s.position_error;
        open = phi.cwiseAbs().maxCoeff();
        solver->constraint_jacobian(J);
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> inverse;
        inverse.setThreshold(1e-9);
        inverse.compute(J);
        q -= inverse.solve(phi);
      }
      if (open < 1e-12) return;
    }
  }
};

TEST(Drift, OfALoopThatIsClosedLeavesItsRank) {
  Linkage x;
  const Solution& s = x.solver->solve({.q = x.q});
  EXPECT_EQ(s.report.status, Status::ok);
  EXPECT_EQ(s.report.rank, 2);
}

TEST(Drift, ThatAnIntegratorCausesIsNoContradiction) {
  Linkage x;
  Eigen::VectorXd q = x.q, v = Eigen::VectorXd::Zero(3);
  const double h = 1e-3;
  double worst = 0;
  const auto acceleration = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& speed) -> Eigen::VectorXd {
    const Solution& s = x.solver->solve({.q = at, .v = speed});
    EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
    EXPECT_EQ(s.report.rank, 2);
    worst = std::max(worst, s.position_error.cwiseAbs().maxCoeff());
    return s.acceleration;
  };
  for (int k = 0; k < 4000; ++k) {  // Runge & Kutta's method of order 4
    const Eigen::VectorXd a1 = acceleration(q, v), v2 = v + h / 2 * a1, a2 = acceleration(q + h / 2 * v, v2),
                          v3 = v + h / 2 * a2, a3 = acceleration(q + h / 2 * v2, v3), v4 = v + h * a3,
                          a4 = acceleration(q + h * v3, v4);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  EXPECT_GT(worst, 1e-11);  // or nothing was tried
  EXPECT_LT(worst, 1e-5);
}

TEST(Drift, IsSaidWhereRowsContradictEachOtherByIt) {
  Linkage x;
  Eigen::MatrixXd J(5, 3);
  x.solver->solve({.q = x.q});
  x.solver->constraint_jacobian(J);
  const Eigen::VectorXd along = Eigen::JacobiSVD<Eigen::MatrixXd>(J, Eigen::ComputeFullV).matrixV().col(2);
  const Eigen::VectorXd q = x.q + Eigen::Vector3d(1, -2, 3) * 1e-7, v = along + Eigen::Vector3d(3, 1, -2) * 1e-7;
  const Solution& s = x.solver->solve({.q = q, .v = v});
  EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
  EXPECT_EQ(s.report.rank, 2);
  bool position = false, velocity = false;
  for (const SolveWarning& w : s.report.warnings) {
    position = position || w.kind == SolveWarning::Kind::position_violates;
    velocity = velocity || w.kind == SolveWarning::Kind::velocity_violates;
  }
  EXPECT_TRUE(position && velocity) << s.report.explain();
}

TEST(Drift, ThatIsLargeIsAContradiction) {
  Linkage x;
  const Eigen::VectorXd q = x.q + Eigen::VectorXd::Constant(3, 1e-2), v = Eigen::VectorXd::Ones(3);
  const Solution& s = x.solver->solve({.q = q, .v = v});
  EXPECT_NE(s.report.rank, 2);  // its rows are obeyed as they are
}

/// Rows that are left out because the loop has drifted bear no force that the motion does not show.
TEST(Drift, KeepsTheEquationsOfMotion) {
  Linkage x;
  Data data(x.model);
  for (const double apart : {1e-10, 1e-8, 1e-7, 1e-6}) {
    const Eigen::VectorXd q = x.q + apart * Eigen::Vector3d(0.3, -1, 0.5);
    for (const std::string& method : methods()) {
      std::optional<Solver> solver;
      try {
        solver.emplace(x.model, x.set, SolverSettings{.method = method});
        solver->solve({.q = q});
      } catch (const UnsupportedError&) { continue; }
      const Solution& s = solver->solve({.q = q});
      Eigen::MatrixXd J(5, 3);
      solver->constraint_jacobian(J);
      const Eigen::VectorXd moved = mass_matrix(x.model, data, q) * s.acceleration,
                            pushed = J.transpose() * s.multipliers;
      const Eigen::VectorXd h = bias_forces(x.model, data, q, Eigen::VectorXd::Zero(3));
      EXPECT_EQ(s.report.status, Status::ok) << method << ", " << apart;
      EXPECT_LE((moved + h - pushed).norm(), 1e-7 * (h.norm() + pushed.norm())) << method << ", " << apart;
    }
  }
}

}  // namespace
}  // namespace zwang
