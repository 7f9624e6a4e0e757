#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The library defines no function of Eigen that a user's program may define as well.

Eigen's inline functions depend on the compiler's flags: with -march=native they allocate and load with a wider alignment. Where
the library and a user's program both hold an out-of-line copy, the linker keeps one of them for both, and memory that one side
allocated is freed by the other side's rule. Hence compiled code meets Eigen's types only through Ref and Map, and whatever owns
memory (a returned VectorXd) is made by inline functions in the user's own file (ARCHITECTURE.md, Eigen at the border).
"""
import subprocess
import sys

LIMIT = 15  # symbols shown
# Only throws: it is the same whatever the flags are. A call whose arguments may allocate brings it along, even where they do not.
HARMLESS = "Eigen::internal::throw_std_bad_alloc"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: check_symbols.py NM LIBRARY")
    command = [sys.argv[1], "-A", "-C", "--defined-only", sys.argv[2]]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = set()
    for line in lines:
        parts = line.split(maxsplit=2)  # library:object:address, kind, name
        if len(parts) != 3 or parts[1] not in "WVu":
            continue
        name = parts[2].removeprefix("void ")
        # A function of Eigen itself, not one of ours or of the standard library that mentions an Eigen type.
        head = name.split("(")[0].split("<")[0]
        if head.split()[-1:] and head.split()[-1].startswith("Eigen::") and head.split()[-1] != HARMLESS:
            found.add((parts[0].split(":")[1] if ":" in parts[0] else "", parts[2]))
    for place, name in sorted(found)[:LIMIT]:
        print(f"{place}: {name[:160]}")
    if len(found) > LIMIT:
        print(f"... and {len(found) - LIMIT} more")
    print(f"symbols: {'ok' if not found else 'the library holds copies of Eigen functions'} ({len(lines)} symbols)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
