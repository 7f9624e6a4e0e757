// SPDX-License-Identifier: BSD-3-Clause
#include "factor/tree/clusters.hpp"

namespace zwang {
namespace {

constexpr double k_balanced = 1e-24;  // relative to squares: rounding of wrenches that cancel at the common ancestor

Index common_ancestor(const Tree<double>& tree, Index a, Index b) {
  while (a != b)
    if (a > b)
      a = tree.body[a].parent;
    else
      b = tree.body[b].parent;
  return a;
}

}  // namespace

Clusters::Clusters(const Tree<double>& tree, const page::RowRoom& room)
    : of_(tree.n + 1),
      body_(tree.n),
      body_begin_(tree.n + 1),
      parent_(tree.n + 1),
      coordinate_(tree.nv),
      coordinate_begin_(tree.n + 1),
      place_(tree.nv),
      row_(room.rows),
      row_begin_(tree.n + 2),
      soft_begin_(tree.n + 1),
      part_begin_(room.rows + 1),
      part_body_(room.rows + room.further),
      part_place_(room.rows + room.further),
      part_K_(room.rows + room.further),
      known_{Buffer<Index>(room.rows), Buffer<Index>(room.further), Buffer<Index>(room.further),
             Buffer<Index>(room.further)},
      row_body_(room.rows),
      bound_(room.rows),
      is_soft_(room.rows),
      to_ground_(room.rows),
      top_(tree.shared_count),
      shared_bound_(tree.shared_count) {}

void Clusters::find(const Data& data, const page::RowNumbers<double>& rows) {
  const bool known = count_ > 0 && are_known(rows);
  if (!known) take_parts(rows);
  if (reach_further(data, rows) || !known) arrange(data.tree(), rows);
}

bool Clusters::are_known(const page::RowNumbers<double>& rows) const {
  if (rows.m != rows_ || rows.further != further_) return false;
  for (Index k = 0; k < rows_; ++k)
    if (rows.body[k] != row_body_[k] || rows.place[k] != known_.row_place[k] || (rows.compliance[k] > 0) != is_soft_[k])
      return false;
  for (Index k = 0; k < further_; ++k)
    if (rows.further_row[k] != known_.further_row[k] || rows.further_body[k] != known_.further_body[k] ||
        rows.further_place[k] != known_.further_place[k])
      return false;
  return true;
}

/// Places the parts of each row side by side.
void Clusters::take_parts(const page::RowNumbers<double>& rows) {
  rows_ = rows.m;
  further_ = rows.further;
  for (Index k = 0; k <= rows_; ++k) part_begin_[k] = k;
  for (Index k = 0; k < further_; ++k) {
    known_.further_row[k] = rows.further_row[k];
    known_.further_body[k] = rows.further_body[k];
    known_.further_place[k] = rows.further_place[k];
    ++part_begin_[known_.further_row[k] + 1];
  }
  Index more = 0;
  for (Index k = 0; k <= rows_; ++k) {
    more += part_begin_[k] - k;
    part_begin_[k] = k + more;
  }
  for (Index k = 0; k < rows_; ++k) {
    row_body_[k] = part_body_[part_begin_[k]] = rows.body[k];
    known_.row_place[k] = part_place_[part_begin_[k]] = rows.place[k];
    is_soft_[k] = rows.compliance[k] > 0;
    bound_[k] = part_begin_[k] + 1;  // index of the next part
  }
  for (Index k = 0; k < further_; ++k) {
    const Index at = bound_[known_.further_row[k]]++;
    part_body_[at] = known_.further_body[k];
    part_place_[at] = known_.further_place[k];
  }
  for (Index k = 0; k < rows_; ++k) to_ground_[k] = part_begin_[k + 1] == part_begin_[k] + 1;
}

/// Reads the wrenches of the rows and which of them do not balance at the common ancestor. True if one of these is new.
bool Clusters::reach_further(const Data& data, const page::RowNumbers<double>& rows) {
  bool any = false;
  for (Index k = 0; k < rows_; ++k) {
    for (Index p = part_begin_[k]; p < part_begin_[k + 1]; ++p) part_K_[p] = page::row_at(rows, part_place_[p]);
    if (to_ground_[k]) continue;
    Force<double> sum = Force<double>::zero();
    double force2 = 0, moment2 = 0;
    for_each_part(k, [&](Index body, const Force<double>& K) {
      const Vec3<double>& p = data.position.placement[body].p;
      const double f2 = dot(K.f, K.f);
      sum += K;
      force2 += f2;
      moment2 += dot(K.n, K.n) + f2 * dot(p, p);
    });
    if (dot(sum.f, sum.f) <= k_balanced * force2 && dot(sum.n, sum.n) <= k_balanced * moment2) continue;
    to_ground_[k] = 1;
    any = true;
  }
  return any;
}

void Clusters::arrange(const Tree<double>& tree, const page::RowNumbers<double>& rows) {
  for (Index i = 0; i <= tree.n; ++i) of_[i] = i;
  for (Index k = 0; k < rows_; ++k) {
    bound_[k] = -1;
    if (!rows.local[k]) bind_row(tree, k);
  }
  bind_shared(tree);
  number_bodies(tree);
  number_coordinates(tree);
  number_rows(rows);
}

/// The first body of the cluster of this body, as known so far.
Index Clusters::first_of(Index i) {
  while (of_[i] != i) i = of_[i] = of_[of_[i]];
  return i;
}

/// Joins the bodies from `body` up to `top`, without `top`, with the cluster of `bound`.
void Clusters::bind_path(const Tree<double>& tree, Index body, Index top, Index& bound) {
  for (Index i = body; i != top; i = tree.body[i].parent) {
    if (bound == 0) bound = i;
    const Index a = first_of(bound), b = first_of(i);
    of_[a < b ? b : a] = a < b ? a : b;
  }
}

void Clusters::bind_row(const Tree<double>& tree, Index k) {
  Index top = to_ground_[k] ? 0 : part_body_[part_begin_[k]];
  for (Index p = part_begin_[k]; p < part_begin_[k + 1]; ++p) top = common_ancestor(tree, top, part_body_[p]);
  bound_[k] = 0;
  for (Index p = part_begin_[k]; p < part_begin_[k + 1]; ++p) bind_path(tree, part_body_[p], top, bound_[k]);
}

/// Joins the joints of one coordinate, up to the body that carries all of them.
void Clusters::bind_shared(const Tree<double>& tree) {
  if (tree.shared_count == 0) return;
  for (Index y = 0; y < tree.shared_count; ++y) {
    top_[y] = -1;
    shared_bound_[y] = 0;
  }
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const Index y = tree.shared_of[tree.column[k].v], above = tree.body[tree.column[k].body].parent;
    if (y >= 0) top_[y] = top_[y] < 0 ? above : common_ancestor(tree, top_[y], above);
  }
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const Index y = tree.shared_of[tree.column[k].v];
    if (y >= 0) bind_path(tree, tree.column[k].body, top_[y], shared_bound_[y]);
  }
}

