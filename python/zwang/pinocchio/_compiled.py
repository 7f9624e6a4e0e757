# SPDX-License-Identifier: BSD-3-Clause
"""What is called most, from the extension: python/src/pinocchio. _compiled.pyi has the types."""
from .._zwang import _pinocchio

globals().update({name: x for name, x in vars(_pinocchio).items() if not name.startswith("__")})
