// SPDX-License-Identifier: BSD-3-Clause
// All derivatives of a solution by q, v, tau and beta.
#include <algorithm>

#include "core/kernel_table.hpp"
#include "linear/vectors.hpp"
#include "question/derivatives/linearised.hpp"

namespace zwang {
namespace {

/// f(k) for every column on the path of a body.
template <class F> void for_path(const Tree<double>& tree, Index body, F&& f) {
  for (Index i = body; i > 0; i = tree.body[i].parent)
    for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k) f(k);
}

/// Columns of a path seen from the point of a pair.
struct Path {
  const Data& data;
  Index body;
  Vec3<double> to;
  Motion<double> column(Index k) const {
    return with_reference_point(Motion<double>(data.articulated.column[k].s), -to);
  }
  template <class F> void each(F&& f) const {
    for_path(data.tree(), body, [&](Index k) { f(k, column(k)); });
  }
};

}  // namespace

/// out += sign d(J^T lambda)/dq, lambda held. Without `with_own` what wrenches add that turn with other bodies than
/// their own; the rest is in the derivatives of inverse dynamics.
void Linearised::add_wrench_derivatives(Of which, bool with_own, double sign, Matrix& out) const {
  const Data& data = problem_.state.data;
  const Tree<double>& tree = data.tree();
  const auto add = [&](Index t, Index r, double x) {
    const auto &row = tree.column[t], &column = tree.column[r];
    out(row.v, column.v) += sign * x * row.multiplier * column.multiplier;
  };
  for (const PairWrench& pair : rows_.pairs) {
    if (!counts(pair.row, which)) continue;
    const Path a{data, pair.a, pair.to_a}, b{data, pair.b, pair.to_b};
    for (const bool second : {false, true})
      (second ? b : a).each([&](Index r, const Motion<double>& s_r) {
        const Force<double> turned = pair.turned_by(s_r) * (second ? 1.0 : -1.0);
        const Force<double> on_b = turned - cross(s_r, pair.F) * (second ? 1.0 : -1.0);
        a.each([&](Index t, const Motion<double>& s_t) { add(t, r, -dot(s_t, turned)); });
        b.each([&](Index t, const Motion<double>& s_t) { add(t, r, dot(s_t, on_b)); });
      });
  }
  const auto column = [&](Index k) { return Motion<double>(data.articulated.column[k].s); };
  for (const AxesWrench& wrench : rows_.axes)
    if (counts(wrench.row, which))
      for_path(tree, wrench.axes, [&](Index r) {
        const Force<double> turned = wrench.W * column(r);
        for_path(tree, wrench.b, [&](Index t) { add(t, r, dot(column(t), turned)); });
      });
  for (const CoordinateForce& force : rows_.forces)
    if (counts(force.row, which)) out(force.v, force.v) += sign * force.by_q;
  if (!with_own) return;
  const page::SpanningState<double> state(data, problem_.state.q.data(), nullptr, nullptr);
  for (const RowPart& part : rows_.parts) {
    if (!counts(part.row, which)) continue;
    const Force<double> F = part.K * lambda_[part.row];
    for_path(tree, part.body, [&](Index r) {
      const Force<double> turned = cross(column(r), F);
      for_path(tree, tree.body[tree.column[r].body].parent, [&](Index t) { add(t, r, dot(column(t), turned)); });
    });
    for (Index i = part.body; i > 0; i = tree.body[i].parent)
      page::for_turned_columns(data, state.in, i, F,
                               [&](Index a, Index b, double x) { add(tree.body[i].v + a, tree.body[i].v + b, x); });
  }
  for (const OwnWrench& wrench : rows_.turning)
    if (counts(wrench.row, which))
      for_path(tree, wrench.body, [&](Index r) {
        const Force<double> turned = wrench.W * column(r);
        for_path(tree, wrench.body, [&](Index t) { add(t, r, -dot(column(t), turned)); });
      });
}

/// ask(column, lane) states the right-hand side of a column; torques at prescribed coordinates start from it.
template <class Ask> const char* Linearised::solve_columns(JacobianView SolutionJacobian::*by, Ask&& ask) {
  Matrix a = own(derivatives_.acceleration.*by), l = own(derivatives_.multipliers.*by),
         t = own(derivatives_.motor_torque.*by);
  const Index nv = a.rows(), count = a.cols();
  for (Index first = 0; first < count; first += RightHandSides::most) {
    const Index here = std::min<Index>(RightHandSides::most, count - first);
    ask_nothing(here);
    for (Index c = 0; c < here; ++c) ask(first + c, c);
    if (const char* why = respond()) return why;
    for (Index c = 0; c < here; ++c) {
      for (Index y = 0; y < nv; ++y) a(y, first + c) = sides_.acceleration[y][c];
      for (Index k = 0; k < problem_.rows.m; ++k) l(row_of(k), first + c) = sides_.lambda[k][c];
      for (Index y = 0; problem_.state.prescribed.any && y < nv; ++y)
        if (problem_.state.prescribed.is[y]) t(y, first + c) += sides_.given_torque[y][c];
    }
  }
  return nullptr;
}

