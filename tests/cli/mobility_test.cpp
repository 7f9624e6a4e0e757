// SPDX-License-Identifier: BSD-3-Clause
// zwang mobility, and which joints have motors.
#include "program.hpp"
#include "zwang/mechanisms.hpp"

namespace zwang::test {
namespace {

std::string five_bar() { return model_file("five_bar.urdf"); }

TEST(MobilityCommand, TellsWhatALoopLeaves) {
  const Json d = zwang_json({"mobility", five_bar(), "--loops", "--frame", "tool"}).json();
  EXPECT_EQ(d["status"], "ok");
  EXPECT_EQ(d["mobility"], 2);
  EXPECT_EQ(d["finite_mobility"], 2);
  EXPECT_EQ(d["rank"], 2);
  EXPECT_EQ(d["count"], -1);
  EXPECT_EQ(d["loops"], Json({{"right_wrist", 3}}));
  EXPECT_EQ(d["redundant"].size(), 3u);
  EXPECT_EQ(d["singular"], false);
  ASSERT_EQ(d["free"].size(), 2u);
  EXPECT_EQ(d["free"][0].size(), 4u);
  // What the library says: one face of it.
  LoadOptions options;
  options.loops = ClosedLoops::constraints;
  const Model model = load(five_bar(), options);
  ConstraintSet set(model);
  set.add_loops();
  const ActuatedJacobian j = Mobility(model, set).jacobian(neutral(model), "tool");
  EXPECT_EQ(d["jacobian"]["actuated"], Json({"left_shoulder", "right_shoulder"}));
  EXPECT_EQ(j.names.size(), 2U);
  EXPECT_EQ(d["jacobian"]["columns"][1][0], j.jacobian()(0, 1));
  const Outcome table = zwang({"mobility", five_bar(), "--loops", "--frame", "tool"});
  EXPECT_EQ(table.code, 0);
  EXPECT_SAYS(table.out, "Mobility 2: 4 coordinates, rank 2 of 5 rows.");
  EXPECT_SAYS(table.out, "'right_wrist': 3 of 5 rows redundant.");
  EXPECT_SAYS(table.out, "motion of tool by the rates of 2 motors");
}

TEST(MobilityCommand, ReadsAProblemAndItsMotors) {
  Json p = {{"model", five_bar()}, {"loops", true}, {"actuated", {"left_shoulder", "left_elbow"}}};
  const Folder folder;
  const std::string file = folder.write("problem.json", p.dump());
  const Json d = zwang_json({"mobility", file, "--frame", "tool", "--samples", "0"}).json();
  EXPECT_EQ(d["jacobian"]["actuated"], Json({"left_shoulder", "left_elbow"}));
  EXPECT_EQ(d["finite_mobility"], nullptr);
  const Json typed = zwang_json({"mobility", file, "--frame", "tool", "--actuated", "right_elbow,left_elbow"}).json();
  EXPECT_EQ(typed["jacobian"]["actuated"], Json({"left_elbow", "right_elbow"}));
  p["actuated"] = {"left_shouldr"};
  const Outcome wrong = zwang({"mobility", folder.write("wrong.json", p.dump())});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_SAYS(wrong.err, "left_shoulder");
  const Json info = zwang_json({"info", five_bar(), "--loops", "--actuated", "left_elbow"}).json();
  for (const Json& joint : info["joints"]) EXPECT_EQ(joint["actuated"], joint["name"] == "left_elbow");
}

}  // namespace
}  // namespace zwang::test
