// SPDX-License-Identifier: BSD-3-Clause
// The dense oracle of constrained motion, and the helpers of the tests, held by their own laws.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "support/close.hpp"
#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "support/reference_constrained.hpp"
#include "support/robots.hpp"

namespace zwang::reference {
namespace {

using test::Random;
using Vec = VectorX<Real>;
using Mat = MatrixX<Real>;

Mat random_matrix(Random& random, int rows, int columns) {
  Mat m(rows, columns);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = random.normal();
  return m;
}
struct Problem {
  Mat M, A;
  Vec h, tau, b;
};
Problem random_problem(std::uint64_t seed, int rows, int n) {
  Random random(seed);
  const Mat L = random_matrix(random, n, n);
  return {L * L.transpose() + Mat::Identity(n, n), random_matrix(random, rows, n), random_matrix(random, n, 1),
          random_matrix(random, n, 1), random_matrix(random, rows, 1)};
}
Constrained solve(const Problem& p) { return constrained_motion(p.M, p.h, p.tau, p.A, p.b); }

TEST(ConstrainedReference, SolvesTheKktEquations) {
  const Problem p = random_problem(1, 4, 9);
  const Constrained s = solve(p);
  EXPECT_EQ(s.rank, 4);
  EXPECT_CLOSE(Vec(p.M * s.acceleration + p.h), Vec(p.tau + p.A.transpose() * s.multipliers), 1e-16);
  EXPECT_CLOSE(Vec(p.A * s.acceleration), p.b, 1e-16);
  EXPECT_CLOSE(s.zwang, Real(s.multipliers.dot(s.delassus * s.multipliers) / 2), 1e-16);
}

TEST(ConstrainedReference, IsTheLeastOfAllFeasibleMotions) {
  const Problem p = random_problem(2, 4, 9);
  const Constrained s = solve(p);
  Random random(5);
  const Mat N = p.A.fullPivLu().kernel();
  for (int k = 0; k < 20; ++k) {
    const Vec other = s.acceleration + N * random_matrix(random, static_cast<int>(N.cols()), 1) * 0.1L;
    const Vec away = other - s.free;
    EXPECT_GT(away.dot(p.M * away) / 2, s.zwang);
  }
}

TEST(ConstrainedReference, SharesTheMultiplierOfARowAmongItsCopies) {
  Problem p = random_problem(3, 3, 8);
  const Constrained once = solve(p);
  p.A.conservativeResize(5, Eigen::NoChange);
  p.b.conservativeResize(5);
  p.A.row(3) = p.A.row(0);
  p.b(3) = p.b(0);
  p.A.row(4).setZero();
  p.b(4) = 0;
  const Constrained twice = solve(p);
  EXPECT_EQ(twice.rank, 3);
  EXPECT_CLOSE(twice.acceleration, once.acceleration, 1e-16);
  EXPECT_CLOSE(twice.multipliers(0), twice.multipliers(3), 1e-15);
  EXPECT_CLOSE(Real(twice.multipliers(0) * 2), once.multipliers(0), 1e-15);
  EXPECT_EQ(twice.multipliers(4), 0);
}

TEST(ConstrainedReference, SolvesInconsistentRowsInLeastSquares) {
  Problem p = random_problem(4, 3, 8);
  p.A.row(2) = 2 * p.A.row(0);  // wants a b(2) / 2 of row 0
  const Constrained s = solve(p);
  EXPECT_EQ(s.rank, 2);
  // Least squares of (x - b0)^2 + (2 x - b2)^2 in the user's units.
  EXPECT_CLOSE(Real(p.A.row(0) * s.acceleration), Real((p.b(0) + 2 * p.b(2)) / 5), 1e-16);
  EXPECT_TRUE(test::within(Vec(p.A.transpose() * s.residual), Vec(Vec::Zero(8)), 1e-16, 10));
}

TEST(ConstrainedReference, ScalingRowsScalesMultipliersOnly) {
  Problem p = random_problem(6, 4, 9);
  const Constrained s = solve(p);
  const Vec scale = (Vec(4) << 1e3L, 1e-3L, 1, -7).finished();
  p.A = (scale.asDiagonal() * p.A).eval();
  p.b = p.b.cwiseProduct(scale).eval();
  const Constrained t = solve(p);
  EXPECT_EQ(t.rank, 4);
  EXPECT_CLOSE(t.acceleration, s.acceleration, 1e-14);
  EXPECT_CLOSE(Vec(t.multipliers.cwiseProduct(scale)), s.multipliers, 1e-13);  // squares of 1e6 between rows
}

TEST(ConstrainedReference, CompliantRowsTendToHardOnes) {
  const Problem p = random_problem(7, 4, 9);
  const Constrained soft = compliant_motion(p.M, p.h, p.tau, p.A, p.b, Vec::Constant(4, 1e-12L));
  EXPECT_CLOSE(soft.multipliers, solve(p).multipliers, 1e-9);
  const Vec R = Vec::LinSpaced(4, 0.1L, 2);
  const Constrained s = compliant_motion(p.M, p.h, p.tau, p.A, p.b, R);
  EXPECT_CLOSE(Vec(p.A * s.acceleration + R.cwiseProduct(s.multipliers)), p.b, 1e-16);
}

TEST(Close, TellsDifferencesAndNumbersThatAreNone) {
  const Eigen::Vector3d a(1, 2, 4), b(1, 2, 4.0004);
  EXPECT_TRUE(test::close(a, b, 2e-4));
  EXPECT_FALSE(test::close(a, b, 5e-5));
  EXPECT_FALSE(test::close(a, Eigen::Vector2d(1, 2), 1));
  EXPECT_FALSE(test::close(Eigen::Vector3d(1, NAN, 4), a, 1e9));
  EXPECT_FALSE(test::close(NAN, NAN, 1));
  EXPECT_FALSE(test::close(INFINITY, 1.0, 1));
  EXPECT_NEAR(test::relative_error(a, b), 1e-4, 1e-7);
  EXPECT_EQ(test::relative_error(Eigen::Vector2d(0, 0), Eigen::Vector2d(0, 0)), 0);
  EXPECT_TRUE(std::isinf(test::relative_error(NAN, 1.0)));
}

TEST(AllocationGuard, CountsWhatThisThreadAllocates) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const test::AllocationGuard guard;
  double sum = 0;
  for (int k = 0; k < 100; ++k) sum += std::sqrt(k);
  EXPECT_EQ(guard.count(), 0);
  const auto counted = [&](auto allocate) {
    const long before = guard.count();
    void* volatile p = allocate();  // not to be optimised away
    const long after = guard.count();
    std::free(p);
    return after - before;
  };
  EXPECT_EQ(counted([] { return std::malloc(8); }), 1);
  EXPECT_EQ(counted([] { return std::calloc(3, 8); }), 1);
  EXPECT_EQ(counted([] { return std::realloc(nullptr, 8); }), 1);
  EXPECT_EQ(counted([] { return std::aligned_alloc(64, 128); }), 1);
  EXPECT_EQ(counted([] {
              void* p = nullptr;
              return posix_memalign(&p, 32, 64) == 0 ? p : nullptr;
            }),
            1);
  const long before = guard.count();
  auto number = std::make_unique<double>(sum);
  asm volatile("" : : "g"(number.get()) : "memory");
  EXPECT_EQ(guard.count() - before, 1);
  const Eigen::VectorXd vector = Eigen::VectorXd::Constant(5, sum);
  asm volatile("" : : "g"(vector.data()) : "memory");
  EXPECT_EQ(guard.count() - before, 2);
}

TEST(SharedRobots, AreListedWhereTheyAre) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  const std::vector<std::string> files = test::shared_robots(".urdf");
  ASSERT_FALSE(files.empty());
  for (const std::string& f : files) EXPECT_TRUE(test::exists(test::shared_robot(f))) << f;
  EXPECT_FALSE(test::shared_robots_missing("no such robot.urdf").empty());
}

TEST(RandomStates, AreRepeatableAndOfUnitLength) {
  Random a(5), b(5), c(6);
  EXPECT_EQ(a.vector(8), b.vector(8));
  EXPECT_NE(a.vector(8), c.vector(8));
  const Vec3<double> n = a.direction();
  EXPECT_NEAR(dot(n, n), 1, 1e-15);
  Random r(11);
  double mean = 0, square = 0;
  for (int k = 0; k < 20000; ++k) {
    const double x = r.normal();
    mean += x / 20000;
    square += x * x / 20000;
  }
  EXPECT_NEAR(mean, 0, 0.03);    // 4 standard deviations of 1 / sqrt(20000)
  EXPECT_NEAR(square, 1, 0.04);  // of sqrt(2 / 20000)
}

}  // namespace
}  // namespace zwang::reference
