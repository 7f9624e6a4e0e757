// SPDX-License-Identifier: BSD-3-Clause
// The choice of kernels, once per process.
#include "zwang/core/instruction_set.hpp"

#include <cstdlib>
#include <cstring>

#include "core/kernel_table.hpp"

namespace zwang {

// What src/kernels defines at each level.
#define ZWANG_LEVEL(NAME)                                         \
  namespace NAME {                                                \
  extern const StateKernels state_kernels;                        \
  extern const QuantityKernels quantity_kernels;                  \
  extern const DerivativeKernels derivative_kernels;              \
  extern const SecondDerivativeKernels second_derivative_kernels; \
  extern const FactorKernels factor_kernels;                      \
  extern const HybridKernels hybrid_kernels;                      \
  extern const PathKernels path_kernels;                          \
  extern const DelassusKernels delassus_kernels;                  \
  extern const BatchKernels<double> batch_kernels;                \
  extern const BatchKernels<float> batch_kernels_float;           \
  }
ZWANG_LEVEL(generic)
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
  bool (*runs_here)();
};

#define ZWANG_KERNELS(NAME, WORD)                                                                                     \
  Kernels {                                                                                                           \
    WORD, &NAME::state_kernels, &NAME::quantity_kernels, &NAME::derivative_kernels, &NAME::second_derivative_kernels, \
        &NAME::factor_kernels, &NAME::hybrid_kernels, &NAME::path_kernels, &NAME::delassus_kernels,                   \
        &NAME::batch_kernels, &NAME::batch_kernels_float                                                              \
  }
const Level k_levels[] = {
    {ZWANG_KERNELS(generic, "plain"), [] { return true; }},
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

/// Types that pass between ordinary code and a level must have the same bytes on both sides.
bool same_layout(const Kernels& k) {
  return k.state->data_bytes == generic::state_kernels.data_bytes &&
         k.factor->column_bytes == generic::factor_kernels.column_bytes &&
         k.factor->scratch == generic::factor_kernels.scratch &&
         k.hybrid->rows_bytes == generic::hybrid_kernels.rows_bytes &&
         k.hybrid->active_bytes == generic::hybrid_kernels.active_bytes &&
         k.hybrid->relation_bytes == generic::hybrid_kernels.relation_bytes &&
         k.path->stage_bytes == generic::path_kernels.stage_bytes &&
         k.delassus->block_bytes == generic::delassus_kernels.block_bytes &&
         k.delassus->node_bytes == generic::delassus_kernels.node_bytes;
}
bool usable(const Level& x) { return x.runs_here() && same_layout(x.kernels); }

/// 0: plain, 1: v2, which is no level of its own and means plain, 2: v3, ..., whether the library holds that level or
/// not; one more where the word is unknown.
int rank_of(const char* level) {
  int rank = 0;
  for (const char* const known : {"plain", "v2", "v3", "v4"}) {
    if (std::strcmp(level, known) == 0) break;
    ++rank;
  }
  return rank;
}

/// The last level that runs here, not above the one that ZWANG_ISA names.
const Level& choose() {
  const char* const cap = std::getenv("ZWANG_ISA");
  const Level* best = &k_levels[0];
  for (const Level& x : k_levels)
    if (usable(x) && (cap == nullptr || rank_of(x.kernels.level) <= rank_of(cap))) best = &x;
  return *best;
}

}  // namespace

const Kernels& kernels() {
  static const Level& chosen = choose();
  return chosen.kernels;
}

std::string instruction_set() { return kernels().level; }

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const Level& x : k_levels)
    if (usable(x)) names.emplace_back(x.kernels.level);
  return names;
}

}  // namespace zwang
