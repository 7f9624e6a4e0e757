// SPDX-License-Identifier: BSD-3-Clause
// zwang simulate: problems whose floors cannot be meant, and notes.
#include "program.hpp"

namespace zwang::test {
namespace {

constexpr const char* k_ball =
    "<robot name='ball'><link name='ball'><inertial><mass value='1'/><inertia ixx='0.004' iyy='0.004' izz='0.004' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";

Json ball() {
  return {{"model", "ball.urdf"},
          {"root", "floating"},
          {"state", {{"q", {{"root_joint", {0, 0, 1.1, 0, 0, 0, 1}}}}}},
          {"time", 0.1},
          {"constraints",
           {{{"name", "floor"},
             {"type", "contact"},
             {"frame", "ball"},
             {"point", {0, 0, -0.1}},
             {"normal", {0, 0, 1}},
             {"rows", 1},
             {"active", false}}}}};
}

TEST(SimulateCommandEvents, RefusesARowThatIsSwitchedOnAndRebounds) {
  const Folder folder;
  folder.write("ball.urdf", k_ball);
  const Json when = {{"frame", "ball"}, {"point", {0, 0, -0.1}}};
  const Json events[] = {{{"name", "hit"}, {"when", when}, {"on", {"floor"}}, {"restitution", {{"floor", 0.8}}}},
                         {{"name", "hit"}, {"when", when}, {"on", {"floor"}}, {"bounce", {"floor"}}}};
  for (const Json& event : events) {
    Json problem = ball();
    problem["events"] = Json::array({event});
    const auto r = zwang({"simulate", folder.write("p.json", problem.dump())});
    EXPECT_NE(r.code, 0);
    for (const char* word : {"hit", "floor", "bounce"}) EXPECT_NE(r.err.find(word), std::string::npos) << r.err;
  }
}

TEST(SimulateCommandEvents, RefusesARowWithASenseThatHoldsBodiesInTheAir) {
  const Folder folder;
  folder.write("ball.urdf", k_ball);
  Json problem = ball();
  problem["constraints"][0].erase("active");
  problem["constraints"][0]["sense"] = "at_least";
  const auto r = zwang({"simulate", folder.write("p.json", problem.dump())});
  EXPECT_NE(r.code, 0);
  for (const char* word : {"floor", "in the air", "target_point", "time_constant"})
    EXPECT_NE(r.err.find(word), std::string::npos) << r.err;
}

TEST(SimulateCommandEvents, SaysOnceWhatTheMotionLeavesOut) {
  const auto r = zwang({"simulate", model_file("arm7.urdf"), "--time", "0.01"});
  EXPECT_EQ(r.code, 0) << r.err;
  const std::size_t at = r.err.find("left out of this motion: limits of 7 joints");
  EXPECT_NE(at, std::string::npos) << r.err;
  EXPECT_EQ(r.err.find("left out", at + 1), std::string::npos);
  EXPECT_NE(r.err.find("(--joint-limits T keeps them)"), std::string::npos) << r.err;  // the program's words
  EXPECT_EQ(r.err.find("()"), std::string::npos) << r.err;
  EXPECT_EQ(zwang_json({"simulate", model_file("arm7.urdf"), "--time", "0.01"}).json()["notes"].size(), 1u);
}

/// A bar of weight 4.9 N m, held by dry friction of 8 N m, or falling to its limit at 0.5 rad.
constexpr const char* k_bar =
    R"(<robot name="f"><link name="w"/><link name="b"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="0.0001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute">
<parent link="w"/><child link="b"/><axis xyz="0 1 0"/><limit lower="-0.5" upper="0.5" effort="20" velocity="9"/>
<dynamics friction="8" damping="0"/></joint></robot>)";

TEST(SimulateCommandEvents, CountsFrictionAndLimitsWhereTheyAreAskedFor) {
  const Folder folder;
  const std::string bar = folder.write("bar.urdf", k_bar);
  const auto end = [&](std::vector<std::string> options) {
    std::vector<std::string> all{"simulate", bar, "--time", "1"};
    all.insert(all.end(), options.begin(), options.end());
    const auto r = zwang_json(all);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.json()["q"].get<std::vector<double>>().at(0);
  };
  EXPECT_NEAR(end({"--joint-effects", "armature,damping,friction"}), 0, 1e-15);
  EXPECT_GT(end({}), 0.6);
  EXPECT_NEAR(end({"--joint-limits", "0.02"}), 0.5, 1e-6);
  EXPECT_EQ(zwang({"simulate", bar, "--joint-limits", "0"}).code, 1);
}

}  // namespace
}  // namespace zwang::test
