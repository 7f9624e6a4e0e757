// SPDX-License-Identifier: BSD-3-Clause
// Options that commands of several files have.
#pragma once
#include <string>

#include "arguments.hpp"

namespace CLI {
class App;
}

namespace zwang::cli {

/// What --joint-effects says of itself.
extern const char* const k_effects_help;

/// --joint-effects.
void joint_effects_option(CLI::App& command, Arguments& arguments);

/// --hold. `what`: what it does in this command.
void hold_option(CLI::App& command, Arguments& arguments, const std::string& what);

}  // namespace zwang::cli
