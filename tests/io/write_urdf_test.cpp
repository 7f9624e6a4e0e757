// SPDX-License-Identifier: BSD-3-Clause
// write_urdf: what is written is read back as the same robot, but for what it says is lost.
#include "write_support.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

namespace fs = std::filesystem;

TEST(WriteUrdf, FilesComeBackAsTheyWere) {
  int floating = 0;
  for (const fs::path& path : robots_as_urdf())
    for (const char* root : {"automatic", "floating"}) {
      SCOPED_TRACE(path.string() + ' ' + root);
      LoadOptions options = without_meshes();
      options.root = root;
      const Robot before = load_robot(path.string(), options);
      const WrittenRobot written = write_urdf(before);
      if (options.root == "automatic")
        EXPECT_EQ(all(written.losses), "");
      else
        EXPECT_EQ(codes(written.losses), std::set<std::string>{"L_ROOT"});
      const Robot after = loads_robot(written.text, without_meshes());
      const Model &a = before.model, &b = after.model;
      EXPECT_EQ(a.joint_names(), b.joint_names());
      if (options.root == "automatic") { EXPECT_EQ(a.link_names(), b.link_names()); }
      EXPECT_EQ(a.coordinate_names(), b.coordinate_names());
      EXPECT_EQ(a.actuated(), b.actuated());
      const bool loose =
          options.root == "floating";  // joints that options add have no limits, those of files unknown ones
      expect_same_numbers(a.lower(), b.lower(), "lower", loose);
      expect_same_numbers(a.upper(), b.upper(), "upper", loose);
      expect_same_numbers(a.velocity_limit(), b.velocity_limit(), "velocity", loose);
      expect_same_numbers(a.effort_limit(), b.effort_limit(), "effort", loose);
      expect_same_numbers(a.damping(), b.damping(), "damping");
      expect_same_numbers(a.friction(), b.friction(), "friction");
      expect_same_numbers(a.armature(), b.armature(), "armature");
      expect_same_dynamics(a, b, 1e-12);
      expect_same_rows(before, after, 1e-12);
      const auto motors = [](const Model& m) {
        std::string text;
        std::vector<std::string> lines;
        for (const MotorDescription& d : m.description().motors) {
          text = d.name + ' ' + d.joint + ' ' + d.kind + ' ' + std::to_string(d.gear);
          for (const NamedText& t : d.attributes) text += ' ' + t.name + '=' + t.text;
          lines.push_back(text);
        }
        std::sort(lines.begin(), lines.end());
        return lines;
      };
      if (!a.description().motors.empty()) { EXPECT_EQ(motors(a), motors(b)); }
      // Written again the text is the same to the last letter.
      EXPECT_EQ(write_urdf(after).text, written.text);
      floating += options.root == "floating";
    }
  EXPECT_GT(floating, 4);
}

TEST(WriteUrdf, ShapesComeBackAsTheyWere) {
  for (const fs::path& path : robots_as_urdf()) {
    SCOPED_TRACE(path.string());
    const Model a = load(path.string(), without_meshes()), b = loads(write_urdf(bare(a)).text, without_meshes());
    ASSERT_EQ(a.links().size(), b.links().size());
    for (std::size_t i = 0; i < a.links().size(); ++i) {
      const std::vector<Shape>&x = a.links()[i].shapes, &y = b.links()[i].shapes;
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t k = 0; k < x.size(); ++k) {
        EXPECT_EQ(x[k].kind, y[k].kind);
        EXPECT_EQ(x[k].collision, y[k].collision);
        EXPECT_EQ(x[k].name, y[k].name);
        EXPECT_EQ(x[k].mesh, y[k].mesh);
        EXPECT_EQ(x[k].material, y[k].material);
        for (int m = 0; m < 3; ++m) EXPECT_EQ(x[k].size[m], y[k].size[m]);
        for (int m = 0; m < 4; ++m)
          EXPECT_TRUE(x[k].colour[m] == y[k].colour[m] || (std::isnan(x[k].colour[m]) && std::isnan(y[k].colour[m])));
        for (int m = 0; m < 3; ++m) EXPECT_EQ(x[k].origin.p[m], y[k].origin.p[m]);
      }
    }
  }
}

