// SPDX-License-Identifier: BSD-3-Clause
// What the program does where memory runs out: one line (or with --json one document), exit code 5.
#pragma once

namespace zwang::cli {

/// An allocation by `new` that fails ends the program at once, from its start on: what a document or a message needs to
/// be taken apart may be memory, too. Files are written under another name until they are whole (written_file.hpp):
/// none is left half written. Until it is known that the answer is to be a document, the line goes to standard error.
void answer_in_json(bool json);

/// The answer is on standard output: where memory runs out afterwards, the line goes to standard error alone.
void answered();

/// Allocates nothing.
[[noreturn]] void out_of_memory() noexcept;

}  // namespace zwang::cli
