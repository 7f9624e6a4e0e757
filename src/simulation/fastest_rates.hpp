// SPDX-License-Identifier: BSD-3-Clause
// FastestRates: how fast the dampers and springs of joints act, beside what a step can follow.
//
//   dampers: the largest eigenvalue of P D, springs: the square root of that of P K      [1/s]
//   P: accelerations by torques while the rows hold (M^-1 without rows); D, K: coefficients of the joints, diagonal
// By vector iteration. P D is self-adjoint in the metric D, so that the Rayleigh quotient x^T D P D x / x^T D x is
// never above the largest eigenvalue: what is found to be too fast is.
// Reads: the factor of the last solve. Cost: one solve of two columns in each iteration. Allocates: at construction.
#pragma once
#include "simulation/stepper.hpp"

namespace zwang {

class FastestRates {
 public:
  static constexpr int k_first_iterations = 30;  ///< of follow() at the start of a motion
  explicit FastestRates(Movement& motion);
  /// The first vector, at the start of a motion.
  void begin();
  /// After a solve: false where the rates are above twice what the integrator follows in steps of h.
  /// Then the reason is that of the movement.
  bool follow(double h, const IntegratorRow& integrator, int iterations);

 private:
  struct Kind {
    const char* name;
    Buffer<double> coefficient, x;  ///< [nv]
    double eigenvalue = 0;
    bool any = false;
  };
  bool iterate(Kind& kind);
  bool is_followed(const Kind& kind, double rate, double h, double limit, const char* integrator);

  Movement& motion_;
  Kind dampers_, springs_;
  Buffer<double> tau_, beta_, column_, lambda_;  ///< two columns: zeros, and the vector
};

}  // namespace zwang
