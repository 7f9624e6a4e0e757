// SPDX-License-Identifier: BSD-3-Clause
#include "rows/evaluated_rows.hpp"

#include <cmath>
#include <limits>

#include "algorithm/instances.hpp"

namespace zwang {

EvaluatedRows::EvaluatedRows(const Model& model, const ConstraintSet& set, const char* owner, const char* remedy)
    : problem(model, set, 0, false),
      nv(model.nv()),
      order(problem.layout.capacity),
      position_error(problem.layout.capacity),
      velocity_error(problem.layout.capacity),
      gamma(problem.layout.capacity),
      jacobian(problem.layout.capacity * model.nv()),
      magnitude(problem.layout.capacity * model.nv()) {
  problem.layout.owner = owner;
  problem.layout.remedy = remedy;
}

void EvaluatedRows::evaluate(const double* q, const double* velocity) {
  Problem& p = problem;
  p.read(k_evaluation);
  p.state.set(q, velocity);
  p.rows.at_state = false;
  page::kinematics(p.state.data, p.state.q.data(), p.state.v.data());
  page::columns_of_positions(p.state.data, p.state.q.data());
  p.attach();
  rows = 0;
  for (Index r = 0; r < p.layout.rows(); ++r)
    if (const Index k = p.rows.sweep_row[r]; k >= 0) order[rows++] = k;
  const Tree<double>& tree = p.state.data.tree();
  for (Index i = 0; i < rows; ++i) {
    const Index k = order[i];
    double* const J = jacobian.data() + i * nv;
    for (Index c = 0; c < nv; ++c) J[c] = 0;
    for (Index c = 0; c < tree.spanning_nv; ++c) J[tree.column[c].v] += p.jacobian(k, c);
    double speed = 0;
    for (Index c = 0; c < nv; ++c) speed += J[c] * p.state.v[c];
    const Constraint& x = p.constraint_of(k);
    position_error[i] = x.relation != nullptr ? p.rows.phi[p.rows.row_of[k]] : std::numeric_limits<double>::quiet_NaN();
    velocity_error[i] = speed - (x.target_velocity.empty() ? 0.0 : x.target_velocity[p.row_in_constraint(k)]);
    gamma[i] = -page::attached_residual(p.rows, k);
  }
}

/// Lengths of vectors, not of their components: an entry may be small because a vector points elsewhere, and then holds
/// the rounding of the whole vector. Arms are from the centre of the branch, where positions are summed.
void EvaluatedRows::evaluate_magnitudes() {
  const Tree<double>& tree = problem.state.data.tree();
  const auto place = [&](Index body) { return norm(problem.state.data.position.placement[body].p); };
  for (Index i = 0; i < rows; ++i) {
    double* const size = magnitude.data() + i * nv;
    for (Index c = 0; c < nv; ++c) size[c] = 0;
    page::for_each_part(problem.rows, order[i], [&](Index body, const Force<double>& K) {
      const double force = norm(K.f), moment = norm(K.n) + force * place(body);
      for (Index b = body; b > 0; b = tree.body[b].parent)
        for (Index c = tree.body[b].v; c < tree.body[b].v + tree.body[b].nv; ++c) {
          const Motion<double>& s = problem.state.data.articulated.column[c].s;
          const double turn = norm(s.w), shift = norm(s.v) + turn * place(b);
          size[tree.column[c].v] += (force * shift + moment * turn) * std::fabs(tree.column[c].multiplier);
        }
    });
  }
}

}  // namespace zwang
