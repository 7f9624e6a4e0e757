// SPDX-License-Identifier: BSD-3-Clause
// The oracle of this folder held by its own laws: optimal level by level, shortest, the same in 128 bits, and the
// motion of the reference's equations.
#include "certainty/exact_levels.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include <array>
#include <cmath>

#include "certainty/problems.hpp"
#include "support/close.hpp"
#include "support/reference_lexicographic.hpp"

namespace zwang::test {
namespace {

template <class S> exact::LevelProblem<S> widened(const exact::LevelProblem<Real>& p) {
  exact::LevelProblem<S> y;
  y.tolerance = static_cast<S>(p.tolerance);
  y.W = exact::Matrix<S>(p.W.rows, p.W.columns);
  std::copy(p.W.x.begin(), p.W.x.end(), y.W.x.begin());
  y.r.assign(p.r.begin(), p.r.end());
  y.noise.assign(p.noise.begin(), p.noise.end());
  y.level = p.level;
  y.zero = p.zero;
  return y;
}

/// Of the reference's matrices, which form M and its Cholesky factor: ordinary states alone.
TEST(ExactMotion, IsThatOfTheDenseReference) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 600; seed += 2) {
    const HardProblem p = level_problem(seed);
    const ExactMotion exact(*p.mechanics, p.rows);
    if (exact.kappa() > 1e3L || !exact.clear() || p.mechanics->growth() > 1e2L) continue;
    reference::HybridProblem q;
    const reference::State& s = p.mechanics->state();
    q.M = s.mass_matrix();
    q.h = s.bias({});
    q.tau = p.state.tau.cast<Real>();
    q.A.resize(0, q.M.rows());
    for (const AnyConstraint& c : p.rows) {
      const Rows r = rows_of(p.robot(), s, c);
      const Eigen::Index m = q.A.rows();
      q.A.conservativeResize(m + r.A.rows(), Eigen::NoChange);
      q.b.conservativeResize(m + r.A.rows());
      q.A.bottomRows(r.A.rows()) = r.A;
      q.b.tail(r.A.rows()) = r.b;
      q.level.insert(q.level.end(), static_cast<std::size_t>(r.A.rows()),
                     std::visit([](const auto& x) { return x.priority; }, c));
    }
    const reference::HybridMotion oracle = reference::hybrid_motion(q);
    if (!oracle.clear()) continue;
    ++compared;
    SCOPED_TRACE(p.text());
    EXPECT_EQ(exact.rank(), oracle.rank);
    EXPECT_CLOSE(exact.acceleration(), oracle.acceleration, 1e-10);
    const Flaws f = exact.flaws(exact.acceleration());
    EXPECT_LE(f.error, 1e-14L);
    EXPECT_LE(f.betterable, 1e-14L);
    EXPECT_LE(f.unpromised, 1e-2L);
    // What is moved away from it is found.
    const Vec away = exact.acceleration() + 1e-3L * Vec::Ones(q.M.rows());
    EXPECT_GE(exact.flaws(away).error, 1e-7L);
    EXPECT_GE(exact.flaws(away).unpromised, 1e2L);
  }
  EXPECT_GE(compared, 60);
}

TEST(ExactMotion, HasMultipliersThatPushItThere) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const HardProblem p = level_problem(seed);
    const ExactMotion exact(*p.mechanics, p.rows);
    std::vector<Real> left = exact.levels().z;
    Real allowed = 1e-15L * p.mechanics->free_size();
    for (int i = 0; i < exact.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Real lambda = exact.levels().lambda[at];
      for (std::size_t k = 0; k < left.size(); ++k) left[k] -= lambda * exact.problem().W(static_cast<int>(k), i);
      // Rows that depend are combinations of others up to what is called rounding.
      if (!exact.problem().zero[at])
        allowed += std::fabs(lambda) * exact::norm_of(exact.problem().W.column(i), p.mechanics->n()) *
                   (exact.levels().row[at].counts ? 1e-16L : exact.levels().row[at].rest);
    }
    EXPECT_LE(exact::norm_of(left.data(), static_cast<int>(left.size())), allowed) << p.text();
  }
}

