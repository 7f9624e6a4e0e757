// SPDX-License-Identifier: BSD-3-Clause
// What every call of the C interface does: no exception leaves it, and what was refused is kept for zwang_error().
#pragma once
#include <cmath>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

#include <zwang.h>

namespace zwang::c {

/// A call that is refused: its status, the argument, and what is wrong with it.
class Refusal : public std::exception {
 public:
  Refusal(int status, const char* argument, const std::string& wrong);
  const char* what() const noexcept override { return text_.c_str(); }
  int status() const { return status_; }
  const std::string& argument() const { return argument_; }

 private:
  int status_;
  std::string argument_, text_;
};

/// Keeps the message of the exception that is being handled and returns its status.
int caught(const char* function) noexcept;
/// Keeps a message for a status that is no exception.
int failed(int status, const char* function, const char* argument, const std::string& message) noexcept;

/// Calls f, which returns nothing (ZWANG_OK) or a status.
template <class F> int call(const char* function, F&& f) noexcept {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      f();
      return ZWANG_OK;
    } else {
      return static_cast<int>(f());
    }
  } catch (...) { return caught(function); }
}

// Checks of arguments; each throws a Refusal with the argument's name.
template <class T> T& needed(T* pointer, const char* argument) {
  if (pointer == nullptr) throw Refusal(ZWANG_INVALID_INPUT, argument, "is NULL");
  return *pointer;
}
inline const char* needed_text(const char* text, const char* argument) { return &needed(text, argument); }
/// An index, 0 <= k < count.
int needed_index(int k, int count, const char* argument);
/// Memory of a caller: `size` numbers, where `wanted` are expected.
void needed_size(const void* data, std::size_t size, std::size_t wanted, const char* argument);
/// As needed_size, for each of `states` states: `one` numbers that hold for all of them, or so many for each.
void needed_states(const void* data, std::size_t size, std::size_t one, std::size_t states, const char* argument);
/// A text of `size` bytes.
std::string needed_text(const char* text, std::size_t size);
/// How many threads, the calling one among them; 0: one for each processor.
int needed_threads(int threads);
/// How many states.
void needed_count_of_states(std::size_t states);
/// Copies a text into memory of the caller: what has room, with a 0 behind it; `length` receives the whole length.
void put_text(std::string_view text, char* out, std::size_t capacity, std::size_t* length);

}  // namespace zwang::c
