// SPDX-License-Identifier: BSD-3-Clause
// SRDF beside a robot: its states as configurations, joints without motors, rotors, pairs that never touch.
#include <Eigen/Dense>
#include <cmath>

#include "io/files_in_a_folder.hpp"
#include "support.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/io/robot.hpp"
#include "zwang/io/write.hpp"

namespace zwang::test {
namespace {

constexpr double k_eps = std::numeric_limits<double>::epsilon();

std::string srdf(const std::string& inside, const std::string& name = "r") {
  return "<robot name='" + name + "'>\n" + inside + "</robot>\n";
}
/// Joints shoulder and elbow (revolute), wheel (continuous), spin (without an end), ball, slab (planar), weld (fixed),
/// and tip, which mimics the elbow.
std::string zoo() {
  const std::string free = "<axis xyz='0 0 1'/>";
  return arm(
      link("w") + link("s") + link("b") + link("p") + link("f") + link("t") +
      joint("wheel", "lower", "w", free, "continuous") + joint("spin", "lower", "s", free, "revolute_unbounded") +
      joint("ball", "lower", "b", "", "spherical") + joint("slab", "lower", "p", free, "planar") +
      joint("weld", "lower", "f", "", "fixed") +
      joint("tip", "lower", "t",
            free + "<limit lower='-9' upper='9' effort='3' velocity='4'/><mimic joint='elbow' multiplier='2'/>"));
}

Robot beside(const std::string& text, const std::string& inside, Diagnostics* found = nullptr,
             LoadOptions options = {}) {
  options.srdf_text = srdf(inside);
  return loads_robot(text, options, found);
}

const Configuration& named(const Robot& robot, const std::string& name) {
  for (const Configuration& c : robot.configurations)
    if (c.name == name) return c;
  throw std::out_of_range("no configuration " + name);
}
/// The numbers of one joint.
std::vector<double> part(const Robot& robot, const std::string& configuration, const std::string& name) {
  const Joint& j = robot.model.joint(name);
  const std::vector<double>& q = named(robot, configuration).q;
  return {q.begin() + j.q.first, q.begin() + j.q.first + j.q.size};
}

TEST(Srdf, StatesBecomeConfigurations) {
  Diagnostics found;
  const Robot r = beside(zoo(),
                         "<group name='all'><joint name='shoulder'/></group>"
                         "<group_state name='home' group='all'><joint name='elbow' value=' 0.25 '/>"
                         "<joint name='wheel' value='7'/><joint name='ball' value='0 0 1 0'/>"
                         "<joint name='slab' value='1 2 0.5'/><joint name='spin' value='-0.3'/></group_state>"
                         "<group_state name='park'><joint name='shoulder' value='-1'/>"
                         "<joint name='spin' value='0 1'/><joint name='slab' value='3 4 -9'/></group_state>",
                         &found);
  ASSERT_EQ(r.configurations.size(), 3u) << all(found);
  EXPECT_EQ(r.configurations[0].name, "file");
  EXPECT_EQ(part(r, "home", "elbow"), std::vector<double>{0.25});
  EXPECT_EQ(part(r, "home", "shoulder"), std::vector<double>{0});
  EXPECT_EQ(part(r, "home", "wheel"), std::vector<double>{7});
  EXPECT_EQ(part(r, "home", "ball"), (std::vector<double>{0, 0, 1, 0}));
  EXPECT_EQ(part(r, "home", "slab"), (std::vector<double>{1, 2, 0.5}));
  EXPECT_EQ(part(r, "home", "spin"), (std::vector<double>{std::cos(-0.3), std::sin(-0.3)}));
  EXPECT_EQ(part(r, "park", "spin"), (std::vector<double>{0, 1}));
  EXPECT_EQ(part(r, "park", "shoulder"), std::vector<double>{-1});
  EXPECT_EQ(part(r, "file", "shoulder"), std::vector<double>{0});
  EXPECT_NE(find(found, "N_SRDF"), nullptr) << all(found);
  EXPECT_FALSE(std::any_of(found.begin(), found.end(), [](const auto& d) { return d.severity > Severity::note; }))
      << all(found);
}

/// What rounding of few digits leaves of a limit is none of them; a state beyond one is kept.
TEST(Srdf, StatesBeyondLimitsAreKept) {
  Diagnostics found;
  const Robot r = beside(zoo(),
                         "<group_state name='in'><joint name='elbow' value='2.0005'/></group_state>"
                         "<group_state name='out'><joint name='elbow' value='3'/></group_state>",
                         &found);
  EXPECT_EQ(part(r, "out", "elbow"), std::vector<double>{3});
  const auto of_limits = [](const Diagnostic& d) { return d.code == "W_SRDF_LIMIT"; };
  ASSERT_EQ(std::count_if(found.begin(), found.end(), of_limits), 1) << all(found);
  EXPECT_EQ(find(found, "W_SRDF_LIMIT")->found, "3 for joint 'elbow'");
  EXPECT_EQ(find(found, "W_SRDF_LIMIT")->expected, "2 or less");
}

TEST(Srdf, StatesOfOneNameAreToldApartByTheirGroup) {
  Diagnostics found;
  const Robot r = beside(arm(),
                         "<group_state name='home' group='a'><joint name='elbow' value='1'/></group_state>"
                         "<group_state name='home' group='b'><joint name='elbow' value='2'/></group_state>"
                         "<group_state name='file' group='b'><joint name='elbow' value='0.5'/></group_state>"
                         "<group_state name='home' group='b'><joint name='elbow' value='3'/></group_state>",
                         &found);
  ASSERT_EQ(r.configurations.size(), 4u);
  EXPECT_EQ(part(r, "a/home", "elbow"), std::vector<double>{1});
  EXPECT_EQ(part(r, "b/home", "elbow"), std::vector<double>{2});
  EXPECT_EQ(part(r, "b/file", "elbow"), std::vector<double>{0.5});
  EXPECT_EQ(part(r, "file", "elbow"), std::vector<double>{0});
  const Diagnostic* const second = find(found, "W_SRDF_STATE");
  ASSERT_NE(second, nullptr) << all(found);
  EXPECT_EQ(second->file, "srdf_text");
  EXPECT_EQ(second->line, 2);
}

TEST(Srdf, TheRootStandsWhereTheStateSays) {
  const std::string state =
      "<virtual_joint name='in_the_world' type='floating' parent_frame='world' child_link='base'/>"
      "<group_state name='up'><joint name='in_the_world' value='1 2 3 0 0 0.6004 0.8'/></group_state>"
      "<group_state name='down'><joint name='root_joint' value='0 0 -1 0 0 0 1.'/></group_state>";
  LoadOptions floating;
  floating.root = "floating";
  Diagnostics found;
  const Robot r = beside(arm(), state, &found, floating);
  EXPECT_EQ(find(found, "N_SRDF_ROOT"), nullptr) << all(found);
  const std::vector<double> up = part(r, "up", "root_joint");
  EXPECT_EQ(up[2], 3);
  EXPECT_NEAR(std::hypot(up[5], up[6]), 1, 2 * k_eps);  // a division by a rounded length
  EXPECT_NEAR(up[5] / up[6], 0.6004 / 0.8, 2 * k_eps);
  EXPECT_EQ(part(r, "down", "root_joint")[2], -1);
  const Robot fixed = beside(arm(), state, &found);
  EXPECT_EQ(fixed.model.nq(), 2);
  EXPECT_EQ(fixed.configurations.size(), 3u);
  EXPECT_EQ(std::count_if(found.begin(), found.end(), [](const auto& d) { return d.code == "N_SRDF_ROOT"; }), 3)
      << all(found);
}

TEST(Srdf, PassiveJointsHaveNoMotors) {
  const Robot r = beside(arm(), "<passive_joint name='elbow'/>");
  EXPECT_EQ(r.model.actuated(), (std::vector<bool>{true, false}));
  // Also where the robot's file describes one.
  std::string driven;
  for (const char* name : {"shoulder", "elbow"})
    driven += std::string("<transmission name='t_") + name +
              "'><type>transmission_interface/SimpleTransmission</type>"
              "<joint name='" +
              name +
              "'><hardwareInterface>EffortJointInterface</hardwareInterface></joint>"
              "<actuator name='m_" +
              name + "'/></transmission>";
  const Robot with = beside(arm(driven), "<passive_joint name='elbow'/>");
  ASSERT_EQ(loads_robot(arm(driven)).model.description().motors.size(), 2u);
  ASSERT_EQ(with.model.description().motors.size(), 1u);
  EXPECT_EQ(with.model.description().motors[0].joint, "shoulder");
  EXPECT_EQ(with.model.actuated(), (std::vector<bool>{true, false}));
  const WrittenRobot mjcf = write_mjcf(with);
  EXPECT_EQ(loads_robot(mjcf.text).model.actuated(), with.model.actuated()) << mjcf.text;
}

TEST(Srdf, RotorsAddTheirInertiaTimesTheSquareOfTheGear) {
  const std::string rotors = "<rotor_params><joint name='elbow' mass='1e-5' gear_ratio='100.'/></rotor_params>";
  LoadOptions options;
  options.srdf_text = srdf(rotors);
  const Model with = loads(arm(), options), without = loads(arm());
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(2, 0.3);
  Data data(with), data_without(without);
  const Eigen::MatrixXd more =
      mass_matrix<Eigen::MatrixXd>(with, data, q) - mass_matrix<Eigen::MatrixXd>(without, data_without, q);
  EXPECT_NEAR(more(1, 1), 1e-5 * 1e4, 4 * k_eps);  // two products and a difference of numbers near 0.2
  EXPECT_EQ(more(0, 0), 0);
  EXPECT_EQ(more(0, 1), 0);
}

TEST(Srdf, PairsNeverTouchUnlessTheyAreEnabled) {
  const Robot r = beside(arm(),
                         "<enable_collisions link1='lower' link2='upper' reason='Wanted'/>"
                         "<disable_collisions link1='upper' link2='base' reason='Adjacent'/>"
                         "<disable_collisions link1='base' link2='upper' reason='Never'/>"
                         "<disable_collisions link1='upper' link2='lower' reason='Adjacent'/>"
                         "<disable_default_collisions link='lower'/>");
  const std::vector<ContactExclusion>& pairs = r.model.description().contact_exclusions;
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].first, "upper");
  EXPECT_EQ(pairs[0].second, "base");
  EXPECT_EQ(pairs[0].reason, "Adjacent");
  EXPECT_EQ(pairs[1].first, "lower");
  EXPECT_EQ(pairs[1].second, "base");
}

