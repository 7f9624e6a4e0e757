#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The shared libraries show their own names alone, and a program that uses them catches their exceptions. Called by ctest, which sets the
# variables. A build of static libraries links shared ones from the same objects, as BUILD_SHARED_LIBS=ON would.
set -euo pipefail
folder=$WORK/exports
rm -rf "$folder"
mkdir -p "$folder"
libraries=()
link() {  # name, archive, what it needs
  "$CXX" -shared -o "$folder/lib$1.so" -Wl,-soname,"lib$1.so" -Wl,--version-script="$SOURCE/cmake/exports.map" \
    -Wl,--whole-archive "$2" -Wl,--no-whole-archive -Wl,--no-undefined "${@:3}" -pthread
}
if [ "$SHARED" = ON ]; then
  cp -L "$LIBRARY" "$folder/libzwang.so"
  [ -z "$KDL" ] || cp -L "$KDL" "$folder/libzwang_kdl.so"
  LD_LIBRARY_PATH=$folder:$(dirname "$LIBRARY")
else
  # shellcheck disable=SC2086
  link zwang "$LIBRARY" $NEEDED
  [ -z "$KDL" ] || link zwang_kdl "$KDL" "$folder/libzwang.so"
  LD_LIBRARY_PATH=$folder
fi
export LD_LIBRARY_PATH
libraries+=("$folder/libzwang.so")
[ -z "$KDL" ] || libraries+=("$folder/libzwang_kdl.so")
"$PYTHON" "$SOURCE/tools/check_exports.py" "$NM" "${libraries[@]}"
"$CXX" -std=c++20 -O1 -isystem "$EIGEN" -I"$SOURCE/include" "$SOURCE/tests/consumer/exceptions.cpp" -o "$folder/program" \
  -L"$folder" -lzwang -Wl,-rpath-link,"${LD_LIBRARY_PATH#*:}"
"$folder/program" "$SOURCE/models/arm7.urdf"
