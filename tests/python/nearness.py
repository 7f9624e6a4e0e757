# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of arrays, or of objects of zwang.pinocchio by their numbers, beside the largest entry."""
from typing import Any
from collections.abc import Callable

import numpy as np


def nearness(usual: float) -> Callable[..., None]:
    """near(a, b[, tolerance]) of a file of tests; usual: its tolerance, with the reason beside the call."""
    def near(a: Any, b: Any, tolerance: float = usual) -> None:
        a, b = (np.asarray(getattr(x, "np", x)) for x in (a, b))
        assert a.shape == b.shape
        assert np.abs(a - b).max(initial=0) <= tolerance * max(1, np.abs(b).max(initial=0))

    return near
