// SPDX-License-Identifier: BSD-3-Clause
// The interface of every joint file, and the general forms that follow from it.
//
// A joint is a struct of static functions, templated on the scalar S.
// It says how the child frame moves in the joint frame:
//
//   name, nq, nv          as users write it; numbers in q and in v
//   axis                  true: the axis of the description becomes local z (canonical frames)
//   parameters            how many constants it takes (pitch, radii)
//   angles                bit i set: q[i] is an angle whose sine and cosine are wanted, in the order of the bits
//   constant_columns      S does not depend on q (in body axes)
//   place(body, in, X)    X = placement * X_J(q)
//   columns(in, s)        S(q): nv motions in body axes about the body origin, so that v_J = S v
//   rates(in, v, r)       dS/dt in body axes while q moves with v; only where constant_columns is false
//   and, from its group (joints/groups.hpp): neutral, random, integrate, difference, normalize and their Jacobians.
//
// Optional fast forms: world_columns, advance, project; each must equal the general form below.
#pragma once
#include "zwang/model/joints/groups.hpp"
#include "zwang/model/local_motion.hpp"
#include "zwang/model/tree.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

inline constexpr Index max_joint_columns = 6;

/// What a joint reads: its own coordinates, and the sines and cosines of those that are angles.
template <class S> struct JointInput {
  const S* q;
  const S* sin;
  const S* cos;
  const Uniform<S>* parameters;
  const UserJoint* user;
};

/// Adds the joint's relative motion to the parent's, already in the child's axes (Luh, Walker & Paul 1980):
///   al += al_J + w x w_J,   a += a_J + (2 w + w_J) x v_J,   w += w_J
/// with (v_J, w_J) = S v and (a_J, al_J) = S v' + c.
template <class S> ZWANG_INLINE void add_relative(LocalMotion<S>& x, const Motion<S>& vJ, const Motion<S>& aJ) {
  x.al += aJ.w + cross(x.w, vJ.w);
  x.a += aJ.v + cross(x.w + x.w + vJ.w, vJ.v);
  x.w += vJ.w;
}

/// al += w x (0, 0, r)
template <class S> ZWANG_INLINE void add_cross_z(Vec3<S>& al, const Vec3<S>& w, const S& r) {
  al.x += w.y * r;
  al.y -= w.x * r;
}

}  // namespace ZWANG_ISA
}  // namespace zwang
