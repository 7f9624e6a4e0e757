// SPDX-License-Identifier: BSD-3-Clause
// Data: scratch and results of one thread, grouped in stages. Size O(n); allocated once, from a Model.
//
// World quantities are in world axes about the *centre* of their branch: the origin of the body that hangs on the
// ground. Only `position.centre` says where that is, so that a robot far from the map's origin loses no digits.
#pragma once
#include "zwang/core/buffer.hpp"
#include "zwang/model/local_motion.hpp"
#include "zwang/model/model.hpp"
#include "zwang/spatial/articulated_inertia.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// Which stages hold results of the present state.
enum Stage : unsigned {
  stage_none = 0,
  stage_position = 1,
  stage_velocity = 2,
  stage_acceleration = 4,
  stage_force = 8,
  stage_columns = 16,
  stage_factor = 32  ///< the factorisation of a Solver; gone once anything else writes here
};

/// Written by every sweep in world axes: kinematics, forward dynamics, mass matrix, hybrid dynamics.
template <class S> struct PositionStage {
  Buffer<Transform<S>> placement;  ///< [n+1] body in world axes about its branch's centre; 0: identity
  Buffer<Vec3<S>> centre;          ///< [n+1] world position of the centre, at the branch's root body
};

/// Written by kinematics with v, forward dynamics, hybrid dynamics.
template <class S> struct VelocityStage {
  Buffer<Motion<S>> twist;  ///< [n+1] spatial velocity, world axes about the centre
  Buffer<Motion<S>>
      bias;  ///< [n+1] acceleration at zero joint acceleration, minus gravity: sum of v x S v + (dS/dt) v, -g
};

/// Written by kinematics with a, forward dynamics, hybrid dynamics.
template <class S> struct AccelerationStage {
  Buffer<Motion<S>> joint;  ///< [n+1] sum of S a along the path; spatial acceleration = joint + bias + gravity
};

/// Wrenches in body axes about the body's origin.
template <class S> struct ForceStage {
  Buffer<Force<S>> external;  ///< [n+1] input: applied to each body from outside; read where `has_external`
  Buffer<Force<S>> joint;     ///< [n+1] written by inverse dynamics: what each joint transmits to its body
  bool has_external = false;
};

/// A column of the tree after its elimination: what forward dynamics keeps of it (Featherstone 2008, table 7.1). A
/// column whose acceleration is prescribed is one of infinite inertia: inv_D = 0, u = its acceleration.
template <class S> struct Eliminated {
  Motion<S> s;  ///< the column in world axes about the centre
  Force<S> U;   ///< I_A s
  S inv_D;      ///< 1 / (s^T U + armature)
  S u;          ///< (tau - s^T p_A) / D
};

/// Written by forward and hybrid dynamics.
template <class S> struct ArticulatedStage {
  Buffer<Eliminated<S>> column;    ///< [spanning nv]
  Index singular_column = -1;      ///< the first column without inertia, or -1
  bool has_given = false;          ///< some columns are prescribed: set by who fills the two below, for one sweep
  Buffer<unsigned char> is_given;  ///< [spanning nv]
  Buffer<S> given;                 ///< [spanning nv] prescribed accelerations, read where is_given
  Buffer<S>
      given_force;  ///< [spanning nv] written there: s^T f that moves the column so, all rows acting on the bodies
};

/// Coordinates that several joints share, in forward and hybrid dynamics (algorithm/page/shared.hpp). Empty without
/// mimic.
template <class S> struct SharedStage {
  Buffer<Force<S>> slot;  ///< a stack: force on a body per unit of the coordinate's acceleration
  Buffer<Index> slot_of;  ///< which coordinate a slot belongs to
  Buffer<Index> begin;    ///< [n+1] height of the stack when the body was entered
  Index top = 0;
  Buffer<S> D, E;              ///< [c x c] their articulated inertia; [nv x c] its coupling with eliminated columns
  Buffer<S> u, gross, value;   ///< [c] right-hand side; bound of D without cancellation; acceleration
  Buffer<Eliminated<S>> done;  ///< [c] U, 1/D, u at elimination
  Buffer<Index> order;         ///< [c] when it was eliminated
  Index eliminated = 0;
};

/// Written by the mass matrix, centre of mass and energy pages.
template <class S> struct MassStage {
  Buffer<Inertia<S>> composite;  ///< [n+1] of each subtree, world axes about the centre
};

/// What one level of the depth-first sweeps needs of the bodies on the path to the root.
template <class S> struct Level {
  ArticulatedInertia<S> IA;
  Force<S> pA;
  S gross_mass, gross_moment;  ///< bounds of the inertia without cancellation, for the singularity test
};
template <class S> struct LocalLevel {
  Transform<S> X;  ///< body in its parent
  LocalMotion<S> m;
  Mat3<S> E;  ///< acceleration field
  Force<S> f;
};

