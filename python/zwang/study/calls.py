# SPDX-License-Identifier: BSD-3-Clause
"""What a study computes: calls of the library by name, functions of the user, variables themselves. Each gives columns of results.

A call is any function of the library of a model and states: its arguments that are variables of the study come from there, `constraints`
is the study's set, the others are constants of the call. With a set, 'solve', 'impulse', 'rollout' and 'solve_derivatives' are those of a
Solver. A function of the user gets a Block of states, and returns {name: array (N, ...)} or one array.
"""
from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from .. import _zwang as zw
from ._columns import Array, as_result
from ._errors import StateError
from ._words import nearest, plain, shortened


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
            raise AttributeError(f"a block of this study has no variable '{name}'") from None

    def solver(self, **settings: Any) -> zw.Solver:
        """A solver of the study's constraints, kept for the next call with the same settings."""
        if self.constraints is None:
            raise ValueError("the study has no constraints: Study(model, constraints, ...)")
        key = repr(sorted(settings.items()))
        if key not in self._solvers:
            self._solvers[key] = zw.Solver(self.model, self.constraints, **settings)
        return self._solvers[key]


Results = dict[str, Array]


class Calculation:
    """One entry of `what`."""
    name: str

    def document(self) -> Any:
        raise NotImplementedError

    def check(self, names: tuple[str, ...], block: Block) -> None:
        """Raises ValueError where the study does not give what the calculation needs."""

    def run(self, block: Block) -> Results:
        raise NotImplementedError

    def units(self, column: str) -> str:
        return ""


# --- calls by name ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Parameter:
    name: str
    required: bool


@functools.cache
def _parameters(function: Any) -> tuple[_Parameter, ...]:
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


_SOLVER_WORDS = ("method", "tolerance", "singularity", "regularisation", "feasibility", "max_iterations", "motor_limits")
_NOT_GIVEN = frozenset({"self", "model", "out", "status", "progress", "constraints"})
# What of an object is kept where `keep` is not given; all arrays of N states where the name is not here. Other parts of a Solution are
# computed one state at a time when they are read.
_KEPT = {"solve": ("acceleration", "multipliers", "motor_torque", "reaction", "status"),
         "impulse": ("velocity", "velocity_after", "multipliers", "status"),
         "rollout": ("q", "v", "status"), "mobility": ("mobility", "rank", "redundant", "singular", "smallest_singular_value"),
         "inverse_kinematics": ("q", "residual", "status", "iterations")}
_UNITS = {"acceleration": "rad/s^2, m/s^2", "multipliers": "N, N m", "motor_torque": "N m, N", "reaction": "N m, N", "q": "rad, m",
          "v": "rad/s, m/s", "a": "rad/s^2, m/s^2", "tau": "N m, N", "velocity_after": "rad/s, m/s", "status": "zwang.Status",
          "error": "m, rad", "targets": "m"}


