// SPDX-License-Identifier: BSD-3-Clause
// G = J M^-1 J^T + R: the long-double product of the reference, found in every way; symmetric, positive, linear, and
// inverse to what solves with it.
#include "zwang/factor/delassus.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "dynamics/mixed.hpp"
#include "dynamics/shared_robots.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// What G must be, and what each row's rounding is measured against: s_i s_j is G_ij without cancellation, for any M
/// as far from singular as this one.
struct Expected {
  Mat G;
  Vec scale;
};
Expected expected(const Robot& robot, const Mixed& x) {
  const Stated s = stated(robot, x);
  std::vector<int> free;
  const std::vector<bool> held = held_coordinates(robot.model, x.prescribed);
  for (int k = 0; k < robot.model.nv(); ++k)
    if (!held[static_cast<std::size_t>(k)]) free.push_back(k);
  const Mat M = s.problem.M(free, free), A = s.problem.A(Eigen::all, free);
  const Mat reach = s.posed.reach(Eigen::all, free);
  const Mat inverse = M.llt().solve(Mat::Identity(M.rows(), M.cols()));
  Expected e;
  e.G = A * inverse * A.transpose();
  if (s.problem.R.size() > 0) e.G.diagonal() += s.problem.R;
  e.scale = (reach * inverse.cwiseAbs() * reach.transpose()).diagonal().cwiseSqrt();
  return e;
}

/// The largest |G - expected| over s_i s_j.
double error_of(const Matrix& G, const Expected& e) {
  double worst = 0;
  for (Eigen::Index i = 0; i < G.rows(); ++i)
    for (Eigen::Index j = 0; j < G.cols(); ++j) {
      const double error = static_cast<double>(std::abs(G(i, j) - e.G(i, j)));
      if (error > 0) worst = std::max(worst, error / static_cast<double>(e.scale(i) * e.scale(j)));
      if (!(error >= 0)) return HUGE_VAL;
    }
  return worst;
}

/// The rounding of poses that the description gives in double is largest where links are short: 7e2 eps on hyq, in
/// every method and in the product alike.
constexpr double k_matrix = 4e3 * eps;

struct Seen {
  int all = 0, shared = 0;
};

Vector random_vector(Random& random, Eigen::Index n) {
  Vector x(n);
  for (double& a : x) a = random.uniform(-1, 1);
  return x;
}

void check_operator(const Robot& robot, const Mixed& x, Seen& seen) {
  const ConstraintSet set = x.set(robot.model);
  Delassus D(robot.model, set);
  D.compute(x.state.q, {}, &x.prescribed);
  const Expected e = expected(robot, x);
  const Index m = D.rows();
  ASSERT_EQ(m, e.G.rows());
  ++seen.all;
  Matrix G(m, m);
  for (const DelassusMethod method :
       {DelassusMethod::automatic, DelassusMethod::pv_osimr, DelassusMethod::efpa, DelassusMethod::dense}) {
    G.setConstant(std::nan(""));
    try {
      D.matrix(G, method);
    } catch (const UnsupportedError&) {
      EXPECT_TRUE(robot.model.tree<double>().mimic);
      ++seen.shared;
      continue;
    }
    EXPECT_EQ(G, G.transpose()) << name_of(method);
    EXPECT_LE(error_of(G, e), k_matrix) << name_of(method);
  }
  D.matrix(G);
  Matrix columns(m, m);
  for (Index k = 0; k < m; ++k) {
    Vector y(m);
    D.apply(Vector::Unit(m, k), y);
    columns.col(k) = y;
  }
  EXPECT_LE(error_of(columns, e), k_matrix);
  const double size = m > 0 ? G.diagonal().maxCoeff() : 0;
  if (size == 0) return;  // no rows, or all of them on the ground
  // Positive semidefinite.
  EXPECT_EQ(Eigen::LLT<Matrix>(G + 64 * eps * m * size * Matrix::Identity(m, m)).info(), Eigen::Success);
  // Inverse: as far as matrix and product are the same operator.
  const double noise = 64 * m * eps + 8 * (columns - G).norm() / size;
  Random random(static_cast<std::uint64_t>(seen.all));
  for (const double relative : {1e-6, 1e-2, 1.0}) {
    const Vector known = random_vector(random, m),
                 mu = Vector::Constant(m, relative * size) + 0.5 * relative * size * random_vector(random, m);
    Vector b(m), got(m);
    D.apply(known, b);
    b += mu.cwiseProduct(known);
    D.solve(b, mu, got);
    EXPECT_CLOSE(got, known, noise / relative) << "mu " << relative;
    Matrix inverse(m, m);
    D.damped_inverse(mu, inverse);
    EXPECT_EQ(inverse, inverse.transpose());
    const Matrix damped = G + Matrix(mu.asDiagonal());
    EXPECT_CLOSE(Matrix(inverse * damped), Matrix(Matrix::Identity(m, m)), noise / relative);
    D.solve(b, mu(0), got);
    D.damped_inverse(mu(0), inverse);
    EXPECT_CLOSE(got, Vector(inverse * b), noise / relative);
  }
}

