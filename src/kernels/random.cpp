// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10 (core/random.hpp) of several streams side by side: a lane of 64 bits for each, the low half of which is
// a word of the counter. The product of low halves is one instruction, which compilers do not find.
#include "core/random_kernels.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "zwang/core/random.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int k_lanes = 8;
#elif defined(__AVX2__)
constexpr int k_lanes = 4;
#else
constexpr int k_lanes = 2;
#endif
using Lanes [[gnu::vector_size(8 * k_lanes)]] = std::uint64_t;

/// Of the low halves.
ZWANG_INLINE Lanes product(const Lanes& a, const Lanes& b) {
#if defined(__AVX512F__)
  return Lanes(_mm512_maskz_mul_epu32(0xFF, __m512i(a), __m512i(b)));  // GCC 12 warns of the one without a mask
#elif defined(__AVX2__)
  return Lanes(_mm256_mul_epu32(__m256i(a), __m256i(b)));
#elif defined(__SSE2__)
  return Lanes(_mm_mul_epu32(__m128i(a), __m128i(b)));
#elif defined(__ARM_NEON)
  return Lanes(vmull_u32(vmovn_u64(uint64x2_t(a)), vmovn_u64(uint64x2_t(b))));
#else
  return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
#endif
}

struct Words {
  Lanes of[4];  ///< high halves mean nothing
};

ZWANG_INLINE Words philox(Words c, std::uint64_t seed) {
  const Lanes zero{};
  std::uint32_t key[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const Lanes a = product(c.of[0], zero + 0xD2511F53u), b = product(c.of[2], zero + 0xCD9E8D57u);
    c = {{(b >> 32) ^ c.of[1] ^ (zero + key[0]), b, (a >> 32) ^ c.of[3] ^ (zero + key[1]), a}};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return c;
}

void blocks(std::uint64_t seed, std::uint64_t first, int streams, int count, std::array<std::uint32_t, 4>* out) {
  Lanes number;
  for (int l = 0; l < k_lanes; ++l) number[l] = static_cast<std::uint64_t>(l);
  int s = 0;
  for (; s + k_lanes <= streams; s += k_lanes) {
    const Lanes stream = number + (first + static_cast<std::uint64_t>(s));
    for (int i = 0; i < count; ++i) {
      const Words found = philox({{Lanes{} + static_cast<std::uint64_t>(i), Lanes{}, stream, stream >> 32}}, seed);
      const Lanes low = (found.of[0] & 0xFFFFFFFFu) | (found.of[1] << 32);
      const Lanes high = (found.of[2] & 0xFFFFFFFFu) | (found.of[3] << 32);
      for (int l = 0; l < k_lanes; ++l)
        out[(s + l) * count + i] = {static_cast<std::uint32_t>(low[l]), static_cast<std::uint32_t>(low[l] >> 32),
                                    static_cast<std::uint32_t>(high[l]), static_cast<std::uint32_t>(high[l] >> 32)};
    }
  }
  for (; s < streams; ++s) {
    const std::uint64_t stream = first + static_cast<std::uint64_t>(s);
    for (int i = 0; i < count; ++i)
      out[s * count + i] = philox4x32({static_cast<std::uint32_t>(i), 0, static_cast<std::uint32_t>(stream),
                                       static_cast<std::uint32_t>(stream >> 32)},
                                      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  }
}

}  // namespace

extern const RandomKernels random_kernel_table;
const RandomKernels random_kernel_table{blocks};

}  // namespace ZWANG_ISA
}  // namespace zwang
