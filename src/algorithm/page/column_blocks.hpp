// SPDX-License-Identifier: BSD-3-Clause
// What the columns of a tree are to each other, side by side: Singh, Russell & Wensing 2022
// (inverse_dynamics_derivatives.hpp, variations.hpp).
//
//   S, psi', psi'', psi' + S'          of the joint
//   F = I S                            of its subtree (subtree_rows.hpp)
//   t = B psi' + I psi'' + W S + S x* f,   u = B S + I (psi' + S'),   b = the moment of B^T S,   W^T S
//
// DIFFERS: eight columns are a block, in which number r of all of them stands side by side, so that every address in a
// loop over columns is a constant away. Four columns are computed at once, of whatever joints they are.
// Reads velocity and acceleration stages, columns, rows of subtrees, derivative.outside. Writes derivative.variation.
// Cost O(n). Allocates nothing.
#pragma once
#include "algorithm/page/subtree_rows.hpp"
#include "zwang/algorithm/page/turning.hpp"
#include "zwang/algorithm/page/variations.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Where the numbers of a column begin. `end`: the first column behind its subtree.
enum ColumnNumber : int {
  k_s = 0,
  k_first = 6,
  k_second = 12,
  k_sum = 18,
  k_F = 24,
  k_t = 30,
  k_u = 36,
  k_b = 42,
  k_W = 45,
  k_end = 51
};
static_assert(k_end + 1 == k_column_numbers);

/// Number r of column k is at(k)[r * width].
template <class S> struct ColumnBlocks {
  static constexpr Index width = k_block_columns<S>;
  S* numbers;
  explicit ColumnBlocks(BasicData<S>& data) : numbers(reinterpret_cast<S*>(data.derivative.variation.data())) {}
  ZWANG_INLINE S* at(Index k) const { return numbers + k / width * (width * k_column_numbers) + k % width; }
  ZWANG_INLINE Force<S> force(Index k, int first) const {
    const S* const x = at(k) + first * width;
    return {{x[0], x[width], x[2 * width]}, {x[3 * width], x[4 * width], x[5 * width]}};
  }
};

/// Whether the columns of a joint do not depend on q.
template <class T> ZWANG_INLINE bool has_constant_columns(const Body<T>& body) {
  bool constant = false;
  visit(body.kind, [&](auto joint) ZWANG_LAMBDA { constant = decltype(joint)::constant_columns; });
  return constant;
}
/// Of all joints.
template <class T> ZWANG_INLINE bool has_constant_columns(const Tree<T>& tree) {
  bool constant = true;
  for (Index i = 1; i <= tree.n; ++i) constant &= has_constant_columns(tree.body[i]);
  return constant;
}
/// Whether a joint has one column, which does not depend on q.
template <class T> ZWANG_INLINE bool has_plain_column(const Body<T>& body) {
  return body.nv == 1 && has_constant_columns(body);
}

/// S, psi', psi'', psi' + S' side by side.
template <class V> struct VariationsInLanes { Motion<V> s, first, second, sum; };

/// Replaces those of the columns k, k + 1, ... that depend on q.
template <class S> ZWANG_INLINE void put_turned_variations(const BasicData<S>& data, const SweepInput<S>& in,
                                                           const S* v, const S* a, Index k,
                                                           VariationsInLanes<Sides<S>>& x) {
  const auto& tree = data.tree();
  const auto put = [](Motion<Sides<S>>& to, Index l, const Motion<S>& m) ZWANG_LAMBDA {
    for (Index r = 0; r < 6; ++r)
      if constexpr (k_sides<S> == 1)
        to[r] = m[r];
      else
        to[r].set(l, m[r]);
  };
  for (Index l = 0; l < k_sides<S> && k + l < tree.spanning_nv; ++l) {
    const Index i = tree.column[k + l].body;
    const auto& body = tree.body[i];
    visit(body.kind, [&](auto joint) ZWANG_LAMBDA {
      using J = decltype(joint);
      if constexpr (!J::constant_columns) {
        Motion<S> rate[max_joint_columns];
        JointVariations<S> psi;
        J::rates(in.of(body), v + body.v, rate);
        joint_variations<J>(data, i, in.of(body), v, a, psi);
        const Index c = k + l - body.v;
        put(x.first, l, psi.first[c]);
        put(x.second, l, psi.second[c]);
        put(x.sum, l,
            psi.first[c] + cross(Motion<S>(data.velocity.twist[i]), Motion<S>(data.articulated.column[k + l].s)) +
                data.position.placement[i] * rate[c]);
      }
    });
  }
}

