# SPDX-License-Identifier: BSD-3-Clause
"""pin.cholesky: solving with the mass matrix of the last crba, computeAllTerms or computeRNEADerivatives."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Array, inverse
from .data import Data
from .model import Model


def _factor(data: Data, who: str) -> Array:
    if "M" not in data.__dict__:
        raise RuntimeError(f"cholesky.{who}: call crba(model, data, q) first")
    return np.asarray(np.linalg.cholesky(data.M), dtype=np.float64)


def decompose(model: Model, data: Data) -> Array:
    """The lower factor of data.M = L L'. Pinocchio's U with M = U D U' is zwang.cholesky(model.core().model, q)."""
    return _factor(data, "decompose")


def solve(model: Model, data: Data, v: Any) -> Array:
    """M^-1 v, of a vector or a matrix."""
    if "M" not in data.__dict__:
        raise RuntimeError("cholesky.solve: call crba(model, data, q) first")
    return np.asarray(np.linalg.solve(data.M, np.asarray(v, dtype=np.float64)), dtype=np.float64)


def computeMinv(model: Model, data: Data) -> Array:
    """data.Minv = M^-1."""
    if "M" not in data.__dict__:
        raise RuntimeError("cholesky.computeMinv: call crba(model, data, q) first")
    data.Minv = inverse(data.M)
    return data.Minv
