// SPDX-License-Identifier: BSD-3-Clause
// Messages of the library in words of the command line.
#pragma once
#include <string>

#include "arguments.hpp"

namespace zwang::cli {

/// "zwang move: --acceleration is -1, ..." for "move: argument 'acceleration' is -1, ...": instead
/// of a function or class of the library its command, instead of an argument or setting the option
/// that gives it, where the command has one.
std::string in_words_of_program(const std::string& message, const Arguments& arguments);

}  // namespace zwang::cli
