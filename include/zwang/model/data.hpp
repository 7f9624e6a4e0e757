// SPDX-License-Identifier: BSD-3-Clause
// Data: scratch and results of one thread, grouped in stages. Size O(n); allocated once, from a Model.
//
// World quantities are in world axes about the *centre* of their branch: the origin of the body whose parent is the
// ground. Only `position.centre` says where that is, so that a robot far from the map's origin loses no digits.
#pragma once
#include "zwang/core/buffer.hpp"
#include "zwang/model/model.hpp"
#include "zwang/spatial/inertia.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

// What the scratch holds is not needed to own it: model/stages.hpp has it, for the pages.
template <class T, int L> struct Wide;
template <class M> struct Padded;
template <class S> struct Eliminated;
template <class S> struct Level;
template <class S> struct LocalLevel;
template <class S> struct ColumnVariation;
template <class S> struct SubtreeTerms;
struct WorldBody;
struct EnteredBody;
/// Motions and forces as Data holds them: padded to whole registers for double.
template <class S> using StoredMotion =
    std::conditional_t<std::is_same_v<S, double>, Padded<Motion<double>>, Motion<S>>;
/// A force as Data holds it.
template <class S> using StoredForce = std::conditional_t<std::is_same_v<S, double>, Padded<Force<double>>, Force<S>>;

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
  /// [n+1] written by inverse dynamics: the wrench that each joint transmits to its body.
  /// Empty for double: see page::joint_force.
  Buffer<Force<S>> joint;
  bool has_external = false;
  bool has_excess = false;  ///< what links' gravity_scale adds is among them (algorithm/page/excess_gravity.hpp)
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

/// Coordinates that several joints share, in forward and hybrid dynamics (algorithm/page/shared.hpp).
/// Empty without mimic.
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

/// Written by the pages of the Coriolis matrix and of momentum (algorithm/page/composite_momentum.hpp),
/// side by side with the stride of the mass stage.
template <class S> struct MomentumStage {
  Buffer<S> composite;  ///< [15 x stride] momentum of each subtree, world axes about the centre: f, n; and N
  Buffer<S> rate;       ///< [6 x stride] dS/dt of each column
  Buffer<S> force;      ///< [9 x stride] I^c dS/dt + 1/2 B^c S; the moment of (1/2 B^c)^T S
};

/// Written by the pages of derivatives; the last two are side by side with the stride of the mass stage.
template <class S> struct DerivativeStage {
  /// [spanning nv] (algorithm/page/variations.hpp). Or columns in blocks (algorithm/page/column_blocks.hpp).
  Buffer<ColumnVariation<S>> variation;
  /// [n+1] (algorithm/page/inverse_dynamics_derivatives.hpp). Or rows of numbers (algorithm/page/subtree_rows.hpp; what
  /// a product from the left keeps of the bodies, algorithm/page/inverse_dynamics_products.hpp).
  Buffer<SubtreeTerms<S>> subtree;
  Buffer<S> product;  ///< [18 x stride] what a product from the right keeps of the bodies, likewise
  Buffer<S> outside;  ///< [15 x stride] how external wrenches on each body turn with it (algorithm/page/turning.hpp)
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
  using Lanes = Wide<double, 4>;
  static constexpr Index lanes = 4;
  /// How many entries per-body arrays have: those of whole blocks, and the ground.
  static constexpr Index padded(Index n) { return 1 + (n + lanes - 2) / lanes * lanes; }

  Buffer<Inertia<Lanes>> inertia;  ///< [blocks] data.inertia
  Buffer<WorldBody> inverse;       ///< [padded] written by inverse dynamics
  Buffer<Level<double>> own;       ///< [2 x lanes] inertias and bias forces of two blocks
  Buffer<EnteredBody> entered;     ///< [max depth + 1] a stack: bodies with children to come, on the way out
  Buffer<Index> waiting;           ///< [max depth + 1] the same on the way in; what they have so far is in `level`

  LaneStage() = default;
  LaneStage(Index n, Index depth);
  void set_inertia(Index body, const Inertia<double>& J);
};

/// Scratch and results of one thread over the scalar S; allocated once, from a Model.
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
  MomentumStage<S> momentum;
  DerivativeStage<S> derivative;
  unsigned stages = stage_none;  ///< which of them belong to the present state

  /// Constants that may differ from the model's, in body axes; read by every page.
  Buffer<Inertia<T>> inertia;    ///< [n+1]
  Buffer<ExcessMass<T>> excess;  ///< [n+1], or empty where every link's gravity_scale is 1
  Vec3<T> gravity;               ///< [m/s^2]
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
  /// What counts for a link now, its load included: about its origin, its axes.
  Inertia<T> link_inertia(LinkId link) const { return link_inertia_[link.value] + payload_[link.value]; }

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

}  // namespace ZWANG_ISA
}  // namespace zwang
