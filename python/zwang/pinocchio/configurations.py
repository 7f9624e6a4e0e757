# SPDX-License-Identifier: BSD-3-Clause
"""Configurations: neutral, random, along velocities, differences and their derivatives."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from . import _arrays
from ._arrays import Array, vector
from .core import Core
from .frames import ARG0, ARG1, ArgumentPosition
from .model import LARGEST, Model
from .spatial import rotation_of, skew

__all__ = ["neutral", "randomConfiguration", "integrate", "difference", "interpolate", "squaredDistance", "distance",
           "normalize", "isNormalized", "isSameConfiguration", "dIntegrate", "dDifference", "dIntegrateTransport",
           "tangentMap", "integrateCoeffWiseJacobian", "tangentMapProduct", "tangentMapTransposeProduct"]


def neutral(model: Model) -> Array:
    """No translation, no rotation."""
    core = model.core()
    return core.q_back(np.array(zw.neutral(core.model)))


def _round(core: Core) -> list[slice]:
    """Quaternions and pairs (cos, sin) in q."""
    return [slice(k, k + 4) for k in core.quaternions] + [slice(k, k + 2) for k in core.circles]


def randomConfiguration(model: Model, lower_bound: Any = None, upper_bound: Any = None) -> Array:
    """Between the limits of the model, or these; rotations of quaternions and circles of every direction alike.

    Raises ValueError where a number that has bounds has none. pin.seed starts the numbers again.
    """
    low = vector(model.lowerPositionLimit if lower_bound is None else lower_bound, model.nq, "lower_bound")
    high = vector(model.upperPositionLimit if upper_bound is None else upper_bound, model.nq, "upper_bound")
    core, out = model.core(), np.empty(model.nq)
    free = np.zeros(model.nq, dtype=bool)
    for s in _round(core):
        x = _arrays.generator.normal(size=s.stop - s.start)
        out[s], free[s] = x / np.linalg.norm(x), True
    endless = ~free & ~((np.abs(low) < LARGEST) & (np.abs(high) < LARGEST))
    if np.any(endless):
        raise ValueError(f"randomConfiguration: number {int(np.argmax(endless))} of q has no bounds; give lower_bound and upper_bound")
    out[~free] = low[~free] + (high - low)[~free] * _arrays.generator.random(int(np.sum(~free)))
    return out


def integrate(model: Model, q: Any, v: Any) -> Array:
    """Where the velocity v leads in unit time."""
    core = model.core()
    return core.q_back(zw.integrate(core.model, core.q(q), core.v(v)))


def difference(model: Model, q1: Any, q2: Any) -> Array:
    """The velocity that leads from q1 to q2 in unit time. Limits may be an argument: where one is endless, the number is infinite, or NaN
    in a joint of several freedoms or on a circle.
    """
    core = model.core()
    x, y = core.own_q(q1), core.own_q(q2)
    a, b = x * 1e-160, y * 1e-160  # the square of a large number is too large itself
    if not a.dot(a) + b.dot(b) < 1e-20 and not np.isnan(x).any() and not np.isnan(y).any():
        return _endless_difference(model, x, y, ~(np.abs(x) < 1e150) | ~(np.abs(y) < 1e150))
    return core.rows(zw.difference(core.model, *((x, y) if core.same_q else (core.q_to_zwang(x), core.q_to_zwang(y)))))


def _endless_difference(model: Model, x: Array, y: Array, endless: Any) -> Array:
    """difference where some numbers are infinite, or as large as limits that mean it."""
    rest, places = neutral(model), []
    for joint in model.joints[1:]:
        at = slice(joint.idx_q, joint.idx_q + joint.nq)
        if joint.nq and endless[at].any():
            with np.errstate(over="ignore", invalid="ignore"):
                value = y[at] - x[at] if joint.nq == joint.nv == 1 else np.full(joint.nv, np.nan)
            places.append((slice(joint.idx_v, joint.idx_v + joint.nv), value))
            x[at], y[at] = rest[at], rest[at]
    core = model.core()
    out = core.rows(np.array(zw.difference(core.model, core.q(x), core.q(y))))
    for at, value in places:
        out[at] = value
    return out


def interpolate(model: Model, q1: Any, q2: Any, alpha: float) -> Array:
    """q1 at alpha = 0, q2 at alpha = 1."""
    core = model.core()
    return core.q_back(zw.interpolate(core.model, core.q(q1), core.q(q2), float(alpha)))


def squaredDistance(model: Model, q1: Any, q2: Any) -> Array:
    """The squared length of the difference of each joint but the universe."""
    d = difference(model, q1, q2)
    return np.array([float(np.sum(d[j.idx_v:j.idx_v + j.nv] ** 2)) if j.nv else 0.0 for j in model.joints[1:]])


def distance(model: Model, q1: Any, q2: Any) -> float:
    """The length of the difference."""
    return float(np.linalg.norm(difference(model, q1, q2)))


def normalize(model: Model, q: Any) -> Array:
    """q with quaternions and (cos, sin) of length 1; those of length 0 become no rotation."""
    return model.core().own_q(q)


def isNormalized(model: Model, q: Any, prec: float = 1e-12) -> bool:
    """Whether quaternions and (cos, sin) have length 1 but for prec."""
    core, x = model.core(), vector(q, model.nq, "q")
    return all(abs(float(np.linalg.norm(x[s])) - 1) <= prec for s in _round(core))


def isSameConfiguration(model: Model, q1: Any, q2: Any, prec: float = 1e-12) -> bool:
    """Whether the difference is no more than prec."""
    return bool(np.abs(difference(model, q1, q2)).max(initial=0) <= prec)


def _which(both: tuple[Array, Array], argument_position: ArgumentPosition | None) -> Any:
    if argument_position is None:
        return both
    if argument_position not in (ARG0, ARG1):
        raise ValueError("argument_position is neither ARG0 nor ARG1")
    return both[int(argument_position)]


def dIntegrate(model: Model, q: Any, v: Any, argument_position: ArgumentPosition | None = None) -> Any:
    """d integrate / dq and / dv, (nv, nv) each, for increments; one of them for ARG0 and ARG1."""
    core = model.core()
    first, second = zw.integrate_jacobians(core.model, core.q(q), core.v(v))
    return _which((core.both(first), core.both(second)), argument_position)


def dDifference(model: Model, q1: Any, q2: Any, argument_position: ArgumentPosition | None = None) -> Any:
    """d difference / dq1 and / dq2, (nv, nv) each, for increments; one of them for ARG0 and ARG1."""
    core = model.core()
    first, second = zw.difference_jacobians(core.model, core.q(q1), core.q(q2))
    return _which((core.both(first), core.both(second)), argument_position)


def dIntegrateTransport(model: Model, q: Any, v: Any, Jin: Any, argument_position: ArgumentPosition) -> Array:
    """The matrix Jin, whose rows are increments at integrate(q, v), times dIntegrate of that argument."""
    return np.asarray(dIntegrate(model, q, v, argument_position) @ np.asarray(Jin, dtype=np.float64))


def tangentMap(model: Model, q: Any) -> Array:
    """d integrate(model, q, v) / dv at v = 0 in numbers of q, (nq, nv): dq/dt = tangentMap(model, q) v."""
    core = model.core()
    x, out = core.own_q(q), np.zeros((model.nq, model.nv))
    for joint in model.joints[1:]:
        k, j = joint.idx_q, joint.idx_v
        for atom in joint.atoms:
            n = atom.nv
            if atom.type in ("floating", "spherical"):
                u, w = x[k + atom.nq - 4:k + atom.nq - 1], x[k + atom.nq - 1]
                out[k + atom.nq - 4:k + atom.nq - 1, j + n - 3:j + n] = (w * np.eye(3) + skew(u)) / 2
                out[k + atom.nq - 1, j + n - 3:j + n] = -u / 2
                if atom.type == "floating":
                    out[k:k + 3, j:j + 3] = rotation_of(x[k + 3:k + 7])
            elif atom.type in ("planar", "revolute_unbounded"):
                c, s = x[k + atom.nq - 2:k + atom.nq]
                out[k + atom.nq - 2:k + atom.nq, j + n - 1] = -s, c
                if atom.type == "planar":
                    out[k:k + 2, j:j + 2] = [[c, -s], [s, c]]
            else:
                out[k:k + atom.nq, j:j + n] = np.eye(n)
            k, j = k + atom.nq, j + n
    return out


integrateCoeffWiseJacobian = tangentMap


def tangentMapProduct(model: Model, q: Any, mat: Any) -> Array:
    """tangentMap(model, q) mat."""
    return np.asarray(tangentMap(model, q) @ np.asarray(mat, dtype=np.float64))


def tangentMapTransposeProduct(model: Model, q: Any, mat: Any) -> Array:
    """The transpose of tangentMap(model, q) times mat."""
    return np.asarray(tangentMap(model, q).T @ np.asarray(mat, dtype=np.float64))
