// SPDX-License-Identifier: BSD-3-Clause
#include "rows/problem.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "zwang/algorithm/page/body_forces.hpp"

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

Problem::Problem(const Model& model, const ConstraintSet& set, Index spare_rows, bool may_be_early)
    : data(model),
      layout(model, set, spare_rows, may_be_early),
      reader(layout),
      relations(layout),
      rows(layout.room),
      q(model.nq()),
      v(model.nv()),
      tau(model.nv()),
      total(model.nv()),
      outside(model.bodies()),
      prescribed(model.nv()),
      force_(model.bodies() + 1),
      loaded_(model.bodies() + 1) {}

void Problem::set_state(const double* position, const double* velocity) {
  std::copy_n(position, q.size(), q.data());
  if (velocity != nullptr)
    std::copy_n(velocity, v.size(), v.data());
  else
    std::fill_n(v.data(), v.size(), 0.0);
}

bool Problem::prescribes_the_same(const Prescribed* list) const {
  const Index given = list != nullptr ? static_cast<Index>(list->size()) : 0;
  Index before = 0;
  for (const unsigned char p : prescribed.is) before += p;
  bool same = before == given;
  for (Index k = 0; k < given; ++k) same = same && prescribed.is[(*list)[static_cast<std::size_t>(k)].v] != 0;
  return same;
}

void Problem::take_prescribed(const Prescribed* list) {
  const Tree<double>& tree = data.tree();
  const bool some = list != nullptr && !list->empty();
  if (!some && !prescribed.any) return;
  for (unsigned char& p : prescribed.is) p = 0;
  if (some)
    for (const PrescribedCoordinate& p : *list) {
      prescribed.is[p.v] = 1;
      prescribed.value[p.v] = p.acceleration;
    }
  prescribed.any = some;
  auto& a = data.articulated;
  a.has_given = some;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& c = tree.column[k];
    a.is_given[k] = prescribed.is[c.v];
    a.given[k] = prescribed.is[c.v] ? prescribed.value[c.v] * c.multiplier : 0.0;
  }
}

void Problem::take_forces(const double* torque, const Externals* external) {
  const Index nv = data.model().nv();
  for (Buffer<double>* b : {&tau, &total})
    if (torque != nullptr)
      std::copy_n(torque, nv, b->data());
    else
      std::fill_n(b->data(), nv, 0.0);
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  detail::set_external(data.model(), data, q.data(), external != nullptr ? external->data() : nullptr,
                       external != nullptr ? static_cast<Index>(external->size()) : 0);
  detail::add_passive(data, q.data(), v.data(), effects, 1.0, total.data());
  if (external != nullptr && !external->empty()) outside.take(data.model(), *external);
}

void Problem::prepare_rows() {
  if (relations_known) return;
  if (reader.traits.relation) {
    page::kinematics(data, q.data(), v.data());
    relations.evaluate(layout, reader, data, q.data(), v.data());
  } else if (reader.traits.looks_ahead) {
    page::kinematics(data, q.data());
  }
}

void Problem::attach() {
  if (reader.traits.relation && !relations_known) relations.evaluate(layout, reader, data, q.data(), v.data());
  const page::ActiveRows<double>* const first = reader.active.data();
  page::attach_rows(data, first, first + reader.active.size(), rows);
}

bool Problem::read_again(double* l) {
  CompareRows now{rows, l};
  Level<double> nowhere{};
  const page::AttachRows<double> attach{data, nullptr, nullptr};
  if (reader.traits.relation) relations.evaluate(layout, reader, data, q.data(), v.data());
  for (const page::ActiveRows<double>& a : reader.active) {
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
  const Index first = layout.first_row_of(reader.constraint_of[k]);
  for (Index i = 0; i < x.size(); ++i) {
    const Index row = reader.sweep_row[first + i];
    if (row < 0) continue;
    double terms = 0;
    page::for_each_part(rows, row, [&](Index body, const Force<double>& K) {
      const Motion<double>& twist = data.velocity.twist[body];
      for (Index c = 0; c < 6; ++c) terms += std::fabs(K[c] * twist[c]);
    });
    violation = std::max(violation, std::fabs(relations.rate[first + i]));
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
    length = std::max({length, norm(data.position.placement[body].p), f > 0 ? norm(K.n) / f : 0.0});
  });
  double open = 0;
  const Index first = layout.first_row_of(reader.constraint_of[k]);
  for (Index i = 0; i < x.size(); ++i) {
    const Index row = reader.sweep_row[first + i];
    if (row < 0 || !std::isfinite(relations.phi[first + i])) continue;
    const bool linear = dot(page::attached_row(rows, row).f, page::attached_row(rows, row).f) > 0;
    const double phi = std::fabs(relations.phi[first + i]);
    open = std::max(open, !linear ? phi : length > 0 ? phi / length : 0.0);
  }
  return turned_by(open);
}

