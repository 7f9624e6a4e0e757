// SPDX-License-Identifier: BSD-3-Clause
// LeastMultipliers: of all multipliers that do the same by rows that nearly depend on each other, those of least norm.
//
//   sum_i n_i row_i = 0, up to the tolerance of the solve: a dependency of the report
//   lambda -= N (N^T N)^-1 N^T lambda
// Where rows depend up to rounding the solve has done this. Where they only nearly do, it leaves one of them without
// force, and the others carry more the smaller the angle is.
#pragma once
#include <string>
#include <vector>

#include "zwang/core/buffer.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang {

class LeastMultipliers {
 public:
  LeastMultipliers(const Model& model, const ConstraintSet& set);
  /// Changes the multipliers of all rows of the set, and adds what their forces J^T lambda lose to `rest` [nv]. The
  /// rows are those of the report, at q. Allocates nothing.
  void apply(const SolveReport& report, const Eigen::Map<const Eigen::VectorXd>& q, double* lambda, double* rest);

 private:
  void collect(const SolveReport& report);
  double* direction(Index k) { return directions_.data() + k * rows_; }

  const ConstraintSet& set_;
  ConstraintEvaluator evaluator_;
  std::vector<std::string> names_;
  Index rows_, nv_, count_ = 0;
  Buffer<double> directions_, given_, J_, still_;  ///< orthonormal N, a row each; J; a velocity of zeros
};

}  // namespace zwang
