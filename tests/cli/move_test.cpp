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
              "no motion: infeasible: --to joint1=9: joint 'joint1' is at 9, beyond its limits -2.9 and 2.9 by 6.1; "
              "--no-position-limits moves all the same");
  const Outcome start = zwang({"move", arm, "--q", "joint4=2", "--to", "zero", "--acceleration", "2"});
  EXPECT_EQ(start.code, 3);
  EXPECT_SAYS(start.err, "--q joint4=2: joint 'joint4' is at 2, beyond its limits -1.5 and 0.9 by 1.1");
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

TEST(MoveCommand, KeepsTheLimitsOfPositionAlongTheWholePathOfAFrame) {
  const std::string arm = model_file("arm7.urdf");
  const Folder folder;
  for (const char* target :
       {"tool0:0.3,0.1,0.4,1,0,0,0", "tool0:0.3,-0.1,0.4,1,0,0,0", "tool0:0.25,0.15,0.45,1,0,0,0"}) {
    const Outcome r = zwang({"move", arm, "--target", target, "--acceleration", "2", "--json"});
    if (std::string(target) == "tool0:0.3,0.1,0.4,1,0,0,0") { EXPECT_EQ(r.code, 0) << r.out << r.err; }
    const std::string reason = r.json().value("reason", "");
    EXPECT_EQ(reason.find("beyond its limits"), std::string::npos) << target << ": " << reason;
  }
}

TEST(MoveCommand, PassesOverConfigurationsThatRepeat) {
  const std::string arm = model_file("arm7.urdf");
  const auto duration = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"move", arm});
    words.insert(words.end(), {"--acceleration", "2", "--torque", "inf", "--json"});
    const Outcome r = zwang(words);
    EXPECT_EQ(r.code, 0) << r.out << r.err;
    return r.json()["duration"].get<double>();
  };
  const double once = duration({"--to", "joint1=0.5"});
  EXPECT_EQ(duration({"--to", "joint1=0.5", "--to", "joint1=0.5"}), once);
  EXPECT_EQ(duration({"--to", "joint1=0", "--to", "joint1=0.5"}), once);
  EXPECT_EQ(duration({"--to", "joint1=0.5", "--to", "joint1=0.2"}),
            duration({"--to", "joint1=0.5", "--to", "joint1=0.5", "--to", "joint1=0.2", "--to", "joint1=0.2"}));
  const Outcome nothing = zwang({"move", arm, "--to", "joint1=0", "--to", "joint1=0", "--acceleration", "2"});
  EXPECT_EQ(nothing.code, 1);
  EXPECT_EQ(nothing.err,
            "zwang move: all 3 waypoints (the start, and each --to or --target) are the same, expected at least 2 that "
            "differ\n");
}

