# SPDX-License-Identifier: BSD-3-Clause
"""Reductions on the way: what of a column is kept of each block, and how blocks are joined in their order, so that the result does not
depend on which block was ready first. Numbers that are not finite (states without a result) do not count.
"""
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ._columns import Array, Column
from ._words import among, nearest, numbers, plain, shortened, whole

Partial = dict[str, Array]


class Reduction:
    """The states of one column, entry by entry. name: its word in `reduce`."""
    name = ""

    def of(self, x: Array, first: int) -> Partial:
        """Of one block: x (N, entries) of the states from number `first` on."""
        raise NotImplementedError

    def join(self, a: Partial, b: Partial) -> Partial:
        """Of a and then b."""
        raise NotImplementedError

    def result(self, found: Partial) -> Any:
        raise NotImplementedError

    def document(self) -> Any:
        return self.name


class Count(Reduction):
    """How many states have a finite number."""
    name = "count"

    def of(self, x: Array, first: int) -> Partial:
        return {"n": np.isfinite(x).sum(axis=0)}

    def join(self, a: Partial, b: Partial) -> Partial:
        return {"n": a["n"] + b["n"]}

    def result(self, found: Partial) -> Any:
        return found["n"]


class Extreme(Reduction):
    """The least or greatest number, and the first state that has it (-1: no state has a finite number)."""

    def __init__(self, name: str) -> None:
        self.name, self._least = name, name.endswith("min")

    def of(self, x: Array, first: int) -> Partial:
        if x.dtype.kind == "f":
            x = np.where(np.isfinite(x), x, np.inf if self._least else -np.inf)
        at = x.argmin(axis=0) if self._least else x.argmax(axis=0)
        best = np.take_along_axis(x, at[None], axis=0)[0]
        best = best.astype(np.float64 if x.dtype.kind == "f" else np.int64)
        return {"value": best, "state": np.where(np.isfinite(best), first + at, -1)}

    def join(self, a: Partial, b: Partial) -> Partial:
        better = b["value"] < a["value"] if self._least else b["value"] > a["value"]
        return {key: np.where(better, b[key], a[key]) for key in ("value", "state")}

    def result(self, found: Partial) -> Any:
        if self.name.startswith("arg"):
            return found["state"]
        return found["value"] if found["value"].dtype.kind == "i" else np.where(found["state"] >= 0, found["value"], np.nan)


class Moments(Reduction):
    """Mean, or standard deviation (of the population): mean and sum of squares about it, joined as Chan, Golub and LeVeque (1983)."""

    def __init__(self, name: str) -> None:
        self.name = name

    def of(self, x: Array, first: int) -> Partial:
        good = np.isfinite(x)
        n = good.sum(axis=0)
        y = np.where(good, x, 0).astype(np.float64)
        scale = np.exp2(np.minimum(0, 900 - np.frexp(np.abs(y).max(axis=0, initial=0))[1]))  # 1 but for sums that would overflow
        mean = (y * scale).sum(axis=0) / np.maximum(n, 1) / scale
        return {"n": n, "mean": mean, "squares": (np.where(good, x - mean, 0) ** 2).sum(axis=0)}

    def join(self, a: Partial, b: Partial) -> Partial:
        n = a["n"] + b["n"]
        share = b["n"] / np.maximum(n, 1)
        with np.errstate(over="ignore", invalid="ignore"):
            apart = b["mean"] - a["mean"]
            mean = np.where(np.isfinite(apart), a["mean"] + apart * share, a["mean"] * (1 - share) + b["mean"] * share)
            squares = a["squares"] + b["squares"] + apart**2 * a["n"] * share
        return {"n": n, "mean": mean, "squares": squares}

    def result(self, found: Partial) -> Any:
        value = found["mean"] if self.name == "mean" else np.sqrt(found["squares"] / np.maximum(found["n"], 1))
        return np.where(found["n"] > 0, value, np.nan)


_MOST_BINS, _MOST_COUNTS = 100_000, 500_000  # of one number, and of a column: each block keeps them


