// SPDX-License-Identifier: BSD-3-Clause
// Elimination of rows before the root: Sathya, Bruyninckx, Decre & Pipeleers 2024 (PV-early), in a form that stays
// accurate where a joint can hardly move a row. Rows between bodies are eliminated from the body where their strands
// have met: the lowest common ancestor, as in Bae & Haug 1987 and Brandl, Johanni & Otter 1987.
//
// After a joint has added its part to Lambda, each block of the subtree is diagonalised, S^-1 Lambda_bb S^-1 = Q sigma
// Q^T with s_i^2 the rows' bounds of Lambda_ii, and its rows are rotated with it: K' = Q^T S^-1 K. A direction k is
// eliminated here if its inertia K'_k K'_k^T / sigma_k does not swamp the parent's articulated inertia:
//   I_A += K K^T / sigma,   p_A += K l / sigma
//   other rows F alive:  K_F -= f K / sigma,  l_F -= f l / sigma,  Lambda_FF -= f f^T / sigma,   f = Lambda_Fk
// The other directions go on with their sigma. Outward: lambda_k = -(K a + l + f^T lambda_F) / sigma, lambda = S^-1 Q
// lambda'. DIFFERS: the source eliminates the range of w at once with Lambda = 0, which loses all digits where sigma is
// tiny. Cost: each joint of one degree of freedom raises the rank by one at most, so few rows survive: O(n + m).
#pragma once
#include "zwang/factor/page/sweep_stage.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// I_A += K g K^T, p_A += K g l
template <class S> ZWANG_INLINE void absorb_row(Level<S>& x, const Force<S>& K, const S& l, const S& g) {
  subtract_outer(x.IA, K * -g, K);
  x.pA += K * (g * l);
  x.gross_mass += dot(K.f, K.f) * g;
  x.gross_moment += dot(K.n, K.n) * g;
}

/// Eigenvalues d and eigenvectors Q (columns) of a small symmetric matrix, both n x n, row by row, by cyclic Jacobi
/// rotations (Golub & Van Loan 2013, sec. 8.5). E is overwritten.
template <class S> void small_eigen(Index n, S* E, S* Q, S* d) {
  for (Index i = 0; i < n * n; ++i) Q[i] = S(i % (n + 1) == 0 ? 1 : 0);
  for (int sweep = 0; sweep < 30; ++sweep) {
    S off(0), total(0);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) (i == j ? total : off) += E[i * n + j] * E[i * n + j];
    if (!(off > total * epsilon_of<S> * epsilon_of<S>)) break;
    for (Index p = 0; p < n; ++p)
      for (Index q = p + 1; q < n; ++q) {
        const S f = E[p * n + q];
        if (f == S(0)) continue;
        const S theta = (E[q * n + q] - E[p * n + p]) / (S(2) * f);
        const S t = (theta >= S(0) ? S(1) : S(-1)) / (abs(theta) + sqrt(S(1) + theta * theta));
        const S c = S(1) / sqrt(S(1) + t * t), s = t * c;
        for (Index k = 0; k < n; ++k) {
          const S a = E[k * n + p], b = E[k * n + q], x = Q[k * n + p], y = Q[k * n + q];
          E[k * n + p] = c * a - s * b;
          E[k * n + q] = s * a + c * b;
          Q[k * n + p] = c * x - s * y;
          Q[k * n + q] = s * x + c * y;
        }
        for (Index k = 0; k < n; ++k) {
          const S a = E[p * n + k], b = E[q * n + k];
          E[p * n + k] = c * a - s * b;
          E[q * n + k] = s * a + c * b;
        }
      }
  }
  for (Index i = 0; i < n; ++i) d[i] = E[i * n + i];
}

/// One block at one joint, in plain numbers.
template <class S> struct EarlyBlock {
  static constexpr Index most = RowLanes<S>::count;
  Index b = 0, n = 0;
  Index lane_of[most];  ///< of the rows alive
  S inv_s[most], sigma[most], Q[most * most];
  Force<S> K[most];  ///< rotated
  bool stiff[most];
  Index stiff_count = 0;
};

