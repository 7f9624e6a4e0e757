// SPDX-License-Identifier: BSD-3-Clause
// zwang convert, robots from model documents, zwang info --state.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/program.hpp"

namespace zwang::test {
namespace {

std::string scratch(const std::string& name) { return (std::filesystem::path(testing::TempDir()) / name).string(); }

TEST(Documents, EveryCommandReadsThem) {
  const Json expected = zwang_json({"id", arm7(), "--v", "random:1"}).json();
  for (const char* ending : {".json", ".cbor"}) {
    const std::string file = scratch(std::string("zwang_arm7") + ending);
    const Outcome o = zwang_json({"convert", arm7(), file});
    ASSERT_EQ(o.code, 0);
    EXPECT_EQ(o.json()["bytes"], std::filesystem::file_size(file));
    EXPECT_EQ(zwang_json({"id", file, "--v", "random:1"}).json()["tau"], expected["tau"]);
    EXPECT_EQ(zwang({"check", file}).code, 0);
    EXPECT_EQ(zwang({"info", file}).code, 0);
    EXPECT_EQ(zwang({"solve", file, "--hold", "tool0:linear"}).code, 0);
    EXPECT_EQ(zwang({"info", file, "--root", "floating"}).code, 1);
    EXPECT_EQ(zwang_json({"convert", file, scratch("zwang_again.json")}).json()["hash"], o.json()["hash"]);
    std::filesystem::resize_file(file, 100);
    for (const char* command : {"info", "check", "id"}) {
      const Outcome broken = zwang({command, file});
      EXPECT_EQ(broken.code, 2) << command;
      EXPECT_SAYS(broken.err, "error: E_DOCUMENT " + file + ": found ");
      EXPECT_SAYS(broken.err, "zwang: the model was refused");
    }
    EXPECT_EQ(zwang_json({"check", file}).json()["diagnostics"][0]["code"], "E_DOCUMENT");
    const std::string problem = scratch("zwang_of_broken.json");
    std::ofstream(problem) << Json{{"model", file}};
    EXPECT_EQ(zwang({"solve", problem}).code, 2);
  }
  const std::string wrong = scratch("zwang_wrong.json");
  std::ofstream(wrong) << R"({"format": "zwang.model", "version": 1, "name": "x", "limbs": []})";
  const Outcome key = zwang({"solve", wrong});
  EXPECT_EQ(key.code, 2);
  EXPECT_SAYS(key.err, "limbs");
  EXPECT_EQ(zwang({"convert", arm7(), scratch("robot.dae")}).code, 1);
  EXPECT_EQ(zwang({"convert", arm7(), "/nowhere/robot.json"}).code, 5);
  EXPECT_EQ(zwang({"info", scratch("zwang_no_file.cbor")}).code, 5);
}

TEST(Documents, TheStateOfARobot) {
  const Json d =
      zwang_json({"info", arm7(), "--state", "--q", "random:3", "--v", "random:4", "--a", "random:5"}).json();
  EXPECT_EQ(d["format"], "zwang.state");
  EXPECT_EQ(d["status"], "ok");
  EXPECT_EQ(d["tau"],
            zwang_json({"id", arm7(), "--q", "random:3", "--v", "random:4", "--a", "random:5"}).json()["tau"]);
  const Outcome o = zwang({"info", arm7(), "--state"});
  EXPECT_EQ(o.code, 0);
  EXPECT_NE(o.out.find("kinetic energy"), std::string::npos);
  EXPECT_EQ(zwang({"info", arm7(), "--q", "zero"}).code, 1);
}

}  // namespace
}  // namespace zwang::test
