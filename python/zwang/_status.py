# SPDX-License-Identifier: BSD-3-Clause
"""How N states ended: arrays and lists whose entries are those of one state, and whose text is a count."""
from collections import namedtuple
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from . import _zwang as zw

_NAMES = {int(s.value): s for s in zw.Status.__members__.values()}


def count_text(statuses: Iterable[Any]) -> str:
    """`20 states: 7 ok, 13 overflow`, in the order of the numbers."""
    found = Statuses([int(s) for s in statuses])
    counts = ", ".join(f"{n} {name}" for name, n in found.counts().items())
    return f"{len(found)} state{'' if len(found) == 1 else 's'}" + (f": {counts}" if counts else "")


class Statuses(np.ndarray):
    """An array of uint8 (N,), a Status for each state; its entries are Status, and it prints as a count.

    Compares with a Status, its number or its name: (result.status == "ok").all(). Statuses(array) reads an array that was given as status=.
    """

    def __new__(cls, numbers: Any) -> "Statuses":
        return np.asarray(numbers, np.uint8).view(cls)

    def counts(self) -> dict[str, int]:
        """How many states ended in each way, by name."""
        numbers, counts = np.unique(np.asarray(self), return_counts=True)
        return {str(_status(k)): int(n) for k, n in zip(numbers, counts)}

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return _status(found) if isinstance(found, np.uint8) else found

    def __iter__(self) -> Iterator[Any]:
        return iter([_status(k) for k in np.asarray(self)] if self.ndim == 1 else np.asarray(self))

    def tolist(self) -> Any:
        return list(self)

    def __eq__(self, other: object) -> Any:
        return np.asarray(self) == _numbers(other)

    def __ne__(self, other: object) -> Any:
        return np.asarray(self) != _numbers(other)

    __hash__ = None

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **words: Any) -> Any:
        """What is computed of numbers is no status."""
        plain = [_plain(x) for x in inputs]
        if "out" in words:
            words["out"] = tuple(_plain(x) for x in words["out"])
        return getattr(ufunc, method)(*plain, **words)

    def __str__(self) -> str:
        return count_text(np.asarray(self).ravel())

    def __repr__(self) -> str:
        return f"<zwang.Statuses {self}>"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class Reports(list):  # type: ignore[type-arg]
    """The reports of N states, a list that prints as a count of their statuses."""

    @property
    def notes(self) -> list[str]:
        """The warnings of all states, one sentence for each kind and row: in how many states, and the worst of them."""
        found: dict[tuple[str, str, str], list[Any]] = {}
        for report in self:
            for w in getattr(report, "warnings", ()):
                found.setdefault((w.kind, w.row, w.coordinate), []).append(w)
        return [
            f"in {len(all_)} state{'' if len(all_) == 1 else 's'}, at worst: {max(all_, key=lambda w: abs(w.value)).text}"
            for all_ in found.values()
        ]

    def explain(self) -> str:
        """The count of the statuses and the notes, one on a line."""
        return "\n".join([str(self), *self.notes])

    def __str__(self) -> str:
        return count_text(r.status for r in self)

    def __repr__(self) -> str:
        return f"<zwang.Reports {self}>"


class Rollout(namedtuple("Rollout", "q v status")):
    """Where steps in time lead: q and v at the end, or after each step; the Status of each state.

    notes: what states violate where the rollout and its last step begin, one sentence for each row.
    """

    q: Any
    v: Any
    status: Any
    notes: Sequence[str] = ()

    def __repr__(self) -> str:
        count = count_text(np.asarray(self.status).ravel())
        notes = f", {len(self.notes)} note{'' if len(self.notes) == 1 else 's'}" if self.notes else ""
        return f"<zwang.Rollout {count}{notes}; q {np.shape(self.q)}, v {np.shape(self.v)}>"


def _status(number: Any) -> Any:
    return _NAMES.get(int(number), number)


def _plain(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, Statuses) else int(x) if isinstance(x, zw.Status) else x


def _numbers(other: Any) -> Any:
    """The numbers of statuses or of their names; what is neither equals nothing."""
    x = np.asarray(other)
    if x.dtype.kind not in "UO":
        return x
    return np.array([_number(one) for one in x.ravel().tolist()]).reshape(x.shape)


def _number(one: Any) -> int:
    if isinstance(one, str):
        return int(zw.Status.__members__[one]) if one in zw.Status.__members__ else -1
    return int(one) if isinstance(one, (zw.Status, int, np.integer)) else -1
