// SPDX-License-Identifier: BSD-3-Clause
// What every header that a kernel reads needs before anything else.
#pragma once

// Everything a kernel includes lives in an inline namespace named after the instruction set that it is compiled for, so
// that the linker can never take one level's copy of an inline function for another's. Ordinary code is `generic`.
#ifndef ZWANG_ISA
#define ZWANG_ISA generic
#endif

// Kernels are small functions in deep loops: a call that is not inlined costs 4 to 27 % (measured with g++ 12).
// Sanitizers check every access: inlining all of it would take them minutes a file. ZWANG_LIGHT asks for the same.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(ZWANG_LIGHT)
#define ZWANG_INLINE inline
#define ZWANG_LAMBDA
#else
#define ZWANG_INLINE inline __attribute__((always_inline))
#define ZWANG_LAMBDA __attribute__((always_inline))
#endif

namespace zwang {
using Index = int;  ///< counts and positions; a model has at most 2^31 - 1 of anything
}