template <class S> class BasicData {
 public:
  using T = Uniform<S>;
  explicit BasicData(const Model& model);
  BasicData(const BasicData&);
  BasicData(BasicData&&) noexcept;
  BasicData& operator=(const BasicData&);
  BasicData& operator=(BasicData&&) noexcept;
  ~BasicData();

  PositionStage<S> position;
  VelocityStage<S> velocity;
  AccelerationStage<S> acceleration;
  ForceStage<S> force;
  ArticulatedStage<S> articulated;
  SharedStage<S> shared;
  MassStage<S> mass;
  unsigned stages = stage_none;  ///< which of them belong to the present state

  /// Constants that may differ from the model's, in body axes; read by every page.
  Buffer<Inertia<T>> inertia;  ///< [n+1]
  Vec3<T> gravity;             ///< [m/s^2]
  T armature_factor = T(1);    ///< 1, or 0 where rotors shall not count; set by every public call from its JointEffects

  /// Replaces gravity for this Data. These three refuse unknown links, entries that are not finite and negative masses.
  void set_gravity(const Vec3<T>& g);
  /// Replaces a link's inertia, given in the link's frame: mass, centre of mass, inertia about it.
  void set_inertia(LinkId link, T mass, const Vec3<T>& centre, const Sym3<T>& inertia_about_centre);
  /// Adds a load to a link, given in the link's frame; a mass of zero takes it off.
  void set_payload(LinkId link, T mass, const Vec3<T>& centre, const Sym3<T>& inertia_about_centre);
  /// Back to the model's inertias and gravity.
  void clear_overrides();

  const Model& model() const { return model_; }
  const Tree<T>& tree() const { return *tree_; }
  ZWANG_INLINE bool made_for(const Model& m) const { return m.id() == model_id_; }

  // Scratch of the sweeps.
  Buffer<S> sin, cos;                                          ///< [angles, padded to whole packs]
  Buffer<S> q_spanning, v_spanning, a_spanning, tau_spanning;  ///< only where joints mimic
  Buffer<Level<S>> level;                                      ///< [max depth + 1]
  Buffer<LocalLevel<S>> local;                                 ///< [max depth + 1]
  Buffer<S> q;                            ///< [nq] configuration of the position stage, kept by forward_kinematics
  Buffer<S> torque, acceleration_out;     ///< [nv] results that the public functions return views of
  Buffer<S> bias_out, gravity_out, work;  ///< [nv]

 private:
  void refresh(Index body);
  void check_load(const char* function, LinkId link, T m, const Vec3<T>& c, const Sym3<T>& I) const;
  Model model_;
  const Tree<T>* tree_;
  std::uint64_t model_id_;
  Buffer<Inertia<T>> link_inertia_, payload_;  ///< [links] about the link's origin, link axes
};

using Data = BasicData<double>;

template <class S> BasicData<S>::BasicData(const Model& model)
    : model_(model),
      tree_(&model.tree<T>()),
      model_id_(model.id()) {
  const Tree<T>& t = *tree_;
  const Index n = t.n + 1, angles = t.angles + 64;
  position = {Buffer<Transform<S>>(n), Buffer<Vec3<S>>(n)};
  velocity = {Buffer<Motion<S>>(n), Buffer<Motion<S>>(n)};
  acceleration = {Buffer<Motion<S>>(n)};
  force = {Buffer<Force<S>>(n), Buffer<Force<S>>(n), false};
  articulated = {Buffer<Eliminated<S>>(t.spanning_nv),
                 -1,
                 false,
                 Buffer<unsigned char>(t.spanning_nv),
                 Buffer<S>(t.spanning_nv),
                 Buffer<S>(t.spanning_nv)};
  mass = {Buffer<Inertia<S>>(n)};
  inertia = Buffer<Inertia<T>>(n);
  sin = cos = Buffer<S>(angles);
  if (t.mimic) {
    q_spanning = Buffer<S>(t.spanning_nq);
    v_spanning = a_spanning = tau_spanning = Buffer<S>(t.spanning_nv);
    const Index c = t.shared_count;
    shared.slot = Buffer<Force<S>>(t.spanning_nv);
    shared.slot_of = Buffer<Index>(t.spanning_nv);
    shared.begin = Buffer<Index>(n);
    shared.D = Buffer<S>(c * c);
    shared.E = Buffer<S>(t.spanning_nv * c);
    shared.u = shared.gross = shared.value = Buffer<S>(c);
    shared.done = Buffer<Eliminated<S>>(c);
    shared.order = Buffer<Index>(c);
  }
  level = Buffer<Level<S>>(t.max_depth + 1);
  local = Buffer<LocalLevel<S>>(t.max_depth + 1);
  q = Buffer<S>(t.nq);
  torque = acceleration_out = bias_out = gravity_out = work = Buffer<S>(t.nv);
  link_inertia_ = payload_ = Buffer<Inertia<T>>(static_cast<Index>(model.links().size()));
  clear_overrides();
}

template <class S> void BasicData<S>::clear_overrides() {
  stages &= ~static_cast<unsigned>(stage_factor);
  const Vec3<double>& g = model_.gravity();
  gravity = {T(g.x), T(g.y), T(g.z)};
  Index k = 0;
  for (const Link& link : model_.links()) {
    const Inertia<double> I = from_centre(link.mass, link.centre, link.inertia);
    link_inertia_[k] = widen<T>(I);
    payload_[k++] = Inertia<T>::zero();
  }
  for (Index i = 0; i <= tree_->n; ++i) inertia[i] = tree_->body[i].inertia;
}

template <class S> void BasicData<S>::refresh(Index body) {
  stages &= ~static_cast<unsigned>(stage_factor);
  inertia[body] = Inertia<T>::zero();
  Index k = 0;
  for (const Link& link : model_.links()) {
    if (link.body.value == body) inertia[body] += widen<T>(link.in_body) * (link_inertia_[k] + payload_[k]);
    ++k;
  }
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
  refresh(model_.links()[static_cast<std::size_t>(link.value)].body.value);
}

template <class S> void BasicData<S>::set_payload(LinkId link, T m, const Vec3<T>& c, const Sym3<T>& I) {
  check_load("set_payload", link, m, c, I);
  payload_[link.value] = from_centre(m, c, I);
  refresh(model_.links()[static_cast<std::size_t>(link.value)].body.value);
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
