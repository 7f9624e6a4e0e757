// SPDX-License-Identifier: BSD-3-Clause
// Assembly and mobility of rows with a sense: against the nearest point of a polyhedron by trial of all faces, the
// conditions of the nearest point on random closed mechanisms, and energies of velocities in a cone.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstdio>

#include "dynamics/assembly_cases.hpp"
#include "support/effort.hpp"
#include "support/no_allocation.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/batch/batch_assembler.hpp"
#include "zwang/question/constraint_evaluator.hpp"
#include "zwang/question/mobility.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

int sign_of(Sense s) { return s == Sense::at_least ? 1 : s == Sense::at_most ? -1 : 0; }

/// A body that slides along n axes, with half-spaces a q - b on a side: phi and J are exact.
struct Polyhedron {
  std::unique_ptr<Model> model = nullptr;
  std::unique_ptr<ConstraintSet> set = nullptr;
  Matrix A = {};
  Vector b = {};
  std::vector<Sense> sense = {};
  Index n = 0;

  Polyhedron(Index dimensions, const Matrix& faces, const Vector& offsets, const std::vector<Sense>& senses)
      : A(faces),
        b(offsets),
        sense(senses),
        n(dimensions) {
    RobotDescription d;
    d.name = "slides";
    d.links.push_back({.name = "l0"});
    for (Index k = 0; k < n; ++k) {
      const std::string i = std::to_string(k + 1);
      d.links.push_back({.name = "l" + i, .mass = 1.0 + 0.5 * static_cast<double>(k)});
      d.joints.push_back({.name = "x" + i,
                          .type = "prismatic",
                          .parent = "l" + std::to_string(k),
                          .child = "l" + i,
                          .axis = {k % 3 == 0 ? 1.0 : 0.0, k % 3 == 1 ? 1.0 : 0.0, k % 3 == 2 ? 1.0 : 0.0}});
    }
    model = std::make_unique<Model>(build(d));
    set = std::make_unique<ConstraintSet>(*model);
    for (Index r = 0; r < A.rows(); ++r) {
      CouplingConstraint c{.name = "face" + std::to_string(r), .offset = b(r)};
      for (Index k = 0; k < n; ++k) {
        c.coordinates.push_back("x" + std::to_string(k + 1));
        c.ratio.push_back(A(r, k));
      }
      c.sense = {sense[static_cast<std::size_t>(r)]};
      set->add(c);
    }
  }
  double violation(const Vector& q) const {
    double worst = 0;
    for (Index r = 0; r < A.rows(); ++r) {
      const double w = A.row(r).dot(q) - b(r);
      const int s = sign_of(sense[static_cast<std::size_t>(r)]);
      worst = std::max(worst, s == 0 ? std::fabs(w) : -s * w);
    }
    return worst;
  }
  /// The nearest point in W: of all choices of faces, the one that is feasible and nearest. False if none is.
  bool nearest(const Vector& q0, const Matrix& W, Vector& out) const {
    double best = -1;
    for (unsigned choice = 0; choice < 1u << A.rows(); ++choice) {
      std::vector<Index> on;
      bool has_equalities = true;
      for (Index r = 0; r < A.rows(); ++r) {
        const bool is = (choice >> r & 1u) != 0;
        if (is) on.push_back(r);
        has_equalities = has_equalities && (is || sense[static_cast<std::size_t>(r)] != Sense::equal);
      }
      if (!has_equalities) continue;
      Matrix C(static_cast<Index>(on.size()), n);
      Vector d(C.rows());
      for (Index i = 0; i < C.rows(); ++i) {
        C.row(i) = A.row(on[static_cast<std::size_t>(i)]);
        d(i) = b(on[static_cast<std::size_t>(i)]);
      }
      const Matrix L = W.llt().matrixL(), in_lengths = C * L.transpose().inverse();
      const Vector x = in_lengths.completeOrthogonalDecomposition().solve(d - C * q0);
      const Vector q = q0 + L.transpose().triangularView<Eigen::Upper>().solve(x);
      if (violation(q) > 1e-9 || (best >= 0 && x.norm() >= best)) continue;
      best = x.norm();
      out = q;
    }
    return best >= 0;
  }
};

