// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a displacement d that takes overlaps apart: M d - J^T l = 0, J d + gap = 0 of the rows that act, thus
//
//   M d(d) = (Q - d(M d)/dq) d q + J^T d l,     J d(d) + (S + d gap/dq) d q = 0,     Q, S by ContactTerms
#include <algorithm>
#include <cmath>

#include "core/borrowed.hpp"
#include "simulation/contact_derivatives_impl.hpp"
#include "zwang/algorithm/derivatives.hpp"
#include "zwang/core/dual.hpp"
#include "zwang/manifold/page/manifold.hpp"

namespace zwang {

using derivatives::add_product;
using derivatives::Numbers;
using derivatives::place;

/// B = M^-1 - M^-1 H^T (H M^-1 H^T)^+ H M^-1 at q, H the rows of the last solve and prescribed coordinates. False:
/// motion says why.
bool ContactDerivatives::Impl::kinetic_inverse(const double* q, Numbers& B) {
  const Index active = motion.solver.active_rows(), hard = active + static_cast<Index>(motion.prescribed().size());
  Numbers M(place(nv * nv)), H(place(hard * nv), 0.0), MH(place(hard * nv), 0.0), G(place(hard * hard), 0.0);
  mass_matrix(model, data, vector_in(q, model.nq()), Eigen::Map<Eigen::MatrixXd>(M.data(), nv, nv),
              motion.settings.solver.joint_effects);
  ProximalSystem system;
  B.assign(place(nv * nv), 0.0);
  Numbers x(place(std::max(nv, hard))), e(place(std::max(nv, hard)));
  if (!system.factor(nv, M, 0)) return motion.fail(Status::singular_mass, "a coordinate has no inertia");
  for (Index k = 0; k < nv; ++k) {
    std::fill(e.begin(), e.end(), 0.0);
    e[place(k)] = 1;
    system.solve(e.data(), x.data());
    for (Index i = 0; i < nv; ++i) B[place(i * nv + k)] = x[place(i)];
  }
  if (hard == 0) return true;
  if (active > 0) {
    Numbers J(place(active * nv));
    Eigen::Map<Eigen::MatrixXd> by_columns(J.data(), active, nv);
    motion.solver.constraint_jacobian(by_columns);
    for (Index r = 0; r < active; ++r)
      for (Index k = 0; k < nv; ++k) H[place(r * nv + k)] = by_columns(r, k);
  }
  for (Index r = active; r < hard; ++r) H[place(r * nv + motion.prescribed()[place(r - active)].v)] = 1;
  add_product(hard, nv, nv, H.data(), B.data(), MH.data());  // B is symmetric
  double trace = 0;
  for (Index r = 0; r < hard; ++r)
    for (Index s = 0; s < hard; ++s) {
      for (Index k = 0; k < nv; ++k) G[place(r * hard + s)] += H[place(r * nv + k)] * MH[place(s * nv + k)];
      trace += r == s ? G[place(r * hard + s)] : 0;
    }
  if (!system.factor(hard, G, trace / static_cast<double>(hard)))
    return refuse("rows of the set contradict each other");
  for (Index k = 0; k < nv; ++k) {
    for (Index r = 0; r < hard; ++r) e[place(r)] = MH[place(r * nv + k)];
    system.solve(e.data(), x.data());
    for (Index r = 0; r < hard; ++r)
      for (Index i = 0; i < nv; ++i) B[place(i * nv + k)] -= MH[place(r * nv + i)] * x[place(r)];
  }
  return true;
}

/// A pass from q to q (+) d: its d by q, and by it the state.
bool ContactDerivatives::Impl::take_apart(const ContactRecord::Apart& pass) {
  const double *const q = pass.from.data(), *const moved = pass.moved.data();
  if (!terms.evaluate(q, pass.rows, *record.names, pass.lengths.data(), moved)) return refuse(terms.why);
  out.geometry_error = std::fmax(out.geometry_error, terms.error);
  Numbers B;
  if (!kinetic_inverse(q, B)) return false;
  for (Index k = 0; k < nv; ++k) out.taken_apart = std::fmax(out.taken_apart, std::fabs(moved[k]));
  if (motion.solver.active_rows() > 0) out.left_out = out.taken_apart;
  // d(M d)/dq, without what is there at rest
  const auto size = place(nv * nv);
  Numbers by_position(size), at_rest(size), unused(2 * size), still(place(nv), 0.0), change(size), D(size, 0.0);
  const auto map = [&](Numbers& x, std::size_t at) { return Eigen::Map<Eigen::MatrixXd>(x.data() + at, nv, nv); };
  for (const bool rest : {false, true})
    inverse_dynamics_derivatives(model, data, vector_in(q, model.nq()), vector_in(still.data(), nv),
                                 rest ? vector_in(still.data(), nv) : vector_in(moved, nv),
                                 map(rest ? at_rest : by_position, 0), map(unused, 0), map(unused, size), {},
                                 motion.settings.solver.joint_effects);
  for (Index i = 0; i < nv; ++i)
    for (Index k = 0; k < nv; ++k)
      change[place(i * nv + k)] = terms.Q()[i * nv + k] - (by_position[place(k * nv + i)] - at_rest[place(k * nv + i)]);
  add_product(nv, nv, nv, B.data(), change.data(), D.data());
  Numbers S(place(terms.rows() * nv), 0.0), sigma(place(terms.rows()), 0.0);
  for (Index r = 0; r < terms.rows(); ++r)
    for (Index k = 0; k < nv; ++k) S[place(r * nv + k)] = terms.S(r)[k], sigma[place(r)] += terms.J(r)[k] * moved[k];
  Index cone = 0;
  for (const ContactRow& x : pass.rows) {
    for (Index k = 0; k < nv; ++k) S[place(x.normal_row() * nv + k)] += terms.gap(cone)[k];
    sigma[place(x.normal_row())] += x.gap;
    ++cone;
  }
  std::vector<ContactBorder> borders;  // what is beside an overlap and not moved is none
  const ContactResponse::Answer answer{.rows = pass.rows,
                                       .J = terms.J(0),
                                       .B = B.data(),
                                       .impulses = pass.lengths.data(),
                                       .sigma = sigma.data(),
                                       .h = 1,
                                       .speed = speed_of(q, moved),
                                       .frictionless = true};
  response.classify(answer, *record.names, borders);
  if (!response.respond(answer, S, nv, D))
    return refuse("overlaps that are taken apart contradict each other where q varies");
  Numbers by_start(place(nv * columns), 0.0);
  add_product(nv, nv, columns, D.data(), by_q.data(), by_start.data());
  const Tree<double>& tree = model.tree<double>();
  const std::vector<Dual<double>> start(q, q + model.nq());
  std::vector<Dual<double>> x(start), end(start), reached(start), turn(place(nv)), move(place(nv)), u(place(nv));
  for (Index i = 0; i < nv; ++i) move[place(i)] = Dual<double>(moved[i]);
  page::integrate<Dual<double>>(tree, start.data(), move.data(), end.data());
  for (Index c = 0; c < columns; ++c) {
    for (Index i = 0; i < nv; ++i) {
      turn[place(i)] = Dual<double>(0, by_q[place(i * columns + c)]);
      move[place(i)] = Dual<double>(moved[i], by_start[place(i * columns + c)]);
      u[place(i)] = Dual<double>(v_now[place(i)], by_v[place(i * columns + c)]);
    }
    page::integrate<Dual<double>>(tree, start.data(), turn.data(), x.data());
    page::integrate<Dual<double>>(tree, x.data(), move.data(), reached.data());
    page::difference<Dual<double>>(tree, end.data(), reached.data(), turn.data());
    axes.turn_by(move.data(), u.data());
    for (Index i = 0; i < nv; ++i)
      by_q[place(i * columns + c)] = turn[place(i)].d, by_v[place(i * columns + c)] = u[place(i)].d;
  }
  for (Index i = 0; i < nv; ++i) v_now[place(i)] = u[place(i)].v;
  return true;
}

}  // namespace zwang
