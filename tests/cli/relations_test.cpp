// SPDX-License-Identifier: BSD-3-Clause
// Constraints between bodies in problem files: each type, what its keys mean, what is refused.
#include "program.hpp"

namespace zwang::test {
namespace {

/// An arm at rest without its own constraint, but with this one.
Json with(const std::string& constraint) {
  Json p = arm_problem();
  p["constraints"] = Json::array({Json::parse(constraint)});
  p["state"]["v"] = "zero";
  return p;
}
/// a_f, classical, of a frame at rest, along the world's axes.
Eigen::VectorXd acceleration_at_rest(const Json& solved, const std::string& frame) {
  const Model arm = arm7_model();
  Data data(arm);
  const Eigen::VectorXd q = random(arm, 1);
  return jacobian(arm, data, q, frame, Reference::local_world_aligned) * vector_of(solved["qdd"]);
}

TEST(Relations, ALoopIsSolvedWithEveryMethod) {
  const Json p = with(R"({"name": "loop", "type": "loop", "frames": ["link3", "tool0"],
      "rows": {"joint": "ball"}, "target": [0.1, 0.2, 0.3], "baumgarte": {"time_constant": 0.1}})");
  const Json d = solved(p);
  EXPECT_EQ(d["constraints"][0]["type"], "loop");
  EXPECT_EQ(d["constraints"][0]["frame"], "link3");
  EXPECT_EQ(d["constraints"][0]["other"], "tool0");
  EXPECT_EQ(d["report"]["rank"], 3);
  EXPECT_LT(d["report"]["residual"].get<double>(), 1e-9);
  EXPECT_EQ(solve_problem(p, {"--method", "all"}).code, 0);
}

TEST(Relations, GroupsSayWhatTheirConstraintsDoTogether) {
  Json p = with(R"({"name": "tool", "type": "frame", "frame": "tool0", "rows": "linear"})");
  p["constraints"].push_back({{"name", "rod"},
                              {"type", "distance"},
                              {"frames", {"link2", "tool0"}},
                              {"length", 0.5},
                              {"other_point", {0.1, 0, 0}}});
  p["groups"] = {{"both", {"tool", "rod"}}, {"inner", {"rod"}}};
  const Json d = solved(p);
  EXPECT_EQ(d["groups"]["both"]["constraints"], Json({"tool", "rod"}));
  for (int k = 0; k < 3; ++k) {  // a rod between two bodies pushes both
    const double f = d["constraints"][0]["wrench"][k];
    EXPECT_NEAR(d["groups"]["both"]["wrench"][k], f, 1e-9 * (1 + std::abs(f)));
    EXPECT_NEAR(d["groups"]["inner"]["wrench"][k], 0,
                1e-9 * (1 + std::abs(d["constraints"][1]["lambda"][0].get<double>())));
  }
  p["groups"] = {{"both", {"tool", "rot"}}};
  EXPECT_SAYS(refusal(p), "groups.both: ");
  EXPECT_SAYS(refusal(p), "did you mean 'rod'");
}

TEST(Relations, ADistanceKeepsItsRate) {
  const Json d = solved(with(R"({"name": "rod", "type": "distance", "frames": ["link2", "tool0"],
      "point": [0.1, 0, 0], "other_point": [0, 0.1, 0], "length": 0.5})"));
  EXPECT_EQ(d["constraints"][0]["rows"].size(), 1u);
  EXPECT_LT(d["report"]["residual"].get<double>(), 1e-9);
}

TEST(Relations, ACouplingBindsCoordinates) {
  const Json d = solved(with(R"({"name": "gear", "type": "coupling", "coordinates": ["joint2", "joint5"],
      "ratio": [1, -3], "beta": [0.25]})"));
  const Eigen::VectorXd a = vector_of(d["qdd"]);
  EXPECT_NEAR(a[1] - 3 * a[4], 0.25, 1e-9);
  const Json cam = solved(with(R"({"name": "cam", "type": "coupling", "coordinates": ["joint2", "joint5"],
      "polynomial": [0.5, 2]})"));
  const Eigen::VectorXd b = vector_of(cam["qdd"]);
  EXPECT_NEAR(b[1] - 2 * b[4], 0, 1e-9);
}

TEST(Relations, AWheelOnThePlaneOfTheWorldDoesNotSlip) {
  // Without a radius the lowest point is the frame's own origin: at rest its acceleration is zero.
  const Json d = solved(with(R"({"name": "skate", "type": "rolling", "frame": "tool0", "radius": 0,
      "rows": ["tangent1", "tangent2", "normal"]})"));
  EXPECT_EQ(d["constraints"][0]["rows"], Json({"tangent1", "tangent2", "normal"}));
  EXPECT_LT(acceleration_at_rest(d, "tool0").head(3).norm(), 1e-8);
}

TEST(Relations, TheCentreOfMassGoesWhereItShall) {
  const Json rows = solved(with(R"({"name": "com", "type": "centre_of_mass", "rows": "linear.x linear.z",
      "beta": [0.5, 1]})"));
  const Json matrix = solved(with(R"({"name": "com", "type": "centre_of_mass", "matrix": [[1, 0, 0], [0, 0, 1]],
      "beta": [0.5, 1]})"));
  EXPECT_LT(rows["report"]["residual"].get<double>(), 1e-9);
  EXPECT_CLOSE(vector_of(matrix["qdd"]), vector_of(rows["qdd"]), 1e-11);
}

TEST(Relations, FramesAndContactsMayHaveATarget) {
  const Model arm = arm7_model();
  Data data(arm);
  forward_kinematics(arm, data, random(arm, 1));
  const Vec3<double> p = frame_pose(arm, data, arm.find_frame("tool0")).p;
  Json held = with(R"({"name": "hand", "type": "frame", "frame": "tool0", "rows": "linear",
      "target_pose": {}, "baumgarte": {"time_constant": 0.5}})");
  held["constraints"][0]["target_pose"]["position"] = {p.x - 0.5, p.y, p.z};
  const Eigen::VectorXd a = acceleration_at_rest(solved(held), "tool0");
  EXPECT_NEAR(a[0], -0.5 / (0.5 * 0.5), 1e-8);  // phi'' = -phi / T^2
  EXPECT_NEAR(a[1], 0, 1e-8);
  Json foot = with(R"({"name": "foot", "type": "contact", "frame": "tool0", "rows": 1,
      "baumgarte": {"time_constant": 0.5}})");
  foot["constraints"][0]["target_point"] = {0, 0, p.z + 0.25};
  EXPECT_NEAR(acceleration_at_rest(solved(foot), "tool0")[2], 1, 1e-8);
}

