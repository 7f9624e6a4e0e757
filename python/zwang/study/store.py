# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a study. It is valid after every moment at which its driver or a worker may be killed.

    study.json              the study's document
    manifest.json           hash, versions, columns with units, numbers of states and blocks, how far it is; replaced as a whole
    blocks/000/000012.parquet    results and partial reductions of a block; appears whole, under its name, or not at all
    failures/000012.json    a block that raised: its states, the state and the reason
    .lock, .token           the driver that writes here; what a worker looks for to know that it sees this folder
"""
from __future__ import annotations

import base64
import contextlib
import errno
import fcntl
import json
import math
import os
import pathlib
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._columns import Column, column_of, of_table, table_of, type_in
from ._errors import StudyError
from ._json import canonical, read_json
from ._optional import package
from ._words import shortened
from .outcomes import Computed, Failed, finish
from .reductions import Partial, Reductions

if TYPE_CHECKING:
    from .description import Study

FORMAT, VERSION = "zwang.study.folder", 1
_FOLDERS = ("blocks", "failures")
_MOST_TEXT = 20_000  # of what an exception says


def block_path(folder: pathlib.Path, number: int) -> pathlib.Path:
    return folder / "blocks" / f"{number // 1000:03d}" / f"{number:06d}.parquet"


def has_token(folder: pathlib.Path, token: str) -> bool:
    try:
        return (folder / ".token").read_text() == token
    except OSError:
        return False


def write_text(path: pathlib.Path, text: str) -> None:
    """Replaces the file as a whole."""
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


# --- blocks -----------------------------------------------------------------------------------------------------------------


def _first_difference(place: str, mine: Any, theirs: Any) -> str:
    """over[0].sample (1000 there, 2000 here); "" where there is none."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return next((x for k in {**mine, **theirs} if (x := _first_difference(f"{place}.{k}", mine.get(k), theirs.get(k)))), "")
    if isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs):
        return next((x for k in range(len(mine)) if (x := _first_difference(f"{place}[{k}]", mine[k], theirs[k]))), "")
    return "" if mine == theirs else f"{place} ({shortened(theirs)} there, {shortened(mine)} here)"


def write_block(folder: pathlib.Path, study: Study, key: str, block: Computed) -> None:
    """Raises OSError."""
    pq = package("pyarrow.parquet")
    schema = [c for c in study.columns if c.name in block.columns]
    metadata = {"zwang.study": key, "zwang.block": str(block.number), "zwang.first": str(block.first), "zwang.count": str(block.count),
                "zwang.hash": block.hash, "zwang.partials": json.dumps([_partial_text(x) for x in block.partials]),
                **_versions_text(study.versions())}
    table = table_of(block.columns, schema, metadata)
    path = block_path(folder, block.number)
    path.parent.mkdir(exist_ok=True)  # not the folder itself: it may have been moved
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        pq.write_table(table, part, compression="none", use_dictionary=False, write_statistics=False, write_page_checksum=True)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _partial_text(partial: Partial) -> dict[str, Any]:
    return {key: {"type": x.dtype.str, "shape": list(x.shape), "bytes": base64.b64encode(np.ascontiguousarray(x).tobytes()).decode()}
            for key, x in ((k, np.asarray(v)) for k, v in partial.items())}


def _partial_of(text: Mapping[str, Any]) -> Partial:
    return {key: np.frombuffer(base64.b64decode(x["bytes"]), x["type"]).reshape(x["shape"]) for key, x in text.items()}


@dataclass(frozen=True)
class Layout:
    """What the blocks of a folder have to be, as its manifest says."""
    key: str
    versions: Mapping[str, str]
    states: int
    block: int
    columns: tuple[Column, ...]

    def count(self, number: int) -> int:
        return min(self.block, self.states - number * self.block)


def layout_of(manifest: Mapping[str, Any]) -> Layout:
    return Layout(manifest["study"], manifest["versions"], manifest["states"], manifest["block"], tuple(map(column_of, manifest["columns"])))


