// SPDX-License-Identifier: BSD-3-Clause
// Limits level by level, from their definition (docs/inequalities.md) in long double. Small problems: every choice of
// bounds that hold is tried, and solved level by level in the null space of the levels before.
//
//   p = 0, 1, ...:   min |y_p(lambda) - y_p*| over lambda in C,  y_0 .. y_{p-1} as found,  y(lambda) = y_0 + W^T lambda
// The best lambda lies within a face of C, and is the best of the affine set of this face; so one of the choices is it.
#pragma once
#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <set>

#include "dynamics/imposed.hpp"

namespace zwang::test {

struct LevelProblem {
  Mat M, A, motors;         ///< motors [bounded motors x rows]: torque of a motor by multipliers
  Vec force, b, R, weight;  ///< force: tau - h; weight: of least squares
  std::vector<int> level;   ///< [rows], 0 highest; soft rows have none
  Vec lower, upper;         ///< [rows] of lambda
  Vec motor_lower, motor_upper;
};

struct LevelMotion {
  Vec y, acceleration, lambda, miss;  ///< y = L^T q'' with root(R) lambda of soft rows; miss: of each level
  Real size = 0;                      ///< |y_0| + |y*|
  bool found = false, clear = true;   ///< clear: no rank is in doubt
  int at_bound = 0;
};

class LevelOracle {
 public:
  explicit LevelOracle(const LevelProblem& p) : p_(p), n_(p.M.rows()), m_(p.A.rows()) {
    const Eigen::LLT<Mat> factor(p.M);
    L_ = factor.matrixL();
    W_ = Mat::Zero(m_, n_ + m_);
    W_.leftCols(n_) = L_.triangularView<Eigen::Lower>().solve(Mat(p.A.transpose())).transpose();
    for (Eigen::Index k = 0; k < m_; ++k) W_(k, n_ + k) = std::sqrt(p.R(k));
    free_ = Vec::Zero(n_ + m_);
    free_.head(n_) = L_.triangularView<Eigen::Lower>().solve(p.force);
    length_ = W_.rowwise().norm();
    for (Eigen::Index k = 0; k < m_; ++k) length_(k) = length_(k) > 0 ? length_(k) : 1;
    find_levels();
  }

  LevelMotion solve() {
    LevelMotion best;
    best.size = size_;
    std::vector<std::pair<bool, Eigen::Index>> bounded;
    for (Eigen::Index k = 0; k < m_; ++k)
      if (std::isfinite(p_.lower(k)) || std::isfinite(p_.upper(k))) bounded.push_back({true, k});
    for (Eigen::Index i = 0; i < p_.motors.rows(); ++i) bounded.push_back({false, i});
    std::vector<int> at(bounded.size(), 0);
    for (bool more = true; more;) {
      try_choice(bounded, at, best);
      more = false;
      for (std::size_t i = 0; i < at.size() && !more; ++i) more = (at[i] = (at[i] + 1) % 3) != 0;
    }
    best.clear = best.clear && clear_;
    return best;
  }
  Vec motion(const Vec& lambda) const { return free_ + W_.transpose() * lambda; }
  /// How much farther y is from y* than the best, at the first level where it is not as far.
  Real worse(const Vec& y, const LevelMotion& best) const {
    const Vec off = all_ * y - star_;
    for (Eigen::Index p = 0; p < best.miss.size(); ++p) {
      const Real more = of_level(off, p) - best.miss(p);
      if (std::fabs(more) > 1e-9L * (size_ + y.norm())) return more;
    }
    return 0;
  }
  Vec target() const { return all_.transpose() * star_; }  ///< y* in the space of y
  const Mat& basis() const { return all_; }                ///< [coordinates of the levels x n + m]
  std::vector<Eigen::Index> first;                         ///< coordinates of the levels
  const Mat& L() const { return L_; }
  const Mat& W() const { return W_; }            ///< [rows x n + m]
  const Vec& length() const { return length_; }  ///< [rows] |W_k|, or 1
  const Vec& star() const { return star_; }      ///< y* in coordinates of the levels
  bool is_clear() const { return clear_; }       ///< no rank is in doubt
  /// [levels] the motion by a unit of force that is none by the rule of the rank; what y* is known to.
  const std::vector<Real>& angle() const { return angle_; }
  const std::vector<Real>& rounding() const { return rounding_; }

