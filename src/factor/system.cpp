// SPDX-License-Identifier: BSD-3-Clause
#include "factor/system_impl.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "linear/kkt_cod.hpp"
#include "linear/kkt_lu.hpp"
#include "linear/kkt_qr.hpp"
#include "linear/null_space.hpp"
#include "linear/orthogonal.hpp"
#include "linear/range_space.hpp"
#include "zwang/core/error.hpp"
#include "zwang/factor/methods.hpp"

namespace zwang {
namespace {

constexpr double k_eps = SystemImpl::k_eps;
constexpr const char* k_solve = "SystemSolver::solve";
constexpr int k_refinements = 2;  // of every answer

template <class Workspace> struct MatrixMethodBy final : MatrixMethod {
  MatrixMethodBy(Index n, Index m) : workspace(n, m) {}
  void solve(const dense::KktProblem& p, dense::KktAnswer& answer) override { workspace.solve(p, answer); }
  void solve_again(const dense::KktProblem& p, dense::KktAnswer& answer) override { workspace.solve_again(p, answer); }
  Workspace workspace;
};
template <class Workspace> std::unique_ptr<MatrixMethod> make_method(Index n, Index m) {
  return std::make_unique<MatrixMethodBy<Workspace>>(n, m);
}
struct NamedMethod {
  const char* name;
  std::unique_ptr<MatrixMethod> (*make)(Index n, Index m);
  bool definite = false;  ///< it needs M^-1
};
constexpr NamedMethod k_methods[] = {{"dense_cod", make_method<dense::KktCodWorkspace>},
                                     {"dense_lu", make_method<dense::KktLuWorkspace>},
                                     {"dense_qr", make_method<dense::KktQrWorkspace>},
                                     {"range_space", make_method<dense::RangeSpaceWorkspace>, true},
                                     {"null_space", make_method<dense::NullSpaceWorkspace>}};

const NamedMethod& method_named(const std::string& name) {
  std::string all;
  for (const NamedMethod& m : k_methods) {
    if (name == m.name) return m;
    all += (all.empty() ? "" : ", ") + std::string(m.name);
  }
  for (const std::string& other : methods())
    if (name == other)
      throw UnsupportedError("SystemSolver: method '" + name + "' needs a model; those on matrices are " + all);
  detail::throw_unknown("method", name, system_methods());
}

void check_matrix(const char* argument, long rows, long columns, long expected_rows, long expected_columns) {
  if (rows == expected_rows && columns == expected_columns) return;
  const auto text = [](long r, long c) { return std::to_string(r) + " x " + std::to_string(c); };
  throw std::invalid_argument("E_SIZE " + std::string(k_solve) + ": argument '" + argument + "' is " +
                              text(rows, columns) + ", expected " + text(expected_rows, expected_columns));
}

[[noreturn]] void refuse(const std::string& argument, const std::string& found, const std::string& expected) {
  throw std::invalid_argument("E_NUMBER " + std::string(k_solve) + ": argument '" + argument + "' " + found +
                              ", expected " + expected);
}

void take(const char* argument, VectorIn given, Index size, double* out) {
  if (given.size() != size) detail::throw_size(k_solve, argument, given.size(), size);
  for (Index i = 0; i < size; ++i) {
    out[i] = given[i];
    if (!std::isfinite(out[i])) detail::throw_not_finite(k_solve, argument, i, out[i]);
  }
}

/// Row by row.
void take(const char* argument, MatrixIn given, double* out) {
  const Index rows = static_cast<Index>(given.rows()), columns = static_cast<Index>(given.cols());
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      const double x = out[i * columns + j] = given(i, j);
      if (!std::isfinite(x)) detail::throw_not_finite(k_solve, argument, static_cast<long>(i) * columns + j, x);
    }
}

std::string entry(Index i, Index j) { return "(" + std::to_string(i) + ", " + std::to_string(j) + ")"; }

/// A pivot of a semidefinite matrix with ones on its diagonal that is not above this is rounding.
double pivot_rounding(Index n) { return 16 * k_eps * (n + 1); }

/// Cholesky with the largest pivot first. Returns the number of pivots above their rounding and leaves in A what they
/// do not explain.
Index pivots(double* A, Index n) {
  for (Index step = 0; step < n; ++step) {
    Index best = 0;
    for (Index k = 1; k < n; ++k)
      if (A[k * n + k] > A[best * n + best]) best = k;
    const double pivot = A[best * n + best];
    if (!(pivot > pivot_rounding(n))) return step;
    for (Index i = 0; i < n; ++i) {
      const double part = A[i * n + best] / pivot;
      if (i == best || part == 0) continue;
      for (Index j = 0; j < n; ++j)
        if (j != best) A[i * n + j] -= part * A[best * n + j];
    }
    for (Index k = 0; k < n; ++k) A[k * n + best] = A[best * n + k] = 0;
  }
  return n;
}

}  // namespace