def block_metadata(folder: pathlib.Path, number: int, layout: Layout) -> dict[str, str] | None:
    """Of a block that is there whole and is this study's, of its version, with its states and columns; None otherwise."""
    path = block_path(folder, number)
    try:
        footer = package("pyarrow.parquet").read_metadata(path)
        schema = footer.schema.to_arrow_schema()
    except FileNotFoundError:
        return None
    except Exception:  # cut short, or no Parquet
        return None
    text = {k.decode(): x.decode() for k, x in (schema.metadata or {}).items()}
    count = layout.count(number)
    wanted = {"zwang.study": layout.key, "zwang.block": str(number), "zwang.first": str(number * layout.block), "zwang.count": str(count),
              **_versions_text(layout.versions)}
    if any(text.get(k) != x for k, x in wanted.items()) or not {"zwang.hash", "zwang.partials"} <= set(text):
        return None
    if tuple(schema.names) != tuple(c.name for c in layout.columns) or (layout.columns and footer.num_rows != count):
        return None
    return text if all(type_in(field) == (c.type, c.shape) for field, c in zip(schema, layout.columns)) else None


def _versions_text(found: Mapping[str, str]) -> dict[str, str]:
    return {f"zwang.{'version' if k == 'zwang' else k}": str(x) for k, x in found.items()}


def read_block(folder: pathlib.Path, number: int, columns: list[str] | None = None) -> dict[str, Any]:
    """The columns of a block, each (N, ...)."""
    return of_table(package("pyarrow.parquet").read_table(block_path(folder, number), columns=columns, page_checksum_verification=True))


def partials_of(metadata: Mapping[str, str]) -> list[Partial]:
    return [_partial_of(x) for x in read_json(metadata["zwang.partials"])]


def block_is_sound(folder: pathlib.Path, layout: Layout, number: int) -> bool:
    """Whether a block is there, with the numbers that were written."""
    metadata = block_metadata(folder, number, layout)
    if metadata is None:
        return False
    try:
        columns = read_block(folder, number)
        ordered = {c.name: columns[c.name] for c in layout.columns}
        return finish(Computed(number, 0, 0, ordered, partials_of(metadata))).hash == metadata["zwang.hash"]
    except Exception:  # pages that do not match their sums, text that is none
        return False


# --- failures -----------------------------------------------------------------------------------------------------------------


def failure_path(folder: pathlib.Path, number: int) -> pathlib.Path:
    return folder / "failures" / f"{number:06d}.json"


def write_failure(folder: pathlib.Path, study: Study, failed: Failed) -> None:
    first, count = study.range_of(failed.number)
    write_text(failure_path(folder, failed.number), json.dumps(
        {"block": failed.number, "first": first, "count": count, "state": failed.state, "reason": failed.reason[:_MOST_TEXT],
         "details": failed.details[-_MOST_TEXT:]}, indent=1))


