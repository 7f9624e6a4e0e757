// SPDX-License-Identifier: BSD-3-Clause
// zwang.robot: what a file says of a robot, written and read again.
#include <algorithm>
#include <filesystem>

#include "support.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/robot.hpp"

namespace zwang::test {
namespace {

Robot again(const Robot& r) {
  const Robot text = robot_from_json(to_json(r)), bytes = robot_from_cbor(to_cbor(r));
  EXPECT_TRUE(text == bytes);
  return text;
}

TEST(RobotDocument, EveryRobotOfTheProjectComesBackToTheLastBit) {
  int robots = 0, rows = 0;
  LoadOptions options;
  options.loops = ClosedLoops::constraints;
  for (const auto& entry : std::filesystem::directory_iterator(ZWANG_MODELS)) {
    if (entry.path().extension() == ".md") continue;
    const Robot r = load_robot(entry.path().string(), options), back = again(r);
    EXPECT_TRUE(back == r) << entry.path();
    EXPECT_EQ(to_json(back), to_json(r)) << entry.path();
    ++robots;
    rows += static_cast<int>(r.constraints.rows());
  }
  EXPECT_GT(robots, 6);
  EXPECT_GT(rows, 6);
}

TEST(RobotDocument, ANumberThatDiffersIsSeen) {
  const Robot r = loads_robot(arm());
  Robot other = again(r);
  EXPECT_TRUE(other == r);
  other.configurations[0].v[1] = -0.0;
  EXPECT_FALSE(other == r);
  other = again(r);
  other.configurations[0].name = "drawn";
  EXPECT_FALSE(other == r);
  other = again(r);
  other.constraints.add(CouplingConstraint{.name = "c", .coordinates = {"elbow"}, .ratio = {1}});
  EXPECT_FALSE(other == r);
}

TEST(RobotDocument, WhatIsLeftOutIsEmptyAndNeutral) {
  const Robot r = loads_robot(arm());
  const std::string model = to_json(r.model);
  const Robot bare = robot_from_json(R"({"format": "zwang.robot", "version": 1, "model": )" + model + "}");
  EXPECT_TRUE(bare == r);
}

TEST(RobotDocument, WhatIsWrongIsSaidWithItsPlace) {
  const std::string model = to_json(loads(robot(link("base") + link("b") + joint("j", "base", "b", "", "spherical"))));
  const auto document = [&](const std::string& more) {
    return R"({"format": "zwang.robot", "version": 1, "model": )" + model + more + "}";
  };
  const auto state = [&](const std::string& inside) { return document(R"(, "configurations": [)" + inside + "]"); };
  const std::string good = R"({"name": "s", "q": [0, 0, 0, 1], "v": [0, 0, 0]})";
  EXPECT_EQ(robot_from_json(state(good)).configurations.size(), 2u);
  struct Wrong {
    std::string text;
    const char* says;
  };
  const Wrong wrong[] = {
      {R"({"format": "zwang.model", "version": 1})", "format"},
      {R"({"format": "zwang.robot", "version": 2})", "version 2"},
      {R"({"format": "zwang.robot", "version": 1})", "model"},
      {R"({"format": "zwang.robot", "version": 1, "model": {}})", "model: the key 'format'"},
      {document(R"(, "state": [])"), "state"},
      {document(R"(, "constraints": [])"), "constraints"},
      {document(R"(, "constraints": {"format": "zwang.constraints", "version": 1, "constraints": [{"type": "weld"}]})"),
       "constraints.constraints[0]"},
      {state(good + ", " + good), "configurations[1].name"},
      {state(R"({"name": "s", "q": [0, 0, 0], "v": [0, 0, 0]})"), "configurations[0].q"},
      {state(R"({"name": "s", "q": [0, 0, 0, 2], "v": [0, 0, 0]})"), "configurations[0].q"},
      {state(R"({"name": "s", "q": [0, 0, 0, 1], "v": [0, 0]})"), "configurations[0].v"},
      {state(R"({"name": "s", "q": [0, 0, 0, 1], "v": [0, 0, "nan"]})"), "configurations[0].v"},
      {state(R"({"q": [0, 0, 0, 1], "v": [0, 0, 0]})"), "configurations[0]"},
  };
  for (const Wrong& w : wrong) {
    try {
      robot_from_json(w.text);
      ADD_FAILURE() << "accepted: " << w.text;
    } catch (const JsonError& error) {
      EXPECT_NE(std::string(error.what()).find(w.says), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace zwang::test
