// SPDX-License-Identifier: BSD-3-Clause
// Quantities that are linear in the inertial parameters phi = (m, m c, I_o) of links, as matrices: Atkeson, An &
// Hollerbach 1986; Garofalo, Ott & Albu-Schaeffer 2013.
//
//   wrench of one link, its axes, about its origin:  f = m a + E h,  n = h x a + I_o al + w x I_o w,  E = [al] + [w][w]
//   (a: classical acceleration of the origin minus gravity, h = m c);   inverse dynamics = Y phi,  Y_k = S_k^T (wrench)
//   T = 1/2 (m v.v + 2 h.(v x w) + w.I_o w),   V = -g.(m p + R h),   momentum = X* (m v + w x h; h x v + I_o w)
//
// Ten parameters a link, in the order m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz (I_o about the link's
// origin). Reads position (velocity, acceleration) stages and columns. Cost O(links d). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/centre_of_mass.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

inline constexpr Index k_link_parameters = 10;

/// A frame fixed to a body: its motion in its own axes, about its own origin.
template <class S> struct LocalFrame {
  Transform<S> X;   ///< in world axes about the branch's centre
  Motion<S> twist;  ///< needs velocities
  Vec3<S> a, al;    ///< classical acceleration of the origin minus gravity; needs accelerations
};
template <class S>
ZWANG_INLINE LocalFrame<S> local_frame(const BasicData<S>& data, Index body, const Transform<Uniform<S>>& in_body) {
  LocalFrame<S> x{frame_about_centre(data, body, in_body), Motion<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero()};
  if (data.stages & stage_velocity) x.twist = inverse_times(x.X, Motion<S>(data.velocity.twist[body]));
  if (data.stages & stage_acceleration) {
    const Motion<S> spatial = data.acceleration.joint[body] + data.velocity.bias[body];  // minus gravity
    const Motion<S> local = inverse_times(x.X, spatial);
    x.a = local.v + cross(x.twist.w, x.twist.v);
    x.al = local.w;
  }
  return x;
}

/// Coefficients of I_o in u^T I_o w, added to y[0 .. 5].
template <class S> ZWANG_INLINE void add_second_moments(const Vec3<S>& u, const Vec3<S>& w, S* y) {
  y[0] += u.x * w.x;
  y[1] += u.x * w.y + u.y * w.x;
  y[2] += u.y * w.y;
  y[3] += u.x * w.z + u.z * w.x;
  y[4] += u.y * w.z + u.z * w.y;
  y[5] += u.z * w.z;
}
template <class S> ZWANG_INLINE void put(const Vec3<S>& x, S* y) {
  y[0] = x.x;
  y[1] = x.y;
  y[2] = x.z;
}

/// y[10]: the power of a motion s, in the frame's axes about its origin, against the wrench of the moving link.
/// E is its acceleration field.
template <class S> ZWANG_INLINE void wrench_row(const LocalFrame<S>& x, const Mat3<S>& E, const Motion<S>& s, S* y) {
  y[0] = dot(s.v, x.a);
  put(transpose_times(E, s.v) + cross(x.a, s.w), y + 1);
  for (Index k = 4; k < 10; ++k) y[k] = S(Uniform<S>(0));
  add_second_moments(s.w, x.al, y + 4);
  add_second_moments(cross(s.w, x.twist.w), x.twist.w, y + 4);
}

/// Links side by side: lane l is link first + l, or the last one where there is none.
template <class S> ZWANG_INLINE LocalFrame<Side<S>> local_frames(const BasicData<S>& data, Index first) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  Index link[L];
  for (Index l = 0; l < L; ++l) link[l] = first + l < tree.links ? first + l : tree.links - 1;
  const auto of_body = [&](const auto& buffer) ZWANG_LAMBDA {
    return motions_of<S, L>([&](int l) ZWANG_LAMBDA -> auto& { return buffer[tree.link[link[l]].body]; });
  };
  LocalFrame<Side<S>> x;
  x.X = transforms_of<S, L>([&](int l)
                                ZWANG_LAMBDA -> auto& { return data.position.placement[tree.link[link[l]].body]; }) *
        transforms_of<S, L>([&](int l) ZWANG_LAMBDA -> auto& { return tree.link[link[l]].in_body; });
  x.twist = inverse_times(x.X, of_body(data.velocity.twist));
  const Motion<Side<S>> local = inverse_times(x.X, of_body(data.acceleration.joint) + of_body(data.velocity.bias));
  x.a = local.v + cross(x.twist.w, x.twist.v);
  x.al = local.w;
  return x;
}