Polyhedron random_polyhedron(std::uint64_t seed) {
  Random random(seed);
  const Index n = 1 + random.below(5), rows = 1 + random.below(6);
  Matrix A(rows, n);
  Vector b(rows);
  std::vector<Sense> sense;
  for (Index r = 0; r < rows; ++r) {
    for (Index k = 0; k < n; ++k) A(r, k) = random.uniform(-1, 1);
    if (r > 0 && random.below(5) == 0) A.row(r) = random.uniform(-2, 2) * A.row(r - 1);
    b(r) = random.uniform(-1, 1);
    sense.push_back(static_cast<Sense>(random.below(6) == 0 ? 0 : 1 + random.below(2)));
  }
  return {n, A, b, sense};
}

TEST(SidedAssembly, FindsTheNearestPointOfAPolyhedronAndTheNearestVelocityInItsCone) {
  int feasible = 0, infeasible = 0, held = 0, open = 0;
  for (int seed = 1; seed <= effort(2000, 100); ++seed) {
    const Polyhedron p = random_polyhedron(static_cast<std::uint64_t>(seed));
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed) + 99);
    const Vector q0 = random.vector(static_cast<int>(p.n), 2), v0 = random.vector(static_cast<int>(p.n), 2);
    AssemblySettings s{.attempts = 0};
    Matrix W = Matrix::Identity(p.n, p.n);
    s.kinetic = seed % 3 == 0;
    Data data(*p.model);
    if (s.kinetic) mass_matrix(*p.model, data, q0, W);
    if (seed % 3 == 1)
      for (Index i = 0; i < p.n; ++i) s.weights.push_back(W(i, i) = std::exp(random.uniform(-1, 1)));
    const AssembledState<> x = assemble(*p.model, *p.set, q0, s);
    Vector expected;
    const bool possible = p.nearest(q0, W, expected);
    if (!possible) {
      ++infeasible;
      EXPECT_EQ(x.report.status, Status::infeasible) << x.report.explain();
      EXPECT_FALSE(x.report.unmet.empty());
      EXPECT_GT(p.violation(x.q), 1e-9);
    } else {
      ++feasible;
      ASSERT_EQ(x.report.status, Status::ok) << x.report.explain();
      EXPECT_TRUE(x.report.nearest) << x.report.explain();
      EXPECT_LE(p.violation(x.q), 1e-11 * (1 + x.q.norm()));
      EXPECT_LE((x.q - expected).norm(), 1e-7 * (1 + expected.norm())) << x.report.explain();
      held += static_cast<int>(x.report.held.size());
      open += static_cast<int>(x.report.released.size());
      EXPECT_EQ(x.report.without_position.size(), 0u);
    }
    // Velocities at a corner: rows that are closed there ask for their side, others for nothing.
    if (!possible) continue;
    std::vector<Sense> closed;
    std::vector<Index> rows;
    for (Index r = 0; r < p.A.rows(); ++r) {
      const double w = p.A.row(r).dot(x.q) - p.b(r);
      const int side = sign_of(p.sense[static_cast<std::size_t>(r)]);
      if (side * w > 1e-9) continue;
      rows.push_back(r);
      closed.push_back(p.sense[static_cast<std::size_t>(r)]);
    }
    Matrix C(static_cast<Index>(rows.size()), p.n);
    for (Index i = 0; i < C.rows(); ++i) C.row(i) = p.A.row(rows[static_cast<std::size_t>(i)]);
    const Polyhedron cone(p.n, C, Vector::Zero(C.rows()), closed);
    Vector v;
    ASSERT_TRUE(cone.nearest(v0, W, v));
    const AssembledState<> y = assemble_velocity(*p.model, *p.set, x.q, v0, s);
    ASSERT_EQ(y.report.status, Status::ok) << y.report.explain();
    EXPECT_LE((y.v - v).norm(), 1e-9 * (1 + v.norm())) << y.report.explain();
    const Vector lost = y.v - v0;
    EXPECT_NEAR(v0.dot(W * v0), y.v.dot(W * y.v) + lost.dot(W * lost), 1e-9 * v0.dot(W * v0));
  }
  EXPECT_GT(feasible, effort(1000, 50));
  EXPECT_GT(infeasible, effort(50, 1));
  EXPECT_GT(std::min(held, open), effort(500, 20));
}

