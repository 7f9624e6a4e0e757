// SPDX-License-Identifier: BSD-3-Clause
// What a motion touches: limits of joints by rows, --ground and what belongs to it.
#pragma once
#include "arguments.hpp"

namespace CLI {
class App;
}

namespace zwang::cli {

/// Of simulate.
void scene_options(CLI::App& command, Arguments& arguments);

}  // namespace zwang::cli
