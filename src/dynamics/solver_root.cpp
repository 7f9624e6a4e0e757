// SPDX-License-Identifier: BSD-3-Clause
// The rows at the root, and other right-hand sides on the factorisation of the last sweep.
#include <algorithm>
#include <cmath>

#include "algorithm/support.hpp"
#include "dynamics/solver_impl.hpp"

namespace zwang {
namespace {

constexpr Index k_columns = 4;

/// Attaches rows to nobody: their residuals at zero joint acceleration, and whether they are those of the
/// factorisation.
struct CollectRows {
  const page::RowStage<double>& rows;
  double* l0;
  Index m = 0;
  bool same = true;  ///< rows of further bodies are when the first are
  using Rows = page::RowStage<double>::Rows;
  static constexpr Index lanes = page::RowStage<double>::lanes;
  Index lane_for(Index, bool) const { return m < rows.m ? rows.place[m] % lanes : 0; }
  bool eliminates_early() const { return false; }
  void expect(Index, Index) const {}
  void await(Index) const {}
  void add(Index body, Level<double>&, Index at, Index count, const Force<Rows>& K, const Rows&, const Rows& l,
           bool = false, const double* R = nullptr) {
    take(body, at, count, K, l, R);
  }
  void add_soft(Index body, Level<double>&, Index at, Index count, const Force<Rows>& K, const Rows& l,
                const double* R) {
    take(body, at, count, K, l, R);
  }
  void take(Index body, Index at, Index count, const Force<Rows>& K, const Rows& l, const double* R) {
    for (Index i = 0; i < count; ++i) {
      if (!(same = same && m < rows.m)) return;
      same = rows.body[m] == body && rows.place[m] % lanes == at + i && rows.compliance[m] == (R != nullptr ? R[i] : 0);
      const Force<double> row = page::attached_row(rows, m);
      // To rounding: the sweep that attached the rows may be compiled for another instruction set.
      double largest = 0, apart = 0;
      for (Index c = 0; c < 6; ++c) {
        largest = std::max(largest, std::fabs(row[c]));
        apart = std::max(apart, std::fabs(row[c] - page::lane<double>(&K[c], at + i)));
      }
      same = same && apart <= 256 * epsilon_of<double> * largest;
      l0[m++] = page::lane<double>(&l, at + i);
    }
  }
};

/// |q''|_M of the free motion from the u of every eliminated column.
template <class U> double motion_norm(const Data& data, U u, const Buffer<double>& shared_u) {
  const Tree<double>& tree = data.tree();
  double squares = 0;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const Eliminated<double>& e = data.articulated.column[k];
    if (e.inv_D != 0 && !tree.column[k].deferred) squares += u(k) * u(k) / e.inv_D;
  }
  for (Index y = 0; y < shared_u.size(); ++y)
    if (data.shared.order[y] >= 0) squares += shared_u[y] * shared_u[y] / data.shared.done[y].inv_D;
  return std::sqrt(squares);
}

}  // namespace

void SolveAtRoot::operator()(page::RowStage<double>&) { solver.at_root(); }

/// The rows have arrived: factor Lambda and solve.
void SolverImpl::at_root() {
  root.gather(rows);
  if (!numbered || numbered_early != rows.early) number_rows();
  weighed = false;
  rank_rows();
  factor_root();
  free_motion = std::sqrt(page::free_motion_norm2(data));
  for (Index k = 0; k < rows.m; ++k) single.l0[k] = page::attached_residual(rows, k);
  solve_at_root();
  page::scatter_rows(rows, lambda_root.data());
}

/// Which row of the sweep is which at the root, and their order as the user gave them.
void SolverImpl::number_rows() {
  Index n = 0;
  for (Index k = 0; k < rows.m; ++k) {
    const bool at_root = travels(k) && !rows.early;
    root_of[k] = at_root ? n : -1;
    if (at_root) attached_of[n++] = k;
  }
  n = 0;
  for (Index r = 0; r < row_count(); ++r)
    if (sweep_row[r] >= 0 && root_of[sweep_row[r]] >= 0) order[n++] = root_of[sweep_row[r]];
  numbered = true;
  numbered_early = rows.early;
  ranked = false;
}