template <class S> Force<S> row_force(const SweepStage<S>& r, Index b, Index i) {
  const auto& K = r.strand.K[b];
  return {{lane<S>(&K.f.x, i), lane<S>(&K.f.y, i), lane<S>(&K.f.z, i)},
          {lane<S>(&K.n.x, i), lane<S>(&K.n.y, i), lane<S>(&K.n.z, i)}};
}
template <class S> void set_row_force(SweepStage<S>& r, Index b, Index i, const Force<S>& K) {
  for (Index c = 0; c < 3; ++c) {
    set_lane(&r.strand.K[b].f[c], i, K.f[c]);
    set_lane(&r.strand.K[b].n[c], i, K.n[c]);
  }
}

/// Diagonalises a block and decides which of its directions can be eliminated here.
template <class S> EarlyBlock<S> examine_block(const SweepStage<S>& r, Index b, const Level<S>& up) {
  constexpr Index lanes = SweepStage<S>::lanes;
  EarlyBlock<S> x;
  x.b = b;
  for (Index i = 0; i < r.strand.filled[b]; ++i)
    if (!r.block.gone[b * lanes + i]) x.lane_of[x.n++] = i;
  S E[EarlyBlock<S>::most * EarlyBlock<S>::most];
  for (Index i = 0; i < x.n; ++i) {
    const S bound = lane<S>(&r.strand.bound[b], x.lane_of[i]);
    x.inv_s[i] = bound > S(0) ? S(1) / sqrt(bound) : S(0);
  }
  for (Index i = 0; i < x.n; ++i)
    for (Index j = 0; j <= i; ++j)
      E[i * x.n + j] = E[j * x.n + i] = lane<S>(r.tile(b, b) + x.lane_of[i], x.lane_of[j]) * x.inv_s[i] * x.inv_s[j];
  small_eigen(x.n, E, x.Q, x.sigma);
  constexpr S k_share = S(10);      // largest inertia of a direction, relative to the parent's
  constexpr S k_certain = S(1e-8);  // relative to a row's own bound: above it a direction is certainly moved
  const S mass = linear_trace(up.IA) * k_share, moment = angular_trace(up.IA) * k_share;
  for (Index k = 0; k < x.n; ++k) {
    Force<S> K = Force<S>::zero();
    for (Index i = 0; i < x.n; ++i) K += row_force(r, b, x.lane_of[i]) * (x.Q[i * x.n + k] * x.inv_s[i]);
    x.K[k] = K;
    x.stiff[k] = x.sigma[k] > k_certain && dot(K.f, K.f) <= mass * x.sigma[k] && dot(K.n, K.n) <= moment * x.sigma[k];
    x.stiff_count += x.stiff[k] ? 1 : 0;
  }
  return x;
}

/// y'_k = sum of Q_ik s_i^-1 y_i over the rows of a block; get(i) and set(k, y) access lane i.
template <class S, class Get, class Set> void turn(const EarlyBlock<S>& x, Get get, Set set) {
  S y[EarlyBlock<S>::most];
  for (Index i = 0; i < x.n; ++i) y[i] = get(x.lane_of[i]) * x.inv_s[i];
  for (Index k = 0; k < x.n; ++k) {
    S sum(0);
    for (Index i = 0; i < x.n; ++i) sum += x.Q[i * x.n + k] * y[i];
    set(x.lane_of[k], sum);
  }
}

