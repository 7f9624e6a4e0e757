// SPDX-License-Identifier: BSD-3-Clause
// Symmetric positive definite systems on recorded numbers. An entry that is the constant 0 costs no operation, so that
// the sparsity of a tree's mass matrix needs no list of its own.
#pragma once
#include <utility>
#include <vector>

#include "codegen/recording.hpp"

namespace zwang::codegen {

/// A = L^T D L with a unit lower triangular L, eliminated from the last row to the first: nothing is filled in where
/// rows are the joints of a tree (Featherstone 2008, sec. 6.5).
class SymmetricFactor {
 public:
  using Rows = std::vector<std::vector<Symbol>>;

  /// Of A its lower triangle is read.
  explicit SymmetricFactor(Rows A) : L_(std::move(A)) {
    pivot_.resize(L_.size());
    for (std::size_t k = L_.size(); k-- > 0;) {
      pivot_[k] = L_[k][k];
      const Symbol inverse = Symbol(1.0) / pivot_[k];
      std::vector<Symbol> column = L_[k];
      for (std::size_t i = 0; i < k; ++i) L_[k][i] *= inverse;
      for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j <= i; ++j) L_[i][j] -= L_[k][i] * column[j];
      inverse_.insert(inverse_.begin(), inverse);
    }
  }
  /// b becomes A^-1 b.
  void solve(std::vector<Symbol>& b) const {
    half(b);
    for (std::size_t k = 0; k < b.size(); ++k) {
      b[k] *= inverse_[k];
      for (std::size_t i = 0; i < k; ++i) b[k] -= L_[k][i] * b[i];
    }
  }
  /// b becomes L^-T b.
  void half(std::vector<Symbol>& b) const {
    for (std::size_t k = b.size(); k-- > 0;)
      for (std::size_t i = 0; i < k; ++i) b[i] -= L_[k][i] * b[k];
  }
  /// x^T A^-1 y, of the halves of x and y.
  Symbol product(const std::vector<Symbol>& x, const std::vector<Symbol>& y) const {
    Symbol sum(0.0);
    for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * inverse_[k] * y[k];
    return sum;
  }
  /// Some pivot is less than `least` times its entry of `diagonal`, or that entry is not positive.
  Choice is_singular(const std::vector<Symbol>& diagonal, double least) const {
    Choice found = known(false);
    for (std::size_t k = 0; k < pivot_.size(); ++k)
      found = found | !less(Symbol(0.0), diagonal[k]) | less(pivot_[k], diagonal[k] * Symbol(least));
    return found;
  }

 private:
  Rows L_;
  std::vector<Symbol> pivot_, inverse_;
};

}  // namespace zwang::codegen