class Histogram(Reduction):
    """How many states fall into each of `bins` equal intervals of `range`, and below and above it. The last interval holds its upper end."""
    name = "histogram"

    def __init__(self, bins: int, range: Any) -> None:
        self.bins = whole("bins", bins, 1)
        if self.bins > _MOST_BINS:
            raise ValueError(f"histogram: 'bins' is {bins}, expected at most {_MOST_BINS}")
        if not isinstance(range, (tuple, list)) or len(range) != 2 or np.ndim(range[0]) or np.ndim(range[1]):
            raise ValueError(f"histogram: range is {shortened(range)}, expected (low, high)")
        self.range = numbers("histogram: range", range)
        if not self.range[0] < self.range[1] or not np.isfinite(float(self.range[1]) - float(self.range[0])):
            raise ValueError(f"histogram: range is {plain(self.range)}, expected low < high, and a width that is a number")

    def of(self, x: Array, first: int) -> Partial:
        low, high = self.range
        good = np.isfinite(x)
        with np.errstate(invalid="ignore"):
            bin_ = np.floor((np.where(good, x, low) - low) / (high - low) * self.bins)
        bin_ = np.clip(bin_, 0, self.bins - 1).astype(np.int64)
        edges = self._edges()
        bin_ -= x < edges[bin_]  # by rounding
        bin_ += (x >= edges[bin_ + 1]) & (bin_ < self.bins - 1)
        bin_ = np.where(x < low, -1, np.where(x > high, self.bins, bin_)) + 1
        entries = x.shape[1]
        flat = (bin_ + np.arange(entries) * (self.bins + 2))[good]
        return {"n": np.bincount(flat, minlength=entries * (self.bins + 2)).reshape(entries, self.bins + 2)}

    def join(self, a: Partial, b: Partial) -> Partial:
        return {"n": a["n"] + b["n"]}

    def result(self, found: Partial) -> Any:
        n = found["n"]
        return {"counts": n[:, 1:-1], "below": n[:, 0], "above": n[:, -1], "edges": self._edges()}

    def _edges(self) -> Array:
        return np.linspace(self.range[0], self.range[1], self.bins + 1)

    def document(self) -> Any:
        return {"histogram": {"bins": self.bins, "range": plain(self.range)}}


_WORDS = ("count", "min", "max", "arg_min", "arg_max", "mean", "std")


def reduction_of(given: Any) -> Reduction:
    if isinstance(given, Reduction):
        return given
    if given == "count":
        return Count()
    if given in ("mean", "std"):
        return Moments(given)
    if isinstance(given, str) and given in _WORDS:
        return Extreme(given)
    if isinstance(given, Mapping) and set(given) == {"histogram"} and isinstance(given["histogram"], Mapping) \
            and set(given["histogram"]) == {"bins", "range"}:
        return Histogram(**given["histogram"])
    raise ValueError(f"got {shortened(given)}, expected one of {', '.join(_WORDS)}, {{'histogram': {{'bins': n, 'range': (low, high)}}}}"
                     + nearest(str(given), _WORDS))


class Reductions:
    """All reductions of a study: {column: [...]}. """

    def __init__(self, given: Mapping[str, Any] | None) -> None:
        self.of_column: dict[str, list[Reduction]] = {}
        if given is not None and not isinstance(given, Mapping):
            raise ValueError(f"reduce is {shortened(given)}, expected a dictionary {{column: reductions}}")
        for column, words in (given or {}).items():
            if not isinstance(words, (str, Mapping, Reduction, list, tuple)) or not words:
                raise ValueError(f"reduce['{column}'] is {shortened(words)}, expected a reduction or a list of some")
            each = words if isinstance(words, (list, tuple)) else [words]
            try:
                self.of_column[column] = [reduction_of(x) for x in each]
            except ValueError as error:
                raise ValueError(f"reduce['{column}']: {error}") from error
            names = [r.name for r in self.of_column[column]]
            twice = [n for n in names if names.count(n) > 1]
            if twice:
                raise ValueError(f"reduce['{column}'] has '{twice[0]}' twice")

    def document(self) -> dict[str, Any]:
        return {column: [r.document() for r in each] for column, each in self.of_column.items()}

    def check(self, schema: Sequence[Column]) -> None:
        known = [c.name for c in schema]
        for column in self.of_column:
            if column not in known:
                raise ValueError(f"reduce: there is no column '{column}'{among(column, known, 'Columns')}")
            size = math.prod(next(c.shape for c in schema if c.name == column))
            for r in self.of_column[column]:
                if isinstance(r, Histogram) and r.bins * size > _MOST_COUNTS:
                    raise ValueError(f"reduce['{column}']: {r.bins} bins of {size} numbers are more than {_MOST_COUNTS} counts")
            if next(c.type for c in schema if c.name == column) == "string":
                raise ValueError(f"reduce: the column '{column}' has words, which have no {self.of_column[column][0].name}")

    def of(self, columns: Mapping[str, Array], first: int) -> list[Partial]:
        """What is kept of a block, in the order of document()."""
        found: list[Partial] = []
        for column, each in self.of_column.items():
            x = columns[column].reshape(len(columns[column]), -1)
            found.extend(r.of(x, first) for r in each)
        return found

    def join(self, a: list[Partial] | None, b: list[Partial]) -> list[Partial]:
        if a is None:
            return b
        flat = [r for each in self.of_column.values() for r in each]
        return [r.join(x, y) for r, x, y in zip(flat, a, b, strict=True)]

    def results(self, found: list[Partial] | None, schema: Iterable[Column]) -> dict[str, dict[str, Any]]:
        """{column: {reduction: value}}, entries in the shape of the column."""
        shapes, at = {c.name: c.shape for c in schema}, 0
        out: dict[str, dict[str, Any]] = {}
        for column, each in self.of_column.items():
            out[column] = {}
            for r in each:
                if found is not None:
                    out[column][r.name] = _shaped(r.result(found[at]), shapes[column])
                at += 1
        return out


def _shaped(found: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(found, dict):
        return {key: x if key == "edges" else _shaped(x, shape) for key, x in found.items()}
    out = found.reshape((*shape, *found.shape[1:]))
    return out.item() if out.ndim == 0 else out