/// Rotates the rows of a block, with their couplings to the other blocks of the list.
template <class S> void turn_block(SweepStage<S>& r, const EarlyBlock<S>& x, const Index* list, Index count) {
  constexpr Index lanes = SweepStage<S>::lanes;
  const Index b = x.b;
  turn(
      x, [&](Index i) { return lane<S>(&r.strand.l[b], i); }, [&](Index i, S y) { set_lane(&r.strand.l[b], i, y); });
  for (Index j = 0; j < count; ++j) {
    const Index c = list[j];
    if (c == b) continue;
    for (Index o = 0; o < r.strand.filled[c]; ++o) {
      const auto entry = [&](Index i) -> std::pair<typename SweepStage<S>::Side*, Index> {
        if (c < b) return {r.tile(b, c) + i, o};
        return {r.tile(c, b) + o, i};
      };
      turn(
          x, [&](Index i) { return lane<S>(entry(i).first, entry(i).second); },
          [&](Index i, S y) { set_lane(entry(i).first, entry(i).second, y); });
    }
  }
  S size[EarlyBlock<S>::most], force[EarlyBlock<S>::most], moment[EarlyBlock<S>::most];
  for (Index k = 0; k < x.n; ++k) {
    size[k] = force[k] = moment[k] = S(0);
    for (Index i = 0; i < x.n; ++i) {
      const S q = abs(x.Q[i * x.n + k]) * x.inv_s[i];
      size[k] += q * sqrt(lane<S>(&r.strand.bound[b], x.lane_of[i]));
      force[k] += q * sqrt(lane<S>(&r.strand.force2[b], x.lane_of[i]));
      moment[k] += q * sqrt(lane<S>(&r.strand.moment2[b], x.lane_of[i]));
    }
  }
  for (Index k = 0; k < x.n; ++k) {
    const Index i = x.lane_of[k];
    set_row_force(r, b, i, x.K[k]);
    set_lane(&r.strand.bound[b], i, size[k] * size[k]);
    set_lane(&r.strand.force2[b], i, force[k] * force[k]);
    set_lane(&r.strand.moment2[b], i, moment[k] * moment[k]);
    auto* const row = r.tile(b, b) + i;
    for (Index j = 0; j < lanes; ++j) set_lane(row, j, j == i ? x.sigma[k] : S(0));
  }
}

/// Eliminates one row of a rotated block; its couplings are kept for the outward pass. The bounds of the other rows
/// grow with what the rounding of sigma leaves in them.
template <class S> void eliminate_row(SweepStage<S>& r, Index b, Index i, S sigma, const Index* list,
                                      const Index* strand, Index count, Level<S>& up) {
  using Rows = typename SweepStage<S>::Side;
  constexpr Index lanes = SweepStage<S>::lanes;
  EarlyStep<S>& step = r.gone.step[r.gone.steps++];
  step = {i, row_force(r, b, i), sigma, lane<S>(&r.strand.l[b], i), r.gone.coupled_top};
  absorb_row(up, step.K, step.l, S(1) / sigma);
  Rows* const f = r.gone.coupled.data() + r.gone.coupled_top;
  r.gone.coupled_top += count;
  const Index slot = b * lanes + i;
  for (Index j = 0; j < count; ++j) {
    const Index c = list[j];
    f[j] = Rows(S(0));
    if (c < b) f[j] = r.tile(b, c)[i];
    for (Index o = 0; c > b && o < r.strand.filled[c]; ++o) set_lane(f + j, o, lane<S>(r.tile(c, b) + o, i));
  }
  const Force<S> T = step.K * (S(1) / sigma);
  const S noise = lane<S>(&r.strand.bound[b], i) / (sigma * sigma);
  for (Index j = 0; j < count; ++j) {
    const Index c = list[j];
    if (c == b) continue;
    for (Index d = 0; d < 3; ++d) {
      r.strand.K[strand[j]].f[d] -= f[j] * T.f[d];
      r.strand.K[strand[j]].n[d] -= f[j] * T.n[d];
    }
    r.strand.l[strand[j]] -= f[j] * (step.l / sigma);
    r.strand.bound[strand[j]] += f[j] * f[j] * noise;
    for (Index o = 0; o < r.strand.filled[c]; ++o) {
      const S h = lane<S>(f + j, o) / sigma;
      for (Index k = 0; k <= j; ++k)
        if (list[k] != b) r.tile(c, list[k])[o] -= f[k] * h;
      if (c > b) set_lane(r.tile(c, b) + o, i, S(0));
    }
  }
  for (Index j = 0; j < count && list[j] <= b; ++j) r.tile(b, list[j])[i] = Rows(S(0));
  set_row_force(r, b, i, Force<S>::zero());
  for (auto* x : {&r.strand.l, &r.strand.bound, &r.strand.force2, &r.strand.moment2}) set_lane(&(*x)[b], i, S(0));
  r.block.gone[slot] = 1;
  --r.block.alive[b];
}

