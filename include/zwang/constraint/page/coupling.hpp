// SPDX-License-Identifier: BSD-3-Clause
// A relation between coordinates. Derivation: types/coupling.hpp.
#pragma once
#include "zwang/constraint/page/coordinate_rows.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// One row.
struct CouplingRows {
  static constexpr bool position_is_free = false;
  ConstArray<CoordinateColumn> coordinate;
  ConstArray<double> ratio;  ///< of each coordinate
  double offset = 0;
  ConstArray<double> polynomial;  ///< instead of `ratio`

  template <class F> void for_each_array(F&& f) {
    f(coordinate);
    f(ratio);
    f(polynomial);
  }

  template <class S> void operator()(const BasicData<S>& data, const S* q, const S* v, const RelationShape& on,
                                     const BasicRowValues<S>& out) const {
    using T = Uniform<S>;
    S &phi = *out.phi, &gamma = *out.gamma;
    Force<S>* const K = out.K;
    for (Index t = 0; t < on.body_count; ++t) K[t] = Force<S>::zero();
    for (int k = 0; k < 6 && out.as_given != nullptr; ++k) out.as_given[k] = S(T(0));
    const auto add = [&](const CoordinateColumn& c, const S& slope) ZWANG_LAMBDA {
      return add_coordinate(data, c, slope, K + c.child_place, c.parent_place < 0 ? nullptr : K + c.parent_place);
    };
    phi = gamma = S(T(0));
    if (polynomial.size == 0) {
      for (Index i = 0; i < coordinate.size; ++i) {
        if (ratio[i] == 0) continue;
        phi += q[coordinate[i].q] * static_cast<T>(ratio[i]);
        gamma -= add(coordinate[i], S(static_cast<T>(ratio[i])));
      }
      phi -= S(static_cast<T>(offset));
      return;
    }
    const S at = q[coordinate[1].q], rate = v[coordinate[1].v];
    S P(T(0)), dP(T(0)), half_ddP(T(0));  // Horner's scheme
    for (Index j = polynomial.size; j-- > 0;) {
      half_ddP = half_ddP * at + dP;
      dP = dP * at + P;
      P = P * at + static_cast<T>(polynomial[j]);
    }
    phi = q[coordinate[0].q] - P;
    gamma -= add(coordinate[0], S(T(1)));
    gamma -= add(coordinate[1], -dP);
    gamma -= T(2) * half_ddP * rate * rate;
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
