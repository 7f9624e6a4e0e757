// SPDX-License-Identifier: BSD-3-Clause
// Coulomb friction of coordinates at rest: a force of any size up to c, which is not a function of the state.
#pragma once
#include "zwang/algorithm/reference.hpp"
#include "zwang/core/status.hpp"
#include "zwang/model/data.hpp"
#include "zwang/model/model.hpp"

namespace zwang::detail {

/// The first coordinate at rest whose friction counts; -1: there is none.
Index rubs_at_rest(const Model& model, const double* v, const JointEffects& effects);
/// The name of that coordinate and what it may do, for messages.
std::string friction_text(const Model& model, Index v);
/// Throws std::invalid_argument where the derivative of an acceleration is asked for at such a state.
void check_differentiable(const Model& model, const double* v, const JointEffects& effects, const char* function);

/// Forward dynamics with friction of the coordinates at rest:
///
///   M q'' + h = tau + f,     |f_i| <= c_i,     q''_i = 0 where |f_i| < c_i,     f_i q''_i <= 0      (v_i = 0)
///
/// which is the minimum of 1/2 |q'' - q''_free|^2_M + sum c_i |q''_i|: one q'', by Gauss' principle. A coordinate
/// sticks or slides; those that are wrong change sides, all at once while that makes them fewer, else the first one
/// alone (Judice & Pires, Computers Math. Appl. 26 (1993), 35-52; Murty 1974), which ends. Each try is a sweep, with
/// q'' = 0 given where a coordinate sticks, and inverse dynamics for what holds it. `tau` [nv]: motors and all effects
/// of joints but the friction at rest. singular_mass where M is singular; not_converged after 1000 tries, or where the
/// equations of motion of coordinates that do not stick are missed by more than 1e-9 of the largest force.
Status forward_at_rest(const Model& model, Data& data, const double* q, const double* v, const double* tau,
                       double* qdd);

}  // namespace zwang::detail