/// Whether the rows are hard and independent, nothing is prescribed, and M has no dampers in it.
bool Linearised::may_eliminate() const {
  const Answer& answer = parts_.answer;
  const SolveReport& report = parts_.solution.report;
  if (report.status != Status::ok || report.rank < report.rows || problem_.rows.traits.soft) return false;
  if (problem_.state.prescribed.any || problem_.state.data.damping_step > 0) return false;
  if (answer.stiffened || answer.careful || answer.compressed != nullptr) return false;
  return RowPolicy(parts_.settings).is_exact() && problem_.rows.m <= problem_.state.data.tree().nv;
}

/// All four inputs by elimination, which has begun. Returns whether all is finite.
bool Linearised::eliminate() {
  SolutionDerivatives& d = derivatives_;
  Elimination& elimination = *scratch_.elimination;
  RowMatrices& rows = *scratch_.rows;
  const Index nv = problem_.state.data.tree().nv, m = rows.rows();
  bool finite = true;
  const auto take = [&](JacobianView SolutionJacobian::*by, auto&& columns) {
    Matrix a = own(d.acceleration.*by), l = own(d.multipliers.*by);
    double* const compact = scratch_.compact.data();
    const bool all = rows.are_all(), by_beta = by == &SolutionJacobian::beta;
    const Elimination::Out out{all ? a.data() : compact, all ? l.data() : compact + ResultMemory::apart(nv * nv)};
    finite &= columns(out);
    if (all) return;
    for (Index c = 0; c < (by_beta ? m : nv); ++c) {
      const Index to = by_beta ? rows.row_in_set(c) : c;
      for (Index y = 0; y < nv; ++y) a(y, to) = out.acceleration[c * nv + y];
      for (Index k = 0; k < m; ++k) l(rows.row_in_set(k), to) = out.multipliers[c * m + k];
    }
  };
  using Out = Elimination::Out;
  const Residuals& r = residuals_;
  const bool turn_with_others = !rows_.pairs.empty() || !rows_.axes.empty();  // wrenches: add_wrench_derivatives()
  take(&SolutionJacobian::q,
       [&](const Out& out) { return elimination.by_state(r.torque_by_q.data(), !turn_with_others, rows.by_q(), out); });
  take(&SolutionJacobian::v,
       [&](const Out& out) { return elimination.by_state(r.torque_by_v.data(), true, rows.by_v(), out); });
  take(&SolutionJacobian::tau, [&](const Out& out) { return elimination.by_torque(out); });
  take(&SolutionJacobian::beta, [&](const Out& out) { return elimination.by_beta(out); });
  return finite;
}

/// One right-hand side for each column.
const char* Linearised::solve_all_columns() {
  const Problem& p = problem_;
  const Index nv = p.state.data.tree().nv, m = p.rows.m;
  RowMatrices& matrices = *scratch_.rows;
  const auto from = [&](const Matrix& torque, const double* rows) {
    return [&, rows](Index column, Index lane) {
      const double* const b = rows + column * matrices.height();
      for (Index y = 0; y < nv; ++y) sides_.tau[y].set(lane, -torque(y, column));
      for (Index k = 0; k < m; ++k) sides_.b[k].set(lane, -b[matrices.row_of_sweep(k)]);
    };
  };
  const auto unit_torque = [&](Index column, Index lane) {
    if (!p.state.prescribed.is[column]) sides_.tau[column].set(lane, 1);
  };
  const auto unit_beta = [&](Index column, Index lane) {
    if (const Index k = p.rows.sweep_row[column]; k >= 0) sides_.b[k].set(lane, 1);
  };
  const char* why = solve_columns(&SolutionJacobian::q, from(residuals_.torque_by_q, matrices.by_q()));
  if (why == nullptr) why = solve_columns(&SolutionJacobian::v, from(residuals_.torque_by_v, matrices.by_v()));
  if (why == nullptr) why = solve_columns(&SolutionJacobian::tau, unit_torque);
  if (why == nullptr) why = solve_columns(&SolutionJacobian::beta, unit_beta);
  return why;
}

