// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of several chains from one base that share coordinates: arms on a common torso, joints that mimic
// others, two targets on one arm.
//
//   d = J^T (J J^T + lambda 1)^-1 e
//   J, e: rows of all chains, columns of all coordinates; lambda, cap: as in chain.cpp
// The matrix has 6 K rows for K chains; it is inverted by the symmetric sweep operator, and coordinates
// that would leave their limits are put on them as in box_step.hpp. A chain that stalls begins again alone,
// with other values of the coordinates that are its own; where that has not helped for long, the shared
// ones are drawn again as well. A chain that has arrived never stalls. All draws come from the tables of
// the chains in a fixed order. Allocates nothing.
#pragma once
#include "kernels/chain_pose.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace chain {

/// A damped step of K chains within a box; see BoxStep.
template <int K> class JoinedStep {
 public:
  static constexpr int k_most = JoinedChains::k_most_coordinates;
  struct Column {
    Eight of[K];  ///< zero where a chain does not use the coordinate
  };
  Column J[k_most];
  unsigned used[k_most];  ///< bit k: chain k uses the coordinate
  double d[k_most];       ///< the step

  void solve(int n, const Eight (&e)[K], double lambda, const double* low, const double* high, double cap,
             const double* period) {
    for (int c = 0; c < n; ++c) {
      free_[c] = low[c] < high[c];
      fixed_[c] = 0;
    }
    factor(n, lambda);
    Eight r[K];
    for (int k = 0; k < K; ++k) r[k] = e[k];
    for (int pass = 0; pass <= n; ++pass) {
      Eight y[K];
      times(r, y);
      double most = 0;
      for (int c = 0; c < n; ++c) {
        d[c] = free_[c] ? -dot(J[c], used[c], y) : 0.0;
        most = std::fmax(most, std::fabs(d[c]));
      }
      const double part = most > cap ? cap / most : 1;
      for (int c = 0; c < n; ++c) d[c] = d[c] * part + fixed_[c];
      if (!hold(n, lambda, low, high, period, r)) return;
    }
  }

 private:
  static constexpr int k_rows = 6 * K;

  static ZWANG_INLINE double dot(const Column& a, unsigned used, const Eight (&y)[K]) {
    Eight sum(0.0);
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k)
      if (used >> k & 1) sum += a.of[k] * y[k];
    return sum3(fold(sum));
  }

  /// N = -(J J^T + lambda)^-1 of the free coordinates.
  void factor(int n, double lambda) {
    for (int i = 0; i < k_rows; ++i)
      for (int k = 0; k < K; ++k) N_[i][k] = Eight(0.0);
    for (int i = 0; i < k_rows; ++i) N_[i][i / 6].set(k_lane[i % 6], lambda);
    for (int c = 0; c < n; ++c) {
      if (!free_[c]) continue;
#pragma GCC unroll 4
      for (int k = 0; k < K; ++k) {
        if (!(used[c] >> k & 1)) continue;
#pragma GCC unroll 6
        for (int a = 0; a < 6; ++a) {
          const Eight factor(J[c].of[k][k_lane[a]]);
#pragma GCC unroll 4
          for (int m = 0; m < K; ++m)
            if (used[c] >> m & 1) N_[6 * k + a][m] += J[c].of[m] * factor;
        }
      }
    }
    for (int i = 0; i < k_rows; ++i) sweep(i);
  }

  ZWANG_INLINE void sweep(int p) {
    const int at = p / 6, lane = k_lane[p % 6];
    alignas(64) double row[8 * K];
    Eight scaled[K], minus[K];
    const double x = 1 / N_[p][at][lane];
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) {
      N_[p][k].store(row + 8 * k);
      scaled[k] = minus[k] = N_[p][k] * x;
    }
    scaled[at].set(lane, 1 - x);
    minus[at].set(lane, -x);
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) {
#pragma GCC unroll 6
      for (int a = 0; a < 6; ++a) {
        const double factor = row[8 * k + k_lane[a]];
#pragma GCC unroll 4
        for (int m = 0; m < K; ++m) N_[6 * k + a][m] -= scaled[m] * factor;
      }
    }
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) N_[p][k] = minus[k];
  }

  /// y = N r
  ZWANG_INLINE void times(const Eight (&r)[K], Eight (&y)[K]) const {
#pragma GCC unroll 4
    for (int m = 0; m < K; ++m) y[m] = Eight(0.0);
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k)
#pragma GCC unroll 6
      for (int a = 0; a < 6; ++a) {
        const double factor = r[k][k_lane[a]];
#pragma GCC unroll 4
        for (int m = 0; m < K; ++m) y[m] += N_[6 * k + a][m] * factor;
      }
  }

  /// Puts the free coordinates that are beyond the box on its wall. False if there are none.
  bool hold(int n, double lambda, const double* low, const double* high, const double* period, Eight (&r)[K]) {
    bool some = false, again = false;
    for (int c = 0; c < n; ++c) {
      const double x = d[c];
      if (!free_[c] || (x >= low[c] && x <= high[c])) continue;
      if (period[c] > 0) {
        const double around = x > high[c] ? x - period[c] : x + period[c];
        if (around >= low[c] && around <= high[c]) {
          d[c] = around;
          continue;
        }
      }
      const double wall = x > high[c] ? high[c] : low[c];
      free_[c] = false;
      fixed_[c] = wall;
      some = true;
      for (int k = 0; k < K; ++k) r[k] -= J[c].of[k] * wall;
      Eight y[K];
      times(J[c].of, y);
      const double rest = 1 + dot(J[c], used[c], y);
      again = again || rest < 1e-8;  // the column was the only one in some direction: its removal would cancel
      const double scale = 1 / rest;
      for (int k = 0; k < K; ++k)
        for (int a = 0; a < 6; ++a) {
          const double factor = y[k][k_lane[a]] * scale;
          for (int m = 0; m < K; ++m) N_[6 * k + a][m] -= y[m] * factor;
        }
    }
    if (again) factor(n, lambda);
    return some;
  }

  Eight N_[k_rows][K];
  double fixed_[k_most];
  bool free_[k_most];
};

