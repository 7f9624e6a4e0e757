// SPDX-License-Identifier: BSD-3-Clause
// Constrained and loop-constrained articulated bodies: Sathya & Carpentier, Constrained articulated body dynamics
// algorithms, IEEE T-RO 2025; the loops by non-serial dynamic programming, Bertele & Brioschi 1972.
//
//   The next iterate a + d, lambda + e of  M a + h = tau + J^T lambda,  J a + l + R lambda = 0  is
//     minimise over d   1/2 d^T M d - r^T d + sum_k (K_k d)^2 / 2 mu_k - K_k d (lambda_k + r_k / mu_k)
//     r = tau - h - M a,   r_k = -(K_k a + l_k + R_k lambda_k),   e_k = (r_k - K_k d) / mu_k
//   by one sweep over the bodies: a row adds K K^T / mu to the inertia of its body, and of two bodies b, c also the
//   coupling H_bc = K_b K_c^T / mu.  Elimination of a column of body i, parent p, neighbours j, k (joint_graph.hpp):
//     U = I_A s,  h_j = H_ij^T s,  D = s^T U + armature,  u = (tau - s^T p_A) / D
//     I_A -= U U^T / D,  H_ij -= U h_j^T / D,  I_j -= h_j h_j^T / D,  H_jk -= h_j h_k^T / D,  p_A += U u,  p_j += h_j u
//   after the last one  I_p += I_A,  H_pj += H_ij  (j = p: I_p += H + H^T),  p_p += p_A;
//   outward  d q'' = u - (U^T d_p + sum_j h_j^T d_j) / D.
// DIFFERS: both papers sum lambda up in p_A and solve for a again. Here each pass solves for the corrections of a and
// lambda from the residuals of the whole equations: the rounding of the factorisation, which grows with 1 / mu, only
// slows the passes down. mu_k = max(R_k, k_penalty Lambda_kk), with Lambda_kk from a sweep without rows. World axes
// about the branch's centre, or about a nearer body; a joint of k columns is k eliminations. Without neighbours this is
// the constrained articulated-body algorithm.
// Two right-hand sides side by side: the motion, and a *probe* with random accelerations of the rows. Dependent
// rows can satisfy a consistent right-hand side but not a random one: where the probe does not settle, rows depend on
// each other. Reads position, velocity, s of the columns, force.external. Cost: O(n + m) per pass with few neighbours;
// factor O(n + sum of squares of the numbers of neighbours). Allocates nothing.
#pragma once
#include "factor/page/joint_graph.hpp"
#include "zwang/factor/page/hybrid.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// The motion and the probe.
using Pair = Pack<double, 2>;

/// A column of a joint, in the order of elimination.
struct alignas(64) LoopColumn {
  Motion<double> s;
  Force<double> U;
  double inv_D;    ///< 0 where the acceleration is prescribed
  double inertia;  ///< of its rotor and damper
  double weight;   ///< D without rows: the metric of accelerations
  double drive;    ///< torque, or prescribed acceleration
};
struct LoopMotion {
  Pair u, acceleration;
};
/// A body, in the order of elimination.
struct alignas(64) LoopBody {
  Inertia<double> I;
  Force<double> p;  ///< at zero joint acceleration
};
struct LoopBodyMotion {
  Motion<Pair> a, d;
};
struct LoopGross {
  double mass, moment;
};
struct LoopRow {
  Pair l, lambda, pull;    ///< pull: lambda + r / mu
  Pair a, d;               ///< K a, K d
  double R, mu, mobility;  ///< mobility: Lambda_kk without other rows, or a larger number
};
struct LoopPart {
  Force<double> K;
  Index row;
  double arm2;  ///< square of the body's distance from the centre: the scale of what cancels in K.n
};

struct LoopStage {
  Buffer<LoopColumn> column;       ///< [spanning nv]
  Buffer<LoopMotion> motion;       ///< [spanning nv]
  Buffer<LoopBody> body;           ///< [n]
  Buffer<LoopBodyMotion> moved;    ///< [n + 1]; the ground does not move
  Buffer<LoopRow> row;             ///< [rows]
  Buffer<LoopPart> part;           ///< [parts]
  Buffer<Force<double>> coupling;  ///< h
  Buffer<ColumnInertia> sum;       ///< [n] I_A by slot; zeros in free slots
  Buffer<ColumnInertia> pair;      ///< [pairs] H by slot, zeros in free slots
  Buffer<Force<Pair>> force;       ///< [n] p_A by slot, zeros in free slots
  Buffer<LoopGross> gross;         ///< [n + 1] bounds of each subtree's inertia without cancellation
  Buffer<unsigned char> far;       ///< [n] the body has another reference point than its parent
  Buffer<Vec3<double>> reference;  ///< [n + 1] the reference point, relative to the branch's centre
  Buffer<ColumnInertia> mobility;  ///< [n + 1] 6 x 6 inverse inertia of bodies that carry rows

