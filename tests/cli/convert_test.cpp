// SPDX-License-Identifier: BSD-3-Clause
// zwang convert: formats by the ending, losses, --report, --strict, documents of robots.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/program.hpp"

namespace zwang::test {
namespace {

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}
std::string slider_crank() { return ZWANG_MODELS "/slider_crank.sdf"; }

TEST(Convert, TheEndingIsTheFormat) {
  const Folder folder;
  const Json expected = zwang_json({"id", arm7(), "--q", "random:2", "--v", "random:1"}).json()["tau"];
  struct Case {
    const char *ending, *root;
  };
  for (const Case& c : {Case{".urdf", "<robot"}, Case{".sdf", "<sdf"}, Case{".xml", "<mujoco"},
                        Case{".mjcf", "<mujoco"}, Case{".json", "zwang.model"}}) {
    SCOPED_TRACE(c.ending);
    const std::string file = folder.path(std::string("arm") + c.ending);
    const Outcome o = zwang({"convert", arm7(), file});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_SAYS(o.out, "bytes");
    EXPECT_SAYS(content(file), c.root);
  }
  EXPECT_EQ(zwang_json({"id", folder.path("arm.urdf"), "--q", "random:2", "--v", "random:1"}).json()["tau"], expected);
  for (const char* wrong : {"arm.dae", "arm", "arm.urdf.txt"}) {
    const Outcome o = zwang({"convert", arm7(), folder.path(wrong)});
    EXPECT_EQ(o.code, 1) << wrong;
    EXPECT_SAYS(o.err, ".json, .cbor, .urdf, .sdf, .xml, .mjcf");
    EXPECT_FALSE(std::filesystem::exists(folder.path(wrong)));
  }
}

TEST(Convert, WhatIsLostIsSaid) {
  const Folder folder;
  const std::string file = folder.path("arm.sdf"), report = folder.path("losses.json");
  const Outcome o = zwang({"convert", arm7(), file, "--report", report});
  EXPECT_EQ(o.code, 0);
  EXPECT_SAYS(o.err, "L_ARMATURE joint joint1: ");
  EXPECT_SAYS(o.err, "15 losses, 7 change the motion: L_ARMATURE (7)\n");
  const Json losses = Json::parse(content(report))["losses"];
  ASSERT_GT(losses.size(), 0u);
  bool armature = false;
  for (const Json& loss : losses) {
    for (const char* key : {"code", "element", "name", "lost", "instead", "severity"})
      EXPECT_TRUE(loss[key].is_string()) << key;
    armature = armature || loss["code"] == "L_ARMATURE";
  }
  EXPECT_TRUE(armature);
  const Outcome json = zwang_json({"convert", arm7(), file});
  EXPECT_EQ(json.json()["losses"], losses);
  EXPECT_EQ(json.err, "");
  EXPECT_EQ(zwang({"convert", arm7(), file, "--quiet"}).err, "");
  EXPECT_EQ(zwang({"convert", arm7(), file, "--report", file}).code, 1);
  const Outcome none = zwang({"convert", arm7(), folder.path("arm.urdf"), "--report", report, "--strict"});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_EQ(Json::parse(content(report)), (Json{{"losses", Json::array()}}));
}

/// A mesh that is named from the robot's folder.
TEST(Convert, MeshesBesideTheRobotStayThere) {
  const Folder folder;
  const std::string robot = folder.write(
      "r.urdf",
      "<robot name='r'><link name='a'><visual><geometry><mesh filename='m.stl'/></geometry></visual></link></robot>");
  std::filesystem::create_directory(folder.path("other"));
  const Outcome beside = zwang({"convert", robot, folder.path("s.urdf")});
  EXPECT_EQ(beside.code, 0);
  EXPECT_FALSE(contains(beside.err, "L_MESH")) << beside.err;
  EXPECT_SAYS(zwang({"convert", robot, folder.path("other/s.urdf")}).err, "L_MESH shape a: where mesh m.stl is");
  EXPECT_EQ(zwang({"convert", robot, folder.path("other/t.urdf"), "--strict"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.path("other/t.urdf")));
}

/// MJCF names the file that was found; a mesh that was not found is left out, since MuJoCo would refuse the file.
TEST(Convert, MjcfNamesTheMeshesThatWereFound) {
  const Folder folder;
  std::filesystem::create_directory(folder.path("other"));
  const std::string mass =
                        "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
                        "</inertial>",
                    robot = folder.write("r.urdf", "<robot name='r'><link name='a'>" + mass +
                                                       "<visual><geometry><mesh filename='m.stl'/></geometry></visual>"
                                                       "</link></robot>");
  const std::string file = folder.path("other/r.xml");
  const Outcome missing = zwang({"convert", robot, file});
  EXPECT_SAYS(missing.err, "L_MESH shape mesh of link a: mesh m.stl, which was not found: MuJoCo refuses");
  EXPECT_SAYS(missing.err, "1 loss, none changes the motion\n");
  EXPECT_FALSE(contains(content(file), "m.stl"));
  EXPECT_SAYS(zwang({"convert", robot, file, "--missing-meshes"}).err, "L_MESH shape a: where mesh m.stl is");
  EXPECT_SAYS(content(file), "m.stl");
  EXPECT_EQ(zwang({"convert", robot, file, "--no-shapes", "--strict"}).code, 0);
  EXPECT_FALSE(contains(content(file), "geom"));
  EXPECT_EQ(zwang({"convert", robot, file, "--no-shapes", "--missing-meshes"}).code, 1);
  EXPECT_EQ(zwang({"convert", robot, folder.path("r.json"), "--no-shapes"}).code, 1);
  folder.write("m.stl",
               "solid m\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
               "endloop\nendfacet\nendsolid m\n");
  const Outcome found = zwang({"convert", robot, file});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_FALSE(contains(found.err, "where mesh")) << found.err;
  EXPECT_SAYS(content(file), folder.path("m.stl"));
}

std::string looped() {
  const auto link = [](const std::string& name) {
    return "<link name='" + name +
           "'><inertial><mass value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial>"
           "</link>";
  };
  const auto turn = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "<joint name='" + name + "' type='continuous'><parent link='" + parent + "'/><child link='" + child +
           "'/><axis xyz='0 1 0'/><origin xyz='0.5 0 0'/></joint>";
  };
  return "<robot name='r'>" + link("base") + link("u") + link("v") + link("w") + turn("bu", "base", "u") +
         turn("uv", "u", "v") + turn("bw", "base", "w") +
         "<loop name='c' type='spherical'><predecessor link='v'><origin xyz='0.3 0 0'/></predecessor>"
         "<successor link='w'><origin xyz='0.8 0 0'/></successor></loop></robot>";
}

/// A model's document holds its loops: what is made of it is what is made of the file.
TEST(Convert, LoopsGoThroughTheModelsDocument) {
  const Folder folder;
  const std::string robot = folder.write("r.urdf", looped());
  for (const char* ending : {".json", ".cbor"}) {
    const std::string document = folder.path(std::string("r") + ending);
    ASSERT_EQ(zwang({"convert", robot, document, "--strict"}).code, 0);
    for (const char* format : {".xml", ".urdf", ".sdf"}) {
      SCOPED_TRACE(std::string(ending) + format);
      const std::string direct = folder.path(std::string("a") + format),
                        by_way = folder.path(std::string("b") + format);
      const Outcome one = zwang({"convert", robot, direct}), other = zwang({"convert", document, by_way});
      ASSERT_EQ(one.code, 0) << one.err;
      ASSERT_EQ(other.code, 0) << other.err;
      EXPECT_EQ(content(direct), content(by_way));
    }
    EXPECT_SAYS(content(folder.path("b.xml")), "<connect");
  }
  EXPECT_SAYS(content(folder.path("r.json")), "zwang.model");
}

/// A robot that does not hold the loops of its model.
TEST(Convert, ASetWithoutTheLoopsIsKept) {
  const Folder folder;
  const Model model = loads_robot(looped()).model;
  ASSERT_EQ(model.loops().size(), 1u);
  const std::string open = folder.write("open.json", to_json(Robot{model, ConstraintSet(model), {}}));
  const std::string again = folder.path("again.json");
  ASSERT_EQ(zwang({"convert", open, again}).code, 0);
  EXPECT_SAYS(content(again), "zwang.robot");
  EXPECT_EQ(robot_from_json(content(again)).constraints.size(), 0);
  ASSERT_EQ(zwang({"convert", again, folder.path("open.xml")}).code, 0);
  EXPECT_FALSE(contains(content(folder.path("open.xml")), "<connect"));
}

/// A robot is not left behind without the report that was asked for.
TEST(Convert, AReportThatCannotBeWrittenLeavesNothing) {
  const Folder folder;
  const std::string file = folder.path("arm.sdf");
  for (const std::string& place : {std::string("/dev/full"), folder.path("none/losses.json"), folder.path("")}) {
    EXPECT_NE(zwang({"convert", arm7(), file, "--report", place}).code, 0) << place;
    EXPECT_FALSE(std::filesystem::exists(file)) << place;
  }
}

TEST(Convert, StrictWritesNothing) {
  const Folder folder;
  const std::string file = folder.path("arm.sdf"), report = folder.path("losses.json");
  const Outcome o = zwang({"convert", arm7(), file, "--strict", "--report", report});
  EXPECT_EQ(o.code, 2);
  EXPECT_SAYS(o.err, "error: L_ARMATURE");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(report));
  const Outcome json = zwang_json({"convert", arm7(), file, "--strict"});
  EXPECT_EQ(json.code, 2);
  EXPECT_EQ(json.json()["status"], "refused");
}

