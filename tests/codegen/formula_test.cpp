// SPDX-License-Identifier: BSD-3-Clause
// Formulas against the library's calls, which run other pages (in lanes): every function, every joint type, mimics,
// effects of joints, wrenches in all axes, other gravity. Tolerance: beside the largest result, 1e3 operations a body
// on a path of up to 20 bodies, and solves with M lose what its condition says.
#include "zwang/codegen/formula.hpp"
#include <gtest/gtest.h>

#include "algorithm/cases.hpp"
#include "codegen/examples.hpp"
#include "codegen/recording.hpp"
#include "dynamics/imposed.hpp"
#include "zwang/core/error.hpp"
#include "zwang/model/spline_joint.hpp"

namespace zwang::test {
namespace {

/// The largest difference between a formula and the library at some states.
double compare(const Model& model, const std::string& function, const FormulaOptions& options, int states = 3) {
  const Formula f = formula(model, function, options);
  double worst = 0;
  for (const codegen::Example& x : codegen::examples(model, f, options, states))
    worst = std::fmax(worst, codegen::difference(evaluate(f, x.inputs), x));
  return worst;
}

/// All that the random trees have, but for joints of the user.
Model random_tree(std::uint64_t seed) {
  RandomRobot options;
  options.joints = 1 + static_cast<int>(seed % 12);
  const char* roots[] = {"fixed", "floating", "planar", "spherical"};
  options.root = roots[seed % 4];
  options.mimic = 0.35;
  RobotDescription robot = random_robot(seed, options);
  Random random(seed);
  for (LinkDescription& l : robot.links) l.gravity_scale = random.uniform(0, 1) < 0.3 ? random.uniform(-1, 2) : 1;
  for (JointDescription& j : robot.joints)  // parts may move alike: rotors keep M regular
    if (j.type == "composite") j.rotor_inertia = {0.05};
  return build(robot);
}

std::string random_frame(const Model& model, Random& random) {
  return model.frames()[static_cast<std::size_t>(random.below(static_cast<int>(model.frames().size())))].name;
}

FormulaOptions random_options(const Model& model, Random& random) {
  FormulaOptions o;
  o.frame = random_frame(model, random);
  o.reference = k_references[random.below(3)];
  o.kind = random.uniform(0, 1) < 0.5 ? AccelerationKind::spatial : AccelerationKind::classical;
  for (int k = 0; k < 2; ++k)
    if (random.uniform(0, 1) < 0.5) o.wrenches.push_back(random_frame(model, random));
  o.wrenches_in = k_references[random.below(3)];
  const auto some = [&] { return random.uniform(0, 1) < 0.5; };
  o.effects.armature = some(), o.effects.damping = some(), o.effects.springs = some();
  o.effects.friction = some(), o.effects.gravity_scale = some();
  if (some()) o.gravity = Vec3<double>{random.uniform(-9, 9), random.uniform(-9, 9), random.uniform(-9, 9)};
  return o;
}

TEST(Formulas, AreWhatTheLibraryComputes) {
  int compared = 0, refused = 0;
  for (int seed = 0; seed < effort(40); ++seed) {
    const Model model = random_tree(static_cast<std::uint64_t>(seed) + 900);
    if (model.nv() == 0) continue;
    Random random(static_cast<std::uint64_t>(seed));
    const FormulaOptions options = random_options(model, random);
    for (const FormulaFunction& f : formula_functions()) {
      if (f.name == "constrained_dynamics") continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + ' ' + std::string(f.name));
      const bool solves = f.name == "forward_dynamics" || f.name == "inverse_kinematics_step";
      try {
        EXPECT_LE(compare(model, std::string(f.name), options), solves ? 1e-7 : 1e-12);
        ++compared;
      } catch (const UnsupportedError&) {  // pivots that are too small: without rotors parts may move alike
        EXPECT_EQ(f.name, "forward_dynamics");
        EXPECT_LE(++refused, 1 + effort(40) / 10);
      }
    }
  }
  EXPECT_GE(compared, effort(40) * 8);
}

TEST(Formulas, OfConstrainedDynamicsAreThoseOfTheSolver) {
  int compared = 0, refused = 0;
  for (int seed = 0; seed < effort(60); ++seed) {
    const Model model = random_tree(static_cast<std::uint64_t>(seed) + 3000);
    if (model.nv() < 4) continue;
    Random random(static_cast<std::uint64_t>(seed));
    ConstraintSet set(model);
    const auto frame = [&] { return random_frame(model, random); };
    const char* const words[] = {"linear", "linear.x linear.z", "angular.y", "all"};
    const char* const in[] = {"local", "world", "local_world_aligned"};
    set.add(FrameConstraint{
        .name = "held", .frame = frame(), .rows = rows(words[random.below(4)]), .in = in[random.below(3)]});
    set.add(LoopConstraint{.name = "loop",
                           .frame = frame(),
                           .other = frame(),
                           .rows = rows("linear"),
                           .policy = Policy::soft,
                           .compliance = {0.01},
                           .stabilisation = {0.1, 0.7}});
    FormulaOptions options;
    options.constraints = &set;
    options.wrenches = {frame()};
    SCOPED_TRACE("seed " + std::to_string(seed));
    try {
      EXPECT_LE(compare(model, "constrained_dynamics", options), 1e-7);
      ++compared;
    } catch (const UnsupportedError&) {
      ++refused;  // rows that the frames cannot move along
    }
  }
  EXPECT_GE(compared, effort(60) / 4);
}

/// A stretched arm cannot move its tool along itself: a row has no pivot, which the status says and no number does.
TEST(Formulas, SayWherePivotsAreTooSmall) {
  const Model arm = build(sample("arm7"));
  ConstraintSet set(arm);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("all")});
  FormulaOptions options;
  options.constraints = &set;
  const Formula f = formula(arm, "constrained_dynamics", options);
  ASSERT_NE(f.singular, 0);
  const Eigen::Index n = arm.nv();
  std::vector<double> inputs(static_cast<std::size_t>(3 * n), 0.1);
  EXPECT_FALSE(codegen::is_singular(f, inputs));
  std::fill(inputs.begin(), inputs.end(), 0.0);  // stretched: the tool cannot move along the arm
  EXPECT_TRUE(codegen::is_singular(f, inputs));
}

