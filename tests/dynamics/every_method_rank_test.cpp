// SPDX-License-Identifier: BSD-3-Clause
// A hundred thousand random sets of loops, contacts, frames and gears through every method: rows given twice,
// multiples, zero rows, right-hand sides of one possible motion or of none. Rank and status are those of the
// singular values, and nothing is ever NaN.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <cmath>
#include <map>

#include "dynamics/imposed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "zwang/algorithm/dynamics.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// A small robot with constraints of which each problem switches some on; all with a compliance, for pv_soft.
class Bench {
 public:
  explicit Bench(std::uint64_t seed)
      : robot(describe(seed)),
        set(robot.model),
        solver(fill(seed)),
        data(robot.model),
        M(nv(), nv()) {}
  static Robot describe(std::uint64_t seed) {
    RandomRobot options;
    options.joints = 2 + static_cast<int>(seed % 4);
    options.root = seed % 3 == 0 ? "floating" : "fixed";
    options.mimic = 0;
    if (seed % 2 == 0) options.types = {"revolute", "prismatic"};
    if (seed % 2 == 1) options.types = {"revolute", "universal", "spherical", "cylindrical", "planar", "helical"};
    return Robot(random_robot(seed, options));
  }
  Index nv() const { return robot.model.nv(); }

  Robot robot;
  ConstraintSet set;
  Solver solver;
  Data data;
  Matrix M;

 private:
  template <class Type> void twice(Type c) {  // the second time under another name, `again` changes what it may
    c.compliance = {0.1};
    set.add(c);
    c.name += " again";
    set.add(again(c));
  }
  static LoopConstraint again(LoopConstraint c) { return c; }
  static ContactConstraint again(ContactConstraint c) {
    c.tangent = {0.3, -0.8, 0.5};  // the same directions in other axes, where there are three
    return c;
  }
  static FrameConstraint again(FrameConstraint c) {
    for (double& x : c.rows.matrix) x *= -2.5;
    return c;
  }
  static CouplingConstraint again(CouplingConstraint c) {
    for (double& x : c.ratio) x *= 40;
    return c;
  }
  Solver fill(std::uint64_t seed) {
    Random random(seed + 4000);
    LoopConstraint loop = random_loop(robot, random, "loop");
    loop.target = loop.target_velocity = loop.beta = {};
    loop.stabilisation = {};
    twice(loop);
    ContactConstraint contact = random_contact(robot, random, "contact");
    contact.beta = {};
    contact.rows = 2 + random.below(2);
    twice(contact);
    FrameConstraint frame = random_frame_constraint(robot, random, "frame");
    frame.beta = {};
    frame.rows = rows(random_rows(random, 1 + random.below(3)));
    twice(frame);
    const std::string& link = robot.description.links.back().name;  // against itself: zero rows
    set.add(
        LoopConstraint{.name = "nothing", .frame = link, .other = link, .rows = rows("linear"), .compliance = {0.1}});
    std::vector<std::string> single;
    for (const Joint& j : robot.model.joints())
      if (j.v.size == 1) single.push_back(j.name);
    if (single.size() >= 2)
      twice(CouplingConstraint{.name = "gear", .coordinates = {single[0], single[1]}, .ratio = {1, -0.7}});
    return Solver(robot.model, set);
  }
};

/// What the rows of a problem are, by singular values in the metric of M^-1 on rows of unit length.
struct Spectrum {
  bool clear = true;
  Index rank = 0;
  Matrix missing;  ///< combinations of rows that no motion changes, a column each
  Vector scale;    ///< of the rows; 0: a zero row
  double least = 1;
};
Spectrum spectrum(const Matrix& J, const Eigen::LLT<Matrix>& factor) {
  const Matrix Y = factor.matrixL().solve(J.transpose()).transpose();
  Spectrum s;
  s.scale = Vector::Zero(J.rows());
  Matrix E = Matrix::Zero(Y.rows(), Y.cols());
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    // Bodies of about a metre: a row is made of terms of about one.
    const double largest = J.row(i).cwiseAbs().maxCoeff();
    if (largest > 1e-12 && largest < 1e-4) s.clear = false;
    if (largest <= 1e-12) continue;
    s.scale(i) = Y.row(i).norm();
    E.row(i) = Y.row(i) / s.scale(i);
  }
  const Eigen::JacobiSVD<Matrix> svd(E, Eigen::ComputeFullU);
  for (const double x : svd.singularValues()) {
    if (x > 1e-12 && x < 1e-2) s.clear = false;
    if (x <= 1e-12) continue;
    ++s.rank;
    s.least = std::min(s.least, x);
  }
  s.missing = svd.matrixU().rightCols(E.rows() - s.rank);
  return s;
}

struct Counts {
  int all = 0, clear = 0, deficient = 0, contradictory = 0, zero = 0;
  std::map<std::string, int> solved, refused;
};

void set_beta(ConstraintSet& set, const Vector* of_active) {
  Eigen::Index i = 0;
  for (const Constraint& c : set.constraints()) {
    Constraint& mine = set[c.name];
    for (std::size_t k = 0; k < mine.beta.size(); ++k)
      mine.beta[k] = of_active != nullptr && c.active ? (*of_active)(i++) : 0.0;
  }
}

