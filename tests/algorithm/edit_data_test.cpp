// SPDX-License-Identifier: BSD-3-Clause
// Edits take motors and pairs of links that never touch along, and the builder refuses those that name nothing.
#include <gtest/gtest.h>

#include "support/says.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/model/check.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

/// base -j1- upper -j2- lower -mount (fixed)- tool -j3- finger, a motor on each joint that moves.
RobotDescription hand() {
  RobotDescription r{.name = "hand"};
  for (const char* name : {"base", "upper", "lower", "tool", "finger"})
    r.links.push_back({.name = name, .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  const auto joint = [&](const char* name, const char* type, std::size_t child) {
    r.joints.push_back({.name = name, .type = type, .parent = r.links[child - 1].name, .child = r.links[child].name});
  };
  joint("j1", "revolute", 1), joint("j2", "revolute", 2), joint("mount", "fixed", 3), joint("j3", "prismatic", 4);
  for (const char* name : {"j1", "j2", "j3"}) r.motors.push_back({.name = std::string("m") + name[1], .joint = name});
  r.contact_exclusions = {{"base", "lower", "Never"}, {"base", "tool", {}}, {"lower", "tool", {}}, {"upper", "finger"}};
  return r;
}

std::string data_of(const Model& m) {
  std::string out;
  for (const MotorDescription& x : m.description().motors) out += x.name + '>' + x.joint + ' ';
  for (const ContactExclusion& x : m.description().contact_exclusions) out += x.first + '-' + x.second + ' ';
  return out;
}

TEST(EditedData, StaysWithItsJointsAndLinks) {
  const Model m = build(hand());
  const std::string whole = "m1>j1 m2>j2 m3>j3 base-lower base-tool lower-tool upper-finger ";
  EXPECT_EQ(data_of(m), whole);  // lumping keeps links by name
  EXPECT_EQ(data_of(subtree(m, "lower")), "m3>j3 lower-tool ");
  EXPECT_EQ(data_of(remove_subtree(m, "lower")), "m1>j1 ");
  EXPECT_EQ(data_of(re_root(m, "finger")), whole);
  EXPECT_EQ(data_of(with_actuated(m, {"j2"})), "m2>j2 base-lower base-tool lower-tool upper-finger ");
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(m.nq(), 0.1);
  EXPECT_EQ(data_of(lock_joints(m, {"j2"}, q)), "m1>j1 m3>j3 base-lower base-tool lower-tool upper-finger ");
  EXPECT_EQ(data_of(keep_joints(m, {"j3"}, q)), "m3>j3 base-lower base-tool lower-tool upper-finger ");
  EXPECT_EQ(data_of(with_parameters(m, {{.link = "base", .mass = 2}})), whole);
  EXPECT_EQ(data_of(add_mimic(m, "j2", "j1")), whole);
}

/// Shapes of a merged link belong to the link that carries it, and so do its pairs: each once, none with itself.
TEST(EditedData, MergedLinksHandTheirPairsOn) {
  EXPECT_EQ(data_of(merge_fixed(build(hand()))), "m1>j1 m2>j2 m3>j3 base-lower upper-finger ");
  EXPECT_EQ(merge_fixed(build(hand())).description().contact_exclusions[0].reason, "Never");
}

TEST(EditedData, AppendedRobotsBringTheirs) {
  const Model m = build(hand()), cart = build(sample_cart_pole());
  const Model both = append(cart, m, "pole", Transform<double>::identity(), "h_");
  EXPECT_EQ(data_of(both),
            "h_m1>h_j1 h_m2>h_j2 h_m3>h_j3 h_base-h_lower h_base-h_tool h_lower-h_tool "
            "h_upper-h_finger ");
  RobotDescription other = sample_cart_pole();
  other.motors = {{.name = "m1", .joint = other.joints[0].name}};
  EXPECT_SAYS("E_DUPLICATE", (void)append(m, build(other), "tool"));
}

TEST(MotorsAndExclusions, NameJointsAndLinksThatAreThere) {
  const auto finding = [](auto&& change) {
    RobotDescription r = hand();
    change(r);
    const Diagnostics found = check(r);
    return found.empty() ? std::string("none") : found[0].code + ' ' + found[0].hint;
  };
  using R = RobotDescription;
  EXPECT_EQ(finding([](R&) {}), "none");
  EXPECT_EQ(finding([](R& r) { r.motors[0].joint = "jj1"; }).substr(0, 7), "E_MOTOR");
  EXPECT_NE(finding([](R& r) { r.motors[0].joint = "jj1"; }).find("'j1'"), std::string::npos);
  EXPECT_EQ(finding([](R& r) { r.motors[1].name = "m1"; }).substr(0, 11), "E_DUPLICATE");
  EXPECT_EQ(finding([](R& r) { r.motors[1].name = ""; }).substr(0, 6), "E_NAME");
  EXPECT_EQ(finding([](R& r) { r.motors[1].gear = unknown; }).substr(0, 8), "E_NUMBER");
  EXPECT_EQ(finding([](R& r) { r.motors[1].force_upper = unlimited; }).substr(0, 8), "E_NUMBER");
  EXPECT_EQ(finding([](R& r) { r.contact_exclusions[1].first = "bas"; }).substr(0, 6), "E_LINK");
  Shape inf;
  inf.contact.friction[1] = unlimited;
  EXPECT_EQ(finding([&](R& r) { r.links[1].shapes = {inf}; }).substr(0, 8), "E_NUMBER");
  inf.contact = {};
  inf.contact.margin = unknown;
  EXPECT_EQ(finding([&](R& r) { r.links[1].shapes = {inf}; }).substr(0, 8), "E_NUMBER");
}

TEST(MotorsAndExclusions, LenientModeLeavesThoseOutThatNameNothing) {
  RobotDescription r = hand();
  r.motors[1].joint = "none";
  r.contact_exclusions[0].second = "nothing";
  BuildOptions options;
  options.mode = Mode::lenient;
  EXPECT_EQ(data_of(build(r, options)), "m1>j1 m3>j3 base-tool lower-tool upper-finger ");
  // A joint that lenient mode cuts takes its motor along.
  r = hand();
  r.joints.push_back({.name = "cut", .type = "revolute", .parent = "base", .child = "finger"});
  r.motors.push_back({.name = "m4", .joint = "cut"});
  const Model cut = build(r, options);
  EXPECT_EQ(data_of(cut).find("m4"), std::string::npos);
}

}  // namespace
}  // namespace zwang::test
