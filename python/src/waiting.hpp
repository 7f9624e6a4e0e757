// SPDX-License-Identifier: BSD-3-Clause
// Waiting: a pool of objects for calls, as many as there were calls at the same time.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

namespace zwang::python {

/// Any thread may take and return objects, with or without the GIL.
template <class X> class Waiting {
 public:
  /// Takes an object for which suits(x) is true; others are deleted. If there is none, make().
  template <class Suits, class Make> std::unique_ptr<X> take(Suits&& suits, Make&& make) {
    std::vector<std::unique_ptr<X>> unfit;  // destroyed without the lock
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      while (!waiting_.empty()) {
        std::unique_ptr<X> x = std::move(waiting_.back());
        waiting_.pop_back();
        if (suits(*x)) return x;
        unfit.push_back(std::move(x));
      }
    }
    return make();
  }
  void give(std::unique_ptr<X> x) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(std::move(x));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<X>> waiting_;
};

}  // namespace zwang::python
