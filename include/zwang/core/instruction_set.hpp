// SPDX-License-Identifier: BSD-3-Clause
// Which instruction set the kernels in use were compiled for.
#pragma once
#include <string>
#include <vector>

namespace zwang {

/// `v4` (AVX-512), `v3` (AVX2, FMA): levels of the x86-64 psABI; `plain`: the compiler's default. Chosen at the first
/// call, as the highest level that the processor supports and the library holds; the environment variable ZWANG_ISA
/// sets an upper limit (`v2` means `plain`). Where the library holds no level up to the limit, it is the lowest that it
/// holds: a library built for one machine alone has one level. Throws std::invalid_argument where ZWANG_ISA is another
/// word, as does whatever needs the kernels first.
std::string instruction_set();
/// The levels that this library holds and this machine has, from the lowest to the highest.
std::vector<std::string> instruction_sets();

}  // namespace zwang
