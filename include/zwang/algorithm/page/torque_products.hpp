// SPDX-License-Identifier: BSD-3-Clause
// The products of inverse_dynamics_derivatives.hpp in tiles, for models whose joints share no coordinates.
//
//   row j, column k of its subtree:   q: S_j^T t_k,  t_k = B psi'_k + I psi''_k + W S_k + S_k x* f
//                                     v: S_j^T u_k,  u_k = B S_k + I (psi'_k + S'_k)
//   row k, column j:                  q: psi'_j^T B^T S_k + psi''_j^T I S_k + S_j^T W^T S_k
//                                     v: S_j^T B^T S_k + (psi'_j + S'_j)^T I S_k
//
// DIFFERS: tiles as in column_products.hpp instead of paths. Columns of one joint get the first forms, without S_k x* f,
// afterwards.
// Reads columns, momentum, mass, derivative. Writes derivative.column, mass.force. Cost O(n d), writing O(n^2). Allocates
// nothing.
#pragma once
#include "zwang/algorithm/page/turning.hpp"
#include "zwang/algorithm/page/variations.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Where derivative.column has what.
enum TorqueRow : Index { row_t = 0, row_u = 6, row_B = 12, row_W = 15 };

/// t, u, I S, B^T S and W^T S of every column. `turning`: there are wrenches with W.
template <class S> void torque_columns(BasicData<S>& data, bool turning) {
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  const Uniform<S> two(2);
  S* const out = data.derivative.column.data();
  for_columns_with_subtrees(
      data, [&](Index, Index k, const auto& s, const auto& ds, const auto& I, const auto& m) ZWANG_LAMBDA {
        const Index i = tree.column[k].body;
        const bool single = tree.body[i].nv == 1;
        const auto of_body = [=](const S* x) ZWANG_LAMBDA {
          return [=](Index r) ZWANG_LAMBDA {
            return single ? load_side(x + r * stride + i - 1) : Side<S>(x[r * stride + i - 1]);
          };
        };
        const auto psi = [&](Index row) ZWANG_LAMBDA {
          const S* const x = data.derivative.psi.data() + row * stride + k;
          return motion_from<Side<S>>([=](int r) ZWANG_LAMBDA { return load_side(x + r * stride); });
        };
        const auto put = [&](Index row, const auto& x, Index size) ZWANG_LAMBDA {
          for (Index r = 0; r < size; ++r) store_side(out + (row + r) * stride + k, x[r]);
        };
        const Motion<Side<S>> first = psi(0), second = psi(6);
        const auto f = of_body(data.momentum.force.data());
        const Force<Side<S>> F = I * s, transmitted{{f(0), f(1), f(2)}, {f(3), f(4), f(5)}};
        Force<Side<S>> t = m.half_times(first) * two + I * second + cross(s, transmitted);
        if (turning) {
          const auto W = turning_from<Side<S>>(of_body(data.derivative.outside.data()));
          t += W * s;
          put(row_W, W.transposed_times(s), 6);
        }
        put(row_t, t, 6);
        put(row_u, m.half_times(s) * two + I * (first + ds), 6);
        put(row_B, m.half_transposed_times(s) * two, 3);
        for (Index r = 0; r < 6; ++r) store_side(data.mass.force.data() + r * stride + k, F[r]);
      });
}

/// What a row reads of its own column.
template <class S> struct TorqueRowColumn {
  Motion<S> s, first, second, sum;  ///< S, psi', psi'', psi' + S'
  TorqueRowColumn() = default;
  TorqueRowColumn(const BasicData<S>& data, Index k) : s(data.articulated.column[k].s) {
    const Index stride = data.mass.stride;
    const S *const psi = data.derivative.psi.data() + k, *const rate = data.momentum.rate.data() + k;
    for (Index r = 0; r < 6; ++r) {
      first[r] = psi[r * stride];
      second[r] = psi[(6 + r) * stride];
      sum[r] = first[r] + rate[r * stride];
    }
  }
};

/// A tile above the diagonal and the one below it, at rows j and columns k and the other way around.
template <class S>
ZWANG_INLINE void put_pair(Tile<S>& above, Tile<S>& below, const MatrixView<S>& to, Index j, Index k) {
  const Index stride = to.column_stride, n = to.rows;
  if (k == j)
    put_diagonal<S>(below, above, to.data + j * stride + j, stride, n - j);
  else
    put_edge<S>(below, above, to.data + j * stride + k, to.data + k * stride + j, stride, n - k);
}

