# SPDX-License-Identifier: BSD-3-Clause
"""What the bits of results depend on beside the study."""
from __future__ import annotations

import hashlib
import importlib

import numpy as np

from .. import _zwang as zw


def versions(functions: bool) -> dict[str, str]:
    """functions: whether the study has functions of the user, which NumPy computes with what the processor has."""
    found = {"zwang": zw.__version__, "instruction_set": zw.instruction_set()}
    if functions:
        found["numpy"] = f"{np.__version__} {_features()}"
    return found


def _features() -> str:
    """NumPy's choice of instructions; its sines and exponentials differ between them."""
    for module in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        try:
            known = importlib.import_module(module).__cpu_features__
        except (ImportError, AttributeError):
            continue
        return hashlib.sha256(" ".join(sorted(k for k, x in known.items() if x)).encode()).hexdigest()[:8]
    return "unknown"
