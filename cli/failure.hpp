// SPDX-License-Identifier: BSD-3-Clause
// Why a command stops: the exit codes of CONVENTIONS.md and the exceptions that lead to them.
#pragma once
#include <stdexcept>

namespace zwang::cli {

enum ExitCode { k_ok = 0, k_usage = 1, k_refused = 2, k_not_ok = 3, k_disagree = 4, k_io = 5 };

/// The user asked for something that is wrong or not there: exit 1.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A file that cannot be read or an output that cannot be written: exit 5.
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace zwang::cli
