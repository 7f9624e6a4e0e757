// SPDX-License-Identifier: BSD-3-Clause
#include "rows/problem.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "algorithm/page/body_forces.hpp"
#include "algorithm/support.hpp"

namespace zwang {
namespace {

/// How far a violation may turn a row. Beyond a part in 1e5 a relation is not drifting but open: its rows are obeyed.
double turned_by(double violation) { return violation <= 1e-5 ? 100 * violation : 0.0; }

/// A rider that compares rows with those attached: their residuals at zero joint acceleration, and whether they are the
/// same rows.
struct CompareRows {
  const page::RowNumbers<double>& rows;
  double* l0;
  Index m = 0;
  bool same = true;  ///< only first bodies are compared: if these agree, the further ones do too
  using Rows = page::RowNumbers<double>::Side;
  static constexpr Index lanes = page::RowNumbers<double>::lanes;
  Index lane_for(Index, bool) const { return m < rows.m ? rows.place[m] % lanes : 0; }
  bool eliminates_early() const { return false; }
  bool is_local(bool soft) const { return soft; }
  void expect(Index, Index) const {}
  void await(Index) const {}
  void await_root() const {}
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
      // Equal up to rounding: the sweep that attached the rows may be compiled for another instruction set.
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

}  // namespace

ProblemParts::ProblemParts(const Model& model, const ConstraintSet& set, Index spare_rows, bool may_be_early)
    : own_state(model),
      own_layout(model, set, spare_rows, may_be_early),
      own_reader(own_layout),
      own_rows(own_layout) {}

void Problem::prepare_rows() {
  if (rows.at_state) return;
  if (rows.traits.relation) {
    page::kinematics(state.data, state.q.data(), state.v.data());
    evaluate_relations();
  } else if (rows.traits.looks_ahead) {
    page::kinematics(state.data, state.q.data());
  }
}

void Problem::attach() {
  if (rows.traits.relation && !rows.at_state) evaluate_relations();
  const page::ActiveRows<double>* const first = rows.active.data();
  page::attach_rows(state.data, first, first + rows.active.size(), rows);
}

bool Problem::read_again(double* l) {
  CompareRows now{rows, l};
  Level<double> nowhere{};
  const page::AttachRows<double> attach{state.data, nullptr, nullptr};
  if (rows.traits.relation) evaluate_relations();
  for (const page::ActiveRows<double>& a : rows.active) {
    if (a.rows != nullptr)
      attach.attach(a, a.rows->body, nowhere, now);
    else if (a.rejoins == 0)
      attach.attach_relation(a, a.body, nowhere, now);
  }
  return now.same && now.m == rows.m;
}

double Problem::drift(Index k) const {
  const Constraint& x = constraint_of(k);
  if (x.relation == nullptr) return 0;
  double violation = 0, speed = 0;
  const Index first = layout.first_row_of(rows.constraint_of[k]);
  for (Index i = 0; i < x.size(); ++i) {
    const Index row = rows.sweep_row[first + i];
    if (row < 0) continue;
    double terms = 0;
    page::for_each_part(rows, row, [&](Index body, const Force<double>& K) {
      const Motion<double>& twist = state.data.velocity.twist[body];
      for (Index c = 0; c < 6; ++c) terms += std::fabs(K[c] * twist[c]);
    });
    violation = std::max(violation, std::fabs(rows.rate[first + i]));
    speed = std::max(speed, terms);
  }
  return openness(k) + (speed > 0 ? turned_by(violation / speed) : 0.0);
}

double Problem::openness(Index k) const {
  const Constraint& x = constraint_of(k);
  if (x.relation == nullptr || (x.target.empty() && x.relation->position_is_free())) return 0;
  double length = 0;
  page::for_each_part(rows, k, [&](Index body, const Force<double>& K) {
    const double f = norm(K.f);
    length = std::max({length, norm(state.data.position.placement[body].p), f > 0 ? norm(K.n) / f : 0.0});
  });
  double open = 0;
  const Index first = layout.first_row_of(rows.constraint_of[k]);
  for (Index i = 0; i < x.size(); ++i) {
    const Index row = rows.sweep_row[first + i];
    if (row < 0 || !std::isfinite(rows.phi[first + i])) continue;
    const bool linear = dot(page::attached_row(rows, row).f, page::attached_row(rows, row).f) > 0;
    const double phi = std::fabs(rows.phi[first + i]);
    open = std::max(open, !linear ? phi : length > 0 ? phi / length : 0.0);
  }
  return turned_by(open);
}

double Problem::jacobian(Index k, Index column) const {
  const auto& c = state.data.tree().column[column];
  double sum = 0;
  page::for_each_part(rows, k, [&](Index i, const Force<double>& K) {
    if (i >= c.body && i < state.data.tree().body[c.body].last) sum += dot(state.data.articulated.column[column].s, K);
  });
  return sum * c.multiplier;
}

double Problem::rounding(Index k) const {
  const auto size = [](const Vec3<double>& x) { return std::fabs(x.x) + std::fabs(x.y) + std::fabs(x.z); };
  double sum = 0;
  page::for_each_part(rows, k, [&](Index body, const Force<double>& K) {
    const Motion<double> a = state.data.acceleration.joint[body], &bias = state.data.velocity.bias[body];
    sum += size(K.f) * (size(a.v) + size(bias.v) + size(state.data.gravity)) + size(K.n) * (size(a.w) + size(bias.w));
  });
  return 8 * epsilon_of<double> * static_cast<double>(state.data.tree().nv + rows.m) * sum;
}

void Problem::add_joint_forces(bool physical, bool driver, const double* lambda, double* out) {
  const auto& tree = state.data.tree();
  std::fill_n(state.loaded.data(), tree.n + 1, static_cast<unsigned char>(0));
  Force<double> f = Force<double>::zero();  // on body i, from the bodies behind it
  bool any = false;
  const bool both = rows.traits.driver && rows.traits.physical;
  const auto wanted = [&](Index k) {
    return (both ? constraint_of(k).role == Role::driver : rows.traits.driver) ? driver : physical;
  };
  for (Index i = tree.n, k = rows.m, j = rows.further; i > 0; --i) {
    for (; k > 0 && rows.body[k - 1] == i; --k) {  // rows are sorted by body
      if (!wanted(k - 1)) continue;
      f += page::attached_row(rows, k - 1) * lambda[k - 1];
      any = true;
    }
    for (; j > 0 && rows.further_body[j - 1] == i; --j) {
      const Index row = rows.further_row[j - 1];
      if (!wanted(row)) continue;
      f += page::row_at(rows, rows.further_place[j - 1]) * lambda[row];
      any = true;
    }
    if (state.loaded[i]) f += state.force[i];
    any = any || state.loaded[i];
    if (!any) continue;
    const auto& b = tree.body[i];
    for (Index column = b.v; column < b.v + b.nv; ++column)
      out[tree.column[column].v] += dot(state.data.articulated.column[column].s, f) * tree.column[column].multiplier;
    if (b.parent == i - 1) continue;
    if (state.loaded[b.parent]) f += state.force[b.parent];
    state.force[b.parent] = f;
    state.loaded[b.parent] = 1;
    f = Force<double>::zero();
    any = false;
  }
}

void Problem::torques_of_motion(const double* qdd, const double* lambda, double* out) {
  const Tree<double>& tree = state.data.tree();
  state.force[0] = Force<double>::zero();
  for (Index i = 1; i <= tree.n; ++i)
    state.force[i] = page::world_inertia(state.data, i) * Motion<double>(state.data.acceleration.joint[i]);
  for (Index k = 0; k < rows.m; ++k)
    page::for_each_part(rows, k, [&](Index body, const Force<double>& K) { state.force[body] -= K * lambda[k]; });
  std::fill_n(out, tree.nv, 0.0);
  page::add_joint_forces(state.data, state.force, out);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& c = tree.column[k];
    out[c.v] += column_inertia(state.data, k) * c.multiplier * c.multiplier * qdd[c.v];
  }
}

}  // namespace zwang
