// SPDX-License-Identifier: BSD-3-Clause
// Memory of a caller: what calls write to, sizes beyond all memory, texts that are cut.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <zwang.h>
#include "c/hostile.hpp"

namespace zwang::test {
namespace {

/// Results go nowhere that the call reads, nor where another result or a status goes.
TEST_F(CHostile, WhatIsWrittenSharesNoMemory) {
  zwang_batch* batch = nullptr;
  zwang_batch_solver* many = nullptr;
  ASSERT_EQ(zwang_batch_create(model, 1, &batch), ZWANG_OK);
  ASSERT_EQ(zwang_batch_solver_create(set, 1, &many), ZWANG_OK);
  std::vector<double> x(64, 0.25);
  const auto expect_shared = [&](int status, const std::string& argument = "out") {
    expect_refused(status, ZWANG_INVALID_INPUT, argument, "shares memory");
    EXPECT_EQ(x, std::vector<double>(64, 0.25));
  };
  const zwang_input in[] = {{q, 7}, {v, 7}, {a, 7}};
  const zwang_output out[] = {{x.data(), 7}};
  const zwang_wrench push = {3, ZWANG_REFERENCE_LOCAL, {x.data() + 6, 6}};  // its first number, their last
  zwang_options options;
  zwang_options_init(&options);
  const auto run_alone = [&] { return zwang_run(data, ZWANG_ALG_INVERSE_DYNAMICS, in, 3, out, 1, &options); };
  const auto run_all = [&](int* status) {
    return zwang_batch_run(batch, ZWANG_ALG_INVERSE_DYNAMICS, 1, in, 3, out, 1, &options, status);
  };
  options.external = &push;
  options.external_count = 1;
  expect_shared(run_alone());
  expect_shared(run_all(nullptr));
  options.external_count = 0;
  options.gravity = x.data() + 4;
  expect_shared(run_alone());
  expect_shared(run_all(nullptr));
  options.gravity = x.data() + 7;
  std::vector<double> tau_at(7);
  const zwang_output elsewhere[] = {{tau_at.data(), 7}};
  EXPECT_EQ(zwang_run(data, ZWANG_ALG_INVERSE_DYNAMICS, in, 3, elsewhere, 1, &options), ZWANG_OK) << zwang_error();
  options.gravity = nullptr;
  expect_shared(run_all(reinterpret_cast<int*>(x.data() + 6)), "status");
  const zwang_output beside[] = {{tau_at.data(), 7}};
  expect_shared(
      zwang_batch_run(batch, ZWANG_ALG_INVERSE_DYNAMICS, 1, in, 3, beside, 1, &options, reinterpret_cast<int*>(q)),
      "status");
  // Frames are numbers of a call, too.
  std::vector<double> poses(16);
  int* const frames = reinterpret_cast<int*>(poses.data());
  frames[0] = 1;
  options.frames = frames;
  options.frame_count = 1;
  std::size_t size = 0;
  int shape[3];
  ASSERT_EQ(zwang_model_result_size(model, ZWANG_ALG_FRAME_POSES, 0, 1, &size, shape), ZWANG_OK);
  ASSERT_LE(size, poses.size());
  const zwang_output to[] = {{poses.data(), size}};
  expect_shared(zwang_run(data, ZWANG_ALG_FRAME_POSES, in, 1, to, 1, &options));

  const int coordinate = 2;
  zwang_solve_input state = {{q, 7}, {v, 7}, {nullptr, 0}, &push, 1, nullptr, nullptr, 0};
  zwang_solve_output solution = {};
  solution.acceleration = {x.data(), 7};
  expect_shared(zwang_batch_solver_solve(many, 1, &state, &solution, nullptr));
  state.external_count = 0;
  state.prescribed = &coordinate;
  state.prescribed_count = 1;
  state.prescribed_acceleration = x.data() + 6;
  expect_shared(zwang_batch_solver_solve(many, 1, &state, &solution, nullptr));
  state.prescribed_count = 0;
  expect_shared(zwang_batch_solver_solve(many, 1, &state, &solution, reinterpret_cast<int*>(x.data() + 1)), "status");
  EXPECT_EQ(zwang_batch_free(batch), ZWANG_OK);
  EXPECT_EQ(zwang_batch_solver_free(many), ZWANG_OK);
}

/// Sizes near the largest one are refused before anything is computed with them.
TEST_F(CHostile, SizesBeyondMemoryAreRefused) {
  constexpr std::size_t k_most = std::numeric_limits<std::size_t>::max();
  zwang_model* other = nullptr;
  zwang_constraints* more = nullptr;
  expect_refused(zwang_model_load_text("<robot/>", k_most, nullptr, &other), ZWANG_INVALID_INPUT, "size", "bytes");
  expect_refused(zwang_constraints_read(model, "{}", k_most, &more), ZWANG_INVALID_INPUT, "size", "bytes");
  expect_refused(zwang_constraints_add(set, "{}", k_most), ZWANG_INVALID_INPUT, "size", "bytes");
  q_size = k_most;
  expect_refused(run(), ZWANG_INVALID_INPUT, "q", "expected 7");
  q_size = 7;
  tau_size = k_most / 8 + 8;  // so many bytes come round to 56
  expect_refused(run(), ZWANG_INVALID_INPUT, "tau", "expected 7");
  zwang_batch_solver* many = nullptr;
  ASSERT_EQ(zwang_batch_solver_create(set, 1, &many), ZWANG_OK);
  const zwang_solve_input in = {{q, 7}, {v, k_most}, {nullptr, 0}, nullptr, 0, nullptr, nullptr, 0};
  const zwang_solve_output out = {{tau, 7}, {nullptr, 0}, {nullptr, 0}, {nullptr, 0}};
  expect_refused(zwang_batch_solver_solve(many, 2, &in, &out, nullptr), ZWANG_INVALID_INPUT, "v",
                 "expected 7, or 14 for 2 states");
  EXPECT_EQ(zwang_batch_solver_free(many), ZWANG_OK);
}

/// A character of several bytes is there as a whole or not at all.
TEST_F(CHostile, TextsAreCutBetweenCharacters) {
  const std::string name = "\u00e4\u20ac\U0001f600";  // two, three and four bytes
  ASSERT_EQ(name.size(), 9u);
  EXPECT_EQ(zwang_constraints_add_frame(set, name.c_str(), "tool0", "linear", nullptr), ZWANG_OK) << zwang_error();
  std::size_t length = 0;
  ASSERT_EQ(zwang_constraints_row_name(set, 3, nullptr, 0, &length), ZWANG_OK) << zwang_error();
  std::vector<char> text(length + 1);
  ASSERT_EQ(zwang_constraints_row_name(set, 3, text.data(), text.size(), nullptr), ZWANG_OK);
  ASSERT_EQ(std::string(text.data()).substr(0, 9), name);
  for (const auto& [room, whole] : {std::pair(1, 0), {2, 0}, {3, 2}, {4, 2}, {5, 2}, {6, 5}, {9, 5}, {10, 9}}) {
    ASSERT_EQ(zwang_constraints_row_name(set, 3, text.data(), static_cast<std::size_t>(room), nullptr), ZWANG_OK);
    EXPECT_EQ(std::string(text.data()), name.substr(0, static_cast<std::size_t>(whole))) << room;
  }
}

}  // namespace
}  // namespace zwang::test
