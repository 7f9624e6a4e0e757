#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A stranger's project uses the library in one of six ways (first argument). Called by ctest, which sets the variables.
set -euo pipefail
way=$1
prefix=$WORK/prefix
folder=$WORK/$way
model=$SOURCE/models/arm7.urdf
project=$SOURCE/tests/consumer

rm -rf "$folder"
mkdir -p "$folder"

configure() {  # extra CMake arguments
  "$CMAKE" -S "$project" -B "$folder" -G "$GENERATOR" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE="$BUILD_TYPE" \
    ${LAUNCHER:+-DCMAKE_CXX_COMPILER_LAUNCHER="$LAUNCHER"} "$@"
}
run() {
  "$folder/consumer" "$model"
  for name in kdl rbdl; do
    [ ! -x "$folder/consumer_$name" ] || "$folder/consumer_$name"
  done
  for name in loop_closure impact inverse_dynamics gait; do
    [ -x "$folder/rbdl_$name" ] || continue
    "$folder/rbdl_$name" >"$folder/$name.txt"
    "$PYTHON" "$project/rbdl_programs/compare.py" "$project/rbdl_programs/expected/$name.txt" "$folder/$name.txt"
  done
}
configure_and_run() {
  configure "$@"
  "$CMAKE" --build "$folder" --parallel 2
  run
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
    configure_and_run -DCMAKE_PREFIX_PATH="$prefix" -DPROGRAMS=ON ;;
  native)  # the library stays portable: only the consumer uses what this processor has
    configure_and_run -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS=-march=native
    "$WORK/find_package/consumer" "$model" >"$folder/portable.txt"
    "$folder/consumer" "$model" >"$folder/native.txt"
    diff "$folder/portable.txt" "$folder/native.txt" ;;
  pkg_config)
    export PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig
    # shellcheck disable=SC2046
    "$CXX" -std=c++20 "$project/main.cpp" -o "$folder/consumer" $(pkg-config --cflags --libs zwang) -Wl,-rpath,"$prefix/$LIBDIR"
    "$folder/consumer" "$model"
    [ -f "$prefix/$LIBDIR/pkgconfig/zwang_c.pc" ] || exit 0
    # shellcheck disable=SC2046
    cc -std=c99 "$project/c.c" -o "$folder/consumer_c" $(pkg-config --cflags --libs zwang_c) -Wl,-rpath,"$prefix/$LIBDIR"
    "$folder/consumer_c" "$model" ;;
  faces)  # each of them without the library's own headers
    for name in kdl rbdl c; do
      case $name in c) library=$prefix/include/zwang.h ;; *) library=$prefix/include/zwang/compat/$name ;; esac
      [ -e "$library" ] || continue
      "$CMAKE" -S "$project/face" -B "$folder/$name" -G "$GENERATOR" -DCMAKE_BUILD_TYPE="$BUILD_TYPE" -DFACE="$name" \
        -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$CXX" ${LAUNCHER:+-DCMAKE_CXX_COMPILER_LAUNCHER="$LAUNCHER"}
      "$CMAKE" --build "$folder/$name" --parallel 2
      "$folder/$name/consumer_$name" "$model"
    done ;;
  # The library is not compiled again: this project asks the compiler for the objects that the build has, of which the linker makes the
  # programs. A build of shared libraries, or by other tools than Ninja, compiles it.
  add_subdirectory)
    configure -DZWANG_SOURCE="$SOURCE" -DZWANG_WERROR="$WERROR" -DZWANG_NATIVE="$NATIVE" "-DZWANG_LEVELS=${LEVELS//,/;}" \
      "-DZWANG_GROUPED=$GROUPED" -DCMAKE_CXX_FLAGS_RELEASE="$FLAGS_RELEASE" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
    if [ "$GENERATOR" = Ninja ] && [ -f "$BUILD/lib/libzwang.a" ]; then
      "$PYTHON" "$SOURCE/tests/house/same_commands.py" "$BUILD" "$folder"
      mkdir -p "$folder/zwang/lib"
      cp "$BUILD"/lib/libzwang*.a "$folder/zwang/lib"
      ninja=$(sed -n 's/^CMAKE_MAKE_PROGRAM:[A-Z]*=//p' "$folder/CMakeCache.txt")
      for name in consumer consumer_kdl consumer_rbdl; do
        [ -e "$BUILD/lib/lib${name/consumer/zwang}.a" ] || continue
        mapfile -t objects < <("$ninja" -C "$folder" -t inputs "$name" | grep -F "CMakeFiles/$name.dir/")
        "$CMAKE" --build "$folder" --target "${objects[@]}"
        (cd "$folder" && eval "$("$ninja" -t commands "$name" | tail -n 1)")  # the link
      done
    else
      "$CMAKE" --build "$folder" --parallel 2
    fi
    run ;;
  *)
    echo "unknown way: $way" >&2
    exit 1 ;;
esac