/// The mechanism with up to four distances with a sense, which hold at the closed configuration, some of them just.
void add_sided(OpenMechanism& m, std::uint64_t seed) {
  Random random(seed * 13 + 5);
  Data data(*m.model);
  forward_kinematics(*m.model, data, m.closed);
  const int count = 1 + random.below(4), bodies = static_cast<int>(m.model->bodies());
  for (int k = 0; k < count && bodies > 1; ++k) {
    const auto link = [&] {
      const auto& links = m.model->description().links;
      return links[static_cast<std::size_t>(random.below(static_cast<int>(links.size())))].name;
    };
    const std::string a = link(), b = link();
    if (a == b) continue;
    DistanceConstraint c{.name = "rope" + std::to_string(k), .frame = a, .other = b};
    c.point = {0.1, 0.05 * k, 0.2};
    c.other_point = {-0.1, 0.1, 0};
    const Vec3<double> d = frame_pose(*m.model, data, b) * c.other_point - frame_pose(*m.model, data, a) * c.point;
    const double gap = random.below(2) ? 0.0 : random.uniform(0, 0.1);
    c.sense = {random.below(2) ? Sense::at_least : Sense::at_most};
    c.length = norm(d) + (c.sense[0] == Sense::at_most ? gap : -gap);
    if (random.below(2)) c.limit = {5.0};  // bounds a force: no meaning for positions
    if (c.length > 0.05) m.set->add(c);
  }
}

TEST(SidedAssembly, HoldsTheConditionsOfTheNearestPointOnRandomMechanisms) {
  int all = 0, ok = 0, nearest = 0, steps = 0, held = 0, released = 0;
  double worst = 0, worst_pull = 0;
  for (int seed = 1; seed <= effort(1500, 60); ++seed) {
    OpenMechanism m = open_mechanism(static_cast<std::uint64_t>(seed), 0.2);
    add_sided(m, static_cast<std::uint64_t>(seed));
    if (m.set->rows() == 0) continue;
    SCOPED_TRACE(m.what);
    m.settings.limits = seed % 2 == 0;
    const Model& model = *m.model;
    const Index n = model.nv();
    const AssembledState<> x = assemble(model, *m.set, m.start, m.settings);
    const AssemblyReport& r = x.report;
    ++all;
    steps += r.iterations;
    if (r.status != Status::ok) continue;
    ++ok;
    ConstraintEvaluator rows(model, *m.set);
    rows.evaluate(x.q, Vector::Zero(n));
    Matrix J(rows.rows(), n), by0(n, n), by1(n, n);
    rows.jacobian(J);
    difference_jacobians(model, m.start, x.q, by0, by1);
    Vector g = by1.transpose() * difference(model, m.start, x.q);
    for (const std::string& name : m.settings.fixed)
      for (Index v = model.joint(name).v.first; v < model.joint(name).v.end(); ++v) {
        g(v) = 0;
        J.col(v).setZero();
      }
    std::vector<Index> on;
    std::vector<int> side;
    const double size = 2 * (1 + 0.4 * static_cast<double>(model.bodies()) + x.q.cwiseAbs().maxCoeff());
    for (Index k = 0; k < rows.rows(); ++k) {
      const Constraint& c = (*m.set)[std::string(rows.constraint_name(k))];
      const int s = c.sense.empty() ? 0 : sign_of(c.sense[0]);
      const double phi = rows.position_error()(k);
      EXPECT_LE(s == 0 ? std::fabs(phi) : -s * phi, 1e-12 * size) << rows.row_name(k);
      if (s * phi > 1e-9) continue;
      on.push_back(k);
      side.push_back(s);
    }
    held += static_cast<int>(r.held.size());
    released += static_cast<int>(r.released.size());
    nearest += r.nearest;
    if (!r.nearest || !r.at_limit.empty()) continue;
    Matrix A(n, static_cast<Index>(on.size()));
    for (Index k = 0; k < A.cols(); ++k) A.col(k) = J.row(on[static_cast<std::size_t>(k)]).transpose();
    const double scale = std::max(g.norm(), 1e-4);
    if (A.cols() == 0) {
      EXPECT_LE(g.norm(), 1e-8);
      continue;
    }
    Eigen::CompleteOrthogonalDecomposition<Matrix> cod;
    cod.setThreshold(1e-9);
    cod.compute(A);
    const Vector lambda = cod.solve(g);  // grad f = A lambda, lambda >= 0 where phi >= 0 is wanted
    worst = std::max(worst, (A * lambda - g).norm() / scale);
    if (cod.rank() == A.cols())
      for (Index k = 0; k < A.cols(); ++k)
        worst_pull = std::max(worst_pull, -side[static_cast<std::size_t>(k)] * lambda(k) * A.col(k).norm() / scale);
  }
  std::printf(
      "%d mechanisms with sides: %d assembled, %d nearest, %.1f steps, %d held, %d open; tangential %.1e, pull %.1e\n",
      all, ok, nearest, 1.0 * steps / std::max(all, 1), held, released, worst, worst_pull);
  EXPECT_GE(ok, 0.985 * all);
  EXPECT_GE(nearest, 0.97 * ok);
  EXPECT_LE(worst, 1e-5);
  EXPECT_LE(worst_pull, 1e-5);
  EXPECT_GT(std::min(held, released), effort(300, 10));
}