 private:
  Real of_level(const Vec& off, Eigen::Index p) const {
    const auto at = static_cast<std::size_t>(p);
    return off.segment(first[at], first[at + 1] - first[at]).norm();
  }
  void find_levels() {
    const auto level_of = [&](Eigen::Index k) { return p_.R(k) > 0 ? -1 : p_.level[static_cast<std::size_t>(k)]; };
    std::set<int> levels;
    for (Eigen::Index k = 0; k < m_; ++k) levels.insert(level_of(k));
    all_.resize(0, n_ + m_);
    star_.resize(0);
    first = {0};
    for (const int level : levels) {
      std::vector<Eigen::Index> rows;
      for (Eigen::Index k = 0; k < m_; ++k)
        if (level_of(k) == level) rows.push_back(k);
      Mat rest = W_(rows, Eigen::all);
      for (std::size_t i = 0; i < rows.size(); ++i) rest.row(static_cast<Eigen::Index>(i)) /= length_(rows[i]);
      Vec right(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i)
        right(static_cast<Eigen::Index>(i)) = p_.b(rows[i]) / length_(rows[i]);
      const Real asked = right.norm() + star_.norm();
      right -= rest * (all_.transpose() * star_);
      for (int again = 0; again < 2; ++again) rest -= (rest * all_.transpose()) * all_;
      for (auto row : rest.rowwise())  // a copy of rows above: its rounding would count with the size of the row
        if (row.norm() < 1e-13L) row.setZero();
      const Eigen::JacobiSVD<Mat> svd(rest, Eigen::ComputeFullV);
      Eigen::Index rank = 0;
      for (const Real s : svd.singularValues()) {
        rank += s > 1e-9L;
        clear_ = clear_ && !(s > 1e-13L && s < 1e-4L);
      }
      const Mat own = svd.matrixV().leftCols(rank).transpose();
      const Vec to = target_of(Mat(rest * own.transpose()), right, rows);
      const Real sine = rank > 0 ? svd.singularValues()(rank - 1) : 1;
      angle_.push_back(1e-11L / sine);
      // Rows that depend on others hold where they are met to the feasibility.
      const bool depend = rank < static_cast<Eigen::Index>(rows.size());
      rounding_.push_back((64 * epsilon_of<double> * static_cast<Real>(n_ + m_) + (depend ? 1e-9L : 0)) * asked / sine);
      all_.conservativeResize(all_.rows() + rank, Eigen::NoChange);
      all_.bottomRows(rank) = own;
      star_.conservativeResize(all_.rows());
      star_.tail(rank) = to;
      first.push_back(all_.rows());
    }
    size_ = free_.norm() + star_.norm();
  }

  /// Of T to = right in units of the rows. Only where no motion satisfies all does the scale of a row count: least
  /// squares of rows of very different scales would lose the small ones.
  Vec target_of(Mat T, Vec right, const std::vector<Eigen::Index>& rows) const {
    if (T.cols() == 0) return Vec(0);
    Eigen::CompleteOrthogonalDecomposition<Mat> squares;
    squares.setThreshold(1e-17L);
    const Vec to = squares.compute(T).solve(right);
    if ((T * to - right).norm() <= 1e-13L * (right.norm() + to.norm())) return to;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto line = static_cast<Eigen::Index>(i);
      const Real unit = length_(rows[i]) * std::sqrt(p_.weight(rows[i]));
      T.row(line) *= unit;
      right(line) *= unit;
    }
    return squares.compute(T).solve(right);
  }

