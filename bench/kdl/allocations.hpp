// SPDX-License-Identifier: BSD-3-Clause
// Counts what is allocated through malloc while `is_counting`; Eigen and both libraries allocate so.
// One source of a program includes it.
#pragma once
#include <cstdlib>
#include <new>

extern "C" void* __libc_malloc(std::size_t size);

namespace {
bool is_counting = false;
long allocations = 0;
}  // namespace

extern "C" void* malloc(std::size_t size) {
  if (is_counting) ++allocations;
  return __libc_malloc(size);
}
