// SPDX-License-Identifier: BSD-3-Clause
// Losses: each code is provoked, the page shows the list, strict mode refuses; names that no format likes.
#include <fstream>
#include <functional>
#include <sstream>

#include "io/losses.hpp"
#include "support/rolling_joint.hpp"
#include "write_support.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

/// base - shoulder - upper - elbow - lower, fixed to the world.
RobotDescription two_links() { return parse_urdf(arm()); }

using Writer = WrittenRobot (*)(const Robot&, const WriteOptions&);
struct Provoked {
  const char* code;
  Writer writer;
  Robot robot;
};

Robot changed(const std::function<void(RobotDescription&)>& change, const BuildOptions& options = {}) {
  RobotDescription r = two_links();
  change(r);
  return bare(build(r, options));
}
Robot held(const std::function<void(ConstraintSet&)>& add) {
  RobotDescription r = two_links();
  r.links.push_back(r.links[2]);
  r.links.back().name = "other";
  r.joints.push_back(r.joints[1]);
  r.joints.back().name = "wrist", r.joints.back().child = "other";
  r.frames = {{"tip", "lower"}, {"top", "other"}, {"floor", "base"}};
  Robot robot = bare(build(r));
  add(robot.constraints);
  return robot;
}
Robot configured(const std::string& name, double q) {
  Robot robot = bare(build(two_links()));
  robot.configurations = {{name, {q, 0}, {0, 0}}};
  return robot;
}

