// SPDX-License-Identifier: BSD-3-Clause
// Explicit Runge-Kutta methods on the groups of the joints (Munthe-Kaas 1999): the classical one, one with an estimate
// of its error (Dormand & Prince 1980), and half-explicit ones (Brasey & Hairer 1993).
//
//   stage i    q_i = q (+) theta_i,   theta_i = h sum_j a_ij r_j,   v_i = v + h sum_j a_ij q''_j
//   rates      r_i = d(q_i (-) q)/dq_i v_i: how theta moves while q_i moves with v_i; v_i itself where q' = v
//   half-explicit: q''_j = q''(q_j, v_j) + M^-1 J^T mu, mu such that J(q_i) v_i = target_velocity at the next stage i
//   and at the end. J(q_i) is known before q''_j. mu by the factor of the solve at stage j: the error of J(q_i) v_i,
//   divided by h a_ij, changes beta; J(q_i) M^-1 J(q_j)^T differs from J(q_j) M^-1 J(q_j)^T by O(h), so that each pass
//   gains a digit or more. Ranks and dependent rows are those of the solve.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "manifold/instances.hpp"
#include "simulation/stepper.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang {
namespace {

/// Rows of a below the diagonal, then b; c of the stages.
struct Tableau {
  Index stages;
  const double* a;
  const double* c;
  const double* error =
      nullptr;  ///< [stages + 1] b less that of the embedded method; the last stage is the end of the step
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

/// Dormand & Prince 1980, order 5 with an embedded method of order 4.
constexpr double k_dormand_prince_a[] = {
    1 / 5.,         3 / 40.,       9 / 40.,     44 / 45.,     -56 / 15.,  32 / 9.,       19372 / 6561.,
    -25360 / 2187., 64448 / 6561., -212 / 729., 9017 / 3168., -355 / 33., 46732 / 5247., 49 / 176.,
    -5103 / 18656., 35 / 384.,     0,           500 / 1113.,  125 / 192., -2187 / 6784., 11 / 84.};
constexpr double k_dormand_prince_c[] = {0, 1 / 5., 3 / 10., 4 / 5., 8 / 9., 1};
constexpr double k_dormand_prince_error[] = {71 / 57600.,      0,         -71 / 16695., 71 / 1920.,
                                             -17253 / 339200., 22 / 525., -1 / 40.};
constexpr Tableau k_dormand_prince{6, k_dormand_prince_a, k_dormand_prince_c, k_dormand_prince_error};

constexpr double k_failed = std::numeric_limits<double>::infinity();
constexpr int k_most_halvings = 6;          // a step is divided into 64 parts at most
constexpr double k_unresolved = 1e-3;       // of an error in the shortest part: the motion is not that of the equations
constexpr double k_room_to_grow = 1 / 64.;  // of the accuracy: in parts twice as long the error is 2^5 times as large
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
        a_((tableau.stages + 1) * nv_),
        rate_((tableau.stages + 1) * nv_),
        theta_(nv_),
        v_(nv_),
        q_(motion.model.nq()),
        from_(motion.model.nq(), nv_) {
    if (half_explicit) rows_ = std::make_unique<VelocityRows>(motion);
  }

  bool step(double h, const MovementState& from, MovementState& to) override {
    return tableau_.error != nullptr ? step_in_parts(h, from, to) : step_once(h, from, to);
  }
  bool keeps_velocities() const override { return rows_ != nullptr; }
  long iterations() const override { return passes_; }
  double largest_error() const override { return largest_error_; }

 private:
  /// The step in 2^d equal parts or in longer ones where these are good: each with an error within the accuracy.
  bool step_in_parts(double h, const MovementState& from, MovementState& to) {
    const double accuracy = motion_.settings.accuracy;
    from_.copy(from);
    for (long done = 0, parts = 1; done < parts;) {
      const double length = h / static_cast<double>(parts);
      const bool shortest = parts >= 1L << k_most_halvings;
      const double error = step_once(length, from_, to) ? error_of(length, from_, to) : k_failed;
      if (!(error <= accuracy) && !shortest) {
        parts *= 2;
        done *= 2;
        continue;
      }
      if (error == k_failed) return false;
      if (!(error <= k_unresolved)) return unresolved(length, error);
      ++passes_;
      largest_error_ = std::max(largest_error_, error);
      from_.copy(to);
      ++done;
      if (parts > 1 && done % 2 == 0 && error <= k_room_to_grow * accuracy) {
        parts /= 2;
        done /= 2;
      }
    }
    to.time = from.time + h;
    return true;
  }
  bool unresolved(double length, double error) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "the motion is too fast for its steps: in parts of %.2g s the error of one is still %.2g; take "
                  "shorter steps, or "
                  "look for what is that stiff",
                  length, error);
    return motion_.fail(Status::not_converged, text);
  }
  /// Of a step: the largest of |theta| in rad or m and |v| beside the largest velocity (or 1).
  double error_of(double h, const MovementState& from, const MovementState& to) {
    if (!motion_.accelerate(to, 0)) return k_failed;
    keep(tableau_.stages);
    rate(tableau_.stages, from.q.data(), to.q.data(), to.v.data());
    double turn = 0, gain = 0, size = 1;
    for (Index k = 0; k < nv_; ++k) {
      double of_turn = 0, of_gain = 0;
      for (Index j = 0; j <= tableau_.stages; ++j) {
        of_turn += tableau_.error[j] * rate_[j * nv_ + k];
        of_gain += tableau_.error[j] * a_[j * nv_ + k];
      }
      turn = std::max(turn, std::fabs(h * of_turn));
      gain = std::max(gain, std::fabs(h * of_gain));
      size = std::max({size, std::fabs(from.v[k]), std::fabs(to.v[k])});
    }
    if (std::isfinite(turn + gain)) return std::max(turn, gain / size);
    motion_.fail(Status::overflow, "the state leaves the range of double");
    return k_failed;
  }

  bool step_once(double h, const MovementState& from, MovementState& to) {
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
      rate(i, from.q.data(), q, v);
    }
    to.time = from.time + h;
    return true;
  }
  /// How theta of q = from (+) theta moves with v.
  void rate(Index stage, const double* from, const double* q, const double* v) {
    double* const rate = &rate_[stage * nv_];
    page::difference_blocks(motion_.model.tree<double>(), from, q,
                            [&](Index at, Index n, const double*, const double* by_end) {
                              for (Index k = 0; k < n; ++k) {
                                rate[at + k] = 0;
                                for (Index l = 0; l < n; ++l) rate[at + k] += by_end[k * n + l] * v[at + l];
                              }
                            });
  }
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
  double largest_error_ = 0;
  Buffer<double> a_, rate_, theta_, v_, q_;
  MovementState from_;
  std::unique_ptr<VelocityRows> rows_;
};

template <const Tableau& of, bool half_explicit> std::unique_ptr<Stepper> make(Movement& motion) {
  return std::make_unique<RungeKutta>(motion, of, half_explicit);
}

}  // namespace

const IntegratorRow integrator::rk4{"rk4", make<k_rk4, false>, 2.785, 2.828};
const IntegratorRow integrator::half_explicit{"half_explicit", make<k_hem4, true>, 5.365, 3.276};
const IntegratorRow integrator::dormand_prince{"dormand_prince", make<k_dormand_prince, false>, 64 * 3.3, 64};

}  // namespace zwang
