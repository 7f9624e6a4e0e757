// SPDX-License-Identifier: BSD-3-Clause
// A hundred thousand random redundant or inconsistent row sets: the named sets are dependent, none of their parts is,
// and they contradict each other by what the report says. Recomputed from the dense rows in long double.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <map>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

using Svd = Eigen::JacobiSVD<Mat>;

/// A small robot in one state, and the rows of a few frames of it.
struct Place {
  explicit Place(std::uint64_t seed) : robot(make(seed)), state(random_state(robot.reference, seed + 17)) {
    x.state = state;
    s = stated(robot, x);
    root = Eigen::LLT<Mat>(s.posed.M);
    for (std::size_t k = 1; k < robot.description.links.size(); ++k) frames.push_back(robot.description.links[k].name);
  }
  static Robot make(std::uint64_t seed) {
    RandomRobot options;
    options.joints = 3 + static_cast<int>(seed % 4);
    if (seed % 3 == 0) options.types = {"revolute", "prismatic"};
    if (seed % 3 == 1) options.types = {"revolute", "fixed", "universal", "helical"};
    if (seed % 3 == 2) options.types = {"revolute", "spherical", "cylindrical", "planar"};
    options.root = seed % 7 == 0 ? "floating" : "fixed";
    return Robot(random_robot(seed + 70, options));
  }
  Robot robot;
  RandomState state;
  Mixed x;
  Stated s;
  Eigen::LLT<Mat> root;
  std::vector<std::string> frames;
};

/// Copies, multiples, sums of two and of three earlier rows, zeros, among new ones.
std::vector<double> dependent_rows(Random& random, std::vector<double> rows, int wanted) {
  for (int i = static_cast<int>(rows.size()) / 6; i < wanted; ++i) {
    double row[6] = {};
    const int kind = i == 0 ? 0 : random.below(8);
    if (kind <= 2)
      for (double& c : row) c = random.below(4) == 0 ? 0.0 : random.uniform(-2, 2);
    for (int part = 3; part <= std::min(kind, 5) && i > 0; ++part) {  // one, two or three earlier rows
      const int other = random.below(i);
      const double f = (random.below(2) ? 1 : -1) * random.uniform(0.3, 3);
      for (int c = 0; c < 6; ++c) row[c] += f * rows[static_cast<std::size_t>(6 * other + c)];
    }
    if (kind == 6 && random.below(4)) row[random.below(6)] = random.uniform(0.5, 2);  // else a zero row
    rows.insert(rows.end(), row, row + 6);
  }
  return rows;
}

std::vector<AnyConstraint> random_set(const Place& place, Random& random, bool consistent) {
  std::vector<AnyConstraint> out;
  const int n = 1 + random.below(3);
  const Vec wish = random.vector(static_cast<int>(place.s.posed.M.rows()), 5).cast<Real>();
  for (int k = 0; k < n; ++k) {
    FrameConstraint c;
    c.name = "c" + std::to_string(k);
    c.frame = place.frames[static_cast<std::size_t>(random.below(static_cast<int>(place.frames.size())))];
    c.in = random.below(2) ? "local" : "local_world_aligned";
    c.acceleration = random.below(2) ? AccelerationKind::classical : AccelerationKind::spatial;
    std::vector<double> matrix;
    if (k > 0 && random.below(3) == 0) {
      const auto& before = std::get<FrameConstraint>(out[static_cast<std::size_t>(random.below(k))]);
      c.frame = before.frame;
      c.in = before.in;
      c.acceleration = before.acceleration;
      matrix = before.rows.matrix;
    }
    c.rows = rows(dependent_rows(random, matrix, static_cast<int>(matrix.size()) / 6 + 1 + random.below(4)));
    const Rows r = rows_of(place.robot, *place.s.state, c);
    const Vec motion = r.A * wish - r.b;
    for (Eigen::Index i = 0; i < motion.size(); ++i)
      c.beta.push_back(consistent ? static_cast<double>(motion(i)) : random.uniform(-5, 5));
    out.push_back(c);
  }
  return out;
}

struct Counted {
  int sets = 0, dependencies = 0, conflicting = 0, largest = 0, enumerated = 0;
};

Real smallest(const Mat& rows) {
  if (rows.rows() > rows.cols()) return 0;
  const Vec s = Svd(rows).singularValues();
  return s(s.size() - 1);
}

