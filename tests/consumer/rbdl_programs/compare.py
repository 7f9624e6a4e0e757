#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare.py expected.txt printed.txt: lines `name number` agree, by 1e-9 of 1 + the largest number of the name."""
import sys


def read(path):
    with open(path, encoding="utf-8") as text:
        return [(line.rpartition(" ")[0], float(line.rpartition(" ")[2])) for line in text if line.strip()]


def differences(expected, printed):
    """Sentences about what differs."""
    if [name for name, _ in expected] != [name for name, _ in printed]:
        return [f"other names: {sorted({n for n, _ in expected} ^ {n for n, _ in printed})}"]
    scale = {}
    for name, x in expected:
        vector = name.partition("[")[0]
        scale[vector] = max(scale.get(vector, 1), 1 + abs(x))
    return [f"{name}: {y!r}, expected {x!r}" for (name, x), (_, y) in zip(expected, printed)
            if not abs(x - y) <= 1e-9 * scale[name.partition("[")[0]]]


if __name__ == "__main__":
    found = differences(read(sys.argv[1]), read(sys.argv[2]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
