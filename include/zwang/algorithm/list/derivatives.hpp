// SPDX-License-Identifier: BSD-3-Clause
// The part of the list of algorithms (algorithm_list.hpp) on first derivatives of dynamics.
#pragma once
#include "zwang/algorithm/algorithm_words.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace algorithm_list {

// clang-format off: each row keeps its layout
inline constexpr Algorithm k_derivatives[] = {
    {.name = "inverse_dynamics_derivatives",
     .page = "inverse_dynamics_derivatives",
     .takes = {q, v, a, external, effects, gravity},
     .gives = {{"by_q", {nv, nv}}, {"by_v", {nv, nv}}, {"by_a", {nv, nv}}},
     .named = true,
     .doc = "Derivatives of inverse_dynamics by q, v and a, (nv, nv) each; by a: the mass matrix. Cost O(n depth).",
     .notes = k_variation_notes},
    {.name = "forward_dynamics_derivatives",
     .page = "inverse_dynamics_derivatives",
     .takes = {q, v, tau, external, effects, gravity},
     .gives = {{"by_q", {nv, nv}}, {"by_v", {nv, nv}}, {"by_tau", {nv, nv}}},
     .named = true,
     .doc = "Derivatives of forward_dynamics by q, v and tau, (nv, nv) each; by tau: the inverse of the mass matrix.\n"
            "Raises SingularMassError where a coordinate has no inertia.",
     .notes = k_variation_notes},
    {.name = "bias_forces_derivatives",
     .page = "inverse_dynamics_derivatives",
     .takes = {q, v, external, effects, gravity},
     .gives = {{"by_q", {nv, nv}}, {"by_v", {nv, nv}}},
     .named = true,
     .doc = "Derivatives of bias_forces by q and v, (nv, nv) each.",
     .notes = k_variation_notes},
    {.name = "gravity_forces_derivatives",
     .page = "inverse_dynamics_derivatives",
     .takes = {q, gravity},
     .gives = {{"by_q", {nv, nv}}},
     .named = true,
     .doc = "Derivative of gravity_forces by q, (nv, nv) or (N, nv, nv)."},
    {.name = "static_torque_derivatives",
     .page = "inverse_dynamics_derivatives",
     .takes = {q, external, effects, gravity},
     .gives = {{"by_q", {nv, nv}}},
     .named = true,
     .doc = "Derivative of static_torque by q, (nv, nv) or (N, nv, nv).",
     .notes = k_variation_notes},
    {.name = "inverse_dynamics_jvp",
     .page = "inverse_dynamics_products",
     .takes = {q, v, a, along_q, along_v, along_a, external, effects, gravity},
     .gives = {{"dtau", {nv}, "N m, N"}},
     .named = true,
     .doc = "d tau of inverse_dynamics along (dq, dv, da), None: zeros; dq is a tangent increment. (nv,) or (N, nv), "
            "O(n)."},
    {.name = "inverse_dynamics_vjp",
     .page = "inverse_dynamics_products",
     .takes = {q, v, a, w, external, effects, gravity},
     .gives = {{"by_q", {nv}}, {"by_v", {nv}}, {"by_a", {nv}}},
     .named = true,
     .doc = "The gradient of w . tau of inverse_dynamics by q, v and a, in O(n) and without a matrix."},
    {.name = "forward_dynamics_jvp",
     .page = "inverse_dynamics_products",
     .takes = {q, v, tau, along_q, along_v, along_tau, external, effects, gravity},
     .gives = {{"da", {nv}, "rad/s^2, m/s^2"}},
     .named = true,
     .doc = "d a of forward_dynamics along (dq, dv, dtau), None: zeros; dq is a tangent increment. (nv,) or (N, nv). "
            "Raises\nSingularMassError where a coordinate has no inertia."},
    {.name = "forward_dynamics_vjp",
     .page = "inverse_dynamics_products",
     .takes = {q, v, tau, w, external, effects, gravity},
     .gives = {{"by_q", {nv}}, {"by_v", {nv}}, {"by_tau", {nv}}},
     .named = true,
     .doc = "The gradient of w . a of forward_dynamics by q, v and tau. Raises SingularMassError where a coordinate "
            "has no\ninertia."},
};
// clang-format on

}  // namespace algorithm_list
}  // namespace ZWANG_ISA
}  // namespace zwang
