// SPDX-License-Identifier: BSD-3-Clause
// Motors: what they do at the coordinates, and which equations of motion they reach.
//
//   tau = B u       B [nv x nu]
//   x_k^T (M a + h) = x_k^T B u + x_k^T J^T lambda       nv independent equations x_k
//   k < alone:   x_k^T B = 0. x_k is 1 at its own coordinate; the others are a minimal set of rows of B
//                that it depends on
//   k >= alone:  x_k is one coordinate, and these rows of B are independent
//   u = V^T y + N^T w   y = Y tau at these coordinates; V [reach x nu], N [nu - reach x nu] orthonormal, B N^T = 0
// Motors at single coordinates are the B of units: x_k are coordinates, those without motors first, y = u.
#pragma once
#include "zwang/core/buffer.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"

namespace zwang {

struct Motors {
  Motors(const Model& model, const std::vector<bool>& actuated);
  Motors(const Model& model, const ActuationMap& map);

  /// f(coordinate, x) of the entries of equation k that are not 0.
  template <class F> void each_term(Index k, F&& f) const {
    if (unit[k]) return f(coordinate[k], 1.0);
    for (Index c = 0; c < n; ++c)
      if (equation[k * n + c] != 0) f(c, equation[k * n + c]);
  }
  /// y = Y tau, [reach]
  void read(const double* tau, double* y) const;
  /// tau = B u
  void apply(const double* u, double* tau) const;

  Index n;                              ///< nv
  Index count = 0;                      ///< nu
  Index reach = 0, alone = 0;           ///< rank of B; nv - reach
  bool mapped = false;                  ///< the user has given B
  std::vector<bool> actuated;           ///< [nv] some motor acts there
  std::vector<std::string> names;       ///< [nu]
  Buffer<Index> coordinate;             ///< [nv] of equation k: its own
  Buffer<unsigned char> unit;           ///< [nv] equation k is its coordinate alone
  Buffer<double> equation;              ///< [nv x nv]
  Buffer<double> B;                     ///< [nv x nu]
  Buffer<double> reading, along, idle;  ///< Y [reach x nv], V [reach x nu], N [nu - reach x nu]

 private:
  void sort();
};

}  // namespace zwang
