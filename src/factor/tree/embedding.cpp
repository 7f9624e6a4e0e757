// SPDX-License-Identifier: BSD-3-Clause
#include "factor/tree/embedding.hpp"

#include <cmath>

#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

void add_to_parent(const Level<double>& x, Level<double>& up) {
  up.IA += x.IA;
  up.pA += x.pA;
  up.gross_mass += x.gross_mass;
  up.gross_moment += x.gross_moment;
}

}  // namespace

ClusterNumbers::ClusterNumbers(Index nv, Index rows)
    : H_(nv * nv),
      torque_(nv),
      gross_(nv),
      force_(nv),
      given_(nv),
      free_(nv),
      P_(nv * nv),
      G_(rows * nv),
      g_(nv),
      u_(nv),
      K_(nv),
      reach2_(nv),
      kappa_(rows) {}

EmbeddingWorkspace::EmbeddingWorkspace(const Tree<double>& tree, const page::RowRoom& room)
    : ClusterNumbers(tree.nv, room.rows),
      clusters_(tree, room),
      relations_(room.rows),
      kept_(tree.n),
      numbers_(3 * room.rows * tree.nv + tree.nv * tree.nv),
      row_(room.rows),
      column_(tree.nv),
      order_(tree.nv),
      R_(room.rows),
      start_(room.rows),
      C_(tree.nv),
      t_(tree.nv),
      w_(tree.nv),
      value_(tree.nv),
      F_(tree.nv),
      Y_(tree.nv),
      p_(tree.n + 1),
      W_(room.rows * tree.nv),
      bound_(room.rows),
      b_(room.rows),
      dependent_(room.rows) {}

void EmbeddingWorkspace::solve(const TreeProblem& p, TreeAnswer& answer) {
  clusters_.find(p.data, p.rows);
  answer.outcome = dense::KktOutcome::singular_rows;
  if (clusters_.any_loose()) return;
  take_bodies(p);
  taken_ = 0;
  any_short_ = false;
  const Tree<double>& tree = p.data.tree();
  for (Index c = clusters_.count(); c-- > 0;)
    if (!(is_alone(tree, c) ? inward_alone(p, c) : inward(p, c))) return;
  outward_all(p, answer);
  if (is_asked(p.stop)) return;
  if (any_short_) report_dependent(p, answer);
  answer.outcome = dense::KktOutcome::ok;
}

void EmbeddingWorkspace::outward_all(const TreeProblem& p, const TreeAnswer& answer) {
  const Tree<double>& tree = p.data.tree();
  p.data.acceleration.joint[0] = Motion<double>::zero();
  for (Index c = 0; c < clusters_.count(); ++c) {
    if (is_alone(tree, c)) {
      outward_alone(p, c, answer);
      continue;
    }
    outward(p, c, answer);
    multipliers(p, c, answer);
  }
  for (Index k = 0; k < p.rows.m; ++k) {
    if (!p.rows.local[k]) continue;  // soft rows are part of their body's inertia
    const double a = dot(p.data.acceleration.joint[p.rows.body[k]], page::attached_row(p.rows, k));
    answer.lambda[k] = -(a + p.residual[k]) / p.rows.compliance[k];
  }
}

double* EmbeddingWorkspace::take(Index size) {
  double* const x = numbers_.data() + taken_;
  taken_ += size;
  return x;
}

void EmbeddingWorkspace::take_bodies(const TreeProblem& p) {
  Data& data = p.data;
  for (Index i = 1; i <= data.tree().n; ++i) {
    if (i % page::k_lane_bodies == 1) page::enter_inertias(data, i);
    data.level[i] = data.lanes.own[page::own_place(i)];
  }
  for (Index k = 0; k < p.rows.m; ++k)
    if (p.rows.local[k] && p.rows.body[k] > 0)
      page::absorb_row(data.level[p.rows.body[k]], page::attached_row(p.rows, k), p.residual[k],
                       1 / p.rows.compliance[k]);
}

/// A joint without rows.
bool EmbeddingWorkspace::is_alone(const Tree<double>& tree, Index c) const {
  return clusters_.is_free(c) && !tree.mimic;
}

