// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of dynamics in lanes: tasks like those of batch_tasks.hpp, for the rows of list/derivatives.hpp.
//
// The equations are those of page/inverse_dynamics_derivatives.hpp and page/inverse_dynamics_products.hpp.
#pragma once
#include <utility>

#include "kernels/batch_tasks.hpp"
#include "zwang/algorithm/page/inverse_dynamics_products.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// An nv x nv matrix by rows; without data it is not wanted.
template <class S> struct PackMatrix {
  S* data;
  Index n;
  ZWANG_INLINE void diagonal(Index k, const S& x) const { data[k * n + k] = x; }
  ZWANG_INLINE void both(Index j, Index k, const S& x) const { data[j * n + k] = data[k * n + j] = x; }
  ZWANG_INLINE void none(Index j, Index k) const { both(j, k, S(Uniform<S>(0))); }
  page::MatrixView<S> view() const { return {data, n, n, n, 1}; }
};
template <class S> struct TorqueMatrices {
  PackMatrix<S> q, v, a;
  /// One after the other in w.out, as many as wanted.
  static TorqueMatrices of(Workspace<S>& w, int count) {
    const Index n = w.data.tree().nv;
    S* const x = w.out.data();
    return {{x, n}, {count > 1 ? x + n * n : nullptr, n}, {count > 2 ? x + 2 * n * n : nullptr, n}};
  }
};

/// Derivatives of inverse dynamics at (w.q, v, a).
template <class S>
void derive_torques(Workspace<S>& w, const Call<S>& c, const S* v, const S* a, const TorqueMatrices<S>& out) {
  BasicData<S>& data = w.data;
  const S* const q = w.q.data();
  page::kinematics(data, q, v, a);
  enter_turning(w, c);
  if (w.fresh)  // what no column writes stays zero for all states of a call
    for (const PackMatrix<S>* const m : {&out.q, &out.v, &out.a})
      if (m->data != nullptr) std::fill_n(m->data, m->n * m->n, S(Uniform<S>(0)));
  page::inverse_dynamics_derivatives(data, q, v, a, effects_of<S>(c), {out.q.view(), out.v.view(), out.a.view()});
}

template <class S> ZWANG_INLINE S* zeros(Workspace<S>& w, Buffer<S>& x) {
  for (Index k = 0; k < w.data.tree().nv; ++k) x[k] = S(Uniform<S>(0));
  return x.data();
}
template <class S> ZWANG_INLINE void task(Row<"inverse_dynamics_derivatives">, Workspace<S>& w, const Call<S>& c) {
  derive_torques(w, c, w.v.data(), w.a.data(), TorqueMatrices<S>::of(w, 3));
}
template <class S> ZWANG_INLINE void task(Row<"bias_forces_derivatives">, Workspace<S>& w, const Call<S>& c) {
  derive_torques(w, c, w.v.data(), zeros(w, w.a), TorqueMatrices<S>::of(w, 2));
}
template <class S> ZWANG_INLINE void task(Row<"static_torque_derivatives">, Workspace<S>& w, const Call<S>& c) {
  derive_torques(w, c, zeros(w, w.v), w.v.data(), TorqueMatrices<S>::of(w, 1));
}
template <class S> ZWANG_INLINE void task(Row<"gravity_forces_derivatives">, Workspace<S>& w, const Call<S>& c) {
  Call<S> alone = c;
  alone.damping = alone.springs = alone.excess = false;
  derive_torques(w, alone, zeros(w, w.v), w.v.data(), TorqueMatrices<S>::of(w, 1));
}

// --- forward dynamics -----------------------------------------------------------------------------------------------

