#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What an edit costs: edit_cost.py [--write | --check]. Touch this, rebuild that, run these, seconds.

Asks Ninja what it would do after each edit (the file's time is set and put back), and adds up what these objects took the last time
(.ninja_log) and what the tests took (ctest). Nothing is built: it needs a finished `CCACHE_DISABLE=1 make test`, since with a compiler cache the log
has the time of copies. --write puts the table into CONTRIBUTING.md, with the day and the machine; --check only looks whether the files and
folders that it names are there, and whether a table that was written is of these edits and says when and where it was measured.
"""
import argparse
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import sources

BUILD = sources.ROOT / "build"
COSTS = "Testing/Temporary/CTestCostData.txt"
PAGE = sources.ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- edit_cost: begin -->\n", "<!-- edit_cost: end -->\n"
EDITS = [  # what it is, a file of that kind, the folders of tests to run first
    ("a test", "tests/dynamics/solver_test.cpp", "dynamics"),
    ("a helper of all tests", "tests/support/effort.hpp", "dynamics"),
    ("a source of a solve", "src/solve/solve.cpp", "dynamics"),
    ("a private header of solves", "src/solve/solver_parts.hpp", "dynamics"),
    ("a method", "src/factor/method/dense_qr.cpp", "dynamics"),
    ("a reader", "src/io/urdf_reader.cpp", "io fuzz"),
    ("an integrator", "src/simulation/integrators.cpp", "simulation"),
    ("a kernel", "src/kernels/state.cpp", "algorithm batch"),
    ("a page", "include/zwang/algorithm/page/inverse_dynamics.hpp", "algorithm batch"),
    ("a joint", "include/zwang/model/joints/universal.hpp", "model algorithm"),
    ("a constraint", "include/zwang/constraint/page/loop.hpp", "constraint dynamics"),
    ("a field of the report", "include/zwang/certify/solve_report.hpp", "dynamics io cli python"),
    ("a command", "cli/simulate.cpp", "cli"),
    ("a binding", "python/src/solver.cpp", "python"),
    ("Python alone", "python/zwang/study/run.py", "python"),
    ("a class of KDL", "compat/kdl/src/tree.cpp", "kdl"),
    ("a page of docs", "docs/solvers.md", "docs"),
]


def seconds_of_outputs(build):
    log = build / ".ninja_log"
    rows = [line.split("\t") for line in log.read_text().splitlines() if not line.startswith("#")] if log.exists() else []
    return {output: (int(end) - int(start)) / 1000 for start, end, _, output, _ in rows}


def what_ninja_would_do(build):
    """(objects, programs and libraries). A copy of the build file is asked: Ninja would make the file itself anew first, and say no more."""
    copy = build / "edit_cost.ninja"
    shutil.copyfile(build / "build.ninja", copy)
    try:
        said = subprocess.run(["ninja", "-C", str(build), "-f", copy.name, "-n"], capture_output=True, text=True, check=True).stdout
    finally:
        copy.unlink()
    objects = re.findall(r"^\[\d+/\d+\] Building CXX object (\S+)", said, re.M)
    linked = re.findall(r"^\[\d+/\d+\] Linking CXX (?:executable|shared module|static library) (\S+)", said, re.M)
    return set(objects), set(linked)


def after_touching(file):
    """(objects, programs and libraries, core seconds) of the build and of the Python module's build."""
    path, objects, linked, spent = sources.ROOT / file, 0, 0, 0.0
    builds = [b for b in (BUILD, BUILD / "python") if (b / "build.ninja").exists()]
    before = {build: what_ninja_would_do(build) for build in builds}
    was = path.stat()
    try:
        now = time.time_ns()
        os.utime(path, ns=(now, now))
        for build in builds:
            would, did = what_ninja_would_do(build), before[build]
            seconds = seconds_of_outputs(build)
            new = (would[0] - did[0], would[1] - did[1])
            objects, linked = objects + len(new[0]), linked + len(new[1])
            spent += sum(seconds.get(output, 0.0) for output in new[0] | new[1])
    finally:
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    return objects, linked, spent


def seconds_of_tests(folders):
    costs = (BUILD / COSTS).read_text().split("---")[0].splitlines()
    rows = [line.rsplit(" ", 2) for line in costs]
    return sum(float(cost) for name, _, cost in rows if name.split(".")[0].split("_")[0] in folders.split())


def table():
    lines = ["| touch this | for example | is compiled anew | core seconds | run first `make check FOLDER=` | core seconds |", "|---|---|---|---|---|---|"]
    for what, file, folders in EDITS:
        objects, linked, spent = after_touching(file)
        if not objects and file.endswith((".hpp", ".cpp")):
            sys.exit(f"edit cost: nothing would be compiled after an edit of {file}: `make test` comes first")
        built = f"{objects} objects, {linked} links" if objects else "nothing"
        names = ", ".join(f"`{name}`" for name in folders.split())
        lines.append(f"| {what} | `{file}` | {built} | {spent:.0f} | {names} | {seconds_of_tests(folders):.0f} |")
    return "\n".join(lines) + "\n"


def measured_here():
    """When the tests were run, and where: the line below the table."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    processor = re.search(r"^model name\s*: (.*)", text, re.M)
    cores = len(os.sched_getaffinity(0))
    measured = datetime.date.fromtimestamp((BUILD / COSTS).stat().st_mtime) if (BUILD / COSTS).exists() else datetime.date.today()
    return f"\n{measured}, {processor[1] if processor else 'unknown processor'}, {cores} cores.\n"


def says_when_and_where(page):
    return bool(re.search(r"\n\n\d{4}-\d\d-\d\d, .+, \d+ cores\.\n$", page.split(BEGIN)[1].split(END)[0]))


def rows_of(page):
    """[(what, file)] of the table in the page; none where it was not written."""
    return re.findall(r"^\| ([^|]+) \| `([^`]+)` \|", page.split(BEGIN)[1].split(END)[0], re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the table into CONTRIBUTING.md")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    missing = [file for _, file, _ in EDITS if not (sources.ROOT / file).exists()]
    missing += [f"tests/{folder}" for *_, folders in EDITS for folder in folders.split() if not (sources.ROOT / "tests" / folder).is_dir()]
    if missing:
        sys.exit(f"edit cost: no such file: {', '.join(missing)}")
    if arguments.check:
        page = PAGE.read_text(encoding="utf-8")
        rows = rows_of(page)
        if rows and rows != [(what, file) for what, file, _ in EDITS]:
            sys.exit(f"edit cost: {PAGE.name} has other rows than EDITS: edit_cost.py --write after `make test`")
        if rows and not says_when_and_where(page):
            sys.exit(f"edit cost: {PAGE.name} does not say when and where the table was measured: edit_cost.py --write")
        print(f"edit cost: ok ({len(EDITS)} kinds)")
        return 0
    if not (BUILD / COSTS).exists():
        sys.exit("edit cost: `make test` comes first")
    text = table() + measured_here()
    print(text, end="")
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        head, rest = page.split(BEGIN)
        PAGE.write_text(head + BEGIN + text + END + rest.split(END)[1], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
