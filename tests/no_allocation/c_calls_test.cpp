// SPDX-License-Identifier: BSD-3-Clause
// The calls on a state of the C interface allocate nothing once their object has been made, and memory that runs out
// is a status, after which a call can be made again.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <zwang.h>
#include "support/no_allocation.hpp"

namespace zwang::test {
namespace {

constexpr char k_quadruped[] = ZWANG_MODELS "/quadruped.urdf";

struct Robot {
  Robot() {
    zwang_load_options options;
    zwang_load_options_init(&options);
    options.root = "floating";
    EXPECT_EQ(zwang_model_load(k_quadruped, &options, &model), ZWANG_OK) << zwang_error();
    EXPECT_EQ(zwang_model_describe(model, &info), ZWANG_OK);
    EXPECT_EQ(zwang_constraints_create(model, &set), ZWANG_OK);
    for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"})
      EXPECT_EQ(zwang_constraints_add_contact(set, foot, foot, nullptr, nullptr, 3), ZWANG_OK) << zwang_error();
    q.resize(static_cast<std::size_t>(info.nq));
    v.assign(static_cast<std::size_t>(info.nv), 0.5);
    out.resize(100000);
    EXPECT_EQ(zwang_model_random(model, 1, q.data(), q.size()), ZWANG_OK);
  }
  ~Robot() {
    EXPECT_EQ(zwang_constraints_free(set), ZWANG_OK);
    EXPECT_EQ(zwang_model_free(model), ZWANG_OK);
  }
  zwang_solve_input input() const {
    zwang_solve_input in = {};
    in.q = {q.data(), q.size()};
    in.v = {v.data(), v.size()};
    in.external = &push;
    in.external_count = 1;
    return in;
  }
  zwang_model* model = nullptr;
  zwang_constraints* set = nullptr;
  zwang_model_info info = {};
  std::vector<double> q, v, out;
  double six[6] = {1, 2, 3, 4, 5, 6};
  zwang_wrench push = {1, ZWANG_REFERENCE_WORLD, {six, 6}};
};

TEST(NoAllocationInC, InAnyAlgorithmFromTheFirstRunOn) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Robot robot;
  std::vector<double> out(400000);
  const int frames[] = {0, 1, 2};
  zwang_options options;
  zwang_options_init(&options);
  options.frame = robot.info.frames - 1;
  options.seen_from = 2;
  options.frames = frames;
  options.frame_count = 3;
  options.external = &robot.push;
  options.external_count = 1;
  for (int k = 0; k < zwang_list_size(ZWANG_LIST_ALGORITHM); ++k) {
    zwang_algorithm_info row;
    if (zwang_algorithm_describe(k, &row) != ZWANG_OK) continue;
    SCOPED_TRACE(row.name);
    zwang_data* data = nullptr;
    ASSERT_EQ(zwang_data_create(robot.model, &data), ZWANG_OK);
    zwang_input in[16];
    zwang_output to[8];
    for (int i = 0; i < row.vectors; ++i) {
      std::size_t size = 0;
      ASSERT_EQ(zwang_model_vector_size(robot.model, k, i, &size), ZWANG_OK);
      in[i] = {size == robot.q.size() ? robot.q.data() : robot.v.data(), size};
    }
    std::size_t place = 0;
    for (int i = 0; i < row.results; ++i) {
      std::size_t size = 0;
      ASSERT_EQ(zwang_model_result_size(robot.model, k, i, 3, &size, nullptr), ZWANG_OK);
      to[i] = {out.data() + place, size};
      place += size;
      ASSERT_LE(place, out.size());
    }
    int status = -1;
    const auto run = [&] {
      status = zwang_run(data, k, in, static_cast<std::size_t>(row.vectors), to, static_cast<std::size_t>(row.results),
                         &options);
    };
    EXPECT_NO_ALLOCATION(run());
    EXPECT_EQ(status, ZWANG_OK) << zwang_error();
    for (int i = 0; i < row.results; ++i) to[i] = {nullptr, 0};
    EXPECT_NO_ALLOCATION(run());
    EXPECT_EQ(status, ZWANG_OK) << zwang_error();
    EXPECT_EQ(zwang_data_free(data), ZWANG_OK);
  }
}

TEST(NoAllocationInC, InSolvesAndWhatReadsThem) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  Robot robot;
  zwang_solver* solver = nullptr;
  ASSERT_EQ(zwang_solver_create(robot.set, 0, &solver), ZWANG_OK);
  const zwang_solve_input in = robot.input();
  zwang_solve_input again = {};
  int status = -1;
  EXPECT_NO_ALLOCATION(status = zwang_solver_solve(solver, &in));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_NO_ALLOCATION(status = zwang_solver_resolve(solver, &again));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  const auto nv = static_cast<std::size_t>(robot.info.nv);
  EXPECT_NO_ALLOCATION(status = zwang_solver_vector(solver, ZWANG_SOLUTION_ACCELERATION, robot.out.data(), nv));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_NO_ALLOCATION(status =
                           zwang_solver_constraint(solver, "LF_foot", ZWANG_PART_WRENCH, robot.out.data(), 6, nullptr));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  double residual = -1;
  EXPECT_NO_ALLOCATION(status = zwang_solver_report_number(solver, "residual", &residual));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  char text[64];
  EXPECT_NO_ALLOCATION(status = zwang_solver_report_word(solver, "method", text, sizeof text, nullptr));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_NO_ALLOCATION(status = zwang_constraints_set_active(robot.set, "LF_foot", 0));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_NO_ALLOCATION(status = zwang_solver_solve(solver, &in));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  const double beta[3] = {0.1, 0.2, 0.3};
  EXPECT_EQ(zwang_constraints_set_numbers(robot.set, "RF_foot", "beta", beta, 3), ZWANG_OK);
  EXPECT_NO_ALLOCATION(status = zwang_constraints_set_numbers(robot.set, "RF_foot", "beta", beta, 3));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_NO_ALLOCATION(status = zwang_solver_solve(solver, &in));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_EQ(zwang_solver_free(solver), ZWANG_OK);
}

