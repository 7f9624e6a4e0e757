# SPDX-License-Identifier: BSD-3-Clause
"""Small helpers of pinocchio.utils."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays
from ._arrays import Array
from .rpy import matrixToRpy, rotate, rpyToMatrix

__all__ = ["eye", "zero", "rand", "isapprox", "npToTuple", "npToTTuple", "mprint", "fromListToVectorOfString", "rotate", "rpyToMatrix", "matrixToRpy"]


def eye(n: int) -> Array:
    """The identity n x n."""
    return np.eye(n)


def zero(n: Any) -> Array:
    """Zeros of n numbers, or of a shape."""
    return np.zeros(n)


def rand(n: Any) -> Array:
    """Numbers between 0 and 1, n of them or of a shape."""
    return np.asarray(_arrays.generator.random(n))


def isapprox(a: Any, b: Any, epsilon: float = 1e-6) -> bool:
    """Whether two arrays, numbers or objects that have `.np` are the same but for epsilon."""
    a, b = getattr(a, "np", a), getattr(b, "np", b)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) < epsilon
    return bool(np.allclose(a, b, atol=epsilon, rtol=0))


def npToTTuple(M: Any) -> tuple[tuple[float, ...], ...]:
    """A matrix as a tuple of tuples."""
    return tuple(tuple(row) for row in np.asarray(M).tolist())


def npToTuple(M: Any) -> tuple[Any, ...]:
    """A vector (also a row or a column) as a tuple, a matrix as a tuple of tuples."""
    m = np.asarray(M)
    return tuple(m.reshape(-1).tolist()) if m.ndim == 1 or 1 in m.shape else npToTTuple(m)


def mprint(M: Any, name: str = "ans", eps: float = 1e-15) -> None:
    """Prints a matrix, numbers below eps as 0."""
    m = np.where(np.abs(np.asarray(M)) < eps, 0, M)
    print(f"{name} =\n{m}")


def fromListToVectorOfString(items: Any) -> list[str]:
    """A list of strings."""
    return [str(x) for x in items]
