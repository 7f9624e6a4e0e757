#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What users may compile by itself compiles by itself, with warnings as errors.

    check_alone.py headers    each public header, twice in one file, with nothing but Eigen beside it
    check_alone.py sources    each source of the library and of the program, which a build compiles in groups (zwang_group); what
                              zwang_precompile reads once is read once here, too. Kernels are left out: no build groups them.
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

import sources

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-Wno-psabi"]
READ_ONCE = ["Eigen/Core", "algorithm", "array", "cmath", "memory", "optional", "span", "string", "vector"]


def run(command, text=None):
    result = subprocess.run(command, input=text, text=True, capture_output=True)
    return result.stderr if result.returncode else ""


def header_alone(command, header):
    program = f'#include "{header}"\n#include "{header}"\n'
    return run([*command, "-fsyntax-only", "-x", "c++", "-"], program)


def source_alone(command, folder, source):
    return run([*command, "-fsyntax-only", "-include", str(folder / "read_once.hpp"), str(sources.ROOT / source)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["headers", "sources"])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", action="append", default=[], help="folder of another library's headers (Eigen)")
    parser.add_argument("--define", action="append", default=[], help="NAME=VALUE")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    command = [arguments.compiler, "-std=c++20", *WARNINGS, f"-I{sources.ROOT / 'include'}"]
    command += [flag for folder in arguments.include or ["/usr/include/eigen3"] for flag in ("-isystem", folder)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = pathlib.Path(folder)
        if arguments.what == "headers":
            root = sources.ROOT / "include"
            names = sorted(p.relative_to(root).as_posix() for p in root.rglob("*.hpp"))
            found = pool.map(lambda name: header_alone(command, name), names)
        else:
            command += [f"-I{sources.ROOT / name}" for name in ("src", "cli", "")] + [f"-D{x}" for x in arguments.define]
            names = sorted(p.relative_to(sources.ROOT).as_posix() for name in ("src", "cli") for p in (sources.ROOT / name).rglob("*.cpp"))
            names = [name for name in names if not name.startswith(("src/kernels/", "src/instantiate/"))]
            read_once = folder / "read_once.hpp"
            read_once.write_text("".join(f"#include <{name}>\n" for name in READ_ONCE))
            if complaint := run([*command, "-x", "c++-header", str(read_once), "-o", f"{read_once}.gch"]):
                print(complaint)
                return 1
            found = pool.map(lambda name: source_alone(command, folder, name), names)
        failed = [(name, text) for name, text in zip(names, found) if text]
    for name, text in failed:
        print(f"{name} does not compile alone:\n{text}")
    if not failed:
        print(f"{arguments.what}: ok ({len(names)})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
