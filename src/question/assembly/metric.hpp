// SPDX-License-Identifier: BSD-3-Clause
// Metric: W on the free coordinates as |T^-1 d|^2, W^-1 = T T^T. Weights: T diagonal. Mass matrix: M = L L^T, T = L^-T.
//
// Steps are sought as x with d = T x, so that |x| is their length in W. Allocates nothing after construction.
#pragma once
#include "zwang/core/buffer.hpp"

namespace zwang {

class Metric {
 public:
  /// `free` [count]: the coordinates that move, ascending.
  Metric(Index nv, const Buffer<Index>& free, Index count);
  void set_weights(const double* weights);         ///< [nv] > 0
  bool set_matrix(const double* M, Index stride);  ///< nv x nv; false where it is not positive definite
  /// Weights of 1 instead, until they are switched off.
  void use_ones(bool on) { ones_ = on; }
  bool is_plain() const { return plain_; }  ///< W is 1 anyway
  Index size() const { return n_; }
  Index coordinate(Index j) const { return free_[j]; }
  void columns_of(const double* row, double* out) const;  ///< out [size] = T^T row; row [nv]
  void step_of(const double* x, double* d) const;         ///< d [nv] = T x, 0 at fixed coordinates
  void lengths_of(const double* d, double* x) const;      ///< x = T^-1 d; d [nv]
  void weigh(const double* d, double* out) const;         ///< out [nv] = W d on free coordinates, 0 elsewhere

 private:
  double& L(Index i, Index j) { return L_[i * n_ + j]; }
  double L(Index i, Index j) const { return L_[i * n_ + j]; }
  Index nv_, n_;
  bool dense_ = false, ones_ = false, plain_ = true;
  Buffer<Index> free_;
  Buffer<double> root_, L_;   ///< roots of weights [n]; Cholesky factor of M
  mutable Buffer<double> y_;  ///< [n] scratch
};

}  // namespace zwang
