// SPDX-License-Identifier: BSD-3-Clause
// Rows between two frames A and B from their geometry alone.
//
//   phi = m . e,   K = m . K_e,   gamma = K' . (V_B - V_A)       m: a constant row over the basic errors e
//   e' = K_e . (V_B - V_A)   in world axes        a geometry: template <class S> operator()(A, B, S* e, Force<S>* K)
// gamma needs no formula: the geometry is evaluated with dual numbers whose derivative part is the motion.
#pragma once
#include "zwang/constraint/page/row_values.hpp"
#include "zwang/core/dual.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// A frame of a relation: fixed to a body, or to the ground (0).
struct BodyFrame {
  Index body;
  Transform<double> in_body;
};

/// Which wrench is shown to users: on b about b's origin, or on a about a's. Both in a's axes.
enum class Given { on_b, on_a };

/// The two frames in world axes about one point: the centre of a's branch, or of b's if a is on the ground.
template <class S> struct FramePair {
  Transform<S> A, B;
  Motion<S> VA, VB;
  Vec3<S> to_a, to_b;  ///< from that point to the centres of the branches of the two bodies
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
    Transform<S> X = data.position.placement[f.body] * own;  // identity for the ground
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

/// `Geometry::errors` basic errors; `matrix` is rows x errors.
template <class Geometry> struct PoseRows {
  static constexpr bool position_is_free = false;
  Geometry geometry;
  BodyFrame a, b;
  ConstArray<double> matrix;
  Given given = Given::on_b;

  template <class F> void for_each_array(F&& f) { f(matrix); }

  template <class S> void operator()(const BasicData<S>& data, const S*, const S*, const RelationShape& on,
                                     const BasicRowValues<S>& out) const {
    using T = Uniform<S>;
    constexpr Index n = Geometry::errors;
    const FramePair<S> pair = frame_pair(data, a, b);
    const Motion<S> V = pair.VB - pair.VA;
    Dual<S> e[n];
    Force<Dual<S>> k[n];
    geometry(impl::moving(pair.A, pair.VA), impl::moving(pair.B, pair.VB), e, k);
    for (Index r = 0; r < on.rows; ++r) {
      const double* const m = matrix.data + r * n;
      S error(T(0)), rest(T(0));
      Force<S> row = Force<S>::zero();
      for (Index i = 0; i < n; ++i) {
        if (m[i] == 0) continue;  // an error that the row does not use may be NaN
        const T weight(static_cast<T>(m[i]));
        error += e[i].v * weight;
        for (int c = 0; c < 6; ++c) {
          row[c] += k[i][c].v * weight;
          rest += k[i][c].d * V[c] * weight;
        }
      }
      out.phi[r] = error;
      out.gamma[r] = rest;
      if (out.as_given != nullptr) {
        const Transform<S> seen{pair.A.R, given == Given::on_b ? pair.B.p : pair.A.p};
        const Force<S> wrench = inverse_times(seen, given == Given::on_b ? row : -row);
        for (int c = 0; c < 6; ++c) out.as_given[6 * r + c] = wrench[c];
      }
      for (Index t = 0; t < on.body_count; ++t) {
        Force<S> on_body = Force<S>::zero();
        if (on.bodies[t] == b.body) on_body += with_reference_point(row, pair.to_b);
        if (on.bodies[t] == a.body) on_body -= with_reference_point(row, pair.to_a);
        out.K[t * on.rows + r] = on_body;
      }
    }
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
