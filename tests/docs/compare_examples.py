#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An example in C++ and its partner in Python print the same: all words, and all numbers to 1e-6 of their size.

    tests/docs/compare_examples.py PROGRAM SCRIPT PYTHON

PROGRAM `-`: the script has no partner; it must end well.
Exit 77 (skipped) where PYTHON does not exist or cannot import zwang.
"""
import pathlib
import re
import subprocess
import sys

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def output(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[-1]} failed with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.splitlines()


def same(a, b):
    if _NUMBER.sub("#", a).split() != _NUMBER.sub("#", b).split():
        return False
    pairs = zip(map(float, _NUMBER.findall(a)), map(float, _NUMBER.findall(b)))
    return all(abs(x - y) <= 1e-6 * max(1.0, abs(x), abs(y)) for x, y in pairs)


def main():
    program, script, python = sys.argv[1:]
    if not pathlib.Path(python).exists() or subprocess.run([python, "-c", "import zwang"], capture_output=True).returncode:
        print(f"skipped: {python} cannot import zwang (make python)")
        return 77
    theirs = output([python, script])
    if program == "-":
        print(theirs[-1])
        return 0
    ours = output([program])
    if len(ours) < 4 or len(ours) != len(theirs):
        sys.exit(f"{len(ours)} lines in C++, {len(theirs)} in Python")
    for number, (a, b) in enumerate(zip(ours, theirs), 1):
        if not same(a, b):
            sys.exit(f"line {number}\n  C++:    {a}\n  Python: {b}")
    print(f"{len(ours)} lines agree; the last: {ours[-1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
