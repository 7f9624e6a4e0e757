# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the library by name: any of its functions of a model and states. Arguments that are variables of the study come from there,
`constraints` is the study's set, the others are constants of the call. With a set, 'solve', 'impulse', 'rollout' and 'solve_derivatives'
are those of a Solver.
"""
from __future__ import annotations

import copy
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from .. import _zwang as zw
from ._columns import STATUS, Array, as_result
from ._errors import StateError
from ._words import nearest, plain
from .block import Block, Calculation, Results, of_states


@dataclass(frozen=True)
class _Parameter:
    name: str
    required: bool


@functools.cache
def parameters_of(function: Any) -> tuple[_Parameter, ...]:
    """The arguments of a function of the library after self or model, as its signature has them."""
    text = function.__nb_signature__[0][0]
    inner = text[text.index("(") + 1:text.rindex(") ->")]
    found, depth, start = [], 0, 0
    for k, c in enumerate(inner + ","):
        depth += (c in "[({") - (c in "])}")
        if c == "," and depth == 0:
            found.append(inner[start:k].strip())
            start = k + 1
    return tuple(_Parameter(re.split(r"[:=]", x)[0].strip(), "=" not in x) for x in found if x not in ("", "*", "/"))


_NOT_GIVEN = frozenset({"self", "model", "out", "status", "progress", "constraints"})
_UNITS = {"acceleration": "rad/s^2, m/s^2", "multipliers": "N, N m", "motor_torque": "N m, N", "reaction": "N m, N", "q": "rad, m",
          "v": "rad/s, m/s", "a": "rad/s^2, m/s^2", "tau": "N m, N", "velocity_after": "rad/s, m/s", "status": STATUS,
          "error": "m, rad", "targets": "m"}


def units_of(column: str) -> str:
    """Of the part of a result that has this name; "" for another."""
    return _UNITS.get(column, "")


# --- ways to make a call ------------------------------------------------------------------------------------------------

Words = dict[str, Any]
_STEPS = 10  # of a rollout that take about as long as another call


@dataclass(frozen=True)
class _Way:
    """How a call is made where it is not zw.NAME(model, ...).

    made: of a block, arguments, and settings of its solver. parameters: what it takes. kept: parts of what it returns that are kept where
    `keep` is not given; () for all arrays of N states. (Other parts of a Solution are computed one state at a time when they are read.)
    """
    made: Callable[[Block, Words, Words], Any]
    parameters: Callable[[], tuple[_Parameter, ...]]
    kept: tuple[str, ...] = ()
    of_solver: bool = False            #: needs constraints
    if_constrained: bool = False       #: is of a solver where there are constraints
    in_lanes: bool = False             #: many states at a time
    constants: frozenset[str] = frozenset()   #: arguments that have to be given beside variables


@functools.cache
def _settings() -> tuple[_Parameter, ...]:
    return tuple(_Parameter(p.name, False) for p in parameters_of(zw.Solver.__init__) if p.name not in _NOT_GIVEN)


def _solve_derivatives(block: Block, words: Words, settings: Words) -> Any:
    solver = block.solver(**settings)
    words.pop("status", None)
    solver.solve(**words)
    return solver.derivatives()


def _rollout(block: Block, words: Words, settings: Words) -> Any:
    return zw.rollout(block.model, **words) if block.constraints is None else block.solver(**settings).rollout(**words)


def _inverse_kinematics(block: Block, words: Words, _settings: Words) -> Any:
    words["targets"] = {words.pop("frame"): words["targets"]}
    return _plainly("inverse_kinematics", block, words)


def _poses_of_one_state() -> tuple[_Parameter, ...]:
    """States of a study do not depend on each other, as poses along a path do."""
    return (*(p for p in parameters_of(zw.inverse_kinematics) if p.name != "along"), _Parameter("frame", True))


def _mobility(block: Block, words: Words, _settings: Words) -> dict[str, Array]:
    """One configuration at a time: for the library N of them are a path."""
    found: dict[str, list[Any]] = {name: [] for name in _WAYS["mobility"].kept}
    for k in range(len(block)):
        try:
            one = _plainly("mobility", block, {n: x[k] if n in block.states else x for n, x in words.items()})
        except ValueError as error:
            raise StateError(k, str(error)) from error
        for name in found:
            value = getattr(one, name)
            found[name].append(len(value) if isinstance(value, (list, tuple)) else value)
    return {name: np.asarray(x) for name, x in found.items()}


def _plainly(call: str, block: Block, words: Words) -> Any:
    if block.constraints is not None and any(p.name == "constraints" for p in parameters_of(getattr(zw, call))):
        words["constraints"] = block.constraints
    return getattr(zw, call)(block.model, **words)


_WAYS = {
    "solve": _Way(lambda b, w, s: b.solver(**s).solve(**w), lambda: parameters_of(zw.Solver.solve) + _settings(),
                  ("acceleration", "multipliers", "motor_torque", "reaction", "status"), of_solver=True, in_lanes=True),
    "impulse": _Way(lambda b, w, s: b.solver(**s).impulse(**w), lambda: parameters_of(zw.Solver.impulse) + _settings(),
                    ("velocity", "velocity_after", "multipliers", "status"), of_solver=True, in_lanes=True),
    "solve_derivatives": _Way(_solve_derivatives, lambda: parameters_of(zw.Solver.solve) + _settings(), of_solver=True),
    "rollout": _Way(_rollout, lambda: tuple(dict.fromkeys(parameters_of(zw.rollout) + parameters_of(zw.Solver.rollout) + _settings())),
                    ("q", "v", "status"), if_constrained=True),
    "mobility": _Way(_mobility, lambda: parameters_of(zw.mobility),
                     ("mobility", "rank", "redundant", "singular", "smallest_singular_value")),
    "inverse_kinematics": _Way(_inverse_kinematics, _poses_of_one_state,
                               ("q", "error", "residual", "status", "iterations"), constants=frozenset({"frame"})),
}


@functools.cache
def _way_of(call: str) -> _Way:
    if call in _WAYS:
        return _WAYS[call]
    return _Way(lambda block, words, _settings: _plainly(call, block, words), lambda: parameters_of(getattr(zw, call)),
                in_lanes=any(q["batch"] and call in (q["name"], q["alias"]) for q in _quantities()))


class Call(Calculation):
    """A function of the library by its name, with constants; keep: which of its results, name: what they are called."""

    def __init__(self, call: str, *, name: str | None = None, keep: str | list[str] | tuple[str, ...] | None = None,
                 **constants: Any) -> None:
        if call not in known_calls():
            raise ValueError(f"there is no call '{call}' of states{nearest(call, known_calls())}")
        self.call, self.name = call, name or call
        self.constants = {k: copy.deepcopy(x) if isinstance(x, (np.ndarray, list, tuple, dict)) else x for k, x in constants.items()}
        if not isinstance(keep, (str, list, tuple, type(None))) or not isinstance(name, (str, type(None))):
            raise ValueError(f"{call}: keep is {keep!r} and name is {name!r}, expected texts, or a list of them to keep")
        self.keep = (keep,) if isinstance(keep, str) else None if keep is None else tuple(keep)
        for word in constants:
            if word not in self.takes or word in _NOT_GIVEN:
                raise ValueError(f"{call}: there is no argument '{word}'{nearest(word, sorted(self.takes - _NOT_GIVEN))}")
        for word in _way_of(call).constants - set(constants):
            raise ValueError(f"{call}: argument '{word}' is missing: {call} of a study needs it beside variables")

    @property
    def takes(self) -> frozenset[str]:
        """The names of its arguments."""
        return frozenset(p.name for p in _way_of(self.call).parameters())

    @property
    def in_lanes(self) -> bool:
        """Whether the library computes many states of it at a time."""
        return _way_of(self.call).in_lanes

    @property
    def steps(self) -> int:
        given = self.constants.get("steps", 1)
        return max(1, given // _STEPS) if isinstance(given, int) else 1

    def document(self) -> Any:
        out: dict[str, Any] = {"call": self.call}
        if self.name != self.call:
            out["name"] = self.name
        if self.keep is not None:
            out["keep"] = list(self.keep)
        return {**out, **{k: plain(_effects_document(x)) for k, x in self.constants.items()}}

    def check(self, names: tuple[str, ...], block: Block) -> None:
        way = _way_of(self.call)
        parameters = way.parameters()
        if block.constraints is None and (way.of_solver or any(p.name == "constraints" and p.required for p in parameters)):
            raise ValueError(f"{self.name}: the study has no constraints")
        for p in parameters:
            if p.required and p.name not in _NOT_GIVEN and p.name not in names and p.name not in self.constants:
                raise ValueError(f"{self.name}: argument '{p.name}' is neither a variable of the study ({', '.join(names)}) "
                                 "nor a constant of the call")
            if p.name in names and p.name in self.constants:
                raise ValueError(f"{self.name}: argument '{p.name}' is both a variable of the study and a constant of the call")

    def run(self, block: Block) -> Results:
        n, way, takes = len(block), _way_of(self.call), self.takes
        words: Words = {name: x for name, x in block.states.items() if name in takes}
        words |= {k: _constant(k, x) for k, x in self.constants.items()}
        settings: Words = {}
        if way.of_solver or (way.if_constrained and block.constraints is not None):
            settings = {p.name: words.pop(p.name) for p in _settings() if p.name in words}
        status = np.empty(n, np.uint8) if "status" in takes else None
        if status is not None:
            words["status"] = status
        found = way.made(block, words, settings)
        out = {}
        for name, x in _flat(self.call, found, n, self.keep):
            out[f"{self.name}.{name}" if name else self.name] = x
        if status is not None and "status" in words:  # whoever takes it out does not fill it
            out.setdefault(f"{self.name}.status", status)
        return out

    def units(self, column: str) -> str:
        last = column.rsplit(".", 1)[-1]
        for q in _quantities():
            if q["name"] == self.call or q["alias"] == self.call:
                for r in q["results"]:
                    if len(q["results"]) == 1 or r["name"] == last:
                        return STATUS if last == "status" else str(r["units"])
        return units_of(last)


def _quantities() -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], zw.quantities())


@functools.cache
def known_calls() -> tuple[str, ...]:
    """The names that a study knows."""
    out = set(_WAYS)
    for name in dir(zw):
        function = getattr(zw, name)
        if name.startswith("_") or inspect.isclass(function) or not hasattr(function, "__nb_signature__"):
            continue
        words = {p.name for p in parameters_of(function)}
        returned = function.__nb_signature__[0][0].rsplit("->", 1)[-1].strip()
        if "model" in words and words & {"q", "v", "q0", "targets"} and returned not in ("Model", "bool", "str", "dict[str, object]", "View"):
            out.add(name)
    return tuple(sorted(out - {"follow", "move", "cholesky", "simulate", "contact_step_derivatives", "assemble_path", "state", "subtree_mass", "is_fully_actuated"}))


def _constant(name: str, given: Any) -> Any:
    return zw.JointEffects(**given) if name == "joint_effects" and isinstance(given, Mapping) else given


def _effects_document(given: Any) -> Any:
    if isinstance(given, zw.JointEffects):
        return {n: getattr(given, n) for n in ("armature", "damping", "springs", "friction", "gravity_scale")}
    return given


def _flat(call: str, found: Any, n: int, keep: tuple[str, ...] | None) -> Iterator[tuple[str, Array]]:
    """The arrays of N states in what a call returned, with their names."""
    if isinstance(found, np.ndarray):
        if keep not in (None, ("",)):
            raise ValueError(f"{call}: it has one result, keep cannot choose of it")
        yield "", of_states(call, "", found, n)
        return
    if isinstance(found, tuple) and not hasattr(found, "_fields"):
        names = next(([r["name"] for r in q["results"]] for q in _quantities() if q["name"] == call), [str(k) for k in range(len(found))])
        found = dict(zip(names, found))
    if keep is not None:
        for name in keep:
            yield name, of_states(call, name, _part(call, found, name), n)
        status = getattr(found, "status", None)
        if "status" not in keep and isinstance(status, np.ndarray):  # how each state ended is always kept
            yield "status", of_states(call, "status", status, n)
        return
    if isinstance(found, Mapping):
        for name, x in found.items():
            yield str(name), of_states(call, str(name), x, n)
        return
    kept = _way_of(call).kept
    for name in kept:
        yield name, of_states(call, name, getattr(found, name), n)
    if kept:
        return
    yield from _arrays_of(found, n, "")


def _arrays_of(found: Any, n: int, prefix: str) -> Iterator[tuple[str, Array]]:
    """The arrays of N states of an object, and of its parts that are objects."""
    for name in dir(found):
        x = None if name.startswith("_") else getattr(found, name)
        if isinstance(x, np.ndarray) and x.ndim > 0 and len(x) == n:
            yield prefix + name, as_result(x)
        elif type(x).__module__.startswith("zwang") and not callable(x) and not isinstance(x, (zw.Model, zw.ConstraintSet, zw.Status)):
            yield from _arrays_of(x, n, f"{prefix}{name}.")


def _part(call: str, found: Any, name: str) -> Any:
    """'acceleration', or 'tool.wrench': of the constraint tool."""
    for k, word in enumerate(name.split(".")):
        if isinstance(found, Mapping):
            if word not in found:
                raise ValueError(f"{call}: it has no result '{name}'{nearest(name, list(found))}")
            found = found[word]
        elif not word.startswith("_") and hasattr(found, word):
            found = getattr(found, word)
        elif k == 0 and hasattr(found, "__getitem__"):
            found = found[word]  # raises with the nearest name
        else:
            raise ValueError(f"{call}: it has no result '{name}'{nearest(name, [x for x in dir(found) if not x.startswith('_')])}")
    return found
