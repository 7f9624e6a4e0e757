// SPDX-License-Identifier: BSD-3-Clause
// A hundred thousand random sets of redundant, duplicate, contradictory and zero rows: rank, least-norm multipliers,
// least squares in the user's units, the nearest motion, and a report that tells the truth.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/imposed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

/// A small robot in one state, with the reference's numbers computed once.
struct Place {
  explicit Place(std::uint64_t seed) : robot(make(seed)), state(random_state(robot.reference, seed + 17)) {
    const reference::State s = robot.reference.at(state.q, state.v);
    M = s.mass_matrix();
    h = s.bias();
    reference = std::make_unique<reference::State>(s);
    Random random(seed);
    for (int k = 0; k < 2; ++k)
      frames.push_back(
          robot.description.links[1 + random.below(static_cast<int>(robot.description.links.size()) - 1)].name);
    frames.push_back(robot.description.links.back().name);
  }
  static Robot make(std::uint64_t seed) {
    RandomRobot options;
    options.joints = 3 + static_cast<int>(seed % 4);
    if (seed % 3 == 0) options.types = {"revolute", "prismatic"};
    if (seed % 3 == 1) options.types = {"revolute", "fixed", "universal", "helical"};
    if (seed % 3 == 2) options.types = {"revolute", "spherical", "cylindrical", "planar"};
    return Robot(random_robot(seed, options));
  }
  Robot robot;
  RandomState state;
  Mat M;
  Vec h;
  std::unique_ptr<reference::State> reference;
  std::vector<std::string> frames;
};

/// Rows of one frame in one set of axes: new ones, copies, multiples and sums of those before them, zeros.
std::vector<double> dependent_rows(Random& random, std::vector<double> rows, int wanted) {
  const auto at = [&](int i, int c) { return rows[static_cast<std::size_t>(6 * i + c)]; };
  for (int i = static_cast<int>(rows.size()) / 6; i < wanted; ++i) {
    double row[6] = {};
    const int kind = i == 0 ? 0 : random.below(6), other = i == 0 ? 0 : random.below(i),
              third = i == 0 ? 0 : random.below(i);
    const double f = random.uniform(0.3, 3), g = random.uniform(-3, 3);
    for (int c = 0; c < 6; ++c) {
      if (kind <= 1) row[c] = random.below(4) == 0 ? 0.0 : random.uniform(-2, 2);
      if (kind == 2) row[c] = at(other, c);
      if (kind == 3) row[c] = -f * at(other, c);
      if (kind == 4) row[c] = f * at(other, c) + g * at(third, c);
    }
    rows.insert(rows.end(), row, row + 6);  // kind 5: a zero row
  }
  return rows;
}

struct Set {
  std::vector<AnyConstraint> constraints;
  Posed p;
  bool consistent = true;
};

/// Constraints on a few frames, a later one often repeating the rows of an earlier one; rows scaled by 10^-1 ... 10^1.
Set random_set(const Place& place, Random& random) {
  Set set;
  const int n = 1 + random.below(3);
  for (int k = 0; k < n; ++k) {
    FrameConstraint c;
    c.name = "c" + std::to_string(k);
    c.frame = place.frames[static_cast<std::size_t>(random.below(3))];
    c.in = random.below(2) ? "local" : "local_world_aligned";
    c.acceleration = random.below(2) ? AccelerationKind::classical : AccelerationKind::spatial;
    std::vector<double> matrix;
    if (k > 0 && random.below(3) == 0) {
      const auto& before = std::get<FrameConstraint>(set.constraints[static_cast<std::size_t>(random.below(k))]);
      c.frame = before.frame;
      c.in = before.in;
      c.acceleration = before.acceleration;
      matrix = before.rows.matrix;
    }
    matrix = dependent_rows(random, matrix, static_cast<int>(matrix.size()) / 6 + 1 + random.below(3));
    c.rows = rows(matrix);
    c.role = random.below(2) ? Role::driver : Role::physical;
    set.constraints.push_back(c);
  }
  // Right-hand sides: of one possible motion, or of none.
  set.consistent = random.below(2) == 0;
  const Vec wish = random.vector(static_cast<int>(place.M.rows()), 5).cast<Real>();
  Posed& p = set.p;
  p.M = place.M;
  p.h = place.h;
  p.tau = place.state.tau.cast<Real>();
  for (AnyConstraint& any : set.constraints) {
    auto& c = std::get<FrameConstraint>(any);
    Rows r = rows_of(place.robot, *place.reference, any);
    const Vec motion = r.A * wish - r.b;
    for (Eigen::Index i = 0; i < motion.size(); ++i)
      c.beta.push_back(set.consistent ? static_cast<double>(motion(i)) : random.uniform(-5, 5));
    r = rows_of(place.robot, *place.reference, any);
    const Eigen::Index m = p.A.rows(), k = r.A.rows();
    p.A.conservativeResize(m + k, place.M.cols());
    p.reach.conservativeResize(m + k, place.M.cols());
    p.b.conservativeResize(m + k);
    p.size.conservativeResize(m + k);
    p.A.bottomRows(k) = r.A;
    p.reach.bottomRows(k) = r.reach;
    p.b.tail(k) = r.b;
    p.size.tail(k) = r.size;
    for (Eigen::Index i = 0; i < k; ++i) p.row.push_back(static_cast<int>(m + i));
  }
  return set;
}

