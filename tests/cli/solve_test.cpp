// SPDX-License-Identifier: BSD-3-Clause
// solve: the numbers it prints obey mechanics, and its document has the shape that is promised.
#include "program.hpp"

namespace zwang::test {
namespace {

const std::vector<std::string> k_hold = {"solve", arm7(), "--hold", "tool0:linear.x,linear.y,angular"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Four contacts on a level floor and random torques, so that nothing is zero.
Json standing(const std::string& more = "") {
  Json p = Json::parse(
      R"({"root": "floating", "state": {"q": "neutral", "v": "zero"}, "tau": "random:4", "constraints": []})");
  p["model"] = quadruped();
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"})
    p["constraints"].push_back(
        {{"name", foot}, {"type", "contact"}, {"frame", foot}, {"normal", {0, 0, 1}}, {"rows", 3}});
  if (!more.empty()) p.update(Json::parse(more));
  return p;
}
TEST(Solve, HoldsTheToolInFiveDirectionsByTheMotors) {
  const Outcome o = zwang_json(with(k_hold, {"--q", "random:1", "--v", "random:2"}));
  ASSERT_EQ(o.code, 0) << o.out;
  const Json d = o.json();
  EXPECT_EQ(d["status"], "ok");
  EXPECT_EQ(d["report"]["rank"], 5);
  EXPECT_EQ(d["report"]["rows"], 5);
  EXPECT_EQ(d["report"]["redundant"], Json::array());
  EXPECT_EQ(d["report"]["infeasible"], Json::array());
  EXPECT_EQ(d["report"]["iterations"], 1);
  EXPECT_EQ(d["report"]["method"], "popov_vereshchagin");
  EXPECT_LT(d["report"]["residual"].get<double>(), 1e-10);
  const Json& tool = d["constraints"][0];
  EXPECT_EQ(tool["name"], "tool0");
  EXPECT_EQ(tool["frame"], "tool0");
  EXPECT_EQ(tool["rows"], Json({"linear.x", "linear.y", "angular.x", "angular.y", "angular.z"}));
  ASSERT_EQ(tool["lambda"].size(), 5u);
  ASSERT_EQ(tool["wrench"].size(), 6u);
  EXPECT_EQ(tool["wrench"][0], tool["lambda"][0]);
  EXPECT_EQ(tool["wrench"][2], 0.0);

  // At rest, the accelerations given to plain kinematics leave the tool only its fall.
  const Model arm = arm7_model();
  Data data(arm);
  const Eigen::VectorXd q = random(arm, 1), qdd = vector_of(d["qdd"]), none = zero(arm);
  const Json still = zwang_json(with(k_hold, {"--q", "random:1"})).json();
  const Eigen::VectorXd a = vector_of(still["qdd"]);
  forward_kinematics(arm, data, q, none, a);
  const Motion<double> t = frame_acceleration(arm, data, arm.find_frame("tool0"), AccelerationKind::classical);
  // Each row is a sum of terms of the size of the accelerations, some 10 rad/s^2: 1e-12 is a few thousand roundings.
  for (const double x : {t.v.x, t.v.y, t.w.x, t.w.y, t.w.z}) EXPECT_NEAR(x, 0, 1e-12 * (1 + a.norm()));
  EXPECT_LT(t.v.z, -1);
  // Proof: the motor torques reproduce the acceleration. Reactions: none, all rows are the motors'.
  EXPECT_CLOSE(forward_dynamics(arm, data, q, none, vector_of(still["motor_torque"])), a, 1e-11);
  EXPECT_EQ(vector_of(still["reaction"]).norm(), 0);
  EXPECT_GT(still["zwang"].get<double>(), 0);
}

TEST(Solve, PrintsATableForPeople) {
  const Outcome o = zwang(with(k_hold, {"--q", "random:1"}));
  EXPECT_EQ(o.code, 0);
  for (const char* part :
       {"acceleration [rad/s², m/s²]", "motor torque [N m, N]", "tool0:angular.z", "driver", "rank 5 of 5", "zwang"})
    EXPECT_SAYS(o.out, part);
}

TEST(Solve, TakesAConfigurationOfTheFileByItsName) {
  const std::string gripper = std::string(ZWANG_MODELS) + "/gripper.xml";
  const Robot robot = load_robot(gripper);
  for (const char* name : {"open", "closed"}) {
    const Outcome o = zwang({"solve", gripper, "--q", name, "--json", "--quiet"});
    ASSERT_EQ(o.code, 0) << o.err;
    for (const Configuration& c : robot.configurations) {
      if (c.name != name) continue;
      Solver solver(robot.model, robot.constraints);
      const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(c.q.data(), robot.model.nq());
      EXPECT_EQ(vector_of(o.json()["qdd"]), solver.solve({.q = q}).acceleration) << name;
    }
  }
  EXPECT_EQ(zwang({"solve", gripper, "--q", "ajar"}).code, 1);
}

TEST(Solve, StandsOnFourFeetWithReactionsThatCarryItsWeight) {
  const Json d = solved(standing());
  EXPECT_EQ(d["report"]["rank"], 12);
  const Model robot = quadruped_model();
  Data data(robot);
  const Eigen::VectorXd q = neutral(robot), v = zero(robot), a = vector_of(d["qdd"]);
  // Newton for the whole robot: reactions + weight = mass * acceleration of the centre of mass.
  Eigen::Vector3d sum(0, 0, 0);
  Externals external;
  for (const Json& c : d["constraints"]) {
    const Eigen::VectorXd w = vector_of(c["wrench"]);
    sum += w.head(3);
    const double six[6] = {w[0], w[1], w[2], w[3], w[4], w[5]};
    external.push_back(external_wrench(robot, c["frame"].get<std::string>(), six));
  }
  forward_kinematics(robot, data, q, v, a);
  const Vec3<double> c = centre_of_mass_acceleration(robot, data);
  const Eigen::Vector3d change = robot.mass() * (Eigen::Vector3d(c.x, c.y, c.z) + Eigen::Vector3d(0, 0, 9.81));
  EXPECT_CLOSE(sum, change, 1e-11);
  // Proof with the reactions as external wrenches, and J^T lambda under its name.
  EXPECT_CLOSE(forward_dynamics(robot, data, q, v, vector_of(d["motor_torque"]), external), a, 1e-10);
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(robot.nv());
  for (const Json& foot : d["constraints"])
    expected += jacobian(robot, data, q, foot["frame"].get<std::string>()).transpose() * vector_of(foot["wrench"]);
  EXPECT_CLOSE(vector_of(d["reaction"]), expected, 1e-11);
}

TEST(Solve, ReportsRedundantRowsAndStaysOk) {
  Json p = standing();
  p["constraints"].push_back({{"name", "again"}, {"type", "contact"}, {"frame", "LF_foot"}, {"rows", 1}});
  const Json d = solved(p);
  EXPECT_EQ(d["status"], "ok");
  EXPECT_EQ(d["report"]["rank"], 12);
  EXPECT_EQ(d["report"]["rows"], 13);
  EXPECT_EQ(d["report"]["redundant"], Json({"again:normal"}));
  // Least norm: the two rows that say the same share the load equally.
  EXPECT_NEAR(d["constraints"][0]["lambda"][2].get<double>(), d["constraints"][4]["lambda"][0].get<double>(), 1e-8);
}

TEST(Solve, ContradictionsAreInfeasibleWithExitThree) {
  Json p = standing();
  p["constraints"].push_back(
      {{"name", "lift"}, {"type", "contact"}, {"frame", "LF_foot"}, {"rows", 1}, {"beta", {1.0}}});
  const Json d = solved(p, {}, 3);
  EXPECT_EQ(d["status"], "infeasible");
  EXPECT_FALSE(d["report"]["infeasible"].empty());
  // Least squares: both miss by half.
  EXPECT_NEAR(d["constraints"][4]["residual"][0].get<double>(), -0.5, 1e-8);
  EXPECT_NEAR(d["constraints"][0]["residual"][2].get<double>(), 0.5, 1e-8);
}

TEST(Solve, WarnsOfADriverOnABaseWithoutMotorAndOfAContactThatPulls) {
  Json p = standing(
      R"({"constraints": [{"name": "trunk", "type": "frame", "frame": "trunk", "rows": "all", "role": "driver"}]})");
  const Json d = solved(p);
  EXPECT_EQ(d["report"]["warnings"][0]["kind"], "driver_on_unactuated");
  Json pulled = standing(R"({"external": [{"frame": "trunk", "wrench": [0, 0, 5000, 0, 0, 0]}]})");
  const Json e = solved(pulled);
  EXPECT_EQ(e["report"]["warnings"][0]["kind"], "contact_pulls");
  EXPECT_SAYS(e["report"]["text"].get<std::string>(), "pulls");
}

TEST(Solve, ExternalWrenchesAreCarriedByTheReactions) {
  const auto vertical = [](const Json& d) {
    double sum = 0;
    for (const Json& c : d["constraints"]) sum += c["wrench"][2].get<double>();
    return sum;
  };
  // Locked by a full hold of the trunk, the load goes through one row and nothing moves.
  const char* const trunk =
      R"({"tau": "zero", "constraints": [{"name": "trunk", "type": "frame", "frame": "trunk", "rows": ["linear", "angular"]}]})";
  Json free = standing(trunk), loaded = standing(trunk);
  loaded["external"] = Json::parse(R"([{"frame": "trunk", "wrench": [0, 0, -50, 0, 0, 0], "in": "world"}])");
  EXPECT_NEAR(vertical(solved(loaded)) - vertical(solved(free)), 50, 1e-9);
}

TEST(Solve, GravityAndModelOptionsApply) {
  const Json d = zwang_json(with(k_hold, {"--q", "random:1", "--gravity", "0,0,0"})).json();
  // The rotation of the tool is held and nothing pulls: no motion at all.
  EXPECT_EQ(vector_of(d["qdd"]).norm(), 0);
}

TEST(Solve, WrongHoldsAndMethodsAreRefusedByName) {
  const auto refusal = [](const std::vector<std::string>& more) {
    const Outcome o = zwang(with({"solve", arm7()}, more));
    EXPECT_EQ(o.code, 1) << o.err;
    return o.err;
  };
  EXPECT_SAYS(refusal({"--hold", "tol0:linear"}), "tool0");
  EXPECT_SAYS(refusal({"--hold", "tool0:linear.w"}), "linear.w");
  EXPECT_SAYS(refusal({"--hold", "tool0:"}), "no row");
  EXPECT_SAYS(refusal({"--method", "dense_ul"}), "dense_lu");
  EXPECT_SAYS(refusal({"--tolerance", "2"}), "tolerance");
  EXPECT_SAYS(refusal({"--singularity", "dampign"}), "damping");
}

TEST(Solve, AFrameMayBeHeldTwiceAndWholly) {
  const Json d =
      zwang_json({"solve", arm7(), "--q", "random:1", "--hold", "tool0:linear", "--hold", "tool0:angular"}).json();
  const Json all = zwang_json({"solve", arm7(), "--q", "random:1", "--hold", "tool0"}).json();
  EXPECT_EQ(d["report"]["rank"], 6);
  EXPECT_CLOSE(vector_of(d["motor_torque"]), vector_of(all["motor_torque"]), 1e-11);
}

TEST(Solve, WithoutConstraintsItIsForwardDynamics) {
  const Json d = zwang_json({"solve", arm7(), "--q", "random:1", "--v", "random:2", "--tau", "random:3"}).json();
  const Json fd = zwang_json({"fd", arm7(), "--q", "random:1", "--v", "random:2", "--tau", "random:3"}).json();
  EXPECT_EQ(d["status"], "ok");
  EXPECT_CLOSE(vector_of(d["qdd"]), vector_of(fd["qdd"]), 1e-12);
  EXPECT_EQ(d["zwang"], 0.0);
}

/// The quadruped falls on two feet, one of which bounces.
TEST(ImpulseCommand, ObeysTheLawsOfImpact) {
  const Folder folder;
  Json p = standing(R"({"state": {"q": "neutral", "v": "random:7"}, "tau": "zero",
                        "restitution": {"LF_foot": [0, 0, 0.5], "hind": 0},
                        "target": {"RF_foot": [0.1, 0, 0]}, "groups": {"hind": ["LH_foot", "RH_foot"]}})");
  const std::string file = folder.write("landing.json", p.dump());
  const Json d = zwang_json({"impulse", file}).json();
  ASSERT_EQ(d["status"], "ok") << d.dump();
  const Model m = quadruped_model();
  const Eigen::VectorXd after = vector_of(d["velocity"]), change = vector_of(d["change"]), v = after - change;
  Data data(m);
  const Eigen::VectorXd q = neutral(m);
  EXPECT_CLOSE(Eigen::VectorXd(mass_matrix(m, data, q) * change), vector_of(d["reaction"]), 1e-11);
  const Json& foot = d["constraints"][0];
  EXPECT_NEAR(foot["velocity_after"][2].get<double>(), -0.5 * foot["velocity_before"][2].get<double>(), 1e-12);
  EXPECT_NEAR(d["constraints"][1]["velocity_after"][0].get<double>(), 0.1, 1e-12);
  double work = 0;
  for (const Json& c : d["constraints"]) work += c["energy"].get<double>();
  const double T0 = d["energy_before"], T1 = d["energy_after"];
  EXPECT_NEAR(T0, kinetic_energy(m, data, q, v), 1e-12 * T0);
  EXPECT_NEAR(T1 - T0, work, 1e-12 * T0);
  EXPECT_EQ(d["impact"], "newton");
  const Json other = zwang_json({"impulse", file, "--impact", "poisson", "--restitution", "LF_foot=0,0,0.5"}).json();
  EXPECT_EQ(other["impact"], "poisson");
  EXPECT_GT((vector_of(other["velocity"]) - after).norm(), 1e-6);
  EXPECT_EQ(vector_of(zwang_json({"impulse", file, "--restitution", "1"}).json()["velocity"]).size(), m.nv());
  const Outcome table = zwang({"impulse", file});
  EXPECT_EQ(table.code, 0) << table.err;
  for (const char* word : {"LF_foot:normal", "kinetic energy", "work on the robot [J]", "newton"})
    EXPECT_SAYS(table.out, word);
  const auto refused = [&](const std::vector<std::string>& words, const char* says) {
    const Outcome o = zwang(words);
    EXPECT_EQ(o.code, 1) << o.out;
    EXPECT_SAYS(o.err, says);
  };
  refused({"impulse", file, "--impact", "newtons"}, "newton");
  refused({"impulse", file, "--restitution", "2"}, "[0, 1]");
  refused({"impulse", file, "--restitution", "LF_fot=0.5"}, "LF_foot");
  refused({"impulse", file, "--method", "all"}, "zwang solve");
  p["target"]["LF_foot"] = {1, 2};
  refused({"impulse", folder.write("wrong.json", p.dump())}, "target: ");
  p["restitution"] = {{"nobody", 0.5}};
  refused({"impulse", folder.write("wrong.json", p.dump())}, "nobody");
}

}  // namespace
}  // namespace zwang::test
