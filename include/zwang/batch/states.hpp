// SPDX-License-Identifier: BSD-3-Clause
// Arrays of states in the forms that a batch reads and writes: rows of a matrix, tiles of 32 states,
// or one row for all.
#pragma once
#include <Eigen/Core>
#include <new>
#include <type_traits>
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

namespace impl {
/// Memory aligned to a cache line.
template <class T> struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t k_line{64};
  LineAllocator() = default;
  template <class U> LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), k_line)); }
  void deallocate(T* p, std::size_t) { ::operator delete(static_cast<void*>(p), k_line); }
  bool operator==(const LineAllocator&) const { return true; }
};
}  // namespace impl

/// States in tiles of 32, number after number: [tile][number][32]. The fastest order for a batch: a register holds the
/// same number of neighbouring states. The places of the last tile beyond `states` are not used.
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
  std::vector<T, impl::LineAllocator<T>> numbers_;  // no pack crosses a cache line
};

namespace impl {
/// A matrix, block or map of T, contiguous in memory.
template <class M, class T>
concept NumbersInMemory = std::is_same_v<typename M::Scalar, T> &&(M::Flags& Eigen::DirectAccessBit) != 0;
}  // namespace impl

/// Input of a batch: a view, valid as long as its numbers. Made from a matrix, block or map with one state per row
/// (StateRows is the fastest of these), from tiles, or from one vector for all states. Default: zeros.
template <class T> class StatesIn {
 public:
  StatesIn() = default;
  template <impl::NumbersInMemory<T> M> StatesIn(const Eigen::DenseBase<M>& m) {
    const M& x = m.derived();
    layout_ = {x.data(), x.rows(), static_cast<Index>(x.cols()), 32 * x.rowStride(), x.rowStride(), x.colStride()};
    given_ = true;
  }
  StatesIn(const StateTiles<T>& t) : layout_{t.data(), t.states(), t.size(), 32L * t.size(), 1, 32}, given_(true) {}
  /// The same numbers for every state: from a vector, or a block or map that is one.
  template <impl::NumbersInMemory<T> M>
  requires(M::IsVectorAtCompileTime != 0) static StatesIn for_all(const Eigen::DenseBase<M>& m) {
    const M& x = m.derived();
    return StatesIn({x.data(), -1, static_cast<Index>(x.size()), 0, 0, x.innerStride()});
  }
  template <class M> static StatesIn for_all(const Eigen::PlainObjectBase<M>&&) = delete;  ///< no temporaries
  explicit StatesIn(const StateLayout<const T>& layout)
      : layout_(layout),
        given_(layout.data != nullptr || layout.states != 0 || layout.size != 0) {}
  const StateLayout<const T>& layout() const { return layout_; }
  bool given() const { return given_; }  ///< a matrix without rows and columns counts as given, with a wrong size

 private:
  StateLayout<const T> layout_;
  bool given_ = false;
};

/// Output of a batch: a matrix, block or map with one state per row, or tiles. Default: not computed.
template <class T> class StatesOut {
 public:
  StatesOut() = default;
  template <impl::NumbersInMemory<T> M>
  requires((M::Flags & Eigen::LvalueBit) != 0) StatesOut(Eigen::DenseBase<M>& m) {
    M& x = m.derived();
    layout_ = {x.data(), x.rows(), static_cast<Index>(x.cols()), 32 * x.rowStride(), x.rowStride(), x.colStride()};
    given_ = true;
  }
  /// A block or a map.
  template <impl::NumbersInMemory<T> M>
  requires((M::Flags & Eigen::LvalueBit) != 0) StatesOut(Eigen::DenseBase<M>&& m) : StatesOut(m) {}
  StatesOut(StateTiles<T>& t) : layout_{t.data(), t.states(), t.size(), 32L * t.size(), 1, 32}, given_(true) {}
  explicit StatesOut(const StateLayout<T>& layout)
      : layout_(layout),
        given_(layout.data != nullptr || layout.states != 0 || layout.size != 0) {}
  const StateLayout<T>& layout() const { return layout_; }
  bool given() const { return given_; }

 private:
  StateLayout<T> layout_;
  bool given_ = false;
};

}  // namespace zwang
