// SPDX-License-Identifier: BSD-3-Clause
// Batches: the pages with lanes full of states. Each kernel loads the numbers of as many states as a register has
// lanes, runs the page, and stores what it wrote. A state's result depends neither on its lane nor on its neighbours.
#pragma once
#include <new>

#include "algorithm/page/excess_gravity.hpp"
#include "kernels/lanes.hpp"
#include "zwang/algorithm/algorithm_row.hpp"
#include "zwang/algorithm/page/centre_of_mass.hpp"
#include "zwang/algorithm/page/composite_momentum.hpp"
#include "zwang/algorithm/page/forward_dynamics.hpp"
#include "zwang/algorithm/page/generalised_momentum.hpp"
#include "zwang/algorithm/page/inverse_dynamics.hpp"
#include "zwang/algorithm/page/mass_matrix_inverse.hpp"
#include "zwang/algorithm/page/turning.hpp"
#include "zwang/core/status.hpp"
#include "zwang/manifold/page/manifold.hpp"
#include "zwang/model/check_configuration.hpp"
#include "zwang/model/data_members.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// The workspace of one thread.
template <class S> struct Workspace {
  using T = Uniform<S>;
  static constexpr Index k_room = 16;  ///< beyond the numbers of a state: whole blocks are loaded
  Workspace(const Tree<T>& tree, const Vec3<T>& gravity, Index results = 0)
      : data(tree, gravity),
        q(tree.nq + tree.nv + k_room),
        v(tree.nq + tree.nv + k_room),
        a(tree.nq + tree.nv + k_room),
        x(tree.nq + tree.nv + k_room),
        y(tree.nv + k_room),
        z(tree.nv + k_room),
        out(results + k_room),
        wrench(k_room),
        factor(tree.mimic ? tree.nv * (tree.nv + 1) : 0),
        composite(tree.n + 1),
        joined(tree.n + 1),
        acceleration(tree.nv),
        columns(tree.nv),
        path(tree.nv * (tree.nv + 1) + 1),
        unit(tree.n) {
    for_each_joint(tree, [&](const auto& joint) {
      if (!joint.additive()) unit[units++] = joint;
    });
  }
  BasicData<S> data;
  Buffer<S> q, v, a, x, y, z;  ///< inputs of a task in its order; those that it does not have are scratch
  Buffer<S> out, wrench;
  Buffer<S> factor;                ///< of M, and its diagonal, where joints mimic each other
  Buffer<Inertia<S>> composite;    ///< [n+1] of subtrees
  Buffer<unsigned char> joined;    ///< [n+1] a child has left what it carries in `composite`
  Buffer<Motion<S>> acceleration;  ///< [nv] of the bodies behind the columns
  Buffer<Eliminated<S>> columns;   ///< [nv] scratch
  Buffer<Index> path;              ///< [nv (nv + 1) + 1] where derivatives of torques are not zero
  Buffer<JointCoordinates> unit;   ///< joints with a quaternion or a point of a circle
  Index units = 0;
  long state = 0;        ///< in the first lane
  long end = 0;          ///< of this thread's states: what is beyond may be written meanwhile, and is not looked at
  bool fresh = true;     ///< the first register of a call: nothing stands in `out` yet
  bool written = false;  ///< the page has stored its output itself
  S bad;                 ///< NaN in the lanes whose inputs are not finite
  S unnormalised;        ///< 1 in the lanes where a quaternion is not of unit length
  S overflow;            ///< NaN in the lanes whose results are not finite
};

/// Inputs of a task: q for configurations, v for everything else.
enum class Input { configuration, tangent };

template <class S>
ZWANG_INLINE void read(Workspace<S>& w, const BatchCall<Uniform<S>>& c, int i, Input kind, long s, Buffer<S>& x) {
  using T = Uniform<S>;
  const StateArray<const T>& in = c.in[i];
  if (in.data == nullptr) {  // absent: zero
    for (Index k = 0; k < in.size; ++k) x[k] = S(T(0));
    return;
  }
  load_states(in, s, w.end, x.data());
  for (Index k = 0; k < in.size; ++k) w.bad += x[k] * T(0);
  if (kind != Input::configuration) return;
  for (Index u = 0; u < w.units; ++u) {
    const JointCoordinates& at = w.unit[u];
    visit(w.data.tree().body[at.body].kind, [&](auto type) ZWANG_LAMBDA {
      if constexpr (type.nv > 0) {
        const JointGroup<decltype(type)> joint{at};
        S y[8], moved(T(0));
        for (Index k = 0; k < joint.nq; ++k) y[k] = x[joint.q + k];
        joint.normalize(y);
        for (Index k = 0; k < joint.nq; ++k) moved += (y[k] - x[joint.q + k]) * (y[k] - x[joint.q + k]);
        const S limit(T(k_unit_tolerance * k_unit_tolerance));
        w.unnormalised = select(less(moved, limit), w.unnormalised, S(T(1)));  // NaN where it has no direction
      }
    });
  }
}

