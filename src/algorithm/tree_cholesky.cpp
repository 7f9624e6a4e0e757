// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/tree_cholesky.hpp"

#include <algorithm>

#include "algorithm/cheaper_factor.hpp"
#include "algorithm/page/forward_dynamics_derivative_responses.hpp"
#include "algorithm/page/inverse_by_rows.hpp"
#include "algorithm/support.hpp"
#include "algorithm/swept_factor.hpp"
#include "core/kernel_table.hpp"

namespace zwang {
CheaperFactor cheaper_factor(const Tree<double>& tree) {
  long work = 0, depths = 0;
  for (Index k = 0; k < tree.nv; ++k) {
    long depth = 0;
    for (Index i = tree.row_parent[k]; i >= 0; i = tree.row_parent[i]) ++depth;
    work += depth * (depth + 1) / 2;
    depths += depth;
  }
  const bool matrix = tree.mimic || work < 50L * tree.nv;
  return {matrix, matrix || depths < 14L * tree.nv};
}

namespace {
/// Whether derivatives of forward dynamics are responses of articulated bodies, O(1) for each entry, or solved for by
/// the factor, O(depth) and less beside it (measured: the same near a mean depth of 21 with four numbers in a register,
/// of 16 with eight). The factor of many coordinates does not stay in the cache.
bool prefers_responses(const Tree<double>& tree) {
  constexpr Index depth = 21, many = 64;
  if (tree.nv > many || tree.nv <= 2 * depth) return tree.nv > many;
  Index depths = 0;  // of all columns: each counts in those whose subtree it is in
  for (Index k = 0; k < tree.nv; ++k) depths += tree.column[k].end - k - 1;
  return depths >= depth * tree.nv;
}
}  // namespace

TreeCholesky::TreeCholesky(const Model& model)
    : model_(model),
      by_matrix_(cheaper_factor(model.tree<double>()).matrix),
      by_rows_(cheaper_factor(model.tree<double>()).rows),
      a_(model.nv() * model.nv()) {
  const Index inverse = model.nv() * (by_rows_ ? page::row_of_inverse(model.nv()) : kernels().factor->scratch);
  const Index derivatives = prefers_responses(model.tree<double>())
                                ? page::response_scratch(model.nv(), model.tree<double>().n)
                                : kernels().derivative->forward_scratch(model.nv());
  scratch_ = Buffer<double>(std::max(inverse, derivatives));
  if (by_matrix_) return;
  columns_ = Buffer<double>(model.nv() * kernels().factor->column_bytes / static_cast<Index>(sizeof(double)));
}

namespace {
void check_pivots(const double* a, Index nv) {
  double sum = 0;
  for (Index k = 0; k < nv; ++k) sum += a[k * (nv + 1)];
  if (!(sum * 0 == 0)) [[unlikely]]  // or a sum of huge numbers
    for (Index k = 0; k < nv; ++k) detail::checked(a[k * (nv + 1)], "TreeCholesky::compute");
}
}  // namespace

void TreeCholesky::compute(Data& data, VectorIn q, const JointEffects& effects) {
  check_whole("TreeCholesky::compute");
  detail::check_data(model_, data, "TreeCholesky::compute");
  detail::check_q(model_, q, "TreeCholesky::compute");
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  const FactorKernels& kernel = *kernels().factor;
  const Index singular = by_matrix_ ? kernel.from_matrix(&data, q.data(), a_.data())
                                    : kernel.from_bodies(&data, q.data(), a_.data(), columns_.data());
  computed_ = false;
  if (singular >= 0) throw SingularMassError(detail::joint_of_coordinate(model_, singular).name);
  check_pivots(a_.data(), model_.nv());
  computed_ = true;
}

bool detail::SweptFactor::is_left(const Data& data) {
  // Of robots in use the ratio is below 3e4; where it is larger, M keeps more digits than articulated bodies.
  return !data.tree().mimic && data.articulated.singular_column < 0 && data.articulated.gross_ratio < 1e5;
}
bool detail::SweptFactor::prefers_responses() const { return zwang::prefers_responses(factor.model_.tree<double>()); }
void detail::SweptFactor::take(Data& data) const {
  factor.check_whole("TreeCholesky::compute");
  check_data(factor.model_, data, "TreeCholesky::compute");
  factor.computed_ = false;
  kernels().factor->from_columns(&data, factor.a_.data(), factor.by_matrix_ ? nullptr : factor.columns_.data());
  check_pivots(factor.a_.data(), factor.model_.nv());
  factor.computed_ = true;
}

void TreeCholesky::check_whole(const char* function) const {
  if (a_.size() != model_.nv() * model_.nv())
    throw std::logic_error(std::string(function) + ": this factor was moved from");
}
void TreeCholesky::check_computed(const char* function) const {
  check_whole(function);
  if (!computed_) throw std::logic_error(std::string(function) + ": call compute first");
}
void TreeCholesky::apply(VectorOut& x, const char* function, VectorKernel kernel) const {
  check_computed(function);
  detail::check_entries(x.data(), static_cast<Index>(x.size()), model_.nv(), function, "x");
  kernel(&model_.tree<double>(), a_.data(), x.data());
  detail::check_result(x.data(), model_.nv(), function);
}

void TreeCholesky::solve(VectorOut x) const { apply(x, "TreeCholesky::solve", kernels().factor->solve); }
void TreeCholesky::multiply(VectorOut x) const { apply(x, "TreeCholesky::multiply", kernels().factor->multiply); }
void TreeCholesky::solve_lower(VectorOut x) const {
  apply(x, "TreeCholesky::solve_lower", kernels().factor->solve_lower);
}
void TreeCholesky::solve_transposed(VectorOut x) const {
  apply(x, "TreeCholesky::solve_transposed", kernels().factor->solve_transposed);
}
void TreeCholesky::multiply_lower(VectorOut x) const {
  apply(x, "TreeCholesky::multiply_lower", kernels().factor->multiply_lower);
}
void TreeCholesky::multiply_transposed(VectorOut x) const {
  apply(x, "TreeCholesky::multiply_transposed", kernels().factor->multiply_transposed);
}
void TreeCholesky::inverse(MatrixOut out) const {
  detail::check_matrix(out, model_.nv(), model_.nv(), "TreeCholesky::inverse");
  check_computed("TreeCholesky::inverse");
  const Index stride = static_cast<Index>(out.outerStride());
  const Tree<double>& tree = model_.tree<double>();
  if (by_rows_)
    kernels().factor->inverse_by_factor(&tree, a_.data(), scratch_.data(), out.data(), stride);
  else
    kernels().factor->inverse_by_bodies(&tree, columns_.data(), scratch_.data(), out.data(), stride);
  detail::check_diagonal(out, "TreeCholesky::inverse");
}
double TreeCholesky::diagonal(Index k) const {
  check_computed("TreeCholesky::diagonal");
  return a_[k * (model_.nv() + 1)];
}
double TreeCholesky::lower(Index k, Index j) const {
  check_computed("TreeCholesky::lower");
  if (k == j) return 1.0;
  const Index* const parent = model_.tree<double>().row_parent;
  for (Index i = parent[k]; i >= 0; i = parent[i])
    if (i == j) return a_[k * model_.nv() + j];
  return 0.0;
}

}  // namespace zwang
