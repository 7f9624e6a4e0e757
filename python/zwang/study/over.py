# SPDX-License-Identifier: BSD-3-Clause
"""What a study goes over: states by number. The values of state k are a function of the study and k alone.

A study goes over one factor, or over the product of several; the last varies fastest. Each factor sets some variables: arguments of the
calculations (q, v, a, tau, targets, ...) and parameters of the model ('mass:link3', see parameters).
"""
from __future__ import annotations

import hashlib
import math
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .. import _zwang as zw
from ._words import CONFIGURATIONS, TANGENTS, nearest, numbers, plain, rotation, shortened, size_of, whole
from .arrays import MOST_NUMBERS, Arrays
from .factor import Array, Factor, Values


# --- Sample -----------------------------------------------------------------------------------------------------------


class Sample(Factor):
    """Random states of a seed: state k is the same numbers wherever it is computed (Philox 4x32-10, stream k).

    variables, each q=... or {"mass:link3": ...}:
        "limits"               (configurations) within the limits of the joints, as model.random
        (low, high)            uniform; two numbers, or two vectors; a vector of two numbers is {"value": (x, y)}
        {"normal": (m, s)}     normal with mean m and standard deviation s, numbers or vectors
        {"pose": (low, high)}  (4, 4): positions uniform in a box, attitudes uniform; with "rotation": a fixed 3 x 3
        a number or vector     the same for all states
    A vector has the size of its argument: nv for v, a, tau, ...; one number for parameters of the model.
    """

    def __init__(self, states: int, seed: int = 0, variables: Mapping[str, Any] | None = None, **more: Any) -> None:
        self.states, self.seed = whole("states", states, 1), whole("seed", seed, 0)
        self.variables = {name: _spelled(name, given) for name, given in {**(variables or {}), **more}.items()}
        if not self.variables:
            raise ValueError("Sample: there are no variables, expected q='limits', v=(-1, 1), ...")
        self.shape, self.names = (self.states,), tuple(self.variables)
        self._drawn = {name: _draw(name, given) for name, given in self.variables.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return Sample, (self.states, self.seed, self.variables)

    def values(self, model: zw.Model, first: int, count: int) -> Values:
        return {name: draw(model, _key(self.seed, name), first, count) for name, draw in self._drawn.items()}

    def document(self) -> dict[str, Any]:
        return {"sample": self.states, "seed": self.seed, "variables": {n: plain(x) for n, x in self.variables.items()}}


_Draw: TypeAlias = Callable[[zw.Model, int, int, int], Array]


def _key(seed: int, name: str) -> int:
    """Variables are independent of each other, and do not depend on which others there are; q has the seed itself."""
    if name == "q":
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "little")


def _spelled(name: str, given: Any) -> Any:
    """'limits', or {kind: ...}: a pair is uniform, other numbers are a value."""
    if isinstance(given, str):
        if given != "limits":
            raise ValueError(f"Sample: variable '{name}' is {given!r}, expected 'limits', (low, high), {{'normal': (m, s)}}, or numbers")
        return given
    if isinstance(given, Mapping):
        kind = next((k for k in _KINDS if k in given), None)
        if kind is None or set(given) - {kind, "rotation"} or ("rotation" in given and kind != "pose"):
            raise ValueError(f"Sample: variable '{name}' has {sorted(given)}, expected one of normal, uniform, pose (with rotation), value")
        return {k: _floats(name, x) for k, x in given.items()}
    return {"uniform" if isinstance(given, (tuple, list)) and len(given) == 2 else "value": _floats(name, given)}


def _floats(name: str, given: Any) -> Any:
    """(1, 2) and (1.0, 2.0) are the same study."""
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return [plain(numbers(f"Sample: variable '{name}'", x)) for x in given]
    return plain(numbers(f"Sample: variable '{name}'", given))


def _draw(name: str, given: Any) -> _Draw:
    if given == "limits":
        if name not in CONFIGURATIONS:
            raise ValueError(f"Sample: variable '{name}' is 'limits', which is for configurations ({', '.join(sorted(CONFIGURATIONS))})")
        return lambda model, seed, first, count: zw.random_states(model, count, seed, first)
    kind = next(k for k in _KINDS if k in given)
    return _KINDS[kind](name, given[kind], given)


def _pair(name: str, given: Any, words: str) -> tuple[Array, Array]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"Sample: variable '{name}' is {given!r}, expected {words}")
    a, b = (numbers(f"Sample: variable '{name}'", x) for x in given)
    if a.ndim > 1 or b.ndim > 1:
        raise ValueError(f"Sample: variable '{name}' has {max(a.ndim, b.ndim)} dimensions, expected {words} of numbers or vectors")
    return a, b


