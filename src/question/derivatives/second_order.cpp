// SPDX-License-Identifier: BSD-3-Clause
#include "question/derivatives/second_order.hpp"

#include <algorithm>

#include "linear/vectors.hpp"
#include "question/derivatives/products.hpp"
#include "zwang/manifold/page/manifold.hpp"
#include "zwang/model/data_members.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template class BasicData<Dual<double>>;  // of data_

}  // namespace ZWANG_ISA
namespace {

const double* given(const ConstVector& x) { return x.size() > 0 ? x.data() : nullptr; }

}  // namespace

SecondOrder::SecondOrder(SolverParts& parts)
    : problem_(parts.problem),
      solution_(parts.solution),
      settings_(parts.settings),
      linearised_(parts),
      data_(problem_.state.data.model()),
      rows_(problem_),
      q_(problem_.state.q.size()),
      lambda_(problem_.layout.capacity),
      z_(problem_.layout.capacity),
      by_lambda_(problem_.layout.capacity),
      weight_l_(problem_.layout.capacity) {
  const Index nv = problem_.state.v.size();
  for (Buffer<S>* x : {&v_, &acceleration_, &y_, &weight_, &step_, &by_q_, &by_v_, &by_a_}) *x = Buffer<S>(nv);
  for (Buffer<double>* x : {&turned_, &weight_a_}) *x = Buffer<double>(nv);
}

void SecondOrder::make_room() {
  const Index nv = problem_.state.v.size(), rows = problem_.layout.rows();
  of_out_.clear(5 * nv + rows);
  for (VectorView* x : {&out_.q, &out_.v, &out_.tau, &out_.prescribed, &out_.force}) of_out_.place(*x, nv);
  of_out_.place(out_.beta, rows);
}

const GradientVariation& SecondOrder::refuse(Status status, std::string_view why) {
  make_room();  // zeros
  out_.status = status;
  out_.reason = why;
  return out_;
}

/// Of dependent rows accelerations have second derivatives at constant rank: J y = 0 nearby, so that
/// neither the part of lambda, nor that of z, which the rows leave open counts. Their multipliers
/// and what follows from these are refused.
const char* SecondOrder::refusal(const SolutionGradient& of) const {
  const Problem& p = problem_;
  if (solution_.report.rank == solution_.report.rows || settings_.singularity == Singularity::damping) return nullptr;
  bool weighs = of.motor_torque.size() > 0 && (p.rows.traits.driver || p.state.prescribed.any);
  for (Index k = 0; k < of.multipliers.size(); ++k) weighs = weighs || of.multipliers.data()[k] != 0;
  return weighs ? "multipliers of rows that depend on each other have no second derivatives" : nullptr;
}

/// The solution, the adjoint and the kinematics over dual numbers. Null, or why the rows cannot be differentiated.
const char* SecondOrder::state(const InputVariation& along, const SolutionVariation& u, const InputGradient& adjoint) {
  const Problem& p = problem_;
  const Index nv = p.state.v.size();
  std::copy_n(p.state.data.inertia.data(), data_.inertia.size(), data_.inertia.data());
  data_.gravity = p.state.data.gravity;
  const double *const dq = given(along.q), *const dv = given(along.v);
  for (Index k = 0; k < p.state.q.size(); ++k) q_[k] = S(p.state.q[k]);
  for (Index y = 0; y < nv; ++y) {
    step_[y] = S(0.0, dq != nullptr ? dq[y] : 0.0);
    v_[y] = S(p.state.v[y], dv != nullptr ? dv[y] : 0.0);
    acceleration_[y] = S(solution_.acceleration(y), u.acceleration(y));
    y_[y] = S(adjoint.force(y));
  }
  if (dq != nullptr) page::integrate(p.state.data.tree(), q_.data(), step_.data(), q_.data());
  for (Index k = 0; k < p.rows.m; ++k) {
    const Index r = p.rows.row_of[k];
    lambda_[k] = S(solution_.multipliers(r), u.multipliers(r));
    z_[k] = S(adjoint.beta(r));
  }
  page::kinematics(data_, q_.data(), v_.data(), acceleration_.data());
  const char* const why = rows_.evaluate(p, data_, q_.data(), v_.data(), acceleration_.data(), lambda_.data());
  if (why != nullptr) return why;
  load_wrenches(p, rows_, lambda_.data(), p.state.data.force.has_external, data_);
  page::vary_columns(data_, page::SpanningState<S>(data_, q_.data(), v_.data(), acceleration_.data()));
  return nullptr;
}

