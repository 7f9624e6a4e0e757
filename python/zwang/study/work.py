# SPDX-License-Identifier: BSD-3-Clause
"""What a worker does: a block is a pure function of the study and its number.

Everything here is called by an engine, in any process on any machine. Nothing raises: what happened is in an Outcome.
"""
from __future__ import annotations

import contextlib
import copy
import pathlib
import pickle
import threading
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _zwang as zw
from . import _versions, store
from ._columns import Array, type_of
from ._errors import StateError
from ._optional import package
from ._words import plain
from .block import Block
from .functions import Function
from .outcomes import Computed, Failed, NotWritten, Unfit, Written, finish

if TYPE_CHECKING:
    from .description import Study


@dataclass(frozen=True)
class Payload:
    """A study on its way to a worker: the same bytes for all blocks."""
    study: bytes | Study    #: the object itself stays in this process
    key: str
    versions: dict[str, str]
    folder: str | None      #: where blocks are written, if the worker sees the driver's token there
    token: str
    threads: int | None


# --- one block ------------------------------------------------------------------------------------------------------------


def compute(study: Study, number: int) -> Computed | Failed:
    """A block of a study, wherever it is computed."""
    first, count = study.range_of(number)
    parts: dict[str, list[Array]] = {c.name: [] for c in study.columns}
    try:
        segments = study.segments(first, count)
    except StateError as error:
        return _failed(number, first + error.at, error)
    except Exception as error:  # a file that has gone
        return _failed(number, None, error)
    for block in segments:
        for calculation in study.what:
            try:
                found = calculation.run(block)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit, too
                at = error.at if isinstance(error, StateError) else _first_alone(calculation, block) if isinstance(calculation, Function) else None
                return _failed(number, None if at is None else block.first + at, error)
            wanted = study.results_of[calculation.name]
            odd = [n for n in wanted if n not in found] or [n for n in found if n not in wanted and 0 not in found[n].shape[1:]]
            if odd and isinstance(calculation, Function):
                return Failed(number, None, f"{calculation.name} has {'no' if odd[0] in wanted else 'a'} result '{odd[0]}' here, other than for "
                              "the first state", "")
            for name, x in found.items():
                if name in wanted:
                    parts[name].append(np.array(x) if isinstance(calculation, Function) else x)  # a function may use its memory again
    columns = {}
    for column in study.columns:
        x = parts[column.name][0] if len(segments) == 1 else np.concatenate(parts[column.name])
        if x.shape != (count, *column.shape) or type_of(x) != column.type:
            reason = (f"the result '{column.name}' is {type_of(x)} {x.shape}, expected {column.type} {(count, *column.shape)}: "
                      "as of the first state")
            return Failed(number, None, reason, "")
        columns[column.name] = np.ascontiguousarray(x)
    stored = {name: columns[name] for name in study.stored}
    try:
        with np.errstate(all="ignore"):  # functions may have set it
            return finish(Computed(number, first, count, stored, study.reductions.of(columns, first)))
    except Exception as error:  # a text that is none
        return _failed(number, None, error)


def _failed(number: int, state: int | None, error: BaseException) -> Failed:
    reason = str(error) if isinstance(error, (StateError, ValueError)) else f"{type(error).__name__}: {error}"
    return Failed(number, state, reason, "".join(traceback.format_exception(error)))


def _first_alone(calculation: Function, block: Block) -> int | None:
    """The first state of a block at which a function fails alone, by halves."""
    def fails(start: int, end: int) -> bool:
        states = {name: x[start:end] for name, x in block.states.items()}
        try:
            calculation.run(Block(block.model, block.constraints, states, block.first + start, block.parameters, {}, end - start))
        except KeyboardInterrupt:
            raise
        except BaseException:
            return True
        return False
    start, end = 0, len(block)
    while end - start > 1:
        middle = (start + end) // 2
        if fails(start, middle):
            end = middle
        elif fails(middle, end):
            start = middle
        else:
            return None
    return start if len(block) > 1 or fails(start, end) else None


# --- the calls of engines ---------------------------------------------------------------------------------------------------

_own = threading.local()  # a Solver belongs to one thread


def _study(payload: Payload) -> Study:
    if getattr(_own, "key", None) != payload.key:
        given = payload.study
        _own.study, _own.key = pickle.loads(given) if isinstance(given, bytes) else copy.copy(given), payload.key  # with solvers of its own
    return _own.study  # type: ignore[no-any-return]


def _threads(payload: Payload) -> contextlib.AbstractContextManager[Any]:
    return contextlib.nullcontext() if payload.threads is None else zw.set_threads(payload.threads)


def greet(payload: Payload) -> Unfit | list[Any]:
    """Whether this worker can compute the study, and the bits of its first state."""
    here = _versions.versions("numpy" in payload.versions)
    if here != payload.versions:
        return Unfit(f"a worker has {_words(here)}, the driver {_words(payload.versions)}: their results differ by rounding. "
                     "Give all the same zwang, and ZWANG_ISA=plain, v3 or v4 that all have")
    try:
        package("pyarrow.parquet")
        study = _study(payload)
        with _threads(payload):
            block = study.segments(0, 1)[0]
            return [plain(x) for c in study.what for x in c.run(block).values()]
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Unfit(f"a worker cannot load the study: {type(error).__name__}: {error}")


def work(payload: Payload, number: int) -> Computed | Failed | Unfit | Written | NotWritten:
    """Computes a block, and writes it where this worker sees the study's folder; else the driver does."""
    here = _versions.versions("numpy" in payload.versions)
    if here != payload.versions:
        return Unfit(f"a worker has {_words(here)}, the driver {_words(payload.versions)}")
    try:
        study = _study(payload)
    except Exception as error:
        return Unfit(f"a worker cannot load the study: {type(error).__name__}: {error}")
    with _threads(payload):
        block = compute(study, number)
    if isinstance(block, Failed) or payload.folder is None:
        return block
    folder = pathlib.Path(payload.folder)
    if not store.has_token(folder, payload.token):
        return block
    try:
        store.write_block(folder, study, payload.key, block)
    except OSError as error:
        return NotWritten(number, f"{store.why_not_written(error)}: {folder}")
    return Written(number)


def _words(found: dict[str, str]) -> str:
    return f"zwang {found['zwang']} with kernels {found['instruction_set']}" + (f", NumPy {found['numpy']}" if "numpy" in found else "")
