#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The library for 64-bit Arm: cross compiled by Debian's compiler, its tests run in QEMU.
#   tools/test_arm64.sh [--installed] [--release] [--smoke] [--wheel] [--jobs N] [FOLDER ...]
# FOLDER: of tests/; without any: core spatial model manifold algorithm constraint dynamics batch io. Of random problems a tenth is tried
# (ZWANG_EFFORT). Kernels are compiled in a tenth of the time (ZWANG_LIGHT), in build/arm64.
# --release: kernels as they are shipped, in build/arm64_release, which takes several times as long.
# --smoke: all kernels and the layers up to algorithm, in build/arm64_smoke, and the folders that need no more, core and manifold.
# --wheel: the Python package as well (wheel_arm64.sh), alone where no folder is named; it needs a network.
# --installed: installs nothing, and exits with 77 where something is missing.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/test_folders.sh
build=build/arm64
kind=(-D CMAKE_BUILD_TYPE=Debug -D "CMAKE_CXX_FLAGS_DEBUG=-Og -DNDEBUG" -D ZWANG_LIGHT=ON)
export ZWANG_EFFORT=${ZWANG_EFFORT:-10} GTEST_BRIEF=1 GTEST_COLOR=no
folders=() install=yes jobs=$(nproc) smoke=no release=no wheel=no
while [ $# -gt 0 ]; do
  case $1 in
    --smoke) smoke=yes build=build/arm64_smoke kind+=(-D ZWANG_UP_TO=algorithm -D ZWANG_BUILD_CLI=OFF -D ZWANG_BUILD_KDL=OFF -D ZWANG_BUILD_RBDL=OFF -D ZWANG_BUILD_C=OFF) ;;
    --installed) install=no ;;
    --release) release=yes build=build/arm64_release kind=(-D CMAKE_BUILD_TYPE=Release) ;;
    --wheel) wheel=yes ;;
    --jobs) [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { echo "test_arm64.sh: --jobs: expected a number of at least 1, got '${2:-}'" >&2; exit 2; }
       jobs=$2; shift ;;
    -*) echo "test_arm64.sh: unknown option '$1' (--installed, --release, --smoke, --wheel, --jobs N)" >&2; exit 2 ;;
    *) known_folder "$1" || { echo "test_arm64.sh: tests/$1 has no C++ tests" >&2; exit 2; }
       folders+=("$1") ;;
  esac
  shift
done
[ $smoke$release != yesyes ] || { echo "test_arm64.sh: --smoke and --release: kernels are those of one of them" >&2; exit 2; }
[ $smoke$wheel != yesyes ] || { echo "test_arm64.sh: --smoke and --wheel: a wheel needs all layers" >&2; exit 2; }
if [ ${#folders[@]} -eq 0 ] && [ $wheel = no ]; then
  folders=(core spatial model manifold algorithm constraint dynamics batch io)
  [ $smoke = no ] || folders=(core manifold)
fi

if [ $install = yes ]; then
  tools/install_dependencies.sh arm64
else
  missing=$(tools/install_dependencies.sh --missing arm64)
  [ -z "$missing" ] || { echo "not installed: $missing"; exit 77; }
fi

cmake -S . -B $build -G Ninja --log-level=WARNING -D CMAKE_TOOLCHAIN_FILE=cmake/toolchains/aarch64-linux-gnu.cmake "${kind[@]}" \
  -D ZWANG_WERROR=ON -D ZWANG_BUILD_EXAMPLES=OFF >/dev/null

runner=("$(command -v qemu-aarch64-static || command -v qemu-aarch64)")
[ $smoke = no ] || compile zwang || { echo "arm64: FAILED in the library"; exit 1; }
status=0
[ ${#folders[@]} -eq 0 ] || test_folders arm64 "${folders[@]}" || status=1
if [ $wheel = yes ]; then
  started=$SECONDS
  options=()
  [ $release = yes ] || options=(cmake.build-type=Debug "cmake.define.CMAKE_CXX_FLAGS_DEBUG=-Og -DNDEBUG" cmake.define.ZWANG_LIGHT=ON)
  if compile zwang && compile zwang_kdl && compile zwang_rbdl && tools/wheel_arm64.sh --jobs "$jobs" $build "${options[@]}"; then said=ok; else said=FAILED status=1; fi
  echo "arm64: the wheel: $said ($((SECONDS - started)) s)"
fi
exit $status
