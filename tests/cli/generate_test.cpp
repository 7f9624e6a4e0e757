// SPDX-License-Identifier: BSD-3-Clause
// zwang generate: files, what is printed, refusals. What the C computes is tested from Python
// (tests/python/test_generate.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/program.hpp"

namespace zwang::test {
namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(Generate, WritesTwoFilesThatKnowEachOther) {
  const Folder folder;
  const std::string file = folder.path("my-arm.c");
  const Json found = zwang_json({"generate", arm7(), "--functions", "inverse_dynamics,pose:tool0", "--scalar", "float",
                                 "--name", "arm", "--wrench", "tool0", "--out", file})
                         .json();
  EXPECT_EQ(found["status"], "ok");
  EXPECT_EQ(found["functions"][1]["name"], "arm_pose_tool0");
  EXPECT_EQ(found["functions"][0]["inputs"].size(), 4u);
  EXPECT_GT(found["functions"][0]["multiplications"].get<int>(), 100);
  EXPECT_SAYS(text_of(file), "#include \"my-arm.h\"");
  EXPECT_SAYS(text_of(folder.path("my-arm.h")), "int arm_inverse_dynamics(const float *");
  const Outcome table = zwang({"generate", arm7(), "--functions", "mass_matrix", "--out", folder.path("b.c")});
  EXPECT_EQ(table.code, 0);
  EXPECT_SAYS(table.out, "b_mass_matrix");
  EXPECT_SAYS(zwang({"generate", arm7(), "--functions", "list"}).out, "inverse_kinematics_step:FRAME");
}

TEST(Generate, GuardsAreThoseOfFiles) {
  const Folder folder;
  std::set<std::string> guards;
  for (const char* const file : {"a-b", "a_b", "a__b"}) {
    EXPECT_EQ(zwang({"generate", arm7(), "--functions", "pose:tool0", "--name", "r", "--out",
                     folder.path(std::string(file) + ".c")})
                  .code,
              0);
    const std::string header = text_of(folder.path(std::string(file) + ".h"));
    const std::size_t at = header.find("#ifndef ");
    guards.insert(header.substr(at, header.find('\n', at) - at));
  }
  EXPECT_EQ(guards.size(), 3u);
}

TEST(Generate, LoopsSayTheirStack) {
  const Folder folder;
  const std::string file = folder.path("a.c");
  const std::vector<std::string> words{"generate", arm7(), "--size", "--functions", "mass_matrix", "--out", file};
  const Outcome table = zwang(words);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_SAYS(table.out, "bytes of stack");
  EXPECT_SAYS(text_of(file), "static const double a_placement[7][12]");
  std::vector<std::string> as_json = words;
  as_json.push_back("--json");
  EXPECT_GT(zwang_json(as_json).json()["functions"][0]["stack"].get<int>(), 7 * 8);
}

TEST(Generate, CommasOfNamesHaveABackslash) {
  const Folder folder;
  std::ofstream(folder.path("r.urdf")) << R"(<robot name="r"><link name="base"/><link name="a,b"/>
    <joint name="j" type="fixed"><parent link="base"/><child link="a,b"/></joint></robot>)";
  const Outcome o = zwang(
      {"generate", folder.path("r.urdf"), "--functions", R"(pose:a\,b, position:a\,b)", "--out", folder.path("a.c")});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_SAYS(text_of(folder.path("a.h")), "int a_position_a_b(");
}

TEST(Generate, ConstraintsAreThoseOfAProblem) {
  const Folder folder;
  const Outcome held = zwang({"generate", arm7(), "--hold", "tool0:linear", "--functions", "constrained_dynamics",
                              "--out", folder.path("a.c")});
  EXPECT_EQ(held.code, 0) << held.err;
  EXPECT_SAYS(text_of(folder.path("a.h")), "multipliers[3]");
}

TEST(Generate, RefusesInWords) {
  const Folder folder;
  const std::string file = folder.path("a.c");
  struct Case {
    std::vector<std::string> more;
    const char* says;
  };
  for (const Case& c :
       {Case{{"--functions", "inverse_dynamic", "--out", file}, "did you mean 'inverse_dynamics'"},
        Case{{"--functions", "pose:tool9", "--out", file}, "did you mean 'tool0'"},
        Case{{"--functions", "mass_matrix,", "--out", file}, "there is no function named ''"},
        Case{{"--functions", "constrained_dynamics", "--out", file}, "there are no constraints"},
        Case{{"--functions", "mass_matrix", "--out", folder.path("a.txt")}, "--out NAME.c"},
        Case{{"--functions", "mass_matrix"}, "--out NAME.c"},
        Case{{"--functions", "coriolis_matrix", "--size", "--out", file}, "coriolis_matrix has no loops"},
        Case{{"--functions", "mass_matrix", "--size", "--sines-as-inputs", "--out", file}, "size with sines_as_inputs"},
        Case{{"--functions", "mass_matrix", "--out", folder.path("2nd.c")}, "a letter, then letters"},
        Case{{"--functions", "mass_matrix", "--out", file, "--reference", "wold"}, "--reference: "},
        Case{{"--functions", "mass_matrix", "--out", file, "--language", "rust"}, "rust"},
        Case{{"--functions", "mass_matrix", "--out", file, "--kind", "true"}, "classical or spatial"}}) {
    std::vector<std::string> words = {"generate", arm7()};
    words.insert(words.end(), c.more.begin(), c.more.end());
    const Outcome o = zwang(words);
    EXPECT_EQ(o.code, 1) << c.says;
    EXPECT_SAYS(o.err, c.says);
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  EXPECT_SAYS(zwang({"generate", arm7(), "--functions", "mass_matrix", "--name", "a", "--out", folder.path(".c")}).err,
              "no name before .c");
  EXPECT_SAYS(zwang({"generate", arm7(), "--functions", "mass_matrix", "--name", "a", "--out",
                     folder.path("a?"
                                 "?=.c")})
                  .err,
              "cannot be included from C");
  const Outcome planar = zwang(
      {"generate", ZWANG_MODELS "/five_bar.urdf", "--loops", "--functions", "constrained_dynamics", "--out", file});
  EXPECT_EQ(planar.code, 1);
  EXPECT_SAYS(planar.err, "rows of full rank");
}

}  // namespace
}  // namespace zwang::test
