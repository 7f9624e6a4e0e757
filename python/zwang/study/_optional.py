# SPDX-License-Identifier: BSD-3-Clause
"""Packages that need not be there: imported by name when they are needed."""
import importlib
from typing import Any


def package(name: str, extra: str = "study") -> Any:
    """The module; ImportError says what to install."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"zwang.study needs the package {name.split('.')[0]}: pip install zwang[{extra}]") from error