/// Sums of the squares of all numbers of columns: of motions, and of forces.
template <class S> struct ColumnSizes {
  Sides<S> motions{S(Uniform<S>(0))}, forces{S(Uniform<S>(0))};
  /// Whether every product of a motion and a force of columns is known to be finite: |x . y| <= |x| |y|, and both sums
  /// are far below the square root of the largest number. Of plain numbers alone.
  ZWANG_INLINE bool are_moderate() const {
    if constexpr (k_sides<S> == 1)
      return false;
    else
      return sum(motions) < S(1e150) && sum(forces) < S(1e150);
  }
};

/// The columns k, k + 1, ..., as many as there are Sides: where there are fewer, the last one again.
template <class S> struct ColumnsInLanes {
  static constexpr Index L = k_sides<S>;
  Index column[L], body[L], parent[L];

  ZWANG_INLINE ColumnsInLanes(const Tree<Uniform<S>>& tree, Index k) {
    for (Index l = 0; l < L; ++l) {
      column[l] = k + l < tree.spanning_nv ? k + l : tree.spanning_nv - 1;
      body[l] = tree.column[column[l]].body;
      parent[l] = tree.body[body[l]].parent;
    }
  }
};

/// How they vary; `plain`: their joints have plain columns.
template <bool plain, class S>
ZWANG_INLINE VariationsInLanes<Sides<S>> variations_in_lanes(const BasicData<S>& data, const SweepInput<S>& in,
                                                             const S* v, const S* a, const ColumnsInLanes<S>& at) {
  using V = Sides<S>;
  const auto twists = [&](const Index* body) ZWANG_LAMBDA {
    return motions_in_lanes<S>([&](Index l) ZWANG_LAMBDA -> auto& { return data.velocity.twist[body[l]]; });
  };
  VariationsInLanes<V> x;
  x.s = motions_in_lanes<S>([&](Index l) ZWANG_LAMBDA -> auto& { return data.articulated.column[at.column[l]].s; });
  const Motion<V> v_p = twists(at.parent);
  const Motion<V> a_p = accelerations_in_lanes(data, [&](Index l) ZWANG_LAMBDA { return at.parent[l]; });
  x.first = cross(v_p, x.s);
  x.second = cross(a_p, x.s) + cross(v_p, x.first);
  if constexpr (plain) {
    x.sum = x.first + x.first;  // v_i x S = v_p x S + S v x S
  } else {
    x.sum = x.first + cross(twists(at.body), x.s);
    put_turned_variations(data, in, v, a, at.column[0], x);
  }
  return x;
}

/// The numbers of the subtrees of the bodies body(l) side by side, from their rows.
template <class S, class At> ZWANG_INLINE SubtreeNumbers<Sides<S>> subtrees_in_lanes(const S* rows, At&& body) {
  Sides<S> y[k_subtree_numbers];
  rows_to_lanes<k_subtree_numbers, S, k_sides<S>>(
      [&](Index l, int r) ZWANG_LAMBDA { return load_sides(rows + k_subtree_numbers * body(l) + r); }, y);
  return SubtreeNumbers<Sides<S>>([&](int r) ZWANG_LAMBDA { return y[r]; });
}

/// The columns k, k + 1, ... and their places in a block.
template <class S> struct ColumnSide : ColumnsInLanes<S> {
  static constexpr Index width = ColumnBlocks<S>::width;
  using ColumnsInLanes<S>::L, ColumnsInLanes<S>::column, ColumnsInLanes<S>::body;
  using V = Sides<S>;
  const S* rows;
  S* to;

  ZWANG_INLINE ColumnSide(BasicData<S>& data, Index k)
      : ColumnsInLanes<S>(data.tree(), k),
        rows(subtree_rows_of(data)),
        to(ColumnBlocks<S>(data).at(k)) {
    store_sides<S>(to + k_end * width,
                   side_of<S, L>([&](int l) ZWANG_LAMBDA { return S(Uniform<S>(data.tree().column[column[l]].end)); }));
  }
  ZWANG_INLINE SubtreeNumbers<V> subtrees() const {
    return subtrees_in_lanes<S>(rows, [&](Index l) ZWANG_LAMBDA { return body[l]; });
  }
  ZWANG_INLINE void put(int first, const Vec3<V>& x, V& size) const {
    for (int r = 0; r < 3; ++r) store_sides<S>(to + (first + r) * width, x[r]);
    size += x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  }
  ZWANG_INLINE void put(int first, const Motion<V>& x, ColumnSizes<S>& size) const {
    put(first, x.v, size.motions);
    put(first + 3, x.w, size.motions);
  }
  ZWANG_INLINE void put(int first, const Force<V>& x, ColumnSizes<S>& size) const {
    put(first, x.f, size.forces);
    put(first + 3, x.n, size.forces);
  }
};

