// SPDX-License-Identifier: BSD-3-Clause
// Poses from Python: 4 x 4 matrices, or positions; one, or N of them.
#include "given_array.hpp"

namespace zwang::python {
namespace {

#define ZWANG_ONE_POSE "a 4 x 4 pose (a rotation, a position, and the last row 0 0 0 1) or the 3 numbers of a position"

/// From four rows of four numbers.
Transform<double> matrix_at(const GivenArray& given, const Input& rows, Index first, const std::string& which) {
  Transform<double> X;
  for (Index i = 0; i < 3; ++i) {
    const double* const x = rows.at(first + i);
    X.R[i] = {x[0], x[1], x[2]}, X.p[i] = x[3];
  }
  const double* const last = rows.at(first + 3);
  if (last[0] != 0 || last[1] != 0 || last[2] != 0 || last[3] != 1) given.refuse("another last row" + which);
  return X;
}

Poses read(const GivenArray& given, bool many_poses, bool many_positions) {
  const int n = given.dimensions();
  const bool matrices = given.size(0) == 4 && given.size(1) == 4 && (n == 2 || (n == 3 && many_poses));
  const bool positions = given.size(0) == 3 && (n == 1 || (n == 2 && many_positions));
  if (!matrices && !positions) given.refuse_shape();
  Poses found{{}, n == (matrices ? 3 : 2)};
  if (positions) {
    const Input x = given.finite_rows(3);
    for (Index k = 0; k < x.states(); ++k)
      found.list.push_back({Mat3<double>::identity(), {x.at(k)[0], x.at(k)[1], x.at(k)[2]}});
    return found;
  }
  const Input rows = given.rows(4);
  for (Index k = 0; k < rows.states(); k += 4)
    found.list.push_back(matrix_at(given, rows, k, found.many ? " in pose " + std::to_string(k / 4) : ""));
  return found;
}

}  // namespace

Transform<double> pose(const char* function, const char* name, nb::handle given) {
  return read(GivenArray(function, name, given, ZWANG_ONE_POSE), false, false).list[0];
}

Poses poses(const char* function, const char* name, nb::handle given, bool positions) {
  const char* const expected = positions ? ZWANG_ONE_POSE ", or N of them: (N, 4, 4) or (N, 3)"
                                         : ZWANG_ONE_POSE
                                   ", or N poses (N, 4, 4); of N positions (N, 3) say rows='linear'";
  return read(GivenArray(function, name, given, expected), true, positions);
}

}  // namespace zwang::python
