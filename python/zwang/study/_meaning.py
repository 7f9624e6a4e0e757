# SPDX-License-Identifier: BSD-3-Clause
"""What a function of the user does, as a hash: its code and all that its code refers to.

What counts: the byte code with its constants; default values, closures; the functions, classes, numbers and arrays of its own module and of
modules beside it that it names; the object of a method; the name and version of packages. What does not: line numbers, comments, files that
it reads, what it looks up by a text. Code of another Python (3.11, 3.12) is another function.
"""
from __future__ import annotations

import dis
import hashlib
import importlib.metadata
import inspect
import pathlib
import sys
import sysconfig
import types
from typing import Any

import numpy as np

from .. import _zwang as zw

_LIBRARIES = tuple(pathlib.Path(sysconfig.get_path(word)).resolve() for word in ("stdlib", "platstdlib", "purelib", "platlib"))
_GLOBAL = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_NOT_OF_A_CLASS = frozenset({"__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__static_attributes__"})


class Meaning:
    """hash: of a function. modules: those of the user that it refers to. Raises ValueError naming what has no bytes of its own."""

    def __init__(self, function: Any) -> None:
        self.modules: dict[str, types.ModuleType] = {}
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no other object gets their addresses
        self.hash = self._of(function).hexdigest()

    def _of(self, x: Any) -> Any:
        """The hash of one object; what refers to itself is named by its number."""
        found = hashlib.sha256(f"{type(x).__module__}.{type(x).__qualname__}\n".encode())
        if isinstance(x, (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.dtype)) and type(x).__module__ in ("builtins", "numpy"):
            found.update(repr(x).encode())
            return found
        if id(x) in self._seen:
            found.update(f"seen {self._seen[id(x)]}".encode())
            return found
        self._seen[id(x)] = len(self._seen)
        self._kept.append(x)
        for part in self._parts(x):
            found.update(part if isinstance(part, bytes) else part.encode() if isinstance(part, str) else self._of(part[0]).digest())
        return found

    def _parts(self, x: Any) -> Any:
        """Texts and bytes that count, and (object,) for objects."""
        if isinstance(x, (list, tuple)) and type(x) in (list, tuple):
            yield str(len(x))
            yield from ((y,) for y in x)
        elif type(x) is dict or isinstance(x, types.MappingProxyType):
            for key, y in x.items():
                yield (key,)
                yield (y,)
        elif type(x) in (set, frozenset):
            yield from sorted(Meaning(y).hash for y in x)
        elif isinstance(x, np.ndarray) and x.dtype.kind != "O":
            yield f"{x.dtype.str} {x.shape}\n"
            yield np.ascontiguousarray(x).tobytes()
        elif isinstance(x, (zw.Model, zw.ConstraintSet)):
            yield x.to_json()
        elif isinstance(x, types.CodeType):
            yield f"{x.co_argcount} {x.co_posonlyargcount} {x.co_kwonlyargcount} {x.co_flags} {x.co_names} {x.co_varnames} {x.co_freevars}\n"
            yield x.co_code
            yield from ((y,) for y in x.co_consts)
        elif isinstance(x, types.ModuleType):
            yield from self._of_module(x)
        elif isinstance(x, types.FunctionType):
            yield from self._of_function(x)
        elif isinstance(x, types.MethodType):
            yield (x.__func__,)
            yield (x.__self__,)
        elif isinstance(x, type):
            yield from self._of_class(x)
        elif isinstance(x, types.BuiltinFunctionType) and isinstance(x.__self__, (types.ModuleType, type(None))):
            yield f"{x.__module__}:{x.__qualname__}"
        else:
            yield from self._of_object(x)

    def _of_module(self, x: types.ModuleType) -> Any:
        name = x.__name__.partition(".")[0]
        yield x.__name__
        if _is_library(x):
            yield _version(name)
            return
        self.modules[x.__name__] = x
        try:
            yield inspect.getsource(x)
        except (OSError, TypeError) as error:
            raise ValueError(f"the text of the module {x.__name__} cannot be read") from error

    def _of_function(self, x: types.FunctionType) -> Any:
        module = sys.modules.get(x.__module__ or "")
        if module is not None and _is_library(module):
            yield f"{x.__module__}:{x.__qualname__} {_version(x.__module__.partition('.')[0])}"
            return
        if module is not None and x.__module__ != "__main__":
            self.modules[module.__name__] = module
        yield (x.__code__,)
        yield (x.__defaults__,)
        yield (x.__kwdefaults__,)
        for cell in x.__closure__ or ():
            try:
                yield (cell.cell_contents,)
            except ValueError:
                yield "empty"
        for name in _globals_of(x.__code__):
            if name in x.__globals__:
                yield name
                yield (x.__globals__[name],)

    def _of_class(self, x: type) -> Any:
        module = sys.modules.get(x.__module__)
        yield f"{x.__module__}:{x.__qualname__}"
        if module is None or _is_library(module):
            yield _version(x.__module__.partition(".")[0])
            return
        if x.__module__ != "__main__":
            self.modules[module.__name__] = module
        yield from ((base,) for base in x.__bases__)
        for name, value in vars(x).items():
            if name not in _NOT_OF_A_CLASS and not name.startswith("_abc_"):
                yield name
                yield ([value.fget, value.fset] if isinstance(value, property)
                       else value.__func__ if isinstance(value, (staticmethod, classmethod)) else value,)

    def _of_object(self, x: Any) -> Any:
        """What makes it again: its class, and what pickle would keep."""
        yield (type(x),)
        if hasattr(x, "__wrapped__"):
            yield (x.__wrapped__,)
        try:
            made = x.__reduce_ex__(4)
        except Exception as error:
            raise ValueError(f"{type(x).__name__} has no bytes of its own ({error})") from error
        if isinstance(made, str):
            yield made
            return
        for y in made:
            yield (list(y) if hasattr(y, "__next__") else y,)


def _globals_of(code: types.CodeType) -> list[str]:
    """The names that a function and those within it look up in their module, each once."""
    names = dict.fromkeys(str(i.argval) for i in dis.get_instructions(code) if i.opname in _GLOBAL)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(dict.fromkeys(_globals_of(constant)))
    return list(names)


def _is_library(module: types.ModuleType) -> bool:
    """Whether a module is Python's, or of an installed package."""
    file = getattr(module, "__file__", None)
    if module.__name__ == "__main__":
        return False
    if file is None:
        return module.__name__.partition(".")[0] in sys.stdlib_module_names or not hasattr(module, "__path__")
    place = pathlib.Path(file).resolve()
    return any(place.is_relative_to(folder) for folder in _LIBRARIES)


def _version(package: str) -> str:
    found = getattr(sys.modules.get(package), "__version__", None)
    if isinstance(found, str):
        return found
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return f"Python {sys.version_info[0]}.{sys.version_info[1]}"