class Call(Calculation):
    """A function of the library by its name, with constants; keep: which of its results, name: what they are called."""

    def __init__(self, call: str, *, name: str | None = None, keep: str | list[str] | tuple[str, ...] | None = None,
                 **constants: Any) -> None:
        if call not in known_calls():
            raise ValueError(f"there is no call '{call}' of states{nearest(call, known_calls())}")
        self.call, self.name, self.constants = call, name or call, constants
        self.keep = (keep,) if isinstance(keep, str) else None if keep is None else tuple(keep)
        takes = {p.name for p in self._takes()} | ({"frame"} if call == "inverse_kinematics" else set())
        for word in constants:
            if word not in takes or word in _NOT_GIVEN:
                raise ValueError(f"{call}: there is no argument '{word}'{nearest(word, sorted(takes - _NOT_GIVEN))}")
        if call == "inverse_kinematics" and "frame" not in constants:
            raise ValueError("inverse_kinematics: argument 'frame' is missing: the frame that reaches the variable 'targets'")

    def _takes(self) -> tuple[_Parameter, ...]:
        settings = tuple(_Parameter(word, False) for word in _SOLVER_WORDS)
        if self.call in ("solve", "impulse"):
            return _parameters(getattr(zw.Solver, self.call)) + settings
        if self.call == "solve_derivatives":
            return _parameters(zw.Solver.solve) + settings
        if self.call == "rollout":
            return tuple(dict.fromkeys(_parameters(zw.rollout) + _parameters(zw.Solver.rollout) + settings))
        return _parameters(getattr(zw, self.call))

    def document(self) -> Any:
        out: dict[str, Any] = {"call": self.call}
        if self.name != self.call:
            out["name"] = self.name
        if self.keep is not None:
            out["keep"] = list(self.keep)
        return {**out, **{k: plain(_effects_document(x)) for k, x in self.constants.items()}}

    def check(self, names: tuple[str, ...], block: Block) -> None:
        needs_set = self.call in ("solve", "impulse", "solve_derivatives") or any(p.name == "constraints" and p.required for p in self._takes())
        if needs_set and block.constraints is None:
            raise ValueError(f"{self.name}: the study has no constraints")
        for p in self._takes():
            if p.required and p.name not in _NOT_GIVEN and p.name not in names and p.name not in self.constants:
                raise ValueError(f"{self.name}: argument '{p.name}' is neither a variable of the study ({', '.join(names)}) "
                                 "nor a constant of the call")
            if p.name in names and p.name in self.constants:
                raise ValueError(f"{self.name}: argument '{p.name}' is both a variable of the study and a constant of the call")

    def run(self, block: Block) -> Results:
        n = len(block)
        takes = self._takes()
        given = {p.name: block.states[p.name] for p in takes if p.name in block.states}
        constants = {k: _constant(k, x) for k, x in self.constants.items()}
        settings = {k: constants.pop(k) for k in _SOLVER_WORDS if k in constants and self._of_solver(block)}
        status = np.empty(n, np.uint8) if any(p.name == "status" for p in takes) else None
        words: dict[str, Any] = {**given, **constants}
        if status is not None:
            words["status"] = status
        found = self._found(block, words, settings)
        out = {}
        for name, x in _flat(self.call, found, n, self.keep):
            out[f"{self.name}.{name}" if name else self.name] = x
        if status is not None and self.keep is None:
            out.setdefault(f"{self.name}.status", status)
        return out

    def _of_solver(self, block: Block) -> bool:
        return self.call in ("solve", "impulse", "solve_derivatives") or (self.call == "rollout" and block.constraints is not None)

    def _found(self, block: Block, words: dict[str, Any], settings: dict[str, Any]) -> Any:
        if self.call in ("solve", "impulse"):
            return getattr(block.solver(**settings), self.call)(**words)
        if self.call == "solve_derivatives":
            solver = block.solver(**settings)
            words.pop("status", None)
            solver.solve(**words)
            return solver.derivatives()
        if self.call == "rollout" and block.constraints is not None:
            return block.solver(**settings).rollout(**words)
        if self.call == "inverse_kinematics":
            frame = words.pop("frame")
            words["targets"] = {frame: words["targets"]}
        if any(p.name == "constraints" for p in self._takes()) and block.constraints is not None:
            words["constraints"] = block.constraints
        function = getattr(zw, self.call)
        if self.call in _ONE_BY_ONE:
            return _one_by_one(function, block, words)
        return function(block.model, **words)

    def units(self, column: str) -> str:
        last = column.rsplit(".", 1)[-1]
        for q in _quantities():
            if q["name"] == self.call or q["alias"] == self.call:
                for r in q["results"]:
                    if len(q["results"]) == 1 or r["name"] == last:
                        return "zwang.Status" if last == "status" else str(r["units"])
        return _UNITS.get(last, "")


_ONE_BY_ONE = ("mobility",)  # N configurations mean a path there


def _one_by_one(function: Callable[..., Any], block: Block, words: dict[str, Any]) -> dict[str, Array]:
    found: dict[str, list[Any]] = {name: [] for name in _KEPT["mobility"]}
    for k in range(len(block)):
        try:
            one = function(block.model, **{n: x[k] if n in block.states else x for n, x in words.items()})
        except ValueError as error:
            raise StateError(k, str(error)) from error
        for name in found:
            value = getattr(one, name)
            found[name].append(len(value) if isinstance(value, (list, tuple)) else value)
    return {name: np.asarray(x) for name, x in found.items()}


def _quantities() -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], zw.quantities())


@functools.cache
def known_calls() -> tuple[str, ...]:
    """The names that a study knows."""
    out = {"solve", "impulse", "solve_derivatives"}
    for name in dir(zw):
        function = getattr(zw, name)
        if name.startswith("_") or inspect.isclass(function) or not hasattr(function, "__nb_signature__"):
            continue
        words = {p.name for p in _parameters(function)}
        returned = function.__nb_signature__[0][0].rsplit("->", 1)[-1].strip()
        if "model" in words and words & {"q", "v", "q0", "targets"} and returned not in ("Model", "bool", "str", "dict[str, object]", "View"):
            out.add(name)
    return tuple(sorted(out - {"follow", "move", "cholesky", "simulate", "assemble_path", "state", "subtree_mass"}))


def _constant(name: str, given: Any) -> Any:
    return zw.JointEffects(**given) if name == "joint_effects" and isinstance(given, Mapping) else given


def _effects_document(given: Any) -> Any:
    if isinstance(given, zw.JointEffects):
        return {n: getattr(given, n) for n in ("armature", "damping", "springs", "friction")}
    return given


