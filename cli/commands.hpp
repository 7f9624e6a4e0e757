// SPDX-License-Identifier: BSD-3-Clause
// The commands. Each prints its result and returns the exit code; what stops it is thrown.
#pragma once
#include <string>

#include "arguments.hpp"
#include "problem.hpp"

namespace zwang::cli {

int run_info(const Arguments& arguments, Diagnostics& found);
int run_check(const Arguments& arguments, Diagnostics& found);
int run_inverse_dynamics(const Arguments& arguments, Diagnostics& found);
int run_forward_dynamics(const Arguments& arguments, Diagnostics& found);
int run_solve(const Arguments& arguments, Diagnostics& found);

/// Writes all of it to standard output. Throws IoError where that cannot be done.
void print(const std::string& text);
/// Warnings and errors (with `notes` also notes) to standard error.
void print_diagnostics(const Diagnostics& found, bool notes);

}  // namespace zwang::cli
