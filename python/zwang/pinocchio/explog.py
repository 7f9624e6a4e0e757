# SPDX-License-Identifier: BSD-3-Clause
"""Exponentials and logarithms of rotations and displacements, with their Jacobians, to full precision at every angle."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Array
from ._compiled import Jexp3, Jexp6, Jlog3, Jlog6, SE3ToXYZQUAT, XYZQUATToSE3, coefficients_of, exp3, exp6, log3, log6
from .spatial import SE3, Motion

__all__ = ["exp3", "exp3_quat", "log3", "Jexp3", "Jlog3", "exp6", "exp6_quat", "log6", "log6_quat", "Jexp6", "Jlog6",
           "exp", "log"]


def exp3_quat(w: Any) -> Array:
    """The same as a quaternion x y z w."""
    return coefficients_of(exp3(w))


def exp6_quat(v: Any) -> Array:
    """The same as a position and a quaternion, (7,)."""
    return SE3ToXYZQUAT(exp6(v))


def log6_quat(q: Any) -> Motion:
    """log6 of a position and a quaternion, (7,)."""
    return log6(XYZQUATToSE3(q))


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
