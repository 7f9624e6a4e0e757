# SPDX-License-Identifier: BSD-3-Clause
"""Configurations: neutral, random, along velocities, differences and their derivatives."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from ._arrays import Array, vector
from ._compiled import difference, integrate, interpolate, neutral, normalize, randomConfiguration
from .core import Core
from .frames import ARG0, ARG1, ArgumentPosition
from .model import Model
from .spatial import rotation_of, skew

__all__ = ["neutral", "randomConfiguration", "integrate", "difference", "interpolate", "squaredDistance", "distance",
           "normalize", "isNormalized", "isSameConfiguration", "dIntegrate", "dDifference", "dIntegrateTransport",
           "tangentMap", "integrateCoeffWiseJacobian", "tangentMapProduct", "tangentMapTransposeProduct"]


def _round(core: Core) -> list[slice]:
    """Quaternions and pairs (cos, sin) in q."""
    return [slice(k, k + 4) for k in core.quaternions] + [slice(k, k + 2) for k in core.circles]


def squaredDistance(model: Model, q1: Any, q2: Any) -> Array:
    """The squared length of the difference of each joint but the universe."""
    d = difference(model, q1, q2)
    return np.array([float(np.sum(d[j.idx_v:j.idx_v + j.nv] ** 2)) if j.nv else 0.0 for j in model.joints[1:]])


def distance(model: Model, q1: Any, q2: Any) -> float:
    """The length of the difference."""
    return float(np.linalg.norm(difference(model, q1, q2)))


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
