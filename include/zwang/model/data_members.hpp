// SPDX-License-Identifier: BSD-3-Clause
// The members of Data, for scalars that the library does not hold compiled: it holds them for double and float.
#pragma once
#include "zwang/model/stages.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> BasicData<S>::BasicData(const Model& model)
    : BasicData(model.tree<T>(), {T(model.gravity().x), T(model.gravity().y), T(model.gravity().z)}) {
  model_ = ModelHandle(model);
  link_inertia_ = payload_ = Buffer<Inertia<T>>(static_cast<Index>(model.links().size()));
  clear_overrides();
}

template <class S> BasicData<S>::BasicData(const Tree<T>& t, const Vec3<T>& g) : gravity(g), tree_(&t) {
  const Index n = t.n + 1, padded = LaneStage<S>::padded(n), angles = t.angles + 64;
  position = {Buffer<Transform<S>>(padded + 1), Buffer<Vec3<S>>(n)};  // one more: rows are stored four numbers wide
  velocity = {Buffer<StoredMotion<S>>(padded), Buffer<StoredMotion<S>>(padded)};
  acceleration = {Buffer<StoredMotion<S>>(n)};
  force = {Buffer<Force<S>>(padded), Buffer<Force<S>>(std::is_same_v<S, double> ? 0 : n), false, false};
  ArticulatedStage<S>& eliminated = articulated;
  eliminated.column = Buffer<Eliminated<S>>(t.spanning_nv);
  eliminated.is_given = Buffer<unsigned char>(t.spanning_nv);
  eliminated.given = eliminated.given_force = eliminated.careful.size = Buffer<S>(t.spanning_nv);
  eliminated.careful.reduced = Buffer<StoredMotion<S>>(t.spanning_nv);
  eliminated.careful.first = Buffer<Index>(n);
  eliminated.careful.next = Buffer<Index>(t.spanning_nv);
  const Index stride = side_stride<S>(n > t.spanning_nv ? n : t.spanning_nv);
  mass = {Buffer<S>(10 * stride), Buffer<S>(6 * stride), stride};
  momentum = {Buffer<S>(15 * stride), Buffer<S>(6 * stride), Buffer<S>(9 * stride)};
  derivative = {Buffer<ColumnVariation<S>>(room_of_blocks<S>(t.spanning_nv)), Buffer<SubtreeTerms<S>>(n + 3),
                Buffer<S>(18 * stride), Buffer<S>(15 * stride)};
  inertia = Buffer<Inertia<T>>(n);
  if (t.excess != nullptr) excess = Buffer<ExcessMass<T>>(n);
  sin = cos = Buffer<S>(angles);
  if (t.mimic) {
    q_spanning = Buffer<S>(t.spanning_nq);
    v_spanning = a_spanning = tau_spanning = Buffer<S>(t.spanning_nv);
    const Index c = t.shared_count;
    shared.slot = Buffer<StoredForce<S>>(t.spanning_nv);
    shared.slot_of = Buffer<Index>(t.spanning_nv);
    shared.begin = Buffer<Index>(n);
    shared.D = Buffer<S>(c * c);
    shared.E = Buffer<S>(t.spanning_nv * c);
    shared.u = shared.gross = shared.value = Buffer<S>(c);
    shared.done = Buffer<Eliminated<S>>(c);
    shared.order = Buffer<Index>(c);
  }
  level = Buffer<Level<S>>(std::is_same_v<S, double> ? padded : t.max_depth + 1);
  lanes = LaneStage<S>(n, t.max_depth);
  local = Buffer<LocalLevel<S>>(std::is_same_v<S, double> ? 0 : t.max_depth + 1);
  q = Buffer<S>(t.nq);
  torque = acceleration_out = bias_out = gravity_out = work = Buffer<S>(t.nv);
  for (Index i = 0; i < n; ++i) {
    set_body_inertia(i, t.body[i].inertia);
    if (t.excess != nullptr) excess[i] = t.excess[i];
  }
  for (Index k = 0; k < t.spanning_nv; ++k) has_armature = has_armature || t.column[k].armature != 0;
}

