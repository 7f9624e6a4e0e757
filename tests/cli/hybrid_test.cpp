// SPDX-License-Identifier: BSD-3-Clause
// Problem files with policies, priorities, weights, prescribed joints and solver settings: each key counts,
// and counts as in C++.
#include "program.hpp"

namespace zwang::test {
namespace {

/// The arm with everything at once. Six free coordinates; level 0 has four rows of rank three that conflict, level 1
/// six rows in the three directions left, so that weights and priorities matter.
Json everything() {
  Json p = Json::parse(
      R"({"state": {"q": "random:1", "v": [0.4, -0.3, 0.2, 0.5, -0.6, 0.7, -0.8]}, "tau": [3, -2, 1, 4, -5, 2, 1],
    "external": [{"frame": "link5", "wrench": [5, -3, 2, 0.5, 0.7, -0.2], "in": "local"}],
    "constraints": [
      {"name": "tool", "type": "frame", "frame": "tool0", "rows": "linear", "beta": [0.1, 0.2, 0.3], "role": "driver",
       "policy": "early", "weight": 2},
      {"name": "elbow", "type": "frame", "frame": "link4", "rows": "linear.z angular.x", "policy": "soft",
       "compliance": [0.2, 0.05], "beta": [0.5, -0.5]},
      {"name": "wrist", "type": "frame", "frame": "link6", "rows": "all", "priority": 1, "weight": [1, 2, 3, 4, 5, 6],
       "compensate": ["gravity", "tau"], "beta": [1, 2, 3, -1, -2, -3]},
      {"name": "push", "type": "contact", "frame": "tool0", "rows": 1, "beta": [0.8], "weight": [3]}],
    "prescribed": {"joint2": 0.7},
    "solver": {"method": "automatic", "tolerance": 1e-10, "feasibility": 1e-8, "singularity": "weighted",
      "regularisation": 1e-5,
      "max_iterations": 50,
      "joint_effects": {"armature": false, "damping": true, "springs": true, "friction": true}}})");
  p["model"] = arm7();
  return p;
}

TEST(HybridProblem, EqualsTheSameThroughTheLibraryToTheLastBit) {
  const Json p = everything(), d = solved(p, {}, 3);
  const Model arm = arm7_model();
  ConstraintSet constraints(arm);
  constraints.add(FrameConstraint{.name = "tool",
                                  .frame = "tool0",
                                  .rows = rows("linear"),
                                  .beta = {0.1, 0.2, 0.3},
                                  .role = Role::driver,
                                  .policy = Policy::early,
                                  .weight = {2}});
  constraints.add(FrameConstraint{.name = "elbow",
                                  .frame = "link4",
                                  .rows = rows("linear.z angular.x"),
                                  .beta = {0.5, -0.5},
                                  .policy = Policy::soft,
                                  .compliance = {0.2, 0.05}});
  constraints.add(FrameConstraint{.name = "wrist",
                                  .frame = "link6",
                                  .beta = {1, 2, 3, -1, -2, -3},
                                  .priority = 1,
                                  .compensate = {.external = false, .prescribed = false},
                                  .weight = {1, 2, 3, 4, 5, 6}});
  constraints.add(ContactConstraint{.name = "push", .frame = "tool0", .rows = 1, .beta = {0.8}, .weight = {3}});
  SolverSettings settings{.tolerance = 1e-10, .feasibility = 1e-8, .singularity = Singularity::weighted};
  settings.joint_effects = {.armature = false, .friction = true};
  Solver solver(arm, constraints, settings);
  const Externals external = {external_wrench(arm, "link5", {5, -3, 2, 0.5, 0.7, -0.2}, Reference::local)};
  const Prescribed prescribed = {{arm.joint("joint2").v.first, 0.7}};
  const Eigen::VectorXd q = random(arm, 1), v = vector_of(p["state"]["v"]), tau = vector_of(p["tau"]);
  const Solution& s = solver.solve({.q = q, .v = v, .tau = tau, .external = &external, .prescribed = &prescribed});
  EXPECT_EQ(s.report.status, Status::infeasible);  // push and tool ask the same row for 0.3 and 0.8
  EXPECT_EQ(vector_of(d["qdd"]), Eigen::VectorXd(s.acceleration));
  EXPECT_EQ(vector_of(d["motor_torque"]), Eigen::VectorXd(s.motor_torque));
  EXPECT_EQ(vector_of(d["reaction"]), Eigen::VectorXd(s.reaction));
  EXPECT_EQ(d["zwang"], s.zwang);
  EXPECT_EQ(d["report"]["given_up"].size(), s.report.given_up.size());
  EXPECT_EQ(d["report"]["tolerance"], 1e-10);
  for (const Json& c : d["constraints"]) {
    const ConstraintSolution part = s[c["name"]];
    EXPECT_EQ(vector_of(c["lambda"]), Eigen::VectorXd(part.multipliers)) << c["name"];
    EXPECT_EQ(vector_of(c["residual"]), Eigen::VectorXd(part.residual)) << c["name"];
  }
}

TEST(HybridProblem, EveryKeyCounts) {
  const Eigen::VectorXd base = vector_of(solved(everything(), {}, 3)["qdd"]);
  const std::vector<std::pair<const char*, Json>> changes = {
      {"/constraints/1/compliance", 0.3},
      {"/constraints/1/compliance", {0.2, 0.06}},
      {"/constraints/2/priority", 0},
      {"/constraints/2/weight", 1},
      {"/constraints/2/compensate", {"gravity", "tau", "external"}},
      {"/constraints/2/compensate", {"gravity", "tau", "prescribed"}},
      {"/constraints/2/compensate", {"gravity"}},
      {"/constraints/2/compensate", Json::array()},
      {"/constraints/3/weight", {4}},
      {"/prescribed/joint2", 0.8},
      {"/prescribed", Json::object()},
      {"/prescribed", {{"joint3", 0.7}}},
      {"/external/0/in", "world"},
      {"/solver/singularity", "truncation"},
      {"/solver/joint_effects/armature", true},
      {"/solver/joint_effects/damping", false},
      {"/solver/joint_effects/friction", false}};
  for (const auto& [pointer, value] : changes) {
    Json p = everything();
    p[Json::json_pointer(pointer)] = value;
    const Outcome o = solve_problem(p);
    ASSERT_TRUE(o.code == 0 || o.code == 3) << pointer << o.out;
    EXPECT_GT((vector_of(o.json()["qdd"]) - base).norm(), 1e-6) << pointer << ' ' << value;
  }
}

TEST(HybridProblem, ASoftRowGivesWayByItsComplianceTimesItsMultiplier) {
  for (const char* compliance : {"0.25", "[0.25, 0.25, 0.25, 0.25, 0.25]"}) {
    const Json d = solved(arm_problem(std::string(R"({"policy": "soft", "compliance": )") + compliance + "}"));
    const Json& hand = d["constraints"][0];
    EXPECT_EQ(hand["policy"], "soft");
    const Eigen::VectorXd l = vector_of(hand["lambda"]), r = vector_of(hand["residual"]);
    EXPECT_GT(l.norm(), 0.1);
    EXPECT_CLOSE(r, -0.25 * l, 1e-11);  // K a + R lambda = beta, some thousand roundings
    EXPECT_EQ(d["report"]["rank"], 5);
  }
}

TEST(HybridProblem, AnEarlyRowIsHeldAsAHardOne) {
  const Json hard = solved(arm_problem()), early = solved(arm_problem(R"({"policy": "early"})"));
  EXPECT_EQ(early["constraints"][0]["policy"], "early");
  // The two orders of elimination differ by rounding times the condition of M, some 1e4.
  EXPECT_CLOSE(vector_of(early["qdd"]), vector_of(hard["qdd"]), 1e-10);
  EXPECT_CLOSE(vector_of(early["constraints"][0]["lambda"]), vector_of(hard["constraints"][0]["lambda"]), 1e-9);
}

/// One row asked for 1 by `first` and for 2 by `second`.
Json two_wishes(const std::string& first, const std::string& second) {
  Json p = arm_problem(R"({"rows": "linear.x", "beta": [1]})");
  Json other = p["constraints"][0];
  other["name"] = "other";
  other["beta"] = {2};
  p["constraints"][0].update(Json::parse(first));
  other.update(Json::parse(second));
  p["constraints"].push_back(other);
  return p;
}

TEST(HybridProblem, TheHigherPriorityHasItsWillAndTheLowerIsReported) {
  for (const bool swapped : {false, true}) {
    const Json d = solved(swapped ? two_wishes(R"({"priority": 2})", "{}") : two_wishes("{}", R"({"priority": 1})"));
    const std::size_t high = swapped ? 1 : 0, low = 1 - high;
    EXPECT_EQ(d["status"], "ok");
    EXPECT_EQ(d["constraints"][low]["priority"], swapped ? 2 : 1);
    EXPECT_NEAR(d["constraints"][high]["residual"][0].get<double>(), 0, 1e-11);
    const double missed = swapped ? 1 : -1;
    EXPECT_NEAR(d["constraints"][low]["residual"][0].get<double>(), missed, 1e-11);
    ASSERT_EQ(d["report"]["given_up"].size(), 1u);
    const Json& up = d["report"]["given_up"][0];
    EXPECT_EQ(up["row"], swapped ? "hand:linear.x" : "other:linear.x");
    EXPECT_EQ(up["reason"], "priority");
    EXPECT_NEAR(up["amount"].get<double>(), missed, 1e-11);
    EXPECT_EQ(d["report"]["infeasible"], Json::array());
  }
}

TEST(HybridProblem, WeightsShareAContradiction) {
  const Json d = solved(two_wishes(R"({"weight": 3})", R"({"weight": [1]})"), {"--singularity", "weighted"}, 3);
  // The least of 3 (x - 1)^2 + (x - 2)^2 is x = 1.25.
  EXPECT_NEAR(d["constraints"][0]["residual"][0].get<double>(), 0.25, 1e-9);
  EXPECT_NEAR(d["constraints"][1]["residual"][0].get<double>(), -0.75, 1e-9);
  EXPECT_EQ(d["report"]["singularity"], "weighted");
  const Json plain = solved(two_wishes(R"({"weight": 3})", R"({"weight": [1]})"), {}, 3);
  EXPECT_NEAR(plain["constraints"][0]["residual"][0].get<double>(), 0.5, 1e-9);
}

/// A body of 2 kg whose centre is held in all directions.
Json floating_body(const Folder& folder) {
  folder.write("body.urdf",
               "<robot name='own'><link name='tool0'><inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' "
               "iyy='1' iyz='0' izz='1'/></inertial></link></robot>");
  Json p = Json::parse(R"({"root": "floating", "external": [{"frame": "tool0", "wrench": [3, 0, 0, 0, 0, 5]}],
    "constraints": [{"name": "hold", "type": "frame", "frame": "tool0", "rows": "all"}]})");
  p["model"] = folder.path("body.urdf");
  return p;
}

