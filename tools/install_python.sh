#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the package zwang and what its tests need into .venv, which it makes where there is none.
#   tools/install_python.sh [python3]
# The module takes the library that the release build in build/ holds, so that Python runs the code that the other tests run. A wheel
# for other machines is built by pip without these options. What pyproject.toml names is installed when that file changed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${1:-python3}

[ -x .venv/bin/python ] || "$python" -m venv .venv
stamp=.venv/zwang_requirements
requirements=$(.venv/bin/python - <<'END'
import pathlib, re
text = pathlib.Path("pyproject.toml").read_text()
for key in ("requires", "dependencies", "test"):  # lists of one line each
    found = re.search(rf"^{key} = (\[.*\])$", text, re.MULTILINE)
    print(*(item.replace(" ", "") for item in re.findall(r'"([^"]+)"', found.group(1))), sep="\n")
END
)
if [ "$requirements" != "$(cat "$stamp" 2>/dev/null || true)" ]; then
  xargs .venv/bin/python -m pip install --quiet --disable-pip-version-check <<<"$requirements"
  printf '%s\n' "$requirements" >"$stamp"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Without isolation the build finds nanobind where it was the last time.
if ! CXX=${CXX:-c++} .venv/bin/python -m pip install --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    -C build-dir=build/python -C cmake.define.ZWANG_WERROR=ON -C cmake.define.ZWANG_LIBRARY_BUILD="$PWD/build" . >"$log" 2>&1 </dev/null; then
  cat "$log" >&2
  exit 1
fi
echo "python: zwang $(.venv/bin/python -c 'import zwang; print(zwang.__version__)') in .venv"
