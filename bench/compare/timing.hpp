// SPDX-License-Identifier: BSD-3-Clause
// Interleaved timing: every contestant is sampled once a round, so that what the machine does besides hits all alike.
#pragma once
#include <functional>
#include <vector>

namespace zwang::bench {

struct TimingOptions {
  int rounds = 31;
  double sample_seconds = 200e-6;  ///< at least, after a warm-up of half a pass
  /// Time that the core spends on this program instead of time that passes: on a machine that others use, too. Only of
  /// work on the calling thread.
  bool cpu_time = false;
};

struct Contestant {
  std::function<void(int)> run;  ///< one call
  int calls = 1;                 ///< different arguments 0 … calls-1; a pass takes each once
  int states_per_call = 1;
};

struct Timing {
  double median = 0, minimum = 0;  ///< ns per state
};

std::vector<Timing> time(const std::vector<Contestant>& contestants, const TimingOptions& options);

/// How much longer the slowest call takes than the median one: the least times of each over all rounds, every call
/// behind one of the same arguments.
struct WorstCall {
  int call = -1;  ///< -1: not measured
  double ns = 0, over_median = 0;
};
WorstCall worst_call(const Contestant& contestant, const TimingOptions& options);

/// On how many cores the program may run now.
int cores_allowed();

/// Keeps the program on one core while it lives: the given one, or the last that it may use.
class Pin {
 public:
  explicit Pin(int cpu);
  ~Pin();
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  int cpu() const { return cpu_; }  ///< -1 where it did not work

 private:
  int cpu_ = -1;
  std::vector<unsigned char> before_;
};

}  // namespace zwang::bench
