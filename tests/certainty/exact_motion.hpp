// SPDX-License-Identifier: BSD-3-Clause
// The constrained motion of a robot with hard rows in levels, in long double, from the reference of tests/support
// alone: what a Solver must answer, how well the rows determine it, and what an answer lacks.
#pragma once
#include <optional>

#include "certainty/exact_levels.hpp"
#include "dynamics/imposed.hpp"

namespace zwang::test {

inline constexpr Real k_double_eps = 0x1p-52L, k_float_eps = 0x1p-23L;

/// What does not depend on rows. M = R^T R by reflections of the links' weighted Jacobians, never through M itself:
/// next to gimbal lock M has a condition of 1e12, its root one of 1e6. Columns stand in reverse order, so that the
/// squares of R's diagonal are the inertias D that joints have with their subtrees free.
class Mechanics {
 public:
  Mechanics(const Robot& robot, const RandomState& state);
  int n() const { return static_cast<int>(root_.cols()); }
  const reference::State& state() const { return *state_; }
  const Robot& robot() const { return *robot_; }
  Vec weighed(const Vec& acceleration) const;  ///< R a
  Vec unweighed(const Vec& z) const;           ///< R^-1 z
  Vec weighed_row(const Vec& row) const;       ///< R^-T J_i^T
  const Vec& free() const { return free_; }    ///< acceleration without rows
  Real free_size() const {
    return free_size_;
  }                                    ///< magnitude of the terms of a_free in M: those of tau and of the bias forces
  const Vec& D() const { return D_; }  ///< by coordinate
  Real growth() const { return growth_; }  ///< largest sqrt(G / D), G: the inertia with the subtree rigid
  /// sum over columns of (F^2 |v|^2 + N^2 |w|^2) / D for a force F and a moment N about the base on a frame's body.
  Real bound(const std::string& frame, Real force, Real moment) const;
  /// Where bounds are formed about.
  const reference::Vector3<Real>& centre() const { return centre_; }

 private:
  const Robot* robot_;
  std::shared_ptr<const reference::State> state_;
  Mat root_;
  Vec free_, D_;
  Real free_size_ = 0, growth_ = 1;
  reference::Vector3<Real> centre_;
};

/// What is wrong with an answer. All are 0 but for rounding where the answer is right.
struct Flaws {
  Real error = 0;         ///< |a - a_exact|_M / (|z| + |a_free|_M)
  Real betterable = 0;    ///< worst level: what could be removed / (|b_p| + |r_p| + |W_p| |z|)
  Real unpromised = 0;    ///< worst of row residuals, levels and motion over the bounds that rounding allows
  std::size_t level = 0;  ///< of `betterable`
};

/// Rows at one state. `eps`: of the scalar that is judged; `factor`: on the threshold of the rank.
class ExactMotion {
 public:
  ExactMotion(const Mechanics& mechanics, const std::vector<AnyConstraint>& rows, Real eps = k_double_eps,
              Real factor = 1);
  const exact::LevelAnswer<Real>& levels() const { return answer_; }
  int rank() const { return answer_.rank; }
  int rows() const { return static_cast<int>(problem_.level.size()); }
  Real kappa() const { return answer_.kappa; }
  Real nu() const { return nu_; }  ///< largest sqrt(bound_i) / e_i of rows that move anything
  /// No row is within a factor of ten of its threshold.
  bool clear() const { return answer_.gap >= 10 && zero_gap_ >= 10; }
  /// Doubles can tell the motion: kappa nu <= 1e10, clear(), and levels of rows that are one rounding of their terms
  /// away lead to a motion that is as good at each of these levels. The last fails in 4 of 1000 problems from
  /// kappa = 1e7 on, where a level near dependence stands below another one: the product of their conditions counts.
  bool certain() const;
  /// By how much an answer is further from the rows, from the best of a level or from their forces than `ok` promises:
  /// than the rounding of the terms, and a hundred times what flaws_of_rounding() finds. 1 and less: it keeps it.
  Real over_promise(const Vec& acceleration) const;
  /// What the motion of rows lacks that are one rounding of their terms away, the worst of three random
  /// changes: what no method can avoid.
  Flaws flaws_of_rounding() const;
  Vec acceleration() const;
  Flaws flaws(const Vec& acceleration) const;
  /// Whether the rows of the highest level can be met; nothing where the residual is near what a solve takes for one,
  /// 1e-9 of a row's terms, however these are counted.
  std::optional<Status> status() const;
  const exact::LevelProblem<Real>& problem() const { return problem_; }

 private:
  void append(const Rows& rows, const AnyConstraint& constraint);
  std::vector<Real> residual(std::size_t level, const std::vector<Real>& z) const;

  const Mechanics* mechanics_;
  exact::LevelProblem<Real> problem_;
  std::vector<Real> bound_, e_, size_, b_;  ///< bound: its square root
  Real eps_, nu_ = 1, zero_gap_ = 1e30L;
  exact::LevelAnswer<Real> answer_;
};

}  // namespace zwang::test
