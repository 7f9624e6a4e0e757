// SPDX-License-Identifier: BSD-3-Clause
// What the pages of relations have in common: how a page is written, what it reads and what it leaves behind.
//
// A page holds the numbers of a relation and says its rows over any scalar S (double, lanes, Dual, complex, yours):
//
//   static constexpr bool position_is_free;    phi is there, but nothing wants it to be zero
//   template <class F> void for_each_array(F&& f);                    f(ConstArray&): numbers that stand elsewhere
//   template <class S> void operator()(const BasicData<S>& data, const S* q, const S* v, const RelationShape& on,
//                                      const BasicRowValues<S>& out) const;
// Reads: positions and velocities of `data` with the columns of joints. Values are selected, not branched on.
#pragma once
#include <limits>

#include "zwang/model/data.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// What the rows of a relation are at a state; see relation.hpp.
template <class S> struct BasicRowValues {
  S* phi;       ///< [rows] position error; NaN for rows of velocities alone
  S* gamma;     ///< [rows]
  Force<S>* K;  ///< [bodies x rows]
  S* as_given;  ///< [rows x 6] wrench of a unit multiplier as users see it: axes of `in`, about the point; or nullptr
};

/// How many rows on which bodies: those of Relation::bodies().
struct RelationShape {
  Index rows;
  const Index* bodies;
  Index body_count;
};

/// Numbers that belong to somebody else.
template <class T> struct ConstArray {
  const T* data = nullptr;
  Index size = 0;
  ZWANG_INLINE const T& operator[](Index i) const { return data[i]; }
};

/// Squared sines below which directions are not there at all; and what their rows are then. Of float, where rounding
/// comes first, the solver of one state decides, in double: NaN sends it there.
template <class S> inline constexpr double k_no_direction = std::is_same_v<Uniform<S>, float> ? 1e-9 : 1e-24;
template <class S> ZWANG_INLINE S without_direction() {
  return S(std::is_same_v<Uniform<S>, float> ? std::numeric_limits<Uniform<S>>::quiet_NaN() : Uniform<S>(0));
}
template <class M, class S> ZWANG_INLINE Force<S> select(const M& m, const Force<S>& a, const S& otherwise) {
  Force<S> k;
  for (int i = 0; i < 6; ++i) k[i] = select(m, a[i], otherwise);
  return k;
}

}  // namespace ZWANG_ISA
}  // namespace zwang
