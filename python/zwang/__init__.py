# SPDX-License-Identifier: BSD-3-Clause
"""Constrained dynamics of articulated bodies by Gauss' principle of least constraint.

    import zwang as zw
    arm = zw.load("models/arm7.urdf")
    q, v, a = arm.neutral(), arm.zero(), arm.zero()
    tau = zw.inverse_dynamics(arm, q, v, a)                       # rnea; forward_dynamics (aba), mass_matrix (crba)
    constraints = zw.ConstraintSet(arm)
    constraints.add_frame("tool", frame="tool0", rows=["linear.x", "linear.y", "angular"], role="driver")
    solution = zw.Solver(arm, constraints).solve(q, v, tau)       # solution.acceleration, solution["tool"].wrench, ...

Vectors are NumPy arrays of float64, lists, or dictionaries {joint: number}; results are fresh arrays unless `out=` is given. A
leading dimension N (states) is accepted everywhere. Units are SI; 6-vectors are [linear; angular]; quaternions are x y z w.
Wrong sizes, types, names and NaN raise ValueError naming the argument; files that are refused raise ModelError.
"""
from ._zwang import (
    ConstraintSet as ConstraintSet,
    Constraint as Constraint,
    ConstraintSolution as ConstraintSolution,
    Dependency as Dependency,
    DependencyTerm as DependencyTerm,
    Diagnostic as Diagnostic,
    GivenUp as GivenUp,
    Joint as Joint,
    JointEffects as JointEffects,
    Layout as Layout,
    Limits as Limits,
    Link as Link,
    Model as Model,
    ModelError as ModelError,
    SingularMassError as SingularMassError,
    Solution as Solution,
    SolveReport as SolveReport,
    SolveWarning as SolveWarning,
    Solver as Solver,
    TreeCholesky as TreeCholesky,
    UnsupportedError as UnsupportedError,
    WorkspaceMismatch as WorkspaceMismatch,
    __version__ as __version__,
    aba as aba,
    bias_forces as bias_forces,
    centre_of_mass as centre_of_mass,
    centre_of_mass_acceleration as centre_of_mass_acceleration,
    centre_of_mass_jacobian as centre_of_mass_jacobian,
    centre_of_mass_velocity as centre_of_mass_velocity,
    check as check,
    check_text as check_text,
    cholesky as cholesky,
    crba as crba,
    difference as difference,
    difference_jacobians as difference_jacobians,
    distance as distance,
    forward_dynamics as forward_dynamics,
    frame_acceleration as frame_acceleration,
    frame_pose as frame_pose,
    frame_velocity as frame_velocity,
    gravity_forces as gravity_forces,
    integrate as integrate,
    integrate_jacobians as integrate_jacobians,
    interpolate as interpolate,
    inverse_dynamics as inverse_dynamics,
    is_normalized as is_normalized,
    jacobian as jacobian,
    jacobian_at as jacobian_at,
    jacobian_dot as jacobian_dot,
    joint_types as joint_types,
    joint_wrenches as joint_wrenches,
    kinetic_energy as kinetic_energy,
    load as load,
    loads as loads,
    mass_matrix as mass_matrix,
    mass_matrix_inverse as mass_matrix_inverse,
    methods as methods,
    neutral as neutral,
    normalize as normalize,
    potential_energy as potential_energy,
    random as random,
    random_robot as random_robot,
    relative_jacobian as relative_jacobian,
    relative_velocity as relative_velocity,
    rnea as rnea,
    sample as sample,
    sample_names as sample_names,
    squared_distances as squared_distances,
    transport as transport,
)