void check(Bench& b, Random& random, Counts& counts) {
  const RandomState state = random_state(b.robot.model, random.next());
  const SolveInput input{.q = state.q, .v = state.v, .tau = state.tau};
  bool any = false;
  for (const Constraint& c : b.set.constraints()) any = (b.set[c.name].active = random.below(10) < 3) || any;
  b.set["loop"].active = b.set["loop"].active || !any;
  set_beta(b.set, nullptr);
  b.solver.settings().method = "dense_lu";
  b.solver.solve(input);
  const Index m = b.solver.active_rows();
  Matrix J(m, b.nv());
  Vector rest(m);
  b.solver.constraint_jacobian(J);
  b.solver.constraint_target(rest);
  mass_matrix(b.robot.model, b.data, state.q, b.M);
  const Eigen::LLT<Matrix> factor(b.M);
  const Spectrum s = spectrum(J, factor);
  ++counts.all;

  const Vector wish = random.vector(static_cast<int>(b.nv()), 5);
  Vector target = J * wish;
  const bool contradictory = s.missing.cols() > 0 && random.below(2) == 0;
  if (contradictory) {  // by as much as rows themselves ask for, in their own units
    const double size = 1 + Vector(factor.matrixU() * wish).norm();
    const Vector away = s.missing * random.vector(static_cast<int>(s.missing.cols()), 1).normalized();
    for (Index i = 0; i < m; ++i) target(i) += away(i) * size * (s.scale(i) > 0 ? s.scale(i) : 1);
  }
  const Vector beta = target - rest;
  set_beta(b.set, &beta);
  const Vector free = forward_dynamics(b.robot.model, b.data, state.q, state.v, state.tau);
  const double size = 1 + wish.cwiseAbs().maxCoeff() + free.cwiseAbs().maxCoeff();

  Vector first;
  for (const std::string& method : methods()) {
    b.solver.settings().method = method;
    try {
      b.solver.solve(input);
    } catch (const UnsupportedError&) {
      ++counts.refused[method];
      continue;
    }
    ++counts.solved[method];
    const Solution& got = b.solver.solution();
    ASSERT_TRUE(got.acceleration.allFinite() && got.multipliers.allFinite() && got.residual.allFinite() &&
                got.motor_torque.allFinite() && got.reaction.allFinite() && std::isfinite(got.zwang))
        << method;
    ASSERT_EQ(got.report.rows, m);
    if (method == "pv_soft") {  // springs depend on nothing
      ASSERT_EQ(got.report.rank, m);
      ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
      continue;
    }
    if (!s.clear) continue;
    ASSERT_EQ(got.report.rank, s.rank) << method << ": " << got.report.explain();
    ASSERT_EQ(static_cast<Index>(got.report.redundant.size()), m - s.rank) << method;
    ASSERT_EQ(got.report.status, contradictory ? Status::infeasible : Status::ok)
        << method << ": " << got.report.explain();
    // Singular values of 1e-2 and more: their squares and those of the inertia's condition make 1e-9 of 1e-16.
    const Vector a = got.acceleration;
    if (!contradictory) { ASSERT_TRUE(within(Vector(J * a), target, 1e-8, size * (1 + J.cwiseAbs().maxCoeff()))); }
    if (first.size() == 0) first = a;
    ASSERT_TRUE(within(a, first, 1e-7, size + first.cwiseAbs().maxCoeff())) << method;
  }
  counts.clear += s.clear;
  counts.deficient += s.clear && s.rank < m;
  counts.contradictory += s.clear && contradictory;
  counts.zero += s.scale.minCoeff() == 0;
}

TEST(EveryMethod, TellsRankAndStatusOfAHundredThousandRandomSets) {
  Counts counts;
  const int benches = effort(100), each = 1000;
  for (int k = 1; k <= benches; ++k) {
    Bench b(static_cast<std::uint64_t>(k));
    Random random(static_cast<std::uint64_t>(k) + 900);
    for (int i = 0; i < each; ++i) {
      SCOPED_TRACE("bench " + std::to_string(k) + ", problem " + std::to_string(i));
      check(b, random, counts);
      if (HasFatalFailure()) return;
    }
  }
  for (const auto& [method, n] : counts.solved) RecordProperty(method + " solved", n);
  for (const auto& [method, n] : counts.refused) RecordProperty(method + " refused", n);
  RecordProperty("clear", counts.clear);
  EXPECT_EQ(counts.all, benches * each);
  EXPECT_GE(counts.clear, counts.all / 2) << "too many sets whose rank is in doubt";
  EXPECT_GE(counts.deficient, counts.all / 4);
  EXPECT_GE(counts.contradictory, counts.all / 10);
  EXPECT_GE(counts.zero, counts.all / 10);
  for (const char* method : {"automatic", "popov_vereshchagin", "pv_early", "pv_soft", "dense_lu", "dense_qr",
                             "dense_cod", "range_space", "null_space", "test_force", "contact_cholesky"})
    EXPECT_EQ(counts.solved[method], counts.all) << method;
}

}  // namespace
}  // namespace zwang::test
