#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian packages that are missing, where it may; otherwise prints the one line to type and fails.
#   tools/install_dependencies.sh [bench] [peers] [format] [tidy] [fuzz] [pictures] [docs] [web]     without arguments: what `make run` and `make test` need
set -euo pipefail

packages=(g++ cmake make ninja-build ccache pkg-config python3 python3-dev python3-venv git
          libeigen3-dev libpugixml-dev libfmt-dev nlohmann-json3-dev libcli11-dev libjs-three
          libgtest-dev)
for group in "$@"; do
  case $group in
    bench) packages+=(libbenchmark-dev) ;;
    peers) packages+=(liborocos-kdl-dev clang-19) ;;
    fuzz) packages+=(clang) ;;  # with libFuzzer and the sanitizers
    pictures) packages+=(chromium) ;;
    format) [ $# -gt 1 ] || packages=(); packages+=(git clang-format-14) ;;
    tidy) [ $# -gt 1 ] || packages=(); packages+=(git clang-tidy-14) ;;
    docs) [ $# -gt 1 ] || packages=(); packages+=(python3 python3-venv doxygen libjs-katex) ;;
    web) [ $# -gt 1 ] || packages=(); packages+=(emscripten cmake ninja-build python3 libjs-three) ;;
    *) echo "install_dependencies.sh: unknown group '$group' (bench, peers, format, tidy, fuzz, pictures, docs, web)" >&2; exit 1 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian system: please install the equivalents of: ${packages[*]}" >&2
  exit 0  # what is really missing is named by CMake
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=(env)
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root=(sudo env)
else
  echo "Packages are missing. Please type:" >&2
  echo "  sudo apt-get install --yes ${missing[*]}" >&2
  exit 1
fi

echo "installing ${missing[*]}"
install=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "${missing[@]}")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update --quiet && "${install[@]}"; } >"$log" 2>&1 </dev/null; then
  cat "$log" >&2
  echo "Installing failed. What was tried: apt-get install ${missing[*]}" >&2
  exit 1
fi