TEST(HybridProblem, WhatIsNotCompensatedActsAsWithoutRows) {
  const Folder folder;
  Json p = floating_body(folder);
  const Eigen::VectorXd held = vector_of(solved(p)["constraints"][0]["lambda"]);
  EXPECT_NEAR(held[2], 2 * 9.81, 1e-12);
  EXPECT_NEAR(held[0], -3, 1e-12);
  p["constraints"][0]["compensate"] = {"external", "tau", "prescribed"};
  const Json falls = solved(p);
  EXPECT_EQ(falls["status"], "ok");
  EXPECT_NEAR(falls["qdd"][2].get<double>(), -9.81, 1e-12);
  EXPECT_NEAR(falls["qdd"][0].get<double>(), 0, 1e-12);
  EXPECT_NEAR(falls["constraints"][0]["lambda"][2].get<double>(), 0, 1e-11);
  EXPECT_EQ(falls["report"]["given_up"], Json::array());
  p["constraints"][0]["compensate"] = {"gravity"};
  const Json pushed = solved(p);
  EXPECT_NEAR(pushed["qdd"][0].get<double>(), 1.5, 1e-12);
  EXPECT_NEAR(pushed["qdd"][5].get<double>(), 5, 1e-12);
  EXPECT_NEAR(pushed["constraints"][0]["lambda"][2].get<double>(), 2 * 9.81, 1e-11);
}

