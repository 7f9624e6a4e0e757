// SPDX-License-Identifier: BSD-3-Clause
// Clutch: limits of motors, as clutches between the motors and the joints.
//
//   lower <= u <= upper,   u = tau + J^T lambda of driver rows        w_k = K_k a - beta_k = -sum_j J_kj nu_j
//   nu_j = 0 inside,   nu_j >= 0 at the upper limit,   nu_j <= 0 at the lower one
// A driver row acts on the shafts of the motors. A shaft turns with its joint until its clutch carries more than the
// limit; then it slips by nu_j, so that the rows hold for q'' + nu. nu has no cost in Gauss' Z: u and nu are
// multipliers of each other, and the conditions are those of a convex problem. A limit of one row with one motor is the
// same. In ActiveSet a clutch is a row nu_j = 0 with bounds on its multiplier u_j - tau_j, on a stiff coordinate: a
// rotor with 1e-4 of the inertia that the motor feels.
#pragma once
#include <algorithm>

#include "choose/box.hpp"
#include "zwang/certify/solve_report.hpp"

namespace zwang {

struct Clutch {
  explicit Clutch(Index nv);

  /// Finds the motors with limits that driver rows use; not at prescribed coordinates.
  void read(const MetricRows& rows, const MotorLimits& of);
  /// Writes to the set, whose rows k < m are those of the problem, and whose coordinates end with those of the
  /// clutches.
  void write(const Problem& whole, const double* J, Index first_coordinate, ActiveSet& set) const;
  /// The factors of the stiff coordinates, from what the motors feel.
  void find_units(MetricRows& rows);
  /// nu and the limits reached, from a set that has settled; driver rows give way where their motors slip.
  void take(const MetricRows& rows, const Box& box, Index first_coordinate, const ActiveSet& set, Choice& choice);
  void forget() { std::fill_n(slip.data(), slip.size(), 0.0), std::fill_n(at_limit.data(), at_limit.size(), 0); }
  /// -w of a driver row whose motors slip, and the sizes of its terms.
  struct Give {
    double value = 0, terms = 0;
  };
  Give give(const MetricRows& rows, Index k) const;
  /// u is within its limits, and nu as these allow: each motor in the unit of its own torque, nu by what it does to the
  /// rows that see it. `chosen`: rows have been chosen.
  void measure(const MetricRows& rows, const Found& of, bool chosen, double feasibility, Violation& v);
  /// Whether no multipliers of driver rows within their box keep all motors within their limits.
  bool contradicts(const MetricRows& rows, const Box& box) const;
  /// Names of motors at their limit and beyond.
  void name(const MetricRows& rows, const Found& of, double feasibility, SolveReport& report) const;

  Index count = 0;
  Buffer<Index> coordinate;                   ///< [count] of the velocity
  Buffer<double> lower, upper;                ///< [nv] of u - tau
  Buffer<double> unit;                        ///< [count] factor of the stiff coordinate
  Buffer<double> slip, growth;                ///< [nv] nu; what it still grows by: 0 where the limits do not contradict
  Buffer<unsigned char> at_limit;             ///< [nv]
  const MotorLimits* limits = nullptr;        ///< as given last
  static constexpr double k_stiffness = 100;  ///< the root of 1e4

 private:
  bool any_at_limit() const;
  double torque_terms(const MetricRows& rows, const Found& of, Index y) const;
  void measure_slips(const MetricRows& rows, const Found& of, bool chosen);

  Buffer<double> share_;  ///< [nv] nu over the terms of the row that it moves most
};

}  // namespace zwang
