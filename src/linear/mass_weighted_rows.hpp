// SPDX-License-Identifier: BSD-3-Clause
// MassWeightedRows: rank, levels and solution of hard rows on W = M^-1/2 J^T, for rows that may depend on each other.
//
//   W^T z = r,   |z| = |q'' - q''_free|_M,   W lambda = z              W^T W = J M^-1 J^T = Lambda
// W is what a sweep leaves: with M = L^T D L, W = D^-1/2 L^-T J^T. Lambda would square its condition. One pivoted
// orthogonal factorisation of W serves all levels of priority (Escande, Mansard & Wieber 2014 solve the same problem):
//
//   1. Of the rows of level p, the one with the longest rest is reflected into the next coordinate (Businger & Golub
//      1965), until no row of the level counts any more.
//   2. y_p = argmin |G_p y - (r_p - T_p^T y_above)|, G_p: the rows of level p on the coordinates found in step 1
//   3. z = Q y, and lambda of least norm with W lambda = z.
//
// Rank rule. A row counts if its rest exceeds the rounding of the terms whose difference it is:
//   rest_i > tau_i + sum_j |c_ij| tau_j,   tau_i = 4 eps sqrt(n + m) + (8 eps sqrt(bound_i) + open_i) / |W_i|
// Rests are divided by |W_i|; c_ij are the coefficients of row i on the rows j that count. bound_i is the sum of the
// squares of the terms of |W_i|^2 before they cancel; open_i: how far W_i may be off because relations are not closed.
// A row is zero, and nothing moves it, if |W_i|^2 <= (256 eps)^2 bound_i. With a tolerance > 0 a row also counts only
// if rest_i / (1 + sum_j |c_ij|) exceeds it.
//
// Soft rows at the root, W_s^T z + R lambda_s = r_s, come after the hard ones, as the lowest level:
//
//   4. The stiffest first, those that count by the same rule get coordinates of their own. What the others have beyond
//      the rows that count is rounding, and is cleared: a soft copy of rows that count moves nothing but what these do.
//   5. [T_ss; sqrt(R)]^T [y_s; sqrt(R) lambda_s] = r_s - T_sh^T y_h, of least norm, by reflections.
// Nothing is divided by R, and large multipliers that cancel do not enter the rest of the motion.
// The motion is computed from z. Multipliers are for reports: they are worse by the condition of the rows.
// Cost (n + s) m^2 multiply-adds. Memory is allocated at construction.
#pragma once
#include <vector>

#include "linear/reflections.hpp"

namespace zwang {

/// Numbers and indices of each row, hard rows first.
struct MassWeightedNumbers {
  explicit MassWeightedNumbers(Index rows);
  Buffer<double> e_;                         ///< |W_i|; 1 for a row that is zero
  Buffer<double> tau_, rest_;                ///< of the rank rule
  Buffer<double> root_weight_, root_bound_;  ///< roots of weight and bound
  Buffer<double> right_, unmet_, lambda_;    ///< scratch; what z leaves of the right-hand side; multipliers
  Buffer<double> root_R_, spring_;           ///< [soft] sqrt(R), and sqrt(R) lambda
  Buffer<double> soft_bound_, soft_x_;       ///< [soft] squares of the terms of |W_i|^2; [2 rows] scratch of step 5
  Buffer<Index> soft_place_;                 ///< [2 rows] y_s, then springs, in the order of the reflections
  Buffer<Index> place_;                      ///< coordinate of a row that counts, or -1
  Buffer<Index> taken_;                      ///< the row that counts at a coordinate
  Buffer<Index> member_;        ///< rows by level, then soft ones, stiffest first; of least squares: by size
  Buffer<unsigned char> zero_;  ///< nothing moves the row
};

class MassWeightedRows : private MassWeightedNumbers {
 public:
  /// Room for `rows` rows, soft and hard, on `coordinates` eliminated coordinates.
  MassWeightedRows(Index coordinates, Index rows);

  /// A new system, all zeros.
  void begin(Index coordinates, Index soft, Index hard);
  /// W of a soft or hard row: coordinates().
  double* hard_row(Index i) { return row(i); }
  double* soft_row(Index i) { return row(hard_ + i); }
  void set_compliance(Index i, double R, double bound);  ///< of soft row i, and its bound (Terms)
  Index coordinates() const { return n_; }