  /// Multipliers are mu = |W_k| lambda_k.
  void try_choice(const std::vector<std::pair<bool, Eigen::Index>>& bounded, const std::vector<int>& at,
                  LevelMotion& best) {
    Mat E(0, m_);
    Vec e(0);
    Mat G(static_cast<Eigen::Index>(bounded.size()), m_);
    Vec low(G.rows()), high(G.rows());
    for (std::size_t i = 0; i < bounded.size(); ++i) {
      const auto line = static_cast<Eigen::Index>(i);
      const auto [is_row, k] = bounded[i];
      G.row(line).setZero();
      if (is_row)
        G(line, k) = 1;
      else
        G.row(line) = (p_.motors.row(k).transpose().array() / length_.array()).matrix().transpose();
      Real unit = is_row ? length_(k) : 1;
      if (!is_row && G.row(line).norm() > 0) unit = 1 / G.row(line).norm(), G.row(line) *= unit;
      low(line) = (is_row ? p_.lower : p_.motor_lower)(k)*unit;
      high(line) = (is_row ? p_.upper : p_.motor_upper)(k)*unit;
      if (at[i] == 0) continue;
      const Real bound = at[i] == 1 ? low(line) : high(line);
      if (!std::isfinite(bound)) return;
      E.conservativeResize(E.rows() + 1, Eigen::NoChange);
      E.bottomRows(1) = G.row(line);
      e.conservativeResize(E.rows());
      e(e.size() - 1) = bound;
    }
    Vec mu = Vec::Zero(m_);
    Mat N = Mat::Identity(m_, m_);
    const auto restrict = [&](const Mat& B, const Vec& to) {  // mu += N z with B z -> to, N: what B leaves
      if (B.rows() == 0 || N.cols() == 0) return;
      const Eigen::JacobiSVD<Mat> svd(B, Eigen::ComputeFullU | Eigen::ComputeFullV);
      Eigen::Index rank = 0;
      const Real largest = svd.singularValues()(0);
      for (const Real s : svd.singularValues()) rank += s > 1e-11L && largest > 0;
      Vec z = svd.matrixU().leftCols(rank).transpose() * to;
      for (Eigen::Index i = 0; i < rank; ++i) z(i) /= svd.singularValues()(i);
      mu += N * (svd.matrixV().leftCols(rank) * z);
      N = Mat(N * svd.matrixV().rightCols(B.cols() - rank));
    };
    restrict(E, e);
    if (E.rows() > 0 && (E * mu - e).norm() > 1e-13L * e.norm()) return;
    Mat Y = all_ * W_.transpose();
    for (Eigen::Index k = 0; k < m_; ++k) Y.col(k) /= length_(k);
    const Vec start = all_ * free_ - star_;
    for (std::size_t p = 0; p + 1 < first.size(); ++p) {
      const Eigen::Index from = first[p], count = first[p + 1] - from;
      if (count == 0) continue;
      restrict(Mat(Y.middleRows(from, count) * N), -(start.segment(from, count) + Y.middleRows(from, count) * mu));
    }
    const Vec value = G * mu;
    for (Eigen::Index i = 0; i < value.size(); ++i) {
      const Real slack = 1e-11L * (mu.norm() + std::fabs(value(i)));
      if (!(value(i) > low(i) - slack && value(i) < high(i) + slack)) return;
    }
    Vec miss(static_cast<Eigen::Index>(first.size()) - 1);
    const Vec off = start + Y * mu;
    for (Eigen::Index p = 0; p < miss.size(); ++p) miss(p) = of_level(off, p);
    bool better = !best.found;
    for (Eigen::Index p = 0; p < miss.size() && !better; ++p) {
      if (std::fabs(miss(p) - best.miss(p)) <= 1e-13L * size_) continue;
      if (miss(p) > best.miss(p)) return;
      better = true;
    }
    if (!better) return;
    best.found = true;
    best.miss = miss;
    best.lambda = (mu.array() / length_.array()).matrix();
    best.y = free_ + W_.transpose() * best.lambda;
    best.acceleration = L_.transpose().triangularView<Eigen::Upper>().solve(Vec(best.y.head(n_)));
    best.at_bound = static_cast<int>(e.size());
  }

  const LevelProblem& p_;
  Eigen::Index n_, m_;
  Mat L_, W_, all_;
  Vec free_, length_, star_;
  Real size_ = 0;
  bool clear_ = true;
  std::vector<Real> angle_, rounding_;
};

}  // namespace zwang::test
