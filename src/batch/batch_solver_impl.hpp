// SPDX-License-Identifier: BSD-3-Clause
// What a BatchSolver owns: workspaces of lanes, and a Solver for each thread.
#pragma once
#include <cmath>

#include "batch/alone.hpp"
#include "batch/lane_rows.hpp"
#include "constraint/constraint_state.hpp"
#include "question/impulse/impulse_parts.hpp"

namespace zwang {

/// Number k of state s; false where it leaves the range of T.
template <class T> bool put(const StateArray<T>& a, long s, Index k, double x) {
  number_of(a, s, k) = static_cast<T>(x);
  return std::isfinite(number_of(a, s, k));
}

template <class T> struct BasicBatchSolver<T>::Impl : BatchCore<T> {
  Impl(const Model& m, const ConstraintSet& constraints, const SolverSettings& s, const BatchOptions& options)
      : BatchCore<T>(m, options),
        set(ConstraintSet::Sharing::with(constraints)),
        settings(s) {
    read_settings<T>(settings, single);
    make();
  }
  void make();
  void prepare(BatchTask<T>& task, const StatesIn<T>& active, const std::vector<Index>& prescribed,
               ConstrainedTask<T>& t);
  bool beta_is_finite(const ConstrainedTask<T>& t, long state) const;
  static void forget(Solver& solver) { solver.forget_states(); }
  Alone& load(int thread, const BatchCall<T>& c, long state);
  void solve_alone(int thread, const BatchCall<T>& c, long state);
  void roll_alone(int thread, const BatchCall<T>& c, long state);
  ImpulseParts& impulse_of(Alone& a) const;  ///< batch_impulse.cpp
  const BatchReport& run(BatchTask<T>& task, BatchKernel<T> kernel,
                         void (Impl::*one)(int thread, const BatchCall<T>& c, long state));

  ConstraintSet set;  ///< shares its state with the user's
  SolverSettings settings;
  SolverSettings single;                      ///< for states that lanes leave to a solver of one state
  std::vector<KernelWorkspace> workspace;     ///< one per thread
  std::vector<std::unique_ptr<Alone>> alone;  ///< likewise
  std::vector<RowCounts> counts;              ///< [threads x rows] of the last call
  LaneRows lanes;
  GivenCoordinates coordinates;
  unsigned version = 0;
  // Of impulses:
  std::vector<KernelWorkspace> at_rest;  ///< one per thread, without gravity; empty: not made yet
  std::vector<T> numbers;                ///< [states x (2 rows + nv)] changes asked for, multipliers, changes found
  std::vector<double> row_velocities;    ///< [states x rows] before
};

}  // namespace zwang
