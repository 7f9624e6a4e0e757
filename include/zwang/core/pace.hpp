// SPDX-License-Identifier: BSD-3-Clause
// Pace: how often a long computation calls a function of its caller. The only clock of the library.
#pragma once
#include <chrono>
#include <stdexcept>

namespace zwang {

/// A clock with an interval in seconds; 0: at every question, and then the clock decides nothing. It begins with
/// begin() or with the first question, and is not read before.
class Pace {
 public:
  /// Throws std::invalid_argument where the interval is negative or NaN.
  explicit Pace(double interval) : interval_(interval) {
    if (!(interval >= 0)) throw std::invalid_argument("the interval between two calls must be 0 s or more");
  }
  /// The computation begins now.
  void begin() { begin_ = last_ = Clock::now(); }
  /// True where the last true answer, or the beginning, is at least an interval ago.
  bool due() {
    if (interval_ == 0) return true;
    if (last_ == Clock::time_point()) begin();
    const Clock::time_point now = Clock::now();
    if (Seconds(now - last_).count() < interval_) return false;
    last_ = now;
    return true;
  }
  /// Seconds since the beginning.
  double spent() {
    if (last_ == Clock::time_point()) begin();
    return Seconds(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  double interval_;
  Clock::time_point begin_, last_;
};

}  // namespace zwang
