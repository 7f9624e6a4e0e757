// SPDX-License-Identifier: BSD-3-Clause
// Assembly of velocities, and projection of states: against the dense solution of the same least squares, and energies.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "dynamics/assembly_cases.hpp"
#include "dynamics/mechanisms.hpp"
#include "support/effort.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// min |v - v0|_W subject to J v = target in least squares, by the pseudo-inverse of J W^-1/2.
Vector dense_velocity(const Matrix& J, const Matrix& W, const Vector& v0, const Vector& target) {
  const Matrix L = W.llt().matrixL();
  Eigen::CompleteOrthogonalDecomposition<Matrix> cod;
  cod.setThreshold(1e-9);
  cod.compute(J * L.transpose().inverse());
  return v0 + L.transpose().triangularView<Eigen::Upper>().solve(cod.solve(target - J * v0));
}

TEST(AssemblyOfVelocities, IsTheNearestOneInAnyMetricAndOfAnyRank) {
  int compared = 0, redundant = 0;
  for (int seed = 1; seed <= effort(300, 30); ++seed) {
    const OpenMechanism m = open_mechanism(static_cast<std::uint64_t>(seed), 0.3);
    if (m.set->rows() == 0) continue;
    SCOPED_TRACE(m.what);
    const Model& model = *m.model;
    const Index n = model.nv();
    Random random(static_cast<std::uint64_t>(seed));
    AssemblySettings s;
    s.kinetic = seed % 3 == 0;
    Matrix W = Matrix::Identity(n, n);
    if (seed % 3 == 1)
      for (Index i = 0; i < n; ++i) s.weights.push_back(W(i, i) = std::exp(random.uniform(-2, 2)));
    Data data(model);
    if (s.kinetic) mass_matrix(model, data, m.closed, W);
    if (s.kinetic && !(Eigen::SelfAdjointEigenSolver<Matrix>(W).eigenvalues()(0) > 1e-6 * W.norm())) continue;
    const Vector v0 = random.vector(static_cast<int>(n));
    Assembler assembler(model, *m.set, s);
    const Assembly& x = assembler.assemble_velocity(m.closed, v0);
    ASSERT_EQ(x.report.status, Status::ok) << x.report.explain();
    ConstraintEvaluator rows(model, *m.set);
    rows.evaluate(m.closed, x.v);
    EXPECT_LE(rows.velocity_error().cwiseAbs().maxCoeff(), 1e-12 * (1 + x.v.cwiseAbs().maxCoeff()));
    Matrix J(rows.rows(), n);
    rows.jacobian(J);
    const Vector expected = dense_velocity(J, W, v0, Vector::Zero(rows.rows()));
    EXPECT_LE((x.v - expected).norm(),
              1e-7 * (1 + expected.norm()));  // J's condition is up to 1e8 with a threshold of 1e-9
    ++compared;
    redundant += x.report.rank < x.report.rows;
    // Once more changes nothing, and energies: |v0|^2 = |v|^2 + |v - v0|^2 in W.
    const Vector v = x.v, d = v - v0;
    EXPECT_NEAR(v0.dot(W * v0), v.dot(W * v) + d.dot(W * d), 1e-9 * v0.dot(W * v0));
    EXPECT_LE((assembler.assemble_velocity(m.closed, v).v - v).norm(), 1e-12 * (1 + v.norm()));
  }
  EXPECT_GT(compared, effort(200, 20));
  EXPECT_GT(redundant, 0);
}

TEST(AssemblyOfVelocities, FollowsTargetsAndTellsContradictionsFromRedundancy) {
  const Mechanism m = four_bar_in_space();
  const Model& model = m.robot.model;
  ConstraintSet set = m.set();
  JointConstraint drive{.name = "drive", .coordinates = {"to crank"}};
  drive.target_velocity = {0.7};
  set.add(drive);
  const Vector start = m.start;
  const Vector q = assemble(model, set, start).q;
  const AssembledState<> x = assemble_velocity(model, set, q, Vector::Zero(3));
  ASSERT_EQ(x.report.status, Status::ok) << x.report.explain();
  EXPECT_NEAR(x.v(0), 0.7, 1e-14);
  EXPECT_EQ(x.report.rank, 3);  // of six rows: agreed
  JointConstraint other{.name = "other", .coordinates = {"to crank"}};
  other.target_velocity = {0.3};
  set.add(other);
  const AssembledState<> y = assemble_velocity(model, set, q, Vector::Zero(3));
  EXPECT_EQ(y.report.status, Status::infeasible);
  EXPECT_LE(y.report.gradient, 1e-12);
  EXPECT_NE(y.report.explain().find("other:to crank"), std::string::npos) << y.report.explain();
  // Least squares: the loop holds a drive of c at a cost, none here, so c is the mean.
  EXPECT_NEAR(y.v(0), 0.5, 1e-12);
}

TEST(AssemblyOfVelocities, KeepsFixedJointsAndProjectsStates) {
  int done = 0;
  for (int seed = 1; seed <= effort(200, 20); ++seed) {
    OpenMechanism m = open_mechanism(static_cast<std::uint64_t>(seed), 0.02);
    if (m.set->rows() == 0) continue;
    SCOPED_TRACE(m.what);
    const Model& model = *m.model;
    m.settings.kinetic = true;
    Random random(static_cast<std::uint64_t>(seed));
    Vector v0 = random.vector(static_cast<int>(model.nv()));
    if (!m.settings.fixed.empty()) {  // at rest, so that loops of fixed joints alone are no contradiction
      const Range r = model.joint(m.settings.fixed[0]).v;
      v0.segment(r.first, r.size).setZero();
    }
    Assembler assembler(model, *m.set, m.settings);
    const Assembly& x = assembler.project(m.start, v0);
    if (x.report.status == Status::singular_mass) continue;
    ASSERT_EQ(x.report.status, Status::ok) << x.report.explain();
    ++done;
    EXPECT_LE(x.report.residual, 1e-12);
    EXPECT_LE(x.report.velocity_residual, 1e-12);
    const Vector q = x.q, v = x.v;
    for (const std::string& name : m.settings.fixed) {
      const Range r = model.joint(name).v;
      EXPECT_TRUE((v.segment(r.first, r.size).array() == v0.segment(r.first, r.size).array()).all());
    }
    Data data(model);
    const double before = kinetic_energy(model, data, q, v0), after = kinetic_energy(model, data, q, v),
                 lost = kinetic_energy(model, data, q, v - v0);
    EXPECT_NEAR(before, after + lost, 1e-9 * before);
    EXPECT_LE(after, before * (1 + 1e-12));
    const Assembly& again = assembler.project(q, v);
    EXPECT_TRUE((again.q.array() == q.array()).all());
    EXPECT_LE((again.v - v).norm(), 1e-11 * (1 + v.norm()));
  }
  EXPECT_GT(done, effort(100, 10));
}

}  // namespace
}  // namespace zwang::test