TEST(NoAllocationInC, InBatchesOnceTheyHaveHadAsManyStates) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  Robot robot;
  zwang_batch* batch = nullptr;
  zwang_batch_solver* solver = nullptr;
  ASSERT_EQ(zwang_batch_create(robot.model, 1, &batch), ZWANG_OK);
  ASSERT_EQ(zwang_batch_solver_create(robot.set, 1, &solver), ZWANG_OK);
  const auto nv = static_cast<std::size_t>(robot.info.nv);
  const zwang_input in[] = {{robot.q.data(), robot.q.size()}, {robot.v.data(), nv}, {robot.v.data(), nv}};
  const zwang_output out[] = {{robot.out.data(), 50 * nv}};
  const auto run = [&] {
    return zwang_batch_run(batch, ZWANG_ALG_INVERSE_DYNAMICS, 50, in, 3, out, 1, nullptr, nullptr);
  };
  EXPECT_EQ(run(), ZWANG_OK) << zwang_error();
  int status = -1;
  EXPECT_NO_ALLOCATION(status = run());
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_EQ(zwang_batch_free(batch), ZWANG_OK);
  zwang_solve_output output = {};
  output.acceleration = out[0];
  zwang_solve_input input = robot.input();
  input.external_count = 0;
  const auto solve = [&] { return zwang_batch_solver_solve(solver, 50, &input, &output, nullptr); };
  EXPECT_EQ(solve(), ZWANG_OK) << zwang_error();
  EXPECT_NO_ALLOCATION(status = solve());
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_EQ(zwang_batch_solver_free(solver), ZWANG_OK);
}