std::vector<Provoked> all_provoked() {
  std::vector<Provoked> out;
  const auto both = [&](const char* code, const Robot& robot) {
    out.push_back({code, write_urdf, robot});
    out.push_back({code, write_sdf, robot});
  };
  const auto urdf = [&](const char* code, const Robot& robot) { out.push_back({code, write_urdf, robot}); };
  const auto sdf = [&](const char* code, const Robot& robot) { out.push_back({code, write_sdf, robot}); };
  using Description = RobotDescription;
  const auto type = [](const char* word) {
    return [word](Description& r) {
      JointDescription& j = r.joints[1];
      j.type = word, j.lower = j.upper = j.velocity = j.effort = {};
      if (j.type == "helical") j.parameters = {0.1};
      if (j.type == "ellipsoid") j.parameters = {0.1, 0.2, 0.3};
    };
  };
  for (const char* word : {"spherical", "helical", "universal", "cylindrical", "ellipsoid", "translation",
                           "revolute_unbounded", "spherical_zyx"})
    urdf("L_JOINT", changed(type(word)));
  for (const char* word :
       {"planar", "cylindrical", "ellipsoid", "translation", "revolute_unbounded", "spherical_zyx", "floating"})
    sdf("L_JOINT", changed(type(word)));
  both("L_JOINT", changed([](Description& r) {
         JointDescription& j = r.joints[1];
         j.type = "composite", j.lower = j.upper = j.velocity = j.effort = {};
         j.parts = {{.type = "prismatic"}, {.type = "revolute", .axis = {1, 0, 0}}};
       }));
  BuildOptions floats;
  floats.root = "floating";
  urdf("L_ROOT", changed([](Description&) {}, floats));
  sdf("L_MASSLESS", changed([](Description& r) { r.links[1].mass = 0, r.links[1].inertia = Sym3<double>::zero(); }));
  sdf("L_INERTIA", changed([](Description& r) { r.links[1].inertia = Sym3<double>::diagonal(1, 1, 3); }));
  BuildOptions expanded, apart;
  expanded.expand_mimic = true, apart.lump = false;
  const auto mimics = [](Description& r) { r.joints[1].mimic = {"shoulder", 2, 0.1}; };
  both("L_MIMIC", changed(mimics, expanded));
  both("L_OPTION", changed([](Description& r) { r.joints[1].type = "fixed"; }, apart));
  BuildOptions lenient_mode;
  lenient_mode.mode = Mode::lenient;
  {
    const Robot odd = changed([](Description& r) { r.joints[1].name = "it's"; }, lenient_mode);
    EXPECT_EQ(count(write_urdf(odd).losses, "L_OPTION"), 1);
    EXPECT_EQ(count(write_urdf(changed([](Description&) {}, lenient_mode)).losses, "L_OPTION"), 0);
  }
  urdf("L_SPRING", changed([](Description& r) { r.joints[1].stiffness = {3}; }));
  const auto several = [&](std::vector<double> JointDescription::*member) {
    return changed([&](Description& r) {
      type("spherical")(r);
      r.joints[1].*member = {1, 2, 3};
    });
  };
  both("L_DAMPING", several(&JointDescription::damping));
  both("L_VELOCITY", several(&JointDescription::velocity));
  both("L_EFFORT", several(&JointDescription::effort));
  both("L_ARMATURE", several(&JointDescription::rotor_inertia));
  urdf("L_SPRING", changed([&](Description& r) {
         type("translation")(r);
         r.joints[1].stiffness = {1, 2, 3};
       }));
  urdf("L_LIMIT", changed([&](Description& r) {
         type("translation")(r);
         r.joints[1].lower = {-1, -2, -3}, r.joints[1].upper = {1, 2, 3};
       }));
  sdf("L_LIMIT", changed([](Description& r) { r.joints[1].upper = {1e17}; }));
  urdf("L_LIMIT", changed([](Description& r) { r.joints[1].upper = {unlimited}; }));
  sdf("L_ARMATURE", changed([](Description& r) { r.joints[1].rotor_inertia = {1e-3}; }));
  sdf("L_SAFETY", changed([](Description& r) { r.joints[1].k_velocity = 3; }));
  BuildOptions light;
  light.gravity = {0, 0, -1.62};
  both("L_GRAVITY", changed([](Description&) {}, light));
  urdf("L_FRAME", changed([](Description& r) { r.joints[1].child_origin.p = {0.1, 0, 0}; }));
  sdf("L_FRAME", changed([](Description& r) {
        r.links[0] = {.name = "world"};
        r.joints[0].parent = "world";
        r.frames = {{"floor", "world"}};
      }));
  const auto shape = [](Shape s) { return [s](Description& r) { r.links[1].shapes = {s}; }; };
  urdf("L_SHAPE", changed(shape({.kind = Shape::Kind::ellipsoid, .size = {1, 2, 3}})));
  urdf("L_SHAPE", changed(shape({.kind = Shape::Kind::plane})));
  sdf("L_SHAPE", changed(shape({.kind = Shape::Kind::plane})));
  sdf("L_MESH", changed(shape({.kind = Shape::Kind::mesh, .size = {-1, 1, 1}, .mesh = "a.stl"})));
  sdf("L_MATERIAL", changed(shape({.kind = Shape::Kind::sphere, .size = {1}, .material = "blue"})));
  urdf("L_MATERIAL", changed([](Description& r) {
         r.links[1].shapes = {{.kind = Shape::Kind::sphere, .size = {1}, .material = "blue", .colour = {0, 0, 1, 1}},
                              {.kind = Shape::Kind::sphere, .size = {1}, .material = "blue"}};
       }));
  ContactData rough;
  rough.friction[0] = 0.7, rough.friction[2] = 1e-4;
  both("L_CONTACT", changed(shape({.kind = Shape::Kind::sphere, .collision = true, .size = {1}, .contact = rough})));
  both("L_CONTACT", changed([](Description& r) { r.contact_exclusions = {{"base", "lower"}}; }));
  both("L_MOTOR", changed([](Description& r) { r.motors = {{.name = "m", .joint = "elbow", .kind = "position"}}; }));
  sdf("L_MOTOR", changed([](Description& r) { r.joints[1].actuated = JointDescription::Actuated::no; }));
  urdf("L_MOTOR", changed([](Description& r) {
         for (JointDescription& j : r.joints) j.actuated = JointDescription::Actuated::no;
       }));
  sdf("L_NAME", changed([](Description& r) { r.joints[1].name = "upper"; }));
  both("L_CONFIGURATION", configured("home", 0));
  both("L_CONFIGURATION", configured("file", 0.5));
  both("L_LOOP", held([](ConstraintSet& set) {
         set.add(LoopConstraint{.name = "c", .frame = "tip", .other = "top", .rows = joint_rows("cylindrical")});
       }));
  both("L_LOOP", held([](ConstraintSet& set) {
         set.add(LoopConstraint{.name = "c", .frame = "tip", .other = "top", .rows = rows("linear.x")});
       }));
  both("L_CONSTRAINT", held([](ConstraintSet& set) {
         set.add(LoopConstraint{.name = "c", .frame = "tip", .other = "top", .active = false});
       }));
  both("L_CONSTRAINT", held([](ConstraintSet& set) {
         set.add(LoopConstraint{.name = "c", .frame = "tip", .other = "top", .stabilisation = {0.1, 1}});
       }));
  both("L_CONSTRAINT", held([](ConstraintSet& set) { set.add(FrameConstraint{.name = "c", .frame = "tip"}); }));
  both("L_COUPLING", held([](ConstraintSet& set) {
         set.add(CouplingConstraint{.name = "c", .coordinates = {"elbow", "wrist"}, .polynomial = {0, 1, 2}});
       }));
  both("L_COUPLING", held([](ConstraintSet& set) {
         set.add(CouplingConstraint{
             .name = "c", .coordinates = {"shoulder", "elbow", "wrist"}, .ratio = {1, 2, 3}, .offset = 0.1});
       }));
  return out;
}

