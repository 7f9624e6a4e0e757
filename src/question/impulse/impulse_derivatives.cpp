// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of an impulse by Newton's restitution, from those of its problem at rest. That problem is asked for
// changes b = S (w - J v-), S = 1 + E, and its derivatives by q follow them:
//
//   d v+ = x_q dq + x_s ds + x_b (S dw - S J dv- + diag(w - J v-) dE) + dv-       x = v+ - v-, and lambda likewise
// Carpentier & Mansard, Analytical derivatives of rigid body dynamics algorithms, RSS 2018, for rows and E in these
// forms.
#include "question/derivatives/linearised.hpp"
#include "question/impulse/impulse_parts.hpp"

namespace zwang {
namespace {

constexpr const char* k_other_model = "derivatives of impulses are those of Newton's restitution";

}  // namespace

/// Why there are no derivatives, whatever the rows; empty: nothing speaks against them.
std::string_view ImpulseParts::why_not() const {
  if (model != Restitution::newton) return k_other_model;
  return rows.at_kink ? "a row with a sense and restitution neither comes nor leaves" : std::string_view();
}

const ImpulseDerivatives& ImpulseParts::differentiate() {
  const Index nv = v.size(), count = parts->problem.layout.rows();
  ImpulseDerivatives& d = derivatives_;
  of_derivatives_.clear((nv + count) * (3 * nv + 2 * count));
  for (ImpulseJacobian* x : {&d.velocity, &d.multipliers}) {
    const Index size = x == &d.velocity ? nv : count;
    for (JacobianView* by : {&x->q, &x->v, &x->impulse}) of_derivatives_.place(*by, size, nv);
    for (JacobianView* by : {&x->target, &x->restitution}) of_derivatives_.place(*by, size, count);
  }
  d.status = Status::not_differentiable;
  d.reason = why_not();
  if (!d.reason.empty()) return d;
  const SolutionDerivatives& of = parts->questions.find<Linearised>()->whole();
  d.status = of.status;
  d.reason = of.reason;
  if (d.status != Status::ok) return d;
  const auto take = [&](const SolutionJacobian& from, ImpulseJacobian& to, double own_share) {
    const Index size = static_cast<Index>(from.q.rows());
    for (Index c = 0; c < nv; ++c)
      for (Index i = 0; i < size; ++i) {
        own(to.q)(i, c) = from.q(i, c);
        own(to.impulse)(i, c) = from.tau(i, c);
        own(to.v)(i, c) = i == c ? own_share : 0.0;
      }
    for (Index r = 0; r < count; ++r)
      for (Index i = 0; i < size; ++i) {
        own(to.target)(i, r) = from.beta(i, r) * rows.share[r];
        own(to.restitution)(i, r) = from.beta(i, r) * bounce(r);
      }
    for (Index c = 0; c < nv; ++c)
      for (Index r = 0; r < count; ++r)
        for (Index i = 0; i < size; ++i) own(to.v)(i, c) -= to.target(i, r) * of.residual.a(r, c);
  };
  take(of.acceleration, d.velocity, 1);
  take(of.multipliers, d.multipliers, 0);
  return d;
}

const ImpulseInputGradient& ImpulseParts::from_the_left(const ImpulseGradient& of) {
  const Problem& p = parts->problem;
  const Index nv = v.size(), count = p.layout.rows();
  ImpulseInputGradient& g = gradient_;
  of_gradient_.clear(3 * nv + 2 * count);
  for (VectorView* x : {&g.q, &g.v, &g.impulse}) of_gradient_.place(*x, nv);
  for (VectorView* x : {&g.target, &g.restitution}) of_gradient_.place(*x, count);
  g.status = Status::not_differentiable;
  g.reason = why_not();
  if (!g.reason.empty()) return g;
  const InputGradient& by =
      parts->questions.find<Linearised>()->from_the_left({.acceleration = of.velocity, .multipliers = of.multipliers});
  g.status = by.status;
  g.reason = by.reason;
  if (g.status != Status::ok) return g;
  for (Index y = 0; y < nv; ++y) {
    own(g.q)(y) = by.q(y);
    own(g.impulse)(y) = by.tau(y);
    own(g.v)(y) = of.velocity.size() > 0 ? of.velocity.data()[y] : 0.0;
  }
  for (Index r = 0; r < count; ++r) {
    own(g.target)(r) = by.beta(r) * rows.share[r];
    own(g.restitution)(r) = by.beta(r) * bounce(r);
  }
  const Tree<double>& tree = p.state.data.tree();
  for (Index k = 0; k < p.rows.m; ++k)
    for (Index c = 0; c < tree.spanning_nv; ++c)
      own(g.v)(tree.column[c].v) -= g.target(p.rows.row_of[k]) * p.jacobian(k, c);
  return g;
}

const ImpulseVariation& ImpulseParts::from_the_right(const ImpulseInputVariation& along) {
  const Problem& p = parts->problem;
  const Index nv = v.size(), count = p.layout.rows();
  ImpulseVariation& out = variation_;
  of_variation_.clear(nv + 2 * count);
  VectorView change{nullptr, 0};
  of_variation_.place(out.velocity, nv);
  of_variation_.place(out.multipliers, count);
  of_variation_.place(change, count);
  out.status = Status::not_differentiable;
  out.reason = why_not();
  if (!out.reason.empty()) return out;
  const auto given = [](const ConstVector& x, Index k) { return x.size() > 0 ? x.data()[k] : 0.0; };
  const Tree<double>& tree = p.state.data.tree();
  for (Index k = 0; k < p.rows.m; ++k) {
    const Index r = p.rows.row_of[k];
    double speed = 0;
    for (Index c = 0; along.v.size() > 0 && c < tree.spanning_nv; ++c)
      speed += p.jacobian(k, c) * along.v.data()[tree.column[c].v];
    own(change)(r) = rows.share[r] * (given(along.target, r) - speed) + bounce(r) * given(along.restitution, r);
  }
  const SolutionVariation& of = parts->questions.find<Linearised>()->from_the_right(
      {.q = along.q, .tau = along.impulse, .beta = ConstVector(change)});
  out.status = of.status;
  out.reason = of.reason;
  if (out.status != Status::ok) return out;
  for (Index y = 0; y < nv; ++y) own(out.velocity)(y) = of.acceleration(y) + given(along.v, y);
  for (Index r = 0; r < count; ++r) own(out.multipliers)(r) = of.multipliers(r);
  return out;
}

}  // namespace zwang