  LoopStage() = default;
  LoopStage(Index n, Index columns, Index rows, Index parts, Index couplings, Index pairs)
      : column(columns),
        motion(columns),
        body(n),
        moved(n + 1),
        row(rows),
        part(parts),
        coupling(couplings),
        sum(n),
        pair(pairs),
        force(n),
        gross(n + 1),
        far(n),
        reference(n + 1),
        mobility(n + 1) {}
};

/// Distance from the parent's reference point, in links, at which a body gets its own.
inline constexpr double k_far_links = 4;

ZWANG_INLINE Six six(const Motion<double>& m) { return PaddedMotion(m).six(); }
ZWANG_INLINE Six six(const Force<double>& f) { return PaddedForce(f).six(); }
ZWANG_INLINE void clear(ColumnInertia& A) { A.c0 = A.c1 = A.c2 = A.c3 = A.c4 = A.c5 = Wide<double, 8>(0.0); }
/// A += x y^T
ZWANG_INLINE void add_outer(ColumnInertia& A, const Six& x, const Force<double>& y) {
  A.c0 += x.x * y.f.x;
  A.c1 += x.x * y.f.y;
  A.c2 += x.x * y.f.z;
  A.c3 += x.x * y.n.x;
  A.c4 += x.x * y.n.y;
  A.c5 += x.x * y.n.z;
}
/// A^T s
ZWANG_INLINE Force<double> transpose_times(const ColumnInertia& A, const Six& s) {
  return {{sum(A.c0 * s.x), sum(A.c1 * s.x), sum(A.c2 * s.x)}, {sum(A.c3 * s.x), sum(A.c4 * s.x), sum(A.c5 * s.x)}};
}
ZWANG_INLINE void add_transpose(ColumnInertia& A, const ColumnInertia& B) {
  auto* const a = reinterpret_cast<double*>(&A);
  const auto* const b = reinterpret_cast<const double*>(&B);
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j) a[8 * i + j] += b[8 * j + i];
}

/// From a child's reference point to its parent's, r from the parent's to the child's: transforms forces and the
/// columns of inertias and couplings.
[[gnu::noinline]] inline void carry_forces(ColumnInertia& A, const Vec3<double>& r) {
  auto* a = reinterpret_cast<double*>(&A);
  for (Index column = 0; column < 6; ++column, a += 8) {
    const Vec3<double> n = cross(r, Vec3<double>{a[0], a[1], a[2]});
    for (Index c = 0; c < 3; ++c) a[3 + c] += n[c];
  }
}
/// The same on both sides.
[[gnu::noinline]] inline void carry_inertia(ColumnInertia& A, const Vec3<double>& r) {
  carry_forces(A, r);
  A.c3 += A.c2 * r.y - A.c1 * r.z;
  A.c4 += A.c0 * r.z - A.c2 * r.x;
  A.c5 += A.c1 * r.x - A.c0 * r.y;
}
/// Transforms the inverse of an inertia from a parent's point to a child's.
[[gnu::noinline]] inline void carry_mobility(ColumnInertia& W, const Vec3<double>& r) {
  auto* a = reinterpret_cast<double*>(&W);
  for (Index column = 0; column < 6; ++column, a += 8) {
    const Vec3<double> v = cross(Vec3<double>{a[3], a[4], a[5]}, r);
    for (Index c = 0; c < 3; ++c) a[c] += v[c];
  }
  W.c0 += W.c4 * r.z - W.c5 * r.y;
  W.c1 += W.c5 * r.x - W.c3 * r.z;
  W.c2 += W.c3 * r.y - W.c4 * r.x;
}

