// SPDX-License-Identifier: BSD-3-Clause
// Links with two parents: refused by default, loops on request. What the model says of them, and what is said of what
// they lose. Their motion is held by loop_laws_test.cpp.
#include <algorithm>
#include <cmath>

#include "support.hpp"
#include "support/random.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

const std::string k_limit = "<limit lower='-1' upper='2' effort='3' velocity='4'/>";
/// `pin` closes a loop of base - upper - lower and base - rod - lower; what is in it comes as `inside`.
std::string ring(const std::string& inside, const std::string& type = "continuous", const std::string& more = {}) {
  return arm(link("rod") + joint("side", "base", "rod") + joint("pin", "rod", "lower", inside, type) + more);
}
const std::string k_pin = "<origin xyz='1 2 3' rpy='0.3 0 0'/><axis xyz='0 3 4'/>";

LoadOptions with_loops(Mode mode = Mode::standard) {
  LoadOptions options = in_mode(mode);
  options.loops = ClosedLoops::constraints;
  return options;
}
Diagnostics findings_with_loops(const std::string& text, Mode mode = Mode::standard) {
  return check_urdf_text(text, with_loops(mode));
}
Diagnostic only(const std::string& text, const char* code, Severity severity, Mode mode = Mode::standard) {
  const Diagnostics found = findings_with_loops(text, mode);
  const Diagnostic* d = find(found, code);
  EXPECT_TRUE(d) << code << " is missing in\n" << all(found);
  if (!d) return {};
  EXPECT_EQ(d->severity, severity) << d->text();
  Diagnostics built;
  if (severity == Severity::error) {
    EXPECT_THROW(loads(text, with_loops(mode), &built), ModelError);
  } else {
    EXPECT_NO_THROW(loads(text, with_loops(mode), &built));
  }
  EXPECT_EQ(all(built).find(d->text()) != std::string::npos, true) << "build says\n" << all(built);
  return *d;
}

TEST(Loops, AreRefusedByDefaultAndTheHintNamesTheOption) {
  const Diagnostic d = expect_repairable(ring(k_pin), "E_TWO_PARENTS");
  EXPECT_TRUE(has(d.hint, "loops = constraints") && has(d.hint, "--loops")) << d.text();
}

TEST(Loops, LeaveTheTreeAsDescriptions) {
  Diagnostics found;
  const Model m = loads(ring(k_pin), with_loops(), &found);
  EXPECT_EQ(m.nv(), 3);
  EXPECT_FALSE(m.find_joint("pin"));
  ASSERT_EQ(m.loops().size(), 1u);
  const Loop& loop = m.loops()[0];
  EXPECT_EQ(loop.name, "pin");
  EXPECT_EQ(loop.type, "continuous");
  EXPECT_EQ(loop.parent.value, m.find_link("rod").value);
  EXPECT_EQ(loop.child.value, m.find_link("lower").value);
  EXPECT_NEAR(loop.axis.y, 0.6, 1e-16);
  EXPECT_NEAR(loop.axis.z, 0.8, 1e-16);
  EXPECT_EQ(m.frame(loop.predecessor).name, "pin_predecessor");
  EXPECT_EQ(m.frame(loop.successor).name, "pin_successor");
  EXPECT_EQ(m.frame(loop.predecessor).link.value, loop.parent.value);
  EXPECT_EQ(m.frame(loop.successor).link.value, loop.child.value);
  const Diagnostic* note = find(found, "N_LOOP");
  ASSERT_TRUE(note) << all(found);
  EXPECT_EQ(note->path, "robot/joint[pin]");
  EXPECT_EQ(note->line, 9);
  EXPECT_TRUE(has(note->found, "'elbow' carries 'lower'")) << note->text();
  EXPECT_TRUE(has(note->hint, "'pin_predecessor'")) << note->text();
  EXPECT_FALSE(find(found, "W_LOOP")) << all(found);
}

TEST(Loops, OfARobotWithoutAnyAreNone) {
  EXPECT_TRUE(loads(arm()).loops().empty());
  EXPECT_TRUE(loads(arm(), with_loops()).loops().empty());
  EXPECT_FALSE(find(findings_with_loops(arm()), "N_LOOP"));
}

