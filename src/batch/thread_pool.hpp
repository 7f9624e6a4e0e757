// SPDX-License-Identifier: BSD-3-Clause
// ThreadPool: threads that wait for work and share it with the caller. A run allocates nothing.
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

namespace zwang {

class ThreadPool {
 public:
  using Work = void (*)(void* context, int thread);
  /// `threads` counts the caller; 0: one for each processor.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  /// Makes the threads, unless they are there: the first run does so too.
  void start();
  /// Calls work(context, t) once for each t in [0, threads). The calling thread runs t = 0 and then every part that no
  /// other thread has begun. While others are still busy after that, it calls idle(context) about every millisecond. An
  /// exception of any thread is rethrown.
  void run(int threads, Work work, void (*idle)(void* context), void* context);

 private:
  struct Shared;
  void release();
  int threads_;
  long process_ = 0;  ///< that started the threads: a forked child has none of them
  std::unique_ptr<Shared> shared_;
};

}  // namespace zwang
