// SPDX-License-Identifier: BSD-3-Clause
// ContactCholesky: the KKT matrix factored from the last coordinate to the first row.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "zwang/algorithm/reference.hpp"

namespace zwang {

struct ContactCholeskyImpl;

///     K = [-R  J; J^T  M] = U D U^T        (m + n) x (m + n), rows first
///
/// U: unit upper triangular, D: m negative numbers, then n positive ones (Carpentier, Budhiraja & Mansard 2021). With
/// coordinates numbered from the root outward, U has an entry only where M has one, or between a row and the
/// coordinates on the paths of its bodies: zeros of M and J outside of these paths stay zeros, and the elimination
/// skips them. Stored are all (m + n)^2 numbers of U; products and solves pass over those above its diagonal.
/// With M q'' + h = tau + J^T lambda and J q'' + R lambda = target: K [-lambda; q''] = [target; tau - h].
/// Below, vectors have m + n numbers and are changed in place. solve, multiply and those with U allocate nothing; the
/// others take m + n numbers of scratch.
class ContactCholesky {
 public:
  /// M: n x n, symmetric, positive definite, its upper triangle is read; J: m x n; R: [m], 0 or more, or empty for
  /// zeros. Throws std::invalid_argument naming the argument for wrong sizes, entries that are not finite and negative
  /// R, and naming the row where rows without compliance depend on each other: D has a zero there. Throws
  /// SingularMassError naming the coordinate where M is singular.
  ContactCholesky(MatrixIn M, MatrixIn J, VectorIn R = Eigen::VectorXd());
  /// The same with names of the rows and coordinates for the refusals.
  ContactCholesky(MatrixIn M, MatrixIn J, VectorIn R, const std::vector<std::string>& row_names,
                  const std::vector<std::string>& coordinate_names);

  Index rows() const;         ///< m
  Index coordinates() const;  ///< n
  Index size() const;         ///< m + n

  void matrix(MatrixOut out) const;  ///< K
  void U(MatrixOut out) const;       ///< with its ones and zeros
  VectorView D() const;

  void solve(VectorOut x) const;                      ///< x := K^-1 x
  void multiply(VectorOut x) const;                   ///< x := K x
  void multiply_upper(VectorOut x) const;             ///< x := U x
  void multiply_upper_transposed(VectorOut x) const;  ///< x := U^T x
  void solve_upper(VectorOut x) const;                ///< x := U^-1 x
  void solve_upper_transposed(VectorOut x) const;     ///< x := U^-T x
  void inverse(MatrixOut out) const;                  ///< K^-1

  void solve_mass_matrix(VectorOut x) const;              ///< x := M^-1 x, of n numbers
  void jacobian_times_inverse_mass(MatrixOut out) const;  ///< J M^-1, m x n
  void delassus(MatrixOut out) const;                     ///< J M^-1 J^T + R, m x m
  void operational_inertia(MatrixOut out) const;          ///< (J M^-1 J^T + R)^-1, m x m

 private:
  std::shared_ptr<const ContactCholeskyImpl> impl_;  // never changes: copies share it
};

}  // namespace zwang
