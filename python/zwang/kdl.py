# SPDX-License-Identifier: BSD-3-Clause
"""Orocos KDL's names over zwang's algorithms: a script for PyKDL runs with `import zwang.kdl as PyKDL`."""

try:
    from zwang._kdl import *  # noqa: F401,F403
except ImportError as error:
    raise ImportError("zwang.kdl: this build of zwang has no KDL names (ZWANG_BUILD_KDL=OFF)") from error
