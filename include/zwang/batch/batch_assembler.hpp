// SPDX-License-Identifier: BSD-3-Clause
// BatchAssembler: assembly and projection of many states of one model with one set, on threads.
//
// Each thread has an Assembler of its own and takes a fixed contiguous range. The numbers are those of one Assembler to
// the bit, for every number of threads. A call allocates nothing once earlier ones have had as many states.
#pragma once
#include "zwang/batch/batch.hpp"
#include "zwang/core/owned.hpp"
#include "zwang/question/assembly.hpp"

namespace zwang {

/// What an AssemblyReport says, without names.
struct AssemblyOutcome {
  Status status = Status::stopped;  ///< non_finite_input, invalid_input: of the state, whose results are NaN
  double residual = 0, velocity_residual = 0, distance = 0, stationarity = 0, gradient = 0;
  Index rank = 0;
  int iterations = 0, attempt = 0, branch = 0;
  bool nearest = false;
};

class BatchAssembler {
 public:
  /// Follows the set, like an Assembler; throws what that throws.
  BatchAssembler(const Model& model, const ConstraintSet& constraints, const AssemblySettings& settings = {},
                 const BatchOptions& options = {});
  BatchAssembler(BatchAssembler&&) noexcept;
  BatchAssembler& operator=(BatchAssembler&&) noexcept;
  ~BatchAssembler();

  /// A state in each column; q0 has one, which then holds for all, or as many as the result. They throw
  /// std::invalid_argument for wrong sizes.
  const std::vector<AssemblyOutcome>& assemble(MatrixIn q0, MatrixOut q);
  const std::vector<AssemblyOutcome>& assemble_velocity(MatrixIn q, MatrixIn v0, MatrixOut v);
  const std::vector<AssemblyOutcome>& project(MatrixIn q0, MatrixIn v0, MatrixOut q, MatrixOut v);
  int threads() const;

 private:
  struct Impl;
  Owned<Impl> impl_;
};

}  // namespace zwang
