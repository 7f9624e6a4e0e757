#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# third_party/ as a build for another system, or with another C++ library, needs it: sources of the small C++ libraries.
#   tools/third_party.sh [--program] [ARCHIVES]
# What is there already stays. The rest is taken from the folder ARCHIVES, from Debian's source packages, or downloaded.
# --program: the headers of the command line program, too (tools/third_party.py).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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
program=
if [ "${1:-}" = --program ]; then program=--program; shift; fi
if python3 tools/third_party.py --check $program; then exit 0; fi
archives=${1:-}
if [ -z "$archives" ] && ! python3 tools/third_party.py --check; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if debian_sources "$work" >"$work/log" 2>&1; then archives=$work/archives; fi
fi
python3 tools/third_party.py $program ${archives:+--archives "$archives"}
