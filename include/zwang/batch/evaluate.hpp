// SPDX-License-Identifier: BSD-3-Clause
// Any row of the list of algorithms on one state, for programs that learn at run time which one: Python, the command line,
// benchmarks. Who knows the name calls the function of that name.
//
//   Evaluator evaluator(model);
//   evaluator.run(algorithm("bias_forces"), data, {q.data(), v.data()}, {h.data()});
#pragma once
#include <optional>

#include "zwang/algorithm/algorithm.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"

namespace zwang {

/// Serves one thread. The first run of an algorithm may allocate.
class Evaluator {
 public:
  explicit Evaluator(const Model& model) : model_(model) {}

  /// `in`: the vectors that the row takes, nq or nv numbers each; `out`: the results that it gives, matrices row after
  /// row; none of them may overlap. Checks what the function of that name checks, and throws what it throws. Gravity is
  /// that of `data`.
  void run(const Algorithm& algorithm, Data& data, std::span<const double* const> in, std::span<double* const> out,
           const AlgorithmOptions& options = {}, ExternalsIn external = {});
  void run(const Algorithm& algorithm, Data& data, std::initializer_list<const double*> in,
           std::initializer_list<double*> out, const AlgorithmOptions& options = {}, ExternalsIn external = {}) {
    run(algorithm, data, std::span(in.begin(), in.size()), std::span(out.begin(), out.size()), options, external);
  }

  // For the calls of src/batch/evaluate.cpp.
  const Model& model() const { return model_; }
  TreeCholesky& factor();
  /// Room for a matrix, column by column.
  Eigen::Map<Eigen::MatrixXd> matrix(Index rows, Index columns, int which = 0);

 private:
  Model model_;
  std::optional<TreeCholesky> factor_;
  std::vector<double> room_[2];
};

}  // namespace zwang
