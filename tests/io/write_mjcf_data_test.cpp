// SPDX-License-Identifier: BSD-3-Clause
// Robots as MJCF: what is lost of motors, pairs of links, configurations and options.
#include "io/xml_writer.hpp"
#include "mjcf_losses.hpp"
#include "write_support.hpp"

namespace zwang::test {
namespace {

using namespace losses;

TEST(WriteMjcfData, MotorsAndPairsOfLinks) {
  using Motor = MotorDescription;
  const auto motor = [](auto set) {
    return [set](RobotDescription& r) {
      Motor m{.name = "m", .joint = "second"};
      set(m);
      r.motors.push_back(m);
    };
  };
  expect_loss_of(motor([](Motor& m) {
                   m.kind = "hardware", m.attributes = {{"x", "1"}};
                 }),
                 "L_MOTOR", "motor", "m", "kind hardware with its x", "a motor with its gear");
  const Change on_fixed = [](RobotDescription& r) {
    r.links.push_back(body("c"));
    r.joints.push_back({.name = "c_fixed", .parent = "b", .child = "c"});
    r.motors = {{.name = "m", .joint = "c_fixed"}};
  };
  expect_loss_of(on_fixed, "L_MOTOR", "motor", "m", "which does not move");
  const Robot ball = changed([](RobotDescription& r) {
    r.joints[1].type = "universal";
    r.motors = {{.name = "m", .joint = "second"}};
  });
  const WrittenRobot on_two = write_mjcf(ball);
  ASSERT_EQ(on_two.losses.size(), 2u) << text_of(on_two.losses);
  EXPECT_EQ(on_two.losses[1].instead, "joint second_1 alone");
  expect_loss_of(motor([](Motor& m) { m.control_lower = 1; }), "L_MOTOR", "motor", "m", "ctrlrange");
  expect_loss_of(
      [](RobotDescription& r) {
        for (JointDescription& j : r.joints) j.actuated = JointDescription::Actuated::no;
      },
      "L_MOTOR", "robot", "two", "no joint has a motor");
  const std::string text = text_with(motor([](Motor& m) {
    m.kind = "position", m.gear = 3, m.control_lower = -1, m.control_upper = 2, m.force_lower = -4, m.force_upper = 5;
    m.attributes = {{"kp", "100"}, {"armature", "0.1"}};
  }));
  EXPECT_TRUE(has(
      text, "<position name=\"m\" joint=\"second\" gear=\"3\" ctrlrange=\"-1 2\" forcerange=\"-4 5\" kp=\"100\" />"))
      << text;
  EXPECT_TRUE(has(text, "<motor name=\"first\" joint=\"first\" />")) << text;
  EXPECT_FALSE(has(text, "<motor name=\"second\"")) << text;
  expect_loss_of(
      [](RobotDescription& r) {
        r.contact_exclusions = {{"a", "b", "Adjacent"}};
      },
      "L_CONTACT", "link", "a, b", "Adjacent", "do not");
  const std::string pairs = text_with([](RobotDescription& r) {
    r.contact_exclusions = {{"a", "b"}, {"b", "a"}, {"world", "b"}};
  });
  EXPECT_TRUE(has(pairs,
                  "  <contact>\n    <exclude body1=\"a\" body2=\"b\" />\n    <exclude body1=\"world\" body2=\"b\" />\n"
                  "  </contact>\n"))
      << pairs;
}

/// The names of attributes of a document are words of somebody else.
TEST(WriteMjcfData, MotorsHaveTheAttributesOfTheirKindAlone) {
  for (const char* name : {"x=\"1\"/><evil a", "evil", "", " kp", "kp>", "name", "joint", "gear", "class", "ctrlrange",
                           "ctrllimited", "forcerange", "forcelimited", "site", "tendon", "body", "group", "ki"}) {
    const Change change = [&](RobotDescription& r) {
      r.motors = {{.name = "m", .joint = "second", .kind = "position", .attributes = {{name, "7"}, {"kp", "100"}}}};
    };
    expect_loss_of(change, "L_MOTOR", "motor", "m", std::string("a <position> does not have: ") + name);
    EXPECT_TRUE(has(text_with(change), "<position name=\"m\" joint=\"second\" gear=\"1\" kp=\"100\" />")) << name;
  }
}

TEST(WriteMjcfData, ElementsAndAttributesHaveNamesOfXml) {
  io::XmlText text("root");
  const io::XmlElement root = text.root();
  for (const char* name : {"", "1a", "a b", "a=", "a\"", "<a", "a>", "-a", ".a"}) {
    EXPECT_THROW(root.set(name, 1), std::logic_error) << name;
    EXPECT_THROW(root.add(name), std::logic_error) << name;
  }
  root.add("drake:gear_ratio").set("_a-b.2", 1);
  EXPECT_TRUE(has(text.text(), "<drake:gear_ratio _a-b.2=\"1\" />"));
  EXPECT_SAYS("E_NUMBER", root.set("a", unlimited));
}

TEST(WriteMjcfData, JointsThatAreNotActuatedHaveNoMotor) {
  const Change passive = [](RobotDescription& r) {
    r.motors = {{.name = "m", .joint = "second"}};
    r.joints[1].actuated = JointDescription::Actuated::no;
  };
  expect_loss_of(passive, "L_MOTOR", "motor", "m", "not actuated");
  const Robot robot = changed(passive);
  EXPECT_EQ(loads_robot(write_mjcf(robot).text).model.actuated(), robot.model.actuated());
}

TEST(WriteMjcfData, ConfigurationsAndOptions) {
  Robot robot = robot_of(two());
  robot.configurations = {{"file", {0, 0}, {0, 0}}, {"up", {0.5, -0.5}, {0, 0}}, {"fast", {0, 0}, {1, 2}}};
  const WrittenRobot written = write_mjcf(robot);
  EXPECT_TRUE(written.losses.empty());
  EXPECT_TRUE(has(written.text,
                  "  <keyframe>\n    <key name=\"up\" qpos=\"0.5 -0.5\" />\n"
                  "    <key name=\"fast\" qpos=\"0 0\" qvel=\"1 2\" />\n  </keyframe>\n"))
      << written.text;
  robot.configurations = {{"file", {0.5, 0}, {0, 0}}};
  EXPECT_TRUE(has(write_mjcf(robot).text, "<key name=\"file\" qpos=\"0.5 0\" />"));
  expect_loss(robot, "L_CONFIGURATION", "configuration", "file", "drawn", "keyframe file");
  robot.configurations = {{"x", {k_nan, 0}, {0, 0}}};
  expect_loss(robot, "L_CONFIGURATION", "configuration", "x", "not finite");
  robot.configurations = {{"x", {0}, {0, 0}}};
  expect_loss(robot, "L_CONFIGURATION", "configuration", "x", "not those");
  robot.configurations = {{"x", {0, 0}, {0, 0}}, {"x", {0, 1}, {0, 0}}};
  expect_loss(robot, "L_NAME", "configuration", "x", "another configuration", "x_");
  BuildOptions options;
  options.lump = false;
  const Change fixed = [](RobotDescription& r) {
    r.links.push_back(body("c"));
    r.joints.push_back({.name = "c_fixed", .parent = "b", .child = "c"});
  };
  expect_loss(changed(fixed, options), "L_OPTION", "robot", "two", "bodies of their own");
  options = {};
  options.expand_mimic = true;
  const Change mimic = [](RobotDescription& r) { r.joints[1].mimic = {"first", 2, 0}; };
  EXPECT_TRUE(has(write_mjcf(changed(mimic, options)).text, "<motor name=\"second\" joint=\"second\" />"));
  expect_loss(changed(mimic, options), "L_MIMIC", "joint", "second", "follows joint first", "of its own");
}

/// MuJoCo's motors give no more than their ranges say, and readers take that for the joint's limit.
TEST(WriteMjcfData, RangesOfMotorsAndEffort) {
  using Motor = MotorDescription;
  const auto limited = [](std::vector<double> effort, auto set) {
    return [effort, set](RobotDescription& r) {
      r.joints[1].effort = effort;
      Motor m{.name = "m", .joint = "second", .gear = 2};
      set(m);
      r.motors.push_back(m);
    };
  };
  const auto by_force = [](Motor& m) { m.force_lower = -4, m.force_upper = 3; };
  const auto by_control = [](Motor& m) { m.control_lower = -4, m.control_upper = 3; };
  expect_loss_of(limited({10}, by_force), "L_EFFORT", "joint", "second", "the limit 10 of its force", "8, which");
  expect_loss_of(limited({10}, by_control), "L_EFFORT", "joint", "second", "the limit 10 of its force", "8, which");
  expect_loss_of(limited({}, by_force), "L_EFFORT", "joint", "second", "nothing limits", "8, which");
  const auto by_position = [](Motor& m) { m.control_lower = -4, m.control_upper = 3, m.kind = "position"; };
  for (const Change& change : {Change(limited({7}, by_force)), Change(limited({8}, by_control)),
                               Change(limited({10}, by_position)), Change(limited({10}, [](Motor&) {}))}) {
    const Robot robot = changed(change);
    const WrittenRobot written = write_mjcf(robot);
    EXPECT_EQ(text_of(written.losses), "");
    EXPECT_EQ(loads(written.text).joint("second").description.effort, robot.model.joint("second").description.effort);
  }
}

TEST(WriteMjcfData, LenientModeIsSaid) {
  BuildOptions lenient;
  lenient.mode = Mode::lenient;
  const Robot odd = changed([](RobotDescription& r) { r.joints[1].name = "it's"; }, lenient);
  const std::vector<Loss> losses = write_mjcf(odd).losses;
  ASSERT_EQ(losses.size(), 1u) << text_of(losses);
  EXPECT_EQ(losses[0].code, "L_OPTION");
  EXPECT_TRUE(write_mjcf(changed([](RobotDescription&) {}, lenient)).losses.empty());
}

/// A loop between sites has them for its frames: read and written again nothing is added.
TEST(WriteMjcfData, LoopsBetweenSitesAreAFixedPoint) {
  const std::string text =
      "<mujoco model='r'><worldbody><body name='a'><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"
      "<joint name='i' axis='0 1 0'/><site name='left' pos='0 0 1'/></body><body name='b' pos='1 0 0'><inertial "
      "mass='1'"
      " pos='0 0 0' diaginertia='1 1 1'/><joint name='j' axis='0 1 0'/><site name='right' pos='-1 0 1'/>"
      "<site name='again' pos='-1 0 1'/></body></worldbody><equality>"
      "<connect name='ring' site1='left' site2='again'/><weld name='bar' body1='a' body2='b'/></equality></mujoco>";
  const Robot once = loads_robot(text);
  std::vector<std::string> names;
  for (const FrameDescription& f : once.model.description().frames) names.push_back(f.name);
  EXPECT_EQ(names, (std::vector<std::string>{"left", "right", "again", "bar_1", "bar_2"}));
  EXPECT_EQ(once.constraints["ring"].frame.value(), "left");
  EXPECT_EQ(once.constraints["ring"].other.value(), "right");  // the first of those in one place
  const std::string written = write_mjcf(once).text;
  const Robot twice = loads_robot(written);
  EXPECT_EQ(twice.model.description().frames.size(), 5u);
  EXPECT_EQ(write_mjcf(loads_robot(write_mjcf(twice).text)).text, write_mjcf(twice).text);
  expect_same_rows(once, twice, 1e-14);
}

}  // namespace
}  // namespace zwang::test
