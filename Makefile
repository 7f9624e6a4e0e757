# SPDX-License-Identifier: BSD-3-Clause
# The two commands of the README and a few for whoever changes the code. CMake does the work; this file only remembers how.
#
#   make run            install what is missing, build, run the demonstration
#   make test           the same, then build and run all tests
#   make check FOLDER=dynamics   the tests of one folder of tests/, after building what they need and no more
#   make python         the Python package into .venv, with what its tests need (part of `make test`; PYTHON= leaves it out)
#   make bench          the Google Benchmark programs, built for this machine's processor (BENCH= adds options of CMake)
#   make benchmarks     zwang beside Pinocchio, KDL and MuJoCo: builds the peers, runs `zwang bench --peers --all`, writes
#                       docs/benchmarks (PEER_PYTHON= a Python that imports pinocchio and mujoco; without it one is made)
#   make sdist          the source distribution of the Python package, with the C++ libraries that it needs, in build/dist (ARCHIVES= a
#                       folder with their archives; without it they are downloaded; pip fetches its own tools)
#   make docs           the documentation as a site, in build/site, with the API reference of what is built (API_REFERENCE=--complete:
#                       fails where the Python package is not), and with the page "Try it" if tools/build_web.sh has built its module.
#                       Needs Debian's doxygen and libjs-katex, which it installs where it may,
#                       and mkdocs-material, which pip fetches into build/docs_env
#   make format         format all sources; make check-format only looks
#   make lint           ruff on all Python, clang-tidy on the C++ that has changed since the main branch
#   make clean          remove build/
.PHONY: run test check python bench benchmarks sdist docs format check-format lint clean dependencies configure
JOBS ?= $(shell nproc)
CTEST_ARGUMENTS ?=
BENCH ?=
PEER_PYTHON ?=
ARCHIVES ?=
API_REFERENCE ?=
PYTHON ?= python3
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

run: configure
	cmake --build build --parallel $(JOBS) --target demonstration zwang_cli
	build/bin/demonstration

test: configure $(if $(PYTHON),python)
	cmake --preset release --log-level=WARNING -DZWANG_TEST_PYTHON=$(if $(PYTHON),$(CURDIR)/.venv/bin/python)
	cmake --build build --parallel $(JOBS)
	ctest --test-dir build --output-on-failure --no-tests=error --parallel 2 --label-exclude '^peers$$' $(CTEST_ARGUMENTS) \
	  | awk '!/^ +Start +[0-9]+:/ && !/ Passed +[0-9.]+ sec$$/'

check: configure
	@tools/check_folder.sh "$(FOLDER)" $(JOBS)

python: configure
	cmake --build build --parallel $(JOBS) --target zwang zwang_kdl zwang_rbdl
	@tools/install_python.sh $(PYTHON)

configure: dependencies
	cmake --preset release --log-level=WARNING

dependencies:
	@tools/install_dependencies.sh

bench:
	@tools/install_dependencies.sh bench
	cmake --preset bench --log-level=WARNING $(BENCH)
	cmake --build build/bench --parallel $(JOBS)
	@for program in build/bench/bin/bench_*; do echo "$$program"; "$$program" || exit 1; done

benchmarks:
	@JOBS=$(JOBS) tools/run_benchmarks.sh $(PEER_PYTHON)

sdist:
	@test -x build/package_env/bin/pyproject-build || { python3 -m venv build/package_env && build/package_env/bin/pip install --quiet build; }
	tools/third_party.py $(if $(ARCHIVES),--archives $(ARCHIVES))
	@rm -rf build/dist
	build/package_env/bin/python -m build --sdist --outdir build/dist .
	build/package_env/bin/python tools/check_sdist.py build/dist build/dist/zwang-*.tar.gz

docs:
	@tools/install_dependencies.sh docs
	@python3 tools/api_reference.py $(API_REFERENCE)
	@test -x build/docs_env/bin/mkdocs || { python3 -m venv build/docs_env && build/docs_env/bin/pip install --quiet -r docs/requirements.txt; }
	NO_MKDOCS_2_WARNING=1 build/docs_env/bin/mkdocs build --strict --quiet

format:
	@tools/install_dependencies.sh format
	@git ls-files -co --exclude-standard -- '*.hpp' '*.cpp' | xargs clang-format-14 -i

check-format:
	@tools/install_dependencies.sh format
	@git ls-files -co --exclude-standard -- '*.hpp' '*.cpp' | xargs clang-format-14 --dry-run -Werror && echo "format: ok"

lint:
	@tools/install_dependencies.sh tidy
	@tools/lint_python.sh || [ $$? -eq 77 ]
	@tools/check_tidy.py || [ $$? -eq 77 ]

clean:
	rm -rf build
