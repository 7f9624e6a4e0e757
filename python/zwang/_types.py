# SPDX-License-Identifier: BSD-3-Clause
"""Types in the signatures of the stub; the package does not export them."""
from collections.abc import Callable, Mapping
from os import PathLike
from typing import TypeAlias

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