TEST(Srdf, WhatIsWrongIsSaidWithItsPlace) {
  struct Wrong {
    const char *text, *code;
    Severity severity;
  };
  const Wrong wrong[] = {
      {"<group_state name='s'><joint name='elbow' value='1 2'/></group_state>", "E_NUMBER", Severity::error},
      {"<group_state name='s'><joint name='elbow' value='nan'/></group_state>", "E_NUMBER", Severity::error},
      {"<group_state name='s'><joint name='elbow' value=''/></group_state>", "E_NUMBER", Severity::error},
      {"<group_state name='s'><joint name='elbow'/></group_state>", "E_NUMBER", Severity::error},
      {"<group_state name='s'><joint name='ball' value='0 0 1'/></group_state>", "E_VECTOR_SIZE", Severity::error},
      {"<group_state name='s'><joint name='ball' value='0 0 0 0'/></group_state>", "E_QUATERNION", Severity::error},
      {"<group_state name='s'><joint name='ball' value='0 0 1 1'/></group_state>", "E_QUATERNION", Severity::error},
      {"<group_state name='s'><joint name='spin' value='2 0'/></group_state>", "E_QUATERNION", Severity::error},
      {"<group_state name='s'><joint name='slab' value='2 0'/></group_state>", "E_VECTOR_SIZE", Severity::error},
      {"<group_state><joint name='elbow' value='1'/></group_state>", "E_NAME", Severity::error},
      {"<group_state name='s'><joint name='elbows' value='1'/></group_state>", "W_SRDF_JOINT", Severity::warning},
      {"<group_state name='s'><joint name='weld' value='1'/></group_state>", "W_SRDF_JOINT", Severity::warning},
      {"<group_state name='s'><joint name='tip' value='1'/></group_state>", "N_SRDF_MIMIC", Severity::note},
      {"<group_state name='s'><joint name='elbow' value='2.1'/></group_state>", "W_SRDF_LIMIT", Severity::warning},
      {"<group_state name='s'><joint name='elbow' value='-90'/></group_state>", "W_SRDF_LIMIT", Severity::warning},
      {"<passive_joint name='elbows'/>", "W_SRDF_JOINT", Severity::warning},
      {"<passive_joint/>", "W_SRDF_JOINT", Severity::warning},
      {"<disable_collisions link1='base' link2='nowhere'/>", "W_SRDF_LINK", Severity::warning},
      {"<disable_collisions link1='base'/>", "W_SRDF_LINK", Severity::warning},
      {"<disable_collisions link1='base' link2='base'/>", "W_SRDF_LINK", Severity::warning},
      {"<rotor_params><joint name='elbow' mass='-1' gear_ratio='1'/></rotor_params>", "E_INERTIA", Severity::error},
      {"<rotor_params><joint name='elbow' gear_ratio='1'/></rotor_params>", "E_NUMBER", Severity::error},
      {"<rotor_params><joint name='ball' mass='1' gear_ratio='1'/></rotor_params>", "W_SRDF_JOINT", Severity::warning},
      {"<nonsense/>", "W_UNKNOWN_TAG", Severity::warning},
      {"<passive_joint name='elbow' motor='no'/>", "W_UNKNOWN_ATTRIBUTE", Severity::warning},
  };
  for (const Wrong& w : wrong) {
    LoadOptions options;
    options.srdf_text = srdf(std::string("\n\n  ") + w.text + "\n");
    const Diagnostics found = check_robot_text(zoo(), options);
    const Diagnostic* const d = find(found, w.code);
    ASSERT_NE(d, nullptr) << w.text << "\n" << all(found);
    EXPECT_EQ(d->severity, w.severity) << w.text;
    EXPECT_EQ(d->line, 4) << w.text;
    EXPECT_EQ(d->file, "srdf_text");
    options.mode = Mode::strict;
    EXPECT_EQ(refused(check_robot_text(zoo(), options)), w.severity != Severity::note) << w.text;
  }
}