/// Levels and weights as the set has them now. True where the weights ask for another factor.
bool SolverImpl::rank_rows() {
  const bool before = weighed;
  bool other = false;
  weighed = false;
  if (ranked && !any_weight) return before;  // as they were
  for (Index i = 0; i < rows.root_rows && !rows.early; ++i) {
    const Index k = attached_of[i], c = constraint_of[k];
    const Constraint& x = constraint(c);
    const double w = x.weight.empty() ? 1.0 : x.weight[row_in(k)];
    level[i] = x.priority;
    other = other || weight[i] != w;
    weight[i] = w;
    weighed = weighed || !x.weight.empty();
  }
  ranked = true;
  weighed = weighed && settings.singularity == Singularity::weighted;
  return weighed != before || (weighed && other);
}

void SolverImpl::factor_root() {
  const double tolerance = settings.tolerance > 0 ? settings.tolerance : 64 * epsilon_of<double> * rows.m;
  root.factor(weighed ? weight.data() : nullptr, tolerance);
}

/// Row acceleration that each driver causes alone, at the root: rows as many as four right-hand sides side by side.
void SolverImpl::find_uncompensated() {
  if (!leaves_out && nothing_uncompensated) return;
  for (Index k = 0; k < capacity; ++k) uncompensated[k] = 0;
  nothing_uncompensated = !leaves_out;
  if (!leaves_out) return;
  const Tree<double>& tree = data.tree();
  const page::Drivers gravity{false, true, false}, external{false, false, true};
  for (Index i = 1; i <= tree.n; ++i) {
    const Force<double> a = page::starting_force(data, i, gravity), b = page::starting_force(data, i, external);
    Force<Columns>& p = several.p[i];
    p = Force<Columns>::zero();
    for (Index c = 0; c < 6; ++c) {
      p[c].set(0, a[c]);
      p[c].set(1, b[c]);
    }
  }
  for (Index k = 0; k < tree.nv; ++k) {
    several.tau[k] = Columns(0.0);
    several.tau[k].set(2, tau[k]);
  }
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    several.given[k] = Columns(0.0);
    several.given[k].set(3, data.articulated.given[k]);
  }
  for (Index k = 0; k < rows.m; ++k) several.l0[k] = Columns(0.0);
  page::Resolve<double, Columns>(data, rows, several).inward();
  for (Index i = 0; i < rows.root_rows; ++i) {
    const Index k = attached_of[i];
    alpha[k] = several.l[rows.root_slot[i]];
    const Compensate& c = constraint(constraint_of[k]).compensate;
    uncompensated[k] = (c.gravity ? 0.0 : alpha[k][0]) + (c.external ? 0.0 : alpha[k][1]) +
                       (c.tau ? 0.0 : alpha[k][2]) + (c.prescribed ? 0.0 : alpha[k][3]);
  }
}

void SolverImpl::solve_rows(const double* b, double* x) {
  const RankRevealing::Measure measure{size.data(), free_motion, settings.feasibility};
  const bool proximal = settings.singularity == Singularity::proximal;
  const double mu = settings.regularisation > 0 ? settings.regularisation : proximal ? 1e-8 : 1e-6;
  if (settings.singularity == Singularity::damping) {
    root.solve_damped(b, mu, x);
  } else if (proximal) {
    converged = root.solve_proximal(b, mu, settings.max_iterations, x, iterations);
  } else {
    root.solve(b, measure, many_levels ? level.data() : nullptr, x);
  }
}

