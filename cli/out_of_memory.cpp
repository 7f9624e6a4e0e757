// SPDX-License-Identifier: BSD-3-Clause
#include "out_of_memory.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "failure.hpp"

namespace zwang::cli {
namespace {

bool g_json = false;
bool g_answered = false;

/// Whether all of it was written is of no use to anybody: the exit code is the same.
void say(int descriptor, const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t done = ::write(descriptor, text, left);
    if (done <= 0) return;
    text += done;
    left -= static_cast<std::size_t>(done);
  }
}

/// Before other objects of the program are made, since these need memory.
[[gnu::init_priority(101)]] const struct Watch {
  Watch() { std::set_new_handler(&out_of_memory); }
} g_watch;

}  // namespace

void answer_in_json(bool json) { g_json = json; }

void answered() { g_answered = true; }

void out_of_memory() noexcept {
  if (g_json && !g_answered)
    say(STDOUT_FILENO, "{\"status\":\"io\",\"message\":\"out of memory\",\"diagnostics\":[]}\n");
  else
    say(STDERR_FILENO, "zwang: out of memory\n");
  std::_Exit(k_io);
}

}  // namespace zwang::cli
