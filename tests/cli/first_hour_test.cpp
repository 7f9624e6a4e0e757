// SPDX-License-Identifier: BSD-3-Clause
// What a new user types first: nothing, help, a pipe, a wrong name.
#include <algorithm>
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

TEST(FirstHour, WarningsOfOneCodeAreOneLine) {
  const Folder folder;
  std::string text = "<robot name='r'><link name='base'/>";
  for (int k = 1; k <= 5; ++k) {
    const std::string n = std::to_string(k);
    text += "<link name='l" + n +
            "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>" +
            "</inertial></link><joint name='j" + n + "' type='continuous'><parent link='base'/><child link='l" + n +
            "'/><dynamics stiffness='1'/></joint>";
  }
  const std::string file = folder.write("tree.urdf", text + "<gazebos/></robot>");
  const std::string all =
      "warning: W_UNKNOWN_ATTRIBUTE " + file + ": 5 joints: j1, j2, j3, ...; found attribute 'stiffness'";
  for (const char* command : {"info", "id", "solve", "simulate"}) {
    const std::string err = zwang({command, file}).err;
    EXPECT_SAYS(err, all);
    EXPECT_SAYS(err, "(passed over) (zwang check lists all)\n");
    EXPECT_SAYS(err, "warning: W_UNKNOWN_TAG " + file + ":1:");  // one alone keeps its place
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 2) << err;
  }
  const std::string err = zwang({"check", file}).err;
  for (const char* joint : {"j1", "j5"}) EXPECT_SAYS(err, std::string("robot/joint[") + joint + "]/dynamics: found");
  EXPECT_FALSE(contains(err, "lists all")) << err;
  EXPECT_EQ(zwang_json({"info", file}).json()["diagnostics"].size(),
            zwang_json({"check", file}).json()["diagnostics"].size());
}

TEST(FirstHour, WrongOptionsAreAnsweredInTheHousesWords) {
  const std::string robot = ZWANG_MODELS "/five_bar.urdf";
  const auto said = [](const std::vector<std::string>& words, int code = 1) {
    const Outcome x = zwang(words);
    EXPECT_EQ(x.code, code) << x.err;
    return x.err;
  };
  EXPECT_EQ(said({"solve", robot, "--q", "zero", "--q", "zero"}), "zwang solve: --q is given 2 times, expected once\n");
  EXPECT_EQ(said({"solve", robot, "--q"}),
            "zwang solve: --q needs a value (--q V: Configuration, or the name of one in the robot's file or SRDF; "
            "default as the file "
            "draws the robot)\n");
  EXPECT_SAYS(said({"mobility", robot, "--samples", "1.5"}),
              "zwang mobility: --samples: got '1.5', expected a whole number (--samples N: How many configurations");
  EXPECT_SAYS(said({"solve", robot, "--tolerance", "e"}),
              "zwang solve: --tolerance: got 'e', expected a decimal number (--tolerance X: ");
  EXPECT_EQ(
      said({"solve"}),
      "zwang solve: expected robot-or-problem: A robot (URDF, SDF, MJCF), or a problem (its name ends in .json)\n");
  EXPECT_SAYS(said({"solve", robot, "--mode", "lenent"}),
              "zwang solve: --mode: got 'lenent', expected one of standard, strict, lenient; did you mean 'lenient'?");
  EXPECT_SAYS(said({"completion", "csh"}), "zwang completion: format: got 'csh', expected one of bash, zsh, fish, man");
  EXPECT_SAYS(said({"info", robot, "--json=yes"}), "zwang info: --json takes no value");
  EXPECT_SAYS(said({"--quiet"}), "zwang: expected a command first, got '--quiet'; the commands are: info, check, ");
  EXPECT_SAYS(said({"fd", robot, "--loops"}),
              "zwang fd: '--loops' was not expected; it is an option of info, check, convert, generate, solve, "
              "assemble, impulse, "
              "mobility, simulate, ik, move, view\n");
  EXPECT_SAYS(said({"--verison"}), "did you mean '--version'?");
  EXPECT_EQ(said({"info", robot, "more"}), "zwang info: 'more' was not expected\n");
  EXPECT_SAYS(zwang({"solve", "--help"}).out, "Usage: zwang solve [OPTIONS] robot-or-problem");
  EXPECT_SAYS(zwang({"--help"}).out, "Usage: zwang [OPTIONS] SUBCOMMAND");
  EXPECT_SAYS(zwang({"info", robot, "--package-dir", "/no_such_folder"}).err,
              "zwang: --package-dir: there is no folder '/no_such_folder'");
  EXPECT_EQ(zwang({"info", robot, "--package-dir", "/no_such_folder"}).code, 5);
  EXPECT_SAYS(zwang({"info", robot, "--package", "mine=/no_such_folder"}).err, "--package mine: there is no folder");
  EXPECT_SAYS(said({"id", arm7(), "--q", "random"}),
              "--q: got 'random', expected random:SEED with a whole number, as random:1");
  EXPECT_SAYS(
      said({"id", arm7(), "--v", "fast"}),
      "--v: got 'fast', expected numbers separated by commas, joint=number pairs, zero, random:SEED, or @file.json");
  EXPECT_SAYS(zwang({"simulate", arm7(), "--time", "0.3", "--dt", "0.3"}).out, "after 1 step of 0.3 s");
  EXPECT_SAYS(zwang({"solve", arm7(), "--hold", "tool0:linear.x"}).out, "rank 1 of 1 row, residual");
}

TEST(FirstHour, RowsByTheNameOfAJointAreAnsweredWithTheirRows) {
  const Outcome x = zwang({"solve", arm7(), "--hold", "tool0:ball"});
  EXPECT_EQ(x.code, 1);
  EXPECT_SAYS(x.err, "the rows that hold this are 'linear'");
}

}  // namespace
}  // namespace zwang::test
