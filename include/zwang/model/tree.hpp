// SPDX-License-Identifier: BSD-3-Clause
// Tree<T>: the constant numbers a kernel reads. Bodies 1..n, depth first, parent < child; 0 is the ground.
//
// Canonical frames: a body's frame is its joint's frame after the motion, turned so that the axis
// of a joint of one degree of freedom is local z. Links, user frames and everything that users see
// are offsets to it. `T` is double or float.
#pragma once
#include "zwang/core/index.hpp"
#include "zwang/spatial/inertia.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang {
struct UserJoint;
inline namespace ZWANG_ISA {

/// A body and the joint that carries it.
template <class T> struct Body {
  Transform<T> placement;  ///< of the joint (q = 0) in the parent body
  Inertia<T> inertia;      ///< about the body's origin, body axes, everything lumped into it
  Index parent;
  Index kind;             ///< position in JointTypes (model/joint_types.hpp)
  Index q, nq;            ///< first coordinate in the configuration of the spanning tree
  Index v, nv;            ///< first column in the velocity of the spanning tree
  Index angle;            ///< first slot of its sines and cosines
  Index depth;            ///< 1 for a body on the ground
  Index last;             ///< one past the last body of its subtree
  Index root;             ///< the body on the ground at which its branch starts; sweeps are centred there
  const T* parameters;    ///< of the joint (pitch, radii), or nullptr
  const UserJoint* user;  ///< table of a user-defined joint, or nullptr
};

/// A column of the spanning tree's velocity. v_column = multiplier * v[coordinate].
template <class T> struct Column {
  T armature;  ///< reflected rotor inertia [kg m^2]
  Index body;
  Index v;       ///< coordinate of the model's velocity that drives it
  T multiplier;  ///< 1 unless the joint mimics another
  /// Shares its coordinate with another column: eliminated where their subtrees meet (algorithm/page/shared.hpp).
  bool deferred;
  Index parent;  ///< the previous column on the path to the root (of the same joint first), or -1
  Index end;     ///< one past the last column of its subtree: all columns from here to there move with it
};

/// Passive effects of a joint in the direction of a column: tau = -d v - k (q - q0) - c sign(v).
template <class T> struct Passive {
  T damping, friction, stiffness, reference;
  Index q;  ///< spanning coordinate that stretches the spring, or -1
};

/// The spring of a spherical joint: tau = -k log(R_0^T R), k the stiffness of each of the joint's columns.
template <class T> struct BallSpring {
  Index body;
  Quat<T> reference;  ///< R_0, unit length
};

/// Where a link of the model is.
template <class T> struct LinkPlace {
  Index body;            ///< that carries it; 0: the ground
  Transform<T> in_body;  ///< the link frame in the body frame
  T excess;              ///< gravity_scale - 1
};

/// By how much what gravity pulls at differs from what it accelerates: the sum of (gravity_scale - 1) (m, m c) over the
/// links of a body.
template <class T> struct ExcessMass {
  T m;
  Vec3<T> h;  ///< about the body's origin, body axes
};

/// A coordinate that several columns share (a mimic group).
struct SharedCoordinate {
  Index v;     ///< coordinate of the model
  Index body;  ///< the deepest body whose subtree holds all its columns; 0: the ground
  bool own;    ///< that body's own joint is one of the columns
};

template <class T> struct Tree {
  Index n = 0;                             ///< bodies, without the ground
  Index nq = 0, nv = 0;                    ///< of the model: what users see
  Index spanning_nq = 0, spanning_nv = 0;  ///< with a coordinate for every mimicking joint
  Index angles = 0;                        ///< slots of sines and cosines
  Index max_depth = 0;
  const Body<T>* body = nullptr;        ///< [n + 1]
  const Column<T>* column = nullptr;    ///< [spanning_nv]
  const Passive<T>* passive = nullptr;  ///< [spanning_nv], or nullptr where no joint has damping, friction or a spring
  Index ball_springs = 0;
  const BallSpring<T>* ball_spring = nullptr;  ///< [ball_springs]
  const ExcessMass<T>* excess = nullptr;       ///< [n + 1], or nullptr where every link's gravity_scale is 1
  Index links = 0;
  const LinkPlace<T>* link = nullptr;  ///< [links] in the order of the model
  const Index* angle_q = nullptr;      ///< [angles] which coordinate each slot turns by
  bool mimic = false;                  ///< some coordinate drives several columns
  const Index* q_source = nullptr;     ///< [spanning_nq] coordinate of the model behind each spanning coordinate
  const T* q_multiplier = nullptr;     ///< [spanning_nq]
  const T* q_offset = nullptr;         ///< [spanning_nq]
  Index shared_count = 0;
  const SharedCoordinate* shared = nullptr;  ///< sorted by body
  const Index* shared_of = nullptr;          ///< [nv] which shared coordinate, or -1
  const Index* row_parent = nullptr;  ///< [nv] elimination tree of M: the nearest coordinate towards the root, or -1
  /// [nv] first coordinate of the run row_parent[k] = k - 1, row_parent[k - 1] = k - 2, ... that ends at k.
  const Index* row_first = nullptr;
};

}  // namespace ZWANG_ISA
}  // namespace zwang
