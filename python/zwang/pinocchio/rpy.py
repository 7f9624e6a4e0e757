# SPDX-License-Identifier: BSD-3-Clause
"""Roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from ._arrays import Array, matrix, vector
from ._compiled import rpyToMatrix
from .frames import LOCAL, ReferenceFrame

__all__ = ["rotate", "rpyToMatrix", "matrixToRpy", "computeRpyJacobian", "computeRpyJacobianInverse", "computeRpyJacobianTimeDerivative"]


LOCKED = 16 * np.finfo(np.float64).eps  # cosine of the pitch that is rounding: roll and yaw turn about one axis


def rotate(axis: str, angle: float) -> Array:
    """Rotation by an angle about the axis 'x', 'y' or 'z'."""
    if axis not in ("x", "y", "z"):
        raise ValueError(f"axis is {axis!r}, expected 'x', 'y' or 'z'")
    k = "xyz".index(axis)
    i, j = (k + 1) % 3, (k + 2) % 3
    out = np.eye(3)
    out[i, i] = out[j, j] = np.cos(angle)
    out[j, i] = np.sin(angle)
    out[i, j] = -out[j, i]
    return out


def matrixToRpy(R: Any) -> Array:
    """(roll, pitch, yaw) of a rotation: pitch within half pi; where that is half pi to rounding, roll is 0."""
    m = matrix(R, 3, 3, "R")
    cosine = np.hypot(m[0, 0], m[1, 0])
    if cosine < LOCKED:
        return np.array([0.0, np.arctan2(-m[2, 0], cosine), np.arctan2(-m[0, 1], m[1, 1])])
    return zw.rpy_from_rotation(m)


def _axes(reference_frame: ReferenceFrame) -> str:
    return "local" if reference_frame == LOCAL else "world"


def computeRpyJacobian(rpy: Any, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """J with angular velocity = J d(rpy)/dt, in the body's axes (LOCAL) or the world's."""
    return zw.rpy_jacobian(vector(rpy, 3, "rpy"), _axes(reference_frame))


def computeRpyJacobianInverse(rpy: Any, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """Its inverse; ValueError where the pitch is half pi."""
    return zw.rpy_jacobian_inverse(vector(rpy, 3, "rpy"), _axes(reference_frame))


def computeRpyJacobianTimeDerivative(rpy: Any, rpydot: Any, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """dJ/dt at the rates rpydot."""
    return zw.rpy_jacobian_dot(vector(rpy, 3, "rpy"), vector(rpydot, 3, "rpydot"), _axes(reference_frame))