/// Losses that write_mjcf alone reports.
const std::set<std::string> k_of_mjcf = {"L_SOFT"};

TEST(Losses, EachCodeIsProvokedAndStrictRefusesIt) {
  std::set<std::string> seen = k_of_mjcf;
  for (const Provoked& p : all_provoked()) {
    SCOPED_TRACE(std::string(p.code) + (p.writer == Writer(write_urdf) ? " URDF" : " SDF"));
    const WrittenRobot written = p.writer(p.robot, {});
    EXPECT_GT(count(written.losses, p.code), 0) << all(written.losses) << written.text;
    seen.insert(p.code);
    for (const Loss& l : written.losses) {
      EXPECT_FALSE(l.lost.empty());
      EXPECT_FALSE(l.element.empty());
    }
    EXPECT_NO_THROW(loads_robot(written.text, without_meshes())) << written.text;
    try {
      p.writer(p.robot, {.strict = true});
      ADD_FAILURE() << "strict took it";
    } catch (const ModelError& error) {
      ASSERT_EQ(error.diagnostics().size(), written.losses.size());
      for (std::size_t i = 0; i < written.losses.size(); ++i) {
        EXPECT_EQ(error.diagnostics()[i].code, written.losses[i].code);
        EXPECT_EQ(error.diagnostics()[i].severity, Severity::error);
      }
    }
  }
  for (const io::LossMeaning& loss : io::k_losses)
    EXPECT_TRUE(seen.contains(std::string(loss.code))) << loss.code << " is provoked by no test";
}

/// A robot all of whose losses are of data moves as before, read again.
TEST(Losses, OfDataLeaveTheMotion) {
  int robots = 0;
  for (const Provoked& p : all_provoked()) {
    const WrittenRobot written = p.writer(p.robot, {});
    SCOPED_TRACE(std::string(p.code) + '\n' + all(written.losses) + written.text);
    const auto is_of_motion = [](const Loss& l) { return l.severity == "motion"; };
    for (const Loss& l : written.losses) EXPECT_TRUE(is_of_motion(l) || l.severity == "data");
    if (std::any_of(written.losses.begin(), written.losses.end(), is_of_motion)) continue;
    ++robots;
    const Robot again = loads_robot(written.text, without_meshes());
    expect_same_dynamics(p.robot.model, again.model, 1e-13, false, false, true, written.losses);
    expect_same_rows(p.robot, again, 1e-13, written.losses);
  }
  EXPECT_GT(robots, 20);
}

