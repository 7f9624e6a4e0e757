#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Of what sources a module for browsers has been built: a hash of them, which tools/build_web.sh leaves beside the module.

    tools/web_sources.py [--write] [build/web/site]

Without --write: exit 1 where the module was built from other sources than those of this tree."""
import argparse
import hashlib
import pathlib
import sys

from sources import ROOT

_FOLDERS = ("web", "cli", "viewer", "src", "include", "cmake")
_FILES = ("CMakeLists.txt", "CMakePresets.json", "models/five_bar.urdf", "models/quadruped.urdf")


def of_tree(root=ROOT):
    """A hash of the names and the contents of all that the module, its face and its page are made of."""
    files = [root / name for name in _FILES] + [p for folder in _FOLDERS for p in (root / folder).rglob("*")]
    total = hashlib.sha256()
    for path in sorted(p for p in files if p.is_file() and "__pycache__" not in p.parts):
        total.update(f"{path.relative_to(root)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def of_module(site):
    """What was written beside a module, or nothing."""
    mark = site / "sources.txt"
    return mark.read_text().strip() if mark.is_file() else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("site", type=pathlib.Path, nargs="?", default=ROOT / "build/web/site")
    setup = parser.parse_args()
    if setup.write:
        (setup.site / "sources.txt").write_text(of_tree() + "\n")
        return 0
    return 0 if of_module(setup.site) == of_tree() else 1


if __name__ == "__main__":
    sys.exit(main())
