// SPDX-License-Identifier: BSD-3-Clause
// The product of the derivatives of inverse dynamics with a vector from the left, of one state of double: bodies,
// columns and links side by side. What is computed, and whose work it is, says inverse_dynamics_products.hpp, which
// remains the readable form; a test holds both equal.
//
//   enter     w from body to body; Q, P, N, f of four bodies at once, then a row of numbers for each
//   leave     rows summed inward, three registers for each body; psi', psi'' of four columns at once, where they are
//             used: derivative.variation is neither read nor written
//
// Reads velocity and acceleration stages, columns, force.external, derivative.outside. Writes derivative.subtree.
// Cost O(n). Allocates nothing.
#pragma once
#include "algorithm/page/column_blocks.hpp"
#include "zwang/algorithm/page/inverse_dynamics_products.hpp"
#include "zwang/algorithm/page/regressor.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Rows of ProductFromTheLeft, that of the ground included.
struct LeftRows {
  using Left = ProductFromTheLeft<double>;
  using Eight = Wide<double, 8>;
  double* first;
  explicit LeftRows(BasicData<double>& data) : first(Left::row_of(data, 0)) {}
  ZWANG_INLINE double* of(Index body) const { return first + body * Left::row; }
  ZWANG_INLINE double* w_of(Index body) const { return of(body) + Left::own; }
  /// w of the bodies body(l) side by side.
  template <class At> ZWANG_INLINE Motion<Vec4> motions(At&& body) const {
    Vec4 x[6];
    rows_to_lanes<6, double, 4>([&](Index l, int r) ZWANG_LAMBDA { return Vec4::load(w_of(body(l)) + r); }, x);
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }
};
/// Q, P, N, f of bodies side by side.
struct LeftInLanes {
  Force<Vec4> Q, P, N, f;
  template <class At> ZWANG_INLINE LeftInLanes(const LeftRows& rows, At&& body) {
    Vec4 x[24];
    rows_to_lanes<24, double, 4>([&](Index l, int r) ZWANG_LAMBDA { return Vec4::load(rows.of(body(l)) + r); }, x);
    const auto six = [&](int r) ZWANG_LAMBDA {
      return Force<Vec4>{{x[r], x[r + 1], x[r + 2]}, {x[r + 3], x[r + 4], x[r + 5]}};
    };
    Q = six(0);
    P = six(6);
    N = six(12);
    f = six(18);
  }
};

/// w of the ground and of all bodies. What a register writes too much is not written yet.
ZWANG_INLINE void enter_left_motions(const BasicData<double>& data, const double* y, const LeftRows& rows) {
  using Eight = LeftRows::Eight;
  const auto& tree = data.tree();
  Six w{Eight(0.0)};
  w.x.store(rows.w_of(0));
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    if (body.parent != i - 1) w.x = Eight::load(rows.w_of(body.parent));
    for (Index k = body.v; k < body.v + body.nv; ++k)
      w = w + data.articulated.column[k].s.six() * (y[tree.column[k].v] * tree.column[k].multiplier);
    w.x.store(rows.w_of(i));
  }
}

/// enter_from_the_left().
inline void enter_left_lanes(BasicData<double>& data, const double* y) {
  const auto& tree = data.tree();
  const LeftRows rows(data);
  const Index stride = data.mass.stride;
  enter_left_motions(data, y, rows);
  for (Index i = 1; i <= tree.n; i += 4) {
    const auto body = [=](Index l) ZWANG_LAMBDA { return i + l < tree.n ? i + l : tree.n; };
    const Motion<Vec4> v =
        motions_in_lanes<double>([&](Index l) ZWANG_LAMBDA -> auto& { return data.velocity.twist[body(l)]; });
    const Motion<Vec4> a = accelerations_in_lanes(data, body), w = rows.motions(body);
    const Inertia<Vec4> I = inertias_in_world(data, i);
    const Force<Vec4> Iv = I * v, Q = I * w, P = cross(v, Q) - I * cross(v, w) - cross(w, Iv);
    Force<Vec4> f = I * a + cross(v, Iv), N = Force<Vec4>::zero();
    if (data.force.has_external) {
      Force<Vec4> outside;
      for (int r = 0; r < 6; ++r)
        outside[r] = Vec4::of([&](int l) ZWANG_LAMBDA { return data.force.external[body(l)][r]; });
      f -= load_poses(&data.position.placement[i]) * outside;
      const double* const W = data.derivative.outside.data() + i - 1;
      N = turning_from<Vec4>([=](Index r) ZWANG_LAMBDA { return Vec4::load(W + r * stride); }).transposed_times(w);
    }
    Vec4 x[24];
    for (int r = 0; r < 6; ++r) {
      x[r] = Q[r];
      x[6 + r] = P[r];
      x[12 + r] = N[r];
      x[18 + r] = f[r];
    }
    lanes_to_rows<24, double, 4>(x, [=](Index l) ZWANG_LAMBDA { return rows.of(i + l); });
  }
}

