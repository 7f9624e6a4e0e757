// SPDX-License-Identifier: BSD-3-Clause
// The files that a page is made of.
#pragma once
#include <string_view>

namespace zwang::viewer {

std::string_view player_script();
std::string_view page_style();
std::string_view three_script();  ///< empty where the build has not found it

}  // namespace zwang::viewer
