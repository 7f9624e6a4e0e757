// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out: each command is run again and again, and another allocation fails each time
// (failing_malloc.cpp). It ends with exit 5 and one line or one document that says why, or as if nothing had happened;
// files are whole or not there. ZWANG_EVERY_ALLOCATION=1 tries every allocation, otherwise a sample is tried.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "program.hpp"
#include "support/child.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Runs the program in `folder`. The n-th allocation fails, with `rest` all after it; n = 0: none. `count`:
/// the number of allocations.
Outcome run(const Folder& folder, const std::vector<std::string>& words, long n, bool rest, long* count = nullptr) {
  const std::string out = folder.path("said.out"), err = folder.path("said.err"), counted = folder.path("said.count");
  std::vector<std::string> all = {ZWANG_CLI};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string at = std::to_string(n);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(folder.path("").c_str()) != 0) ::_exit(126);
    for (const auto& [path, descriptor] : {std::pair(&out, 1), std::pair(&err, 2)})
      if (::dup2(::open(path->c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor) < 0) ::_exit(126);
    ::setenv("LD_PRELOAD", ZWANG_FAILING_MALLOC, 1);
    ::setenv("ZWANG_FAIL_AT", at.c_str(), 1);
    if (rest) ::setenv("ZWANG_FAIL_AFTER", "1", 1);
    if (count != nullptr) ::setenv("ZWANG_COUNT_TO", counted.c_str(), 1);
    end_with_parent();
    ::execv(ZWANG_CLI, arguments.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  outcome.out = contents(out);
  outcome.err = contents(err);
  if (count != nullptr) *count = std::atol(contents(counted).c_str());
  for (const std::string& path : {out, err, counted}) std::filesystem::remove(path);
  return outcome;
}

/// Which allocations fail: all, or those of the beginning, of the end and a number between that grow by a factor.
std::set<long> chosen(long count) {
  std::set<long> all;
  const bool every = std::getenv("ZWANG_EVERY_ALLOCATION") != nullptr;
  if (every)
    for (long n = 1; n <= count; ++n) all.insert(n);
  for (long n = 1; n <= 3; ++n) all.insert(n), all.insert(std::max(1L, count + 1 - n));
  const int between = effort(30, 10);
  for (int k = 0; k <= between; ++k) {
    const double part = static_cast<double>(k) / between;
    all.insert(std::max(1L, std::lround(std::pow(static_cast<double>(count), part))));  // most of them early
    all.insert(std::max(1L, std::lround(static_cast<double>(count) * part)));           // and spread evenly
  }
  return all;
}

/// `folder` holds `names` and nothing else but, perhaps, `made` with this content.
void expect_whole(const Folder& folder, const std::set<std::string>& names, const std::string& made,
                  const std::string& content) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
    const std::string name = entry.path().filename().string();
    if (name == made) {
      EXPECT_EQ(contents(entry.path().string()), content) << name << " is half written";
    } else {
      EXPECT_TRUE(names.count(name) > 0) << name << " is left behind";
    }
  }
}

void expect_documented(const Outcome& got, const Outcome& good, bool json) {
  if (got.code == good.code && got.code != 5) {  // what asked for memory did without
    EXPECT_EQ(got.out, good.out);
    return;
  }
  ASSERT_EQ(got.code, 5) << got.err;
  if (json && got.err.empty()) {
    const Json document = Json::parse(got.out, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << got.out;
    EXPECT_EQ(document["status"], "io");
    EXPECT_NE(document.value("message", ""), "");
    return;
  }
  // A line; with --json where nothing had been read of the words yet, or the answer had been given already.
  EXPECT_TRUE(got.err.starts_with("zwang: ") || got.err.find("\nzwang: ") != std::string::npos) << got.err;
  EXPECT_TRUE(got.err.ends_with("\n"));
  if (json) { EXPECT_TRUE(got.out.empty() || got.out == good.out) << got.out; }
}

struct Command {
  const char* name;
  std::vector<std::string> words;
  const char* writes = "";  ///< in the folder
  friend void PrintTo(const Command& command, std::ostream* out) { *out << command.name; }
};

class OutOfMemory : public ::testing::TestWithParam<Command> {};

TEST_P(OutOfMemory, IsSaidAndEndsWithExit5) {
#ifndef __GLIBC__
  GTEST_SKIP() << "allocations are made to fail by functions of glibc";
#endif
  if (k_sanitized) GTEST_SKIP() << "a sanitizer brings an allocator of its own";
  const Command& command = GetParam();
  const Folder folder;
  const std::set<std::string> given = {"problem.json"};
  Json problem = arm_problem();
  problem["solver"]["method"] = "dense_qr";
  folder.write("problem.json", problem.dump());
  const bool json = command.words.back() == "--json";
  long count = 0;
  const Outcome good = run(folder, command.words, 0, false, &count);
  ASSERT_EQ(good.code, 0) << good.err << good.out;
  ASSERT_GT(count, 50);
  const std::string made = *command.writes != '\0' ? contents(folder.path(command.writes)) : "";
  ASSERT_EQ(made.empty(), *command.writes == '\0');
  int ended = 0;
  for (const long n : chosen(count))
    for (const bool rest : {false, true}) {
      SCOPED_TRACE(std::string(rest ? "from allocation " : "allocation ") + std::to_string(n) + " of " +
                   std::to_string(count));
      if (*command.writes != '\0') std::filesystem::remove(folder.path(command.writes));
      const Outcome got = run(folder, command.words, n, rest);
      expect_documented(got, good, json);
      expect_whole(folder, given, command.writes, made);
      ended += got.code == 5;
    }
  EXPECT_GT(ended, 10) << "allocations do not fail here";
}

const std::string k_arm = ZWANG_MODELS "/arm7.urdf";
INSTANTIATE_TEST_SUITE_P(
    Commands, OutOfMemory,
    ::testing::Values(Command{"info", {"info", k_arm}}, Command{"check", {"check", k_arm, "--json"}},
                      Command{"state", {"info", k_arm, "--state", "--q", "random:1", "--json"}},
                      Command{"id", {"id", k_arm, "--q", "random:1"}}, Command{"fd", {"fd", k_arm, "--json"}},
                      Command{"solve", {"solve", "problem.json"}},
                      Command{"solve_json", {"solve", "problem.json", "--json"}},
                      Command{"mobility", {"mobility", "problem.json", "--json"}},
                      Command{"ik", {"ik", k_arm, "--target", "tool0:0.3,0.1,0.4", "--json"}},
                      Command{"assemble", {"assemble", ZWANG_MODELS "/five_bar.urdf", "--loops", "--json"}},
                      Command{"impulse", {"impulse", k_arm, "--hold", "tool0:linear", "--v", "random:1"}},
                      Command{"quantities", {"quantities", k_arm, "mass_matrix", "--json"}},
                      Command{"convert", {"convert", k_arm, "arm.json", "--json"}, "arm.json"},
                      Command{"convert_cbor", {"convert", k_arm, "arm.cbor"}, "arm.cbor"},
                      Command{"simulate", {"simulate", k_arm, "--time", "0.01", "--out", "motion.csv"}, "motion.csv"},
                      Command{
                          "move",
                          {"move", k_arm, "--to", "joint1=0.5", "--acceleration", "2", "--out", "motion.npz", "--json"},
                          "motion.npz"},
                      Command{"view", {"view", k_arm, "--html", "arm.html"}, "arm.html"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace zwang::test