TEST(HybridProblem, PrescribedCoordinatesMoveAsToldAndTheirTorqueIsFound) {
  Json p = arm_problem();
  p["constraints"] = Json::array();
  p["state"]["v"] = "zero";
  p["tau"] = "zero";
  p["prescribed"] = {{"joint3", 0.7}, {"joint5", {-1.5}}};
  const Json d = solved(p);
  EXPECT_EQ(d["qdd"][2], 0.7);
  EXPECT_EQ(d["qdd"][4], -1.5);
  const Eigen::VectorXd torque = vector_of(d["motor_torque"]);
  EXPECT_EQ(torque[0], 0);
  EXPECT_GT(std::abs(torque[2]), 1e-3);
  const Model arm = arm7_model();
  Data data(arm);
  // Plain forward dynamics with the motors' torques moves the same way.
  EXPECT_CLOSE(forward_dynamics(arm, data, random(arm, 1), zero(arm), torque), vector_of(d["qdd"]), 1e-11);
}

TEST(HybridProblem, ARootIsPrescribedWholeOrByCoordinate) {
  Json p = Json::parse(R"({"root": "floating", "prescribed": {"root_joint": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}})");
  p["model"] = quadruped();
  const Json whole = solved(p);
  EXPECT_EQ(vector_of(whole["qdd"]).head(6), (Eigen::VectorXd(6) << 0.1, 0.2, 0.3, 0.4, 0.5, 0.6).finished());
  Json parts = p;
  parts["prescribed"] = {{"root_joint[0]", 0.1}, {"root_joint[1]", 0.2}, {"root_joint[2]", 0.3},
                         {"root_joint[3]", 0.4}, {"root_joint[4]", 0.5}, {"root_joint[5]", 0.6}};
  EXPECT_EQ(solved(parts)["qdd"], whole["qdd"]);
  p.erase("prescribed");
  EXPECT_EQ(solved(p, {"--prescribe", "root_joint=0.1,0.2,0.3,0.4,0.5,0.6"})["qdd"], whole["qdd"]);
  const Json typed = solved(parts, {"--prescribe", "root_joint[2]=1"});  // what is typed goes first
  EXPECT_EQ(typed["qdd"][2], 1.0);
  EXPECT_EQ(typed["qdd"][1], 0.2);
}