/// L_x and L_u.
void SecondOrder::vary_residuals() {
  const Problem& p = problem_;
  for (Buffer<S>* x : {&by_q_, &by_v_, &by_a_}) std::fill_n(x->data(), x->size(), S(0.0));
  const auto all = [](Index) { return true; };
  const LeftProduct<S> x = page::enter_from_the_left(data_, y_.data());
  for (Index k = 0; k < p.rows.m; ++k) by_lambda_[k] = S(0.0);  // R z does not vary
  for (const BasicRowPart<S>& part : rows_.parts) by_lambda_[part.row] -= dot(x.w(part.body), part.K);
  for (const BasicCoordinateRow<S>& row : rows_.coordinates) {
    by_lambda_[row.row] -= y_[row.v] * row.by_a;
    by_a_[row.v] += z_[row.row] * row.by_a;
  }
  add_rows(rows_, x, z_.data(), by_q_.data(), by_v_.data());
  turn_wrenches(rows_, x, all, y_.data(), by_q_.data());
  const page::SpanningState<S> at(data_, q_.data(), nullptr, nullptr);
  page::leave_from_the_left(data_, x, at.in, y_.data(),
                            page::PassiveEffects{p.state.effects.damping, false, p.state.effects.springs},
                            page::StateVectors<S>{by_q_.data(), by_v_.data(), by_a_.data()});
}

/// (s_x)' and (s_u)' of what driver rows add to the motor torque: weight . J^T lambda of theirs.
void SecondOrder::vary_driver_torque(const double* weight) {
  const Problem& p = problem_;
  for (Index y = 0; y < weight_.size(); ++y) {
    weight_[y] = S(weight[y]);
    step_[y] = S(0.0);
  }
  const auto driver = [&](Index row) { return p.rows.role[row] == Role::driver; };
  const LeftProduct<S> x(data_);
  enter_wrenches(data_, rows_, driver, lambda_.data(), weight_.data(), x, step_.data());
  for (const BasicRowPart<S>& part : rows_.parts)
    if (driver(part.row)) by_lambda_[part.row] -= dot(x.w(part.body), part.K);
  for (const BasicCoordinateRow<S>& row : rows_.coordinates)
    if (driver(row.row)) by_lambda_[row.row] -= weight_[row.v] * row.by_a;
  const page::SpanningState<S> at(data_, q_.data(), nullptr, nullptr);
  page::leave_from_the_left(data_, x, at.in, weight_.data(), page::PassiveEffects{false, false, false},
                            page::StateVectors<S>{step_.data(), nullptr, nullptr});
  for (Index y = 0; y < weight_.size(); ++y) turned_[y] = -step_[y].d;
}

const GradientVariation& SecondOrder::operator()(const InputVariation& along, const SolutionGradient& of) {
  const Problem& p = problem_;
  const Index nv = p.state.v.size();
  const SolutionVariation& u = linearised_.from_the_right(along);
  if (u.status != Status::ok) return refuse(u.status, u.reason);
  if (const char* why = refusal(of)) return refuse(Status::not_differentiable, why);
  {
    const InputGradient& adjoint = linearised_.from_the_left(of);
    if (adjoint.status != Status::ok) return refuse(adjoint.status, adjoint.reason);
    if (const char* why = state(along, u, adjoint)) return refuse(Status::not_differentiable, why);
  }
  vary_residuals();
  std::fill_n(turned_.data(), nv, 0.0);
  if (of.motor_torque.size() > 0 && p.rows.traits.driver) vary_driver_torque(of.motor_torque.data());
  for (Index y = 0; y < nv; ++y) weight_a_[y] = -by_a_[y].d;
  std::fill_n(weight_l_.data(), weight_l_.size(), 0.0);
  for (Index k = 0; k < p.rows.m; ++k) weight_l_[p.rows.row_of[k]] = -by_lambda_[k].d;
  const ConstVector weight_a(weight_a_.data(), nv), weight_l(weight_l_.data(), p.layout.rows());
  const InputGradient& rest = linearised_.from_the_left({.acceleration = weight_a, .multipliers = weight_l});
  if (rest.status != Status::ok) return refuse(rest.status, rest.reason);
  make_room();
  for (Index y = 0; y < nv; ++y) {
    own(out_.q)(y) = rest.q(y) + turned_[y] - by_q_[y].d;
    own(out_.v)(y) = rest.v(y) - by_v_[y].d;
    own(out_.tau)(y) = rest.tau(y);
    own(out_.prescribed)(y) = rest.prescribed(y);
    own(out_.force)(y) = rest.force(y);
  }
  own(out_.beta) = rest.beta;
  out_.status = Status::ok;
  out_.reason = {};
  for (const VectorView* part : {&out_.q, &out_.v, &out_.tau, &out_.beta, &out_.prescribed})
    if (!all_finite(part->size(), part->data())) return refuse(Status::overflow, {});
  return out_;
}

}  // namespace zwang
