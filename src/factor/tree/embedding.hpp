// SPDX-License-Identifier: BSD-3-Clause
// EmbeddingWorkspace: constraint embedding. The joints of a cluster (clusters.hpp), coupled by rows, are eliminated
// like one joint of an articulated-body recursion: no drift, no iteration, no matrix of all rows.
//
//   q'' = G y'' + g,  K G = 0,  K g = kappa        coordinates of a cluster, from the independent ones (row_split.hpp)
//   in    H = S^T I S + armature,  F = I S,  t = tau - S^T p      by composite inertias I of the cluster, whose bodies
//         D = G^T H G,  U = F G,  u = G^T (t - H g)               include I_A, p_A of their child clusters
//         I_A += I - U D^-1 U^T,  p_A += p + F g + U D^-1 u       at the body that the cluster hangs on
//   out   y'' = D^-1 (u - U^T a),  q'' = G y'' + g,   K^T lambda = H q'' + F^T a - t
//
// Jain 2012, "Multibody graph transformations and analysis: part II", sec. 4; Chignoli et al. 2023, algorithm 3; H as
// in Featherstone 2008, table 6.2.
// DIFFERS: world axes, so that S_cl = S_tree G is never stacked and passing on to the parent is a sum; G and g are
// computed from the rows at each state, for any rows. A joint without rows is a cluster of one body, eliminated by
// columns. A soft row between bodies adds k k^T / R to H; a soft row on one body is added to that body's inertia.
// Prescribed coordinates are known.
// Cost: O(n) for clusters of bounded size; k^2 (m + k) for a cluster of k coordinates. Rows that depend on the ground,
// of contacts and frames, make their path to it one cluster. Allocates nothing after construction.
#pragma once
#include "factor/tree/clusters.hpp"
#include "factor/tree/row_split.hpp"
#include "factor/tree/tree_problem.hpp"
#include "linear/row_relations.hpp"

namespace zwang {

/// The numbers of the current cluster, k coordinates.
struct ClusterNumbers {
  ClusterNumbers(Index nv, Index rows);
  // In the cluster's own order.
  Buffer<double> H_, torque_, gross_;  ///< [k x k], [k], [k]
  Buffer<PaddedForce> force_;          ///< [k]
  Buffer<unsigned char> given_;        ///< [k]
  Buffer<Index> free_;                 ///< [k] the coordinates that are not prescribed
  // In the order dependent, independent, prescribed.
  Buffer<double> P_, G_, g_, u_;       ///< [k x k] H, then D inside; [dependent x independent]; [k]; [k]
  Buffer<double> K_, reach2_, kappa_;  ///< scratch
};

class EmbeddingWorkspace : private ClusterNumbers {
 public:
  EmbeddingWorkspace(const Tree<double>& tree, const page::RowRoom& room);
  void solve(const TreeProblem& problem, TreeAnswer& answer);
  /// Another right-hand side with the factor of the last solve, which was ok: only vectors are computed.
  void apply(const TreeProblem& problem, TreeAnswer& answer);
  const Clusters& clusters() const { return clusters_; }

 private:
  /// What a cluster keeps for the outward pass. Its coordinates are in the order dependent, independent, prescribed.
  struct Kept {
    RowSplit split;
    double* H;  ///< [dependent x coordinates] rows of H
    double* K;  ///< [soft rows x coordinates] in the order of the cluster
    double* D;  ///< [independent x (independent + prescribed)] L of D = G^T H G, then H
  };
  void outward_all(const TreeProblem& p, const TreeAnswer& answer);
  void resolve_alone(const TreeProblem& p, Index c);
  void resolve_cluster(const TreeProblem& p, Index c);
  void resolve_torques(const TreeProblem& p, Index c);
  void resolve_rows(const TreeProblem& p, Index c);
  void resolve_motion(Index c);
  void keep_inertia(Index c);
  void take_bodies(const TreeProblem& p);
  bool is_alone(const Tree<double>& tree, Index c) const;
  bool inward_alone(const TreeProblem& p, Index c);
  void outward_alone(const TreeProblem& p, Index c, const TreeAnswer& answer);
  bool inward(const TreeProblem& p, Index c);
  void gather(const TreeProblem& p, Index c);
  void soften(const TreeProblem& p, Index c);
  void row(const TreeProblem& p, Index c, Index k, double* K, double* reach2) const;
  bool split(const TreeProblem& p, Index c);
  void arrange(Index c);
  void embed(Index c, const Interruption* stop);
  bool factor(Index c, const Interruption* stop);
  void pass_inward(const TreeProblem& p, Index c);
  void finish(Index c);
  void outward(const TreeProblem& p, Index c, const TreeAnswer& answer);
  void multipliers(const TreeProblem& p, Index c, const TreeAnswer& answer);
  void relate(const RowSplit& s, const Interruption* stop);
  void report_dependent(const TreeProblem& p, TreeAnswer& answer);
  double strength(const TreeAnswer& answer) const;
  double* take(Index size);

  Clusters clusters_;
  dense::RowRelations relations_;
  Buffer<Kept> kept_;                   ///< [clusters]
  Buffer<double> numbers_;              ///< of all clusters: lu, H, K
  Index taken_ = 0;                     ///< numbers in use
  Buffer<Index> row_, column_, order_;  ///< [rows], [nv], [nv]
  Buffer<double> R_, start_, C_;        ///< [rows], [rows], [nv]
  Buffer<double> t_, w_, value_;        ///< [nv] t; D^-1 u of independent coordinates; prescribed q''
  Buffer<PaddedForce> F_, Y_;           ///< [nv] F; U D^-1 of independent coordinates
  Buffer<PaddedForce> p_;               ///< [n + 1] for other right-hand sides
  // The dependent rows of the last solve.
  bool any_short_ = false;
  Buffer<double> W_, bound_, b_;
  Buffer<Index> dependent_;
};

}  // namespace zwang
