// SPDX-License-Identifier: BSD-3-Clause
#include "batch/thread_pool.hpp"

#include <unistd.h>

#include <chrono>
#include <mutex>
#include <utility>

namespace zwang {

struct ThreadPool::Shared {
  std::atomic<unsigned> round{0};  ///< counts runs; threads wait for it to change
  std::atomic<int> busy{0};        ///< threads that have not finished this run
  bool closing = false;
  int wanted = 0;  ///< threads that take part in this run
  Work work = nullptr;
  void* context = nullptr;
  std::mutex guard;
  std::exception_ptr failure;
  std::vector<std::thread> threads;

  template <class Part> void do_part(Part&& part) {
    try {
      part();
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
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
      if (t < wanted) do_part([&] { work(context, t); });
      busy.fetch_sub(1, std::memory_order_acq_rel);
    }
  }
};

ThreadPool::ThreadPool(int threads) : threads_(threads) {
  if (threads_ <= 0) threads_ = static_cast<int>(std::thread::hardware_concurrency());
  if (threads_ <= 0) threads_ = 1;
}

/// Threads of a parent process are not here: nothing of theirs may be joined.
void ThreadPool::release() {
  if (shared_ && process_ != static_cast<long>(::getpid())) static_cast<void>(shared_.release());
}

void ThreadPool::start() {
  release();
  if (shared_ || threads_ == 1) return;
  auto fresh = std::make_unique<Shared>();
  Shared* const s = fresh.get();
  try {
    s->threads.reserve(static_cast<std::size_t>(threads_ - 1));
    for (int t = 1; t < threads_; ++t) s->threads.emplace_back([s, t] { s->live(t); });
  } catch (...) {  // no more threads to be had
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
  s.wanted = threads;
  s.failure = nullptr;
  s.busy.store(threads_ - 1, std::memory_order_relaxed);
  s.round.fetch_add(1, std::memory_order_release);
  s.round.notify_all();
  s.do_part([&] { work(context, 0); });
  auto next = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (s.busy.load(std::memory_order_acquire) > 0) {
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() < next) continue;
    s.do_part([&] { idle(context); });  // others are at work: an exception waits for them
    next = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  }
  if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
}

}  // namespace zwang
