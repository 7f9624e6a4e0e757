#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the source distribution of the Python package and looks into it: all that a build needs, nothing that a build has made.

  check_sdist.py FOLDER [FILE]      FILE: looks into this one, and expects the C++ libraries of third_party/ in it (make sdist)

Exit 77: this Python has no scikit-build-core.
"""
import os
import pathlib
import sys
import tarfile

import dependencies

NEEDED = ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "THIRD_PARTY_NOTICES.md", "PKG-INFO", "cmake/flags.cmake",
          "cmake/exports.map", "cmake/dependencies.cmake", "cmake/bill_of_materials.cmake", "python/exports.map", "python/zwang/__init__.py",
          "src/CMakeLists.txt",
          "include/zwang/zwang.hpp", "viewer/player.js", "compat/kdl/CMakeLists.txt", "compat/rbdl/CMakeLists.txt", "packaging/dependencies.json", "tools/make_sbom.py",
          "tools/dependencies.py")
UNWANTED = {"build", ".venv", ".git", "__pycache__", "docs", "tests", "bench"}
LIMIT = 8 << 20  # bytes, packed: the sources of the libraries are a third of it


def not_of_the_package(names):
    """What third_party/ has beside the libraries that the Python package is built with: the program's, and whatever else stood there."""
    folders = {d["folder"] for d in dependencies.read() if "folder" in d and "python" in d["parts"]}
    found = {name.split("/")[1] for name in names if name.startswith("third_party/")}
    return [f"third_party/{folder}" for folder in sorted(found - folders)]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: check_sdist.py FOLDER [FILE]")
    if len(sys.argv) == 3:
        made = pathlib.Path(sys.argv[2])
    else:
        try:
            from scikit_build_core import build
        except ImportError:
            print("source distribution: not made, this Python has no scikit-build-core")
            return 77
        folder = pathlib.Path(sys.argv[1]).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(dependencies.ROOT)
        made = folder / build.build_sdist(str(folder))
    with tarfile.open(made) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    problems = [f"has no {name}" for name in NEEDED if name not in names]
    problems += [f"has {name}" for name in sorted(names) if name.partition("/")[0] in UNWANTED or name.endswith(".pyc")]
    problems += [f"has {name}, which is no library of the Python package" for name in not_of_the_package(names)]
    if len(sys.argv) == 3:
        problems += [f"has no sources of {d['name']}" for d in dependencies.read()
                     if "archives" in d and f"third_party/{d['folder']}/version.txt" not in names]
    if f"zwang-{dependencies.project_version()}" not in made.name:
        problems.append(f"is not named after version {dependencies.project_version()}")
    if made.stat().st_size > LIMIT:
        problems.append(f"has {made.stat().st_size >> 20} MiB, the limit is {LIMIT >> 20}")
    print("\n".join(f"{made.name} {p}" for p in problems[:20]) or f"source distribution: ok ({len(names)} files, {made.stat().st_size >> 10} KiB)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
