// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "commands.hpp"

namespace zwang::cli {

/// Prints the results of a model at one state: a document with --json, else tables.
int show_state(const Arguments& arguments, const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
               const Eigen::VectorXd& acceleration, const Diagnostics& found);

}  // namespace zwang::cli
