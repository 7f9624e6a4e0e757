// SPDX-License-Identifier: BSD-3-Clause
// EXPECT_SAYS(words, statement): the statement throws, and its message has these words.
#pragma once
#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>

namespace zwang::test {

inline std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& e) { return e.what(); }
  return "nothing was thrown";
}

}  // namespace zwang::test

#define EXPECT_SAYS(words, statement)                                             \
  do {                                                                            \
    const std::string said = zwang::test::message_of([&] { statement; });         \
    EXPECT_NE(said.find(words), std::string::npos) << #statement << ": " << said; \
  } while (false)
