// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics: forces of contacts within Coulomb's cones.
//
//   minimise 1/2 t |tau - tau*|^2 + 1/2 f |lambda - lambda*|^2 over the multipliers that carry the motion,
//   |(lambda_t1, lambda_t2)| <= mu lambda_n
// Where the answer without cones is within them it is the answer. Otherwise a ConeProgram on the directions that the
// equations of motion without motors leave.
#include <algorithm>
#include <cmath>

#include "algorithm/support.hpp"
#include "dynamics/inverse/inverse_parts.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

constexpr double k_tie = 1e-8;  ///< of torques: what multipliers count at least, where torques do not decide them

}  // namespace

/// The cones of the settings whose contacts are active.
void InverseParts::find_cones() {
  const InverseProblem& p = problem;
  cones.count = 0;
  cones.active = false;
  cones.outcome = dense::ConeOutcome::optimal;
  for (const FrictionCone& cone : settings.friction) {
    const Constraint& x = rows.problem.layout.set[cone.contact];  // throws with the nearest name
    if (x.type != "contact" || (x.size() != 3 && x.size() != 1) || x.role != Role::physical)
      throw UnsupportedError("constrained_inverse_dynamics: friction of '" + cone.contact +
                             "': cones are for physical contacts of three rows, or of one");
    if (x.active && x.policy == Policy::soft)
      throw UnsupportedError("constrained_inverse_dynamics: friction of '" + cone.contact +
                             "': it is soft, its force is that of its springs");
    for (Index k = 0; k < cones.count; ++k)
      if (&rows.constraint_of(p.physical[cones.first[k]]) == &x)
        throw std::invalid_argument("constrained_inverse_dynamics: friction of '" + cone.contact + "' is given twice");
    for (Index j = 0; x.active && j < p.physical_rows; ++j)
      if (&rows.constraint_of(p.physical[j]) == &x) {
        cones.first[cones.count] = j;
        cones.mu[cones.count++] = cone.mu;
        break;
      }
  }
}

/// By how much the force of a contact is outside of its cone.
double InverseParts::outside(Index k) const {
  const Index j = cones.first[k], n = rows.constraint_of(problem.physical[j]).size();
  const double* const force = lambda.data() + j;
  const double along = force[n - 1], across = n == 3 ? std::hypot(force[0], force[1]) : 0.0;
  return std::max(0.0, across - (n == 3 ? cones.mu[k] : 1.0) * along);
}

void InverseParts::obey_cones(const InverseInput& input, Index decided) {
  const InverseProblem& p = problem;
  const Index m = p.physical_rows, count = m - decided;
  find_cones();
  bool within = true;
  for (Index k = 0; k < cones.count; ++k) within = within && outside(k) <= 0;
  if (within) return;
  if (count == 0) {
    cones.outcome = dense::ConeOutcome::infeasible;  // the motion leaves one choice of forces
    return;
  }
  dense::ConeProgram& program = cones.program;
  program.begin(count);
  const auto entry = [&](Index j, Index k) { return p.inverse[p.physical[j]] * force_span.basis(decided + k)[j]; };
  const auto add_square = [&](double weight, double value, auto&& row) {  // 1/2 weight (value + row z)^2
    for (Index k = 0; k < count; ++k) {
      program.c(k) += weight * value * row(k);
      for (Index l = 0; l < count; ++l) program.P(k, l) += weight * row(k) * row(l);
    }
  };
  for (Index k = 0; k < count; ++k) {
    program.c(k) = 0;
    for (Index l = 0; l < count; ++l) program.P(k, l) = 0;
  }
  for (Index c = 0; c < rows.nv; ++c) {
    if (!actuated[static_cast<std::size_t>(c)] || settings.torque == 0) continue;
    double torque = forces[c] - (input.torque_wish.size() > 0 ? input.torque_wish.data()[c] : 0.0);
    for (Index j = 0; j < m; ++j) torque -= rows.row(p.physical[j])[c] * lambda[j];
    for (Index k = 0; k < count; ++k) {
      work[k] = 0;
      for (Index j = 0; j < m; ++j) work[k] -= rows.row(p.physical[j])[c] * entry(j, k);
    }
    add_square(settings.torque, torque, [&](Index k) { return work[k]; });
  }
  double torques = 0, multiplier_terms = 0;
  for (Index k = 0; k < count; ++k) {
    torques += program.P(k, k);
    for (Index j = 0; j < m; ++j) multiplier_terms += entry(j, k) * entry(j, k);
  }
  const double force = std::max(settings.force, k_tie * torques / multiplier_terms);
  for (Index j = 0; j < m; ++j) {
    const Index at = rows.row_of_set(p.physical[j]);
    add_square(force, lambda[j] - (input.force_wish.size() > 0 ? input.force_wish.data()[at] : 0.0),
               [&](Index k) { return entry(j, k); });
  }
  for (Index cone = 0; cone < cones.count; ++cone) {
    const Index j = cones.first[cone], n = rows.constraint_of(p.physical[j]).size(), at = program.rows();
    program.add_block(n);
    for (Index r = 0; r < n; ++r) {
      const Index from = r == 0 ? j + n - 1 : j + r - 1;  // the normal first
      const double factor = r == 0 && n == 3 ? cones.mu[cone] : 1;
      program.s_0(at + r) = factor * lambda[from];
      for (Index k = 0; k < count; ++k) program.S(at + r)[k] = factor * entry(from, k);
    }
  }
  cones.outcome = program.solve();
  if (cones.outcome != dense::ConeOutcome::optimal) return;
  cones.active = true;
  for (Index j = 0; j < m; ++j)
    for (Index k = 0; k < count; ++k) lambda[j] += entry(j, k) * program.z()[k];
}

}  // namespace zwang
