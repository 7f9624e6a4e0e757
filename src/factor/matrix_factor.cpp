// SPDX-License-Identifier: BSD-3-Clause
#include "factor/matrix_factor.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "core/kernel_table.hpp"
#include "linear/cholesky.hpp"

namespace zwang {
namespace {

/// A soft row's; a hard row has none.
double stiffness_of(double R) { return R > 0 ? 1 / R : 0.0; }
double product(Index n, const double* x, const double* y) {
  double sum = 0;
  for (Index k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

}  // namespace

MatrixFactor::MatrixFactor(const Problem& problem, const char* name)
    : name_(name),
      nv_(problem.state.data.model().nv()),
      M_(nv_ * nv_),
      J_(problem.layout.capacity * nv_),
      tau_(nv_),
      b_(problem.layout.capacity),
      R_(problem.layout.capacity),
      given_(nv_),
      reach_(problem.layout.capacity * nv_),
      row_bound_(problem.layout.capacity),
      stiff_(nv_ * nv_),
      free_(nv_),
      caused_(problem.layout.capacity * nv_),
      bound_(problem.layout.capacity),
      acceleration_(nv_),
      lambda_(problem.layout.capacity) {}

/// Forms M a = tau + J^T lambda, J a + R lambda = b at the problem's state.
void MatrixFactor::form(Problem& problem) {
  Data& data = problem.state.data;
  const Tree<double>& tree = data.tree();
  const double *const q = problem.state.q.data(), *const v = problem.state.v.data();
  kernels().state->mass_matrix(&data, q, M_.data(), nv_);
  for (Index k = 0; k < tree.spanning_nv && data.damping_step > 0 && tree.passive != nullptr; ++k) {
    const auto& c = tree.column[k];
    M_[c.v * nv_ + c.v] += tree.passive[k].damping * data.damping_step * c.multiplier * c.multiplier;
  }
  std::fill_n(acceleration_.data(), nv_, 0.0);
  kernels().state->inverse_dynamics(&data, q, v, acceleration_.data(), tau_.data());
  for (Index k = 0; k < nv_; ++k) tau_[k] = problem.state.total[k] - tau_[k];
  for (Index k = 0; k < nv_; ++k) given_[k] = problem.state.prescribed.is[k] ? problem.state.prescribed.value[k] : 0.0;
  page::kinematics(problem.state.data, problem.state.q.data(), problem.state.v.data());
  problem.attach();
  take_rows(problem);
}

void MatrixFactor::take_rows(const Problem& problem) {
  const Data& data = problem.state.data;
  const Tree<double>& tree = data.tree();
  const page::RowNumbers<double>& rows = problem.rows;
  m_ = rows.m;
  std::fill_n(J_.data(), m_ * nv_, 0.0);
  std::fill_n(reach_.data(), m_ * nv_, 0.0);
  for (Index k = 0; k < m_; ++k) {
    b_[k] = -page::attached_residual(rows, k);
    R_[k] = rows.compliance[k];
    page::for_each_part(rows, k, [&](Index body, const Force<double>& K) {
      const double moment = norm(K.n) + norm(K.f) * norm(data.position.placement[body].p);  // before summation
      for (Index i = body; i > 0; i = tree.body[i].parent)
        for (Index c = tree.body[i].v; c < tree.body[i].v + tree.body[i].nv; ++c) {
          const Motion<double> s = data.articulated.column[c].s;
          const Index at = k * nv_ + tree.column[c].v;
          J_[at] += dot(s, K) * tree.column[c].multiplier;
          reach_[at] += std::fabs(tree.column[c].multiplier) * (norm(s.v) * norm(K.f) + norm(s.w) * moment);
        }
    });
    row_bound_[k] = 0;
    for (Index y = 0; y < nv_; ++y) {
      const double reach = reach_[k * nv_ + y], inertia = M_[y * nv_ + y];
      if (reach > 0 && inertia > 0) row_bound_[k] += reach * reach / inertia;
    }
  }
}

dense::KktProblem MatrixFactor::equations(const Problem& problem, const RowPolicy& policy) const {
  dense::KktProblem p;
  p.nv = nv_;
  p.m = m_;
  p.M = M_.data();
  p.J = J_.data();
  p.M_stride = p.J_stride = nv_;
  p.tau = tau_.data();
  p.b = b_.data();
  p.R = R_.data();
  p.held = problem.state.prescribed.any ? problem.state.prescribed.is.data() : nullptr;
  p.held_value = given_.data();
  p.row_parent = problem.state.data.tree().row_parent;
  p.row_bound = row_bound_.data();
  p.stop = &problem.state.interruption;
  p.tolerance = policy.pivot_tolerance(m_);
  return p;
}

/// Factors M with the stiffness of soft rows, held coordinates removed, and forms Lambda of the hard rows with it, so
/// that rank, certificates and Z have the same meaning as after a sweep. False if a coordinate has next to no inertia,
/// or a row next to no effect.
bool MatrixFactor::relate(const Problem& problem, const RowPolicy& policy, HardRows& hard) {
  const auto is_free = [&](Index y) { return !problem.state.prescribed.any || !problem.state.prescribed.is[y]; };
  std::copy_n(M_.data(), nv_ * nv_, stiff_.data());
  for (Index k = 0; k < m_ && !problem.state.interruption.asked(); ++k) {
    const double s = stiffness_of(R_[k]);
    const double* const J = J_.data() + k * nv_;
    for (Index i = 0; s > 0 && i < nv_; ++i)
      for (Index j = 0; J[i] != 0 && j < nv_; ++j) stiff_[i * nv_ + j] += s * J[i] * J[j];
  }
  for (Index y = 0; y < nv_; ++y) {
    if (is_free(y)) continue;
    for (Index i = 0; i < nv_; ++i) stiff_[i * nv_ + y] = stiff_[y * nv_ + i] = 0;
    stiff_[y * nv_ + y] = 1;
  }
  if (dense::cholesky(nv_, nv_, 0, stiff_.data(), &problem.state.interruption) >= 0 || is_rounding()) return false;
  const double ratio = gross_ratio();
  if (!(ratio < page::doubtful_ratio<double>)) return false;
  const Index h = hard.count;
  for (Index i = 0; i < h; ++i) {
    if (problem.state.interruption.asked()) return false;
    const Index k = hard.row[i];
    double* const c = caused_.data() + i * nv_;
    for (Index y = 0; y < nv_; ++y) c[y] = is_free(y) ? J_[k * nv_ + y] : 0.0;
    dense::solve_lower(nv_, nv_, stiff_.data(), c);
    const double size2 = product(nv_, c, c);
    bound_[i] = ratio * std::max(row_bound_[k], size2);  // L^-1 J^T loses g eps of its terms
    if (bound_[i] > page::doubtful_ratio<double> * size2) return false;
  }
  hard.system.gather(h, nv_, caused_.data(), bound_.data());
  hard.weighed = false;
  hard.factor(problem, policy, 1, [&](MassWeightedRows& W) {
    W.begin(nv_, 0, h);
    for (Index i = 0; i < h; ++i) std::copy_n(caused_.data() + i * nv_, nv_, W.hard_row(i));
  });
  return true;
}

/// Whether some coordinate moves nothing but the rounding of the soft rows, which is eps reach in each entry of J.
bool MatrixFactor::is_rounding() const {
  constexpr double eps = epsilon_of<double>;
  for (Index y = 0; y < nv_; ++y) {
    double noise = 0;
    for (Index k = 0; k < m_; ++k) {
      const double reach = eps * reach_[k * nv_ + y];
      noise += stiffness_of(R_[k]) * reach * (2 * std::fabs(J_[k * nv_ + y]) + reach);
    }
    const double left = stiff_[y * nv_ + y];
    if (noise * page::doubtful_ratio < double >> left * left) return true;
  }
  return false;
}

/// The largest ratio of a coordinate's inertia to what the elimination of the others leaves of it.
double MatrixFactor::gross_ratio() const {
  double ratio = 0;
  for (Index y = 0; y < nv_; ++y) {
    const double L = stiff_[y * nv_ + y];
    double row2 = 0;
    for (Index j = 0; j <= y; ++j) row2 += stiff_[y * nv_ + j] * stiff_[y * nv_ + j];
    ratio = std::max(ratio, row2 / (L * L));
  }
  return ratio;
}

/// q'' without the hard rows, and the remaining right-hand side b of these rows.
void MatrixFactor::find_free_motion(const Problem& problem, HardRows& hard) {
  const auto is_free = [&](Index y) { return !problem.state.prescribed.any || !problem.state.prescribed.is[y]; };
  for (Index y = 0; y < nv_; ++y)
    free_[y] = is_free(y) ? tau_[y] - product(nv_, M_.data() + y * nv_, given_.data()) : 0.0;
  for (Index k = 0; k < m_; ++k) {
    const double s = stiffness_of(R_[k]);
    if (s == 0) continue;
    const double lacks = s * (b_[k] - product(nv_, J_.data() + k * nv_, given_.data()));
    for (Index y = 0; y < nv_; ++y)
      if (is_free(y)) free_[y] += lacks * J_[k * nv_ + y];
  }
  dense::solve_lower(nv_, nv_, stiff_.data(), free_.data());
  hard.free_motion = std::sqrt(product(nv_, free_.data(), free_.data()));
  dense::solve_upper(nv_, nv_, stiff_.data(), free_.data());
  for (Index y = 0; y < nv_; ++y)
    if (!is_free(y)) free_[y] = given_[y];
  for (Index i = 0; i < hard.count; ++i) {
    const Index k = hard.row[i];
    hard.b[i] = b_[k] - product(nv_, J_.data() + k * nv_, free_.data());
    hard.size[i] = std::fabs(b_[k]);
  }
}

/// The answer from W where rows are in doubt.
void MatrixFactor::solve_ranked(const Problem& problem, HardRows& hard) {
  hard.system.solve(nullptr, hard.b.data(), hard.lambda.data());
  hard.by_W = true;
  std::copy_n(hard.system.ranked.motion(), nv_, acceleration_.data());
  dense::solve_upper(nv_, nv_, stiff_.data(), acceleration_.data());
  for (Index y = 0; y < nv_; ++y)
    acceleration_[y] = problem.state.prescribed.is[y] ? given_[y] : acceleration_[y] + free_[y];
  for (Index k = 0; k < m_; ++k)
    lambda_[k] = stiffness_of(R_[k]) * (b_[k] - product(nv_, J_.data() + k * nv_, acceleration_.data()));
  for (Index i = 0; i < hard.count; ++i) lambda_[hard.row[i]] += hard.lambda[i];
}

void MatrixFactor::solve(Problem& problem, const RowPolicy& policy, Answer& answer) {
  using dense::KktOutcome;
  answer.begin();
  leave_drivers_out(problem, answer);
  form(problem);
  HardRows& hard = answer.hard;
  hard.take_all(problem);
  hard.take_ranks(problem, policy.singularity);
  dense::KktAnswer found;
  found.acceleration = acceleration_.data();
  found.lambda = lambda_.data();
  factor(equations(problem, policy), found);
  if (problem.state.interruption.asked()) return;
  if (found.outcome == KktOutcome::not_finite) {
    answer.outcome = Outcome::overflow;
    return;
  }
  answer.method = name_;
  answer.converged = found.outcome != KktOutcome::not_converged;
  answer.iterations = found.iterations;
  // The sweep separates inertia from rounding, and finds which motion the rows leave.
  if (found.outcome == KktOutcome::singular_mass || !relate(problem, policy, hard)) {
    answer.outcome = Outcome::to_root;
    return;
  }
  if (problem.state.interruption.asked()) return;
  find_free_motion(problem, hard);
  // Where rows are in doubt, W decides for all methods.
  by_rank_ = answer.converged && !hard.beyond_doubt();
  if (by_rank_) solve_ranked(problem, hard);
  for (Index i = 0; i < hard.count; ++i) hard.lambda[i] = lambda_[hard.row[i]];
  std::copy_n(acceleration_.data(), nv_, answer.acceleration.data());
  for (Index k = 0; k < m_; ++k) {
    answer.lambda[k] = lambda_[k];
    answer.scale[k] = 0;
  }
  std::fill_n(answer.articulated.data(), nv_, 0.0);
  for (Index y = 0; y < nv_ && problem.state.prescribed.any; ++y)
    answer.given_torque[y] = problem.state.prescribed.is[y] ? torque_of(y) + problem.state.total[y] - tau_[y] : 0.0;
  page::kinematics(problem.state.data, problem.state.q.data(), problem.state.v.data(), acceleration_.data());
  problem.state.data.stages |= stage_factor;
}

/// Entry y of M a - J^T lambda.
double MatrixFactor::torque_of(Index y) const {
  double sum = product(nv_, M_.data() + y * nv_, acceleration_.data());
  for (Index k = 0; k < m_; ++k) sum -= J_[k * nv_ + y] * lambda_[k];
  return sum;
}

bool MatrixFactor::apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) {
  HardRows& hard = answer.hard;
  for (Index c = 0; c < sides.count; ++c) {
    for (Index y = 0; y < nv_; ++y) {
      tau_[y] = sides.tau[y][c];
      given_[y] = problem.state.prescribed.is[y] ? sides.given[y][c] : 0.0;
    }
    for (Index k = 0; k < m_; ++k) b_[k] = sides.b[k][c];
    find_free_motion(problem, hard);
    dense::KktAnswer found;
    found.acceleration = acceleration_.data();
    found.lambda = lambda_.data();
    if (by_rank_)
      solve_ranked(problem, hard);
    else
      solve_again(equations(problem, policy), found);
    using dense::KktOutcome;
    if (found.outcome == KktOutcome::not_converged || found.outcome == KktOutcome::not_finite) return false;
    for (Index i = 0; i < hard.count; ++i) hard.lambda[i] = lambda_[hard.row[i]];
    for (Index y = 0; y < nv_; ++y) {
      sides.acceleration[y].set(c, acceleration_[y]);
      sides.given_torque[y].set(c, problem.state.prescribed.any && problem.state.prescribed.is[y] ? torque_of(y) : 0.0);
      sides.articulated[y].set(c, 0.0);
    }
    for (Index k = 0; k < m_; ++k) sides.lambda[k].set(c, lambda_[k]);
    answer.iterations = std::max(found.iterations, 1);
  }
  return true;
}

}  // namespace zwang