/// The columns of the tree side by side, into momentum.rate (their numbers) and momentum.force (one past
/// the last column that each of them moves).
template <class S> void columns_by_numbers(BasicData<S>& data) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index n = tree.spanning_nv, stride = data.mass.stride;
  S *const to = data.momentum.rate.data(), *const end = data.momentum.force.data();
  for (Index k = 0; k < n; k += L) {
    const Eliminated<S>* const e = data.articulated.column.data() + k;
    const auto s = motions_of<S, L>([=](int l) ZWANG_LAMBDA -> auto& { return e[k + l < n ? l : n - 1 - k].s; });
    for (Index r = 0; r < 6; ++r) store_side(to + r * stride + k, s[r]);
    store_side(end + k,
               side_of<S, L>([&](int l) ZWANG_LAMBDA { return S(k + l < n ? tree.column[k + l].end : n + 1); }));
  }
}

/// The same for columns of Y in one piece: rows k, k + 1, ... side by side, zero where the column does not move the
/// link. Returns whether the sum of Y is finite.
/// Column k moves what hangs on columns k ... end - 1, so the link behind column `last` where
/// (last - k)(end - 1 - last) is not negative.
template <class S> bool regressor_by_columns(BasicData<S>& data, const MatrixView<S>& Y) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index n = tree.nv, stride = data.mass.stride, top = (n - 1) / L * L, next = Y.column_stride;
  const S *const column = data.momentum.rate.data(), *const end = data.momentum.force.data();
  const Side<S> lane = side_of<S, L>([](int l) ZWANG_LAMBDA { return S(l); });
  Side<S> total(S(0));
  columns_by_numbers(data);
  for (Index first = 0; first < tree.links; first += L) {
    const LocalFrame<Side<S>> four = local_frames(data, first);
    for (Index l = 0; l < L && first + l < tree.links; ++l) {
      const auto only = [&](const Vec3<Side<S>>& a) ZWANG_LAMBDA {
        return Vec3<Side<S>>{Side<S>(a.x[l]), Side<S>(a.y[l]), Side<S>(a.z[l])};
      };
      const LocalFrame<Side<S>> x{{{only(four.X.R.r0), only(four.X.R.r1), only(four.X.R.r2)}, only(four.X.p)},
                                  {only(four.twist.v), only(four.twist.w)},
                                  only(four.a),
                                  only(four.al)};
      const Mat3<Side<S>> E = acceleration_field(x.twist.w, x.al);
      Index body = tree.link[first + l].body;  // the nearest one that a column moves
      while (body > 0 && tree.body[body].nv == 0) body = tree.body[body].parent;
      const Side<S> last(S(body > 0 ? tree.body[body].v + tree.body[body].nv - 1 : -1));
      S* const to = Y.data + k_link_parameters * (first + l) * next;
      // Downwards: what the last rows of a column write too much is the next column's, whose first rows come later.
      const bool spills = next == n && first + l + 1 < tree.links;
      for (Index k = top; k >= 0; k -= L) {
        Side<S> y[k_link_parameters];
        const Side<S> moves = (last - (lane + S(k))) * (load_side(end + k) - S(1) - last);
        if (all_negative<S>(moves)) {
#pragma GCC unroll 16
          for (Index p = 0; p < k_link_parameters; ++p) y[p] = Side<S>(S(0));
        } else {
          const auto s = motion_from<Side<S>>(
              [=](int r) ZWANG_LAMBDA { return where_not_negative<S>(moves, load_side(column + r * stride + k)); });
          wrench_row(x, E, inverse_times(x.X, s), y);
          total += ((y[0] + y[1]) + (y[2] + y[3])) + ((y[4] + y[5]) + (y[6] + y[7])) + (y[8] + y[9]);
        }
        if (spills || k + L <= n) {
#pragma GCC unroll 16
          for (Index p = 0; p < k_link_parameters; ++p) store_side(to + p * next + k, y[p]);
        } else {
          for (Index p = 0; p < k_link_parameters; ++p) store_first(to + p * next + k, y[p], n - k);
        }
      }
    }
  }
  return sum(total) * 0 == 0;
}

/// nv x 10 links. Needs accelerations. Returns true if Y is known to be finite.
template <class S> bool inverse_dynamics_regressor(BasicData<S>& data, const MatrixView<S>& Y) {
  const auto& tree = data.tree();
  if constexpr (has_sides<S>)
    if (Y.row_stride == 1 && tree.nv > 0 && !tree.mimic) return regressor_by_columns(data, Y);
  clear(Y);
  for (Index l = 0; l < tree.links; ++l) {
    const LocalFrame<S> x = local_frame(data, tree.link[l].body, tree.link[l].in_body);
    const Mat3<S> E = acceleration_field(x.twist.w, x.al);
    for_each_column_towards_root(tree, tree.link[l].body, [&](Index k, Index) ZWANG_LAMBDA {
      S y[k_link_parameters];
      wrench_row(x, E, inverse_times(x.X, Motion<S>(data.articulated.column[k].s)), y);
      for (Index p = 0; p < k_link_parameters; ++p)
        Y(tree.column[k].v, k_link_parameters * l + p) += y[p] * tree.column[k].multiplier;
    });
  }
  return false;
}

