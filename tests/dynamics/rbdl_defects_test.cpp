// SPDX-License-Identifier: BSD-3-Clause
// What RBDL 3.3.1 answers wrongly about constraints is answered rightly here, by every method. The defects and where
// they are tested:
//
//   D1   forces of the null-space method                        D1_...
//   D2   sign of impulses                                       D2_...
//   D3   velocity products of an Euler joint at the root        D3_...
//   D4   external forces at the positions of an earlier call    D4_D13_...
//   D5   mass matrix of chained joints of the user              D5_...
//   D6   redundant rows: motion, forces, silence about rank     D6_...
//   D7   allocations and rows evaluated twice                   no_allocation/{dense,loop,relation}_calls_test.cpp
//   D8   a model that threads cannot share                      threads/{shared_model,relations}_test.cpp
//   D9   copies of a set that share its constraints             D9_...
//   D10  another set for every phase of contact                 D10_...
//   D11  compliance, inequalities, friction                     compliance: policies_test.cpp; no inequalities yet
//   D12  checks that release builds leave out                   D12_... (constraint/refusals_test.cpp)
//   D13  flags that say what was computed last                  D4_D13_...
//   D14  loops that are right only where they close             D14_... (constraint/loops_test.cpp)
//   D15  relaxed inverse dynamics                               no inverse dynamics under constraints yet
//   D16  a CasADi build of its own                              not about constraints
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/mechanisms.hpp"
#include "support/close.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/impulse.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

/// Spheres that hang on each other by joints of the types given, the first on the ground.
RobotDescription chain_of(const std::vector<JointDescription>& joints) {
  RobotDescription d{.name = "chain"};
  d.links.push_back({.name = "ground"});
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const std::string n = std::to_string(k);
    d.links.push_back({.name = "link" + n,
                       .mass = 1.5 + static_cast<double>(k),
                       .centre = {0.05, 0.1, -0.2},
                       .inertia = Sym3<double>::diagonal(0.02, 0.03, 0.04)});
    JointDescription j = joints[k];
    j.name = "joint" + n;
    j.parent = d.links[k].name;
    j.child = d.links[k + 1].name;
    j.origin = {Mat3<double>::identity(), {0.02, 0.1, -0.3}};
    d.joints.push_back(j);
  }
  return d;
}
AnyConstraint contact(const std::string& name, const std::string& frame, const Vec3<double>& at, int rows = 3) {
  return ContactConstraint{.name = name, .frame = frame, .point = at, .normal = {0.1, 0.2, 1}, .rows = rows};
}
Mechanism standing_quadruped() {
  BuildOptions options;
  options.root = "floating";
  Mechanism m{.robot = Robot(sample_quadruped(), options)};
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"}) m.constraints.push_back(contact(foot, foot, {0, 0, 0}));
  return m;
}

TEST(RbdlDefect, D1_ForcesOfEveryMethodBalanceTheMotion) {
  const Mechanism m = standing_quadruped();
  const RandomState x = random_state(m.robot.reference, 3);
  const MechanismProblem p = problem(m, x);
  Solver solver(m.robot.model, m.set());
  for (const std::string& method : methods()) {
    if (method == "pv_soft") continue;
    const Solution* s = solution_by(solver, method, {.q = x.q, .v = x.v, .tau = x.tau});
    if (s == nullptr) continue;
    const Vec left = p.M * s->acceleration.cast<Real>() + p.h - p.tau,
              right = p.A.transpose() * s->multipliers.cast<Real>();
    EXPECT_CLOSE(left, right, 1e-11) << method;  // some hundred roundings of the largest force
  }
}