/// lambda of the rows at the root for the residuals that have arrived there.
void SolverImpl::solve_at_root() {
  find_uncompensated();
  converged = true;
  iterations = 1;
  if (rows.root_rows == 0) return;
  page::gather_right_hand_side(rows, b_root.data());
  for (Index i = 0; i < rows.root_rows; ++i) {
    if (!rows.early) {
      b_root[i] += uncompensated[attached_of[i]];
      size[i] = std::fabs(single.l0[attached_of[i]]);
    } else {
      size[i] = std::fabs(b_root[i]);
    }
  }
  solve_rows(b_root.data(), lambda_root.data());
}

void SolverImpl::collect(const char* function) {
  CollectRows rows_now{rows, single.l0.data()};
  Level<double> nowhere{};
  const page::AttachRows<double> attach{data, nullptr, nullptr};
  if (any_relation) evaluate_relations();
  for (const page::ActiveRows<double>& a : active) {
    if (a.rows != nullptr)
      attach.attach(a, a.rows->body, nowhere, rows_now);
    else if (a.rejoins == 0)
      attach.attach_relation(a, a.body, nowhere, rows_now);
  }
  if (rows_now.same && rows_now.m == rows.m) return;
  refuse(Status::invalid_input, "constraints");
  throw WorkspaceMismatch(std::string(function) +
                          ": other rows are active, or other compliances, than in the last solve");
}

void SolverImpl::resolve() {
  const Tree<double>& tree = data.tree();
  collect("Solver::resolve");
  // What the factorisation cannot do, a sweep can, as in solve().
  if (by_matrices() || by_tree || (rows.early && !may_be_early()) || (stiffened && answers_singular())) return sweep();
  if (rank_rows()) factor_root();
  for (Index k = 0; k < rows.m; ++k) page::set_lane(rows.l0.data(), rows.place[k], single.l0[k]);
  for (Index i = 1; i <= tree.n; ++i) single.p[i] = page::starting_force(data, i, page::Drivers{});
  for (Index k = 0; k < tree.nv; ++k) single.tau[k] = total[k];
  for (Index k = 0; k < tree.spanning_nv; ++k) single.given[k] = data.articulated.given[k];
  page::Resolve<double, double>(data, rows, single)([&](page::RightHandSide<double>& x) {
    for (Index i = 0; i < rows.root_rows; ++i) page::set_lane(rows.l.data(), rows.root_slot[i], x.l[rows.root_slot[i]]);
    free_motion = motion_norm(
        data, [&](Index k) { return x.u[k]; }, x.shared_u);
    solve_at_root();
    for (Index i = 0; i < rows.root_rows; ++i) x.lambda[rows.root_slot[i]] = lambda_root[i];
  });
  for (Index i = 0; i <= tree.n; ++i) data.acceleration.joint[i] = single.a[i];
  for (Index s = 0; s < rows.blocks * page::RowStage<double>::lanes; ++s)
    page::set_lane(rows.lambda.data(), s, single.lambda[s]);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    rows.pushed[k] = single.pushed[k];
    data.articulated.given_force[k] = single.given_force[k];
  }
  for (Index y = 0; y < tree.shared_count; ++y) rows.pushed_shared[y] = single.pushed_shared[y];
  for (Index k = 0; k < tree.nv; ++k) acceleration[k] = prescribed[k] ? prescribed_value[k] : single.qdd[k];
  solution.report.status = Status::ok;
  if (rows.early && !fits()) sweep();  // the new right-hand side contradicts itself
}

void SolverImpl::solve_four() {
  page::Resolve<double, Columns>(data, rows, several)([&](page::RightHandSide<Columns>& x) {
    for (Index c = 0; c < k_columns; ++c) {
      Buffer<double>& shared_u = single.shared_u;
      for (Index y = 0; y < shared_u.size(); ++y) shared_u[y] = x.shared_u[y][c];
      free_motion = motion_norm(
          data, [&](Index k) { return x.u[k][c]; }, shared_u);
      for (Index i = 0; i < rows.root_rows; ++i) {
        const double l = x.l[rows.root_slot[i]][c];
        b_root[i] = rows.early ? -l : left_out[attached_of[i]][c] - l;
        size[i] = rows.early ? std::fabs(l) : std::fabs(x.l0[attached_of[i]][c]);
      }
      solve_rows(b_root.data(), lambda_root.data());
      for (Index i = 0; i < rows.root_rows; ++i) x.lambda[rows.root_slot[i]].set(c, lambda_root[i]);
    }
  });
}

