// SPDX-License-Identifier: BSD-3-Clause
// Small matrices of rotations: those that turn the coordinates of a parent into the coordinates of a child (E = R^T).
#pragma once
#include <cassert>
#include <cmath>

#include <rbdl/rbdl_math.h>

namespace RigidBodyDynamics {
struct Model;
namespace Math {

/// [v] with [v] u = v x u.
inline Matrix3d VectorCrossMatrix(const Vector3d& v) { return {0., -v[2], v[1], v[2], 0., -v[0], -v[1], v[0], 0.}; }
/// E of a turn about x by an angle [rad].
inline Matrix3d rotx(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {1., 0., 0., 0., c, s, 0., -s, c};
}
/// E of a turn about y.
inline Matrix3d roty(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {c, 0., -s, 0., 1., 0., s, 0., c};
}
/// E of a turn about z.
inline Matrix3d rotz(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {c, s, 0., -s, c, 0., 0., 0., 1.};
}
/// E of a turn about a unit axis (Rodrigues).
inline Matrix3d rotation_about(double angle, const Vector3d& axis) {
  const Matrix3d u = VectorCrossMatrix(axis);
  return Eigen::Matrix3d::Identity() - std::sin(angle) * u + (1 - std::cos(angle)) * u * u;
}
/// Inertia about a point from that about the centre of mass (Steiner).
inline Matrix3d parallel_axis(const Matrix3d& inertia, double mass, const Vector3d& com) {
  const Matrix3d c = VectorCrossMatrix(com);
  return inertia + mass * c * c.transpose();
}
/// dE/dt of rotx at an angle that changes with a rate [rad/s].
inline Matrix3d rotxdot(double angle, double rate) {
  const double s = rate * std::sin(angle), c = rate * std::cos(angle);
  return {0., 0., 0., 0., -s, c, 0., -c, -s};
}
/// dE/dt of roty.
inline Matrix3d rotydot(double angle, double rate) {
  const double s = rate * std::sin(angle), c = rate * std::cos(angle);
  return {-s, 0., -c, 0., 0., 0., c, 0., -s};
}
/// dE/dt of rotz.
inline Matrix3d rotzdot(double angle, double rate) {
  const double s = rate * std::sin(angle), c = rate * std::cos(angle);
  return {-s, c, 0., -c, -s, 0., 0., 0., 0.};
}
/// B with the angular velocity B rates of the angles z, y, x (each about the axis that the last one left), body axes.
inline Matrix3d angle_rates_to_body(const Vector3d& zyx) {
  const double sy = std::sin(zyx[1]), cy = std::cos(zyx[1]), sx = std::sin(zyx[2]), cx = std::cos(zyx[2]);
  return {-sy, 0., 1., cy * sx, cx, 0., cy * cx, -sx, 0.};
}
/// Angular velocity in body axes at the rates of these angles.
inline Vector3d angular_velocity_from_angle_rates(const Vector3d& zyx_angles, const Vector3d& zyx_rates) {
  return angle_rates_to_body(zyx_angles) * zyx_rates;
}
/// The same in base axes.
inline Vector3d global_angular_velocity_from_rates(const Vector3d& zyx_angles, const Vector3d& zyx_rates) {
  const Matrix3d E = Matrix3d(rotx(zyx_angles[2]) * roty(zyx_angles[1]) * rotz(zyx_angles[0]));
  return E.transpose() * angular_velocity_from_angle_rates(zyx_angles, zyx_rates);
}
/// Its rate in body axes.
inline Vector3d angular_acceleration_from_angle_rates(const Vector3d& zyx_angles, const Vector3d& zyx_rates,
                                                      const Vector3d& zyx_rates_dot) {
  const double sy = std::sin(zyx_angles[1]), cy = std::cos(zyx_angles[1]), sx = std::sin(zyx_angles[2]),
               cx = std::cos(zyx_angles[2]), y = zyx_rates[1], x = zyx_rates[2];
  const Matrix3d rate(-cy * y, 0., 0., -sy * sx * y + cy * cx * x, -sx * x, 0., -sy * cx * y - cy * sx * x, -cx * x,
                      0.);
  return angle_rates_to_body(zyx_angles) * zyx_rates_dot + rate * zyx_rates;
}

/// n numbers as a vector.
inline VectorNd VectorFromPtr(unsigned int n, double* ptr) { return Eigen::Map<VectorNd>(ptr, n); }
/// rows x cols numbers as a matrix.
inline MatrixNd MatrixFromPtr(unsigned int rows, unsigned int cols, double* ptr, bool row_major = true) {
  if (!row_major) return Eigen::Map<MatrixNd>(ptr, rows, cols);
  return Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(ptr, rows, cols);
}
/// x with A x = b, by elimination with pivots; false and no x where A is singular to working precision.
inline bool LinSolveGaussElimPivot(const MatrixNd& A, const VectorNd& b, VectorNd& x) {
  const Eigen::FullPivLU<MatrixNd> factors(A);
  if (!factors.isInvertible()) return false;
  x = factors.solve(b);
  return true;
}
/// Writes a block of three rows and columns.
inline void SpatialMatrixSetSubmatrix(SpatialMatrix& dest, unsigned int row, unsigned int col, const Matrix3d& matrix) {
  dest.block<3, 3>(row, col) = matrix;
}
/// Whether no entries differ by more than epsilon.
inline bool SpatialMatrixCompareEpsilon(const SpatialMatrix& a, const SpatialMatrix& b, double epsilon) {
  return ((a - b).cwiseAbs().array() <= epsilon).all();
}
/// Whether no entries differ by more than epsilon.
inline bool SpatialVectorCompareEpsilon(const SpatialVector& a, const SpatialVector& b, double epsilon) {
  return ((a - b).cwiseAbs().array() <= epsilon).all();
}

// Mass matrices whose zeros are those of the model's tree (Featherstone 2008, section 6.5): H = L^T L with L lower
// triangular, entries only along paths (Model::lambda_q).
/// H becomes L; its upper triangle is zero.
void SparseFactorizeLTL(Model& model, MatrixNd& H);
/// x becomes L x.
void SparseMultiplyLx(Model& model, MatrixNd& L, VectorNd& x);
/// x becomes L^T x.
void SparseMultiplyLTx(Model& model, MatrixNd& L, VectorNd& x);
/// x becomes H x, of the lower triangle of H.
void SparseMultiplyHx(Model& model, MatrixNd& H, VectorNd& x);
/// x becomes L^-1 x.
void SparseSolveLx(Model& model, MatrixNd& L, VectorNd& x);
/// x becomes L^-T x.
void SparseSolveLTx(Model& model, MatrixNd& L, VectorNd& x);

}  // namespace Math
}  // namespace RigidBodyDynamics
