// SPDX-License-Identifier: BSD-3-Clause
// Pages: what stands in them is what the library computes; they stay small; they ask nothing of a network.
#include "viewer/page.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/robots.hpp"
#include "viewer/embedded.hpp"
#include "zwang/spatial/quat.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Json = nlohmann::json;
using viewer::Geometry;
using viewer::Page;
using viewer::Picture;

Json scene_of(const Page& page) {
  const std::string open = "<script id=\"scene\" type=\"application/json\">";
  const std::size_t at = page.html.find(open) + open.size();
  return Json::parse(page.html.substr(at, page.html.find("</script>", at) - at));
}
std::string bytes_of(const std::string& base64) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned word = 0;
  int bits = 0;
  for (const char c : base64) {
    if (c == '=') break;
    word = word << 6 | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits >= 8) out += static_cast<char>(word >> (bits -= 8) & 255);
  }
  return out;
}
template <class T> std::vector<T> numbers_of(const Json& text) {
  const std::string bytes = bytes_of(text.get<std::string>());
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}
Picture picture_of(const Model& m, int states, std::uint64_t seed = 1) {
  Picture p{.model = m};
  for (int k = 0; k < states; ++k) {
    const Eigen::VectorXd q = random(m, seed + static_cast<std::uint64_t>(k));
    p.q.insert(p.q.end(), q.data(), q.data() + q.size());
    if (states > 1) p.time.push_back(0.1 * k);
  }
  return p;
}
bool drawn() { return !viewer::three_script().empty(); }
#define ZWANG_NEEDS_THREE \
  if (!drawn()) GTEST_SKIP() << "this build has no three.js (Debian: libjs-three)"

TEST(Page, HoldsThePosesOfAllLinks) {
  ZWANG_NEEDS_THREE;
  for (const char* name : {"quadruped.urdf", "arm7.urdf", "humanoid.urdf"}) {
    const Model m = load(model_file(name), LoadOptions{{.root = name[0] == 'a' ? "fixed" : "floating"}});
    const Picture p = picture_of(m, 3);
    const Page page = viewer::page_of(p);
    EXPECT_EQ(page.states, 3);
    EXPECT_EQ(page.shown, 3);
    EXPECT_TRUE(page.notes.empty()) << page.notes[0];
    const Json scene = scene_of(page);
    const std::vector<float> poses = numbers_of<float>(scene["poses"]);
    ASSERT_EQ(poses.size(), 3 * 7 * m.links().size());
    Data data(m);
    std::size_t at = 0;
    for (int k = 0; k < 3; ++k)
      for (const Link& link : m.links()) {
        const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(p.q.data() + k * m.nq(), m.nq());
        const Transform<double> X = frame_pose(m, data, q, link.frame);
        const float* const x = &poses[at];
        const Mat3<double> R = rotation(normalized(Quat<double>(x[3], x[4], x[5], x[6])));
        for (int i = 0; i < 3; ++i) {
          EXPECT_NEAR(x[i], X.p[i], 1e-6 * (1 + std::abs(X.p[i])));  // float32
          for (int j = 0; j < 3; ++j) EXPECT_NEAR(R(i, j), X.R(i, j), 1e-6);
        }
        at += 7;
      }
    const std::vector<float> times = numbers_of<float>(scene["time"]);
    EXPECT_EQ(times, (std::vector<float>{0.0f, 0.1f, 0.2f}));
  }
}

TEST(Page, ThinsOutLongMotionsAndKeepsBothEnds) {
  ZWANG_NEEDS_THREE;
  const Model m = load(model_file("humanoid.urdf"), LoadOptions{{.root = "floating"}});
  Picture p = picture_of(m, 1);
  const std::vector<double> one = p.q;
  for (int k = 1; k < 20000; ++k) p.q.insert(p.q.end(), one.begin(), one.end());
  for (int k = 0; k < 20000; ++k) p.time.push_back(1e-3 * k);
  const Page page = viewer::page_of(p);
  EXPECT_LE(page.html.size(), p.most_bytes);
  EXPECT_LT(page.shown, page.states);
  EXPECT_GT(page.shown, 500);
  ASSERT_EQ(page.notes.size(), 1u);
  EXPECT_NE(page.notes[0].find("of 20000"), std::string::npos);
  const std::vector<float> times = numbers_of<float>(scene_of(page)["time"]);
  EXPECT_EQ(times.front(), 0.0f);
  EXPECT_FLOAT_EQ(times.back(), 19.999f);
  p.most_bytes = 860000;
  EXPECT_THROW(viewer::page_of(p), std::runtime_error);
}

