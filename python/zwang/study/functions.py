# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the user in a study: imported by name or given, told apart by what they do, sent to workers with what they refer to."""
from __future__ import annotations

import importlib
import importlib.machinery
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ._errors import StudyError
from ._meaning import Meaning
from ._optional import package
from ._words import shortened
from .block import Block, Calculation, Results, of_states


class Function(Calculation):
    """A function of a Block: {name: array (N, ...)}, or one array. It must give the same for the same states.

    name: of its column, or what its columns begin with. version: says of two functions whether they are the same. Without it their code and
    what it refers to say that: constants, defaults, closures, functions and values of the user's modules, versions of packages. ValueError
    where one of these cannot be compared (a lock, an open file).
    """

    def __init__(self, function: Callable[[Block], Any] | str, *, name: str | None = None, version: str | None = None) -> None:
        self.place = function if isinstance(function, str) else None
        self.function = _imported(function) if isinstance(function, str) else function
        if not callable(self.function):
            raise ValueError(f"Function: got {shortened(function)}, expected a function, or 'module:function'")
        self.name = name or getattr(self.function, "__name__", type(self.function).__name__).strip("<>")
        if version is not None and not isinstance(version, str):
            raise ValueError(f"Function: argument 'version' is {version!r}, expected a text")
        self.version = version
        self._modules: tuple[str, ...] = ()
        self._text: str | None = None
        try:
            found = Meaning(self.function)
        except Exception as error:
            if version is None:
                raise ValueError(f"{self.name}: what it refers to cannot be compared: {error}. Function({self.name}, version='1') says which "
                                 "one it is; give another text when it changes") from error
        else:
            self._modules = tuple(found.modules)
            self._text = found.hash

    def recheck(self) -> None:
        """Raises StudyError where the function, or a value that it refers to, is not what it was when the study was made."""
        if self.version is not None:
            return
        try:
            same = Meaning(self.function).hash == self._text
        except Exception:  # it holds something now that cannot be compared
            same = False
        if not same:
            raise StudyError(f"{self.name}, or a value that it refers to, has changed since the study was made: make the study anew; where it "
                             f"gives the same nevertheless (it keeps what it has found), Function({self.name}, version='1') says so")

    def document(self) -> Any:
        out = {"function": self.place or f"{self.function.__module__}:{getattr(self.function, '__qualname__', '')}", "name": self.name}
        return {**out, "version": self.version} if self.version is not None else {**out, "text": self._text}

    def run(self, block: Block) -> Results:
        found = self.function(block)
        n = len(block)
        if isinstance(found, Mapping):
            for key in found:
                if not isinstance(key, str):
                    raise ValueError(f"{self.name}: the name of a result is {shortened(key)}, expected a text")
            return {f"{self.name}.{key}": of_states(self.name, key, x, n) for key, x in found.items()}
        return {self.name: of_states(self.name, "", found, n)}


def _imported(place: str) -> Callable[[Block], Any]:
    module, colon, name = place.partition(":")
    if not colon or not name:
        raise ValueError(f"function '{place}': expected module:function")
    try:
        found: Any = importlib.import_module(module)
    except ImportError as error:
        raise ValueError(f"function '{place}': the module cannot be imported: {error}") from error
    here = importlib.machinery.PathFinder.find_spec(module.partition(".")[0])
    loaded = sys.modules[module.partition(".")[0]]
    if here is not None and here.origin is not None and getattr(loaded, "__file__", None) not in (None, here.origin):
        raise ValueError(f"function '{place}': the module of that name that is loaded is {loaded.__file__}, here it is {here.origin}")
    for word in name.split("."):
        found = getattr(found, word, None)
        if found is None:
            raise ValueError(f"function '{place}': the module has no '{name}'")
    return found  # type: ignore[no-any-return]


def dumped(study: Any, what: Sequence[Calculation]) -> bytes:
    """A study for workers. The user's modules are written out, since workers need not have them; where they cannot be, workers import
    them."""
    cloudpickle = package("cloudpickle")
    known = cloudpickle.list_registry_pickle_by_value()
    modules = {name: importlib.import_module(name) for c in what if isinstance(c, Function) for name in c._modules if name not in known}
    try:
        for module in modules.values():
            cloudpickle.register_pickle_by_value(module)
        try:
            return cloudpickle.dumps(study)  # type: ignore[no-any-return]
        except Exception:
            if not modules:
                raise
    finally:
        for module in modules.values():
            cloudpickle.unregister_pickle_by_value(module)
    return cloudpickle.dumps(study)  # type: ignore[no-any-return]
