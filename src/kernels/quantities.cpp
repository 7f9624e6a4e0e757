// SPDX-License-Identifier: BSD-3-Clause
// The Coriolis matrix, centroidal maps and the regressor of one state, at one instruction set.
#include "algorithm/page/all_terms_rows.hpp"
#include "core/kernel_table.hpp"
#include "zwang/algorithm/page/generalised_momentum.hpp"
#include "zwang/algorithm/page/regressor.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

using State = BasicData<double>;
using View = page::MatrixView<double>;
State& state(void* data) { return *static_cast<State*>(data); }

bool coriolis_matrix(void* d, const double* q, const double* v, double* C, Index stride) {
  State& data = state(d);
  const Index nv = data.tree().nv;
  if (data.tree().mimic) {
    page::coriolis_matrix(data, q, v, C, stride, true);
    return false;
  }
  page::kinematics(data, q, v);
  return page::coriolis_rows<page::k_coriolis>(data, q, v, View{C, nv, nv, 1, stride});
}
void centroidal_map(void* d, const double* q, double* A, Index stride) {
  page::columns(state(d), q);
  page::centroidal_map(state(d), View{A, 6, state(d).tree().nv, 1, stride});
}
void centroidal_map_dot(void* d, const double* q, const double* v, double* A, Index stride) {
  State& data = state(d);
  const auto& tree = data.tree();
  page::kinematics(data, q, v);
  const SweepInput<double> in{tree.mimic ? data.q_spanning.data() : q, data.sin.data(), data.cos.data()};
  page::centroidal_map_dot(data, in, tree.mimic ? data.v_spanning.data() : v, View{A, 6, tree.nv, 1, stride});
}
void generalised_momentum(void* d, const double* q, const double* v, double* p, double* coriolis) {
  page::generalised_momentum(state(d), q, v, p, coriolis);
}
bool regressor(void* d, const double* q, const double* v, const double* a, double* Y, Index stride) {
  State& data = state(d);
  page::kinematics(data, q, v, a);
  return page::inverse_dynamics_regressor(
      data, View{Y, data.tree().nv, page::k_link_parameters * data.tree().links, 1, stride});
}

bool all_terms(void* d, const double* q, const double* v, double* const* out) {
  State& data = state(d);
  const Index nv = data.tree().nv;
  page::TotalTerms<double> total;
  const page::AllTermsView<double> to{
      out[0], out[1], out[4], out[5], View{out[2], 6, nv, 1, 6}, View{out[3], 6, nv, 1, 6}, &total};
  bool finite = false;
  if (data.tree().mimic)
    page::all_terms(data, q, v, to);
  else
    finite = page::all_terms_rows(data, q, v, to);
  for (Index r = 0; r < 3; ++r) {
    out[6][r] = total.centre[r];
    out[6][3 + r] = total.velocity[r];
  }
  out[6][6] = total.kinetic_energy;
  out[6][7] = total.potential_energy;
  return finite;
}

}  // namespace

extern const QuantityKernels quantity_kernels;
const QuantityKernels quantity_kernels{coriolis_matrix,      centroidal_map, centroidal_map_dot,
                                       generalised_momentum, regressor,      all_terms};

}  // namespace ZWANG_ISA
}  // namespace zwang