TEST(NoAllocationInC, InStepsOfAMotion) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  Robot robot;
  zwang_simulator* motion = nullptr;
  ASSERT_EQ(zwang_simulator_create(robot.set, &motion), ZWANG_OK);
  ASSERT_EQ(zwang_simulator_set_word(motion, "integrator", "semi_implicit"), ZWANG_OK) << zwang_error();
  ASSERT_EQ(zwang_simulator_set_word(motion, "keep", "stabilisation"), ZWANG_OK) << zwang_error();
  const zwang_solve_input in = robot.input();
  ASSERT_EQ(zwang_simulator_start(motion, &in), ZWANG_OK) << zwang_error();
  ASSERT_EQ(zwang_simulator_set_forces(motion, nullptr, 0, &robot.push, 1), ZWANG_OK) << zwang_error();
  ASSERT_EQ(zwang_simulator_step(motion, nullptr), ZWANG_OK) << zwang_error();
  int status = -1;
  EXPECT_NO_ALLOCATION(status = zwang_simulator_step(motion, nullptr));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_NO_ALLOCATION(status = zwang_simulator_set_forces(motion, robot.v.data(), robot.v.size(), &robot.push, 1));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_NO_ALLOCATION(status = zwang_simulator_vector(motion, ZWANG_STATE_Q, robot.out.data(), robot.q.size()));
  EXPECT_EQ(status, ZWANG_OK) << zwang_error();
  EXPECT_EQ(zwang_simulator_free(motion), ZWANG_OK);
}

/// Makes the call with the first, the second ... allocation failing, until it succeeds.
template <class Call> void fail_each_in_c(const char* name, Call&& call) {
  ASSERT_EQ(call(), ZWANG_OK) << name << ": " << zwang_error();
  long failed = 0;
  for (long n = 1;; ++n) {
    fail_allocation(n);
    const int status = call();
    const bool spared = allocations_until_failure() > 0;
    fail_allocation(0);
    if (status == ZWANG_OK && spared) break;
    if (status != ZWANG_OK) {
      ++failed;
      ASSERT_EQ(status, ZWANG_OUT_OF_MEMORY) << name << ", allocation " << n << ": " << zwang_error();
    }
    ASSERT_LT(n, 1'000'000);
  }
  EXPECT_GT(failed, 3) << name;
  EXPECT_EQ(call(), ZWANG_OK) << name << ": " << zwang_error();
}

TEST(FailingAllocationsInC, AreAStatus) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  Robot robot;
  const char text[] =
      "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
      "iyy='1' iyz='0' izz='1'/></inertial></link><joint name='a joint with a long name' type='continuous'><parent "
      "link='a'/><child link='b'/></joint></robot>";
  fail_each_in_c("zwang_model_load_text", [&] {
    zwang_model* model = nullptr;
    const int status = zwang_model_load_text(text, sizeof text - 1, nullptr, &model);
    EXPECT_EQ(zwang_model_free(model), ZWANG_OK);
    return status;
  });
  fail_each_in_c("zwang_data_create", [&] {
    zwang_data* data = nullptr;
    const int status = zwang_data_create(robot.model, &data);
    EXPECT_EQ(zwang_data_free(data), ZWANG_OK);
    return status;
  });
  fail_each_in_c("zwang_solver_create", [&] {
    zwang_solver* solver = nullptr;
    const int status = zwang_solver_create(robot.set, 0, &solver);
    EXPECT_EQ(zwang_solver_free(solver), ZWANG_OK);
    return status;
  });
  const std::string more =
      R"({"constraints": [{"name": "a row with a long name", "type": "frame", "frame": "trunk", "rows": "linear"}]})";
  fail_each_in_c("zwang_constraints_add", [&] {
    zwang_constraints* set = nullptr;
    int status = zwang_constraints_create(robot.model, &set);
    if (status == ZWANG_OK) status = zwang_constraints_add(set, more.data(), more.size());
    EXPECT_EQ(zwang_constraints_free(set), ZWANG_OK);
    return status;
  });
}

}  // namespace
}  // namespace zwang::test
