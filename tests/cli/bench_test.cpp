// SPDX-License-Identifier: BSD-3-Clause
// bench: what it prints and how it exits. No test asserts a time; without peers nothing but zwang is run.
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "program.hpp"

namespace zwang::test {
namespace {

/// Short, and without the peers that a build folder may hold.
std::vector<std::string> quick(std::vector<std::string> words) {
  words.insert(words.begin(), {"bench", "--quick"});
  return words;
}

TEST(Bench, PrintsARowForEveryAlgorithmWithoutAllocations) {
  const Outcome o = zwang_json(quick({arm7(), quadruped()}));
  ASSERT_EQ(o.code, 0) << o.out;
  const Json d = o.json();
  EXPECT_EQ(d["status"], "ok");
  for (const char* key : {"date", "machine", "compiler", "flags", "command", "peers"})
    EXPECT_TRUE(d.contains(key)) << key;
  std::vector<std::string> seen;
  for (const Json& row : d["rows"]) {
    EXPECT_GT(row["ns"], 0.0);
    EXPECT_LE(row["min_ns"], row["ns"]);
    EXPECT_LT(row["residual"], row["scalar"] == "double" ? 1e-9 : 1e-4) << row;
    EXPECT_EQ(row["allocations"].is_null() ? 0.0 : row["allocations"].get<double>(), 0.0) << row;
    EXPECT_FALSE(row.contains("peer")) << row;
    if (row["robot"] == "arm7" && row["mode"] == "single") seen.push_back(row["algorithm"]);
  }
  for (const char* name : {"fk", "rnea", "aba", "crba", "minverse", "cholesky_solve", "jacobian", "constrained"})
    EXPECT_NE(std::find(seen.begin(), seen.end(), name), seen.end()) << name;
  ASSERT_EQ(d["robots"].size(), 2u);
  EXPECT_EQ(d["robots"][1]["nv"], 18);
  EXPECT_EQ(d["robots"][1]["rows"], 12);
  for (const char* scalar : {"double", "float"})
    EXPECT_TRUE(std::any_of(d["rows"].begin(), d["rows"].end(), [&](const Json& row) {
      return row["mode"] == "batch" && row["scalar"] == scalar && row["threads"] == 1;
    })) << scalar;
}

TEST(Bench, WritesTheDocumentToAFileAndTheTableToTheScreen) {
  const Folder folder;
  const std::string file = folder.path("results.json");
  const Outcome o = zwang(quick({arm7(), "--only", "rnea,aba", "--mode", "single", "--json", file}));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_SAYS(o.out, "rnea");
  EXPECT_SAYS(o.out, "arm7: nv 7");
  std::ifstream in(file);
  EXPECT_EQ(Json::parse(in)["rows"].size(), 2u);
}

TEST(Bench, TakesAnyRobotAndContactsOfTheUser) {
  const Outcome o =
      zwang_json(quick({quadruped(), "--root", "floating", "--contact", "LF_foot:3", "--only", "constrained"}));
  ASSERT_EQ(o.code, 0) << o.out;
  EXPECT_EQ(o.json()["rows"][0]["rows"], 3);
}

TEST(Bench, MeasuresHowCostsGrow) {
  const Outcome o = zwang_json(quick({"--scaling", "--only", "aba,constrained"}));
  ASSERT_EQ(o.code, 0) << o.out;
  const Json d = o.json();
  EXPECT_TRUE(d["rows"].empty());
  ASSERT_FALSE(d["scaling"].empty());
  for (const Json& row : d["scaling"]) EXPECT_GT(row["ns_per_joint"], 0.0);
}

TEST(Bench, SaysWhichPeerIsAbsent) {
  const Outcome o = zwang_json(quick({arm7(), "--only", "fk", "--peer", "nobody"}));
  ASSERT_EQ(o.code, 0) << o.out;
  const Json d = o.json();
  EXPECT_EQ(d["peers"][0]["available"], false);
  EXPECT_SAYS(d["rows"][0]["peer_absent"].get<std::string>(), "libzwang_peer_nobody.so");
}

/// `--peers` where there are none would compare with nobody.
TEST(Bench, RefusesToCompareWithoutPeers) {
  const Folder folder;  // its ../lib/zwang/peers is not there
  std::filesystem::create_directories(folder.path("bin"));
  const std::filesystem::path here = std::filesystem::path(ZWANG_CLI).parent_path();
  for (const char* program : {"zwang", "zwang-bench"})
    std::filesystem::copy_file(here / program, folder.path(std::string("bin/") + program));
  const std::string line = "ZWANG_PEERS= " + folder.path("bin/zwang") + " bench " + arm7() +
                           " --quick --peers --only fk >" + folder.path("out") + " 2>" + folder.path("err");
  const int status = std::system(line.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  std::ifstream err(folder.path("err"));
  const std::string said((std::istreambuf_iterator<char>(err)), std::istreambuf_iterator<char>());
  EXPECT_SAYS(said, "no peer is there");
}

TEST(Bench, TimesFurtherRightHandSidesBesideASolve) {
  const Outcome o =
      zwang_json(quick({quadruped(), "--only", "constrained,pv_early,resolve,columns", "--mode", "single"}));
  ASSERT_EQ(o.code, 0) << o.out;
  std::vector<std::string> seen;
  const Json d = o.json();
  for (const Json& row : d["rows"]) {
    seen.push_back(row["algorithm"]);
    EXPECT_LT(row["residual"], 1e-9) << row;
    EXPECT_EQ(row["allocations"].is_null() ? 0.0 : row["allocations"].get<double>(), 0.0) << row;
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"constrained", "pv_early", "resolve", "columns"}));
}

TEST(Bench, ExitsWithWhatIsWrong) {
  EXPECT_EQ(zwang({"bench", "--help"}).code, 0);
  EXPECT_EQ(zwang(quick({"nowhere/robot.urdf"})).code, 5);
  EXPECT_EQ(zwang_json(quick({"nowhere/robot.urdf"})).json()["status"], "io");
  EXPECT_EQ(zwang(quick({arm7(), "--only", "rneaa"})).code, 1);
  EXPECT_EQ(zwang(quick({arm7(), "--contact", "nowhere:6"})).code, 1);
  EXPECT_EQ(zwang(quick({arm7(), "--contact", "tool0:4"})).code, 1);
  EXPECT_EQ(zwang(quick({arm7(), "--only", "fk", "--json", "nowhere/results.json"})).code, 5);
  EXPECT_EQ(zwang(quick({arm7(), "--json=results.txt"})).code, 1);
}

TEST(Bench, SaysWhereItLookedForItsProgram) {
  const Folder folder;
  const std::string alone = folder.path("zwang");
  std::filesystem::copy_file(ZWANG_CLI, alone);
  const std::string line = "PATH=/nowhere " + alone + " bench --json";
  std::FILE* const pipe = ::popen(line.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string out;
  char buffer[512];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  const int status = ::pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << out;
  EXPECT_EQ(Json::parse(out)["status"], "io");
  EXPECT_SAYS(Json::parse(out)["message"].get<std::string>(), "zwang-bench is neither beside this program");
}

}  // namespace
}  // namespace zwang::test
