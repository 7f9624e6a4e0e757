// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the pages of relations: the form of a page, its inputs and its results.
//
// A page holds the numbers of a relation and computes its rows over any scalar S (double, lanes, Dual, complex, yours):
//
//   static constexpr bool position_is_free;    phi exists, but no value of it is required
//   template <class F> void for_each_array(F&& f);                    f(ConstArray&): numbers stored elsewhere
//   template <class S> void operator()(const BasicData<S>& data, const S* q, const S* v, const RelationShape& on,
//                                      const BasicRowValues<S>& out) const;
// Reads: positions and velocities of `data` and the columns of joints. Values are selected, without branches.
#pragma once
#include <limits>

#include "zwang/model/stages.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// The rows of a relation at a state; see relation.hpp.
template <class S> struct BasicRowValues {
  S* phi;       ///< [rows] position error; NaN for velocity rows
  S* gamma;     ///< [rows]
  Force<S>* K;  ///< [bodies x rows]
  S* as_given;  ///< [rows x 6] wrench of a unit multiplier shown to users: axes of `in`, about the point; or nullptr
};

/// Number of rows and bodies: those of Relation::bodies().
struct RelationShape {
  Index rows;
  const Index* bodies;
  Index body_count;
};

/// Numbers owned by someone else.
template <class T> struct ConstArray {
  const T* data = nullptr;
  Index size = 0;
  ZWANG_INLINE const T& operator[](Index i) const { return data[i]; }
};

/// Squared sines below which a direction is undefined, and the value of its rows then. For float, where rounding is
/// larger, the value is NaN: it sends the state to the solver of one state, in double.
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