/// Chooses the reference point of a body: its parent's, or its own origin if that is many links away. With stiff rows
/// the loss of digits grows with the square of the distance.
inline void choose_references(const BasicData<double>& data, const JointGraph& g, LoopStage& x) {
  const Tree<double>& tree = data.tree();
  const auto at = [&](Index i) -> const Vec3<double>& { return data.position.placement[i].p; };
  double squares = 0;
  for (Index i = 1; i <= tree.n; ++i) {
    const Vec3<double> link = at(i) - at(tree.body[i].parent);
    if (tree.body[i].parent > 0) squares += dot(link, link);
  }
  const double most = k_far_links * k_far_links * squares / (tree.n > 0 ? tree.n : 1);
  x.reference[g.n] = Vec3<double>::zero();
  for (Index e = g.n - 1; e >= 0; --e) {
    const JointGraph::Node& node = g.node[e];
    const Vec3<double> away = at(node.body) - x.reference[node.parent];
    x.far[e] = node.parent < g.n && dot(away, away) > most;
    x.reference[e] = x.far[e] ? at(node.body) : x.reference[node.parent];
  }
}
ZWANG_INLINE Vec3<double> step(const LoopStage& x, const JointGraph& g, Index e) {
  return x.reference[e] - x.reference[g.node[e].parent];
}

/// Inertias and forces of bodies, columns, zero motion.
inline void enter_loops(const BasicData<double>& data, const JointGraph& g, const double* tau, LoopStage& x) {
  const Tree<double>& tree = data.tree();
  choose_references(data, g, x);
  for (Index e = 0; e < g.n; ++e) {
    const Index i = g.node[e].body;
    const Vec3<double>& r = x.reference[e];
    const Motion<double> v = with_reference_point(data.velocity.twist[i], r);
    LoopBody& b = x.body[e];
    Transform<double> X = data.position.placement[i];
    X.p -= r;
    b.I = X * data.inertia[i];
    b.p = b.I * with_reference_point(data.velocity.bias[i], r) + cross(v, b.I * v);
    if (data.force.has_external) b.p -= X * data.force.external[i];
    x.moved[e] = LoopBodyMotion{};
    x.gross[e] = {b.I.m, trace(b.I.I)};
    const Index first = tree.body[i].v;
    for (Index c = g.node[e].column, k = first; c < g.node[e + 1].column; ++c, ++k) {
      const bool given = data.articulated.has_given && data.articulated.is_given[k];
      LoopColumn& to = x.column[c];
      to.s = with_reference_point(data.articulated.column[k].s, r);
      to.inertia = column_inertia(data, k);
      to.drive = given ? data.articulated.given[k] : tau[tree.column[k].v];
      to.inv_D = given ? 0.0 : 1.0;
      x.motion[c] = LoopMotion{};
    }
  }
  x.moved[g.n] = LoopBodyMotion{};
}

/// I_A, U, D without rows. False if a column has next to no inertia.
inline bool factor_free(const JointGraph& g, LoopStage& x) {
  bool regular = true;
  for (Index e = 0; e < g.n; ++e) {
    const JointGraph::Node& node = g.node[e];
    ColumnInertia A = column_inertia_of(x.body[e].I);
    A += x.sum[node.slot];
    clear(x.sum[node.slot]);
    for (Index c = g.node[e + 1].column - 1; c >= node.column; --c) {
      LoopColumn& k = x.column[c];
      const Six s = six(k.s), U = A * PaddedMotion(k.s);
      k.U = PaddedForce(U);
      k.weight = dot(s, U) + k.inertia;
      if (k.inv_D == 0) continue;
      const double bound = x.gross[e].mass * dot(k.s.v, k.s.v) + x.gross[e].moment * dot(k.s.w, k.s.w);
      regular = regular && k.weight * doubtful_ratio<double> > bound;
      k.inv_D = 1 / k.weight;
      subtract_outer(A, U * k.inv_D, U);
    }
    if (node.parent == g.n) continue;
    double moment = x.gross[e].moment;
    if (x.far[e]) {
      const Vec3<double> r = step(x, g, e);
      carry_inertia(A, r);
      const double root = std::sqrt(moment) + std::sqrt(2 * x.gross[e].mass * dot(r, r));
      moment = root * root;
    }
    x.sum[g.node[node.parent].slot] += A;
    x.gross[node.parent].mass += x.gross[e].mass;
    x.gross[node.parent].moment += moment;
  }
  return regular;
}

