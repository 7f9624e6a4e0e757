// SPDX-License-Identifier: BSD-3-Clause
// How many random cases a test tries: all of them in ordinary builds, a fiftieth under a sanitizer,
// which runs 20 times slower.
#pragma once
#include <algorithm>
#include <cstdlib>

// Of the runtimes of sanitizers; null where the program is linked without them.
extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __tsan_init();
}

namespace zwang::test {

/// Whether the program runs under a sanitizer, whatever this file was compiled for.
inline const bool k_sanitized = &__asan_init != nullptr || &__tsan_init != nullptr;

/// `full` cases, or a fiftieth of them (at least one) under a sanitizer, or as many as the
/// environment variable ZWANG_EFFORT says: 10 for a tenth. Not fewer than `least` of them, for tests
/// that count in how many something happened.
inline int effort(int full, int least = 1) {
  static const int divisor = [] {
    const char* given = std::getenv("ZWANG_EFFORT");
    const int d = given != nullptr ? std::atoi(given) : 0;
    return d > 0 ? d : k_sanitized ? 50 : 1;
  }();
  return std::max((full + divisor - 1) / divisor, std::min(full, least));
}

}  // namespace zwang::test