/// One named set against the rows E (of unit length in M^-1, zero where a row sees nothing) and their user's units.
void verify(const Dependency& d, std::span<const DependencyTerm> terms, const std::map<std::string_view, int>& row_of,
            std::string_view redundant, const Mat& E, const Vec& norms, const Posed& p, const Vec& free, bool each_part,
            Counted& count) {
  const int k = static_cast<int>(terms.size());
  ASSERT_GE(k, 1);
  count.largest = std::max(count.largest, k);
  Mat S(k, E.cols());
  Vec c(k), scaled(k);
  int last = -1;
  double of_last = 0;
  for (int i = 0; i < k; ++i) {
    const auto& term = terms[static_cast<std::size_t>(i)];
    const auto found = row_of.find(term.row);
    ASSERT_NE(found, row_of.end()) << "unknown row '" << term.row << "'";
    const int row = found->second;
    for (int j = 0; j < i; ++j) ASSERT_NE(terms[static_cast<std::size_t>(j)].row, term.row) << "named twice";
    S.row(i) = E.row(row);
    c(i) = term.coefficient;
    scaled(i) = c(i) * norms(row);
    if (row > last) {
      last = row;
      of_last = term.coefficient;
    }
  }
  EXPECT_EQ(of_last, 1) << "the row that is given last has 1";
  EXPECT_EQ(row_of.at(redundant), last) << "the set belongs to the row that depends on rows before it";
  if (k == 1) {
    EXPECT_EQ(S.norm(), 0) << "a single row is dependent only where it is zero";
  } else {
    // Dependent: they combine the rows to rounding, which the smallest kept singular value, 3e-3, squared grows.
    Vec sum = Vec::Zero(p.A.cols());
    Vec terms_size = Vec::Zero(p.A.cols());
    for (int i = 0; i < k; ++i) {
      const int row = row_of.at(terms[static_cast<std::size_t>(i)].row);
      sum += c(i) * p.A.row(row).transpose();
      terms_size += std::fabs(c(i)) * p.reach.row(row).transpose();
    }
    EXPECT_LE(sum.cwiseAbs().maxCoeff(), 1e-9L * terms_size.maxCoeff());
    // No part is: the set loses one direction only, and every row has its share in it,
    // so that any k - 1 rows are independent.
    const Svd svd(S, Eigen::ComputeFullU);
    const Vec s = svd.singularValues();
    Vec all = Vec::Zero(k);
    all.head(s.size()) = s;
    EXPECT_LE(all(k - 1), 1e-10L) << "the set is not dependent";
    EXPECT_GE(all(k - 2), 1e-8L) << "a part of the set is dependent";
    const Vec lost = svd.matrixU().col(k - 1);
    EXPECT_GE(lost.cwiseAbs().minCoeff(), 1e-9L) << "a row that the set does not need";
    const Real along = std::fabs(lost.dot(scaled)) / scaled.norm();
    EXPECT_NEAR(static_cast<double>(along), 1, 1e-10) << "the coefficients are not those of the dependency";
    if (each_part) {
      ++count.enumerated;
      for (int leave = 0; leave < k; ++leave) {
        Mat part(k - 1, S.cols());
        for (int i = 0, at = 0; i < k; ++i)
          if (i != leave) part.row(at++) = S.row(i);
        EXPECT_GE(smallest(part), 1e-10L)
            << "without '" << terms[static_cast<std::size_t>(leave)].row << "' still dependent";
      }
    }
  }
  // What the rows contradict each other by.
  Real contradiction = 0, size = 0;
  for (int i = 0; i < k; ++i) {
    const int row = row_of.at(terms[static_cast<std::size_t>(i)].row);
    contradiction += c(i) * (p.b(row) - p.A.row(row).dot(free));
    size += std::fabs(c(i)) * (p.size(row) + p.reach.row(row).dot(free.cwiseAbs()));
  }
  EXPECT_LE(std::fabs(contradiction - d.contradiction), 1e-9L * size);
  if (std::fabs(contradiction) > 1e-6L * size) { EXPECT_TRUE(d.conflicting); }
  if (std::fabs(contradiction) < 1e-13L * size) { EXPECT_FALSE(d.conflicting) << d.contradiction; }
  ++count.dependencies;
  count.conflicting += d.conflicting;
}

void check(Place& place, std::uint64_t seed, Counted& count) {
  Random random(seed);
  place.x.constraints = random_set(place, random, random.below(2) == 0);
  restate(place.robot, place.x, place.s);
  const Posed& p = place.s.posed;
  const Eigen::Index m = p.A.rows();
  // Rows of unit length, zero where nothing but rounding is left of them.
  Mat E = place.root.matrixL().solve(p.A.transpose()).transpose();
  const Mat bound = place.root.matrixL().solve(Mat(p.reach.transpose())).transpose();
  Vec norms(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    norms(i) = E.row(i).norm();
    if (norms(i) > 1e-12L * bound.row(i).norm())
      E.row(i) /= norms(i);
    else
      E.row(i).setZero();
  }
  const Vec s = m > 0 ? Vec(Svd(E).singularValues()) : Vec(0);
  int rank = 0;
  for (const Real x : s) {
    if (x > 1e-11L && x < 3e-3L) return;  // another test is about rows that nearly depend
    rank += x > 1e-9L;
  }
  const ConstraintSet set = place.x.set(place.robot.model);
  Solver solver(place.robot.model, set);
  const SolveReport& report = solver.solve(place.x.input()).report;
  ASSERT_EQ(report.rank, rank);
  ASSERT_EQ(static_cast<Eigen::Index>(report.redundant.size()), m - rank);
  ASSERT_EQ(report.dependencies.size(), report.redundant.size());
  std::map<std::string_view, int> row_of;
  int row = 0;
  for (const Constraint& c : set.constraints())
    for (const std::string& name : c.row_names) row_of[name] = row++;
  const Vec free = place.root.solve(p.tau - p.h);
  bool conflict = false;
  Index next = 0;
  for (std::size_t k = 0; k < report.dependencies.size(); ++k) {
    const Dependency& d = report.dependencies[k];
    ASSERT_EQ(d.first, next);
    next += d.size;
    ASSERT_LE(static_cast<std::size_t>(d.first + d.size), report.terms.size());
    verify(d, report.terms_of(d), row_of, report.redundant[k], E, norms, p, free, seed % 20 == 0, count);
    conflict = conflict || d.conflicting;
  }
  ASSERT_EQ(static_cast<std::size_t>(next), report.terms.size());
  EXPECT_EQ(conflict, report.status == Status::infeasible) << report.explain();
  ++count.sets;
}

