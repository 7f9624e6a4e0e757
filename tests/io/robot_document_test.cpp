// SPDX-License-Identifier: BSD-3-Clause
// zwang.robot: what a file says of a robot, written and read again.
#include <algorithm>
#include <filesystem>
#include <fstream>

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

std::string bytes_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

/// load_robot and its siblings take documents where they take files.
TEST(RobotDocument, IsReadWhereARobotIsExpected) {
  LoadOptions loops;
  loops.loops = ClosedLoops::constraints;
  for (const char* name : {"slider_crank.sdf", "four_bar.urdf", "biped.xml"}) {
    SCOPED_TRACE(name);
    const Robot r = load_robot(ZWANG_MODELS + ('/' + std::string(name)), loops);
    for (const std::string& document : {to_json(r), bytes_of(to_cbor(r)), "\n  " + to_json(r)}) {
      Diagnostics found;
      EXPECT_TRUE(loads_robot(document, {}, &found) == r);
      EXPECT_TRUE(same_robot(loads(document), r.model));
      EXPECT_FALSE(refused(check_robot_text(document))) << all(check_robot_text(document));
    }
    Diagnostics found;
    loads(to_json(r), {}, &found);
    EXPECT_EQ(find(found, "N_CONSTRAINTS") != nullptr, r.constraints.size() > 0);
    const Robot of_model = loads_robot(to_json(r.model));
    EXPECT_TRUE(same_robot(of_model.model, r.model));
    EXPECT_EQ(of_model.constraints.size(), static_cast<Index>(r.model.loops().size()));
    EXPECT_EQ(of_model.configurations.size(), 1u);
  }
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "zwang_robot_document.cbor";
  const Robot r = load_robot(ZWANG_MODELS "/biped.xml");
  std::ofstream(path, std::ios::binary) << bytes_of(to_cbor(r));
  EXPECT_TRUE(load_robot(path.string()) == r);
  EXPECT_TRUE(same_robot(load(path.string()), r.model));
  EXPECT_FALSE(refused(check_robot(path.string())));
  EXPECT_TRUE(refused(check_urdf(path.string())));
  std::filesystem::remove(path);
}

TEST(RobotDocument, ThatIsWrongIsRefusedWhereARobotIsExpected) {
  const std::string good = to_json(loads_robot(arm()));
  struct Wrong {
    std::string text;
    const char* says;
  };
  std::string refused_model = good;
  refused_model.replace(refused_model.find("\"mass\":"), 8, "\"mass\":-");
  for (const Wrong& w : {Wrong{"{", "E_DOCUMENT"}, Wrong{"{}", "without a format"},
                         Wrong{R"({"format": "zwang.constraints", "version": 1})", "zwang.constraints"},
                         Wrong{R"({"format": "zwang.robot", "version": 9})", "version 9"},
                         Wrong{std::string("\xa1\x61", 2), "E_DOCUMENT"}, Wrong{refused_model, "E_"}}) {
    const Diagnostics found = check_robot_text(w.text);
    EXPECT_TRUE(refused(found)) << w.text.substr(0, 80);
    EXPECT_NE(all(found).find(w.says), std::string::npos) << all(found);
    EXPECT_THROW(loads_robot(w.text), ModelError);
    EXPECT_THROW(loads(w.text), ModelError);
  }
  const auto with = [&](auto set) {
    LoadOptions options;
    set(options);
    return all(check_robot_text(good, options));
  };
  EXPECT_NE(with([](LoadOptions& o) { o.root = "floating"; }).find("options root"), std::string::npos);
  EXPECT_NE(with([](LoadOptions& o) { o.mode = Mode::lenient, o.lump = false; }).find("lump, mode"), std::string::npos);
  EXPECT_NE(with([](LoadOptions& o) { o.gravity.z = 0; }).find("gravity"), std::string::npos);
  EXPECT_NE(with([](LoadOptions& o) { o.srdf_text = "<robot name='r'/>"; }).find("srdf"), std::string::npos);
  EXPECT_EQ(with([](LoadOptions& o) { o.root = "auto", o.loops = ClosedLoops::constraints; }), "");
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
