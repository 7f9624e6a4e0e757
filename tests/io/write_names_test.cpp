// SPDX-License-Identifier: BSD-3-Clause
// Names of all kinds in all writers: what is written is read, and a name that does not come back has a line.
#include "write_support.hpp"
#include "zwang/constraint/types/coupling.hpp"
#include "zwang/constraint/types/loop.hpp"

namespace zwang::test {
namespace {

constexpr const char* k_kinds[] = {"robot", "root",     "link",  "joint",      "fixed joint",   "tree joint", "frame",
                                   "shape", "material", "motor", "constraint", "configuration", "coupling",   "reason"};

/// base - shoulder - upper - elbow - lower - mount (fixed) - tool, and other on upper; one thing of each kind.
Robot robot_with(const std::string& kind, const std::string& name, bool lenient) {
  const auto named = [&](const char* of, const std::string& otherwise) { return kind == of ? name : otherwise; };
  RobotDescription r = parse_urdf(arm());
  r.name = named("robot", "arm");
  const std::string root = named("root", "base"), tool = named("link", "tool");
  r.links[0].name = r.joints[0].parent = root;
  r.joints[1].name = named("joint", "elbow");
  r.links.push_back(r.links[2]);
  r.links.back().name = tool;
  r.links.push_back(r.links[2]);
  r.links.back().name = "other";
  r.joints.push_back({.name = named("fixed joint", "mount"), .parent = "lower", .child = tool});
  r.joints.push_back(r.joints[1]);
  r.joints.back().name = named("tree joint", "wrist"), r.joints.back().child = "other";
  r.frames = {{named("frame", "tip"), "lower"}, {"end_a", tool}, {"end_b", "other"}};
  r.links[1].shapes = {{.kind = Shape::Kind::sphere,
                        .name = named("shape", "ball"),
                        .size = {1},
                        .material = named("material", "blue"),
                        .colour = {0, 0, 1, 1}}};
  r.motors = {{.name = named("motor", "drive"), .joint = "shoulder"}};
  if (kind == "reason") r.contact_exclusions = {{"upper", "lower", name}};
  BuildOptions options;
  options.mode = lenient ? Mode::lenient : Mode::standard;
  Robot robot = bare(build(r, options));
  robot.constraints.add(LoopConstraint{
      .name = named("constraint", "ring"), .frame = "end_a", .other = "end_b", .rows = joint_rows("ball")});
  robot.constraints.add(CouplingConstraint{.name = named("coupling", "gear"),
                                           .coordinates = {named("joint", "elbow"), named("tree joint", "wrist")},
                                           .ratio = {1, 2}});
  robot.configurations = {{"file", {0, 0, 0}, {0, 0, 0}}, {named("configuration", "home"), {0.1, 0.2, 0.3}, {0, 0, 0}}};
  return robot;
}

/// `link tool`, `frame tip`, ...
std::multiset<std::string> names_of(const Robot& robot) {
  std::multiset<std::string> out;
  const RobotDescription& r = robot.model.description();
  out.insert("robot " + r.name);
  for (const LinkDescription& l : r.links) {
    out.insert("link " + l.name);
    for (const Shape& s : l.shapes) out.insert("shape " + s.name), out.insert("material " + s.material);
  }
  for (const JointDescription& j : r.joints) out.insert("joint " + j.name);
  for (const FrameDescription& f : r.frames) out.insert("frame " + f.name);
  for (const MotorDescription& m : r.motors) out.insert("motor " + m.name);
  for (const Constraint& c : robot.constraints.constraints()) out.insert("constraint " + c.name.value());
  for (const Configuration& c : robot.configurations) out.insert("configuration " + c.name);
  return out;
}

/// A line that says of this name that the file has another one or none.
bool is_said(const std::vector<Loss>& losses, const std::string& kind, const std::string& name) {
  return std::any_of(losses.begin(), losses.end(), [&](const Loss& l) {
    if (kind == "material") return l.code == "L_MATERIAL" || l.code == "L_SHAPE";
    if (kind == "frame" && l.element == "constraint") return true;  // its frame goes with it
    return l.name == name || (l.element == "shape" && l.name.ends_with('/' + name));
  });
}

TEST(WriteNames, WhatIsWrittenIsReadAndComesBackOrIsSaid) {
  std::vector<std::string> names = {"a\"b",
                                    "it's",
                                    "",
                                    "world",
                                    "file",
                                    " a ",
                                    "a b",
                                    "a::b",
                                    "__x__",
                                    "a/b",
                                    "a\tb",
                                    "a\nb",
                                    "base",
                                    "upper",
                                    "shoulder",
                                    "elbow_1",
                                    "upper_fixed",
                                    "tool_fixed",
                                    "base_fixed",
                                    "lower_fixed",
                                    "lower_joint",
                                    "tip_joint",
                                    "tip_site",
                                    "tool_site",
                                    "end_a",
                                    "ring_1",
                                    "ring_2",
                                    "ring_predecessor",
                                    "shoulder_motor",
                                    "root_joint",
                                    "key_0",
                                    "key_1",
                                    "mujoco",
                                    "visual",
                                    "collision",
                                    "main",
                                    "unnamed",
                                    "drive",
                                    "home",
                                    "\xc3\xb6",
                                    "wrist",
                                    "wrist_motor",
                                    "shoulder_transmission",
                                    "other/wrist",
                                    "home_",
                                    "tip_",
                                    "ring_1_",
                                    "none",
                                    "true",
                                    "0"};
  for (const std::size_t size : {1024u, 1025u, 2000u}) names.emplace_back(size, 'x');
  const std::pair<const char*, WrittenRobot (*)(const Robot&, const WriteOptions&)> writers[] = {
      {"URDF", write_urdf}, {"SDF", write_sdf}, {"MJCF", write_mjcf}};
  int robots = 0;
  for (const bool lenient : {false, true})
    for (const char* kind : k_kinds)
      for (const std::string& name : names) {
        std::optional<Robot> robot;
        try {
          robot = robot_with(kind, name, lenient);
        } catch (const ModelError&) { continue; } catch (const std::invalid_argument&) {
          continue;
        }
        ++robots;
        for (const auto& [format, write] : writers) {
          const std::string what = std::string(format) + (lenient ? ", lenient, " : ", ") + kind + " '" +
                                   (name.size() > 100 ? std::to_string(name.size()) + " bytes" : name) + "'";
          WrittenRobot written;
          try {
            written = write(*robot, {});
          } catch (const ModelError& error) {
            EXPECT_EQ(error.diagnostics()[0].code, "E_NAME") << what;
            continue;
          }
          LoadOptions options = without_meshes();
          options.mode = lenient ? Mode::lenient : Mode::standard;
          std::optional<Robot> again;
          try {
            again = loads_robot(written.text, options);
          } catch (const ModelError& error) {
            ADD_FAILURE() << what << ": " << error.what();
            continue;
          }
          const std::multiset<std::string> before = names_of(*robot), after = names_of(*again);
          for (const std::string& one : before) {
            if (after.contains(one) || one == "shape ") continue;  // SDF has names for all of them
            if (one.starts_with("frame ") && after.contains("link " + one.substr(6))) continue;
            const std::size_t space = one.find(' ');
            if (one == "link world" || is_said(written.losses, one.substr(0, space), one.substr(space + 1))) continue;
            ADD_FAILURE() << what << ": " << one.substr(0, 100) << " is lost without a line";
          }
        }
      }
  EXPECT_GT(robots, 500);
}

}  // namespace
}  // namespace zwang::test
