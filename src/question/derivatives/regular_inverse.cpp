// SPDX-License-Identifier: BSD-3-Clause
#include "question/derivatives/regular_inverse.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernel_table.hpp"
#include "zwang/algorithm/page/inverse_by_rows.hpp"

namespace zwang {

namespace {

/// What a step of refinement changes of G^-1, relative to it. A step leaves about the square of what it changes.
constexpr double k_settled = 1e-7;
/// With more, other calls may find a known answer lost (check_response), and all of them should say the same.
constexpr double k_doubtful = 1e-5;
constexpr int k_refinements = 2;

}  // namespace

RegularInverse::RegularInverse(const Model& model)
    : data_(model),
      way_(cheaper_factor(model.tree<double>())),
      factor_(model.nv() * model.nv()) {
  const Index nv = model.nv();
  scratch_ = Buffer<double>(nv * (way_.rows ? page::row_of_inverse(nv) : kernels().factor->scratch));
  if (!way_.matrix) columns_ = Buffer<double>(nv * kernels().factor->column_bytes / static_cast<Index>(sizeof(double)));
}

void RegularInverse::make_room(Index nv, Index rows) {
  nv_ = nv;
  rows_ = rows;
  stride_ = (nv_ + rows + 3) / 4 * 4;
  const Index size = stride_ * (stride_ + 4);
  for (Buffer<double>* x : {&inverse_, &transposed_, &product_, &G_, &jacobian_})
    if (x->size() < size) *x = Buffer<double>(size);
  std::fill_n(inverse_.data(), size, 0.0);
  std::fill_n(transposed_.data(), size, 0.0);
  std::fill_n(product_.data(), stride_ * (nv_ + 3), 0.0);
  std::fill_n(G_.data(), stride_ * (rows_ + 3), 0.0);
  if (work_.size() < stride_) work_ = Buffer<double>(stride_);
}

bool RegularInverse::invert(const Problem& problem, bool in_doubt) {
  const Index nv = problem.state.data.tree().nv, rows = problem.rows.m;
  if (rows > nv) return false;
  make_room(nv, rows);
  if (!invert_mass(problem.state)) return false;
  read_rows(problem);
  return invert_rows() && (!in_doubt || refine());
}

bool RegularInverse::invert_mass(const State& state) {
  const FactorKernels& kernel = *kernels().factor;
  data_.armature_factor = state.effects.armature ? 1.0 : 0.0;
  const double* const q = state.q.data();
  const Index singular = way_.matrix ? kernel.from_matrix(&data_, q, factor_.data())
                                     : kernel.from_bodies(&data_, q, factor_.data(), columns_.data());
  if (singular >= 0) return false;
  if (way_.rows)
    kernel.inverse_by_factor(&data_.tree(), factor_.data(), scratch_.data(), inverse_.data(), stride_);
  else
    kernel.inverse_by_bodies(&data_.tree(), columns_.data(), scratch_.data(), inverse_.data(), stride_);
  double sum = 0;
  for (Index k = 0; k < nv_; ++k) sum += inverse_[k * (stride_ + 1)];
  return is_finite(sum);
}

/// Row k of J is column k of `transposed_`.
void RegularInverse::read_rows(const Problem& problem) {
  const Tree<double>& tree = data_.tree();
  for (Index k = 0; k < rows_; ++k) {
    double* const row = transposed_.data() + k * stride_;
    page::for_each_part(problem.rows, k, [&](Index body, const Force<double>& K) {
      for (Index i = body; i > 0; i = tree.body[i].parent)
        for (Index c = tree.body[i].v; c < tree.body[i].v + tree.body[i].nv; ++c)
          row[tree.column[c].v] +=
              dot(Motion<double>(problem.state.data.articulated.column[c].s), K) * tree.column[c].multiplier;
    });
  }
}

/// G^-1 in place, by its Cholesky factor. Row i of L is in column i of the buffer.
bool RegularInverse::invert_G() {
  double* const G = G_.data();
  const auto at = [=, this](Index r, Index c) -> double& { return G[c * stride_ + r]; };
  for (Index i = 0; i < rows_; ++i)
    for (Index j = 0; j <= i; ++j) {
      double sum = at(j, i);
      for (Index k = 0; k < j; ++k) sum -= at(k, i) * at(k, j);
      if (j < i) {
        at(j, i) = sum * work_[j];
      } else {
        if (!(sum > 0)) return false;
        work_[i] = 1 / std::sqrt(sum);
      }
    }
  // L^-1 below the diagonal, its column j in column j; then G^-1 = L^-T L^-1
  for (Index j = 0; j < rows_; ++j) {
    at(j, j) = work_[j];
    for (Index i = j + 1; i < rows_; ++i) {
      double sum = at(j, i) * work_[j];
      for (Index k = j + 1; k < i; ++k) sum += at(k, i) * at(k, j);
      at(i, j) = -sum * work_[i];
    }
  }
  for (Index j = 0; j < rows_; ++j)
    for (Index i = 0; i <= j; ++i) {
      double sum = 0;
      for (Index k = j; k < rows_; ++k) sum += at(k, i) * at(k, j);
      at(i, j) = sum;
    }
  for (Index j = 0; j < rows_; ++j)
    for (Index i = j + 1; i < rows_; ++i) at(i, j) = at(j, i);
  return true;
}

bool RegularInverse::invert_rows() {
  if (rows_ == 0) return true;
  const auto product = kernels().derivative->negative_product;
  const Index mass = (nv_ + 3) / 4 * 4, rows = (rows_ + 3) / 4 * 4;  // with zeros behind
  double *const N = inverse_.data(), *const JT = transposed_.data(), *const Y = product_.data(), *const G = G_.data();
  for (Index k = 0; k < rows_; ++k) std::copy_n(JT + k * stride_, nv_, Y + k * stride_);
  product(mass, N, stride_, Y, stride_, work_.data());  // -Y
  for (Index i = 0; i < rows_; ++i)
    for (Index k = 0; k < nv_; ++k) {
      const double x = JT[i * stride_ + k];
      if (x == 0) continue;
      for (Index j = 0; j <= i; ++j) G[i * stride_ + j] -= x * Y[j * stride_ + k];
    }
  if (!invert_G()) return false;
  std::copy_n(JT, stride_ * rows_, jacobian_.data());
  // -Y^T, whose product with G^-1 is Q^T
  double* const QT = JT;
  for (Index c = 0; c < nv_; ++c)
    for (Index i = 0; i < rows_; ++i) QT[c * stride_ + i] = Y[i * stride_ + c];
  for (Index c = 0; c < nv_; ++c) std::fill_n(QT + c * stride_ + rows_, stride_ - rows_, 0.0);
  for (Index c = 0; c < nv_; c += rows) product(rows, G, stride_, QT + c * stride_, stride_, work_.data());
  for (Index c = 0; c < nv_; ++c)
    for (Index i = 0; i < rows_; ++i) {
      N[c * stride_ + nv_ + i] = QT[c * stride_ + i];
      N[(nv_ + i) * stride_ + c] = QT[c * stride_ + i];
    }
  for (Index i = 0; i < rows_; ++i)
    for (Index j = 0; j < rows_; ++j) N[(nv_ + i) * stride_ + nv_ + j] = -G[i * stride_ + j];
  product(mass, Y, stride_, QT, stride_, work_.data());  // Y Q^T
  for (Index c = 0; c < nv_; ++c)
    for (Index r = 0; r < nv_; ++r) N[c * stride_ + r] -= QT[c * stride_ + r];
  return true;
}

/// The block of M as its upper triangle has it: rounding differs on the two sides.
void RegularInverse::mirror_mass() {
  for (Index c = 0; c < nv_; ++c)
    for (Index r = 0; r < c; ++r) inverse_[r * stride_ + c] = inverse_[c * stride_ + r];
}

/// Whether it settles. By symmetry J X is J^T times the columns of the coordinates.
bool RegularInverse::refine() {
  double *const N = inverse_.data(), *const JX = product_.data(), *const change = G_.data();
  const Index size = nv_ + rows_;
  const auto multiplier = [&](const double* x, Index i, Index j) { return x[(nv_ + j) * stride_ + nv_ + i]; };
  for (int step = 0; step < k_refinements; ++step) {
    mirror_mass();
    std::copy_n(jacobian_.data(), stride_ * rows_, JX);
    std::fill_n(JX + stride_ * rows_, stride_ * (stride_ - rows_), 0.0);
    negative_product(JX);
    std::fill_n(change, stride_ * stride_, 0.0);
    for (Index c = 0; c < size; ++c)
      for (Index k = 0; k < rows_; ++k)
        change[c * stride_ + nv_ + k] = -JX[k * stride_ + c] - (c == nv_ + k ? 1.0 : 0.0);
    negative_product(change);
    double largest = 0;
    for (Index j = 0; j < rows_; ++j)
      for (Index i = 0; i < rows_; ++i) {
        const double scale = multiplier(N, i, i) * multiplier(N, j, j), x = multiplier(change, i, j);
        if (!(scale > 0 && x * x <= k_doubtful * k_doubtful * scale)) return false;
        largest = std::max(largest, x * x / scale);
      }
    for (Index k = 0; k < stride_ * stride_; ++k) N[k] += change[k];
    if (largest <= k_settled * k_settled) {
      mirror_mass();
      return true;
    }
  }
  return false;
}

const double* RegularInverse::correct_rows(const double* rows) {
  const double* const x = transposed_.data();
  const Index mass = (nv_ + 3) / 4 * 4;
  double *const xT = G_.data(), *const y = product_.data();
  for (Index r = 0; r < nv_; ++r) {
    for (Index c = 0; c < nv_; ++c) xT[r * stride_ + c] = x[c * stride_ + r];
    for (Index c = nv_; c < mass; ++c) xT[r * stride_ + c] = 0;
  }
  std::copy_n(jacobian_.data(), stride_ * rows_, y);
  std::fill_n(y + stride_ * rows_, stride_ * (mass - rows_), 0.0);
  kernels().derivative->negative_product(mass, xT, stride_, y, stride_, work_.data());  // -(J x)^T
  double* const rest = G_.data();
  std::fill_n(rest, stride_ * stride_, 0.0);
  for (Index c = 0; c < nv_; ++c)
    for (Index k = 0; k < rows_; ++k) rest[c * stride_ + nv_ + k] = rows[c * rows_ + k] - y[k * stride_ + c];
  negative_product(rest);
  return rest;
}

void RegularInverse::negative_product(double* B) {
  kernels().derivative->negative_product(stride_, inverse_.data(), stride_, B, stride_, work_.data());
}

}  // namespace zwang
