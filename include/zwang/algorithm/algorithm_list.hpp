// SPDX-License-Identifier: BSD-3-Clause
// THE list of algorithms: the arguments of each, in order, and its results. A row here, its page in lanes
// (src/kernels/batch_tasks.hpp) and its call for one state (zwang/batch/evaluate.hpp) make an algorithm available in
// Batch for double and float, in Python, in `zwang quantities` and in `zwang bench`.
#pragma once
#include "zwang/algorithm/algorithm.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace algorithm_list {

// Arguments. If one differs from these only in its name, add it here.
inline constexpr Argument q{Takes::configuration, "q"}, q0{Takes::configuration, "q0"}, q1{Takes::configuration, "q1"};
inline constexpr Argument v{Takes::tangent, "v"}, a{Takes::tangent, "a"}, tau{Takes::tangent, "tau"};
inline constexpr Argument b{Takes::tangent, "b"}, dq{Takes::tangent, "dq"}, u{Takes::tangent, "u"};
inline constexpr Argument frame{Takes::frame, "frame"}, seen_from{Takes::seen_from, "seen_from"};
inline constexpr Argument frames{Takes::frames, "frames"}, reference{Takes::reference, "reference"};
inline constexpr Argument point{Takes::point, "point"}, t{Takes::number, "t"}, kind{Takes::kind, "kind"};
inline constexpr Argument external{Takes::external, "external"}, effects{Takes::effects, "joint_effects"};
inline constexpr Argument gravity{Takes::gravity, "gravity"}, with_gravity{Takes::with_gravity, "with_gravity"};
// Extents of results.
inline constexpr Extent nq{1, &Sizes::nq}, nv{1, &Sizes::nv};
inline constexpr Extent each_joint{1, &Sizes::joints}, each_frame{1, &Sizes::frames};

// Common last sentences of several rows.
inline constexpr char k_environment[] =
    "\n\n"
    "external: wrenches [force; moment] [N, N m] from outside by frame name, about the frame's origin (about the\n"
    "    world's for in_=\"world\"), with in_ the axes: local, world, local_world_aligned or a frame's name.\n"
    "joint_effects: which effects of joints count (JointEffects). gravity: [m/s^2] instead of the model's.\n"
    "out: an array that receives the result. Vectors may be lists or dictionaries {joint: number}.\n"
    "Raises ValueError naming argument, got and expected; SingularMassError only where said.";
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

