// SPDX-License-Identifier: BSD-3-Clause
// Robots as MJCF: every loss has a robot that provokes it, and a robot without any has none.
#include "mjcf_losses.hpp"
#include "support/rolling_joint.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

using namespace losses;

TEST(WriteMjcfLosses, ARobotOfMujocosOwnKindLosesNothing) {
  const WrittenRobot written = write_mjcf(robot_of(two()), {.strict = true});
  EXPECT_TRUE(written.losses.empty());
  EXPECT_EQ(written.text,
            "<?xml version=\"1.0\"?>\n"
            "<mujoco model=\"two\">\n"
            "  <compiler angle=\"radian\" autolimits=\"true\" />\n"
            "  <option gravity=\"0 0 -9.81\" />\n"
            "  <worldbody>\n"
            "    <body name=\"a\" pos=\"0 0 0.5\">\n"
            "      <inertial mass=\"2\" pos=\"0.1 0 0.2\" diaginertia=\"0.02 0.03 0.04\" />\n"
            "      <joint name=\"first\" type=\"hinge\" axis=\"0 1 0\" />\n"
            "      <body name=\"b\" pos=\"0 0 0.5\">\n"
            "        <inertial mass=\"2\" pos=\"0.1 0 0.2\" diaginertia=\"0.02 0.03 0.04\" />\n"
            "        <joint name=\"second\" type=\"hinge\" axis=\"0 1 0\" />\n"
            "        <site name=\"tool\" pos=\"0 0 1\" />\n"
            "      </body>\n"
            "    </body>\n"
            "  </worldbody>\n"
            "  <actuator>\n"
            "    <motor name=\"first\" joint=\"first\" />\n"
            "    <motor name=\"second\" joint=\"second\" />\n"
            "  </actuator>\n"
            "</mujoco>\n");
}

TEST(WriteMjcfLosses, MassAndInertia) {
  const auto tip = [](RobotDescription& r) { r.links[2] = {.name = "b"}; };
  expect_loss_of(tip, "L_MASSLESS", "link", "b", "moves without mass", "1e-14 kg");
  const auto between = [](RobotDescription& r) { r.links[1] = {.name = "a"}; };
  expect_loss_of(between, "L_MASSLESS", "link", "a", "between joints", "joint first in body b");
  const auto unphysical = [](RobotDescription& r) { r.links[2].inertia = Sym3<double>::diagonal(1, 1, 3); };
  expect_loss_of(unphysical, "L_INERTIA", "link", "b", "1 1 3", "MuJoCo refuses");
  EXPECT_FALSE(has(text_with(unphysical), "balanceinertia"));
  WriteOptions balance;
  balance.balance = true;
  expect_loss(changed(unphysical), "L_INERTIA", "link", "b", "1 1 3", "1.6666666666666667 for all three", balance);
  EXPECT_TRUE(has(write_mjcf(changed(unphysical), balance).text, "balanceinertia=\"true\""));
  // Rounding is no loss: C becomes A + B.
  const Change rounded = [](RobotDescription& r) { r.links[2].inertia = Sym3<double>::diagonal(1, 2 + 1e-11, 1); };
  EXPECT_TRUE(write_mjcf(changed(rounded)).losses.empty());
  EXPECT_TRUE(has(text_with(rounded), "diaginertia=\"1 2 1\""));
  expect_loss_of([](RobotDescription& r) { r.links[2].inertia = Sym3<double>::diagonal(0, 1, 1); }, "L_INERTIA", "link",
                 "b", "below 1e-15", "1e-14");
  // What never moves may have any moments; what is fixed to a body can be part of it.
  const auto fixed = [](RobotDescription& r, const std::string& parent) {
    r.links.push_back(body("c"));
    r.links.back().inertia = Sym3<double>::diagonal(0.001, 0.001, 0.003);
    r.joints.push_back({.name = "c_fixed", .parent = parent, .child = "c"});
  };
  expect_loss_of([&](RobotDescription& r) { fixed(r, "world"); }, "L_INERTIA", "link", "c", "0.001 0.001 0.003",
                 "it never moves");
  expect_loss_of([&](RobotDescription& r) { fixed(r, "b"); }, "L_INERTIA", "link", "c", "of its own", "part of body b");
}

