// SPDX-License-Identifier: BSD-3-Clause
// scoped_ptr: the pointer of programs that were written before std::unique_ptr.
#pragma once
#include <memory>
#include <utility>

namespace KDL {

template <typename T> class scoped_ptr {
 public:
  scoped_ptr() = default;
  explicit scoped_ptr(T* object) : object_(object) {}
  scoped_ptr(const scoped_ptr&) = delete;
  scoped_ptr& operator=(const scoped_ptr&) = delete;

  T* operator->() { return object_.get(); }
  T& operator*() { return *object_; }
  T* get() { return object_.get(); }
  T* release() { return object_.release(); }
  void reset(T* object) { object_.reset(object); }
  void swap(scoped_ptr& other) { object_.swap(other.object_); }

 private:
  std::unique_ptr<T> object_;
};

template <typename T> void swap(scoped_ptr<T>& a, scoped_ptr<T>& b) { a.swap(b); }

}  // namespace KDL
