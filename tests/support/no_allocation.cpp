// SPDX-License-Identifier: BSD-3-Clause
// The interposed allocator (support/no_allocation.hpp): glibc's own functions behind a counter of all threads.
#include "support/no_allocation.hpp"

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

namespace {
std::atomic<long> count{0}, bytes{0}, until_failure{0};  // constant initialisation: no allocation on first use
/// Counts an allocation; false where it is to fail.
bool note(std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(static_cast<long>(size), std::memory_order_relaxed);
  if (until_failure.load(std::memory_order_relaxed) <= 0 || until_failure.fetch_sub(1) != 1) return true;
  errno = ENOMEM;
  return false;
}
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept { return note(size) ? __libc_malloc(size) : nullptr; }
void* calloc(std::size_t n, std::size_t size) noexcept { return note(n * size) ? __libc_calloc(n, size) : nullptr; }
void* realloc(void* old, std::size_t size) noexcept { return note(size) ? __libc_realloc(old, size) : nullptr; }
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return note(size) ? __libc_memalign(alignment, size) : nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return note(size) ? __libc_memalign(alignment, size) : nullptr;
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* const p = note(size) ? __libc_memalign(alignment, size) : nullptr;
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}
}

namespace zwang::test {
const char* allocation_count_missing() { return nullptr; }
long allocations() { return count.load(); }
long allocated_bytes() { return bytes.load(); }
void fail_allocation(long n) { until_failure = n; }
long allocations_until_failure() { return until_failure.load(); }
}  // namespace zwang::test

#else

namespace zwang::test {
const char* allocation_count_missing() {
  return "allocations are counted with glibc and without a sanitizer's allocator only";
}
long allocations() { return 0; }
long allocated_bytes() { return 0; }
void fail_allocation(long) {}
long allocations_until_failure() { return 0; }
}  // namespace zwang::test

#endif