template <int K, int L> class JoinedSearch {
 public:
  JoinedSearch(const JoinedChains& c, const PoseTask* tasks, const PoseBudget& budget, JoinedOutcome& out)
      : c_(c),
        tasks_(tasks),
        budget_(budget),
        out_(out) {
    const int n = c_.coordinates;
    for (int i = 0; i < n; ++i) {
      step_.used[i] = 0;
      slide_[i] = 0;
    }
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < c_.chain[k]->joints; ++i)
        if (c_.chain[k]->turn[i] == 0)
          slide_[c_.coordinate[k][i]] = std::fmax(slide_[c_.coordinate[k][i]], std::fabs(c_.chain[k]->slide[i]));
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < c_.chain[k]->joints; ++i)
        if (c_.chain[k]->turn[i] != 0) slide_[c_.coordinate[k][i]] = 0;
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < c_.chain[k]->joints; ++i) step_.used[c_.coordinate[k][i]] |= 1u << k;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < K; ++k) step_.J[i].of[k] = Eight(0.0);
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < L; ++i) look_[k].J[i] = Eight(0.0);
  }

  void solve(const double* seed, double* x) {
    const int n = c_.coordinates;
    for (int i = 0; i < n; ++i) {
      lower_[i] = c_.fixed[i] ? seed[i] : c_.lower[i];
      upper_[i] = c_.fixed[i] ? seed[i] : c_.upper[i];
      x[i] = best_[i] = std::fmin(std::fmax(seed[i], lower_[i]), upper_[i]);
    }
    out_.found = search(x);
    if (out_.found)
      come_near(seed, x);
    else
      for (int i = 0; i < n; ++i) x[i] = best_[i];
  }

 private:
  static constexpr int k_most = JoinedChains::k_most_coordinates;
  static constexpr int k_patience = 2;  ///< steps that a chain may need more than alone: the others move it, too
  static constexpr int k_long = 80;     ///< steps without a chain that begins again, after which shared ones are drawn

  void look_at(int k, const double* x) {
    const SerialChain& c = *c_.chain[k];
    alignas(64) double q[L] = {};
    for (int i = 0; i < c.joints; ++i) q[i] = x[c_.coordinate[k][i]];
    look<L>(c, Target(tasks_[k]), q, look_[k]);
    ++out_.evaluations;
  }
  double look_at_all(const double* x) {
    double E = 0;
    for (int k = 0; k < K; ++k) {
      look_at(k, x);
      E += look_[k].E;
    }
    return E;
  }

  bool search(double* x) {
    for (int k = 0; k < K; ++k) slow_[k] = 0;
    double E = look_at_all(x);
    for (int k = 0; k < K; ++k) mark_[k] = look_[k].E;
    best_E_ = E;
    for (int age = 0;; ++age) {
      bool done = true;
      for (int k = 0; k < K; ++k) done = done && look_[k].done;
      if (done) return true;
      if (out_.evaluations >= budget_.evaluations) return false;
      move(E, x);
      E = look_at_all(x);
      if (E < best_E_) {
        best_E_ = E;
        for (int i = 0; i < c_.coordinates; ++i) best_[i] = x[i];
      }
      bool again = false;
      for (int k = 0; k < K; ++k) {
        if (look_[k].done || look_[k].E < k_progress * mark_[k]) {
          mark_[k] = look_[k].E;
          slow_[k] = 0;
        } else if (++slow_[k] > budget_.stall + k_patience) {
          draw(k, false, x);
          again = true;
        }
      }
      if (!again && age > k_long) {
        age = 0;
        draw(0, true, x);
        again = true;
      }
      if (again) E = begin_again(x);
    }
  }

  /// After a draw: the chains whose coordinates have changed are measured anew.
  double begin_again(const double* x) {
    double E = 0;
    for (int k = 0; k < K; ++k) {
      if (drawn_ >> k & 1) {
        look_at(k, x);
        mark_[k] = look_[k].E;
        slow_[k] = 0;
      }
      E += look_[k].E;
    }
    drawn_ = 0;
    return E;
  }

  /// Coordinates of chain k from its table: those that are its own, or, where it has none, or with `shared`, all.
  void draw(int k, bool shared, double* x) {
    const SerialChain& c = *c_.chain[k];
    const double* const from = c.start + SerialChain::k_most_joints * ((draws_ * 8 + k) % c.seeds);
    ++draws_;
    bool own = false;
    for (int i = 0; i < c.joints; ++i) own = own || step_.used[c_.coordinate[k][i]] == 1u << k;
    for (int i = 0; i < c.joints; ++i) {
      const int at = c_.coordinate[k][i];
      if (c_.fixed[at] || (own && !shared && step_.used[at] != 1u << k)) continue;
      x[at] = std::fmin(std::fmax(from[i], lower_[at]), upper_[at]);
      drawn_ |= step_.used[at];
    }
  }

  void move(double E, double* x) {
    const int n = c_.coordinates;
    for (int k = 0; k < K; ++k) {
      const SerialChain& c = *c_.chain[k];
      e_[k] = look_[k].e;
      if (c_.repeated)
        for (int i = 0; i < c.joints; ++i) step_.J[c_.coordinate[k][i]].of[k] = Eight(0.0);
      for (int i = 0; i < c.joints; ++i) {
        Eight& column = step_.J[c_.coordinate[k][i]].of[k];
        column = c_.repeated ? column + look_[k].J[i] : look_[k].J[i];
      }
    }
    double low[k_most], high[k_most], unit[k_most], measure = 0;
    for (int k = 0; k < K; ++k) measure = std::fmax(measure, std::fmax(c_.chain[k]->length, look_[k].away));
    for (int i = 0; i < n; ++i) {
      unit[i] = slide_[i] > 0 ? measure / slide_[i] : 1;
      low[i] = (lower_[i] - x[i]) / unit[i];
      high[i] = (upper_[i] - x[i]) / unit[i];
      if (slide_[i] > 0)
        for (int k = 0; k < K; ++k) step_.J[i].of[k] = step_.J[i].of[k] * unit[i];
    }
    step_.solve(n, e_, k_damping * E + k_least_damping, low, high, k_cap, c_.period);
    for (int i = 0; i < n; ++i) x[i] = std::fmin(std::fmax(x[i] + step_.d[i] * unit[i], lower_[i]), upper_[i]);
  }

  /// Turns coordinates by whole turns towards the seed, if all poses stay within the tolerances.
  void come_near(const double* seed, double* x) {
    double near[k_most];
    bool turned = false;
    for (int i = 0; i < c_.coordinates; ++i) {
      near[i] = x[i];
      if (!(c_.period[i] > 0)) continue;
      const double turns = std::nearbyint((seed[i] - x[i]) / c_.period[i]), there = x[i] + turns * c_.period[i];
      if (turns == 0 || there < lower_[i] || there > upper_[i]) continue;
      near[i] = there;
      turned = true;
    }
    if (!turned) return;
    look_at_all(near);
    for (int k = 0; k < K; ++k)
      if (!look_[k].done) return;
    for (int i = 0; i < c_.coordinates; ++i) x[i] = near[i];
  }

  const JoinedChains& c_;
  const PoseTask* const tasks_;
  const PoseBudget& budget_;
  JoinedOutcome& out_;
  JoinedStep<K> step_;
  Look<L> look_[K];
  Eight e_[K];
  double lower_[k_most], upper_[k_most], best_[k_most], best_E_ = 0;
  double slide_[k_most];  ///< of coordinates that only slide: the largest travel of a joint per unit, else 0
  double mark_[K];
  Index slow_[K], draws_ = 0;
  unsigned drawn_ = 0;  ///< chains whose coordinates have been drawn
};

}  // namespace chain
}  // namespace ZWANG_ISA
}  // namespace zwang
