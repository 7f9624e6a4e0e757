// SPDX-License-Identifier: BSD-3-Clause
// ResultMemory: the numbers of a result that users see through Eigen maps. Memory that Eigen itself allocates would be
// freed by the rules of another file's compiler flags (ARCHITECTURE.md, Eigen at the border).
#pragma once
#include <algorithm>
#include <new>

#include "zwang/algorithm/reference.hpp"
#include "zwang/core/buffer.hpp"

namespace zwang {

class ResultMemory {
 public:
  /// Zeros. Allocates only where there are more than ever before.
  void clear(Index size) {
    begin(size);
    std::fill_n(store_.data(), size, 0.0);
  }
  /// The same, of numbers as they are: the caller writes them all, or knows what the call before has left.
  void begin(Index size) {
    if (size > store_.size()) store_ = Buffer<double>(size);
    used_ = 0;
  }
  /// The next numbers become those of a view.
  template <class Matrix> void place(Eigen::Map<Matrix>& view, Index rows, Index columns = 1) {
    new (&view) Eigen::Map<Matrix>(take(rows * columns), rows, columns);
  }
  /// The same on a cache line of its own, with numbers behind it that kernels may write over.
  template <class Matrix> void place_apart(Eigen::Map<Matrix>& view, Index rows, Index columns) {
    new (&view) Eigen::Map<Matrix>(take(apart(rows * columns)), rows, columns);
  }
  static constexpr Index apart(Index size) { return (size + 7) / 8 * 8 + 8; }

 private:
  double* take(Index count) {
    double* const first = store_.data() + used_;
    used_ += count;
    return first;
  }
  Buffer<double> store_;
  Index used_ = 0;
};

/// To write what users only read: for the owner of its ResultMemory.
template <int R, int C>
Eigen::Map<Eigen::Matrix<double, R, C>> own(const Eigen::Map<const Eigen::Matrix<double, R, C>>& view) {
  return {const_cast<double*>(view.data()), view.rows(), view.cols()};
}

}  // namespace zwang
