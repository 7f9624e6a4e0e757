// SPDX-License-Identifier: BSD-3-Clause
// Heights of terrain from a grey picture: PGM, as text (P2) and as bytes (P5, 8 or 16 bits).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace zwang::cli {

/// Rows along y from below, columns along x; 0 black, 1 white.
struct HeightPicture {
  int columns = 0, rows = 0;
  std::vector<double> grey = {};  ///< [column + columns * row]
};

/// False, with the reason in `why`, for what is no such picture: another format, cut off, sizes below 2 or more than
/// 16 million points, a number that is none or above the largest one.
bool parse_picture(std::string_view bytes, HeightPicture& picture, std::string& why);

}  // namespace zwang::cli
