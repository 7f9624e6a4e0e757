# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as arguments: vectors in every form that Pinocchio takes, and how objects compare and print."""
from __future__ import annotations

from typing import Any, Generic, TypeVar
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from . import _compiled

Array = NDArray[np.float64]
T = TypeVar("T")

generator = np.random.default_rng(0)  # of every Random() and randomConfiguration(): pin.seed(n) starts it again


def seed(number: int) -> None:
    """Starts the random numbers again."""
    global generator
    generator = np.random.default_rng(number)
    _compiled.seed(number)  # of randomConfiguration


def uniform(*shape: int) -> Array:
    """Numbers between -1 and 1."""
    return generator.uniform(-1.0, 1.0, shape)


def vector(x: Any, size: int, what: str) -> Array:
    """x, of shape (size,), (size, 1) or (1, size), as (size,). Raises ValueError naming the argument."""
    out = np.asarray(x, dtype=np.float64)
    if out.ndim == 2 and 1 in out.shape:
        out = out.reshape(-1)
    if out.shape != (size,):
        raise ValueError(f"{what} has shape {np.shape(x)}, expected ({size},)")
    return out


def matrix(x: Any, rows: int, columns: int, what: str) -> Array:
    """x as an array (rows, columns). Raises ValueError naming the argument."""
    out = np.asarray(x, dtype=np.float64)
    if out.shape != (rows, columns):
        raise ValueError(f"{what} has shape {np.shape(x)}, expected ({rows}, {columns})")
    return out


def positional(who: str, given: tuple[Any, ...], named: dict[str, Any], *names: str,
               optional: dict[str, Any] | None = None) -> tuple[Any, ...]:
    """Arguments in order, of which the last were given by name. Those of `optional`, the last of `names`, are filled in; all are there then.

    Raises TypeError for names that are unknown, absent or given twice.
    """
    if optional is not None:
        named = {**{name: optional[name] for name in names[len(given):] if name in optional}, **named}
        if len(given) + len(named) < len(names):
            raise TypeError(f"{who}: argument {next(x for x in names[len(given):] if x not in named)} is missing")
    if len(given) > len(names):
        raise TypeError(f"{who}: got {len(given)} arguments, expected {len(names)}: {', '.join(names)}")
    rest = names[len(given):len(given) + len(named)]
    if set(rest) != set(named):
        raise TypeError(f"{who}: got the named arguments {', '.join(sorted(named))}, expected {', '.join(rest) or 'none'}")
    return (*given, *(named[name] for name in rest))


def close(a: Array, b: Array, precision: float) -> bool:
    """Whether the difference is at most `precision` of the smaller of the two, as Eigen's isApprox says."""
    return bool(np.linalg.norm(a - b) <= precision * min(np.linalg.norm(a), np.linalg.norm(b)))


def inverse(m: Any) -> Array:
    """The inverse of a matrix."""
    return np.asarray(np.linalg.inv(m), dtype=np.float64)


class Items(Generic[T]):
    """A list whose entries are views of the rows of one array: writing to an entry, or to its members, writes the array."""

    __slots__ = ("array", "make", "write")

    def __init__(self, array: Array, make: Callable[[Array], T], write: Callable[[Array, Any], None]) -> None:
        self.array, self.make, self.write = array, make, write

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[T]:
        return (self.make(row) for row in self.array)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self.make(row) for row in self.array[place]]
        return self.make(self.array[place])

    def __setitem__(self, place: int, value: T) -> None:
        self.write(self.array[place], value)

    def append(self, value: T) -> None:
        """One more; entries taken before are no longer views."""
        self.array = np.concatenate([self.array, np.zeros((1, *self.array.shape[1:]))])
        self.write(self.array[-1], value)

    def extend(self, values: Iterable[T]) -> None:
        """Several more."""
        for value in values:
            self.append(value)

    def tolist(self) -> list[T]:
        """A Python list of the entries."""
        return list(self)

    def __repr__(self) -> str:
        return "[" + ", ".join(map(repr, self)) + "]"
