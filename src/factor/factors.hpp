// SPDX-License-Identifier: BSD-3-Clause
// Factors: all factors of a solver, and the choice among them for a method and the rows as read.
#pragma once
#include "factor/compressed_factor.hpp"
#include "factor/path_factor.hpp"
#include "factor/sweep_factor.hpp"

namespace zwang {

class Factors {
 public:
  /// Makes what `method` may need: later only a change of the method or of the bodies of the set allocates.
  Factors(Problem& problem, const Method& method);

  /// Chooses for rows that have been read anew. Throws UnsupportedError if the method does not support them.
  void choose(Problem& problem, const Method& method, Singularity singularity);
  Factor& chosen() const { return *chosen_; }
  /// `automatic` has chosen the factor for many loops.
  bool by_loops() const { return by_loops_; }
  /// That factor has not settled: the sweep serves these rows from now on.
  void use_sweep();
  /// What earlier states have taught about the rows as read no longer counts.
  void forget();

  SweepFactor sweep;
  PathFactor paths;
  CompressedFactor compressed;

 private:
  Factor& factor_of(Problem& problem, const Method& method);

  std::vector<std::unique_ptr<Factor>> own_;  ///< [methods] of methods without a sweep, made when first used
  Factor* chosen_;
  Factor* loops_ = nullptr;                    ///< chosen for many loops when the rows were read
  bool has_loops_ = false, by_loops_ = false;  ///< the factor for many loops is made; is chosen
};

}  // namespace zwang
