// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/manifold/random_states.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "core/random_kernels.hpp"
#include "zwang/core/random.hpp"
#include "zwang/manifold/page/manifold.hpp"

namespace zwang {
namespace {

/// How many states `out` holds.
std::uint64_t states_in(std::span<double> out, Index size, const char* function) {
  const auto each = static_cast<std::size_t>(size < 0 ? 0 : size);
  if (size < 0 || (each == 0 ? !out.empty() : out.size() % each != 0))
    throw std::invalid_argument(std::string(function) + ": argument 'out' has " + std::to_string(out.size()) +
                                " numbers, expected a multiple of " + std::to_string(size));
  return each == 0 ? 0 : out.size() / each;
}

/// Calls draw(numbers, k) for each of the states first + k, with their streams. Blocks of Philox are computed for many
/// streams at a time, as many of each as the first state takes.
template <class Draw> void draw_states(std::uint64_t seed, std::uint64_t first, std::uint64_t states, Draw&& draw) {
  if (states == 0) return;
  Random numbers(seed, first);
  draw(numbers, std::uint64_t{0});
  constexpr std::uint64_t k_blocks = 512;  // 8 KiB
  std::array<std::uint32_t, 4> blocks[k_blocks];
  const std::uint64_t each = numbers.counter(), together = each == 0 ? 0 : k_blocks / each;
  for (std::uint64_t k = 1; k < states;) {
    const std::uint64_t n = std::min(states - k, std::max<std::uint64_t>(together, 1));
    if (together > 0) random_kernels().blocks(seed, first + k, static_cast<int>(n), static_cast<int>(each), blocks);
    for (std::uint64_t s = 0; s < n; ++s, ++k) {
      Random own(seed, first + k, blocks + s * each, together > 0 ? each : 0);
      draw(own, k);
    }
  }
}

}  // namespace

void random_states(const Model& model, std::uint64_t seed, std::uint64_t first, std::span<double> out) {
  const std::uint64_t states = states_in(out, model.nq(), "random_states");
  draw_states(seed, first, states, [&](Random& numbers, std::uint64_t k) {
    page::random(model.tree<double>(), numbers, model.lower().data(), model.upper().data(),
                 out.data() + k * static_cast<std::uint64_t>(model.nq()));
  });
}

void random_numbers(std::uint64_t seed, std::uint64_t first, Index size, std::span<double> out,
                    Distribution distribution) {
  const std::uint64_t states = states_in(out, size, "random_numbers");
  double* next = out.data();
  draw_states(seed, first, states, [&](Random& numbers, std::uint64_t) {
    for (Index i = 0; i < size; ++i)
      *next++ = distribution == Distribution::normal ? numbers.normal() : numbers.uniform();
  });
}

}  // namespace zwang
