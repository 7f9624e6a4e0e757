// SPDX-License-Identifier: BSD-3-Clause
// The commands. Each prints its result and returns the exit code; what stops it is thrown.
#pragma once
#include <string>

#include "arguments.hpp"
#include "problem.hpp"
#include "robot_file.hpp"
#include "zwang/algorithm/algorithm.hpp"

namespace zwang::cli {

int run_info(const Arguments& arguments, Diagnostics& found);
int run_check(const Arguments& arguments, Diagnostics& found);
int run_convert(const Arguments& arguments, Diagnostics& found);
int run_generate(const Arguments& arguments, Diagnostics& found);
int run_inverse_dynamics(const Arguments& arguments, Diagnostics& found);
int run_forward_dynamics(const Arguments& arguments, Diagnostics& found);
int run_quantities(const Arguments& arguments, Diagnostics& found);
int run_solve(const Arguments& arguments, Diagnostics& found);
int run_impulse(const Arguments& arguments, Diagnostics& found);
int run_mobility(const Arguments& arguments, Diagnostics& found);
int run_simulate(const Arguments& arguments, Diagnostics& found);
int run_move(const Arguments& arguments, Diagnostics& found);
int run_view(const Arguments& arguments, Diagnostics& found);
int run_assemble(const Arguments& arguments, Diagnostics& found);
int run_inverse_kinematics(const Arguments& arguments, Diagnostics& found);

/// The robot of a command that takes no problem; says on standard error what reading it found. `more` receives what a
/// Model does not hold.
Model load_robot(const Arguments& arguments, Diagnostics& found, OfFile* more = nullptr);
/// `--seen-from` of the argument seen_from.
std::string option_of(const Argument& argument);
/// Writes all of it to standard output. Throws IoError where that cannot be done.
void print(const std::string& text);
/// To standard error, those that weigh at least as much: warnings and notes of one code in one line,
/// or `all` on their own.
void print_diagnostics(const Diagnostics& found, Severity least, bool all = false);

}  // namespace zwang::cli
