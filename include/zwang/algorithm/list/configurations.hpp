// SPDX-License-Identifier: BSD-3-Clause
// The part of the list of algorithms (algorithm_list.hpp) on the space of configurations.
#pragma once
#include "zwang/algorithm/algorithm_words.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace algorithm_list {

// clang-format off: each row keeps its layout
inline constexpr Algorithm k_configurations[] = {
    {.name = "integrate",
     .page = "manifold/page/manifold",
     .takes = {q, dq},
     .gives = {{"moved", {nq}}},
     .doc = "q (+) dq: where the velocity v leads in the time h, with dq = h v; shape (nq,).",
     .notes = k_manifold_notes},
    {.name = "difference",
     .page = "manifold/page/manifold",
     .takes = {q0, q1},
     .gives = {{"dq", {nv}}},
     .doc = "dq with q0 (+) dq = q1, by the shortest rotation; shape (nv,). The angle of a planar joint, too, goes the "
            "shorter way round, within pi, so that q0 (+) dq may count whole turns otherwise than q1 does.",
     .notes = k_manifold_notes},
    {.name = "interpolate",
     .page = "manifold/page/manifold",
     .takes = {q0, q1, t},
     .gives = {{"between", {nq}}},
     .lanes = false,
     .doc = "q0 (+) t (q1 (-) q0): q0 at t = 0, q1 at t = 1, beyond them for other t; shape (nq,).",
     .notes = k_manifold_notes},
    {.name = "distance",
     .page = "manifold/page/manifold",
     .takes = {q0, q1},
     .gives = {{"distance", {}}},
     .lanes = false,
     .doc = "The length of difference(q0, q1): angles [rad] and lengths [m] weigh alike. A float, or shape (N,).",
     .notes = k_manifold_notes},
    {.name = "squared_distances",
     .page = "manifold/page/manifold",
     .takes = {q0, q1},
     .gives = {{"distances", {each_joint}}},
     .lanes = false,
     .doc = "The squared length of the difference per joint, in the order of model.joints; 0 for fixed and mimicking "
            "joints.",
     .notes = k_manifold_notes},
    {.name = "integrate_jacobians",
     .page = "manifold/page/manifold",
     .takes = {q, dq},
     .gives = {{"by_q", {nv, nv}}, {"by_dq", {nv, nv}}},
     .lanes = false,
     .doc = "d(q (+) dq)/dq and d(q (+) dq)/d(dq), each (nv, nv): increments at the result by increments at the "
            "arguments.",
     .notes = k_manifold_notes},
    {.name = "difference_jacobians",
     .page = "manifold/page/manifold",
     .takes = {q0, q1},
     .gives = {{"by_q0", {nv, nv}}, {"by_q1", {nv, nv}}},
     .lanes = false,
     .doc = "d(q1 (-) q0)/dq0 and d(q1 (-) q0)/dq1, each (nv, nv).",
     .notes = k_manifold_notes},
    {.name = "transport",
     .page = "manifold/page/manifold",
     .takes = {q, dq, u},
     .gives = {{"transported", {nv}}},
     .lanes = false,
     .doc = "d(q (+) dq)/dq u without the matrix: the increment u at q as an increment at q (+) dq; shape (nv,).",
     .notes = k_manifold_notes},
    {.name = "normalize",
     .page = "manifold/page/manifold",
     .takes = {q},
     .gives = {{"normalized", {nq}}},
     .lanes = false,
     .doc = "q with every quaternion brought to unit length; shape (nq,) or (N, nq).\n\n"
            "Raises ValueError, naming the joint, where one has no direction."},
};
// clang-format on

}  // namespace algorithm_list
}  // namespace ZWANG_ISA
}  // namespace zwang
