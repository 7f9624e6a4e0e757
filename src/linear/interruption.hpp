// SPDX-License-Identifier: BSD-3-Clause
// Interruption: whether the caller has stopped the solve that is going on.
//
// Loops whose time grows like the third power of the number of rows ask once for every row that they finish, at most a
// few ms apart. Where it says stop they return at once. What they leave has no meaning, but it is safe to go on with:
// sizes and indices are within their ranges. The steps of a solve ask, too, and refuse what such loops have left.
#pragma once
#include "zwang/core/stop.hpp"

namespace zwang {

class Interruption {
 public:
  /// Somebody may stop what happens in the lifetime of this object; outside of one, nobody can.
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

  /// Asks, unless the answer was yes before.
  bool asked() const {
    if (!stopped_ && stop_.asked != nullptr) stopped_ = stop_();
    return stopped_;
  }
  /// The same question for kernels.
  Stop for_kernels() const {
    if (!stop_) return {};
    return {[](void* self) { return static_cast<const Interruption*>(self)->asked(); },
            const_cast<Interruption*>(this)};
  }

 private:
  Stop stop_;
  mutable bool stopped_ = false;
};

/// Loops that serve others than a solve are given nullptr there.
inline bool is_asked(const Interruption* stop) { return stop != nullptr && stop->asked(); }

}  // namespace zwang
