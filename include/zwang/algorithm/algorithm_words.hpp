// SPDX-License-Identifier: BSD-3-Clause
// The words in which the rows of algorithm_list.hpp are written: arguments, extents of results,
// sentences that several rows share.
#pragma once
#include "zwang/algorithm/algorithm.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace algorithm_list {

// Arguments. If one differs from these only in its name, add it here.
inline constexpr Argument q{Takes::configuration, "q"}, q0{Takes::configuration, "q0"}, q1{Takes::configuration, "q1"};
inline constexpr Argument v{Takes::tangent, "v"}, a{Takes::tangent, "a"}, tau{Takes::tangent, "tau"};
inline constexpr Argument b{Takes::tangent, "b"}, dq{Takes::tangent, "dq"}, u{Takes::tangent, "u"};
inline constexpr Argument along_q{Takes::tangent, "dq", true}, along_v{Takes::tangent, "dv", true};
inline constexpr Argument along_a{Takes::tangent, "da", true}, along_tau{Takes::tangent, "dtau", true};
inline constexpr Argument w{Takes::tangent, "w"};
inline constexpr Argument frame{Takes::frame, "frame"}, seen_from{Takes::seen_from, "seen_from"};
inline constexpr Argument frames{Takes::frames, "frames"}, reference{Takes::reference, "reference"};
inline constexpr Argument point{Takes::point, "point"}, t{Takes::number, "t"}, kind{Takes::kind, "kind"};
inline constexpr Argument external{Takes::external, "external"}, effects{Takes::effects, "joint_effects"};
inline constexpr Argument gravity{Takes::gravity, "gravity"}, with_gravity{Takes::with_gravity, "with_gravity"};
// Extents of results.
inline constexpr Extent nq{1, &Sizes::nq}, nv{1, &Sizes::nv};
inline constexpr Extent each_joint{1, &Sizes::joints}, each_frame{1, &Sizes::frames};
inline constexpr Extent parameters{10, &Sizes::links};

/// The parts of the list one after the other.
template <int N> struct Rows {
  constexpr const Algorithm& operator[](int k) const { return row[k]; }
  constexpr const Algorithm* begin() const { return row; }
  constexpr const Algorithm* end() const { return row + N; }
  static constexpr int size = N;
  Algorithm row[N] = {};
};
template <std::size_t... n> consteval auto joined(const Algorithm (&... part)[n]) {
  Rows<static_cast<int>((n + ...))> all;
  int k = 0;
  const auto add = [&](const auto& rows) {
    for (const Algorithm& row : rows) all.row[k++] = row;
  };
  (add(part), ...);
  return all;
}

// Common last sentences of several rows.
inline constexpr char k_environment[] =
    "\n\n"
    "external: wrenches [force; moment] [N, N m] from outside by frame name, about the frame's origin (about the\n"
    "    world's for in_=\"world\"), with in_ the axes: local, world, local_world_aligned or a frame's name.\n"
    "joint_effects: which effects of joints count (JointEffects). gravity: [m/s^2] instead of the model's.\n"
    "out: an array that receives the result. Vectors may be lists or dictionaries {joint: number}.\n"
    "Raises ValueError naming argument, got and expected; SingularMassError only where said.";
inline constexpr char k_variation_notes[] =
    "\n\n"
    "By q: along q (+) d at d = 0, a column for each coordinate of v. External wrenches are constant in the axes in "
    "which\n"
    "they are given. With N states the results have a leading dimension N.";
inline constexpr char k_state_notes[] =
    "\n\n"
    "q (nq,) or (N, nq) and so on; with N states results have a leading dimension N. out: a float64 array that "
    "receives\n"
    "the result. Raises ValueError naming argument, got and expected.";
inline constexpr char k_subtree_notes[] =
    "\n\n"
    "frame: any frame of the body. q (nq,) or (N, nq) and so on; out: a float64 array that receives the result. "
    "Raises\n"
    "ValueError naming argument, got and expected, for unknown frames with the nearest name, for those on the ground.";
inline constexpr char k_regressor_notes[] =
    "\n\n"
    "phi = model.inertial_parameters: ten numbers a link, in the order of model.links: m, m c, I about the link's "
    "origin\n"
    "(xx xy yy xz yz zz), in link axes. q (nq,) or (N, nq) and so on; out: a float64 array that receives the result.\n"
    "Raises ValueError naming argument, got and expected.";
inline constexpr char k_frame_notes[] =
    "\n\n"
    "reference: local (the frame's origin and axes), world (the world's), local_world_aligned (the frame's origin,\n"
    "    the world's axes), or the name of a frame (origin of `frame`, axes of that frame). q (nq,) or (N, nq) and so\n"
    "    on; with N states the result has a leading dimension N. out: a float64 array that receives the result.\n"
    "Raises ValueError naming argument, got and expected, for unknown frames with the nearest name.";
inline constexpr char k_manifold_notes[] =
    "\n\n"
    "Increments are in body axes for floating, spherical and planar joints. Every vector may have a leading\n"
    "dimension (N, ...). out: a float64 array that receives the result. Raises ValueError naming argument, got and\n"
    "expected, also for quaternions that are not of unit length.";

}  // namespace algorithm_list
}  // namespace ZWANG_ISA
}  // namespace zwang