/// What the drivers that rows leave uncompensated cause, for torques that differ by column.
void SolverImpl::leave_out_columns() {
  bool torques = false;
  for (Index k = 0; k < rows.m; ++k) {
    const Compensate& c = constraint(constraint_of[k]).compensate;
    left_out[k] = Columns(0.0);
    if (!leaves_out || c.all() || root_of[k] < 0) continue;
    left_out[k] = Columns((c.gravity ? 0.0 : alpha[k][0]) + (c.external ? 0.0 : alpha[k][1]) +
                          (c.prescribed ? 0.0 : alpha[k][3]));
    torques = torques || !c.tau;
  }
  if (!torques) return;
  for (Index i = 1; i <= data.tree().n; ++i) several.p[i] = Force<Columns>::zero();
  for (Columns& x : several.given) x = Columns(0.0);
  for (Index k = 0; k < rows.m; ++k) several.l0[k] = Columns(0.0);
  page::Resolve<double, Columns>(data, rows, several).inward();
  for (Index i = 0; i < rows.root_rows; ++i)
    if (!constraint(constraint_of[attached_of[i]]).compensate.tau)
      left_out[attached_of[i]] += several.l[rows.root_slot[i]];
}

void SolverImpl::solve_columns(MatrixIn tau_in, MatrixIn beta, MatrixOut acceleration_out, MatrixOut multipliers) {
  const Tree<double>& tree = data.tree();
  const Index count = static_cast<Index>(tau_in.cols()), nv = tree.nv;
  if ((rows.early && !may_be_early()) || (stiffened && answers_singular()))
    throw std::logic_error(
        "Solver::solve_columns: the settings or levels are others than in the last solve, and ask for "
        "another factorisation; call solve() first");
  collect("Solver::solve_columns");
  for (Index k = 0; k < rows.m; ++k) {  // what they are without any beta
    single.l0[k] += constraint(constraint_of[k]).beta[row_in(k)];
  }
  if (rank_rows()) factor_root();
  if (!rows.early) find_uncompensated();
  const double before = free_motion;
  for (Index c = 0; c < count; ++c)
    for (Index r = 0; r < row_count(); ++r) multipliers(r, c) = 0;
  for (Index first = 0; first < count; first += k_columns) {
    const Index here = std::min<Index>(k_columns, count - first);
    const auto column = [&](Index c) { return first + std::min(c, here - 1); };
    for (Index k = 0; k < nv; ++k)
      for (Index c = 0; c < k_columns; ++c) several.tau[k].set(c, tau_in(k, column(c)));
    leave_out_columns();
    for (Index k = 0; k < nv; ++k) several.tau[k] += Columns(total[k] - tau[k]);
    for (Index i = 1; i <= tree.n; ++i) several.p[i] = widen<Columns>(page::starting_force(data, i, page::Drivers{}));
    for (Index k = 0; k < tree.spanning_nv; ++k) several.given[k] = Columns(data.articulated.given[k]);
    for (Index k = 0; k < rows.m; ++k)
      for (Index c = 0; c < k_columns; ++c) several.l0[k].set(c, single.l0[k] - beta(row_of[k], column(c)));
    solve_four();
    for (Index c = 0; c < here; ++c) {
      for (Index k = 0; k < nv; ++k)
        acceleration_out(k, first + c) = prescribed[k] ? prescribed_value[k] : several.qdd[k][c];
      for (Index k = 0; k < rows.m; ++k) multipliers(row_of[k], first + c) = several.row[k][c];
    }
  }
  free_motion = before;
}

