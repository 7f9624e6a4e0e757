// SPDX-License-Identifier: BSD-3-Clause
// write_urdf and write_sdf: robots that nobody draws. Numbers that are not the model's, names that many have, chains of
// 20 000 elements (minutes where the work grows with their square), contact that a format says half.
#include "io/used_names.hpp"
#include "write_support.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::test {
namespace {

using Writer = WrittenRobot (*)(const Robot&, const WriteOptions&);
constexpr Writer k_writers[] = {write_urdf, write_sdf};
constexpr int k_many = 20000;

Robot floating_arm(std::vector<double> q, std::vector<double> v = {}) {
  LoadOptions options;
  options.root = "floating";
  Robot robot = bare(loads(arm(), options));
  robot.configurations = {{.name = "file", .q = std::move(q), .v = std::move(v)}};
  return robot;
}

TEST(WriteLimits, ConfigurationsOfAnotherSizeAreLost) {
  for (const std::vector<double>& q :
       {std::vector<double>{}, std::vector<double>{1}, std::vector<double>(100, 1.0),
        std::vector<double>{unknown, 0, 0, 0, 0, 0, 1, 0, 0}, std::vector<double>{0, 0, 0, 0, 0, 0, 1, 0, unlimited}})
    for (const Writer writer : k_writers) {
      const WrittenRobot written = writer(floating_arm(q), {});
      EXPECT_EQ(count(written.losses, "L_CONFIGURATION"), 1) << all(written.losses);
      EXPECT_NO_THROW(loads_robot(written.text));
    }
  for (const Writer writer : k_writers)
    EXPECT_EQ(count(writer(floating_arm({0, 0, 0, 0, 0, 0, 1, 0, 0}, {1, 2}), {}).losses, "L_CONFIGURATION"), 1);
}

TEST(WriteLimits, QuaternionsOfAnotherLengthAreDrawnAsTurns) {
  const Robot again = loads_robot(write_sdf(floating_arm({1, 2, 3, 0, 0, 3, 4, 0, 0})).text);
  ASSERT_EQ(again.configurations.size(), 1u);
  const std::vector<double>& q = again.configurations[0].q;
  const double expected[] = {1, 2, 3, 0, 0, 0.6, 0.8};
  ASSERT_GE(q.size(), 7u);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(q[k], expected[k], 1e-15);
  const WrittenRobot none = write_sdf(floating_arm({1, 2, 3, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(count(none.losses, "L_CONFIGURATION"), 1) << all(none.losses);
  EXPECT_NO_THROW(loads_robot(none.text));
}

TEST(WriteLimits, NewNamesStandBesideTheWantedOne) {
  io::UsedNames names{"a", "a_4"};
  for (const char* expected : {"a_", "a__", "a_3", "a_5", "a_6"}) EXPECT_EQ(names.fresh("a"), expected);
  EXPECT_EQ(names.fresh("b"), "b");
  EXPECT_FALSE(names.add("a_5"));
  std::size_t length = 0;
  for (int k = 0; k < k_many; ++k) length += names.fresh("motor").size();
  EXPECT_LE(length, k_many * std::string("motor_20000").size());
}

TEST(WriteLimits, TransmissionsOfOneName) {
  std::string more;
  for (int k = 0; k < k_many; ++k) more += "<transmission name='t'><joint name='elbow'/></transmission>\n";
  const Model model = loads(arm(more));
  std::set<std::string> names;
  std::size_t length = 0;
  for (const MotorDescription& m : model.description().motors) names.insert(m.name), length += m.name.size();
  EXPECT_EQ(names.size(), static_cast<std::size_t>(k_many));
  EXPECT_LE(length, k_many * std::string("t_20000").size());
  EXPECT_TRUE(names.contains("t_"));
}

TEST(WriteLimits, ShapesOfOneName) {
  RobotDescription r = parse_urdf(arm());
  Shape shape{.kind = Shape::Kind::sphere, .name = "v", .size = {1}};
  r.links[1].shapes.assign(k_many, shape);
  const WrittenRobot written = write_sdf(bare(build(r)));
  EXPECT_LE(written.text.size(), std::size_t{400} * k_many);
  EXPECT_EQ(count(written.losses, "L_NAME"), k_many - 1);
  const Model again = loads(written.text);
  EXPECT_EQ(again.link("upper").shapes.size(), static_cast<std::size_t>(k_many));
}

/// What SDF reserves is renamed, once.
TEST(WriteLimits, ReservedNamesOfShapes) {
  RobotDescription r = parse_urdf(arm());
  for (const char* name : {"__", "____", "__a__", "world", "__a", "__a", "__a", "a"})
    r.links[1].shapes.push_back({.kind = Shape::Kind::sphere, .name = name, .size = {1}});
  const Model again = loads(write_sdf(bare(build(r))).text);
  const std::vector<Shape>& shapes = again.link("upper").shapes;
  ASSERT_EQ(shapes.size(), 8u);
  std::set<std::string> names;
  for (const Shape& s : shapes) {
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    EXPECT_FALSE(s.name == "world" || (s.name.starts_with("__") && s.name.ends_with("__"))) << s.name;
  }
}

/// Against the poses of the model's own frames.
TEST(WriteLimits, AChainOfFrames) {
  RobotDescription r = parse_urdf(arm());
  for (int k = k_many; k-- > 0;) {
    FrameDescription f{"f" + std::to_string(k), k > 0 ? "f" + std::to_string(k - 1) : "lower"};
    f.placement = {rotation(from_rotation_vector(Vec3<double>{0.01, 0.02, 0.03})), {1e-3, 0, 0}};
    r.frames.push_back(f);
  }
  const Model model = build(r);
  for (const Writer writer : k_writers) {
    const Model again = loads(writer(bare(model), {}).text);
    Data a(model), b(again);
    const Eigen::VectorXd q = Eigen::VectorXd::Constant(2, 0.3);
    for (const int k : {0, 1, 77, k_many - 1}) {
      const std::string name = "f" + std::to_string(k);
      const Transform<double> X = frame_pose(model, a, q, name), Y = frame_pose(again, b, q, name);
      EXPECT_LE(norm(X.p - Y.p), 1e-10) << name;
    }
  }
}

/// base - u0, u1, ...: joints that turn on one link.
RobotDescription fan(int count) {
  RobotDescription r = parse_urdf(arm());
  const LinkDescription body = r.links[1];
  JointDescription turn = r.joints[0];
  turn.lower = turn.upper = turn.velocity = turn.effort = {};
  turn.type = "continuous";
  for (int k = 0; k < count; ++k) {
    r.links.push_back(body);
    r.joints.push_back(turn);
    r.links.back().name = r.joints.back().child = "u" + std::to_string(k);
    r.joints.back().name = "j" + std::to_string(k);
  }
  return r;
}

TEST(WriteLimits, AChainOfMimics) {
  RobotDescription r = fan(k_many);
  for (int k = 0; k < k_many; ++k) {
    JointDescription& j = r.joints[static_cast<std::size_t>(k) + 2];
    j.gear_ratio = {2};
    if (k > 0) j.mimic = {"j" + std::to_string(k - 1), 1, 0};
  }
  const WrittenRobot written = write_urdf(bare(build(r)));
  EXPECT_EQ(count(written.losses, "L_MOTOR"), 0) << written.losses[0].lost;
  r.joints[2].actuated = JointDescription::Actuated::no;
  EXPECT_EQ(count(write_urdf(bare(build(r))).losses, "L_MOTOR"), k_many);
}

TEST(WriteLimits, ManyCouplingsAndMotors) {
  RobotDescription r = fan(k_many);
  for (int k = 0; k < k_many; ++k)
    r.motors.push_back({.name = "m" + std::to_string(k), .joint = "j" + std::to_string(k), .kind = "transmission"});
  Robot robot = bare(build(r));
  constexpr int k_rows = 2000;
  for (int k = 0; k < k_rows; ++k)
    robot.constraints.add(
        CouplingConstraint{.name = "c" + std::to_string(k),
                           .coordinates = {"j" + std::to_string(2 * k), "j" + std::to_string(2 * k + 1)},
                           .ratio = {1, 2},
                           .offset = k % 2 == 0 ? 0.0 : 0.5});
  const WrittenRobot urdf = write_urdf(robot), sdf = write_sdf(robot);
  EXPECT_EQ(count(urdf.losses, "L_COUPLING"), k_rows / 2);
  EXPECT_EQ(count(urdf.losses, "L_MOTOR"), 0);
  EXPECT_EQ(count(sdf.losses, "L_COUPLING"), k_rows / 2);  // mimics
  EXPECT_EQ(loads_robot(urdf.text).constraints.rows(), k_rows / 2);
  EXPECT_EQ(loads_robot(sdf.text).model.nv(), k_many + 2 - k_rows / 2);
}

/// The option `root` adds a joint in front of all others.
TEST(WriteLimits, CouplingsOfARobotWhoseRootFloats) {
  LoadOptions options;
  options.root = "floating";
  for (const bool both : {false, true}) {
    Robot robot = bare(loads(arm(), options));
    if (both)
      robot.constraints.add(CouplingConstraint{.name = "c", .coordinates = {"shoulder", "elbow"}, .ratio = {1, 1}});
    else
      robot.constraints.add(CouplingConstraint{.name = "c", .coordinates = {"elbow"}, .ratio = {1}});
    const WrittenRobot written = write_urdf(robot);
    EXPECT_EQ(count(written.losses, "L_COUPLING"), 0) << all(written.losses);
    expect_same_rows(robot, loads_robot(written.text), 1e-14);
  }
}

/// A loop whose second end is the link that is fixed to the world.
TEST(WriteLimits, ALoopMayEndAtTheRoot) {
  const auto turning = [](const char* name, const char* parent, const char* child) {
    return joint(name, parent, child, "<axis xyz='0 0 1'/><origin xyz='0.5 0 0'/>", "continuous");
  };
  const std::string text =
      robot(link("base") + link("u") + link("v") + turning("bu", "base", "u") + turning("uv", "u", "v") +
            "<loop name='c' type='revolute'><predecessor link='v'><origin xyz='0.3 0 0'/></predecessor>"
            "<successor link='base'><origin xyz='1.3 0 0'/></successor><axis xyz='0 0 1'/></loop>");
  const Robot a = loads_robot(text);
  const WrittenRobot written = write_sdf(a);
  EXPECT_EQ(count(written.losses, "L_LOOP"), 0) << all(written.losses);
  const Robot b = loads_robot(written.text);
  EXPECT_EQ(b.constraints.rows(), 5);
  expect_same_rows(a, b, 1e-12);
}

Shape rubbing(double slides, double turns, double rolls, int dimension) {
  Shape s{.kind = Shape::Kind::sphere, .collision = true, .size = {1}};
  s.contact.friction[0] = slides, s.contact.friction[1] = turns, s.contact.friction[2] = rolls;
  s.contact.dimension = dimension;
  return s;
}
struct Returned {
  ContactData contact;
  std::vector<Loss> losses;
};
Returned returned(const Shape& shape) {
  RobotDescription r = parse_urdf(arm());
  r.links[1].shapes = {shape};
  const WrittenRobot written = write_sdf(bare(build(r)));
  return {loads(written.text).link("upper").shapes.at(0).contact, written.losses};
}

TEST(WriteLimits, WhatSdfSaysOfContact) {
  const Returned plain = returned(rubbing(0.7, 0.01, 1e-4, 3));
  EXPECT_EQ(plain.contact.dimension, 3);
  EXPECT_EQ(plain.contact.friction[0], 0.7);
  EXPECT_TRUE(std::isnan(plain.contact.friction[1]));
  ASSERT_EQ(plain.losses.size(), 1u);
  EXPECT_EQ(plain.losses[0].code, "L_CONTACT");
  EXPECT_EQ(plain.losses[0].lost, "torsional friction, rolling friction");
  const Returned none = returned(rubbing(0.7, 0, unknown, 4));
  EXPECT_EQ(all(none.losses), "");
  EXPECT_EQ(none.contact.dimension, 4);
  EXPECT_EQ(none.contact.friction[1], 0);
  for (const int dimension : {1, 4, 6}) {
    const Returned unsaid = returned(rubbing(0.7, unknown, unknown, dimension));
    EXPECT_EQ(unsaid.contact.dimension, 3);
    ASSERT_EQ(unsaid.losses.size(), 1u);
    EXPECT_EQ(unsaid.losses[0].lost, "the dimension of the force");
  }
}

/// Torsional friction is a product in the file; the pitch of a screw is a multiple of 2 pi, which leaves out some.
TEST(WriteLimits, NumbersOfOtherUnitsComeBack) {
  Random random(3);
  for (int k = 0; k < 300; ++k) {
    const double friction = k == 0 ? 0.01 : random.uniform(0, 1) * std::pow(10, k % 4 - 3);
    EXPECT_EQ(returned(rubbing(0.7, friction, unknown, 4)).contact.friction[1], friction);
  }
  RobotDescription r = parse_urdf(arm());
  JointDescription& j = r.joints[1];
  j.type = "helical", j.lower = j.upper = j.velocity = j.effort = {};
  int same = 0;
  for (int k = 0; k < 300; ++k) {
    const double pitch = random.uniform(0.01, 1);
    j.parameters = {pitch};
    const double read = loads(write_sdf(bare(build(r))).text).joint("elbow").description.parameters.at(0);
    EXPECT_LE(std::fabs(read - pitch), std::nextafter(pitch, 2) - pitch);
    same += read == pitch;
  }
  EXPECT_GE(same, 240);
}

TEST(WriteLimits, LossesNameTheSameElementsAsMjcf) {
  RobotDescription r = parse_urdf(arm());
  r.contact_exclusions = {{"base", "lower"}};
  r.joints.push_back(r.joints[1]);
  r.joints.back().name = "closing", r.joints.back().type = "cylindrical", r.joints.back().parent = "base";
  r.joints.back().lower = r.joints.back().upper = r.joints.back().velocity = r.joints.back().effort = {};
  r.joints.back().closes_loop = true;
  BuildOptions options;
  options.loops = ClosedLoops::constraints;
  const Model model = build(r, options);
  for (const Writer writer : {Writer(write_urdf), Writer(write_sdf), Writer(write_mjcf)}) {
    int of_loop = 0, of_pair = 0;
    const WrittenRobot written = writer(bare(model), {});
    for (const Loss& l : written.losses) {
      if (l.code == "L_LOOP" && l.name == "closing") {
        ++of_loop;
        EXPECT_EQ(l.element, "joint");
      }
      if (l.code == "L_CONTACT") {
        ++of_pair;
        EXPECT_EQ(l.element, "link");
      }
    }
    EXPECT_GT(of_loop, 0) << all(written.losses);
    if (writer != Writer(write_mjcf)) { EXPECT_EQ(of_pair, 1); }
  }
}

/// Where a joint of the file has the name that the floating root would get, the root gets another one.
TEST(SdfRoots, HaveANameOfTheirOwn) {
  const Model model = loads(R"(<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/>
    <joint name="root_joint" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
    </model></sdf>)");
  EXPECT_EQ(model.nv(), 7);
  EXPECT_EQ(model.joint("root_joint").type, "revolute");
  EXPECT_EQ(model.joint("root_joint_").type, "floating");
}

}  // namespace
}  // namespace zwang::test
