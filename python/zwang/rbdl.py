# SPDX-License-Identifier: BSD-3-Clause
"""RBDL's names over zwang's algorithms: a script for RBDL's Python module runs with `import zwang.rbdl as rbdl`.

Results go into arrays (float64) that the caller gives, of the right shape. 6-vectors are angular first.
docs/migrate/rbdl.md says what differs from RBDL.
"""
try:
    from zwang._rbdl import *  # noqa: F403
except ImportError as error:
    raise ImportError("zwang.rbdl: this build of zwang has no RBDL names (ZWANG_BUILD_RBDL=OFF)") from error
