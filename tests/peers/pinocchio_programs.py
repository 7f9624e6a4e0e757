#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs examples/written_for_pinocchio.py with Pinocchio and with zwang.pinocchio; their numbers must agree as far as they are printed.

Exit code 0: they do; 1: they do not; 77: skipped, since Python does not import pinocchio or zwang.
"""
import importlib
import pathlib
import re
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "examples" / "written_for_pinocchio.py"


def main():
    for name in ("pinocchio", "zwang.pinocchio"):
        try:
            importlib.import_module(name)
        except ImportError as error:
            print(f"skipped: {error}")
            return 77
    ours, theirs = (subprocess.run([sys.executable, str(PROGRAM), *more], capture_output=True, text=True, check=True).stdout
                    for more in ([], ["pinocchio"]))
    number = re.compile(r"-?\d+\.\d+")
    a, b = ([float(x) for x in number.findall(text)] for text in (ours, theirs))
    same = number.sub("", ours) == number.sub("", theirs) and len(a) == len(b)
    same = same and all(abs(x - y) <= 2e-6 + 1e-9 * abs(y) for x, y in zip(a, b))  # the last digit printed
    print(ours, "" if same else f"\nPinocchio:\n{theirs}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