/// Rank and motion by the same formulas in double, from columns of W as far from the true ones as the rounding of the
/// terms they consist of.
std::pair<int, Vec> in_double(const HardProblem& p, const ExactMotion& exact) {
  Random random(p.seed);
  auto rounded = widened<double>(exact.problem());
  const double all = 4 * 2.2e-16 * std::sqrt(static_cast<double>(rounded.W.rows + rounded.W.columns));
  for (int i = 0; i < rounded.W.columns; ++i) {  // noise - all = 8 eps bound / |W_i|
    const auto at = static_cast<std::size_t>(i);
    const double error = rounded.zero[at] ? 0 : (rounded.noise[at] - all) / 8;
    const double size = error * exact::norm_of(rounded.W.column(i), rounded.W.rows);
    for (int k = 0; k < rounded.W.rows; ++k)
      rounded.W(k, i) += size * random.uniform(-1, 1) / std::sqrt(rounded.W.rows);
  }
  const auto got = exact::solve_levels(rounded);
  Vec z(rounded.W.rows);
  for (int k = 0; k < rounded.W.rows; ++k) z(k) = got.z[static_cast<std::size_t>(k)];
  return {got.rank, p.mechanics->free() + p.mechanics->unweighed(z)};
}

/// What the tables require of a Solver can be had.
TEST(ExactMotion, IsFoundInDoubleFromRoundedRows) {
  int certain = 0, ranks = 0, betterable = 0;
  std::array<std::vector<Real>, 11> units;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(share(200000)); ++seed) {
    const HardProblem p = level_problem(seed);
    const ExactMotion exact(*p.mechanics, p.rows);
    if (!exact.certain()) continue;
    ++certain;
    const auto [rank, acceleration] = in_double(p, exact);
    const Flaws f = exact.flaws(acceleration);
    ranks += rank != exact.rank();
    betterable += !(f.betterable <= 1e-3L);
    units[std::min<std::size_t>(10, static_cast<std::size_t>(std::log10(exact.kappa())))].push_back(
        f.error / (k_double_eps * exact.kappa()));
  }
  int promised = 0, over = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(share(100000)); ++seed) {
    const HardProblem p = hostile_problem(seed);
    const ExactMotion exact(*p.mechanics, p.rows);
    if (!exact.clear() || exact.kappa() * exact.nu() > 1e10L) continue;  // the promise ends there
    ++promised;
    const Real by = exact.over_promise(in_double(p, exact).second);
    over += !(by <= 1);
    if (!(by <= 1)) std::cout << p.text() << "\nover its bounds by " << number(by) << "\n";
  }
  int clear = 0, other_rank = 0, off = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(share(40000)); ++seed) {
    const HardProblem p = set_problem(seed);
    const ExactMotion exact(*p.mechanics, p.rows);
    if (!exact.clear()) continue;
    ++clear;
    const auto [rank, acceleration] = in_double(p, exact);
    other_rank += rank != exact.rank();
    off += exact.flaws(acceleration).error >
           std::max(1e4L * k_double_eps * exact.kappa(), 100 * exact.flaws_of_rounding().error);
  }
  EXPECT_EQ(other_rank, 0) << "of " << clear << " sets";
  EXPECT_EQ(off, 0) << "of " << clear << " sets";
  EXPECT_EQ(over, 0) << "of " << promised;
  EXPECT_EQ(ranks, 0) << "of " << certain;
  EXPECT_EQ(betterable, 0) << "of " << certain;
  for (const auto& of_decade : units) EXPECT_LE(median(of_decade), 100);
}

#ifdef __SIZEOF_FLOAT128__
/// 64 bits lose eps kappa = 1e-19 kappa, nothing beside the 1e-16 kappa of double;
/// where levels are not met, eps kappa^2, as least squares do.
TEST(ExactMotion, IsTheSameIn128Bits) {
  std::vector<Real> units;
  Real worst = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const HardProblem p = level_problem(seed);
    const ExactMotion exact(*p.mechanics, p.rows);
    if (!exact.clear()) continue;
    const auto wide = exact::solve_levels(widened<exact::Quad>(exact.problem()));
    ASSERT_EQ(wide.rank, exact.rank()) << p.text();
    Real sum = 0, size = p.mechanics->free_size();
    for (std::size_t k = 0; k < wide.z.size(); ++k) {
      const auto z = static_cast<Real>(wide.z[k]);
      sum += (z - exact.levels().z[k]) * (z - exact.levels().z[k]);
      size = std::max(size, std::fabs(z));
    }
    units.push_back(std::sqrt(sum) / size / exact.kappa());
    worst = std::max(worst, units.back() / exact.kappa());
  }
  EXPECT_LE(median(units), 10 * std::numeric_limits<Real>::epsilon());
  EXPECT_LE(worst, 100 * std::numeric_limits<Real>::epsilon());
}
#endif

}  // namespace
}  // namespace zwang::test
