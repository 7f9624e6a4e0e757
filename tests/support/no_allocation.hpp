// SPDX-License-Identifier: BSD-3-Clause
// Counts the allocations of the process, and lets one of them fail, by an
// interposed malloc (operator new ends there too).
//
//   ZWANG_NEEDS_ALLOCATION_COUNT();
//   EXPECT_NO_ALLOCATION(hot_call());
#pragma once
#include <gtest/gtest.h>

namespace zwang::test {

/// Why allocations cannot be counted here (a sanitizer's own allocator, another C library), or nullptr.
const char* allocation_count_missing();
/// Allocations and reallocations of all threads since the process began.
long allocations();
/// The bytes they asked for.
long allocated_bytes();
/// Lets the n-th allocation from now on fail, of whatever thread; 0: none.
void fail_allocation(long n);
/// How many more there are to come before it; 0 where it has failed or none is to.
long allocations_until_failure();

class AllocationGuard {
 public:
  AllocationGuard() : begin_(allocations()) {}
  long count() const { return allocations() - begin_; }

 private:
  long begin_;
};

}  // namespace zwang::test

#define ZWANG_NEEDS_ALLOCATION_COUNT() \
  if (const char* missing_ = ::zwang::test::allocation_count_missing()) GTEST_SKIP() << missing_

/// A statement that must not allocate.
#define EXPECT_NO_ALLOCATION(...)                        \
  {                                                      \
    const ::zwang::test::AllocationGuard guard;          \
    __VA_ARGS__;                                         \
    const long count = guard.count();                    \
    EXPECT_EQ(count, 0) << #__VA_ARGS__ << " allocates"; \
  }
