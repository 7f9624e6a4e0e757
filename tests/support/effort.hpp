// SPDX-License-Identifier: BSD-3-Clause
// How many random cases a test tries: all of them in ordinary builds, a fiftieth under a sanitizer, which runs 20 times
// slower.
#pragma once

namespace zwang::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool k_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool k_sanitized = true;
#else
inline constexpr bool k_sanitized = false;
#endif
#else
inline constexpr bool k_sanitized = false;
#endif

/// `full` cases, or a fiftieth of them (at least one) under a sanitizer.
constexpr int effort(int full) { return k_sanitized ? (full + 49) / 50 : full; }

}  // namespace zwang::test
