// SPDX-License-Identifier: BSD-3-Clause
// The robots of models/: clean in strict mode, physical, mirrored, and each inertia that of the shape drawn.
#include <algorithm>
#include <cmath>

#include "program.hpp"

namespace zwang::test {
namespace {

Model load_strict(const std::string& name, const std::string& root = "fixed", Diagnostics* found = nullptr) {
  LoadOptions options;
  options.mode = Mode::strict;
  options.root = root;
  options.loops = ClosedLoops::constraints;
  return load(model_file(name), options, found);
}

std::vector<std::string> all_models() {
  std::vector<std::string> names = models();
  for (const std::string& name : closed_models()) names.push_back(name);
  return names;
}

TEST(OwnRobots, LoadInStrictModeWithoutAWarning) {
  ASSERT_GE(models().size(), 4u);
  ASSERT_GE(closed_models().size(), 1u);
  for (const std::string& name : all_models()) {
    Diagnostics found;
    EXPECT_NO_THROW(load_strict(name, "fixed", &found)) << name;
    for (const Diagnostic& d : found) EXPECT_EQ(d.severity, Severity::note) << name << ": " << d.text();
  }
}

TEST(OwnRobots, HaveTheInertiaOfTheShapeThatIsDrawn) {
  for (const std::string& name : all_models()) {
    const Model model = load_strict(name);
    for (const LinkDescription& link : model.description().links) {
      if (link.mass == 0) continue;
      ASSERT_FALSE(link.shapes.empty()) << name << ' ' << link.name;
      const Shape& s = link.shapes.front();
      const double m = link.mass, a = s.size[0] * s.size[0], b = s.size[1] * s.size[1], c = s.size[2] * s.size[2];
      Sym3<double> I = Sym3<double>::zero();  // in the shape's axes
      if (s.kind == Shape::Kind::box) I = Sym3<double>::diagonal(m / 12 * (b + c), m / 12 * (a + c), m / 12 * (a + b));
      if (s.kind == Shape::Kind::cylinder)
        I = Sym3<double>::diagonal(m / 12 * (3 * a + b), m / 12 * (3 * a + b), m / 2 * a);
      if (s.kind == Shape::Kind::sphere) I = Sym3<double>::diagonal(0.4 * m * a, 0.4 * m * a, 0.4 * m * a);
      // As a matrix in link axes: R I R^T, column by column. The files keep six digits:
      // half a unit of the sixth is 5e-6.
      const double largest = std::max({I.xx, I.yy, I.zz});
      for (int k = 0; k < 3; ++k) {
        Vec3<double> e{0, 0, 0};
        e[k] = 1;
        const Vec3<double> t = transpose_times(s.origin.R, e);
        const Vec3<double> column = s.origin.R * Vec3<double>{I.xx * t.x, I.yy * t.y, I.zz * t.z};
        const Vec3<double> given = link.inertia * e;
        for (int r = 0; r < 3; ++r) EXPECT_NEAR(given[r], column[r], 6e-6 * largest) << name << ' ' << link.name;
      }
      for (int k = 0; k < 3; ++k) EXPECT_EQ(link.centre[k], s.origin.p[k]) << name << ' ' << link.name;
    }
  }
}

TEST(OwnRobots, HaveMotorsLimitsAndEfforts) {
  for (const std::string& name : all_models()) {
    const Model model = load_strict(name);
    Index motors = 0;
    for (Index k = 0; k < model.nv(); ++k) {
      const std::size_t i = static_cast<std::size_t>(k);
      EXPECT_TRUE(std::isfinite(model.velocity_limit()[i])) << name;
      if (!model.actuated()[i]) continue;
      ++motors;
      EXPECT_GT(model.effort_limit()[i], 0) << name;
      EXPECT_GT(model.armature()[i], 0) << name;
    }
    EXPECT_EQ(motors, name == "four_bar.urdf"   ? 1
                      : name == "five_bar.urdf" ? 2
                      : name == "bird_leg.urdf" ? 3
                                                : model.nv())
        << name;
  }
}

TEST(OwnRobots, AreSymmetricAboutTheirMiddle) {
  for (const char* name : {"quadruped.urdf", "humanoid.urdf"}) {
    const Model robot = load_strict(name, "floating");
    Data data(robot);
    const Vec3<double> c = centre_of_mass(robot, data, neutral(robot));
    // The humanoid's hands have the same weight but not the same shape: their centres differ by millimetres.
    EXPECT_NEAR(c.y, 0, std::string(name) == "quadruped.urdf" ? 1e-15 : 1e-3) << name;
  }
}

TEST(OwnRobots, QuadrupedStandsWithItsFeetBelowItsHips) {
  const Model robot = quadruped_model();
  Data data(robot);
  forward_kinematics(robot, data, neutral(robot));
  for (const char* leg : {"LF", "RF", "LH", "RH"}) {
    const Vec3<double> foot = frame_pose(robot, data, robot.find_frame(std::string(leg) + "_foot")).p;
    const Vec3<double> thigh = frame_pose(robot, data, robot.find_frame(std::string(leg) + "_thigh")).p;
    EXPECT_NEAR(foot.x, thigh.x, 1e-15) << leg;
    EXPECT_NEAR(foot.y, thigh.y, 1e-15) << leg;
    EXPECT_NEAR(foot.z, -0.4, 1e-15) << leg;
  }
}

TEST(OwnRobots, FourBarIsClosedAtZero) {
  const Model bar = load_strict("four_bar.urdf");
  Data data(bar);
  forward_kinematics(bar, data, neutral(bar));
  const Transform<double> rod = frame_pose(bar, data, bar.find_frame("rod_end")),
                          pin = frame_pose(bar, data, bar.find_frame("crank_pin"));
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(rod.p[k], pin.p[k], 1e-15);
    EXPECT_NEAR((rod.R * Vec3<double>{0, 0, 1})[k], (pin.R * Vec3<double>{0, 0, 1})[k], 1e-15);
  }
  EXPECT_NEAR(pin.p.z, 0.1, 1e-15);
}

TEST(OwnRobots, FiveBarIsClosedAtZeroAndMovesItsToolInAPlane) {
  const Model bars = load_strict("five_bar.urdf");
  ASSERT_EQ(bars.loops().size(), 1u);
  EXPECT_EQ(bars.loops()[0].name, "right_wrist");
  EXPECT_EQ(bars.nv(), 4);
  Data data(bars);
  forward_kinematics(bars, data, neutral(bars));
  const Transform<double> a = frame_pose(bars, data, bars.loops()[0].predecessor),
                          b = frame_pose(bars, data, bars.loops()[0].successor);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(a.p[k], b.p[k], 1e-15);
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(a.R[k][j], b.R[k][j], 1e-15);
  }
  EXPECT_NEAR(b.p.x, 0, 1e-15);
  EXPECT_NEAR(b.p.z, 0.325, 1e-15);
}

TEST(OwnRobots, HumanoidStandsOnLevelSoles) {
  const Model robot = load_strict("humanoid.urdf", "floating");
  Data data(robot);
  forward_kinematics(robot, data, neutral(robot));
  double height[2] = {0, 0};
  for (const bool left : {false, true}) {
    const Transform<double> sole = frame_pose(robot, data, robot.find_frame(left ? "left_foot" : "right_foot"));
    EXPECT_NEAR((sole.R * Vec3<double>{0, 0, 1}).z, 1, 1e-15);
    height[left] = sole.p.z;
  }
  EXPECT_EQ(height[0], height[1]);
  const Vec3<double> head = frame_pose(robot, data, robot.find_frame("head")).p;
  EXPECT_NEAR(head.z - height[0] + 0.18, 1.5, 0.1);  // the head is a ball of 9 cm above its joint
}

}  // namespace
}  // namespace zwang::test