TEST(WriteMjcfLosses, LimitsAndEffects) {
  const auto second = [](auto set) { return [set](RobotDescription& r) { set(r.joints[1]); }; };
  using J = JointDescription;
  expect_loss_of(second([](J& j) { j.lower = {-1}; }), "L_LIMIT", "joint", "second", "a lower limit alone", "1e+10");
  expect_loss_of(second([](J& j) { j.upper = {-1}; }), "L_LIMIT", "joint", "second", "an upper limit alone", "-1e+10");
  expect_loss_of(second([](J& j) { j.lower = j.upper = {0.5}; }), "L_LIMIT", "joint", "second", "both 0.5",
                 "no limits");
  expect_loss_of(second([](J& j) { j.velocity = {3}; }), "L_VELOCITY", "joint", "second", "velocity");
  expect_loss_of(second([](J& j) { j.soft_lower = 3; }), "L_SAFETY", "joint", "second", "safety");
  expect_loss_of(second([](J& j) { j.rising = 3; }), "L_SAFETY", "joint", "second", "calibration");
  expect_loss_of(second([](J& j) {
                   j.mimic = {"first", 2, 0.5};
                 }),
                 "L_MIMIC", "joint", "second", "follows joint first", "soft equality");
  expect_loss_of(second([](J& j) { j.type = "spherical", j.effort = {3}; }), "L_EFFORT", "joint", "second", "force");
  expect_loss_of(second([](J& j) {
                   j.type = "spherical", j.damping = {1, 2, 3};
                 }),
                 "L_DAMPING", "joint", "second", "axis to axis", "2 about every axis");
  expect_loss_of(second([](J& j) {
                   j.type = "spherical", j.friction = {1, 2, 3};
                 }),
                 "L_DAMPING", "joint", "second", "friction that differs", "2 about every axis");
  expect_loss_of(second([](J& j) {
                   j.type = "spherical", j.rotor_inertia = {1, 2, 3};
                 }),
                 "L_ARMATURE", "joint", "second", "axis to axis", "2 about every axis");
  const auto floating = [](auto set) {
    return [set](RobotDescription& r) {
      r.joints[0].type = "floating", r.joints[0].origin = Transform<double>::identity();
      set(r.joints[0]);
    };
  };
  expect_loss_of(floating([](J& j) { j.rotor_inertia = {1}; }), "L_ARMATURE", "joint", "first", "its own axes",
                 "axes of the world");
  expect_loss_of(floating([](J& j) { j.friction = {1}; }), "L_DAMPING", "joint", "first", "its own axes", "world");
  expect_loss_of(floating([](J& j) { j.lower = {-1}; }), "L_LIMIT", "joint", "first", "where it is");
  expect_loss_of(floating([](J& j) { j.origin = shifted(0, 0, 1); }), "L_JOINT", "joint", "first", "from which",
                 "world's origin");
  expect_loss_of(second([](J& j) { j.gear_ratio = {4}; }), "L_ARMATURE", "joint", "second", "without a rotor");
  expect_loss_of(floating([](J& j) { j.child_origin = shifted(0, 0, 1); }), "L_FRAME", "joint", "first",
                 "its frame in link a", "a body a/first between");
  expect_loss_of(second([](J& j) {
                   j.type = "spherical", j.child_origin.R = rotation_from_rpy(Vec3<double>{0.3, 0, 0});
                 }),
                 "L_FRAME", "joint", "second", "its frame in link b", "a body b/second between");
  // Kept: damping and limits of the effort, springs, armature through the gear.
  const std::string kept = text_with(second([](J& j) {
    j.lower = {-1}, j.upper = {2}, j.effort = {5}, j.damping = {0.1}, j.friction = {0.2}, j.stiffness = {3};
    j.spring_reference = {0.4}, j.rotor_inertia = {0.5}, j.gear_ratio = {4};
  }));
  EXPECT_TRUE(has(kept,
                  "range=\"-1 2\" actuatorfrcrange=\"-5 5\" stiffness=\"3\" springref=\"0.4\" damping=\"0.1\" "
                  "frictionloss=\"0.2\" armature=\"8\""))
      << kept;
}

