// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of inverse dynamics, bodies, columns and rows side by side. What is computed, and whose work it is,
// says inverse_dynamics_derivatives.hpp, which remains the readable form; a test holds both equal.
//
//   subtree_rows     bodies side by side become rows, which are summed inward
//   column_blocks    columns side by side, and what they are to each other
//   row_writer       rows of the matrices side by side, every entry once
//
// Joints that share coordinates take the readable form.
// Reads what that reads. Writes derivative.variation and derivative.subtree, but not what that writes there.
// Cost O(n d), writing O(n^2). Allocates nothing.
#pragma once
#include "algorithm/page/row_writer.hpp"
#include "zwang/algorithm/page/inverse_dynamics_derivatives.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

inline constexpr MatrixForm k_by_q{k_t, k_second, k_first + 3, false}, k_by_q_turning{k_t, k_second, k_first + 3, true},
    k_by_v{k_u, k_sum, k_s + 3, false}, k_by_a{k_F, k_s, -1, false};

/// Columns of a joint among themselves: S_a . (t_b - S_b x* f), S_a . u_b, S_a . F_b; rows a side by side.
template <class S>
ZWANG_INLINE void write_own_block(BasicData<S>& data, Index i, const Force<S>& f, const TorqueDerivatives<S>& out) {
  constexpr Index L = k_sides<S>;
  const ColumnBlocks<S> blocks(data);
  const Index v = data.tree().body[i].v, nv = data.tree().body[i].nv, rows = nv < L ? nv : L;
  for (Index a = 0; a < nv; a += L) {
    const Index r = a + rows <= nv ? v + a : v + nv - rows;  // the last ones: some of them again
    const Motion<Sides<S>> s = motions_in_lanes<S>([&](Index l) ZWANG_LAMBDA -> auto& {
      return data.articulated.column[l < rows ? r + l : r].s;
    });
    for (Index k = v; k < v + nv; ++k) {
      const Force<S> own = blocks.force(k, k_t) - cross(Motion<S>(data.articulated.column[k].s), f);
      store_first(&out.q(r, k), dot(s, own), rows);
      if (out.v.data != nullptr) store_first(&out.v(r, k), dot(s, blocks.force(k, k_u)), rows);
      if (out.a.data != nullptr) store_first(&out.a(r, k), dot(s, blocks.force(k, k_F)), rows);
    }
  }
}

/// Of all joints, and sigma_ab . f. Returns whether they are known to be finite where products of columns are.
template <class S> bool write_own_blocks(BasicData<S>& data, const SweepInput<S>& in, const TorqueDerivatives<S>& out) {
  const auto& tree = data.tree();
  bool finite = true;
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    if (has_plain_column(body)) continue;
    const S* const x = subtree_rows_of(data) + k_subtree_numbers * i + 22;
    const Force<S> f{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    write_own_block(data, i, f, out);
    add_turned_columns(data, in, i, f, out.q);
    if constexpr (std::is_same_v<S, double>) finite &= dot(f.f, f.f) + dot(f.n, f.n) < 1e150;
    finite &= has_constant_columns(body);
  }
  return finite;
}

/// Where kinematics(data, q, v, a) has been; writes every entry of the matrices that are there. Returns whether all of
/// them are known to be finite.
template <class S> bool inverse_dynamics_derivative_rows(BasicData<S>& data, const S* q, const S* v, const S* a,
                                                         const PassiveEffects& effects,
                                                         const TorqueDerivatives<S>& out) {
  const auto& tree = data.tree();
  const bool in_order = out.q.data != nullptr && (out.v.data != nullptr || out.a.data == nullptr);
  if (tree.mimic || tree.nv == 0 || !in_order) {
    for (const MatrixView<S>& x : {out.q, out.v, out.a})
      if (x.data != nullptr) clear(x);
    inverse_dynamics_derivatives(data, q, v, a, effects, out);
    return false;
  }
  const SweepInput<S> in{q, data.sin.data(), data.cos.data()};
  const auto write = [&]<bool turning>(std::bool_constant<turning>) ZWANG_LAMBDA {
    constexpr MatrixForm by_q = turning ? k_by_q_turning : k_by_q;
    const bool finite = column_blocks<turning>(data, in, v, a);
    if (out.a.data != nullptr)
      write_rows<by_q, k_by_v, k_by_a>(data, out.q, out.v, out.a);
    else if (out.v.data != nullptr)
      write_rows<by_q, k_by_v>(data, out.q, out.v);
    else
      write_rows<by_q>(data, out.q);
    return finite;
  };
  subtree_rows<true>(data);
  if (data.force.has_external) turning_of_subtrees(data);
  const bool finite = data.force.has_external ? write(std::true_type()) : write(std::false_type());
  const bool own = write_own_blocks(data, in, out);
  for (Index k = 0; out.a.data != nullptr && k < tree.nv; ++k)
    out.a(k, k) += S(tree.column[k].armature * data.armature_factor);
  add_passive_diagonals(data, q, effects, out);
  return finite && own;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
