// SPDX-License-Identifier: BSD-3-Clause
// Loaded before a program (LD_PRELOAD), lets its n-th allocation fail:
//
//   ZWANG_FAIL_AT=n        the n-th since the process began; 0 or nothing: none
//   ZWANG_FAIL_AFTER=1     all later ones, too
//   ZWANG_COUNT_TO=path    at the end the number of allocations is written there
//
// For glibc, whose own names of the functions need no search, which would allocate.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

long g_count = 0;
long g_fail_at = -1;
bool g_fail_after = false;

bool fails() {
  if (g_fail_at < 0) {
    const char* const at = std::getenv("ZWANG_FAIL_AT");
    g_fail_at = at != nullptr ? std::atol(at) : 0;
    g_fail_after = std::getenv("ZWANG_FAIL_AFTER") != nullptr;
  }
  const long n = __atomic_add_fetch(&g_count, 1, __ATOMIC_RELAXED);
  if (g_fail_at == 0 || n < g_fail_at || (n > g_fail_at && !g_fail_after)) return false;
  errno = ENOMEM;
  return true;
}

[[gnu::destructor]] void tell() {
  const char* const path = std::getenv("ZWANG_COUNT_TO");
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return;
  char digits[24];
  int k = sizeof digits;
  for (long n = g_count; n > 0 && k > 0; n /= 10) digits[--k] = static_cast<char>('0' + n % 10);
  const std::size_t size = sizeof digits - static_cast<std::size_t>(k);
  if (write(file, digits + k, size) != static_cast<ssize_t>(size)) unlink(path);
  close(file);
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) noexcept { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) noexcept { return fails() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, std::size_t size) noexcept { return fails() ? nullptr : __libc_realloc(old, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  *out = fails() ? nullptr : __libc_memalign(alignment, size);
  return *out != nullptr ? 0 : ENOMEM;
}
}
