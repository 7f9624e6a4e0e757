// SPDX-License-Identifier: BSD-3-Clause
// MotorBounds: limits of motors, as clutches between the motors and the joints.
//
//   lower <= u <= upper,   u = tau + J^T lambda of driver rows        w_k = K_k a - beta_k = -sum_j J_kj nu_j
//   nu_j = 0 inside,   nu_j >= 0 at the upper limit,   nu_j <= 0 at the lower one
// A driver row acts on the shafts of the motors. A shaft turns with its joint until its clutch carries more than the limit;
// then it slips by nu_j, so that the rows hold for q'' + nu. nu has no cost in Gauss' Z: u and nu are multipliers of each
// other, and the conditions are those of a convex problem. A limit of one row with one motor is the same.
// In ActiveSet a clutch is a row nu_j = 0 with bounds on its multiplier u_j - tau_j, on a stiff coordinate: a rotor with
// 1e-4 of the inertia that the motor feels.
#pragma once
#include "choose/active_set.hpp"
#include "rows/problem.hpp"

namespace zwang {

struct MotorBounds {
  explicit MotorBounds(Index nv);

  /// Finds the motors with limits that driver rows use; not at prescribed coordinates. J: [rows x nv].
  void choose(const Problem& whole, const MotorLimits& limits, const double* J);
  /// The factor of a stiff coordinate where the motor feels the inertia 1 / |w|^2, w = L^-1 e.
  void set_unit(Index i, double w) { unit[i] = k_stiffness * w; }
  /// Writes to the set, whose rows k < rows are those of whole, and whose coordinates end with those of the clutches.
  void write(const Problem& whole, const double* J, Index first_coordinate, ActiveSet& set) const;
  /// nu and the limits reached, from a set that has settled.
  void take(Index rows, Index first_coordinate, const ActiveSet& set);
  void forget() { std::fill_n(slip.data(), slip.size(), 0.0), std::fill_n(at_limit.data(), at_limit.size(), 0); }
  bool any_at_limit() const {
    for (Index i = 0; i < count; ++i)
      if (at_limit[coordinate[i]]) return true;
    return false;
  }

  Index count = 0;
  Buffer<Index> coordinate;                   ///< [count] of the velocity
  Buffer<double> lower, upper;                ///< [nv] of u - tau
  Buffer<double> unit;                        ///< [count] factor of the stiff coordinate
  Buffer<double> slip, growth;                ///< [nv] nu; what it still grows by: 0 where the limits do not contradict
  Buffer<unsigned char> at_limit;             ///< [nv]
  static constexpr double k_stiffness = 100;  ///< the root of 1e4
};

}  // namespace zwang
