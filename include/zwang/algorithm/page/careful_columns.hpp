// SPDX-License-Identifier: BSD-3-Clause
// Columns with next to no inertia of their own, in the sweep of forward_dynamics.hpp.
//
// Where columns of a joint nearly coincide (gimbal lock), or those of joints with a massless link between them, the
// elimination of one leaves a D of pure rounding for the next. Such columns are made orthogonal in the inertia I_A that
// they share, by Gram & Schmidt, twice (Golub & Van Loan 2013, sec. 5.2.9):
//
//   s'_k = s_k - sum_j s'_j (U_j . s_k) / D_j,   U_k = I_A s'_k,   D_k = s'_k . U_k + armature
// These are the U and D of the elimination, without the difference of large inertias. I_A loses all of them at once,
// where the joint or the chain of massless links ends. Column k has no inertia where
//   D_k <= (16 eps sum_j |a_kj| sqrt(G_j))^2 + 32 eps G'_k,   s'_k = sum_j a_kj s_j
// G_j, G'_k: gross inertia of s_j and of s'_k. The first term is rounding of the columns, the second of I_A.
// Done only where an ordinary sweep finds a doubtful D: about three times its cost.
#pragma once
#include "zwang/algorithm/page/sweep.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// From this ratio of gross inertia to D on, an ordinary sweep may have lost the column's inertia in rounding.
template <class S> inline constexpr Uniform<S> doubtful_ratio = sizeof(Uniform<S>) < 8
                                                                    ? Uniform<S>(0.01) / epsilon_of<S>
                                                                    : Uniform<S>(1e8);

/// 1 in the lanes where the last sweep has found a doubtful column.
template <class S> ZWANG_INLINE auto is_doubtful(const BasicData<S>& data) {
  const S zero(Uniform<S>(0)), one(Uniform<S>(1));
  const auto large = less(S(doubtful_ratio<S>), data.articulated.gross_ratio);
  return less(zero, select(large, one, data.articulated.singular));
}

/// The columns eliminated from an inertia that has not lost them yet, one list for each body.
template <class S> class CarefulColumns {
 public:
  explicit CarefulColumns(BasicData<S>& data) : data_(data), c_(data.articulated.careful) {}

  void begin() {
    for (Index i = 0; i <= data_.tree().n; ++i) c_.first[i] = -1;
  }
  /// U and D of column k of body i; D is returned. x.IA is the inertia without any of the columns listed.
  S enter(Index i, Index k, const Level<S>& x) {
    using T = Uniform<S>;
    Eliminated<S>& e = data_.articulated.column[k];
    StoredMotion<S> s = e.s;
    S size = sqrt(gross_inertia(x, e.s));
    bool rotors = false;
    for (int twice = 0; twice < 2; ++twice)
      for (Index j = c_.first[i]; j >= 0; j = c_.next[j]) {
        const Eliminated<S>& other = data_.articulated.column[j];
        const bool rotor = column_inertia(data_, j) != T(0);  // then s'_j is not orthogonal to s'_k
        rotors = rotors || rotor;
        if (twice == 1 && rotor) continue;
        const S a = dot(twice == 0 ? e.s : s, other.U) * other.inv_D;
        s.v -= c_.reduced[j].v * a;
        s.w -= c_.reduced[j].w * a;
        size += abs(a) * c_.size[j];
      }
    c_.reduced[k] = s;
    c_.size[k] = size;
    e.U = x.IA * s;
    const S own = dot(rotors ? e.s : s, e.U), D = own + column_inertia(data_, k);
    const S of_columns = size * (T(16) * epsilon_of<S>), of_inertia = gross_inertia(x, s) * (T(32) * epsilon_of<S>);
    note_singular(data_.articulated, k, !less(of_columns * of_columns + of_inertia, D));
    return D;
  }
  void list(Index i, Index k) {
    c_.next[k] = c_.first[i];
    c_.first[i] = k;
  }
  /// I_A loses the columns listed at body i.
  void settle(Index i, Level<S>& x) {
    for (Index j = c_.first[i]; j >= 0; j = c_.next[j]) {
      const Eliminated<S>& e = data_.articulated.column[j];
      subtract_outer(x.IA, e.U * e.inv_D, e.U);
    }
    c_.first[i] = -1;
  }
  /// Body i goes to its parent: with its list, if nothing there has inertia.
  void leave(Index i, Index parent, Level<S>& x, Level<S>& up, bool parent_eliminates) {
    const S zero(Uniform<S>(0));
    const bool empty = !any(less(zero, up.gross_mass)) && !any(less(zero, up.gross_moment));
    if (empty && parent_eliminates && c_.first[parent] < 0) {
      c_.first[parent] = c_.first[i];
      c_.first[i] = -1;
    } else {
      settle(i, x);
      settle(parent, up);
    }
  }

 private:
  BasicData<S>& data_;
  CarefulStage<S>& c_;
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
