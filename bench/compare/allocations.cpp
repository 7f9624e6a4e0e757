// SPDX-License-Identifier: BSD-3-Clause
#include "allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define ZWANG_OWN_ALLOCATOR 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ZWANG_OWN_ALLOCATOR 1
#endif
#if defined(__GLIBC__) && !defined(ZWANG_OWN_ALLOCATOR)
#define ZWANG_COUNTS 1
#endif

namespace {
std::atomic<int> counting{0};
std::atomic<long> calls{0}, total{0};

[[maybe_unused]] void note(std::size_t size) {
  if (counting.load(std::memory_order_relaxed) == 0) return;
  calls.fetch_add(1, std::memory_order_relaxed);
  total.fetch_add(static_cast<long>(size), std::memory_order_relaxed);
}
}  // namespace

#ifdef ZWANG_COUNTS
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept {
  note(size);
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) noexcept {
  note(n * size);
  return __libc_calloc(n, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  note(size);
  return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  note(size);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  note(size);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  note(size);
  void* const p = __libc_memalign(alignment, size);
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}
}
#endif

namespace zwang::bench {

bool allocations_are_counted() {
#ifdef ZWANG_COUNTS
  return true;
#else
  return false;
#endif
}

AllocationCount::AllocationCount() : count_(calls), bytes_(total) { ++counting; }
AllocationCount::~AllocationCount() { --counting; }
long AllocationCount::count() const { return calls - count_; }
long AllocationCount::bytes() const { return total - bytes_; }

}  // namespace zwang::bench