def _drawn(name: str, distribution: str, map_: Callable[[Array], Array], *sizes: Array) -> _Draw:
    def draw(model: zw.Model, seed: int, first: int, count: int) -> Array:
        wanted = size_of(model, name)
        size = wanted if all(x.ndim == 0 for x in sizes) else next(x.size for x in sizes if x.ndim)
        given = [x.size for x in sizes if x.ndim]
        if any(n != (wanted or size) for n in given):
            raise ValueError(f"Sample: variable '{name}' has vectors of {' and '.join(map(str, given))} numbers, expected {wanted or size}")
        out = map_(zw.random_numbers(count, 1 if size is None else size, seed, first, distribution))  # in place
        return out[:, 0] if size is None else out
    return draw


def _uniform(name: str, given: Any, _all: Any) -> _Draw:
    low, high = _pair(name, given, "(low, high)")
    if np.any(low > high):
        raise ValueError(f"Sample: variable '{name}' is {plain(given)}, expected low <= high")

    def spread(u: Array) -> Array:
        u *= high - low
        u += low
        return np.minimum(u, high, out=u)  # by rounding
    return _drawn(name, "uniform", spread, low, high)


def _normal(name: str, given: Any, _all: Any) -> _Draw:
    mean, deviation = _pair(name, given, "(mean, standard deviation)")
    if np.any(deviation < 0):
        raise ValueError(f"Sample: variable '{name}' is {plain(given)}, expected a standard deviation from 0")
    return _drawn(name, "normal", lambda z: mean + deviation * z, mean, deviation)


def _value(name: str, given: Any, _all: Any) -> _Draw:
    value = numbers(f"Sample: variable '{name}'", given)
    return lambda model, seed, first, count: _expand(model, name, value, count)


def _expand(model: zw.Model, name: str, value: Array, count: int) -> Array:
    size = size_of(model, name)
    if value.ndim == 0 and size is not None:
        value = np.full(size, value)
    return np.broadcast_to(value, (count, *value.shape))


def _pose(name: str, given: Any, whole_: Mapping[str, Any]) -> _Draw:
    low, high = _pair(name, given, "two corners of a box (x, y, z)")
    if low.shape != (3,) or high.shape != (3,) or np.any(low > high):
        raise ValueError(f"Sample: variable '{name}': the pose is in {plain(given)}, expected two corners (x, y, z), low <= high")
    fixed = None if "rotation" not in whole_ else rotation(f"Sample: variable '{name}'", whole_["rotation"])

    def draw(_model: zw.Model, seed: int, first: int, count: int) -> Array:
        u = zw.random_numbers(count, 3, seed, first)
        position = low * (1 - u) + high * u
        return poses(position, _attitudes(zw.random_numbers(count, 4, seed ^ 1, first, "normal")) if fixed is None else fixed)
    return draw


_KINDS: dict[str, Callable[[str, Any, Mapping[str, Any]], _Draw]] = {"uniform": _uniform, "normal": _normal, "pose": _pose, "value": _value}


def _attitudes(n: Array) -> Array:
    """Rotations, uniform over all, of four normal numbers each (Muller 1959). NumPy's sines would differ between processors."""
    x, y, z, w = (n / np.sqrt(n[:, 0] * n[:, 0] + n[:, 1] * n[:, 1] + n[:, 2] * n[:, 2] + n[:, 3] * n[:, 3])[:, None]).T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                     2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1).reshape(-1, 3, 3)


def poses(position: Array, rotations: Array) -> Array:
    out = np.zeros((len(position), 4, 4))
    out[:, :3, :3], out[:, :3, 3], out[:, 3, 3] = rotations, position, 1
    return out


# --- Grid -------------------------------------------------------------------------------------------------------------


