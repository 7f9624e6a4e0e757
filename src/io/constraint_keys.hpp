// SPDX-License-Identifier: BSD-3-Clause
// The keys that each type of constraint has of its own, in the order of their text. The reader and the writer go
// through the same list; what every type has they know by themselves.
//
//   v.needed(key, x)        is there, and is written                        v.frames(f)    "frames": [frame, other]
//   v.always(key, x)        may be left out, and is written                 v.rows(x, …)   "rows" of frames and loops
//   v.maybe(key, x)         may be left out, and is where x is zero or empty
//   v.given(key, has, x)    is there where `has` is true
//   v.axis, v.words, v.matrix     like maybe or always, of which other texts are understood: `z`, lists, rows
//   v.acceleration()        `classical` or `spatial`, of the constraint
#pragma once
#include "zwang/constraint/constraint_types.hpp"

namespace zwang::io {

/// How "rows" are understood and whether they are written.
struct RowsKey {
  bool of_joint = false;  ///< {"joint": "hinge", "axis": "z"}
  bool written = true;
};

template <class V> void keys(V& v, FrameConstraint& f) {
  v.needed("frame", f.frame);
  v.rows(f.rows);
  v.always("in", f.in);
  v.given("target_pose", f.has_target, f.target_pose);
  v.acceleration();
}
template <class V> void keys(V& v, ContactConstraint& f) {
  v.needed("frame", f.frame);
  v.maybe("point", f.point);
  v.always("normal", f.normal);
  v.maybe("tangent", f.tangent);
  v.always("rows", f.rows);
  v.given("target_point", f.has_target, f.target_point);
  v.acceleration();
}
template <class V> void keys(V& v, LoopConstraint& f) {
  v.frames(f);
  v.rows(f.rows, {.of_joint = true});
}
template <class V> void keys(V& v, DistanceConstraint& f) {
  v.frames(f);
  v.maybe("point", f.point);
  v.maybe("other_point", f.other_point);
  v.needed("length", f.length);
}
template <class V> void keys(V& v, CouplingConstraint& f) {
  v.needed("coordinates", f.coordinates);
  v.maybe("ratio", f.ratio);
  v.maybe("offset", f.offset);
  v.maybe("polynomial", f.polynomial);
}
template <class V> void keys(V& v, JointConstraint& f) {
  v.maybe("coordinates", f.coordinates);
  v.maybe("posture", f.posture);
}
template <class V> void keys(V& v, RollingConstraint& f) {
  v.needed("frame", f.frame);
  v.needed("radius", f.radius);
  v.axis("axis", f.axis);
  v.maybe("other", f.other);
  v.always("normal", f.normal);
  v.maybe("plane_point", f.plane_point);
  v.maybe("tangent", f.tangent);
  v.words("rows", f.rows);
}
template <class V> void keys(V& v, CentreOfMassConstraint& f) {
  v.rows(f.rows, {.written = f.matrix.empty()});
  v.matrix("matrix", f.matrix, 3);
}
/// All but the function is in the text.
template <class V> void keys(V& v, CustomConstraint& f) {
  v.maybe("coordinates", f.coordinates);
  v.maybe("row_names", f.row_names);
}

}  // namespace zwang::io
