// SPDX-License-Identifier: BSD-3-Clause
// MJCF: work and memory are bounded by counts, files stay in their folder, attached models as MuJoCo 4.0 has them.
#include <unistd.h>

#include <pugixml.hpp>

#include "files_in_a_folder.hpp"
#include "io/mjcf.hpp"
#include "mjcf_support.hpp"

namespace zwang::test {
namespace {

namespace fs = std::filesystem;

std::string mujoco(const std::string& inside) { return "<mujoco>" + inside + "</mujoco>"; }
std::string code_of(const std::string& inside, LoadOptions options = {}) {
  for (const Diagnostic& d : check_robot_text(mujoco(inside), options))
    if (d.severity == Severity::error) return d.code;
  return {};
}
const JointDescription& joint_of(const Robot& robot, const std::string& name) {
  for (const JointDescription& j : robot.model.description().joints)
    if (j.name == name) return j;
  throw std::out_of_range(name);
}
LoadOptions at_most(long elements) {
  LoadOptions options;
  options.limits.elements = elements;
  return options;
}

class MjcfFolder : public FilesInAFolder {
 protected:
  /// A file that attaches `child`; `where` stands in a moved frame of a body with a hinge.
  std::string attaching(const std::string& child, const std::string& where, const std::string& more = {}) {
    write("child.xml", "<mujoco model='c'>" + child + "</mujoco>");
    return write("main.xml", mujoco("<asset><model name='c' file='child.xml'/></asset><worldbody><body name='base' "
                                    "pos='0 0 1'><joint name='b'/><geom size='.1'/><frame pos='5 0 0' euler='0 0 90'>" +
                                    where + "</frame></body></worldbody>" + more));
  }
};

std::string times(int count, const std::string& text) {
  std::string out;
  for (int k = 0; k < count; ++k) out += text;
  return out;
}

TEST_F(MjcfFolder, WhatAttachCopiesIsCounted) {
  // 200 elements are written down; a hundred copies of what is in the body, or in the worldbody, are 20 000.
  const std::string copies = "<replicate count='100' sep='_'><attach model='c' prefix='p'/></replicate>";
  for (const char* element : {"<geom size='.1' contype='0'/>", "<geom size='.1' mass='0'/>", "<site/>",
                              "<geom type='plane' size='1 1 1'/>"}) {
    for (const bool in_a_body : {false, true}) {
      const std::string many = times(200, element);
      const std::string child = "<worldbody>" + (in_a_body ? "<body>" + many + "</body>" : many) + "</worldbody>";
      const std::string file = attaching(child, "</frame><frame>" + copies);
      EXPECT_NE(find(check_robot(file, at_most(10'000)), "E_LIMIT_ELEMENTS"), nullptr) << element << in_a_body;
    }
  }
  const std::string rows = "<worldbody><body name='x'><joint/><geom size='.1'/></body></worldbody><equality>" +
                           times(200, "<weld body1='x'/>") + "</equality>";
  EXPECT_NE(find(check_robot(attaching(rows, copies), at_most(10'000)), "E_LIMIT_ELEMENTS"), nullptr);
  EXPECT_FALSE(refused(check_robot(attaching(rows, copies), at_most(30'000))));
}

// Two hundred names around each of a thousand bodies: what is kept are two hundred frames.
TEST(MjcfLimits, NamesOfFramesAreKeptOnce) {
  std::string open, bodies;
  for (int k = 0; k < 200; ++k) open += "<frame name='f" + std::to_string(k) + "'>";
  bodies = times(1000, "<body><site/></body>");
  std::string text = mujoco("<worldbody>" + open + bodies + times(200, "</frame>") + "</worldbody>");
  LoadOptions options;
  detail::Findings found(false, false);
  io::XmlDocument document(std::move(text), "", "", options.limits, found);
  ASSERT_TRUE(document.parse());
  io::MjcfWork work{options, found};
  io::MjcfDocument all_files(document, work);
  io::MjcfReader reader(all_files, work);
  ASSERT_TRUE(reader.read());
  EXPECT_EQ(reader.model().frames.size(), 200u);
  EXPECT_EQ(reader.model().bodies.back().frame, 199);
}

// A default class keeps what THE table says is read, whatever else stands in the file.
TEST(MjcfLimits, DefaultsKeepAttributesOfTheTableOnly) {
  std::string many;
  for (int k = 0; k < 1000; ++k) many += " x" + std::to_string(k) + "='1'";
  std::string text = mujoco("<default><geom" + many + " size='1' gap='1'/></default>");
  LoadOptions options;
  detail::Findings found(false, false);
  io::XmlDocument document(std::move(text), "", "", options.limits, found);
  ASSERT_TRUE(document.parse());
  io::MjcfWork work{options, found};
  io::MjcfDocument all_files(document, work);
  io::MjcfValues values(all_files, work);
  io::MjcfDefaults defaults(values);
  defaults.read(document.root().child("default"));
  ASSERT_EQ(defaults.record(0, io::MjcfKind::geom)->values.size(), 1u);
  EXPECT_EQ(defaults.record(0, io::MjcfKind::geom)->values[0].name, "size");
}

TEST(MjcfLimits, ListsThatAreJoinedInAClassAreCounted) {
  const std::string number = "0." + std::string(90, '1');
  std::string text = "<default><geom size='1 " + number + ' ' + number + "'/>" + times(500, "<geom size='1'/>");
  EXPECT_EQ(code_of(text + "</default>", at_most(1500)), "E_LIMIT_ELEMENTS");
  EXPECT_EQ(code_of(text + "</default>", at_most(3000)), "");
}

TEST_F(MjcfFolder, SuffixesAndPrefixesAreNames) {
  const std::string sep(1025, 's'), half(600, 's');
  EXPECT_EQ(code_of("<worldbody><replicate count='2' sep='" + sep + "'><geom size='.1'/></replicate></worldbody>"),
            "E_NAME");
  EXPECT_EQ(code_of("<worldbody><replicate count='2' sep='" + half + "'><replicate count='2' sep='" + half +
                    "'><geom size='.1'/></replicate></replicate></worldbody>"),
            "E_NAME");
  const std::string child = "<worldbody><body><geom size='.1'/></body></worldbody>";
  EXPECT_NE(find(check_robot(attaching(child, "<attach model='c' prefix='" + sep + "'/>")), "E_NAME"), nullptr);
}

// Names of a thousand bytes in 50 000 copies would be 50 MB.
TEST(MjcfLimits, LongNamesOfCopiesAreCounted) {
  const std::string text = "<worldbody><replicate count='50000' sep='_'><geom size='.1' name='" +
                           std::string(1000, 'n') + "'/></replicate></worldbody>";
  EXPECT_EQ(code_of(text, at_most(200'000)), "E_LIMIT_ELEMENTS");
}

TEST_F(MjcfFolder, PartsStayInTheFolderOfTheFile) {
  write("part.xml", "<m><body><geom size='.1'/></body></m>");
  write("child.xml", "<mujoco model='c'><worldbody><body/></worldbody></mujoco>");
  LoadOptions anywhere;
  anywhere.allow_outside_package = true;
  for (const std::string& path : {std::string("../"), root_.string() + '/'}) {
    const std::string parts[] = {
        "<worldbody><include file='" + path + "part.xml'/></worldbody>",
        "<asset><model name='c' file='" + path + "child.xml'/></asset><worldbody><attach model='c'/></worldbody>",
        "<asset><model file='" + path + "child.xml'/></asset><worldbody><attach model='c'/></worldbody>"};
    for (const std::string& inside : parts) {
      const std::string file = write("robot/main.xml", mujoco("\n" + inside));
      const Diagnostics found = check_robot(file);
      const Diagnostic* d = find(found, "E_URI_OUTSIDE");
      ASSERT_NE(d, nullptr) << inside << all(found);
      EXPECT_EQ(d->line, 2);
      EXPECT_FALSE(refused(check_robot(file, anywhere))) << inside << all(check_robot(file, anywhere));
    }
  }
  // The folder of the main file holds for the parts of its parts; a package.xml above it widens it.
  write("robot/parts/hand.xml", "<mujoco model='h'><worldbody><include file='../finger.xml'/></worldbody></mujoco>");
  write("robot/finger.xml", "<m><body><geom size='.1'/></body></m>");
  const std::string hand =
      "<asset><model file='parts/hand.xml'/></asset><worldbody><attach model='h' prefix='h'/></worldbody>";
  EXPECT_FALSE(refused(check_robot(write("robot/main.xml", mujoco(hand)))));
  write("package.xml", "<package><name>p</name></package>");
  EXPECT_FALSE(
      refused(check_robot(write("robot/main.xml", mujoco("<worldbody><include file='../part.xml'/></worldbody>")))));
  // A text has no folder: an absolute path is outside of any.
  EXPECT_EQ(code_of("<worldbody><include file='" + root_.string() + "/part.xml'/></worldbody>"), "E_URI_OUTSIDE");
}

TEST_F(MjcfFolder, AModelWithoutANameIsReadOnceForItsName) {
  write("child.xml", "<mujoco model='c'><worldbody>" + times(500, "<site/>") + "</worldbody></mujoco>");
  // The same file again is a name that is taken: refused, but not read again.
  const Diagnostics again = check_robot(
      write("main.xml", mujoco("<asset>" + times(50, "<model file='child.xml'/>") + "</asset>")), at_most(1000));
  EXPECT_NE(find(again, "E_DUPLICATE"), nullptr) << all(again);
  EXPECT_EQ(find(again, "E_LIMIT_ELEMENTS"), nullptr) << all(again);
  std::string others;
  for (int k = 0; k < 4; ++k) {
    const std::string name = "m" + std::to_string(k);
    write(name + ".xml", "<mujoco model='" + name + "'><worldbody>" + times(500, "<site/>") + "</worldbody></mujoco>");
    others += "<model file='" + name + ".xml'/>";
  }
  const std::string file = write("main.xml", mujoco("<asset>" + others + "</asset>"));
  EXPECT_NE(find(check_robot(file, at_most(1000)), "E_LIMIT_ELEMENTS"), nullptr);
  EXPECT_FALSE(refused(check_robot(file, at_most(3000))));
  // The first that is broken is the last that is read.
  write("m0.xml", "<mujoco");
  write("m1.xml", "<mujoco");
  int broken = 0;
  for (const Diagnostic& d : check_robot(file)) broken += d.code == "E_XML";
  EXPECT_EQ(broken, 1);
}

TEST(MjcfLimits, SpringsByTimeConstantsAreABudget) {
  const std::string body = "<body><joint springdamper='.1 1'/><geom size='.1' pos='1 0 0'/></body>";
  const std::string text = "<worldbody>" + times(200, body) + "</worldbody>";  // 200 x 200 / 8 beside 600 elements
  EXPECT_EQ(code_of(text, at_most(4000)), "E_LIMIT_ELEMENTS");
  EXPECT_EQ(code_of(text, at_most(8000)), "");
}

// The second body has no mass: its column of M is zero.
TEST(MjcfLimits, SpringsOfASingularMassMatrixAreNamed) {
  const std::string text = mujoco(
      "<worldbody><body><joint name='j' springdamper='.1 1' damping='3'/><geom size='.1' pos='1 0 0'/></body>"
      "<body><joint name='k' springdamper='.1 1'/></body></worldbody>");
  Diagnostics found;
  const Robot robot = loads_robot(text, {}, &found);
  int named = 0;
  for (const Diagnostic& d : found) named += d.code == "W_MJCF_IGNORED" && has(d.found, "springdamper of joint");
  EXPECT_EQ(named, 2) << all(found);
  EXPECT_TRUE(joint_of(robot, "j").stiffness.empty());
  LoadOptions strict;
  strict.mode = Mode::strict;
  EXPECT_THROW(loads_robot(text, strict), ModelError);
}

// MuJoCo 4.0.0: stiffness 2620.55453656, of the joint d = 524.11090731 in place of its own damping, of its motor 28.
TEST(MjcfLimits, ASpringdamperReplacesTheJointsDampingNotThatOfItsMotor) {
  const Robot robot = loads_robot(mujoco(
      "<worldbody><body><joint name='j' damping='3' springdamper='.1 1' armature='2'/><geom size='.1' "
      "pos='1 0 0'/></body></worldbody><actuator><motor joint='j' damping='7' gear='2' armature='5'/></actuator>"));
  EXPECT_NEAR(joint_of(robot, "j").stiffness.at(0), 2620.55453656, 1e-7);
  EXPECT_NEAR(joint_of(robot, "j").damping.at(0), 524.11090731 + 28, 1e-7);
  EXPECT_EQ(code_of("<worldbody><body><joint springdamper='.1 0'/><geom size='.1'/></body></worldbody>"), "E_NUMBER");
}

TEST(MjcfLimits, SpringsAreThoseOfTheFileWhereTheRootIsFixed) {
  const std::string text = mujoco(
      "<worldbody><body><freejoint/><geom size='.1'/><body><joint name='j' springdamper='.1 1'/><geom size='.1' "
      "pos='1 0 0'/></body></body></worldbody>");
  LoadOptions fixed;
  fixed.root = "fixed";
  const Robot floating = loads_robot(text), held = loads_robot(text, fixed);
  EXPECT_EQ(held.model.nv(), 1);
  EXPECT_EQ(joint_of(held, "j").stiffness, joint_of(floating, "j").stiffness);
  EXPECT_EQ(joint_of(held, "j").damping, joint_of(floating, "j").damping);
}

TEST(MjcfLimits, RangesOfForcesFollowAutolimits) {
  const std::string head = "<compiler autolimits='false'/><worldbody><body><joint name='j' ";
  const std::string body = "/><geom size='.1' pos='1 0 0'/></body></worldbody>";
  for (const char* range : {"-1 1", "2 1"}) {
    EXPECT_EQ(code_of(head + "actuatorfrcrange='" + range + "'" + body), "E_LIMIT");
    for (const char* of : {"force", "ctrl"})
      EXPECT_EQ(code_of(head + body + "<actuator><motor joint='j' " + of + "range='" + range + "'/></actuator>"),
                "E_LIMIT");
  }
  EXPECT_EQ(code_of(head + "actuatorfrcrange='2 1' actuatorfrclimited='true'" + body), "E_LIMIT");
  EXPECT_EQ(code_of(head + body + "<actuator><motor joint='j' ctrlrange='2 1' ctrllimited='true'/></actuator>"),
            "E_LIMIT");
  EXPECT_EQ(code_of(head + "actuatorfrcrange='-1 1' actuatorfrclimited='false'" + body), "");
  const Robot robot =
      loads_robot(mujoco(head + "actuatorfrcrange='-3 3' actuatorfrclimited='true'" + body +
                         "<actuator><motor joint='j' ctrlrange='-2 2' ctrllimited='true'/></actuator>"));
  EXPECT_EQ(joint_of(robot, "j").effort.at(0), 2);
}

TEST(MjcfLimits, VerticesAreNumbersOfAFloat) {
  const auto mesh = [](const std::string& vertices) {
    return "<asset><mesh name='m' vertex='" + vertices +
           "'/></asset><worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>";
  };
  EXPECT_EQ(code_of(mesh("0 0 0 1 0 0 0 1 0 0 0 1")), "");
  EXPECT_EQ(code_of(mesh("0 0 0 1 0 0 0 1 0 0 0 1e300")), "E_NUMBER");
}

TEST(MjcfLimits, KeyframesKeepTheNamesOfTheFile) {
  Diagnostics found;
  const Robot robot = loads_robot(
      mujoco("<worldbody><body><joint/><geom size='.1' pos='1 0 0'/></body></worldbody><keyframe><key qpos='1'/>"
             "<key name='key_0' qpos='2'/><key name='file' qpos='3'/><key name='file_' qpos='4'/></keyframe>"),
      {}, &found);
  std::vector<std::string> names;
  for (const Configuration& c : robot.configurations) names.push_back(c.name);
  EXPECT_EQ(names, (std::vector<std::string>{"file", "key_0_", "key_0", "file__", "file_"}));
  EXPECT_EQ(robot.configurations.at(2).q.at(0), 2);
  EXPECT_EQ(robot.configurations.at(4).q.at(0), 4);
  ASSERT_NE(find(found, "W_NAME"), nullptr) << all(found);
  EXPECT_EQ(find(found, "W_NAME")->severity, Severity::warning);
}

const char* const k_child =
    "<compiler settotalmass='9'/><option gravity='0 0 0'/><worldbody><geom size='.1'/><site name='ws' pos='1 2 3'/>"
    "<frame name='f' pos='0 0 2'><body name='x' pos='1 0 0'><joint name='k'/><geom size='.1' pos='0 1 0'/>"
    "<site name='s'/></body></frame><body name='y' pos='0 3 0'><joint name='l'/><geom size='.2'/></body></worldbody>"
    "<tendon><fixed name='t'><joint joint='k' coef='2'/></fixed></tendon><actuator><motor joint='l'/></actuator>"
    "<equality><connect name='e' body1='x' anchor='0 0 .5'/><connect name='e2' body1='x' body2='y' anchor='0 0 .5'/>"
    "<weld name='r' body1='x' relpose='1 2 3 1 0 0 0'/><weld name='ws' site1='s' site2='ws'/></equality>";

/// Where the second frame of a loop is in its body, and which body that is.
struct End {
  std::string link;
  Vec3<double> p;
};
End end_of(const Robot& robot, const std::string& name) {
  for (const FrameDescription& f : robot.model.description().frames)
    if (f.name == name) return {f.parent, f.placement.p};
  throw std::out_of_range(name);
}

// MuJoCo 4.0.0 gives px the anchor (5, 1, 3.5) in its world; of the body alone, which comes without its frame, 2 lower.
TEST_F(MjcfFolder, TheWorldOfAnAttachedEqualityIsTheWorld) {
  for (const auto& [how, z] : {std::pair{"", 3.5}, std::pair{"body='x'", 1.5}, std::pair{"frame='f'", 3.5}}) {
    const Robot robot = load_robot(attaching(k_child, "<attach model='c' prefix='p' " + std::string(how) + "/>"));
    const End anchor = end_of(robot, "pe_2");
    EXPECT_EQ(anchor.link, "world");
    EXPECT_NEAR(anchor.p.x, 5, 1e-14) << how;
    EXPECT_NEAR(anchor.p.y, 1, 1e-14) << how;
    EXPECT_NEAR(anchor.p.z, z, 1e-14) << how;
    const End given = end_of(robot, "pr_1");  // relpose is what it is
    EXPECT_NEAR(norm(given.p - Vec3<double>{1, 2, 3}), 0, 1e-14);
    EXPECT_EQ(end_of(robot, "pr_2").link, "world");
    if (*how == 0) {  // its sites stand on the body
      EXPECT_EQ(end_of(robot, robot.constraints["pws"].other).link, "base");
    }
  }
}

TEST_F(MjcfFolder, WhatAnAttachmentLeavesBehindIsNamed) {
  const auto warnings = [&](const std::string& how) {
    std::string out;
    for (const Diagnostic& d : check_robot(attaching(k_child, "<attach model='c' prefix='p' " + how + "/>")))
      if (d.code == "W_MJCF_IGNORED") out += d.found + '\n';
    return out;
  };
  const std::string whole = warnings(""), alone = warnings("body='x'");
  EXPECT_TRUE(has(whole, "gravity of the attached model 'c'")) << whole;
  EXPECT_TRUE(has(whole, "settotalmass of the attached model 'c'")) << whole;
  EXPECT_FALSE(has(whole, "equality")) << whole;
  EXPECT_TRUE(has(alone, "equality 'e2'")) << alone;
  EXPECT_TRUE(has(alone, "equality 'ws'")) << alone;
  EXPECT_FALSE(has(alone, "equality 'e'")) << alone;
}

TEST_F(MjcfFolder, MotorsAndTendonsComeWithTheirJoints) {
  using Actuated = JointDescription::Actuated;
  EXPECT_EQ(joint_of(load_robot(attaching(k_child, "<attach model='c' prefix='p'/>")), "b").actuated, Actuated::no);
  EXPECT_EQ(joint_of(load_robot(attaching(k_child, "<attach model='c' prefix='p' body='x'/>")), "b").actuated,
            Actuated::by_default);
  const std::string row = "<equality><tendon name='q' tendon1='pt'/></equality>";
  const Robot robot = load_robot(attaching(k_child, "<attach model='c' prefix='p' body='x'/>", row));
  EXPECT_EQ(robot.constraints["q"].name, "q");
  EXPECT_TRUE(refused(check_robot(attaching(k_child, "<attach model='c' prefix='p' body='y'/>", row))));
}

// MuJoCo 4.0.0 knows the frames f0 and f1, and no f.
TEST_F(MjcfFolder, FramesOfCopiesHaveTheNamesOfCopies) {
  const std::string child =
      "<worldbody><replicate count='2' offset='1 0 0'><frame name='f'><body name='x'><joint/><geom size='.1' pos='0 1 "
      "0'/>"
      "</body></frame></replicate></worldbody>";
  const Robot robot = load_robot(attaching(child, "<attach model='c' frame='f1' prefix='p'/>"));
  EXPECT_EQ(robot.model.description().links.back().name, "px1");
  EXPECT_NE(find(check_robot(attaching(child, "<attach model='c' frame='f' prefix='p'/>")), "E_MJCF_REFERENCE"),
            nullptr);
}

}  // namespace
}  // namespace zwang::test
