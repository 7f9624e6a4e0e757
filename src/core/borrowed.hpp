// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the library as VectorIn and MatrixIn, for calls of public functions from inside the library.
#pragma once
#include <Eigen/Core>

#include "zwang/core/config.hpp"

namespace zwang {

/// What VectorIn and MatrixIn take, made from a pointer. Eigen's own conversion from a Map can copy the
/// numbers, and so it brings code of Eigen that allocates, which the library must not hold
/// (tools/check_symbols.py). This one never copies.
template <class Plain, class Stride> class Borrowed : public Eigen::Ref<const Plain, 0, Stride> {
  using Ref = Eigen::Ref<const Plain, 0, Stride>;

 public:
  explicit Borrowed(const Eigen::Map<const Plain>& numbers) : Ref(Eigen::Matrix<double, 1, 1>()) {
    Ref::Base::construct(numbers);  // instead of the one number
  }
};
using BorrowedVector = Borrowed<Eigen::VectorXd, Eigen::InnerStride<1>>;
using BorrowedMatrix = Borrowed<Eigen::MatrixXd, Eigen::OuterStride<>>;

inline BorrowedVector vector_in(const double* numbers, Index size) {
  return BorrowedVector(Eigen::Map<const Eigen::VectorXd>(numbers, size));
}
inline BorrowedMatrix matrix_in(const double* numbers, Index rows, Index columns) {
  return BorrowedMatrix(Eigen::Map<const Eigen::MatrixXd>(numbers, rows, columns));
}

}  // namespace zwang
