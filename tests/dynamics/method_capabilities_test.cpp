// SPDX-License-Identifier: BSD-3-Clause
// The methods as values: each capability is what a solver with that method really takes.
#include "zwang/dynamics/methods.hpp"

#include <gtest/gtest.h>

#include "zwang/core/error.hpp"
#include "zwang/dynamics/solver.hpp"
#include "zwang/io/urdf.hpp"

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

}  // namespace
}  // namespace zwang
