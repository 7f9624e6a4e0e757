// SPDX-License-Identifier: BSD-3-Clause
// What the program does where memory runs out: one line (or with --json one document), exit code 5.
#pragma once

namespace zwang::cli {

/// From now on an allocation by `new` that fails ends the program so: at once, since what a document or a message needs to be taken
/// apart may be memory, too. Files are written under another name until they are whole (written_file.hpp): none is left half written.
void watch_memory(bool json);

/// The answer is on standard output: where memory runs out afterwards, the line goes to standard error alone.
void answered();

/// Allocates nothing.
[[noreturn]] void out_of_memory() noexcept;

}  // namespace zwang::cli
