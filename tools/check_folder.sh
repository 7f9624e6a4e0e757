#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tests of one folder, after building what they need and no more: make check FOLDER=dynamics
#   tools/check_folder.sh FOLDER [JOBS]     a folder of tests/, or: examples readme consumer
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-}
jobs=${2:-$(nproc)}

names=$(for path in tests/*/; do basename "$path"; done | grep -vxE 'support|peers'; echo examples readme consumer)
if ! grep -qxF -- "$folder" <<<"$(tr ' ' '\n' <<<"$names")"; then
  echo "make check: FOLDER=${folder:-?} is none of: $(tr '\n' ' ' <<<"$names")" >&2
  exit 2
fi

label=$folder
target=(--target "test_$folder")
case $folder in
  threads) label=tsan ;;
  python) target=() ;;
  examples | readme | consumer | house | docs) target=(--target all) ;;  # these look at everything
esac
case $folder in
  python | examples | docs)
    make --no-print-directory python JOBS="$jobs"
    cmake --preset release --log-level=WARNING -DZWANG_TEST_PYTHON="$PWD/.venv/bin/python" ;;
esac
[ ${#target[@]} -eq 0 ] || cmake --build build --parallel "$jobs" "${target[@]}"
ctest --test-dir build --output-on-failure --no-tests=error --parallel "$jobs" --label-regex "^$label\$"
