# SPDX-License-Identifier: BSD-3-Clause
"""The results of a study, read from its folder: by blocks, or whole as NumPy, pandas, polars, Arrow, Zarr."""
from __future__ import annotations

import hashlib
import math
import os
import pathlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from . import store
from .._status import Statuses
from ._columns import Array, Column, column_of
from ._errors import StudyError
from ._json import read_json
from ._optional import package
from ._words import among
from .over import Grid, Product, factor_of
from .parameters import is_parameter, model_of
from .reductions import Partial, Reductions

if TYPE_CHECKING:
    from .description import Study

FromDocument: TypeAlias = "Callable[[Any, pathlib.Path, str], Study]"


class StudyResults:
    """A folder of results. Nothing is read before it is asked for; iterating goes block by block in bounded memory."""

    def __init__(self, folder: pathlib.Path, from_document: FromDocument) -> None:
        manifest = store.read_manifest(folder)
        if manifest is None:
            raise StudyError(f"{folder} is no folder of a study: there is no manifest.json")
        self.folder, self.manifest, self._from_document = folder, manifest, from_document
        self.name: str = manifest["name"]
        self.states: int = manifest["states"]
        self.blocks: int = manifest["blocks"]
        self.shape: tuple[int, ...] = tuple(manifest["shape"])
        self.columns: list[Column] = [column_of(x) for x in manifest["columns"]]
        self._reductions = Reductions(manifest["reductions"])
        self._metadata: list[str | None] | None = None

    # --- how far it is --------------------------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """running (or its driver was killed), stopped, incomplete (blocks failed) or complete."""
        return str(self.manifest["status"])

    @property
    def complete(self) -> bool:
        """All blocks are there."""
        return all(x is not None for x in self._blocks())

    @property
    def done(self) -> list[int]:
        """The numbers of the blocks that are there."""
        return [k for k, x in enumerate(self._blocks()) if x is not None]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Of each block that raised: block, first, count, state (None where no single one raises), reason, details."""
        return store.read_failures(self.folder)

    @property
    def statuses(self) -> dict[str, dict[str, int]]:
        """Of each column of statuses how many states ended in each way, by name; over the blocks that are there."""
        names = [c.name for c in self.columns if c.is_status]
        found: dict[str, dict[str, int]] = {name: {} for name in names}
        for k in self.done if names else ():
            for name, x in self._read(k, names).items():
                for word, n in Statuses(x).counts().items():
                    found[name][word] = found[name].get(word, 0) + n
        return found

    def hash(self) -> str:
        """SHA-256 of the hashes of all blocks in their order: equal where all numbers have the same bits."""
        found = hashlib.sha256()
        for k, block in enumerate(self._blocks()):
            if block is None:
                raise StudyError(f"{self.folder}: block {k} is missing; the study is not complete")
            found.update(block.encode())
        return found.hexdigest()

    def check(self) -> list[int]:
        """Reads every number; the blocks that are missing or do not have the numbers that were written."""
        layout = store.layout_of(self.manifest)
        return [k for k in range(self.blocks) if not store.block_is_sound(self.folder, layout, k)]

    def _blocks(self) -> list[str | None]:
        """The hash of each block; None where it is not there."""
        if self._metadata is None:
            layout = store.layout_of(self.manifest)
            self._metadata = [None] * self.blocks
            for k in range(self.blocks):
                found = store.block_metadata(self.folder, k, layout)
                self._metadata[k] = None if found is None else found["zwang.hash"]  # partials may be long
        return self._metadata

    # --- the study itself -----------------------------------------------------------------------------------------------

    @property
    def study(self) -> Study:
        """Made anew of study.json. Functions that no module holds cannot be made of it: ValueError."""
        document = read_json((self.folder / "study.json").read_text(encoding="utf-8"))
        return self._from_document(document, self.folder, str(self.folder / "study.json"))

    def states_of(self, first: int, count: int) -> dict[str, Array]:
        """The variables and parameters of some states, (count, ...). What the study computes of them need not be there."""
        if not 0 <= first <= first + count <= self.states:
            raise ValueError(f"StudyResults.states_of: got states {first} to {first + count - 1}, the study has {self.states}")
        document = read_json((self.folder / "study.json").read_text(encoding="utf-8"))
        factors = [factor_of(x, f"study.json: over[{k}]", self.folder) for k, x in enumerate(document["over"])]
        return Product(factors).values(model_of(document["model"]), first, count)

    # --- numbers --------------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[tuple[int, dict[str, Array]]]:
        """(number of the first state, columns) of each block that is there, in order."""
        for k in self.done:
            yield k * int(self.manifest["block"]), self._read(k)

    def block(self, number: int, columns: Sequence[str] | None = None) -> dict[str, Array]:
        """The columns of one block, each (N, ...)."""
        if not 0 <= number < self.blocks or self._blocks()[number] is None:
            raise StudyError(f"{self.folder}: block {number} is not there; {len(self.done)} of {self.blocks} are")
        return self._read(number, self._known(columns))

    def __getitem__(self, column: str) -> Array:
        """A column of all states, (states, ...)."""
        return self.numpy([column])[column]

    def numpy(self, columns: Sequence[str] | None = None) -> dict[str, Array]:
        """Columns of all states in memory. Raises StudyError where blocks are missing."""
        names = self._known(columns)
        chosen = [c for c in self.columns if c.name in names]
        out = {c.name: np.empty((self.states, *c.shape), object if c.type == "string" else c.type) for c in chosen}
        self._require_all()
        for k in range(self.blocks):
            first = k * int(self.manifest["block"])
            for name, x in self._read(k, names).items():
                out[name][first:first + len(x)] = x
        return {c.name: Statuses(out[c.name]) if c.is_status else out[c.name] for c in chosen}

    def grid(self, column: str) -> Array:
        """A column in the shape of what the study went over: (*axes, ...)."""
        x = self[column]
        return x.reshape(*self.shape, *x.shape[1:])

    def arrow(self, columns: Sequence[str] | None = None) -> Any:
        """A pyarrow.dataset of the blocks that are there."""
        dataset = package("pyarrow.dataset")
        found = dataset.dataset([str(store.block_path(self.folder, k)) for k in self.done], format="parquet")
        return found if columns is None else found.scanner(columns=self._known(columns)).to_table()

    def pandas(self, columns: Sequence[str] | None = None) -> Any:
        """A DataFrame indexed by the number of the state: parameters of the model and values on the axes of grids, then the columns.

        Columns of several numbers become name[0], name[1], ..., statuses their names.
        """
        package("pandas", "pandas")
        numbers, flat = self.numpy(columns), self._chosen()
        for name, x in numbers.items():
            if isinstance(x, Statuses):
                flat[name] = np.array([str(s) for s in x], object)
                continue
            rows = x.reshape(len(x), -1)
            places = [",".join(map(str, map(int, np.unravel_index(k, x.shape[1:])))) for k in range(rows.shape[1])]
            flat.update({name: rows[:, 0]} if x.ndim == 1 else {f"{name}[{place}]": rows[:, k] for k, place in enumerate(places)})
        return package("pandas", "pandas").DataFrame(flat)

    def _chosen(self) -> dict[str, Array]:
        """What was chosen for each state, one number each: parameters of the model, and the values on the axes of grids."""
        document = read_json((self.folder / "study.json").read_text(encoding="utf-8"))
        factors = [factor_of(x, f"study.json: over[{k}]", self.folder) for k, x in enumerate(document["over"])]
        names = [n for f in factors for n in f.names if is_parameter(n)]
        found = {}
        if names:
            values = Product(factors).values(model_of(document["model"]), 0, self.states)
            found = {n: values[n] for n in names}
        places = list(np.unravel_index(np.arange(self.states), self.shape))
        for factor in factors:
            if isinstance(factor, Grid):
                for (name, axis), place in zip(factor.axes.items(), places):
                    found.setdefault(name, axis[place])
            del places[:len(factor.shape)]
        return found

    def polars(self, columns: Sequence[str] | None = None) -> Any:
        """A DataFrame; columns of several numbers are arrays."""
        return package("polars", "polars").from_arrow(self.arrow().to_table(columns=self._known(columns)))

    def to_zarr(self, path: str | os.PathLike[str], columns: Sequence[str] | None = None) -> None:
        """A Zarr group with an array (*axes, ...) for each column, written block by block in bounded memory."""
        zarr = package("zarr", "zarr")
        names = self._known(columns)
        self._require_all()
        if os.path.lexists(path):
            raise StudyError(f"{os.fspath(path)} is there already; to_zarr writes a new folder")
        group = zarr.open_group(os.fspath(path), mode="w-")
        group.attrs["study"] = self.manifest["study"]
        group.attrs["over"] = read_json((self.folder / "study.json").read_text(encoding="utf-8"))["over"]  # axes and their values
        lead, rows = self._slabs()
        arrays = {}
        for c in self.columns:
            if c.name in names:
                chunks = (*(1 for _ in self.shape[:lead]), rows, *self.shape[lead + 1:], *c.shape)
                arrays[c.name] = group.create_array(c.name, shape=(*self.shape, *c.shape), dtype=c.type, chunks=chunks)
                arrays[c.name].attrs["units"] = c.units
        inner = math.prod(self.shape[lead + 1:])
        for k, place in enumerate(np.ndindex(*self.shape[:lead])):
            for start in range(0, self.shape[lead], rows):
                end = min(start + rows, self.shape[lead])
                first = (k * self.shape[lead] + start) * inner
                for name, x in self._between(first, first + (end - start) * inner, names).items():
                    arrays[name][(*place, slice(start, end))] = x.reshape(end - start, *arrays[name].shape[lead + 1:])

    def _slabs(self) -> tuple[int, int]:
        """The axis along which about one block of states is cut off at a time, and how many of its places that are."""
        size = int(self.manifest["block"])
        lead = next(k for k in range(len(self.shape)) if math.prod(self.shape[k + 1:]) <= size)
        return lead, min(self.shape[lead], max(1, size // math.prod(self.shape[lead + 1:])))

    def _between(self, first: int, last: int, names: list[str]) -> dict[str, Array]:
        size = int(self.manifest["block"])
        parts: dict[str, list[Array]] = {name: [] for name in names}
        for k in range(first // size, -(-last // size)):
            for name, x in self._read(k, names).items():
                parts[name].append(x[max(0, first - k * size):last - k * size])
        return {name: np.concatenate(x) for name, x in parts.items()}

    @property
    def reduced(self) -> dict[str, dict[str, Any]]:
        """{column: {reduction: value}} over the blocks that are there, joined in their order."""
        found: list[Partial] | None = None
        layout = store.layout_of(self.manifest)
        try:
            for k in self.done:
                metadata = store.block_metadata(self.folder, k, layout)
                if metadata is not None:
                    found = self._reductions.join(found, store.partials_of(metadata))
            return self._reductions.results(found, [column_of(x) for x in self.manifest["reduced_columns"]])
        except (ValueError, KeyError, TypeError) as error:
            raise StudyError(f"{self.folder}: what block {k} keeps for reductions cannot be read: {error}. Study.run(..., check=True) computes "
                             "it anew") from error

    def _require_all(self) -> None:
        missing = self.blocks - len(self.done)
        if missing:
            failures = self.failures
            why = f"; {len(failures)} failed, the first with: {failures[0]['reason']}" if failures else "; run the study again"
            raise StudyError(f"{self.folder}: {missing} of {self.blocks} blocks are missing{why}. Others can be read block by block")

    def _read(self, number: int, columns: list[str] | None = None) -> dict[str, Array]:
        try:
            return store.read_block(self.folder, number, columns)
        except Exception as error:  # pyarrow raises several kinds
            raise StudyError(f"{self.folder}: block {number} cannot be read: {error}. Study.run(..., check=True) computes it anew") from error

    def _known(self, columns: Sequence[str] | None) -> list[str]:
        known = [c.name for c in self.columns]
        for name in columns or ():
            if name not in known:
                raise ValueError(f"the study has no column '{name}'{among(name, known, 'Columns')}")
        return known if columns is None else list(columns)

    def __repr__(self) -> str:
        names = ", ".join(c.name for c in self.columns)
        return f"<StudyResults '{self.name}': {len(self.done)} of {self.blocks} blocks, {self.states} states, {names}>"
