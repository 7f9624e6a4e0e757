// SPDX-License-Identifier: BSD-3-Clause
// What tests of the losses of MJCF share: a robot without any, changes of it, and what is then said.
#pragma once
#include <functional>
#include <limits>

#include "mjcf_support.hpp"
#include "support/says.hpp"
#include "zwang/io/write.hpp"

namespace zwang::test::losses {

inline constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

inline Transform<double> shifted(double x, double y, double z) { return {Mat3<double>::identity(), {x, y, z}}; }

inline LinkDescription body(const std::string& name) {
  LinkDescription l{.name = name};
  l.mass = 2;
  l.centre = {0.1, 0, 0.2};
  l.inertia = Sym3<double>::diagonal(0.02, 0.03, 0.04);
  return l;
}
inline JointDescription turn(const std::string& name, const std::string& parent, const std::string& child) {
  JointDescription j{.name = name, .type = "revolute", .parent = parent, .child = child};
  j.axis = {0, 1, 0};
  j.origin = shifted(0, 0, 0.5);
  return j;
}
/// world - first - a - second - b, of which nothing is lost.
inline RobotDescription two() {
  RobotDescription r;
  r.name = "two";
  r.links = {{.name = "world"}, body("a"), body("b")};
  r.joints = {turn("first", "world", "a"), turn("second", "a", "b")};
  r.frames = {{.name = "tool", .parent = "b", .placement = shifted(0, 0, 1)}};
  return r;
}
inline Robot robot_of(RobotDescription description, const BuildOptions& options = {}) {
  const Model model = build(std::move(description), options);
  return {model, ConstraintSet(model), {}};
}

inline std::string text_of(const std::vector<Loss>& losses) {
  std::string out;
  for (const Loss& l : losses)
    out += l.code + ' ' + l.element + ' ' + l.name + ": " + l.lost + " -> " + l.instead + '\n';
  return out;
}

/// Exactly one loss, with this code, element, name and words.
inline void expect_loss(const Robot& robot, const std::string& code, const std::string& element,
                        const std::string& name, const std::string& lost, const std::string& instead = "",
                        const WriteOptions& options = {}) {
  const WrittenRobot written = write_mjcf(robot, options);
  ASSERT_EQ(written.losses.size(), 1u) << code << ' ' << lost << "\n" << text_of(written.losses) << written.text;
  const Loss& l = written.losses[0];
  EXPECT_EQ(l.code, code) << text_of(written.losses);
  EXPECT_EQ(l.element, element) << text_of(written.losses);
  EXPECT_EQ(l.name, name) << text_of(written.losses);
  EXPECT_TRUE(has(l.lost, lost)) << l.lost;
  EXPECT_TRUE(has(l.instead, instead)) << l.instead;
  EXPECT_NO_THROW(loads_robot(written.text)) << written.text;
  WriteOptions strict = options;
  strict.strict = true;
  try {
    write_mjcf(robot, strict);
    ADD_FAILURE() << code << ": strict does not refuse it";
  } catch (const ModelError& error) { EXPECT_EQ(error.code(), code); }
}
using Change = std::function<void(RobotDescription&)>;
inline Robot changed(const Change& change, const BuildOptions& options = {}) {
  RobotDescription r = two();
  change(r);
  return robot_of(std::move(r), options);
}
inline void expect_loss_of(const Change& change, const std::string& code, const std::string& element,
                           const std::string& name, const std::string& lost, const std::string& instead = "") {
  expect_loss(changed(change), code, element, name, lost, instead);
}
inline std::string text_with(const Change& change) { return write_mjcf(changed(change)).text; }

}  // namespace zwang::test::losses
