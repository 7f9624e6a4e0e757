// SPDX-License-Identifier: BSD-3-Clause
// Why a command stops: the exit codes of CONVENTIONS.md and the exceptions that lead to them.
#pragma once
#include <stdexcept>
#include <string>

namespace zwang::cli {

enum ExitCode { k_ok = 0, k_usage = 1, k_refused = 2, k_not_ok = 3, k_disagree = 4, k_io = 5 };

/// The user asked for something that is wrong or not there: exit 1.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// What f() gives, which reads the value of an option: what it refuses is the user's, said after `option: `.
template <class F> auto read_option(const std::string& option, F&& f) {
  try {
    return f();
  } catch (const std::invalid_argument& error) { throw UsageError(option + ": " + error.what()); }
}
/// A file that cannot be read or an output that cannot be written: exit 5.
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace zwang::cli
