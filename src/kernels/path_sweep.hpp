// SPDX-License-Identifier: BSD-3-Clause
// The sweep with rows at the ends of their own paths (path_rows.hpp), and what users read of it, in one pass.
#pragma once
#include "kernels/path_four.hpp"
#include "kernels/solution.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace path_rows {

/// A = L D L^T of the inertia of a free root, from the last column to the first:
/// at once, while rows are still on their way.
ZWANG_INLINE void factor_root(const ColumnInertia& A, RootFactor& t) {
  Many c[6] = {A.c0, A.c1, A.c2, A.c3, A.c4, A.c5};
  const auto eliminate = [&]<int k>(Number<k>) ZWANG_LAMBDA {
    t.inv_D[k] = 1 / c[k][k];
    t.L[k] = c[k] * t.inv_D[k];
    [&]<int... j>(std::integer_sequence<int, j...>) ZWANG_LAMBDA { ((c[j] -= t.L[k] * spread<j>(c[k])), ...); }
    (std::make_integer_sequence<int, k>());
  };
  eliminate(Number<5>());
  eliminate(Number<4>());
  eliminate(Number<3>());
  eliminate(Number<2>());
  eliminate(Number<1>());
  eliminate(Number<0>());
}
/// f^T A^-1 f
ZWANG_INLINE double squared_by_root(const RootFactor& t, Many f) {
  double sum = 0;
  const auto substitute = [&]<int k>(Number<k>) ZWANG_LAMBDA {
    const Many own = spread<k>(f);
    sum += own[0] * own[0] * t.inv_D[k];
    f -= t.L[k] * own;
  };
  substitute(Number<5>());
  substitute(Number<4>());
  substitute(Number<3>());
  substitute(Number<2>());
  substitute(Number<1>());
  substitute(Number<0>());
  return sum;
}

/// The rows of a PathStage in the sweep of forward_dynamics_lanes.hpp.
struct PathRows {
  static constexpr bool root_at_once = true;
  BasicData<double>& data;
  page::RowNumbers<double>& rows;
  PathStage& t;
  const page::ActiveRows<double>* const entry;
  void (*const relations)(void* context);  ///< evaluates them at the positions and velocities of `data`
  void* const context;
  Index next = 0;  ///< block

  [[gnu::noinline]] void attach() {
    t.doubt = {0, 0};
    t.energy = 0;
    t.root_at_once = false;
    if (t.relations) {
      data.stages = stage_position | stage_velocity;
      relations(context);
    }
    for (Index k = 0; k < t.blocks; ++k)
      for_size(t.block[k].count,
               [&](auto w, auto) ZWANG_LAMBDA { path_rows::attach<decltype(w)>(data, entry, rows, t.block[k]); });
  }
  ZWANG_INLINE void leave(Index i, Carried& x) {
    if (!t.ends[i]) return;
    Carried here = x;  // in memory, so that x stays in registers
    end_at(i, here);
    x = here;
  }
  [[gnu::noinline]] void end_at(Index i, Carried& x) {
    x.settle();
    if (i == 1) factor_root(x.IA, t.root);
    while (next < t.blocks && t.block[next].end == i) {
      PathBlock& b = t.block[next];
      if (b.together > 1) {
        PathFour& z = t.four[b.four];
        carry_four(data, rows, t, &b, next, z);
        absorb_four(z, x);
      } else {
        for_size(b.count, [&](auto w, auto r) ZWANG_LAMBDA {
          carry<decltype(w), r.value>(data, rows, t, b);
          absorb<r.value>(b, x);
        });
      }
      next += b.together;
    }
  }
  ZWANG_INLINE bool leaves_root_free() const { return t.root_is_free; }
  ZWANG_INLINE void root_solved(const ColumnInertia& A) {
    t.root_at_once = true;
    t.root_inertia = A;
  }
  [[gnu::noinline]] void ground(double motion2) {
    t.motion2 = motion2;
    for (Index k = next; k < t.blocks; ++k)
      for_size(t.block[k].count,
               [&](auto w, auto r) ZWANG_LAMBDA { carry<decltype(w), r.value>(data, rows, t, t.block[k]); });
  }
  ZWANG_INLINE void descend(Index i, const Motion<double>& a) {
    if (t.ends[i]) recover_at(i, Motion<double>(a));
  }
  [[gnu::noinline]] void recover_at(Index i, const Motion<double>& a) {
    t.end_force.x = Many(0.0);
    for (Index k = 0; k < t.blocks; k += t.block[k].together) {
      PathBlock& b = t.block[k];
      if (b.end != i) continue;
      if (b.together > 1)
        recover_four(t, &b, t.four[b.four], a);
      else
        for_size(b.count, [&](auto w, auto r) ZWANG_LAMBDA { recover<decltype(w), r.value>(data, t, b, a); });
    }
    if (i == 1) t.root_force = t.end_force;
  }
  ZWANG_INLINE double push(Index k) const { return t.pushed[k]; }
};

/// One sweep with rows. False where a column has next to no inertia.
inline bool sweep(BasicData<double>& data, page::RowNumbers<double>& rows, PathStage& t,
                  const page::ActiveRows<double>* entry, void (*relations)(void*), void* context, const double* q,
                  const double* v, const double* tau, double* qdd) {
  PathRows rider{data, rows, t, entry, relations, context};
  return page::sweep_lanes(data, q, v, tau, qdd, rider) && !page::is_doubtful(data);
}

// --- what users read ---------------------------------------------------------------------------------------

