// SPDX-License-Identifier: BSD-3-Clause
// What the calls of the C interface say of models, sets, solutions and motions is what C++ says, to the last bit.
#include <gtest/gtest.h>

#include <zwang.h>

#include <algorithm>
#include <string>
#include <vector>

#include "zwang/io/robot.hpp"
#include "zwang/simulation.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Numbers = std::vector<double>;

#define EXPECT_DONE(...) EXPECT_EQ(__VA_ARGS__, ZWANG_OK) << zwang_error()

/// A text of a call that writes one.
template <class Call> std::string text_of_call(Call&& call) {
  std::size_t length = 0;
  EXPECT_DONE(call(nullptr, 0, &length));
  std::vector<char> text(length + 1);
  EXPECT_DONE(call(text.data(), text.size(), nullptr));
  return text.data();
}
Numbers numbers_of(const VectorView& x) { return {x.data(), x.data() + x.size()}; }

struct CFile {
  explicit CFile(const std::string& name, const char* root = nullptr, int close_loops = 0)
      : file(std::string(ZWANG_MODELS) + '/' + name),
        robot(load_robot(file, options(root, close_loops))) {
    zwang_load_options own;
    zwang_load_options_init(&own);
    own.root = root;
    own.close_loops = close_loops;
    EXPECT_DONE(zwang_model_load(file.c_str(), &own, &model));
  }
  ~CFile() { EXPECT_DONE(zwang_model_free(model)); }
  static LoadOptions options(const char* root, int close_loops) {
    LoadOptions o;
    if (root != nullptr) o.root = root;
    if (close_loops != 0) o.loops = ClosedLoops::constraints;
    return o;
  }
  std::string file;
  Robot robot;
  zwang_model* model = nullptr;
};