TEST(SidedAssembly, KeepsAStateThatSatisfiesAllAndAllocatesNothing) {
  Matrix A(3, 2);
  A << 1, 0, 0, 1, 1, 1;
  Vector b(3);
  b << 0.5, -1, 10;
  const Polyhedron p(2, A, b, {Sense::at_least, Sense::at_least, Sense::at_most});
  const Vector inside = Vector::Constant(2, 2.0), v = (Vector(2) << -3, 4).finished();
  Assembler assembler(*p.model, *p.set);
  const Assembly& x = assembler.project(inside, v);
  EXPECT_TRUE((x.q.array() == inside.array()).all() && (x.v.array() == v.array()).all());
  EXPECT_EQ(x.report.released.size(), 3u);
  EXPECT_EQ(x.report.rank, 0);
  const Vector outside = (Vector(2) << -2, -3).finished();
  EXPECT_NO_ALLOCATION(assembler.project(outside, v));
  EXPECT_EQ(x.report.status, Status::ok);
  EXPECT_EQ(x.report.rank, 2);
  EXPECT_NEAR(x.q(0), 0.5, 1e-12);
  EXPECT_NEAR(x.q(1), -1, 1e-12);
  EXPECT_EQ(x.v(0), 0);  // would go deeper
  EXPECT_EQ(x.v(1), 4);
  EXPECT_NE(x.report.explain().find("hold as equalities: face0:coupling, face1:coupling. Open: face2:coupling."),
            std::string::npos)
      << x.report.explain();
  // Many states at once, and a path on which the row takes hold.
  Matrix q0(2, 3), v0(2, 3), q(2, 3), w(2, 3);
  q0 << -2, 2, 0.5, -3, 2, 40;
  v0 << -3, -3, 1, 4, 4, -5;
  BatchAssembler batch(*p.model, *p.set);
  batch.project(q0, v0, q, w);
  for (Index k = 0; k < 3; ++k) {
    const Assembly& one = assembler.project(q0.col(k), v0.col(k));
    EXPECT_TRUE((one.q.array() == q.col(k).array()).all() && (one.v.array() == w.col(k).array()).all());
  }
  JointConstraint drive{.name = "drive", .coordinates = {"x2"}, .target = {0.0}};
  p.set->add(drive);
  Matrix targets(1, 3);
  targets << 0, 8, 9.8;  // x1 + x2 <= 10 would move x1 below 0.5 for 9.8
  const AssembledPath<> path = assemble_path(*p.model, *p.set, inside, "drive", targets);
  EXPECT_EQ(path.reached, 2);
  EXPECT_EQ(path.steps[2].status, Status::infeasible);
}

