// SPDX-License-Identifier: BSD-3-Clause
// The choice of kernels, once per process.
#include "zwang/core/instruction_set.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "core/chain_kernels.hpp"
#include "core/kernel_table.hpp"
#include "core/random_kernels.hpp"

namespace zwang {

// What src/kernels defines at each level.
#define ZWANG_LEVEL(NAME)                                         \
  namespace NAME {                                                \
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
#ifdef ZWANG_LEVEL_PLAIN
ZWANG_LEVEL(generic)
#endif
#ifdef ZWANG_LEVEL_V3
ZWANG_LEVEL(v3)
#endif
#ifdef ZWANG_LEVEL_V4
ZWANG_LEVEL(v4)
#endif
#undef ZWANG_LEVEL

namespace {

struct Level {
  Kernels kernels;
  const ChainKernels* chain;
  const RandomKernels* random;
  bool (*runs_here)();
};

#define ZWANG_KERNELS(NAME, WORD)           \
  Kernels{WORD,                             \
          &NAME::state_kernels,             \
          &NAME::quantity_kernels,          \
          &NAME::derivative_kernels,        \
          &NAME::second_derivative_kernels, \
          &NAME::factor_kernels,            \
          &NAME::elimination_kernels,       \
          &NAME::hybrid_kernels,            \
          &NAME::path_kernels,              \
          &NAME::delassus_kernels,          \
          &NAME::batch_kernels,             \
          &NAME::batch_kernels_float},      \
      &NAME::chain_kernel_table, &NAME::random_kernel_table
const Level k_levels[] = {
#ifdef ZWANG_LEVEL_PLAIN
    {ZWANG_KERNELS(generic, "plain"), [] { return true; }},
#endif
// The builtin checks that both processor and operating system support the level.
#ifdef ZWANG_LEVEL_V3
    {ZWANG_KERNELS(v3, "v3"),
     [] {
       return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
              __builtin_cpu_supports("bmi2") != 0;
     }},
#endif
#ifdef ZWANG_LEVEL_V4
    {ZWANG_KERNELS(v4, "v4"),
     [] {
       return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
              __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
              __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx2") != 0 &&
              __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
     }},
#endif
};
#undef ZWANG_KERNELS

bool same_layout(const Kernels& k) {
  const KernelLayout& x = ordinary_layout;
  return k.state->data_bytes == x.data && k.factor->column_bytes == x.column &&
         k.factor->scratch == x.inverse_scratch && k.hybrid->rows_bytes == x.rows && k.hybrid->stage_bytes == x.stage &&
         k.hybrid->active_bytes == x.active && k.hybrid->relation_bytes == x.relation &&
         k.path->stage_bytes == x.path_stage && k.delassus->block_bytes == x.block && k.delassus->node_bytes == x.node;
}
bool usable(const Level& x) { return x.runs_here() && same_layout(x.kernels); }

/// 0: plain, 1: v2, which is no level of its own and means plain, 2: v3, ..., whether the library holds that level or
/// not; -1 where the word is unknown.
int rank_of(const char* level) {
  static constexpr const char* k_known[] = {"plain", "v2", "v3", "v4"};
  for (int rank = 0; rank < 4; ++rank)
    if (std::strcmp(level, k_known[rank]) == 0) return rank;
  return -1;
}

/// What ZWANG_ISA names; nullptr: it is not set, or empty.
const char* highest_allowed() {
  const char* const cap = std::getenv("ZWANG_ISA");
  if (cap == nullptr || *cap == '\0') return nullptr;
  if (rank_of(cap) < 0)
    throw std::invalid_argument("zwang: the environment variable ZWANG_ISA is '" + std::string(cap).substr(0, 60) +
                                "', expected plain, v2, v3 or v4");
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
    throw std::runtime_error("zwang: this library was built for processors with x86-64-" + held +
                             ", which this one is not; build it with \"-DZWANG_LEVELS=v3;v4\" for all");
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