TEST(CValues, OfModelsAreThoseOfCpp) {
  for (const char* name : {"arm7.urdf", "humanoid.urdf", "gripper.xml", "bird.sdf"}) {
    SCOPED_TRACE(name);
    const CFile f(name, nullptr, 1);
    const Model& m = f.robot.model;
    zwang_model_info info;
    ASSERT_EQ(zwang_model_describe(f.model, &info), ZWANG_OK);
    EXPECT_EQ(info.nq, m.nq());
    EXPECT_EQ(info.nv, m.nv());
    EXPECT_EQ(info.bodies, m.bodies());
    EXPECT_EQ(info.mass, m.mass());
    EXPECT_EQ(info.gravity[2], m.gravity()[2]);
    EXPECT_EQ(info.loops, static_cast<int>(m.loops().size()));
    const std::vector<std::string> coordinates = m.coordinate_names();
    const std::vector<std::vector<std::string>> names = {m.joint_names(), m.link_names(), m.frame_names(), coordinates};
    const int counts[] = {info.joints, info.links, info.frames, info.nv};
    for (int kind = 0; kind < 4; ++kind) {
      ASSERT_EQ(counts[kind], static_cast<int>(names[static_cast<std::size_t>(kind)].size()));
      for (int k = 0; k < counts[kind]; ++k) {
        const char* got = nullptr;
        int found = -1;
        EXPECT_DONE(zwang_model_name(f.model, kind, k, &got));
        EXPECT_EQ(got, names[static_cast<std::size_t>(kind)][static_cast<std::size_t>(k)]);
        EXPECT_DONE(zwang_model_find(f.model, kind, got, &found));
        EXPECT_EQ(found, k);
      }
    }
    for (int k = 0; k < info.joints; ++k) {
      zwang_joint_info j;
      ASSERT_EQ(zwang_model_joint(f.model, k, &j), ZWANG_OK);
      const Joint& own = m.joints()[static_cast<std::size_t>(k)];
      EXPECT_EQ(j.type, own.type);
      EXPECT_EQ(j.q_first, own.q.first);
      EXPECT_EQ(j.q_size, own.q.size);
      EXPECT_EQ(j.v_first, own.v.first);
      EXPECT_EQ(j.v_size, own.v.size);
      EXPECT_EQ(j.child, own.child.value);
      EXPECT_EQ(j.parent, own.parent.value);
      EXPECT_EQ(j.leader >= 0, !own.mimic.leader.empty());
      if (j.leader >= 0) { EXPECT_EQ(m.joints()[static_cast<std::size_t>(j.leader)].name, own.mimic.leader); }
    }
    for (int k = 0; k < info.links; ++k) {
      zwang_link_info l;
      ASSERT_EQ(zwang_model_link(f.model, k, &l), ZWANG_OK);
      const Link& own = m.links()[static_cast<std::size_t>(k)];
      EXPECT_EQ(l.mass, own.mass);
      EXPECT_EQ(l.centre[1], own.centre[1]);
      EXPECT_EQ(l.inertia[5], own.inertia.yz);
      EXPECT_EQ(l.inertia[7], own.inertia.yz);
      EXPECT_EQ(l.frame, own.frame.value);
    }
    const Eigen::VectorXd rest = neutral(m);
    const std::vector<bool>& motors = m.actuated();
    const Numbers wanted[] = {Numbers(rest.data(), rest.data() + rest.size()),
                              m.lower(),
                              m.upper(),
                              m.velocity_limit(),
                              m.effort_limit(),
                              m.damping(),
                              m.friction(),
                              m.armature(),
                              Numbers(motors.begin(), motors.end())};
    ASSERT_EQ(std::size(wanted), static_cast<std::size_t>(zwang_list_size(ZWANG_LIST_NUMBERS)));
    for (int k = 0; k < static_cast<int>(std::size(wanted)); ++k) {
      std::size_t size = 0;
      EXPECT_DONE(zwang_model_numbers_size(f.model, k, &size));
      Numbers got(size);
      EXPECT_DONE(zwang_model_numbers(f.model, k, got.data(), size));
      ASSERT_EQ(got.size(), wanted[k].size());
      for (std::size_t i = 0; i < size; ++i)
        EXPECT_TRUE(got[i] == wanted[k][i] || (std::isnan(got[i]) && std::isnan(wanted[k][i]))) << k << ' ' << i;
    }
    for (int k = 0; k < info.configurations; ++k) {
      Numbers q(static_cast<std::size_t>(info.nq)), v(static_cast<std::size_t>(info.nv));
      EXPECT_DONE(zwang_model_configuration(f.model, k, q.data(), q.size(), v.data(), v.size()));
      EXPECT_EQ(q, f.robot.configurations[static_cast<std::size_t>(k)].q);
      EXPECT_EQ(v, f.robot.configurations[static_cast<std::size_t>(k)].v);
    }
    const std::string document =
        text_of_call([&](char* to, std::size_t n, std::size_t* l) { return zwang_model_document(f.model, to, n, l); });
    EXPECT_EQ(document, to_json(f.robot));
    std::string found;
    for (const Diagnostic& d : m.diagnostics()) found += d.text() + '\n';
    EXPECT_EQ(text_of_call(
                  [&](char* to, std::size_t n, std::size_t* l) { return zwang_model_diagnostics(f.model, to, n, l); }),
              found);
  }
}

