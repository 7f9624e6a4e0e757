// SPDX-License-Identifier: BSD-3-Clause
// zwang verify, zwang study: what they need is reached through Python, by the package zwang that is installed there.
#pragma once
#include "arguments.hpp"

namespace zwang::cli {

/// Becomes a Python that calls the package's `zwang.__main__.run` with the command and its arguments, or says which
/// package is missing; its exit code is this program's. The interpreter is $ZWANG_PYTHON, or python3 in PATH. Throws
/// IoError where it cannot be started.
[[noreturn]] void become_python(const Arguments& arguments);

}  // namespace zwang::cli
