// SPDX-License-Identifier: BSD-3-Clause
#include "question/derivatives/regular_inverse.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernel_table.hpp"
#include "zwang/algorithm/page/inverse_by_rows.hpp"

namespace zwang {

RegularInverse::RegularInverse(const Model& model)
    : way_(cheaper_factor(model.tree<double>())),
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
  if (work_.size() < stride_) work_ = Buffer<double>(stride_);
}

bool RegularInverse::invert_mass(Problem& problem, Index rows) {
  if (rows > problem.state.data.tree().nv) return false;
  make_room(problem.state.data.tree().nv, rows);
  std::fill_n(transposed_.data(), stride_ * (stride_ + 4), 0.0);
  std::fill_n(product_.data(), stride_ * (nv_ + 3), 0.0);
  std::fill_n(G_.data(), stride_ * (rows_ + 3), 0.0);
  const FactorKernels& kernel = *kernels().factor;
  Data& data = problem.state.data;
  data.armature_factor = problem.state.effects.armature ? 1.0 : 0.0;
  const double* const q = problem.state.q.data();
  const Index singular = way_.matrix ? kernel.from_matrix(&data, q, factor_.data())
                                     : kernel.from_bodies(&data, q, factor_.data(), columns_.data());
  if (singular >= 0) return false;
  if (way_.rows)
    kernel.inverse_by_factor(&data.tree(), factor_.data(), scratch_.data(), inverse_.data(), stride_);
  else
    kernel.inverse_by_bodies(&data.tree(), columns_.data(), scratch_.data(), inverse_.data(), stride_);
  double sum = 0;
  for (Index k = 0; k < nv_; ++k) sum += inverse_[k * (stride_ + 1)];
  return is_finite(sum);
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
