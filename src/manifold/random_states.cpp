// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/manifold/random_states.hpp"

#include <stdexcept>
#include <string>

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

}  // namespace

void random_states(const Model& model, std::uint64_t seed, std::uint64_t first, std::span<double> out) {
  const std::uint64_t states = states_in(out, model.nq(), "random_states");
  for (std::uint64_t k = 0; k < states; ++k) {
    Random numbers(seed, first + k);
    page::random(model.tree<double>(), numbers, model.lower().data(), model.upper().data(),
                 out.data() + k * static_cast<std::uint64_t>(model.nq()));
  }
}

void random_numbers(std::uint64_t seed, std::uint64_t first, Index size, std::span<double> out,
                    Distribution distribution) {
  const std::uint64_t states = states_in(out, size, "random_numbers");
  double* next = out.data();
  for (std::uint64_t k = 0; k < states; ++k) {
    Random numbers(seed, first + k);
    for (Index i = 0; i < size; ++i)
      *next++ = distribution == Distribution::normal ? numbers.normal() : numbers.uniform();
  }
}

}  // namespace zwang