double Problem::jacobian(Index k, Index column) const {
  const auto& c = data.tree().column[column];
  double sum = 0;
  page::for_each_part(rows, k, [&](Index i, const Force<double>& K) {
    if (i >= c.body && i < data.tree().body[c.body].last) sum += dot(data.articulated.column[column].s, K);
  });
  return sum * c.multiplier;
}

double Problem::rounding(Index k) const {
  const auto size = [](const Vec3<double>& x) { return std::fabs(x.x) + std::fabs(x.y) + std::fabs(x.z); };
  double sum = 0;
  page::for_each_part(rows, k, [&](Index body, const Force<double>& K) {
    const Motion<double> a = data.acceleration.joint[body], &bias = data.velocity.bias[body];
    sum += size(K.f) * (size(a.v) + size(bias.v) + size(data.gravity)) + size(K.n) * (size(a.w) + size(bias.w));
  });
  return 8 * epsilon_of<double> * static_cast<double>(data.tree().nv + rows.m) * sum;
}

void Problem::add_joint_forces(bool physical, bool driver, const double* lambda, double* out) {
  const auto& tree = data.tree();
  std::fill_n(loaded_.data(), tree.n + 1, static_cast<unsigned char>(0));
  Force<double> f = Force<double>::zero();  // on body i, from the bodies behind it
  bool any = false;
  const bool both = reader.traits.driver && reader.traits.physical;
  const auto wanted = [&](Index k) {
    return (both ? constraint_of(k).role == Role::driver : reader.traits.driver) ? driver : physical;
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
    if (loaded_[i]) f += force_[i];
    any = any || loaded_[i];
    if (!any) continue;
    const auto& b = tree.body[i];
    for (Index column = b.v; column < b.v + b.nv; ++column)
      out[tree.column[column].v] += dot(data.articulated.column[column].s, f) * tree.column[column].multiplier;
    if (b.parent == i - 1) continue;
    if (loaded_[b.parent]) f += force_[b.parent];
    force_[b.parent] = f;
    loaded_[b.parent] = 1;
    f = Force<double>::zero();
    any = false;
  }
}

void Problem::starting_torques(bool velocity, bool gravity, bool external, double* h) {
  const page::Drivers causes{velocity, gravity, external};
  force_[0] = Force<double>::zero();
  for (Index i = 1; i <= data.tree().n; ++i) force_[i] = page::starting_force(data, i, causes);
  std::fill_n(h, data.tree().nv, 0.0);
  page::add_joint_forces(data, force_, h);
}

void Problem::torques_of_motion(const double* qdd, const double* lambda, double* out) {
  const Tree<double>& tree = data.tree();
  force_[0] = Force<double>::zero();
  for (Index i = 1; i <= tree.n; ++i)
    force_[i] = page::world_inertia(data, i) * Motion<double>(data.acceleration.joint[i]);
  for (Index k = 0; k < rows.m; ++k)
    page::for_each_part(rows, k, [&](Index body, const Force<double>& K) { force_[body] -= K * lambda[k]; });
  std::fill_n(out, tree.nv, 0.0);
  page::add_joint_forces(data, force_, out);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& c = tree.column[k];
    out[c.v] += column_inertia(data, k) * c.multiplier * c.multiplier * qdd[c.v];
  }
}

void Problem::accelerate(const double* qdd) {
  const Tree<double>& tree = data.tree();
  auto& a = data.acceleration.joint;
  a[0] = Motion<double>::zero();
  for (Index i = 1; i <= tree.n; ++i) {
    const Body<double>& b = tree.body[i];
    a[i] = a[b.parent];
    for (Index k = b.v; k < b.v + b.nv; ++k)
      a[i] += data.articulated.column[k].s * (qdd[tree.column[k].v] * tree.column[k].multiplier);
  }
  data.stages |= stage_acceleration;
}

}  // namespace zwang