/// K s of a row of the sweep along a column of the tree, with everything between them rigid.
double SolverImpl::row_of_jacobian(Index k, Index column) const {
  const auto& c = data.tree().column[column];
  double sum = 0;
  page::for_each_part(rows, k, [&](Index i, const Force<double>& K) {
    if (i >= c.body && i < data.tree().body[c.body].last) sum += dot(data.articulated.column[column].s, K);
  });
  return sum * c.multiplier;
}

void SolverImpl::constraint_jacobian(MatrixOut out) const {
  const Tree<double>& tree = data.tree();
  Index i = 0;
  for (Index r = 0; r < row_count(); ++r) {
    if (sweep_row[r] < 0) continue;
    for (Index y = 0; y < tree.nv; ++y) out(i, y) = 0;
    for (Index k = 0; k < tree.spanning_nv; ++k) out(i, tree.column[k].v) += row_of_jacobian(sweep_row[r], k);
    ++i;
  }
}
void SolverImpl::constraint_target(VectorOut out) const {
  Index i = 0;
  for (Index r = 0; r < row_count(); ++r)
    if (sweep_row[r] >= 0) out(i++) = uncompensated[sweep_row[r]] - page::attached_residual(rows, sweep_row[r]);
}

/// Columns of Lambda^+, of M^-1 J^T Lambda^+, or of 1 - M^-1 J^T Lambda^+ J: motions without any driver.
void SolverImpl::operator_columns(MatrixOut out, Operator which) {
  const Tree<double>& tree = data.tree();
  const Singularity policy = settings.singularity;
  const bool levels = many_levels;
  const double before = free_motion;
  if (policy != Singularity::weighted) settings.singularity = Singularity::truncation;
  many_levels = false;
  Index n = 0;  // active rows in the user's order
  for (Index r = 0; r < row_count(); ++r)
    if (sweep_row[r] >= 0) active_row[n++] = sweep_row[r];
  const Index count = static_cast<Index>(out.cols());
  for (Index first = 0; first < count; first += k_columns) {
    for (Index i = 1; i <= tree.n; ++i) several.p[i] = Force<Columns>::zero();
    for (Columns& x : several.tau) x = Columns(0.0);
    for (Columns& x : several.given) x = Columns(0.0);
    for (Index k = 0; k < rows.m; ++k) several.l0[k] = left_out[k] = Columns(0.0);
    const Index here = std::min<Index>(k_columns, count - first);
    for (Index c = 0; c < here; ++c) ask_of_operator(which, first + c, c);
    solve_four();
    for (Index c = 0; c < here; ++c) {
      for (Index k = 0; which == Operator::inertia && k < n; ++k)
        out(k, first + c) = travels(active_row[k]) ? several.row[active_row[k]][c] : 0.0;
      for (Index k = 0; which != Operator::inertia && k < tree.nv; ++k) {
        const double x = prescribed[k] ? 0.0 : several.qdd[k][c];
        out(k, first + c) = which == Operator::projector ? (k == first + c ? 1.0 : 0.0) - x : x;
      }
    }
  }
  settings.singularity = policy;
  many_levels = levels;
  free_motion = before;
}

/// What column `column` of an operator asks of the rows: one of them 1, or all of them what a unit of a coordinate
/// would cause.
void SolverImpl::ask_of_operator(Operator which, Index column, Index lane) {
  if (which != Operator::projector) {
    const Index k = active_row[column];
    if (travels(k)) several.l0[k].set(lane, -1);
    return;
  }
  const Tree<double>& tree = data.tree();
  for (Index j = 0; j < tree.spanning_nv; ++j)
    for (Index k = 0; tree.column[j].v == column && k < rows.m; ++k)
      if (travels(k)) several.l0[k].set(lane, several.l0[k][lane] - row_of_jacobian(k, j));
}

}  // namespace zwang
