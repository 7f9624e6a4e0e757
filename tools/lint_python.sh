#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ruff on all Python of the project (pyproject.toml has its rules and its version): tools/lint_python.sh [arguments of `ruff check`]
# It comes from PyPI into build/lint_env, once for each version; where it cannot be had the exit code is 77.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
wanted=$(sed -n 's/^lint = \["\(ruff\) *\(==[^"]*\)"\]$/\1\2/p' pyproject.toml)
[ -n "$wanted" ] || { echo "pyproject.toml: [dependency-groups] has no line 'lint = [\"ruff ==...\"]'" >&2; exit 1; }
ruff=build/lint_env/bin/ruff
if [ "$(cat build/lint_env/version 2>/dev/null || true)" != "$wanted" ]; then
  if ! { python3 -m venv build/lint_env && build/lint_env/bin/pip install --quiet --disable-pip-version-check "$wanted"; } >&2; then
    echo "SKIPPED: ruff: PyPI cannot be reached, or has no $wanted"
    exit 77
  fi
  printf '%s\n' "$wanted" >build/lint_env/version
fi
"$ruff" check --quiet --cache-dir build/lint_env/cache "$@" && echo "ruff: ok"
