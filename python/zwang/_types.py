# SPDX-License-Identifier: BSD-3-Clause
"""Types in the signatures of the stub; the package does not export them."""
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Protocol, TypeAlias

import numpy
from numpy.typing import ArrayLike, NDArray

from ._progress import ProgressEvery

Array: TypeAlias = NDArray[numpy.float64]
Vector: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
External: TypeAlias = Mapping[str, ArrayLike] | Mapping[int, ArrayLike] | Mapping[str | int, ArrayLike]
FloatArray: TypeAlias = NDArray[numpy.float32]
StatusArray: TypeAlias = NDArray[numpy.uint8] | NDArray[numpy.int8]
Progress: TypeAlias = bool | Callable[[int, int], object] | ProgressEvery | None
StrPath: TypeAlias = str | bytes | PathLike[str]


class UserJoint(Protocol):
    """A joint written in Python: X_J(q) 4 x 4, its columns S(q) 6 x nv in body axes; rates(q, v) = dS/dt where they depend on q, and
    rates_derivative(q, v, direction) for derivatives by q."""

    @property
    def nv(self) -> int:
        """Coordinates, 1 to 6; q + dq adds."""
    def pose(self, q: Array, /) -> ArrayLike:
        """The child's pose in the joint frame."""
    def columns(self, q: Array, /) -> ArrayLike:
        """S: the child's twist is S v."""