/// U, 1/D and u of its columns, as in forward_dynamics.hpp.
bool EmbeddingWorkspace::inward_alone(const TreeProblem& p, Index c) {
  Data& data = p.data;
  kept_[c].split.m = kept_[c].split.rank = 0;
  const Body<double>& b = data.tree().body[clusters_.bodies(c)[0]];
  Level<double>& x = data.level[clusters_.bodies(c)[0]];
  for (Index k = b.v + b.nv; k-- > b.v;) {
    Eliminated<double>& e = data.articulated.column[k];
    const double D = enter_column(data, k, x);
    if (data.articulated.has_given && data.articulated.is_given[k]) {
      e.inv_D = 0;
      e.u = p.given[data.tree().column[k].v] * data.tree().column[k].multiplier;
    } else {
      if (!(gross_inertia(x, e.s) < D * page::doubtful_ratio<double>)) return false;  // for a careful sweep
      e.inv_D = 1 / D;
      e.u = (p.tau[data.tree().column[k].v] - dot(e.s, x.pA)) * e.inv_D;
      subtract_outer(x.IA, e.U * e.inv_D, e.U);
    }
    x.pA += e.U * e.u;
  }
  if (b.parent > 0) add_to_parent(x, data.level[b.parent]);
  return true;
}

void EmbeddingWorkspace::outward_alone(const TreeProblem& p, Index c, const TreeAnswer& answer) {
  Data& data = p.data;
  const Index i = clusters_.bodies(c)[0];
  const Body<double>& b = data.tree().body[i];
  StoredMotion<double>& a = data.acceleration.joint[i];
  a = data.acceleration.joint[b.parent];
  for (Index k = b.v; k < b.v + b.nv; ++k) {
    const Eliminated<double>& e = data.articulated.column[k];
    const double x = e.u - dot(a, e.U) * e.inv_D;
    answer.acceleration[data.tree().column[k].v] = x;
    a += e.s * x;
  }
}

bool EmbeddingWorkspace::inward(const TreeProblem& p, Index c) {
  gather(p, c);
  const Index k = clusters_.coordinates(c).size();
  for (Index y = 0; y < k; ++y)
    if (!given_[y] && !(H_[y * k + y] * page::doubtful_ratio < double >> gross_[y])) return false;
  soften(p, c);
  if (!split(p, c) || is_asked(p.stop)) return false;
  arrange(c);
  embed(c, p.stop);
  if (!factor(c, p.stop)) return false;
  if (clusters_.parent(c) > 0) pass_inward(p, c);
  finish(c);
  return true;
}

/// H, F, t of a cluster from the composite inertias of its bodies, summed up to the body that the cluster hangs on.
void EmbeddingWorkspace::gather(const TreeProblem& p, Index c) {
  Data& data = p.data;
  const Tree<double>& tree = data.tree();
  const Clusters::Span coordinates = clusters_.coordinates(c), bodies = clusters_.bodies(c);
  const Index k = coordinates.size();
  for (Index y = 0; y < k; ++y) {
    torque_[y] = p.tau[coordinates[y]];
    gross_[y] = given_[y] = 0;
    force_[y] = Force<double>::zero();
    for (Index z = 0; z < k; ++z) H_[y * k + z] = 0;
  }
  for (Index m = bodies.size(); m-- > 0;) {
    const Body<double>& b = tree.body[bodies[m]];
    const Level<double>& x = data.level[bodies[m]];
    for (Index i = b.v + b.nv; i-- > b.v;) {
      const PaddedMotion& s = data.articulated.column[i].s;
      const double g = tree.column[i].multiplier;
      const Index y = clusters_.place(tree.column[i].v);
      const PaddedForce f(x.IA * s * g);
      force_[y] += f;
      torque_[y] -= dot(s, x.pA) * g;
      gross_[y] += (x.gross_mass * dot(s.v, s.v) + x.gross_moment * dot(s.w, s.w)) * g * g;
      H_[y * k + y] += dot(s, f) * g + column_inertia(data, i) * g * g;
      for (Index j = tree.column[i].parent; j >= 0 && clusters_.of(tree.column[j].body) == c;
           j = tree.column[j].parent) {
        const Index z = clusters_.place(tree.column[j].v);
        const double h = dot(data.articulated.column[j].s, f) * tree.column[j].multiplier;
        H_[y * k + z] += h;
        H_[z * k + y] += h;  // twice if z is y: two columns of one coordinate
      }
      if (!data.articulated.has_given || !data.articulated.is_given[i]) continue;
      given_[y] = 1;
      value_[coordinates[y]] = p.given[coordinates[y]];
    }
    if (b.parent > 0) add_to_parent(x, data.level[b.parent]);
  }
}

