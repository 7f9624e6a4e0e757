// SPDX-License-Identifier: BSD-3-Clause
// zwang bench: a program of its own, zwang-bench, so that what is timed shares nothing with what prints robots.
#pragma once

namespace zwang::cli {

/// Becomes zwang-bench with these words (ended by a null pointer): the program beside this one, or the one in PATH.
/// Throws IoError where there is none.
[[noreturn]] void become_bench(char** words);

}  // namespace zwang::cli
