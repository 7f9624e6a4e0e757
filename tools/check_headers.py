#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every public header compiles alone, twice in one file, with warnings as errors and with nothing but Eigen beside it."""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import sources

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-Wno-psabi"]


def reach_eigen(folder, headers):
    """Those that include <Eigen/Core>, or a header that does."""
    included = {h: set(re.findall(r'^#include ["<](.*?)[">]', (folder / h).read_text(), re.M)) for h in headers}
    found = {h for h in headers if "Eigen/Core" in included[h]}
    while more := {h for h in headers if h not in found and included[h] & found}:
        found |= more
    return found


def compile_alone(command, header):
    program = f'#include "{header}"\n#include "{header}"\n'
    result = subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=program, text=True, capture_output=True)
    return header, result.returncode, result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", action="append", default=[], help="folder of another library's headers (Eigen)")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    command = [arguments.compiler, "-std=c++20", *WARNINGS, f"-I{sources.ROOT / 'include'}"]
    command += [flag for path in arguments.include or ["/usr/include/eigen3"] for flag in ("-isystem", path)]
    folder = sources.ROOT / "include"
    headers = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.hpp"))
    with_eigen = reach_eigen(folder, headers)
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # Half of the time goes into Eigen: headers that reach it find it compiled.
        eigen = pathlib.Path(temporary) / "eigen.hpp"
        eigen.write_text("#include <Eigen/Core>\n")
        subprocess.run([*command, "-x", "c++-header", str(eigen), "-o", f"{eigen}.gch"], check=True)
        begin = ["-include", str(eigen)]
        results = list(pool.map(lambda h: compile_alone([*command, *(begin if h in with_eigen else [])], h), headers))
    failed = [(header, text) for header, code, text in results if code]
    for header, text in failed:
        print(f"include/{header} does not compile alone:\n{text}")
    if not failed:
        print(f"headers: ok ({len(headers)} headers)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