/// 6 x 6 inverse inertia of the bodies that rows act on, outward, and from it Lambda_kk of each row. False if a row is
/// hardly affected by any motion, so that Lambda_kk may be rounding.
inline bool measure_rows(const JointGraph& g, LoopStage& x, Index rows, double penalty) {
  constexpr double k_doubt = 1e-8;  // of Lambda_kk, relative to the terms that it is a sum of
  for (Index k = 0; k < rows; ++k) x.row[k].mobility = x.row[k].mu = 0;
  clear(x.mobility[g.n]);
  bool mobile = true;
  for (Index e = g.n - 1; e >= 0; --e) {
    const JointGraph::Node& node = g.node[e];
    if (!node.carries) continue;
    ColumnInertia W = x.mobility[node.parent];
    if (x.far[e]) carry_mobility(W, step(x, g, e));
    for (Index c = node.column; c < g.node[e + 1].column; ++c) {
      const LoopColumn& k = x.column[c];
      const Force<double>& U = k.U;
      const Six s = six(k.s);
      const Six y = (W * PaddedMotion(Motion<double>{U.f, U.n})) * k.inv_D;
      const Six z = s * (0.5 * k.inv_D * (dot(six(U), y) + 1)) - y;
      const PaddedForce zs(z);
      add_outer(W, s, zs);
      add_outer(W, z, Force<double>{k.s.v, k.s.w});
    }
    x.mobility[e] = W;
    const double linear = linear_trace(W), angular = angular_trace(W);
    for (Index p = node.part; p < g.node[e + 1].part; ++p) {
      const Force<double>& K = x.part[p].K;
      const double own = dot(W * PaddedMotion(Motion<double>{K.f, K.n}), six(K));
      const double gross = linear * dot(K.f, K.f) + angular * (dot(K.n, K.n) + x.part[p].arm2 * dot(K.f, K.f));
      LoopRow& row = x.row[x.part[p].row];
      row.mu += std::sqrt(gross);
      if (own > 1e-13 * gross) row.mobility += std::sqrt(own);
    }
  }
  for (Index k = 0; k < rows; ++k) {
    LoopRow& r = x.row[k];
    r.mobility *= r.mobility;
    mobile = mobile && (r.mobility > k_doubt * r.mu * r.mu || r.R > 0);
    r.mu = r.R > penalty * r.mobility ? r.R : penalty * r.mobility;
  }
  return mobile;
}

/// Schur update by a body's couplings: each column updates the later bodies, then the body is added to its parent.
inline void hand_on(const JointGraph& g, LoopStage& x, Index e) {
  const JointGraph::Node& node = g.node[e];
  const Index begin = node.neighbour, end = g.node[e + 1].neighbour;
  for (Index k = begin; k < end; ++k) {
    ColumnInertia& H = x.pair[g.pair_slot[k]];
    const Index j = g.neighbour[k];
    if (x.far[e]) carry_forces(H, step(x, g, e));
    if (node.parent == g.n) {  // the ground does not move
    } else if (j == node.parent) {
      ColumnInertia& I = x.sum[g.node[j].slot];
      I += H;
      add_transpose(I, H);
    } else if (node.parent < j) {
      x.pair[g.pair_slot[g.find(node.parent, j)]] += H;
    } else {
      add_transpose(x.pair[g.pair_slot[g.find(j, node.parent)]], H);
    }
    clear(H);
  }
}
inline void eliminate_coupled(const JointGraph& g, LoopStage& x, Index e, const Six& G, const Force<double>* h,
                              double inv_D) {
  const Index begin = g.node[e].neighbour, end = g.node[e + 1].neighbour;
  for (Index k = begin; k < end; ++k) {
    const Index j = g.neighbour[k];
    const Force<double>& hj = h[k - begin];
    const Six Gj = six(hj) * -inv_D;
    add_outer(x.pair[g.pair_slot[k]], G * -1.0, hj);
    add_outer(x.sum[g.node[j].slot], Gj, hj);
    Index at = g.node[j].neighbour;
    for (Index l = k + 1; l < end; ++l, ++at) {
      while (g.neighbour[at] != g.neighbour[l]) ++at;
      add_outer(x.pair[g.pair_slot[at]], Gj, h[l - begin]);
    }
  }
}

