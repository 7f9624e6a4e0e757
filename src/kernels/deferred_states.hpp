// SPDX-License-Identifier: BSD-3-Clause
// States whose rows could not be eliminated early, collected until they fill all lanes and then solved
// without that, so that the other states of their lanes are not solved again. Their inputs are copied:
// an output may share memory with an input.
#pragma once
#include "kernels/lanes.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// What `states` of a call read and write, beside it.
template <class S> class DeferredStates {
  using T = Uniform<S>;

 public:
  static constexpr int lanes = lanes_of<S>;
  DeferredStates() = default;
  /// Room for states of so many numbers in all.
  explicit DeferredStates(Index numbers) : numbers_(lanes * (numbers + k_arrays * lanes)) {}

  /// For this call, from now on.
  void begin(const BatchCall<T>& c) {
    from_ = &c;
    call_ = c;
    task_ = *c.constrained;
    call_.constrained = &task_;
    call_.status = status_;
    T* at = numbers_.data();
    const auto place = [&](auto& a) ZWANG_LAMBDA {
      if (a.data == nullptr) return;
      a.data = at;
      a.number = 1;
      a.lane = a.size;
      a.tile = a.size * StateArray<T>::k_tile;
      at += lanes * a.size + lanes;  // whole registers may be read
    };
    for (int i = 0; i < 3; ++i) place(call_.in[i]);
    place(task_.beta);
    place(task_.active);
    for (int i = 0; i < 4; ++i) place(call_.out[i]);
    count_ = 0;
  }
  void add(long s) {
    const auto copy = [&](const StateArray<const T>& to, const StateArray<const T>& from) ZWANG_LAMBDA {
      if (from.data == nullptr) return;
      T* const x = numbers_.data() + (of_state(to, count_) - numbers_.data());
      for (Index k = 0; k < from.size; ++k) x[k] = of_state(from, s)[k * from.number];
    };
    for (int i = 0; i < 3; ++i) copy(call_.in[i], from_->in[i]);
    copy(task_.beta, from_->constrained->beta);
    copy(task_.active, from_->constrained->active);
    state_[count_++] = s;
    call_.states = count_;
  }
  bool full() const { return count_ == lanes; }
  bool empty() const { return count_ == 0; }
  const BatchCall<T>& call() const { return call_; }
  /// The results to where they belong.
  void finish() {
    for (int l = 0; l < count_; ++l) {
      from_->status[state_[l]] = status_[l];
      for (int i = 0; i < 4 && status_[l] != k_solve_alone; ++i) {
        const StateArray<T>& to = from_->out[i];
        if (to.data == nullptr) continue;
        for (Index k = 0; k < to.size; ++k) of_state(to, state_[l])[k * to.number] = of_state(call_.out[i], l)[k];
      }
    }
    count_ = 0;
  }

 private:
  static constexpr Index k_arrays = 9;
  Buffer<T> numbers_;
  const BatchCall<T>* from_ = nullptr;
  BatchCall<T> call_;
  ConstrainedTask<T> task_;
  long state_[lanes];
  unsigned char status_[lanes];
  int count_ = 0;
};

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
