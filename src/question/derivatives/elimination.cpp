// SPDX-License-Identifier: BSD-3-Clause
#include "question/derivatives/elimination.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithm/page/inverse_by_rows.hpp"
#include "core/kernel_table.hpp"
#include "linear/page/small_products.hpp"

namespace zwang {

namespace {

/// What a step of refinement would change of G^-1, relative to it. One more elimination leaves about its square; with
/// more, the factor that has solved answers one right-hand side after the other.
constexpr double k_settled = 1e-7;
/// Of G_kk (G^-1)_kk, which is 1 where row k depends on no other: with more, products with G^-1 have so many times the
/// rounding of a solve, and the rows' equations are small where rows are stiff. One more elimination takes it back.
constexpr double k_exact_inverse = 64;

}  // namespace

Elimination::Elimination(const Model& model)
    : nv_(model.nv()),
      width_(page::row_of_inverse(model.nv())),
      way_(cheaper_factor(model.tree<double>())),
      by_matrix_(way_.matrix && !model.tree<double>().mimic),
      factor_(nv_ * nv_),
      mass_inverse_(width_ * (nv_ + page::k_block_rows)),
      x_(width_ * (nv_ + page::k_block_rows)),
      room_(2 * nv_) {
  if (by_matrix_) return;
  apart_.emplace(model);
  if (!way_.rows) scratch_ = Buffer<double>(nv_ * kernels().factor->scratch);
  if (!way_.matrix)
    columns_ = Buffer<double>(nv_ * kernels().factor->column_bytes / static_cast<Index>(sizeof(double)));
}

void Elimination::make_room(Index rows, Index most) {
  rows_ = rows;
  height_ = page::whole_blocks(rows);
  const Index wide = width_ * height_, high = height_ * (nv_ + page::k_block_rows), square = height_ * height_;
  const Index highest = page::whole_blocks(std::min(most, nv_));  // where all rows of the set hold
  if (const Index size = highest * (2 * width_ + 3 * (nv_ + page::k_block_rows) + highest); store_.size() < size)
    store_ = Buffer<double>(size);
  double* next = store_.data();
  const auto take = [&](Index size) { return std::exchange(next, next + size); };
  transposed_ = take(wide);
  response_ = take(wide);
  negative_ = take(square);
  rho_ = take(high);
  multipliers_ = take(high);
  change_ = take(high);
}

bool Elimination::invert_mass(const Problem& problem) {
  const FactorKernels& kernel = *kernels().factor;
  const State& state = problem.state;
  Index singular = -1;
  if (by_matrix_) {
    singular = kernels().elimination->mass_inverse(&problem.state.data, factor_.data(), mass_inverse_.data());
  } else {
    Data& data = *apart_;
    data.armature_factor = state.effects.armature ? 1.0 : 0.0;
    for (Index i = 1; i <= data.tree().n; ++i) {  // inertias and payloads may have been set since
      data.inertia[i] = state.data.inertia[i];
      data.lanes.set_inertia(i, data.inertia[i]);
    }
    const double* const q = state.q.data();
    singular = way_.matrix ? kernel.from_matrix(&data, q, factor_.data())
                           : kernel.from_bodies(&data, q, factor_.data(), columns_.data());
    if (singular < 0 && way_.rows)
      kernel.inverse_by_factor(tree_, factor_.data(), mass_inverse_.data(), mass_inverse_.data(), width_);
    else if (singular < 0)
      kernel.inverse_by_bodies(tree_, columns_.data(), scratch_.data(), mass_inverse_.data(), width_);
  }
  double sum = 0;
  for (Index k = 0; singular < 0 && k < nv_; ++k) sum += mass_inverse_[k * (width_ + 1)];
  if (singular < 0 && is_finite(sum)) return true;
  std::fill_n(mass_inverse_.data(), mass_inverse_.size(), 0.0);  // zeros behind its columns, whatever has been computed
  return false;
}

/// to = from + A B, A of `rows_` columns, and B of columns of `height_`.
bool Elimination::add(Index rows, Index columns, const double* A, const double* B, const double* from, double* to,
                      Index to_stride) const {
  const Index stride = A == response_ ? width_ : height_;
  return kernels().elimination->add_product(rows, columns, nullptr, rows_, A, stride, B, height_, from, stride, to,
                                            to_stride);
}

/// to = rows + J x
void Elimination::add_rows(Index columns, const double* x, const double* rows, double* to) const {
  kernels().elimination->add_product(height_, columns, of_->moving(), of_->moving_count(), jacobian_, height_, x,
                                     width_, rows, height_, to, height_);
}

bool Elimination::begin(const Problem& problem, RowMatrices& rows, bool in_doubt) {
  if (rows.rows() > nv_) return false;
  make_room(rows.rows(), problem.layout.rows());
  tree_ = &problem.state.data.tree();
  of_ = &rows;
  jacobian_ = rows.by_a();
  in_doubt_ = in_doubt;
  exact_ = true;
  if (!invert_mass(problem)) return false;
  if (rows_ == 0) return true;
  const EliminationKernels& kernel = *kernels().elimination;
  kernel.transpose(height_, nv_, jacobian_, height_, transposed_, width_);
  kernel.add_product(nv_, rows_, of_->moving(), of_->moving_count(), mass_inverse_.data(), width_, transposed_, width_,
                     nullptr, 0, response_, width_);
  add_rows(rows_, response_, nullptr, negative_);
  for (Index k = 0; k < rows_; ++k) change_[k] = negative_[k * (height_ + 1)];
  if (!kernel.negative_inverse(rows_, negative_, height_)) return false;
  for (Index k = 0; k < rows_; ++k) exact_ = exact_ && -change_[k] * negative_[k * (height_ + 1)] <= k_exact_inverse;
  return !in_doubt || is_settled();
}

/// Whether a step of refinement would change G^-1 by no more than one more elimination takes back. The step itself is
/// not taken: rows that nearly depend hold by the rounding of the inverse as it was computed, which a correction loses.
bool Elimination::is_settled() {
  const auto at = [this](const double* x, Index i, Index j) { return x[j * height_ + i]; };
  for (Index k = 0; k < height_ * rows_; ++k) multipliers_[k] = -negative_[k];
  add(nv_, rows_, response_, multipliers_, nullptr, x_.data(), width_);
  std::fill_n(change_, height_ * rows_, 0.0);
  for (Index k = 0; k < rows_; ++k) change_[k * (height_ + 1)] = -1;
  add_rows(rows_, x_.data(), change_, rho_);
  add(height_, rows_, negative_, rho_, nullptr, change_, height_);
  for (Index j = 0; j < rows_; ++j)
    for (Index i = 0; i < rows_; ++i) {
      const double scale = at(negative_, i, i) * at(negative_, j, j), x = at(change_, i, j);
      if (!(scale > 0 && x * x <= k_settled * k_settled * scale)) return false;
    }
  return true;
}

bool Elimination::eliminate(Index columns, bool twice, const double* rows, const Out& out) {
  double* const x = x_.data();
  add_rows(columns, x, rows, rho_);
  add(height_, columns, negative_, rho_, nullptr, multipliers_, height_);
  if (twice) {
    add(nv_, columns, response_, multipliers_, x, x, width_);
    add_rows(columns, x, rows, rho_);
    add(height_, columns, negative_, rho_, nullptr, change_, height_);
    const bool finite = add(nv_, columns, response_, change_, x, out.acceleration, nv_);
    for (Index k = 0; k < height_ * columns; ++k) multipliers_[k] += change_[k];
    return kernels().elimination->put_columns(rows_, columns, multipliers_, height_, out.multipliers) && finite;
  }
  const bool finite = add(nv_, columns, response_, multipliers_, x, out.acceleration, nv_);
  return kernels().elimination->put_columns(rows_, columns, multipliers_, height_, out.multipliers) && finite;
}

bool Elimination::by_state(const double* torque, bool along_paths, const double* rows, const Out& out) {
  kernels().elimination->negative_product(tree_, along_paths, mass_inverse_.data(), width_, torque, x_.data(), width_,
                                          room_.data());
  return eliminate(nv_, in_doubt_ || !exact_, rows, out);
}

bool Elimination::by_torque(const Out& out) {
  if (in_doubt_) {
    std::copy_n(mass_inverse_.data(), width_ * nv_, x_.data());
    return eliminate(nv_, true, nullptr, out);
  }
  kernels().elimination->transpose(nv_, rows_, response_, width_, rho_, height_);
  add(height_, nv_, negative_, rho_, nullptr, multipliers_, height_);
  const bool finite = add(nv_, nv_, response_, multipliers_, mass_inverse_.data(), out.acceleration, nv_);
  return kernels().elimination->put_columns(rows_, nv_, multipliers_, height_, out.multipliers) && finite;
}

bool Elimination::by_beta(const Out& out) {
  if (in_doubt_) {
    std::fill_n(x_.data(), width_ * rows_, 0.0);
    double* const minus_one = transposed_;  // [height x rows], where J^T was
    std::fill_n(minus_one, height_ * rows_, 0.0);
    for (Index k = 0; k < rows_; ++k) minus_one[k * (height_ + 1)] = -1;
    return eliminate(rows_, true, minus_one, out);
  }
  for (Index k = 0; k < height_ * rows_; ++k) multipliers_[k] = -negative_[k];
  const bool finite = add(nv_, rows_, response_, multipliers_, nullptr, out.acceleration, nv_);
  return kernels().elimination->put_columns(rows_, rows_, multipliers_, height_, out.multipliers) && finite;
}

}  // namespace zwang
