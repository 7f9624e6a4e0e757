// SPDX-License-Identifier: BSD-3-Clause
// What `zwang generate` writes.
#pragma once
#include "arguments.hpp"

namespace CLI {
class App;
}

namespace zwang::cli {

/// Of generate.
void generate_options(CLI::App& command, Arguments& arguments);

}  // namespace zwang::cli
