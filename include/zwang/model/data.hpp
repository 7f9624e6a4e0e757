// SPDX-License-Identifier: BSD-3-Clause
// Data: scratch and results of one thread, grouped in stages. Size O(n); allocated once, from a Model.
//
// World quantities are in world axes about the *centre* of their branch: the origin of the body whose parent is the
// ground. Only `position.centre` says where that is, so that a robot far from the map's origin loses no digits.
#pragma once
#include "zwang/core/buffer.hpp"
#include "zwang/core/side_by_side.hpp"
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
  Buffer<StoredMotion<S>> twist;  ///< [n+1] spatial velocity, world axes about the centre
  /// [n+1] acceleration at zero joint acceleration, minus gravity: sum of v x S v + (dS/dt) v, -g.
  Buffer<StoredMotion<S>> bias;
};

/// Written by kinematics with a, forward dynamics, hybrid dynamics.
template <class S> struct AccelerationStage {
  Buffer<StoredMotion<S>> joint;  ///< [n+1] sum of S a along the path; spatial acceleration = joint + bias + gravity
};

/// Wrenches in body axes about the body's origin.
template <class S> struct ForceStage {
  Buffer<Force<S>> external;  ///< [n+1] input: applied to each body from outside; read where `has_external`
  /// [n+1] written by inverse dynamics: the wrench that each joint transmits to its body. Empty for double: see
  /// page::joint_force.
  Buffer<Force<S>> joint;
  bool has_external = false;
};

/// A column of the tree after its elimination: what forward dynamics keeps of it (Featherstone 2008, table 7.1). A
/// column whose acceleration is prescribed is one of infinite inertia: inv_D = 0, u = its acceleration.
template <class S> struct Eliminated {
  StoredMotion<S> s;  ///< the column in world axes about the centre
  StoredForce<S> U;   ///< I_A s
  S inv_D;            ///< 1 / (s^T U + armature)
  S u;                ///< (tau - s^T p_A) / D
};

/// Scratch of a sweep that makes columns orthogonal (algorithm/page/careful_columns.hpp).
template <class S> struct CarefulStage {
  Buffer<StoredMotion<S>> reduced;  ///< [spanning nv] s'
  Buffer<S> size;                   ///< [spanning nv] the scale of its rounding
  Buffer<Index> first, next;        ///< [n+1], [spanning nv] lists of columns
};

/// Written by forward and hybrid dynamics.
template <class S> struct ArticulatedStage {
  Buffer<Eliminated<S>> column;  ///< [spanning nv]
  Index singular_column = -1;    ///< the first column without inertia, or -1
  S singular = S(0);             ///< 1 in the lanes where some column has none
  S gross_ratio = S(0);          ///< largest inertia of a column without cancellation, divided by its D
  bool is_careful = false;       ///< input: columns are made orthogonal; set by who sweeps again, for one sweep
  CarefulStage<S> careful;
  bool has_given = false;          ///< some columns are prescribed: set by who fills the two below, for one sweep
  Buffer<unsigned char> is_given;  ///< [spanning nv]
  Buffer<S> given;                 ///< [spanning nv] prescribed accelerations, read where is_given
  /// [spanning nv] written where is_given: s^T f that gives the column its acceleration, all rows acting on the bodies.
  Buffer<S> given_force;
};

/// A column has no inertia in some lanes. For packs only the lanes are recorded: a test of the mask would cost too
/// much.
template <class S, class Mask> ZWANG_INLINE void note_singular(ArticulatedStage<S>& a, Index column, const Mask& mask) {
  if constexpr (lanes_of<S> == 1) {
    if (!any(mask)) [[likely]]
      return;
    if (a.singular_column < 0) a.singular_column = column;
  }
  a.singular = select(mask, S(Uniform<S>(1)), a.singular);
}
/// Column `column` has the inertia D, a difference of inertias that add up to `gross`. Without inertia: D is only their
/// rounding.
template <class S>
ZWANG_INLINE void note_inertia(ArticulatedStage<S>& a, Index column, const S& gross, const S& D, const S& inv_D) {
  note_singular(a, column, !less(gross * (32 * epsilon_of<S>), D));
  const S ratio = gross * inv_D;
  a.gross_ratio = select(less(a.gross_ratio, ratio), ratio, a.gross_ratio);
}
/// Whether every column of every lane had inertia.
template <class S> ZWANG_INLINE bool is_regular(const ArticulatedStage<S>& a) {
  if constexpr (lanes_of<S> == 1)
    return a.singular_column < 0;
  else
    return !any(less(S(Uniform<S>(0)), a.singular));
}