TEST(CValues, OfSetsAreThoseOfCpp) {
  const CFile f("five_bar.urdf", nullptr, 1);
  zwang_constraints *set = nullptr, *own = nullptr;
  ASSERT_EQ(zwang_constraints_create(f.model, &set), ZWANG_OK);
  ConstraintSet wanted(f.robot.model);
  int added = -1;
  EXPECT_DONE(zwang_constraints_add_loops(set, 0.1, 0.9, &added));
  EXPECT_EQ(added, wanted.add_loops({0.1, 0.9}));
  EXPECT_GT(added, 0);
  EXPECT_DONE(zwang_constraints_add_joint_limits(set, 0.2, 1, &added));
  EXPECT_EQ(added, wanted.add_joint_limits({0.2, 1}));
  const std::string tip = f.robot.model.links().back().name, base = f.robot.model.links()[1].name;
  EXPECT_DONE(zwang_constraints_add_frame(set, "x", tip.c_str(), "linear.x angular.z", "local"));
  wanted.add(FrameConstraint{.name = "x", .frame = tip, .rows = rows("linear.x angular.z"), .in = "local"});
  EXPECT_DONE(zwang_constraints_add_loop(set, "y", base.c_str(), tip.c_str(), "linear"));
  wanted.add(LoopConstraint{.name = "y", .frame = base, .other = tip, .rows = rows("linear")});
  const double point[3] = {0.1, 0, 0.2}, normal[3] = {1, 0, 2};
  EXPECT_DONE(zwang_constraints_add_contact(set, "z", tip.c_str(), point, normal, 1));
  wanted.add(ContactConstraint{.name = "z", .frame = tip, .point = {0.1, 0, 0.2}, .normal = {1, 0, 2}, .rows = 1});
  const char* members[] = {"x", "z"};
  EXPECT_DONE(zwang_constraints_add_group(set, "both", members, 2));
  wanted.add_group("both", {"x", "z"});
  EXPECT_DONE(zwang_constraints_set_active(set, "both", 0));
  wanted.set_active("both", false);
  const double beta[2] = {0.25, -1}, feedback[2] = {0.3, 0.7}, causes[4] = {1, 0, 1, 0}, soft[3] = {0.5, 1, 2},
               level = 2;
  EXPECT_DONE(zwang_constraints_set_numbers(set, "x", "beta", beta, 2));
  wanted["x"].beta = Numbers{0.25, -1};
  EXPECT_DONE(zwang_constraints_set_numbers(set, "y", "baumgarte", feedback, 2));
  wanted["y"].stabilisation = Stabilisation{0.3, 0.7};
  EXPECT_DONE(zwang_constraints_set_word(set, "x", "role", "driver"));
  wanted["x"].role = Role::driver;
  EXPECT_DONE(zwang_constraints_set_numbers(set, "x", "compensate", causes, 4));
  wanted["x"].compensate = Compensate{true, false, true, false};
  EXPECT_DONE(zwang_constraints_set_word(set, "z", "sense", "at_least"));
  wanted["z"].sense = std::vector<Sense>{Sense::at_least};
  EXPECT_DONE(zwang_constraints_set_word(set, "y", "policy", "soft"));
  EXPECT_DONE(zwang_constraints_set_numbers(set, "y", "compliance", soft, 3));
  wanted["y"].policy = Policy::soft;
  wanted["y"].compliance = Numbers{0.5, 1, 2};
  EXPECT_DONE(zwang_constraints_set_numbers(set, "x", "priority", &level, 1));
  wanted["x"].priority = 2;
  Numbers got(4);
  std::size_t size = 0;
  EXPECT_DONE(zwang_constraints_get_numbers(set, "x", "compensate", got.data(), 4, &size));
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(got, Numbers(causes, causes + 4));
  EXPECT_DONE(zwang_constraints_get_numbers(set, "y", "baumgarte", got.data(), 1, &size));
  EXPECT_EQ(size, 2u);
  const auto document = [&](const zwang_constraints* which) {
    return text_of_call(
        [&](char* to, std::size_t n, std::size_t* l) { return zwang_constraints_document(which, to, n, l); });
  };
  EXPECT_EQ(document(set), to_json(wanted));

  int count = 0, row_count = 0, row = 0;
  EXPECT_DONE(zwang_constraints_count(set, &count, &row_count));
  EXPECT_EQ(count, wanted.size());
  EXPECT_EQ(row_count, wanted.rows());
  for (int k = 0; k < count; ++k) {
    const Constraint& c = wanted.constraints()[static_cast<std::size_t>(k)];
    zwang_constraint_info info;
    ASSERT_EQ(zwang_constraints_describe(set, k, &info), ZWANG_OK);
    EXPECT_EQ(info.name, c.name.value());
    EXPECT_EQ(info.type, c.type.value());
    EXPECT_EQ(info.first_row, row);
    EXPECT_EQ(info.rows, c.size());
    EXPECT_EQ(info.active, c.active ? 1 : 0);
    int found = -1;
    EXPECT_DONE(zwang_constraints_find(set, info.name, &found));
    EXPECT_EQ(found, k);
    for (const std::string& name : c.row_names.value()) {
      const std::string got_name = text_of_call(
          [&](char* to, std::size_t n, std::size_t* l) { return zwang_constraints_row_name(set, row, to, n, l); });
      EXPECT_EQ(got_name, name);
      ++row;
    }
  }
  // Those of the model's file, and what a document holds.
  ASSERT_EQ(zwang_constraints_of_model(f.model, &own), ZWANG_OK);
  EXPECT_EQ(document(own), to_json(f.robot.constraints));
  EXPECT_DONE(zwang_constraints_free(own));
  const std::string text = document(set);
  ASSERT_EQ(zwang_constraints_read(f.model, text.data(), text.size(), &own), ZWANG_OK) << zwang_error();
  EXPECT_EQ(document(own), text);
  EXPECT_DONE(zwang_constraints_free(own));
  ASSERT_EQ(zwang_constraints_create(f.model, &own), ZWANG_OK);
  EXPECT_DONE(zwang_constraints_add(own, text.data(), text.size()));
  EXPECT_EQ(document(own), text);
  EXPECT_DONE(zwang_constraints_free(own));
  EXPECT_DONE(zwang_constraints_free(set));
}