/// 6 x 10: the wrench that moves a body fixed to the frame, in the frame's axes about its origin.
template <class S> void regressor_of(const LocalFrame<S>& x, const MatrixView<S>& Y) {
  for (Index r = 0; r < 6; ++r) {
    Motion<S> s = Motion<S>::zero();
    s[r] = S(Uniform<S>(1));
    S y[k_link_parameters];
    wrench_row(x, acceleration_field(x.twist.w, x.al), s, y);
    for (Index p = 0; p < k_link_parameters; ++p) Y(r, p) = y[p];
  }
}

/// y [10 links]; needs velocities. Rotors are not counted.
template <class S> void kinetic_energy_regressor(const BasicData<S>& data, S* y) {
  const auto& tree = data.tree();
  const Uniform<S> half(0.5);
  for (Index l = 0; l < tree.links; ++l, y += k_link_parameters) {
    const Motion<S> x = local_frame(data, tree.link[l].body, tree.link[l].in_body).twist;
    y[0] = dot(x.v, x.v) * half;
    put(cross(x.v, x.w), y + 1);
    for (Index k = 4; k < 10; ++k) y[k] = S(Uniform<S>(0));
    add_second_moments(x.w * half, x.w, y + 4);
  }
}

/// y [10 links]. Springs are not counted; links that q does not move have zeros, as in potential_energy.
template <class S> void potential_energy_regressor(const BasicData<S>& data, S* y) {
  const auto& tree = data.tree();
  for (Index l = 0; l < tree.links; ++l, y += k_link_parameters) {
    for (Index k = 0; k < k_link_parameters; ++k) y[k] = S(Uniform<S>(0));
    const Index body = tree.link[l].body;
    if (!moves(tree, body)) continue;
    const Transform<S> X = frame_about_centre(data, body, tree.link[l].in_body);
    y[0] = -dot(X.p + data.position.centre[tree.body[body].root], data.gravity);
    put(-transpose_times(X.R, widen<S>(data.gravity)), y + 1);
  }
}

/// 6 x 10 links: momentum in world axes about the world's origin, linear rows first; needs velocities.
template <class S> void momentum_regressor(const BasicData<S>& data, const MatrixView<S>& Y) {
  const auto& tree = data.tree();
  const S zero(Uniform<S>(0)), one(Uniform<S>(1));
  const Vec3<S> e[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}, none = Vec3<S>::zero();
  for (Index l = 0; l < tree.links; ++l) {
    const Index body = tree.link[l].body;
    const LocalFrame<S> x = local_frame(data, body, tree.link[l].in_body);
    Transform<S> X = x.X;
    X.p += data.position.centre[tree.body[body].root];
    const auto set = [&](Index p, const Force<S>& local) ZWANG_LAMBDA {
      const Force<S> f = X * local;
      for (Index r = 0; r < 6; ++r) Y(r, k_link_parameters * l + p) = f[r];
    };
    const Vec3<S>& w = x.twist.w;
    set(0, {x.twist.v, none});
    for (Index k = 0; k < 3; ++k) set(1 + k, {cross(w, e[k]), cross(e[k], x.twist.v)});
    set(4, {none, {w.x, zero, zero}});
    set(5, {none, {w.y, w.x, zero}});
    set(6, {none, {zero, w.y, zero}});
    set(7, {none, {w.z, zero, w.x}});
    set(8, {none, {zero, w.z, w.y}});
    set(9, {none, {zero, zero, w.z}});
  }
}

/// 3 x 4 links: the centre of mass from (m, h) of all links, divided by the mass of what moves.
template <class S> void static_regressor(const BasicData<S>& data, const MatrixView<S>& Y) {
  const auto& tree = data.tree();
  const Uniform<S> mass = moving_mass(data), inv = mass > 0 ? Uniform<S>(1) / mass : Uniform<S>(0);
  clear(Y);
  for (Index l = 0; l < tree.links; ++l) {
    const Index body = tree.link[l].body;
    if (!moves(tree, body)) continue;
    const Transform<S> X = frame_about_centre(data, body, tree.link[l].in_body);
    const Vec3<S> p = X.p + data.position.centre[tree.body[body].root];
    for (Index r = 0; r < 3; ++r) {
      Y(r, 4 * l) = p[r] * inv;
      for (Index k = 0; k < 3; ++k) Y(r, 4 * l + 1 + k) = X.R(r, k) * inv;
    }
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
