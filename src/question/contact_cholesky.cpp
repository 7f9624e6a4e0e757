// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/question/contact_cholesky.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithm/support.hpp"
#include "zwang/core/buffer.hpp"
#include "zwang/core/error.hpp"
#include "zwang/core/scalar.hpp"

namespace zwang {

struct ContactCholeskyImpl {
  ContactCholeskyImpl(Index rows, Index coordinates)
      : m(rows),
        n(coordinates),
        size(rows + coordinates),
        K(size * size),
        A(size * size),
        D(size),
        first(size),
        path(size) {}
  void factor(const std::vector<std::string>& row_names, const std::vector<std::string>& coordinate_names);
  double* row(Index i) { return A.data() + i * size; }
  const double* row(Index i) const { return A.data() + i * size; }

  // Four triangular products, on the coordinates and rows from `from` on: the trailing block of U is M's own factor.
  void multiply_upper(double* x, Index from) const {
    for (Index i = from; i < size; ++i)
      for (Index k = i + 1; k < size; ++k) x[i] += row(i)[k] * x[k];
  }
  void multiply_upper_transposed(double* x, Index from) const {
    for (Index k = size; k-- > from;)
      for (Index i = from; i < k; ++i) x[k] += row(i)[k] * x[i];
  }
  void solve_upper(double* x, Index from) const {
    for (Index i = size; i-- > from;)
      for (Index k = i + 1; k < size; ++k) x[i] -= row(i)[k] * x[k];
  }
  void solve_upper_transposed(double* x, Index from) const {
    for (Index k = from; k < size; ++k)
      for (Index i = from; i < k; ++i) x[k] -= row(i)[k] * x[i];
  }
  void solve(double* x, Index from) const {
    solve_upper(x, from);
    for (Index k = from; k < size; ++k) x[k] /= D[k];
    solve_upper_transposed(x, from);
  }

  Index m, n, size;
  Buffer<double> K;  ///< row by row
  Buffer<double> A;  ///< U above its diagonal, row by row
  Buffer<double> D;
  Buffer<double> first;  ///< the diagonal before elimination: of rows, that of -(J M^-1 J^T + R)
  Buffer<Index> path;    ///< scratch: where a column of U is not zero
};

namespace {
constexpr const char* k_function = "ContactCholesky";

std::string name_of(const std::vector<std::string>& names, Index k) {
  return k < static_cast<Index>(names.size()) ? names[static_cast<std::size_t>(k)] : std::to_string(k);
}
void check_size(const char* argument, long got, long expected) {
  if (got != expected) detail::throw_size(k_function, argument, got, expected);
}
void check_shape(const char* argument, long rows, long columns, long expected_rows, long expected_columns) {
  if (rows == expected_rows && columns == expected_columns) return;
  throw std::invalid_argument("E_SIZE " + std::string(k_function) + ": argument '" + argument + "' is " +
                              std::to_string(rows) + " x " + std::to_string(columns) + ", expected " +
                              std::to_string(expected_rows) + " x " + std::to_string(expected_columns));
}
void check_finite(const char* argument, long entry, double x) {
  if (!std::isfinite(x)) detail::throw_not_finite(k_function, argument, entry, x);
}
}  // namespace

/// Column k of U, from the last; a zero above the diagonal takes no part in what follows.
void ContactCholeskyImpl::factor(const std::vector<std::string>& row_names,
                                 const std::vector<std::string>& coordinate_names) {
  const double rounding = 64 * epsilon_of<double> * (size + 1);
  for (Index k = size; k-- > 0;) {
    if (k == m - 1 || k == size - 1)
      for (Index i = 0; i <= k; ++i) first[i] = row(i)[i];
    const double pivot = D[k] = row(k)[k];
    if (k >= m && !(pivot > rounding * first[k])) throw SingularMassError(name_of(coordinate_names, k - m));
    if (k < m && !(-pivot > rounding * -first[k]))
      throw std::invalid_argument(std::string("E_SINGULAR ") + k_function + ": row '" + name_of(row_names, k) +
                                  "' depends on the rows after it and has no compliance, so that D is zero there; "
                                  "expected independent rows, or R > 0");
    Index count = 0;
    for (Index i = 0; i < k; ++i)
      if (row(i)[k] != 0) path[count++] = i;
    for (Index a = 0; a < count; ++a) {
      double* const r = row(path[a]);
      const double u = r[k] / pivot;
      for (Index b = a; b < count; ++b) r[path[b]] -= u * row(path[b])[k];
    }
    for (Index i = 0; i < k; ++i) row(i)[k] /= pivot;
    row(k)[k] = 1;
  }
}

ContactCholesky::ContactCholesky(MatrixIn M, MatrixIn J, VectorIn R) : ContactCholesky(M, J, R, {}, {}) {}

ContactCholesky::ContactCholesky(MatrixIn M, MatrixIn J, VectorIn R, const std::vector<std::string>& row_names,
                                 const std::vector<std::string>& coordinate_names) {
  const Index n = static_cast<Index>(M.rows()), m = static_cast<Index>(J.rows());
  check_shape("M", M.rows(), M.cols(), n, n);
  check_shape("J", J.rows(), J.cols(), m, n);
  if (R.size() > 0) check_size("R", R.size(), m);
  const auto impl = std::make_shared<ContactCholeskyImpl>(m, n);
  const auto at = [&](Index i, Index j) -> double& { return impl->K[i * impl->size + j]; };
  for (Index i = 0; i < m && R.size() > 0; ++i) {
    check_finite("R", i, R(i));
    if (R(i) < 0)
      throw std::invalid_argument(std::string("E_NUMBER ") + k_function + ": argument 'R' has " + std::to_string(R(i)) +
                                  " in entry " + std::to_string(i) + ", expected 0 or more");
    at(i, i) = -R(i);
  }
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      check_finite("J", static_cast<long>(i) * n + j, J(i, j));
      at(i, m + j) = at(m + j, i) = J(i, j);
    }
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < n; ++j) {
      check_finite("M", static_cast<long>(i) * n + j, M(i, j));
      at(m + i, m + j) = at(m + j, m + i) = M(i, j);
    }
  impl->A = impl->K;
  impl->factor(row_names, coordinate_names);
  impl_ = impl;
}

