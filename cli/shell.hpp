// SPDX-License-Identifier: BSD-3-Clause
// What shells and the manual say of the program, written from its own list of commands and options.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace zwang::cli {

/// `bash`, `zsh`, `fish`: completions; `man`: a page of the manual.
const std::vector<std::string>& shell_formats();
/// In one of these formats.
std::string shell_text(const CLI::App& app, const std::string& format);

}  // namespace zwang::cli