/// Row k of the cluster, and for each coordinate the square of a bound on the magnitude of its terms.
void EmbeddingWorkspace::row(const TreeProblem& p, Index c, Index k, double* K, double* reach2) const {
  const Tree<double>& tree = p.data.tree();
  const Index n = clusters_.coordinates(c).size(), top = clusters_.parent(c);
  for (Index y = 0; y < n; ++y) K[y] = reach2[y] = 0;
  clusters_.for_each_part(k, [&](Index body, const Force<double>& f) {
    const double force2 = dot(f.f, f.f),
                 moment = norm(f.n) + std::sqrt(force2) * norm(p.data.position.placement[body].p);
    for (Index i = body; i != top; i = tree.body[i].parent)
      for (Index j = tree.body[i].v; j < tree.body[i].v + tree.body[i].nv; ++j) {
        const Motion<double>& s = p.data.articulated.column[j].s;
        const double g = tree.column[j].multiplier;
        const Index y = clusters_.place(tree.column[j].v);
        K[y] += dot(s, f) * g;
        reach2[y] += 2 * (dot(s.v, s.v) * force2 + dot(s.w, s.w) * (moment * moment)) * (g * g);
      }
  });
}

/// Soft rows between bodies: k a + l + R lambda = 0.
void EmbeddingWorkspace::soften(const TreeProblem& p, Index c) {
  const Clusters::Span soft = clusters_.soft_rows(c);
  const Index k = clusters_.coordinates(c).size();
  kept_[c].K = take(soft.size() * k);
  for (Index i = 0; i < soft.size() && !is_asked(p.stop); ++i) {
    double* const K = kept_[c].K + i * k;
    row(p, c, soft[i], K, reach2_.data());
    const double inverse = 1 / p.rows.compliance[soft[i]], l = p.residual[soft[i]];
    for (Index y = 0; y < k; ++y) {
      if (K[y] == 0) continue;
      torque_[y] -= K[y] * l * inverse;
      subtract_multiple(k, -K[y] * inverse, K, &H_[y * k]);
    }
  }
}

/// Splits the coordinates by the hard rows into dependent and independent ones. False if their rank is in doubt.
bool EmbeddingWorkspace::split(const TreeProblem& p, Index c) {
  const Clusters::Span rows = clusters_.hard_rows(c), coordinates = clusters_.coordinates(c);
  const Index k = coordinates.size(), at = clusters_.first_coordinate(c), first = clusters_.first_row(c);
  RowSplit& s = kept_[c].split;
  s.m = rows.size();
  s.n = 0;
  for (Index y = 0; y < k; ++y)
    if (!given_[y]) free_[s.n++] = y;
  s.lu = take(s.m * s.n);
  s.R = R_.data() + first;
  s.start = start_.data() + first;
  s.row = row_.data() + first;
  s.C = C_.data() + at;
  s.column = column_.data() + at;
  for (Index j = 0; j < s.n; ++j) s.C[j] = 1 / std::sqrt(H_[free_[j] * (k + 1)]);
  double noise = 1;
  for (Index i = 0; i < s.m; ++i) {
    row(p, c, rows[i], K_.data(), reach2_.data());
    double length = 0, reach = 0;
    for (Index j = 0; j < s.n; ++j) {
      const double x = s.lu[i * s.n + j] = K_[free_[j]] * s.C[j];
      length += x * x;
      reach += reach2_[free_[j]] * s.C[j] * s.C[j];
    }
    length = std::sqrt(length);
    reach = std::sqrt(reach);
    const bool moves = length > 64 * epsilon_of<double> * reach;
    if (moves) noise = std::fmax(noise, reach / length);
    s.R[i] = moves ? 1 / length : reach > 0 ? 1 / reach : 1.0;
    for (Index j = 0; j < s.n; ++j) s.lu[i * s.n + j] = moves ? s.lu[i * s.n + j] * s.R[i] : 0.0;
    kappa_[i] = -p.residual[rows[i]];
    for (Index y = 0; y < k; ++y)
      if (given_[y]) kappa_[i] -= K_[y] * value_[coordinates[y]];
  }
  const RowSplit::Rank rank = s.factor(p.tolerance, noise, p.stop);
  if (rank == RowSplit::Rank::in_doubt) return false;
  if (rank == RowSplit::Rank::short_of_rows) {
    any_short_ = true;
    relate(s, p.stop);
    relations_.meet(kappa_.data());
  }
  s.begin(kappa_.data());
  return true;
}

void EmbeddingWorkspace::relate(const RowSplit& s, const Interruption* stop) {
  relations_.begin(s.m);
  for (Index i = s.rank; i < s.m && !is_asked(stop); ++i) s.relation(i, relations_.add());
  relations_.finish(s.R, stop);
}

