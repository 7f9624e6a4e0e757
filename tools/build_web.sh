#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# zwang for browsers, in build/web/site: the WebAssembly module, its JavaScript face and the page "Try it".
#   tools/build_web.sh [ARCHIVES]
# Installs Debian's emscripten where it may. Sources of the small C++ libraries stand in third_party/ (tools/third_party.sh, which
# takes them from the folder ARCHIVES where one is given). Takes minutes; `make docs` takes along what it has made.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/install_dependencies.sh web

tools/third_party.sh "$@"

rm -f build/web/site/sources.txt  # of the module that was there before
cmake --preset web --log-level=WARNING
cmake --build build/web --parallel "${JOBS:-$(nproc)}" --target zwang_web zwang_site
python3 tools/web_sources.py --write
python3 tools/check_web.py --size
