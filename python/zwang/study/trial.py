# SPDX-License-Identifier: BSD-3-Clause
"""What is tried before a study exists: its first states tell names, types and shapes of results, and show what cannot be meant."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from .. import _zwang as zw
from . import parameters as of_model
from ._columns import Column, fixed, hash_of, type_of
from ._errors import StateError, StudyWarning
from ._words import CONFIGURATIONS, nearest
from .block import Block
from .calls import Call
from .functions import Function
from .what import Variable

if TYPE_CHECKING:
    from .description import Study

_TURNS = 8 * np.pi  # [rad] more than this is hardly meant


def results_of(study: Study, document: of_model.Document, constraints: str | None) -> dict[str, list[Column]]:
    """The results of each calculation of a study. Raises ValueError naming what is wrong. document, constraints: of its model, as texts."""
    return _Trial(study, document, constraints).results()


class _Trial:
    def __init__(self, study: Study, document: of_model.Document, constraints: str | None) -> None:
        self.study, self.document, self.constraints = study, document, constraints

    def results(self) -> dict[str, list[Column]]:
        """From the first state, which is computed twice: the results of N states are those whose length is N."""
        for name in self.study.over.names:
            if of_model.is_parameter(name):
                of_model.check(self.document, name)
        try:
            block = self.study.segments(0, 1)[0]
        except StateError as error:
            raise ValueError(f"Study: the first state: {error}") from error
        self._warn_of_degrees()
        names = [c.name for c in self.study.what]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"Study: two calculations are called '{name}': Call(..., name=...) tells them apart")
        found: dict[str, list[Column]] = {}
        for calculation in self.study.what:
            try:
                calculation.check(tuple(block.states), block)
                shapes = []
                for n in (2, 5):
                    more = {name: fixed(np.repeat(x, n, axis=0)) for name, x in block.states.items()}
                    part = Block(block.model, block.constraints, more, 0, block.parameters, {}, n)
                    shapes.append({name: (type_of(x), x.shape[1:]) for name, x in calculation.run(part).items()})
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # whatever a function of the user raises, SystemExit too, is said before the first block
                kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
                raise ValueError(f"Study: {calculation.name}, tried on the first state: {kind}{error}") from error
            if shapes[0] != shapes[1]:
                raise ValueError(f"Study: {calculation.name}: the shapes of its results depend on the number of states: {shapes[0]} of 2, "
                                 f"{shapes[1]} of 5, without the first dimension")
            mine = [Column(name, kind, shape, calculation.units(name)) for name, (kind, shape) in shapes[0].items() if 0 not in shape]
            if not mine:
                raise ValueError(f"Study: {calculation.name} has no results")  # empty ones have nothing to store
            found[calculation.name] = mine
        names = [c.name for each in found.values() for c in each]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"Study: two results are called '{name}': name= tells calculations apart")
        self._used(block)
        return found

    def _warn_of_degrees(self) -> None:
        """Of the first and last states."""
        few = min(256, self.study.states)
        for first in (0, self.study.states - few):
            for name, x in self.study.states_of(first, few).items():
                if name not in CONFIGURATIONS or x.ndim != 2 or x.shape[1] != self.study.model.nq:
                    continue
                for joint in self.study.model.joints:
                    if joint.q.stop - joint.q.start == 1 and "revolute" in str(joint.type) and np.abs(x[:, joint.q]).max() > _TURNS:
                        most = np.abs(x[:, joint.q]).max()
                        warnings.warn(f"Study: '{name}' of {joint.name} reaches {most:g} rad, which are {most / (2 * np.pi):.0f} turns: "
                                      "are these degrees, or was (low, high, n) meant?", StudyWarning, stacklevel=5)
                        return

    def _used(self, block: Block) -> None:
        """A variable that nothing reads is a mistake, and so is a parameter that changes no result."""
        if any(isinstance(c, Function) for c in self.study.what):
            return
        read = {name for c in self.study.what if isinstance(c, Call) for name in c.takes}
        for name in block.states:
            if name not in read and not any(isinstance(c, Variable) and c.name == name for c in self.study.what):
                raise ValueError(f"Study: no calculation reads the variable '{name}'{nearest(name, sorted(read))}")
        calls = [c for c in self.study.what if isinstance(c, Call)]
        try:
            block = self.study.segments(0, min(8, self.study.states))[0] if block.parameters else block
        except StateError:  # of a later one
            pass
        for name, value in block.parameters.items():
            if calls and not any(self._depends(c, block, name, value) for c in calls):
                effects = "; joint_effects={...} of a call makes springs, damping and friction count" if name.startswith(of_model.EFFECTS) else ""
                raise ValueError(f"Study: no result depends on the parameter '{name}' at the first states{effects}")

    def _depends(self, call: Call, block: Block, name: str, value: float) -> bool:
        """Whether a result is another where the parameter is; True where that cannot be tried."""
        try:
            model = of_model.changed(self.document, {**block.parameters, name: value + 0.125 * (abs(value) + 1)})
            constraints = None if self.constraints is None else zw.ConstraintSet.from_json(model, self.constraints)
            one, two = call.run(block), call.run(Block(model, constraints, block.states, 0, block.parameters, {}, len(block)))
        except Exception:
            return True
        return hash_of(one) != hash_of(two)
