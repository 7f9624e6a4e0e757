// SPDX-License-Identifier: BSD-3-Clause
// The pages of unconstrained dynamics for one state, at one instruction set.
#include "algorithm/page/jacobian_path.hpp"
#include "core/kernel_table.hpp"
#include "zwang/algorithm/page/forward_dynamics.hpp"
#include "zwang/algorithm/page/inverse_dynamics.hpp"
#include "zwang/algorithm/page/mass_matrix.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace {

using State = BasicData<double>;
State& state(void* data) { return *static_cast<State*>(data); }

void positions(void* d, const double* q) { page::kinematics(state(d), q); }
void velocities(void* d, const double* q, const double* v) { page::kinematics(state(d), q, v); }
void accelerations(void* d, const double* q, const double* v, const double* a) { page::kinematics(state(d), q, v, a); }
void columns(void* d, const double* q) { page::columns(state(d), q); }
void columns_of_positions(void* d, const double* q) { page::columns_of_positions(state(d), q); }
double frame_jacobian(void* d, const double* q, Index body, const void* in_body, int reference, double* J,
                      Index stride) {
  State& data = state(d);
  const Transform<double>& X = *static_cast<const Transform<double>*>(in_body);
  const Reference seen = static_cast<Reference>(reference);
  if (!data.tree().mimic) return page::path_jacobian(data, q, body, X, seen, J, stride);
  page::enter_path(data, q, body);
  page::jacobian(data, body, X, seen, page::MatrixView<double>{J, 6, data.tree().nv, 1, stride});
  return std::numeric_limits<double>::quiet_NaN();  // not known
}
void inverse_dynamics(void* d, const double* q, const double* v, const double* a, double* tau) {
  page::inverse_dynamics(state(d), q, v, a, tau);
}
bool forward_dynamics(void* d, const double* q, const double* v, const double* tau, double* qdd) {
  return page::forward_accelerations(state(d), q, v, tau, qdd);
}
void mass_matrix(void* d, const double* q, double* M, Index stride) { page::mass_matrix(state(d), q, M, stride); }

}  // namespace

extern const StateKernels state_kernels;
const StateKernels state_kernels{static_cast<int>(sizeof(State)),
                                 positions,
                                 velocities,
                                 accelerations,
                                 columns,
                                 columns_of_positions,
                                 frame_jacobian,
                                 inverse_dynamics,
                                 forward_dynamics,
                                 mass_matrix};

}  // namespace ZWANG_ISA
}  // namespace zwang
