// SPDX-License-Identifier: BSD-3-Clause
// LimitedForces on plain numbers, against every choice of bounds reached, each solved in long double.
#include "choose/limited_forces.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>

#include "support/effort.hpp"
#include "support/random.hpp"

namespace zwang::test {
namespace {

using Wide = long double;
using Mat = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;
using Vec = Eigen::Matrix<Wide, Eigen::Dynamic, 1>;
constexpr double k_none = std::numeric_limits<double>::infinity(), k_unit = 100;

/// minimal 1/2 |y_0 + W^T x|^2 - b^T x, lower <= x <= upper, lower <= A x <= upper
struct Small {
  Mat W, A;  ///< [rows x n], [motors x rows]
  Vec start, b;
  Vec lower, upper, size;  ///< of rows, then of motors; |W_k|

  explicit Small(std::uint64_t seed) {
    Random random(seed * 31 + 5);
    const int n = 2 + random.below(4), m = 1 + random.below(3), c = random.below(5 - m);
    const auto matrix = [&](int r, int k) {
      Mat x(r, k);
      for (int i = 0; i < r; ++i) x.row(i) = random.vector(k).transpose().cast<Wide>();
      return x;
    };
    W = matrix(m, n);
    A = matrix(c, m);
    start = 10 * matrix(n, 1);
    b = matrix(m, 1) * std::pow(10.0L, random.below(5) - 1);
    if (m > 1 && random.below(3) == 0) {  // the last row is the first one, or nearly so
      const Wide angle = random.below(2) ? 0 : 1e-4L;
      W.row(m - 1) = W.row(0) + angle * W.row(m - 1);
      b(m - 1) = b(0) + angle * b(m - 1);
    }
    lower = Vec::Constant(m + c, -k_none);
    upper = -lower;
    for (int k = 0; k < m + c; ++k) {
      if (k < m && random.below(2)) continue;
      const Wide limit = std::pow(10.0L, random.below(4) - 2);
      const int kind = random.below(5);
      lower(k) = kind == 0 ? 0 : kind == 4 ? 0.5L * limit : -limit;
      upper(k) = kind == 1 ? 0 : kind == 2 ? 1e-17L : limit;
      if (kind == 1 && k >= m) upper(k) = -0.5L * limit;  // beyond it where nothing acts
    }
    for (int k = 0; k < m; ++k) {  // row and multiplier in other units
      const Wide s = std::pow(10.0L, random.below(13) - 6);
      W.row(k) *= s;
      b(k) *= s;
      A.col(k) *= s;
      lower(k) /= s;
      upper(k) /= s;
    }
    size = W.rowwise().norm();
  }
  void write(ActiveSet& set) const {
    const Eigen::Index n = W.cols(), m = W.rows(), c = A.rows();
    set.begin(static_cast<Index>(n + c), static_cast<Index>(m + c));
    for (Eigen::Index i = 0; i < n; ++i) set.start()[i] = static_cast<double>(start(i));
    for (Eigen::Index k = 0; k < m + c; ++k) {
      double* const row = set.row(static_cast<Index>(k));
      for (Eigen::Index i = 0; i < n && k < m; ++i) row[i] = static_cast<double>(W(k, i));
      for (Eigen::Index j = 0; j < c && k < m; ++j) row[n + j] = static_cast<double>(-k_unit * A(j, k));
      if (k >= m) row[n + k - m] = k_unit;
      const auto at = static_cast<Index>(k);
      set.b[at] = k < m ? static_cast<double>(b(k)) : 0.0;
      set.lower[at] = static_cast<double>(lower(k));
      set.upper[at] = static_cast<double>(upper(k));
    }
  }
  /// How far x, nu are from the conditions, each in its own terms.
  Wide violation(const Vec& x, const Vec& nu) const {
    const Vec y = start + W.transpose() * x, g = W * y - b + A.transpose() * nu, u = A * x,
              terms = W.cwiseAbs() * (start.cwiseAbs() + W.transpose().cwiseAbs() * x.cwiseAbs()) + b.cwiseAbs() +
                      A.transpose().cwiseAbs() * nu.cwiseAbs();
    Wide worst = 0;
    const auto add = [&](Wide value, Eigen::Index k, Wide unit, Wide open) {
      const auto gap = [&](Wide distance, Wide bound) {
        return std::fabs(bound) < k_none ? distance / std::max({unit, std::fabs(bound), Wide(1e-300L)}) : distance;
      };
      const Wide low = gap(value - lower(k), lower(k)), high = gap(upper(k) - value, upper(k));
      worst = std::max({worst, -low, -high, std::min(low, open), std::min(high, -open)});
    };
    for (Eigen::Index k = 0; k < x.size(); ++k) add(x(k), k, terms(k) / (size(k) * size(k)), g(k) / terms(k));
    for (Eigen::Index j = 0; j < nu.size(); ++j) {
      Wide share = 0;
      for (Eigen::Index k = 0; k < x.size(); ++k) share = std::max(share, std::fabs(A(j, k) * nu(j)) / terms(k));
      add(u(j), x.size() + j, A.row(j).cwiseAbs().dot(x.cwiseAbs()), nu(j) > 0 ? -share : share);
    }
    return worst;
  }
  /// All choices; false if none fits.
  bool by_trial(Vec& y) const {
    const Eigen::Index m = W.rows(), c = A.rows();
    std::vector<int> at(static_cast<std::size_t>(m + c), 0);
    for (bool more = true; more;) {
      // Of x_k |W_k| and nu: W_k . y + A_k^T nu = b_k or x_k = bound;  A_j x = bound or nu_j = 0
      Mat K = Mat::Zero(m + c, m + c);
      Vec right = Vec::Zero(m + c);
      const Mat S = size.cwiseInverse().asDiagonal();
      K.topLeftCorner(m, m) = S * W * W.transpose() * S;
      K.topRightCorner(m, c) = S * A.transpose();
      right.head(m) = S * (b - W * start);
      K.bottomRightCorner(c, c).setIdentity();
      bool possible = true;
      for (Eigen::Index k = 0; k < m + c; ++k) {
        if (at[static_cast<std::size_t>(k)] == 0) continue;
        const Wide bound = at[static_cast<std::size_t>(k)] == 1 ? lower(k) : upper(k);
        possible = possible && std::fabs(bound) < k_none;
        K.row(k).setZero();
        if (k < m)
          K(k, k) = 1;
        else
          K.row(k).head(m) = A.row(k - m) * S;
        right(k) = k < m ? bound * size(k) : bound;
      }
      if (possible) {
        Eigen::CompleteOrthogonalDecomposition<Mat> solver;
        solver.setThreshold(1e-15L);
        Vec found = solver.compute(K).solve(right);
        found += solver.solve(Vec(right - K * found));
        const Vec x = S * found.head(m);
        if (violation(x, found.tail(c)) < 1e-13L) {
          y = start + W.transpose() * x;
          return true;
        }
      }
      more = false;
      for (std::size_t i = 0; i < at.size() && !more; ++i) {
        at[i] = (at[i] + 1) % 3;
        more = at[i] != 0;
      }
    }
    return false;
  }
};

TEST(LimitedForces, AreThoseOfAllTrials) {
  ActiveSet set(12, 12);
  LimitedForces forces(8, 4, 4);
  int found = 0, rows = 0, limits = 0, unsettled = 0, missed = 0;
  Wide worst = 0, conditions = 0;
  const int seeds = effort(3000, 100);
  for (int seed = 0; seed < seeds; ++seed) {
    const Small of(static_cast<std::uint64_t>(seed));
    const Eigen::Index n = of.W.cols(), m = of.W.rows(), c = of.A.rows();
    of.write(set);
    const LimitedForces::End end =
        forces.find(set, {1e-11, 1e-9}, static_cast<Index>(n), static_cast<Index>(m), static_cast<Index>(c));
    Vec y;
    const bool possible = of.by_trial(y);
    found += end == LimitedForces::End::found;
    rows += end == LimitedForces::End::rows_contradict;
    limits += end == LimitedForces::End::limits_contradict;
    unsettled += end == LimitedForces::End::unsettled;
    if (possible) { EXPECT_EQ(end, LimitedForces::End::found) << seed; }
    if (end != LimitedForces::End::found) continue;
    Vec x(m), nu(c);
    for (Eigen::Index k = 0; k < m; ++k) x(k) = forces.lambda(static_cast<Index>(k));
    for (Eigen::Index j = 0; j < c; ++j) nu(j) = forces.slip(static_cast<Index>(j));
    // Bounds and motions to rounding in their own terms; near copies cost four digits of the multipliers.
    const Wide here = of.violation(x, nu);
    conditions = std::max(conditions, here);
    EXPECT_LT(here, 1e-11L) << seed;
    missed += !possible;  // dependent rows: none of the trials need have multipliers within the bounds
    if (!possible) continue;
    const Vec got = of.start + of.W.transpose() * x;
    const Wide off = (got - y).norm() / (1 + y.norm());
    worst = std::max(worst, off);
    EXPECT_LT(off, 1e-7L) << seed;  // the conditions hold to rounding; angles of 1e-4 square
  }
  printf("found %d, rows contradict %d, limits %d, unsettled %d, without a trial %d; worst y %.1e, conditions %.1e\n",
         found, rows, limits, unsettled, missed, static_cast<double>(worst), static_cast<double>(conditions));
  EXPECT_EQ(unsettled, 0);
  EXPECT_LE(missed, seeds / 50);
  EXPECT_GT(found, seeds / 2);
  EXPECT_GT(limits, seeds / 50);
}

}  // namespace
}  // namespace zwang::test