TEST(HybridProblem, SettingsReachTheSolver) {
  Json p = two_wishes("{}", "{}");
  p["solver"]["feasibility"] = 0.9;
  p["constraints"][1]["beta"] = {1.0001};
  EXPECT_EQ(solved(p)["status"], "ok");
  p["solver"]["feasibility"] = 1e-9;
  EXPECT_EQ(solved(p, {}, 3)["status"], "infeasible");

  p = arm_problem();
  p["solver"] = {{"singularity", "damping"}, {"regularisation", 1e-2}, {"tolerance", 1e-7}};
  const Json d = solved(p);
  EXPECT_EQ(d["report"]["tolerance"], 1e-7);
  EXPECT_EQ(d["report"]["singularity"], "damping");
  ASSERT_FALSE(d["report"]["given_up"].empty());
  EXPECT_EQ(d["report"]["given_up"][0]["reason"], "damping");
  p["solver"]["regularisation"] = 1e-4;
  const double strong = vector_of(d["constraints"][0]["residual"]).norm(),
               weak = vector_of(solved(p)["constraints"][0]["residual"]).norm();
  EXPECT_LT(weak, 0.1 * strong);

  p["solver"] = {{"singularity", "proximal"}, {"regularisation", 1.0}, {"max_iterations", 2}};
  EXPECT_EQ(solved(p, {}, 3)["status"], "not_converged");
  p["solver"] = {{"singularity", "proximal"}};
  const Json q = solved(p);
  EXPECT_GT(q["report"]["iterations"].get<int>(), 1);
  EXPECT_CLOSE(vector_of(q["qdd"]), vector_of(solved(arm_problem())["qdd"]), 1e-7);
}

TEST(HybridProblem, MotorsHaveLimits) {
  Json p = arm_problem(R"({"role": "driver"})");
  const Eigen::VectorXd free = vector_of(solved(p)["motor_torque"]);
  const double most = 0.8 * free.cwiseAbs().maxCoeff();
  Json limits = Json::object();
  for (int k = 1; k <= 7; ++k) limits["joint" + std::to_string(k)] = {-most, most};
  p["solver"] = {{"motor_limits", limits}};
  const Json s = solved(p);
  EXPECT_LE(vector_of(s["motor_torque"]).cwiseAbs().maxCoeff(), most * (1 + 1e-9));
  EXPECT_FALSE(s["report"]["inequalities"]["motors_at_limit"].empty());
  EXPECT_EQ(s["report"]["given_up"][0]["reason"], "limit");
}

