#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A stranger's project uses the library in one of five ways (first argument). Called by ctest, which sets the variables.
set -euo pipefail
way=$1
prefix=$WORK/prefix
folder=$WORK/$way
model=$SOURCE/models/arm7.urdf
project=$SOURCE/tests/consumer

rm -rf "$folder"
mkdir -p "$folder"

configure_and_run() {  # extra CMake arguments
  "$CMAKE" -S "$project" -B "$folder" -G "$GENERATOR" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE="$BUILD_TYPE" \
    ${LAUNCHER:+-DCMAKE_CXX_COMPILER_LAUNCHER="$LAUNCHER"} "$@"
  "$CMAKE" --build "$folder" --parallel 2
  "$folder/consumer" "$model"
  [ ! -x "$folder/consumer_kdl" ] || "$folder/consumer_kdl"
}

case $way in
  install)
    rm -rf "$prefix"
    "$CMAKE" --install "$BUILD" --prefix "$prefix" >/dev/null
    test -f "$prefix/include/zwang/zwang.hpp" && test -f "$prefix/$LIBDIR/pkgconfig/zwang.pc"
    for file in LICENSE THIRD_PARTY_NOTICES.md zwang.cdx.json; do
      test -s "$prefix/share/doc/zwang/$file" || { echo "share/doc/zwang/$file was not installed"; exit 1; }
    done
    echo "installed" ;;
  find_package)
    configure_and_run -DCMAKE_PREFIX_PATH="$prefix" ;;
  native)  # the library stays portable: only the consumer uses what this processor has
    configure_and_run -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS=-march=native
    "$WORK/find_package/consumer" "$model" >"$folder/portable.txt"
    "$folder/consumer" "$model" >"$folder/native.txt"
    diff "$folder/portable.txt" "$folder/native.txt" ;;
  pkg_config)
    export PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig
    # shellcheck disable=SC2046
    "$CXX" -std=c++20 "$project/main.cpp" -o "$folder/consumer" $(pkg-config --cflags --libs zwang) -Wl,-rpath,"$prefix/$LIBDIR"
    "$folder/consumer" "$model" ;;
  # Kernels with the options of the build that tests it; every other source by itself and without precompiled headers, so that each names
  # what it includes. The wheel of .ci/run does the same: the compiler cache serves both.
  add_subdirectory)
    configure_and_run -DZWANG_SOURCE="$SOURCE" -DZWANG_WERROR="$WERROR" -DZWANG_NATIVE="$NATIVE" -DZWANG_LEVELS=native \
      -DZWANG_PRECOMPILED=OFF -DZWANG_GROUPED=OFF -DCMAKE_CXX_FLAGS_RELEASE="$FLAGS_RELEASE" ;;
  *)
    echo "unknown way: $way" >&2
    exit 1 ;;
esac
