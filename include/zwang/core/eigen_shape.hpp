// SPDX-License-Identifier: BSD-3-Clause
// What a matrix or vector of Eigen looks like, for types that convert from it without including Eigen.
#pragma once
#include <type_traits>

#include "zwang/core/config.hpp"

namespace zwang {

/// The types of Eigen that eigen() returns; core/eigen_types.hpp has them, and every header that includes Eigen.
template <class S> struct EigenTypes;

/// A matrix, vector or expression of Eigen with R rows and C columns, or with a number that only a run knows.
template <class E, class S, int R, int C>
concept EigenMatrix = requires(const E& e) {
  e.derived();
  e.eval();
  E::RowsAtCompileTime;
  E::ColsAtCompileTime;
}
&&(E::RowsAtCompileTime == R || E::RowsAtCompileTime == -1) &&
    (E::ColsAtCompileTime == C || E::ColsAtCompileTime == -1) && std::is_convertible_v<typename E::Scalar, S>;
/// A column or a row of N numbers.
template <class E, class S, int N>
concept EigenVector = EigenMatrix<E, S, N, 1> || EigenMatrix<E, S, 1, N>;
/// A quaternion of Eigen.
template <class E>
concept EigenQuaternion = requires(const E& e) {
  e.coeffs();
  e.w();
  e.toRotationMatrix();
};
/// Eigen::Isometry3d and its like.
template <class E>
concept EigenTransform = requires(const E& e) {
  e.linear();
  e.translation();
  e.matrix();
};

namespace detail {
/// Throws std::invalid_argument naming `type` unless there are N numbers in one row or one column.
void check_vector(const char* type, long rows, long columns, long N);
void check_matrix(const char* type, long rows, long columns, long R, long C);
/// Throws std::invalid_argument unless the 4 x 4 numbers, row by row, are a rotation (to 1e-6) and a translation.
void check_rigid(const double* rows);
}  // namespace detail

}  // namespace zwang
