// SPDX-License-Identifier: BSD-3-Clause
// Explicit Runge-Kutta methods on the groups of the joints (Munthe-Kaas 1999), and half-explicit ones (Brasey & Hairer 1993).
//
//   stage i    q_i = q (+) theta_i,   theta_i = h sum_j a_ij r_j,   v_i = v + h sum_j a_ij q''_j
//   rates      r_i = d(q_i (-) q)/dq_i v_i: how theta moves while q_i moves with v_i; v_i itself where q' = v
//   half-explicit: q''_j = q''(q_j, v_j) + M^-1 J^T mu, mu such that J(q_i) v_i = target_velocity at the next stage i and at
//   the end. J(q_i) is known before q''_j. mu by the factor of the solve at stage j: the error of J(q_i) v_i, divided by
//   h a_ij, changes beta; J(q_i) M^-1 J(q_j)^T differs from J(q_j) M^-1 J(q_j)^T by O(h), so that each pass gains a digit
//   or more. Ranks and dependent rows are those of the solve.
#include <algorithm>
#include <cmath>

#include "manifold/instances.hpp"
#include "simulation/stepper.hpp"
#include "zwang/dynamics/constraint_evaluator.hpp"

namespace zwang {
namespace {

/// Rows of a below the diagonal, then b; c of the stages.
struct Tableau {
  Index stages;
  const double* a;
  const double* c;
  const double* row(Index i) const { return a + i * (i - 1) / 2; }  ///< i numbers; i = stages: b
};

constexpr double k_classical[] = {0.5, 0, 0.5, 0, 0, 1, 1 / 6., 1 / 3., 1 / 3., 1 / 6.};
constexpr double k_classical_c[] = {0, 0.5, 0.5, 1};
constexpr Tableau k_rk4{4, k_classical, k_classical_c};

/// HEM4: Brasey & Hairer 1993, table 5, whose s is the root of 6. The last three are a Radau formula.
constexpr double root_6 = 2.449489742783178098197284074705891392;
constexpr double k_half_explicit_a[] = {0.3,
                                        (1 + root_6) / 30,
                                        (11 - 4 * root_6) / 30,
                                        (-79 - 31 * root_6) / 150,
                                        (-1 - 4 * root_6) / 30,
                                        (24 + 11 * root_6) / 25,
                                        (14 + 5 * root_6) / 6,
                                        (-8 + 7 * root_6) / 6,
                                        (-9 - 7 * root_6) / 4,
                                        (9 - root_6) / 4,
                                        0,
                                        0,
                                        (16 - root_6) / 36,
                                        (16 + root_6) / 36,
                                        1 / 9.};
constexpr double k_half_explicit_c[] = {0, 0.3, (4 - root_6) / 10, (4 + root_6) / 10, 1};
constexpr Tableau k_hem4{5, k_half_explicit_a, k_half_explicit_c};

constexpr int k_most_passes = 40;

/// J v = target_velocity at the end of what an acceleration does.
class VelocityRows {
 public:
  explicit VelocityRows(Movement& motion)
      : motion_(motion),
        evaluator_(motion.model, motion.set),
        nv_(motion.model.nv()),
        rows_(motion.set.rows()),
        tau_(2 * nv_),
        beta_(2 * rows_),
        column_(2 * nv_),
        lambda_(2 * rows_),
        solved_(nv_) {}

  /// Keeps the right-hand sides of the last solve, whose acceleration is a [nv].
  void take(const double* a) {
    std::copy_n(a, nv_, solved_.data());
    for (Index k = 0; k < 2 * nv_; ++k) tau_[k] = motion_.tau()[k % std::max<Index>(nv_, 1)];
    Index r = 0;
    for (const Constraint& x : motion_.set.constraints())
      for (Index i = 0; i < x.size(); ++i, ++r) beta_[r] = beta_[rows_ + r] = x.beta[static_cast<std::size_t>(i)];
  }
  /// Changes a so that J(q) (v + weight a) = target_velocity; v: everything but the part of a.
  bool hold(const double* q, const double* v, double weight, double* a, double* end, long* passes) {
    double before = 0;
    for (int pass = 0; pass < k_most_passes; ++pass) {
      double size = 0;
      for (Index k = 0; k < nv_; ++k) {
        end[k] = v[k] + weight * a[k];
        size = std::max(size, std::fabs(end[k]));
      }
      const double error = measure(q, end, weight);
      if (!std::isfinite(error)) break;
      if (error <= 1e-15 * size || error == 0) return true;
      if (pass > 0 && error > 0.5 * before) {  // rounding, or too long a step
        if (before <= 1e-9 * (1 + size)) return true;
        if (error > before) break;
      }
      before = error;
      ++*passes;
      motion_.solver.solve_columns(two(tau_, nv_), two(beta_, rows_), two_out(column_, nv_), two_out(lambda_, rows_));
      for (Index k = 0; k < nv_; ++k) a[k] = solved_[k] + (column_[nv_ + k] - column_[k]);
    }
    return motion_.fail(Status::not_converged,
                        "the velocities of the rows are not held: the step is too long for the half-explicit method");
  }