// clang-format off: each row keeps its layout
inline constexpr Algorithm k_rows[] = {
    // --- M(q) a + h(q, v) = tau --------------------------------------------------------------------------------------
    {.name = "inverse_dynamics",
     .alias = "rnea",
     .page = "inverse_dynamics",
     .takes = {q, v, a, external, effects, gravity},
     .gives = {{"tau", {nv}, "N m, N"}},
     .doc = "Torques that produce the acceleration a:  tau = M(q) a + h(q, v)  [N m, N], shape (nv,).\n\n"
            "q (nq,), v and a (nv,) in the model's order; floating joints: body twists. Recursive Newton-Euler (Luh, "
            "Walker\n"
            "and Paul 1980), cost O(n). Alias: rnea.",
     .notes = k_environment},
    {.name = "forward_dynamics",
     .alias = "aba",
     .page = "forward_dynamics",
     .takes = {q, v, tau, external, effects, gravity},
     .gives = {{"a", {nv}, "rad/s^2, m/s^2"}},
     .doc = "Accelerations that torques tau cause:  a = M(q)^-1 (tau - h(q, v))  [rad/s^2, m/s^2], shape (nv,).\n\n"
            "Articulated-body algorithm (Featherstone 2008, chapter 7), cost O(n). Raises SingularMassError naming the "
            "joint\n"
            "where a coordinate moves no inertia. Alias: aba.",
     .notes = k_environment},
    {.name = "bias_forces",
     .page = "inverse_dynamics",
     .takes = {q, v, external, effects, gravity},
     .gives = {{"h", {nv}, "N m, N"}},
     .doc = "h(q, v) of  M a + h = tau: velocity products, gravity, external wrenches, damping and springs  [N m, N], "
            "(nv,).\n\n"
            "Inverse dynamics at a = 0.",
     .notes = k_environment},
    {.name = "gravity_forces",
     .page = "inverse_dynamics",
     .takes = {q, gravity},
     .gives = {{"g", {nv}, "N m, N"}},
     .doc =
         "g(q): what the motors need to hold the robot still against gravity alone  [N m, N], shape (nv,).\n\n"
         "Springs and external wrenches are not counted: see bias_forces. q (nq,) or (N, nq); out: (nv,) or (N, nv).\n"
         "Raises ValueError naming argument, got and expected."},
    {.name = "mass_matrix",
     .alias = "crba",
     .page = "mass_matrix",
     .takes = {q, effects},
     .gives = {{"M", {nv, nv}, "kg m^2, kg m, kg"}},
     .doc = "M(q), symmetric, shape (nv, nv)  [kg m^2, kg m, kg]; 1/2 v^T M v is the kinetic energy.\n\n"
            "Composite rigid bodies (Walker and Orin 1982), cost O(n depth). Rotor inertias count unless\n"
            "joint_effects.armature is False. q (nq,) or (N, nq); out: (nv, nv) or (N, nv, nv). Alias: crba.\n"
            "Raises ValueError naming argument, got and expected."},
    {.name = "mass_matrix_inverse",
     .page = "mass_matrix_inverse",
     .takes = {q, effects},
     .gives = {{"inverse", {nv, nv}}},
     .doc = "M(q)^-1, symmetric, shape (nv, nv), through the factorisation along the tree (see cholesky).\n\n"
            "q (nq,) or (N, nq); out: (nv, nv) or (N, nv, nv). Raises SingularMassError naming the joint where a "
            "coordinate\n"
            "moves no inertia; ValueError naming argument, got and expected."},
    {.name = "mass_matrix_solve",
     .page = "tree_cholesky",
     .takes = {q, b, effects},
     .gives = {{"x", {nv}}},
     .doc = "x of  M(q) x = b, shape (nv,), through the factorisation along the tree (see cholesky).\n\n"
            "q (nq,) or (N, nq), b (nv,) or (N, nv). Raises SingularMassError naming the joint where a coordinate "
            "moves no\n"
            "inertia; ValueError naming argument, got and expected."},
    // --- energies and the centre of mass -----------------------------------------------------------------------------
    {.name = "kinetic_energy",
     .page = "centre_of_mass",
     .takes = {q, v, effects},
     .gives = {{"energy", {}, "J"}},
     .doc = "1/2 v^T M(q) v  [J]: a float, or shape (N,) for N states. Rotors count unless joint_effects.armature is "
            "False.\n\n"
            "Raises ValueError naming argument, got and expected."},
    {.name = "potential_energy",
     .page = "centre_of_mass",
     .takes = {q, effects, gravity},
     .gives = {{"energy", {}, "J"}},
     .doc = "-sum m g.c over moving bodies, plus the energy of springs  [J]; zero at the world's origin.\n\n"
            "A float, or shape (N,) for N states. Raises ValueError naming argument, got and expected."},
    {.name = "centre_of_mass",
     .page = "centre_of_mass",
     .takes = {q},
     .gives = {{"position", {3}, "m"}},
     .doc = "Centre of mass of everything that moves  [m], in the world, shape (3,) or (N, 3).\n\n"
            "q (nq,) or (N, nq) and so on; out: a float64 array that receives the result. Raises ValueError naming "
            "argument,\n"
            "got and expected."},
    {.name = "centre_of_mass_velocity",
     .page = "centre_of_mass",
     .takes = {q, v},
     .gives = {{"velocity", {3}, "m/s"}},
     .doc = "Velocity of the centre of mass  [m/s], in world axes, shape (3,) or (N, 3).\n\n"
            "q (nq,) or (N, nq) and so on; out: a float64 array that receives the result. Raises ValueError naming "
            "argument,\n"
            "got and expected."},
    {.name = "centre_of_mass_acceleration",
     .page = "centre_of_mass",
     .takes = {q, v, a},
     .gives = {{"acceleration", {3}, "m/s^2"}},
     .doc = "Acceleration of the centre of mass  [m/s^2], in world axes, gravity not counted, shape (3,) or (N, 3).\n\n"
            "q (nq,) or (N, nq) and so on; out: a float64 array that receives the result. Raises ValueError naming "
            "argument,\n"
            "got and expected."},
    {.name = "centre_of_mass_motion",
     .page = "centre_of_mass",
     .takes = {q, v, a},
     .gives = {{"position", {3}, "m"}, {"velocity", {3}, "m/s"}, {"acceleration", {3}, "m/s^2"}},
     .doc = "Position, velocity and acceleration of the centre of mass by one pass over the robot  [m, m/s, m/s^2], "
            "each (3,).\n\n"
            "In world axes, gravity not counted. q (nq,) or (N, nq) and so on; out: a tuple of float64 arrays that "
            "receive the\n"
            "results. Raises ValueError naming argument, got and expected."},
    {.name = "centre_of_mass_jacobian",
     .page = "centre_of_mass",
     .takes = {q},
     .gives = {{"J", {3, nv}}},
     .doc = "J with (velocity of the centre of mass) = J v, shape (3, nv) or (N, 3, nv).\n\n"
            "q (nq,) or (N, nq) and so on; out: a float64 array that receives the result. Raises ValueError naming "
            "argument,\n"
            "got and expected."},
    // --- frames ------------------------------------------------------------------------------------------------------
    {.name = "frame_pose",
     .page = "kinematics",
     .takes = {q, frame},
     .gives = {{"pose", {4, 4}, "m"}},
     .doc =
         "Pose of a frame in the world: the 4 x 4 matrix [R p; 0 1] that maps frame coordinates to the world's  "
         "[m].\n\n"
         "Every link, every joint and every frame added by with_frame is a frame. q (nq,) or (N, nq); result (4, 4) "
         "or\n"
         "(N, 4, 4). Raises ValueError naming argument, got and expected, for unknown frames with the nearest name."},
    {.name = "frame_poses",
     .page = "kinematics",
     .takes = {q, frames},
     .gives = {{"poses", {each_frame, 4, 4}, "m"}},
     .doc = "Poses of many frames by one pass over the robot: what frame_pose gives for each of them, (F, 4, 4) for F "
            "names;\n"
            "q (N, nq) gives (N, F, 4, 4).  [m]\n\n"
            "Raises ValueError naming argument, got and expected, for unknown frames with the nearest name."},
    {.name = "frame_velocity",
     .page = "kinematics",
     .takes = {q, v, frame, reference},
     .gives = {{"twist", {6}, "m/s, rad/s"}},
     .doc = "Velocity of a frame, [linear; angular]  [m/s, rad/s], shape (6,).",
     .notes = k_frame_notes},
    {.name = "frame_acceleration",
     .page = "kinematics",
     .takes = {q, v, a, frame, kind, reference, with_gravity, gravity},
     .gives = {{"acceleration", {6}, "m/s^2, rad/s^2"}},
     .doc = "Acceleration of a frame, [linear; angular]  [m/s^2, rad/s^2], gravity not counted (a body at rest has "
            "none), (6,).\n\n"
            "kind: classical (the rate of the velocity of the point) or spatial (classical minus w x v). with_gravity "
            "adds\n"
            "-g: what an accelerometer feels.",
     .notes = k_frame_notes},
    {.name = "jacobian",
     .page = "jacobian",
     .takes = {q, frame, reference},
     .gives = {{"J", {6, nv}}},
     .doc = "J with  frame_velocity = J v, shape (6, nv), linear rows first  [m, rad per unit of v].",
     .notes = k_frame_notes},
    {.name = "jacobian_dot",
     .page = "jacobian",
     .takes = {q, v, frame, reference},
     .gives = {{"J", {6, nv}}},
     .doc = "dJ/dt, the time derivative of the matrix that jacobian returns, shape (6, nv).\n\n"
            "J a + dJ/dt v is the spatial acceleration for local and world, the classical one for local_world_aligned.",
     .notes = k_frame_notes},
    {.name = "jacobian_at",
     .page = "jacobian",
     .takes = {q, frame, point},
     .gives = {{"J", {6, nv}}},
     .lanes = false,
     .doc =
         "Jacobian of a point fixed to a frame's body, given in world coordinates [m]; world axes, shape (6, nv).\n\n"
         "q (nq,) or (N, nq). Raises ValueError naming argument, got and expected."},
    {.name = "relative_pose",
     .page = "kinematics",
     .takes = {q, frame, seen_from},
     .gives = {{"pose", {4, 4}, "m"}},
     .lanes = false,
     .doc = "Pose of a frame in another: the 4 x 4 matrix [R p; 0 1] that maps coordinates of `frame` to those of\n"
            "`seen_from`  [m]. q (nq,) or (N, nq); result (4, 4) or (N, 4, 4). Raises ValueError naming argument, got "
            "and\n"
            "expected, for unknown frames with the nearest name."},
    {.name = "relative_velocity",
     .page = "kinematics",
     .takes = {q, v, frame, seen_from, reference},
     .gives = {{"twist", {6}, "m/s, rad/s"}},
     .lanes = false,
     .doc =
         "Velocity of a frame as one sees it who moves (and turns) along with the frame seen_from, [linear; angular]\n"
         "[m/s, rad/s], shape (6,): the difference of the two spatial velocities at the origin of `frame`.",
     .notes = k_frame_notes},
    {.name = "relative_jacobian",
     .page = "jacobian",
     .takes = {q, frame, seen_from, reference},
     .gives = {{"J", {6, nv}}},
     .lanes = false,
     .doc = "J with  relative_velocity = J v, shape (6, nv). Joints that move both frames alike have zero columns.",
     .notes = k_frame_notes},
    // --- the space of configurations ---------------------------------------------------------------------------------
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
     .doc = "dq with q0 (+) dq = q1, by the shortest rotation; shape (nv,).",
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

inline constexpr int k_algorithms =
    static_cast<int>(sizeof(algorithm_list::k_rows) / sizeof(algorithm_list::k_rows[0]));

/// The index of a row at compile time: a name that is not in the list does not compile.
consteval int algorithm_index(std::string_view name) {
  for (int k = 0; k < k_algorithms; ++k)
    if (name == algorithm_list::k_rows[k].name) return k;
  throw "no algorithm of the list has this name";
}

/// A row as a type: code for it is a function that takes Row<"its name">.
template <int index> struct RowAt {
  static constexpr int k_index = index;
  static constexpr const Algorithm& row() { return algorithm_list::k_rows[index]; }
};
template <std::size_t N> struct RowName {
  consteval RowName(const char (&name)[N]) : index(algorithm_index(std::string_view(name, N - 1))) {}
  int index;
};
template <RowName name> using Row = RowAt<name.index>;

}  // namespace ZWANG_ISA
}  // namespace zwang