template <class S> void BasicData<S>::clear_overrides() {
  stages &= ~static_cast<unsigned>(stage_factor);
  const Vec3<double>& g = model().gravity();
  gravity = {T(g.x), T(g.y), T(g.z)};
  Index k = 0;
  for (const Link& link : model().links()) {
    const Inertia<double> I = from_centre(link.mass, link.centre, link.inertia);
    link_inertia_[k] = widen<T>(I);
    payload_[k++] = Inertia<T>::zero();
  }
  for (Index i = 0; i <= tree_->n; ++i) set_body_inertia(i, tree_->body[i].inertia);
  for (Index i = 0; i < excess.size(); ++i) excess[i] = tree_->excess[i];
}

template <class S> void BasicData<S>::refresh(Index body) {
  stages &= ~static_cast<unsigned>(stage_factor);
  Inertia<T> sum = Inertia<T>::zero(), pulled = sum;
  Index k = 0;
  for (const Link& link : model().links()) {
    if (link.body.value == body) {
      const Inertia<T> I = widen<T>(link.in_body) * (link_inertia_[k] + payload_[k]);
      sum += I;
      pulled.m += I.m * tree_->link[k].excess;
      pulled.h += I.h * tree_->link[k].excess;
    }
    ++k;
  }
  set_body_inertia(body, sum);
  if (excess.size() > 0) excess[body] = {pulled.m, pulled.h};
}

template <class S> void BasicData<S>::set_gravity(const Vec3<T>& g) {
  for (Index k = 0; k < 3; ++k)
    if (!is_finite(g[k])) detail::throw_not_finite("set_gravity", "gravity", k, static_cast<double>(g[k]));
  gravity = g;
  stages &= ~static_cast<unsigned>(stage_factor);
}

template <class S>
void BasicData<S>::check_load(const char* function, LinkId link, T m, const Vec3<T>& c, const Sym3<T>& I) const {
  if (link.value < 0 || link.value >= link_inertia_.size())
    throw std::invalid_argument(std::string(function) + ": no link has the id " + std::to_string(link.value));
  const T numbers[10] = {m, c.x, c.y, c.z, I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
  for (Index k = 0; k < 10; ++k)
    if (!is_finite(numbers[k]))
      detail::throw_not_finite(function,
                               k == 0  ? "mass"
                               : k < 4 ? "centre"
                                       : "inertia",
                               k, static_cast<double>(numbers[k]));
  if (m < 0) throw std::invalid_argument(std::string(function) + ": the mass is negative, " + std::to_string(m));
}

template <class S> void BasicData<S>::set_inertia(LinkId link, T m, const Vec3<T>& c, const Sym3<T>& I) {
  check_load("set_inertia", link, m, c, I);
  link_inertia_[link.value] = from_centre(m, c, I);
  refresh(model().links()[static_cast<std::size_t>(link.value)].body.value);
}

template <class S> void BasicData<S>::set_payload(LinkId link, T m, const Vec3<T>& c, const Sym3<T>& I) {
  check_load("set_payload", link, m, c, I);
  payload_[link.value] = from_centre(m, c, I);
  refresh(model().links()[static_cast<std::size_t>(link.value)].body.value);
}

template <class S> BasicData<S>::BasicData(const BasicData&) = default;
template <class S> BasicData<S>::BasicData(BasicData&&) noexcept = default;
template <class S> BasicData<S>& BasicData<S>::operator=(const BasicData&) = default;
template <class S> BasicData<S>& BasicData<S>::operator=(BasicData&&) noexcept = default;
template <class S> BasicData<S>::~BasicData() = default;

// The library holds these compiled.
extern template class BasicData<double>;
extern template class BasicData<float>;

}  // namespace ZWANG_ISA
}  // namespace zwang
