// SPDX-License-Identifier: BSD-3-Clause
// Files that are whole or not there: written beside their place and moved when they are whole.
#pragma once
#include <string>

#include "zwang/io/input_files.hpp"

namespace zwang::cli {

/// What this program has read: every reader adds its files here.
InputFiles& input_files();
/// Throws IoError where no file can be made, UsageError where it would take the place of a file that was read.
void check_place(const std::string& path);
/// Whether what is written to both would end up in one file.
bool is_one_place(const std::string& a, const std::string& b);
/// A regular file is written beside its place, behind symbolic links, and moved there with the rights that it had; a
/// pipe or a device is written where it is. Throws as check_place does; then what was there before still is.
void write_whole(const std::string& path, const std::string& content);

}  // namespace zwang::cli
