// SPDX-License-Identifier: BSD-3-Clause
// SolutionNumbers: the results of a solve in the names and units of users, from a problem,
// its answer and its certificate.
#pragma once
#include "certify/certificate.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang {

struct SolutionNumbers {
  explicit SolutionNumbers(const Problem& problem);

  /// Computes all of it; true if every number is finite.
  bool publish(Problem& problem, const Answer& answer, const Certificate& certificate, Solution& solution);
  /// The same after an answer of rows at the ends of their own paths.
  bool publish_paths(Problem& problem, const Answer& answer, const PathFactor& paths, Solution& solution);
  void clear();
  double power(const Problem& problem, const Certificate& certificate, Index constraint) const;

  Buffer<double> multipliers;             ///< [rows of the set]
  Buffer<double> wrench;                  ///< [6 constraints] on the body, in the constraint's axes, about its point
  Buffer<double> motor_torque, reaction;  ///< [nv]
  Buffer<double> driver_torque;           ///< [nv] J^T lambda of driver rows

 private:
  void wrenches(const Problem& problem, const Answer& answer);
  void torques(Problem& problem, const Answer& answer);
  double energy(Problem& problem, const Answer& answer);
  double energy_by_sweep(Problem& problem, bool holds_massless);

  Buffer<double> torque_;  ///< [nv] scratch
  Data free_data_;         ///< for the energy of models whose joints share coordinates
};

}  // namespace zwang
