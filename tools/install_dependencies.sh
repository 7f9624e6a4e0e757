#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian packages that are missing, where it may; otherwise prints the one line to type and fails.
#   tools/install_dependencies.sh [--missing] [bench] [peers] [format] [tidy] [fuzz] [pictures] [docs] [web] [arm64]
# Without arguments: what `make run` and `make test` need. --missing: prints what would be installed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"

packages=(g++ cmake make ninja-build ccache pkg-config python3 python3-dev python3-venv git
          libeigen3-dev libpugixml-dev libfmt-dev nlohmann-json3-dev libcli11-dev libjs-three
          libgtest-dev)
foreign= show=no
[ "${1:-}" != --missing ] || { show=yes; shift; }
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
    arm64) packages+=(crossbuild-essential-arm64 qemu-user-static libpugixml-dev:arm64 libfmt-dev:arm64 libgtest-dev:arm64); foreign=arm64 ;;
    *) echo "install_dependencies.sh: unknown group '$group' (bench, peers, format, tidy, fuzz, pictures, docs, web, arm64)" >&2; exit 1 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian system: please install the equivalents of: ${packages[*]}" >&2
  exit 0  # what is really missing is named by CMake
fi

missing=()
for package in "${packages[@]}"; do
  architecture=${package#*:}  # another one's packages may be there beside this machine's
  [ "$architecture" != "$package" ] || architecture=$(dpkg --print-architecture)
  state=$(dpkg-query -W -f=' ${db:Status-Status}:${Architecture} ' "$package" 2>/dev/null || true)
  [[ $state == *" installed:$architecture "* || $state == *" installed:all "* ]] || missing+=("$package")
done
[ $show = no ] || { echo "${missing[*]}"; exit 0; }  # --missing: what would be installed
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=(env)
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root=(sudo env)
else
  echo "Packages are missing. Please type:" >&2
  [ -z "$foreign" ] || echo "  sudo dpkg --add-architecture $foreign && sudo apt-get update" >&2
  echo "  sudo apt-get install --yes ${missing[*]}" >&2
  exit 1
fi

echo "installing ${missing[*]}"
install=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "${missing[@]}")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { { [ -z "$foreign" ] || "${as_root[@]}" dpkg --add-architecture "$foreign"; } && "${as_root[@]}" apt-get update --quiet && "${install[@]}"; } >"$log" 2>&1 </dev/null; then
  cat "$log" >&2
  echo "Installing failed. What was tried: apt-get install ${missing[*]}" >&2
  exit 1
fi
