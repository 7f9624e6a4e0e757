# SPDX-License-Identifier: BSD-3-Clause
"""Dynamics with constraints: accelerations, shocks, and their derivatives; Delassus matrices."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from . import _compiled
from ._arrays import Array, inverse, positional, vector
from .constraints import RigidConstraintData, RigidConstraintModel, Rows, as_solved, contact_as_solved, rows_of, stacked
from .core import Core
from ._compiled import State, constraintDynamics
from .data import Data
from .model import Model
from .spatial import SE3, Force


def _solve(M: Array, J: Array, f: Array, target: Array, who: str, R: Array | None = None) -> tuple[Array, Array]:
    """M x = f + J' lambda, J x + R lambda = target: the shortest lambda. Raises ArithmeticError where the rows contradict each other."""
    found = zw.solve_system(M, J, f, target, R)
    if found.status != zw.Status.ok:
        raise ArithmeticError(f"{who}: the solution is {zw.Status(int(found.status)).name}; zwang.Solver(...).solve(...).report says which rows")
    return np.array(found.x), np.array(found.multipliers)


def _give(rows: list[Rows], multipliers: Array, datas: Any) -> None:
    at = 0
    for k, r in enumerate(rows):
        n = len(r.J)
        if datas is not None and k < len(datas):
            d: RigidConstraintData = datas[k]
            six = np.zeros(6)
            six[:n] = multipliers[at:at + n]
            d.contact_force = Force.view(six)
            d.contact_placement_error, d.contact_velocity_error = r.errors()
            d.oMc1, d.oMc2 = SE3(r.one.pose), SE3(r.two.pose)
            d.c1Mc2 = d.oMc1.actInv(d.oMc2)
        at += n


def initConstraintDynamics(model: Model, data: Data, contact_models: Any, contact_datas: Any = None) -> None:
    """Nothing is to be prepared."""


def _dependent(model: Model, data: Data, q: Any, v: Any, tau: Any, contact_models: Any, contact_datas: Any, settings: Any) -> Array:
    """constraintDynamics of rows that depend on each other, or of none, and of what is to be refused."""
    who = "constraintDynamics"
    core: Core = data.core_of(model)
    if v is None:
        raise TypeError(f"{who}: v is None, expected {model.nv} numbers")
    x, w, t = core.q(q), core.v(v), core.v(tau, "tau")
    rows = rows_of(core, x, w, contact_models)
    J, zero = stacked(rows, core.nv), np.zeros(core.nv)
    target = np.concatenate([r.target() - r.acceleration(zero) for r in rows]) if rows else np.zeros(0)
    a, multipliers = _solve(zw.mass_matrix(core.model, x), J, t - zw.bias_forces(core.model, x, w), target, who)
    _give(rows, multipliers, contact_datas)
    data.ddq, data.lambda_c = core.rows(a), multipliers
    state = State(core, x, w, a)
    data._hold(state, ["motion", "poses"])
    data._constrained = [as_solved(r.constraint) for r in rows], state, multipliers.tolist()
    return data.ddq


_compiled.register_constraints(RigidConstraintModel, _dependent)


def columns_of(core: Core, J: Any, who: str) -> Array:
    """A Jacobian of the caller, (rows, nv), in zwang's order. Raises ValueError for another number of columns."""
    out = np.atleast_2d(np.asarray(J, dtype=np.float64))
    if out.ndim != 2 or out.shape[1] != core.nv:
        raise ValueError(f"{who}: constraint_jacobian has shape {np.shape(J)}, expected (rows, {core.nv})")
    return out if core.back_v is None else out[:, core.back_v]


def core_tau(s: State, tau: Any) -> Array:
    """Torques in zwang's order."""
    return s.core.v(tau, "tau")