/// How columns vary, to their places.
template <class S> ZWANG_INLINE void put_variations(const ColumnSide<S>& side, const VariationsInLanes<Sides<S>>& x,
                                                    ColumnSizes<S>& size) {
  side.put(k_s, x.s, size);
  side.put(k_first, x.first, size);
  side.put(k_second, x.second, size);
  side.put(k_sum, x.sum, size);
}

/// The columns k, k + 1, ...; `plain`: their joints have plain columns.
template <bool turning, bool plain, class S> ZWANG_INLINE void put_columns(BasicData<S>& data, const SweepInput<S>& in,
                                                                           const S* v, const S* a, Index k,
                                                                           ColumnSizes<S>& size) {
  using V = Sides<S>;
  const ColumnSide<S> side(data, k);
  const VariationsInLanes<V> x = variations_in_lanes<plain>(data, in, v, a, side);
  put_variations(side, x, size);
  const SubtreeNumbers<V> subtree = side.subtrees();
  const Uniform<S> two(2);
  side.put(k_F, subtree.I * x.s, size);
  side.put(k_b, subtree.m.half_transposed_times(x.s) * two, size.forces);
  side.put(k_u, subtree.m.half_times(x.s) * two + subtree.I * x.sum, size);
  Force<V> t = subtree.m.half_times(x.first) * two + subtree.I * x.second + cross(x.s, subtree.f);
  if constexpr (turning) {
    const Turning<V> W = turning_from<V>([&](Index r) ZWANG_LAMBDA {
      const S* const outside = data.derivative.outside.data() + r * data.mass.stride - 1;
      return side_of<S, k_sides<S>>([&](int l) ZWANG_LAMBDA { return outside[side.body[l]]; });
    });
    t += W * x.s;
    side.put(k_W, W.transposed_times(x.s), size);
  }
  side.put(k_t, t, size);
}

/// Calls f(plain, k) for the columns k, k + 1, ..., as many as there are Sides; `plain` is a constant.
template <class T, class F> ZWANG_INLINE void for_column_sides(const Tree<T>& tree, Index sides, F&& f) {
  for (Index k = 0; k < tree.spanning_nv; k += sides) {
    bool plain = true;
    for (Index l = k; l < k + sides && l < tree.spanning_nv; ++l)
      plain &= has_plain_column(tree.body[tree.column[l].body]);
    if (plain)
      f(std::true_type(), k);
    else
      f(std::false_type(), k);
  }
}

/// S, psi', psi'' and psi' + S' alone.
template <class S> void column_variations(BasicData<S>& data, const SweepInput<S>& in, const S* v, const S* a) {
  ColumnSizes<S> size;
  for_column_sides(data.tree(), k_sides<S>, [&]<bool plain>(std::bool_constant<plain>, Index k) ZWANG_LAMBDA {
    const ColumnSide<S> side(data, k);
    put_variations(side, variations_in_lanes<plain>(data, in, v, a, side), size);
  });
}

/// Where subtree_rows(data) has been. Returns whether products of columns are known to be finite.
template <bool turning, class S>
bool column_blocks(BasicData<S>& data, const SweepInput<S>& in, const S* v, const S* a) {
  ColumnSizes<S> size;
  for_column_sides(data.tree(), k_sides<S>, [&]<bool plain>(std::bool_constant<plain>, Index k) ZWANG_LAMBDA {
    put_columns<turning, plain>(data, in, v, a, k, size);
  });
  return size.are_moderate();
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