/// Limits and effects of a fixed joint: a URDF has them, the others have a line.
TEST(Losses, NumbersOfFixedJointsAreKeptOrSaid) {
  const Robot robot = changed([](RobotDescription& r) {
    JointDescription& j = r.joints[1];
    j.type = "fixed", j.lower = {-2}, j.upper = {3}, j.effort = {4}, j.damping = {0.5}, j.k_velocity = 6;
  });
  const WrittenRobot urdf = write_urdf(robot);
  EXPECT_EQ(all(urdf.losses), "");
  const Model again = loads(urdf.text);
  const JointDescription& j = again.description().joints[1];
  EXPECT_EQ(j.lower, std::vector<double>{-2});
  EXPECT_EQ(j.effort, std::vector<double>{4});
  EXPECT_EQ(j.damping, std::vector<double>{0.5});
  EXPECT_EQ(j.k_velocity, 6);
  for (const Writer writer : {Writer(write_sdf), Writer(write_mjcf)}) {
    const std::vector<Loss> losses = writer(robot, {}).losses;
    const auto of_fixed = [](const Loss& l) {
      return l.code == "L_LIMIT" && l.name == "elbow" && l.severity == "data";
    };
    EXPECT_EQ(std::count_if(losses.begin(), losses.end(), of_fixed), 1) << all(losses);
  }
}

/// Neither shapes nor a word of them; without, a mesh that is not there is left out of MJCF alone.
TEST(Writers, ShapesAreLeftOutAsAsked) {
  const std::string name = (std::filesystem::temp_directory_path() / "zwang_no_such_mesh.stl").string();
  const Robot robot = changed([&](RobotDescription& r) {
    r.links[1].shapes = {{.kind = Shape::Kind::mesh, .size = {1, 1, 1}, .mesh = name},
                         {.kind = Shape::Kind::sphere, .collision = true, .size = {1}, .material = "blue"}};
  });
  for (const Writer writer : {Writer(write_urdf), Writer(write_sdf), Writer(write_mjcf)}) {
    const WrittenRobot none = writer(robot, {.shapes = WrittenShapes::none}),
                       all_of_them = writer(robot, {.shapes = WrittenShapes::all}), standard = writer(robot, {});
    for (const char* word : {"sphere", "zwang_no_such_mesh", "visual", "collision", "blue"})
      EXPECT_EQ(none.text.find(word), std::string::npos) << none.text;
    EXPECT_EQ(count(none.losses, "L_MESH") + count(none.losses, "L_SHAPE") + count(none.losses, "L_MATERIAL"), 0);
    EXPECT_NE(all_of_them.text.find("zwang_no_such_mesh"), std::string::npos);
    EXPECT_NE(standard.text.find("sphere"), std::string::npos);
    const bool mjcf = writer == Writer(write_mjcf);
    EXPECT_EQ(standard.text.find("zwang_no_such_mesh") == std::string::npos, mjcf);
    EXPECT_EQ(count(standard.losses, "L_MESH"), mjcf ? 1 : 0);
    expect_same_dynamics(robot.model, loads(none.text), 1e-13);
  }
}

TEST(Losses, AreInTheOrderOfThePage) {
  const Robot robot = changed([](RobotDescription& r) {
    r.joints[0].stiffness = {1};
    r.links[2].shapes = {{.kind = Shape::Kind::plane}};
    r.joints[1].type = "spherical", r.joints[1].lower = r.joints[1].upper = {};
    r.motors = {{.name = "m", .joint = "elbow", .kind = "position"}};
  });
  Robot more = robot;
  more.configurations = {{"home", {0, 0, 0, 0, 1}, {0, 0, 0, 0}}};
  std::vector<std::string> elements;
  for (const Loss& l : write_urdf(more).losses) elements.push_back(l.element);
  EXPECT_EQ(elements, (std::vector<std::string>{"shape", "joint", "joint", "configuration", "motor"}));
}

