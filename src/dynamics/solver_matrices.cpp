// SPDX-License-Identifier: BSD-3-Clause
// Solves by the methods that work on the matrices: M, h, J and the rows' right-hand side at a state, one of the solvers
// of dense/ on them, and what is published of a solve in the same terms as after a sweep.
#include "dynamics/solver_matrices.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "core/kernel_table.hpp"
#include "dynamics/solver_impl.hpp"

namespace zwang {

Matrices::Matrices(Index nv, Index rows)
    : M(nv * nv),
      J(rows * nv),
      reach(rows * nv),
      factor(nv * nv),
      caused(rows * nv),
      Lambda(rows * rows),
      bound(rows),
      tau(nv),
      free(nv),
      b(rows),
      R(rows),
      lambda(rows),
      row_bound(rows) {}

namespace {

struct NoRoot {
  void operator()(page::RowStage<double>&) const {}
};

/// A = L L^T in place, lower triangle. The first coordinate without inertia, or -1.
Index cholesky(Index n, double* A) {
  for (Index k = 0; k < n; ++k) {
    const double size = A[k * n + k];
    double* const row = A + k * n;
    for (Index j = 0; j <= k; ++j) {
      double sum = row[j];
      for (Index i = 0; i < j; ++i) sum -= row[i] * A[j * n + i];
      if (j < k)
        row[j] = sum / A[j * n + j];
      else if (sum > 32 * epsilon_of<double> * size)
        row[k] = std::sqrt(sum);
      else
        return k;
    }
  }
  return -1;
}
void solve_lower(Index n, const double* L, double* x) {
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < k; ++j) x[k] -= L[k * n + j] * x[j];
    x[k] /= L[k * n + k];
  }
}
void solve_upper(Index n, const double* L, double* x) {
  for (Index k = n; k-- > 0;) {
    for (Index j = k + 1; j < n; ++j) x[k] -= L[j * n + k] * x[j];
    x[k] /= L[k * n + k];
  }
}

}  // namespace

/// The rows as a sweep would attach them, and nobody carries them.
void SolverImpl::attach_alone() {
  rows.early = true;  // then no Lambda is cleared, whose size is the square of the rows' number
  rows.stiffening_mass = 0;
  page::AttachRows<double> attach{data, active.data(), active.data() + active.size()};
  NoRoot nobody;
  page::RowRiders<double, page::AttachRows<double>, NoRoot> riders(data.tree(), rows, attach, nobody);
  Level<double> nowhere{};
  for (Index i = 0; i <= data.tree().n; ++i) riders.enter(i, nowhere);
  rows.early = false;
  rows.root_soft = 0;
  for (Index k = 0; k < rows.m; ++k)
    if (travels(k)) rows.root_slot[rows.root_rows++] = rows.slot[k];
  for (double& x : rows.pushed) x = 0;
  for (double& x : rows.pushed_shared) x = 0;
}

/// M a = tau + J^T lambda, J a + R lambda = b.
void SolverImpl::take_matrices() {
  Matrices& x = *matrices;
  const Tree<double>& tree = data.tree();
  const Index nv = tree.nv;
  kernels().state->mass_matrix(&data, q.data(), x.M.data(), nv);
  for (Index k = 0; k < tree.spanning_nv && data.damping_step > 0 && tree.passive != nullptr; ++k) {
    const auto& c = tree.column[k];
    x.M[c.v * nv + c.v] += tree.passive[k].damping * data.damping_step * c.multiplier * c.multiplier;
  }
  std::fill_n(x.free.data(), nv, 0.0);
  kernels().state->inverse_dynamics(&data, q.data(), v.data(), x.free.data(), x.tau.data());
  for (Index k = 0; k < nv; ++k) x.tau[k] = total[k] - x.tau[k];
  page::kinematics(data, q.data(), v.data());
  if (any_relation) evaluate_relations();
  attach_alone();
  std::fill_n(x.J.data(), rows.m * nv, 0.0);
  std::fill_n(x.reach.data(), rows.m * nv, 0.0);
  for (Index k = 0; k < rows.m; ++k) {
    single.l0[k] = page::attached_residual(rows, k);
    x.b[k] = -single.l0[k];
    x.R[k] = rows.compliance[k];
    page::for_each_part(rows, k, [&](Index body, const Force<double>& K) {
      const double moment = norm(K.n) + norm(K.f) * norm(data.position.placement[body].p);  // before it was summed up
      for (Index i = body; i > 0; i = tree.body[i].parent)
        for (Index c = tree.body[i].v; c < tree.body[i].v + tree.body[i].nv; ++c) {
          const Motion<double> s = data.articulated.column[c].s;
          const Index at = k * nv + tree.column[c].v;
          x.J[at] += dot(s, K) * tree.column[c].multiplier;
          x.reach[at] += std::fabs(tree.column[c].multiplier) * (norm(s.v) * norm(K.f) + norm(s.w) * moment);
        }
    });
    x.row_bound[k] = 0;
    for (Index y = 0; y < nv; ++y) {
      const double reach = x.reach[k * nv + y], inertia = x.M[y * nv + y];
      if (reach > 0 && inertia > 0) x.row_bound[k] += reach * reach / inertia;
    }
  }
}

