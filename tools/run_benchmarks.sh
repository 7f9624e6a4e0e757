#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What docs/benchmarks.md shows, made anew: builds zwang as it is shipped and its peers for this machine, compares them, draws.
#   tools/run_benchmarks.sh [--derivatives] [PYTHON]     PYTHON imports pinocchio and mujoco; without it build/peers_env is made (PyPI: pin, mujoco)
# --derivatives: the rows of quantities and derivatives alone, into the block of the page that is theirs.
# JOBS: compilers at a time (Pinocchio's two files take 3 GB each). BENCH_ARGUMENTS: more words for `zwang bench`.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "$0")/.."
build=build/benchmarks
only=() block=results suffix=
if [ "${1:-}" = --derivatives ]; then
  only=(--only "coriolis,centroidal,centroidal_dot,regressor,all_terms,rnea_derivatives,aba_derivatives,second_order,constrained_derivatives,vjp")
  block=derivatives suffix=-derivatives
  shift
fi
python=${1:-}
tools/install_dependencies.sh peers
if [ -z "$python" ]; then
  python=build/peers_env/bin/python
  if ! "$python" -c 'import pinocchio, mujoco' 2>/dev/null; then
    python3 -m venv build/peers_env
    "$python" -m pip install --quiet --disable-pip-version-check pin mujoco
  fi
  python=$PWD/$python
fi
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DZWANG_BUILD_TESTS=OFF -DZWANG_BUILD_EXAMPLES=OFF -DZWANG_PEERS=ON \
  -DZWANG_PEER_PYTHON="$python"
cmake --build "$build" --parallel "${JOBS:-2}" --target zwang_cli
results=docs/benchmarks/$(date -u +%F)$suffix.json
mkdir -p docs/benchmarks
# shellcheck disable=SC2086
"$build/bin/zwang" bench --peers --all "${only[@]}" --json "$results" ${BENCH_ARGUMENTS:-}
gzip --best --no-name --force "$results"
python3 tools/plot_benchmarks.py "$results.gz" --page docs/benchmarks.md --block "$block"
