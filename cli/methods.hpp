// SPDX-License-Identifier: BSD-3-Clause
// Methods and singularity policies side by side on one problem.
#pragma once
#include <string>
#include <vector>

#include "problem.hpp"

namespace zwang::cli {

/// What one method made of a problem under one singularity policy.
struct MethodResult {
  std::string method, singularity;
  std::string refused = {};  ///< why the method cannot do the problem; then all below says nothing
  Status status = Status::ok;
  Index rank = 0, rows = 0;
  int iterations = 0;
  double residual = 0;
  double difference = 0;  ///< largest |q'' - q'' of the first result| over the largest |q''| of that
  double zwang = 0;
  double microseconds = 0;  ///< of one solve, the median of many
  Eigen::VectorXd acceleration = {};
};

/// Every method but `automatic` under every policy, in the order of methods(). `pv_soft` appears once:
/// soft rows are never dependent.
std::vector<MethodResult> compare_methods(const Problem& problem);

/// Whether results that answer the same question are the same: those of one policy, `pv_soft` left aside since it makes
/// springs of the rows.
bool agree(const std::vector<MethodResult>& results);

}  // namespace zwang::cli
