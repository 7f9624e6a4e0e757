// SPDX-License-Identifier: BSD-3-Clause
// zwang verify, zwang study: which Python they start with which words, and whose exit code they have. What these do is
// tested in Python (tests/python/test_verify.py, test_study.py).
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "program.hpp"

namespace zwang::test {
namespace {

/// ZWANG_PYTHON for the length of a test.
class Python {
 public:
  explicit Python(const std::string& program) { ::setenv("ZWANG_PYTHON", program.c_str(), 1); }
  ~Python() {
    if (before_.empty())
      ::unsetenv("ZWANG_PYTHON");
    else
      ::setenv("ZWANG_PYTHON", before_.c_str(), 1);
  }
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;

 private:
  std::string before_ = std::getenv("ZWANG_PYTHON") == nullptr ? "" : std::getenv("ZWANG_PYTHON");
};

std::string program_of(const Folder& folder, const std::string& lines) {
  const std::string path = folder.write("python", "#!/bin/sh\n" + lines);
  EXPECT_EQ(::chmod(path.c_str(), 0700), 0);
  return path;
}

TEST(VerifyCommand, GivesItsWordsToPythonAndExitsAsThatDoes) {
  const Folder folder;
  const Python python(program_of(folder, "shift 2\nprintf '%s\\n' \"$@\"\nexit 4\n"));
  const Outcome o = zwang({"verify", arm7(), "--against", "mujoco,kdl", "--root=floating", "--samples", "3", "--seed",
                           "7", "--gravity=-1,0,2", "--mode", "strict", "--expand-mimic", "--quiet", "--json"});
  EXPECT_EQ(o.code, 4);
  EXPECT_EQ(o.out,
            "verify\n--against=mujoco,kdl\n--root=floating\n--mode=strict\n--gravity=-1,0,2\n--samples=3\n--seed=7\n"
            "--expand-mimic\n--json\n--quiet\n--\n" +
                arm7() + '\n');
  EXPECT_EQ(zwang({"verify", "-"}).out, "verify\n--\n-\n");
}

TEST(StudyCommand, GivesItsWordsToPythonAndExitsAsThatDoes) {
  const Folder folder;
  const Python python(program_of(folder, "shift 2\nprintf '%s\\n' \"$@\"\nexit 3\n"));
  const Outcome o = zwang({"study", "a.json", "--out", "results", "--engine=dask://host:8786", "--threads", "2",
                           "--fail-fast", "--check", "--dry-run", "--quiet", "--json"});
  EXPECT_EQ(o.code, 3);
  EXPECT_EQ(
      o.out,
      "study\n--out=results\n--engine=dask://host:8786\n--threads=2\n--fail-fast\n--check\n--dry-run\n--json\n--quiet\n"
      "--\na.json\n");
  EXPECT_EQ(zwang({"study"}).code, 1);
  EXPECT_EQ(zwang({"study", "a.json", "--threads", "many"}).code, 1);
  EXPECT_SAYS(zwang({"help", "study"}).out, "--engine");
}

TEST(StudyCommand, StartsThePythonOfTheCheckoutThatItWasBuiltIn) {
  const Folder folder;
  const std::string at = folder.path("");
  for (const char* const name : {"build/bin", ".venv/bin", "python/zwang", "elsewhere/bin"})
    std::filesystem::create_directories(at + name);
  for (const char* const place : {"build/bin/zwang", "elsewhere/zwang"})
    std::filesystem::copy_file(ZWANG_CLI, at + place);
  const auto script = [&](const char* name, const char* says) {
    const std::string path = folder.write(name, std::string("#!/bin/sh\necho ") + says + "\n");
    EXPECT_EQ(::chmod(path.c_str(), 0700), 0);
  };
  script(".venv/bin/python", "of the checkout");
  script("elsewhere/bin/python3", "of the path");
  const auto says = [&](const char* program) {
    const std::string before = std::getenv("PATH");
    const Python none("");
    ::setenv("PATH", (at + "elsewhere/bin:" + before).c_str(), 1);
    const std::string out = run_at(at + program, {"study", "a.json", "--out", "b"}).out;
    ::setenv("PATH", before.c_str(), 1);
    return out;
  };
  EXPECT_EQ(says("build/bin/zwang"), "of the path\n") << "there is no package beside it: this is no checkout";
  folder.write("python/zwang/__init__.py", "");
  EXPECT_EQ(says("build/bin/zwang"), "of the checkout\n");
  EXPECT_EQ(says("elsewhere/zwang"), "of the path\n") << "an installed program";
  const Folder other;
  const Python chosen(program_of(other, "echo chosen\n"));
  EXPECT_EQ(run_at(at + "build/bin/zwang", {"verify", arm7()}).out, "chosen\n");
}

TEST(VerifyCommand, SaysWhatIsMissing) {
  const Folder folder;
  {
    const Python python(folder.path("nowhere"));
    const Outcome o = zwang_json({"verify", arm7()});
    EXPECT_EQ(o.code, 5);
    EXPECT_EQ(o.json()["status"], "io");
    EXPECT_SAYS(o.json()["message"].get<std::string>(), "nowhere cannot be started");
    EXPECT_SAYS(o.json()["message"].get<std::string>(), "ZWANG_PYTHON");
  }
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3 in PATH";
  const Python python(program_of(folder, "exec python3 -I -S \"$@\"\n"));  // a Python without packages
  const Outcome o = zwang({"verify", arm7()});
  EXPECT_EQ(o.code, 5);
  EXPECT_SAYS(o.err, "needs the Python package zwang");
  EXPECT_SAYS(o.err, "No module named 'zwang'");
  EXPECT_SAYS(zwang_json({"verify", arm7()}).json()["message"].get<std::string>(), "No module named 'zwang'");
}

TEST(VerifyCommand, RefusesWrongWordsBeforePythonIsAsked) {
  const Python python("/nowhere");
  EXPECT_EQ(zwang({"verify"}).code, 1);
  EXPECT_EQ(zwang({"verify", arm7(), "--agianst", "kdl"}).code, 1);
  EXPECT_EQ(zwang({"verify", arm7(), "--samples", "many"}).code, 1);
  EXPECT_SAYS(zwang({"help", "verify"}).out, "--against");
}

}  // namespace
}  // namespace zwang::test
