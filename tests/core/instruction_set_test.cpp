// SPDX-License-Identifier: BSD-3-Clause
// The choice of kernels: every level that the library holds and the processor has is used when it is asked for.
// ZWANG_TEST_LEVELS names what the build compiled. ZWANG_ISA is read once, so each wish is a process of its own.
#include "zwang/core/instruction_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace zwang::test {
namespace {

/// What Linux says of the processor: another source than the library's. The lists are those of the x86-64 psABI.
bool processor_has(const std::string& level) {
  std::ifstream said("/proc/cpuinfo");
  std::string line;
  while (std::getline(said, line) && line.rfind("flags", 0) != 0) {}
  const auto has = [&line](const std::string& flags) {
    std::istringstream words(flags);
    for (std::string flag; words >> flag;)
      if ((line + ' ').find(' ' + flag + ' ') == std::string::npos) return false;
    return true;
  };
  const bool v3 = has("cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx avx2 bmi1 bmi2 f16c fma abm movbe");
  if (level == "v3") return v3;
  if (level == "v4") return v3 && has("avx512f avx512bw avx512cd avx512dq avx512vl");
  return level == "plain";
}
/// Of those that the build compiled.
std::vector<std::string> levels_here() {
  std::istringstream words(ZWANG_TEST_LEVELS);
  std::vector<std::string> here;
  for (std::string level; words >> level;)
    if (processor_has(level)) here.push_back(level);
  return here;
}

TEST(InstructionSet, KnowsEveryLevelThatWasBuiltAndThatTheProcessorHas) {
  EXPECT_EQ(instruction_sets(), levels_here());
}

TEST(InstructionSet, IsTheHighestOneThatTheEnvironmentAllows) {
  const std::vector<std::string> known = {"plain", "v2", "v3", "v4"};  // v2 means plain
  const auto rank = [&](const std::string& level) {
    return std::find(known.begin(), known.end(), level) - known.begin();
  };
  const char* const cap = std::getenv("ZWANG_ISA");
  ASSERT_FALSE(levels_here().empty());
  std::string expected = levels_here().front();   // where the environment allows none
  for (const std::string& level : levels_here())  // from the lowest to the highest
    if (cap == nullptr || *cap == '\0' || rank(level) <= rank(cap)) expected = level;
  EXPECT_EQ(instruction_set(), expected);
}

#if defined(__x86_64__) && defined(__linux__)
/// What a process of its own, in which ZWANG_ISA is `word`, says of the tests that `filter` names.
int run_with(const std::string& word, const std::string& filter, const std::string& more = "") {
  const std::string command = "ZWANG_ISA=" + word + " " + more + " /proc/" + std::to_string(getpid()) +
                              "/exe --gtest_brief=1 --gtest_filter=" + filter;
  return std::system(command.c_str());
}

TEST(InstructionSet, NeverExceedsWhatTheEnvironmentNames) {
  for (const std::string level : {"plain", "v2", "v3", "v4", ""})
    EXPECT_EQ(run_with(level, "InstructionSet.Is*"), 0) << level;
}
/// At every call, not at the first alone.
TEST(InstructionSet, RefusesAWordThatNamesNoLevel) {
  if (std::getenv("ZWANG_TEST_REFUSAL") == nullptr) {
    for (const std::string word : {"banana", "V3", "v5", "v3v4", "avx2", "'v3 '"})
      EXPECT_EQ(run_with(word, "InstructionSet.RefusesAWord*", "ZWANG_TEST_REFUSAL=1"), 0) << word;
    return;
  }
  const char* const word = std::getenv("ZWANG_ISA");
  for (int again = 0; again < 2; ++again) {
    try {
      ADD_FAILURE() << "chosen: " << instruction_set();
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      for (const char* const part : {"ZWANG_ISA", word, "plain, v2, v3 or v4"})
        EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
}
#endif

}  // namespace
}  // namespace zwang::test
