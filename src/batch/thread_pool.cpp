// SPDX-License-Identifier: BSD-3-Clause
#include "batch/thread_pool.hpp"

#include <unistd.h>

#include <mutex>
#include <utility>

#include "zwang/core/pace.hpp"

namespace zwang {

struct ThreadPool::Shared {
  explicit Shared(int n) : part(static_cast<std::size_t>(n)) {}
  std::atomic<unsigned> round{0};           ///< counts runs; threads wait for it to change
  std::vector<std::atomic<unsigned>> part;  ///< of a thread: the run, until a thread takes the part; then 0
  std::atomic<int> busy{0};                 ///< parts that are not done
  std::atomic<bool> closing{false};         ///< read after every wait, also by a thread that missed a run
  Work work = nullptr;
  void* context = nullptr;
  std::mutex guard;
  std::exception_ptr failure;
  std::vector<std::thread> threads;

  template <class Body> void guarded(Body&& body) {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  }
  /// Part t of a run, unless another thread has taken it. The run does not change until all its parts are done.
  void take(int t, unsigned run) {
    if (run == 0 || !part[static_cast<std::size_t>(t)].compare_exchange_strong(run, 0, std::memory_order_acq_rel))
      return;
    guarded([&] { work(context, t); });
    busy.fetch_sub(1, std::memory_order_acq_rel);
  }
  void close() {
    closing = true;
    round.fetch_add(1, std::memory_order_release);
    round.notify_all();
    for (std::thread& t : threads) t.join();
    threads.clear();
  }
  void live(int t) {
    for (unsigned seen = 0;;) {
      for (int spin = 0; spin < 2000 && round.load(std::memory_order_acquire) == seen; ++spin)
        std::this_thread::yield();
      round.wait(seen, std::memory_order_acquire);
      seen = round.load(std::memory_order_acquire);
      if (closing) return;
      take(t, part[static_cast<std::size_t>(t)].load(std::memory_order_acquire));
    }
  }
};

ThreadPool::ThreadPool(int threads) : threads_(threads) {
  if (threads_ <= 0) threads_ = static_cast<int>(std::thread::hardware_concurrency());
  if (threads_ <= 0) threads_ = 1;
}

/// The threads of the parent process do not exist in a forked child: they must not be joined.
void ThreadPool::release() {
  if (shared_ && process_ != static_cast<long>(::getpid())) static_cast<void>(shared_.release());
}

void ThreadPool::start() {
  release();
  if (shared_ || threads_ == 1) return;
  auto fresh = std::make_unique<Shared>(threads_);
  Shared* const s = fresh.get();
  try {
    s->threads.reserve(static_cast<std::size_t>(threads_ - 1));
    for (int t = 1; t < threads_; ++t) s->threads.emplace_back([s, t] { s->live(t); });
  } catch (...) {  // the system has no more threads
    s->close();
    throw;
  }
  process_ = static_cast<long>(::getpid());
  shared_ = std::move(fresh);
}

ThreadPool::~ThreadPool() {
  release();
  if (shared_) shared_->close();
}

void ThreadPool::run(int threads, Work work, void (*idle)(void* context), void* context) {
  if (threads > threads_) threads = threads_;
  if (threads <= 1) return work(context, 0);
  start();
  Shared& s = *shared_;
  s.work = work;
  s.context = context;
  s.failure = nullptr;
  s.busy.store(threads - 1, std::memory_order_relaxed);
  const unsigned run = (s.round.load(std::memory_order_relaxed) + 1) | 1u;  // never 0
  for (int t = 1; t < threads; ++t) s.part[static_cast<std::size_t>(t)].store(run, std::memory_order_release);
  s.round.store(run, std::memory_order_release);
  s.round.notify_all();
  s.guarded([&] { work(context, 0); });
  for (int t = 1; t < threads; ++t) s.take(t, run);  // what no thread has come to, on a machine that is busy
  Pace pace(1e-3);
  while (s.busy.load(std::memory_order_acquire) > 0) {
    std::this_thread::yield();
    if (pace.due()) s.guarded([&] { idle(context); });  // others are at work: an exception waits for them
  }
  if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
}

}  // namespace zwang
