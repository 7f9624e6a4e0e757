// SPDX-License-Identifier: BSD-3-Clause
// zwang simulate: what can be touched, by options and by the key `scene`.
#include <fstream>
#include <sstream>

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

Json falling_ball() {
  return {{"model", "ball.urdf"},
          {"root", "floating"},
          {"state", {{"q", {{"root_joint", {0, 0, 0.5, 0, 0, 0, 1}}}}}},
          {"time", 0.5},
          {"dt", 0.001},
          {"scene", {{"ground", {{"restitution", 0.5}, {"name", "floor, of wood"}}}}}};
}

/// The keys touch and leave of events, and refusals by their place.
TEST(SceneOptions, EventsOfTouchAreRecordedAndMayStop) {
  const Folder folder;
  folder.write("ball.urdf", ball_of("<sphere radius='0.1'/>"));
  Json problem = falling_ball();
  problem["events"] = {{{"name", "hits"}, {"when", {{"touch", {"ball", "floor, of wood"}}}}},
                       {{"name", "flies"}, {"when", {{"leave", Json::array()}}}, {"stop", true}}};
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"simulate", folder.write("p.json", problem.dump())};
    words.insert(words.end(), more.begin(), more.end());
    return zwang(words);
  };
  const Json d = run({"--json"}).json();
  EXPECT_EQ(d["status"], "ok");
  ASSERT_GE(d["events"].size(), 2u);
  const Json& hit = d["events"][0];
  EXPECT_NEAR(hit["time"].get<double>(), std::sqrt(2 * 0.4 / 9.81), 1e-6);
  EXPECT_EQ(hit["name"], "hits");
  EXPECT_NE(hit["a"], hit["b"]);
  EXPECT_NEAR(hit["point"][2].get<double>(), 0, 1e-6);
  EXPECT_NEAR(d["time"].get<double>(), 0.286, 1e-9);  // with its step
  EXPECT_SAYS(run({}).out, "event 'hits' at t = 0.2855");
  EXPECT_SAYS(run({}).out, "floor, of wood");
  EXPECT_TRUE(hit["energy_before"].is_null() && hit["energy_after"].is_null());  // NaN: an instant within a step
  for (const Json& names : {Json({nullptr, "floor, of wood"}), Json({"floor, of wood", nullptr}), Json()}) {
    problem["events"] = Json::array({{{"name", "hits"}, {"when", {{"touch", names}}}}});
    EXPECT_EQ(run({"--json"}).json()["events"][0]["time"], hit["time"]) << names;
  }

  problem["events"] = Json::array({{{"name", "hits"}, {"when", {{"touch", "wall"}}}}});
  EXPECT_SAYS(run({}).err, "events[0]");
  EXPECT_SAYS(run({}).err, "wall");
  problem["events"][0]["when"] = {{"touch", "ball"}, {"leave", "ball"}};
  EXPECT_SAYS(run({}).err, "one of touch, leave");
  problem["events"][0]["when"] = {{"touch", {"a", "b", "c"}}};
  EXPECT_SAYS(run({}).err, "at most two names");
  problem["events"][0]["when"] = {{"touch", "ball"}, {"value", 1}};
  EXPECT_SAYS(run({}).err, "value");
  problem["events"][0]["when"] = {{"touch", "ball"}};
  problem.erase("scene");
  EXPECT_SAYS(run({}).err, "integrator 'contact'");
}

/// A slope from 0 (black) to 0.5 m (white) along y: the ball rests on a plateau of a step, and rolls off a slope.
TEST(SceneOptions, TerrainComesFromAGreyPicture) {
  const Folder folder;
  const std::string robot = folder.write("ball.urdf", ball_of("<sphere radius='0.1'/>"));
  const auto end = [&](const std::string& picture, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"--height-field", picture, "--height-size", "4,4",
                                   "--height-scale", "0.5",   "--json"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<std::string> all = dropped(robot, words);
    all[5] = "root_joint[1]=1.5,root_joint[2]=0.7";
    const Outcome r = zwang(all);
    EXPECT_EQ(r.code, 0) << r.err;
    return vector_of(r.json()["q"]);
  };
  // The first row is at the largest y, where the ball is.
  const std::string text =
      folder.write("step.pgm", "P2 # a step\n3 5\n100\n100 100 100\n100 100 100\n0 0 0\n0 0 0\n0 0 0\n");
  EXPECT_NEAR(end(text)[2], 0.6, 1e-9);
  std::string bytes = "P5\n3 5\n100\n";
  for (int k = 0; k < 15; ++k) bytes += static_cast<char>(k < 6 ? 100 : 0);
  EXPECT_NEAR(end(folder.write("step5.pgm", bytes))[2], 0.6, 1e-9);
  std::string wide = "P5 3 5 1000\n";
  for (int k = 0; k < 15; ++k) wide += std::string(k < 6 ? "\x03\xe8" : "\0\0", 2);
  EXPECT_NEAR(end(folder.write("step16.pgm", wide))[2], 0.6, 1e-9);
  const std::string slope = folder.write("slope.pgm", "P2 2 2 1 1 1 0 0");
  EXPECT_LT(end(slope, {"--friction", "0.5"})[1], 1.45);  // downhill, along -y

  const auto refused = [&](const std::string& picture, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"--height-field", picture};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome r = zwang(dropped(robot, words));
    EXPECT_EQ(r.code, 1) << picture;
    return r.err;
  };
  EXPECT_SAYS(refused(slope), "--height-size");
  EXPECT_SAYS(refused(slope, {"--height-size", "4"}), "two lengths");
  EXPECT_SAYS(refused(slope, {"--height-size", "4,-1"}), "length");
  EXPECT_SAYS(refused(slope, {"--height-size", "4,4", "--friction", "nan"}), "friction is a number >= 0");
  EXPECT_SAYS(refused(slope, {"--height-size", "4,4", "--integrator", "rk4"}),
              "--height-field: only integrator contact");
  EXPECT_SAYS(zwang(dropped(robot, {"--height-scale", "1"})).err, "give --height-field, too");
  for (const char* scale : {"-1", "0", "inf", "nan"})
    EXPECT_SAYS(refused(slope, {"--height-size", "4,4", "--height-scale", scale}), "finite height above 0");
  const std::pair<const char*, const char*> pictures[] = {{"\x89PNG\r\n", "PNG"},
                                                          {"P3 2 2 1 0 0 0 0", "P2 or P5"},
                                                          {"P2 1 2 1 0 0", "2 x 2"},
                                                          {"P2 2 2 70000 0 0 0 0", "65535"},
                                                          {"P2 2 2 9 0 0 0 10", "value 3"},
                                                          {"P2 2 2 9 0 0 0", "value 3"},
                                                          {"P5 2 2 9\n\1\1", "cut off"},
                                                          {"P2 99999999 99999999 1 0", "16 million"},
                                                          {"P2", "2 x 2"},
                                                          {"P2 2 2 9 0 0 a 0", "value 2"}};
  for (const auto& [text_of_picture, words] : pictures)
    EXPECT_SAYS(refused(folder.write("bad.pgm", text_of_picture), {"--height-size", "4,4"}), words);
}