/// Which rows depend on rows before them, and whether that is beyond doubt: Gram-Schmidt in the metric of M^-1.
bool dependent_in_order(const Posed& p, std::vector<bool>& dependent) {
  const Eigen::LLT<Mat> L(p.M);
  const Mat Y = L.matrixL().solve(p.A.transpose());
  std::vector<Vec> basis;
  for (Eigen::Index i = 0; i < Y.cols(); ++i) {
    Vec y = Y.col(i);
    const Real whole = y.norm();
    for (int twice = 0; twice < 2; ++twice)
      for (const Vec& b : basis) y -= b * b.dot(y);
    const Real left = whole > 0 ? y.norm() / whole : 0;
    if (left > 1e-9L && left < 1e-2L) return false;
    dependent.push_back(left <= 1e-9L);
    if (!dependent.back()) basis.push_back(y.normalized());
  }
  return true;
}

struct Seen {
  int checked = 0, deficient = 0, contradictory = 0;
};

void check(const Place& place, std::uint64_t seed, Seen& seen) {
  Random random(seed);
  const Set set = random_set(place, random);
  const reference::Constrained oracle = solve(set.p);
  const int m = static_cast<int>(set.p.A.rows());
  ConstraintSet constraints(place.robot.model);
  for (const AnyConstraint& c : set.constraints) add(constraints, c);
  Solver solver(place.robot.model, constraints);
  SolveInput in;
  in.q = place.state.q;
  in.v = place.state.v;
  in.tau = place.state.tau;
  const Solution& s = solver.solve(in);
  const SolveReport& report = s.report;

  ASSERT_TRUE(s.acceleration.allFinite() && s.multipliers.allFinite() && s.motor_torque.allFinite() &&
              s.reaction.allFinite());
  ASSERT_TRUE(std::isfinite(s.zwang) && std::isfinite(report.residual));
  // The residual is the true one, whatever the rows.
  const Vec a = s.acceleration.cast<Real>(), size = size_of_rows(set.p, a) + size_of_rows(set.p, oracle.free);
  const Vec residual = set.p.A * a - set.p.b;
  for (int i = 0; i < m; ++i) ASSERT_LE(std::fabs(residual(i) - s.residual(i)), 1e-11L * size(i)) << "row " << i;

  std::vector<bool> dependent;
  Real gap = 1;
  for (const Real x : oracle.singular_values)
    if (x > 1e-12L) gap = std::min(gap, x);
  if (gap < 3e-3L || !dependent_in_order(set.p, dependent)) return;  // another test is about rows that nearly depend
  ++seen.checked;
  seen.deficient += oracle.rank < m;
  ASSERT_EQ(report.rank, oracle.rank);
  ASSERT_EQ(report.rows, m);
  std::size_t named = 0;
  int row = 0;
  for (const Constraint& c : constraints.constraints())
    for (const std::string& name : c.row_names) {
      const bool says = named < report.redundant.size() && report.redundant[named] == name;
      named += says;
      ASSERT_EQ(says, static_cast<bool>(dependent[static_cast<std::size_t>(row)])) << name << ": " << report.explain();
      ++row;
    }
  ASSERT_EQ(named, report.redundant.size());

  // Which rows are not held: those that the oracle cannot hold either.
  bool held = true;
  std::size_t refused = 0;
  row = 0;
  for (const Constraint& c : constraints.constraints())
    for (const std::string& name : c.row_names) {
      const bool says = refused < report.infeasible.size() && report.infeasible[refused] == name;
      refused += says;
      const Real relative = size(row) > 0 ? std::fabs(oracle.residual(row)) / size(row) : 0;
      if (relative > 1e-6L) { ASSERT_TRUE(says) << name; }
      if (relative < 1e-13L) { ASSERT_FALSE(says) << name << ": " << report.explain(); }
      held = held && relative < 1e-9L;
      ++row;
    }
  seen.contradictory += !held;
  ASSERT_EQ(report.status, held ? Status::ok : Status::infeasible) << report.explain();

  // Lambda squares the rows: rounding grows with the square of the smallest singular value, which is at least 3e-3.
  const double k = amplification(set.p, oracle) / static_cast<double>(gap);
  const double tolerance = 1e-12 * k;
  Eigen::MatrixXd inertia(m,
                          m);  // what rounding of the right-hand sides costs in multipliers, and they in accelerations
  solver.operational_inertia(inertia);
  const Vec force = oracle.multipliers.cwiseAbs() + inertia.cast<Real>().cwiseAbs() * size;
  const Mat push = set.p.M.llt().solve(set.p.A.transpose());
  const Vec scale = oracle.free.cwiseAbs() + push.cwiseAbs() * force;
  ASSERT_TRUE(within(a, oracle.acceleration, tolerance, static_cast<double>(scale.maxCoeff()))) << "k " << k;
  ASSERT_TRUE(within(s.multipliers, oracle.multipliers, tolerance, static_cast<double>(force.maxCoeff()))) << "k " << k;
  ASSERT_TRUE(within(s.zwang, oracle.zwang, tolerance, static_cast<double>(oracle.zwang + force.dot(size))));
}

TEST(Rank, HoldsForAHundredThousandRandomSetsOfDependentRows) {
  Seen seen;
  const int places = effort(500), sets = 200;
  for (int p = 1; p <= places; ++p) {
    const Place place(static_cast<std::uint64_t>(p));
    if (place.robot.model.nv() == 0) continue;
    for (int k = 0; k < sets; ++k) {
      const std::uint64_t seed = static_cast<std::uint64_t>(p) * 1000 + static_cast<std::uint64_t>(k);
      SCOPED_TRACE("place " + std::to_string(p) + ", set " + std::to_string(seed));
      check(place, seed, seen);
      if (HasFatalFailure()) return;
    }
  }
  const int all = places * sets;
  RecordProperty("checked", seen.checked);
  EXPECT_GE(seen.checked, all / 2) << "too many sets whose rank is in doubt";
  EXPECT_GE(seen.deficient, all / 4);
  EXPECT_GE(seen.contradictory, all / 10);
}

}  // namespace
}  // namespace zwang::test