TEST(Delassus, IsTheReferencesProductInEveryWayOnRandomTreesWithLoops) {
  Seen seen;
  for (int seed = 1; seed <= effort(400); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 77000, 2 + seed % 16);
    const Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 77000, for_every_method());
    if (x.settings.method == "pv_soft") continue;
    check_operator(robot, x, seen);
    if (HasFailure()) return;
  }
}

TEST(Delassus, IsTheReferencesProductOnEverySharedRobot) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  on_every_shared_robot([](const Robot& robot, const std::string&) {
    Seen seen;
    for (int seed = 1; seed <= effort(5); ++seed) {
      const Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 900, for_every_method());
      if (x.settings.method == "pv_soft") continue;
      check_operator(robot, x, seen);
      if (HasFailure()) return;
    }
  });
}

FrameConstraint frame(const std::string& name, const std::string& words) {
  FrameConstraint c;
  c.name = c.frame = name;
  c.rows = rows(words);
  return c;
}

/// What the solver calls the operational-space inertia is its inverse.
TEST(Delassus, IsTheInverseOfTheSolversOperationalInertia) {
  const Robot robot = sample_robot("quadruped", "floating");
  ConstraintSet set(robot.model);
  for (const char* foot : {"LF_foot", "RF_foot", "RH_foot"}) set.add(frame(foot, "linear"));
  const RandomState x = random_state(robot.model, 5);
  const Prescribed held = {{9, 3.0}, {2, -1.0}};
  Solver solver(robot.model, set);
  Delassus D(robot.model, set);
  for (const Prescribed* p : {static_cast<const Prescribed*>(nullptr), &held}) {
    solver.solve({.q = x.q, .prescribed = p});
    D.compute(x.q, {}, p);
    Matrix G(9, 9), inertia(9, 9);
    D.matrix(G);
    solver.operational_inertia(inertia);
    EXPECT_CLOSE(Matrix(G * inertia), Matrix(Matrix::Identity(9, 9)), 1e4 * eps);
  }
}

/// Rows on a chain of nodes, on every body: more than eight on one, several on the way, a branch or none.
TEST(Delassus, TakesRowsOnEveryBody) {
  for (const char* name : {"arm7", "quadruped", "cart_pole"}) {
    const Robot robot = sample_robot(name);
    ConstraintSet set(robot.model);
    int k = 0;
    for (const Link& link : robot.model.links()) {
      if (link.joint.value < 0) continue;
      FrameConstraint c = frame(link.name, k % 3 == 0 ? "all" : "linear.x angular.z");
      set.add(c);
      c.name += " again";
      c.rows = rows("linear");
      if (k++ % 4 == 0) set.add(c);
    }
    Delassus D(robot.model, set);
    D.compute(random_state(robot.model, 8).q);
    const Index m = D.rows();
    ASSERT_EQ(m, set.rows());
    Matrix G(m, m), H(m, m);
    D.matrix(G, DelassusMethod::dense);
    for (const DelassusMethod method : {DelassusMethod::pv_osimr, DelassusMethod::efpa}) {
      D.matrix(H, method);
      EXPECT_CLOSE(H, G, 1e3 * eps) << name << ", " << name_of(method);
    }
  }
}

