// SPDX-License-Identifier: BSD-3-Clause
// THE list of algorithms: the arguments of each, in order, and its results. A row here, its page in lanes
// (src/kernels/batch_tasks.hpp) and its call for one state (zwang/batch/evaluate.hpp) make an algorithm available in
// Batch for double and float, in Python, in `zwang quantities` and in `zwang bench`. Two parts of the list have files
// of their own, list/configurations.hpp and list/derivatives.hpp.
#pragma once
#include "zwang/algorithm/list/configurations.hpp"
#include "zwang/algorithm/list/derivatives.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace algorithm_list {

// clang-format off: each row keeps its layout
inline constexpr Algorithm k_mechanics[] = {
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
     .doc = "h(q, v) of  M a + h = tau: velocity products, gravity, external wrenches, joint_effects  [N m, N], "
            "(nv,).\n\n"
            "Inverse dynamics at a = 0.",
     .notes = k_environment},
    {.name = "gravity_forces",
     .page = "inverse_dynamics",
     .takes = {q, gravity},
     .gives = {{"g", {nv}, "N m, N"}},
     .doc = "g(q): what the motors need to hold the robot still against gravity alone  [N m, N], shape (nv,).\n\n"
            "Springs, wrenches, scales of gravity are not counted: see static_torque. q (nq,) or (N, nq); out: (nv,) "
            "or (N, nv).\n"
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
    {.name = "coriolis_matrix",
     .page = "coriolis",
     .takes = {q, v},
     .gives = {{"C", {nv, nv}}},
     .doc =
         "C(q, v) with  C v + gravity_forces = bias_forces  (damping, springs, gravity_scale off) and dM/dt - 2 C "
         "skew, shape (nv, "
         "nv).\n\n"
         "For every joint type. Where coordinates are additive, C is that of the Christoffel symbols. Echeandia and\n"
         "Wensing 2021, cost O(n depth).",
     .notes = k_state_notes},
    {.name = "generalised_momentum",
     .page = "generalised_momentum",
     .takes = {q, v, effects},
     .gives = {{"momentum", {nv}, "N m s, N s"}, {"coriolis", {nv}, "N m, N"}},
     .doc =
         "p = M(q) v and C(q, v)^T v, each (nv,):  dp/dt = tau + C^T v - gravity_forces  (joint_effects off).\n\n"
         "The momentum of the coordinates, and what the turning axes of the joints add to its rate; without M and C, "
         "cost\n"
         "O(n). For every joint type. De Luca and Mattone 2005.",
     .notes = k_state_notes},
    {.name = "static_torque",
     .page = "inverse_dynamics",
     .takes = {q, external, effects, gravity},
     .gives = {{"tau", {nv}, "N m, N"}},
     .doc =
         "Torques that hold the robot still against gravity, springs and external wrenches  [N m, N], shape (nv,).\n\n"
         "Inverse dynamics at v = a = 0.",
     .notes = k_environment},
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
     .doc =
         "-sum gravity_scale m g.c over moving links, plus the energy of springs  [J]; zero at the world's origin.\n\n"
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
    {.name = "mechanical_energy",
     .page = "centre_of_mass",
     .takes = {q, v, effects, gravity},
     .gives = {{"energy", {}, "J"}},
     .doc = "kinetic_energy plus potential_energy  [J]: a float, or shape (N,) for N states.",
     .notes = k_state_notes},
    {.name = "subtree_mass",
     .page = "centre_of_mass",
     .takes = {frame},
     .gives = {{"mass", {}, "kg"}},
     .lanes = false,
     .doc = "Mass of the frame's body and of everything that it carries  [kg].",
     .notes = k_subtree_notes},
    {.name = "subtree_centre_of_mass",
     .page = "centre_of_mass",
     .takes = {q, frame},
     .gives = {{"position", {3}, "m"}},
     .lanes = false,
     .doc = "Centre of mass of the frame's body and of everything that it carries  [m], in the world, shape (3,).",
     .notes = k_subtree_notes},
    {.name = "subtree_centre_of_mass_velocity",
     .page = "centre_of_mass",
     .takes = {q, v, frame},
     .gives = {{"velocity", {3}, "m/s"}},
     .lanes = false,
     .doc = "Velocity of subtree_centre_of_mass  [m/s], world axes, shape (3,).",
     .notes = k_subtree_notes},
    {.name = "subtree_centre_of_mass_acceleration",
     .page = "centre_of_mass",
     .takes = {q, v, a, frame},
     .gives = {{"acceleration", {3}, "m/s^2"}},
     .lanes = false,
     .doc = "Acceleration of subtree_centre_of_mass  [m/s^2], world axes, gravity not counted, shape (3,).",
     .notes = k_subtree_notes},
    {.name = "subtree_centre_of_mass_jacobian",
     .page = "centre_of_mass",
     .takes = {q, frame},
     .gives = {{"J", {3, nv}}},
     .lanes = false,
     .doc = "J with  subtree_centre_of_mass_velocity = J v, shape (3, nv).",
     .notes = k_subtree_notes},
    // --- momentum ----------------------------------------------------------------------------------------------------
    {.name = "centroidal_map",
     .page = "centroidal",
     .takes = {q},
     .gives = {{"A", {6, nv}}},
     .doc =
         "A with  centroidal_momentum = A v, shape (6, nv), linear rows first; world axes about the centre of mass.\n\n"
         "Orin, Goswami and Lee 2013, cost O(n depth). Rotors are not counted.",
     .notes = k_state_notes},
    {.name = "centroidal_map_dot",
     .page = "centroidal",
     .takes = {q, v},
     .gives = {{"A_dot", {6, nv}}},
     .doc = "dA/dt, shape (6, nv):  centroidal_momentum_rate = A a + dA/dt v.",
     .notes = k_state_notes},
    {.name = "centroidal_momentum",
     .page = "centroidal",
     .takes = {q, v},
     .gives = {{"momentum", {6}, "kg m/s, kg m^2/s"}},
     .doc = "Momentum of everything that moves, about its centre of mass, [linear; angular], world axes  [kg m/s, kg\n"
            "m^2/s], shape (6,).",
     .notes = k_state_notes},
    {.name = "centroidal_momentum_rate",
     .page = "centroidal",
     .takes = {q, v, a},
     .gives = {{"rate", {6}, "N, N m"}},
     .doc =
         "Rate of the centroidal momentum  [N, N m], shape (6,): what gravity and all wrenches from outside add up to.",
     .notes = k_state_notes},
    {.name = "centroidal_inertia",
     .page = "centroidal",
     .takes = {q},
     .gives = {{"inertia", {6, 6}}},
     .doc =
         "Inertia of everything that moves as one rigid body, about its centre of mass, world axes, shape (6, 6).\n\n"
         "[m 1, 0; 0, I]  [kg, kg m^2].",
     .notes = k_state_notes},
    {.name = "body_momentum",
     .alias = "link_momentum",
     .page = "centroidal",
     .takes = {q, v, frame},
     .gives = {{"momentum", {6}, "kg m/s, kg m^2/s"}},
     .lanes = false,
     .doc =
         "Momentum of the frame's body, with all links that are fixed to it, about the frame's origin, in its axes,\n"
         "[linear; angular]  [kg m/s, kg m^2/s], shape (6,).",
     .notes = k_subtree_notes},
    {.name = "composite_inertia",
     .page = "mass_matrix",
     .takes = {q, frame},
     .gives = {{"inertia", {6, 6}}},
     .lanes = false,
     .doc =
         "Inertia of the frame's body and of everything that it carries, as one rigid body, about the frame's origin,\n"
         "in its axes, shape (6, 6):  [m 1, -[h]; [h], I]  [kg, kg m, kg m^2].",
     .notes = k_subtree_notes},
    {.name = "composite_inertia_rate",
     .page = "composite_momentum",
     .takes = {q, v, frame},
     .gives = {{"rate", {6, 6}}},
     .lanes = false,
     .doc = "d/dt of that inertia, about a point and in axes that stay where the frame is now, shape (6, 6).",
     .notes = k_subtree_notes},
    {.name = "articulated_inertia",
     .page = "forward_dynamics",
     .takes = {q, frame, effects},
     .gives = {{"inertia", {6, 6}}},
     .lanes = false,
     .doc =
         "Inertia that a wrench on the frame's body meets, the joints that it carries being free and its own joint "
         "cut,\n"
         "shape (6, 6), about the frame's origin, in its axes. Featherstone 2008, chapter 7.\n\n"
         "Raises SingularMassError naming the joint where a coordinate moves no inertia; UnsupportedError where the\n"
         "carried joints mimic each other.",
     .notes = k_subtree_notes},
    // --- regressors --------------------------------------------------------------------------------------------------
    {.name = "inverse_dynamics_regressor",
     .page = "regressor",
     .takes = {q, v, a, gravity},
     .gives = {{"Y", {nv, parameters}}},
     .doc = "Y with  Y phi = inverse_dynamics  (all joint_effects off), shape (nv, 10 links).\n\n"
            "Atkeson, An and Hollerbach 1986, cost O(links depth).",
     .notes = k_regressor_notes},
    {.name = "frame_regressor",
     .page = "regressor",
     .takes = {q, v, a, frame, gravity},
     .gives = {{"Y", {6, 10}}},
     .lanes = false,
     .doc = "Y with  Y phi = wrench  that moves a body with parameters phi (10,), in the frame's axes, along with the\n"
            "frame; [force; moment] in its axes about its origin, shape (6, 10).",
     .notes = k_state_notes},
    {.name = "kinetic_energy_regressor",
     .page = "regressor",
     .takes = {q, v},
     .gives = {{"y", {parameters}}},
     .lanes = false,
     .doc = "y with  y phi = kinetic_energy  (armature off), shape (10 links,).",
     .notes = k_regressor_notes},
    {.name = "potential_energy_regressor",
     .page = "regressor",
     .takes = {q, gravity},
     .gives = {{"y", {parameters}}},
     .lanes = false,
     .doc = "y with  y phi = potential_energy  (springs, gravity_scale off), shape (10 links,).",
     .notes = k_regressor_notes},
    {.name = "momentum_regressor",
     .page = "regressor",
     .takes = {q, v},
     .gives = {{"Y", {6, parameters}}},
     .lanes = false,
     .doc = "Y with  Y phi = momentum of all links about the world's origin, world axes, shape (6, 10 links).",
     .notes = k_regressor_notes},
    {.name = "static_regressor",
     .page = "regressor",
     .takes = {q},
     .gives = {{"Y", {3, {4, &Sizes::links}}}},
     .lanes = false,
     .doc = "Y with  Y (m, m c of each link) = centre_of_mass, shape (3, 4 links); divided by the mass of what moves.",
     .notes = k_state_notes},
    {.name = "friction_regressor",
     .page = "regressor",
     .takes = {v},
     .gives = {{"Y", {nv, 2 * nv}}},
     .lanes = false,
     .doc = "diag(v), diag(sign v): times (damping, Coulomb friction) of the coordinates the torque that inverse "
            "dynamics\n"
            "adds for them, shape (nv, 2 nv).",
     .notes = k_state_notes},
    {.name = "kinematic_regressor",
     .page = "jacobian",
     .takes = {q, frame, reference},
     .gives = {{"Y", {6, 6 * each_joint}}},
     .lanes = false,
     .doc =
         "Velocity of the frame, [linear; angular], if each joint's placement moved with a unit twist in its own axes\n"
         "about its own origin, joints in the order of model.joints: for the calibration of geometry, shape (6, 6 "
         "joints).",
     .notes = k_frame_notes},
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
    {.name = "kinematic_hessian",
     .page = "kinematic_hessian",
     .takes = {q, frame, reference},
     .gives = {{"H", {6, nv, nv}}},
     .lanes = false,
     .doc = "H[:, :, j] = dJ/dq_j of the matrix that jacobian returns, for increments q (+) dq, shape (6, nv, nv).\n\n"
            "Carpentier and Mansard 2018, cost O(depth^2).",
     .notes = k_frame_notes},
    {.name = "column_rates",
     .page = "jacobian",
     .takes = {q, v, a},
     .gives = {{"S", {6, nv}}, {"psi_dot", {6, nv}}, {"psi_ddot", {6, nv}}},
     .lanes = false,
     .doc =
         "Columns S of all joints about the world's origin, world axes, and psi_dot = v_p x S, psi_ddot = a_p x S + "
         "v_p x\n"
         "psi_dot, with the velocity and the acceleration minus gravity of the body before the joint, (6, nv) each.\n\n"
         "Singh, Russell and Wensing 2022. Of coordinates that several joints share: the sums.",
     .notes = k_state_notes},
};
// clang-format on

/// All rows.
inline constexpr auto k_rows = joined(k_mechanics, k_configurations, k_derivatives);

}  // namespace algorithm_list

}  // namespace ZWANG_ISA
}  // namespace zwang
