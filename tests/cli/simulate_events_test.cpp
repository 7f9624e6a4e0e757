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
  EXPECT_EQ(zwang_json({"simulate", model_file("arm7.urdf"), "--time", "0.01"}).json()["notes"].size(), 1u);
}

}  // namespace
}  // namespace zwang::test
