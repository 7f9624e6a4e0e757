// SPDX-License-Identifier: BSD-3-Clause
// Interruption: whether the caller has stopped the solve that is going on.
//
// Loops whose time grows like the third power of the number of rows call asked() after every row, at most a few ms
// apart. Where it returns true they return at once. Their numbers then have no meaning, but are safe to go on with:
// sizes and indices are within their ranges. The steps of a solve call asked(), too, and refuse such numbers.
#pragma once
#include "zwang/core/stop.hpp"

namespace zwang {

class Interruption {
 public:
  /// For its lifetime, asked() calls `stop`. Without a Scope asked() is false.
  class Scope {
   public:
    Scope(Interruption& of, const Stop& stop) : of_(of) {
      of_.stop_ = stop;
      of_.stopped_ = false;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
      of_.stop_ = {};
      of_.stopped_ = false;
    }

   private:
    Interruption& of_;
  };

  /// Calls the Stop of the Scope, unless it has returned true before.
  bool asked() const {
    if (!stopped_ && stop_.asked != nullptr) stopped_ = stop_();
    return stopped_;
  }
  /// asked() as a Stop, for kernels.
  Stop for_kernels() const {
    if (!stop_) return {};
    return {[](void* self) { return static_cast<const Interruption*>(self)->asked(); },
            const_cast<Interruption*>(this)};
  }

 private:
  Stop stop_;
  mutable bool stopped_ = false;
};

/// For loops that are also called outside of a solve, with nullptr.
inline bool is_asked(const Interruption* stop) { return stop != nullptr && stop->asked(); }

}  // namespace zwang