/// The accelerations that the torques in w.a cause. Leaves the eliminated columns of M^-1,
/// where no coordinates are shared.
template <class S> const S* accelerate(Workspace<S>& w, const Call<S>& c) {
  BasicData<S>& data = w.data;
  const S *const q = w.q.data(), *const v = w.v.data();
  S *const tau = w.a.data(), *const a = data.acceleration_out.data();
  page::add_passive(data.tree(), q, v, effects_of<S>(c), Uniform<S>(1), tau);
  if (data.tree().mimic) {
    page::forward_accelerations(data, q, v, tau, a);
    return a;
  }
  data.articulated.has_given = false;
  page::sweep_bodies<true>(data, q, v, tau, a);
  const auto doubtful = page::is_doubtful(data);
  if (any(doubtful)) {
    keep_columns(w);
    page::forward_dynamics_again(data, q, v, tau, a);
    restore_columns(w, doubtful);
  }
  return a;
}
/// x := M^-1 x after accelerate().
template <class S> void solve_again(Workspace<S>& w, S* x) {
  if (w.data.tree().mimic)
    page::ltl_solve(factor(w), x);
  else
    solve_with_columns(w, x, x);
}

/// The numbers of D other than 0: column j has those of its path and its subtree, in the rows at[begin[j]], ...
template <class S> struct SparseColumns {
  Index *begin, *at;
  S* numbers;  ///< [2 x] by q and by v
  static SparseColumns of(Workspace<S>& w) {
    const Index n = w.data.tree().nv;
    return {w.path.data(), w.path.data() + n + 1, w.out.data() + 3 * n * n};
  }
};
template <class S> void find_pattern(const Tree<Uniform<S>>& tree, const SparseColumns<S>& D) {
  Index count = 0;
  for (Index j = 0; j < tree.nv; ++j) {
    D.begin[j] = count;
    for (Index k = 0; k < tree.nv; ++k)
      if (tree.mimic || (k < j ? tree.column[k].end > j : k < tree.column[j].end)) D.at[count++] = k;
  }
  D.begin[tree.nv] = count;
}
/// Rows i, i + 1, ... of -M^-1 D.
template <int rows, class S>
ZWANG_INLINE void product_rows(const TorqueMatrices<S>& out, const SparseColumns<S>& D, Index i) {
  const Index n = out.a.n;
  S x[rows], y[rows];
  for (Index j = 0; j < n; ++j) {
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) x[r] = y[r] = S(Uniform<S>(0));
    for (Index c = D.begin[j]; c < D.begin[j + 1]; ++c) {
      const S* const A = out.a.data + D.at[c] * n + i;  // symmetric
      const S q = D.numbers[2 * c], v = D.numbers[2 * c + 1];
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r) {
        x[r] -= A[r] * q;
        y[r] -= A[r] * v;
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      out.q.data[(i + r) * n + j] = x[r];
      out.v.data[(i + r) * n + j] = y[r];
    }
  }
}
/// -M^-1 D in place of D, by q and v.
template <class S> void multiply_by_inverse(Workspace<S>& w, const TorqueMatrices<S>& out) {
  const SparseColumns<S> D = SparseColumns<S>::of(w);
  const Index n = out.a.n;
  if (w.fresh) find_pattern<S>(w.data.tree(), D);
  for (Index j = 0; j < n; ++j)
    for (Index c = D.begin[j]; c < D.begin[j + 1]; ++c) {
      D.numbers[2 * c] = out.q.data[D.at[c] * n + j];
      D.numbers[2 * c + 1] = out.v.data[D.at[c] * n + j];
    }
  Index i = 0;
  for (; i + 6 <= n; i += 6) product_rows<6>(out, D, i);
  if (n - i >= 4) product_rows<4>(out, D, i), i += 4;
  if (n - i >= 2) product_rows<2>(out, D, i), i += 2;
  if (n - i >= 1) product_rows<1>(out, D, i);
}
template <class S> ZWANG_INLINE void task(Row<"forward_dynamics_derivatives">, Workspace<S>& w, const Call<S>& c) {
  const S* const a = accelerate(w, c);
  const TorqueMatrices<S> out = TorqueMatrices<S>::of(w, 3);
  if (w.data.tree().mimic)
    page::mass_matrix_inverse<S>(factor(w), out.a.data, out.a.n, w.x.data());
  else
    inverse_of_columns(w, out.a);
  derive_torques(w, c, w.v.data(), a, TorqueMatrices<S>::of(w, 2));
  multiply_by_inverse(w, out);
}

