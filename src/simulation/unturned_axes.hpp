// SPDX-License-Identifier: BSD-3-Clause
// UnturnedAxes: a step of first order for joints whose velocity is given in axes that turn with the body.
//
// The linear velocity u of a floating or planar joint is one of the body's axes. A step v + h v' in them makes a body
// that turns faster by h^2 |w|^2 / 2 of its speed, out of nothing. In the axes of the step's start, which stay,
//   u_f = u + h (u' + w x u)        straight:  p' = p + h R u_1,   R' = R exp(h w_1),   then exp(h w_1)^T u_1
// A loose body (floating, alone, without rows of the set) turns by Euler's equations I w' = -w x I w, about its centre
// of mass, with rk4: a step of first order makes energy of them. Torques are of first order.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/model/for_each_joint.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {

class UnturnedAxes {
 public:
  /// `rows`: of the set, which may hold any body.
  UnturnedAxes(const Tree<double>& tree, bool rows) {
    for_each_joint(tree, [&](const auto& joint) {
      const auto& body = tree.body[joint.body];
      if (body.kind == kind_of<Planar>) list_.push_back({joint.v, false});
      if (body.kind != kind_of<Free>) return;
      One x{joint.v, true};
      bool alone = !rows && body.parent == 0 && body.inertia.m > 0;
      for (Index i = 1; i <= tree.n; ++i) alone = alone && tree.body[i].parent != joint.body;
      if (alone) take_inertia(body.inertia, x);
      list_.push_back(x);
    });
  }
  /// v_f, which is v + h v' in axes that turn, becomes that of axes that stay. `loose`: no coordinate is prescribed.
  template <class S> void free(double h, const S* v, S* v_free, bool loose) const {
    for (const One& x : list_) {
      const Vec3<S> w = angular(x, v);
      put(x, linear(x, v_free) + cross(w, linear(x, v)) * h, v_free);
      if (!loose || !x.is_loose) continue;
      const Vec3<S> k1 = x.turning(w), k2 = x.turning(w + k1 * (h / 2)), k3 = x.turning(w + k2 * (h / 2)),
                    k4 = x.turning(w + k3 * h);
      const Vec3<S> more = (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6) - k1 * h;
      const Vec3<S> with_it = cross(widened<S>(x.centre), more);  // the centre of mass keeps its velocity
      for (Index i = 0; i < 3; ++i) v_free[x.v + i] += with_it[i], v_free[x.v + 3 + i] += more[i];
    }
  }
  /// h v becomes the increment by which integrate() goes straight.
  template <class S> void straighten(S* move) const {
    for (const One& x : list_) {
      const Vec3<S> turn = angular(x, move);
      if (!less(dot(turn, turn), S(k_most * k_most))) continue;
      put(x, left_jacobian_inverse(turn) * linear(x, move), move);
    }
  }
  /// The body has turned by a displacement [nv]: its velocity in the world stays.
  template <class S> void turn_by(const S* moved, S* v) const {
    for (const One& x : list_) put(x, transpose_times(exp_so3(angular(x, moved)), linear(x, v)), v);
  }
  /// After the step: v in the axes that have turned.
  template <class S> void turn(double h, S* v) const {
    for (const One& x : list_) put(x, transpose_times(exp_so3(angular(x, v) * h), linear(x, v)), v);
  }

  /// Whether a set has rows that hold at every instant.
  static bool holds(const ConstraintSet& set) {
    const auto& all = set.constraints();
    return std::any_of(all.begin(), all.end(), [](const Constraint& x) { return !x.is_sided(); });
  }
  double largest_turning(const double* v) const {
    double most = 0;
    for (const One& x : list_) most = std::fmax(most, norm(angular(x, v)));
    return most;
  }

 private:
  static constexpr double k_most = 3;  // [rad] in one step: the inverse is singular at 2 pi
  struct One {
    Index v;
    bool in_space;
    bool is_loose = false;
    Vec3<double> centre = {0, 0, 0};
    double I[3][3] = {}, inverse[3][3] = {};  ///< about the centre of mass
    /// -I^-1 (w x I w)
    template <class S> Vec3<S> turning(const Vec3<S>& w) const { return times(inverse, cross(times(I, w), w)); }
  };
  template <class S> static Vec3<S> times(const double (&m)[3][3], const Vec3<S>& x) {
    return {x.x * m[0][0] + x.y * m[0][1] + x.z * m[0][2], x.x * m[1][0] + x.y * m[1][1] + x.z * m[1][2],
            x.x * m[2][0] + x.y * m[2][1] + x.z * m[2][2]};
  }
  template <class S> static Vec3<S> widened(const Vec3<double>& x) { return {S(x.x), S(x.y), S(x.z)}; }
  static void take_inertia(const Inertia<double>& J, One& x) {
    x.centre = J.h * (1 / J.m);
    const Vec3<double>& c = x.centre;
    const double square = dot(c, c), m = J.m;
    const double full[3][3] = {{J.I.xx, J.I.xy, J.I.xz}, {J.I.xy, J.I.yy, J.I.yz}, {J.I.xz, J.I.yz, J.I.zz}};
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) x.I[i][k] = full[i][k] - m * ((i == k ? square : 0) - c[i] * c[k]);
    const auto minor = [&](int i, int k) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, p = (k + 1) % 3, q = (k + 2) % 3;
      return x.I[a][p] * x.I[b][q] - x.I[a][q] * x.I[b][p];
    };
    const double det = x.I[0][0] * minor(0, 0) + x.I[0][1] * minor(0, 1) + x.I[0][2] * minor(0, 2);
    x.is_loose = det > 1e-9 * x.I[0][0] * x.I[1][1] * x.I[2][2];  // else a point or a line, or nearly
    for (int i = 0; x.is_loose && i < 3; ++i)
      for (int k = 0; k < 3; ++k) x.inverse[i][k] = minor(k, i) / det;
  }
  template <class S> static Vec3<S> linear(const One& x, const S* v) {
    return {v[x.v], v[x.v + 1], x.in_space ? v[x.v + 2] : S(0)};
  }
  template <class S> static Vec3<S> angular(const One& x, const S* v) {
    if (!x.in_space) return {S(0), S(0), v[x.v + 2]};
    return {v[x.v + 3], v[x.v + 4], v[x.v + 5]};
  }
  template <class S> static void put(const One& x, const Vec3<S>& u, S* v) {
    v[x.v] = u.x;
    v[x.v + 1] = u.y;
    if (x.in_space) v[x.v + 2] = u.z;
  }
  std::vector<One> list_;
};

}  // namespace zwang
