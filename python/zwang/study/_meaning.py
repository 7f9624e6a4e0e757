# SPDX-License-Identifier: BSD-3-Clause
"""What a function of the user does, as a hash: its code and all that its code refers to.

What counts: the byte code with its constants; default values, closures, attributes; the functions, classes, numbers and arrays that it names;
the user's modules that it names or imports, with all they hold; the object of a method; the name and version of packages. What does not: line
numbers, comments, files that it reads, what it looks up by a text, metaclasses, what an object does not show to pickle. Code of another Python
(3.11, 3.12) is another function.
"""
from __future__ import annotations

import dis
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import pathlib
import sys
import sysconfig
import types
from typing import Any

import numpy as np

from .. import _zwang as zw

_LIBRARIES = tuple(pathlib.Path(sysconfig.get_path(word)).resolve() for word in ("stdlib", "platstdlib", "purelib", "platlib"))
_OF_PACKAGES = frozenset({"site-packages", "dist-packages"})  # folders of this name, on whatever path they are
_ZWANG = pathlib.Path(__file__).resolve().parent.parent
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
        elif type(x) is np.ndarray and x.dtype.kind != "O":
            yield f"{x.dtype.str} {x.shape} {x.strides}\n"  # sums of an array in another order have other bits
            yield np.ascontiguousarray(x).tobytes()
        elif isinstance(x, (zw.Model, zw.ConstraintSet)):
            yield x.to_json()
        elif isinstance(x, types.CodeType):
            yield f"{x.co_argcount} {x.co_posonlyargcount} {x.co_kwonlyargcount} {x.co_flags} {x.co_names} {x.co_varnames} {x.co_freevars}\n"
            yield x.co_code
            yield getattr(x, "co_exceptiontable", b"")
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
        self._mark(x)
        for name in sorted(vars(x)):
            if not name.startswith("__"):
                yield name
                yield from self._as_far_as_known(vars(x)[name])

    def _mark(self, module: types.ModuleType | None) -> None:
        """A module of the user that others can import."""
        if module is not None and module.__name__ != "__main__" and sys.modules.get(module.__name__) is module:
            self.modules[module.__name__] = module

    def _as_far_as_known(self, x: Any) -> Any:
        """(x,), or its kind where it cannot be compared: of what a function need not use."""
        seen = dict(self._seen)
        try:
            yield self._of(x).digest()
        except Exception:
            self._seen = seen  # what was seen of it does not count
            yield f"{type(x).__module__}.{type(x).__qualname__}"
            if isinstance(x, types.FunctionType):  # what it refers to cannot be compared, its code can
                yield (x.__code__,)

    def _of_function(self, x: types.FunctionType) -> Any:
        if _is_of_library(x.__code__.co_filename):
            name = str(x.__globals__.get("__name__", ""))
            yield f"{name}:{x.__qualname__} {_version(name.partition('.')[0])}"
            for cell in x.__closure__ or ():
                inner = cell.cell_contents
                decorated = isinstance(inner, types.FunctionType) and not _is_of_library(inner.__code__.co_filename)
                yield from ((inner,),) if decorated else self._as_far_as_known(inner)
            return
        self._mark(sys.modules.get(str(x.__globals__.get("__name__", ""))))
        yield (x.__code__,)
        yield (x.__dict__,)
        yield (x.__defaults__,)
        yield (x.__kwdefaults__,)
        for cell in x.__closure__ or ():
            try:
                yield (cell.cell_contents,)
            except ValueError:
                yield "empty"
        named, imported = _names_of(x.__code__)
        for name in named:
            if name in x.__globals__:
                yield name
                yield (x.__globals__[name],)
        for name in imported:
            yield name
            yield from self._of_import(name, x.__globals__.get("__package__"))

    def _of_import(self, name: str, package: str | None) -> Any:
        """Packages are not imported before they are used. A name that begins with dots is of the function's own package."""
        top = name.partition(".")[0]
        try:
            if not top:
                yield (importlib.import_module(name, package),)
                return
            spec = importlib.util.find_spec(top)
            if spec is None or top in sys.stdlib_module_names or _is_of_library(spec.origin or ""):
                yield _version(top)
            else:
                yield (importlib.import_module(name),)
        except (ImportError, ValueError) as error:
            yield type(error).__name__

    def _of_class(self, x: type) -> Any:
        module = sys.modules.get(x.__module__)
        yield f"{x.__module__}:{x.__qualname__}"
        if module is not None and _is_library(module):
            yield _version(x.__module__.partition(".")[0])
            return
        self._mark(module)
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


def _names_of(code: types.CodeType) -> tuple[list[str], list[str]]:
    """The names that a function and those within it look up in their module, and the modules that they import, each once."""
    named: dict[str, None] = {}
    imported: dict[str, None] = {}
    before: list[Any] = [0, 0]  # the last two constants: how many dots, and what is imported of the module
    for i in dis.get_instructions(code):
        if i.opname in _GLOBAL:
            named[str(i.argval)] = None
        elif i.opname == "IMPORT_NAME":
            dots = before[0] if isinstance(before[0], int) else 0
            imported["." * dots + str(i.argval)] = None
        if i.opname.startswith("LOAD_"):
            before = [before[1], i.argval]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            more = _names_of(constant)
            named.update(dict.fromkeys(more[0]))
            imported.update(dict.fromkeys(more[1]))
    return list(named), list(imported)


def _is_library(module: types.ModuleType) -> bool:
    """Whether a module is Python's, or of an installed package."""
    file = getattr(module, "__file__", None)
    if module.__name__ == "__main__":
        return False
    if file is None:
        return module.__name__.partition(".")[0] in sys.stdlib_module_names
    return _is_of_library(file)


@functools.cache
def _is_of_library(file: str) -> bool:
    if file.startswith("<"):  # of a text
        return file.startswith("<frozen ")
    place = pathlib.Path(file).resolve()
    return place.suffix == ".so" or not _OF_PACKAGES.isdisjoint(place.parts) or any(place.is_relative_to(x) for x in (*_LIBRARIES, _ZWANG))


def _version(package: str) -> str:
    found = getattr(sys.modules.get(package), "__version__", None)
    if isinstance(found, str):
        return found
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return f"Python {sys.version_info[0]}.{sys.version_info[1]}"

