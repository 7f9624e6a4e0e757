// SPDX-License-Identifier: BSD-3-Clause
// Counts the allocations of the process, by an interposed malloc (operator new ends there too).
//
//   ZWANG_NEEDS_ALLOCATION_COUNT();
//   AllocationGuard guard;
//   hot_call();
//   EXPECT_EQ(guard.count(), 0);
#pragma once
#include <gtest/gtest.h>

namespace zwang::test {

/// Why allocations cannot be counted here (a sanitizer's own allocator, another C library), or nullptr.
const char* allocation_count_missing();
/// Allocations and reallocations of all threads since the process began.
long allocations();
/// The bytes they asked for.
long allocated_bytes();

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
