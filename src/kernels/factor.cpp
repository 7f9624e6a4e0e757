// SPDX-License-Identifier: BSD-3-Clause
// The factors of the mass matrix and its inverse for one state, at one instruction set.
#include "algorithm/page/articulated_inverse.hpp"
#include "algorithm/page/inverse_by_rows.hpp"
#include "core/kernel_table.hpp"
#include "kernels/gross_inertia.hpp"
#include "zwang/algorithm/page/mass_matrix.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

using State = BasicData<double>;
using Kept = page::ArticulatedColumn<double>;
const Tree<double>& tree_of(const void* tree) { return *static_cast<const Tree<double>*>(tree); }
page::TreeFactor<double> factor(const void* tree, const double* a) {
  return page::tree_factor(tree_of(tree), const_cast<double*>(a), tree_of(tree).nv);
}

/// Dampers over an implicit step, which articulated bodies have in the inertia of their columns.
void add_dampers(const State& data, const page::TreeFactor<double>& f) {
  const Tree<double>& tree = data.tree();
  if (!(data.damping_step > 0) || tree.passive == nullptr) return;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& c = tree.column[k];
    f.a[c.v * f.stride + c.v] += tree.passive[k].damping * data.damping_step * c.multiplier * c.multiplier;
  }
}

Index from_matrix(void* d, const double* q, double* a) {
  State& data = *static_cast<State*>(d);
  const page::TreeFactor<double> f = factor(&data.tree(), a);
  page::mass_matrix(data, q, f.a, f.stride);
  add_dampers(data, f);
  Index singular = -1;
  double* const bound = data.work.data();
  gross_inertias(data, bound);
  page::ltl_factor(f, [&](Index k, double pivot) ZWANG_LAMBDA {
    if (!(pivot > 32 * epsilon_of<double> * bound[k]) && singular < 0) singular = k;
  });
  return singular;
}
Index from_bodies(void* d, const double* q, double* a, void* columns) {
  State& data = *static_cast<State*>(d);
  return page::articulated_cholesky(data, q, a, data.tree().nv, static_cast<Kept*>(columns));
}
bool forward_dynamics(void* d, const double* q, const double* v, const double* tau, double* qdd) {
  return page::forward_dynamics(*static_cast<State*>(d), q, v, tau, qdd);
}
void from_columns(void* d, double* a, void* columns) {
  State& data = *static_cast<State*>(d);
  page::factor_of_columns(data, a, data.tree().nv, static_cast<Kept*>(columns));
}
void inverse_by_factor(const void* tree, const double* a, double* scratch, double* out, Index stride) {
  page::inverse_by_rows(factor(tree, a), out, stride, scratch);
}
void inverse_by_bodies(const void* tree, const void* columns, double* scratch, double* out, Index stride) {
  page::articulated_inverse(tree_of(tree), static_cast<const Kept*>(columns), scratch, out, stride);
}
void solve(const void* tree, const double* a, double* x) { page::ltl_solve(factor(tree, a), x); }
void solve_lower(const void* tree, const double* a, double* x) { page::ltl_solve_lower(factor(tree, a), x); }
void solve_transposed(const void* tree, const double* a, double* x) { page::ltl_solve_transposed(factor(tree, a), x); }
void multiply(const void* tree, const double* a, double* x) { page::ltl_multiply(factor(tree, a), x); }
void multiply_lower(const void* tree, const double* a, double* x) { page::ltl_multiply_lower(factor(tree, a), x); }
void multiply_transposed(const void* tree, const double* a, double* x) {
  page::ltl_multiply_transposed(factor(tree, a), x);
}

}  // namespace

extern const FactorKernels factor_kernels;
const FactorKernels factor_kernels{static_cast<int>(sizeof(Kept)),
                                   static_cast<int>(page::inverse_scratch<double>),
                                   from_matrix,
                                   from_bodies,
                                   from_columns,
                                   inverse_by_factor,
                                   inverse_by_bodies,
                                   solve,
                                   solve_lower,
                                   solve_transposed,
                                   multiply,
                                   multiply_lower,
                                   multiply_transposed,
                                   forward_dynamics};

}  // namespace ZWANG_ISA
}  // namespace zwang