TEST(Loops, CutTheLaterJointOfTheFile) {
  const std::string before =
      robot(link("base") + link("upper") + link("lower") + link("rod") + joint("side", "base", "rod") +
            joint("pin", "rod", "lower") + joint("shoulder", "base", "upper") + joint("elbow", "upper", "lower"));
  const Model m = loads(before, with_loops());
  ASSERT_EQ(m.loops().size(), 1u);
  EXPECT_EQ(m.loops()[0].name, "elbow");
  EXPECT_TRUE(m.find_joint("pin"));
}

TEST(Loops, KeepTheJointThatLeadsToARoot) {
  const std::string text = robot(link("a") + link("b") + link("c") +
                                 joint("back", "c", "b", k_limit + "<dynamics damping='1'/>", "continuous") +
                                 joint("j", "a", "b") + joint("k", "b", "c"));
  const Model m = loads(text, with_loops());
  ASSERT_EQ(m.loops().size(), 1u);
  EXPECT_EQ(m.loops()[0].name, "back");
  EXPECT_EQ(m.nv(), 2);
  EXPECT_FALSE(has(only(text, "W_LOOP", Severity::warning).hint, "before")) << "its place in the file does not matter";
}

TEST(Loops, OfSeveralJointsOnOneLinkKeepOne) {
  const Model m = loads(ring(k_pin, "continuous", joint("third", "base", "lower", "<axis xyz='0 0 1'/>", "spherical")),
                        with_loops());
  ASSERT_EQ(m.loops().size(), 2u);
  EXPECT_EQ(m.loops()[0].name, "pin");
  EXPECT_EQ(m.loops()[1].name, "third");
  ConstraintSet set(m);
  EXPECT_EQ(set.add_loops(), 2);
  EXPECT_EQ(set["pin"].size(), 5);
  EXPECT_EQ(set["third"].size(), 3);
  EXPECT_EQ(set.rows(), 8);
}

TEST(Loops, WithoutARootAreRefusedAllTheSame) {
  const std::string circle = robot(link("a") + link("b") + joint("j", "a", "b") + joint("k", "b", "a"));
  for (const Mode mode : k_modes) EXPECT_EQ(only(circle, "E_CYCLE", Severity::error, mode).found, "'a' -> 'b' -> 'a'");
  const std::string beside = arm(link("x") + link("y") + joint("j", "x", "y") + joint("k", "y", "x"));
  EXPECT_EQ(only(beside, "E_CYCLE", Severity::error).found, "'x' -> 'y' -> 'x'");
  // A joint from the lost circle to the tree goes with the circle.
  const std::string tied = arm(link("x") + link("y") + joint("j", "x", "y") + joint("k", "y", "x") +
                               joint("tie", "y", "lower", k_limit, "continuous"));
  only(tied, "E_CYCLE", Severity::error);
  const Model m = loads(tied, with_loops(Mode::lenient));
  EXPECT_TRUE(m.loops().empty());
  EXPECT_EQ(m.links().size(), 3u);
}

TEST(Loops, SayWhatTheyCannotKeep) {
  const auto lost = [&](const std::string& inside, const std::string& more = {}) {
    const std::string text = ring(k_pin + inside, "continuous", more);
    only(text, "W_LOOP", Severity::error, Mode::strict);
    return only(text, "W_LOOP", Severity::warning).found;
  };
  EXPECT_TRUE(has(lost("<dynamics damping='0.1'/>"), "damping of joint 'pin'"));
  EXPECT_TRUE(has(lost("<dynamics damping='0' friction='0.2'/>"), "friction of joint 'pin'"));
  EXPECT_TRUE(has(lost("<mimic joint='shoulder' multiplier='2'/>"), "a mimic of joint 'pin'"));
  const std::string drive =
      "<transmission name='t'><type>x</type><joint name='pin'/><actuator name='m'>"
      "<drake:rotor_inertia value='0.001'/></actuator></transmission>";
  EXPECT_TRUE(has(lost("", drive), "a rotor, a motor of joint 'pin'"));
  EXPECT_TRUE(has(only(ring(k_pin + "<dynamics damping='0.1'/>"), "W_LOOP", Severity::warning).hint,
                  "stays in the tree where it comes before 'elbow'"));
  const std::string limited = ring("<axis xyz='0 0 1'/>" + k_limit, "revolute");
  EXPECT_TRUE(has(only(limited, "N_LOOP", Severity::note, Mode::strict).hint,
                  "its limits of position, of velocity, of effort have no effect"));
  EXPECT_FALSE(find(findings_with_loops(ring(k_pin + "<dynamics damping='0'/>")), "W_LOOP"));
  const Model m = loads(ring(k_pin + "<dynamics damping='0.1'/>"), with_loops());
  EXPECT_EQ(m.loops()[0].description.damping, std::vector<double>{0.1}) << "the data stays";
}

