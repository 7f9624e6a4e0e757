// SPDX-License-Identifier: BSD-3-Clause
// The interface between ordinary code and the kernel of random numbers (src/kernels/random.cpp): whole numbers, which
// are the same at every instruction set.
#pragma once
#include <array>
#include <cstdint>

namespace zwang {

struct RandomKernels {
  /// out[s * count + i]: philox4x32 of counter i and stream first + s under the key `seed`, for s < streams, i < count:
  /// the blocks that Random(seed, first + s) takes one after the other.
  void (*blocks)(std::uint64_t seed, std::uint64_t first, int streams, int count, std::array<std::uint32_t, 4>* out);
};

/// Those of the instruction set of this process.
const RandomKernels& random_kernels();

}  // namespace zwang
