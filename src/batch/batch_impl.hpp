// SPDX-License-Identifier: BSD-3-Clause
// What a Batch owns, and how a task's states are shared among threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <thread>

#include "batch/thread_pool.hpp"
#include "core/kernel_table.hpp"
#include "zwang/batch/batch.hpp"
#include "zwang/core/pace.hpp"

namespace zwang {

/// Shares tiles of states among threads: each takes one contiguous range, always the same for the same numbers.
class BatchRunner {
 public:
  explicit BatchRunner(int threads) : pool(threads) {}
  /// work(thread, first, last) on chunks of the states, each state `steps` times; returns false where the callback has
  /// stopped it. Ranges begin at multiples of `tile`, and 8 of them are done between two looks.
  template <class Work>
  bool run(long states, long steps, unsigned char* status, Work&& work, long tile = StateArray<double>::k_tile);
  /// For long work: whether it shall continue. Only the calling thread calls the callback.
  bool wanted() {
    return std::this_thread::get_id() == caller_ ? still_wanted() : !stop_.load(std::memory_order_relaxed);
  }

  ThreadPool pool;
  BatchProgress progress = nullptr;
  void* progress_context = nullptr;
  Pace pace{0.1};  ///< of the callback

 private:
  static constexpr long k_chunk_tiles = 8;  // between two looks
  bool still_wanted() {
    if (stop_.load(std::memory_order_relaxed)) return false;
    if (progress == nullptr || !pace.due()) return true;
    try {
      if (!progress(progress_context, done_.load(std::memory_order_relaxed), states_)) stop_ = true;
    } catch (...) {
      stop_ = true;
      throw;
    }
    return !stop_;
  }
  std::atomic<long> done_{0};
  std::atomic<bool> stop_{false};
  long states_ = 0;
  std::thread::id caller_;
};

template <class Work> bool BatchRunner::run(long states, long steps, unsigned char* status, Work&& work, long tile) {
  struct Run {
    BatchRunner& self;
    Work& work;
    unsigned char* status;
    long states, tile, tiles, chunk;
    int threads;
  };
  done_ = 0;
  stop_ = false;
  states_ = states;
  caller_ = std::this_thread::get_id();
  pace.begin();
  if (states == 0) return true;
  const long tiles = (states + tile - 1) / tile;
  const long chunk = std::max(k_chunk_tiles / steps, 1L) * tile;
  Run all{*this, work, status, states, tile, tiles, chunk, static_cast<int>(std::min<long>(pool.threads(), tiles))};
  pool.run(
      all.threads,
      [](void* context, int t) {
        Run& r = *static_cast<Run*>(context);
        const long first = r.tiles * t / r.threads * r.tile;
        const long last = std::min(r.tiles * (t + 1) / r.threads * r.tile, r.states);
        for (long s = first; s < last; s += r.chunk) {
          const long end = std::min(s + r.chunk, last);
          if (r.self.wanted()) {
            try {
              r.work(t, s, end);
            } catch (...) {
              r.self.stop_ = true;
              throw;
            }
            r.self.done_.fetch_add(end - s, std::memory_order_relaxed);
          } else {
            for (long i = s; i < end; ++i) r.status[i] = static_cast<unsigned char>(Status::stopped);
          }
        }
      },
      [](void* context) { static_cast<Run*>(context)->self.still_wanted(); }, &all);
  return !stop_;
}

template <class T> const BatchKernels<T>& batch_kernels_of();
template <> inline const BatchKernels<double>& batch_kernels_of<double>() { return *kernels().batch; }
template <> inline const BatchKernels<float>& batch_kernels_of<float>() { return *kernels().batch_float; }

/// What a batch owns, where it has not been moved from.
template <class Impl> Impl& existing(const Owned<Impl>& impl) {
  if (impl == nullptr) throw std::logic_error("Batch: it was moved from");
  return *impl;
}

/// The workspace of the kernels, and how it is released.
using KernelWorkspace = std::unique_ptr<void, void (*)(void*)>;

/// Number k of state s.
template <class T> T& number_of(const StateArray<T>& a, long s, Index k) {
  return a.data[s / a.k_tile * a.tile + s % a.k_tile * a.lane + k * a.number];
}

template <class T> FrameTask<T> frame_task(const Frame& frame, Reference reference) {
  FrameTask<T> f;
  f.body = frame.body.value;
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < 3; ++k) f.in_body[3 * r + k] = static_cast<T>(frame.in_body.R(r, k));
    f.in_body[9 + r] = static_cast<T>(frame.in_body.p[r]);
  }
  f.reference = static_cast<int>(reference);
  return f;
}

