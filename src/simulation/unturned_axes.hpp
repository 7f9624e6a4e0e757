// SPDX-License-Identifier: BSD-3-Clause
// UnturnedAxes: a step of first order for joints whose velocity is given in axes that turn with the body.
//
// The linear velocity u of a floating or planar joint is one of the body's axes. A step v + h v' in them makes a body
// that turns faster by h^2 |w|^2 / 2 of its speed, out of nothing. In the axes of the step's start, which stay,
//   u_f = u + h (u' + w x u)        straight:  p' = p + h R u_1,   R' = R exp(h w_1),   then exp(h w_1)^T u_1
#pragma once
#include <cmath>
#include <vector>

#include "zwang/model/for_each_joint.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {

class UnturnedAxes {
 public:
  explicit UnturnedAxes(const Tree<double>& tree) {
    for_each_joint(tree, [&](const auto& joint) {
      if (tree.body[joint.body].kind == kind_of<Free>) list_.push_back({joint.v, true});
      if (tree.body[joint.body].kind == kind_of<Planar>) list_.push_back({joint.v, false});
    });
  }
  /// v_f, which is v + h v' in axes that turn, becomes that of axes that stay.
  template <class S> void free(double h, const S* v, S* v_free) const {
    for (const One& x : list_) put(x, linear(x, v_free) + cross(angular(x, v), linear(x, v)) * h, v_free);
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
  };
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
