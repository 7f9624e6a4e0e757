# SPDX-License-Identifier: BSD-3-Clause
"""A factor of what a study goes over."""
from __future__ import annotations

import math
from typing import Any, TypeAlias

from numpy.typing import NDArray

from .. import _zwang as zw

Array: TypeAlias = NDArray[Any]
Values: TypeAlias = dict[str, Array]


class Factor:
    """Some variables over numbered places; shape is that of its grid."""
    shape: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        return math.prod(self.shape)

    def values(self, model: zw.Model, first: int, count: int) -> Values:
        """The variables at the places first ... first + count - 1, each (count, ...)."""
        raise NotImplementedError

    def recheck(self) -> None:
        """Raises ValueError where what the factor reads has changed."""

    def document(self) -> dict[str, Any]:
        """What the factor is, as JSON; the same document means the same numbers."""
        raise NotImplementedError
