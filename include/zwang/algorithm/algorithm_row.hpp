// SPDX-License-Identifier: BSD-3-Clause
// A row of the list of algorithms by its name, at compile time: what is written for each row finds it so.
#pragma once
#include <string_view>

#include "zwang/algorithm/algorithm_list.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

inline constexpr int k_algorithms = algorithm_list::k_rows.size;

/// The index of a row at compile time: a name that is not in the list does not compile.
consteval int algorithm_index(std::string_view name) {
  for (int k = 0; k < k_algorithms; ++k)
    if (name == algorithm_list::k_rows[k].name) return k;
  throw "no algorithm of the list has this name";
}

/// A row as a type: code for it is a function that takes Row<"its name">.
template <int index> struct RowAt {
  static constexpr int k_index = index;
  static constexpr const Algorithm& row() { return algorithm_list::k_rows[index]; }
};
template <std::size_t N> struct RowName {
  consteval RowName(const char (&name)[N]) : index(algorithm_index(std::string_view(name, N - 1))) {}
  int index;
};
template <RowName name> using Row = RowAt<name.index>;

}  // namespace ZWANG_ISA
}  // namespace zwang
