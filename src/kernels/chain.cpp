// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of a serial chain: damped Newton steps that are always taken, from seeds of a table.
//
//   d = J^T (J J^T + lambda 1)^-1 e,   lambda = 0.05 E + 1e-12,   E = |e|^2 / 2,   |d|_inf <= 1.2,   within the limits
// lambda falls with the square of the error, so that the last steps are Newton's (Sugihara 2011 for the idea of a
// damping that follows the error). A descent ends when E has not fallen to 0.7 of its value within `stall` steps; then
// the next seed is taken: the caller's, those of the table (chain_seeds.hpp), random ones. The budget counts
// evaluations, never time: the same call gives the same bits, on every instruction set.
#include "kernels/box_step.hpp"
#include "kernels/chain_seeds.hpp"
#include "kernels/joined_chains.hpp"
#include "kernels/nearest_pose.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

using chain::k_cap, chain::k_damping, chain::k_least_damping, chain::k_progress;
using chain::Look;
using chain::Target;
constexpr int k_most = SerialChain::k_most_joints;
constexpr int k_most_steps = 60;
constexpr double k_nearest_gradient = 1e-10;
constexpr int k_nearest_steps = 100;

template <int L> class Search {
 public:
  Search(const SerialChain& c, const PoseTask& task, const PoseBudget& budget, PoseOutcome& out)
      : c_(c),
        to_(task),
        budget_(budget),
        out_(out),
        slides_(chain::slides(c)) {
    for (int i = 0; i < L; ++i) look_.J[i] = chain::Eight(0.0);
  }

  void solve(const double* seed, double* q) {
    for (int i = 0; i < L; ++i)
      q[i] = best_[i] = i < c_.joints ? std::fmin(std::fmax(seed[i], c_.lower[i]), c_.upper[i]) : 0.0;
    best_E_ = std::numeric_limits<double>::infinity();
    out_.out_of_reach = out_of_reach();
    if (out_.out_of_reach || !search(seed, q)) {
      for (int i = 0; i < L; ++i) q[i] = best_[i];
      if (budget_.nearest) find_nearest(seed, q);
    }
    publish(q);
  }

 private:
  using Lanes = Wide<double, L>;

  /// The target is farther from the first joint than the sum of all lengths: nothing to search for.
  bool out_of_reach() const {
    const PoseTask& t = to_.task;
    if (!(t.position_weight > 0)) return false;
    const double* const P = c_.placement[0];
    const Vec4 d = to_.X.p - vec4(P[9], P[10], P[11]);
    return std::sqrt(chain::dot3(d, d)) > c_.reach * (1 + 1e-14) + 2 * t.position_tolerance;
  }

  /// Descents from one seed after the other. True where a solution was found, which is in q.
  bool search(const double* seed, double* q) {
    double solution[k_most] = {}, nearest = std::numeric_limits<double>::infinity();
    Index found = 0;
    for (Index k = budget_.seed_first ? 0 : 1; k < budget_.descents && out_.evaluations < budget_.evaluations; ++k) {
      if (!seed_number(k, q)) break;
      ++out_.descents;
      if (!descend(q)) continue;
      come_near(seed, q);
      const double away = distance(seed, q);
      if (away < nearest) {
        nearest = away;
        for (int i = 0; i < L; ++i) solution[i] = q[i];
      }
      if (++found >= budget_.solutions) break;
    }
    for (int i = 0; i < L && found > 0; ++i) q[i] = solution[i];
    return found > 0;
  }

  /// 0: q as it is; then those of the table for this target; then all of the table.
  bool seed_number(Index k, double* q) {
    if (k == 0) return true;
    if (ranked_count_ < 0) ranked_count_ = chain::find_seeds<L>(c_, to_, static_cast<int>(budget_.ranked), ranked_);
    const double* from = nullptr;
    if (k <= ranked_count_)
      from = ranked_[k - 1];
    else if (k - 1 - ranked_count_ < c_.seeds)
      from = c_.start + static_cast<long>(k - 1 - ranked_count_) * k_most;
    if (from == nullptr) return false;
    for (int i = 0; i < L; ++i) q[i] = from[i];
    return true;
  }

  /// True where q has become a solution.
  bool descend(double* q) {
    alignas(64) double x[L];
    for (int i = 0; i < L; ++i) x[i] = q[i];
    const Lanes lower = Lanes::load(c_.lower), upper = Lanes::load(c_.upper);
    double mark = std::numeric_limits<double>::infinity();
    Index slow = 0;
    for (int step = 0;; ++step) {
      chain::look<L>(c_, to_, x, look_);
      ++out_.evaluations;
      if (look_.done) break;
      if (look_.E < k_progress * mark) {
        mark = look_.E;
        slow = 0;
      } else if (++slow > budget_.stall) {
        break;
      }
      if (step == k_most_steps || out_.evaluations >= budget_.evaluations) break;
      const Lanes at = Lanes::load(x);
      Lanes low = lower - at, high = upper - at, unit(1.0);
      if (slides_) {
        const double measure = std::fmax(c_.length, look_.away);
        for (int i = 0; i < c_.joints; ++i) {
          const double u = chain::unit_of(c_, i, measure);
          unit.set(i, u);
          look_.J[i] = look_.J[i] * u;
          low.set(i, low[i] / u);
          high.set(i, high[i] / u);
        }
      }
      step_.solve(c_.joints, look_.J, look_.e, k_damping * look_.E + k_least_damping, low, high, k_cap,
                  c_.wraps ? c_.period : nullptr);
      clamped(at + step_.d * unit, lower, upper).store(x);
    }
    if (look_.done || look_.E < best_E_) {
      for (int i = 0; i < L; ++i) best_[i] = x[i];
      best_E_ = look_.E;
    }
    for (int i = 0; i < L; ++i) q[i] = x[i];
    return look_.done;
  }

  static ZWANG_INLINE Lanes clamped(const Lanes& x, const Lanes& low, const Lanes& high) {
    Lanes r;
#pragma GCC unroll 16
    for (int i = 0; i < Lanes::parts; ++i) r.part[i] = max(min(x.part[i], high.part[i]), low.part[i]);
    return r;
  }

  /// Turns joints by whole turns towards the seed, if the pose stays within the tolerances.
  void come_near(const double* seed, double* q) {
    alignas(64) double x[L];
    bool turned = false;
    for (int i = 0; i < L; ++i) {
      x[i] = q[i];
      if (!(c_.period[i] > 0)) continue;
      const double turns = std::nearbyint((seed[i] - q[i]) / c_.period[i]);
      const double there = q[i] + turns * c_.period[i];
      if (turns == 0 || there < c_.lower[i] || there > c_.upper[i]) continue;
      x[i] = there;
      turned = true;
    }
    if (!turned) return;
    chain::place<L>(c_, x, look_.at);
    if (!chain::Miss(to_, look_.at.tip).within(to_.task)) return;
    for (int i = 0; i < L; ++i) q[i] = x[i];
  }

  double distance(const double* seed, const double* q) const {
    double s = 0;
    for (int i = 0; i < c_.joints; ++i) s += (q[i] - seed[i]) * (q[i] - seed[i]);
    return s;
  }

  /// The lowest stationary point from the seed, the best point of all descents, and the seeds of the table.
  void find_nearest(const double* seed, double* q) {
    chain::NearestPose<L> nearest(c_, to_);
    double value = std::numeric_limits<double>::infinity();
    if (ranked_count_ < 0) ranked_count_ = chain::find_seeds<L>(c_, to_, static_cast<int>(budget_.ranked), ranked_);
    for (int k = -2; k < ranked_count_; ++k) {
      alignas(64) double x[L];
      const double* const from = k == -2 ? best_ : k == -1 ? seed : ranked_[k];
      for (int i = 0; i < L; ++i) x[i] = i < c_.joints ? std::fmin(std::fmax(from[i], c_.lower[i]), c_.upper[i]) : 0.0;
      const bool stationary = nearest.descend(x, k_nearest_gradient, k_nearest_steps);
      // A point that is not known to be stationary counts only where no other one does.
      const double worth = stationary ? nearest.value : nearest.value * (1 + 1e-6) + 1e-12;
      if (!(worth < value)) continue;
      value = worth;
      out_.stationary = stationary;
      out_.gradient = nearest.gradient;
      out_.bound_below = nearest.below;
      out_.bound_above = nearest.above;
      for (int i = 0; i < L; ++i) q[i] = x[i];
    }
    out_.evaluations += nearest.evaluations;
  }

  void publish(const double* q) {
    chain::place<L>(c_, q, look_.at);
    const chain::Miss miss(to_, look_.at.tip);
    out_.found = miss.within(to_.task);
    for (int k = 0; k < 3; ++k) {
      out_.error[k] = miss.dp[k];
      out_.error[3 + k] = miss.s[k];
    }
    out_.cosine = miss.cosine;
  }

  const SerialChain& c_;
  const Target to_;
  const PoseBudget& budget_;
  PoseOutcome& out_;
  const bool slides_;
  Look<L> look_;
  chain::BoxStep<L> step_;
  double best_[k_most] = {}, best_E_ = 0;
  int ranked_count_ = -1;
  double ranked_[SerialChain::k_side][k_most];
};

