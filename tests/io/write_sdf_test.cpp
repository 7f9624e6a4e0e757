// SPDX-License-Identifier: BSD-3-Clause
// write_sdf: what is written is read back as the same robot, but for what it says is lost.
#include "write_support.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

namespace fs = std::filesystem;

LoadOptions with_parts() {
  LoadOptions options = without_meshes();
  options.package_dirs = {(shared_folder_of_files() / "models_sdf_include").string()};
  return options;
}

TEST(WriteSdf, UrdfsMoveAsBefore) {
  for (const fs::path& path : robots_as_urdf())
    for (const char* root : {"automatic", "floating"}) {
      SCOPED_TRACE(path.string() + ' ' + root);
      LoadOptions options = without_meshes();
      options.root = root;
      const Model a = load(path.string(), options);
      const WrittenRobot written = write_sdf(bare(a));
      const Model b = loads(written.text, without_meshes());
      for (const Loss& l : written.losses)
        EXPECT_TRUE(l.code == "L_MASSLESS" || l.code == "L_INERTIA" || l.code == "L_MATERIAL" || l.code == "L_SAFETY" ||
                    l.code == "L_ARMATURE" || l.code == "L_MOTOR" || l.code == "L_NAME" || l.code == "L_MIMIC" ||
                    l.code == "L_MESH" || l.code == "L_LOOP" || l.lost.find(" of a fixed joint") != std::string::npos)
            << all(written.losses);
      const bool armature = count(written.losses, "L_ARMATURE") > 0;
      if (!armature) expect_same_dynamics(a, b, 1e-12);
      const Matching match(a, b, false);
      const auto in_order = [&](const std::vector<double>& x, const std::vector<Index>& of) {
        std::vector<double> y(x.size());
        for (std::size_t i = 0; i < x.size() && i < of.size(); ++i) y[i] = x[static_cast<std::size_t>(of[i])];
        return y;
      };
      ASSERT_EQ(a.nv(), b.nv());
      expect_same_numbers(a.lower(), in_order(b.lower(), match.of_q), "lower", true);
      expect_same_numbers(a.upper(), in_order(b.upper(), match.of_q), "upper", true);
      expect_same_numbers(a.velocity_limit(), in_order(b.velocity_limit(), match.of_v), "velocity", true);
      expect_same_numbers(a.effort_limit(), in_order(b.effort_limit(), match.of_v), "effort", true);
      expect_same_numbers(a.damping(), in_order(b.damping(), match.of_v), "damping");
      expect_same_numbers(a.friction(), in_order(b.friction(), match.of_v), "friction");
    }
}

TEST(WriteSdf, SdfsComeBack) {
  if (shared_folder_of_files().empty()) GTEST_SKIP() << "the shared files are not beside the checkout";
  int same = 0;
  for (const fs::path& path : files_of(shared_folder_of_files() / "models_sdf", ".sdf")) {
    SCOPED_TRACE(path.string());
    std::optional<Robot> before;
    try {
      before = load_robot(path.string(), with_parts());
    } catch (const ModelError&) { continue; }  // files that are to be refused
    const WrittenRobot written = write_sdf(*before);
    LoadOptions weighing = without_meshes();
    weighing.gravity = before->model.gravity();
    const Robot after = loads_robot(written.text, weighing);
    expect_same_dynamics(before->model, after.model, 1e-12, false, true, true, written.losses);
    EXPECT_EQ(count(written.losses, "L_LOOP"), 0) << all(written.losses);
    expect_same_rows(*before, after, 1e-9, written.losses);
    ++same;
  }
  EXPECT_GT(same, 40);
}

TEST(WriteSdf, CassieIsClosedAsItWas) {
  if (shared_folder_of_files().empty()) GTEST_SKIP() << "the shared files are not beside the checkout";
  const Robot before = load_robot((shared_robots() / "cassie.sdf").string(), without_meshes());
  const WrittenRobot written = write_sdf(before);
  const Robot after = loads_robot(written.text, without_meshes());
  EXPECT_EQ(after.model.loops().size(), 6u);
  EXPECT_EQ(after.constraints.size(), 16);
  EXPECT_EQ(after.constraints.rows(), 36);
  ConstraintEvaluator evaluator(after.model, after.constraints);
  const std::vector<double>& q = after.configurations[0].q;
  evaluator.evaluate(Eigen::Map<const Eigen::VectorXd>(q.data(), after.model.nq()),
                     Eigen::VectorXd::Zero(after.model.nv()));
  EXPECT_LT(evaluator.position_error().cwiseAbs().maxCoeff(), 1e-13);
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(q[i], before.configurations[0].q[i], 1e-15);
  expect_same_dynamics(before.model, after.model, 1e-12);
  expect_same_rows(before, after, 1e-9);
  for (const Loss& l : written.losses) EXPECT_TRUE(l.code == "L_INERTIA" || l.code == "L_MESH") << all(written.losses);
}

