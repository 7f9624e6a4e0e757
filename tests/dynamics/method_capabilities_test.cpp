// SPDX-License-Identifier: BSD-3-Clause
// The methods as values: each capability is what a solver with that method really takes.
#include "zwang/factor/methods.hpp"

#include <gtest/gtest.h>

#include "support/says.hpp"
#include "zwang/core/error.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang {
namespace {

constexpr int k_methods = static_cast<int>(SolveMethod::embedding) + 1;

template <class F> bool taken(F&& f) {
  try {
    f();
  } catch (const UnsupportedError&) { return false; }
  return true;
}

/// Whether a solver of that method takes the problem.
bool solves(const Model& model, const ConstraintSet& set, SolverSettings settings, SolveMethod method) {
  settings.method = name_of(method);
  return taken([&] {
    Solver solver(model, set, settings);
    const Eigen::VectorXd q = Eigen::VectorXd::Constant(model.nq(), 0.3), zero = Eigen::VectorXd::Zero(model.nv());
    solver.solve({.q = q, .v = zero, .tau = zero});
  });
}

TEST(MethodValues, AreTheNamesInTheirOrder) {
  const std::vector<std::string> names = methods();
  ASSERT_EQ(static_cast<int>(names.size()), k_methods);
  for (int k = 0; k < k_methods; ++k) {
    EXPECT_EQ(name_of(static_cast<SolveMethod>(k)), names[static_cast<std::size_t>(k)]);
    EXPECT_EQ(static_cast<int>(solve_method_of(names[static_cast<std::size_t>(k)])), k);
  }
  EXPECT_THROW(solve_method_of("dense_lv"), std::invalid_argument);
}

TEST(MethodValues, CapabilitiesAreWhatASolverTakes) {
  const Model arm = load(ZWANG_MODELS "/arm7.urdf");
  std::string mimic_text =
      "<robot name='m'><link name='a'/>"
      "<link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
      "izz='1'/></inertial></link>"
      "<link name='c'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
      "izz='1'/></inertial></link>"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/></joint>"
      "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><origin xyz='1 0 0'/><axis xyz='0 1 0'/>"
      "<mimic joint='j' multiplier='2'/></joint></robot>";
  const Model mimic = loads(mimic_text);
  for (int k = 0; k < k_methods; ++k) {
    const auto method = static_cast<SolveMethod>(k);
    const MethodCapabilities can = capabilities_of(method);
    const std::vector<double> compliance = can.hard_rows ? std::vector<double>{} : std::vector<double>{1e-3};
    const FrameConstraint tool{
        .name = "tool", .frame = "tool0", .rows = rows("linear"), .role = Role::driver, .compliance = compliance};
    ConstraintSet plain(arm), levels(arm), drivers(arm), turning(mimic);
    plain.add(tool);
    levels.add(tool);
    levels.add(FrameConstraint{
        .name = "turn", .frame = "tool0", .rows = rows("angular.z"), .priority = 1, .compliance = compliance});
    drivers.add(tool);
    drivers["tool"].compensate.gravity = false;
    turning.add(FrameConstraint{.name = "end", .frame = "c", .rows = rows("angular.y"), .compliance = compliance});
    EXPECT_TRUE(solves(arm, plain, {}, method)) << name_of(method);
    EXPECT_EQ(solves(arm, levels, {}, method), can.priorities) << name_of(method);
    EXPECT_EQ(solves(arm, drivers, {}, method), can.uncompensated_drivers) << name_of(method);
    EXPECT_EQ(solves(arm, plain, {.singularity = Singularity::damping, .regularisation = 1e-3}, method),
              can.singularity_policies)
        << name_of(method);
    EXPECT_EQ(solves(mimic, turning, {}, method), can.mimic_joints) << name_of(method);
    ConstraintSet hard(arm);
    hard.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear")});
    EXPECT_EQ(solves(arm, hard, {}, method), can.hard_rows) << name_of(method);
  }
}

/// A trunk, three joints in a row behind it, and a second branch; joint `follower` has a tag <mimic>.
std::string with_tag(const std::string& type, const std::string& follower) {
  std::string text = "<robot name='m'>";
  for (const char* name : {"trunk", "a", "b", "c", "d"})
    text +=
        std::string("<link name='") + name +
        "'><inertial><origin xyz='.1 .2 -.1'/><mass value='1.5'/><inertia ixx='.3' ixy='.01' ixz='0' iyy='.4' iyz='0' "
        "izz='.5'/></inertial></link>";
  const auto joint = [&](const std::string& name, const char* parent, const char* child, const char* axis) {
    const bool follows = name == follower;
    text += "<joint name='" + name + "' type='" + (follows ? type : "revolute") + "'><parent link='" + parent +
            "'/><child link='" + child + "'/><origin xyz='.2 .1 .3'/><axis xyz='" + axis +
            "'/><limit lower='-2' upper='2' effort='1' velocity='1'/>" +
            (follows ? "<mimic joint='lead' multiplier='-1.5' offset='.1'/>" : "") + "</joint>";
  };
  joint("lead", "trunk", "a", "0 0 1");
  joint("next", "a", "b", "0 1 0");
  joint("last", "b", "c", "1 0 0");
  joint("side", "trunk", "d", "0 1 0");
  return text + "</robot>";
}

TEST(MethodValues, AMimicTagCountsWhereACoordinateIsShared) {
  struct Case {
    const char *type, *follower;
    bool expand;
  };
  for (const Case& c :
       {Case{"fixed", "last", false}, Case{"fixed", "next", true}, Case{"revolute", "next", true},
        Case{"prismatic", "last", true}, Case{"revolute", "side", true}, Case{"fixed", "side", false}}) {
    SCOPED_TRACE(std::string(c.type) + ' ' + c.follower);
    LoadOptions options;
    options.root = "floating";
    options.expand_mimic = c.expand;
    const Model model = loads(with_tag(c.type, c.follower), options);
    EXPECT_EQ(model.joint(c.follower).mimic.leader, "");
    EXPECT_EQ(model.joint(c.follower).description.mimic.leader, "lead") << "as given";
    ConstraintSet one(model), loop(model);
    one.add(FrameConstraint{.name = "foot", .frame = "c", .rows = rows("linear")});
    loop.add(FrameConstraint{.name = "foot", .frame = "c", .rows = rows("linear")});
    loop.add(LoopConstraint{.name = "belt", .frame = "c", .other = "d", .rows = rows("linear.x")});
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Eigen::VectorXd q = random(model, seed), v = Eigen::VectorXd::LinSpaced(model.nv(), -1, 1),
                            tau = Eigen::VectorXd::LinSpaced(model.nv(), 2, -1);
      for (const auto& [method, set] : {std::pair("constrained_aba", &one), {"loop_aba", &one}, {"loop_aba", &loop}}) {
        SolverSettings settings, dense;
        settings.method = method;
        dense.method = "dense_cod";
        Solver solver(model, *set, settings), reference(model, *set, dense);
        const Solution& s = solver.solve({.q = q, .v = v, .tau = tau});
        const Solution& r = reference.solve({.q = q, .v = v, .tau = tau});
        ASSERT_EQ(r.report.status, Status::ok) << method << r.report.explain();
        EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
        if (r.report.rank == r.report.rows) {
          EXPECT_EQ(std::string(s.report.method), method);
        }  // others go to the root
        // Proximal passes end at rows within 1e-9 of their size (feasibility).
        EXPECT_LT((s.acceleration - r.acceleration).norm(), 1e-8 * (1 + r.acceleration.norm())) << method;
      }
    }
  }
}

TEST(MethodValues, ASharedCoordinateIsRefusedWithTheJointThatFollows) {
  for (const char* follower : {"next", "side"}) {
    const Model model = loads(with_tag("revolute", follower));
    ConstraintSet set(model);
    set.add(FrameConstraint{.name = "foot", .frame = "c", .rows = rows("linear.x")});
    for (const char* method : {"constrained_aba", "loop_aba"}) {
      SolverSettings settings;
      settings.method = method;
      EXPECT_SAYS(std::string("joint '") + follower + "' mimics 'lead'",
                  Solver(model, set, settings).solve({.q = neutral(model)}));
    }
  }
}

}  // namespace
}  // namespace zwang