template <int L> void solve(const SerialChain& c, const PoseTask& task, const PoseBudget& budget, const double* seed,
                            double* q, PoseOutcome& out) {
  out = PoseOutcome();
  Search<L>(c, task, budget, out).solve(seed, q);
  for (int i = c.joints; i < k_most; ++i) q[i] = 0;
}

template <int L> void pose(const SerialChain& c, const double* q, double* out) {
  chain::Place<L> at;
  chain::place<L>(c, q, at);
  const Vec4 columns[4] = {at.tip.R.x, at.tip.R.y, at.tip.R.z, at.tip.p};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out[3 * i + k] = columns[k][i];
    out[9 + i] = columns[3][i];
  }
}

template <int L> void jacobian(const SerialChain& c, const double* q, double* out) {
  PoseTask task{};
  task.position_weight = task.direction_weight = 1;
  Look<L> look;
  chain::look<L>(c, Target(task), q, look);
  for (int i = 0; i < c.joints; ++i)
    for (int k = 0; k < 6; ++k) out[6 * i + k] = look.J[i][chain::k_lane[k]];
}

template <int L> void key(const SerialChain& c, const double* q, float* out, double* azimuth) {
  chain::Place<L> at;
  chain::place<L>(c, q, at);
  *azimuth = chain::key_of(c, at.axis[c.joints - 1], at.origin[c.joints - 1], out);
}

