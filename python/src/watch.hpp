// SPDX-License-Identifier: BSD-3-Clause
// Watch: checks a long call about ten times a second: signals (Ctrl-C), and the callback of `progress=`.
#pragma once
#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>

namespace zwang::python {

namespace nb = nanobind;

class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  /// None or False: nothing. True: a bar on stderr if that is a terminal, from the first second on. Otherwise a
  /// function called with (done, total).
  void show(const char* function, nb::handle progress);
  /// Whether to continue. With or without the GIL; a BatchProgress with a Watch as its context.
  static bool look(void* watch, long done, long total);
  /// The same for loops: cheap enough for a call at every state.
  bool go_on(long done, long total) {
    done_ = done, total_ = total;
    if (done % 16 != 0 || std::chrono::steady_clock::now() < next_) return true;
    return look(this, done, total);
  }
  /// A Stop with a Watch as its context, for a solve of one state: cheap enough to be asked at every row.
  static bool asks(void* watch) {
    Watch& self = *static_cast<Watch*>(watch);
    return self.stopped() || (Clock::now() >= self.next_ && !look(watch, self.done_, self.total_));
  }
  bool stopped() const { return raised_.has_value(); }
  /// At the end of the call, under the GIL: raises the exception that stopped it.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void report(long done, long total);
  void write(const std::string& text) const;

  const char* function_ = "";
  nb::object called_, terminal_;
  Clock::time_point begin_ = Clock::now(), next_ = begin_ + std::chrono::milliseconds(100);
  long done_ = 0, total_ = 1;  ///< of a loop
  std::size_t drawn_ = 0;      ///< characters of the bar
  std::optional<nb::python_error> raised_;
};

}  // namespace zwang::python
