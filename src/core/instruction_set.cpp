// SPDX-License-Identifier: BSD-3-Clause
// The choice of kernels, once per process.
#include "zwang/core/instruction_set.hpp"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>

#include "core/chain_kernels.hpp"
#include "core/kernel_table.hpp"
#include "core/processor.hpp"
#include "core/random_kernels.hpp"

namespace zwang {

// ZWANG_BUILT_LEVELS is LEVEL(namespace, name) of each level that the library holds, from the lowest to the highest
// (src/CMakeLists.txt). What src/kernels defines at each:
#define LEVEL(NAMESPACE, NAME)                                    \
  namespace NAMESPACE {                                           \
  extern const StateKernels state_kernels;                        \
  extern const QuantityKernels quantity_kernels;                  \
  extern const DerivativeKernels derivative_kernels;              \
  extern const SecondDerivativeKernels second_derivative_kernels; \
  extern const FactorKernels factor_kernels;                      \
  extern const EliminationKernels elimination_kernels;            \
  extern const HybridKernels hybrid_kernels;                      \
  extern const PathKernels path_kernels;                          \
  extern const DelassusKernels delassus_kernels;                  \
  extern const BatchKernels<double> batch_kernels;                \
  extern const BatchKernels<float> batch_kernels_float;           \
  extern const ChainKernels chain_kernel_table;                   \
  extern const RandomKernels random_kernel_table;                 \
  }
ZWANG_BUILT_LEVELS
#undef LEVEL

namespace {

struct Level {
  Kernels kernels;
  const ChainKernels* chain;
  const RandomKernels* random;
};

#define LEVEL(NAMESPACE, NAME)                                                                                     \
  {{#NAME, &NAMESPACE::state_kernels, &NAMESPACE::quantity_kernels, &NAMESPACE::derivative_kernels,                \
    &NAMESPACE::second_derivative_kernels, &NAMESPACE::factor_kernels, &NAMESPACE::elimination_kernels,            \
    &NAMESPACE::hybrid_kernels, &NAMESPACE::path_kernels, &NAMESPACE::delassus_kernels, &NAMESPACE::batch_kernels, \
    &NAMESPACE::batch_kernels_float},                                                                              \
   &NAMESPACE::chain_kernel_table,                                                                                 \
   &NAMESPACE::random_kernel_table},
const Level k_levels[] = {ZWANG_BUILT_LEVELS};
#undef LEVEL

bool same_layout(const Kernels& k) {
  const KernelLayout& x = ordinary_layout;
  return k.state->data_bytes == x.data && k.factor->column_bytes == x.column &&
         k.factor->scratch == x.inverse_scratch && k.hybrid->rows_bytes == x.rows && k.hybrid->stage_bytes == x.stage &&
         k.hybrid->active_bytes == x.active && k.hybrid->relation_bytes == x.relation &&
         k.path->stage_bytes == x.path_stage && k.delassus->block_bytes == x.block && k.delassus->node_bytes == x.node;
}
bool usable(const Level& x) { return processor_has(x.kernels.level) && same_layout(x.kernels); }

/// The place of a level among those of this architecture, whether the library holds it or not; -1: the word is unknown.
int rank_of(const char* level) {
  for (int rank = 0; rank < static_cast<int>(std::size(k_known_levels)); ++rank)
    if (std::strcmp(level, k_known_levels[rank]) == 0) return rank;
  return -1;
}
std::string known_levels() {
  std::string all;
  for (const char* const level : k_known_levels)
    all += (all.empty() ? "" : level == std::end(k_known_levels)[-1] ? " or " : ", ") + std::string(level);
  return all;
}

/// What ZWANG_ISA names; nullptr: it is not set, or empty.
const char* highest_allowed() {
  const char* const cap = std::getenv("ZWANG_ISA");
  if (cap == nullptr || *cap == '\0') return nullptr;
  if (rank_of(cap) < 0)
    throw std::invalid_argument("zwang: the environment variable ZWANG_ISA is '" + std::string(cap).substr(0, 60) +
                                "', expected " + known_levels());
  return cap;
}

/// The last level that runs here, not above the one that ZWANG_ISA names; where all are above it, the lowest that runs.
const Level& choose() {
  const char* const cap = highest_allowed();
  const Level* best = nullptr;
  std::string held;
  for (const Level& x : k_levels) {
    held += std::string(held.empty() ? "" : ", ") + x.kernels.level;
    const bool allowed = cap == nullptr || rank_of(x.kernels.level) <= rank_of(cap);
    if (usable(x) && (best == nullptr || allowed)) best = &x;
  }
  if (best == nullptr)
    throw std::runtime_error("zwang: this library was built for processors with the instruction sets " + held +
                             ", which this one does not have; build it with -DZWANG_LEVELS= for any");
  return *best;
}

const Level& chosen() {
  static const Level& once = choose();
  return once;
}

}  // namespace

const Kernels& kernels() { return chosen().kernels; }
const ChainKernels& chain_kernels() { return *chosen().chain; }
const RandomKernels& random_kernels() { return *chosen().random; }

std::string instruction_set() { return kernels().level; }

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const Level& x : k_levels)
    if (usable(x)) names.emplace_back(x.kernels.level);
  return names;
}

}  // namespace zwang
