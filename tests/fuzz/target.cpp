// SPDX-License-Identifier: BSD-3-Clause
// A libFuzzer target for the reader ZWANG_FUZZ_READER.
#include <cstdio>
#include <cstdlib>

#include "fuzz/readers.hpp"

/// New memory is filled with NaN: a number that is read before it is written spoils the results,
/// which readers.cpp looks at.
extern "C" const char* __asan_default_options() {
  return "malloc_fill_byte=255:max_malloc_fill_size=16777216:allocator_may_return_null=1";
}
extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > zwang::test::k_input_bytes) return -1;
  try {
    zwang::test::feed(ZWANG_FUZZ_READER, {data, size});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: a promise is broken: %s\n", ZWANG_FUZZ_READER, error.what());
    std::abort();
  }
  return 0;
}