/// Stores an output. Outputs of refused states are overwritten later (BatchCore::run).
template <class S> ZWANG_INLINE void write(const BatchCall<Uniform<S>>& c, int i, long s, const S* x, S& overflow) {
  using T = Uniform<S>;
  const StateArray<T>& out = c.out[i];
  if (out.data == nullptr) return;
  constexpr Index sums = 8, block = 64;  // sums that do not wait for each other; numbers that stay in the fastest cache
  S sum[sums];
  for (S& y : sum) y = S(T(0));
  for (Index first = 0; first < out.size; first += block) {
    const S* const at = x + first;
    const Index size = out.size - first < block ? out.size - first : block, whole = size / sums * sums;
    for (Index k = 0; k < whole; k += sums)
#pragma GCC unroll 8
      for (Index j = 0; j < sums; ++j) sum[j] += at[k + j] * T(0);
    for (Index k = whole; k < size; ++k) sum[0] += at[k] * T(0);
    store_states(at, StateArray<T>{out.data + first * out.number, size, out.tile, out.lane, out.number}, s, c.states);
  }
  for (const S& y : sum) overflow += y;
}

template <class T> ZWANG_INLINE Transform<T> pose_of(const FrameTask<T>& f) {
  const T* x = f.in_body;
  return {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}, {x[9], x[10], x[11]}};
}

/// External wrenches on the states in lanes, and what links' own scales of gravity add.
template <class S> void add_wrenches(Workspace<S>& w, const BatchCall<Uniform<S>>& c, long s) {
  using T = Uniform<S>;
  w.data.force.has_external = true;
  for (Index i = 0; i <= w.data.tree().n; ++i) w.data.force.external[i] = Force<S>::zero();
  bool placed = c.excess;
  if (c.excess) {
    page::kinematics(w.data, w.q.data());
    page::add_excess_gravity(w.data);
  }
  for (Index k = 0; k < c.wrenches; ++k) {
    const WrenchTask<T>& t = c.wrench[k];
    load_states(t.wrench, s, w.end, w.wrench.data());
    for (Index i = 0; i < 6; ++i) w.bad += w.wrench[i] * T(0);
    const S* f = w.wrench.data();
    const auto in = static_cast<Reference>(t.frame.reference);
    if (in != Reference::local && !placed) page::kinematics(w.data, w.q.data());
    placed = placed || in != Reference::local;
    page::add_wrench(w.data, t.frame.body, pose_of(t.frame), in, Force<S>{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}});
  }
}

/// How they turn with their bodies, where placements are known.
template <class S> void enter_turning(Workspace<S>& w, const BatchCall<Uniform<S>>& c) {
  if (!c.has_wrenches()) return;
  page::clear_turning(w.data);
  if (c.excess) page::add_excess_turning(w.data);
  for (Index k = 0; k < c.wrenches; ++k) {
    const WrenchTask<Uniform<S>>& t = c.wrench[k];
    load_states(t.wrench, w.state, w.end, w.wrench.data());
    const S* const f = w.wrench.data();
    page::add_turning(w.data, t.frame.body, pose_of(t.frame), static_cast<Reference>(t.frame.reference),
                      Force<S>{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}});
  }
}

/// The vectors that a row of the list takes, in order.
struct StateVectors {
  consteval explicit StateVectors(const Algorithm& row) {
    for (const Argument& a : row.takes)
      if (is_vector(a)) kind[count++] = a.what == Takes::configuration ? Input::configuration : Input::tangent;
  }
  int count = 0;
  Input kind[6] = {};
};

/// Runs `page(w)` on the states [first, last): it finds the row's vectors in w and writes the row's results to w.out.
template <class S, class R, class Page> ZWANG_INLINE void for_each_pack(R, void* workspace,
                                                                        const BatchCall<Uniform<S>>& c, long first,
                                                                        long last, Page&& page) {
  constexpr StateVectors vectors(R::row());
  constexpr int results = R::row().gives.count;
  using T = Uniform<S>;
  Workspace<S>& w = *static_cast<Workspace<S>*>(workspace);
  Buffer<S>* const in[] = {&w.q, &w.v, &w.a, &w.x, &w.y, &w.z};
  w.data.armature_factor = c.armature ? T(1) : T(0);
  w.end = last;
  for (long s = first; s < last; s += lanes_of<S>) {
    w.bad = w.unnormalised = w.overflow = w.data.articulated.singular = S(T(0));
    w.state = s;
    w.fresh = s == first;
    w.written = false;
    for (int i = 0; i < vectors.count; ++i) read(w, c, i, vectors.kind[i], s, *in[i]);
    w.data.force.has_external = false;
    if (c.has_wrenches()) add_wrenches(w, c, s);
    page(w);
    const S* result = w.out.data();
    for (int i = 0; i < results && !w.written; result += c.out[i++].size) write(c, i, s, result, w.overflow);
    if (c.status == nullptr) continue;
    const S doubts = w.bad + w.unnormalised + w.data.articulated.singular + w.overflow;
    if (s + lanes_of<S> <= c.states && all(less(doubts, S(T(1))))) {  // none
      std::memset(c.status + s, 0, lanes_of<S>);
      continue;
    }
    const int lanes = s + lanes_of<S> <= c.states ? lanes_of<S> : static_cast<int>(c.states - s);
    for (int l = 0; l < lanes; ++l) {
      Status status = Status::ok;
      if (!(w.bad[l] == 0))
        status = Status::non_finite_input;
      else if (w.unnormalised[l] != 0)
        status = Status::invalid_input;
      else if (w.data.articulated.singular[l] != 0)
        status = Status::singular_mass;
      else if (!(w.overflow[l] == 0))
        status = Status::overflow;
      c.status[s + l] = static_cast<unsigned char>(status);
    }
  }
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
