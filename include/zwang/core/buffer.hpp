// SPDX-License-Identifier: BSD-3-Clause
// Buffer<T>: a fixed number of T on a cache line of their own; sized once, copied deeply, never grown.
#pragma once
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "zwang/core/config.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class T> class Buffer {
 public:
  Buffer() = default;
  /// All bytes zero: every number of this library is 0 then.
  explicit Buffer(Index size) : size_(size), data_(allocate(size)) {
    if (size > 0) std::memset(static_cast<void*>(data_), 0, bytes(size));
  }
  Buffer(const Buffer& o) : size_(o.size_), data_(allocate(o.size_)) {
    if (size_ > 0) std::memcpy(static_cast<void*>(data_), static_cast<const void*>(o.data_), bytes(size_));
  }
  Buffer(Buffer&& o) noexcept : size_(std::exchange(o.size_, 0)), data_(std::exchange(o.data_, nullptr)) {}
  Buffer& operator=(Buffer o) noexcept {
    std::swap(size_, o.size_);
    std::swap(data_, o.data_);
    return *this;
  }
  ~Buffer() { ::operator delete(static_cast<void*>(data_), k_alignment); }

  Index size() const { return size_; }
  ZWANG_INLINE T* data() { return data_; }
  ZWANG_INLINE const T* data() const { return data_; }
  ZWANG_INLINE T& operator[](Index i) { return data_[i]; }
  ZWANG_INLINE const T& operator[](Index i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  static constexpr std::align_val_t k_alignment{64};
  static std::size_t bytes(Index size) { return static_cast<std::size_t>(size) * sizeof(T); }
  static T* allocate(Index size) {
    static_assert(std::is_trivially_destructible_v<T>);
    return size > 0 ? static_cast<T*>(::operator new(bytes(size), k_alignment)) : nullptr;
  }

  Index size_ = 0;
  T* data_ = nullptr;
};

}  // namespace ZWANG_ISA
}  // namespace zwang