/// Coordinates that several joints share, in forward and hybrid dynamics (algorithm/page/shared.hpp). Empty without
/// mimic.
template <class S> struct SharedStage {
  Buffer<StoredForce<S>> slot;  ///< a stack: force on a body per unit of the coordinate's acceleration
  Buffer<Index> slot_of;        ///< which coordinate a slot belongs to
  Buffer<Index> begin;          ///< [n+1] height of the stack when the body was entered
  Index top = 0;
  Buffer<S> D, E;              ///< [c x c] their articulated inertia; [nv x c] its coupling with eliminated columns
  Buffer<S> u, gross, value;   ///< [c] right-hand side; bound of D without cancellation; acceleration
  Buffer<Eliminated<S>> done;  ///< [c] U, 1/D, u at elimination
  Buffer<Index> order;         ///< [c] when it was eliminated
  Index eliminated = 0;
};

/// Written by the mass matrix, centre of mass and energy pages.
/// Numbers of all bodies (columns) stand side by side: number r of body i at [r * stride + i - 1], of column k at
/// [r * stride + k].
template <class S> struct MassStage {
  Buffer<S> composite;  ///< [10 x stride] inertia of each subtree, world axes about the centre: m, h, I
  Buffer<S> force;      ///< [6 x stride] composite inertia times the column
  Index stride = 0;     ///< whole Sides of S, with one to spare
};

/// What the depth-first sweeps need of one body on the path to the root.
template <class S> struct Level {
  CarriedInertia<S> IA;
  StoredForce<S> pA;
  S gross_mass, gross_moment;  ///< bounds of the inertia without cancellation, for the singularity test
};
template <class S> struct LocalLevel {
  Transform<S> X;  ///< body in its parent
  LocalMotion<S> m;
  Mat3<S> E;  ///< acceleration field
  Force<S> f;
};

/// How a body moves, world axes about its own origin: what inverse dynamics carries outward.
struct WorldMotion {
  Axes4 R;     ///< axes of the body
  Vec4 w, al;  ///< angular velocity and acceleration
  Vec4 a;      ///< classical acceleration of the origin
};
struct WorldBody : WorldMotion {
  Vec4 r;     ///< origin, from that of the parent
  Vec4 f, n;  ///< force that the joint transmits, and its moment about the origin
};

/// The same about the centre, without accelerations: what sweeps in world axes carry outward.
struct EnteredBody {
  Axes4 R;
  Vec4 p;
  Vec4 v, w;      ///< twist
  Vec4 b_v, b_w;  ///< bias
  Index body;
};

/// Scratch of one state whose bodies are worked on four side by side (algorithm/page/bodies_in_lanes.hpp). Bodies
/// 1 + 4 k ... 4 + 4 k are the lanes of block k. Nothing for scalars other than double.
template <class S> struct LaneStage {
  static constexpr Index padded(Index n) { return n; }
  LaneStage() = default;
  LaneStage(Index, Index) {}
  template <class T> ZWANG_INLINE void set_inertia(Index, const Inertia<T>&) {}
};
template <> struct LaneStage<double> {
  using Lanes = Vec4;
  static constexpr Index lanes = 4;
  /// How many entries per-body arrays have: those of whole blocks, and the ground.
  static constexpr Index padded(Index n) { return 1 + (n + lanes - 2) / lanes * lanes; }

  Buffer<Inertia<Lanes>> inertia;  ///< [blocks] data.inertia
  Buffer<WorldBody> inverse;       ///< [padded] written by inverse dynamics
  Buffer<Level<double>> own;       ///< [2 x lanes] inertias and bias forces of two blocks
  Buffer<EnteredBody> entered;     ///< [max depth + 1] a stack: bodies with children to come, on the way out
  Buffer<Index> waiting;           ///< [max depth + 1] the same on the way in; what they have so far is in `level`

  LaneStage() = default;
  LaneStage(Index n, Index depth)
      : inertia(padded(n) / lanes),
        inverse(padded(n)),
        own(2 * lanes),
        entered(depth + 1),
        waiting(depth + 1) {}
  void set_inertia(Index body, const Inertia<double>& J) {
    if (body == 0) return;
    const Index k = (body - 1) / lanes, l = (body - 1) % lanes;
    Inertia<Lanes>& to = inertia[k];
    to.m.set(l, J.m);
    for (Index i = 0; i < 3; ++i) to.h[i].set(l, J.h[i]);
    Sym3<Lanes>& I = to.I;
    I.xx.set(l, J.I.xx);
    I.xy.set(l, J.I.xy);
    I.xz.set(l, J.I.xz);
    I.yy.set(l, J.I.yy);
    I.yz.set(l, J.I.yz);
    I.zz.set(l, J.I.zz);
  }
};