TEST(CValues, OfSolutionsAreThoseOfCpp) {
  const CFile f("quadruped.urdf", "floating");
  const Model& m = f.robot.model;
  ConstraintSet wanted(m);
  zwang_constraints* set = nullptr;
  zwang_solver* solver = nullptr;
  ASSERT_EQ(zwang_constraints_create(f.model, &set), ZWANG_OK);
  const char* feet[] = {"LF_foot", "RF_foot", "LH_foot"};
  for (const char* foot : feet) {
    EXPECT_DONE(zwang_constraints_add_contact(set, foot, foot, nullptr, nullptr, 3));
    wanted.add(ContactConstraint{.name = foot, .frame = foot});
  }
  EXPECT_DONE(zwang_constraints_add_contact(set, "again", "LF_foot", nullptr, nullptr, 1));  // a row that depends
  wanted.add(ContactConstraint{.name = "again", .frame = "LF_foot", .rows = 1});
  EXPECT_DONE(zwang_constraints_add_group(set, "feet", feet, 3));
  wanted.add_group("feet", {"LF_foot", "RF_foot", "LH_foot"});
  ASSERT_EQ(zwang_solver_create(set, 0, &solver), ZWANG_OK);
  Solver own(m, wanted);
  EXPECT_DONE(zwang_solver_set_number(solver, "joint_effects", ZWANG_EFFECT_ARMATURE));
  own.settings().joint_effects = {
      .armature = true, .damping = false, .springs = false, .friction = false, .gravity_scale = false};
  EXPECT_DONE(zwang_solver_set_word(solver, "singularity", "damping"));
  EXPECT_DONE(zwang_solver_set_word(solver, "singularity", "truncation"));
  EXPECT_DONE(zwang_solver_set_number(solver, "feasibility", 1e-8));
  own.settings().feasibility = 1e-8;
  double value = 0;
  EXPECT_DONE(zwang_solver_get_number(solver, "feasibility", &value));
  EXPECT_EQ(value, 1e-8);
  EXPECT_EQ(text_of_call([&](char* to, std::size_t n, std::size_t* l) {
              return zwang_solver_get_word(solver, "singularity", to, n, l);
            }),
            "truncation");
  const Eigen::VectorXd q = random(m, 4), v = Eigen::VectorXd::LinSpaced(m.nv(), -1, 1);
  const double six[6] = {1, 2, -30, 0.5, 0.25, 0};
  const zwang_wrench push = {m.frame("trunk").link.value, ZWANG_REFERENCE_LOCAL, {six, 6}};
  const Externals pushed{external_wrench(m, m.frames()[static_cast<std::size_t>(push.frame)].name,
                                         {1, 2, -30, 0.5, 0.25, 0}, Reference::local)};
  const int coordinate = m.nv() - 1;
  const double acceleration = 1.5;
  const Prescribed prescribed{{coordinate, acceleration}};
  zwang_solve_input in = {};
  in.q = {q.data(), static_cast<std::size_t>(q.size())};
  in.v = {v.data(), static_cast<std::size_t>(v.size())};
  in.external = &push;
  in.external_count = 1;
  in.prescribed = &coordinate;
  in.prescribed_acceleration = &acceleration;
  in.prescribed_count = 1;
  EXPECT_DONE(zwang_solver_solve(solver, &in));
  const Solution& x = own.solve({.q = q, .v = v, .external = &pushed, .prescribed = &prescribed});
  const auto vector = [&](int which) {
    std::size_t size = 0;
    EXPECT_DONE(zwang_solver_vector_size(solver, which, &size));
    Numbers all(size);
    EXPECT_DONE(zwang_solver_vector(solver, which, all.data(), size));
    return all;
  };
  EXPECT_EQ(vector(ZWANG_SOLUTION_ACCELERATION), numbers_of(x.acceleration));
  EXPECT_EQ(vector(ZWANG_SOLUTION_MULTIPLIERS), numbers_of(x.multipliers));
  EXPECT_EQ(vector(ZWANG_SOLUTION_MOTOR_TORQUE), numbers_of(x.motor_torque));
  Numbers wrench(6), found(6);
  std::size_t size = 0;
  EXPECT_DONE(zwang_solver_constraint(solver, "RF_foot", ZWANG_PART_WRENCH, wrench.data(), 6, &size));
  EXPECT_EQ(size, 6u);
  EXPECT_EQ(wrench, numbers_of(x["RF_foot"].wrench));
  EXPECT_DONE(zwang_solver_power(solver, "RF_foot", &value));
  EXPECT_EQ(value, x["RF_foot"].power);
  const double about[3] = {1, 2, 3};
  EXPECT_DONE(zwang_solver_group(solver, "feet", about, wrench.data(), &value));
  const GroupSolution group = x.group("feet", {1, 2, 3});
  for (int k = 0; k < 6; ++k) EXPECT_EQ(wrench[static_cast<std::size_t>(k)], group.wrench[k]);
  EXPECT_EQ(value, group.power);
  EXPECT_DONE(zwang_solver_gauss_constraint(solver, &value));
  EXPECT_EQ(value, x.zwang);

  int active = 0;
  EXPECT_DONE(zwang_solver_jacobian(solver, nullptr, 0, &active));
  EXPECT_EQ(active, own.active_rows());
  StateRows<double> J(active, m.nv()), forces(6, static_cast<Eigen::Index>(m.joints().size()));
  Eigen::MatrixXd own_J(active, m.nv()), own_forces(6, forces.cols());
  own.constraint_jacobian(own_J);
  own.joint_wrenches(own_forces);
  EXPECT_DONE(zwang_solver_jacobian(solver, J.data(), static_cast<std::size_t>(J.size()), nullptr));
  EXPECT_DONE(zwang_solver_joint_wrenches(solver, forces.data(), static_cast<std::size_t>(forces.size())));
  EXPECT_TRUE(J == own_J);
  EXPECT_TRUE(forces == own_forces);
  Eigen::VectorXd target(active), own_target(active);
  EXPECT_DONE(zwang_solver_target(solver, target.data(), static_cast<std::size_t>(active)));
  own.constraint_target(own_target);
  EXPECT_TRUE(target == own_target);

  EXPECT_DONE(zwang_solver_report_number(solver, "rank", &value));
  EXPECT_EQ(value, x.report.rank);
  EXPECT_DONE(zwang_solver_report_number(solver, "redundant", &value));
  ASSERT_EQ(value, static_cast<double>(x.report.redundant.size()));
  ASSERT_EQ(value, 1);
  const auto word = [&](const char* field) {
    return text_of_call(
        [&](char* to, std::size_t n, std::size_t* l) { return zwang_solver_report_word(solver, field, to, n, l); });
  };
  EXPECT_EQ(word("redundant[0]"), x.report.redundant[0]);
  EXPECT_EQ(word("status"), "ok");
  EXPECT_EQ(word("place.reason"), name_of(x.report.place.reason));
  EXPECT_EQ(word("method"), x.report.method);
  EXPECT_DONE(zwang_solver_report_number(solver, "terms[1].coefficient", &value));
  EXPECT_EQ(value, x.report.terms[1].coefficient);
  EXPECT_EQ(word("terms[1].row"), x.report.terms[1].row);
  EXPECT_EQ(
      text_of_call([&](char* to, std::size_t n, std::size_t* l) { return zwang_solver_explain(solver, to, n, l); }),
      x.report.explain());
  EXPECT_EQ(text_of_call(
                [&](char* to, std::size_t n, std::size_t* l) { return zwang_solver_document(solver, set, to, n, l); }),
            to_json(wanted, x));

  // Other torques at the same state, then motors with limits.
  const Eigen::VectorXd tau = Eigen::VectorXd::Constant(m.nv(), 0.5);
  zwang_solve_input again = in;
  again.q = again.v = {};
  again.tau = {tau.data(), static_cast<std::size_t>(tau.size())};
  EXPECT_DONE(zwang_solver_resolve(solver, &again));
  own.resolve({.tau = tau, .external = &pushed, .prescribed = &prescribed});
  EXPECT_EQ(vector(ZWANG_SOLUTION_ACCELERATION), numbers_of(own.solution().acceleration));
  const Numbers low(static_cast<std::size_t>(m.nv()), -1), high(static_cast<std::size_t>(m.nv()), 1);
  EXPECT_DONE(zwang_solver_limit_motors(solver, low.data(), high.data(), low.size()));
  EXPECT_DONE(zwang_constraints_set_word(set, "LF_foot", "role", "driver"));
  own.settings().motor_limits = {low, high};
  wanted["LF_foot"].role = Role::driver;
  const Status limited = own.try_solve({.q = q, .v = v}).report.status;
  again = in;
  again.external_count = again.prescribed_count = 0;
  EXPECT_EQ(zwang_solver_solve(solver, &again), static_cast<int>(limited)) << zwang_error();
  EXPECT_EQ(vector(ZWANG_SOLUTION_ACCELERATION), numbers_of(own.solution().acceleration));
  EXPECT_DONE(zwang_solver_free(solver));
  EXPECT_DONE(zwang_constraints_free(set));
}