/// I_A, H, U, h, D with the stiffness of the rows. False if a number is not finite.
inline bool factor_loops(const JointGraph& g, LoopStage& x) {
  bool good = true;
  for (Index e = 0; e < g.n; ++e) {
    const JointGraph::Node& node = g.node[e];
    ColumnInertia A = column_inertia_of(x.body[e].I);
    A += x.sum[node.slot];
    clear(x.sum[node.slot]);
    const Index begin = node.neighbour, count = g.node[e + 1].neighbour - begin;
    for (Index p = node.part; p < g.node[e + 1].part; ++p) {
      const Index k = x.part[p].row;
      const Six K = six(x.part[p].K) * (1 / x.row[k].mu);
      add_outer(A, K, x.part[p].K);
      if (count == 0) continue;
      for (Index i = g.row_part[k]; i < g.row_part[k + 1]; ++i) {
        const Index other = g.part_of_row[i];
        if (g.part_position[other] <= e) continue;
        add_outer(x.pair[g.pair_slot[g.find(e, g.part_position[other])]], K, x.part[other].K);
      }
    }
    Force<double>* h = x.coupling.data() + node.coupling + (g.node[e + 1].column - node.column) * count;
    for (Index c = g.node[e + 1].column - 1; c >= node.column; --c) {
      LoopColumn& k = x.column[c];
      h -= count;
      const Six s = six(k.s), U = A * PaddedMotion(k.s);
      k.U = PaddedForce(U);
      for (Index j = 0; j < count; ++j) h[j] = transpose_times(x.pair[g.pair_slot[begin + j]], s);
      if (k.inv_D == 0) continue;
      const double D = dot(s, U) + k.inertia;
      good = good && D > 0;
      k.inv_D = 1 / D;
      const Six G = U * k.inv_D;
      subtract_outer(A, G, U);
      if (count > 0) eliminate_coupled(g, x, e, G, h, k.inv_D);
    }
    if (x.far[e]) carry_inertia(A, step(x, g, e));
    if (node.parent < g.n) x.sum[g.node[node.parent].slot] += A;
    if (count > 0) hand_on(g, x, e);
  }
  return good;
}

/// Inward: u of every column, from the residuals of the equations at a, lambda.
inline void pass_inward(const JointGraph& g, LoopStage& x) {
  for (Index e = 0; e < g.n; ++e) {
    const JointGraph::Node& node = g.node[e];
    const LoopBody& b = x.body[e];
    Force<Pair>& carried = x.force[node.slot];
    Force<Pair> p = carried + b.I * x.moved[e].a;
    carried = Force<Pair>::zero();
    for (Index i = 0; i < 6; ++i) p[i] += Pair(typename Pair::Lanes{b.p[i], 0});
    for (Index i = node.part; i < g.node[e + 1].part; ++i) p -= x.part[i].K * x.row[x.part[i].row].pull;
    const Index begin = node.neighbour, count = g.node[e + 1].neighbour - begin;
    const Force<double>* h = x.coupling.data() + node.coupling + (g.node[e + 1].column - node.column) * count;
    for (Index c = g.node[e + 1].column - 1; c >= node.column; --c) {
      const LoopColumn& k = x.column[c];
      LoopMotion& m = x.motion[c];
      h -= count;
      const Pair drive(typename Pair::Lanes{k.drive, 0});
      m.u = k.inv_D == 0 ? drive - m.acceleration : (drive - m.acceleration * k.inertia - dot(k.s, p)) * k.inv_D;
      p += k.U * m.u;
      for (Index j = 0; j < count; ++j) x.force[g.node[g.neighbour[begin + j]].slot] += h[j] * m.u;
    }
    if (x.far[e]) p.n += cross(step(x, g, e), p.f);
    if (node.parent < g.n) x.force[g.node[node.parent].slot] += p;
  }
}

/// Outward: a += d, and K a, K d of the rows. `change`, `size`: sums of D (d q'')^2 and of D q''^2.
inline void pass_outward(const JointGraph& g, LoopStage& x, Pair& change, Pair& size) {
  change = size = Pair(0.0);
  for (Index e = g.n - 1; e >= 0; --e) {
    const JointGraph::Node& node = g.node[e];
    Motion<Pair> a = x.moved[node.parent].a, d = x.moved[node.parent].d;
    if (x.far[e]) {
      const Vec3<double> r = step(x, g, e);
      a.v += cross(a.w, r);
      d.v += cross(d.w, r);
    }
    const Index begin = node.neighbour, count = g.node[e + 1].neighbour - begin;
    const Force<double>* h = x.coupling.data() + node.coupling;
    for (Index c = node.column; c < g.node[e + 1].column; ++c, h += count) {
      const LoopColumn& k = x.column[c];
      LoopMotion& m = x.motion[c];
      Pair f = dot(d, k.U);
      for (Index j = 0; j < count; ++j) f += dot(x.moved[g.neighbour[begin + j]].d, h[j]);
      const Pair y = m.u - f * k.inv_D;
      m.acceleration += y;
      d += k.s * y;
      a += k.s * m.acceleration;
      change += y * y * k.weight;
      size += m.acceleration * m.acceleration * k.weight;
    }
    x.moved[e] = {a, d};
    for (Index i = node.part; i < g.node[e + 1].part; ++i) {
      LoopRow& r = x.row[x.part[i].row];
      r.a += dot(a, x.part[i].K);
      r.d += dot(d, x.part[i].K);
    }
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
