// SPDX-License-Identifier: BSD-3-Clause
// RowSpan: rows taken one after the other, level by level; which of them count, what the others depend on, and an
// orthonormal basis of their span and of its complement.
//
//   row_i = sum_k t_ik u_k + rest        u_k orthonormal, one for each row that counts
//   row i counts  <=>  |rest| > noise_i + sum_j |c_ij| noise_j      row_i = sum_j c_ij row_j + rest, j: rows that count
// Gram-Schmidt, twice (Bjorck 1996, sec. 2.4.5). The rule measures what is left of a row against what is known of it
// and of the rows that it is the combination of, so that no tolerance on the whole matrix is needed.
//
// Levels. Rows of a level are met after those of the levels before it, in least squares of the rows' own units where
// they contradict each other:  minimise |b - A x| over the x that the levels before leave.
// Cost: 4 n r multiply-adds for a row of n numbers beside r that count. Allocates nothing after construction.
#pragma once
#include "linear/row_relations.hpp"

namespace zwang::dense {

class RowSpan {
 public:
  RowSpan(Index rows, Index columns);  ///< room
  void begin(Index columns);           ///< forgets all rows
  void begin_level();                  ///< further rows come after those there are
  /// Takes a row of `columns` numbers, each `inv_scale` times that in its own units. `noise`: length below which a row
  /// is nothing; infinity: the row does not count, only its dependency is found. True if it counts.
  bool add(const double* row, double noise, double inv_scale = 1);

  Index columns() const { return columns_; }
  Index rows() const { return rows_; }
  Index rank() const { return rank_; }
  Index levels() const { return levels_ + 1; }  ///< the last may be empty
  Index first_row(Index level) const { return level_row_[level]; }
  Index first_of_level(Index level) const { return level_rank_[level]; }  ///< its first basis vector
  bool counts(Index i) const { return place_[i] >= 0; }
  Index row_of(Index k) const { return row_of_[k]; }  ///< that has brought basis vector k
  const double* basis(Index k) const { return u_.data() + k * width_; }
  double rest(Index i) const { return rest_[i]; }  ///< length of what was left of it
  /// c of row i on the rows row_of(first) ... that counted when it came, after projection on what the basis vectors
  /// before `first` leave: [count] numbers, count = how many.
  Index dependency(Index i, Index first, double* c) const;
  /// Writes basis vectors rank() ... columns() - 1: the complement.
  void complete();

  /// x = sum_k y_k u_k that meets the first `levels` levels for the right-hand sides b [rows], scaled as the rows are.
  /// b becomes what is met, b + residual, at the rows of these levels.
  void solve(Index levels, double* b, double* x);

 private:
  const double* t(Index i) const { return t_.data() + i * width_; }
  double* vector(Index k) { return u_.data() + k * width_; }
  double remove_span(double* x, double* coordinates) const;
  Index known(Index i) const { return known_[i]; }

  Index width_, columns_ = 0, rows_ = 0, rank_ = 0, levels_ = 0;
  Buffer<double> u_, t_;  ///< [columns x columns] basis; [rows x columns] coordinates of the rows in it
  Buffer<double> noise_, inv_scale_, rest_, y_, b_, c_, work_;
  Buffer<Index> place_, row_of_, known_;  ///< basis vector of a row or -1; row of one; rank when a row came
  Buffer<Index> level_row_, level_rank_;
  RowRelations relations_;
};

}  // namespace zwang::dense
