// SPDX-License-Identifier: BSD-3-Clause
// PathFactor: M = L^T D L on the paths of the elimination tree, with rows that keep the sparsity of their paths.
//
// A row of J that moves a few bodies is nonzero on parts of their paths. L^-T times the row is nonzero on
// the union of these paths; for loops this includes their common ancestors, where J is zero. Both are
// kept as runs of consecutive coordinates.
#pragma once
#include "zwang/algorithm/page/tree_cholesky.hpp"
#include "zwang/core/buffer.hpp"
#include "zwang/core/index.hpp"

namespace zwang::dense {

class PathFactor {
 public:
  PathFactor(Index nv, Index m);
  /// Factors M in place into L and D. False if a pivot is rounding.
  bool factor(Index n, const Index* parent, double* M, Index stride);
  const page::TreeFactor<double>& operator()() const { return factor_; }

  void find_support(Index i, const double* row);  ///< of row i: where it is nonzero
  void to_root(Index i, double* row);             ///< row := L^-T row, its support grows to whole paths
  /// f(begin, count) for the runs of row i.
  template <class F> ZWANG_INLINE void for_each_run(Index i, F&& f) const {
    for (Index k = 0; k < runs_[i]; ++k) f(run_[i * nv_ + k].first, run_[i * nv_ + k].size);
  }
  double product(Index i, const double* row, const double* x) const {  ///< row i times x
    double s = 0;
    for_each_run(i, [&](Index j, Index count) { s += dot(count, row + j, x + j); });
    return s;
  }

 private:
  void collect(Index i);
  Index nv_;
  page::TreeFactor<double> factor_{};
  Buffer<Index> first_, runs_;
  Buffer<double> size_;
  Buffer<unsigned char> touched_;
  Buffer<Range> run_;
};

}  // namespace zwang::dense
