// SPDX-License-Identifier: BSD-3-Clause
// Pages that show robots: zwang view, and --html of simulate and move.
#pragma once
#include <string>

#include "problem.hpp"
#include "viewer/page.hpp"

namespace zwang::cli {

/// --geometry and --frames of the picture. Throws UsageError.
void read_picture(const Arguments& arguments, viewer::Picture& to);
/// Writes the page of a motion; says on standard error what is not drawn as it is. Throws UsageError, IoError.
void write_page(const Arguments& arguments, const std::string& path, const Problem& problem, const Trajectory& motion);
/// Before the motion: throws IoError for a place where no file can be made.
void check_page_place(const std::string& path);

}  // namespace zwang::cli