/// Loops, gears and configurations: in documents all of it, in a URDF what it has.
TEST(Convert, ConstraintsAndConfigurationsAreKept) {
  const Folder folder;
  for (const char* ending : {".json", ".cbor"}) {
    SCOPED_TRACE(ending);
    const std::string file = folder.path(std::string("crank") + ending);
    const Outcome o = zwang({"convert", slider_crank(), file, "--strict"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(zwang({"solve", file, "--tau", "motor=0.1", "--json"}).json()["acceleration"],
              zwang({"solve", slider_crank(), "--tau", "motor=0.1", "--json"}).json()["acceleration"]);
    const Outcome info = zwang({"info", file});
    EXPECT_EQ(info.code, 0) << info.err;
    EXPECT_SAYS(info.err, "N_CONSTRAINTS");
    EXPECT_EQ(zwang({"fd", file}).code, 1);
    EXPECT_EQ(zwang({"convert", file, folder.path("again.json")}).code, 0);
    std::filesystem::resize_file(file, 100);
    EXPECT_EQ(zwang({"info", file}).code, 2);
  }
  EXPECT_SAYS(content(folder.path("again.json")), "zwang.robot");
  ASSERT_EQ(zwang({"convert", slider_crank(), folder.path("crank.sdf")}).code, 0);
  const Json a = zwang({"solve", slider_crank(), "--tau", "motor=0.1", "--json"}).json()["acceleration"],
             b = zwang({"solve", folder.path("crank.sdf"), "--tau", "motor=0.1", "--json"}).json()["acceleration"];
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9 * (1 + std::fabs(a[i].get<double>())));
}

}  // namespace
}  // namespace zwang::test
