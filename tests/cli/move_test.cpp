// SPDX-License-Identifier: BSD-3-Clause
// zwang move: the same motion as the library's, of joints and of a frame; what is refused.
#include <fstream>
#include <sstream>

#include "program.hpp"
#include "zwang/path.hpp"

namespace zwang::test {
namespace {

const char* const k_start = "0.2,-0.3,0.2,-0.1,0.2,-0.8,0.2";

TEST(MoveCommand, TakesTheTimeOfTheLibrary) {
  const Folder folder;
  const std::string arm = model_file("arm7.urdf");
  const Model m = load(arm);
  Eigen::VectorXd q0(7), q1(7);
  q0 << 0.2, -0.3, 0.2, -0.1, 0.2, -0.8, 0.2;
  q1 << 0.5, 0, 0, 0.3, 0, 0, 0;
  const TimedPath motion = move(m, q0, q1, {.acceleration = {2}, .jerk = {20}});
  const Json d = zwang_json({"move", arm, "--q", k_start, "--to", "joint1=0.5,joint4=0.3", "--acceleration", "2",
                             "--jerk", "20", "--dt", "0.05", "--out", folder.path("a.json")})
                     .json();
  EXPECT_EQ(d["status"], "ok");
  EXPECT_DOUBLE_EQ(d["duration"].get<double>(), motion.duration());
  std::ifstream file(folder.path("a.json"));
  const Json whole = Json::parse(file);
  EXPECT_EQ(whole["time"].size(), motion.sample(0.05).time.size());
  EXPECT_FALSE(whole.contains("integrator"));
  EXPECT_EQ(whole["q"].back().get<std::vector<double>>(), std::vector<double>(q1.data(), q1.data() + 7));
}

TEST(MoveCommand, TimesASplineAndThePathOfAFrame) {
  const std::string arm = model_file("arm7.urdf");
  const Json spline = zwang_json({"move", arm, "--q", k_start, "--to", "zero", "--to", "joint1=0.5", "--velocity", "1",
                                  "--acceleration", "joint1=3,joint2=3,joint3=3,joint4=3,joint5=3,joint6=3,joint7=3"})
                          .json();
  EXPECT_EQ(spline["status"], "ok");
  EXPECT_LE(spline["utilisation"].get<double>(), 1 + 1e-6);
  EXPECT_GT(spline["binding"].size(), 1u);
  const Json pose = zwang_json({"ik", arm, "--q", k_start, "--target", "tool0:0.3,0.2,0.5"}).json();
  ASSERT_EQ(pose["status"], "ok");
  const Outcome line = zwang({"move", arm, "--q", k_start, "--target", "tool0:0.3,0.2,0.5", "--acceleration", "5"});
  EXPECT_NE(line.out.find("configurations along the path of the frame"), std::string::npos) << line.out << line.err;
}

TEST(MoveCommand, KeepsTheLimitsOfPosition) {
  const std::string arm = model_file("arm7.urdf");
  const Outcome one = zwang({"move", arm, "--to", "joint1=9", "--acceleration", "2"});
  EXPECT_EQ(one.code, 3);
  EXPECT_SAYS(one.err,
              "no motion: infeasible: --to joint1=9: joint 'joint1' is at 9, beyond its limits -2.9 and 2.9; "
              "--no-position-limits moves all the same");
  const Outcome start = zwang({"move", arm, "--q", "joint4=2", "--to", "zero", "--acceleration", "2"});
  EXPECT_EQ(start.code, 3);
  EXPECT_SAYS(start.err, "--q joint4=2: joint 'joint4' is at 2, beyond its limits -1.5 and 0.9");
  const Outcome several = zwang({"move", arm, "--to", "joint1=1", "--to", "joint1=9", "--acceleration", "2", "--json"});
  EXPECT_EQ(several.code, 3);
  EXPECT_EQ(several.json()["status"], "infeasible");
  EXPECT_SAYS(several.json()["reason"].get<std::string>(), "--to joint1=9: joint 'joint1'");
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--torque", "inf", "--to", "zero"}}) {
    std::vector<std::string> words = {"move", arm, "--to", "joint1=9", "--acceleration", "2", "--no-position-limits"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome free = zwang(words);
    EXPECT_EQ(free.code, 0) << free.err;
    EXPECT_SAYS(free.out, "the motion takes ");
  }
}

TEST(MoveCommand, RefusesWhatIsNotAsked) {
  const std::string arm = model_file("arm7.urdf");
  const auto refused = [&](std::vector<std::string> words, const char* why, int code = 1) {
    words.insert(words.begin(), {"move", arm});
    const Outcome r = zwang(words);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
  };
  refused({"--acceleration", "2"}, "expected --to V or --target");
  refused({"--to", "zero", "--target", "tool0:0.3,0.2,0.5", "--acceleration", "2"}, "and not both");
  refused({"--q", "joint1=1", "--to", "zero"}, "has no limit of acceleration");
  refused({"--to", "joint1=1", "--to", "zero", "--acceleration", "2", "--jerk", "5"}, "--jerk is for one --to");
  refused({"--q", "joint2=0.3", "--to", "joint2=0.9", "--torque", "0.5"}, "infeasible", 3);
  refused({"--to", "zero", "--out", "a.txt"}, ".csv, .json or .npz");
}

}  // namespace
}  // namespace zwang::test