def computeConstraintDynamicsDerivatives(model: Model, data: Data, contact_models: Any, contact_datas: Any = None,
                                         settings: Any = None) -> tuple[Array, ...]:
    """ddq_dq, ddq_dv, ddq_dtau, dlambda_dq, dlambda_dv, dlambda_dtau of the last constraintDynamics, also in data: of the contacts as they were then.

    Raises RuntimeError where the model has changed since, NotImplementedError for constraints with gains, ArithmeticError where rows depend on each other.
    """
    who = "computeConstraintDynamicsDerivatives"
    if data._constrained is None:
        raise RuntimeError(f"{who}: call constraintDynamics first")
    given, (solved, s, multipliers) = list(contact_models), data._constrained
    if data.core_of(model) is not s.core:
        raise RuntimeError(f"{who}: the model is another one than that of the last constraintDynamics; call it again")
    if len(solved) != len(given):
        raise ValueError(f"{who}: contact_models has {len(given)} constraints, constraintDynamics was called with {len(solved)}")
    rows = rows_of(s.core, s.q, s.need_v(who), [contact_as_solved(model, *c) for c in solved])
    if any(np.any(r.constraint.corrector.Kp) or np.any(r.constraint.corrector.Kd) for r in rows):
        raise NotImplementedError("zwang.pinocchio differentiates no constraint with gains Kp, Kd: zwang.Solver.derivatives differentiates one with a time_constant")
    core, n, a = s.core, s.core.nv, s.need_a(who)
    J, M = stacked(rows, n), zw.mass_matrix(core.model, s.q)
    d = zw.inverse_dynamics_derivatives(core.model, s.q, s.need_v(who), a)
    by_q, by_v, at = np.array(d.q), np.array(d.v), 0
    for r in rows:
        by_q -= r.force_derivative(multipliers[at:at + len(r.J)])
        at += len(r.J)
    parts = [r.acceleration_derivatives(a) for r in rows]
    rows_q = np.concatenate([p[0] for p in parts]) if parts else np.zeros((0, n))
    rows_v = np.concatenate([p[1] for p in parts]) if parts else np.zeros((0, n))
    x, y = _columns(M, J, np.concatenate([-by_q, -by_v, np.eye(n)], axis=1), np.concatenate([-rows_q, -rows_v, np.zeros_like(J)], axis=1), who)
    data.ddq_dq, data.ddq_dv, data.ddq_dtau = (core.both(x[:, k * n:(k + 1) * n]) for k in range(3))
    data.dlambda_dq, data.dlambda_dv, data.dlambda_dtau = (core.columns(y[:, k * n:(k + 1) * n]) for k in range(3))
    return data.ddq_dq, data.ddq_dv, data.ddq_dtau, data.dlambda_dq, data.dlambda_dv, data.dlambda_dtau


def _columns(M: Array, J: Array, f: Array, target: Array, who: str) -> tuple[Array, Array]:
    """Solutions for many right-hand sides, as columns. Raises ArithmeticError where rows of J depend on each other."""
    K = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    if len(J) and np.linalg.matrix_rank(J) < len(J):
        raise ArithmeticError(f"{who}: rows depend on each other; zwang.Solver.derivatives differentiates at constant rank")
    both = np.linalg.solve(K, np.concatenate([f, target]))
    return both[:len(M)], both[len(M):]


def forwardDynamics(model: Model, data: Data, *args: Any, **named: Any) -> Array:
    """data.ddq and data.lambda_c of J a + drift = 0: ([q, v,] tau, constraint_jacobian, constraint_drift, [damping])."""
    who, by = "forwardDynamics", set(named)
    of_state = bool(by & {"q", "v"}) or len(args) == 2 and "tau" in by or len(args) == 3 and "constraint_jacobian" in by or len(args) > 3 and np.ndim(args[3]) > 0
    first = ("q", "v") if of_state else ()
    rest = list(positional(who, args, named, *first, "tau", "constraint_jacobian", "constraint_drift", "damping", optional={"damping": 0.0}))
    s = data.moved(model, who, rest.pop(0), rest.pop(0)) if of_state else data.moving(model, who)
    tau, J, drift, damping = rest
    core, w = s.core, s.need_v(who)
    J = columns_of(core, J, who)
    R = np.full(len(J), float(damping)) if damping else None
    f = core_tau(s, tau) - zw.bias_forces(core.model, s.q, w)
    a, data.lambda_c = _solve(zw.mass_matrix(core.model, s.q), J, f, -vector(drift, len(J), "constraint_drift"), who, R)
    data.ddq = core.rows(a)
    return data.ddq


def impulseDynamics(model: Model, data: Data, *args: Any, **named: Any) -> Array:
    """data.dq_after and data.impulse_c: velocities after a shock with J v+ = -r J v-, and the impulses.

    (q, v, contact_models, contact_datas, [r_coeff, [settings]]), or ([q,] v_before, constraint_jacobian, [restitution, [damping]]).
    """
    who, by = "impulseDynamics", set(named)
    third: Any = args[2] if len(args) > 2 else named.get("contact_models")
    if isinstance(third, (list, tuple)) and all(isinstance(c, RigidConstraintModel) for c in third):
        options = {"contact_datas": None, "r_coeff": 0.0, "prox_settings": None}
        q, v, models, datas, r, _ = positional(who, args, named, "q", "v", "contact_models", *options, optional=options)
        s = data.moved(model, who, q, v)
        core, w = s.core, s.need_v(who)
        rows = rows_of(core, s.q, w, models)
        J, R = stacked(rows, core.nv), None
    else:
        of_state = "q" in by or len(args) == 1 and "v_before" in by or len(args) == 2 and "constraint_jacobian" in by or np.ndim(third) > 0
        old = {"r_coeff": "restitution_coefficient", "inv_damping": "damping"}  # names of earlier versions
        options, first = {"restitution_coefficient": 0.0, "damping": 0.0}, ["q"] if of_state else []
        rest = list(positional(who, args, {old.get(k, k): x for k, x in named.items()}, *first, "v_before", "constraint_jacobian", *options, optional=options))
        s = data.move(model, rest.pop(0)) if of_state else data.now(model, who)
        v_before, J, r, damping = rest
        core, w, rows, datas = s.core, s.core.v(v_before, "v_before"), [], None
        J = columns_of(core, J, who)
        R = np.full(len(J), damping) if damping else None
    r = float(r)
    change, data.impulse_c = _solve(zw.mass_matrix(core.model, s.q), J, np.zeros(core.nv), -(1 + r) * (J @ w), who, R)
    data.dq_after = core.rows(w + change)
    if rows:
        data._struck = (rows, s.q, np.array(w), change, np.array(data.impulse_c), r)
        _give(rows, data.impulse_c, datas)
    return data.dq_after