/// M symmetric and semidefinite, by Cholesky with pivots on the matrix with ones on its diagonal.
void SystemImpl::check() {
  const double rounding = 1024 * k_eps * (n + 1);
  for (Index i = 0; i < n; ++i) {
    if (M[i * n + i] < 0) refuse("M", "has " + std::to_string(M[i * n + i]) + " at " + entry(i, i), "0 or more");
    scale[i] = M[i * n + i] > 0 ? 1 / std::sqrt(M[i * n + i]) : 0.0;
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      const double a = M[i * n + j], c = M[j * n + i];
      const double size = std::sqrt(M[i * n + i]) * std::sqrt(M[j * n + j]);
      if (std::fabs(a - c) > rounding * std::fmax(size, std::fmax(std::fabs(a), std::fabs(c))))
        refuse("M", "is not symmetric at " + entry(i, j), "M = M^T");
      if (std::fabs(a) > (1 + rounding) * size)
        refuse("M", "is not semidefinite: the entry at " + entry(i, j) + " is too large for its diagonal",
               "a positive semidefinite matrix");
    }
  double* const A = work.data();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) A[i * n + j] = M[i * n + j] * scale[i] * scale[j];
  definite = pivots(A, n) == n;
  for (Index k = 0; k < n * n; ++k)
    if (std::fabs(A[k]) > 16 * rounding) refuse("M", "is not semidefinite", "a positive semidefinite matrix");
  for (Index i = 0; i < m; ++i)
    if (R[i] < 0) refuse("R", "has " + std::to_string(R[i]) + " in entry " + std::to_string(i), "0 or more");
}

dense::KktProblem SystemImpl::problem(const double* right, const double* right_rows) const {
  dense::KktProblem p;
  p.nv = n;
  p.m = m;
  p.M = M.data();
  p.M_stride = p.J_stride = n;
  p.tau = right;
  p.J = J.data();
  p.b = right_rows;
  p.R = R.data();
  p.row_parent = parent.data();
  return p;
}

/// tau := f + J^T lambda - M x,  b := target - J x - R lambda
void SystemImpl::residual() {
  for (Index i = 0; i < n; ++i) {
    Long sum = f[i];
    for (Index k = 0; k < m; ++k) sum += static_cast<Long>(J[k * n + i]) * lambda[k];
    for (Index j = 0; j < n; ++j) sum -= static_cast<Long>(M[i * n + j]) * x[j];
    tau[i] = static_cast<double>(sum);
  }
  for (Index k = 0; k < m; ++k) {
    Long sum = static_cast<Long>(target[k]) - static_cast<Long>(R[k]) * lambda[k];
    for (Index j = 0; j < n; ++j) sum -= static_cast<Long>(J[k * n + j]) * x[j];
    b[k] = static_cast<double>(sum);
  }
}

/// The correction for what is left of both equations, by the same factor. Where rows contradict each other it leaves
/// their least squares alone. False if there is none.
bool SystemImpl::refine() {
  residual();
  dense::KktAnswer answer;
  answer.acceleration = dx.data();
  answer.lambda = dlambda.data();
  method->solve_again(problem(tau.data(), b.data()), answer);
  if (answer.outcome != dense::KktOutcome::ok && answer.outcome != dense::KktOutcome::singular_rows) return false;
  for (Index i = 0; i < n; ++i) x[i] += dx[i];
  for (Index k = 0; k < m; ++k) lambda[k] += dlambda[k];
  return true;
}

/// R lambda = target where J has no entry; lambda = 0 without R.
void SystemImpl::settle_empty_rows() {
  for (Index k = 0; k < m; ++k) {
    const double* const row = J.data() + k * n;
    if (std::all_of(row, row + n, [](double entry) { return entry == 0; })) lambda[k] = R[k] > 0 ? target[k] / R[k] : 0;
  }
}

/// Puts a row with the scale of the inertia into `work`, orthogonal to those kept; a soft row also moves a coordinate
/// of its own. Keeps it where what is left of it exceeds the tolerance, of the squared sine.
bool SystemImpl::keep(Index k, double tolerance) {
  const Index width = n + m;
  double* const row = work.data() + kept * width;
  double before = 0, after = 0, largest = 0;
  std::fill_n(row, width, 0.0);
  for (Index j = 0; j < n; ++j) row[j] = J[k * n + j] * scale[j];
  row[n + k] = std::sqrt(R[k]);
  for (Index j = 0; j < width; ++j) largest = std::fmax(largest, std::fabs(row[j]));
  for (Index j = 0; largest > 0 && j < width; ++j) {
    row[j] /= largest;
    before += row[j] * row[j];
  }
  dense::orthogonalise(kept, work.data(), width, width, row);
  for (Index j = 0; j < width; ++j) after += row[j] * row[j];
  if (!(after > tolerance * before)) return false;
  for (Index j = 0; j < width; ++j) row[j] /= std::sqrt(after);
  ++kept;
  return true;
}

void SystemImpl::find_redundant(SystemReport& facts, double tolerance) {
  facts.redundant.clear();
  for (Index i = 0; i < n; ++i) scale[i] = M[i * n + i] > 0 ? 1 / std::sqrt(M[i * n + i]) : 1.0;
  kept = 0;
  for (Index k = 0; k < m; ++k)
    if (!keep(k, tolerance)) facts.redundant.push_back(k);
}