TEST(SidedAssembly, ReportsTheLeastViolationWhereSidesContradictEachOther) {
  Matrix A = Matrix::Ones(3, 1);
  const Vector b = (Vector(3) << 0.5, 2, 0).finished();  // x >= 0.5, x >= 2, x <= 0: the mean of 2 and 0
  const Polyhedron p(1, A, b, {Sense::at_least, Sense::at_least, Sense::at_most});
  const AssembledState<> x = assemble(*p.model, *p.set, Vector::Constant(1, -3.0));
  EXPECT_EQ(x.report.status, Status::infeasible);
  EXPECT_NEAR(x.q(0), 1, 1e-6);
  EXPECT_TRUE(x.report.held.empty());
  EXPECT_EQ(x.report.released.size(), 1u);
  EXPECT_NE(x.report.explain().find("2 of 3 rows do not hold: face1:coupling, face2:coupling"), std::string::npos)
      << x.report.explain();
  (*p.set)["face0"].target_velocity = {0.5};
  (*p.set)["face1"].target_velocity = {2.0};
  (*p.set)["face1"].target = {-3.0};  // closed at x = -1
  const AssembledState<> y = assemble_velocity(*p.model, *p.set, Vector::Constant(1, -1.0), Vector::Constant(1, -7.0));
  EXPECT_EQ(y.report.status, Status::ok);  // x <= 0 is open
  EXPECT_NEAR(y.v(0), 2, 1e-14);
  EXPECT_EQ(y.report.released.size(), 2u);
  (*p.set)["face2"].target = {-1.0};  // closed now, and asks for v <= 0
  const AssembledState<> z = assemble_velocity(*p.model, *p.set, Vector::Constant(1, -1.0), Vector::Constant(1, -7.0));
  EXPECT_EQ(z.report.status, Status::infeasible);
  EXPECT_NEAR(z.v(0), 1, 1e-12);
  EXPECT_LE(z.report.gradient, 1e-12);
}

TEST(SidedMobility, CountsARowWhereItIsClosedAndNotWhereItIsOpen) {
  Matrix A(2, 3);
  A << 1, 0, 0, 0, 1, 0;
  const Polyhedron p(3, A, Vector::Zero(2), {Sense::at_least, Sense::at_most});
  (*p.set)["face0"].limit = {3.0};  // bounds a force: the row counts all the same
  const MobilityReport closed = mobility(*p.model, *p.set, Vector::Zero(3));
  EXPECT_EQ(closed.mobility, 1);
  EXPECT_EQ(closed.finite_mobility, 1);
  EXPECT_TRUE(closed.open.empty());
  Vector q = Vector::Zero(3);
  q(0) = 0.2;
  Mobility of(*p.model, *p.set);
  const MobilityReport one = of.at(q);
  EXPECT_EQ(one.mobility, 2);
  EXPECT_EQ(one.finite_mobility, 2);
  EXPECT_EQ(one.rows, 1);
  EXPECT_EQ(one.open, std::vector<std::string>{"face0:coupling"});
  EXPECT_NE(one.explain().find("Open, and not counted: face0:coupling."), std::string::npos) << one.explain();
  q(1) = 0.3;  // violated: counts, and is not closed
  const MobilityReport violated = of.at(q);
  EXPECT_EQ(violated.mobility, 2);
  EXPECT_GT(violated.closure, 1e-3);
  q(1) = -0.3;
  EXPECT_EQ(of.at(q).mobility, 3);
  EXPECT_EQ(of.jacobian(q, "l3", {"x1", "x2", "x3"}).mobility, 3);
  EXPECT_EQ(of.jacobian(Vector::Zero(3), "l3", {"x1", "x2", "x3"}).mobility, 1);
  Matrix along(3, 2);
  along.col(0) = Vector::Zero(3);
  along.col(1) = q;
  const PathMobility path = of.along(along);
  EXPECT_EQ(path.mobility, (std::vector<Index>{1, 3}));
  EXPECT_EQ(path.singular, (std::vector<bool>{false, false}));  // other rows, not another rank of the same
}

}  // namespace
}  // namespace zwang::test
