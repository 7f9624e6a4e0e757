// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10 (core/random.hpp) of several streams side by side: a lane of 64 bits for each, the low half of which is
// a word of the counter.
#include "core/random_kernels.hpp"

#include "core/instructions.hpp"
#include "zwang/core/random.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

using Lanes = WholeLanes;
constexpr int k_lanes = k_whole_lanes;

struct Words {
  Lanes of[4];  ///< high halves mean nothing
};

ZWANG_INLINE Words philox(Words c, std::uint64_t seed) {
  const Lanes zero{};
  std::uint32_t key[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const Lanes a = product_of_low_halves(c.of[0], zero + 0xD2511F53u);
    const Lanes b = product_of_low_halves(c.of[2], zero + 0xCD9E8D57u);
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
