// SPDX-License-Identifier: BSD-3-Clause
// Answer: what a method says of a problem; nothing in it has been checked. certify/ does that, solution/ makes of it what
// users read.
#pragma once
#include "dynamics/root/hard_rows.hpp"

namespace zwang {

enum class Outcome {
  solved,
  singular_mass,  ///< `massless` moves no inertia, and no row determines it
  overflow,       ///< finite input has exceeded the range of double
  to_root,        ///< the method cannot tell these rows apart, or has not settled: the sweep to the root can
};

struct Answer {
  explicit Answer(const Problem& problem)
      : acceleration(problem.data.model().nv()),
        given_torque(problem.data.model().nv()),
        articulated(problem.data.model().nv()),
        lambda(problem.layout.capacity),
        left_out(problem.layout.capacity),
        scale(problem.layout.capacity),
        hard(problem.layout.capacity) {}
  void begin() {
    outcome = Outcome::solved;
    iterations = 1;
    converged = true;
    stiffened = false;
    massless = -1;
    only_hard_rows = false;
    place = {};
    hard.free_motion = 0;
  }

  Buffer<double> acceleration;  ///< [nv]; data.acceleration holds those of the bodies
  Buffer<double> given_torque;  ///< [nv] of prescribed coordinates: their rows of M q'' + h - J^T lambda
  Buffer<double> articulated;   ///< [nv] w^T lambda of the rows that a joint still carries
  Buffer<double> lambda;        ///< [m] rows of the problem
  Buffer<double> left_out;      ///< [m] acceleration that rows allow drivers which they do not make up for, beyond beta
  /// [m] how large an acceleration of the row the motion could cause: what a row that holds by cancellation or by
  /// symmetry is measured with. Zeros where the method does not say; rows of `hard` have a scale there.
  Buffer<double> scale;
  HardRows hard;
  Outcome outcome = Outcome::solved;
  int iterations = 1;
  bool converged = true;
  bool stiffened = false;       ///< M is singular; the rows determine what it leaves open
  bool only_hard_rows = false;  ///< Z = 1/2 lambda^T Lambda lambda of `hard`: no row was eliminated elsewhere
  Index massless = -1;          ///< the first coordinate that moves no inertia
  const char* method = "popov_vereshchagin";
  PlaceOfRows place = {};
};

}  // namespace zwang