TEST(RbdlDefect, D2_ImpulsesOfEveryMethodActOnTheRobot) {
  const Mechanism m = standing_quadruped();
  const RandomState x = random_state(m.robot.reference, 7);
  const MechanismProblem p = problem(m, x);
  Vector falling = Vector::Zero(m.robot.model.nv());
  Solver solver(m.robot.model, m.set());
  const Vector upright = neutral(m.robot.model);
  for (const std::string& method : methods()) {
    if (method == "pv_soft") continue;
    SCOPED_TRACE(method);
    solver.settings().method = method;
    const Impulse& got = solver.impulse({.q = x.q, .v = x.v});
    ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
    const Vec change = p.M * got.change.cast<Real>();
    EXPECT_CLOSE(change, Vec(p.A.transpose() * got.multipliers.cast<Real>()), 1e-11);
    EXPECT_CLOSE(Vector(got.reaction), change, 1e-11);
    falling.setZero();
    falling(2) = -1;  // the trunk downwards, and the feet with it: the ground pushes up
    solver.impulse({.q = upright, .v = falling});
    for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"}) EXPECT_LT(got[foot].energy, 0);
    const Force<double> sum = [&] {
      Force<double> f = Force<double>::zero();
      for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"}) f.f.z += got[foot].wrench(2);
      return f;
    }();
    EXPECT_GT(sum.f.z, 0.1 * m.robot.model.mass());
  }
}

TEST(RbdlDefect, D3_AnEulerJointAtTheRootKeepsItsVelocityProducts) {
  MethodCount count;
  for (const char* type : {"spherical_zyx", "universal", "planar"}) {
    SCOPED_TRACE(type);
    Mechanism m{.robot = Robot(chain_of({{.name = "", .type = type}, {.name = "", .type = "revolute"}}))};
    m.constraints = {contact("tip", "link1", {0, 0, -0.3}, 1)};
    for (int seed = 1; seed <= 5; ++seed) {
      const RandomState x = random_state(m.robot.reference, static_cast<std::uint64_t>(seed), 3);
      Data data(m.robot.model);
      const Vector none = Vector::Zero(m.robot.model.nv());
      EXPECT_CLOSE(Vector(bias_forces(m.robot.model, data, x.q, x.v)),
                   Vector(inverse_dynamics(m.robot.model, data, x.q, x.v, none)), 1e-13);
      expect_every_method(m, x, count);
    }
  }
}

TEST(RbdlDefect, D4_D13_NothingDependsOnWhatWasComputedBefore) {
  const Mechanism m = standing_quadruped();
  const Model& model = m.robot.model;
  const ConstraintSet set = m.set();
  const RandomState x = random_state(m.robot.reference, 4), other = random_state(m.robot.reference, 5);
  const Externals external{external_wrench(model, "RH_foot", {1, 2, 3, 4, 5, 6}, Reference::local),
                           external_wrench(model, "LF_foot", {-3, 2, 1, 0, 5, 6}, Reference::world)};
  const SolveInput here{.q = x.q, .v = x.v, .tau = x.tau, .external = &external};
  for (const std::string& method : methods()) {
    if (method == "pv_soft") continue;
    Solver fresh(model, set), used(model, set);
    if (solution_by(fresh, method, here) == nullptr) continue;
    solution_by(used, method, {.q = other.q, .v = other.v});
    forward_kinematics(model, used.data(), other.q, other.v, other.a);
    solution_by(used, method, here);
    EXPECT_EQ(Vector(used.solution().acceleration), Vector(fresh.solution().acceleration)) << method;
    EXPECT_EQ(Vector(used.solution().multipliers), Vector(fresh.solution().multipliers)) << method;
  }
  Data used(model), fresh(model);
  bias_forces(model, used, other.q, other.v, external);
  EXPECT_EQ(Vector(bias_forces(model, used, x.q, x.v, external)),
            Vector(bias_forces(model, fresh, x.q, x.v, external)));
}

TEST(RbdlDefect, D5_ChainedJointsOfTheUserAreHeldLikeOthers) {
  JointDescription user;
  for (std::uint64_t seed = 1; !user.user && seed < 50; ++seed)
    for (const JointDescription& j : random_robot_of_all_joints(seed, 20).description.joints)
      if (j.user) user = {.name = "", .type = j.type, .parameters = j.parameters, .user = j.user};
  ASSERT_TRUE(user.user) << "no robot has a joint of the user";
  user.rotor_inertia = {0.05};  // a wheel that has no width turns without inertia
  const JointDescription hinge{.name = "", .type = "revolute", .axis = {1, 0, 0}};
  Mechanism m{.robot = Robot(chain_of({user, user, hinge, user}))};
  m.constraints = {contact("tip", "link3", {0, 0, -0.3}, 3)};
  MethodCount count;
  for (int seed = 1; seed <= 5; ++seed)
    expect_every_method(m, random_state(m.robot.reference, static_cast<std::uint64_t>(seed)), count);
}

