// SPDX-License-Identifier: BSD-3-Clause
// zwang view and --html: a page is written whole; forces of a problem stand in it; what is refused.
#include <fstream>
#include <sstream>

#include "program.hpp"

namespace zwang::test {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}
bool has_three() {
  const Folder folder;
  return zwang({"view", model_file("arm7.urdf"), "--html", folder.path("a.html")}).err.find("without three.js") ==
         std::string::npos;
}

TEST(ViewCommand, WritesAPageWithTheForcesOfAProblem) {
  if (!has_three()) GTEST_SKIP() << "this build has no three.js (Debian: libjs-three)";
  const Folder folder;
  const std::string page = folder.path("arm.html");
  const Outcome r =
      zwang({"view", folder.write("arm.json", arm_problem().dump()), "--html", page, "--title", "an arm"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("arm.html"), std::string::npos);
  const std::string html = content(page);
  EXPECT_NE(html.find("<title>an arm</title>"), std::string::npos);
  EXPECT_NE(html.find("\"arrows\":[\"hand\"]"), std::string::npos);
  EXPECT_LT(html.size(), 3000000u);
}

TEST(ViewCommand, MotionsAreWrittenToo) {
  if (!has_three()) GTEST_SKIP() << "this build has no three.js (Debian: libjs-three)";
  const Folder folder;
  const std::string page = folder.path("a.html");
  const Json d =
      zwang_json({"move", model_file("arm7.urdf"), "--to", "joint1=0.5", "--acceleration", "2", "--html", page}).json();
  EXPECT_EQ(d["html"], page);
  EXPECT_NE(content(page).find("\"states\":"), std::string::npos);
  const Json s =
      zwang_json({"simulate", model_file("arm7.urdf"), "--time", "0.01", "--html", folder.path("b.html")}).json();
  EXPECT_EQ(s["html"], folder.path("b.html"));
}

TEST(ViewCommand, RefusesWhatItCannotDraw) {
  const Folder folder;
  const std::string arm = model_file("arm7.urdf");
  const auto refused = [&](std::vector<std::string> words, const char* why, int code) {
    words.insert(words.begin(), {"view", arm});
    const Outcome r = zwang(words);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
  };
  refused({"--html", folder.path("a.pdf")}, "ends in .html", 1);
  refused({"--html", folder.path("nowhere/a.html")}, "cannot be written", 5);
  refused({"--html", folder.path("a.html"), "--geometry", "visula"}, "visual", 1);
  refused({"--html", folder.path("a.html"), "--show-frame", "tool"}, "tool0", 1);
}

}  // namespace
}  // namespace zwang::test