/// Sorts H, F, t into the order dependent, independent, prescribed.
void EmbeddingWorkspace::arrange(Index c) {
  const Index k = clusters_.coordinates(c).size(), at = clusters_.first_coordinate(c);
  const RowSplit& s = kept_[c].split;
  Index* const order = order_.data() + at;
  for (Index j = 0; j < s.n; ++j) order[j] = free_[s.column[j]];
  for (Index y = 0, j = s.n; y < k; ++y)
    if (given_[y]) order[j++] = y;
  for (Index i = 0; i < k; ++i) {
    t_[at + i] = torque_[order[i]];
    F_[at + i] = force_[order[i]];
    u_[i] = gross_[order[i]];
    for (Index j = 0; j < k; ++j) P_[i * k + j] = H_[order[i] * k + order[j]];
  }
  for (Index i = 0; i < k; ++i) gross_[i] = u_[i];
}

/// G and g;  u = G^T (t - H g),  U = F G (in Y),  D = G^T H G (stored over the independent part of H).
void EmbeddingWorkspace::embed(Index c, const Interruption* stop) {
  const Clusters::Span coordinates = clusters_.coordinates(c);
  const Index k = coordinates.size(), at = clusters_.first_coordinate(c);
  Kept& kept = kept_[c];
  const RowSplit& s = kept.split;
  const Index d = s.rank, r = s.n - d;
  kept.H = take(d * k);
  for (Index i = 0; i < d * k; ++i) kept.H[i] = P_[i];
  for (Index j = 0; j < k; ++j) g_[j] = j < s.n ? 0.0 : value_[coordinates[order_[at + j]]];
  s.determine(g_.data());
  s.dependence(G_.data());
  for (Index i = 0; i < s.n; ++i) {
    double sum = t_[at + i];
    for (Index j = 0; j < d; ++j) sum -= P_[i * k + j] * g_[j];
    for (Index j = s.n; j < k; ++j) sum -= P_[i * k + j] * g_[j];
    u_[i] = sum;
  }
  for (Index i = 0; i < r; ++i) Y_[at + i] = F_[at + d + i];
  for (Index e = 0; e < d && !is_asked(stop); ++e) {
    const double* const G = G_.data() + e * r;
    double* const X = &P_[e * k];  // X = H_di + 1/2 H_dd G, so that D = H_ii + G^T X + X^T G
    for (Index j = 0; j < d; ++j) subtract_multiple(r, -0.5 * X[j], G_.data() + j * r, X + d);
    for (Index i = 0; i < r; ++i) {
      u_[d + i] += G[i] * u_[e];
      Y_[at + i] += F_[at + e] * G[i];
      double* const D = &P_[(d + i) * k + d];
      subtract_multiple(i + 1, -G[i], X + d, D);
      subtract_multiple(i + 1, -X[d + i], G, D);
    }
  }
}

/// D = L L^T, L^-1 u in w, L^-1 U^T in Y. False if a motion has no inertia, and where it is stopped.
bool EmbeddingWorkspace::factor(Index c, const Interruption* stop) {
  const Index k = clusters_.coordinates(c).size(), at = clusters_.first_coordinate(c);
  const RowSplit& s = kept_[c].split;
  const Index d = s.rank;
  for (Index i = d; i < s.n; ++i) {
    if (is_asked(stop)) return false;
    double* const L = &P_[i * k];
    Six V = Y_[at + i - d].six();
    double z = u_[i];
    const double size = L[i] + gross_[i];
    for (Index j = d; j < i; ++j) {
      L[j] = (L[j] - dot(j - d, L + d, &P_[j * k + d])) / P_[j * k + j];
      V = V - Y_[at + j - d] * L[j];
      z -= w_[at + j - d] * L[j];
    }
    const double D = L[i] - dot(i - d, L + d, L + d);
    if (!(D > 32 * epsilon_of<double> * size)) return false;
    L[i] = std::sqrt(D);
    Y_[at + i - d] = V * (1 / L[i]);
    w_[at + i - d] = z / L[i];
  }
  return true;
}

