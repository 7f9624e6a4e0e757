#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A shared library shows names of the namespaces zwang, KDL and RigidBodyDynamics alone, a Python module PyInit_ alone.

  check_exports.py NM FILE ...

The parts that other projects compiled into it (JSON, fmt, Eigen, nanobind, the standard library's templates) stay inside: another library
in the same program may hold them in another version.
"""
import re
import subprocess
import sys

LIMIT = 15  # names shown
# Names of the C++ ABI: a nested name of one of them, plain, of an object inside a function, of a table, of a thunk or of a guard.
OURS = re.compile(r"_Z(Z|GVZ|GV|T[VTSIWHC]|T[hv][\dn_]+)?N[VKRO]*(5zwang|3KDL|17RigidBodyDynamics)")
MODULE = re.compile(r"PyInit_\w+")
C = re.compile(r"zwang_[a-z0-9_]+")  # of the library for programs in C


def shown(nm, path):
    lines = subprocess.run([nm, "-D", "--defined-only", path], check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split()[-1] for line in lines if line.split()[-2:-1] != ["A"]]  # A: names of versions


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: check_exports.py NM FILE ...")
    failed = False
    for path in sys.argv[2:]:
        names = shown(sys.argv[1], path)
        module = any(MODULE.fullmatch(name) for name in names)
        ours = MODULE.fullmatch if module else C.fullmatch if "libzwang_c." in path else OURS.match
        wrong = [name for name in names if not ours(name)]
        plain = subprocess.run(["c++filt"], input="\n".join(wrong[:LIMIT]), capture_output=True, text=True, check=False).stdout
        print(f"{path}: {len(names)} names, {len(wrong)} of them not ours" + (f"\n{plain}" if wrong else ""))
        if not names or wrong:
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