 private:
  static BorrowedMatrix two(const Buffer<double>& x, Index rows) { return matrix_in(x.data(), rows, 2); }
  static Eigen::Map<Eigen::MatrixXd> two_out(Buffer<double>& x, Index rows) { return {x.data(), rows, 2}; }

  /// The largest error of the rows; moves their beta by it.
  double measure(const double* q, const double* v, double weight) {
    evaluator_.evaluate(vector_in(q, motion_.model.nq()), vector_in(v, nv_));
    const VectorView error = evaluator_.velocity_error();
    double largest = 0;
    Index r = 0, active = 0;
    for (const Constraint& x : motion_.set.constraints()) {
      const bool held = x.active && x.policy != Policy::soft && !x.is_bounded();
      for (Index i = 0; i < x.size(); ++i, ++r) {
        const double e = x.active ? error[active++] : 0.0;
        if (!held) continue;
        beta_[rows_ + r] -= e / weight;
        largest = std::max(largest, std::fabs(e));
      }
    }
    return largest;
  }

  Movement& motion_;
  ConstraintEvaluator evaluator_;
  Index nv_, rows_;
  Buffer<double> tau_, beta_, column_, lambda_, solved_;  ///< two columns: as solved, and with other beta
};

class RungeKutta : public Stepper {
 public:
  RungeKutta(Movement& motion, const Tableau& tableau, bool half_explicit)
      : motion_(motion),
        tableau_(tableau),
        nv_(motion.model.nv()),
        a_(tableau.stages * nv_),
        rate_(tableau.stages * nv_),
        theta_(nv_),
        v_(nv_),
        q_(motion.model.nq()) {
    if (half_explicit) rows_ = std::make_unique<VelocityRows>(motion);
  }

  bool step(double h, const MovementState& from, MovementState& to) override {
    if (!motion_.accelerate(from, 0)) return false;
    const Tree<double>& tree = motion_.model.tree<double>();
    keep(0);
    std::copy_n(from.v.data(), nv_, rate_.data());
    for (Index i = 1; i <= tableau_.stages; ++i) {
      const double* const row = tableau_.row(i);
      const bool last = i == tableau_.stages;
      double *const q = last ? to.q.data() : q_.data(), *const v = last ? to.v.data() : v_.data();
      const double time = from.time + (last ? h : h * tableau_.c[i]);
      combine(i, row, h, from.v.data(), v);
      page::integrate(tree, from.q.data(), theta_.data(), q);
      if (rows_ != nullptr && !hold(i, row[i - 1] * h, time, q, v)) return false;
      if (last) break;
      if (!motion_.accelerate(time, q, v, 0)) return false;
      keep(i);
      double* const rate = &rate_[i * nv_];
      page::difference_blocks(tree, from.q.data(), q, [&](Index at, Index n, const double*, const double* by_end) {
        for (Index k = 0; k < n; ++k) {
          rate[at + k] = 0;
          for (Index l = 0; l < n; ++l) rate[at + k] += by_end[k * n + l] * v[at + l];
        }
      });
    }
    to.time = from.time + h;
    return true;
  }
  bool keeps_velocities() const override { return rows_ != nullptr; }
  long iterations() const override { return passes_; }

 private:
  void keep(Index stage) {
    std::copy_n(motion_.acceleration(), nv_, &a_[stage * nv_]);
    if (rows_ != nullptr) rows_->take(&a_[stage * nv_]);
  }
  void combine(Index stages, const double* row, double h, const double* v0, double* v) {
    for (Index k = 0; k < nv_; ++k) {
      double turn = 0, gain = 0;
      for (Index j = 0; j < stages; ++j) {
        turn += row[j] * rate_[j * nv_ + k];
        gain += row[j] * a_[j * nv_ + k];
      }
      theta_[k] = h * turn;
      v[k] = v0[k] + h * gain;
    }
  }
  /// The acceleration of the stage before i, so that the rows hold at the velocity v of stage i.
  bool hold(Index i, double weight, double time, const double* q, double* v) {
    double* const a = &a_[(i - 1) * nv_];
    motion_.apply_control(time, q, v);  // target velocities
    for (Index k = 0; k < nv_; ++k) theta_[k] = v[k] - weight * a[k];
    return rows_->hold(q, theta_.data(), weight, a, v, &passes_);
  }

  Movement& motion_;
  const Tableau& tableau_;
  Index nv_;
  long passes_ = 0;
  Buffer<double> a_, rate_, theta_, v_, q_;
  std::unique_ptr<VelocityRows> rows_;
};

}  // namespace

std::unique_ptr<Stepper> make_rk4(Movement& motion) { return std::make_unique<RungeKutta>(motion, k_rk4, false); }
std::unique_ptr<Stepper> make_half_explicit(Movement& motion) {
  return std::make_unique<RungeKutta>(motion, k_hem4, true);
}

}  // namespace zwang
