// SPDX-License-Identifier: BSD-3-Clause
// Which instruction set the kernels in use were compiled for.
#pragma once
#include <string>
#include <vector>

namespace zwang {

/// `plain`: what every processor of the architecture has (SSE2 of x86-64, NEON of arm64); on x86-64 also `v3` (AVX2,
/// FMA) and `v4` (AVX-512), levels of its psABI. Chosen at the first call, as the highest level that the processor
/// supports and the library holds; the environment variable ZWANG_ISA sets an upper limit (`v2` means `plain`). Where
/// the library holds no level up to the limit, it is the lowest that it holds: a library built for one machine alone
/// has one level. Throws std::invalid_argument where ZWANG_ISA names no level of this architecture, as does whatever
/// needs the kernels first.
std::string instruction_set();
/// The levels that this library holds and this machine has, from the lowest to the highest.
std::vector<std::string> instruction_sets();

}  // namespace zwang
