#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each file names what it includes: it compiles alone, with warnings as errors.

  check_alone.py headers    every public header and those of compat/rbdl and compat/c, twice in one file, with nothing but Eigen beside it
  check_alone.py sources    every source of the library, of compat/ and of viewer. The build compiles them in groups, on compiled headers,
                            where one finds what a neighbour includes.
  check_alone.py v4         every kernel for that instruction set (or v3), where no kernel of it can run: its templates are instantiated,
                            no code is made

Eigen takes most of the time of a file that reaches it: such a file finds it compiled. Nothing is written.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import sources

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-Wno-psabi"]
INCLUDED = re.compile(r'^#include ["<](.*?)[">]', re.M)
PARTS = {  # folder of sources: where its quoted headers are
    "src": ["src"],
    "compat/kdl/src": ["compat/kdl/src", "compat/kdl/include", "compat/kdl/include/kdl"],
    "compat/rbdl/src": ["compat/rbdl/src", "compat/rbdl/include"],
    "compat/c/src": ["compat/c/src", "compat/c/include"],
    "viewer": ["."],
}
NOT_GROUPED = ("src/kernels/", "src/instantiate/", "viewer/embedded.cpp")  # every build compiles each of these by itself


class Reach:
    """Whether a file, or a header that it includes, includes <Eigen/Core>."""

    def __init__(self, folders):
        self.folders, self.known = folders, {}

    def __call__(self, file):
        if file not in self.known:
            self.known[file] = False  # a header that includes itself reaches nothing by that
            names = INCLUDED.findall(file.read_text(encoding="utf-8"))
            found = (place / name for name in names for place in (file.parent, *self.folders) if (place / name).is_file())
            self.known[file] = any(name.startswith("Eigen/") for name in names) or any(map(self, found))
        return self.known[file]


def headers():
    """(what is printed, a program or None for the file itself, the file, folders of headers)"""
    folder = sources.ROOT / "include"
    for file in sorted(folder.rglob("*.hpp")):
        include = f'#include "{file.relative_to(folder).as_posix()}"\n'
        yield sources.relative(file), 2 * include, file, [folder]
    for face in ("rbdl", "c"):
        folder = sources.ROOT / "compat" / face / "include"
        for file in sorted(folder.rglob("*.h")):
            yield sources.relative(file), 2 * f"#include <{file.relative_to(folder).as_posix()}>\n", file, [folder]


def single_sources():
    for part, places in PARTS.items():
        folders = [sources.ROOT / "include", *(sources.ROOT / place for place in places)]
        for file in sorted((sources.ROOT / part).rglob("*.cpp")):
            if not sources.relative(file).startswith(NOT_GROUPED):
                yield sources.relative(file), None, file, folders


def kernels():
    folders = [sources.ROOT / "include", sources.ROOT / "src"]
    for file in sorted((sources.ROOT / "src/kernels").glob("*.cpp")):
        yield sources.relative(file), None, file, folders


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["headers", "sources", "v3", "v4"])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", action="append", default=[], help="folder of another library's headers (Eigen)")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    command = [arguments.compiler, "-std=c++20", *WARNINGS, "-DZWANG_BUILT_LEVELS=LEVEL(generic,plain)", '-DZWANG_VERSION="0"']  # as the build gives them
    command += [flag for path in arguments.include or ["/usr/include/eigen3"] for flag in ("-isystem", path)]
    if arguments.what in ("v3", "v4"):
        command += ["-O2", f"-march=x86-64-{arguments.what}", f"-DZWANG_ISA={arguments.what}"]
    files = list({"headers": headers, "sources": single_sources}.get(arguments.what, kernels)())
    reaches = Reach(sorted({folder for *_, folders in files for folder in folders}))
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        eigen = pathlib.Path(temporary) / "eigen.hpp"
        eigen.write_text("#include <Eigen/Core>\n")
        subprocess.run([*command, "-x", "c++-header", str(eigen), "-o", f"{eigen}.gch"], check=True)

        def compile_alone(file):
            name, program, path, folders = file
            words = [*command, *(["-include", str(eigen)] if reaches(path) else []), *(f"-I{folder}" for folder in folders)]
            if name.startswith("compat/") and program:
                words.append("-std=c++17")  # headers for programs of another library
            done = subprocess.run([*words, "-fsyntax-only", "-x", "c++", "-" if program else str(path)], input=program, text=True,
                                  capture_output=True)
            return name, done.returncode, done.stderr

        failed = [(name, text) for name, code, text in pool.map(compile_alone, files) if code]
    for name, text in failed:
        print(f"{name} does not compile alone:\n{text}")
    if not failed:
        print(f"{arguments.what}: ok ({len(files)} files)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
