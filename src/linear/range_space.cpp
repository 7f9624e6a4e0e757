// SPDX-License-Identifier: BSD-3-Clause
#include "linear/range_space.hpp"

namespace zwang::dense {

RangeSpaceWorkspace::RangeSpaceWorkspace(Index nv, Index m)
    : equations_(nv, m),
      path_(nv, m),
      rows_(m),
      weighted_(nv),
      b_(m),
      w_(nv) {}

void RangeSpaceWorkspace::solve(const KktProblem& p, KktAnswer& answer) {
  Equations& e = equations_;
  if (!e.take(p, answer)) return;
  if (!path_.factor(e.n, p.row_parent, e.M.data(), e.stride))
    return Equations::fail(p, answer, KktOutcome::singular_mass);
  const page::TreeFactor<double>& L = path_();
  for (Index k = 0; k < e.n; ++k) w_[k] = 1 / L.at(k, k);
  for (Index i = 0; i < e.m && !is_asked(p.stop); ++i) {  // J becomes Y^T
    path_.to_root(i, e.row(i));
    path_.for_each_run(i, [&](Index j, Index count) {
      for (Index k = j; k < j + count; ++k) weighted_[k] = e.row(i)[k] * w_[k];
    });
    for (Index j = 0; j <= i; ++j) rows_.row(i)[j] = path_.product(i, weighted_.data(), e.row(j));
    rows_.row(i)[i] += e.R[i];
  }
  if (!is_asked(p.stop)) rows_.factor(e.m, e.tolerance, p.stop);
  if (is_asked(p.stop)) return Equations::fail(p, answer, KktOutcome::not_converged);
  answer_right(p, answer);
}

void RangeSpaceWorkspace::solve_again(const KktProblem& p, KktAnswer& answer) {
  if (equations_.take_right(p, answer)) answer_right(p, answer);
}

void RangeSpaceWorkspace::answer_right(const KktProblem& p, KktAnswer& answer) {
  Equations& e = equations_;
  const page::TreeFactor<double>& L = path_();
  double* const t = e.tau.data();  // L^-T tau, then L^-T (tau + J^T lambda), then a
  page::ltl_solve_transposed(L, t);
  for (Index k = 0; k < e.n; ++k) w_[k] = t[k] / L.at(k, k);
  for (Index i = 0; i < e.m; ++i) b_[i] = e.b[i] - path_.product(i, e.row(i), w_.data());
  rows_.solve(b_.data(), answer.lambda);
  for (Index i = 0; i < e.m; ++i)
    path_.for_each_run(i,
                       [&](Index j, Index count) { subtract_multiple(count, -answer.lambda[i], e.row(i) + j, t + j); });
  for (Index k = 0; k < e.n; ++k) t[k] /= L.at(k, k);
  page::ltl_solve_lower(L, t);
  for (Index k = 0; k < e.n; ++k) answer.acceleration[k] = t[k];
  answer.rank = rows_.rank();
  if (answer.rank < e.m) answer.outcome = KktOutcome::singular_rows;
  Equations::finish(p, answer);
}

}  // namespace zwang::dense
