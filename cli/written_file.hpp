// SPDX-License-Identifier: BSD-3-Clause
// Files that are whole or not there: written beside their place and moved when they are whole.
#pragma once
#include <string>

namespace zwang::cli {

/// Throws IoError where no file can be made.
void check_place(const std::string& path);
/// A regular file is written beside its place, behind symbolic links, and moved there with the rights that it had; a pipe or a
/// device is written where it is. Throws IoError; then what was there before still is.
void write_whole(const std::string& path, const std::string& content);

}  // namespace zwang::cli
