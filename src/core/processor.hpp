// SPDX-License-Identifier: BSD-3-Clause
// Which levels of instruction sets an architecture knows, and which of them this processor has. cmake/flags.cmake has
// the list of those that kernels are compiled for, and asks here for the highest of the machine that builds.
#pragma once
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace zwang {

#if defined(__x86_64__)
/// From the lowest to the highest; v2 is no level of its own and means plain.
inline constexpr const char* k_known_levels[] = {"plain", "v2", "v3", "v4"};
/// Both the processor and the operating system must support what a level uses: cpuid says the one, and xgetbv which
/// registers the system keeps when it changes from one program to another. Read here and not by a builtin, whose data
/// not every compiler's run-time library has. A level is the whole list of the x86-64 psABI, section 3.1.1: a compiler
/// may use any of it, and a leading-zero count without LZCNT is another instruction, which gives a wrong number.
inline bool processor_has(std::string_view level) {
  if (level == "plain" || level == "v2") return true;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return false;
  constexpr unsigned k_basic = bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_CMPXCHG16B | bit_POPCNT |
                               bit_MOVBE | bit_AVX | bit_F16C | bit_FMA;
  const bool basic = (c & k_basic) == k_basic;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned k_extended = bit_LAHF_LM | bit_LZCNT;
  const bool extended = (c & k_extended) == k_extended;
  unsigned kept = 0, high = 0;
  __asm__("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned k_v3 = bit_AVX2 | bit_BMI | bit_BMI2;
  constexpr unsigned k_v4 = bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
  constexpr unsigned k_256 = 0x06, k_512 = 0xe6;  // registers of 128 and 256 bits; masks and registers of 512 bits
  const bool v3 = basic && extended && (b & k_v3) == k_v3 && (kept & k_256) == k_256;
  if (level == "v3") return v3;
  return level == "v4" && v3 && (b & k_v4) == k_v4 && (kept & k_512) == k_512;
}
#else
inline constexpr const char* k_known_levels[] = {"plain"};
inline bool processor_has(std::string_view level) { return level == "plain"; }
#endif

}  // namespace zwang