/// Lambda of the hard rows, soft ones being part of M, for rank, certificates and Z: the same words as after a sweep.
Index SolverImpl::relate_rows() {
  Matrices& x = *matrices;
  const Index nv = data.tree().nv, h = rows.root_rows;
  const auto free_of = [&](Index y) { return !any_prescribed || !prescribed[y]; };
  std::copy_n(x.M.data(), nv * nv, x.factor.data());
  std::copy_n(x.tau.data(), nv, x.free.data());
  const auto stiffen = [&](Index k, double s, double wanted) {
    for (Index i = 0; i < nv; ++i) {
      if (x.J[k * nv + i] == 0) continue;
      x.free[i] += s * x.J[k * nv + i] * wanted;
      for (Index j = 0; j < nv; ++j) x.factor[i * nv + j] += s * x.J[k * nv + i] * x.J[k * nv + j];
    }
  };
  for (Index k = 0; k < rows.m; ++k) {
    if (x.R[k] > 0) stiffen(k, 1 / x.R[k], x.b[k]);
    if (stiffened && x.R[k] == 0 && x.row_bound[k] > 0) stiffen(k, 1 / x.row_bound[k], x.b[k]);
  }
  for (Index y = 0; y < nv; ++y) {
    if (free_of(y)) continue;
    for (Index i = 0; i < nv; ++i) {
      if (free_of(i)) x.free[i] -= x.factor[i * nv + y] * prescribed_value[y];
      x.factor[i * nv + y] = x.factor[y * nv + i] = 0;
    }
    x.factor[y * nv + y] = 1;
    x.free[y] = 0;
  }
  const Index singular = cholesky(nv, x.factor.data());
  if (singular >= 0) return singular;
  solve_lower(nv, x.factor.data(), x.free.data());
  double squares = 0;
  for (Index y = 0; y < nv; ++y) squares += x.free[y] * x.free[y];
  free_motion = std::sqrt(squares);
  solve_upper(nv, x.factor.data(), x.free.data());
  for (Index y = 0; y < nv; ++y)
    if (!free_of(y)) x.free[y] = prescribed_value[y];
  for (Index i = 0; i < h; ++i) {
    const Index k = attached_of[i];
    double* const c = &x.caused[i * nv];
    b_root[i] = x.b[k];
    for (Index y = 0; y < nv; ++y) {
      c[y] = free_of(y) ? x.J[k * nv + y] : 0.0;
      b_root[i] -= x.J[k * nv + y] * x.free[y];
    }
    solve_lower(nv, x.factor.data(), c);
    for (Index j = 0; j <= i; ++j) {
      double sum = 0;
      for (Index y = 0; y < nv; ++y) sum += c[y] * x.caused[j * nv + y];
      x.Lambda[i * h + j] = x.Lambda[j * h + i] = sum;
    }
    x.bound[i] = std::max(x.Lambda[i * h + i], x.row_bound[k]);
    size[i] = std::fabs(single.l0[k]);
    page::set_lane(rows.l.data(), rows.root_slot[i], -b_root[i]);
  }
  root.gather(h, x.Lambda.data(), x.bound.data());
  weighed = false;
  factor_root();
  return -1;
}

/// The motion and forces of the rank that is reported, by the factors of Lambda that tell it.
void SolverImpl::answer_as_ranked() {
  Matrices& x = *matrices;
  const Index nv = data.tree().nv;
  const RankRevealing::Measure measure{size.data(), free_motion, settings.feasibility};
  root.solve(b_root.data(), measure, nullptr, lambda_root.data());
  std::fill_n(acceleration.data(), nv, 0.0);
  for (Index i = 0; i < rows.root_rows; ++i)
    for (Index y = 0; y < nv; ++y) acceleration[y] += lambda_root[i] * x.caused[i * nv + y];
  solve_upper(nv, x.factor.data(), acceleration.data());
  for (Index y = 0; y < nv; ++y) acceleration[y] += x.free[y];
  for (Index k = 0; k < rows.m; ++k) {
    double missing = x.b[k];
    for (Index y = 0; y < nv; ++y) missing -= x.J[k * nv + y] * acceleration[y];
    x.lambda[k] = x.R[k] > 0 ? missing / x.R[k] : stiffened && x.row_bound[k] > 0 ? missing / x.row_bound[k] : 0.0;
  }
  for (Index i = 0; i < rows.root_rows; ++i) x.lambda[attached_of[i]] += lambda_root[i];
}

