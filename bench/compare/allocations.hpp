// SPDX-License-Identifier: BSD-3-Clause
// Counts allocations of all threads, those of peers too, by an interposed malloc (operator new ends there).
#pragma once

namespace zwang::bench {

/// False where the C library is not glibc or a sanitizer brings its own allocator.
bool allocations_are_counted();

/// Counts while it lives; one at a time. What is timed runs without one.
class AllocationCount {
 public:
  AllocationCount();
  ~AllocationCount();
  AllocationCount(const AllocationCount&) = delete;
  AllocationCount& operator=(const AllocationCount&) = delete;
  long count() const, bytes() const;

 private:
  long count_, bytes_;
};

}  // namespace zwang::bench
