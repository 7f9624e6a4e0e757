# SPDX-License-Identifier: BSD-3-Clause
"""Words and numbers that users give: read, checked, shown."""
from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _zwang as zw

Array = NDArray[Any]

CONFIGURATIONS = frozenset({"q", "q0", "q1", "posture"})
TANGENTS = frozenset({"v", "a", "tau", "dq", "dv", "da", "dtau", "b", "w", "u", "v0", "v_before", "impulse", "acceleration", "velocity", "wish"})


def size_of(model: zw.Model, name: str) -> int | None:
    """How many numbers a variable of this name has; None: one number."""
    return model.nq if name in CONFIGURATIONS else model.nv if name in TANGENTS else None


def whole(name: str, value: Any, least: int) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least or value >= 2**63:
        raise ValueError(f"argument '{name}' is {value!r}, expected a whole number from {least}")
    return int(value)


def numbers(place: str, given: Any) -> Array:
    try:
        out = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{place} is {shortened(given)}, expected numbers") from error
    bad = ~np.isfinite(out)
    if np.any(bad):
        at = [int(x[0]) for x in np.nonzero(bad)] if out.ndim else []
        raise ValueError(f"{place} has numbers that are not finite" + (f", the first at {at}" if at else ""))
    return out


def rotation(place: str, given: Any) -> Array:
    R = numbers(place, given)
    if R.shape != (3, 3) or np.abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0:
        raise ValueError(f"{place}: the rotation is {shortened(given)}, expected a 3 x 3 rotation matrix")
    return R


def plain(given: Any) -> Any:
    """As JSON has it; numbers are exact."""
    if isinstance(given, Mapping):
        return {str(k): plain(x) for k, x in given.items()}
    if isinstance(given, np.ndarray):
        return given.tolist()
    if isinstance(given, np.generic):
        return given.item()
    if isinstance(given, (list, tuple)):
        return [plain(x) for x in given]
    return given


def shortened(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 80 else text[:77] + "..."


def among(word: str, known: Sequence[str], what: str) -> str:
    """The end of a sentence about an unknown word, and all known ones."""
    return f"{nearest(word, known) or '.'} {what}: {', '.join(known) or 'none'}"


def nearest(word: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(str(word), known, 1, 0.5)
    return f"; did you mean '{found[0]}'?" if found else ""