TEST(Loops, CannotBeClosedByEveryType) {
  for (const char* type : {"helical' pitch='0.1", "ellipsoid' radii='1 2 3"}) {
    const Diagnostic d = only(ring("<axis xyz='0 0 1'/>", type), "E_LOOP", Severity::error);
    EXPECT_TRUE(has(d.expected, "revolute") && has(d.expected, "universal")) << d.text();
    EXPECT_TRUE(has(d.hint, "before 'elbow'")) << d.text();
  }
}

TEST(Loops, LeaveNoCoordinateForFollowers) {
  const std::string text =
      ring(k_pin, "continuous",
           link("hand") + joint("finger", "lower", "hand", "<mimic joint='pin'/>" + k_limit, "revolute"));
  const Diagnostic d = only(text, "E_MIMIC", Severity::error);
  EXPECT_TRUE(has(d.found, "'pin', which closes a loop")) << d.text();
}

TEST(Loops, NeedTheNamesOfTheirFrames) {
  const Diagnostic d =
      only(ring(k_pin, "continuous", link("pin_successor") + joint("x", "lower", "pin_successor", "", "fixed")),
           "E_DUPLICATE", Severity::error);
  EXPECT_TRUE(has(d.found, "'pin_successor'")) << d.text();
}

TEST(Loops, OfAFloatingJointHaveNoRows) {
  const Model m = loads(ring("<origin xyz='1 0 0'/>", "floating"), with_loops());
  ASSERT_EQ(m.loops().size(), 1u);
  EXPECT_EQ(loop_constraint(m, m.loops()[0]).rows.size(), 0);
  ConstraintSet set(m);
  EXPECT_EQ(set.add_loops(), 0);
  EXPECT_EQ(set.size(), 0);
  EXPECT_TRUE(has(only(ring("", "floating"), "N_LOOP", Severity::note).hint, "holds nothing"));
}

TEST(Loops, SurviveBuildingAgain) {
  const Model m =
      loads(ring(k_pin), with_loops()).with_frame("eye", "pin_predecessor", {Mat3<double>::identity(), {1, 0, 0}});
  BuildOptions refusing = m.options();
  refusing.loops = ClosedLoops::refuse;  // what was cut stays cut
  for (const BuildOptions& options : {m.options(), refusing}) {
    const Model again = build(m.description(), options);
    ASSERT_EQ(again.loops().size(), 1u);
    EXPECT_EQ(again.loops()[0].name, "pin");
    EXPECT_EQ(again.frame_names(), m.frame_names());
    EXPECT_EQ(again.joint_names(), m.joint_names());
    EXPECT_EQ(again.frame("eye").in_body.p.y, m.frame("eye").in_body.p.y);
  }
}

TEST(Loops, MayBeSaidByHand) {
  RobotDescription d = parse_urdf(ring(k_pin));
  for (JointDescription& j : d.joints)
    j.closes_loop = j.name == "elbow";  // not the one that the file's order would cut
  const Model m = build(d);
  ASSERT_EQ(m.loops().size(), 1u);
  EXPECT_EQ(m.loops()[0].name, "elbow");
  EXPECT_TRUE(m.find_joint("pin"));
  EXPECT_TRUE(m.find_frame("elbow_predecessor"));
  for (JointDescription& j : d.joints) j.closes_loop = true;
  const Model loose = build(d);  // every link is a root
  EXPECT_EQ(loose.nv(), 0);
  EXPECT_EQ(loose.loops().size(), 4u);
}

