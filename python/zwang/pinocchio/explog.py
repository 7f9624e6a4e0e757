# SPDX-License-Identifier: BSD-3-Clause
"""Exponentials and logarithms of rotations and displacements, with their Jacobians, to full precision at every angle."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from ._arrays import Array, matrix, vector
from .quaternion import Quaternion, SE3ToXYZQUAT, XYZQUATToSE3, coefficients_of
from .spatial import SE3, Motion, rotation_of

__all__ = ["exp3", "exp3_quat", "log3", "Jexp3", "Jlog3", "exp6", "exp6_quat", "log6", "log6_quat", "Jexp6", "Jlog6",
           "exp", "log"]


def exp3(w: Any) -> Array:
    """The rotation by the vector w, 3 x 3."""
    return zw.exp_so3(vector(w, 3, "w"))


def exp3_quat(w: Any) -> Array:
    """The same as a quaternion x y z w."""
    return coefficients_of(exp3(w))


def _rotation(R: Any) -> Array:
    if isinstance(R, Quaternion):
        return R.normalized().matrix()
    if np.size(R) == 4:
        q = vector(R, 4, "quat")
        return rotation_of(q / np.linalg.norm(q))
    return matrix(R, 3, 3, "R")


def log3(R: Any, theta: Any = None) -> Array:
    """The rotation vector of a 3 x 3 matrix or a quaternion, at most pi long; theta: an array that receives the angle."""
    out = zw.log_so3(_rotation(R))
    if isinstance(theta, np.ndarray):
        theta[...] = np.linalg.norm(out)
    return out


def Jexp3(w: Any) -> Array:
    """exp3(w + dw) = exp3(w) exp3(J dw) to first order: the right Jacobian, 3 x 3."""
    return zw.right_jacobian(vector(w, 3, "w"))


def Jlog3(R: Any) -> Array:
    """log3(R exp3(dw)) = log3(R) + J dw to first order, 3 x 3."""
    return zw.right_jacobian_inverse(log3(R))


def _twist(v: Any) -> Array:
    return v.vector if isinstance(v, Motion) else vector(v, 6, "v")


def exp6(v: Any) -> SE3:
    """The displacement by the twist v, a Motion or six numbers."""
    return SE3.view(np.array(zw.exp_se3(_twist(v))))


def exp6_quat(v: Any) -> Array:
    """The same as a position and a quaternion, (7,)."""
    return SE3ToXYZQUAT(exp6(v))


def log6(M: Any) -> Motion:
    """The twist whose displacement is M, an SE3 or a 4 x 4 matrix."""
    pose = M if isinstance(M, SE3) else XYZQUATToSE3(M) if np.size(M) == 7 else SE3(M)
    return Motion(zw.log_se3(pose.homogeneous))


def log6_quat(q: Any) -> Motion:
    """log6 of a position and a quaternion, (7,)."""
    return log6(XYZQUATToSE3(q))


def Jexp6(v: Any) -> Array:
    """exp6(v + dv) = exp6(v) exp6(J dv) to first order, 6 x 6."""
    return zw.right_jacobian(_twist(v))


def Jlog6(M: SE3) -> Array:
    """log6(M exp6(dv)) = log6(M) + J dv to first order, 6 x 6."""
    return zw.right_jacobian_inverse(log6(M).vector)


def exp(x: Any) -> Any:
    """exp3 of three numbers, exp6 of six or a Motion."""
    if isinstance(x, Motion) or np.size(x) == 6:
        return exp6(x)
    if np.size(x) == 3:
        return exp3(x)
    raise ValueError(f"exp: got {np.size(x)} numbers, expected 3 or 6")


def log(x: Any) -> Any:
    """log3 of a 3 x 3 matrix, log6 of an SE3, a 4 x 4 matrix or seven numbers."""
    if not isinstance(x, SE3) and np.size(x) == 9:
        return log3(x)
    return log6(x)
