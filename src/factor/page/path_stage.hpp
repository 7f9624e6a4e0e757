// SPDX-License-Identifier: BSD-3-Clause
// PathStage: the plan and the numbers of rows that are eliminated at the ends of their own paths, for one state
// (kernels/path_rows.hpp). factor/path_plan.cpp fills the plan in.
#pragma once
#include "zwang/factor/page/hybrid.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// Where the rows of a block act on one body.
struct PathStrand {
  Index body = 0, group = 0;     ///< of RowNumbers::K and l; the rows stand in the lanes 0 ... count - 1
  Index entry = 0, entries = 0;  ///< their ActiveRows
  Index columns = 0;             ///< from the body to where the strands of the block meet; of one strand: to its end
};

/// The plan of a block: the hard rows of one body, or those of a relation between two bodies.
struct PathPlace {
  PathStrand strand[2];
  Index strands = 1, count = 0;  ///< count: rows
  Index row = 0;                 ///< the first of them in the order of the sweep
  Index end = 0;                 ///< the body at which they are eliminated; 0: at the ground
  Index first = 0,
        columns = 0;   ///< their own path in PathStage::path: of each strand from its body inward, then common
  Index together = 1;  ///< blocks from this one on that are worked on side by side
  Index four = 0;      ///< in PathStage::four
};

/// A block with the numbers of a state.
struct PathBlock : PathPlace {
  using Rows = Wide<double, 8>;
  Force<Rows> K;               ///< at the end of the path
  Rows l;                      ///< at the end of the path
  Rows K_row[8];               ///< K of each row at the end of the path
  Rows Lambda[8], inverse[8];  ///< four to eight rows: Lambda of the path; -Lambda^-1
  double L[3], pivot[3];       ///< up to three rows: Lambda = L D L^T, L_10, L_20, L_21 and 1 / D
  Rows lambda;
  Rows force2[2], moment2[2];      ///< of each strand: squares of |k_lin| and of |k_ang|, |p| |k_lin|
  Rows target;                     ///< |beta|
  Rows bound;                      ///< of Lambda_ii, free of cancellation
  Rows residual, relative, speed;  ///< K a - beta, the same divided by its scale, and the velocity of the rows
};

/// Two to four blocks of up to three rows that end at the same body after equally many columns: a block in each lane.
struct PathFour {
  using Blocks = Wide<double, 4>;
  static constexpr Index most_columns = 8;
  Force<Blocks> K[3];  ///< rows 0, 1, 2 of each block at the end of its path
  Blocks l[3];
  Blocks absent[3];       ///< 1 where a block has no such row
  Blocks L[3], pivot[3];  ///< as in PathBlock
  Blocks w[most_columns][3], inv_D[most_columns];
};

/// How far the blocks are from dependent: the largest of any block (RootDoubt).
struct PathDoubt {
  double bounds = 0;  ///< of trace sqrt(spread)
  double rows = 0;    ///< of trace times the number of rows
  ZWANG_INLINE void take(double trace, double spread, Index count) {
    const double a = trace * std::sqrt(spread), b = trace * static_cast<double>(count);
    // A NaN stays: nothing compares with it, and then the result is not beyond doubt.
    if (a > bounds || a != a) bounds = a;
    if (b > rows || b != b) rows = b;
  }
};

/// The inertia of a free root as A = L D L^T.
struct RootFactor {
  Wide<double, 8> L[6];
  double inv_D[6];
};

/// What the answer to another right-hand side goes through (kernels/path_response.hpp).
struct PathResponse {
  PathResponse() = default;
  PathResponse(const Tree<double>& tree, Index rows) : p(tree.n + 1), a(tree.n + 1), u(tree.spanning_nv), l(rows) {}
  Buffer<PaddedForce> p;      ///< [n + 1] forces that children have passed to a body
  Buffer<PaddedMotion> a;     ///< [n + 1] motions of the bodies
  Buffer<double> u;           ///< [nv] (tau - s^T p) / D, then with what the rows push
  Buffer<PathBlock::Rows> l;  ///< [blocks] at the ends of their paths
};

struct PathStage {
  PathStage() = default;
  /// For `rows` rows.
  PathStage(const Tree<double>& tree, Index rows)
      : block(rows),
        four(rows / 2),
        path(tree.spanning_nv),
        w(tree.spanning_nv),
        inward(tree.n + 1),
        walk(2 * rows),
        force(tree.n + 1),
        pushed(tree.spanning_nv),
        ends(tree.n + 1),
        response(tree, rows) {}

  // The plan.
  Buffer<PathBlock> block;  ///< in the order of elimination: those that end at the outermost bodies first
  Index blocks = 0;
  Buffer<PathFour> four;
  Buffer<Index> path;         ///< columns of all paths
  Buffer<PathBlock::Rows> w;  ///< K s of each of them
  Buffer<Index> inward;       ///< bodies between the ends and the ground, from the outside
  Index inward_bodies = 0;
  Buffer<Index> walk;         ///< [2 blocks] scratch of the plan
  bool relations = false;     ///< some blocks are those of relations
  bool root_is_free = false;  ///< every block has ended where the free root is left
  // The numbers of a state.
  Buffer<PaddedForce> force;   ///< [n + 1] K^T lambda on the bodies where paths end
  Buffer<double> pushed;       ///< [nv] w^T lambda
  Buffer<unsigned char> ends;  ///< [n + 1] some block ends at the body
  Six end_force;               ///< K^T lambda of the blocks that end at a body, K at the end of their paths
  Six root_force;              ///< the same of body 1
  RootFactor root;             ///< of a free root before rows are eliminated there
  PathDoubt doubt;
  double motion2 = 0;          ///< sum of D u^2 over the columns that the sweep has eliminated one by one
  double energy = 0;           ///< sum of (w^T lambda)^2 / D over all paths: twice their share of Z
  bool root_at_once = false;   ///< a free root has been solved at once,
  ColumnInertia root_inertia;  ///< with this inertia, that of the rows on it included
  PathResponse response;
};

}  // namespace ZWANG_ISA
}  // namespace zwang