/// Adds to I_A and p_A of the body that the cluster hangs on.
void EmbeddingWorkspace::pass_inward(const TreeProblem& p, Index c) {
  const Index k = clusters_.coordinates(c).size(), at = clusters_.first_coordinate(c);
  const RowSplit& s = kept_[c].split;
  const Index d = s.rank;
  Level<double>& up = p.data.level[clusters_.parent(c)];
  Six force = up.pA.six();
  for (Index i = 0; i < s.n - d; ++i) {
    const Six V = Y_[at + i].six();
    subtract_outer(up.IA, V, V);
    force = force + V * w_[at + i];
  }
  for (Index j = 0; j < d; ++j) force = force + F_[at + j] * g_[j];
  for (Index j = s.n; j < k; ++j) force = force + F_[at + j] * g_[j];
  up.pA = force;
}

/// D^-1 u in w, D^-1 U^T in Y.
void EmbeddingWorkspace::finish(Index c) {
  const Index k = clusters_.coordinates(c).size(), at = clusters_.first_coordinate(c);
  const Index d = kept_[c].split.rank, r = kept_[c].split.n - d;
  for (Index i = r; i-- > 0;) {
    const double* const L = &P_[(d + i) * k + d];
    const double inverse = 1 / L[i];
    const Six Y = Y_[at + i] * inverse;
    const double w = w_[at + i] * inverse;
    Y_[at + i] = Y;
    w_[at + i] = w;
    for (Index j = 0; j < i; ++j) {
      Y_[at + j] -= Y * L[j];
      w_[at + j] -= w * L[j];
    }
  }
  keep_inertia(c);
}

/// Keeps L, and H of the independent with the prescribed coordinates, for other right-hand sides.
void EmbeddingWorkspace::keep_inertia(Index c) {
  const Index k = clusters_.coordinates(c).size();
  Kept& kept = kept_[c];
  const Index d = kept.split.rank, width = k - d;
  kept.D = take((kept.split.n - d) * width);
  for (Index i = 0; i < kept.split.n - d; ++i)
    for (Index j = 0; j < width; ++j) kept.D[i * width + j] = P_[(d + i) * k + d + j];
}

/// q'' of the cluster and the accelerations of its bodies.
void EmbeddingWorkspace::outward(const TreeProblem& p, Index c, const TreeAnswer& answer) {
  Data& data = p.data;
  const Tree<double>& tree = data.tree();
  const Clusters::Span coordinates = clusters_.coordinates(c);
  const Index k = coordinates.size(), at = clusters_.first_coordinate(c);
  const RowSplit& s = kept_[c].split;
  const Motion<double> a = data.acceleration.joint[clusters_.parent(c)];
  for (Index j = s.rank; j < s.n; ++j) g_[j] = w_[at + j - s.rank] - dot(a, Y_[at + j - s.rank]);
  s.determine(g_.data());
  for (Index j = 0; j < k; ++j) {
    const Index v = coordinates[order_[at + j]];
    answer.acceleration[v] = j < s.n ? g_[j] : g_[j] = value_[v];
  }
  for (const Index i : clusters_.bodies(c)) {
    const Body<double>& b = tree.body[i];
    StoredMotion<double>& x = data.acceleration.joint[i];
    x = data.acceleration.joint[b.parent];
    for (Index j = b.v; j < b.v + b.nv; ++j)
      x += data.articulated.column[j].s * (answer.acceleration[tree.column[j].v] * tree.column[j].multiplier);
  }
}

/// Multipliers of the rows of the cluster; its q'' are in g.
void EmbeddingWorkspace::multipliers(const TreeProblem& p, Index c, const TreeAnswer& answer) {
  const Clusters::Span hard = clusters_.hard_rows(c), soft = clusters_.soft_rows(c);
  if (hard.size() + soft.size() == 0) return;
  const Index k = clusters_.coordinates(c).size(), at = clusters_.first_coordinate(c);
  const RowSplit& s = kept_[c].split;
  const Motion<double> a = p.data.acceleration.joint[clusters_.parent(c)];
  for (Index i = 0; i < s.rank; ++i) u_[i] = dot(k, kept_[c].H + i * k, g_.data()) + dot(a, F_[at + i]) - t_[at + i];
  s.multipliers(u_.data(), kappa_.data());
  if (s.rank < s.m) {
    relate(s, p.stop);
    relations_.project(kappa_.data());
  }
  for (Index i = 0; i < s.m; ++i) answer.lambda[hard[i]] = kappa_[i];
  for (Index i = 0; i < soft.size(); ++i) {
    double sum = p.residual[soft[i]];
    for (Index j = 0; j < k; ++j) sum += kept_[c].K[i * k + order_[at + j]] * g_[j];
    answer.lambda[soft[i]] = -sum / p.rows.compliance[soft[i]];
  }
}

}  // namespace zwang