template <class W> ZWANG_INLINE W relative_to(const W& value, const W& size) {
  return absolute(value) / (size + W(std::numeric_limits<double>::min()));
}
/// Whether residuals of a block, relative to their terms, are no more than the rounding along its path. Not those that
/// are NaN.
template <class W> ZWANG_INLINE bool is_rounding(const PathPlace& b, const W& relative) {
  const W limit(8 * epsilon_of<double> * static_cast<double>(b.columns + b.count));
  bool accurate = true;
#pragma GCC unroll 8
  for (int p = 0; p < W::parts; ++p) accurate = all(less(relative.part[p], limit.part[p])) && accurate;
  return accurate;
}

/// Residuals and velocities of a block, and the wrenches of its multipliers on its bodies. `motion`: |q''|_M before and
/// after the rows act, which no share of a path exceeds. False where a residual is more than the rounding of its terms.
template <class W, int R> ZWANG_INLINE bool measure(const BasicData<double>& data, const page::RowNumbers<double>& rows,
                                                    PathBlock& b, double motion, Six (&force)[2]) {
  const Motion<double>& end = data.acceleration.joint[b.end];
  const W lambda = load<W>(b.lambda);
  W value = load<W>(rows.l[b.strand[0].group]), size = absolute(value) + load<W>(b.target), speed(0.0);
  for (Index s = 0; s < b.strands; ++s) {
    const Index body = b.strand[s].body;
    const Motion<double>&a = data.acceleration.joint[body], &bias = data.velocity.bias[body],
          &twist = data.velocity.twist[body];
    const Force<Many>& K0 = rows.K[b.strand[s].group];
    W f[6];
#pragma GCC unroll 6
    for (Index d = 0; d < 6; ++d) {
      const W K = load<W>(K0[d]), term = K * a[d];
      const double gross = std::fabs(bias[d]) + std::fabs(end[d]) + (d < 3 ? std::fabs(data.gravity[d]) : 0.0);
      value += term;
      size += absolute(term) + absolute(K) * gross;
      speed += K * twist[d];
      f[d] = K * lambda;
    }
    force[s].x = sums(f);
  }
  // |sum of K s q'' along the path| <= sqrt(bound of Lambda_ii) |q''|_M by the Cauchy-Schwarz inequality: a scale that
  // does not vanish where the row holds by cancellation.
  size += root_of(load<W>(b.bound)) * motion;
  store(value, b.residual);
  store(speed, b.speed);
  const W relative = relative_to(value, size);
  store(relative, b.relative);
  return is_rounding(b, relative);
}

/// Whether n numbers are neither infinite nor NaN.
ZWANG_INLINE bool finite(Index n, const double* x) {
  constexpr Index lanes = 8;
  double rest = 0;
  if (n < lanes) {
    for (Index k = 0; k < n; ++k) rest += x[k] * 0.0;
    return rest == 0;
  }
  Many zero = Many::load(x + n - lanes) * 0.0;
  for (Index k = 0; k + lanes < n; k += lanes) zero += Many::load(x + k) * 0.0;
  return sum(zero) == 0;
}

/// Residuals, velocities, J^T lambda and Z. False where a residual is more than the rounding of its terms, or a number
/// is not finite.
inline bool publish(BasicData<double>& data, const page::RowNumbers<double>& rows, PathStage& t, const double* qdd,
                    double* torque, double& energy) {
  const Tree<double>& tree = data.tree();
  const auto& column = data.articulated.column;
  const double motion = std::sqrt(t.motion2) + std::sqrt(t.energy);
  bool accurate = true;
  for (Index k = 0; k < tree.nv; ++k) torque[k] = 0;
  for (Index k = 0; k < t.inward_bodies; ++k) t.force[t.inward[k]] = Six{Many(0.0)};
  for (Index k = 0; k < t.blocks; ++k) {
    PathBlock& b = t.block[k];
    Six force[2] = {Six{Many(0.0)}, Six{Many(0.0)}};
    for_size(b.count, [&](auto w, auto r) ZWANG_LAMBDA {
      accurate = measure<decltype(w), r.value>(data, rows, b, motion, force) && accurate;
    });
    const Index* path = &t.path[b.first];
    const auto push = [&](Index columns, const Six& f) ZWANG_LAMBDA {
      for (; columns > 0; --columns, ++path) torque[*path] = dot(column[*path].s.six(), f);
    };
    push(b.strand[0].columns, force[0]);
    if (b.strands > 1) {
      push(b.strand[1].columns, force[1]);
      force[0].x += force[1].x;
      push(b.columns - b.strand[0].columns - b.strand[1].columns, force[0]);
    }
    if (b.end > 0) t.force[b.end] += force[0];
  }
  for (Index k = 0; k < t.inward_bodies; ++k) {
    const Index i = t.inward[k];
    const Body<double>& b = tree.body[i];
    const Six f = t.force[i].six();
    for (Index c = b.v; c < b.v + b.nv; ++c) torque[c] += dot(column[c].s.six(), f);
    if (b.parent > 0) t.force[b.parent] += f;
  }
  if (t.inward_bodies == 0)
    energy = 0.5 * t.energy;
  else if (t.root_is_free && t.inward_bodies == 1 && t.inward[0] == 1 && page::is_free_root(tree.body[1], data))
    energy = 0.5 * (t.energy + squared_by_root(t.root, t.root_force.x));
  else
    energy = solution::energy(data, torque);
  return accurate && finite(tree.nv, qdd) && finite(tree.nv, torque) && finite(tree.nv, t.pushed.data());
}

}  // namespace path_rows
}  // namespace ZWANG_ISA
}  // namespace zwang
