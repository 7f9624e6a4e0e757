// SPDX-License-Identifier: BSD-3-Clause
// Vectors and results as a caller gives them.
#include <algorithm>
#include <limits>

#include "objects.hpp"

namespace zwang::c {

Arrays::Arrays(const Model& model, const Algorithm& row, std::size_t states, const zwang_input* in,
               std::size_t in_count, const zwang_output* out, std::size_t out_count)
    : row_(row),
      states_(states) {
  const auto vectors = static_cast<std::size_t>(row.vectors()), results = static_cast<std::size_t>(row.gives.count);
  const auto check_count = [&](std::size_t got, std::size_t wanted, const char* argument, const char* what) {
    if (got != wanted)
      throw Refusal(
          ZWANG_INVALID_INPUT, argument,
          "has " + std::to_string(got) + " " + what + ", expected the " + std::to_string(wanted) + " of " + row.name);
  };
  check_count(in_count, vectors, "in", "vectors");
  check_count(out_count, results, "out", "results");
  if (vectors != 0) in_ = {&needed(in, "in"), vectors};
  out_ = {&needed(out, "out"), results};
  std::size_t k = 0;
  for (const Argument& a : row.takes) {
    if (!is_vector(a)) continue;
    const zwang_input& x = in_[k];
    const std::size_t size = vector_size(model, a);
    size_[k++] = size;
    if (x.data == nullptr && x.size == 0 && a.optional) continue;
    needed_states(x.data, x.size, size, states, a.name);
  }
}

void Arrays::check_results(const Model& model, const ReadOptions& options, const int* status) const {
  const Sizes sizes = sizes_of(model, options.options);
  for (std::size_t k = 0; k < out_.size(); ++k) {
    const Result& r = row_.gives[static_cast<int>(k)];
    if (out_[k].data == nullptr && out_[k].size == 0) continue;
    double wanted = static_cast<double>(states_);
    for (const Extent& e : r.shape) wanted *= e.of(sizes);
    constexpr double k_most = std::min(9e15, static_cast<double>(std::numeric_limits<std::size_t>::max() / 8));
    if (!(wanted < k_most)) throw Refusal(ZWANG_INVALID_INPUT, r.name, "has more numbers than memory can hold");
    needed_size(out_[k].data, out_[k].size, static_cast<std::size_t>(wanted), r.name);
  }
  const Written written(out_, status, states_);
  for (const zwang_input& x : in_) written.check(x);
  options.check_apart(written);
}

std::span<const double* const> Arrays::vectors(std::size_t state) const {
  for (std::size_t k = 0; k < in_.size(); ++k)
    vectors_[k] = in_[k].data == nullptr || in_[k].size == size_[k] ? in_[k].data : in_[k].data + state * size_[k];
  return {vectors_.data(), in_.size()};
}
std::span<double* const> Arrays::results(std::size_t state) const {
  for (std::size_t k = 0; k < out_.size(); ++k)
    results_[k] = out_[k].data == nullptr ? nullptr : out_[k].data + state * (out_[k].size / states_);
  return {results_.data(), out_.size()};
}
bool Arrays::finite(std::size_t state) const {
  const std::span<const double* const> all = vectors(state);
  for (std::size_t k = 0; k < all.size(); ++k)
    for (std::size_t i = 0; all[k] != nullptr && i < size_[k]; ++i)
      if (!std::isfinite(all[k][i])) return false;
  return true;
}

std::span<const StatesIn<double>> Arrays::lanes_in() const {
  for (std::size_t k = 0; k < in_.size(); ++k) {
    if (in_[k].data == nullptr) {
      lanes_in_[k] = {};
      continue;
    }
    const auto size = static_cast<Index>(size_[k]);
    const long step = in_[k].size == size_[k] ? 0 : size;  // 0: the same numbers for all
    lanes_in_[k] =
        StatesIn<double>(StateLayout<const double>{in_[k].data, static_cast<long>(states_), size, 32 * step, step, 1});
  }
  return {lanes_in_.data(), in_.size()};
}
std::span<const StatesOut<double>> Arrays::lanes_out(const Sizes& sizes) const {
  for (std::size_t k = 0; k < out_.size(); ++k) {
    const Index size = numbers_of(row_.gives[static_cast<int>(k)].shape, sizes);
    lanes_out_[k] = out_[k].data == nullptr ? StatesOut<double>()
                                            : StatesOut<double>(StateLayout<double>{
                                                  out_[k].data, static_cast<long>(states_), size, 32L * size, size, 1});
  }
  return {lanes_out_.data(), out_.size()};
}

}  // namespace zwang::c
