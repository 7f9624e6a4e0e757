# SPDX-License-Identifier: BSD-3-Clause
"""What has become of a block: its results, or why there are none."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ._columns import Array, hash_of
from .reductions import Partial


@dataclass
class Computed:
    """The results of a block."""
    number: int
    first: int
    count: int
    columns: dict[str, Array]               #: those that are stored
    partials: list[Partial]
    hash: str = field(default="", compare=False)


@dataclass
class Failed:
    """A block without results; state: the number of the state that fails alone, None where no single one does."""
    number: int
    state: int | None
    reason: str
    details: str


@dataclass
class Unfit:
    """This worker cannot compute the study."""
    reason: str


@dataclass
class Written:
    """A block that the worker has written into the study's folder."""
    number: int


@dataclass
class NotWritten:
    """A block that could not be written: the study cannot go on."""
    number: int
    reason: str


def finish(block: Computed) -> Computed:
    """With the hash of what is stored and kept."""
    flat = {f"{k}.{key}": np.asarray(x) for k, partial in enumerate(block.partials) for key, x in partial.items()}
    block.hash = hash_of({**block.columns, **flat})
    return block