/// Rows switched off, softened and moved, loads and rotors: as the set and the data are at compute().
TEST(Delassus, FollowsTheSetAndTheData) {
  const Robot robot = sample_robot("arm7", "fixed");
  ConstraintSet set(robot.model);
  set.add(frame("tool0", "all"));
  set.add(frame("link4", "linear"));
  Delassus D(robot.model, set);
  const RandomState x = random_state(robot.model, 2);
  Matrix all(9, 9), G(3, 3);
  D.compute(x.q);
  D.matrix(all);
  set["tool0"].active = false;
  D.matrix(all);  // still that of the last compute
  D.compute(x.q);
  ASSERT_EQ(D.rows(), 3);
  D.matrix(G);
  EXPECT_CLOSE(G, Matrix(all.bottomRightCorner(3, 3)), 16 * eps);
  set["link4"].policy = Policy::soft;
  set["link4"].compliance = {0.5, 0.25, 2.0};
  D.compute(x.q);
  Matrix soft(3, 3);
  D.matrix(soft);
  EXPECT_CLOSE(soft, Matrix(G + Matrix(Vector(Eigen::Vector3d(0.5, 0.25, 2.0)).asDiagonal())), 4 * eps);
  set["link4"].policy = Policy::hard;
  Vector b = Vector::Ones(3), light(3), heavy(3);
  D.compute(x.q);
  D.solve(b, 1e-3, light);
  D.data().set_payload(robot.model.find_link("link7"), 50, {0, 0, 0.1}, Sym3<double>::diagonal(1, 1, 1));
  D.compute(x.q);
  D.solve(b, 1e-3, heavy);
  D.matrix(G);
  EXPECT_CLOSE(Vector(G * heavy + 1e-3 * heavy), b, 1e5 * eps);  // mu is 1e-4 of G
  EXPECT_GT((light - heavy).norm(), 1e-4 * light.norm());
}

TEST(Delassus, OfNoRowsIsEmptyAndOfRowsOnTheGroundZero) {
  const Robot robot = sample_robot("arm7", "fixed");
  ConstraintSet set(robot.model);
  set.add(frame(robot.model.links().front().name, "linear"));
  Delassus D(robot.model, set);
  const Vector q = random_state(robot.model, 1).q, b = Vector::Ones(3);
  D.compute(q);
  Matrix G(3, 3), none(0, 0);
  for (const DelassusMethod method : {DelassusMethod::pv_osimr, DelassusMethod::efpa, DelassusMethod::dense}) {
    D.matrix(G, method);
    EXPECT_EQ(G, Matrix(Matrix::Zero(3, 3)));
  }
  Vector x(3), empty(0);
  D.solve(b, 0.5, x);
  EXPECT_EQ(x, Vector(2 * b));
  set[robot.model.links().front().name].active = false;
  D.compute(q);
  EXPECT_EQ(D.rows(), 0);
  D.matrix(none);
  D.damped_inverse(1.0, none);
  D.apply(empty, empty);
  D.solve(empty, 1.0, empty);
}

TEST(Delassus, RefusesByName) {
  const Robot robot = sample_robot("arm7", "fixed"), other = sample_robot("quadruped");
  ConstraintSet set(robot.model);
  set.add(frame("tool0", "all"));
  EXPECT_THROW(Delassus(other.model, set), WorkspaceMismatch);
  Delassus D(robot.model, set);
  Matrix G(6, 6), wrong(5, 6);
  Vector x = Vector::Ones(6), y(6), q = random_state(robot.model, 1).q;
  EXPECT_THROW(D.matrix(G), std::logic_error);
  EXPECT_THROW(D.compute(Vector::Zero(3)), std::invalid_argument);
  EXPECT_THROW(D.compute(Vector::Constant(7, std::nan(""))), std::invalid_argument);
  const Prescribed twice = {{1, 0.0}, {1, 0.0}}, unknown = {{7, 0.0}};
  EXPECT_THROW(D.compute(q, {}, &twice), std::invalid_argument);
  EXPECT_THROW(D.compute(q, {}, &unknown), std::invalid_argument);
  EXPECT_THROW(D.rows(), std::logic_error);  // after a throw there is none
  D.compute(q);
  EXPECT_THROW(D.matrix(wrong), std::invalid_argument);
  EXPECT_THROW(D.apply(q, y), std::invalid_argument);
  EXPECT_THROW(D.solve(x, -1.0, y), std::invalid_argument);
  EXPECT_THROW(D.solve(x, std::nan(""), y), std::invalid_argument);
  EXPECT_THROW(D.solve(x, Vector::Ones(5), y), std::invalid_argument);
  EXPECT_THROW(D.damped_inverse(0.0, G), std::invalid_argument);
  EXPECT_THROW(delassus_method_of("pv_osim"), std::invalid_argument);
  try {
    x(4) = std::nan("");
    D.apply(x, y);
    ADD_FAILURE();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("Delassus::apply"), std::string::npos) << e.what();
  }
  // Twice the same rows: singular without damping, regular with it.
  FrameConstraint again = frame("tool0", "all");
  again.name = "again";
  set.add(again);
  Delassus two(robot.model, set);
  two.compute(q);
  Matrix I(12, 12);
  EXPECT_THROW(two.damped_inverse(1e-300, I), std::invalid_argument);
  two.damped_inverse(1e-3, I);
  EXPECT_TRUE(I.allFinite());
}

}  // namespace
}  // namespace zwang::test
