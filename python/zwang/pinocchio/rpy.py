# SPDX-License-Identifier: BSD-3-Clause
"""Roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Array, inverse, matrix, vector
from ._compiled import rpyToMatrix
from .frames import LOCAL, ReferenceFrame

__all__ = ["rotate", "rpyToMatrix", "matrixToRpy", "computeRpyJacobian", "computeRpyJacobianInverse", "computeRpyJacobianTimeDerivative"]


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
    """(roll, pitch, yaw) of a rotation: pitch within half pi; where that is half pi, roll is 0."""
    m = matrix(R, 3, 3, "R")
    cosine = float(np.hypot(m[0, 0], m[1, 0]))
    pitch = np.arctan2(-m[2, 0], cosine)
    if cosine < 1e-12:
        return np.array([0.0, pitch, np.arctan2(-m[0, 1], m[1, 1])])
    return np.array([np.arctan2(m[2, 1], m[2, 2]), pitch, np.arctan2(m[1, 0], m[0, 0])])


def computeRpyJacobian(rpy: Any, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """J with angular velocity = J d(rpy)/dt, in the body's axes (LOCAL) or the world's."""
    r, p, y = vector(rpy, 3, "rpy")
    sr, cr, sp, cp, sy, cy = np.sin(r), np.cos(r), np.sin(p), np.cos(p), np.sin(y), np.cos(y)
    if reference_frame == LOCAL:
        return np.array([[1, 0, -sp], [0, cr, sr * cp], [0, -sr, cr * cp]])
    return np.array([[cp * cy, -sy, 0], [cp * sy, cy, 0], [-sp, 0, 1]])


def computeRpyJacobianInverse(rpy: Any, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """Its inverse; no number where the pitch is half pi."""
    return inverse(computeRpyJacobian(rpy, reference_frame))


def computeRpyJacobianTimeDerivative(rpy: Any, rpydot: Any, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """dJ/dt at the rates rpydot."""
    r, p, y = vector(rpy, 3, "rpy")
    dr, dp, dy = vector(rpydot, 3, "rpydot")
    sr, cr, sp, cp, sy, cy = np.sin(r), np.cos(r), np.sin(p), np.cos(p), np.sin(y), np.cos(y)
    if reference_frame == LOCAL:
        return np.array([[0, 0, -cp * dp], [0, -sr * dr, cr * cp * dr - sr * sp * dp], [0, -cr * dr, -sr * cp * dr - cr * sp * dp]])
    return np.array([[-sp * cy * dp - cp * sy * dy, -cy * dy, 0], [-sp * sy * dp + cp * cy * dy, -sy * dy, 0], [-cp * dp, 0, 0]])