TEST(HybridProblem, WrongValuesOfTheNewKeysAreRefusedWithTheirPlace) {
  EXPECT_SAYS(refusal(arm_problem(R"({"policy": "sotf"})")), "constraints[0].policy: got 'sotf'");
  EXPECT_SAYS(refusal(arm_problem(R"({"policy": "soft"})")), "complian");
  EXPECT_SAYS(refusal(arm_problem(R"({"policy": "soft", "compliance": -1})")), "complian");
  EXPECT_SAYS(refusal(arm_problem(R"({"policy": "soft", "compliance": [1, 2]})")), "complian");
  EXPECT_SAYS(refusal(arm_problem(R"({"policy": "soft", "compliance": "stiff"})")), "constraints[0].compliance");
  EXPECT_SAYS(refusal(arm_problem(R"({"weight": 0})")), "weight");
  EXPECT_SAYS(refusal(arm_problem(R"({"weight": [1, 2]})")), "weight");
  EXPECT_SAYS(refusal(arm_problem(R"({"priority": -1})")), "priority");
  EXPECT_SAYS(refusal(arm_problem(R"({"priority": 0.5})")), "constraints[0].priority");
  EXPECT_SAYS(refusal(arm_problem(R"({"compensate": "gravity"})")), "constraints[0].compensate");
  EXPECT_SAYS(refusal(arm_problem(R"({"compensate": ["gravitty"]})")), "did you mean 'gravity'");
  EXPECT_SAYS(refusal(arm_problem(R"({"compensate": ["tau", "tau"]})")), "compensate[1]: 'tau' is given twice");
  EXPECT_SAYS(refusal(arm_problem(R"({"complaince": 1})")), "did you mean 'compliance'?");
  const auto solver = [](const char* text) {
    Json p = arm_problem();
    p["solver"] = Json::parse(text);
    return refusal(p);
  };
  EXPECT_SAYS(solver(R"({"singularity": "truncaton"})"), "did you mean 'truncation'");
  EXPECT_SAYS(solver(R"({"max_iterations": 1.5})"), "solver.max_iterations");
  EXPECT_SAYS(solver(R"({"max_iterations": 0})"), "max_iterations");
  EXPECT_SAYS(solver(R"({"regularisation": -1})"), "regularisation");
  EXPECT_SAYS(solver(R"({"feasibility": -1})"), "feasibility");
  EXPECT_SAYS(solver(R"({"joint_effects": {"amature": true}})"), "did you mean 'armature'?");
  EXPECT_SAYS(solver(R"({"joint_effects": {"springs": 1}})"), "solver.joint_effects.springs");
  EXPECT_SAYS(solver(R"({"motor_limits": "efort"})"), "did you mean 'effort'");
  EXPECT_SAYS(solver(R"({"motor_limits": 3})"), "solver.motor_limits");
  EXPECT_SAYS(solver(R"({"motor_limits": {"joint11": 3}})"), "did you mean 'joint1'");
  EXPECT_SAYS(solver(R"({"motor_limits": {"joint1": [1, 2, 3]}})"), "solver.motor_limits.joint1");
  EXPECT_SAYS(solver(R"({"motor_limits": {"joint1": [2, 1]}})"), "lower <= upper");
}

TEST(HybridProblem, WrongPrescriptionsAreRefusedByName) {
  const auto file = [](const char* text) {
    Json p = arm_problem();
    p["prescribed"] = Json::parse(text);
    return refusal(p);
  };
  EXPECT_SAYS(file(R"({"joint33": 0})"), "prescribed.joint33");
  EXPECT_SAYS(file(R"({"joint3": [1, 2]})"), "prescribed.joint3");
  EXPECT_SAYS(file(R"({"joint3": "fast"})"), "prescribed.joint3");
  EXPECT_SAYS(file(R"({"joint3": 1, "joint3[0]": 1})"), "joint3");
  EXPECT_SAYS(file("[1]"), "prescribed");
  const auto typed = [](const std::vector<std::string>& more) { return refusal(arm_problem(), more); };
  EXPECT_SAYS(typed({"--prescribe", "joint3"}), "--prescribe joint3: expected JOINT=acceleration");
  EXPECT_SAYS(typed({"--prescribe", "joint3=fast"}), "fast");
  EXPECT_SAYS(typed({"--prescribe", "jiont3=1"}), "joint3");
  EXPECT_SAYS(typed({"--prescribe", "joint3=1", "--prescribe", "joint3=1"}), "joint3");
  Json human = {{"model", model_file("humanoid.urdf")}};
  EXPECT_SAYS(refusal(human, {"--prescribe", "gripper_mirror=1"}), "gripper");
}

TEST(HybridProblem, WhatAMethodCannotDoIsRefusedByName) {
  EXPECT_SAYS(refusal(arm_problem(R"({"policy": "soft", "compliance": 1, "priority": 1})")), "priorit");
  EXPECT_SAYS(refusal(arm_problem(R"({"policy": "soft", "compliance": 1, "compensate": []})")), "compensate");
  EXPECT_SAYS(refusal(arm_problem(), {"--method", "pv_soft"}), "pv_soft");
  EXPECT_SAYS(refusal(arm_problem(R"({"priority": 1})"), {"--singularity", "damping"}), "damping");
}

}  // namespace
}  // namespace zwang::test
