// SPDX-License-Identifier: BSD-3-Clause
// Which levels of instruction sets an architecture knows, and which of them this processor has. cmake/flags.cmake has
// the list of those that kernels are compiled for, and asks here for the highest of the machine that builds.
#pragma once
#include <string_view>

namespace zwang {

#if defined(__x86_64__)
/// From the lowest to the highest; v2 is no level of its own and means plain.
inline constexpr const char* k_known_levels[] = {"plain", "v2", "v3", "v4"};
// The builtins check that both processor and operating system support a feature.
#define ZWANG_HAS(FEATURE) (__builtin_cpu_supports(FEATURE) != 0)
inline bool processor_has(std::string_view level) {
  const bool v3 = ZWANG_HAS("avx2") && ZWANG_HAS("fma") && ZWANG_HAS("bmi2");
  if (level == "v3") return v3;
  if (level == "v4")
    return v3 && ZWANG_HAS("avx512f") && ZWANG_HAS("avx512bw") && ZWANG_HAS("avx512cd") && ZWANG_HAS("avx512dq") &&
           ZWANG_HAS("avx512vl");
  return level == "plain" || level == "v2";
}
#undef ZWANG_HAS
#else
inline constexpr const char* k_known_levels[] = {"plain"};
inline bool processor_has(std::string_view level) { return level == "plain"; }
#endif

}  // namespace zwang
