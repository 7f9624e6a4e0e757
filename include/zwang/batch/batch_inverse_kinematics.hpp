// SPDX-License-Identifier: BSD-3-Clause
// BatchInverseKinematics: many poses of the same targets, on threads.
//
// Each thread has an InverseKinematics of its own and takes a fixed contiguous range. The numbers are those of one
// InverseKinematics to the bit, for every number of threads. Poses along a path depend on each other: one thread.
#pragma once
#include "zwang/batch/batch.hpp"
#include "zwang/core/owned.hpp"
#include "zwang/question/inverse_kinematics.hpp"

namespace zwang {

/// What an InverseKinematicsSolution says, without names.
struct PoseOutcomeOfMany {
  PoseStatus status = PoseStatus::not_converged;  ///< non_finite_input, invalid_input: q is NaN
  double error = 0, residual = 0, gradient = 0;
  int iterations = 0;
  bool out_of_reach = false, serial = false;
};

class BatchInverseKinematics {
 public:
  /// Throws what InverseKinematics throws.
  BatchInverseKinematics(const Model& model, const std::vector<PoseTarget>& targets,
                         const ConstraintSet* constraints = nullptr, const InverseKinematicsSettings& settings = {},
                         const BatchOptions& options = {});
  BatchInverseKinematics(BatchInverseKinematics&&) noexcept;
  BatchInverseKinematics& operator=(BatchInverseKinematics&&) noexcept;
  ~BatchInverseKinematics();

  /// `poses`: for each state as many as there are targets, one state after the other. q0 and q: a state in each column;
  /// q0 has one, which then holds for all, or as many as q. Throws std::invalid_argument for sizes.
  const std::vector<PoseOutcomeOfMany>& solve(const std::vector<Transform<double>>& poses, MatrixIn q0, MatrixOut q);
  /// Poses along a path: one state after the other, each from the last solution, the first from q0 [nq]. Where a pose
  /// has none, the next one begins from the last that had. Neighbours are then near each other where solutions are;
  /// solve() takes each from its q0, whatever its neighbours are.
  const std::vector<PoseOutcomeOfMany>& solve_along(const std::vector<Transform<double>>& poses, VectorIn q0,
                                                    MatrixOut q);
  /// Of the last call: InverseKinematicsSolution::errors of each state, one after the other; NaN where q is.
  const std::vector<double>& errors() const;
  int threads() const;

 private:
  struct Impl;
  Owned<Impl> impl_;
};

}  // namespace zwang
