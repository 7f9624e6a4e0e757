// SPDX-License-Identifier: BSD-3-Clause
// Words of enumerations that Python gives.
#pragma once
#include <algorithm>
#include <string>

#include "zwang/core/error.hpp"
#include "zwang/core/record.hpp"

namespace zwang::python {

/// The value of a word. Throws std::invalid_argument with the nearest word and all of them; `kind`: of what.
template <Worded E> E value_of(const char* kind, const std::string& word) {
  constexpr auto words = words_of(Type<E>());
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) detail::throw_unknown(kind, word, {words.begin(), words.end()});
  return static_cast<E>(found - words.begin());
}

}  // namespace zwang::python