template <class S> class BasicData {
 public:
  using T = Uniform<S>;
  explicit BasicData(const Model& model);
  /// For kernels: on the numbers of a model that the caller keeps alive; model() must not be called.
  BasicData(const Tree<T>& tree, const Vec3<T>& gravity);
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
  /// Step of implicit joint damping [s]: d times the step counts as inertia of the column. 0: no implicit damping.
  T damping_step = T(0);
  bool has_armature = false;  ///< some column has a rotor
  T armature_factor = T(1);   ///< 1, or 0 where rotors shall not count; set by every public call from its JointEffects

  /// Replaces gravity for this Data. These three refuse unknown links, entries that are not finite and negative masses.
  void set_gravity(const Vec3<T>& g);
  /// Replaces a link's inertia, given in the link's frame: mass, centre of mass, inertia about it.
  void set_inertia(LinkId link, T mass, const Vec3<T>& centre, const Sym3<T>& inertia_about_centre);
  /// Adds a load to a link, given in the link's frame; a mass of zero takes it off.
  void set_payload(LinkId link, T mass, const Vec3<T>& centre, const Sym3<T>& inertia_about_centre);
  /// Back to the model's inertias and gravity.
  void clear_overrides();

  const Model& model() const { return model_.get(); }
  const Tree<T>& tree() const { return *tree_; }
  ZWANG_INLINE bool made_for(const Model& m) const { return m.id() == model_.id(); }

  // Scratch of the sweeps.
  Buffer<S> sin, cos;                                          ///< [angles, padded to whole packs]
  Buffer<S> q_spanning, v_spanning, a_spanning, tau_spanning;  ///< only where joints mimic
  Buffer<Level<S>> level;                                      ///< [max depth + 1]; double: [bodies, padded]
  LaneStage<S> lanes;
  Buffer<LocalLevel<S>> local;            ///< [max depth + 1]; double: empty
  Buffer<S> q;                            ///< [nq] configuration of the position stage, kept by forward_kinematics
  Buffer<S> torque, acceleration_out;     ///< [nv] results that the public functions return views of
  Buffer<S> bias_out, gravity_out, work;  ///< [nv]

 private:
  void refresh(Index body);
  void set_body_inertia(Index body, const Inertia<T>& J) {
    inertia[body] = J;
    lanes.set_inertia(body, J);
  }
  void check_load(const char* function, LinkId link, T m, const Vec3<T>& c, const Sym3<T>& I) const;
  ModelHandle model_;
  const Tree<T>* tree_;
  Buffer<Inertia<T>> link_inertia_, payload_;  ///< [links] about the link's origin, link axes
};

using Data = BasicData<double>;

/// The part of a column's inertia that is not that of bodies: of its rotor, and of its damper over an implicit step.
template <class S> ZWANG_INLINE Uniform<S> column_inertia(const BasicData<S>& data, Index k) {
  const auto& tree = data.tree();
  Uniform<S> x = tree.column[k].armature * data.armature_factor;
  if (data.damping_step > 0 && tree.passive != nullptr) x += tree.passive[k].damping * data.damping_step;
  return x;
}

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
  force = {Buffer<Force<S>>(padded), Buffer<Force<S>>(std::is_same_v<S, double> ? 0 : n), false};
  ArticulatedStage<S>& eliminated = articulated;
  eliminated.column = Buffer<Eliminated<S>>(t.spanning_nv);
  eliminated.is_given = Buffer<unsigned char>(t.spanning_nv);
  eliminated.given = eliminated.given_force = eliminated.careful.size = Buffer<S>(t.spanning_nv);
  eliminated.careful.reduced = Buffer<StoredMotion<S>>(t.spanning_nv);
  eliminated.careful.first = Buffer<Index>(n);
  eliminated.careful.next = Buffer<Index>(t.spanning_nv);
  const Index stride = side_stride<S>(n > t.spanning_nv ? n : t.spanning_nv);
  mass = {Buffer<S>(10 * stride), Buffer<S>(6 * stride), stride};
  inertia = Buffer<Inertia<T>>(n);
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
  for (Index i = 0; i < n; ++i) set_body_inertia(i, t.body[i].inertia);
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
}

template <class S> void BasicData<S>::refresh(Index body) {
  stages &= ~static_cast<unsigned>(stage_factor);
  Inertia<T> sum = Inertia<T>::zero();
  Index k = 0;
  for (const Link& link : model().links()) {
    if (link.body.value == body) sum += widen<T>(link.in_body) * (link_inertia_[k] + payload_[k]);
    ++k;
  }
  set_body_inertia(body, sum);
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
