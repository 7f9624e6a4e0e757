// SPDX-License-Identifier: BSD-3-Clause
// Random numbers and configurations of many states: those of state k are a function of the seed and k alone, so that
// any part of a long sample can be made anywhere and in any order.
//
//   std::vector<double> q(100 * arm.nq());
//   zwang::random_states(arm, 1, 5000, q);  // states 5000 ... 5099 of seed 1
#pragma once
#include <cstdint>
#include <span>

#include "zwang/model/model.hpp"

namespace zwang {

/// Configurations within limits, state after state in `out` (states × nq numbers), as random(model, seed) draws
/// them. State k is stream k of the seed, from `first` on; state 0 is random(model, seed). Throws
/// std::invalid_argument where `out` does not hold whole states.
void random_states(const Model& model, std::uint64_t seed, std::uint64_t first, std::span<double> out);

/// How random_numbers are distributed: uniformly in [0, 1), or normally with mean 0 and variance 1.
enum class Distribution : std::uint8_t { uniform, normal };

/// Numbers without a unit, `size` for each state, state after state in `out`. Number i of state k is number i of stream
/// k of the seed (zwang::Random). Throws std::invalid_argument where `out` does not hold whole states.
void random_numbers(std::uint64_t seed, std::uint64_t first, Index size, std::span<double> out,
                    Distribution distribution = Distribution::uniform);

}  // namespace zwang
