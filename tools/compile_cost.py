#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a user pays to compile: tests/house/user_program.cpp against a file that only includes <Eigen/Core>.

The cost is the memory that GCC allocates for what it parses, instantiates and optimises (the total of its -ftime-report): every object
counts, whether it is freed or not. The number is the same at every run and on every machine, since when GCC collects its garbage is said
here (by itself it looks at the machine's memory). --time also reports CPU times and peak memory, which decide nothing. Exit 77
(skipped) with a compiler that keeps no such account.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import sources

USER_PROGRAM = sources.ROOT / "tests" / "house" / "user_program.cpp"
COLLECTION = ["--param", "ggc-min-expand=100", "--param", "ggc-min-heapsize=131072"]  # GCC's own where memory is plenty
UNITS = {"": 1.0 / 1024, "k": 1.0 / 1024, "M": 1.0, "G": 1024.0}


def allocated(command):
    """MB that GCC allocates, or None."""
    done = subprocess.run(command + ["-ftime-report", *COLLECTION], capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    if done.returncode != 0:  # perhaps because of these options
        measure(command)
        return None
    total = re.search(r"^ *TOTAL *:.*?(\d+)\s*([kMG]?)B?\s*$", done.stderr, re.MULTILINE)
    return float(total[1]) * UNITS[total[2]] if total else None


def measure(command):
    """CPU seconds and peak memory [MB] of one run and its children."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"compile cost: '{' '.join(command)}' failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0


def report_times(eigen_only, user_program, runs):
    """The median of the ratios of two compilations one after the other: other work on the machine slows down both."""
    pairs = [(measure(eigen_only), measure(user_program)) for _ in range(runs)]
    print(f"compile cost: user program {min(u[0] for _, u in pairs):.2f} s CPU, <Eigen/Core> alone {min(e[0] for e, _ in pairs):.2f} s, "
          f"ratio {statistics.median(u[0] / e[0] for e, u in pairs):.2f}, peak {max(u[1] for _, u in pairs):.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", action="append", default=[], help="folder of another library's headers (Eigen)")
    parser.add_argument("--ratio", type=float, default=1.45, help="largest allowed ratio of allocated memory")
    parser.add_argument("--time", type=int, default=0, metavar="RUNS", help="also report the times of this many runs")
    arguments = parser.parse_args()
    includes = arguments.include or ["/usr/include/eigen3"]
    with tempfile.TemporaryDirectory() as folder:
        eigen_only = pathlib.Path(folder) / "eigen_only.cpp"
        eigen_only.write_text("#include <Eigen/Core>\nint main() {}\n", encoding="utf-8")
        command = [arguments.compiler, "-std=c++20", "-O2", "-c", "-o", os.devnull, f"-I{sources.ROOT / 'include'}"]
        command += [flag for path in includes for flag in ("-isystem", path)]
        if arguments.time > 0:
            report_times(command + [str(eigen_only)], command + [str(USER_PROGRAM)], arguments.time)
        eigen, user = allocated(command + [str(eigen_only)]), allocated(command + [str(USER_PROGRAM)])
    if not eigen or not user:
        print(f"compile cost: skipped: {arguments.compiler} does not say what it allocates, as GCC does")
        return 77
    good = user / eigen <= arguments.ratio
    print(f"compile cost: {'ok' if good else 'TOO HIGH'}: {user:.0f} MB allocated for a user's program, {eigen:.0f} MB for <Eigen/Core>, "
          f"ratio {user / eigen:.2f} (limit {arguments.ratio})")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
