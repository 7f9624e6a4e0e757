// SPDX-License-Identifier: BSD-3-Clause
// A pointer that deletes its object if it was given with it: KDL's flag `aggregate`.
#pragma once

namespace KDL {
namespace detail {

template <class T> class Held {
 public:
  Held(T* object, bool is_owned) : object_(object), is_owned_(is_owned) {}
  Held(const Held&) = delete;
  Held(Held&& other) noexcept : object_(other.object_), is_owned_(other.is_owned_) { other.is_owned_ = false; }
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (is_owned_) delete object_;
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }

 private:
  T* object_;
  bool is_owned_;
};

}  // namespace detail
}  // namespace KDL
