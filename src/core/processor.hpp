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
/// The words of cpuid and xgetbv by which levels are told. 0 where the processor has no such leaf, or the system
/// has not switched xgetbv on.
struct ProcessorWords {
  unsigned basic = 0;     ///< cpuid, leaf 1, ECX
  unsigned extended = 0;  ///< cpuid, leaf 0x80000001, ECX
  unsigned leaf_7 = 0;    ///< cpuid, leaf 7, EBX
  unsigned kept = 0;      ///< xgetbv: which registers the system keeps when it changes from one program to another
};
/// Of this machine. Read here and not by a builtin, whose data not every compiler's run-time library has.
inline ProcessorWords processor_words() {
  ProcessorWords words;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) words.basic = c;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) != 0) words.extended = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) words.leaf_7 = b;
  unsigned high = 0;
  if ((words.basic & bit_OSXSAVE) != 0) __asm__("xgetbv" : "=a"(words.kept), "=d"(high) : "c"(0));
  return words;
}
/// Both the processor and the operating system must support what a level uses. A level is the whole list of the x86-64
/// psABI, section 3.1.1: a compiler may use any of it, and a leading-zero count without LZCNT is another instruction,
/// which gives a wrong number.
constexpr bool words_have(const ProcessorWords& words, std::string_view level) {
  constexpr unsigned k_basic = bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_CMPXCHG16B | bit_POPCNT |
                               bit_MOVBE | bit_AVX | bit_F16C | bit_FMA;
  constexpr unsigned k_extended = bit_LAHF_LM | bit_LZCNT;
  constexpr unsigned k_v3 = bit_AVX2 | bit_BMI | bit_BMI2;
  constexpr unsigned k_v4 = bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
  constexpr unsigned k_256 = 0x06, k_512 = 0xe6;  // registers of 128 and 256 bits; masks and registers of 512 bits
  const auto all = [](unsigned word, unsigned bits) { return (word & bits) == bits; };
  if (level == "plain" || level == "v2") return true;
  const bool v3 =
      all(words.basic, k_basic) && all(words.extended, k_extended) && all(words.leaf_7, k_v3) && all(words.kept, k_256);
  if (level == "v3") return v3;
  return level == "v4" && v3 && all(words.leaf_7, k_v4) && all(words.kept, k_512);
}
inline bool processor_has(std::string_view level) { return words_have(processor_words(), level); }
#else
inline constexpr const char* k_known_levels[] = {"plain"};
inline bool processor_has(std::string_view level) { return level == "plain"; }
#endif

}  // namespace zwang