  struct Terms {
    const double* bound;                 ///< [hard]
    const double* open;                  ///< [hard] or nullptr: none
    const double* weight;                ///< [hard] of a weighted least-squares problem, or nullptr: 1
    const int* level;                    ///< [hard] or nullptr: one level
    double tolerance;                    ///< of the rank rule; 0: only rounding decides
    const Interruption* stop = nullptr;  ///< where it says so nothing has been found: solve() is not to be called
  };
  void factor(const Terms& terms);

  /// z and the multipliers for the right-hand side. Contradictory rows are met in
  /// the sense of least squares, level by level.
  void solve(const double* soft_right, const double* right);
  const double* motion() const { return z_.data(); }  ///< z [coordinates]
  double soft_multiplier(Index i) const { return lambda_[hard_ + i]; }
  double multiplier(Index i) const { return lambda_[i]; }
  /// How far the motion is from the best at each level, in multiples of the rounding of its terms: the certificate is
  /// that it is at most 1,
  ///   |Y_p^T (r_p - W_p^T z)| <= c (n + m_p) eps |(g sqrt(bound_i) (|z| + |q''_free|_M) + size_i)_p|
  /// with c = 8 and Y_p an orthonormal basis of what level p can reach. `gross_ratio`: g^2; `size` [hard]: magnitudes
  /// of the terms of the right-hand side.
  double optimality(double gross_ratio, double free_motion, const double* size);
  double energy() const { return energy_; }  ///< 1/2 |z|^2

  Index rank() const { return rank_; }  ///< of the hard rows
  Index rows() const { return hard_; }
  Index soft_rows() const { return soft_; }
  bool counts(Index i) const { return place_[i] >= 0; }
  bool is_zero(Index i) const { return zero_[i] != 0; }
  double size(Index i) const { return e_[i]; }  ///< |W_i|; 1 for a row that is zero
  /// Coefficient of hard row i on hard row j, which counts, both divided by their |W|.
  double coefficient(Index i, Index j) const { return c_[i * capacity_ + place_[j]]; }
  /// Smallest rest / (1 + sum |c|) of a row that counts.
  double smallest_counted() const { return smallest_counted_; }

 private:
  /// Rows of one level, and the coordinates [first, last) that were found for them.
  struct Level {
    Index begin, end;  ///< in member_
    Index first, last;
  };
  double* row(Index i) { return &w_[i * stride_]; }
  const double* row(Index i) const { return &w_[i * stride_]; }
  Index total() const { return soft_ + hard_; }
  Index found() const { return rank_ + soft_rank_; }
  double unit(Index i) const { return e_[i] * root_weight_[i]; }
  void find_sizes(const Terms& terms);
  template <class Before> void sort(Index begin, Index end, Before before);
  void list_levels(const int* level);
  double share_of(Index i, double tolerance) const;
  void clear_rests(const Level& level);
  Index choose(const Level& level, double tolerance);
  void take(Index i);
  void factor_level(const Level& level);
  void solve_level(const Level& level, const double* right, double* y);
  void solve_rows(const double* right, double* y);
  void turn_back(const double* y, double* x) const;
  void find_unmet(const double* soft_right, const double* right);
  void factor_soft();
  void solve_soft(const double* right, double* y);
  void factor_least_norm();
  void find_multipliers();

  Index stride_, capacity_, n_ = 0, soft_ = 0, hard_ = 0, rank_ = 0, soft_rank_ = 0;
  const Interruption* stop_ = nullptr;
  Index levels_ = 0, factored_level_ = -1;  ///< the level whose G is in level_system_, or -1
  double energy_ = 0, smallest_counted_ = 1;
  Buffer<double> given_;         ///< [rows x stride] W divided by e
  Buffer<double> w_;             ///< [rows x stride] the same, reflected
  Buffer<double> reflection_;    ///< [rows x stride] direction of the reflection that found coordinate k
  Buffer<double> strength_;      ///< [rows] of the reflections
  Buffer<double> c_;             ///< [rows x rows] coefficients on the rows that count, by their coordinate
  Buffer<double> y_, step_, z_;  ///< [stride]
  std::vector<Level> level_;
  dense::Reflections level_system_, least_norm_, soft_system_;
};

}  // namespace zwang
