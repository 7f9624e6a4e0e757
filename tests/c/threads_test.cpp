// SPDX-License-Identifier: BSD-3-Clause
// Threads: a model serves all of them at once; another object serves one at a time, and a second call is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <zwang.h>

namespace zwang::test {
namespace {

struct SharedArm {
  SharedArm() { EXPECT_EQ(zwang_model_load(ZWANG_MODELS "/arm7.urdf", nullptr, &model), ZWANG_OK) << zwang_error(); }
  ~SharedArm() { EXPECT_EQ(zwang_model_free(model), ZWANG_OK); }
  zwang_model* model = nullptr;
};
void forces_of(zwang_data* data, double x, double (&g)[7], int& status) {
  const double q[7] = {x, x, x, x, x, x, x};
  const zwang_input in[] = {{q, 7}};
  const zwang_output out[] = {{g, 7}};
  status = zwang_run(data, ZWANG_ALG_GRAVITY_FORCES, in, 1, out, 1, nullptr);
}

TEST(CThreads, ShareAModel) {
  const SharedArm arm;
  std::atomic<int> wrong{0};
  const auto work = [&](int thread) {
    for (int round = 0; round < 20; ++round) {
      zwang_data* data = nullptr;
      const char* name = nullptr;
      wrong += zwang_data_create(arm.model, &data) != ZWANG_OK;
      wrong += zwang_model_name(arm.model, ZWANG_NAMES_LINK, 1, &name) != ZWANG_OK;
      double once[7], again[7];
      int status = -1;
      forces_of(data, 0.1 * (thread + 1), once, status);
      wrong += status != ZWANG_OK;
      forces_of(data, 0.1 * (thread + 1), again, status);
      wrong += !std::equal(once, once + 7, again);
      // Errors are those of a thread.
      int k = 0;
      const std::string nobody = "nobody" + std::to_string(thread);
      wrong += zwang_model_find(arm.model, ZWANG_NAMES_LINK, nobody.c_str(), &k) != ZWANG_INVALID_INPUT;
      wrong += std::string(zwang_error()).find(nobody) == std::string::npos;
      wrong += zwang_data_free(data) != ZWANG_OK;
      wrong += zwang_data_free(data) != ZWANG_INVALID_HANDLE;
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

/// Each call does its work or is refused, whoever comes first.
TEST(CThreads, DoNotMeetInOneWorkspace) {
  const SharedArm arm;
  zwang_data* data = nullptr;
  ASSERT_EQ(zwang_data_create(arm.model, &data), ZWANG_OK);
  double wanted[2][7];
  int status = -1;
  for (const int k : {0, 1}) {
    forces_of(data, 0.25 + k, wanted[k], status);
    ASSERT_EQ(status, ZWANG_OK);
  }
  std::atomic<int> wrong{0}, done{0};
  const auto work = [&](int k) {  // a state of its own
    for (int round = 0; round < 2000; ++round) {
      double g[7] = {};
      int own = -1;
      forces_of(data, 0.25 + k, g, own);
      if (own == ZWANG_OK) {
        ++done;
        wrong += !std::equal(g, g + 7, wanted[k]);
      } else {
        wrong += own != ZWANG_IN_USE;
      }
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(done, 0);
  EXPECT_EQ(zwang_data_free(data), ZWANG_OK);
}

/// A handle is freed while another thread uses it: the end waits for nobody, it is refused, or the call is.
TEST(CThreads, MayFreeWhatAnotherOneUses) {
  const SharedArm arm;
  std::atomic<int> wrong{0};
  for (int round = 0; round < 50; ++round) {
    zwang_data* data = nullptr;
    ASSERT_EQ(zwang_data_create(arm.model, &data), ZWANG_OK);
    std::thread user([&] {
      double g[7];
      int own = ZWANG_OK;
      while (own == ZWANG_OK) forces_of(data, 0.5, g, own);
      wrong += own != ZWANG_INVALID_HANDLE;
    });
    int freed = ZWANG_IN_USE;
    while (freed == ZWANG_IN_USE) freed = zwang_data_free(data);
    user.join();
    wrong += freed != ZWANG_OK;
  }
  EXPECT_EQ(wrong, 0);
}

/// A set that changes while its solver is at work.
TEST(CThreads, ChangeASetBetweenTheSolvesOfAnother) {
  const SharedArm arm;
  zwang_constraints* set = nullptr;
  zwang_solver* solver = nullptr;
  ASSERT_EQ(zwang_constraints_create(arm.model, &set), ZWANG_OK);
  ASSERT_EQ(zwang_constraints_add_frame(set, "tool", "tool0", "linear", nullptr), ZWANG_OK);
  ASSERT_EQ(zwang_solver_create(set, 0, &solver), ZWANG_OK);
  std::atomic<int> wrong{0};
  std::thread other([&] {
    for (int round = 0; round < 500; ++round) {
      const int status = zwang_constraints_set_active(set, "tool", round % 2);
      wrong += status != ZWANG_OK && status != ZWANG_IN_USE;
    }
  });
  const double q[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  zwang_solve_input in = {};
  in.q = {q, 7};
  for (int round = 0; round < 500; ++round) {
    const int status = zwang_solver_solve(solver, &in);
    wrong += status != ZWANG_OK && status != ZWANG_IN_USE;
  }
  other.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(zwang_solver_free(solver), ZWANG_OK);
  EXPECT_EQ(zwang_constraints_free(set), ZWANG_OK);
}

}  // namespace
}  // namespace zwang::test
