// SPDX-License-Identifier: BSD-3-Clause
// Arguments of a call in the form that a batch reads and writes: in place if their numbers have a constant distance,
// otherwise through copies that are kept with the batch.
#pragma once
#include <algorithm>

#include "arrays.hpp"
#include "robot.hpp"

namespace zwang::python {

/// N states, or one row for all of them.
template <class T> StatesIn<T> states_in(const T* data, Index states, Index size, std::ptrdiff_t stride) {
  return StatesIn<T>(StateLayout<const T>{data, states, size, 32 * stride, stride, 1});
}
template <class T> StatesIn<T> states_in(const Input& x, Index states) {
  return states_in<T>(x.numbers<T>(), states, x.size(), x.stride());
}

/// Results of a batch that are copied into an array of another form.
template <class T> class Outputs {
 public:
  Outputs(std::vector<std::vector<T>>& rooms, Index states) : rooms_(rooms), states_(states) {}
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// The numbers [first, first + size) of the `of` that the batch writes; of = 0: all of them.
  StatesOut<T> operator()(const Output& x, Index of = 0, Index first = 0) {
    std::ptrdiff_t number, state;
    if (of == 0 && x.evenly<T>(number, state)) {
      const StateLayout<T> layout{static_cast<T*>(x.memory()->buf), states_, x.size(), 32 * state, state, number};
      return StatesOut<T>(layout);
    }
    const Index width = of == 0 ? x.size() : of;
    T* const room = take(static_cast<std::size_t>(width) * static_cast<std::size_t>(states_));
    copies_[used_++] = {&x, room, width, first};
    return StatesOut<T>(StateLayout<T>{room, states_, width, 32L * width, width, 1});
  }
  /// Room for N numbers; kept as long as the batch.
  T* take(std::size_t size) {
    if (rooms_.size() <= taken_) rooms_.emplace_back();
    std::vector<T>& room = rooms_[taken_++];
    if (room.size() < size) room.resize(size);
    return room.data();
  }
  /// After the call.
  void finish() const {
    for (int i = 0; i < used_; ++i) {
      const Copy& c = copies_[i];
      for (Index s = 0; s < states_; ++s) {
        const T* const from = c.from + static_cast<std::ptrdiff_t>(s) * c.width + c.first;
        c.to->put_rows(s, from);
      }
    }
  }

 private:
  struct Copy {
    const Output* to;
    const T* from;
    Index width, first;
  };
  std::vector<std::vector<T>>& rooms_;
  Index states_;
  std::size_t taken_ = 0;
  int used_ = 0;
  Copy copies_[8];
};

/// The arguments that a function passes to its batch: `x.batch.mass_matrix(x(q), x(out), effects)`.
template <class T> class Lane {
 public:
  Lane(Lanes<T>& lanes, Index states) : batch(lanes.batch), out(lanes.rooms, states), states_(states) {}
  StatesIn<T> operator()(const Input& x) const { return states_in<T>(x, states_); }
  StatesOut<T> operator()(const Output& x) { return out(x); }

  BasicBatch<T>& batch;
  Outputs<T> out;
  BatchWrenches<T> external;

 private:
  Index states_;
};

}  // namespace zwang::python
