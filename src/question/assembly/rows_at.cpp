// SPDX-License-Identifier: BSD-3-Clause
#include "question/assembly/rows_at.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/instances.hpp"
#include "linear/vectors.hpp"
#include "zwang/constraint/page/relations.hpp"

namespace zwang {

RowsAt::RowsAt(const Model& model, const ConstraintSet& set)
    : problem(model, set, 0, false),
      nv_(model.nv()),
      row_(problem.layout.capacity),
      rest_(model.nv()),
      phi_(problem.layout.capacity),
      J_(problem.layout.capacity * model.nv()),
      terms_(problem.layout.capacity * model.nv()),
      size_(problem.layout.capacity),
      rounding_(problem.layout.capacity),
      force_(problem.layout.capacity),
      growth_(problem.layout.capacity) {
  problem.layout.owner = "Assembler";
  problem.layout.remedy = "make a new one";
}

void RowsAt::read() {
  problem.read(k_evaluation);
  count_ = 0;
  for (Index r = 0; r < problem.layout.rows(); ++r) {
    const Index k = problem.rows.sweep_row[r];
    if (k >= 0 && problem.constraint_of(k).policy != Policy::soft) row_[count_++] = k;
  }
}

bool RowsAt::evaluate(const double* q) {
  Problem& p = problem;
  p.state.set(q, rest_.data());
  p.rows.at_state = false;
  page::kinematics(p.state.data, q, rest_.data());
  page::columns_of_positions(p.state.data, q);
  p.attach();
  length_ = 0;
  for (Index i = 1; i <= p.state.data.tree().n; ++i)
    length_ = std::max(length_, norm(p.state.data.position.placement[i].p));
  if (!(length_ > 0)) length_ = 1;
  bool finite = std::isfinite(length_);
  for (Index i = 0; i < count_; ++i) {
    const Index k = row_[i];
    const Constraint& x = p.constraint_of(k);
    phi_[i] = x.relation != nullptr ? p.rows.phi[p.rows.row_of[k]] : std::numeric_limits<double>::quiet_NaN();
    jacobian_of(i, k);
    size_of(i, k);
    finite = finite && !std::isinf(phi_[i]) && all_finite(nv_, jacobian(i)) && std::isfinite(size_[i]);
  }
  for (Index i = 0; i < count_; ++i)  // the largest size of the rows of a constraint with forces as large
    for (Index k = i; k-- > 0 && &p.constraint_of(row_[k]) == &p.constraint_of(row_[i]);)
      if (std::fabs(force_[k] - force_[i]) <= 1e-9 * force_[i]) {
        size_[k] = size_[i] = std::max(size_[k], size_[i]);
        growth_[k] = growth_[i] = std::max(growth_[k], growth_[i]);
      }
  return finite;
}

void RowsAt::jacobian_of(Index i, Index k) {
  const Tree<double>& tree = problem.state.data.tree();
  double *const J = &J_[i * nv_], *const terms = &terms_[i * nv_];
  std::fill_n(J, nv_, 0.0);
  std::fill_n(terms, nv_, 0.0);
  page::for_each_part(problem.rows, k, [&](Index body, const Force<double>& K) {
    const double f = norm(K.f), n = norm(K.n);
    for (Index b = body; b > 0; b = tree.body[b].parent)
      for (Index c = tree.body[b].v; c < tree.body[b].v + tree.body[b].nv; ++c) {
        const auto& column = tree.column[c];
        const Motion<double> s = problem.state.data.articulated.column[c].s;
        J[column.v] += dot(s, K) * column.multiplier;
        terms[column.v] += (f * norm(s.v) + n * norm(s.w)) * std::fabs(column.multiplier);
      }
  });
}

void RowsAt::size_of(Index i, Index k) {
  const auto& position = problem.state.data.position;
  const Tree<double>& tree = problem.state.data.tree();
  Vec3<double> sum = Vec3<double>::zero(), first = Vec3<double>::zero();
  double size = 0, between = 0, forces = 0, farthest = 0;
  bool begun = false;
  Index on = -1;
  Vec3<double> here, there;
  growth_[i] = 1;
  const bool angles = moments_of_angles(k, &on, &here, &there);
  if (angles) growth_[i] = std::max(1.0, norm(here) / norm(there));
  page::for_each_part(problem.rows, k, [&](Index body, const Force<double>& K) {
    const double f = norm(K.f);
    // Near half a turn `here` is large, and its digits are lost where it is taken away: not from rows of angles alone.
    const Vec3<double> n = angles && f == 0 ? there : body == on ? (K.n - here) + there : (K.n + here) - there;
    size += std::max(f * length_, norm(n - cross(position.placement[body].p, K.f)));
    const Vec3<double> centre = body > 0 ? Vec3<double>(position.centre[tree.body[body].root]) : Vec3<double>::zero();
    if (!begun) first = centre;
    begun = true;
    between += f * norm(centre - first);
    farthest = std::max(farthest, norm(centre));
    forces += f;
    sum += K.f;
  });
  if (!(size > 0) && problem.constraint_of(k).relation != nullptr) {  // both frames on one body
    const double* const shown = &problem.rows.as_given[6 * problem.rows.row_of[k]];
    size = std::max(norm(Vec3<double>{shown[0], shown[1], shown[2]}) * length_,
                    norm(Vec3<double>{shown[3], shown[4], shown[5]}));
  }
  const bool to_ground = norm(sum) > 1e-6 * forces;
  size_[i] = size;
  force_[i] = forces;
  rounding_[i] = 8 * epsilon_of<double> * (between + (to_ground ? forces * farthest : 0.0));
}

/// Of a row that holds angles: their moment here, and where they are 0. `on`: the body that it acts on, the other one
/// receives the opposite. False, and zeros, where no angle is held.
bool RowsAt::moments_of_angles(Index k, Index* on, Vec3<double>* here, Vec3<double>* there) const {
  const Constraint& x = problem.constraint_of(k);
  const RelationPage* const page = x.relation != nullptr ? x.relation->page() : nullptr;
  *here = *there = Vec3<double>::zero();
  bool some = false;
  if (page != nullptr)
    page->visit([&](const auto& rows) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(rows)>, page::PoseRows<page::LoopGeometry>>) {
        const double* const m = rows.matrix.data + 6 * problem.row_in_constraint(k);
        some = m[3] != 0 || m[4] != 0 || m[5] != 0;
        if (!some) return;
        const page::FramePair<double> at = page::frame_pair(problem.state.data, rows.a, rows.b);
        double psi[3];
        Force<double> angle[3];
        rows.geometry.turned(at.A.R, at.B.R, psi, angle);
        for (int i = 0; i < 3; ++i) *here += angle[i].n * m[3 + i];
        *there = at.A.R * Vec3<double>{m[3], m[4], m[5]};
        *on = rows.b.body;
      }
    });
  return some;
}

double RowsAt::target_velocity(Index i) const {
  const Constraint& x = problem.constraint_of(row_[i]);
  return x.target_velocity.empty() ? 0.0 : x.target_velocity[problem.row_in_constraint(row_[i])];
}

int RowsAt::side(Index i) const {
  const Constraint& x = problem.constraint_of(row_[i]);
  const Sense sense = x.sense.empty() ? Sense::equal : x.sense[problem.row_in_constraint(row_[i])];
  return sense == Sense::at_least ? 1 : sense == Sense::at_most ? -1 : 0;
}

bool RowsAt::has_sides() const {
  bool some = false;
  for (Index i = 0; i < count_; ++i) some = some || side(i) != 0;
  return some;
}

bool RowsAt::has_position(Index i) const {
  const Constraint& x = problem.constraint_of(row_[i]);
  if (x.relation == nullptr || !std::isfinite(phi_[i])) return false;
  return !(x.target.empty() && x.relation->position_is_free());
}

}  // namespace zwang
