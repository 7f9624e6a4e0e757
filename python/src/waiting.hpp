// SPDX-License-Identifier: BSD-3-Clause
// Waiting: a pool of objects for calls, as many as there were calls at the same time. The last that came back waits in
// a place of its own, which needs no lock: calls of one thread find it there.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace zwang::python {

/// Any thread may take and return objects, with or without the GIL.
template <class X> class Waiting {
 public:
  Waiting() = default;
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { delete last_.load(); }
  /// Takes an object for which suits(x) is true; others are deleted. If there is none, make().
  template <class Suits, class Make> std::unique_ptr<X> take(Suits&& suits, Make&& make) {
    if (std::unique_ptr<X> x(last_.exchange(nullptr)); x != nullptr && suits(*x)) return x;
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
    X* none = nullptr;
    if (last_.compare_exchange_strong(none, x.get())) {
      static_cast<void>(x.release());
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(std::move(x));
  }

 private:
  std::atomic<X*> last_ = nullptr;
  std::mutex mutex_;
  std::vector<std::unique_ptr<X>> waiting_;
};

}  // namespace zwang::python
