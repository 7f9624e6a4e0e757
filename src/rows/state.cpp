// SPDX-License-Identifier: BSD-3-Clause
#include "rows/state.hpp"

#include <algorithm>

#include "algorithm/page/body_forces.hpp"
#include "algorithm/support.hpp"
#include "core/kernel_table.hpp"

namespace zwang {

State::State(const Model& model)
    : data(model),
      q(model.nq()),
      v(model.nv()),
      tau(model.nv()),
      total(model.nv()),
      outside(model.bodies()),
      prescribed(model.nv()),
      force(model.bodies() + 1),
      loaded(model.bodies() + 1) {
  kernels();  // a ZWANG_ISA that names no level is refused here, not in the middle of a solve
}

void State::set(const double* position, const double* velocity) {
  std::copy_n(position, q.size(), q.data());
  if (velocity != nullptr)
    std::copy_n(velocity, v.size(), v.data());
  else
    std::fill_n(v.data(), v.size(), 0.0);
}

bool State::prescribes_the_same(const Prescribed* list) const {
  const Index given = list != nullptr ? static_cast<Index>(list->size()) : 0;
  Index before = 0;
  for (const unsigned char p : prescribed.is) before += p;
  bool same = before == given;
  for (Index k = 0; k < given; ++k) same = same && prescribed.is[(*list)[static_cast<std::size_t>(k)].v] != 0;
  return same;
}

void State::take_prescribed(const Prescribed* list) {
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

void State::take_forces(const double* torque, const Externals* external) {
  const Index nv = data.model().nv();
  for (Buffer<double>* b : {&tau, &total})
    if (torque != nullptr)
      std::copy_n(torque, nv, b->data());
    else
      std::fill_n(b->data(), nv, 0.0);
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  detail::set_external(data.model(), data, q.data(), external != nullptr ? external->data() : nullptr,
                       external != nullptr ? static_cast<Index>(external->size()) : 0, effects.gravity_scale);
  detail::add_passive(data, q.data(), v.data(), effects, 1.0, total.data());
  if (data.force.has_external) outside.take(data, external);
}

void State::starting_torques(bool velocity, bool gravity, bool external, double* h) {
  const page::Drivers causes{velocity, gravity, external};
  force[0] = Force<double>::zero();
  for (Index i = 1; i <= data.tree().n; ++i) force[i] = page::starting_force(data, i, causes);
  std::fill_n(h, data.tree().nv, 0.0);
  page::add_joint_forces(data, force, h);
}

void State::accelerate(const double* qdd) {
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
