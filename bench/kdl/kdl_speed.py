#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the programs of this folder with Debian's KDL and with an installed zwang::kdl, runs both and prints ratios.

bench/kdl/kdl_speed.py [build folder, default: build] [poses, default: 10000]
Needs liborocos-kdl-dev and the build folder of zwang (its libraries).
"""
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent


def compiled(source, folder, build, shipped):
    program = folder / f"{source}_{'kdl' if shipped else 'zwang'}"
    options = ["g++", "-std=c++17", "-O2", "-isystem", "/usr/include/eigen3", str(FOLDER / f"{source}.cpp"), "-o", str(program)]
    if shipped:
        options += ["-w", "-lorocos-kdl"]
    else:
        options += [f"-I{ROOT}/compat/kdl/include", f"{build}/lib/libzwang_kdl.a", f"{build}/lib/libzwang.a", "-lpugixml", "-lfmt",
                    "-lpthread"]
    subprocess.run(options, check=True)
    return program


def lines(program, *arguments):
    output = subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout
    return [line.split() for line in output.splitlines()]


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
    poses = sys.argv[2] if len(sys.argv) > 2 else "10000"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        both = [lines(compiled("kdl_speed", folder, build, shipped)) for shipped in (True, False)]
        print(f"{'nanoseconds a call':24} {'KDL':>9} {'zwang':>9} {'ratio':>6}")
        for a, b in zip(*both):
            print(f"{a[0]:24} {float(a[1]):9.0f} {float(b[1]):9.0f} {float(a[1]) / float(b[1]):6.2f}")
        print(f"\n{'hybrid dynamics, us':20} {'median':>8} {'99 %':>8} {'99.9 %':>8} {'max':>8} {'allocations':>12}")
        for shipped, name in ((True, "KDL"), (False, "zwang")):
            print(f"{name:20} {' '.join(f'{x:>8}' for x in lines(compiled('kdl_latency', folder, build, shipped))[0][1:])}")
        both = [lines(compiled("kdl_inverse_kinematics", folder, build, shipped), poses) for shipped in (True, False)]
        print(f"\n{'poses, us a call':14} {'found':>12} {'median':>15} {'99 %':>17} {'max':>17} {'allocations':>18} {'ratio':>6}")
        for a, b in zip(*both):
            pairs = [f"{x}/{y}" for x, y in zip(a[2:], b[2:])]
            print(f"{a[0]:7} {a[1]:6} {pairs[0]:>12} {pairs[1]:>15} {pairs[2]:>17} {pairs[3]:>17} {pairs[4]:>18} "
                  f"{float(a[3]) / float(b[3]):6.2f}")


if __name__ == "__main__":
    main()
