// SPDX-License-Identifier: BSD-3-Clause
// Vectors and matrices: those of Eigen, with constructors that take all numbers, rows first.
#pragma once
#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>

#include <rbdl/rbdl_config.h>

namespace RigidBodyDynamics {
namespace Math {

using Scalar = double;             ///< of all numbers
using Vector2d = Eigen::Vector2d;  ///< two numbers
using Vector3d = Eigen::Vector3d;  ///< three numbers
using Vector4d = Eigen::Vector4d;  ///< four numbers
/// [angular; linear] of a motion, [moment; force] of a force.
using SpatialVector = Eigen::Matrix<double, 6, 1>;
using VectorNd = Eigen::VectorXd;              ///< any number of numbers
using MatrixNd = Eigen::MatrixXd;              ///< any number of rows and columns
using Matrix63 = Eigen::Matrix<double, 6, 3>;  ///< six rows
using Matrix43 = Eigen::Matrix<double, 4, 3>;  ///< four rows

/// A square matrix of Eigen that can be made from all its numbers, rows first.
template <int n> class SquareMatrix : public Eigen::Matrix<double, n, n> {
 public:
  using Base = Eigen::Matrix<double, n, n>;
  SquareMatrix() = default;
  template <class E> SquareMatrix(const Eigen::MatrixBase<E>& e) : Base(e) {}
  template <class... Numbers, class = std::enable_if_t<sizeof...(Numbers) == n * n>>
  SquareMatrix(const Numbers&... numbers) {
    const double all[n * n] = {static_cast<double>(numbers)...};
    for (int k = 0; k < n * n; ++k) (*this)(k / n, k % n) = all[k];
  }
  template <class E> SquareMatrix& operator=(const Eigen::MatrixBase<E>& e) {
    Base::operator=(e);
    return *this;
  }
};

using Matrix2d = SquareMatrix<2>;
using Matrix3d = SquareMatrix<3>;
using Matrix4d = SquareMatrix<4>;
using SpatialMatrix = SquareMatrix<6>;

/// Methods for systems of linear equations. Here every call solves by the structure of the tree or the constraints;
/// the word is taken and changes no result beyond rounding.
enum LinearSolver {
  LinearSolverUnknown = 0,
  LinearSolverPartialPivLU,
  LinearSolverColPivHouseholderQR,
  LinearSolverHouseholderQR,
  LinearSolverLLT,
  LinearSolverLast
};

inline const Vector3d Vector3dZero = Vector3d::Zero();
inline const Matrix3d Matrix3dIdentity = Matrix3d(Eigen::Matrix3d::Identity());
inline const Matrix3d Matrix3dZero = Matrix3d(Eigen::Matrix3d::Zero());
inline const SpatialVector SpatialVectorZero = SpatialVector::Zero();
inline const SpatialMatrix SpatialMatrixIdentity = SpatialMatrix(Eigen::Matrix<double, 6, 6>::Identity());
inline const SpatialMatrix SpatialMatrixZero = SpatialMatrix(Eigen::Matrix<double, 6, 6>::Zero());

}  // namespace Math
}  // namespace RigidBodyDynamics