void SolverImpl::solve_by_matrices() {
  const Tree<double>& tree = data.tree();
  const Index nv = tree.nv;
  if (matrices == nullptr) matrices = std::make_unique<Matrices>(nv, capacity);
  Matrices& x = *matrices;
  take_matrices();
  number_rows();
  rank_rows();
  dense::KktProblem p;
  p.nv = nv;
  p.m = rows.m;
  p.M = x.M.data();
  p.J = x.J.data();
  p.M_stride = p.J_stride = nv;
  p.tau = x.tau.data();
  p.b = x.b.data();
  p.R = x.R.data();
  p.held = any_prescribed ? prescribed.data() : nullptr;
  p.held_value = prescribed_value.data();
  p.row_parent = tree.row_parent;
  p.row_bound = x.row_bound.data();
  p.tolerance = settings.tolerance;
  dense::KktAnswer answer;
  answer.acceleration = acceleration.data();
  answer.lambda = x.lambda.data();
  x.solve(method->matrices, nv, capacity, p, answer);

  massless_column = -1;
  if (answer.outcome == dense::KktOutcome::not_converged && answer.iterations > 0) {  // something is not finite
    factored = false;
    solution.report.status = Status::overflow;
    return;
  }
  converged = answer.outcome != dense::KktOutcome::not_converged;
  iterations = answer.iterations;
  stiffened = false;
  std::fill_n(uncompensated.data(), rows.m, 0.0);
  Index singular = relate_rows();
  SolveReport& r = solution.report;
  r.status = Status::ok;
  const auto column_of = [&](Index y) {
    Index k = 0;
    while (tree.column[k].v != y) ++k;
    return k;
  };
  if (singular >= 0 && answer.outcome != dense::KktOutcome::singular_mass) {
    massless_column = column_of(singular);
    stiffened = true;  // the same motion, with rows that move what has no inertia
    singular = relate_rows();
  }
  factored = singular < 0 && answer.outcome != dense::KktOutcome::singular_mass;
  if (!factored) {
    r.status = Status::singular_mass;
    r.singular_joint = detail::joint_of_coordinate(data.model(), singular >= 0 ? singular : 0).name;
    return;
  }
  // Where rows nearly depend the method's own criterion may see another rank than the report's: one of them counts.
  if (converged && answer.rank - (rows.m - rows.root_rows) != root.rank()) answer_as_ranked();
  for (Index i = 0; i < rows.root_rows; ++i) lambda_root[i] = x.lambda[attached_of[i]];
  for (Index s = 0; s < rows.blocks * page::RowStage<double>::lanes; ++s) page::set_lane(rows.lambda.data(), s, 0.0);
  for (Index k = 0; k < rows.m; ++k)
    if (rows.slot[k] >= 0) page::set_lane(rows.lambda.data(), rows.slot[k], x.lambda[k]);
  page::kinematics(data, q.data(), v.data(), acceleration.data());
  data.stages |= stage_factor;
  if (any_prescribed) find_given_forces();
}

/// What moves prescribed coordinates as they are: their rows of M a - tau - J^T lambda.
void SolverImpl::find_given_forces() {
  const Matrices& x = *matrices;
  const Tree<double>& tree = data.tree();
  for (Index k = 0; k < tree.spanning_nv; ++k) data.articulated.given_force[k] = 0;
  for (unsigned char& s : seen) s = 0;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const Index y = tree.column[k].v;
    const bool first = prescribed[y] != 0 && seen[y] == 0;
    seen[y] = 1;
    if (!first) continue;
    double force = total[y] - x.tau[y];
    for (Index i = 0; i < tree.nv; ++i) force += x.M[y * tree.nv + i] * acceleration[i];
    for (Index i = 0; i < rows.m; ++i) force -= x.J[i * tree.nv + y] * x.lambda[i];
    data.articulated.given_force[k] = force / tree.column[k].multiplier;
  }
}

}  // namespace zwang
