# SPDX-License-Identifier: BSD-3-Clause
"""Entries of a study's `what`: calls of the library by name, functions of the user, variables themselves. Each gives columns of results."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._columns import as_result
from ._words import among, shortened
from .block import Block, Calculation, Results
from .calls import Call, units_of
from .functions import Function
from .parameters import units as units_of_parameter


class Variable(Calculation):
    """The states themselves: a variable of the study, or a parameter, becomes a column."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def in_lanes(self) -> bool:
        return True

    def document(self) -> Any:
        return {"variable": self.name}

    def run(self, block: Block) -> Results:
        if self.name in block.parameters:
            return {self.name: np.full(len(block), block.parameters[self.name])}
        return {self.name: as_result(block.states[self.name])}

    def units(self, column: str) -> str:
        return units_of_parameter(column) or units_of(column)


def calculation_of(given: Any, names: tuple[str, ...]) -> Calculation:
    """An entry of `what`: a name, an object of JSON, a function, or a Calculation."""
    if isinstance(given, Calculation):
        return given
    if isinstance(given, str):
        if ":" in given and given not in names:
            raise ValueError(f"the study does not go over a parameter '{given}'{among(given, names, 'Variables')}")
        return Variable(given) if given in names else Call(given)
    if isinstance(given, Mapping):
        words = dict(given)
        if "call" in words:
            return Call(words.pop("call"), **words)
        if "variable" in words:
            return _variable(words, names)
        if "function" in words:
            words.pop("text", None)
            return Function(words.pop("function"), **words)
        raise ValueError(f"got {shortened(given)}, expected an object with call, variable or function")
    if callable(given):
        return Function(given)
    raise ValueError(f"got {shortened(given)}, expected the name of a call, {{'call': ...}}, or a function")


def _variable(words: dict[str, Any], names: tuple[str, ...]) -> Variable:
    if set(words) != {"variable"} or words["variable"] not in names:
        raise ValueError(f"got {shortened(words)}, expected one of the variables {', '.join(names)}")
    return Variable(words["variable"])
