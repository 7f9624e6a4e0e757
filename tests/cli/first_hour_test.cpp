// SPDX-License-Identifier: BSD-3-Clause
// What a new user types first: nothing, help, a pipe, a wrong name.
#include <cstdlib>
#include <fstream>

#include "program.hpp"

namespace zwang::test {
namespace {

TEST(FirstHour, NothingAndHelpSayWhatCommandsThereAre) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"help"}, {"--help"}}) {
    const Outcome x = zwang(words);
    EXPECT_EQ(x.code, words.empty() ? 1 : 0);
    EXPECT_SAYS(x.out, "quantities");
  }
  EXPECT_EQ(zwang({"help", "solve"}).out, zwang({"solve", "--help"}).out);
  EXPECT_EQ(zwang({"help", "sove"}).code, 1);
}

TEST(FirstHour, AMinusIsTheStandardInput) {
  EXPECT_EQ(zwang({"fd", "-", "--json"}, "< " + arm7()).out, zwang({"fd", arm7(), "--json"}).out);
  const Folder folder;
  const std::string document = folder.path("arm.json");
  ASSERT_EQ(zwang({"convert", arm7(), document}).code, 0);
  EXPECT_EQ(zwang({"fd", "-", "--json"}, "< " + document).out, zwang({"fd", document, "--json"}).out);
  const std::string problem = folder.write("problem.json", arm_problem().dump());
  EXPECT_EQ(zwang({"solve", "-", "--json"}, "< " + problem).json()["acceleration"],
            zwang({"solve", problem, "--json"}).json()["acceleration"]);
  const Outcome empty = zwang({"info", "-"}, "< /dev/null");
  EXPECT_EQ(empty.code, 2);
  EXPECT_SAYS(empty.err, "standard input");
}

TEST(FirstHour, AFolderOfPackagesThatIsNotThereIsSaid) {
  const Outcome folder = zwang({"info", arm7(), "--package-dir", "/nowhere/at/all"});
  EXPECT_EQ(folder.code, 1);
  EXPECT_SAYS(folder.err, "--package-dir: there is no folder '/nowhere/at/all'");
  const Outcome package = zwang({"info", arm7(), "--package", "hand=/nowhere/at/all"});
  EXPECT_EQ(package.code, 1);
  EXPECT_SAYS(package.err, "--package: there is no folder '/nowhere/at/all'");
}

TEST(FirstHour, ShellsCompleteCommandsOptionsAndWords) {
  const Folder folder;
  const std::string script = folder.write("completions", zwang({"completion", "bash"}).out);
  const auto completed = [&](const std::string& words, int at) {
    const std::string out = folder.path("said");
    const std::string line = "bash -c 'source \"$0\"; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                             "; _zwang; echo \"${COMPREPLY[*]}\"' " + script + " > " + out;
    EXPECT_EQ(std::system(line.c_str()), 0);
    std::ifstream in(out);
    std::string text;
    std::getline(in, text);
    return text;
  };
  EXPECT_EQ(completed("zwang so", 1), "solve");
  EXPECT_EQ(completed("zwang solve arm.urdf --singul", 3), "--singularity");
  EXPECT_EQ(completed("zwang solve arm.urdf --mode str", 4), "strict");
  EXPECT_EQ(completed("zwang solve arm", 2), "");  // then files
  for (const char* shell : {"zsh", "fish"}) {
    const Outcome x = zwang({"completion", shell});
    EXPECT_EQ(x.code, 0);
    for (const char* word : {"quantities", "singularity", "lenient"}) EXPECT_SAYS(x.out, word);
  }
  EXPECT_EQ(zwang({"completion", "csh"}).code, 1);
  EXPECT_SAYS(zwang({"completion", "man"}).out, ".SS zwang solve");
}

TEST(FirstHour, QuietSaysErrorsAlone) {
  EXPECT_SAYS(zwang({"check", arm7()}).err, "note");
  EXPECT_EQ(zwang({"check", arm7(), "--quiet"}).err, "");
  EXPECT_SAYS(zwang({"info", arm7() + ".not", "--quiet"}).err, "E_FILE");
}

TEST(FirstHour, WrongNamesAreAnsweredWithThoseThatThereAre) {
  const Outcome q = zwang({"fd", arm7(), "--q", "shoulder_pan=1"});
  EXPECT_EQ(q.code, 1);
  EXPECT_SAYS(q.err, "known are joint1, joint2");
  EXPECT_FALSE(contains(q.err, "N_LUMPED")) << q.err;  // the robot is not what is wrong
  const std::string prescribed = zwang({"solve", arm7(), "--prescribe", "elbow=1"}).err;
  const std::size_t first = prescribed.find("'joint1'");
  EXPECT_NE(first, std::string::npos) << prescribed;
  EXPECT_EQ(prescribed.find("'joint1'", first + 1), std::string::npos) << prescribed;
  EXPECT_SAYS(zwang({"info", models_folder()}).err, "a folder");
  EXPECT_SAYS(zwang({"info", arm7(), "--root", "free_flyer"}).err, "did you mean 'floating'?");
}

TEST(FirstHour, EveryCommandThatKnowsMotorsIsToldOfThem) {
  for (const std::string command :
       {"info", "check", "fd", "solve", "assemble", "impulse", "mobility", "ik", "simulate"}) {
    const Outcome x = zwang({command, arm7(), "--actuated", "joint1,jont2"});
    EXPECT_EQ(x.code, 1) << command << x.err;
    EXPECT_SAYS(x.err, "joint2");
  }
  const Json info = zwang_json({"info", arm7(), "--actuated", "joint2"}).json();
  for (const Json& joint : info["joints"]) EXPECT_EQ(joint["actuated"], joint["name"] == "joint2") << joint["name"];
}

TEST(FirstHour, LoopsOfADocumentAreHeld) {
  const Folder folder;
  const std::string robot = ZWANG_MODELS "/five_bar.urdf", document = folder.path("five_bar.json");
  ASSERT_EQ(zwang({"convert", robot, document, "--loops"}).code, 0);
  EXPECT_EQ(zwang({"solve", document, "--json"}).json()["acceleration"],
            zwang({"solve", robot, "--loops", "--json"}).json()["acceleration"]);
  const Outcome open = zwang({"fd", document});
  EXPECT_EQ(open.code, 1);
  EXPECT_SAYS(open.err, "closed loop");
}

TEST(FirstHour, WhatIsWrittenTouchesNothingElse) {
  const Folder folder;
  const std::string other = folder.write("arm.json.part", "precious"), target = folder.path("arm.json");
  ASSERT_EQ(std::system(("ln -s real.json " + folder.path("link.json")).c_str()), 0);
  ASSERT_EQ(zwang({"convert", arm7(), target}).code, 0);
  ASSERT_EQ(zwang({"convert", arm7(), folder.path("link.json")}).code, 0);
  EXPECT_EQ(std::system(("grep -q precious " + other + " && chmod 600 " + target).c_str()), 0);
  ASSERT_EQ(zwang({"convert", arm7(), target}).code, 0);
  EXPECT_EQ(std::system(("test $(stat -c %a " + target + ") = 600 && test -L " + folder.path("link.json") + " && cmp " +
                         target + " " + folder.path("real.json"))
                            .c_str()),
            0);
}

TEST(FirstHour, RowsByTheNameOfAJointAreAnsweredWithTheirRows) {
  const Outcome x = zwang({"solve", arm7(), "--hold", "tool0:ball"});
  EXPECT_EQ(x.code, 1);
  EXPECT_SAYS(x.err, "the rows that hold this are 'linear'");
}

}  // namespace
}  // namespace zwang::test