class Grid(Factor):
    """Every combination of the values of some axes; the last axis varies fastest.

    axes: {name: values}, where values are an array, or (low, high, n) for n values from low to high. Names:
        "q.joint1", "tau.joint1"  one coordinate of an argument; its others have the values in `at`, or are neutral (q) or 0
        "targets.x" ... ".z"      position of a pose; its rotation is in `at` as "targets.rotation", else none
        "mass:link3"              a parameter of the model
        "steps"                   any other argument of one number
    """

    def __init__(self, axes: Mapping[str, ArrayLike], at: Mapping[str, ArrayLike] | None = None) -> None:
        for place, given in (("axes", axes), ("at", at or {})):
            if not isinstance(given, Mapping):
                raise ValueError(f"Grid: {place} is {shortened(given)}, expected a dictionary")
        if not axes:
            raise ValueError("Grid: there are no axes, expected {'q.joint1': (low, high, n), ...}")
        self.axes = {name: _axis(name, given) for name, given in axes.items()}
        self.at = {name: numbers(f"Grid: '{name}' in at", x) for name, x in (at or {}).items()}
        self.shape = tuple(len(x) for x in self.axes.values())
        found: dict[str, None] = {}
        for name in self.axes:
            found[_split(name)[0]] = None
        self.names = tuple(found)
        for name in self.axes:
            if _split(name)[1] is not None and _split(name)[0] in self.axes:
                raise ValueError(f"Grid: there are axes of '{_split(name)[0]}' and of its part '{name}'")
        for name in self.at:
            if _split(name)[1] == "rotation" and (_split(name)[0] in CONFIGURATIONS or _split(name)[0] in TANGENTS):
                raise ValueError(f"Grid: '{name}' in at: '{_split(name)[0]}' has no rotation")
            if _split(name)[0] in found and (name in self.axes or _split(name)[1] not in (None, "rotation")):
                raise ValueError(f"Grid: '{name}' in at, expected a whole argument ('{_split(name)[0]}' with all its numbers), or 'targets.rotation'")
            if _split(name)[0] not in found:
                raise ValueError(f"Grid: '{name}' in at: no axis is of '{_split(name)[0]}', expected one of {', '.join(found)}")

    def values(self, model: zw.Model, first: int, count: int) -> Values:
        index = np.unravel_index(np.arange(first, first + count), self.shape)
        out: Values = {}
        for (name, axis), i in zip(self.axes.items(), index):
            argument, part = _split(name)
            if part is None:
                out[argument] = axis[i]
                continue
            if argument not in out:
                out[argument] = self._start(model, argument, count)
            if out[argument].ndim == 3:
                out[argument][:, _component(name, part), 3] = axis[i]
            else:
                out[argument][:, _coordinate(model, argument, part)] = axis[i]
        return out

    def _start(self, model: zw.Model, argument: str, count: int) -> Array:
        parts = {_split(name)[1] for name in self.axes if _split(name)[0] == argument}
        if parts <= {"x", "y", "z"} and argument not in CONFIGURATIONS and argument not in TANGENTS:
            turned = self.at.get(argument + ".rotation")
            R = np.eye(3) if turned is None else rotation(f"Grid: '{argument}.rotation'", turned)
            return poses(np.broadcast_to(self.at.get(argument, np.zeros(3)), (count, 3)), R)
        size = size_of(model, argument)
        if size is None:
            raise ValueError(f"Grid: axis '{argument}.{sorted(map(str, parts))[0]}': '{argument}' has no coordinates")
        start = self.at.get(argument, model.neutral() if argument in CONFIGURATIONS else np.zeros(size))
        if start.shape != (size,):
            raise ValueError(f"Grid: '{argument}' in at has shape {start.shape}, expected ({size},)")
        return np.array(np.broadcast_to(start, (count, size)))

    def document(self) -> dict[str, Any]:
        return {"grid": {name: plain(x) for name, x in self.axes.items()}, "at": {name: plain(x) for name, x in self.at.items()}}


def _axis(name: str, given: Any) -> Array:
    if isinstance(given, tuple):
        if len(given) != 3 or np.ndim(given[0]) or np.ndim(given[1]) or not isinstance(given[2], (int, np.integer)) or isinstance(given[2], bool):
            raise ValueError(f"Grid: axis '{name}' is {shortened(given)}, expected (low, high, n) with a whole number n, or a list of values")
        low, high = (float(numbers(f"Grid: axis '{name}'", x).reshape(())) for x in given[:2] if np.ndim(x) == 0)
        n = whole(f"axes['{name}'][2]", given[2], 1)
        if n > MOST_NUMBERS or not math.isfinite(high - low):
            raise ValueError(f"Grid: axis '{name}' is {shortened(given)}, expected at most {MOST_NUMBERS} values between numbers whose difference "
                             "is one")
        return np.linspace(low, high, n)
    if isinstance(given, Mapping):
        if set(given) != {"from", "to", "count"}:
            raise ValueError(f"Grid: axis '{name}' has {sorted(given)}, expected from, to, count")
        return _axis(name, (given["from"], given["to"], given["count"]))
    axis = numbers(f"Grid: axis '{name}'", given)
    if axis.ndim != 1 or len(axis) == 0:
        raise ValueError(f"Grid: axis '{name}' has shape {axis.shape}, expected a vector of values, or (low, high, n)")
    return axis


