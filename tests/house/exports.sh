#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The shared libraries show their own names alone, and a program that uses them catches their exceptions. Called by ctest, which sets the
# variables. A build of static libraries links shared ones from the same objects, as BUILD_SHARED_LIBS=ON would.
set -euo pipefail
folder=$WORK/exports
rm -rf "$folder"
mkdir -p "$folder"
libraries=()
IFS=: read -ra facades <<<"$FACADES"  # libzwang_kdl, libzwang_rbdl, libzwang_c: those that are built
link() {  # name, archive, what it needs
  local map=$SOURCE/cmake/exports.map
  [ "$1" != zwang_c ] || map=$SOURCE/compat/c/exports.map
  "$CXX" -shared -o "$folder/lib$1.so" -Wl,-soname,"lib$1.so" -Wl,--version-script="$map" \
    -Wl,--whole-archive "$2" -Wl,--no-whole-archive -Wl,--no-undefined "${@:3}" -pthread
}
if [ "$SHARED" = ON ]; then
  cp -L "$LIBRARY" "$folder/libzwang.so"
  for facade in "${facades[@]}"; do cp -L "$facade" "$folder/$(basename "${facade%%.so*}").so"; done
  LD_LIBRARY_PATH=$folder:$(dirname "$LIBRARY")
else
  # shellcheck disable=SC2086
  link zwang "$LIBRARY" $NEEDED
  for facade in "${facades[@]}"; do
    name=$(basename "$facade" .a)
    if [ "$name" = "$(basename "$facade")" ]; then  # it is shared already
      cp -L "$facade" "$folder/${name%%.so*}.so"
      continue
    fi
    link "${name#lib}" "$facade" "$folder/libzwang.so"
  done
  LD_LIBRARY_PATH=$folder
fi
export LD_LIBRARY_PATH
libraries+=("$folder/libzwang.so")
for facade in "${facades[@]}"; do
  name=$(basename "$facade")
  libraries+=("$folder/${name%%.*}.so")
done
"$PYTHON" "$SOURCE/tools/check_exports.py" "$NM" "${libraries[@]}"
"$CXX" -std=c++20 -O1 -isystem "$EIGEN" -I"$SOURCE/include" "$SOURCE/tests/consumer/exceptions.cpp" -o "$folder/program" \
  -L"$folder" -lzwang -Wl,-rpath-link,"${LD_LIBRARY_PATH#*:}"
"$folder/program" "$SOURCE/models/arm7.urdf"
