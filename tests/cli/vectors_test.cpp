// SPDX-License-Identifier: BSD-3-Clause
// Every way to write a vector, and everything that is wrong with one.
// `id --a` of the arm and `fd --q` of a floating robot.
#include "program.hpp"

namespace zwang::test {
namespace {

Eigen::VectorXd torques(const std::string& q, const std::string& a = "zero") {
  const Outcome o = zwang_json({"id", arm7(), "--q", q, "--a", a});
  EXPECT_EQ(o.code, 0) << o.out;
  return o.code == 0 ? vector_of(o.json()["tau"]) : Eigen::VectorXd();
}
/// The message of a refusal with exit 1.
std::string refusal(const std::string& robot, const std::string& option, const std::string& text,
                    const std::string& root = "fixed") {
  const Outcome o = zwang({"id", robot, "--root", root, option, text});
  EXPECT_EQ(o.code, 1) << option << ' ' << text << ": " << o.err;
  EXPECT_EQ(o.out, "");
  return o.err;
}

TEST(Vectors, TheSameVectorInEveryNotationGivesTheSameTorques) {
  const Folder folder;
  const Eigen::VectorXd list = torques("0,0.3,0,-0.7,0,0,+1.25");
  EXPECT_GT(list.norm(), 1);
  EXPECT_EQ(torques("joint2=0.3,joint4=-.7, joint7=1.25"), list);
  EXPECT_EQ(torques("joint2[0]=0.3,joint4=-7e-1,joint7=1.25"), list);
  EXPECT_EQ(torques("@" + folder.write("list.json", "[0, 0.3, 0, -0.7, 0, 0, 1.25]")), list);
  EXPECT_EQ(torques("@" + folder.write("pairs.json", R"({"joint2": 0.3, "joint4": [-0.7], "joint7": 1.25})")), list);
}

TEST(Vectors, ZeroAndNeutralAreNoMotion) {
  EXPECT_EQ(torques("neutral"), torques("0,0,0,0,0,0,0"));
  EXPECT_EQ(torques("zero"), torques("neutral"));
  const Outcome floating = zwang({"id", quadruped(), "--root", "floating", "--q", "zero"});
  EXPECT_EQ(floating.code, 0) << floating.err;
}

TEST(Vectors, RandomDependsOnTheSeedAlone) {
  EXPECT_EQ(torques("random:8"), torques("random:8"));
  EXPECT_NE(torques("random:8"), torques("random:9"));
  EXPECT_NE(torques("random:8", "random:1"), torques("random:8", "random:2"));
  const Model arm = arm7_model();
  Data data(arm);
  const Eigen::VectorXd none = zwang::zero(arm);
  EXPECT_EQ(torques("random:18446744073709551615"),
            Eigen::VectorXd(inverse_dynamics(arm, data, random(arm, 18446744073709551615ull), none, none)));
}

TEST(Vectors, SeveralCoordinatesOfAJointAreGivenByNumberOrAsAnArray) {
  const Folder folder;
  const std::string file = folder.write("q.json", R"({"root_joint": [0.1, 0.2, 0.3, 0, 0, 0.6, 0.8], "LF_knee": 0.2})");
  const Json array = zwang_json({"id", quadruped(), "--root", "floating", "--q", "@" + file}).json();
  const Json pairs =
      zwang_json(
          {"id", quadruped(), "--root", "floating", "--q",
           "root_joint[0]=0.1,root_joint[1]=0.2,root_joint[2]=0.3,root_joint[5]=0.6,root_joint[6]=0.8,LF_knee=0.2"})
          .json();
  EXPECT_EQ(array["tau"], pairs["tau"]);
  EXPECT_NE(array["tau"], zwang_json({"id", quadruped(), "--root", "floating"}).json()["tau"]);
}

TEST(Vectors, WrongSizesAndNumbersAreRefusedByName) {
  EXPECT_SAYS(refusal(arm7(), "--q", "0.1,0.2"), "--q: got 2 numbers, expected 7");
  EXPECT_SAYS(refusal(arm7(), "--v", "1,2,3,4,5,6,7,8"), "--v: got 8 numbers, expected 7");
  EXPECT_SAYS(refusal(arm7(), "--q", "0,0,0,0,0,0,nan"), "finite");
  EXPECT_SAYS(refusal(arm7(), "--q", "0,0,0,0,0,0,inf"), "finite");
  EXPECT_SAYS(refusal(arm7(), "--q", "0,0,0,0,0,0,1e999"), "double");
  EXPECT_SAYS(refusal(arm7(), "--q", "0,0,0,0,0,0,1.0abc"), "'1.0abc'");
  EXPECT_SAYS(refusal(arm7(), "--q", "0,0,0,0,0,0,0x10"), "'0x10'");
  EXPECT_SAYS(refusal(arm7(), "--q", "0,0,,0,0,0,0"), "''");
  EXPECT_SAYS(refusal(arm7(), "--q", "random:-1"), "seed");
  EXPECT_SAYS(refusal(arm7(), "--q", "random:"), "seed");
  EXPECT_SAYS(refusal(arm7(), "--q", "neutrall"), "did you mean 'neutral'");
  EXPECT_SAYS(refusal(arm7(), "--a", "neutral"), "say zero");
}

TEST(Vectors, WrongNamesAreRefusedWithTheNearestOne) {
  EXPECT_SAYS(refusal(arm7(), "--q", "jiont2=1"), "did you mean 'joint2'");
  EXPECT_SAYS(refusal(arm7(), "--q", "joint2=1,joint2=2"), "given twice");
  EXPECT_SAYS(refusal(arm7(), "--q", "joint2=1,0.5"), "among pairs");
  EXPECT_SAYS(refusal(arm7(), "--q", "tool_mount=1"), "is fixed");
  EXPECT_SAYS(refusal(arm7(), "--q", "joint2[1]=1"), "has 1 coordinates");
  EXPECT_SAYS(refusal(quadruped(), "--q", "root_joint=1", "floating"), "has 7 coordinates");
  EXPECT_SAYS(refusal(model_file("humanoid.urdf"), "--q", "gripper_mirror=0.01"), "mimics 'gripper'");
}

TEST(Vectors, AQuaternionMustHaveUnitLength) {
  EXPECT_SAYS(refusal(quadruped(), "--q", "root_joint[6]=0.5", "floating"), "root_joint");
  EXPECT_SAYS(refusal(quadruped(), "--q", "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", "floating"), "root_joint");
}

TEST(Vectors, FilesThatAreNoVectorsAreRefused) {
  const Folder folder;
  EXPECT_SAYS(refusal(arm7(), "--q", "@" + folder.write("a.json", "[1, 2")), "not JSON");
  EXPECT_SAYS(refusal(arm7(), "--q", "@" + folder.write("b.json", "[1, NaN]")), "not JSON");
  EXPECT_SAYS(refusal(arm7(), "--q", "@" + folder.write("c.json", "\"zero\"")), "expected an array");
  EXPECT_SAYS(refusal(arm7(), "--q", "@" + folder.write("d.json", "[1, \"2\", 3, 4, 5, 6, 7]")), "[1]: got string");
  EXPECT_SAYS(refusal(arm7(), "--q", "@" + folder.write("e.json", R"({"joint2": 1, "joint2": 2})")), "given twice");
  EXPECT_SAYS(refusal(arm7(), "--q", "@" + folder.write("f.json", "[1e999, 0, 0, 0, 0, 0, 0]")), "not JSON");
  EXPECT_SAYS(refusal(arm7(), "--q", "@" + folder.write("g.json", std::string(1000, '[') + std::string(1000, ']'))),
              "nested deeper");
}

}  // namespace
}  // namespace zwang::test
