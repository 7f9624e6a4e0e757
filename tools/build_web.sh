#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# zwang for browsers, in build/web/site: the WebAssembly module, its JavaScript face and the page "Try it".
#   tools/build_web.sh [ARCHIVES]
# Installs Debian's emscripten where it may. Sources of the small C++ libraries stand in third_party/ (tools/third_party.py): taken from
# the folder ARCHIVES, from Debian's source packages, or else downloaded. Takes minutes; `make docs` takes along what it has made.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/install_dependencies.sh web

# Debian's source packages, as this machine's apt knows where they are, without a change of its lists.
debian_sources() {
  local folder=$1 apt
  command -v apt-get >/dev/null || return 1
  mkdir -p "$folder/parts" "$folder/lists/partial" "$folder/archives"
  cp /etc/apt/sources.list.d/debian.sources "$folder/parts/" 2>/dev/null || return 1
  sed -i 's/^Types:.*/Types: deb-src/' "$folder/parts/debian.sources"
  apt=(apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$folder/parts" -o "Dir::State::lists=$folder/lists")
  "${apt[@]}" update && (cd "$folder/archives" && "${apt[@]}" source --download-only eigen3 fmtlib pugixml nlohmann-json3)
}
if [ ! -f third_party/json/version.txt ]; then
  archives=${1:-}
  if [ -z "$archives" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    if debian_sources "$work" >"$work/log" 2>&1; then archives=$work/archives; fi
  fi
  python3 tools/third_party.py ${archives:+--archives "$archives"}
fi

rm -f build/web/site/sources.txt  # of the module that was there before
cmake --preset web --log-level=WARNING
cmake --build build/web --parallel "${JOBS:-$(nproc)}" --target zwang_web zwang_site
python3 tools/web_sources.py --write
python3 tools/check_web.py --size
