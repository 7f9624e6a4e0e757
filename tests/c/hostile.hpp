// SPDX-License-Identifier: BSD-3-Clause
// An arm with what C makes of it, and calls that are refused.
#pragma once
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <zwang.h>

namespace zwang::test {

inline constexpr char k_arm[] = ZWANG_MODELS "/arm7.urdf";
inline constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

/// A call that is refused, and the argument that its message names.
inline void expect_refused(int status, int wanted, const std::string& argument, const std::string& part = "") {
  EXPECT_EQ(status, wanted) << zwang_error();
  EXPECT_EQ(zwang_error_argument(), argument) << zwang_error();
  EXPECT_NE(std::string(zwang_error()).find(part), std::string::npos) << zwang_error();
}

class CHostile : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(zwang_model_load(k_arm, nullptr, &model), ZWANG_OK) << zwang_error();
    ASSERT_EQ(zwang_data_create(model, &data), ZWANG_OK) << zwang_error();
    ASSERT_EQ(zwang_constraints_create(model, &set), ZWANG_OK) << zwang_error();
    ASSERT_EQ(zwang_constraints_add_frame(set, "tool", "tool0", "linear", nullptr), ZWANG_OK) << zwang_error();
    ASSERT_EQ(zwang_solver_create(set, 0, &solver), ZWANG_OK) << zwang_error();
  }
  void TearDown() override {
    EXPECT_EQ(zwang_solver_free(solver), ZWANG_OK);
    EXPECT_EQ(zwang_constraints_free(set), ZWANG_OK);
    EXPECT_EQ(zwang_data_free(data), ZWANG_OK);
    EXPECT_EQ(zwang_model_free(model), ZWANG_OK);
  }
  /// Inverse dynamics with the arrays as they are.
  int run(const zwang_options* options = nullptr) {
    const zwang_input in[] = {{q, q_size}, {v, 7}, {a, 7}};
    const zwang_output out[] = {{tau, tau_size}};
    return zwang_run(data, ZWANG_ALG_INVERSE_DYNAMICS, in, 3, out, 1, options);
  }
  int solve(zwang_solve_input in = {}) {
    in.q = {q, q_size};
    return zwang_solver_solve(solver, &in);
  }
  zwang_model* model = nullptr;
  zwang_data* data = nullptr;
  zwang_constraints* set = nullptr;
  zwang_solver* solver = nullptr;
  double q[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, v[7] = {1, 1, 1, 1, 1, 1, 1}, a[7] = {}, tau[7] = {};
  std::size_t q_size = 7, tau_size = 7;
};

}  // namespace zwang::test