def _split(name: str) -> tuple[str, str | None]:
    """The argument and the part of it. Parameters of the model are whole names: 'mass:link3', 'centre:link3.x'."""
    if ":" in name or "." not in name:
        return name, None
    argument, part = name.split(".", 1)
    return argument, part


def _component(name: str, part: str) -> int:
    if part not in ("x", "y", "z"):
        raise ValueError(f"Grid: axis '{name}': the part is '{part}', expected x, y or z")
    return "xyz".index(part)


def _coordinate(model: zw.Model, argument: str, part: str) -> int:
    """The place of a joint's one coordinate, or of the coordinate of that name."""
    joint = next((j for j in model.joints if j.name == part), None)
    if joint is not None:
        where = joint.q if argument in CONFIGURATIONS else joint.v
        if where.stop - where.start == 1:
            return int(where.start)
        raise ValueError(f"Grid: axis '{argument}.{part}': the joint has {where.stop - where.start} numbers there, expected a joint of one, "
                         f"or a coordinate: {', '.join(n for n in model.coordinate_names if n.startswith(part))}")
    names = list(model.coordinate_names)
    if argument not in CONFIGURATIONS and part in names:
        return names.index(part)
    raise ValueError(f"Grid: axis '{argument}.{part}': the model has no joint '{part}'{nearest(part, [j.name for j in model.joints])}")


# --- products -----------------------------------------------------------------------------------------------------------


class Product:
    """The product of the factors of a study; the last varies fastest."""

    def __init__(self, factors: Sequence[Factor]) -> None:
        if not factors:
            raise ValueError("Study: over is empty, expected a Sample, Grid or Arrays")
        for factor in factors:
            if not isinstance(factor, Factor):
                raise ValueError(f"Study: over has {type(factor).__name__}, expected Sample, Grid or Arrays, or a list of them")
        self.factors = tuple(factors)
        twice = [name for k, f in enumerate(factors) for name in f.names if any(name in g.names for g in factors[:k])]
        if twice:
            raise ValueError(f"Study: over sets '{twice[0]}' twice")
        self.names = tuple(name for f in factors for name in f.names)
        self.shape = tuple(n for f in factors for n in f.shape)
        self.states = math.prod(f.length for f in factors)
        if self.states >= 2**63:
            raise ValueError("Study: over has more than 2^63 states")

    def values(self, model: zw.Model, first: int, count: int) -> Values:
        """All variables of the states first ... first + count - 1."""
        out: Values = {}
        stride = self.states
        for factor in self.factors:
            stride //= factor.length
            if stride == 1 and first % factor.length + count <= factor.length:
                out.update(factor.values(model, first % factor.length, count))
                continue
            out.update(_gathered(factor, model, (np.arange(first, first + count) // stride) % factor.length))
        return out


def _gathered(factor: Factor, model: zw.Model, places: Array) -> Values:
    """The variables at places that rise by 0 or 1 and start again from 0 after the last."""
    starts = np.flatnonzero(np.diff(places) < 0) + 1
    if len(starts) > 1:  # all places occur
        whole_ = factor.values(model, 0, factor.length)
        return {name: x[places] for name, x in whole_.items()}
    pieces = []
    for run in np.split(places, starts):
        found = factor.values(model, int(run[0]), int(run[-1] - run[0]) + 1)
        pieces.append({name: x[run - run[0]] for name, x in found.items()})
    return pieces[0] if len(pieces) == 1 else {name: np.concatenate([p[name] for p in pieces]) for name in factor.names}


def factor_of(document: Any, place: str, folder: pathlib.Path) -> Factor:
    """A factor of JSON: the opposite of Factor.document()."""
    kinds: dict[str, tuple[set[str], Callable[[Mapping[str, Any]], Factor]]] = {
        "sample": ({"sample", "seed", "variables"}, lambda d: Sample(d["sample"], d.get("seed", 0), d.get("variables", {}))),
        "grid": ({"grid", "at"}, lambda d: Grid(d["grid"], d.get("at"))),
        "arrays": ({"arrays"}, lambda d: Arrays(d["arrays"])),
        "file": ({"file", "content"}, lambda d: Arrays(file=folder / d["file"], content=d.get("content"))),
    }
    if not isinstance(document, Mapping) or len(set(document) & set(kinds)) != 1:
        raise ValueError(f"{place}: got {shortened(document)}, expected an object with one of {', '.join(kinds)}")
    kind = next(k for k in kinds if k in document)
    wanted, make = kinds[kind]
    for key in document:
        if key not in wanted:
            raise ValueError(f"{place}: there is no key '{key}' beside '{kind}'{nearest(key, sorted(wanted))}")
    try:
        return make(document)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{place}: {error}") from error