// --- products with a vector -----------------------------------------------------------------------------------------

/// d tau of inverse dynamics at (w.q, v, a) along d.
template <class S> void torques_along(Workspace<S>& w, const Call<S>& c, const S* v, const S* a,
                                      const page::ConstStateVectors<S>& d, S* dtau) {
  BasicData<S>& data = w.data;
  page::kinematics(data, w.q.data(), v, a);
  enter_turning(w, c);
  const page::SpanningState<S> x(data, w.q.data(), v, a);
  page::vary_columns(data, x);
  page::leave_from_the_right(data, page::enter_from_the_right(data, d), x.in, d, effects_of<S>(c), dtau);
}
/// The gradients of y . tau of inverse dynamics at (w.q, v, a), into those of `out` that are there.
template <class S> void gradients_of_torques(Workspace<S>& w, const Call<S>& c, const S* v, const S* a, const S* y,
                                             const page::StateVectors<S>& out) {
  BasicData<S>& data = w.data;
  page::kinematics(data, w.q.data(), v, a);
  enter_turning(w, c);
  const page::SpanningState<S> x(data, w.q.data(), v, a);
  page::vary_columns(data, x);
  for (S* const g : {out.q, out.v, out.a})
    for (Index k = 0; g != nullptr && k < data.tree().nv; ++k) g[k] = S(Uniform<S>(0));
  page::leave_from_the_left(data, page::enter_from_the_left(data, y), x.in, y, effects_of<S>(c), out);
}

template <class S> ZWANG_INLINE void task(Row<"inverse_dynamics_jvp">, Workspace<S>& w, const Call<S>& c) {
  torques_along(w, c, w.v.data(), w.a.data(), {w.x.data(), w.y.data(), w.z.data()}, w.out.data());
}
template <class S> ZWANG_INLINE void task(Row<"inverse_dynamics_vjp">, Workspace<S>& w, const Call<S>& c) {
  const Index n = w.data.tree().nv;
  S* const out = w.out.data();
  gradients_of_torques(w, c, w.v.data(), w.a.data(), w.x.data(), {out, out + n, out + 2 * n});
}
template <class S> ZWANG_INLINE void task(Row<"forward_dynamics_jvp">, Workspace<S>& w, const Call<S>& c) {
  const S* const a = accelerate(w, c);
  S* const da = w.out.data();
  torques_along(w, c, w.v.data(), a, {w.x.data(), w.y.data(), nullptr}, da);
  for (Index k = 0; k < w.data.tree().nv; ++k) da[k] = w.z[k] - da[k];
  solve_again(w, da);
}
template <class S> ZWANG_INLINE void task(Row<"forward_dynamics_vjp">, Workspace<S>& w, const Call<S>& c) {
  const Index n = w.data.tree().nv;
  const S* const a = accelerate(w, c);
  S *const out = w.out.data(), *const y = out + 2 * n;
  for (Index k = 0; k < n; ++k) y[k] = w.x[k];
  solve_again(w, y);
  gradients_of_torques<S>(w, c, w.v.data(), a, y, {out, out + n, nullptr});
  for (Index k = 0; k < 2 * n; ++k) out[k] = -out[k];
}

/// The algorithm of row k on the states [first, last) of a call.
template <class S, int k> void run_derivative(void* workspace, const Call<S>& c, long first, long last) {
  for_each_pack<S>(RowAt<k>(), workspace, c, first, last,
                   [&](Workspace<S>& w) ZWANG_LAMBDA { task(RowAt<k>(), w, c); });
}
/// All of them; a file that has such a table has them compiled.
template <class S> struct DerivativeRows {
  constexpr DerivativeRows() : DerivativeRows(std::make_integer_sequence<int, k_derivative_rows>()) {}
  template <int... k> constexpr explicit DerivativeRows(std::integer_sequence<int, k...>)
      : of{run_derivative<S, k_first_derivative + k>...} {}
  BatchKernel<Uniform<S>> of[k_derivative_rows];
};

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
