// SPDX-License-Identifier: BSD-3-Clause
// EmbeddingWorkspace: other right-hand sides. The passes of embedding.cpp, for the vectors only: t, kappa, g, u, p_A,
// then q'' and lambda.
#include "factor/tree/embedding.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {

void EmbeddingWorkspace::apply(const TreeProblem& p, TreeAnswer& answer) {
  const Tree<double>& tree = p.data.tree();
  for (PaddedForce& x : p_) x = PaddedForce(Force<double>::zero());
  for (Index k = 0; k < p.rows.m; ++k)
    if (p.rows.local[k] && p.rows.body[k] > 0)
      p_[p.rows.body[k]] += PaddedForce(page::attached_row(p.rows, k) * (p.residual[k] / p.rows.compliance[k]));
  for (Index c = clusters_.count(); c-- > 0;)
    if (is_alone(tree, c))
      resolve_alone(p, c);
    else
      resolve_cluster(p, c);
  outward_all(p, answer);
  answer.dependent.strength = strength(answer);
  answer.outcome = dense::KktOutcome::ok;
}

void EmbeddingWorkspace::resolve_alone(const TreeProblem& p, Index c) {
  const Tree<double>& tree = p.data.tree();
  const Index i = clusters_.bodies(c)[0];
  const Body<double>& b = tree.body[i];
  for (Index k = b.v + b.nv; k-- > b.v;) {
    Eliminated<double>& e = p.data.articulated.column[k];
    const auto& column = tree.column[k];
    const bool given = p.data.articulated.has_given && p.data.articulated.is_given[k];
    e.u = given ? p.given[column.v] * column.multiplier : (p.tau[column.v] - dot(e.s, p_[i])) * e.inv_D;
    p_[i] += e.U * e.u;
  }
  if (b.parent > 0) p_[b.parent] += p_[i];
}

void EmbeddingWorkspace::resolve_cluster(const TreeProblem& p, Index c) {
  resolve_torques(p, c);
  resolve_rows(p, c);
  resolve_motion(c);
  const Index k = clusters_.coordinates(c).size(), at = clusters_.first_coordinate(c), top = clusters_.parent(c);
  const RowSplit& s = kept_[c].split;
  if (top == 0) return;
  for (Index i = 0; i < s.n - s.rank; ++i) p_[top] += Y_[at + i] * u_[s.rank + i];  // U D^-1 u
  for (Index j = 0; j < s.rank; ++j) p_[top] += F_[at + j] * g_[j];
  for (Index j = s.n; j < k; ++j) p_[top] += F_[at + j] * g_[j];
}

/// t of the cluster; p_A of its bodies is summed up to the body that it hangs on.
void EmbeddingWorkspace::resolve_torques(const TreeProblem& p, Index c) {
  const Tree<double>& tree = p.data.tree();
  const Clusters::Span coordinates = clusters_.coordinates(c), bodies = clusters_.bodies(c);
  const Clusters::Span soft = clusters_.soft_rows(c);
  const Index k = coordinates.size();
  for (Index y = 0; y < k; ++y) {
    torque_[y] = p.tau[coordinates[y]];
    value_[coordinates[y]] = p.given[coordinates[y]];
  }
  for (Index m = bodies.size(); m-- > 0;) {
    const Index body = bodies[m];
    const Body<double>& b = tree.body[body];
    for (Index i = b.v + b.nv; i-- > b.v;)
      torque_[clusters_.place(tree.column[i].v)] -=
          dot(p.data.articulated.column[i].s, p_[body]) * tree.column[i].multiplier;
    if (b.parent > 0) p_[b.parent] += p_[body];
  }
  for (Index i = 0; i < soft.size(); ++i)
    subtract_multiple(k, p.residual[soft[i]] / p.rows.compliance[soft[i]], kept_[c].K + i * k, torque_.data());
  const Index at = clusters_.first_coordinate(c);
  for (Index i = 0; i < k; ++i) t_[at + i] = torque_[order_[at + i]];
}

/// kappa, projected onto what the rows can meet.
void EmbeddingWorkspace::resolve_rows(const TreeProblem& p, Index c) {
  const Clusters::Span rows = clusters_.hard_rows(c), coordinates = clusters_.coordinates(c);
  RowSplit& s = kept_[c].split;
  const Index k = coordinates.size(), at = clusters_.first_coordinate(c);
  for (Index i = 0; i < s.m; ++i) {
    kappa_[i] = -p.residual[rows[i]];
    if (s.n == k) continue;
    row(p, c, rows[i], K_.data(), reach2_.data());
    for (Index j = s.n; j < k; ++j) kappa_[i] -= K_[order_[at + j]] * value_[coordinates[order_[at + j]]];
  }
  if (s.rank < s.m) {
    relate(s, p.stop);
    relations_.meet(kappa_.data());
  }
  s.begin(kappa_.data());
}

/// g, u = G^T (t - H g) and w = D^-1 u.
void EmbeddingWorkspace::resolve_motion(Index c) {
  const Clusters::Span coordinates = clusters_.coordinates(c);
  const Index k = coordinates.size(), at = clusters_.first_coordinate(c);
  const Kept& kept = kept_[c];
  const RowSplit& s = kept.split;
  const Index d = s.rank, r = s.n - d, width = k - d;
  for (Index j = 0; j < k; ++j) g_[j] = j < s.n ? 0.0 : value_[coordinates[order_[at + j]]];
  s.determine(g_.data());
  s.dependence(G_.data());
  for (Index e = 0; e < d; ++e) u_[e] = t_[at + e] - dot(k, kept.H + e * k, g_.data());  // g of independent ones is 0
  for (Index i = 0; i < r; ++i) {
    double sum = t_[at + d + i] - dot(k - s.n, kept.D + i * width + r, g_.data() + s.n);
    for (Index e = 0; e < d; ++e) sum += G_[e * r + i] * u_[e] - kept.H[e * k + d + i] * g_[e];
    u_[d + i] = sum;
  }
  for (Index i = 0; i < r; ++i)
    w_[at + i] = (u_[d + i] - dot(i, kept.D + i * width, w_.data() + at)) / kept.D[i * width + i];
  for (Index i = r; i-- > 0;) {
    w_[at + i] /= kept.D[i * width + i];
    subtract_multiple(i, w_[at + i], kept.D + i * width, w_.data() + at);
  }
}

}  // namespace zwang
