// SPDX-License-Identifier: BSD-3-Clause
// The nearest pose of a chain: minimise f(q) = w^2 |p_t - p|^2 / 2 + v^2 (1 - cos t),  lower <= q <= upper.
//
// Projected Newton (Bertsekas 1982) with the exact Hessian. Joint i nearer to the base than j, a the axes, c_j the
// linear columns of the Jacobian, s_i the factors of its angles:
//   g_i  = -w^2 c_i . dp - v^2 s_i a_i . s
//   H_ij = w^2 [c_i . c_j - s_i dp . (a_i x c_j)]
//          + v^2 s_i s_j sum_k axis_k [(a_i . a_j)(r_k . r_tk) - (a_i . r_k)(a_j . r_tk)]
// A slide counts over the length of the links. Joints that the gradient pushes against their limits are held; the
// diagonal is shifted until Cholesky's factor exists and Armijo's condition holds. A projected gradient of
// rounding size with a positive Hessian is a local minimum; nothing is said of other ones. Cost about 1 us an
// iteration for seven joints. Allocates nothing.
#pragma once
#include "kernels/chain_pose.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace chain {

template <int L> class NearestPose {
 public:
  NearestPose(const SerialChain& c, const Target& to) : c_(c), to_(to), n_(c.joints) {
    for (int i = 0; i < L; ++i) unit_[i] = i < n_ ? unit_of(c, i, c.length) : 1;
  }

  double value = 0, gradient = 0;  ///< f and its projected gradient where descend() ended
  unsigned below = 0, above = 0;   ///< limits that hold joints back there
  Index evaluations = 0;

  /// From q to a stationary point. True where the gradient is at most `tolerance` (1 + w reach)^2.
  bool descend(double* q, double tolerance, int steps) {
    value = cost(q);
    double shift = 0;
    for (int step = 0;; ++step) {
      derivatives(q);
      if (gradient <= tolerance) return true;
      if (step == steps || !newton(q, shift)) return false;
    }
  }

 private:
  double cost(const double* q) {
    ++evaluations;
    place<L>(c_, q, at_);
    return cost_here();
  }
  double cost_here() const {
    const PoseTask& t = to_.task;
    const Pose &X = at_.tip, &T = to_.X;
    const Vec4 dp = T.p - X.p;
    double turned = 0;  // sum of axis_k |r_k - r_tk|^2 / 2 = 1 - cos t without cancellation
    const Vec4 r[3] = {X.R.x - T.R.x, X.R.y - T.R.y, X.R.z - T.R.z};
    for (int k = 0; k < 3; ++k) turned += 0.5 * t.axis[k] * dot3(r[k], r[k]);
    return 0.5 * t.position_weight * t.position_weight * dot3(dp, dp) +
           t.direction_weight * t.direction_weight * turned;
  }

  void derivatives(const double* q) {
    const PoseTask& t = to_.task;
    const double w2 = t.position_weight * t.position_weight, v2 = t.direction_weight * t.direction_weight;
    const Miss miss(to_, at_.tip);
    const Vec4 r[3] = {at_.tip.R.x, at_.tip.R.y, at_.tip.R.z}, rt[3] = {to_.X.R.x, to_.X.R.y, to_.X.R.z};
    const double sum = miss.cosine + t.axis_offset;
    away_ = w2 > 0 ? std::sqrt(dot3(miss.dp, miss.dp)) : 0;
    Vec4 column[L];
    gradient = 0;
    below = above = 0;
    for (int i = 0; i < n_; ++i) {
      const Vec4 a = at_.axis[i];
      column[i] = cross(a, at_.tip.p - at_.origin[i]) * c_.turn[i] + a * (c_.slide[i] * unit_[i]);
      g_[i] = -w2 * dot3(column[i], miss.dp) - v2 * c_.turn[i] * dot3(a, miss.s);
      if (q[i] <= c_.lower[i] && g_[i] > 0) below |= 1u << i;
      if (q[i] >= c_.upper[i] && g_[i] < 0) above |= 1u << i;
      free_[i] = !((below | above) >> i & 1);
      if (free_[i]) gradient = std::fmax(gradient, std::fabs(g_[i]));
    }
    largest_ = 0;
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i <= j; ++i) {
        const Vec4 a = at_.axis[i], b = at_.axis[j];
        double turned = dot3(a, b) * sum;
        for (int k = 0; k < 3; ++k) turned -= t.axis[k] * dot3(a, r[k]) * dot3(b, rt[k]);
        H_[j][i] = w2 * (dot3(column[i], column[j]) - c_.turn[i] * dot3(miss.dp, cross(a, column[j]))) +
                   v2 * c_.turn[i] * c_.turn[j] * turned;
      }
      largest_ = std::fmax(largest_, std::fabs(H_[j][j]));
    }
  }

  /// One step along -(H + shift)^-1 g of the free joints, clamped to the limits. False where nothing is lower.
  /// The shift begins at 1e-3 of the largest |H_jj| and grows by 4 until a step succeeds: larger numbers need fewer
  /// factors, but shift by more than is needed, which makes the step shorter and Newton's convergence linear.
  bool newton(double* q, double& shift) {
    double next[SerialChain::k_most_joints] = {};
    for (int attempt = 0; attempt < 40; ++attempt) {
      double d[L] = {};
      if (!solve(shift, d)) {
        shift = std::fmax(4 * shift, 1e-3 * largest_);
        continue;
      }
      // No angle changes by more than k_cap, 1.2 rad; a slide counts over the length of the links, or over the distance
      // to the target where that is larger. f consists of sines and cosines of angles, which a quadratic model follows
      // over a part of a turn only: a larger cap means more steps cut back below, a smaller one more steps.
      double turn = 0;
      for (int i = 0; i < n_; ++i)
        turn = std::fmax(turn, std::fabs(d[i]) * (unit_[i] == 1 ? 1 : c_.length / std::fmax(c_.length, away_)));
      double part = turn > k_cap ? k_cap / turn : 1;
      // A quarter of the step each time, at the least 0.25^7 = 6e-5 of it. A factor nearer to 1 evaluates f more often,
      // a smaller one may leave a step shorter than Armijo's condition needs. Then a larger shift turns it towards -g.
      for (int halving = 0; halving < 8; ++halving, part *= 0.25) {
        double slope = 0;
        for (int i = 0; i < n_; ++i) {
          next[i] = std::fmin(std::fmax(q[i] + part * d[i] * unit_[i], c_.lower[i]), c_.upper[i]);
          slope += g_[i] * (next[i] - q[i]) / unit_[i];
        }
        const double there = cost(next);
        // Armijo: at least 1e-4 of the fall that the slope predicts, so that nearly every step that falls is taken. A
        // Newton step on a quadratic falls by half of it: more than 0.5 would refuse that. 4e-16, 2 eps: rounding of f.
        if (there > value + 1e-4 * slope + 4e-16 * value) continue;
        for (int i = 0; i < n_; ++i) q[i] = next[i];
        value = there;
        // The first length has succeeded: less shift. Below 1e-6 of the largest |H_jj| it ends, so that the last steps
        // are Newton's; a larger bound ends it earlier, at the risk of another factor, a smaller one costs more steps.
        if (halving == 0) shift = shift * 0.25 < 1e-6 * largest_ ? 0 : shift * 0.25;
        return true;
      }
      shift = std::fmax(4 * shift, 1e-3 * largest_);
    }
    cost(q);
    return false;
  }

  /// d = -(H + shift)^-1 g on the free joints by Cholesky's factor. False where it does not exist: where a pivot is not
  /// above 1e-10 of the largest |H_jj|. That is far above a pivot's rounding, some n eps: a smaller bound takes a
  /// singular H for a positive one, a larger one shifts an H that needs none. 1e-12 on the diagonal is above the same
  /// rounding and a hundredth of the least pivot: less would be lost in it, more would slow the last steps down.
  bool solve(double shift, double* d) {
    double F[L][L], y[L];
    for (int j = 0; j < n_; ++j) {
      if (!free_[j]) continue;
      for (int i = 0; i <= j; ++i) {
        if (!free_[i]) continue;
        double s = H_[j][i] + (i == j ? shift + 1e-12 * largest_ : 0.0);
        for (int m = 0; m < i; ++m)
          if (free_[m]) s -= F[j][m] * F[i][m];
        if (i < j)
          F[j][i] = s / F[i][i];
        else if (!(s > 1e-10 * largest_))
          return false;
        else
          F[j][j] = std::sqrt(s);
      }
    }
    for (int j = 0; j < n_; ++j) {
      if (!free_[j]) continue;
      double s = -g_[j];
      for (int m = 0; m < j; ++m)
        if (free_[m]) s -= F[j][m] * y[m];
      y[j] = s / F[j][j];
    }
    for (int j = n_ - 1; j >= 0; --j) {
      if (!free_[j]) continue;
      double s = y[j];
      for (int m = j + 1; m < n_; ++m)
        if (free_[m]) s -= F[m][j] * d[m];
      d[j] = s / F[j][j];
    }
    return true;
  }

  const SerialChain& c_;
  const Target& to_;
  const int n_;
  Place<L> at_;
  double g_[L], H_[L][L], largest_ = 0, away_ = 0;
  double unit_[L];  ///< of a slide, what moves the tip by the length of the links
  bool free_[L];
};

}  // namespace chain
}  // namespace ZWANG_ISA
}  // namespace zwang
