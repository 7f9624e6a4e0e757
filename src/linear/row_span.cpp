// SPDX-License-Identifier: BSD-3-Clause
#include "linear/row_span.hpp"

#include <algorithm>
#include <cmath>

#include "linear/orthogonal.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {

RowSpan::RowSpan(Index rows, Index columns)
    : width_(columns),
      u_(columns * columns),
      t_(rows * columns),
      noise_(rows),
      inv_scale_(rows),
      rest_(rows),
      y_(columns),
      b_(rows),
      c_(columns),
      work_(columns),
      place_(rows),
      row_of_(columns),
      known_(rows),
      level_row_(rows + 2),
      level_rank_(rows + 2),
      relations_(rows) {}

void RowSpan::begin(Index columns) {
  columns_ = columns;
  rows_ = rank_ = levels_ = 0;
  level_row_[0] = level_rank_[0] = level_row_[1] = level_rank_[1] = 0;
}

void RowSpan::begin_level() {
  if (level_row_[levels_] < rows_) ++levels_;
  level_row_[levels_] = level_row_[levels_ + 1] = rows_;
  level_rank_[levels_] = level_rank_[levels_ + 1] = rank_;
}

/// Takes the span out of x and adds the coordinates of what it takes. Returns what is left of its length.
double RowSpan::remove_span(double* x, double* coordinates) const {
  orthogonalise(rank_, u_.data(), width_, columns_, x, [&](Index k, double along) { coordinates[k] += along; });
  return std::sqrt(dot(columns_, x, x));
}

bool RowSpan::add(const double* row, double noise, double inv_scale) {
  const Index i = rows_++;
  double* const t_i = t_.data() + i * width_;
  std::fill_n(t_i, columns_, 0.0);
  std::copy_n(row, columns_, work_.data());
  rest_[i] = remove_span(work_.data(), t_i);
  noise_[i] = noise;
  inv_scale_[i] = inv_scale;
  known_[i] = rank_;
  place_[i] = -1;
  level_row_[levels_ + 1] = rows_;
  level_rank_[levels_ + 1] = rank_;
  if (rank_ == columns_) return false;
  double bound = noise;
  dependency(i, 0, c_.data());
  for (Index k = 0; k < rank_; ++k) bound += std::fabs(c_[k]) * noise_[row_of_[k]];
  if (!(rest_[i] > bound)) return false;
  t_i[rank_] = rest_[i];
  double* const u = vector(rank_);
  for (Index c = 0; c < columns_; ++c) u[c] = work_[c] / rest_[i];
  row_of_[rank_] = i;
  place_[i] = rank_++;
  level_rank_[levels_ + 1] = rank_;
  return true;
}

/// c T = t_i, T lower triangular: row k of T holds the coordinates of the row that has brought u_k.
Index RowSpan::dependency(Index i, Index first, double* c) const {
  const Index end = known(i);
  for (Index k = end - 1; k >= first; --k) {
    double sum = t(i)[k];
    for (Index l = k + 1; l < end; ++l) sum -= c[l - first] * t(row_of_[l])[k];
    c[k - first] = sum / t(row_of_[k])[k];
  }
  return end - first;
}

/// Of all unit vectors the one that is longest outside of the basis comes next: at least 1 / sqrt(columns) long.
void RowSpan::complete() {
  const Index rank = rank_;
  for (; rank_ < columns_; ++rank_) {
    Index best = 0;
    double most = -1;
    for (Index c = 0; c < columns_; ++c) {
      double outside = 1;
      for (Index k = 0; k < rank_; ++k) outside -= basis(k)[c] * basis(k)[c];
      if (outside > most) most = outside, best = c;
    }
    double* const u = vector(rank_);
    std::fill_n(u, columns_, 0.0);
    u[best] = 1;
    const double length = remove_span(u, c_.data());
    for (Index c = 0; c < columns_; ++c) u[c] /= length;
  }
  rank_ = rank;
}

void RowSpan::solve(Index levels, double* b, double* x) {
  std::fill_n(x, columns_, 0.0);
  for (Index level = 0; level < levels; ++level) {
    const Index first = level_row_[level], end = level_row_[level + 1];
    const Index low = level_rank_[level], high = level_rank_[level + 1];
    for (Index i = first; i < end; ++i) b_[i] = b[i] - dot(low, t(i), y_.data());
    relations_.begin(end - first);
    for (Index i = first; i < end; ++i) {
      if (counts(i)) continue;
      double* const relation = relations_.add();
      std::fill_n(relation, end - first, 0.0);
      relation[i - first] = 1;
      const Index n = std::min(known(i), high) - low;
      dependency(i, low, c_.data());
      for (Index k = 0; k < n; ++k) relation[row_of_[low + k] - first] = -c_[k];
    }
    if (relations_.count() > 0) {
      relations_.finish(inv_scale_.data() + first);
      for (Index i = first; i < end; ++i) b_[i] /= inv_scale_[i];
      relations_.meet(b_.data() + first);
      for (Index i = first; i < end; ++i) b_[i] *= inv_scale_[i];
    }
    for (Index k = low; k < high; ++k) {
      const Index i = row_of_[k];
      y_[k] = (b_[i] - dot(k - low, t(i) + low, y_.data() + low)) / t(i)[k];
      subtract_multiple(columns_, -y_[k], basis(k), x);
    }
    for (Index i = first; i < end; ++i) b[i] = b_[i] + dot(low, t(i), y_.data());
  }
}

}  // namespace zwang::dense