TEST(WriteMjcfLosses, JointsThatMujocoDoesNotHave) {
  struct Row {
    const char *type, *instead;
    std::vector<double> parameters;
  };
  const Row rows[] = {{"universal", "joints second_1, second_2", {}},
                      {"cylindrical", "joints second_1, second_2", {}},
                      {"planar", "along the axes of the parent", {}},
                      {"translation", "joints second_1, second_2, second_3", {}},
                      {"spherical_zyx", "joints second_1, second_2, second_3", {}},
                      {"floating", "along the axes of the parent", {}},
                      {"revolute_unbounded", "an angle", {}},
                      {"helical", "soft equality", {0.1}},
                      {"ellipsoid", "the point where it is at 0", {0.1, 0.2, 0.3}}};
  for (const Row& row : rows)
    expect_loss_of(
        [&](RobotDescription& r) {
          r.joints[1].type = row.type, r.joints[1].parameters = row.parameters;
          r.joints[1].actuated = JointDescription::Actuated::yes;
        },
        "L_JOINT", "joint", "second", row.type, row.instead);
  RobotDescription r = two();
  r.joints[1].type = "composite";
  r.joints[1].parts = {{.type = "revolute"}, {.type = "prismatic", .origin = shifted(1, 2, 3)}};
  expect_loss(robot_of(r), "L_JOINT", "joint", "second", "composite", "joints second_1, second_2");
  // Six freedoms fill a body: a seventh stands on another one.
  r.joints[1].parts.assign(7, {.type = "revolute"});
  const WrittenRobot written = write_mjcf(robot_of(r));
  ASSERT_EQ(written.losses.size(), 2u) << text_of(written.losses);
  EXPECT_EQ(written.losses[0].code, "L_MASSLESS");
  EXPECT_EQ(written.losses[0].name, "b/second");
}