TEST(Relations, WhatIsWrongIsRefusedWithItsPlace) {
  const auto says = [](const std::string& constraint) { return refusal(with(constraint)); };
  EXPECT_SAYS(says(R"({"name": "a", "type": "distance", "frames": ["link2"], "length": 1})"), "two frames");
  EXPECT_SAYS(says(R"({"name": "a", "type": "distance", "frames": ["link2", "tool0"], "length": 0})"), "length");
  EXPECT_SAYS(says(R"({"name": "a", "type": "coupling", "coordinates": ["jiont2"], "ratio": [1]})"), "joint2");
  EXPECT_SAYS(says(R"({"name": "a", "type": "rolling", "frame": "tool0", "radius": -1})"), "radius");
  EXPECT_SAYS(says(R"({"name": "a", "type": "centre_of_mass", "rows": "angular"})"), "angular");
  EXPECT_SAYS(says(R"({"name": "a", "type": "centre_of_mass", "matrix": [[1, 2]]})"), "matrix[0]");
  EXPECT_SAYS(says(R"({"name": "a", "type": "rolling", "frame": "tool0", "radius": 1, "length": 1})"), "unknown key");
  EXPECT_SAYS(says(R"({"name": "a", "type": "frame", "frame": "tool0", "baumgarte": {"time_constant": 1}})"),
              "target_pose");
}

