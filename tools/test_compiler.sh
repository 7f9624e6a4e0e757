#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# zwang by another compiler: the library, the program and folders of the tests, with warnings as errors.
#   tools/test_compiler.sh COMPILER [--libc++] [--light] [--jobs N] [FOLDER ...]       clang++-19, say; FOLDER: of tests/, without any core
#   tools/test_compiler.sh --zig TARGET [--light] [--jobs N] [FOLDER ...]              cmake/toolchains/zig.cmake, whose targets it names
# --libc++: with clang's C++ library in place of g++'s; libraries that are compiled, GoogleTest's among them, then come from sources.
# --light: kernels in a tenth of the time (ZWANG_LIGHT). ZIG: the program zig, where it is not in PATH. TARGETS: what is built before the tests,
# zwang zwang_cli. Programs that this machine cannot run are only built. In build/with/.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/test_folders.sh
complain() { echo "test_compiler.sh: $*" >&2; exit 2; }
usage="tools/test_compiler.sh COMPILER|--zig TARGET [--libc++] [--light] [--jobs N] [FOLDER ...]"
folders=() jobs=$(nproc) compiler='' zig='' light=OFF flags='' runner=()
while [ $# -gt 0 ]; do
  case $1 in
    --libc++) flags=-stdlib=libc++ ;;
    --light) light=ON ;;
    --zig) [[ " $(sed -n 's/^set(targets \(.*\))$/\1/p' cmake/toolchains/zig.cmake) " == *" ${2:-none} "* ]] ||
         complain "--zig: expected a target of cmake/toolchains/zig.cmake, as x86_64-linux-musl, got '${2:-}'"
       zig=$2; shift ;;
    --jobs) [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || complain "--jobs: expected a number of at least 1, got '${2:-}'"
       jobs=$2; shift ;;
    -*) complain "unknown option '$1': $usage" ;;
    *) if [ -z "$compiler$zig" ]; then
         compiler=$1
       else
         known_folder "$1" || complain "tests/$1 has no C++ tests"
         folders+=("$1")
       fi ;;
  esac
  shift
done
[ -n "$compiler$zig" ] || complain "no compiler is named: $usage"
[ -z "$zig" ] || [ -z "$compiler" ] || complain "'$compiler' before --zig: folders come after it, and zig is the compiler"
[ -z "$zig" ] || [ -z "$flags" ] || complain "--zig and --libc++: zig has libc++ alone"
[ ${#folders[@]} -gt 0 ] || folders=(core)
gtest=/usr/src/googletest  # Debian's package googletest

if [ -n "$zig" ]; then
  name=$zig
  program=$(command -v "${ZIG:-zig}") || { echo "not installed: ${ZIG:-zig} (PyPI: ziglang; ZIG names the program)"; exit 77; }
  toolchain=(-D CMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/zig.cmake" -D "ZWANG_ZIG_TARGET=$zig" -D "ZWANG_ZIG=$program")
  case $zig in
    *-windows-*) runner=(wine); command -v wine >/dev/null || runner=(false) ;;
    "$(uname -m)"-linux-*) ;;
    *) runner=(false) ;;
  esac
else
  ! known_folder "$compiler" || complain "'$compiler' is a folder of tests/, a compiler comes first: $usage"
  command -v "$compiler" >/dev/null || { echo "not installed: $compiler"; exit 77; }
  name=$(basename "$compiler")${flags:+-libcxx}
  name=${name//+/x}
  toolchain=(-D "CMAKE_CXX_COMPILER=$compiler" -D "CMAKE_CXX_FLAGS=$flags" -D ZWANG_LEVELS=native)
  case $compiler in  # the C compiler of the same make
    *clang++*) toolchain+=(-D "CMAKE_C_COMPILER=${compiler%clang++*}clang${compiler##*clang++}") ;;
    *g++*) toolchain+=(-D "CMAKE_C_COMPILER=${compiler%g++*}gcc${compiler##*g++}") ;;
  esac
fi
build=build/with/$name
options=(-D ZWANG_LIGHT=$light)
if [ -n "$zig$flags" ]; then
  [ -f $gtest/CMakeLists.txt ] || { echo "not installed: googletest"; exit 77; }
  tools/third_party.sh ${zig:+--program}
  if [ ! -f "$build/gtest/lib/cmake/GTest/GTestConfig.cmake" ]; then
    mkdir -p "$build"
    { cmake -S $gtest -B "$build/gtest_build" -G Ninja "${toolchain[@]}" -D CMAKE_BUILD_TYPE=Release -D BUILD_GMOCK=OFF \
        -D CMAKE_INSTALL_PREFIX="$PWD/$build/gtest" -D CMAKE_INSTALL_LIBDIR=lib &&
      cmake --build "$build/gtest_build" --parallel "$jobs" --target install; } >"$build/gtest.log" 2>&1 || { tail -40 "$build/gtest.log"; exit 1; }
  fi
  options+=(-D ZWANG_INSTALL=OFF -D CMAKE_DISABLE_FIND_PACKAGE_pugixml=ON -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON -D ZWANG_C_STATIC=ON
    -D GTest_DIR="$PWD/$build/gtest/lib/cmake/GTest")
fi
[ -z "$zig" ] || options+=(-D ZWANG_LEVELS=)
cmake -S . -B "$build" -G Ninja --log-level=WARNING "${toolchain[@]}" "${options[@]}" -D CMAKE_BUILD_TYPE=Release -D ZWANG_WERROR=ON \
  -D ZWANG_BUILD_EXAMPLES=OFF >/dev/null
export GTEST_BRIEF=1 GTEST_COLOR=no
for target in ${TARGETS-zwang zwang_cli}; do
  started=$SECONDS
  compile "$target" || { echo "$name: FAILED in $target"; exit 1; }
  echo "$target: built in $((SECONDS - started)) s"
done
if [ "${runner[*]}" = false ]; then
  for folder in "${folders[@]}"; do compile "test_$folder" || { echo "$name: FAILED in $folder"; exit 1; }; done
  echo "$name: built, and not run: this machine cannot"
  exit 0
fi
test_folders "$name" "${folders[@]}"
