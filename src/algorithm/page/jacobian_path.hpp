// SPDX-License-Identifier: BSD-3-Clause
// Jacobian of a frame from q, for one state of double: Featherstone 2008, sec. 4.5. Only the joints between the ground
// and the frame are looked at, whatever else the robot has.
//
//   outward   R, p of each body on the path, its columns s = (p x z, z)
//   then      J_k = X s_k,  X to the reference: v + w x point, turned into its axes;   0 for all other columns
//
// DIFFERS from enter_path and jacobian (jacobian.hpp), the page it is tested against: a whole vector per
// operation, sines and cosines of the path alone, each entry of J written once. Not for coordinates that
// joints share. Reads q. Writes J, mass.composite, lanes.waiting; no stage of Data is complete afterwards.
// Cost O(d), writing O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/jacobian.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Writes a 6 x n matrix from its first column to its last; columns left out are zero.
class ColumnWriter {
 public:
  ColumnWriter(double* J, Index columns, Index stride) : J_(J), n_(columns), stride_(stride) {}
  /// Column c, c not before any other one put.
  ZWANG_INLINE void put(Index c, const Vec4& v, const Vec4& w) {
    skip(c);
    double* const p = at(next_++);
    v.store(p);
    if (stride_ == 6 && next_ < n_) {
      w.store(p + 3);  // its last lane is where the next column begins, which is yet to be written
    } else {
      p[3] = w[0];
      p[4] = w[1];
      p[5] = w[2];
    }
    sum_ += v + w;
  }
  /// Zero up to column c.
  ZWANG_INLINE void skip(Index c) {
    if (next_ == c) return;
    if (stride_ == 6) {
      double *p = at(next_), *const end = at(c);
      const Wide<double, 8> zero(0.0);
      for (; p + 8 <= end; p += 8) zero.store(p);
      for (; p < end; p += 2) Wide<double, 2>(0.0).store(p);
    } else {
      for (double* p = at(next_); p < at(c); p += stride_)
        for (Index r = 0; r < 6; ++r) p[r] = 0;
    }
    next_ = c;
  }
  /// Zero up to the end. A sum of all numbers, and of others as large.
  ZWANG_INLINE double finish() {
    skip(n_);
    return sum(sum_);
  }

 private:
  ZWANG_INLINE double* at(Index c) const { return J_ + static_cast<std::ptrdiff_t>(c) * stride_; }
  double* const J_;
  const Index n_, stride_;
  Index next_ = 0;
  Vec4 sum_ = Vec4(0.0);
};

/// A column as two vectors. Narrow stores that a wide load follows would make that wait.
struct PathColumn {
  Vec4 v, w;
};
ZWANG_INLINE void enter_path_columns(BasicData<double>& data, const SweepInput<double>& in, Index i,
                                     const EnteredBody& x, PathColumn* s) {
  const Body<double>& b = data.tree().body[i];
  const auto turn = [&](const Vec4& axis) ZWANG_LAMBDA { return PathColumn{cross(x.p, axis), axis}; };
  if (b.kind == kind_of<Revolute>) {
    s[0] = turn(x.R.z);
  } else if (b.kind == kind_of<Free>) {
    const Vec4 o(0.0);
    s[0] = {x.R.x, o};
    s[1] = {x.R.y, o};
    s[2] = {x.R.z, o};
    s[3] = turn(x.R.x);
    s[4] = turn(x.R.y);
    s[5] = turn(x.R.z);
  } else if (b.nv > 0) {
    Transform<double> X;
    X.R = from_columns(vec3(x.R.x), vec3(x.R.y), vec3(x.R.z));
    X.p = vec3(x.p);
    Motion<double> generic[max_joint_columns];
    world_columns(b, in, X, generic);
    for (Index k = 0; k < b.nv; ++k) s[k] = {vec4(generic[k].v), vec4(generic[k].w)};
  }
}

/// Poses and columns along a path, from the ground; x: the last body.
ZWANG_INLINE void enter_path_lanes(BasicData<double>& data, const double* q, const Index* path, Index count,
                                   EnteredBody& x, PathColumn* column) {
  const Tree<double>& tree = data.tree();
  const SweepInput<double> in{q, data.sin.data(), data.cos.data()};
  Index ready = 0;  // sines and cosines up to here, as far as they are on the path
  for (Index k = 0; k < count; ++k) {
    const Index first = tree.body[path[k]].angle, end = path[k] < tree.n ? tree.body[path[k] + 1].angle : tree.angles;
    for (ready = ready < first ? first : ready; ready < end; ready += native_lanes<double>)
      enter_angles(tree, q, ready, data.sin.data(), data.cos.data());
  }
  x.R = identity4();
  x.p = Vec4(0.0);
  for (Index k = 0; k < count; ++k) {
    const Index i = path[k];
    const Body<double>& b = tree.body[i];
    if (b.kind == kind_of<Revolute>) {
      x.p += x.R * b.placement.p;
      x.R = turn_z(x.R * b.placement.R, in.cos[b.angle], in.sin[b.angle]);
    } else {
      Transform<double> J;
      place(b, in, J);
      x.p += x.R * J.p;
      x.R = x.R * J.R;
    }
    if (k == 0) {
      data.position.centre[i] = vec3(x.p);
      x.p = Vec4(0.0);
    }
    enter_path_columns(data, in, i, x, column + b.v);
  }
}

/// Returns a sum that is finite if all numbers are. J: columns of six numbers, `stride` apart.
inline double path_jacobian(BasicData<double>& data, const double* q, Index body, const Transform<double>& in_body,
                            Reference reference, double* J, Index stride) {
  const Tree<double>& tree = data.tree();
  ColumnWriter out(J, tree.nv, stride);
  data.stages = 0;
  if (body == 0) return out.finish();
  const Index count = tree.body[body].depth;
  Index* const path = data.lanes.waiting.data();
  for (Index i = body, k = count; k > 0; i = tree.body[i].parent) {
    for (; tree.body[i].parent == i - 1 && k > 1; --i) path[--k] = i;  // most parents are known before they are read
    path[--k] = i;
  }
  EnteredBody x;
  PathColumn* const column = reinterpret_cast<PathColumn*>(data.mass.composite.data());  // nv of them have room there
  enter_path_lanes(data, q, path, count, x, column);
  const bool world = reference == Reference::world, turned = reference == Reference::local;
  const Vec4 point = world ? vec4(-data.position.centre[path[0]]) : x.p + x.R * in_body.p;
  Vec4 rows[4];
  if (turned) {
    const Axes4 axes = x.R * in_body.R;
    rows[0] = axes.x, rows[1] = axes.y, rows[2] = axes.z, rows[3] = Vec4(0.0);
    transpose(rows);
  }
  const auto along_axes = [&](const Vec4& a) ZWANG_LAMBDA {
    return rows[0] * spread<0>(a) + rows[1] * spread<1>(a) + rows[2] * spread<2>(a);
  };
  for (Index k = 0; k < count; ++k) {
    const Body<double>& b = tree.body[path[k]];
    for (Index c = b.v; c < b.v + b.nv; ++c) {
      const Vec4 w = column[c].w, v = column[c].v + cross(w, point);
      if (turned)
        out.put(c, along_axes(v), along_axes(w));
      else
        out.put(c, v, w);
    }
  }
  return out.finish();
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