/// What every batch has: the model, threads, the status of each state.
template <class T> struct BatchCore {
  BatchCore(const Model& m, const BatchOptions& options)
      : model(m),
        kernels(batch_kernels_of<T>()),
        runner(options.threads) {}

  Model model;
  const BatchKernels<T>& kernels;
  BatchRunner runner;
  std::vector<unsigned char> status;
  std::vector<WrenchTask<T>> wrench;
  std::vector<FrameTask<T>> frame;
  BatchReport report;
  std::atomic<bool> busy{false};  ///< a call is in progress, which may be running code of the user
  bool all_or_nothing = false;

  /// For calls of users: throws where a running batch is called by its progress callback or by rows that it evaluates.
  void check_idle(const char* function) const {
    if (busy.load(std::memory_order_relaxed))
      throw std::logic_error(std::string("Batch::") + function + ": this batch is at work, and called by its own work");
  }
  void reserve_for_user(long states) {
    check_idle("reserve");
    reserve(states);
  }
  int threads() const { return runner.pool.threads(); }
  void on_progress(BatchProgress callback, void* context, double interval) {
    runner.pace = Pace(interval);
    runner.progress = callback;
    runner.progress_context = context;
  }
  void reserve(long states) {
    if (static_cast<long>(status.size()) < states) status.resize(static_cast<std::size_t>(states));
    if (states > StateArray<T>::k_tile) runner.pool.start();
  }
  /// work(thread, first, last) on all states; then the counts of the report, and NaN where nothing was computed.
  template <class Work> const BatchReport& run(BatchCall<T>& c, Work&& work, long tile = StateArray<T>::k_tile) {
    struct Busy {
      std::atomic<bool>& flag;
      ~Busy() { flag = false; }
    } const at_work{(busy = true, busy)};
    begin(c);
    c.runner = &runner;
    c.still_wanted = [](void* r) { return static_cast<BatchRunner*>(r)->wanted(); };
    try {
      const long steps = c.constrained != nullptr ? std::max<long>(c.constrained->steps, 1) : 1;
      report.stopped = !runner.run(c.states, steps, c.status, work, tile);
    } catch (...) {
      report.stopped = true;
      close(c);
      throw;
    }
    close(c);
    return report;
  }
  /// A report in which no state was reached.
  void begin(BatchCall<T>& c) {
    reserve(c.states);
    c.status = status.data();
    report.states = c.states;
    report.status_data = status.data();
    report.stopped = false;
    report.ok = 0;
    std::fill_n(status.begin(), c.states, static_cast<unsigned char>(Status::stopped));  // stays where work() throws
  }
  void close(const BatchCall<T>& c) {
    for (long s = 0; s < c.states; ++s) {
      if (c.status[s] == k_solve_alone) c.status[s] = static_cast<unsigned char>(Status::stopped);  // not reached
      const auto x = static_cast<Status>(c.status[s]);
      report.ok += x == Status::ok;
      if (!has_result(x)) clear(c, s);
    }
  }
  static void clear(const BatchCall<T>& c, long s) {
    for (const StateArray<T>& o : c.out)
      for (Index k = 0; o.data != nullptr && k < o.size; ++k) number_of(o, s, k) = std::numeric_limits<T>::quiet_NaN();
  }
};

}  // namespace zwang