TEST(Page, HoldsTheMeshesThatItFindsAndNamesTheOthers) {
  ZWANG_NEEDS_THREE;
  std::string pattern = (std::filesystem::temp_directory_path() / "zwang_viewer_XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  std::ofstream(folder / "wedge.obj") << "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  std::ofstream(folder / "robot.urdf")
      << "<robot name='r'><link name='a'><visual><geometry><mesh filename='wedge.obj' scale='2 2 "
         "2'/></geometry></visual>"
         "<visual><geometry><mesh filename='nothing.stl'/></geometry></visual></link></robot>";
  const Model m = load((folder / "robot.urdf").string(), LoadOptions{{.root = "floating"}});
  const Page page = viewer::page_of(picture_of(m, 1));
  const Json scene = scene_of(page);
  ASSERT_EQ(scene["meshes"].size(), 1u);
  const Json& mesh = scene["meshes"][0];
  const std::vector<std::uint16_t> points = numbers_of<std::uint16_t>(mesh["p"]),
                                   corners = numbers_of<std::uint16_t>(mesh["t"]);
  ASSERT_EQ(points.size(), 12u);
  EXPECT_EQ(corners.size(), 12u);
  double high = 0;
  for (std::size_t k = 2; k < points.size(); k += 3)
    high = std::max(high, mesh["low"][2].get<double>() + points[k] * mesh["step"].get<double>());
  EXPECT_NEAR(high, 3, 1e-4);
  EXPECT_EQ(scene["links"][0]["shapes"][0]["s"][0], 2);
  ASSERT_EQ(page.notes.size(), 1u);
  EXPECT_NE(page.notes[0].find("nothing.stl"), std::string::npos) << page.notes[0];
  std::filesystem::remove_all(folder);
}

const char* const k_mjcf =
    "<mujoco><asset><material name='m' rgba='1 0 0 1'/></asset><worldbody><geom type='plane' size='0 2 .1'/>"
    "<body name='a'><joint name='x' type='slide'/><joint name='y' type='slide' axis='0 1 0'/>"
    "<geom type='ellipsoid' size='.1 .2 .3' material='m'/><site name='s'/></body></worldbody></mujoco>";

TEST(Page, DrawsPlanesAndEllipsoids) {
  ZWANG_NEEDS_THREE;
  const Model m = loads(k_mjcf);
  const Json scene = scene_of(viewer::page_of(picture_of(m, 1)));
  const Json &plane = scene["links"][0]["shapes"][0], &body = scene["links"][1]["shapes"][0];
  EXPECT_EQ(plane["k"], "plane");
  // Half the diagonal of what has an end: the ball around the ellipsoid.
  EXPECT_GT(plane["s"][0].get<double>(), 1);
  EXPECT_LT(plane["s"][0].get<double>(), 20);
  EXPECT_EQ(plane["s"][1], 4);
  EXPECT_EQ(body["k"], "ellipsoid");
  EXPECT_EQ(body["s"][2], 0.3);
  EXPECT_EQ(body["c"], "#ff0000");  // of its material
}

TEST(Page, LeavesOutLinksBetweenTheJointsOfABody) {
  ZWANG_NEEDS_THREE;
  Picture p = picture_of(loads(k_mjcf), 1);
  p.geometry = Geometry::skeleton;
  const Json scene = scene_of(viewer::page_of(p));
  std::string frames, drawn;
  for (const Json& f : scene["frames"]) frames += f["name"].get<std::string>() + ' ';
  for (const Json& l : scene["links"])
    if (!l["shapes"].empty()) drawn += l["name"].get<std::string>() + ' ';
  EXPECT_EQ(frames.find("a/x"), std::string::npos) << frames;
  EXPECT_NE(frames.find("s "), std::string::npos) << frames;  // a site
  EXPECT_EQ(drawn.find("a/x"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("a "), std::string::npos) << drawn;
}

TEST(Page, AsksNothingOfANetwork) {
  ZWANG_NEEDS_THREE;
  const Model m = load(model_file("arm7.urdf"));
  const Page page = viewer::page_of(picture_of(m, 1));
  std::string own = page.html;
  own.erase(own.find(viewer::three_script()), viewer::three_script().size());
  for (const char* word : {"http:", "https:", " src=", " href=", "import(", "fetch(", "XMLHttpRequest", "WebSocket"})
    EXPECT_EQ(own.find(word), std::string::npos) << word;
}

TEST(Page, NamesCannotCloseItsScripts) {
  ZWANG_NEEDS_THREE;
  RobotDescription d{.name = "</script><b>robot"};
  d.links = {{.name = "</script>"}};
  Picture p{.model = build(d)};
  const Page page = viewer::page_of(p);
  EXPECT_EQ(scene_of(page)["links"][0]["name"], "</script>");
  EXPECT_EQ(page.html.find("<b>robot"), std::string::npos);
}

TEST(Page, AModelWithoutCoordinatesHasOneState) {
  ZWANG_NEEDS_THREE;
  RobotDescription d{.name = "stone"};
  d.links = {{.name = "stone"}};
  const Page page = viewer::page_of({.model = build(d)});
  EXPECT_EQ(page.states, 1);
  EXPECT_EQ(numbers_of<float>(scene_of(page)["poses"]).size(), 7u);
}

/// What was added to a scene stands where it is, or moves with its link; the shapes of the model are not drawn twice.
TEST(Page, HoldsWhatWasAddedToAScene) {
  ZWANG_NEEDS_THREE;
  const Model m = load(model_file("arm7.urdf"));
  Picture p = picture_of(m, 2);
  const Json before = scene_of(viewer::page_of(p));
  EXPECT_TRUE(before["scenery"].empty());
  zwang::Scene scene(m);
  EXPECT_EQ(scene.of_model(), scene.shapes().size());
  scene.add_ground({.offset = -0.5});
  const Transform<double> place{Mat3<double>::identity(), {1, 2, 3}};
  scene.add_shape({.name = "box", .solid = Solid::box({0.2, 0.4, 0.6}), .pose = place});
  scene.add_shape({.name = "tip", .link = "link4", .solid = Solid::capsule(0.1, 0.3)});
  scene.add_shape({.name = "hull", .solid = Solid::convex({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})});
  scene.add_shape({.name = "field", .solid = Solid::height_field(3, 2, 2, 1, {0, 1, 0, 0, 0, 0})});
  p.scenery = &scene;
  const Json after = scene_of(viewer::page_of(p));
  ASSERT_EQ(after["scenery"].size(), 4u);
  EXPECT_EQ(after["scenery"][0]["k"], "plane");
  EXPECT_NEAR(after["scenery"][0]["o"][2].get<double>(), -0.5, 1e-6);
  EXPECT_GT(after["scenery"][0]["s"][0].get<double>(), 0.1);  // it has an end in pictures
  EXPECT_EQ(after["scenery"][1]["k"], "box");
  EXPECT_NEAR(after["scenery"][1]["s"][2].get<double>(), 0.6, 1e-12);
  EXPECT_NEAR(after["scenery"][1]["o"][1].get<double>(), 2, 1e-6);
  for (const std::size_t k : {std::size_t{2}, std::size_t{3}}) {
    EXPECT_EQ(after["scenery"][k]["k"], "mesh");
    const std::vector<std::uint16_t> corners =
        numbers_of<std::uint16_t>(after["meshes"][after["scenery"][k]["m"].get<std::size_t>()]["t"]);
    EXPECT_EQ(corners.size(), 3u * 4u);  // a tetrahedron; two cells
  }
  std::size_t more = 0;
  for (std::size_t k = 0; k < m.links().size(); ++k) {
    const std::size_t own = before["links"][k]["shapes"].size(), now = after["links"][k]["shapes"].size();
    more += now - own;
    if (now == own) continue;
    EXPECT_EQ(after["links"][k]["name"], "link4");
    EXPECT_EQ(after["links"][k]["shapes"].back()["k"], "capsule");
    EXPECT_NEAR(after["links"][k]["shapes"].back()["s"][1].get<double>(), 0.3, 1e-12);
  }
  EXPECT_EQ(more, 1u);
}

TEST(Page, RefusesWhatDoesNotFit) {
  const Model m = load(model_file("arm7.urdf"));
  const auto refused = [&](auto&& change, const char* why) {
    Picture p = picture_of(m, 2);
    change(p);
    try {
      viewer::page_of(p);
      FAIL() << why;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused([](Picture& p) { p.q.pop_back(); }, "a multiple of 7");
  refused([](Picture& p) { p.q.clear(); }, "a multiple of 7");
  refused([](Picture& p) { p.q[3] = std::nan(""); }, "q");
  refused([](Picture& p) { p.time.clear(); }, "their times");
  refused([](Picture& p) { p.time = {1, 0}; }, "goes back");
  refused([](Picture& p) { p.multipliers = {1}; }, "constraints");
  if (drawn()) refused([](Picture& p) { p.frames = {"tool"}; }, "tool0");
  EXPECT_THROW(viewer::geometry_of("visula"), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
