// SPDX-License-Identifier: BSD-3-Clause
// What subtrees carry in motion: momentum, and the part of the Coriolis forces that is linear in a column. Echeandia &
// Wensing 2021, "Numerical methods to compute the Coriolis matrix and Christoffel symbols".
//
//   h = I v = [f; n];   1/2 B = -[0, [f]; 0, N]   with   N = [w] J + v h_c^T - (h_c.v) 1,   J = 1/2 tr(I_o) 1 - I_o
//   (h_c = m c, I_o about the origin);   both are summed over subtrees:  h^c = sum h,  B^c = sum B
//   dI/dt S = v x* I S - I v x S = B S - S x* h
//
// DIFFERS: B is 12 numbers, f and N, not 36, since its left half is zero and its upper right block is [f]; it acts on
// the angular part of a column alone. World axes about the branch's centre.
// Reads position and velocity stages, columns, and composite inertias. Writes momentum. Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/jacobian.hpp"
#include "zwang/algorithm/page/mass_matrix.hpp"
#include "zwang/spatial/momentum.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Of every subtree, into momentum.composite.
template <class S> void composite_momenta(BasicData<S>& data) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index n = tree.n, stride = data.mass.stride;
  S* const c = data.momentum.composite.data();
  const StoredMotion<S>* const twist = data.velocity.twist.data();
  for (Index i = 1; i <= n; i += L) {
    const Motion<Side<S>> x =
        motions_of<S, L>([=](int l) ZWANG_LAMBDA -> auto& { return twist[i + l < n ? i + l : n]; });
    const Momentum<Side<S>> m = momentum_of(inertias_in_world(data, i), x);
    S* const to = c + i - 1;
    for (Index r = 0; r < 3; ++r) {
      store_side(to + r * stride, m.h.f[r]);
      store_side(to + (3 + r) * stride, m.h.n[r]);
      for (Index k = 0; k < 3; ++k) store_side(to + (6 + 3 * r + k) * stride, m.N(r, k));
    }
  }
  for (Index i = n; i > 0; --i) {
    const Index parent = tree.body[i].parent;
    if (parent == 0) continue;
    for (Index r = 0; r < k_momentum_numbers; ++r) c[r * stride + parent - 1] += c[r * stride + i - 1];
  }
}

/// dS/dt of every column, into momentum.rate: v x S side by side, and for columns that depend on q what
/// column_rates adds. `v` is the spanning tree's.
template <class S> void all_column_rates(BasicData<S>& data, const SweepInput<S>& in, const S* v) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  S* const to = data.momentum.rate.data();
  for (Index k = 0, count = 0; k < tree.spanning_nv; k += count) {
    const Index i = tree.column[k].body;
    const bool single = tree.body[i].nv == 1;
    count = columns_alike(tree, k, L);
    const Eliminated<S>* const e = data.articulated.column.data() + k;
    const StoredMotion<S>* const twist = data.velocity.twist.data() + i;
    const auto s = motions_of<S, L>([=](int l) ZWANG_LAMBDA -> auto& { return e[l < count ? l : count - 1].s; });
    const auto x = motions_of<S, L>([=](int l) ZWANG_LAMBDA -> auto& {
      return twist[!single ? 0 : l < count ? l : count - 1];
    });
    const Motion<Side<S>> rate = cross(x, s);
    for (Index r = 0; r < 6; ++r) store_side(to + r * stride + k, rate[r]);
  }
  Motion<S> local[max_joint_columns];
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& b = tree.body[i];
    visit(b.kind, [&](auto joint) ZWANG_LAMBDA {
      using J = decltype(joint);
      if constexpr (!J::constant_columns) {
        J::rates(in.of(b), v + b.v, local);
        for (Index k = 0; k < b.nv; ++k) {
          const Motion<S> own = data.position.placement[i] * local[k];
          for (Index r = 0; r < 6; ++r) to[r * stride + b.v + k] += own[r];
        }
      }
    });
  }
}

/// Calls f(count, k, s, dS/dt, I^c, momentum) for the columns k, k + 1, ..., `count` of them side by side.
template <class S, class F> ZWANG_INLINE void for_columns_with_subtrees(BasicData<S>& data, F&& f) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  for (Index k = 0, count = 0; k < tree.spanning_nv; k += count) {
    const Index i = tree.column[k].body;
    const bool single = tree.body[i].nv == 1;
    count = columns_alike(tree, k, L);
    const Eliminated<S>* const e = data.articulated.column.data() + k;
    const Motion<Side<S>> s =
        motions_of<S, L>([=](int l) ZWANG_LAMBDA -> auto& { return e[l < count ? l : count - 1].s; });
    const S* const rate = data.momentum.rate.data() + k;
    const Motion<Side<S>> ds = motion_from<Side<S>>([=](int r) ZWANG_LAMBDA { return load_side(rate + r * stride); });
    const S *const c = data.mass.composite.data() + i - 1, *const m = data.momentum.composite.data() + i - 1;
    const auto number = [=](const S* x, int r)
                            ZWANG_LAMBDA { return single ? load_side(x + r * stride) : Side<S>(x[r * stride]); };
    f(count, k, s, ds, inertia_from<Side<S>>([=](int r) ZWANG_LAMBDA { return number(c, r); }),
      momentum_from<Side<S>>([=](int r) ZWANG_LAMBDA { return number(m, r); }));
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
