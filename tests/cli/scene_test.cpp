// SPDX-License-Identifier: BSD-3-Clause
// zwang simulate: what can be touched, by options and by the key `scene`.
#include "program.hpp"

namespace zwang::test {
namespace {

constexpr const char* k_inertia =
    "<inertial><mass value='1'/><inertia ixx='0.004' iyy='0.004' izz='0.004' ixy='0' ixz='0' iyz='0'/></inertial>";
std::string ball_of(const std::string& geometry) {
  std::string text = "<robot name='ball'><link name='ball'>";
  text += k_inertia;
  text += "<collision><geometry>" + geometry + "</geometry></collision>";
  return text += "<collision><geometry><sphere radius='0.1'/></geometry></collision></link></robot>";
}
std::vector<std::string> dropped(const std::string& robot, const std::vector<std::string>& more) {
  std::vector<std::string> words{"simulate",          robot,    "--root", "floating", "--q",
                                 "root_joint[2]=0.2", "--time", "0.5",    "--dt",     "0.01"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(SceneOptions, FrictionAndBounceAreNumbersInTheirRanges) {
  const Folder folder;
  const std::string robot = folder.write("ball.urdf", ball_of("<box size='0.01 0.01 0.01'/>"));
  for (const char* x : {"nan", "-1", "inf"}) {
    const Outcome r = zwang(dropped(robot, {"--ground", "--friction", x}));
    EXPECT_EQ(r.code, 1);
    EXPECT_SAYS(r.err, "--ground: Scene::add_shape: 'ground': friction is a number >= 0; got " +
                           std::string(x == std::string("-1") ? "-1.000000" : x));
    EXPECT_SAYS(zwang(dropped(robot, {"--ground", "--bounce", x})).err, "restitution is between 0 and 1");
  }
  EXPECT_SAYS(zwang(dropped(robot, {"--friction", "1"})).err, "--friction is of the ground: give --ground, too");
}

/// A ball whose mesh is not there: refused by name, or left out by name.
TEST(SceneOptions, MeshesThatAreMissingAreLeftOutWhereThatIsAskedFor) {
  const Folder folder;
  const std::string robot = folder.write("ball.urdf", ball_of("<mesh filename='package://toys/skin.stl'/>"));
  const Outcome refused = zwang(dropped(robot, {"--ground"}));
  EXPECT_EQ(refused.code, 1);
  EXPECT_SAYS(refused.err, "skin.stl");
  EXPECT_SAYS(refused.err, "--missing-meshes");
  const Outcome r = zwang(dropped(robot, {"--ground", "--missing-meshes"}));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_SAYS(r.err, "note: touches nothing, since its mesh was not found: package://toys/skin.stl of 'ball'");
  EXPECT_SAYS(r.out, "ground on ball:1: force 0 0 9.81 N");
  EXPECT_SAYS(zwang(dropped(robot, {"--missing-meshes"})).err, "--missing-meshes is of what can be touched");

  Json problem = {{"model", "ball.urdf"},
                  {"root", "floating"},
                  {"state", {{"q", {{"root_joint", {0, 0, 0.1, 0, 0, 0, 1}}}}}},
                  {"time", 0.01},
                  {"scene", {{"missing_meshes", true}, {"ground", Json::object()}}}};
  const Outcome of_file = zwang({"simulate", folder.write("p.json", problem.dump())});
  EXPECT_EQ(of_file.code, 0) << of_file.err;
  EXPECT_SAYS(of_file.err, "skin.stl of 'ball'");
  problem["scene"]["missing_meshes"] = 1;
  EXPECT_SAYS(zwang({"simulate", folder.write("p.json", problem.dump())}).err, "missing_meshes");
}

}  // namespace
}  // namespace zwang::test