TEST(Formulas, RefuseWhatTheyCannotHold) {
  const Model arm = build(sample("arm7"));
  ConstraintSet set(arm);
  FormulaOptions options;
  const auto refusal = [&](const std::string& function) -> std::string {
    try {
      (void)formula(arm, function, options);
    } catch (const std::exception& error) { return error.what(); }
    return "nothing";
  };
  EXPECT_NE(refusal("inverse_dynamic").find("did you mean 'inverse_dynamics'"), std::string::npos);
  EXPECT_NE(refusal("pose").find("no frame is given"), std::string::npos);
  EXPECT_NE(refusal("constrained_dynamics").find("there are no constraints"), std::string::npos);
  options.constraints = &set;
  EXPECT_NE(refusal("constrained_dynamics").find("no active rows"), std::string::npos);
  Constraint& c = set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear.z")});
  c.sense = {Sense::at_least};
  EXPECT_NE(refusal("constrained_dynamics").find("'tool' has rows with a sense"), std::string::npos);
  c.sense = {};
  c.priority = 1;
  EXPECT_NE(refusal("constrained_dynamics").find("'tool' has a priority"), std::string::npos);
  c.priority = 0;
  EXPECT_EQ(refusal("constrained_dynamics"), "nothing");
  options.frame = "tool9";
  EXPECT_NE(refusal("pose").find("did you mean 'tool0'"), std::string::npos);
  options.frame = "tool0";
  options.gravity = Vec3<double>{0, 0, std::nan("")};
  EXPECT_NE(refusal("pose").find("gravity"), std::string::npos);
  RobotDescription rail{.name = "rail", .links = {{.name = "base"}, {.name = "cart", .mass = 1}}};
  std::vector<Transform<double>> poses(5, Transform<double>::identity());
  for (std::size_t k = 0; k < poses.size(); ++k) poses[k].p.x = 0.1 * static_cast<double>(k);
  rail.joints = {spline_joint({.name = "slide", .parent = "base", .child = "cart"}, poses)};
  EXPECT_THROW((void)formula(build(rail), "inverse_dynamics"), UnsupportedError);
  const Model other = build(sample("quadruped"));
  ConstraintSet of_other(other);
  of_other.add(FrameConstraint{.name = "hand", .frame = other.frames().back().name, .rows = rows("linear")});
  options = {};
  options.constraints = &of_other;
  EXPECT_THROW((void)formula(arm, "constrained_dynamics", options), WorkspaceMismatch);
  const Formula f = formula(arm, "gravity_forces");
  EXPECT_THROW((void)evaluate(f, {1, 2}), std::invalid_argument);
}

TEST(Recordings, FoldConstantsAndSigns) {
  using codegen::Symbol;
  codegen::Recording record;
  const Symbol x = record.input(), y = record.input();
  const auto nodes = [&] { return record.nodes().size(); };
  const auto added = [&](auto&& make) {
    const std::size_t before = nodes();
    make();
    return nodes() - before;
  };
  EXPECT_EQ(added([&] { (void)(x * Symbol(0.0) + y * Symbol(1.0)); }), 1u);  // the constant 1 alone
  const Symbol product = x * y;
  EXPECT_EQ(added([&] { EXPECT_EQ((y * x).node, product.node); }), 0u);
  EXPECT_EQ((-(-x)).node, x.node);
  EXPECT_EQ((x - (-y)).node, (x + y).node);
  EXPECT_EQ((x + (-y)).node, (x - y).node);
  EXPECT_EQ(((-x) * (-y)).node, product.node);
  EXPECT_EQ((Symbol(2.0) * (Symbol(3.0) * x)).node, (Symbol(6.0) * x).node);
  EXPECT_EQ((Symbol(2.0) * (-x)).node, (Symbol(-2.0) * x).node);
  EXPECT_EQ((x - x).node, Symbol(0.0).node);
  EXPECT_EQ(codegen::sincos(x).sin.node, codegen::sincos(x).sin.node);
}

}  // namespace
}  // namespace zwang::test