void Clusters::number_bodies(const Tree<double>& tree) {
  for (Index i = tree.n; i > 0; --i) of_[i] = first_of(i);
  count_ = 0;
  for (Index i = 1; i <= tree.n; ++i) {  // the first body of a cluster comes before the others
    if (of_[i] == i) {
      parent_[count_] = tree.body[i].parent;
      body_begin_[count_] = 0;
      of_[i] = count_++;
    } else {
      of_[i] = of_[of_[i]];
    }
    ++body_begin_[of_[i]];
  }
  Index end = 0;
  for (Index c = 0; c < count_; ++c) body_begin_[c] = end += body_begin_[c];
  body_begin_[count_] = end;
  for (Index i = tree.n; i > 0; --i) body_[--body_begin_[of_[i]]] = i;
}

void Clusters::number_coordinates(const Tree<double>& tree) {
  for (Index v = 0; v < tree.nv; ++v) place_[v] = -1;
  Index at = 0;
  for (Index c = 0; c < count_; ++c) {
    coordinate_begin_[c] = at;
    for (const Index i : bodies(c))
      for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k) {
        const Index v = tree.column[k].v;
        if (place_[v] >= 0) continue;
        place_[v] = at - coordinate_begin_[c];
        coordinate_[at++] = v;
      }
  }
  coordinate_begin_[count_] = at;
}

/// The rows of each cluster: hard rows before soft ones, otherwise in the order of the stage.
void Clusters::number_rows(const page::RowNumbers<double>& rows) {
  any_loose_ = false;
  for (Index c = 0; c <= count_; ++c) row_begin_[c] = 0;
  for (Index k = 0; k < rows_; ++k) {
    any_loose_ = any_loose_ || bound_[k] == 0;
    if (bound_[k] > 0) ++row_begin_[of_[bound_[k]] + 1];
  }
  for (Index c = 0; c < count_; ++c) soft_begin_[c] = row_begin_[c + 1] += row_begin_[c];
  for (const bool soft : {true, false})  // filled from the end
    for (Index k = rows_; k-- > 0;)
      if (bound_[k] > 0 && (rows.compliance[k] > 0) == soft) row_[--soft_begin_[of_[bound_[k]]]] = k;
  for (Index c = 0; c < count_; ++c)
    while (soft_begin_[c] < row_begin_[c + 1] && !(rows.compliance[row_[soft_begin_[c]]] > 0)) ++soft_begin_[c];
}

}  // namespace zwang