/// Methods measure angles in metrics of their own. Of rows near the tolerance the list says what the method decided.
void SystemImpl::agree_on_redundant(SystemReport& facts) {
  const Index lost = m - facts.rank;
  obeyed = 64 * k_eps * std::max(m, 1);
  find_redundant(facts, obeyed);
  for (int step = 0; step < 16; ++step) {
    const Index found = static_cast<Index>(facts.redundant.size());
    if (found == lost) return;
    obeyed *= found < lost ? 4 : 0.25;
    find_redundant(facts, obeyed);
  }
}

/// No motion is without inertia and without a row: M + Q^T Q is definite, Q: the independent rows.
bool SystemImpl::is_determined() {
  const Index width = n + m;
  double* const A = stiffness.data();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      double sum = M[i * n + j] * scale[i] * scale[j];
      for (Index k = 0; k < kept; ++k) sum += work[k * width + i] * work[k * width + j];
      A[i * n + j] = sum;
    }
  for (Index i = 0; i < n; ++i) {
    if (!(A[i * n + i] > 0)) return false;
    dx[i] = 1 / std::sqrt(A[i * n + i]);
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) A[i * n + j] *= dx[i] * dx[j];
  return pivots(A, n) == n;
}

void SystemImpl::fail(SystemReport& facts, Status status) {
  for (Index i = 0; i < n; ++i) x[i] = 0;
  for (Index k = 0; k < m; ++k) lambda[k] = 0;
  facts.status = status;
  facts.rank = 0;
  facts.residual = facts.objective = 0;
  facts.redundant.clear();
  facts.infeasible.clear();
}

std::vector<std::string> system_methods() {
  std::vector<std::string> names;
  for (const NamedMethod& m : k_methods) names.emplace_back(m.name);
  return names;
}

std::shared_ptr<SystemImpl> SystemSolver::make(Index n, Index m, const std::string& method) {
  if (n < 0 || m < 0)
    throw std::invalid_argument("E_SIZE SystemSolver: sizes " + std::to_string(n) + " and " + std::to_string(m) +
                                ", expected 0 or more");
  const std::int64_t all = std::int64_t{n} + m, most = all * (std::int64_t{std::max(n, m)} + 1);
  if (most > std::numeric_limits<Index>::max())
    throw std::invalid_argument("E_SIZE SystemSolver: sizes " + std::to_string(n) + " and " + std::to_string(m) +
                                ", expected matrices of fewer than 2^31 entries");
  const NamedMethod& named = method_named(method);
  return std::make_shared<SystemImpl>(n, m, named.make(n, m), named.definite);
}

SystemSolver::SystemNumbers SystemSolver::compute(const std::shared_ptr<SystemImpl>& impl, MatrixIn M, MatrixIn J,
                                                  VectorIn f, VectorIn target, VectorIn R, SystemReport& facts) {
  if (impl == nullptr) throw std::logic_error(std::string(k_solve) + ": this solver was moved from");
  SystemImpl& s = *impl;
  const Index n = static_cast<Index>(f.size()), m = static_cast<Index>(target.size());
  if (n > s.n_most) detail::throw_size(k_solve, "f", n, s.n_most);
  if (m > s.m_most) detail::throw_size(k_solve, "target", m, s.m_most);
  check_matrix("M", M.rows(), M.cols(), n, n);
  check_matrix("J", J.rows(), J.cols(), m, n);
  s.n = n;
  s.m = m;
  take("M", M, s.M.data());
  take("J", J, s.J.data());
  take("f", f, n, s.f.data());
  take("target", target, m, s.target.data());
  for (Index k = 0; k < m; ++k) s.R[k] = 0;
  if (R.size() > 0) take("R", R, m, s.R.data());
  s.check();

  facts.redundant.clear();
  facts.infeasible.clear();
  facts.status = Status::ok;
  facts.rows = m;
  dense::KktAnswer answer;
  answer.acceleration = s.x.data();
  answer.lambda = s.lambda.data();
  s.method->solve(s.problem(s.f.data(), s.target.data()), answer);
  if (s.needs_definite && !s.definite && answer.outcome != dense::KktOutcome::not_finite)
    answer.outcome = dense::KktOutcome::singular_mass;
  switch (answer.outcome) {
    case dense::KktOutcome::ok:
    case dense::KktOutcome::singular_rows: break;
    case dense::KktOutcome::singular_mass: s.fail(facts, Status::singular_mass); break;
    case dense::KktOutcome::not_finite: s.fail(facts, Status::overflow); break;
    default: s.fail(facts, Status::not_converged);
  }
  if (facts.status == Status::ok) {
    facts.rank = answer.rank;
    s.agree_on_redundant(facts);
    if (!s.is_determined()) {
      s.fail(facts, Status::singular_mass);
    } else {
      for (int step = 0; step < k_refinements; ++step) s.refine();
      s.settle_empty_rows();
      s.certify(facts);
    }
  }
  return {s.x.data(), s.lambda.data(), n, m};
}

}  // namespace zwang
