// SPDX-License-Identifier: BSD-3-Clause
// EmbeddingWorkspace: dependent rows of its clusters, as certificates read them.
#include <cmath>

#include "factor/tree/embedding.hpp"

namespace zwang {

/// Collects the hard rows of clusters with dependent rows, with their W in the metric of the diagonal of H.
void EmbeddingWorkspace::report_dependent(const TreeProblem& p, TreeAnswer& answer) {
  DependentRows& told = answer.dependent;
  for (Index c = 0; c < clusters_.count(); ++c)
    if (kept_[c].split.rank < kept_[c].split.m) told.count += kept_[c].split.m;
  told.row = dependent_.data();
  told.W = W_.data();
  told.bound = bound_.data();
  told.b = b_.data();
  const Index h = told.count, nv = p.data.tree().nv;
  for (Index i = 0; i < h * nv; ++i) W_[i] = 0;
  Index first = 0;
  for (Index c = 0; c < clusters_.count(); ++c) {
    const RowSplit& s = kept_[c].split;
    const Clusters::Span rows = clusters_.hard_rows(c), coordinates = clusters_.coordinates(c);
    const Index* const order = order_.data() + clusters_.first_coordinate(c);
    if (s.rank == s.m) continue;
    told.rank += s.rank;
    for (Index i = 0; i < s.m; ++i) {
      row(p, c, rows[i], K_.data(), reach2_.data());
      const Index at = first + i;
      dependent_[at] = rows[i];
      bound_[at] = 0;
      for (Index j = 0; j < s.n; ++j) bound_[at] += reach2_[order[j]] * s.C[j] * s.C[j];
      b_[at] = -p.residual[rows[i]];
      for (Index j = s.n; j < coordinates.size(); ++j)
        b_[at] -= K_[order[j]] * answer.acceleration[coordinates[order[j]]];
      for (Index j = 0; j < s.n; ++j) W_[at * nv + coordinates[order[j]]] = K_[order[j]] * s.C[j];
    }
    first += s.m;
  }
  told.strength = strength(answer);
}

/// |q''| of the clusters where some rows depend on others, in the metric of the diagonal of H.
double EmbeddingWorkspace::strength(const TreeAnswer& answer) const {
  double squares = 0;
  for (Index c = 0; c < clusters_.count(); ++c) {
    const RowSplit& s = kept_[c].split;
    const Clusters::Span coordinates = clusters_.coordinates(c);
    const Index* const order = order_.data() + clusters_.first_coordinate(c);
    for (Index j = 0; s.rank < s.m && j < s.n; ++j) {
      const double a = answer.acceleration[coordinates[order[j]]] / s.C[j];
      squares += a * a;
    }
  }
  return std::sqrt(squares);
}

}  // namespace zwang
