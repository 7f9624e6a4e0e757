// SPDX-License-Identifier: BSD-3-Clause
// Cross products of the reference for real and complex numbers (Eigen's conjugates complex ones in places).
#pragma once
#include "support/reference_joints.hpp"

namespace zwang::reference {

template <class S> Vector3<S> cross(const Vector3<S>& a, const Vector3<S>& b) {
  return {a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0)};
}
template <class S> Matrix3<S> cross_matrix(const Vector3<S>& a) {
  Matrix3<S> m;
  m << S(0), -a(2), a(1), a(2), S(0), -a(0), -a(1), a(0), S(0);
  return m;
}
/// The vector of the skew part.
template <class S> Vector3<S> vee(const Matrix3<S>& m) {
  return Vector3<S>(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)) / S(2);
}

}  // namespace zwang::reference