TEST(WriteMjcfLosses, NamesAndShapes) {
  const Change world = [](RobotDescription& r) { r.links[0] = body("world"); };
  expect_loss_of(world, "L_NAME", "link", "world", "another link", "world_");
  expect_loss_of(
      [](RobotDescription& r) {
        r.links.push_back(body("c"));
        r.joints.push_back({.name = "weld", .parent = "b", .child = "c"});
      },
      "L_NAME", "joint", "weld", "fixed joint", "body c");
  const auto shape = [](auto set) {
    return [set](RobotDescription& r) {
      Shape s;
      s.name = "s";
      s.collision = true;
      for (double& x : s.size) x = 1;
      set(s);
      r.links[2].shapes.push_back(s);
    };
  };
  using Kind = Shape::Kind;
  expect_loss_of(shape([](Shape& s) { s.kind = Kind::plane; }), "L_SHAPE", "shape", "s",
                 "a plane on a link that moves");
  expect_loss_of(shape([](Shape& s) { s.size[1] = 0; }), "L_SHAPE", "shape", "s", "box of size 1, 0, 1");
  expect_loss_of(shape([](Shape& s) { s.kind = Kind::mesh, s.mesh = "/x/a.dae"; }), "L_MESH", "shape", "s", "/x/a.dae");
  expect_loss_of(shape([](Shape& s) { s.kind = Kind::mesh, s.mesh = "package://p/a.stl"; }), "L_MESH", "shape", "s",
                 "not found: MuJoCo refuses files that name it");
  WriteOptions all;
  all.shapes = WrittenShapes::all;
  expect_loss(changed(shape([](Shape& s) { s.kind = Kind::mesh, s.mesh = "package://p/a.stl"; })), "L_MESH", "shape",
              "s", "not found", "p/a.stl", all);
  expect_loss_of(shape([](Shape& s) { s.contact.dimension = 2; }), "L_CONTACT", "shape", "s", "dimension 2", "3");
  expect_loss_of(shape([](Shape& s) { s.contact.type = s.contact.affinity = 0; }), "L_CONTACT", "shape", "s",
                 "touches nothing");
  expect_loss_of(shape([](Shape& s) { s.collision = false, s.contact.margin = 0.25; }), "L_CONTACT", "shape", "s",
                 "visual shape");
  expect_loss_of(shape([](Shape& s) { s.contact.friction[1] = 0.5; }), "L_CONTACT", "shape", "s",
                 "torsional friction, without sliding friction");
  expect_loss_of(shape([](Shape& s) { s.contact.friction[0] = s.contact.friction[2] = 0.5; }), "L_CONTACT", "shape",
                 "s", "rolling friction, without torsional friction");
  expect_loss_of(
      [](RobotDescription& r) {
        Shape s;
        s.name = "s", s.kind = Kind::sphere, s.size[0] = 1, s.material = "red";
        r.links[1].shapes = {s};
        r.links[1].shapes[0].name = "t";
        for (double& x : r.links[1].shapes[0].colour) x = 1;
        r.links[2].shapes = {s};
      },
      "L_MATERIAL", "shape", "s", "red without the colour", "that colour");
  expect_loss_of(
      [](RobotDescription& r) {
        Shape s;
        s.name = "s", s.kind = Kind::sphere, s.size[0] = 1;
        r.links[1].shapes = r.links[2].shapes = {s};
      },
      "L_NAME", "shape", "s", "another shape", "s_");
  // Kept.
  const std::string text = text_with([](RobotDescription& r) {
    Shape s;
    s.collision = true;
    s.size[0] = 0.2, s.size[1] = 0.4, s.size[2] = 0.6;
    for (const Kind kind : {Kind::box, Kind::cylinder, Kind::sphere, Kind::capsule, Kind::ellipsoid}) {
      s.kind = kind;
      r.links[2].shapes.push_back(s);
    }
    s.kind = Kind::plane;
    r.links[0].shapes = {s};
    s = r.links[2].shapes[0];
    s.name = "box \"1\" <&>";
    s.collision = false;
    s.material = "red", s.colour[0] = s.colour[3] = 1, s.colour[1] = s.colour[2] = 0;
    r.links[2].shapes.push_back(s);
    s.material.clear(), s.collision = true;
    s.contact = {
        .friction = {0.5, k_nan, k_nan}, .type = 2, .affinity = 4, .dimension = 6, .priority = 1, .margin = 0.1};
    r.links[2].shapes.push_back(s);
  });
  for (const char* part :
       {"type=\"box\" size=\"0.1 0.2 0.3\"", "type=\"cylinder\" size=\"0.2 0.2\"", "type=\"sphere\" size=\"0.2\"",
        "type=\"capsule\" size=\"0.2 0.2\"", "type=\"ellipsoid\" size=\"0.2 0.4 0.6\"",
        "type=\"plane\" size=\"0.1 0.2 1\"", "name=\"box &quot;1&quot; &lt;&amp;>\" class=\"visual\"",
        "material=\"red\" rgba=\"1 0 0 1\"", "<material name=\"red\" rgba=\"1 0 0 1\" />",
        "contype=\"2\" conaffinity=\"4\" condim=\"6\" priority=\"1\" margin=\"0.1\" "
        "friction=\"0.5\""})
    EXPECT_TRUE(has(text, part)) << part << '\n' << text;
}

TEST(WriteMjcfLosses, KnownFrictionComesBackAndTheRestStaysUnknown) {
  const std::string text = text_with([](RobotDescription& r) {
    Shape s;
    s.kind = Shape::Kind::sphere, s.collision = true, s.size[0] = 1;
    s.contact.friction[0] = 0.5, s.contact.friction[1] = 0.25;
    r.links[2].shapes = {s};
  });
  const Robot again = loads_robot(text);
  const ContactData& c = again.model.links()[2].shapes.at(0).contact;
  EXPECT_EQ(c.friction[0], 0.5);
  EXPECT_EQ(c.friction[1], 0.25);
  EXPECT_TRUE(std::isnan(c.friction[2]));
}

