// SPDX-License-Identifier: BSD-3-Clause
// What rows add to the product of the derivatives of inverse dynamics with a vector from the left, over any scalar:
// first derivatives take it over double, second ones over dual numbers.
#pragma once
#include "question/derivatives/row_variations.hpp"
#include "zwang/algorithm/page/inverse_dynamics_products.hpp"

namespace zwang {

template <class S> using LeftProduct = page::ProductFromTheLeft<S>;

/// A motion at the pair's point; zero for the ground.
template <class S> Motion<S> at_pair(const page::SixOfBodies<S, Motion<S>>& x, Index body, const Vec3<S>& to) {
  return body > 0 ? with_reference_point(x(body), -to) : Motion<S>::zero();
}
template <class S>
void add_at_pair(const page::SixOfBodies<S, Force<S>>& x, Index body, const Force<S>& at_pair, const Vec3<S>& to) {
  if (body > 0) x.add(body, with_reference_point(at_pair, to));
}

/// External wrenches and those of rows into `data`, whose positions are there, and how they turn with their bodies.
template <class S> void load_wrenches(const Problem& problem, const BasicRowVariations<S>& rows, const S* lambda,
                                      bool has_external, BasicData<S>& data) {
  page::clear_turning(data);
  for (Force<S>& f : data.force.external) f = Force<S>::zero();
  if (has_external) problem.state.outside.add_to(data);
  data.force.has_external = has_external || !rows.parts.empty();
  for (const BasicRowPart<S>& part : rows.parts)
    data.force.external[part.body] += inverse_times(data.position.placement[part.body], part.K * lambda[part.row]);
  for (const BasicOwnWrench<S>& x : rows.turning) page::add_turning(data, x.body, x.W);
}

/// z . d r2.
template <class S>
void add_rows(const BasicRowVariations<S>& rows, const LeftProduct<S>& x, const S* z, S* by_q, S* by_v) {
  for (const BasicRowPart<S>& part : rows.parts) {
    const S weight = z[part.row];
    x.Q.add(part.body, part.K * weight);
    x.P.add(part.body, part.P * weight);
    x.N.add(part.body, part.N * weight);
  }
  for (const BasicCoordinateRow<S>& row : rows.coordinates) {
    by_q[row.v] += z[row.row] * row.by_q;
    by_v[row.v] += z[row.row] * row.by_v;
  }
}

/// How the wrenches of the rows that count(row) turn with other bodies than their own.
template <class S, class Counts> void turn_wrenches(const BasicRowVariations<S>& rows, const LeftProduct<S>& x,
                                                    const Counts& counts, const S* y, S* by_q) {
  for (const BasicPairWrench<S>& pair : rows.pairs) {
    if (!counts(pair.row)) continue;
    const Motion<S> w_a = at_pair(x.w, pair.a, pair.to_a), w_b = at_pair(x.w, pair.b, pair.to_b);
    Force<S> C = cross(w_b, pair.F);
    for (int c = 0; c < 6; ++c) C[c] += dot(w_b - w_a, pair.D[c]);
    add_at_pair(x.N, pair.b, -C, pair.to_b);
    add_at_pair(x.N, pair.a, C, pair.to_a);
  }
  for (const BasicAxesWrench<S>& wrench : rows.axes)
    if (counts(wrench.row)) x.N.add(wrench.axes, -wrench.W.transposed_times(x.w(wrench.b)));
  for (const BasicCoordinateForce<S>& force : rows.forces)
    if (counts(force.row)) by_q[force.v] -= y[force.v] * force.by_q;
}

/// The product of bodies without inertia on which the wrenches of the rows that count(row) act, with the motion of
/// `weight` [nv] for w. Leaving makes of it minus d(weight . J^T lambda)/dq, lambda held.
template <class S, class Counts> void enter_wrenches(const BasicData<S>& data, const BasicRowVariations<S>& rows,
                                                     const Counts& counts, const S* lambda, const S* weight,
                                                     const LeftProduct<S>& x, S* by_q) {
  const auto& tree = data.tree();
  const Force<S> none = Force<S>::zero();
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    Motion<S> w = body.parent > 0 ? x.w(body.parent) : Motion<S>::zero();
    for (Index k = body.v; k < body.v + body.nv; ++k)
      w += Motion<S>(data.articulated.column[k].s) * (weight[tree.column[k].v] * tree.column[k].multiplier);
    x.w.set(i, w);
    for (const auto* to : {&x.Q, &x.P, &x.N, &x.f}) to->set(i, none);
  }
  for (const BasicRowPart<S>& part : rows.parts)
    if (counts(part.row)) x.f.add(part.body, part.K * -lambda[part.row]);
  for (const BasicOwnWrench<S>& own : rows.turning)
    if (counts(own.row)) x.N.add(own.body, own.W.transposed_times(x.w(own.body)));
  turn_wrenches(rows, x, counts, weight, by_q);
}

}  // namespace zwang