TEST(RbdlDefect, D6_RedundantRowsChangeNoMotionAndAreNamed) {
  Mechanism once = standing_quadruped(), twice = standing_quadruped();
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"})
    twice.constraints.push_back(contact(std::string(foot) + " again", foot, {0, 0, 0}));
  MethodCount count;
  for (int seed = 1; seed <= 5; ++seed) {
    const RandomState x = random_state(once.robot.reference, static_cast<std::uint64_t>(seed));
    expect_every_method(twice, x, count);
    Solver single(once.robot.model, once.set()), both(twice.robot.model, twice.set());
    const SolveInput input{.q = x.q, .v = x.v, .tau = x.tau};
    const Solution& expected = single.solve(input);
    for (const std::string& method : methods()) {
      if (method == "pv_soft") continue;
      const Solution* s = solution_by(both, method, input);
      if (s == nullptr) continue;
      EXPECT_EQ(s->report.rank, 9) << method;
      EXPECT_EQ(s->report.redundant.size(), 9U) << method;
      EXPECT_EQ(s->report.redundant.front(), "LF_foot again:tangent1") << method;
      EXPECT_CLOSE(Vector(s->acceleration), Vector(expected.acceleration), 1e-9) << method;
      EXPECT_CLOSE(Vector(2 * s->multipliers.head(9)), Vector(expected.multipliers), 1e-9) << method;  // half each
      EXPECT_CLOSE(Vector(s->multipliers.tail(9)), Vector(s->multipliers.head(9)), 1e-9) << method;
    }
  }
}

TEST(RbdlDefect, D9_CopiesOfASetAreTheirOwnAndOutliveTheirModel) {
  const RandomState x = [] { return random_state(standing_quadruped().robot.reference, 6); }();
  auto m = std::make_unique<Mechanism>(standing_quadruped());
  const ConstraintSet original = m->set();
  ConstraintSet copy = original;
  copy["LF_foot"].beta = {1, 2, 3};
  copy["RF_foot"].active = false;
  EXPECT_EQ(original["LF_foot"].beta, (std::vector<double>{0, 0, 0}));
  EXPECT_TRUE(original["RF_foot"].active);
  m.reset();
  Solver solver(original.model(), original), changed(copy.model(), copy);
  EXPECT_EQ(solver.solve({.q = x.q, .v = x.v}).report.rank, 9);
  EXPECT_EQ(changed.solve({.q = x.q, .v = x.v}).report.rank, 6);
}

TEST(RbdlDefect, D10_PhasesOfContactAreOneSet) {
  const Mechanism m = standing_quadruped();
  const RandomState x = random_state(m.robot.reference, 7);
  const SolveInput input{.q = x.q, .v = x.v, .tau = x.tau};
  ConstraintSet set = m.set();
  Solver solver(m.robot.model, set, {.spare_rows = 3});
  for (int phase = 0; phase < 16; ++phase) {
    if (phase == 8) set.add(ContactConstraint{.name = "RH_foot", .frame = "RH_foot", .normal = {0.1, 0.2, 1}});
    Mechanism part = m;
    part.constraints.clear();
    const char* const feet[] = {"LF_foot", "RF_foot", "LH_foot", "RH_foot"};
    for (int k = 0; k < (phase < 8 ? 3 : 4); ++k) {
      set[feet[k]].active = phase >> k & 1;
      if (phase >> k & 1) part.constraints.push_back(contact(feet[k], feet[k], {0, 0, 0}));
    }
    Solver alone(m.robot.model, part.set());
    for (const std::string& method : methods()) {
      if (method == "pv_soft") continue;
      const Solution* expected = solution_by(alone, method, input);
      const Solution* s = solution_by(solver, method, input);
      EXPECT_EQ(s == nullptr, expected == nullptr);
      if (s == nullptr || expected == nullptr) continue;
      EXPECT_CLOSE(Vector(s->acceleration), Vector(expected->acceleration), 1e-11) << method << ", phase " << phase;
    }
  }
}