/// Q, P, N, f of subtrees.
ZWANG_INLINE void sum_left_rows(const Tree<double>& tree, const LeftRows& rows) {
  using Eight = LeftRows::Eight;
  Eight x[3] = {Eight(0.0), Eight(0.0), Eight(0.0)};  // of the subtree of body i + 1, for its parent i
  for (Index i = tree.n; i > 0; --i) {
    const Index parent = tree.body[i].parent;
    double* const own = rows.of(i);
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) {
      x[r] += Eight::load(own + 8 * r);
      x[r].store(own + 8 * r);
    }
    if (parent == i - 1) continue;
    double* const sum = rows.of(parent);
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) {
      if (parent > 0) (Eight::load(sum + 8 * r) + x[r]).store(sum + 8 * r);
      x[r] = Eight(0.0);
    }
  }
}

/// leave_from_the_left(). `v`, `a` are the spanning tree's.
inline void leave_left_lanes(BasicData<double>& data, const SpanningState<double>& state, const double* y,
                             const PassiveEffects& effects, const StateVectors<double>& out) {
  const auto& tree = data.tree();
  const LeftRows rows(data);
  bool all_constant = true;
  sum_left_rows(tree, rows);
  for_column_sides(tree, k_sides<double>, [&]<bool plain>(std::bool_constant<plain>, Index k) ZWANG_LAMBDA {
    const ColumnsInLanes<double> at(tree, k);
    const auto own = [&](Index l) ZWANG_LAMBDA { return at.body[l]; };
    const auto before = [&](Index l) ZWANG_LAMBDA { return at.parent[l]; };
    const VariationsInLanes<Vec4> x = variations_in_lanes<plain>(data, state.in, state.v, state.a, at);
    for (Index l = 0; !plain && l < 4; ++l) all_constant = all_constant && has_constant_columns(tree.body[at.body[l]]);
    const LeftInLanes z(rows, own);
    const Vec4 by_q =
        dot(x.second, z.Q) + dot(x.first, z.P) + dot(x.s, z.N) + dot(rows.motions(before), cross(x.s, z.f));
    const Vec4 by_v = dot(x.sum, z.Q) + dot(x.s, z.P), by_a = dot(x.s, z.Q);
    for (Index l = 0; l < 4 && k + l < tree.spanning_nv; ++l) {
      const auto& c = tree.column[k + l];
      const int lane = static_cast<int>(l);
      if (out.q != nullptr) out.q[c.v] += by_q[lane] * c.multiplier;
      if (out.v != nullptr) out.v[c.v] += by_v[lane] * c.multiplier;
      if (out.a != nullptr) {
        const double weight = y[c.v] * c.multiplier;
        out.a[c.v] += (by_a[lane] + weight * (c.armature * data.armature_factor)) * c.multiplier;
      }
    }
  });
  if (!all_constant && out.q != nullptr)
    for (Index i = 1; i <= tree.n; ++i) add_turned_weights(data, ProductFromTheLeft<double>(data), state.in, i, y, out);
  if (tree.passive == nullptr || (!effects.damping && !effects.springs)) return;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& p = tree.passive[k];
    const auto& c = tree.column[k];
    const double weight = y[c.v] * c.multiplier * c.multiplier;
    if (effects.damping && out.v != nullptr) out.v[c.v] += weight * p.damping;
    if (effects.springs && p.q >= 0 && out.q != nullptr) out.q[c.v] += weight * p.stiffness;
  }
  if (out.q != nullptr)
    for_ball_spring_derivatives(tree, state.in.q, effects, [&](Index r, Index c, double entry) ZWANG_LAMBDA {
      out.q[tree.column[c].v] += entry * y[tree.column[r].v];
    });
}