TEST(MoveCommand, NotesAStartALittleBeyondALimitAndFrictionThatIsNotCounted) {
  const std::string arm = model_file("arm7.urdf");
  const Outcome r = zwang({"move", arm, "--q", "joint1=2.900001", "--to", "zero", "--acceleration", "2"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_SAYS(r.err, "note: joint 'joint1' is at 2.900001, beyond its limits -2.9 and 2.9 by 1e-06 at the start");
  EXPECT_EQ(zwang({"move", arm, "--q", "joint1=2.90001", "--to", "zero", "--acceleration", "2"}).code, 3);
  const Json d = zwang_json({"move", arm, "--q", "joint1=2.900001", "--to", "zero", "--acceleration", "2"}).json();
  EXPECT_EQ(d["notes"].size(), 1U);

  const Folder folder;
  std::ofstream(folder.path("bar.urdf"))
      << R"(<robot name="bar"><link name="w"/><link name="bar"><inertial><mass value="1"/>
<origin xyz="0.2 0 0"/><inertia ixx="1e-4" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="w"/><child link="bar"/><axis xyz="0 0 1"/>
<limit lower="-4" upper="4" effort="10" velocity="50"/><dynamics friction="6"/></joint></robot>)";
  const std::string bar = folder.path("bar.urdf");
  const Outcome plain = zwang({"move", bar, "--to", "j=1", "--torque", "10"});
  EXPECT_SAYS(plain.err,
              "note: Coulomb friction of 'j' is not counted in the torques; friction in --joint-effects counts it");
  const Outcome counted = zwang({"move", bar, "--to", "j=1", "--torque", "10", "--joint-effects", "friction"});
  EXPECT_EQ(counted.err, "");
  EXPECT_NE(plain.out, counted.out);
  EXPECT_SAYS(zwang({"move", bar, "--to", "j=1", "--torque", "10", "--joint-effects", "drag"}).err,
              "--joint-effects: got 'drag', expected some of armature,damping,springs,friction,gravity_scale, or none");
}

TEST(MoveCommand, SaysMessagesOfTheLibraryInItsOwnWords) {
  const std::string arm = model_file("arm7.urdf");
  const auto says = [&](std::vector<std::string> words, const std::string& what) {
    const std::string command = words[0];
    words.insert(words.begin() + 1, arm);
    const Outcome r = zwang(words);
    EXPECT_EQ(r.code, 1) << r.err;
    EXPECT_NE(r.err.find("zwang " + command + ": "), std::string::npos) << r.err;
    EXPECT_SAYS(r.err, what);
    for (const char* other : {"argument", "setting", "::", "column"})
      EXPECT_EQ(r.err.find(other), std::string::npos) << r.err;
  };
  says({"move", "--to", "joint1=1"}, "expected one in --acceleration or --jerk");
  says({"move", "--to", "joint1=1", "--torque", "inf"}, "expected a finite number in --acceleration or --torque");
  says({"move", "--to", "joint1=1", "--acceleration", "-2"}, "--acceleration is -2");
  says({"move", "--to", "joint1=1", "--acceleration", "2", "--velocity", "0"}, "--velocity is 0");
  says({"move", "--to", "joint1=1", "--acceleration", "2", "--torque", "5", "--grid", "1"},
       "--grid is 1, expected 2 to");
  says({"move", "--target", "tool0:0.3,0.2,0.5", "--acceleration", "2", "--tolerance", "-1"}, "--tolerance is -1");
  says({"simulate", "--dt", "-1"}, "--dt is > 0 and finite [s]; got -1");
  says({"simulate", "--time", "0"}, "--time is > 0 and finite [s]; got 0");
  says({"assemble", "--tolerance", "-1"}, "--tolerance is > 0 and finite; got -1");
}

TEST(MoveCommand, AsksWhetherAnglesAreDegreesAsOtherCommandsDo) {
  const std::string arm = model_file("arm7.urdf");
  const std::string question = "joint 'joint1' is at 90 rad, which are 14.3 turns: are these degrees?";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"move", arm, "--to", "joint1=90", "--acceleration", "2"},
                                             {"id", arm, "--q", "joint1=90"},
                                             {"solve", arm, "--q", "90,0,0,0,0,0,0"},
                                             {"quantities", arm, "mass_matrix", "--q", "joint1=90"}}) {
    const std::string option = words[0] == "move" ? "--to" : "--q";
    EXPECT_SAYS(zwang(words).err, "warning: W_DEGREES: found " + option + ": " + question);
    std::vector<std::string> json = words;
    json.push_back("--json");
    const Outcome r = zwang(json);
    EXPECT_EQ(r.err, "");
    const Json found = r.json()["diagnostics"];
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.back()["code"], "W_DEGREES") << found;  // after what is said of the model
  }
  EXPECT_EQ(zwang({"id", arm, "--q", "joint1=2"}).err.find("degrees"), std::string::npos);
  EXPECT_EQ(zwang({"id", arm, "--q", "joint1=90", "--quiet"}).err, "");
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