def _flat(call: str, found: Any, n: int, keep: tuple[str, ...] | None) -> Iterator[tuple[str, Array]]:
    """The arrays of N states in what a call returned, with their names."""
    if isinstance(found, np.ndarray):
        if keep not in (None, ("",)):
            raise ValueError(f"{call}: it has one result, keep cannot choose of it")
        yield "", _of_states(call, "", found, n)
        return
    if isinstance(found, tuple) and not hasattr(found, "_fields"):
        names = next(([r["name"] for r in q["results"]] for q in _quantities() if q["name"] == call), [str(k) for k in range(len(found))])
        found = dict(zip(names, found))
    if keep is not None:
        for name in keep:
            yield name, _of_states(call, name, _part(call, found, name), n)
        return
    if isinstance(found, Mapping):
        for name, x in found.items():
            yield str(name), _of_states(call, str(name), x, n)
        return
    if call in _KEPT:
        for name in _KEPT[call]:
            yield name, _of_states(call, name, getattr(found, name), n)
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


def _of_states(call: str, name: str, found: Any, n: int) -> Array:
    x = as_result(found)
    if x.ndim == 0 or len(x) != n:
        raise ValueError(f"{call}: the result{' ' + repr(name) if name else ''} has shape {x.shape}, expected ({n}, ...): one for each state")
    return x


# --- variables and functions ---------------------------------------------------------------------------------------------


class Variable(Calculation):
    """The states themselves: a variable of the study, or a parameter, becomes a column."""

    def __init__(self, name: str) -> None:
        self.name = name

    def document(self) -> Any:
        return {"variable": self.name}

    def run(self, block: Block) -> Results:
        if self.name in block.parameters:
            return {self.name: np.full(len(block), block.parameters[self.name])}
        return {self.name: as_result(block.states[self.name])}

    def units(self, column: str) -> str:
        from .parameters import units
        return units(column) or _UNITS.get(column, "")


class Function(Calculation):
    """A function of a Block: {name: array (N, ...)}, or one array. It must give the same for the same states.

    name: of its column, or what its columns begin with. version: says of two functions whether they are the same, where their text and what
    they refer to do not say it.
    """

    def __init__(self, function: Callable[[Block], Any] | str, *, name: str | None = None, version: str | None = None) -> None:
        self.place = function if isinstance(function, str) else None
        self.function = _imported(function) if isinstance(function, str) else function
        if not callable(self.function):
            raise ValueError(f"Function: got {shortened(function)}, expected a function, or 'module:function'")
        self.name = name or getattr(self.function, "__name__", type(self.function).__name__).strip("<>")
        self.version = version

    def document(self) -> Any:
        out = {"function": self.place or f"{self.function.__module__}:{getattr(self.function, '__qualname__', '')}", "name": self.name}
        return {**out, "version": self.version} if self.version is not None else {**out, "text": _text_hash(self.function)}

    def run(self, block: Block) -> Results:
        found = self.function(block)
        n = len(block)
        if isinstance(found, Mapping):
            return {f"{self.name}.{key}": _of_states(self.name, key, x, n) for key, x in found.items()}
        return {self.name: _of_states(self.name, "", found, n)}


def _imported(place: str) -> Callable[[Block], Any]:
    module, colon, name = place.partition(":")
    if not colon or not name:
        raise ValueError(f"function '{place}': expected module:function")
    try:
        found: Any = importlib.import_module(module)
    except ImportError as error:
        raise ValueError(f"function '{place}': the module cannot be imported: {error}") from error
    for word in name.split("."):
        found = getattr(found, word, None)
        if found is None:
            raise ValueError(f"function '{place}': the module has no '{name}'")
    return found  # type: ignore[no-any-return]


def _text_hash(function: Any) -> str:
    """Of the text of a function and of what it has bound: defaults, closure."""
    found = hashlib.sha256()
    try:
        found.update(inspect.getsource(function).encode())
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        found.update(repr((code.co_code, code.co_names)).encode() if code is not None else repr(type(function)).encode())
    cells = [c.cell_contents for c in getattr(function, "__closure__", None) or ()]
    bound = [getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None), *cells,
             *(getattr(function, "args", ())), getattr(function, "keywords", None)]
    for value in bound:
        if isinstance(value, (zw.Model, zw.ConstraintSet)):
            found.update(value.to_json().encode())
            continue
        try:
            found.update(pickle.dumps(value, 4))
        except Exception:  # it has no bytes of its own: then its kind must do
            found.update(repr(type(value)).encode())
    return found.hexdigest()


def calculation_of(given: Any, names: tuple[str, ...]) -> Calculation:
    """An entry of `what`: a name, an object of JSON, a function, or a Calculation."""
    if isinstance(given, Calculation):
        return given
    if isinstance(given, str):
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
