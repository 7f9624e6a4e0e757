// SPDX-License-Identifier: BSD-3-Clause
// zwang verify: other libraries are reached through Python, by the package zwang that is installed there.
#pragma once
#include "arguments.hpp"

namespace zwang::cli {

/// Becomes a Python that calls the package's `zwang.__main__.run` with these arguments, or says which package is missing;
/// its exit code is this program's. The interpreter is $ZWANG_PYTHON, or python3 in PATH. Throws IoError where it cannot be
/// started.
[[noreturn]] void become_verify(const Arguments& arguments);

}  // namespace zwang::cli
