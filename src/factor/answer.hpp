// SPDX-License-Identifier: BSD-3-Clause
// Answer: the unchecked result of a method. certify/ checks it, solve/ translates it for users.
#pragma once
#include "factor/compressed_rows.hpp"
#include "factor/hard_rows.hpp"
#include "zwang/factor/place_of_rows.hpp"

namespace zwang {

enum class Outcome {
  solved,
  singular_mass,  ///< `massless` has no inertia, and no row determines its motion
  overflow,       ///< finite input has led to numbers beyond the range of double
  to_root,        ///< the method could not separate dependent rows or did not converge; a sweep to the root can
};

struct Answer {
  explicit Answer(const Problem& problem)
      : acceleration(problem.state.data.model().nv()),
        given_torque(problem.state.data.model().nv()),
        articulated(problem.state.data.model().nv()),
        lambda(problem.layout.capacity),
        left_out(problem.layout.capacity),
        scale(problem.layout.capacity),
        hard(problem.state.data.tree().spanning_nv + problem.state.data.tree().shared_count, problem.layout.capacity,
             &problem.state.interruption) {}
  void begin() {
    outcome = Outcome::solved;
    iterations = 1;
    converged = true;
    stiffened = careful = false;
    massless = -1;
    only_hard_rows = false;
    place = {};
    compressed = nullptr;
    hard.free_motion = 0;
    hard.by_W = false;
    hard.energy = -1;
  }

  /// Index in `hard` of row k of the problem; -1: it is not there.
  Index at_root(Index k) const {
    const Index carried = compressed != nullptr ? compressed->carried(k) : k;
    return carried >= 0 ? hard.of_row[carried] : -1;
  }

  Buffer<double> acceleration;  ///< [nv]; data.acceleration holds the accelerations of the bodies
  Buffer<double> given_torque;  ///< [nv] at prescribed coordinates: their rows of M q'' + h - J^T lambda
  Buffer<double> articulated;   ///< [nv] w^T lambda of the rows that a joint still carries
  Buffer<double> lambda;        ///< [m] of all rows of the problem
  /// [m] row acceleration, beyond beta, that uncompensated drivers cause.
  Buffer<double> left_out;
  /// [m] the largest acceleration of the row that the motion could cause: the scale of the residual of a row that holds
  /// by cancellation or by symmetry. Zeros if the method does not compute it; rows of `hard` have a scale there.
  Buffer<double> scale;
  HardRows hard;  ///< its rows are those of the problem, or those carried if rows are compressed
  const CompressedRows* compressed = nullptr;
  Outcome outcome = Outcome::solved;
  int iterations = 1;
  bool converged = true;
  bool stiffened = false;       ///< M is singular; the rows determine the remaining motion
  bool careful = false;         ///< the sweep has made columns orthogonal, which may cost digits of the motion
  bool only_hard_rows = false;  ///< Z = 1/2 lambda^T Lambda lambda of `hard`: no row was eliminated elsewhere
  Index massless = -1;          ///< the first coordinate without inertia
  const char* method = "popov_vereshchagin";
  PlaceOfRows place = {};
};

}  // namespace zwang