/// A refusal within a scene names its place once.
TEST(SceneOptions, ARefusalNamesItsPlaceOnce) {
  const Folder folder;
  folder.write("ball.urdf", ball_of("<sphere radius='0.1'/>"));
  Json problem = falling_ball();
  const auto places = [&] {
    const std::string said = zwang({"simulate", folder.write("p.json", problem.dump())}).err;
    int count = 0;
    for (std::size_t at = said.find("p.json: "); at != std::string::npos; at = said.find("p.json: ", at + 1)) ++count;
    return std::pair(count, said);
  };
  const auto expect_once = [&](const char* place) {
    const auto [count, said] = places();
    EXPECT_EQ(count, 1) << said;
    EXPECT_SAYS(said, place);
  };
  problem["scene"]["shapes"] = Json::array({{{"name", "hill"}, {"height_field", {{"heights", {{0, 0}, {0, 0}}}}}}});
  expect_once("scene.shapes[0].height_field");
  problem["scene"]["shapes"][0] = {{"name", "ball"}, {"sphere", -1}};
  expect_once("scene.shapes[0]");
  problem["scene"].erase("shapes");
  problem["events"] =
      Json::array({{{"name", "low"}, {"when", {{"frame", "ball"}, {"normal", {0, 1}}}}, {"stop", true}}});
  expect_once("events[0].when.normal");
  problem.erase("events");
  problem["solver"] = {{"motor_limits", {{"root_joint[0]", "strong"}}}};
  expect_once("solver.motor_limits");
}

/// --contacts, and what --out of JSON and NPZ has of contacts.
TEST(SceneOptions, ContactsAreWrittenBesideTheStates) {
  const Folder folder;
  const std::string robot = folder.write("ball.urdf", ball_of("<sphere radius='0.1'/>"));
  Json problem = falling_ball();
  problem["scene"]["ground"]["restitution"] = 0;
  const std::string p = folder.write("p.json", problem.dump()), json = folder.path("m.json"),
                    csv = folder.path("c.csv");
  const Outcome r = zwang({"simulate", p, "--out", json, "--contacts", csv, "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json()["contacts_out"], csv);
  const auto text_of = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const Json motion = Json::parse(text_of(json));
  ASSERT_EQ(motion["contacts"].size(), motion["time"].size());
  std::size_t count = 0;
  double up = 0;
  for (const Json& state : motion["contacts"]) count += state.size();
  for (const Json& c : motion["contacts"].back()) up += std::fabs(c["force"][2].get<double>());
  EXPECT_NEAR(up, 9.81, 1e-9);
  EXPECT_EQ(motion["contacts"].back()[0]["what"], "point");
  EXPECT_EQ(motion["contacts"].back()[0]["normal"].size(), 3u);
  std::istringstream lines(text_of(csv));
  std::string line, last;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "time,what,a,b,kind,gap,point.x,point.y,point.z,normal.x,normal.y,normal.z,force.x,force.y,force.z,slip.x,"
            "slip.y,slip.z");
  std::size_t rows = 0;
  for (; std::getline(lines, line); last = line) ++rows;
  EXPECT_EQ(rows, count);
  EXPECT_SAYS(last, "0.5,point,");
  EXPECT_SAYS(last, "\"floor, of wood\"");
  const std::string npz = folder.path("m.npz");
  ASSERT_EQ(zwang({"simulate", p, "--out", npz}).code, 0);
  for (const char* name : {"contact_state.npy", "contact_force.npy", "contact_b.npy"})
    EXPECT_TRUE(contains(text_of(npz), name)) << name;

  EXPECT_SAYS(zwang({"simulate", p, "--contacts", folder.path("c.txt")}).err, ".csv");
  EXPECT_SAYS(zwang({"simulate", p, "--out", csv, "--contacts", csv}).err, "are one file");
  EXPECT_SAYS(zwang({"simulate", robot, "--root", "floating", "--contacts", csv}).err, "give --ground, too");
}

}  // namespace
}  // namespace zwang::test
