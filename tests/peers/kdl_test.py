#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program written for KDL against Debian's KDL and against compat/kdl and compares what both print.

kdl_test.py <program with Debian's KDL> <program with compat/kdl>
Every line is a name, a code and numbers; numbers agree to 1e-9 of the largest of their line (at least of 1).
"""
import collections
import subprocess
import sys


def lines(program):
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return [line.split() for line in output.splitlines()]


def main():
    shipped, ours = lines(sys.argv[1]), lines(sys.argv[2])
    assert len(shipped) == len(ours), f"{len(shipped)} and {len(ours)} lines"
    worst, count, wrong = collections.Counter(), collections.Counter(), collections.Counter()
    for a, b in zip(shipped, ours):
        assert a[0] == b[0], f"{a[0]} and {b[0]}"
        count[a[0]] += 1
        if a[1] != b[1]:
            wrong[a[0]] += 1
            if wrong[a[0]] <= 3:
                print(f"{a[0]}: code {a[1]} of KDL, {b[1]} of zwang")
            continue
        x, y = [float(n) for n in a[2:]], [float(n) for n in b[2:]]
        scale = max([1.0] + [abs(n) for n in x])
        error = max([abs(m - n) / scale for m, n in zip(x, y)], default=0.0)
        worst[a[0]] = max(worst[a[0]], error)
        if not error <= 1e-9 or len(x) != len(y):
            wrong[a[0]] += 1
            if wrong[a[0]] <= 2:
                print(f"{a[0]}: {error:.1e}\n  {x}\n  {y}")
    for name, number in count.items():
        print(f"{name:24} {number:5} lines, {wrong[name]:4} differ, worst {worst[name]:.1e}")
    return 1 if sum(wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
