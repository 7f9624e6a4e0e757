// SPDX-License-Identifier: BSD-3-Clause
// Rows between two frames from their geometry alone (geometries.hpp), of one state or of states in lanes.
//
//   phi = m . e,   K = m . K_e,   gamma = K' . (V_B - V_A)       m: a constant row over the basic errors
// gamma needs no formula of its own: the geometry is evaluated with dual numbers whose derivative is the motion.
#pragma once
#include "constraint/geometries.hpp"
#include "zwang/model/data.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// A frame of a relation: fixed to a body, or to the ground (0).
struct BodyFrame {
  Index body;
  Transform<double> in_body;
};

template <class Geometry> struct PoseRows {
  Geometry geometry;
  BodyFrame a, b;
  const double* matrix;  ///< [rows x errors]
  Index rows;
  const Index* bodies;  ///< of Relation
  Index body_count;
};

/// The two frames in world axes about one point: the centre of a's branch, or of b's where a is on the ground.
template <class S> struct FramePair {
  Transform<S> A, B;
  Motion<S> VA, VB;
  Vec3<S> to_a, to_b;  ///< from there to the centres of the branches of the two bodies
};
template <class S>
ZWANG_INLINE FramePair<S> frame_pair(const BasicData<S>& data, const BodyFrame& a, const BodyFrame& b) {
  using T = Uniform<S>;
  const auto& tree = data.tree();
  const auto centre = [&](Index body) ZWANG_LAMBDA {
    return body == 0 ? Vec3<S>::zero() : data.position.centre[tree.body[body].root];
  };
  const auto pose = [&](const BodyFrame& f, const Vec3<S>& shift) ZWANG_LAMBDA {
    const Mat3<double>& R = f.in_body.R;
    const Transform<T> own{{widen<T>(R.r0), widen<T>(R.r1), widen<T>(R.r2)}, widen<T>(f.in_body.p)};
    Transform<S> X = data.position.placement[f.body] * own;  // of the ground: the identity
    X.p += shift;
    return X;
  };
  const auto twist = [&](Index body, const Vec3<S>& point) ZWANG_LAMBDA {
    return body == 0 ? Motion<S>::zero() : with_reference_point(Motion<S>(data.velocity.twist[body]), point);
  };
  const Vec3<S> ca = centre(a.body), cb = centre(b.body), c = a.body > 0 ? ca : cb, to_a = ca - c, to_b = cb - c;
  return {pose(a, to_a), pose(b, to_b), twist(a.body, -to_a), twist(b.body, -to_b), to_a, to_b};
}

namespace impl {

/// A pose about a point in the world, with its rate as derivative: dR = [w] R, dp = v + w x p.
template <class S> ZWANG_INLINE Transform<Dual<S>> moving(const Transform<S>& X, const Motion<S>& V) {
  using D = Dual<S>;
  const auto dual = [](const Vec3<S>& a, const Vec3<S>& d) ZWANG_LAMBDA {
    return Vec3<D>{D(a.x, d.x), D(a.y, d.y), D(a.z, d.z)};
  };
  const Vec3<S> x = column_x(X.R), y = column_y(X.R), z = column_z(X.R);
  return {from_columns(dual(x, cross(V.w, x)), dual(y, cross(V.w, y)), dual(z, cross(V.w, z))),
          dual(X.p, V.v + cross(V.w, X.p))};
}

}  // namespace impl

/// phi, gamma [rows], K [bodies x rows]. `seen(r, row)` is told each row's wrench on b, in world axes about the pair's
/// point.
template <class S, class Geometry, class Seen>
void evaluate_rows(const PoseRows<Geometry>& x, const FramePair<S>& pair, S* phi, S* gamma, Force<S>* K, Seen&& seen) {
  using T = Uniform<S>;
  constexpr Index n = Geometry::errors;
  const Motion<S> V = pair.VB - pair.VA;
  Dual<S> e[n];
  Force<Dual<S>> k[n];
  x.geometry(impl::moving(pair.A, pair.VA), impl::moving(pair.B, pair.VB), e, k);
  for (Index r = 0; r < x.rows; ++r) {
    const double* const m = x.matrix + r * n;
    S error(T(0)), rest(T(0));
    Force<S> row = Force<S>::zero();
    for (Index i = 0; i < n; ++i) {
      if (m[i] == 0) continue;  // an error that this row does not see may be NaN
      const T weight(static_cast<T>(m[i]));
      error += e[i].v * weight;
      for (int c = 0; c < 6; ++c) {
        row[c] += k[i][c].v * weight;
        rest += k[i][c].d * V[c] * weight;
      }
    }
    phi[r] = error;
    gamma[r] = rest;
    seen(r, row);
    for (Index t = 0; t < x.body_count; ++t) {
      Force<S> on_body = Force<S>::zero();
      if (x.bodies[t] == x.b.body) on_body += with_reference_point(row, pair.to_b);
      if (x.bodies[t] == x.a.body) on_body -= with_reference_point(row, pair.to_a);
      K[t * x.rows + r] = on_body;
    }
  }
}

}  // namespace ZWANG_ISA
}  // namespace zwang
