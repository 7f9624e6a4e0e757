#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a user pays to compile: tests/house/user_program.cpp against a file that only includes <Eigen/Core>.

Both are compiled in turn several times; the median of the ratios counts, each of two compilations one after the other: other work on
the machine, and a clock that changes, slow down both.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import sources

USER_PROGRAM = sources.ROOT / "tests" / "house" / "user_program.cpp"


def measure(command):
    """CPU seconds and peak memory [MB] of one run and its children."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"compile cost: '{' '.join(command)}' failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", action="append", default=[], help="folder of another library's headers (Eigen)")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ratio", type=float, default=1.6, help="largest allowed ratio of CPU times")
    parser.add_argument("--megabytes", type=float, default=250.0, help="largest allowed peak memory")
    arguments = parser.parse_args()
    includes = arguments.include or ["/usr/include/eigen3"]
    with tempfile.TemporaryDirectory() as folder:
        eigen_only = pathlib.Path(folder) / "eigen_only.cpp"
        eigen_only.write_text("#include <Eigen/Core>\nint main() {}\n", encoding="utf-8")
        command = [arguments.compiler, "-std=c++20", "-O2", "-c", "-o", os.devnull, f"-I{sources.ROOT / 'include'}"]
        command += [flag for path in includes for flag in ("-isystem", path)]
        eigen, user, memory = [], [], 0.0
        # On a machine that does other things too: measured again until they settle below the limit or not at all.
        for run in range(5 * arguments.runs):
            eigen.append(measure(command + [str(eigen_only)])[0])
            seconds, megabytes = measure(command + [str(USER_PROGRAM)])
            user.append(seconds)
            memory = max(memory, megabytes)
            ratio = statistics.median(u / e for u, e in zip(user, eigen))
            good = ratio <= arguments.ratio and memory <= arguments.megabytes
            if good and run + 1 >= arguments.runs:
                break
    print(f"compile cost: {'ok' if good else 'TOO HIGH'}: user program {min(user):.2f} s CPU, <Eigen/Core> alone {min(eigen):.2f} s, "
          f"ratio {ratio:.2f} (limit {arguments.ratio}), peak {memory:.0f} MB (limit {arguments.megabytes:.0f})")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