TEST(Relations, ALoopIsAssembledFromWhereItIsOpen) {
  const Folder folder;
  Json p = {{"model", std::string(ZWANG_MODELS) + "/four_bar.urdf"},
            {"state", {{"q", {0.5, 0.1, -0.2}}}},
            {"fixed", {"crank_joint"}},
            {"assembly", {{"tolerance", 1e-11}, {"limits", false}}}};
  p["constraints"] = Json::array({Json::parse(R"({"name": "pin", "type": "loop", "frames": ["rod_end", "crank_pin"],
      "rows": {"joint": "hinge", "axis": "z"}})")});
  const std::string file = folder.write("open.json", p.dump());
  const Outcome done = zwang({"assemble", file, "--json", "--v", "1,0,0"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  const Json d = done.json();
  EXPECT_EQ(d["status"], "ok");
  EXPECT_EQ(d["q"][0], 0.5);
  EXPECT_EQ(d["report"]["rank"], 2);
  EXPECT_LE(d["report"]["residual"].get<double>(), 1e-11);
  EXPECT_LE(d["report"]["velocity_residual"].get<double>(), 1e-11);
  EXPECT_EQ(d["v"][0], 1.0);
  EXPECT_NE(zwang({"assemble", file}).out.find("All 5 rows hold"), std::string::npos);
  p["constraints"].push_back({{"name", "rod"}, {"type", "distance"}, {"frames", {"ground", "rod"}}, {"length", 5.0}});
  const Outcome apart = zwang({"assemble", folder.write("apart.json", p.dump()), "--json"});
  EXPECT_EQ(apart.code, 3);
  EXPECT_NE(apart.json()["report"]["unmet"].dump().find("rod:"), std::string::npos);
  const Outcome unknown = zwang({"assemble", file, "--fixed", "crank_joing"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.err.find("did you mean 'crank_joint'"), std::string::npos) << unknown.err;
}

TEST(InverseKinematics, IsReadFromAFileOrTyped) {
  const Folder folder;
  Json p = {{"model", std::string(ZWANG_MODELS) + "/arm7.urdf"},
            {"state", {{"q", "random:3"}}},
            {"ik", {{"tolerance", 1e-10}, {"solutions", 2}}}};
  p["targets"] = {{"tool0", Json::parse("[[1,0,0,0.3],[0,-1,0,0.1],[0,0,-1,0.4],[0,0,0,1]]")}};
  const Outcome done = zwang({"ik", folder.write("pick.json", p.dump()), "--json"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(done.json()["status"], "ok");
  EXPECT_LE(done.json()["error"].get<double>(), 1e-10);
  EXPECT_EQ(done.json()["q"].size(), 7u);
  const Outcome typed =
      zwang({"ik", std::string(ZWANG_MODELS) + "/arm7.urdf", "--target", "tool0:0.3,0.1,0.4,1,0,0,0"});
  EXPECT_EQ(typed.code, 0) << typed.err;
  EXPECT_NE(typed.out.find("All targets are met"), std::string::npos) << typed.out;
  const Outcome far = zwang({"ik", std::string(ZWANG_MODELS) + "/arm7.urdf", "--target", "tool0:9,0,0", "--json"});
  EXPECT_EQ(far.code, 3);
  EXPECT_EQ(far.json()["status"], "nearest_found");
  EXPECT_EQ(far.json()["out_of_reach"], true);
  EXPECT_EQ(zwang({"ik", std::string(ZWANG_MODELS) + "/arm7.urdf"}).code, 1);
  p["targets"]["tool0"][3][3] = 2;
  EXPECT_NE(zwang({"ik", folder.write("bad.json", p.dump())}).err.find("expected 0, 0, 0, 1"), std::string::npos);
  EXPECT_NE(zwang({"solve", folder.write("other.json", p.dump())}).err.find("this key is for zwang ik"),
            std::string::npos);
}

/// Fewer rows than six: what is asked for is measured, what is not asked for is not shown, and an axis that can only
/// point the other way is half a turn off. Without a start the search begins within limits.
TEST(InverseKinematics, MeasuresWhatIsAskedFor) {
  const std::string arm = std::string(ZWANG_MODELS) + "/arm7.urdf";
  const Outcome met = zwang({"ik", arm, "--target", "tool0:0.3,0.1,0.4"});
  EXPECT_EQ(met.code, 0) << met.err;
  const std::size_t row = met.out.find("tool0 ");
  ASSERT_NE(row, std::string::npos) << met.out;
  EXPECT_EQ(met.out.substr(row, met.out.find('\n', row) - row).back(), '-') << met.out;
  const Outcome far = zwang({"ik", arm, "--target", "tool0:9,0,0", "--json"});
  EXPECT_GT(far.json()["error"].get<double>(), 5);
  EXPECT_GT(far.json()["residual"].get<double>(), 1);
  const Folder folder;
  const std::string hinge = folder.write(
      "hinge.urdf",
      "<robot name='h'><link name='b'/><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
      "ixy='0' "
      "ixz='0' iyz='0'/></inertial></link><joint name='j' type='revolute'><parent link='b'/><child link='l'/><axis "
      "xyz='0 0 1'/><limit lower='0.8' upper='2' effort='1' velocity='1'/></joint></robot>");
  Json p = {{"model", hinge}};
  p["targets"]["l"] = {{"position", {0, 0, 0}}, {"quaternion", {1, 0, 0, 0}}, {"rows", "angular.x angular.y"}};
  const Outcome opposed = zwang({"ik", folder.write("down.json", p.dump()), "--json"});
  EXPECT_EQ(opposed.code, 3) << opposed.err;
  EXPECT_NEAR(opposed.json()["error"].get<double>(), 3.14159265358979, 1e-12);
  EXPECT_GE(opposed.json()["q"][0].get<double>(), 0.8);
}

}  // namespace
}  // namespace zwang::test
