// SPDX-License-Identifier: BSD-3-Clause
// What programs in other languages get wrong: each call says which argument, and nothing happens.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <zwang.h>
#include "c/hostile.hpp"

namespace zwang::test {
namespace {

TEST_F(CHostile, HandlesThatAreNoneAreRefused) {
  zwang_model_info info;
  expect_refused(zwang_model_describe(nullptr, &info), ZWANG_INVALID_HANDLE, "model", "is NULL");
  expect_refused(zwang_model_describe(reinterpret_cast<zwang_model*>(data), &info), ZWANG_INVALID_HANDLE, "model",
                 "is a zwang_data");
  int stranger = 0;
  expect_refused(zwang_model_describe(reinterpret_cast<zwang_model*>(&stranger), &info), ZWANG_INVALID_HANDLE, "model",
                 "is no handle");
  for (std::uintptr_t value = 1; value != 0; value *= 2) {
    const auto guess = reinterpret_cast<zwang_simulator*>(value);
    EXPECT_EQ(zwang_simulator_step(guess, nullptr), ZWANG_INVALID_HANDLE) << value;
  }
  expect_refused(zwang_data_create(nullptr, nullptr), ZWANG_INVALID_HANDLE, "model");
  expect_refused(zwang_data_create(model, nullptr), ZWANG_INVALID_INPUT, "data", "is NULL");
}

TEST_F(CHostile, HandlesThatWereFreedAreRefused) {
  zwang_data* own = nullptr;
  ASSERT_EQ(zwang_data_create(model, &own), ZWANG_OK);
  zwang_data* const before = own;
  EXPECT_EQ(zwang_data_free(own), ZWANG_OK);
  expect_refused(zwang_data_free(own), ZWANG_INVALID_HANDLE, "data", "no handle");
  const zwang_output out[] = {{tau, 7}};
  const zwang_input in[] = {{q, 7}};
  expect_refused(zwang_run(own, ZWANG_ALG_GRAVITY_FORCES, in, 1, out, 1, nullptr), ZWANG_INVALID_HANDLE, "data");
  // The place is used again, under another handle.
  ASSERT_EQ(zwang_data_create(model, &own), ZWANG_OK);
  EXPECT_NE(own, before);
  expect_refused(zwang_data_free(before), ZWANG_INVALID_HANDLE, "data");
  EXPECT_EQ(zwang_data_free(own), ZWANG_OK);
  EXPECT_EQ(zwang_data_free(nullptr), ZWANG_OK);
}

/// Small values are places that no handle has had, or that are empty again.
TEST_F(CHostile, NoValueIsAHandleThatWasNotGiven) {
  const void* const own[] = {model, data, set, solver};
  for (std::uintptr_t value = 1; value <= 600; ++value) {
    void* const none = reinterpret_cast<void*>(value);
    if (std::find(std::begin(own), std::end(own), none) != std::end(own)) continue;
    zwang_model_info of_model;
    zwang_simulator_info of_motion;
    std::size_t size = 0;
    int count = 0;
    double x = 0;
    EXPECT_EQ(zwang_model_describe(static_cast<zwang_model*>(none), &of_model), ZWANG_INVALID_HANDLE) << value;
    EXPECT_EQ(zwang_run(static_cast<zwang_data*>(none), 0, nullptr, 0, nullptr, 0, nullptr), ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_batch_run(static_cast<zwang_batch*>(none), 0, 1, nullptr, 0, nullptr, 0, nullptr, nullptr),
              ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_constraints_count(static_cast<zwang_constraints*>(none), &count, nullptr), ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_solver_vector_size(static_cast<zwang_solver*>(none), 0, &size), ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_batch_solver_set_number(static_cast<zwang_batch_solver*>(none), "tolerance", x),
              ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_simulator_describe(static_cast<zwang_simulator*>(none), &of_motion), ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_model_free(static_cast<zwang_model*>(none)), ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_data_free(static_cast<zwang_data*>(none)), ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_batch_free(static_cast<zwang_batch*>(none)), ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_constraints_free(static_cast<zwang_constraints*>(none)), ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_solver_free(static_cast<zwang_solver*>(none)), ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_batch_solver_free(static_cast<zwang_batch_solver*>(none)), ZWANG_INVALID_HANDLE);
    EXPECT_EQ(zwang_simulator_free(static_cast<zwang_simulator*>(none)), ZWANG_INVALID_HANDLE);
  }
  // Places are given out as before, each once: more of them than the first ones.
  std::vector<zwang_constraints*> made(300);
  for (zwang_constraints*& x : made) ASSERT_EQ(zwang_constraints_create(model, &x), ZWANG_OK) << zwang_error();
  std::vector<zwang_constraints*> sorted = made;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  for (zwang_constraints* x : made) EXPECT_EQ(zwang_constraints_free(x), ZWANG_OK) << zwang_error();
  EXPECT_EQ(run(), ZWANG_OK) << zwang_error();
}

/// What was made from a model lives on without it.
TEST_F(CHostile, ModelsMayGoBeforeWhatWasMadeFromThem) {
  EXPECT_EQ(zwang_model_free(model), ZWANG_OK);
  EXPECT_EQ(zwang_constraints_free(set), ZWANG_OK);
  EXPECT_EQ(run(), ZWANG_OK) << zwang_error();
  EXPECT_EQ(solve(), ZWANG_OK) << zwang_error();
  model = nullptr;
  set = nullptr;
}

TEST_F(CHostile, SizesAndPointersOfARunAreChecked) {
  ASSERT_EQ(run(), ZWANG_OK) << zwang_error();
  const std::vector<double> before(tau, tau + 7);
  q_size = 6;
  expect_refused(run(), ZWANG_INVALID_INPUT, "q", "has 6 entries, expected 7");
  q_size = 7;
  tau_size = 8;
  expect_refused(run(), ZWANG_INVALID_INPUT, "tau", "has 8 entries, expected 7");
  tau_size = 7;
  const zwang_input in[] = {{q, 7}, {v, 7}, {nullptr, 7}, {a, 7}};
  const zwang_output out[] = {{tau, 7}};
  expect_refused(zwang_run(data, ZWANG_ALG_INVERSE_DYNAMICS, in, 3, out, 1, nullptr), ZWANG_INVALID_INPUT, "a",
                 "is NULL");
  expect_refused(zwang_run(data, ZWANG_ALG_INVERSE_DYNAMICS, in, 2, out, 1, nullptr), ZWANG_INVALID_INPUT, "in",
                 "has 2 vectors, expected the 3 of inverse_dynamics");
  expect_refused(zwang_run(data, ZWANG_ALG_INVERSE_DYNAMICS, nullptr, 3, out, 1, nullptr), ZWANG_INVALID_INPUT, "in");
  expect_refused(zwang_run(data, ZWANG_ALG_INVERSE_DYNAMICS, in, 3, nullptr, 1, nullptr), ZWANG_INVALID_INPUT, "out");
  expect_refused(zwang_run(data, ZWANG_ALG_INVERSE_DYNAMICS, in, 3, out, 0, nullptr), ZWANG_INVALID_INPUT, "out");
  const zwang_input shared[] = {{q, 7}, {v, 7}, {tau, 7}};
  expect_refused(zwang_run(data, ZWANG_ALG_INVERSE_DYNAMICS, shared, 3, out, 1, nullptr), ZWANG_INVALID_INPUT, "out",
                 "shares memory");
  EXPECT_TRUE(std::equal(before.begin(), before.end(), tau));
}

TEST_F(CHostile, NumbersThatAreNotFiniteAreRefused) {
  for (double* x : {q + 3, v, a + 6}) {
    const double kept = *x;
    for (const double bad : {k_nan, std::numeric_limits<double>::infinity()}) {
      *x = bad;
      EXPECT_EQ(run(), ZWANG_NON_FINITE_INPUT) << zwang_error();
    }
    *x = kept;
  }
  q[2] = k_nan;
  expect_refused(solve(), ZWANG_NON_FINITE_INPUT, "q");
  q[2] = 0;
  EXPECT_EQ(solve(), ZWANG_OK) << zwang_error();
  expect_refused(zwang_constraints_set_numbers(set, "tool", "beta", &k_nan, 1), ZWANG_NON_FINITE_INPUT, "numbers");
}

TEST_F(CHostile, NumbersOfListsAreChecked) {
  zwang_algorithm_info info;
  for (const int k : {-1, zwang_list_size(ZWANG_LIST_ALGORITHM), 1 << 30}) {
    expect_refused(zwang_algorithm_describe(k, &info), ZWANG_INVALID_INPUT, "algorithm");
    expect_refused(zwang_run(data, k, nullptr, 0, nullptr, 0, nullptr), ZWANG_INVALID_INPUT, "algorithm");
  }
  zwang_options options;
  zwang_options_init(&options);
  options.effects = 32;
  expect_refused(run(&options), ZWANG_INVALID_INPUT, "effects");
  zwang_options_init(&options);
  const zwang_input in[] = {{q, 7}};
  double J[42];
  const zwang_output out[] = {{J, 42}};
  const auto jacobian = [&] { return zwang_run(data, ZWANG_ALG_JACOBIAN, in, 1, out, 1, &options); };
  expect_refused(jacobian(), ZWANG_INVALID_INPUT, "frame", "is -1");
  options.frame = 1;
  options.reference = 3;
  expect_refused(jacobian(), ZWANG_INVALID_INPUT, "reference");
  options.reference = ZWANG_REFERENCE_WORLD;
  options.axes = 2;
  expect_refused(jacobian(), ZWANG_INVALID_INPUT, "reference", "local_world_aligned");
  options.axes = 4000;
  expect_refused(jacobian(), ZWANG_INVALID_INPUT, "axes");
  const char* name;
  expect_refused(zwang_model_name(model, 17, 0, &name), ZWANG_INVALID_INPUT, "names");
  expect_refused(zwang_model_name(model, ZWANG_NAMES_LINK, 170, &name), ZWANG_INVALID_INPUT, "k");
  std::size_t size;
  expect_refused(zwang_model_numbers_size(model, -3, &size), ZWANG_INVALID_INPUT, "numbers");
  expect_refused(zwang_solver_vector_size(solver, 99, &size), ZWANG_INVALID_INPUT, "vector");
}

TEST_F(CHostile, WrenchesAreChecked) {
  const double six[6] = {1, 2, 3, 4, 5, 6};
  zwang_wrench push = {3, ZWANG_REFERENCE_LOCAL, {six, 6}};
  zwang_options options;
  zwang_options_init(&options);
  options.external_count = 1;
  expect_refused(run(&options), ZWANG_INVALID_INPUT, "external", "is NULL");
  options.external = &push;
  EXPECT_EQ(run(&options), ZWANG_OK) << zwang_error();
  push.frame = -1;
  expect_refused(run(&options), ZWANG_INVALID_INPUT, "external.frame");
  push.frame = 3;
  push.reference = 5;
  expect_refused(run(&options), ZWANG_INVALID_INPUT, "external.reference");
  push.reference = 0;
  push.wrench.size = 5;
  expect_refused(run(&options), ZWANG_INVALID_INPUT, "external.wrench", "has 5 entries, expected 6");
  push.wrench = {nullptr, 6};
  expect_refused(run(&options), ZWANG_INVALID_INPUT, "external.wrench", "is NULL");
}

TEST_F(CHostile, NamesAreLookedUpWithTheNearestOne) {
  int k = 0;
  expect_refused(zwang_model_find(model, ZWANG_NAMES_FRAME, "tool00", &k), ZWANG_INVALID_INPUT, "name", "'tool0'");
  expect_refused(zwang_model_find(model, ZWANG_NAMES_FRAME, nullptr, &k), ZWANG_INVALID_INPUT, "name", "is NULL");
  EXPECT_EQ(zwang_algorithm_find("inverse_dynamic", &k), ZWANG_INVALID_INPUT);
  EXPECT_NE(std::string(zwang_error()).find("inverse_dynamics"), std::string::npos) << zwang_error();
  EXPECT_EQ(zwang_constraints_add_frame(set, "more", "tool9", nullptr, nullptr), ZWANG_INVALID_INPUT);
  EXPECT_NE(std::string(zwang_error()).find("tool9"), std::string::npos) << zwang_error();
  EXPECT_EQ(zwang_constraints_add_frame(set, "tool", "tool0", nullptr, nullptr), ZWANG_INVALID_INPUT);
  expect_refused(zwang_constraints_set_numbers(set, "tool", "betta", q, 3), ZWANG_INVALID_INPUT, "option", "'beta'");
  expect_refused(zwang_constraints_set_word(set, "tool", "role", "drivver"), ZWANG_INVALID_INPUT, "word", "driver");
  expect_refused(zwang_constraints_set_word(set, "tool", "beta", "driver"), ZWANG_INVALID_INPUT, "option");
  expect_refused(zwang_solver_set_number(solver, "tolerence", 1), ZWANG_INVALID_INPUT, "field", "'tolerance'");
  expect_refused(zwang_solver_set_number(solver, "method", 1), ZWANG_INVALID_INPUT, "field", "no number");
  expect_refused(zwang_solver_set_number(solver, "max_iterations", 1.5), ZWANG_INVALID_INPUT, "value", "whole");
  expect_refused(zwang_solver_set_number(solver, "max_iterations", k_nan), ZWANG_INVALID_INPUT, "value", "whole");
  expect_refused(zwang_solver_set_word(solver, "singularity", "truncate"), ZWANG_INVALID_INPUT, "word", "truncation");
  expect_refused(zwang_solver_set_number(solver, "spare_rows", 3), ZWANG_INVALID_INPUT, "field", "creation");
  EXPECT_EQ(zwang_solver_set_word(solver, "method", "no method"), ZWANG_INVALID_INPUT);
  ASSERT_EQ(solve(), ZWANG_OK) << zwang_error();
  double x = 0;
  for (const std::string field : {"",
                                  "place",
                                  "place.",
                                  "place.none",
                                  "place..early",
                                  "place.[0]",
                                  ".place",
                                  "place.early.",
                                  "warnings[0].row",
                                  "redundant[",
                                  "redundant[x]",
                                  "redundant[]",
                                  "redundant[-0]",
                                  "redundant.",
                                  "redundant.[0]",
                                  "[0]",
                                  "rank.",
                                  "rank.more",
                                  "rank[0]",
                                  "redundant[99999999999]"})
    expect_refused(zwang_solver_report_number(solver, field.c_str(), &x), ZWANG_INVALID_INPUT, "field",
                   "'" + field + "'");
  EXPECT_EQ(zwang_solver_report_number(solver, "place.early", &x), ZWANG_OK) << zwang_error();
  expect_refused(zwang_solver_report_number(solver, "place.earlie", &x), ZWANG_INVALID_INPUT, "field",
                 "did you mean 'early'?");
  expect_refused(zwang_solver_set_number(solver, "tolerance.", 1), ZWANG_INVALID_INPUT, "field", "'tolerance.'");
}

/// Before the first solve there is no result, and none is told; after one that was refused there is.
TEST_F(CHostile, ResultsNeedASolve) {
  double x[42];
  std::size_t size = 0;
  char text[16];
  zwang_model_info robot;
  ASSERT_EQ(zwang_model_describe(model, &robot), ZWANG_OK);
  std::vector<double> wrenches(6 * static_cast<std::size_t>(robot.joints));
  zwang_constraints_add_group(set, "all", std::array{"tool"}.data(), 1);
  zwang_solver* fresh = nullptr;
  ASSERT_EQ(zwang_solver_create(set, 0, &fresh), ZWANG_OK) << zwang_error();
  const auto all = [&] {
    return std::vector{zwang_solver_vector(fresh, ZWANG_SOLUTION_ACCELERATION, x, 7),
                       zwang_solver_constraint(fresh, "tool", ZWANG_PART_MULTIPLIERS, x, 3, &size),
                       zwang_solver_power(fresh, "tool", x),
                       zwang_solver_group(fresh, "all", nullptr, x, nullptr),
                       zwang_solver_gauss_constraint(fresh, x),
                       zwang_solver_jacobian(fresh, x, 21, nullptr),
                       zwang_solver_target(fresh, x, 3),
                       zwang_solver_joint_wrenches(fresh, wrenches.data(), wrenches.size()),
                       zwang_solver_report_number(fresh, "residual", x),
                       zwang_solver_report_word(fresh, "status", text, sizeof text, nullptr),
                       zwang_solver_explain(fresh, nullptr, 0, &size),
                       zwang_solver_document(fresh, set, nullptr, 0, &size)};
  };
  const std::vector<int> before = all();
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_EQ(before[k], ZWANG_NOT_READY) << k;
  EXPECT_EQ(zwang_solver_vector_size(fresh, ZWANG_SOLUTION_ACCELERATION, &size), ZWANG_OK) << zwang_error();
  EXPECT_EQ(size, 7u);  // a program may make room before it solves
  zwang_solve_input in = {};
  in.q = {q, 7};
  EXPECT_EQ(zwang_solver_solve(fresh, &in), ZWANG_OK) << zwang_error();
  const std::vector<int> after = all();
  for (std::size_t k = 0; k < after.size(); ++k) EXPECT_EQ(after[k], ZWANG_OK) << k;
  EXPECT_EQ(zwang_solver_free(fresh), ZWANG_OK);
}

TEST_F(CHostile, SettingsOfAMotionAreRefusedWhereTheyAreSet) {
  zwang_simulator* motion = nullptr;
  ASSERT_EQ(zwang_simulator_create(set, &motion), ZWANG_OK);
  EXPECT_EQ(zwang_simulator_set_word(motion, "solver.method", "nonsense"), ZWANG_INVALID_INPUT);
  for (const char* field : {"dt", "time", "tolerance", "solver.tolerance"})
    expect_refused(zwang_simulator_set_number(motion, field, k_nan), ZWANG_NON_FINITE_INPUT, "value", "is NaN");
  expect_refused(zwang_solver_set_number(solver, "tolerance", k_nan), ZWANG_NON_FINITE_INPUT, "value", "is NaN");
  EXPECT_EQ(zwang_simulator_set_word(motion, "solver.method", "dense_qr"), ZWANG_OK) << zwang_error();
  EXPECT_EQ(zwang_simulator_free(motion), ZWANG_OK);
}

/// A start that is refused leaves the motion that is there: same numbers as of one that nobody tried to replace.
TEST_F(CHostile, AMotionOutlivesAStartThatIsRefused) {
  const double six[6] = {0, 0, 20, 0, 0, 0}, other[6] = {500, 0, 0, 0, 0, 0};
  const zwang_wrench push = {3, ZWANG_REFERENCE_WORLD, {six, 6}}, wrong = {3, ZWANG_REFERENCE_WORLD, {other, 6}};
  zwang_solve_input in = {};
  in.q = {q, 7};
  double ends[2][7] = {};
  for (const bool tries : {false, true}) {
    zwang_simulator* motion = nullptr;
    ASSERT_EQ(zwang_simulator_create(set, &motion), ZWANG_OK);
    ASSERT_EQ(zwang_simulator_start(motion, &in), ZWANG_OK) << zwang_error();
    ASSERT_EQ(zwang_simulator_set_forces(motion, a, 7, &push, 1), ZWANG_OK) << zwang_error();
    ASSERT_EQ(zwang_simulator_step(motion, nullptr), ZWANG_OK) << zwang_error();
    if (tries) {
      const std::vector<double> bad(7, k_nan);
      zwang_solve_input refused = {};
      refused.external = &wrong;
      refused.external_count = 1;
      refused.q = {bad.data(), 7};
      EXPECT_NE(zwang_simulator_start(motion, &refused), ZWANG_OK);
      refused.q = {q, 6};
      EXPECT_EQ(zwang_simulator_start(motion, &refused), ZWANG_INVALID_INPUT);
    }
    ASSERT_EQ(zwang_simulator_step(motion, nullptr), ZWANG_OK) << zwang_error();
    ASSERT_EQ(zwang_simulator_vector(motion, ZWANG_STATE_V, ends[tries], 7), ZWANG_OK) << zwang_error();
    EXPECT_EQ(zwang_simulator_free(motion), ZWANG_OK);
  }
  EXPECT_TRUE(std::equal(ends[0], ends[0] + 7, ends[1]));
}

TEST_F(CHostile, FilesAndTextsAreRefused) {
  zwang_model* other = nullptr;
  EXPECT_EQ(zwang_model_load("no/such.urdf", nullptr, &other), ZWANG_REFUSED_MODEL) << zwang_error();
  EXPECT_NE(std::string(zwang_error()).find("no/such.urdf"), std::string::npos) << zwang_error();
  EXPECT_EQ(zwang_model_load_text("<robot", 6, nullptr, &other), ZWANG_REFUSED_MODEL) << zwang_error();
  EXPECT_EQ(zwang_model_load_text("", 0, nullptr, &other), ZWANG_REFUSED_MODEL) << zwang_error();
  EXPECT_EQ(other, nullptr);
  zwang_load_options options;
  zwang_load_options_init(&options);
  options.mode = 3;
  expect_refused(zwang_model_load(k_arm, &options, &other), ZWANG_INVALID_INPUT, "mode");
  options.mode = 0;
  options.package_dir_count = 1;
  expect_refused(zwang_model_load(k_arm, &options, &other), ZWANG_INVALID_INPUT, "package_dirs");
  const double gravity[3] = {0, k_nan, 0};
  options.package_dir_count = 0;
  options.gravity = gravity;
  expect_refused(zwang_model_load(k_arm, &options, &other), ZWANG_NON_FINITE_INPUT, "gravity");

  int rows = 0;
  for (const std::string text :
       {"", "{", "[]", "{\"constrain\": []}", "{\"constraints\": [{\"name\": \"x\"}]}",
        "{\"constraints\": [{\"name\": \"fine\", \"type\": \"frame\", \"frame\": \"tool0\"}, {\"name\": \"not\"}]}"}) {
    EXPECT_EQ(zwang_constraints_add(set, text.data(), text.size()), ZWANG_REFUSED_DOCUMENT) << text;
    EXPECT_EQ(zwang_constraints_count(set, nullptr, &rows), ZWANG_OK);
    EXPECT_EQ(rows, 3) << text;  // nothing of it
  }
}

TEST_F(CHostile, ABatchNamesTheStateAndGoesOn) {
  zwang_batch* batch = nullptr;
  expect_refused(zwang_batch_create(model, -1, &batch), ZWANG_INVALID_INPUT, "threads");
  ASSERT_EQ(zwang_batch_create(model, 1, &batch), ZWANG_OK);
  std::vector<double> all(7 * 40, 0.25), out(7 * 40);
  all[7 * 5 + 2] = k_nan;
  std::vector<int> status(40, -1);
  const zwang_input in[] = {{all.data(), all.size()}};
  const zwang_output to[] = {{out.data(), out.size()}};
  for (const int algorithm : {ZWANG_ALG_GRAVITY_FORCES, ZWANG_ALG_NORMALIZE}) {  // in lanes, and alone
    EXPECT_EQ(zwang_batch_run(batch, algorithm, 40, in, 1, to, 1, nullptr, status.data()), ZWANG_NON_FINITE_INPUT);
    for (std::size_t s = 0; s < 40; ++s) {
      EXPECT_EQ(status[s], s == 5 ? ZWANG_NON_FINITE_INPUT : ZWANG_OK) << s;
      EXPECT_EQ(std::isnan(out[7 * s]), s == 5) << s;
    }
  }
  EXPECT_EQ(zwang_batch_run(batch, ZWANG_ALG_GRAVITY_FORCES, 40, in, 1, to, 1, nullptr, nullptr),
            ZWANG_NON_FINITE_INPUT);
  expect_refused(zwang_batch_run(batch, ZWANG_ALG_GRAVITY_FORCES, 39, in, 1, to, 1, nullptr, nullptr),
                 ZWANG_INVALID_INPUT, "q", "has 280 entries, expected 7, or 273 for 39 states");
  expect_refused(zwang_batch_run(batch, ZWANG_ALG_GRAVITY_FORCES, 0, in, 1, to, 1, nullptr, nullptr),
                 ZWANG_INVALID_INPUT, "states");
  EXPECT_EQ(zwang_batch_free(batch), ZWANG_OK);
}

TEST_F(CHostile, TextsAreCutWhereThereIsNoRoom) {
  std::size_t length = 0;
  EXPECT_EQ(zwang_model_document(model, nullptr, 0, &length), ZWANG_OK);
  ASSERT_GT(length, 100u);
  std::vector<char> text(length + 1, 'x');
  EXPECT_EQ(zwang_model_document(model, text.data(), text.size(), nullptr), ZWANG_OK);
  EXPECT_EQ(std::string(text.data()).size(), length);
  char little[8];
  EXPECT_EQ(zwang_model_document(model, little, sizeof little, &length), ZWANG_OK);
  EXPECT_EQ(std::string(little), std::string(text.data(), 7));
  expect_refused(zwang_model_document(model, nullptr, 8, &length), ZWANG_INVALID_INPUT, "out", "is NULL");
  // A document is a robot again.
  zwang_model* again = nullptr;
  ASSERT_EQ(zwang_model_document(model, text.data(), text.size(), &length), ZWANG_OK);
  ASSERT_EQ(zwang_model_load_text(text.data(), length, nullptr, &again), ZWANG_OK) << zwang_error();
  EXPECT_EQ(zwang_model_free(again), ZWANG_OK);
}

TEST_F(CHostile, ASolverSaysWhatItNeeds) {
  expect_refused(zwang_solver_solve(solver, nullptr), ZWANG_INVALID_INPUT, "input", "is NULL");
  zwang_solve_input in = {};
  expect_refused(zwang_solver_solve(solver, &in), ZWANG_INVALID_INPUT, "q");
  const int coordinate = 7;
  in.prescribed = &coordinate;
  in.prescribed_count = 1;
  expect_refused(solve(in), ZWANG_INVALID_INPUT, "prescribed");
  in = {};
  in.q = {q, 7};
  expect_refused(zwang_solver_resolve(solver, &in), ZWANG_INVALID_INPUT, "q");
  in = {};
  EXPECT_EQ(zwang_solver_resolve(solver, &in), ZWANG_NOT_READY) << zwang_error();
  double few[6];
  EXPECT_EQ(solve(), ZWANG_OK);
  EXPECT_EQ(zwang_solver_resolve(solver, &in), ZWANG_OK) << zwang_error();
  expect_refused(zwang_solver_vector(solver, ZWANG_SOLUTION_ACCELERATION, few, 6), ZWANG_INVALID_INPUT, "out");
  zwang_constraints* other = nullptr;
  ASSERT_EQ(zwang_constraints_create(model, &other), ZWANG_OK);
  expect_refused(zwang_solver_document(solver, other, nullptr, 0, nullptr), ZWANG_MISMATCH, "constraints");
  EXPECT_EQ(zwang_constraints_free(other), ZWANG_OK);
  expect_refused(zwang_solver_limit_motors(solver, q, nullptr, 7), ZWANG_INVALID_INPUT, "upper");
  zwang_simulator* motion = nullptr;
  ASSERT_EQ(zwang_simulator_create(set, &motion), ZWANG_OK);
  expect_refused(zwang_simulator_step(motion, nullptr), ZWANG_NOT_READY, "simulator");
  EXPECT_EQ(zwang_simulator_set_number(motion, "dt", -1), ZWANG_OK);
  in.q = {nullptr, 7};
  expect_refused(zwang_simulator_start(motion, &in), ZWANG_INVALID_INPUT, "q", "is NULL");
  in.q = {q, 7};
  EXPECT_EQ(zwang_simulator_start(motion, &in), ZWANG_INVALID_INPUT) << zwang_error();
  EXPECT_EQ(zwang_simulator_free(motion), ZWANG_OK);
}

TEST_F(CHostile, ASolverOfManyStatesSaysWhatItNeeds) {
  zwang_batch_solver* many = nullptr;
  expect_refused(zwang_batch_solver_create(set, 5000, &many), ZWANG_INVALID_INPUT, "threads");
  ASSERT_EQ(zwang_batch_solver_create(set, 1, &many), ZWANG_OK);
  zwang_solve_input in = {};
  zwang_solve_output out = {};
  expect_refused(zwang_batch_solver_solve(many, 3, nullptr, &out, nullptr), ZWANG_INVALID_INPUT, "input");
  expect_refused(zwang_batch_solver_solve(many, 3, &in, nullptr, nullptr), ZWANG_INVALID_INPUT, "output");
  expect_refused(zwang_batch_solver_solve(many, 3, &in, &out, nullptr), ZWANG_INVALID_INPUT, "q", "is NULL");
  in.q = {q, 7};
  in.v = {v, 6};
  expect_refused(zwang_batch_solver_solve(many, 3, &in, &out, nullptr), ZWANG_INVALID_INPUT, "v", "has 6 entries");
  in.v = {};
  out.multipliers = {tau, 7};
  expect_refused(zwang_batch_solver_solve(many, 3, &in, &out, nullptr), ZWANG_INVALID_INPUT, "multipliers",
                 "has 7 entries, expected 9");
  out.multipliers = {q, 9};
  expect_refused(zwang_batch_solver_solve(many, 3, &in, &out, nullptr), ZWANG_INVALID_INPUT, "out", "shares memory");
  double lambda[9];
  out.multipliers = {lambda, 9};
  int status[3];
  EXPECT_EQ(zwang_batch_solver_solve(many, 3, &in, &out, status), ZWANG_OK) << zwang_error();
  q[4] = k_nan;
  EXPECT_EQ(zwang_batch_solver_solve(many, 3, &in, &out, status), ZWANG_NON_FINITE_INPUT) << zwang_error();
  EXPECT_EQ(status[1], ZWANG_NON_FINITE_INPUT);
  EXPECT_TRUE(std::isnan(lambda[8]));
  expect_refused(zwang_batch_solver_set_number(many, "spare_rows", 1), ZWANG_INVALID_INPUT, "field", "creation");
  EXPECT_EQ(zwang_batch_solver_set_word(many, "method", "dense_qr"), ZWANG_OK) << zwang_error();
  EXPECT_EQ(zwang_batch_solver_free(many), ZWANG_OK);
}

}  // namespace
}  // namespace zwang::test
