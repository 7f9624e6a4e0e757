#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adds to the patterns of the stub the named tuples of the extension that have annotations.

    PYTHONPATH=<folder of the extension> tools/named_tuples.py PATTERNS OUT
"""
import pathlib
import sys

import _zwang


def pattern(name, type):
    fields = "".join(f"        {field}: {kind}\n" for field, kind in type.__annotations__.items())
    return f'_zwang.{name}$:\n    class {name}(NamedTuple):\n        """{type.__doc__}"""\n{fields}\n'


tuples = {name: x for name, x in vars(_zwang).items() if isinstance(x, type) and issubclass(x, tuple) and x.__dict__.get("__annotations__")}
text = pathlib.Path(sys.argv[1]).read_text()
pathlib.Path(sys.argv[2]).write_text("".join(pattern(*one) for one in tuples.items()) + text)
