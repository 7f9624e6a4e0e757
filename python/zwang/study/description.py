# SPDX-License-Identifier: BSD-3-Clause
"""Study: what is computed over which states. Its document says all of it, and its hash is of that document."""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _zwang as zw
from .._progress import ProgressEvery
from . import _versions, parameters as of_model
from ._columns import Array, fixed
from ._errors import StateError
from ._json import canonical, read_json
from ._words import among, shortened, whole
from .block import Block, Calculation
from .calls import parameters_of
from .functions import Function
from .factor import Factor
from .over import Product, factor_of
from .reductions import Reductions
from .results import StudyResults
from .trial import results_of
from .what import calculation_of

if TYPE_CHECKING:
    from .engines import Engine

FORMAT, VERSION = "zwang.study", 1
_MOST_STATES, _MOST_BYTES, _MOST_MODELS = 65536, 32_000_000, 256  # of a block, where the study does not say how many
_SLOW_STATES, _SLOW_BLOCKS, _LEAST_STATES = 2048, 32, 16  # of calls that are not in lanes: at most so many of a block, rather so many blocks
_MOST_BLOCKS = 10_000_000


class Study:
    """Calculations over many states, in blocks, on one core or a cluster, with the same bits.

    model, constraints: as in zw.Solver. what: names of calls of the library, zw.study.Call with constants, functions of a Block, or
    variables themselves; one or a list. over: a zw.study.Sample, Grid or Arrays, or a list whose product is meant.
    reduce: {column: "min", "max", "mean", "std", "count", "arg_min", "arg_max", {"histogram": {...}}, or a list of them}.
    store: the columns whose numbers are written; None: those that are not reduced; statuses always are. block: states of a block; None: chosen
    from what is computed, never from time. Raises ValueError naming what is wrong: everything is tried on one state before a study exists.
    """

    def __init__(self, model: zw.Model, constraints: zw.ConstraintSet | None = None, what: Any = (), over: Factor | Sequence[Factor] = (),
                 *, reduce: Mapping[str, Any] | None = None, store: Sequence[str] | None = None, block: int | None = None,
                 name: str = "study") -> None:
        if not isinstance(model, zw.Model):
            raise ValueError(f"Study: argument 'model' is {shortened(model)}, expected a Model")
        if constraints is not None and not isinstance(constraints, zw.ConstraintSet):
            raise ValueError(f"Study: argument 'constraints' is {shortened(constraints)}, expected a ConstraintSet or None")
        if not isinstance(name, str):
            raise ValueError(f"Study: argument 'name' is {shortened(name)}, expected a text")
        self.name = name
        self._model_document = of_model.document_of(model)
        self._constraints_text = None if constraints is None else constraints.to_json()
        self.over = Product([over] if isinstance(over, Factor) else _listed("over", over))
        entries = [what] if isinstance(what, (str, Mapping, Calculation)) or callable(what) else _listed("what", what)
        if not entries:
            raise ValueError("Study: argument 'what' is empty, expected calls, functions or variables")
        self.what = [self._calculation(k, given) for k, given in enumerate(entries)]
        self._prepare()
        results = results_of(self, self._model_document, self._constraints_text)
        self.columns = [c for each in results.values() for c in each]
        self.results_of = {name: [c.name for c in each] for name, each in results.items()}  #: the columns of each calculation
        self.reductions = Reductions(reduce)
        self.reductions.check(self.columns)
        self.stored = self._stored(store)
        self.block = self._block(block)
        self.blocks = -(-self.states // self.block)
        try:
            self._hash = self._hashed()
        except ValueError as error:
            raise ValueError(f"Study: an argument of a call is not finite: {error}") from error
        if self.blocks > _MOST_BLOCKS:
            raise ValueError(f"Study: {self.states:g} states are {self.blocks:g} blocks of {self.block}, expected at most {_MOST_BLOCKS:g}; "
                             f"fewer states, or block={-(-self.states // _MOST_BLOCKS)} and more")

    # --- what it is -----------------------------------------------------------------------------------------------------

    @property
    def states(self) -> int:
        """How many there are."""
        return self.over.states

    @property
    def model(self) -> zw.Model:
        """Without changed parameters."""
        return self._model

    def document(self) -> dict[str, Any]:
        """All of it as JSON; from_document() makes the same study of it, unless it has functions that no module holds."""
        return {"format": FORMAT, "version": VERSION, "name": self.name, "model": self._model_document,
                "constraints": None if self._constraints_text is None else json.loads(self._constraints_text),
                "over": [f.document() for f in self.over.factors], "what": [c.document() for c in self.what],
                "reduce": self.reductions.document(), "store": self.stored, "block": self.block}

    @property
    def hash(self) -> str:
        """SHA-256 of the document without its name and without places of files, whose content counts."""
        return self._hash

    def _hashed(self) -> str:
        own = {k: x for k, x in self.document().items() if k != "name"}
        own["over"] = [{k: x for k, x in f.items() if k != "file"} for f in own["over"]]
        own["over"] = [{**f, "grid": list(f["grid"].items())} if "grid" in f else f for f in own["over"]]  # the order of axes counts
        own["reduce"] = list(own["reduce"].items())  # and that of what is kept of a block
        own["what"] = [{k: x for k, x in c.items() if k != "function"} for c in own["what"]]  # its text or version says what it is
        return hashlib.sha256(canonical(own).encode()).hexdigest()

    def versions(self) -> dict[str, str]:
        """What the bits of its results depend on beside it, in this process."""
        return _versions.versions(any(isinstance(c, Function) for c in self.what))

    def __repr__(self) -> str:
        return f"<Study '{self.name}': {self.states} states in {self.blocks} blocks, {', '.join(c.name for c in self.what)}>"

    # --- how it runs ----------------------------------------------------------------------------------------------------

    def run(self, out: str | os.PathLike[str], engine: str | Engine | Executor = "local", *, threads: int | None = None,
            progress: bool | Callable[[int, int], object] | ProgressEvery = False, fail_fast: bool = False, check: bool = False) -> StudyResults:
        """Computes the blocks that the folder `out` does not have, and returns the results of all.

        engine: local (this process and its threads), processes, dask, ray or mpi, with a number of workers (processes:4) or an address
        (dask://host:port, ray://host:port), or any concurrent.futures.Executor. threads: of each worker. progress: a bar, a function
        of (states done, all states) or a ProgressEvery. fail_fast: stop at the first block that fails; else it is recorded and the others go on.
        check: read all numbers that are there, and compute blocks anew whose numbers are not those that were written.
        With mpi, ranks that serve and do not see the folder end here (SystemExit).
        Raises StudyError where the study cannot begin or go on, ImportError naming a package that is missing.
        """
        from .run import run
        return run(self, pathlib.Path(out), engine, threads, progress, fail_fast, check, from_document)

    # --- parts of blocks ------------------------------------------------------------------------------------------------

    def range_of(self, block: int) -> tuple[int, int]:
        """The first state of a block, and how many it has."""
        first = block * self.block
        return first, min(self.block, self.states - first)

    def states_of(self, first: int, count: int) -> dict[str, Array]:
        """The variables and parameters of these states."""
        values = self.over.values(self._model, first, count)
        return {name: fixed(values[name]) for name in sorted(values)}  # whatever order they are given in

    def segments(self, first: int, count: int) -> list[Block]:
        """The states in runs of the same parameters, each with its model."""
        values = self.states_of(first, count)
        names = [n for n in values if of_model.is_parameter(n)]
        states = {n: x for n, x in values.items() if n not in names}
        if not names:
            return [Block(self._model, self._constraints, states, first, {}, self._solvers, count)]
        names.sort(key=of_model.order)
        rows = np.stack([values[n] for n in names], axis=1)
        ends = [*(np.flatnonzero(np.any(np.diff(rows, axis=0) != 0, axis=1)) + 1), count]
        out, start = [], 0
        for end in ends:
            chosen = {n: float(x) for n, x in zip(names, rows[start])}
            try:
                model = of_model.changed(self._model_document, chosen)
                constraints = None if self._constraints_text is None else zw.ConstraintSet.from_json(model, self._constraints_text)
            except ValueError as error:
                shown = ", ".join(f"{n} = {x:g}" for n, x in chosen.items())
                raise StateError(start, f"with {shown} the model is refused: {error}") from error
            out.append(Block(model, constraints, {n: x[start:end] for n, x in states.items()}, first + start, chosen, {}, int(end) - start))
            start = int(end)
        return out

    # --- making it ------------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """What is not in the document: the objects that compute."""
        self._model = of_model.model_of(self._model_document)
        self._constraints = None if self._constraints_text is None else zw.ConstraintSet.from_json(self._model, self._constraints_text)
        self._solvers: dict[str, zw.Solver] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {k: x for k, x in self.__dict__.items() if k not in ("_model", "_constraints", "_solvers")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def _calculation(self, k: int, given: Any) -> Calculation:
        try:
            return calculation_of(given, self.over.names)
        except (ValueError, TypeError) as error:
            raise ValueError(f"Study: what[{k}]: {error}") from error

    def _stored(self, store: Sequence[str] | None) -> list[str]:
        known = [c.name for c in self.columns]
        if store is None:
            return [c.name for c in self.columns if c.is_status or c.name not in self.reductions.of_column]
        for name in _listed("store", store):
            if name not in known:
                raise ValueError(f"Study: store: there is no column '{name}'{among(name, known, 'Columns')}")
        return [c.name for c in self.columns if c.is_status or c.name in set(store)]

    def _block(self, given: int | None) -> int:
        if given is not None:
            return whole("block", given, 1)
        steps = max(c.steps for c in self.what)
        if all(c.in_lanes for c in self.what):
            most = max(1, _MOST_STATES // steps)
        else:
            most = max(1, min(_SLOW_STATES // steps, max(_LEAST_STATES, -(-self.states // _SLOW_BLOCKS))))
        most = min(most, max(1, _MOST_BYTES // max(1, sum(c.bytes for c in self.columns))))
        if any(of_model.is_parameter(n) for n in self.over.names):
            outer = 1  # states at the same parameters
            for factor in reversed(self.over.factors):
                if any(of_model.is_parameter(n) for n in factor.names):
                    break
                outer *= factor.length
            most = min(most, _MOST_MODELS * outer)
        return max(1, min(most, self.states))


def _listed(name: str, given: Any) -> list[Any]:
    if not isinstance(given, (list, tuple)):
        raise ValueError(f"Study: argument '{name}' is {shortened(given)}, expected a list")
    return list(given)


# --- files ----------------------------------------------------------------------------------------------------------------

_KEYS = ("format", "version", "name", "model", "constraints", "over", "what", "reduce", "store", "block")


def read_study(path: str | os.PathLike[str]) -> Study:
    """The study of a file: zw.Study in JSON. Paths in it start where the file is."""
    place = pathlib.Path(path)
    try:
        document = read_json(place.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{place}: this is no JSON that can be read: {error}") from error
    return from_document(document, place.parent, str(place))


def open_study(folder: str | os.PathLike[str]) -> StudyResults:
    """The results in a study's folder, finished or not. Raises StudyError where there are none."""
    return StudyResults(pathlib.Path(folder), from_document)


def from_document(document: Any, folder: pathlib.Path | None = None, place: str = "study") -> Study:
    """A study of its document. model and constraints may be names of files."""
    folder = folder or pathlib.Path.cwd()
    if not isinstance(document, Mapping):
        raise ValueError(f"{place}: got {shortened(document)}, expected an object")
    for key in document:
        if key not in _KEYS:
            raise ValueError(f"{place}: there is no key '{key}'{among(key, _KEYS, 'Keys')}")
    if document.get("format", FORMAT) != FORMAT:
        raise ValueError(f"{place}: format is {shortened(document['format'])}, expected '{FORMAT}'")
    if document.get("version", VERSION) != VERSION:
        raise ValueError(f"{place}: version is {shortened(document['version'])}; this zwang reads version {VERSION}")
    for key in ("model", "over", "what"):
        if key not in document:
            raise ValueError(f"{place}: the key '{key}' is missing")
    model = _model(document["model"], folder, place)
    given = document["over"]
    factors = [factor_of(x, f"{place}: over[{k}]", folder) for k, x in enumerate(given if isinstance(given, list) else [given])]
    what = document["what"]
    reduce = document.get("reduce")
    if reduce is not None and not isinstance(reduce, Mapping):
        raise ValueError(f"{place}: reduce is {shortened(reduce)}, expected an object {{column: reductions}}")
    for entry in what if isinstance(what, list) else [what]:
        if isinstance(entry, Mapping) and not isinstance(entry.get("name", ""), str):
            raise ValueError(f"{place}: what: name is {shortened(entry['name'])}, expected a text")
    sys.path.insert(0, str(folder))  # 'module:function' beside the file
    try:
        return Study(model, _constraints(document.get("constraints"), model, folder, place), what, factors, reduce=document.get("reduce"),
                     store=document.get("store"), block=document.get("block"), name=document.get("name", "study"))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{place}: {error}") from error
    finally:
        sys.path.remove(str(folder))


def _model(given: Any, folder: pathlib.Path, place: str) -> zw.Model:
    if isinstance(given, Mapping) and "links" in given:
        return of_model.model_of(given)
    words: dict[str, Any] = {"file": given} if isinstance(given, str) else dict(given) if isinstance(given, Mapping) else {}
    if not isinstance(words.get("file"), str):
        raise ValueError(f"{place}: model is {shortened(given)}, expected the name of a file, an object with file, or a model document")
    options = [p.name for p in parameters_of(zw.load) if p.name not in ("path", "resolve_meshes")]
    for word in words:
        if word not in ("file", *options):
            raise ValueError(f"{place}: model has no option '{word}'{among(word, options, 'Options')}")
    path = folder / words.pop("file")
    if path.suffix == ".json":
        if words:
            raise ValueError(f"{place}: model: a model document takes no options, got {', '.join(words)}")
        return zw.model_from_json(path.read_text(encoding="utf-8"))
    return zw.load(path, resolve_meshes=False, **words)


def _constraints(given: Any, model: zw.Model, folder: pathlib.Path, place: str) -> zw.ConstraintSet | None:
    if given is None:
        return None
    try:
        text = (folder / given).read_text(encoding="utf-8") if isinstance(given, str) else json.dumps(
            {"constraints": given} if isinstance(given, list) else given)
        return zw.ConstraintSet.from_json(model, text)
    except (OSError, ValueError) as error:
        raise ValueError(f"{place}: constraints: {error}") from error