TEST(RbdlDefect, D12_WrongSizesAndNumbersAreRefusedInEveryBuild) {
  const Mechanism m = standing_quadruped();
  const Model& model = m.robot.model;
  const RandomState x = random_state(m.robot.reference, 8);
  ConstraintSet set = m.set();
  Solver solver(model, set);
  const Vector shorter = Vector::Zero(model.nv() - 1);
  for (const std::string& method : methods()) {
    if (method == "pv_soft") continue;
    if (solution_by(solver, method, {.q = x.q}) == nullptr) continue;
    EXPECT_THROW(solver.solve({.q = shorter}), std::invalid_argument) << method;
    EXPECT_THROW(solver.solve({.q = x.q, .v = shorter}), std::invalid_argument) << method;
    EXPECT_THROW(solver.solve({.q = x.q, .tau = shorter}), std::invalid_argument) << method;
    set["LF_foot"].beta = {1, 2};
    EXPECT_THROW(solver.solve({.q = x.q}), std::invalid_argument) << method;
    set["LF_foot"].beta = {1, 2, std::nan("")};
    EXPECT_THROW(solver.solve({.q = x.q}), std::invalid_argument) << method;
    set["LF_foot"].beta = {0, 0, 0};
  }
  EXPECT_THROW(set.add(ContactConstraint{.name = "nowhere", .frame = "RF_fot"}), std::invalid_argument);
  EXPECT_THROW(set.add(ContactConstraint{.name = "LF_foot", .frame = "LF_foot"}), std::invalid_argument);
}

/// phi, phi' and J' v off the closed manifold, against differences of phi along the motion of constant velocity.
TEST(RbdlDefect, D14_LoopsAreConsistentFarFromWhereTheyClose) {
  const Robot robot(chain_of(
      {{.name = "", .type = "spherical"}, {.name = "", .type = "spherical_zyx"}, {.name = "", .type = "floating"}}));
  const Model& model = robot.model;
  const std::vector<RowSelection> all = {rows("all"), rows("angular.x"), rows("linear.y"), rows("angular"),
                                         joint_rows("hinge", {1, 2, 3}), joint_rows("universal", {0, 0, 1}, {1, 1, 0}),
                                         // Oblique directions, of any length, linear and angular in one row.
                                         rows(std::vector<double>{1, 2, 0, 0, 0, 3, 0, 0.5, 1, 2, 0, 0})};
  for (const RowSelection& selection : all)
    for (int seed = 1; seed <= 6; ++seed) {
      const RandomState x = random_state(robot.reference, static_cast<std::uint64_t>(seed));
      ConstraintSet set(model);
      set.add(LoopConstraint{.name = "loop", .frame = "link0", .other = "link2", .rows = selection});
      Solver solver(model, set);
      const auto phi = [&](double t) {
        const Vector q = integrate(model, x.q, Vector(t * x.v));
        return Vector(solver.solve({.q = q}).position_error);
      };
      const double h = 1e-4;
      const Vector before = phi(-h), now = phi(0), after = phi(h), far = phi(2 * h), early = phi(-2 * h);
      const Vector rate = (8 * (after - before) - (far - early)) / (12 * h),
                   second = (16 * (after + before) - (far + early) - 30 * now) / (12 * h * h);
      const Solution& s = solver.solve({.q = x.q, .v = x.v});
      Vector rest(set.rows());
      solver.constraint_target(rest);
      // q'' = 0 along the motion but for the Euler joint's angles, which integrate alike: phi'' = J' v.
      const double size = 1 + rate.cwiseAbs().maxCoeff() + second.cwiseAbs().maxCoeff();
      EXPECT_TRUE(within(Vector(s.velocity_error), rate, 1e-10, size)) << "seed " << seed;
      EXPECT_TRUE(within(Vector(-rest), second, 1e-6, size)) << "seed " << seed;  // roundings over h^2: 1e-7
    }
}

}  // namespace
}  // namespace zwang::test