TEST(Loops, AddRowsOnceWithTheirStabilisation) {
  const Model m = loads(ring(k_pin), with_loops());
  ConstraintSet set(m);
  EXPECT_EQ(set.add_loops({.time_constant = 0.05, .damping_ratio = 0.7}), 1);
  EXPECT_EQ(set["pin"].stabilisation.time_constant, 0.05);
  EXPECT_EQ(set["pin"].type, "loop");
  EXPECT_EQ(set["pin"].frame, "pin_predecessor");
  EXPECT_EQ(set["pin"].other, "pin_successor");
  EXPECT_THROW(set.add_loops(), std::invalid_argument) << "the names are taken";
}

/// Any joints between any links: a model where every link is reached from a root, a refusal otherwise;
/// no joint is lost, and the loops can be solved.
TEST(Loops, OfRandomGraphsLoseNoJoint) {
  const char* const types[] = {"revolute", "prismatic", "spherical", "fixed",
                               "planar",   "floating",  "universal", "cylindrical"};
  int built = 0, refused_ones = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const int n = 2 + random.below(7), m = 1 + random.below(2 * n);
    RobotDescription d;
    for (int i = 0; i < n; ++i)
      d.links.push_back({.name = "l" + std::to_string(i), .mass = 1, .inertia = random.inertia(1, 0.3)});
    std::vector<std::pair<int, int>> edges;
    std::vector<char> carried(d.links.size(), 0), reached(d.links.size(), 0);
    for (int j = 0; j < m; ++j) {
      const int a = random.below(n), b = (a + 1 + random.below(n - 1)) % n;
      edges.push_back({a, b});
      carried[static_cast<std::size_t>(b)] = 1;
      JointDescription joint{.name = "j" + std::to_string(j), .type = types[random.below(8)]};
      joint.parent = "l" + std::to_string(a);
      joint.child = "l" + std::to_string(b);
      joint.origin = random.pose();
      joint.axis = random.direction();
      d.joints.push_back(joint);
    }
    for (std::size_t i = 0; i < carried.size(); ++i) reached[i] = !carried[i];
    for (int round = 0; round < n; ++round)
      for (const auto& [a, b] : edges)
        if (reached[static_cast<std::size_t>(a)]) reached[static_cast<std::size_t>(b)] = 1;
    const bool good = std::all_of(reached.begin(), reached.end(), [](char r) { return r != 0; });
    BuildOptions options;
    options.loops = ClosedLoops::constraints;
    SCOPED_TRACE(seed);
    if (!good) {
      EXPECT_THROW(build(d, options), ModelError);
      ++refused_ones;
      continue;
    }
    ++built;
    const Model model = build(d, options);
    EXPECT_EQ(model.joints().size() + model.loops().size(), d.joints.size());
    for (const Loop& loop : model.loops()) {  // what it gave way to comes first, unless that is the way to the root
      EXPECT_FALSE(model.find_joint(loop.name));
      EXPECT_TRUE(model.links()[static_cast<std::size_t>(loop.child.value)].joint);
    }
    ConstraintSet set(model);
    set.add_loops();
    if (model.nv() == 0) continue;
    Solver solver(model, set);
    const RandomState x = random_state(model, seed);
    const Solution& s = solver.try_solve({.q = x.q, .v = x.v, .tau = x.tau});
    // Far from closed a loop may ask for what no motion does; the report says so, and nothing is made up.
    EXPECT_TRUE(s.report.status == Status::ok || s.report.status == Status::infeasible) << s.report.explain();
    EXPECT_TRUE(s.acceleration.allFinite());
  }
  EXPECT_GT(built, 50);
  EXPECT_GT(refused_ones, 50);
}

/// A search for each name within a search would take minutes.
TEST(Loops, ByTheThousand) {
  std::string text = link("base") + link("hub") + joint("root", "base", "hub");
  const int n = 10000;
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i);
    text += link("l" + k) + joint("a" + k, "hub", "l" + k) + joint("b" + k, "base", "l" + k, "", "spherical");
  }
  const Model m = loads(robot(text), with_loops());
  EXPECT_EQ(m.loops().size(), static_cast<std::size_t>(n));
  EXPECT_EQ(m.nv(), n + 1);
}

}  // namespace
}  // namespace zwang::test
