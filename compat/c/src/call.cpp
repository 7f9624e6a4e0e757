// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string_view>

#include "zwang/core/error.hpp"
#include "zwang/core/status.hpp"
#include "zwang/io/json.hpp"

namespace zwang::c {
namespace {

/// Of this thread; in place, so that a failure of memory can be told, too.
struct LastError {
  char message[4096] = "", argument[128] = "";
};
thread_local LastError last;

void copy(char* to, std::size_t room, std::string_view text) {
  std::size_t n = std::min(text.size(), room - 1);
  // Of UTF-8 whole characters alone: where the cut would split one, it goes.
  const auto continues = [&](std::size_t k) { return (static_cast<unsigned char>(text[k]) & 0xc0) == 0x80; };
  while (n != 0 && n < text.size() && continues(n)) --n;
  if (n != 0) std::memcpy(to, text.data(), n);
  to[n] = 0;
}

/// The name between quotes after "argument " in a message of the library; empty where there is none.
std::string_view argument_of(std::string_view message) {
  constexpr std::string_view k_word = "argument '";
  const std::size_t begin = message.find(k_word);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = message.substr(begin + k_word.size());
  const std::size_t end = rest.find('\'');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

int keep(int status, std::string_view message) {
  copy(last.message, sizeof last.message, message);
  copy(last.argument, sizeof last.argument, argument_of(message));
  return status;
}

}  // namespace

Refusal::Refusal(int status, const char* argument, const std::string& wrong)
    : status_(status),
      argument_(argument),
      text_("argument '" + argument_ + "' " + wrong) {}

int caught(const char* function) noexcept {
  try {
    throw;
  } catch (const Refusal& e) {
    return failed(e.status(), function, e.argument().c_str(), e.what());
  } catch (const std::bad_alloc&) {
    return keep(ZWANG_OUT_OF_MEMORY, "there is no memory left");
  } catch (const std::length_error&) {
    return keep(ZWANG_OUT_OF_MEMORY, "there is no memory for so many entries");
  } catch (const SingularMassError& e) {
    return keep(ZWANG_SINGULAR_MASS, e.what());
  } catch (const ArithmeticOverflowError& e) {
    return keep(ZWANG_OVERFLOW, e.what());
  } catch (const UnsupportedError& e) { return keep(ZWANG_UNSUPPORTED, e.what()); } catch (const WorkspaceMismatch& e) {
    return keep(ZWANG_MISMATCH, e.what());
  } catch (const ModelError& e) { return keep(ZWANG_REFUSED_MODEL, e.what()); } catch (const JsonError& e) {
    return keep(ZWANG_REFUSED_DOCUMENT, e.what());
  } catch (const std::invalid_argument& e) {
    return keep(ZWANG_INVALID_INPUT, e.what());
  } catch (const std::out_of_range& e) {
    return keep(ZWANG_INVALID_INPUT, e.what());
  } catch (const std::logic_error& e) { return keep(ZWANG_NOT_READY, e.what()); } catch (const std::exception& e) {
    return keep(ZWANG_INTERNAL, e.what());
  } catch (...) { return keep(ZWANG_INTERNAL, "an exception of unknown type"); }
}

int failed(int status, const char* function, const char* argument, const std::string& message) noexcept {
  try {
    copy(last.message, sizeof last.message, std::string(function) + ": " + message);
  } catch (...) { copy(last.message, sizeof last.message, message); }
  copy(last.argument, sizeof last.argument, argument);
  return status;
}

int needed_index(int k, int count, const char* argument) {
  if (k < 0 || k >= count)
    throw Refusal(ZWANG_INVALID_INPUT, argument,
                  "is " + std::to_string(k) + ", expected a number from 0 to " + std::to_string(count - 1));
  return k;
}

void needed_size(const void* data, std::size_t size, std::size_t wanted, const char* argument) {
  if (size != wanted)
    throw Refusal(ZWANG_INVALID_INPUT, argument,
                  "has " + std::to_string(size) + " entries, expected " + std::to_string(wanted));
  if (data == nullptr && wanted != 0) throw Refusal(ZWANG_INVALID_INPUT, argument, "is NULL");
}

void needed_states(const void* data, std::size_t size, std::size_t one, std::size_t states, const char* argument) {
  const bool too_many = one != 0 && states > std::numeric_limits<std::size_t>::max() / one;
  const std::size_t all = too_many ? one : one * states;
  if (size == one || size == all) return needed_size(data, size, size, argument);
  const std::string each = too_many || all == one
                               ? std::string()
                               : ", or " + std::to_string(all) + " for " + std::to_string(states) + " states";
  throw Refusal(ZWANG_INVALID_INPUT, argument,
                "has " + std::to_string(size) + " entries, expected " + std::to_string(one) + each);
}

std::string needed_text(const char* text, std::size_t size) {
  needed_text(text, "text");
  if (size > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()))
    throw Refusal(ZWANG_INVALID_INPUT, "size",
                  "is " + std::to_string(size) + ", more than memory can hold, expected the bytes of the text");
  return {text, size};
}

int needed_threads(int threads) {
  constexpr int k_most = 4096;
  return needed_index(threads, k_most + 1, "threads");
}
void needed_count_of_states(std::size_t states) {
  constexpr int k_most = std::numeric_limits<int>::max();
  if (states == 0 || states > static_cast<std::size_t>(k_most))
    throw Refusal(ZWANG_INVALID_INPUT, "states",
                  "is " + std::to_string(states) + ", expected 1 to " + std::to_string(k_most));
}

void put_text(std::string_view text, char* out, std::size_t capacity, std::size_t* length) {
  if (out == nullptr && capacity != 0) throw Refusal(ZWANG_INVALID_INPUT, "out", "is NULL");
  if (length != nullptr) *length = text.size();
  if (capacity != 0) copy(out, capacity, text);
}

}  // namespace zwang::c

const char* zwang_error(void) { return zwang::c::last.message; }
const char* zwang_error_argument(void) { return zwang::c::last.argument; }