std::string text_of_page(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

/// ZWANG_WRITE_SCHEMA=1 writes the table.
TEST(Losses, ThePageShowsTheList) {
  const std::filesystem::path path = std::filesystem::path(ZWANG_MODELS) / ".." / "docs" / "formats" / "convert.md";
  const std::string page = text_of_page(path), begin = "<!-- losses: begin -->\n", end = "<!-- losses: end -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::size_t start = from + begin.size();
  std::string wanted = "| code | changes | what is lost |\n|---|---|---|\n";
  for (const io::LossMeaning& loss : io::k_losses)
    wanted += "| `" + std::string(loss.code) + "` | " + loss.severity + " | " + loss.meaning + " |\n";
  if (std::getenv("ZWANG_WRITE_SCHEMA") != nullptr)
    std::ofstream(path) << page.substr(0, start) + wanted + page.substr(to);
  else
    EXPECT_EQ(page.substr(start, to - start), wanted) << "ZWANG_WRITE_SCHEMA=1 writes " << path;
}

/// Quotes, brackets, other scripts come back; names with quotes the builder refuses.
TEST(Writers, NamesOfAllKindsComeBack) {
  for (const std::string& name :
       {std::string("a\"b"), std::string("a'b"), std::string("a<b>&c;"), std::string("&amp;"), std::string("A::B"),
        std::string("gr\xc3\xb6\xc3\x9f"
                    "e \xd0\xb6"),
        std::string("]]>"), std::string("a/b[1]"), std::string("-- -->"), std::string("%s{}"),
        std::string("<![CDATA[x]]>")}) {
    SCOPED_TRACE(name);
    RobotDescription r = two_links();
    const bool quotes = name.find_first_of("'\"") != std::string::npos;
    const std::string own = quotes ? "x" : name;
    r.name = name;
    r.links[2].name = r.joints[1].child = own + " link";
    r.joints[1].name = own;
    r.frames = {{own + " frame", r.links[2].name}};
    r.links[1].shapes = {{.kind = Shape::Kind::mesh, .name = name, .size = {1, 1, 1}, .mesh = name + ".stl"}};
    r.links[1].shapes[0].material = name;
    const Robot robot = bare(build(r));
    for (const Writer writer : {Writer(write_urdf), Writer(write_sdf)}) {
      const WrittenRobot written = writer(robot, {});
      const Model again = loads(written.text, without_meshes());
      EXPECT_EQ(again.name(), name);
      EXPECT_TRUE(again.find_link(own + " link")) << written.text;
      EXPECT_TRUE(again.find_joint(own)) << written.text;
      EXPECT_TRUE(again.find_frame(own + " frame")) << written.text;
      const std::vector<Shape>& shapes = again.link("upper").shapes;
      ASSERT_EQ(shapes.size(), 1u);
      EXPECT_EQ(shapes[0].name, name);
      EXPECT_EQ(shapes[0].mesh, name + ".stl");
      if (writer == Writer(write_urdf)) { EXPECT_EQ(shapes[0].material, name); }
    }
  }
}

/// XML has no way to write them.
TEST(Writers, TextsThatXmlCannotHoldAreRefused) {
  for (const std::string& wrong : {std::string("a\x01") + "b", std::string("a\0b", 3), std::string("\xff"),
                                   std::string("\xc3"), std::string("\xed\xa0\x80")}) {
    RobotDescription r = two_links();
    r.links[1].shapes = {{.kind = Shape::Kind::mesh, .size = {1, 1, 1}, .mesh = wrong}};
    const Robot robot = bare(build(r));
    EXPECT_THROW(write_urdf(robot), ModelError);
    EXPECT_THROW(write_sdf(robot), ModelError);
  }
  RobotDescription r = two_links();
  r.links[1].shapes = {{.kind = Shape::Kind::mesh, .name = "a\tb\nc", .size = {1, 1, 1}, .mesh = "m"}};
  EXPECT_EQ(loads(write_urdf(bare(build(r))).text, without_meshes()).link("upper").shapes[0].name, "a\tb\nc");
}

TEST(Writers, UserDefinedJointsAreRefused) {
  RandomRobot options;
  options.types = {"revolute"};
  options.user = {user_joint<Rolling>()};
  const Robot robot = bare(build(random_robot(1, options)));
  EXPECT_THROW(write_urdf(robot), UnsupportedError);
  EXPECT_THROW(write_sdf(robot), UnsupportedError);
}

/// Every sample robot in both formats.
TEST(Writers, SampleRobotsAreWritten) {
  for (const std::string& name : sample_names()) {
    SCOPED_TRACE(name);
    const Model model = build(sample(name));
    const WrittenRobot urdf = write_urdf(bare(model));
    const Model as_urdf = loads(urdf.text);
    if (count(urdf.losses, "L_ARMATURE") + count(urdf.losses, "L_SPRING") + count(urdf.losses, "L_DAMPING") == 0)
      expect_same_dynamics(model, as_urdf, 1e-12, true);
    const WrittenRobot sdf = write_sdf(bare(model));
    const Model as_sdf = loads(sdf.text);
    if (count(sdf.losses, "L_JOINT") == 0 && count(sdf.losses, "L_ARMATURE") == 0)
      expect_same_dynamics(model, as_sdf, 1e-12, true);
  }
}

/// The joint that an option puts between the world and the root link.
TEST(Writers, RootsOfOptionsAreWritten) {
  for (const char* root : {"floating", "planar", "revolute", "prismatic", "spherical", "universal", "cylindrical",
                           "translation", "spherical_zyx", "revolute_unbounded"}) {
    SCOPED_TRACE(root);
    BuildOptions options;
    options.root = root, options.root_joint = "base_joint";
    const Robot robot = changed([](RobotDescription&) {}, options);
    const WrittenRobot urdf = write_urdf(robot);
    EXPECT_EQ(count(urdf.losses, "L_ROOT"), 1);
    const Model as_urdf = loads(urdf.text);
    EXPECT_TRUE(as_urdf.find_joint("base_joint"));
    EXPECT_EQ(as_urdf.actuated(), robot.model.actuated());  // an added joint has no motor
    expect_same_dynamics(robot.model, as_urdf, 1e-13, true);
    const WrittenRobot sdf = write_sdf(robot);
    const Model as_sdf = loads(sdf.text);
    EXPECT_EQ(as_sdf.nv(), robot.model.nv());
    if (std::string(root) != "planar" && std::string(root) != "revolute_unbounded")
      expect_same_dynamics(robot.model, as_sdf, 1e-13, true);
  }
}

/// A gear between wheels on one link, a relation with an offset, and joints one behind the other.
TEST(Writers, CouplingsKeepTheirRows) {
  const auto row = [](std::vector<std::string> coordinates, std::vector<double> ratio, double offset = 0) {
    return held([&](ConstraintSet& set) {
      set.add(CouplingConstraint{.name = "c", .coordinates = coordinates, .ratio = ratio, .offset = offset});
    });
  };
  for (const Robot& robot :
       {row({"elbow", "wrist"}, {2, 3}), row({"wrist", "elbow"}, {2, -3}), row({"shoulder", "elbow"}, {4, 4}),
        row({"wrist"}, {1}), row({"elbow", "wrist"}, {1, 1})}) {
    const WrittenRobot written = write_urdf(robot);
    EXPECT_EQ(all(written.losses), "");
    expect_same_rows(robot, loads_robot(written.text), 1e-14);
  }
  for (const Robot& robot : {row({"elbow", "wrist"}, {2, 3}), row({"wrist", "elbow"}, {2, -3})}) {
    const WrittenRobot written = write_sdf(robot);
    EXPECT_EQ(count(written.losses, "L_COUPLING"), 0) << all(written.losses);
    expect_same_rows(robot, loads_robot(written.text), 1e-14);
  }
  const Robot offset = row({"shoulder", "elbow"}, {2, 4}, 0.3);
  const Robot mimic = loads_robot(write_sdf(offset).text);
  EXPECT_EQ(mimic.model.nv(), 2);
  const Mimic& m = mimic.model.joint("elbow").mimic;
  EXPECT_EQ(m.leader, "shoulder");
  EXPECT_EQ(m.multiplier, -0.5);
  EXPECT_NEAR(m.offset, 0.075, 1e-16);
}

/// Loops that a robot has beside its model.
TEST(Writers, LoopsOfConstraintsBecomeLoops) {
  for (const char* joint : {"weld", "ball", "hinge", "slider"}) {
    SCOPED_TRACE(joint);
    const Robot robot = held([&](ConstraintSet& set) {
      set.add(LoopConstraint{
          .name = "c", .frame = "tip", .other = "top", .rows = joint_rows(joint, {0.6, 0, 0.8}, {0, 1, 0})});
    });
    for (const Writer writer : {Writer(write_urdf), Writer(write_sdf)}) {
      const WrittenRobot written = writer(robot, {});
      EXPECT_EQ(count(written.losses, "L_LOOP") + count(written.losses, "L_CONSTRAINT"), 0) << all(written.losses);
      const Robot again = loads_robot(written.text);
      EXPECT_EQ(again.constraints.constraints()[0].name, "c");
      expect_same_rows(robot, again, 1e-12);
    }
  }
}

}  // namespace
}  // namespace zwang::test