def computeImpulseDynamicsDerivatives(model: Model, data: Data, contact_models: Any, contact_datas: Any = None, r_coeff: float = 0.0,
                                      settings: Any = None) -> None:
    """data.ddq_dq, ddq_dv: of the change v+ - v- by q and v-; data.dlambda_dq, dlambda_dv of the impulses; of the last impulseDynamics."""
    who = "computeImpulseDynamicsDerivatives"
    if "_struck" not in data.__dict__:
        raise RuntimeError(f"{who}: call impulseDynamics with contact models first")
    rows, q, v, change, impulses, r = data._struck
    if abs(r - r_coeff) > 0:
        raise ValueError(f"{who}: r_coeff is {r_coeff:g}, impulseDynamics was called with {r:g}")
    core, zero = rows[0].core, np.zeros(len(v))
    n, J = len(v), stacked(rows, len(v))
    by_q = np.array(zw.inverse_dynamics_derivatives(core.model, q, zero, change, gravity=np.zeros(3)).q)
    at = 0
    for row in rows:
        by_q -= row.force_derivative(impulses[at:at + len(row.J)])
        at += len(row.J)
    rows_q = np.concatenate([row.velocity_derivative(change + (1 + r) * v) for row in rows])
    x, y = _columns(zw.mass_matrix(core.model, q), J, np.concatenate([-by_q, np.zeros((n, n))], axis=1),
                    np.concatenate([-rows_q, -(1 + r) * J], axis=1), who)
    data.ddq_dq, data.ddq_dv = core.both(x[:, :n]), core.both(x[:, n:])
    data.dlambda_dq, data.dlambda_dv = core.columns(y[:, :n]), core.columns(y[:, n:])


def getConstraintsJacobian(model: Model, data: Data, constraint_models: Any, constraint_datas: Any = None) -> Array:
    """J of all rows, (rows, nv), in the state of the last call."""
    s = data.now(model, "getConstraintsJacobian")
    return s.core.columns(stacked(rows_of(s.core, s.q, np.zeros(s.core.nv), constraint_models), s.core.nv))


def getConstraintJacobian(model: Model, data: Data, constraint_model: RigidConstraintModel, constraint_data: Any = None) -> Array:
    """J of one constraint."""
    return getConstraintsJacobian(model, data, [constraint_model])


def computeDelassusMatrix(model: Model, data: Data, q: Any, contact_models: Any, contact_datas: Any = None, mu: float = 0.0) -> Array:
    """J M^-1 J' + mu."""
    s = data.move(model, q)
    J = stacked(rows_of(s.core, s.q, np.zeros(s.core.nv), contact_models), s.core.nv)
    return np.asarray(J @ np.linalg.solve(zw.mass_matrix(s.core.model, s.q), J.T) + mu * np.eye(len(J)))


def computeDampedDelassusMatrixInverse(model: Model, data: Data, q: Any, contact_models: Any, contact_datas: Any = None, mu: float = 0.0,
                                       scaled: bool = False) -> Array:
    """The inverse of J M^-1 J' + mu."""
    if scaled:
        raise NotImplementedError("zwang.pinocchio scales no Delassus matrix: zwang.Delassus.damped_inverse")
    return inverse(computeDelassusMatrix(model, data, q, contact_models, contact_datas, mu))


__all__ = ["initConstraintDynamics", "constraintDynamics", "computeConstraintDynamicsDerivatives", "forwardDynamics", "impulseDynamics",
           "computeImpulseDynamicsDerivatives", "getConstraintsJacobian", "getConstraintJacobian", "computeDelassusMatrix",
           "computeDampedDelassusMatrixInverse"]