/// Eliminates the eligible rows of the blocks of a body's list, after its joint has added its part. True if a whole
/// block was eliminated.
template <class S> bool eliminate_early(SweepStage<S>& r, Index body, Level<S>& up) {
  const Index* const list = r.live.list_of(body);
  const Index count = r.live.list_size[body];
  const Index* const strand = &r.live.stack[r.live.begin[body]];
  bool changed = false;
  for (Index j = 0; j < count; ++j) {
    const Index b = list[j];
    if (r.block.alive[b] == 0 || r.block.awaited[b] > 0) continue;
    const EarlyBlock<S> x = examine_block(r, b, up);
    if (x.stiff_count == 0) continue;
    EarlyEvent<S>& e = r.gone.event[r.gone.events++];
    e.body = body;
    e.block = b;
    e.first_step = r.gone.steps;
    e.steps = x.stiff_count;
    e.list = r.live.list_begin[body];
    e.count = count;
    for (S& q : e.Q) q = S(0);
    for (Index i = 0; i < x.n; ++i)
      for (Index k = 0; k < x.n; ++k)
        e.Q[x.lane_of[i] * SweepStage<S>::lanes + x.lane_of[k]] = x.inv_s[i] * x.Q[i * x.n + k];
    turn_block(r, x, list, count);
    for (Index k = 0; k < x.n; ++k)
      if (x.stiff[k]) eliminate_row(r, b, x.lane_of[k], x.sigma[k], list, strand, count, up);
    changed = changed || r.block.alive[b] == 0;
  }
  r.gone.event_end[body] = r.gone.events;
  if (!changed) return false;
  const Index begin = r.live.begin[body];
  Index kept = begin;
  for (Index j = begin; j < r.live.top; ++j)
    if (r.block.alive[r.strand.block_of[r.live.stack[j]]] > 0) r.live.stack[kept++] = r.live.stack[j];
  r.live.top = kept;
  return true;
}

/// The multipliers of the rows eliminated behind a body's joint, from the acceleration in front of the joint.
template <class S> void recover_early(SweepStage<S>& r, Index body, const Motion<S>& a) {
  constexpr Index lanes = SweepStage<S>::lanes;
  for (Index k = r.gone.event_end[body]; k-- > r.gone.event_begin[body];) {
    const EarlyEvent<S>& e = r.gone.event[k];
    const Index* const list = r.live.list.data() + e.list;
    for (Index s = e.first_step + e.steps; s-- > e.first_step;) {
      const EarlyStep<S>& step = r.gone.step[s];
      S x = step.l + dot(a, step.K);
      for (Index j = 0; j < e.count; ++j)
        if (list[j] != e.block) x += lane_sum<S>(r.gone.coupled[step.coupled + j] * r.block.lambda[list[j]]);
      set_lane(&r.block.lambda[e.block], step.lane, -x / step.sigma);
    }
    S before[EarlyBlock<S>::most];
    for (Index i = 0; i < lanes; ++i) {
      before[i] = S(0);
      for (Index c = 0; c < lanes; ++c) before[i] += e.Q[i * lanes + c] * lane<S>(&r.block.lambda[e.block], c);
    }
    for (Index i = 0; i < lanes; ++i) set_lane(&r.block.lambda[e.block], i, before[i]);
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