Index ContactCholesky::rows() const { return impl_->m; }
Index ContactCholesky::coordinates() const { return impl_->n; }
Index ContactCholesky::size() const { return impl_->size; }
VectorView ContactCholesky::D() const { return {impl_->D.data(), impl_->size}; }

void ContactCholesky::matrix(MatrixOut out) const {
  detail::check_matrix(out, size(), size(), "ContactCholesky::matrix");
  for (Index i = 0; i < size(); ++i)
    for (Index j = 0; j < size(); ++j) out(i, j) = impl_->K[i * size() + j];
}
void ContactCholesky::U(MatrixOut out) const {
  detail::check_matrix(out, size(), size(), "ContactCholesky::U");
  for (Index i = 0; i < size(); ++i)
    for (Index j = 0; j < size(); ++j) out(i, j) = j < i ? 0.0 : impl_->row(i)[j];
}
void ContactCholesky::solve(VectorOut x) const {
  check_size("x", x.size(), size());
  impl_->solve(x.data(), 0);
}
void ContactCholesky::multiply(VectorOut x) const {
  check_size("x", x.size(), size());
  impl_->multiply_upper_transposed(x.data(), 0);
  for (Index k = 0; k < size(); ++k) x(k) *= impl_->D[k];
  impl_->multiply_upper(x.data(), 0);
}
void ContactCholesky::multiply_upper(VectorOut x) const {
  check_size("x", x.size(), size());
  impl_->multiply_upper(x.data(), 0);
}
void ContactCholesky::multiply_upper_transposed(VectorOut x) const {
  check_size("x", x.size(), size());
  impl_->multiply_upper_transposed(x.data(), 0);
}
void ContactCholesky::solve_upper(VectorOut x) const {
  check_size("x", x.size(), size());
  impl_->solve_upper(x.data(), 0);
}
void ContactCholesky::solve_upper_transposed(VectorOut x) const {
  check_size("x", x.size(), size());
  impl_->solve_upper_transposed(x.data(), 0);
}
void ContactCholesky::solve_mass_matrix(VectorOut x) const {
  check_size("x", x.size(), coordinates());
  Buffer<double> all(size());
  for (Index k = 0; k < coordinates(); ++k) all[rows() + k] = x(k);
  impl_->solve(all.data(), rows());
  for (Index k = 0; k < coordinates(); ++k) x(k) = all[rows() + k];
}
void ContactCholesky::inverse(MatrixOut out) const {
  detail::check_matrix(out, size(), size(), "ContactCholesky::inverse");
  Buffer<double> x(size());
  for (Index k = 0; k < size(); ++k) {
    for (Index i = 0; i < size(); ++i) x[i] = i == k ? 1.0 : 0.0;
    impl_->solve(x.data(), 0);
    for (Index i = 0; i < size(); ++i) out(i, k) = x[i];
  }
}
/// With U = [U_r X; 0 U_M]: J M^-1 = X U_M^-1.
void ContactCholesky::jacobian_times_inverse_mass(MatrixOut out) const {
  const Index m = rows(), n = coordinates();
  detail::check_matrix(out, m, n, "ContactCholesky::jacobian_times_inverse_mass");
  Buffer<double> x(size());
  for (Index r = 0; r < m; ++r) {
    for (Index k = m; k < size(); ++k) x[k] = impl_->row(r)[k];
    impl_->solve_upper_transposed(x.data(), m);
    for (Index k = 0; k < n; ++k) out(r, k) = x[m + k];
  }
}
/// -U_r D_r U_r^T
void ContactCholesky::delassus(MatrixOut out) const {
  const Index m = rows();
  detail::check_matrix(out, m, m, "ContactCholesky::delassus");
  for (Index r = 0; r < m; ++r)
    for (Index s = 0; s <= r; ++s) {
      double sum = 0;
      for (Index k = r; k < m; ++k) sum -= impl_->row(r)[k] * impl_->D[k] * impl_->row(s)[k];
      out(r, s) = out(s, r) = sum;
    }
}
/// -(U_r D_r U_r^T)^-1, the rows' block of -K^-1
void ContactCholesky::operational_inertia(MatrixOut out) const {
  const Index m = rows();
  detail::check_matrix(out, m, m, "ContactCholesky::operational_inertia");
  Buffer<double> x(size());
  for (Index k = 0; k < m; ++k) {
    for (Index i = 0; i < size(); ++i) x[i] = i == k ? 1.0 : 0.0;
    impl_->solve(x.data(), 0);
    for (Index i = 0; i < m; ++i) out(i, k) = -x[i];
  }
}

}  // namespace zwang
