// SPDX-License-Identifier: BSD-3-Clause
#include "timing.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace zwang::bench {
namespace {

double now(bool cpu_time) {
  timespec t;
  clock_gettime(cpu_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double passes(const Contestant& c, long count, bool cpu_time) {
  const double start = now(cpu_time);
  for (long k = 0; k < count; ++k)
    for (int i = 0; i < c.calls; ++i) c.run(i);
  return now(cpu_time) - start;
}

/// How many passes fill a sample; also warms everything up.
long repeats_of(const Contestant& c, double seconds, bool cpu_time) {
  passes(c, 1, cpu_time);
  for (long n = 1;; n *= 2) {
    const double t = std::min(passes(c, n, cpu_time), passes(c, n, cpu_time));
    if (t > 0.5 * seconds || n > (1L << 30))
      return std::max(n, static_cast<long>(static_cast<double>(n) * seconds / t) + 1);
  }
}

}  // namespace

std::vector<Timing> time(const std::vector<Contestant>& contestants, const TimingOptions& options) {
  const std::size_t n = contestants.size();
  std::vector<long> repeats;
  for (const Contestant& c : contestants) repeats.push_back(repeats_of(c, options.sample_seconds, options.cpu_time));
  std::vector<std::vector<double>> samples(n);
  for (int round = 0; round < options.rounds; ++round)
    for (std::size_t k = 0; k < n; ++k) {
      const Contestant& c = contestants[k];
      for (int i = 0; i < (c.calls + 1) / 2; ++i) c.run(i);
      const double states = static_cast<double>(repeats[k]) * c.calls * c.states_per_call;
      samples[k].push_back(1e9 * passes(c, repeats[k], options.cpu_time) / states);
    }
  std::vector<Timing> out;
  for (std::vector<double>& s : samples) {
    std::sort(s.begin(), s.end());
    out.push_back({s[s.size() / 2], s.front()});
  }
  return out;
}

WorstCall worst_call(const Contestant& c, const TimingOptions& options) {
  std::vector<double> least(static_cast<std::size_t>(c.calls), std::numeric_limits<double>::infinity());
  for (int round = 0; round < options.rounds; ++round)
    for (int i = 0; i < c.calls; ++i) {
      c.run(i);
      const double start = now(options.cpu_time);
      c.run(i);
      double& x = least[static_cast<std::size_t>(i)];
      x = std::min(x, now(options.cpu_time) - start);
    }
  const auto worst = std::max_element(least.begin(), least.end());
  WorstCall out{static_cast<int>(worst - least.begin()), 1e9 * *worst, *worst};
  std::sort(least.begin(), least.end());
  out.over_median /= least[least.size() / 2];
  return out;
}

int cores_allowed() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

Pin::Pin(int cpu) {
  cpu_set_t allowed, one;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int k = 0; cpu < 0 && k < CPU_SETSIZE; ++k)
    if (CPU_ISSET(k, &allowed)) cpu_ = k;
  if (cpu >= 0) cpu_ = cpu;
  if (cpu_ < 0 || cpu_ >= CPU_SETSIZE) {
    cpu_ = -1;
    return;
  }
  CPU_ZERO(&one);
  CPU_SET(cpu_, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) {
    cpu_ = -1;
    return;
  }
  before_.resize(sizeof allowed);
  std::memcpy(before_.data(), &allowed, sizeof allowed);
}

Pin::~Pin() {
  if (before_.empty()) return;
  cpu_set_t allowed;
  std::memcpy(&allowed, before_.data(), sizeof allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace zwang::bench
