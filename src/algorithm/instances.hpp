// SPDX-License-Identifier: BSD-3-Clause
// Which pages the library holds compiled, so that no other source compiles them again.
#pragma once
#include "core/kernel_table.hpp"
#include "zwang/algorithm/page/centroidal.hpp"
#include "zwang/algorithm/page/forward_dynamics.hpp"
#include "zwang/algorithm/page/inverse_dynamics.hpp"
#include "zwang/algorithm/page/kinematic_hessian.hpp"
#include "zwang/algorithm/page/regressor.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

#define ZWANG_ALGORITHM_PAGES(KEYWORD, S)                                                                            \
  KEYWORD template void kinematics<S>(BasicData<S>&, const S*);                                                      \
  KEYWORD template void kinematics<S>(BasicData<S>&, const S*, const S*);                                            \
  KEYWORD template void kinematics<S>(BasicData<S>&, const S*, const S*, const S*);                                  \
  KEYWORD template void columns<S>(BasicData<S>&, const S*);                                                         \
  KEYWORD template void columns_of_positions<S>(BasicData<S>&, const S*);                                            \
  KEYWORD template void inverse_dynamics<S>(BasicData<S>&, const S*, const S*, const S*, S*);                        \
  KEYWORD template bool forward_dynamics<S>(BasicData<S>&, const S*, const S*, const S*, S*);                        \
  KEYWORD template void mass_matrix<S>(BasicData<S>&, const S*, S*, Index);                                          \
  KEYWORD template CentreOfMass<S> centre_of_mass<S>(const BasicData<S>&);                                           \
  KEYWORD template void centre_of_mass_jacobian<S>(BasicData<S>&, const MatrixView<S>&);                             \
  KEYWORD template S kinetic_energy<S>(const BasicData<S>&, const S*);                                               \
  KEYWORD template S potential_energy<S>(const BasicData<S>&);                                                       \
  KEYWORD template Force<S> centroidal_momentum<S>(const BasicData<S>&);                                             \
  KEYWORD template Force<S> centroidal_momentum_rate<S>(const BasicData<S>&);                                        \
  KEYWORD template Inertia<S> centroidal_inertia<S>(const BasicData<S>&);                                            \
  KEYWORD template void kinetic_energy_regressor<S>(const BasicData<S>&, S*);                                        \
  KEYWORD template void potential_energy_regressor<S>(const BasicData<S>&, S*);                                      \
  KEYWORD template void momentum_regressor<S>(const BasicData<S>&, const MatrixView<S>&);                            \
  KEYWORD template void static_regressor<S>(const BasicData<S>&, const MatrixView<S>&);                              \
  KEYWORD template void kinematic_hessian<S, Uniform<S>>(const BasicData<S>&, const SweepInput<S>&, Index,           \
                                                         const Transform<Uniform<S>>&, Reference, S*);               \
  KEYWORD template void jacobian<S, Uniform<S>>(const BasicData<S>&, Index, const Transform<Uniform<S>>&, Reference, \
                                                const MatrixView<S>&);                                               \
  KEYWORD template void jacobian_dot<S, Uniform<S>>(const BasicData<S>&, const SweepInput<S>&, const S*, Index,      \
                                                    const Transform<Uniform<S>>&, Reference, const MatrixView<S>&)

ZWANG_ALGORITHM_PAGES(extern, double);

// For Data these stand before the pages themselves: the kernels of the instruction set in use.
inline void kinematics(Data& data, const double* q) { kernels().state->positions(&data, q); }
inline void kinematics(Data& data, const double* q, const double* v) { kernels().state->velocities(&data, q, v); }
inline void kinematics(Data& data, const double* q, const double* v, const double* a) {
  kernels().state->accelerations(&data, q, v, a);
}
inline void columns(Data& data, const double* q) { kernels().state->columns(&data, q); }
inline void columns_of_positions(Data& data, const double* q) { kernels().state->columns_of_positions(&data, q); }
inline double frame_jacobian(Data& data, const double* q, const Frame& frame, Reference reference, double* J,
                             Index stride) {
  return kernels().state->frame_jacobian(&data, q, frame.body.value, &frame.in_body, static_cast<int>(reference), J,
                                         stride);
}
inline void inverse_dynamics(Data& data, const double* q, const double* v, const double* a, double* tau) {
  kernels().state->inverse_dynamics(&data, q, v, a, tau);
}
inline bool forward_dynamics(Data& data, const double* q, const double* v, const double* tau, double* qdd) {
  return kernels().state->forward_dynamics(&data, q, v, tau, qdd);
}
inline void mass_matrix(Data& data, const double* q, double* M, Index stride) {
  kernels().state->mass_matrix(&data, q, M, stride);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
