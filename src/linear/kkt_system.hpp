// SPDX-License-Identifier: BSD-3-Clause
// KktSystem: what the methods that factor the whole KKT matrix share.
//
//   K = S [M J^T; J -R] S,   K x = S [tau; b],   [a; -lambda] = S x         S: powers of two
//
// The condition of K by Hager 1984.
//
// M and J have different units. With S, K has no entry above one, and a small entry or pivot is not an effect of units.
#pragma once
#include "linear/equations.hpp"
#include "linear/row_relations.hpp"

namespace zwang::dense {

class KktSystem {
 public:
  KktSystem(Index nv, Index m);
  bool take(const KktProblem& p, KktAnswer& answer);
  bool take_right(const KktProblem& p, KktAnswer& answer) { return equations_.take_right(p, answer); }

  Index size() const { return size_; }
  const double* row(Index i) const { return K_.data() + i * capacity_; }  ///< symmetric: a column, too
  double tolerance() const { return tolerance_; }  ///< of singular values of K: they have the scale of J M^-1 J^T
  /// The null space, `count` vectors of size() numbers to be written to null(k), contains two kinds: motions without
  /// inertia that no row determines, and relations between rows. False if there are any of the first kind.
  double* null(Index k) { return null_.data() + k * capacity_; }
  bool split_null(Index count);
  const Interruption* stop() const { return stop_; }  ///< of the problem taken
  bool is_stopped() const { return is_asked(stop_); }
  Index relations() const { return relations_.count(); }

  /// x := the solution of K x = S [tau; b] with b projected; `solve` solves one right-hand side in place. Refined once.
  template <class Solve> const double* solve(Solve&& solve) {
    right_hand_side();
    solve(x_.data());
    residual();
    solve(r_.data());
    for (Index i = 0; i < size_; ++i) x_[i] += r_[i];
    return x_.data();
  }
  void publish(const KktProblem& p, KktAnswer& answer);

  /// For factors that do not reveal the rank: whether K is regular beyond doubt,
  /// by an estimate of |K^-1| from a few solves.
  template <class Solve> bool is_regular(Solve&& solve) {
    double norm = 0;
    start_walk();
    do {
      solve(x_.data());
      norm = norm_of_step(norm);
      solve(r_.data());
    } while (walk_on());
    return norm * (k_doubt * tolerance_) < 1;
  }

 private:
  static constexpr double k_doubt = 1e3;  // an estimate may be wrong by a factor of tens
  void start_walk();
  double norm_of_step(double before);
  bool walk_on();
  void right_hand_side();
  void residual();
  Equations equations_;
  Index capacity_, size_ = 0, unit_ = -1, steps_ = 0;
  double tolerance_ = 0;
  const Interruption* stop_ = nullptr;
  Buffer<double> K_, scale_, right_, x_, r_, null_;
  RowRelations relations_;
};

}  // namespace zwang::dense
