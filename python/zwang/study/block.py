# SPDX-License-Identifier: BSD-3-Clause
"""A block of states, and what is calculated of it."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .. import _zwang as zw
from ._columns import Array, as_result
from ._words import among

Results = dict[str, Array]


@dataclass
class Block:
    """Some states of a study, all at the same parameters of the model: what a function of the user gets."""
    model: zw.Model
    constraints: zw.ConstraintSet | None
    states: dict[str, Array]        #: each variable, (N, ...)
    first: int                      #: number of the first state
    parameters: dict[str, float]    #: of the model
    _solvers: dict[str, zw.Solver] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.states.values()))) if self.states else self._count

    _count: int = 0

    def __getattr__(self, name: str) -> Array:
        try:
            return self.__dict__["states"][name]  # type: ignore[no-any-return]
        except KeyError:
            known = list(self.__dict__.get("states", ()))
            raise AttributeError(f"a block of this study has no variable '{name}'{among(name, known, 'Variables')}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get("states", ()):
            raise AttributeError(f"'{name}' is a variable of the study, which other calculations read too")
        super().__setattr__(name, value)

    def solver(self, **settings: Any) -> zw.Solver:
        """A solver of the study's constraints, kept for the next call with the same settings."""
        if self.constraints is None:
            raise ValueError("the study has no constraints: Study(model, constraints, ...)")
        key = repr(sorted(settings.items()))
        if key not in self._solvers:
            self._solvers[key] = zw.Solver(self.model, self.constraints, **settings)
        return self._solvers[key]


class Calculation:
    """One entry of `what`."""
    name: str

    @property
    def in_lanes(self) -> bool:
        """Whether many states at a time take much less than one after the other."""
        return False

    @property
    def steps(self) -> int:
        """How many times what a call of one state takes."""
        return 1

    def document(self) -> Any:
        raise NotImplementedError

    def check(self, names: tuple[str, ...], block: Block) -> None:
        """Raises ValueError where the study does not give what the calculation needs."""

    def run(self, block: Block) -> Results:
        raise NotImplementedError

    def units(self, column: str) -> str:
        return ""


def of_states(call: str, name: str, found: Any, n: int) -> Array:
    x = as_result(found)
    if x.ndim == 0 or len(x) != n:
        raise ValueError(f"{call}: the result{' ' + repr(name) if name else ''} has shape {x.shape}, expected ({n}, ...): one for each state")
    return x