/// Numbers of a file are written as short as they were typed, and have the same bits.
TEST(WriteUrdf, AnglesHaveTheirBits) {
  const std::string text =
      robot(link("a") + link("b") +
            joint("j", "a", "b", "<origin xyz='0.1 -2e-3 0' rpy='1.5707963 -0.25 3.14159'/><axis xyz='1 2 3'/>",
                  "continuous"));
  const Model model = loads(text);
  const std::string written = write_urdf(bare(model)).text;
  EXPECT_TRUE(has(written, "rpy=\"1.5707963 -0.25 3.14159\"")) << written;
  EXPECT_TRUE(has(written, "xyz=\"0.1 -0.002 0\"")) << written;
  const Mat3<double>&R = model.description().joints[0].origin.R, S = loads(written).description().joints[0].origin.R;
  for (int i = 0; i < 9; ++i) EXPECT_EQ(R(i / 3, i % 3), S(i / 3, i % 3));
}

/// Loops and couplings of URDF+: the same space of rows.
TEST(WriteUrdf, LoopsAndCouplingsComeBack) {
  const fs::path folder = shared_folder_of_files() / "models_urdf_plus";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "the shared URDF+ files are not beside the checkout";
  int rows = 0;
  for (const fs::path& path : files_of(folder, ".urdf")) {
    SCOPED_TRACE(path.string());
    const Robot before = load_robot(path.string(), without_meshes());
    const WrittenRobot written = write_urdf(before);
    EXPECT_EQ(all(written.losses), "");
    const Robot after = loads_robot(written.text, without_meshes());
    expect_same_dynamics(before.model, after.model, 1e-12);
    expect_same_rows(before, after, 1e-12);
    rows += static_cast<int>(after.constraints.rows());
  }
  EXPECT_GT(rows, 20);
}

/// Robots of other formats: joints off the frames of their links, roots that float, loops, motors.
TEST(WriteUrdf, RobotsOfOtherFormatsMoveAsBefore) {
  const fs::path folder = shared_folder_of_files();
  if (folder.empty()) GTEST_SKIP() << "the shared files are not beside the checkout";
  std::vector<fs::path> files = files_of(folder / "models_sdf", ".sdf");
  for (const auto& entry : fs::recursive_directory_iterator(folder / "models_mjcf"))
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  files.push_back(folder / "robots" / "cassie.sdf");
  std::sort(files.begin(), files.end());
  LoadOptions options = without_meshes();
  options.package_dirs = {(folder / "models_sdf_include").string()};
  int same = 0, shifted = 0;
  for (const fs::path& path : files) {
    SCOPED_TRACE(path.string());
    std::optional<Robot> before;
    try {
      before = load_robot(path.string(), options);
    } catch (const ModelError&) { continue; }  // files that are to be refused, and parts of others
    if (before->model.nv() > 300) continue;
    const WrittenRobot written = write_urdf(*before);
    LoadOptions weighing = without_meshes();
    weighing.gravity = before->model.gravity();
    const Robot after = loads_robot(written.text, weighing);
    expect_same_dynamics(before->model, after.model, 1e-11, true, count(written.losses, "L_FRAME") == 0, false);
    same += 1, shifted += count(written.losses, "L_FRAME") > 0;
  }
  EXPECT_GT(same, 90);
  EXPECT_GT(shifted, 3);
}

/// All joint types, and those of one coordinate with all that a joint may have but a spring.
TEST(WriteUrdf, RandomRobotsMoveAsBefore) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomRobot options;
    options.springs = 0;
    options.root = seed % 3 == 0 ? "floating" : "fixed";
    if (seed % 2 == 0)
      options.armature = options.damping = options.friction = options.limits = 0;
    else
      options.types = {"revolute", "prismatic", "continuous", "helical", "fixed"};
    const Model a = build(random_robot(seed, options));
    const WrittenRobot written = write_urdf(bare(a));
    const Model b = loads(written.text);
    expect_same_dynamics(a, b, 1e-11, true, count(written.losses, "L_FRAME") == 0);
    EXPECT_EQ(a.actuated(), b.actuated());
    expect_same_numbers(a.armature(), b.armature(), "armature");
    expect_same_numbers(a.damping(), b.damping(), "damping");
    expect_same_numbers(a.friction(), b.friction(), "friction");
    expect_same_numbers(a.lower(), b.lower(), "lower");
    expect_same_numbers(a.upper(), b.upper(), "upper");
    for (const Loss& l : written.losses) EXPECT_TRUE(l.code == "L_JOINT" || l.code == "L_FRAME") << all(written.losses);
  }
}

}  // namespace
}  // namespace zwang::test
