// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/tree_cholesky.hpp"

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"

namespace zwang {
namespace {

page::TreeFactor<double> factor(const Model& model, const Buffer<double>& a, bool computed, const char* function) {
  if (!computed) throw std::logic_error(std::string(function) + ": call compute first");
  const Tree<double>& t = model.tree<double>();
  return {const_cast<double*>(a.data()), t.nv, t.nv, t.row_parent};
}
double* checked(const Model& model, VectorOut& x, const char* function) {
  if (x.size() != model.nv()) detail::throw_size(function, "x", static_cast<long>(x.size()), model.nv());
  return x.data();
}

}  // namespace

TreeCholesky::TreeCholesky(const Model& model) : model_(model), a_(model.nv() * model.nv()) {}

void TreeCholesky::compute(Data& data, VectorIn q, const JointEffects& effects) {
  detail::check_data(model_, data, "TreeCholesky::compute");
  detail::check_q(model_, q, "TreeCholesky::compute");
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  page::mass_matrix(data, q.data(), a_.data(), model_.nv());
  computed_ = true;
  Index singular = -1;
  page::TreeFactor<double> f = factor(model_, a_, true, "TreeCholesky::compute");
  double* const diagonal = data.work.data();
  for (Index k = 0; k < f.n; ++k) diagonal[k] = f.at(k, k);
  page::ltl_factor(f, [&](Index k, double pivot) {
    if (!(pivot > 32 * epsilon_of<double> * diagonal[k]) && singular < 0) singular = k;
  });
  if (singular < 0) return;
  computed_ = false;
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
  page::mass_matrix_inverse(factor(model_, a_, computed_, "TreeCholesky::inverse"), out.data(),
                            static_cast<Index>(out.outerStride()));
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
