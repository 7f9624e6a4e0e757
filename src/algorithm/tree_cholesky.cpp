// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/tree_cholesky.hpp"

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "zwang/algorithm/page/articulated_inverse.hpp"

namespace zwang {
namespace {

page::TreeFactor<double> factor(const Model& model, const Buffer<double>& a, bool computed, const char* function) {
  if (!computed) throw std::logic_error(std::string(function) + ": call compute first");
  return page::tree_factor(model.tree<double>(), const_cast<double*>(a.data()), model.nv());
}
using Column = page::ArticulatedColumn<double>;
constexpr Index k_column = static_cast<Index>(sizeof(Column) / sizeof(double));
const Column* columns(const Buffer<double>& numbers) { return reinterpret_cast<const Column*>(numbers.data()); }
Column* columns(Buffer<double>& numbers) { return reinterpret_cast<Column*>(numbers.data()); }

/// From M, whatever coordinates share. Returns the first coordinate without inertia, or -1.
Index factor_matrix(Data& data, const double* q, const page::TreeFactor<double>& f) {
  page::mass_matrix(data, q, f.a, f.stride);
  Index singular = -1;
  double* const diagonal = data.work.data();
  for (Index k = 0; k < f.n; ++k) diagonal[k] = f.at(k, k);
  page::ltl_factor(f, [&](Index k, double pivot) {
    if (!(pivot > 32 * epsilon_of<double> * diagonal[k]) && singular < 0) singular = k;
  });
  return singular;
}
double* checked(const Model& model, VectorOut& x, const char* function) {
  if (x.size() != model.nv()) detail::throw_size(function, "x", static_cast<long>(x.size()), model.nv());
  return x.data();
}

}  // namespace

TreeCholesky::TreeCholesky(const Model& model) : model_(model), a_(model.nv() * model.nv()) {
  if (model.tree<double>().mimic) return;
  columns_ = Buffer<double>(model.nv() * k_column);
  scratch_ = Buffer<double>(model.nv() * page::inverse_scratch<double>);
}

void TreeCholesky::compute(Data& data, VectorIn q, const JointEffects& effects) {
  detail::check_data(model_, data, "TreeCholesky::compute");
  detail::check_q(model_, q, "TreeCholesky::compute");
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  const page::TreeFactor<double> f = factor(model_, a_, true, "TreeCholesky::compute");
  const Index singular = data.tree().mimic
                             ? factor_matrix(data, q.data(), f)
                             : page::articulated_cholesky(data, q.data(), f.a, f.stride, columns(columns_));
  computed_ = singular < 0;
  if (computed_) return;
  throw SingularMassError(detail::joint_of_coordinate(model_, singular).name);
}

void TreeCholesky::solve(VectorOut x) const {
  page::ltl_solve(factor(model_, a_, computed_, "TreeCholesky::solve"), checked(model_, x, "TreeCholesky::solve"));
}
void TreeCholesky::multiply(VectorOut x) const {
  page::ltl_multiply(factor(model_, a_, computed_, "TreeCholesky::multiply"),
                     checked(model_, x, "TreeCholesky::multiply"));
}
void TreeCholesky::solve_lower(VectorOut x) const {
  page::ltl_solve_lower(factor(model_, a_, computed_, "TreeCholesky::solve_lower"),
                        checked(model_, x, "TreeCholesky::solve_lower"));
}
void TreeCholesky::solve_transposed(VectorOut x) const {
  page::ltl_solve_transposed(factor(model_, a_, computed_, "TreeCholesky::solve_transposed"),
                             checked(model_, x, "TreeCholesky::solve_transposed"));
}
void TreeCholesky::multiply_lower(VectorOut x) const {
  page::ltl_multiply_lower(factor(model_, a_, computed_, "TreeCholesky::multiply_lower"),
                           checked(model_, x, "TreeCholesky::multiply_lower"));
}
void TreeCholesky::multiply_transposed(VectorOut x) const {
  page::ltl_multiply_transposed(factor(model_, a_, computed_, "TreeCholesky::multiply_transposed"),
                                checked(model_, x, "TreeCholesky::multiply_transposed"));
}
void TreeCholesky::inverse(MatrixOut out) const {
  detail::check_matrix(out, model_.nv(), model_.nv(), "TreeCholesky::inverse");
  const page::TreeFactor<double> f = factor(model_, a_, computed_, "TreeCholesky::inverse");
  const Index stride = static_cast<Index>(out.outerStride());
  const Tree<double>& tree = model_.tree<double>();
  if (tree.mimic)
    page::mass_matrix_inverse(f, out.data(), stride);
  else
    page::articulated_inverse(tree, columns(columns_), scratch_.data(), out.data(), stride);
}
double TreeCholesky::diagonal(Index k) const {
  return factor(model_, a_, computed_, "TreeCholesky::diagonal").at(k, k);
}
double TreeCholesky::lower(Index k, Index j) const {
  const page::TreeFactor<double> f = factor(model_, a_, computed_, "TreeCholesky::lower");
  if (k == j) return 1.0;
  for (Index i = f.parent[k]; i >= 0; i = f.parent[i])
    if (i == j) return f.at(k, j);
  return 0.0;
}

}  // namespace zwang