TEST(Certificates, NameMinimalDependentAndConflictingSetsInAHundredThousandRandomOnes) {
  Counted count;
  const int places = effort(250), sets = 400;
  for (int at = 1; at <= places; ++at) {
    Place place(static_cast<std::uint64_t>(at));
    if (place.robot.model.nv() == 0) continue;
    for (int k = 0; k < sets; ++k) {
      const std::uint64_t seed = static_cast<std::uint64_t>(at) * 1000 + static_cast<std::uint64_t>(k);
      SCOPED_TRACE("place " + std::to_string(at) + ", set " + std::to_string(seed));
      check(place, seed, count);
      if (HasFailure()) return;
    }
  }
  const int all = places * sets;
  RecordProperty("sets", count.sets);
  RecordProperty("dependencies", count.dependencies);
  EXPECT_GE(count.sets, all / 2) << "too many sets whose rank is in doubt";
  EXPECT_GE(count.dependencies, all / 2);
  EXPECT_GE(count.conflicting, all / 8);
  EXPECT_GE(count.enumerated, all / 200);
  EXPECT_GE(count.largest, 4) << "no set of several rows";
}

TEST(Certificates, SayInTheUsersNamesWhichRowsContradictAndByHowMuch) {
  const Robot robot = sample_robot("arm7");
  Mixed x;
  x.state = random_state(robot.reference, 3);
  x.state.v.setZero();
  FrameConstraint c;
  c.name = "tool";
  c.frame = "tool0";
  c.rows = rows("linear");
  x.constraints.push_back(c);
  c.name = "slope";
  c.rows = rows(std::vector<double>{1, -2, 0, 0, 0, 0});
  c.beta = {0.25};
  x.constraints.push_back(c);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  const SolveReport& report = solver.solve(x.input()).report;
  EXPECT_EQ(report.status, Status::infeasible);
  ASSERT_EQ(report.dependencies.size(), 1u);
  const Dependency& d = report.dependencies[0];
  EXPECT_TRUE(d.conflicting);
  EXPECT_NEAR(d.contradiction, 0.25, 1e-11);
  std::map<std::string_view, double> terms;
  for (const DependencyTerm& t : report.terms_of(d)) terms[t.row] = t.coefficient;
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_NEAR(terms["tool:linear.x"], -1, 1e-12);
  EXPECT_NEAR(terms["tool:linear.y"], 2, 1e-12);
  EXPECT_EQ(terms["slope:row[0]"], 1);
  const std::string text = report.explain();
  for (const char* word : {"tool:linear.x", "tool:linear.y", "slope:row[0]"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
  EXPECT_EQ(text.substr(0, text.find("Note")).find("tool:linear.z"), std::string::npos)
      << "not part of the conflict: " << text;
}

/// At a stretched elbow the tool cannot accelerate along the arm: the report names the direction that is lost.
TEST(Certificates, NameTheDirectionLostAtASingularity) {
  RobotDescription d = sample_chain(2);
  for (JointDescription& j : d.joints) j.axis = {0, 1, 0};
  const Robot robot(d);
  Mixed x;
  x.state = random_state(robot.reference, 2);
  x.state.q.setZero();
  FrameConstraint c;
  c.name = "tip";
  c.frame = d.links.back().name;
  c.rows = rows("all");
  x.constraints.push_back(c);
  const Stated s = stated(robot, x);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  const SolveReport& report = solver.solve(x.input()).report;
  EXPECT_LT(report.rank, 6);
  EXPECT_EQ(report.dependencies.size(), static_cast<std::size_t>(6 - report.rank));
  const std::vector<std::string>& names = set["tip"].row_names;
  for (const Dependency& dependency : report.dependencies) {
    Vec sum = Vec::Zero(s.posed.A.cols());
    for (const DependencyTerm& t : report.terms_of(dependency)) {
      const auto at = std::find(names.begin(), names.end(), t.row);
      ASSERT_NE(at, names.end());
      sum += Real(t.coefficient) * s.posed.A.row(at - names.begin()).transpose();
    }
    EXPECT_LE(sum.cwiseAbs().maxCoeff(), 1e-12L);
  }
}

}  // namespace
}  // namespace zwang::test