// No file holds such numbers: the model refuses them before somebody writes it.
TEST(WriteMjcfLosses, ShapesHaveFiniteNumbers) {
  const auto with = [](auto set) {
    return changed([&](RobotDescription& r) {
      Shape s;
      s.name = "round", s.kind = Shape::Kind::sphere, s.size[0] = 1;
      set(s);
      r.links[2].shapes = {s};
    });
  };
  for (const double x : {k_nan, unlimited}) {
    EXPECT_SAYS("shape 'round'", with([&](Shape& s) { s.size[0] = x; }));
    EXPECT_SAYS("robot/link[b]", with([&](Shape& s) { s.size[2] = x; }));
    EXPECT_SAYS("E_NUMBER", with([&](Shape& s) { s.colour[0] = s.colour[1] = s.colour[2] = 1, s.colour[3] = x; }));
  }
  EXPECT_SAYS("E_NUMBER", with([](Shape& s) { s.colour[3] = 1; }));
  EXPECT_SAYS("a parameter that is not finite",
              changed([](RobotDescription& r) { r.joints[1].type = "helical", r.joints[1].parameters = {unlimited}; }));
  EXPECT_NO_THROW(with([](Shape& s) {
    for (double& x : s.colour) x = 0.5;
  }));
}

TEST(WriteMjcfLosses, MeshesOfOneNameAreToldApart) {
  const Robot robot = changed([](RobotDescription& r) {
    for (const auto& [file, scale] : {std::pair{"/one/part.stl", 1.0}, std::pair{"/two/part.obj", 1.0},
                                      std::pair{"/one/part.stl", 1.0}, std::pair{"/one/part.stl", -2.0}}) {
      Shape s;
      s.kind = Shape::Kind::mesh;
      s.mesh_path = file;
      for (double& x : s.size) x = scale;
      r.links[2].shapes.push_back(s);
    }
  });
  WriteOptions all;
  all.shapes = WrittenShapes::all;
  const std::string text = write_mjcf(robot, all).text;
  std::size_t assets = 0, at = 0;
  while ((at = text.find("<mesh name=", at + 1)) != std::string::npos) ++assets;
  EXPECT_EQ(assets, 3u) << text;
  EXPECT_TRUE(has(text, "<mesh name=\"part\" file=\"/one/part.stl\" inertia=\"shell\" />")) << text;
  EXPECT_TRUE(has(text, "file=\"/two/part.obj\"")) << text;
  EXPECT_TRUE(has(text, "scale=\"-2 -2 -2\"")) << text;
  LoadOptions options;
  options.resolve_meshes = false;
  const Robot again = loads_robot(text, options);
  ASSERT_EQ(again.model.links()[2].shapes.size(), 4u);
  EXPECT_EQ(again.model.links()[2].shapes[1].mesh, "/two/part.obj");
  EXPECT_EQ(again.model.links()[2].shapes[3].size[2], -2);
}