template <int L> double velocity(const SerialChain& c, const PoseTask& weights, double damping, const double* q,
                                 const double* twist, const double* rest, const double* low, const double* high,
                                 double* v, unsigned* held) {
  using Lanes = Wide<double, L>;
  Look<L> look;
  for (int i = 0; i < L; ++i) look.J[i] = chain::Eight(0.0);
  chain::look<L>(c, Target(weights), q, look);
  const double w = weights.position_weight, u = weights.direction_weight;
  const chain::Eight wanted =
      join(vec4(w * twist[0], w * twist[1], w * twist[2]), vec4(u * twist[3], u * twist[4], u * twist[5]));
  chain::Eight e = wanted;
  Lanes base(0.0);
  if (rest != nullptr) {
    base = Lanes::load(rest);
    for (int i = 0; i < c.joints; ++i) e -= look.J[i] * rest[i];
  }
  chain::BoxStep<L> step;
  step.solve(c.joints, look.J, e, damping, Lanes::load(low) - base, Lanes::load(high) - base,
             std::numeric_limits<double>::infinity(), nullptr);
  (base + step.d).store(v);
  chain::Eight off = wanted;
  for (int i = 0; i < c.joints; ++i) {
    v[i] = std::fmin(std::fmax(v[i], low[i]), high[i]);
    off -= look.J[i] * v[i];
  }
  *held = step.held;
  return std::sqrt(chain::dot6(off, off));
}

/// Chains of up to eight joints in eight lanes, longer ones in sixteen.
#define ZWANG_BY_LENGTH(CALL) (c.joints <= 8 ? CALL<8> : CALL<16>)
void any_pose(const SerialChain& c, const double* q, double* out) { ZWANG_BY_LENGTH(pose)(c, q, out); }
void any_jacobian(const SerialChain& c, const double* q, double* out) { ZWANG_BY_LENGTH(jacobian)(c, q, out); }
void any_key(const SerialChain& c, const double* q, float* out, double* a) { ZWANG_BY_LENGTH(key)(c, q, out, a); }
void any_solve(const SerialChain& c, const PoseTask& task, const PoseBudget& budget, const double* seed, double* q,
               PoseOutcome& out) {
  ZWANG_BY_LENGTH(solve)(c, task, budget, seed, q, out);
}
double any_velocity(const SerialChain& c, const PoseTask& weights, double damping, const double* q, const double* twist,
                    const double* rest, const double* low, const double* high, double* v, unsigned* held) {
  return ZWANG_BY_LENGTH(velocity)(c, weights, damping, q, twist, rest, low, high, v, held);
}
#undef ZWANG_BY_LENGTH

template <int K, int L> void solve_joined(const JoinedChains& c, const PoseTask* tasks, const PoseBudget& budget,
                                          const double* seed, double* x, JoinedOutcome& out) {
  out = JoinedOutcome();
  chain::JoinedSearch<K, L>(c, tasks, budget, out).solve(seed, x);
}
template <int K> void solve_joined(const JoinedChains& c, const PoseTask* tasks, const PoseBudget& budget,
                                   const double* seed, double* x, JoinedOutcome& out) {
  Index most = 0;
  for (int k = 0; k < K; ++k) most = c.chain[k]->joints > most ? c.chain[k]->joints : most;
  return most <= 8 ? solve_joined<K, 8>(c, tasks, budget, seed, x, out)
                   : solve_joined<K, 16>(c, tasks, budget, seed, x, out);
}
void any_solve_joined(const JoinedChains& c, const PoseTask* tasks, const PoseBudget& budget, const double* seed,
                      double* x, JoinedOutcome& out) {
  static_assert(JoinedChains::k_most_chains == 4);
  return c.chains == 1   ? solve_joined<1>(c, tasks, budget, seed, x, out)
         : c.chains == 2 ? solve_joined<2>(c, tasks, budget, seed, x, out)
         : c.chains == 3 ? solve_joined<3>(c, tasks, budget, seed, x, out)
                         : solve_joined<4>(c, tasks, budget, seed, x, out);
}

}  // namespace

extern const ChainKernels chain_kernel_table;
const ChainKernels chain_kernel_table{any_pose, any_jacobian, any_key, any_solve, any_velocity, any_solve_joined};

}  // namespace ZWANG_ISA
}  // namespace zwang
