#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages, installs them and uses them as a stranger: runs the program, compiles programs against the library.
#   tools/test_deb.sh [BUILD]           the build folder, build/deb; a folder that has a build already is taken on
# ZWANG_DEB_ROOT=debootstrap installs them by apt in a small Debian of its own (needs root, a network and debootstrap); otherwise they are
# unpacked in a folder, which tests everything but what dpkg itself does: dependencies are looked up on this machine.
# OPTIONS adds options of CMake.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath -m "${1:-build/deb}")
jobs=${JOBS:-$(nproc)}
fail() { echo "test_deb.sh: $*" >&2; exit 1; }
for program in dpkg-deb dpkg-shlibdeps cpack; do
  command -v "$program" >/dev/null || fail "$program is missing (Debian: dpkg-dev, cmake)"
done

# shellcheck disable=SC2086
cmake -S . -B "$build" -G Ninja --log-level=WARNING -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
  -DCMAKE_SKIP_INSTALL_RPATH=ON -DZWANG_BUILD_CLI=ON -DZWANG_BUILD_TESTS=OFF -DZWANG_BUILD_EXAMPLES=OFF ${OPTIONS:-}
cmake --build "$build" --parallel "$jobs"
packages=$build/packages
rm -rf "$packages"
(cd "$build" && cpack -G DEB -B "$packages" >"$build/cpack.log") || { cat "$build/cpack.log" >&2; fail "cpack failed"; }

debs=("$packages"/*.deb)
[ ${#debs[@]} -eq 3 ] || fail "found ${#debs[@]} packages, expected the library, its headers and the program: ${debs[*]}"
for deb in "${debs[@]}"; do
  printf '%s\n' "${deb##*/}"
  dpkg-deb -f "$deb" Package Version Depends Installed-Size | sed 's/^/  /'
  files=$(dpkg-deb -c "$deb")
  [[ $files == *"/usr/share/doc/$(dpkg-deb -f "$deb" Package)/copyright"* ]] || fail "$deb has no copyright file"
done
# No file may be in two packages.
for deb in "${debs[@]}"; do dpkg-deb -c "$deb" | awk '$1 !~ /^d/ {print $6}'; done | sort | uniq -d >"$build/twice"
[ ! -s "$build/twice" ] || fail "files in two packages: $(tr '\n' ' ' <"$build/twice")"
if command -v lintian >/dev/null; then
  lintian --fail-on error --suppress-tags bad-distribution-in-changes-file,no-changelog "${debs[@]}" || fail "lintian has found errors"
else
  echo "lintian: not installed here, left out"
fi

root=$build/root
if [ "${ZWANG_DEB_ROOT:-}" = debootstrap ]; then
  [ "$(id -u)" -eq 0 ] || fail "debootstrap needs root"
  command -v debootstrap >/dev/null || fail "debootstrap is not installed"
  if [ ! -x "$root/usr/bin/cmake" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase --include=g++,cmake,ninja-build,pkg-config "${SUITE:-bookworm}" "$root" >"$build/debootstrap.log" 2>&1 ||
      { tail -5 "$build/debootstrap.log" >&2; fail "debootstrap failed"; }
  fi
  rm -rf "$root/try" && mkdir "$root/try"
  cp "${debs[@]}" "$root/try"
  chroot "$root" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install --reinstall --yes --quiet=2 --no-install-recommends /try/*.deb' \
    >"$build/apt.log" 2>&1 || { tail -20 "$build/apt.log" >&2; fail "apt refused the packages"; }
  inside() { chroot "$root" "$@"; }
  at=/try
  prefix=/usr
else
  echo "unpacked in a folder, not installed: dpkg's own checks need a Debian of their own (ZWANG_DEB_ROOT=debootstrap)"
  rm -rf "$root" && mkdir -p "$root/try"
  for deb in "${debs[@]}"; do
    dpkg-deb -x "$deb" "$root"
    IFS=',' read -ra depends <<<"$(dpkg-deb -f "$deb" Depends)"
    for one in "${depends[@]}"; do
      name=$(awk '{print $1}' <<<"$one")
      case $name in libzwang*) continue ;; esac
      state=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null || true)
      [ "$state" = installed ] || fail "${deb##*/} depends on $name, which is not installed here"
    done
  done
  inside() { LD_LIBRARY_PATH=$libraries "$@"; }
  at=$root/try
  prefix=$root/usr
fi
libraries=$(dirname "$(find "$root/usr/lib" -name 'libzwang.so.*' -print -quit)")
cp -r tests/consumer "$root/try/consumer"
cp models/arm7.urdf "$root/try"

printf '\nthe program\n'
program=$prefix/bin/zwang
inside "$program" --version
inside "$program" info "$at/arm7.urdf" >"$build/info.txt"
head -3 "$build/info.txt"

printf '\na program, by CMake\n'
inside cmake -S "$at/consumer" -B "$at/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
inside cmake --build "$at/build" --parallel "$jobs" >/dev/null
inside "$at/build/consumer" "$at/arm7.urdf" | tail -1
inside "$at/build/consumer_kdl"
printf '\na program, by pkg-config\n'
pc=${libraries#"$root"}/pkgconfig
[ "$prefix" = /usr ] || pc=$libraries/pkgconfig
# shellcheck disable=SC2016
inside sh -ec 'export PKG_CONFIG_PATH=$1; c++ -std=c++20 "$2/consumer/exceptions.cpp" -o "$2/program" $(pkg-config --cflags --libs zwang)
  "$2/program" "$2/arm7.urdf"' sh "$pc" "$at"
echo "Debian packages: ok"