def read_failures(folder: pathlib.Path) -> list[dict[str, Any]]:
    found = []
    for path in sorted((folder / "failures").glob("[0-9]*.json")):
        try:
            found.append(read_json(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise StudyError(f"{path} is no record of a failure: {error}") from error
    return found


# --- the folder ---------------------------------------------------------------------------------------------------------------


class Folder:
    """A study's folder, while its driver writes there."""

    def __init__(self, path: pathlib.Path, study: Study) -> None:
        self.path, self.study, self.key = path, study, study.hash
        self.token = uuid.uuid4().hex
        self._lock: Any = None

    def __enter__(self) -> Folder:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = open(self.path / ".lock", "a")
        except OSError as error:
            raise StudyError(f"{self.path}: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            held = error.errno in (errno.EWOULDBLOCK, errno.EACCES)
            raise StudyError(f"{self.path}: " + ("another run writes here" if held else f"it cannot be locked: {error.strerror}")) from error
        try:
            self._begin()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            (self.path / ".token").unlink(missing_ok=True)
        self._lock.close()

    def _begin(self) -> None:
        manifest = read_manifest(self.path)
        if manifest is None:
            others = [x.name for x in self.path.iterdir() if not self._is_mine(x)]
            if others:
                raise StudyError(f"{self.path} has other files ({', '.join(sorted(others)[:3])}) and no study; give a new or empty folder")
        else:
            self._compare(manifest)
        try:
            if manifest is None:
                if not (self.path / "study.json").exists():  # else it is the same (_is_mine), and may be the user's own
                    write_text(self.path / "study.json", json.dumps(self.study.document()))
                self.write_manifest("running", 0, 0)
            for name in _FOLDERS:
                (self.path / name).mkdir(exist_ok=True)
            write_text(self.path / ".token", self.token)
        except OSError as error:
            raise StudyError(f"{self.path}: {why_not_written(error)}") from error

    def _is_mine(self, path: pathlib.Path) -> bool:
        """What a driver of this study that was killed before its manifest has left."""
        if path.name in (".lock", ".token") or path.name.startswith((".study.json.", ".manifest.json.", "..token.")):
            return True
        try:
            if path.name in _FOLDERS:
                return path.is_dir() and not any(path.iterdir())
            return path.name == "study.json" and read_json(path.read_text(encoding="utf-8")) == json.loads(json.dumps(self.study.document()))
        except (OSError, ValueError):
            return False

    def _compare(self, manifest: Mapping[str, Any]) -> None:
        if manifest["study"] != self.key:
            raise StudyError(f"{self.path} holds another study: {self._differences()}. Nothing was written; give another folder")
        for key, here in self.study.versions().items():
            if manifest["versions"].get(key) != here:
                what = {"zwang": "zwang", "instruction_set": "the kernels of"}.get(key, key)
                raise StudyError(f"{self.path} was begun with {what} {manifest['versions'].get(key)}, this is {here}: results would differ by "
                                 "rounding. Nothing was written; go on with that one"
                                 + (" (ZWANG_ISA)" if key == "instruction_set" else "") + ", or give another folder")

    def _differences(self) -> str:
        try:
            theirs = read_json((self.path / "study.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return "its study.json cannot be read"
        if not isinstance(theirs, dict):
            return "its study.json is none"
        mine = json.loads(canonical(self.study.document()))
        found = [x for k in mine if k != "name" and (x := _first_difference(k, mine[k], theirs.get(k)))]
        return f"'{theirs.get('name')}', which differs in {', '.join(found) or 'the order of axes or a file that it reads'}"

    def write_manifest(self, status: str, done: int | None, failed: int | None, result: str | None = None) -> None:
        """Raises OSError."""
        study = self.study
        write_text(self.path / "manifest.json", json.dumps(
            {"format": FORMAT, "version": VERSION, "study": self.key, "name": study.name, "versions": study.versions(), "states": study.states,
             "block": study.block, "blocks": study.blocks, "shape": list(study.over.shape),
             "columns": [c.document() for c in study.columns if c.name in study.stored],
             "reduced_columns": [c.document() for c in study.columns if c.name in study.reductions.of_column],
             "reductions": study.reductions.document(), "status": status, "done": done, "failed": failed, "result": result}, indent=1))

    def done(self, check: bool) -> bytearray:
        """One byte for each block: 1 where it is there; check: with the numbers that were written."""
        found = bytearray(self.study.blocks)
        layout = Layout(self.key, self.study.versions(), self.study.states, self.study.block,
                        tuple(c for c in self.study.columns if c.name in self.study.stored))
        for number in blocks_in(self.path):
            if number < len(found):
                found[number] = block_is_sound(self.path, layout, number) if check else block_metadata(self.path, number, layout) is not None
                if check and not found[number]:
                    block_path(self.path, number).unlink(missing_ok=True)  # should it fail now, its numbers must not be read
        return found

    def sweep(self) -> None:
        """Parts of files that a killed worker has left."""
        for path in self.path.glob("blocks/*/.*.parquet.*"):
            path.unlink(missing_ok=True)


def blocks_in(folder: pathlib.Path) -> Iterator[int]:
    """The numbers of the blocks that have a file."""
    for group in sorted((folder / "blocks").glob("[0-9]*")):
        for path in sorted(group.glob("[0-9]*.parquet")):
            if path.stem.isdigit():
                yield int(path.stem)


def read_manifest(folder: pathlib.Path) -> dict[str, Any] | None:
    """Of a study's folder; None where there is none. Raises StudyError for one that this version cannot read."""
    try:
        text = (folder / "manifest.json").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StudyError(f"{folder}: {error.strerror}") from error
    try:
        found: dict[str, Any] = read_json(text)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError("its format is not " + FORMAT)
        if found["version"] != VERSION:
            raise StudyError(f"{folder} was written by another version (format {found['version']}); this zwang reads format {VERSION}")
        [column_of(x) for x in [*found["columns"], *found["reduced_columns"]]]
        kinds: dict[str, Any] = {"study": str, "name": str, "versions": dict, "states": int, "block": int, "blocks": int, "shape": list,
                                 "reductions": dict, "status": str}
        for key, kind in kinds.items():
            if not isinstance(found[key], kind):
                raise ValueError(f"{key} is {found[key]!r}")
        if found["block"] < 1 or found["blocks"] != -(-found["states"] // found["block"]) or math.prod(found["shape"]) != found["states"]:
            raise ValueError("its numbers of states and blocks do not agree")
        Reductions(found["reductions"])
    except (ValueError, KeyError, TypeError) as error:
        raise StudyError(f"{folder}/manifest.json is no manifest of a study: {error}") from error
    return found


def why_not_written(error: OSError) -> str:
    return "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else str(error.strerror or error)