TEST(WriteMjcfLosses, Constraints) {
  const auto with = [](const auto& constraint) {
    RobotDescription r = two();
    r.frames.push_back({.name = "wall", .parent = "world", .placement = shifted(0, 0, 2)});
    Robot robot = robot_of(std::move(r));
    robot.constraints.add(constraint);
    return robot;
  };
  LoopConstraint loop{.name = "l", .frame = "tool", .other = "wall"};
  const auto joint = [&](const char* type) {
    LoopConstraint c = loop;
    c.rows = joint_rows(type, {0, 1, 0});
    return with(c);
  };
  for (const char* type : {"ball", "weld", "hinge"})
    expect_loss(joint(type), "L_SOFT", "constraint", "l", "exactly", "soft equality");
  expect_loss(joint("slider"), "L_LOOP", "constraint", "l", "prismatic");
  expect_loss(joint("point_on_plane"), "L_LOOP", "constraint", "l", "no joint");
  EXPECT_EQ(write_mjcf(joint("universal")).losses[0].code, "L_LOOP");
  EXPECT_TRUE(has(write_mjcf(joint("universal")).text, "<connect name=\"l\" site1=\"tool\" site2=\"wall\" />"));
  const auto held = [&](auto set) {
    LoopConstraint c = loop;
    set(c);
    return with(c);
  };
  using L = LoopConstraint;
  expect_loss(held([](L& c) { c.sense = {Sense::at_least}; }), "L_CONSTRAINT", "constraint", "l", "one direction");
  expect_loss(held([](L& c) { c.role = Role::driver; }), "L_CONSTRAINT", "constraint", "l", "motors");
  expect_loss(held([](L& c) { c.target = {1, 0, 0, 0, 0, 0}; }), "L_CONSTRAINT", "constraint", "l", "target");
  const WrittenRobot options = write_mjcf(held([](L& c) { c.priority = 1, c.beta = {1, 0, 0, 0, 0, 0}; }));
  ASSERT_EQ(options.losses.size(), 2u);
  EXPECT_EQ(options.losses[0].lost, "beta, priority");
  const std::string off = write_mjcf(held([](L& c) {
                            c.active = false, c.stabilisation = {.time_constant = 0.1, .damping_ratio = 0.5};
                          })).text;
  EXPECT_TRUE(has(off, "active=\"false\" solref=\"0.2 0.5\"")) << off;
  const std::string stiff =
      write_mjcf(held([](L& c) { c.stabilisation = {.time_constant = 0.5, .damping_ratio = 0}; })).text;
  EXPECT_TRUE(has(stiff, "solref=\"-4 0\"")) << stiff;
  expect_loss(with(ContactConstraint{.name = "c", .frame = "tool"}), "L_CONSTRAINT", "constraint", "c", "type contact");

  CouplingConstraint gear{.name = "g", .coordinates = {"first", "second"}, .ratio = {1, -2}, .offset = 0.5};
  expect_loss(with(gear), "L_SOFT", "constraint", "g", "exactly");
  EXPECT_TRUE(has(write_mjcf(with(gear)).text,
                  "<joint name=\"g\" joint1=\"first\" joint2=\"second\" polycoef=\"0.5 2 0 0 0\" />"));
  gear.ratio = {3, -2};
  const std::string tendon = write_mjcf(with(gear)).text;
  EXPECT_TRUE(has(tendon, "<joint joint=\"first\" coef=\"3\" />")) << tendon;
  EXPECT_TRUE(has(tendon, "<tendon name=\"g\" tendon1=\"g\" polycoef=\"0.5 0 0 0 0\" />")) << tendon;
  gear.ratio = {}, gear.offset = 0, gear.polynomial = {1, 2, 3, 4, 5, 6};
  expect_loss(with(gear), "L_COUPLING", "constraint", "g", "degree 5");
  BuildOptions keep;
  keep.loops = ClosedLoops::constraints;
  RobotDescription r = two();
  r.joints.push_back(turn("closing", "world", "b"));
  const Robot open = robot_of(r, keep);
  expect_loss(open, "L_LOOP", "joint", "closing", "no constraint");
  EXPECT_EQ(write_mjcf(open).losses[0].instead, "");
}

TEST(WriteMjcfLosses, UserDefinedJointsAreRefused) {
  const Robot robot = changed([](RobotDescription& r) {
    r.joints[1].type = "user";
    r.joints[1].user = user_joint<Rolling>();
    r.joints[1].parameters = {0.1};
  });
  EXPECT_SAYS("joint 'second' is user-defined", write_mjcf(robot));
}

TEST(WriteMjcfLosses, DeepRobotsAreWrittenWithoutIndentation) {
  const WrittenRobot deep = write_mjcf(robot_of(sample_chain(600)));
  ASSERT_FALSE(deep.losses.empty());
  EXPECT_EQ(deep.losses[0].element, "robot");
  EXPECT_TRUE(has(deep.losses[0].instead, "500 elements")) << text_of(deep.losses);
  const WrittenRobot large = write_mjcf(robot_of(sample_chain(20000)));
  EXPECT_LT(large.text.size(), 20000u * 600);
}

}  // namespace
}  // namespace zwang::test
