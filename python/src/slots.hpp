// SPDX-License-Identifier: BSD-3-Clause
// Slots: at most N objects in place, made one after the other. They never move,
// and memory that holds none is not touched.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

namespace zwang::python {

template <class T, int N> class Slots {
 public:
  Slots() {}  // no zeros are written
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  ~Slots() { std::destroy(begin(), end()); }
  template <class... A> T& emplace(A&&... a) {
    if (count_ == N) throw std::logic_error("Slots: more objects than places");
    T* const made = new (room_ + static_cast<std::size_t>(count_) * sizeof(T)) T(std::forward<A>(a)...);
    ++count_;
    return *made;
  }
  T* begin() { return reinterpret_cast<T*>(room_); }
  T* end() { return begin() + count_; }
  const T* begin() const { return reinterpret_cast<const T*>(room_); }
  const T* end() const { return begin() + count_; }

 private:
  alignas(T) std::byte room_[N * sizeof(T)];
  int count_ = 0;
};

}  // namespace zwang::python
