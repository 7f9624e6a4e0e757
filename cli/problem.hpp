// SPDX-License-Identifier: BSD-3-Clause
// A problem: a model, a state, torques, wrenches from outside, constraints and solver settings, as the JSON that CONVENTIONS.md
// (Problems) describes.
#pragma once
#include <Eigen/Core>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "json_reader.hpp"
#include "zwang/dynamics/solver.hpp"

namespace zwang::cli {

struct Problem {
  Model model;
  Eigen::VectorXd q, v, tau;
  Externals external;
  ConstraintSet constraints;
  SolverSettings settings;
};

/// Reads the robot or the problem that the arguments name; what is typed goes before what the file says. `found`
/// receives the
/// findings about the robot, also where ModelError is thrown. Throws UsageError, IoError.
Problem read_problem(const Arguments& arguments, LoadOptions options, Diagnostics& found);

/// Adds one constraint of a problem file. Throws UsageError with its place.
void add_constraint(ConstraintSet& constraints, const Node& node);
/// Adds FRAME:rows, held by the motors.
void add_hold(ConstraintSet& constraints, const std::string& text);

}  // namespace zwang::cli
