// SPDX-License-Identifier: BSD-3-Clause
// What the stages of Data hold, for the pages that work on them. Users of Data do not compile this.
#pragma once
#include "zwang/core/side_by_side.hpp"
#include "zwang/model/data.hpp"
#include "zwang/model/local_motion.hpp"
#include "zwang/spatial/articulated_inertia.hpp"
#include "zwang/spatial/momentum.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// A column of the tree after its elimination: what forward dynamics keeps of it (Featherstone 2008, table 7.1). A
/// column whose acceleration is prescribed is one of infinite inertia: inv_D = 0, u = its acceleration.
template <class S> struct Eliminated {
  StoredMotion<S> s;  ///< the column in world axes about the centre
  StoredForce<S> U;   ///< I_A s
  S inv_D;            ///< 1 / (s^T U + armature)
  S u;                ///< (tau - s^T p_A) / D
};

/// How a column varies (algorithm/page/variations.hpp).
template <class S> struct ColumnVariation { Motion<S> s, first, second, sum; };  ///< S, psi', psi'', psi' + dS/dt

/// What a subtree is to its columns (algorithm/page/inverse_dynamics_derivatives.hpp), world axes about the centre.
template <class S> struct SubtreeTerms {
  Inertia<S> I;
  Momentum<S> m;
  Force<S> f;  ///< the wrench that its joint transmits
};
template <class S> ZWANG_INLINE void operator+=(SubtreeTerms<S>& a, const SubtreeTerms<S>& b) {
  a.I += b.I;
  a.m += b.m;
  a.f += b.f;
}

/// A column has no inertia in some lanes. For packs only the lanes are recorded:
/// a test of the mask would cost too much.
template <class S, class Mask> ZWANG_INLINE void note_singular(ArticulatedStage<S>& a, Index column, const Mask& mask) {
  if constexpr (lanes_of<S> == 1) {
    if (!any(mask)) [[likely]]
      return;
    if (a.singular_column < 0) a.singular_column = column;
  }
  a.singular = select(mask, S(Uniform<S>(1)), a.singular);
}
/// Column `column` has the inertia D, a difference of inertias that add up to `gross`. Without inertia:
/// D is only their rounding.
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

/// Columns in blocks and subtrees in rows, in the places of ColumnVariation and SubtreeTerms: columns of a block, the
/// same at every instruction set; numbers of a column and of a subtree.
template <class S> inline constexpr Index k_block_columns = std::is_same_v<S, double> ? 8 : 1;
inline constexpr Index k_column_numbers = 52, k_subtree_numbers = 28;
/// How many ColumnVariations have room for them.
template <class S> constexpr Index room_of_blocks(Index columns) {
  const Index whole = (columns + k_block_columns<S> - 1) / k_block_columns<S> * k_block_columns<S>;
  return (whole * k_column_numbers + 23) / 24;
}

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

inline LaneStage<double>::LaneStage(Index n, Index depth)
    : inertia(padded(n) / lanes),
      inverse(padded(n)),
      own(2 * lanes),
      entered(depth + 1),
      waiting(depth + 1) {}
inline void LaneStage<double>::set_inertia(Index body, const Inertia<double>& J) {
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

/// The part of a column's inertia that is not that of bodies: of its rotor, and of its damper over an implicit step.
template <class S> ZWANG_INLINE Uniform<S> column_inertia(const BasicData<S>& data, Index k) {
  const auto& tree = data.tree();
  Uniform<S> x = tree.column[k].armature * data.armature_factor;
  if (data.damping_step > 0 && tree.passive != nullptr) x += tree.passive[k].damping * data.damping_step;
  return x;
}

}  // namespace ZWANG_ISA
}  // namespace zwang
