// SPDX-License-Identifier: BSD-3-Clause
// PoseRelation: a Relation of two frames from its geometry alone.
//
// A geometry says what its basic errors e are and what their rates ask of the two frames:
//   template <class S> void operator()(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) const
// with e' = K . (V_B - V_A), world axes. gamma = K' . (V_B - V_A) needs no formula of its own: the geometry is
// evaluated with dual numbers whose derivative is the motion. The rows are a constant matrix over the basic errors.
#pragma once
#include "zwang/constraint/relation.hpp"
#include "zwang/core/dual.hpp"

namespace zwang {

/// A frame of a relation: fixed to a body, or to the ground (0).
struct BodyFrame {
  Index body;
  Transform<double> in_body;
};

namespace detail {

/// A pose about a point in the world, with its rate as derivative: dR = [w] R, dp = v + w x p.
inline Transform<Dual<double>> moving(const Transform<double>& X, const Motion<double>& V) {
  using D = Dual<double>;
  const auto dual = [](const Vec3<double>& a, const Vec3<double>& d) {
    return Vec3<D>{D(a.x, d.x), D(a.y, d.y), D(a.z, d.z)};
  };
  const Vec3<double> x = column_x(X.R), y = column_y(X.R), z = column_z(X.R);
  return {from_columns(dual(x, cross(V.w, x)), dual(y, cross(V.w, y)), dual(z, cross(V.w, z))),
          dual(X.p, V.v + cross(V.w, X.p))};
}

}  // namespace detail

/// Whose wrench is shown to users: that on b about b's origin, or that on a about a's. Both in a's axes.
enum class Given { on_b, on_a };

/// `Geometry::errors` basic errors; `matrix` is rows x errors.
template <class Geometry> class PoseRelation final : public Relation {
 public:
  PoseRelation(const Geometry& geometry, const BodyFrame& a, const BodyFrame& b, std::vector<double> matrix,
               Given given = Given::on_b)
      : Relation(static_cast<Index>(matrix.size()) / Geometry::errors, {a.body, b.body}),
        geometry_(geometry),
        a_(a),
        b_(b),
        matrix_(std::move(matrix)),
        given_(given) {}

  void evaluate(const Data& data, const double*, const double*, const RowValues& out) const override {
    using D = Dual<double>;
    constexpr Index n = Geometry::errors;
    const Vec3<double> ca = centre(data, a_.body), cb = centre(data, b_.body), c = a_.body > 0 ? ca : cb;
    const Transform<double> A = pose(data, a_, ca - c), B = pose(data, b_, cb - c);
    const Motion<double> VA = twist(data, a_.body, c - ca), VB = twist(data, b_.body, c - cb), V = VB - VA;
    D e[n];
    Force<D> K[n];
    geometry_(detail::moving(A, VA), detail::moving(B, VB), e, K);
    const Transform<double> seen{A.R, given_ == Given::on_b ? B.p : A.p};
    for (Index r = 0; r < rows(); ++r) {
      const double* const m = &matrix_[static_cast<std::size_t>(r * n)];
      double phi = 0, gamma = 0;
      Force<double> row = Force<double>::zero();
      for (Index i = 0; i < n; ++i) {
        if (m[i] == 0) continue;  // an error that this row does not see may be NaN
        phi += m[i] * e[i].v;
        for (int k = 0; k < 6; ++k) {
          row[k] += m[i] * K[i][k].v;
          gamma += m[i] * K[i][k].d * V[k];
        }
      }
      out.phi[r] = phi;
      out.gamma[r] = gamma;
      for (Index t = 0; t < static_cast<Index>(bodies().size()); ++t) {
        const Index body = bodies()[static_cast<std::size_t>(t)];
        Force<double> k = Force<double>::zero();
        if (body == b_.body) k += with_reference_point(row, cb - c);
        if (body == a_.body) k -= with_reference_point(row, ca - c);
        out.K[t * rows() + r] = k;
      }
      const Force<double> given = inverse_times(seen, given_ == Given::on_b ? row : -row);
      for (int k = 0; k < 6; ++k) out.as_given[6 * r + k] = given[k];
    }
  }

 private:
  static Vec3<double> centre(const Data& data, Index body) {
    return body == 0 ? Vec3<double>::zero() : data.position.centre[data.tree().body[body].root];
  }
  static Transform<double> pose(const Data& data, const BodyFrame& f, const Vec3<double>& shift) {
    Transform<double> X = f.body == 0 ? f.in_body : data.position.placement[f.body] * f.in_body;
    X.p += shift;
    return X;
  }
  static Motion<double> twist(const Data& data, Index body, const Vec3<double>& point) {
    return body == 0 ? Motion<double>::zero() : with_reference_point(Motion<double>(data.velocity.twist[body]), point);
  }

  Geometry geometry_;
  BodyFrame a_, b_;
  std::vector<double> matrix_;
  Given given_;
};

}  // namespace zwang
