# SPDX-License-Identifier: BSD-3-Clause
"""Columns of results: what each is, and the same as Arrow tables. A column of shape (6, 7) for each state is a list of 42 numbers there."""
from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._optional import package

Array = NDArray[Any]
STATUS = "zwang.Status"  # units of a column of statuses
TYPES = ("float64", "float32", "int64", "int32", "uint8", "bool", "string")


@dataclass(frozen=True)
class Column:
    """One result of each state."""
    name: str
    type: str                #: of its numbers, as NumPy names it
    shape: tuple[int, ...]   #: of one state; () for one number
    units: str = ""

    @property
    def is_status(self) -> bool:
        """Whether its numbers are those of Status."""
        return self.units == STATUS

    @property
    def bytes(self) -> int:
        return (16 if self.type == "string" else np.dtype(self.type).itemsize) * math.prod(self.shape)

    def document(self) -> dict[str, Any]:
        return {"name": self.name, "type": self.type, "shape": list(self.shape), "units": self.units}


def column_of(document: Mapping[str, Any]) -> Column:
    return Column(document["name"], document["type"], tuple(document["shape"]), document["units"])


def fixed(x: Array) -> Array:
    """Not to be written to: all calculations read the same states."""
    x.flags.writeable = False
    return x


def as_result(found: Any) -> Array:
    """An array of a type that can be stored."""
    if isinstance(found, np.ma.MaskedArray):
        raise ValueError("a masked array cannot be stored, expected numbers; filled(numpy.nan) makes them")
    x = np.asarray(found)
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    if x.dtype.name in TYPES:
        return x
    if x.dtype.kind == "U":  # words, as those of Status
        return x.astype(object)
    if x.dtype.kind == "O" and all(isinstance(word, str) for word in x.flat):
        return x
    if x.dtype.kind in "iu":
        if x.dtype.name == "uint64" and x.size and x.max() >= 2**63:
            raise ValueError(f"results of type {x.dtype} are stored as int64, and {x.max()} is more than that holds")
        return x.astype(np.int64)
    if x.dtype.kind == "f":
        with np.errstate(over="ignore"):
            out = x.astype(np.float64)
        if np.any(np.isfinite(x) != np.isfinite(out)):
            raise ValueError(f"results of type {x.dtype} are stored as float64, which does not hold all of them")
        return out
    raise ValueError(f"results of type {x.dtype} cannot be stored, expected numbers")


def type_of(x: Array) -> str:
    """The name of the type in a Column."""
    return "string" if x.dtype.kind == "O" else str(x.dtype.name)


def hash_of(columns: Mapping[str, Array]) -> str:
    """Of names, types, shapes and all bits, in the order of the columns."""
    found = hashlib.sha256()
    for name, x in columns.items():
        found.update(f"{name} {type_of(x)} {x.shape}\n".encode())
        found.update("\n".join(x.flat).encode() if x.dtype.kind == "O" else np.ascontiguousarray(x).reshape(-1).view(np.uint8).data)
    return found.hexdigest()


def table_of(columns: Mapping[str, Array], schema: list[Column], metadata: Mapping[str, str]) -> Any:
    pa = package("pyarrow")
    fields, arrays = [], []
    for column in schema:
        x = np.ascontiguousarray(columns[column.name])
        array = pa.array(x.reshape(-1))
        if column.shape:
            array = pa.FixedSizeListArray.from_arrays(array, math.prod(column.shape))
        fields.append(pa.field(column.name, array.type, nullable=False,
                               metadata={"units": column.units, "shape": json.dumps(list(column.shape))}))
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=dict(metadata)))


def type_in(field: Any) -> tuple[str, tuple[int, ...]]:
    """Type and shape of a field of Arrow, as in a Column."""
    kind = field.type.value_type if package("pyarrow").types.is_fixed_size_list(field.type) else field.type
    shape = json.loads((field.metadata or {}).get(b"shape", b"[]"))
    return {"double": "float64", "float": "float32"}.get(str(kind), str(kind)), tuple(shape)


def of_table(table: Any) -> dict[str, Array]:
    """The columns of a table, without copies where there is one chunk."""
    return {field.name: of_column(table.column(k), field) for k, field in enumerate(table.schema)}


def of_column(chunked: Any, field: Any) -> Array:
    pa = package("pyarrow")
    metadata = field.metadata or {}
    chunks = [_of_chunk(chunk, field.type, pa) for chunk in chunked.chunks]
    x = chunks[0] if len(chunks) == 1 else np.concatenate(chunks) if chunks else _of_chunk(pa.array([], field.type), field.type, pa)
    shape = metadata.get(b"shape")
    return x if shape is None or x.ndim == 1 else x.reshape(len(x), *json.loads(shape))


def _of_chunk(array: Any, kind: Any, pa: Any) -> Array:
    if pa.types.is_fixed_size_list(kind):
        flat = array.flatten().to_numpy(zero_copy_only=False)
        return np.asarray(flat).reshape(len(array), kind.list_size)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return np.stack([np.asarray(x) for x in array.to_numpy(zero_copy_only=False)]) if len(array) else np.empty((0, 0))
    return np.asarray(array.to_numpy(zero_copy_only=False))
