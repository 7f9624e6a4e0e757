// SPDX-License-Identifier: BSD-3-Clause
#include "linear/test_forces.hpp"

namespace zwang::dense {

TestForcesWorkspace::TestForcesWorkspace(Index nv, Index m)
    : equations_(nv, m),
      path_(nv, m),
      rows_(m),
      caused_(nv * m),
      b_(m) {}

void TestForcesWorkspace::solve(const KktProblem& p, KktAnswer& answer) {
  Equations& e = equations_;
  if (!e.take(p, answer)) return;
  if (!path_.factor(e.n, p.row_parent, e.M.data(), e.stride))
    return Equations::fail(p, answer, KktOutcome::singular_mass);
  const page::TreeFactor<double>& L = path_();
  for (Index i = 0; i < e.m && !is_asked(p.stop); ++i) {
    double* const x = caused_.data() + i * e.stride;
    for (Index k = 0; k < e.n; ++k) x[k] = e.row(i)[k];
    path_.to_root(i, x);
    for (Index k = 0; k < e.n; ++k) x[k] /= L.at(k, k);
    page::ltl_solve_lower(L, x);
    path_.find_support(i, e.row(i));
    for (Index j = 0; j <= i; ++j) rows_.row(i)[j] = path_.product(i, e.row(i), caused_.data() + j * e.stride);
    rows_.row(i)[i] += e.R[i];
  }
  if (!is_asked(p.stop)) rows_.factor(e.m, e.tolerance, p.stop);
  if (is_asked(p.stop)) return Equations::fail(p, answer, KktOutcome::not_converged);
  answer_right(p, answer);
}

void TestForcesWorkspace::solve_again(const KktProblem& p, KktAnswer& answer) {
  if (equations_.take_right(p, answer)) answer_right(p, answer);
}

void TestForcesWorkspace::answer_right(const KktProblem& p, KktAnswer& answer) {
  Equations& e = equations_;
  double* const a = e.tau.data();
  page::ltl_solve(path_(), a);  // the free motion
  for (Index i = 0; i < e.m; ++i) b_[i] = e.b[i] - path_.product(i, e.row(i), a);
  rows_.solve(b_.data(), answer.lambda);
  for (Index i = 0; i < e.m; ++i) subtract_multiple(e.n, -answer.lambda[i], caused_.data() + i * e.stride, a);
  for (Index k = 0; k < e.n; ++k) answer.acceleration[k] = a[k];
  answer.rank = rows_.rank();
  Equations::finish(p, answer);
}

}  // namespace zwang::dense