TEST(CValues, OfMotionsThatArePushedAreThoseOfCpp) {
  const CFile f("five_bar.urdf", nullptr, 1);
  const Model& m = f.robot.model;
  ConstraintSet wanted(m);
  zwang_constraints* set = nullptr;
  zwang_simulator* motion = nullptr;
  ASSERT_EQ(zwang_constraints_create(f.model, &set), ZWANG_OK);
  EXPECT_DONE(zwang_constraints_add_loops(set, 0, 1, nullptr));
  wanted.add_loops();
  ASSERT_EQ(zwang_simulator_create(set, &motion), ZWANG_OK);
  EXPECT_DONE(zwang_simulator_set_number(motion, "dt", 0.01));
  EXPECT_DONE(zwang_simulator_set_number(motion, "time", 0.05));
  EXPECT_DONE(zwang_simulator_set_word(motion, "integrator", "rk4"));
  EXPECT_DONE(zwang_simulator_set_number(motion, "solver.tolerance", 1e-10));
  SimulationSettings settings{.time = 0.05, .dt = 0.01, .integrator = Integrator::rk4};
  settings.solver.tolerance = 1e-10;
  Simulator own(m, wanted, settings);
  const Eigen::VectorXd q = neutral(m);
  zwang_solve_input in = {};
  in.q = {q.data(), static_cast<std::size_t>(q.size())};
  EXPECT_DONE(zwang_simulator_start(motion, &in));
  own.start({.q = q});
  const int frame = static_cast<int>(m.frames().size()) - 1;
  double six[6] = {1, 0, 2, 0, 0, 0};
  const zwang_wrench push = {frame, ZWANG_REFERENCE_LOCAL_WORLD_ALIGNED, {six, 6}};
  Numbers tau(static_cast<std::size_t>(m.nv()), 0.25);
  own.set_control([&](SimulationStage& stage) {
    std::copy(tau.begin(), tau.end(), stage.tau.data());
    stage.external = {{FrameId(frame), {six[0], 0, 2, 0, 0, 0}, Reference::local_world_aligned}};
  });
  int more = 1, steps = 0;
  for (; more != 0; ++steps) {
    six[0] = steps;
    tau[0] = 0.1 * steps;
    own.forces_changed();
    EXPECT_DONE(zwang_simulator_set_forces(motion, tau.data(), tau.size(), &push, 1));
    EXPECT_DONE(zwang_simulator_step(motion, &more));
    EXPECT_EQ(own.step(), more == 1);
    Numbers now(static_cast<std::size_t>(m.nq()));
    EXPECT_DONE(zwang_simulator_vector(motion, ZWANG_STATE_Q, now.data(), now.size()));
    EXPECT_EQ(now, numbers_of(own.state().q));
    zwang_simulator_info info;
    EXPECT_DONE(zwang_simulator_describe(motion, &info));
    EXPECT_EQ(info.time, own.state().time);
    EXPECT_EQ(info.energy, own.state().energy);
    EXPECT_EQ(info.steps, own.report().steps);
    ASSERT_LT(steps, 100);
  }
  EXPECT_GT(steps, 4);
  // Another motion from the same state, whose first forces are the last ones of the motion before.
  EXPECT_DONE(zwang_simulator_start(motion, &in));
  EXPECT_DONE(zwang_simulator_set_forces(motion, tau.data(), tau.size(), &push, 1));
  EXPECT_DONE(zwang_simulator_step(motion, &more));
  Simulator again(m, wanted, settings);
  again.start({.q = q});
  again.set_control([&](SimulationStage& stage) {
    std::copy(tau.begin(), tau.end(), stage.tau.data());
    stage.external = {{FrameId(frame), {six[0], 0, 2, 0, 0, 0}, Reference::local_world_aligned}};
  });
  again.forces_changed();
  EXPECT_TRUE(again.step());
  Numbers after(static_cast<std::size_t>(m.nv()));
  EXPECT_DONE(zwang_simulator_vector(motion, ZWANG_STATE_V, after.data(), after.size()));
  EXPECT_EQ(after, numbers_of(again.state().v));
  while (more != 0) EXPECT_DONE(zwang_simulator_step(motion, &more));
  EXPECT_EQ(
      text_of_call([&](char* to, std::size_t n, std::size_t* l) { return zwang_simulator_reason(motion, to, n, l); }),
      own.report().reason);
  EXPECT_DONE(zwang_simulator_free(motion));
  EXPECT_DONE(zwang_constraints_free(set));
}

}  // namespace
}  // namespace zwang::test
