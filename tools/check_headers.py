#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every public header compiles alone, twice in one file, with warnings as errors and with nothing but Eigen beside it."""
import argparse
import concurrent.futures
import subprocess
import sys

import sources

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-Wno-psabi"]


def compile_alone(compiler, includes, header):
    program = f'#include "{header}"\n#include "{header}"\n'
    command = [compiler, "-std=c++20", "-fsyntax-only", *WARNINGS, f"-I{sources.ROOT / 'include'}"]
    command += [flag for folder in includes for flag in ("-isystem", folder)]
    result = subprocess.run(command + ["-x", "c++", "-"], input=program, text=True, capture_output=True)
    return header, result.returncode, result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", action="append", default=[], help="folder of another library's headers (Eigen)")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    includes = arguments.include or ["/usr/include/eigen3"]
    folder = sources.ROOT / "include"
    headers = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.hpp"))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda h: compile_alone(arguments.compiler, includes, h), headers))
    failed = [(header, text) for header, code, text in results if code]
    for header, text in failed:
        print(f"include/{header} does not compile alone:\n{text}")
    if not failed:
        print(f"headers: ok ({len(headers)} headers)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
