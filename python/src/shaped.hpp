// SPDX-License-Identifier: BSD-3-Clause
// Functions of arrays of one shape, one or N of them: their results, and rotations among their arguments.
#pragma once
#include "bind.hpp"
#include "given_array.hpp"
#include "zwang/spatial/motion.hpp"
#include "zwang/spatial/rpy.hpp"

namespace zwang::python {

inline Vec3<double> vector_of(const double* x) { return {x[0], x[1], x[2]}; }
inline Motion<double> motion_of(const double* x) { return {vector_of(x), vector_of(x + 3)}; }

/// N or one of Rows x Columns; f(x, set) with set(row, column, number).
template <class F> nb::object results(const char* function, const Input& x, bool many,
                                      std::initializer_list<Index> shape, Index each, F&& f) {
  const Index count = each > 0 ? x.states() / each : 0;
  const Output out(function, "out", nb::none(), many ? count : -1, shape);
  for (Index s = 0; s < count; ++s)
    f(s * each, [&](Index i, Index j, double value) {
      if (!is_finite(value)) detail::throw_overflow(function);
      out.set(s, i, j, value);
    });
  return out.array;
}

template <class Set> void set_block(const Set& set, Index row, Index column, const Mat3<double>& M) {
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) set(row + i, column + j, M(i, j));
}

/// A rotation matrix, to rounding of what wrote it.
constexpr double k_rotation_tolerance = 1e-6;
inline Mat3<double> rotation_of(const GivenArray& given, const Input& x, Index row) {
  Mat3<double> R = Mat3<double>::zero();
  for (Index i = 0; i < 3; ++i) R[static_cast<int>(i)] = vector_of(x.at(row + i));
  if (!is_rotation(R, k_rotation_tolerance)) given.refuse("a matrix that is no rotation");
  return R;
}

}  // namespace zwang::python
