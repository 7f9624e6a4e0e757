# SPDX-License-Identifier: BSD-3-Clause
# Sourced by scripts that build zwang for another machine or by another compiler (test_arm64.sh, test_compiler.sh). They set
#   build    the build folder, configured
#   jobs     how many compilers, or processes of tests, at a time
#   runner   the words before a program of tests: an emulator, or none
# known_folder FOLDER           whether tests/ has C++ tests there
# compile TARGET                builds it; where that fails, the end of what was said
# test_folders NAME FOLDER ...  builds and runs their tests; the last line is "NAME: ok" or "NAME: FAILED in ..."
# shellcheck shell=bash disable=SC2154

known_folder() { [ -n "$(find "tests/$1" -name '*.cpp' 2>/dev/null)" ]; }

compile() {
  cmake --build "$build" --parallel "$jobs" --target "$1" >"$build/$1.log" 2>&1 || { tail -40 "$build/$1.log"; return 1; }
}

# A program in as many processes as there are jobs, each with its share of the tests.
run_tests() {
  local folder=$1 shard status=0 shards=()
  rm -f "$build/$folder".*.log
  for ((shard = 0; shard < jobs; ++shard)); do
    GTEST_TOTAL_SHARDS=$jobs GTEST_SHARD_INDEX=$shard "${runner[@]}" "$build/bin/test_$folder" >"$build/$folder.$shard.log" 2>&1 &
    shards+=($!)
  done
  for shard in "${shards[@]}"; do wait "$shard" || status=1; done
  [ $status -eq 0 ] || cat "$build/$folder".*.log
  # Tests start programs, too: the last line of each process is its own.
  awk -v folder="$folder" '/^\[==========\] .* ran\./ {ran[FILENAME] = $2} /^\[  PASSED  \]/ {good[FILENAME] = $4}
    END {for (file in ran) {tests += ran[file]; passed += good[file]}
      printf "%s: %d tests, %d passed\n", folder, tests, passed; exit tests == 0}' "$build/$folder".*.log || status=1
  return $status
}

test_folders() {
  local name=$1 folder started built failed=()
  shift
  for folder in "$@"; do
    started=$SECONDS
    compile "test_$folder" || { failed+=("$folder"); continue; }
    built=$SECONDS
    run_tests "$folder" || failed+=("$folder")
    echo "$folder: built in $((built - started)) s, ran in $((SECONDS - built)) s"
  done
  [ ${#failed[@]} -eq 0 ] || { echo "$name: FAILED in ${failed[*]}"; return 1; }
  echo "$name: ok"
}