TEST(Srdf, IsOneOfThisRobot) {
  LoadOptions options;
  options.srdf_text = srdf("", "another");
  EXPECT_NE(find(check_robot_text(arm(), options), "W_SRDF_ROBOT"), nullptr);
  options.srdf_text = "<sdf version='1.9'/>";
  EXPECT_NE(find(check_robot_text(arm(), options), "E_FORMAT"), nullptr);
  options.srdf_text = arm();
  EXPECT_NE(find(check_robot_text(arm(), options), "E_FORMAT"), nullptr);
  options.srdf_text = "<robot name='r'>";
  EXPECT_NE(find(check_robot_text(arm(), options), "E_XML"), nullptr);
  options.srdf = "a.srdf";
  EXPECT_THROW(loads(arm(), options), std::invalid_argument);
  options.srdf_text.clear();
  EXPECT_NE(find(check_robot_text(arm(), options), "E_FILE"), nullptr);
}

TEST(Srdf, IsNoRobotByItself) {
  const Diagnostics found = check_robot_text(srdf("<group_state name='s'/>"));
  const Diagnostic* const d = find(found, "E_FORMAT");
  ASSERT_NE(d, nullptr) << all(found);
  EXPECT_NE(d->hint.find("srdf"), std::string::npos);
}

class SrdfFiles : public FilesInAFolder {};

TEST_F(SrdfFiles, AFileIsReadAsATextIs) {
  LoadOptions options;
  options.srdf = write("r.srdf", srdf("<group_state name='s'><joint name='elbow' value='1'/></group_state>"));
  const Robot r = load_robot(write("r.urdf", arm()), options);
  EXPECT_EQ(part(r, "s", "elbow"), std::vector<double>{1});
  options.srdf = write("wrong.srdf", srdf("\n<passive_joint name='x'/>"));
  Diagnostics found;
  load(write("r.urdf", arm()), options, &found);
  const Diagnostic* const d = find(found, "W_SRDF_JOINT");
  ASSERT_NE(d, nullptr) << all(found);
  EXPECT_EQ(d->file, options.srdf);
  EXPECT_EQ(d->line, 3);
}

}  // namespace
}  // namespace zwang::test