// --- what parameters are to the product, after it has been left

/// A joint: which, the bodies before and behind it, its frame in the former.
struct JointPlace {
  Index joint, before, behind;
  Transform<double> in_body;
};

/// The six numbers of the joint frame X: the product of a locked joint with six columns S before it,
///   S.(N - v x* P - a x* Q + v x* (v x* Q) - w x* f)   v, a, w: of the body before it; Q, P, N, f: of all behind it.
template <class S> struct ProductBehind { Force<S> Q, P, N, f; };
template <class S> ZWANG_INLINE Force<S> placement_product(const Transform<S>& X, const Motion<S>& v,
                                                           const Motion<S>& a, const Motion<S>& w,
                                                           const ProductBehind<S>& z) {
  return inverse_times(X, z.N - cross(v, z.P) - cross(a, z.Q) + cross(v, cross(v, z.Q)) - cross(w, z.f));
}

/// out [6] of each joint += sign times its product.
inline void add_placements_left(BasicData<double>& data, const JointPlace* list, Index count, double sign,
                                double* out) {
  const auto& tree = data.tree();
  const LeftRows rows(data);
  for (Index first = 0; first < count; first += 4) {
    const JointPlace* const four = list + first;
    const auto at = [=](Index l) ZWANG_LAMBDA { return first + l < count ? l : count - 1 - first; };
    const auto before = [=](Index l) ZWANG_LAMBDA { return four[at(l)].before; };
    Transform<Vec4> X =
        transforms_of<double, 4>([&](int l) ZWANG_LAMBDA -> auto& { return data.position.placement[before(l)]; }) *
        transforms_of<double, 4>([&](int l) ZWANG_LAMBDA -> auto& { return four[at(l)].in_body; });
    for (int c = 0; c < 3; ++c)
      X.p[c] -= Vec4::of([&](int l) ZWANG_LAMBDA {
        return before(l) > 0 ? 0.0 : data.position.centre[tree.body[four[at(l)].behind].root][c];
      });
    const Motion<Vec4> v =
        motions_in_lanes<double>([&](Index l) ZWANG_LAMBDA -> auto& { return data.velocity.twist[before(l)]; });
    const Motion<Vec4> a = accelerations_in_lanes(data, before), w = rows.motions(before);
    const LeftInLanes z(rows, [=](Index l) ZWANG_LAMBDA { return four[at(l)].behind; });
    const Force<Vec4> sum = placement_product<Vec4>(X, v, a, w, {z.Q, z.P, z.N, z.f});
    for (Index l = 0; l < 4 && first + l < count; ++l)
      for (int c = 0; c < 6; ++c) out[6 * four[l].joint + c] += sign * sum[c][static_cast<int>(l)];
  }
}

/// out [10] of each link -= the power of its w against its wrench.
inline void subtract_inertias_left(BasicData<double>& data, double* out) {
  const auto& tree = data.tree();
  const LeftRows rows(data);
  for (Index first = 0; first < tree.links; first += 4) {
    const auto body = [&](Index l)
                          ZWANG_LAMBDA { return tree.link[first + l < tree.links ? first + l : tree.links - 1].body; };
    const LocalFrame<Vec4> x = local_frames(data, first);
    Vec4 row[12];
    row[10] = row[11] = Vec4(0.0);
    wrench_row(x, acceleration_field(x.twist.w, x.al), inverse_times(x.X, rows.motions(body)), row);
    alignas(64) double number[4][12];
    lanes_to_rows<12, double, 4>(row, [&](Index l) ZWANG_LAMBDA { return number[l]; });
    for (Index l = 0; l < 4 && first + l < tree.links; ++l)
      for (Index k = 0; k < k_link_parameters; ++k) out[k_link_parameters * (first + l) + k] -= number[l][k];
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
