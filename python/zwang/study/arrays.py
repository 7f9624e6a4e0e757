# SPDX-License-Identifier: BSD-3-Clause
"""States that are given: arrays, and files of arrays."""
from __future__ import annotations

import hashlib
import os
import pathlib
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _zwang as zw
from ._columns import of_table
from ._optional import package
from ._words import numbers, plain, shortened
from .factor import Array, Factor, Values


class Arrays(Factor):
    """States from arrays or files: each (N, ...), the same N. A file is .npy, .npz or .parquet (columns: the names of the variables), and
    must be found by every worker under the same path; it is part of what the study is by its content.
    """

    def __init__(self, variables: Mapping[str, ArrayLike | str | os.PathLike[str]] | None = None, *,
                 file: str | os.PathLike[str] | None = None, content: str | None = None, **more: Any) -> None:
        if variables is not None and not isinstance(variables, Mapping):
            raise ValueError(f"Arrays: variables are {shortened(variables)}, expected arrays by name, or file=")
        given = {**(variables or {}), **more}
        if (file is None) == (not given):
            raise ValueError("Arrays: expected arrays by name, or file=")
        self.file = None if file is None else pathlib.Path(file).resolve()
        self._arrays = _read(self.file) if self.file is not None else {name: _array(name, x) for name, x in given.items()}
        self.names = tuple(self._arrays)
        for name, x in self._arrays.items():
            if x.ndim == 0 or x.dtype.kind not in "biuf":
                raise ValueError(f"Arrays: variable '{name}' of {self.file} is {x.dtype} of shape {x.shape}, expected numbers (N, ...)")
        lengths = {name: len(x) for name, x in self._arrays.items()}
        if len(set(lengths.values())) != 1 or not min(lengths.values()):
            raise ValueError(f"Arrays: the lengths are {lengths}, expected the same number of states for all, at least 1")
        self.shape = (next(iter(lengths.values())),)
        self._stamp = None if self.file is None else _stamp(self.file)
        self.content = content_hash(self._arrays)
        if content is not None and content != self.content:
            raise ValueError(f"Arrays: the content of {self.file or 'the arrays'} is {self.content[:12]}, expected {content[:12]}: it has changed")

    def values(self, model: zw.Model, first: int, count: int) -> Values:
        if self.file is None or self.file.suffix != ".npy":
            return {name: np.array(x[first:first + count]) for name, x in self._arrays.items()}
        found = _rows(self.file, self._arrays["q"], first, count)
        if self._stamp != _stamp(self.file):
            raise ValueError(f"Arrays: {self.file} has been written to while the study runs")
        return {"q": found}

    def recheck(self) -> None:
        if self.file is not None:
            self._stamp = Arrays(file=self.file, content=self.content)._stamp

    def document(self) -> dict[str, Any]:
        if self.file is not None:
            return {"file": str(self.file), "content": self.content}
        return {"arrays": {name: plain(x) for name, x in self._arrays.items()}}

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrays_of, (None if self.file is not None else self._arrays, self.file, self.content)


def _arrays_of(arrays: Values | None, file: pathlib.Path | None, content: str) -> Arrays:
    return Arrays(arrays, file=file, content=content)


def _stamp(path: pathlib.Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _rows(path: pathlib.Path, array: Array, first: int, count: int) -> Array:
    """Rows of a .npy, read and not mapped: who cuts a mapped file short kills its readers."""
    if not array.flags.c_contiguous:
        return np.array(array[first:first + count])
    row = array.nbytes // len(array)
    with open(path, "rb") as file:
        file.seek(getattr(array, "offset", 0) + first * row)
        found = np.fromfile(file, array.dtype, count * (row // array.dtype.itemsize))
    if found.nbytes != count * row:
        raise ValueError(f"Arrays: {path} has been cut short")
    return found.reshape(count, *array.shape[1:])


MOST_NUMBERS = 1_000_000  # of arrays within a study's document; more belong in a file


def _array(name: str, given: Any) -> Array:
    if isinstance(given, (str, os.PathLike)):
        raise ValueError(f"Arrays: variable '{name}' is a path, expected numbers; Arrays(file=...) reads all variables from a file")
    array = np.array(numbers(f"Arrays: variable '{name}'", given))  # the study's own
    if array.ndim == 0:
        raise ValueError(f"Arrays: variable '{name}' is one number, expected (N, ...)")
    if array.size > MOST_NUMBERS:
        raise ValueError(f"Arrays: variable '{name}' has {array.size} numbers, expected at most {MOST_NUMBERS}; save them with numpy.save "
                         "and give file=")
    return array


def _read(path: pathlib.Path) -> Values:
    if not path.is_file():
        raise ValueError(f"Arrays: there is no file {path}")
    try:
        if path.suffix == ".npy":
            return {"q": np.load(path, mmap_mode="r", allow_pickle=False)}
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as found:
                return {name: found[name] for name in found.files}
        if path.suffix == ".parquet":
            return of_table(package("pyarrow.parquet").read_table(path))
    except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"Arrays: {path} cannot be read: {error}") from error
    raise ValueError(f"Arrays: {path} is no .npy (of q), .npz or .parquet")


def content_hash(arrays: Mapping[str, Array]) -> str:
    found = hashlib.sha256()
    for name in sorted(arrays):
        x = arrays[name]
        found.update(f"{name} {x.dtype.str} {x.shape}\n".encode())
        for first in range(0, len(x), 65536):
            found.update(np.ascontiguousarray(x[first:first + 65536]).data)
    return found.hexdigest()
