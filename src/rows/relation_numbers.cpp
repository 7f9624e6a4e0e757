// SPDX-License-Identifier: BSD-3-Clause
#include "rows/relation_numbers.hpp"

#include <algorithm>

#include "constraint/page/stabilise.hpp"
#include "linear/vectors.hpp"
#include "rows/row_reader.hpp"

namespace zwang {

namespace {

/// Rows of the user may do anything: afterwards the set must be the one that was read.
void evaluate_custom(const RowLayout& layout, const RowReader& reader, const Relation& relation, const Data& data,
                     const double* q, const double* v, const RowValues& out) {
  {
    const ConstraintSet::Evaluation now(layout.set);
    relation.evaluate(data, q, v, out);
  }
  if (reader.is_current(layout)) return;
  throw std::logic_error(std::string(layout.owner) + ": custom rows have changed the constraints of their own set");
}

}  // namespace

RelationNumbers::RelationNumbers(const RowLayout& layout) : gamma_(layout.capacity), K_(layout.part_row_capacity) {}

void RelationNumbers::evaluate(const RowLayout& layout, const RowReader& reader, const Data& data, const double* q,
                               const double* v, Rows& rows) {
  for (std::size_t k = 0; k < rows.active.size(); ++k) {
    const Index c = rows.constraint[k];
    const Constraint& x = layout.constraint(c);
    if (x.relation == nullptr || rows.part[k] > 0) continue;
    const Index m = x.size(), first = layout.first_row_of(c);
    const std::vector<Index>& on = x.relation->bodies();
    double *const error = &rows.phi[first], *const speed = &rows.rate[first], *const g = &gamma_[first];
    const Force<double>* const K = K_.data();
    const RowValues values{error, g, K_.data(), &rows.as_given[6 * first]};
    const bool is_custom = x.relation->page() == nullptr;
    if (is_custom)
      evaluate_custom(layout, reader, *x.relation, data, q, v, values);
    else
      x.relation->evaluate(data, q, v, values);
    bool is_row = all_finite(m, g);
    for (Index i = 0; i < m * static_cast<Index>(on.size()); ++i)
      for (int d = 0; d < 6; ++d) is_row = is_row && is_finite(K[i][d]);
    if (!is_row && is_custom)  // others may overflow, which the solve reports
      throw std::invalid_argument(std::string(layout.owner) + ": the rows of constraint '" + x.name +
                                  "' are not finite at this state");
    const Index kept = rows.active[k].count;  // the others are released
    for (std::size_t e = k, t = 0; t < on.size(); e = static_cast<std::size_t>(rows.active[e].next), ++t) {
      std::fill_n(&rows.number(e, 0, 0, kept) - Rows::k_lanes, 7 * (kept + 2 * Rows::k_lanes), 0.0);
      for (Index r = 0, to = 0; r < m; ++r) {
        if (rows.released[first + r]) continue;
        for (Index d = 0; d < 6; ++d)
          rows.number(e, d, to, kept) = K[static_cast<Index>(t) * m + r][static_cast<int>(d)];
        ++to;
      }
    }
    const Stabilisation& s = x.stabilisation;
    const double inverse_time = s.time_constant > 0 ? 1 / s.time_constant : 0;
    for (Index r = 0, to = 0; r < m; ++r) {
      const auto at = static_cast<std::size_t>(r);
      double free = g[r];
      speed[r] = 0;
      for (std::size_t t = 0; t < on.size(); ++t) {
        if (on[t] == 0) continue;  // the ground does not move
        const Force<double>& row = K[static_cast<Index>(t) * m + r];
        Motion<double> a = data.velocity.bias[on[t]];
        a.v += data.gravity;
        free += dot(a, row);
        speed[r] += dot(Motion<double>(data.velocity.twist[on[t]]), row);
      }
      if (!x.target.empty()) error[r] -= x.target[at];
      if (!x.target_velocity.empty()) speed[r] -= x.target_velocity[at];
      if (rows.released[first + r]) continue;
      rows.number(k, 6, to++, kept) =
          rows.shock != nullptr
              ? rows.shock->change[first + r]
              : x.beta[at] - page::stabilisation(error[r], speed[r], inverse_time, s.damping_ratio) - free;
    }
  }
}

}  // namespace zwang
