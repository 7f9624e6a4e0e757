# SPDX-License-Identifier: BSD-3-Clause
"""Generated C as functions of Python: compile_c."""
import ctypes
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _zwang as zw

Array = NDArray[Any]


class CompiledFunction:
    """A function of compiled C: called with its inputs in their order, it returns its results, several as a tuple.

    Inputs are arrays of the sizes of `function.inputs`, matrices row by row. Results with columns are matrices.
    Raises ValueError where an input has another size, ArithmeticError where results are no numbers or a pivot is too small.
    """

    def __init__(self, library: ctypes.CDLL, function: zw.GeneratedFunction, scalar: type) -> None:
        self.function = function
        self._scalar = scalar
        self._call = library[function.name]
        self._call.restype = ctypes.c_int
        self._call.argtypes = [ctypes.c_void_p] * (len(function.inputs) + len(function.outputs))

    def __call__(self, *inputs: Any) -> Any:
        f = self.function
        if len(inputs) != len(f.inputs):
            raise ValueError(f"{f.word}: got {len(inputs)} arguments, expected {', '.join(x.name for x in f.inputs)}")
        given = [self._numbers(x, argument) for x, argument in zip(inputs, f.inputs)]
        out: list[Array] = [np.empty((x.rows, x.columns) if x.columns > 1 else x.rows, self._scalar) for x in f.outputs]
        status = self._call(*(x.ctypes.data for x in (*given, *out)))
        if status != 0:
            raise ArithmeticError(f"{f.word}: " + ("a pivot is too small" if status == 2 else "the results are not numbers"))
        return out[0] if len(out) == 1 else tuple(out)

    def _numbers(self, x: Any, argument: zw.GeneratedArgument) -> Array:
        numbers: Array = np.ascontiguousarray(x, dtype=self._scalar).reshape(-1)
        if numbers.size != argument.rows * argument.columns:
            raise ValueError(f"{self.function.word}: argument '{argument.name}' has size {numbers.size}, "
                             f"expected {argument.rows * argument.columns}")
        return numbers

    def __repr__(self) -> str:
        names = ", ".join(x.name for x in self.function.inputs)
        return f"CompiledFunction({self.function.name}: {names} -> {', '.join(x.name for x in self.function.outputs)})"


class Compiled:
    """Compiled C: a CompiledFunction for each function of a GeneratedCode, as attributes by its name without the prefix, or by
    its word: compiled["pose:tool0"]."""

    def __init__(self, code: zw.GeneratedCode, library: ctypes.CDLL, scalar: type) -> None:
        self.code = code
        self._functions = {f.word: CompiledFunction(library, f, scalar) for f in code.functions}
        for f in code.functions:
            setattr(self, f.name.removeprefix(code.name + "_"), self._functions[f.word])

    def __getitem__(self, word: str) -> CompiledFunction:
        if word not in self._functions:
            raise KeyError(f"there is no function '{word}', only {', '.join(self._functions)}")
        return self._functions[word]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copies and pickles ask before _functions is there
            raise AttributeError(name)
        raise AttributeError(f"there is no function '{name}', only {', '.join(self._functions)}")

    def __repr__(self) -> str:
        return f"Compiled({', '.join(self._functions)})"


def compile_c(code: zw.GeneratedCode, *, compiler: str = "cc", flags: Sequence[str] = ("-O3",)) -> Compiled:
    """Functions of Python from generated C, by the system's compiler.

    compiler: a program that takes the options of gcc. flags: further options, before the file.
    Raises FileNotFoundError where there is no such program, RuntimeError with what it said where it refuses.
    """
    program = shutil.which(compiler)
    if program is None:
        raise FileNotFoundError(f"compile_c: there is no compiler '{compiler}'")
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / f"{code.name}.h").write_text(code.header)
        (place / f"{code.name}.c").write_text(code.source)
        library = place / f"{code.name}.so"
        done = subprocess.run([program, "-std=c99", "-shared", "-fPIC", *flags, f"{code.name}.c", "-o", str(library), "-lm"],
                              cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"compile_c: {compiler} refuses {code.name}.c:\n{done.stderr}")
        return Compiled(code, ctypes.CDLL(str(library)), np.float32 if code.scalar == "float" else np.float64)
