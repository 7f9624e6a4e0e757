// SPDX-License-Identifier: BSD-3-Clause
// Which levels a processor has, from the words that it and its system give. Places of bits are those of Intel's manual
// (volume 2, CPUID; volume 1, 13.3 for registers), lists of levels those of the x86-64 psABI, table 3.1.
#include "core/processor.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace zwang::test {
namespace {

#if defined(__x86_64__)
struct Bit {
  unsigned ProcessorWords::*word;
  int place;
  const char *name, *in_linux;  ///< in_linux: the flag that it has there, or that needs it
};
using Bits = std::vector<Bit>;
const Bits k_v3_bits = {
    {&ProcessorWords::basic, 0, "SSE3", "pni"},        {&ProcessorWords::basic, 9, "SSSE3", "ssse3"},
    {&ProcessorWords::basic, 12, "FMA", "fma"},        {&ProcessorWords::basic, 13, "CMPXCHG16B", "cx16"},
    {&ProcessorWords::basic, 19, "SSE4.1", "sse4_1"},  {&ProcessorWords::basic, 20, "SSE4.2", "sse4_2"},
    {&ProcessorWords::basic, 22, "MOVBE", "movbe"},    {&ProcessorWords::basic, 23, "POPCNT", "popcnt"},
    {&ProcessorWords::basic, 28, "AVX", "avx"},        {&ProcessorWords::basic, 29, "F16C", "f16c"},
    {&ProcessorWords::extended, 0, "LAHF", "lahf_lm"}, {&ProcessorWords::extended, 5, "LZCNT", "abm"},
    {&ProcessorWords::leaf_7, 3, "BMI1", "bmi1"},      {&ProcessorWords::leaf_7, 5, "AVX2", "avx2"},
    {&ProcessorWords::leaf_7, 8, "BMI2", "bmi2"},      {&ProcessorWords::kept, 1, "XMM is kept", "avx"},
    {&ProcessorWords::kept, 2, "YMM is kept", "avx"}};
const Bits k_v4_bits = {
    {&ProcessorWords::leaf_7, 16, "AVX512F", "avx512f"},   {&ProcessorWords::leaf_7, 17, "AVX512DQ", "avx512dq"},
    {&ProcessorWords::leaf_7, 28, "AVX512CD", "avx512cd"}, {&ProcessorWords::leaf_7, 30, "AVX512BW", "avx512bw"},
    {&ProcessorWords::leaf_7, 31, "AVX512VL", "avx512vl"}, {&ProcessorWords::kept, 5, "masks are kept", "avx512f"},
    {&ProcessorWords::kept, 6, "ZMM is kept", "avx512f"},  {&ProcessorWords::kept, 7, "ZMM16 is kept", "avx512f"}};

ProcessorWords with(const Bits& bits, ProcessorWords words = {}) {
  for (const Bit& x : bits) words.*x.word |= 1u << x.place;
  return words;
}
ProcessorWords without(ProcessorWords words, const Bit& x) {
  words.*x.word &= ~(1u << x.place);
  return words;
}
constexpr ProcessorWords k_all{~0u, ~0u, ~0u, ~0u};

/// One bit less is a level less, whatever else is there; no other bit is asked for.
TEST(Processor, HasALevelWhereItHasAllOfIt) {
  const ProcessorWords v3 = with(k_v3_bits), v4 = with(k_v4_bits, v3);
  EXPECT_TRUE(words_have(v3, "v3"));
  EXPECT_FALSE(words_have(v3, "v4"));
  EXPECT_TRUE(words_have(v4, "v3"));
  EXPECT_TRUE(words_have(v4, "v4"));
  for (const Bit& x : k_v3_bits)
    for (const ProcessorWords& words : {v3, v4, k_all}) {
      EXPECT_FALSE(words_have(without(words, x), "v3")) << x.name;
      EXPECT_FALSE(words_have(without(words, x), "v4")) << x.name;
    }
  for (const Bit& x : k_v4_bits)
    for (const ProcessorWords& words : {v4, k_all}) {
      EXPECT_TRUE(words_have(without(words, x), "v3")) << x.name;
      EXPECT_FALSE(words_have(without(words, x), "v4")) << x.name;
    }
}
TEST(Processor, IsPlainWhateverItHas) {
  for (const ProcessorWords& words : {ProcessorWords(), k_all}) {
    EXPECT_TRUE(words_have(words, "plain"));
    EXPECT_TRUE(words_have(words, "v2"));  // another name of it
    for (const char* level : {"", "v1", "v5", "V3", "neon"}) EXPECT_FALSE(words_have(words, level)) << level;
  }
}

#if defined(__linux__)
/// Which may leave out what a processor has, and invents nothing.
TEST(Processor, HasWhatLinuxSaysThatItHas) {
  std::ifstream said("/proc/cpuinfo");
  std::string flags;
  while (std::getline(said, flags) && flags.rfind("flags", 0) != 0) {}
  if (flags.rfind("flags", 0) != 0) GTEST_SKIP() << "/proc/cpuinfo names no flags";
  const auto has = [&](const std::string& flag) { return (flags + ' ').find(' ' + flag + ' ') != std::string::npos; };
  const ProcessorWords words = processor_words();
  for (const Bits& bits : {k_v3_bits, k_v4_bits})
    for (const Bit& x : bits)
      EXPECT_TRUE(!has(x.in_linux) || (words.*x.word >> x.place & 1u) != 0) << x.name << " " << x.in_linux;
  EXPECT_EQ(words.extended >> 20 & 1u, 0u) << "reserved in ECX; in EDX it is NX";
}
#endif
#endif

}  // namespace
}  // namespace zwang::test
