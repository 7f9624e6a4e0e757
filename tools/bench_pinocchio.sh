#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Times zwang beside Pinocchio in one process. Needs clang++-19 and the Python package `pin` (its headers are used, nothing of it is
# linked): tools/bench_pinocchio.sh PYTHON [BUILD]      PYTHON: an interpreter that imports pinocchio
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:?usage: tools/bench_pinocchio.sh PYTHON [BUILD]}
build=${2:-build/bench-pinocchio}
include=$("$python" -c 'import cmeel, pathlib; print(pathlib.Path(list(cmeel.__path__)[0]).parent / "cmeel.prefix" / "include")')
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DZWANG_NATIVE=ON -DZWANG_BUILD_TESTS=OFF -DZWANG_BUILD_CLI=OFF \
  -DZWANG_BUILD_EXAMPLES=OFF --log-level=WARNING
cmake --build "$build" --parallel 2
definitions=(-DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
  -DBOOST_FUSION_INVOKE_MAX_ARITY=12)
for convention in LOCAL WORLD; do
  peer="$build/peer_$convention.o"
  [ "$peer" -nt bench/pinocchio/peer.cpp ] || clang++-19 -std=c++20 -O3 -march=native -DNDEBUG "${definitions[@]}" \
    -DPEER_CONVENTION="pinocchio::Convention::$convention" -isystem "$include" -isystem /usr/include/eigen3 -w \
    -c bench/pinocchio/peer.cpp -o "$peer"
  c++ -std=c++20 -O2 -march=native -DNDEBUG -Iinclude -isystem /usr/include/eigen3 -DZWANG_SHARED_ROBOTS='"../shared/robots"' \
    bench/pinocchio/compare.cpp "$peer" "$build/lib/libzwang.a" -lpugixml -lfmt -o "$build/compare_$convention"
  echo "Pinocchio's convention for ABA and CRBA: $convention. $(c++ --version | head -n 1); $(clang++-19 --version | head -n 1)"
  echo "load average: $(cut -d' ' -f1-3 /proc/loadavg); $(grep -m1 'model name' /proc/cpuinfo)"
  "$build/compare_$convention"
done
