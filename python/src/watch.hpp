// SPDX-License-Identifier: BSD-3-Clause
// Watch: looks at signals (Ctrl-C) while a long call runs, and calls the callback of `progress=`.
#pragma once
#include <nanobind/nanobind.h>

#include <optional>

#include "zwang/core/pace.hpp"

namespace zwang::python {

namespace nb = nanobind;

class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  /// None or False: nothing. True: a bar on stderr if that is a terminal, from the first second on. A function called
  /// with (done, total). A ProgressEvery: one of these, and the interval; where that is 0, the bar begins at once.
  void show(const char* function, nb::handle progress);
  double interval() const { return interval_; }  ///< between two looks [s]; 0: at every chance
  /// Whether to continue. With or without the GIL; a BatchProgress with a Watch as its context.
  static bool look(void* watch, long done, long total);
  /// The same for loops, where an interval has passed. The clock is read at every `every`th state but the first: states
  /// which cost little do not wait for it, and one state alone never does.
  bool go_on(long done, long total, long every = 16) {
    done_ = done, total_ = total;
    if (every > 1 && done == 0 && total > 1) pace_.begin();
    if (interval_ > 0 && every > 1 && (done == 0 || done % every != 0)) return true;
    if (!pace_.due()) return true;
    return look(this, done, total);
  }
  /// A Stop with a Watch as its context, for a solve of one state: cheap enough to be asked at every row.
  static bool asks(void* watch) {
    Watch& self = *static_cast<Watch*>(watch);
    return self.stopped() || (self.pace_.due() && !look(watch, self.done_, self.total_));
  }
  bool stopped() const { return raised_.has_value(); }
  /// At the end of the call, under the GIL: raises the exception that stopped it.
  void finish();

 private:
  void report(long done, long total);
  void write(const std::string& text) const;

  const char* function_ = "";
  nb::object called_, terminal_;
  double interval_ = 0.1;
  Pace pace_{interval_};
  long done_ = 0, total_ = 1;  ///< of a loop
  std::size_t drawn_ = 0;      ///< characters of the bar
  std::optional<nb::python_error> raised_;
};

}  // namespace zwang::python
