// SPDX-License-Identifier: BSD-3-Clause
// CompressedRows: relations whose rows depend on each other at a state, each with as many combinations of its rows as
// count. A hinge that closes a planar linkage has five rows, of which two count.
//
//   J: the rows of one relation, Y: orthonormal columns that span the range of J, in the user's units
//   carried  K' = Y^T K,  beta' = Y^T beta;    afterwards  lambda = Y lambda'
// Then W = W' Y^T, and since Y^T Y = 1: (W^T)^+ r = (W'^T)^+ Y^T r and W^+ = Y W'^+. Motion and least-norm multipliers
// are those of all rows, whatever the other constraints are. Dropping rows instead would lose the multipliers, and the
// motion where rows contradict each other. What contradicts the dependency, (1 - Y Y^T) r, shows in the residuals.
// A relation acts on no joint beyond the lowest common ancestor of its bodies, so that the joints of the loop decide
// its rank. Only what the rank rule (mass_weighted_rows.hpp, in the metric of these coordinates) calls rounding is
// left out; a relation with a nearly dependent row is carried as it is.
// Cost m_b^2 n_b for m_b rows and n_b columns of a loop. Memory is allocated at construction.
#pragma once
#include <vector>

#include "linear/rank_revealing.hpp"
#include "linear/reflections.hpp"
#include "rows/problem.hpp"

namespace zwang {

class CompressedRows {
 public:
  static constexpr Index most = 8;  ///< rows of a relation

  explicit CompressedRows(const Problem& problem);

  /// Whether some relation has more rows than columns on its loop.
  bool must_depend(const Problem& problem);
  /// Examines the relations with more rows than columns on their loop; with `all`, every relation. The rows of the
  /// problem must be attached. True if some rows depend on others.
  bool find(const Problem& problem, bool all);

  /// Rows [first, first + size) of the problem, carried as rows [carried, carried + rank).
  struct Block {
    Index first, size, carried, rank;
    const double* turn;  ///< [size x size] by rows: Y, then the circuits; nullptr: carried as they are
    Index circuits = 0;  ///< size - rank, unless some are lost in rounding
    const double* row_of_turn(Index i) const { return turn + i * size; }
  };
  const std::vector<Block>& blocks() const { return blocks_; }
  const Block* block_of(Index constraint) const {  ///< nullptr: carried as it is
    return at_[constraint] >= 0 ? &blocks_[static_cast<std::size_t>(at_[constraint])] : nullptr;
  }
  Index dropped() const { return dropped_; }
  /// The row that is carried for row k of the problem; -1: combinations are.
  Index carried(Index k) const { return carried_[k]; }
  /// A minimal set of dependent rows of a block: sum_i coefficient(i, j) (J a)_i = 0; its last row has coefficient 1.
  static double coefficient(const Block& b, Index i, Index j) { return b.row_of_turn(i)[b.rank + j]; }

  /// b' = Y^T b and lambda = Y lambda', in place: problem.rows.m numbers.
  template <class T> void contract(T* x) const;
  template <class T> void expand(T* x) const;

 private:
  static bool may_depend(const Problem& problem, std::size_t entry);
  Index list_columns(const Problem& problem, const Constraint& x);
  bool is_balanced(const Problem& problem, const Block& b) const;
  void write_rows(const Problem& problem, const Block& b);
  bool compress(const Problem& problem, Block& b);
  void write_turn(Block& b, double* turn);

  RankRevealing system_;
  dense::Reflections complement_;
  Buffer<double> W_, bound_;     ///< [most x columns], [most]
  Buffer<Index> column_;         ///< [columns] of the loop
  Buffer<unsigned char> which_;  ///< [columns] the body that the column moves: first or second
  Buffer<double> turn_;          ///< [most x rows]
  Buffer<Index> carried_, at_;   ///< [rows], [constraints]
  std::vector<Block> blocks_;
  Index columns_ = 0, dropped_ = 0;
};

template <class T> void CompressedRows::contract(T* x) const {
  for (const Block& b : blocks_) {
    T y[most];
    for (Index j = 0; b.turn != nullptr && j < b.rank; ++j) {
      y[j] = x[b.first] * b.turn[j];
      for (Index i = 1; i < b.size; ++i) y[j] += x[b.first + i] * b.row_of_turn(i)[j];
    }
    for (Index j = 0; j < b.rank; ++j) x[b.carried + j] = b.turn != nullptr ? y[j] : x[b.first + j];
  }
}

template <class T> void CompressedRows::expand(T* x) const {
  for (auto b = blocks_.rbegin(); b != blocks_.rend(); ++b) {
    T y[most];
    for (Index j = 0; b->turn != nullptr && j < b->rank; ++j) y[j] = x[b->carried + j];
    for (Index i = b->size; i-- > 0;) {
      if (b->turn == nullptr) {
        x[b->first + i] = x[b->carried + i];
        continue;
      }
      T sum(0.0);
      for (Index j = 0; j < b->rank; ++j) sum += y[j] * b->row_of_turn(i)[j];
      x[b->first + i] = sum;
    }
  }
}

}  // namespace zwang
