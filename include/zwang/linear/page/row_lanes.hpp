// SPDX-License-Identifier: BSD-3-Clause
// Numbers of several rows side by side: in the lanes of wide registers for plain scalars, one at a time for all others.
#pragma once
#include <cstring>

#include "zwang/core/wide.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Rows of one body side by side for plain scalars; one row otherwise. `Part` is the part in one register.
template <class S> struct RowLanes {
  using type = S;
  using Part = S;
  static constexpr Index count = 1, parts = 1;
  static ZWANG_INLINE S& part(S& x, Index) { return x; }
  static ZWANG_INLINE const S& part(const S& x, Index) { return x; }
};
template <class T> struct EightRows {
  using type = Wide<T, 8>;
  using Part = typename type::Part;
  static constexpr Index count = 8, parts = type::parts;
  static ZWANG_INLINE Part& part(type& x, Index p) { return x.part[p]; }
  static ZWANG_INLINE const Part& part(const type& x, Index p) { return x.part[p]; }
};
template <> struct RowLanes<double> : EightRows<double> {};
template <> struct RowLanes<float> : EightRows<float> {};

template <class S, class Rows> ZWANG_INLINE S lane(const Rows* p, Index i) {
  S s;
  std::memcpy(static_cast<void*>(&s), reinterpret_cast<const char*>(p) + static_cast<std::size_t>(i) * sizeof(S),
              sizeof(S));
  return s;
}
template <class S, class Rows> ZWANG_INLINE void set_lane(Rows* p, Index i, const S& s) {
  std::memcpy(reinterpret_cast<char*>(p) + static_cast<std::size_t>(i) * sizeof(S), static_cast<const void*>(&s),
              sizeof(S));
}
template <class S, class Rows> ZWANG_INLINE S lane_sum(const Rows& x) {
  if constexpr (RowLanes<S>::count == 1)
    return x;
  else
    return sum(x);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