/// Derivatives by q and, where it has data, by v. By columns.
template <class S>
void torque_products(const BasicData<S>& data, bool turning, const MatrixView<S>& q, const MatrixView<S>& v) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index n = tree.nv, stride = data.mass.stride;
  const S *const columns = data.derivative.column.data(), *const forces = data.mass.force.data();
  const Side<S> zero(S(Uniform<S>(0)));
  for (Index j = 0; j < n; j += L) {
    TorqueRowColumn<S> y[L];
    Index end[L], all = n, reach = j;  // columns before `all` are in the subtree of every row, none after `reach`
    for (Index i = 0; i < L; ++i) {
      const Index row = j + i < n ? j + i : n - 1;
      y[i] = TorqueRowColumn<S>(data, row);
      end[i] = tree.column[row].end;
      all = end[i] < all ? end[i] : all;
      reach = end[i] > reach ? end[i] : reach;
    }
    for (Index k = j; k < n; k += L) {
      Tile<S> q_above, q_below, v_above, v_below;
      if (k < reach) {
        const auto load = [=](const S* x, Index row) ZWANG_LAMBDA { return load_side(x + row * stride + k); };
        const auto force = [&](const S* x, Index row) ZWANG_LAMBDA {
          return Force<Side<S>>{{load(x, row), load(x, row + 1), load(x, row + 2)},
                                {load(x, row + 3), load(x, row + 4), load(x, row + 5)}};
        };
        const Force<Side<S>> t = force(columns, row_t), u = force(columns, row_u), F = force(forces, 0);
        const Vec3<Side<S>> B{load(columns, row_B), load(columns, row_B + 1), load(columns, row_B + 2)};
        for (Index i = 0; i < L; ++i) {
          q_above[i] = dot(y[i].s, t);
          v_above[i] = dot(y[i].s, u);
          q_below[i] = dot(y[i].first.w, B) + dot(y[i].second, F);
          v_below[i] = dot(y[i].s.w, B) + dot(y[i].sum, F);
        }
        if (turning) {
          const Force<Side<S>> W = force(columns, row_W);
          for (Index i = 0; i < L; ++i) q_below[i] += dot(y[i].s, W);
        }
        if (k + L > all)
          for (Index i = 0; i < L; ++i)
            for (Tile<S>* const tile : {&q_above, &q_below, &v_above, &v_below})
              (*tile)[i] = first_lanes<S>((*tile)[i], end[i] - k, zero);
      } else {
        for (Index i = 0; i < L; ++i) q_above[i] = q_below[i] = v_above[i] = v_below[i] = zero;
      }
      put_pair<S>(q_above, q_below, q, j, k);
      if (v.data != nullptr) put_pair<S>(v_above, v_below, v, j, k);
    }
  }
}

/// Six numbers of a body or column, side by side with the others'.
template <class S>
ZWANG_INLINE Force<S> stored_force(const BasicData<S>& data, const Buffer<S>& x, Index row, Index at) {
  const Index stride = data.mass.stride;
  const S* const p = x.data() + row * stride + at;
  return {{p[0], p[stride], p[2 * stride]}, {p[3 * stride], p[4 * stride], p[5 * stride]}};
}

/// The columns of joints with several of them: S_a^T (t_b - S_b x* f), S_a^T u_b.
template <class S> void own_products(const BasicData<S>& data, const MatrixView<S>& q, const MatrixView<S>& v) {
  const auto& tree = data.tree();
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    if (body.nv < 2) continue;
    const Force<S> f = stored_force(data, data.momentum.force, 0, i - 1);
    for (Index b = body.v; b < body.v + body.nv; ++b) {
      const Motion<S> s_b = data.articulated.column[b].s;
      const Force<S> t = stored_force(data, data.derivative.column, row_t, b) - cross(s_b, f);
      const Force<S> u = stored_force(data, data.derivative.column, row_u, b);
      for (Index a = body.v; a < body.v + body.nv; ++a) {
        const Motion<S> s = data.articulated.column[a].s;
        q(a, b) = dot(s, t);
        if (v.data != nullptr) v(a, b) = dot(s, u);
      }
    }
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
