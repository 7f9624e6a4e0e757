// SPDX-License-Identifier: BSD-3-Clause
// The text of generated loops: what is the same for every robot.
#pragma once
#include <string_view>
#include <vector>

namespace zwang::codegen {

/// A function of C, or what stands in one, in the words of loop_pieces.cpp.
struct Piece {
  std::string_view name, text;
};

/// Functions that call only those before them.
std::vector<Piece> loop_pieces();

/// What a function of formula.cpp does; empty: it has no loops.
std::string_view loop_body(std::string_view function);

}  // namespace zwang::codegen