/// J^T d lambda of driver rows.
void Linearised::add_driver_columns(JacobianView SolutionJacobian::*by) {
  const JacobianView& l = derivatives_.multipliers.*by;
  Matrix t = own(derivatives_.motor_torque.*by);
  for (Eigen::Index c = 0; c < l.cols(); ++c) {
    for (Index k = 0; k < problem_.rows.m; ++k) scratch_.row[k] = l(row_of(k), c);
    add_driver_torque(scratch_.row.data(), t.col(c).data());
  }
}

/// (1 - G G^+) d(J x)/dq.
const char* Linearised::add_dependent_columns() {
  const Index nv = problem_.state.data.tree().nv;
  Matrix multipliers = own(derivatives_.multipliers.q);
  for (Index c = 0; c < nv; ++c) {
    std::fill_n(scratch_.by_q.data(), nv, 0.0);
    scratch_.by_q[c] = 1;
    rates_from_the_right(dependent_motion_.data(), scratch_.by_q.data(), scratch_.row.data());
    if (const char* why = project(scratch_.row.data())) return why;
    for (Index k = 0; k < problem_.rows.m; ++k) multipliers(row_of(k), c) += scratch_.row[k];
  }
  return nullptr;
}

const SolutionDerivatives& Linearised::whole() {
  Problem& p = problem_;
  Data& data = p.state.data;
  const Index nv = data.tree().nv;
  SolutionDerivatives& d = derivatives_;
  const bool motors = p.rows.traits.driver || p.state.prescribed.any;  // else their derivatives are zeros and ones
  make_room();
  const ConstantMotors as_they_are{d.motor_torque.q.data(), nv, p.layout.rows()};
  const auto refuse = [&](const char* why) -> const SolutionDerivatives& {
    clear_results(false);
    d.status = Status::not_differentiable;
    d.reason = why;
    return d;
  };
  d.reason = {};
  const bool eliminates = may_eliminate();
  const Ending ending(*this);
  if (const char* why = begin(eliminates)) return refuse(why);
  if (p.rows.m < p.layout.rows())
    clear_results(false);
  else if (motors || constant_motors_ != as_they_are)
    clear_results(true);
  Elimination& elimination = *scratch_.elimination;
  double* const out[] = {residuals_.torque_by_q.data(), residuals_.torque_by_v.data(),
                         eliminates ? elimination.mass_matrix() : nullptr};
  const Index stride[] = {nv, nv, nv};
  kernels().derivative->inverse_dynamics(&data, p.state.q.data(), p.state.v.data(), acceleration_.data(),
                                         p.state.effects.damping, p.state.effects.springs, out, stride);
  rows_.evaluate_rates(p, data);
  scratch_.rows->evaluate(p, rows_, acceleration_.data());
  const bool eliminated = eliminates && elimination.begin(p, *scratch_.rows, is_in_doubt());
  if (eliminates && !eliminated && parts_.settings.singularity != Singularity::damping)
    if (const char* why = check_response()) return refuse(why);
  bool finite = row_errors();
  add_wrench_derivatives(Of::all, false, -1, residuals_.torque_by_q);
  for (Index y = 0; y < nv; ++y) {
    if (!p.state.prescribed.is[y]) {
      own(d.motor_torque.tau)(y, y) = 1;
      continue;
    }
    own(d.motor_torque.q).row(y) = residuals_.torque_by_q.row(y);
    own(d.motor_torque.v).row(y) = residuals_.torque_by_v.row(y);
  }
  if (p.rows.shock != nullptr) finite &= add_rates_of_shock();
  if (eliminated)
    finite &= eliminate();
  else if (const char* why = solve_all_columns())
    return refuse(why);
  if (p.rows.traits.driver) {
    residuals_.driver_by_q.setZero();
    add_wrench_derivatives(Of::drivers, true, 1, residuals_.driver_by_q);
    own(d.motor_torque.q) += residuals_.driver_by_q;
  }
  if (has_dependent_rows())
    if (const char* why = add_dependent_columns()) return refuse(why);
  if (p.rows.traits.driver)
    for (JacobianView SolutionJacobian::*by :
         {&SolutionJacobian::q, &SolutionJacobian::v, &SolutionJacobian::tau, &SolutionJacobian::beta})
      add_driver_columns(by);
  for (const SolutionJacobian* x : {&d.acceleration, &d.multipliers, &d.motor_torque})
    for (const JacobianView* matrix : {&x->q, &x->v, &x->tau, &x->beta})
      if (x == &d.motor_torque ? motors : !eliminated) finite &= all_finite(matrix->size(), matrix->data());
  d.status = finite ? Status::ok : Status::overflow;
  if (!finite)
    clear_results(false);
  else if (!motors)
    constant_motors_ = as_they_are;
  return d;
}

}  // namespace zwang
