// SPDX-License-Identifier: BSD-3-Clause
// Arrays of states as a batch reads and writes them: rows of a matrix, tiles of 32 states, or one row for all.
#pragma once
#include <Eigen/Core>
#include <stdexcept>
#include <vector>

#include "zwang/core/config.hpp"

namespace zwang {

/// One state per row.
template <class T> using StateRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Number k of state s at data[(s / 32) * tile + (s % 32) * lane + k * number].
template <class T> struct StateLayout {
  T* data = nullptr;
  long states = 0;
  Index size = 0;  ///< numbers of one state
  long tile = 0, lane = 0, number = 0;
};

/// States in tiles of 32, number after number: [tile][number][32]. The fastest order for a batch: a register holds the
/// same number of neighbouring states. The places of the last tile beyond `states` belong to nobody.
template <class T> class StateTiles {
 public:
  static constexpr int k_states = 32;
  StateTiles() = default;
  StateTiles(long states, Index size)
      : states_(states),
        size_(size),
        numbers_(static_cast<std::size_t>((states + k_states - 1) / k_states * k_states * size), T(0)) {}

  long states() const { return states_; }
  Index size() const { return size_; }
  T& operator()(long state, Index k) { return numbers_[at(state, k)]; }
  const T& operator()(long state, Index k) const { return numbers_[at(state, k)]; }
  T* data() { return numbers_.data(); }
  const T* data() const { return numbers_.data(); }

 private:
  std::size_t at(long s, Index k) const {
    return static_cast<std::size_t>((s / k_states * size_ + k) * k_states + s % k_states);
  }
  long states_ = 0;
  Index size_ = 0;
  std::vector<T> numbers_;
};

/// What a batch reads: a view that lives as long as the numbers behind it. Made from a row-major matrix (any distance
/// between rows), from tiles, or from one vector that holds for all states. Nothing given: zeros.
template <class T> class StatesIn {
 public:
  using Rows = Eigen::Ref<const StateRows<T>, 0, Eigen::OuterStride<>>;
  StatesIn() = default;
  StatesIn(const Rows& m)
      : layout_{m.data(), m.rows(), static_cast<Index>(m.cols()), 32 * m.outerStride(), m.outerStride(), 1} {}
  StatesIn(const StateRows<T>& m) : StatesIn(Rows(m)) {}
  StatesIn(const StateTiles<T>& t) : layout_{t.data(), t.states(), t.size(), 32L * t.size(), 1, 32} {}
  /// The same numbers for every state.
  static StatesIn for_all(const Eigen::Ref<const Eigen::Matrix<T, Eigen::Dynamic, 1>>& x) {
    return StatesIn({x.data(), -1, static_cast<Index>(x.size()), 0, 0, 1});
  }
  explicit StatesIn(const StateLayout<const T>& layout) : layout_(layout) {}
  const StateLayout<const T>& layout() const { return layout_; }

 private:
  StateLayout<const T> layout_;
};

/// What a batch writes: a row-major matrix or tiles. Nothing given: not wanted.
template <class T> class StatesOut {
 public:
  using Rows = Eigen::Ref<StateRows<T>, 0, Eigen::OuterStride<>>;
  StatesOut() = default;
  StatesOut(Rows m)
      : layout_{m.data(), m.rows(), static_cast<Index>(m.cols()), 32 * m.outerStride(), m.outerStride(), 1} {}
  StatesOut(StateRows<T>& m) : StatesOut(Rows(m)) {}
  StatesOut(StateTiles<T>& t) : layout_{t.data(), t.states(), t.size(), 32L * t.size(), 1, 32} {}
  explicit StatesOut(const StateLayout<T>& layout) : layout_(layout) {}
  const StateLayout<T>& layout() const { return layout_; }

 private:
  StateLayout<T> layout_;
};

}  // namespace zwang