TEST(WriteSdf, RandomRobotsMoveAsBefore) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomRobot options;
    options.armature = 0;
    options.types = {"revolute", "prismatic", "continuous",  "fixed",         "spherical",
                     "helical",  "universal", "cylindrical", "spherical_zyx", "translation"};
    options.root = seed % 3 == 0 ? "floating" : seed % 3 == 1 ? "revolute" : "fixed";
    options.damping = options.friction = options.springs = 0;  // of ball joints SDF has none
    options.limits = 0;
    const Model a = build(random_robot(seed, options));
    const WrittenRobot written = write_sdf(bare(a));
    const Model b = loads(written.text);
    expect_same_dynamics(a, b, 1e-11, true);
    for (const Loss& l : written.losses)
      EXPECT_TRUE(l.code == "L_JOINT" || l.code == "L_MASSLESS" || l.code == "L_MOTOR" || l.code == "L_NAME")
          << all(written.losses);
  }
}

TEST(WriteSdf, ShapesAndContactComeBack) {
  RobotDescription r = parse_urdf(arm());
  using Kind = Shape::Kind;
  for (const bool collision : {false, true})
    for (const Kind kind :
         {Kind::box, Kind::cylinder, Kind::sphere, Kind::capsule, Kind::mesh, Kind::plane, Kind::ellipsoid}) {
      Shape s{.kind = kind, .collision = collision, .name = "s" + std::to_string(static_cast<int>(kind))};
      s.origin.p = {0.1, 0.2, 0.3};
      s.size[0] = 0.5, s.size[1] = 0.25,
      s.size[2] = kind == Kind::box || kind == Kind::ellipsoid || kind == Kind::mesh ? 2 : 0;
      if (kind == Kind::sphere) s.size[1] = 0;
      if (kind == Kind::plane && collision) s.size[0] = s.size[1] = 0;
      if (kind == Kind::mesh) s.mesh = "package://a/b.stl";
      if (collision) {
        s.contact.friction[0] = 0.7, s.contact.friction[1] = 0.01, s.contact.dimension = 4;
        s.contact.type = s.contact.affinity = 5;
      } else {
        s.colour[0] = 0.1, s.colour[1] = 0.2, s.colour[2] = 0.3, s.colour[3] = 0.4;
      }
      r.links[1].shapes.push_back(s);
    }
  const WrittenRobot written = write_sdf(bare(build(r)));
  EXPECT_EQ(all(written.losses), "");
  const std::vector<Shape>&a = r.links[1].shapes, b = loads(written.text, without_meshes()).link("upper").shapes;
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(a[i].kind, b[i].kind);
    EXPECT_EQ(a[i].collision, b[i].collision);
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].mesh, b[i].mesh);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(a[i].size[k], b[i].size[k]);
      EXPECT_EQ(a[i].origin.p[k], b[i].origin.p[k]);
    }
    EXPECT_EQ(a[i].contact.type, b[i].contact.type);
    EXPECT_EQ(a[i].contact.affinity, b[i].contact.affinity);
    EXPECT_EQ(a[i].contact.dimension, b[i].contact.dimension);
    if (!a[i].collision) {
      for (int k = 0; k < 4; ++k) EXPECT_EQ(a[i].colour[k], b[i].colour[k]);
      continue;
    }
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(a[i].contact.friction[k], b[i].contact.friction[k], 1e-16);
  }
}

/// MJCF: chains of joints in a body, links that float, balls, slides.
TEST(WriteSdf, MjcfsMoveAsBefore) {
  if (shared_folder_of_files().empty()) GTEST_SKIP() << "the shared files are not beside the checkout";
  int same = 0;
  for (const auto& entry : fs::recursive_directory_iterator(shared_folder_of_files() / "models_mjcf")) {
    if (entry.path().extension() != ".xml") continue;
    SCOPED_TRACE(entry.path().string());
    std::optional<Robot> before;
    try {
      before = load_robot(entry.path().string(), without_meshes());
    } catch (const ModelError&) { continue; }  // parts of others
    if (before->model.nv() > 300) continue;
    const WrittenRobot written = write_sdf(*before);
    LoadOptions weighing = without_meshes();
    weighing.gravity = before->model.gravity();
    const Robot after = loads_robot(written.text, weighing);
    const auto fewer = std::count_if(written.losses.begin(), written.losses.end(),
                                     [](const Loss& l) { return has(l.lost, "with it a coordinate"); });
    EXPECT_EQ(before->model.nv() - fewer, after.model.nv()) << all(written.losses);
    if (count(written.losses, "L_ARMATURE") + count(written.losses, "L_SPRING") + count(written.losses, "L_DAMPING") +
            count(written.losses, "L_COUPLING") + count(written.losses, "L_JOINT") >
        0)
      continue;
    expect_same_dynamics(before->model, after.model, 1e-11, false, true, true, written.losses);
    ++same;
  }
  EXPECT_GT(same, 20);
}

/// Every joint type is written, as the joint that it is or with a line.
TEST(WriteSdf, EveryJointTypeIsWritten) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Model a = build(random_robot(seed));
    const WrittenRobot written = write_sdf(bare(a));
    const Model b = loads(written.text);
    EXPECT_LE(b.nv(), a.nv());
    EXPECT_GT(count(written.losses, "L_JOINT"), 0);
  }
}

}  // namespace
}  // namespace zwang::test
