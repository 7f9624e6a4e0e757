#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a study costs beside plain batch calls on the same states, and how fast it stores: python bench/studies.py [--json]

Each pair runs alternately in this process, on the same threads; the least of several runs counts. The plain program draws the states of a
block as the study does, and makes one call. "nothing stored" is the study's own work alone, beside that; "stored" writes all numbers to
--folder, beside a plain program that saves the same numbers with numpy.save.
"""
import argparse
import json
import pathlib
import shutil
import sys
import tempfile
import time

import numpy as np
import zwang as zw

S = zw.study
ROOT = pathlib.Path(__file__).resolve().parent.parent


def cases():
    arm = zw.load(ROOT / "models/arm7.urdf")
    dog = zw.load(ROOT / "models/quadruped.urdf", root="floating")
    feet = zw.ConstraintSet(dog)
    for foot in ("LF_foot", "RF_foot", "LH_foot", "RH_foot"):
        feet.add_frame(foot, frame=foot, rows="linear")
    yield "inverse dynamics of arm7", arm, None, "inverse_dynamics", dict(q="limits", v=(-1, 1), a=(-5, 5)), 32768
    yield "forward dynamics of the quadruped", dog, None, "forward_dynamics", dict(q="limits", v=(-1, 1), tau=(-5, 5)), 16384
    yield "solve of its stance", dog, feet, S.Call("solve", keep=["acceleration", "multipliers"]), dict(q="limits", v=(-1, 1), tau=(-5, 5)), 8192


def measured(model, constraints, what, variables, block, blocks, folder, repeats):
    def study(store):
        return zw.Study(model, constraints, what, S.Sample(block * blocks, 1, variables), block=block, store=store)
    bare, full = study([]), study(None)
    [calculation] = full.what

    def plain():
        for k in range(blocks):
            calculation.run(full.segments(*full.range_of(k))[0])

    def saved():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for k in range(blocks):
            for name, x in calculation.run(full.segments(*full.range_of(k))[0]).items():
                np.save(folder / f"{k}.{name}.npy", x)

    def states():
        for k in range(blocks):
            full.segments(*full.range_of(k))

    def run(which):
        def once():
            shutil.rmtree(folder, ignore_errors=True)
            which.run(folder)
        return once
    best = {}
    programs = {"plain": plain, "states": states, "saved": saved, "nothing stored": run(bare), "stored": run(full)}
    for _ in range(repeats):
        for name, program in programs.items():
            start = time.perf_counter()
            program()
            best[name] = min(best.get(name, float("inf")), time.perf_counter() - start)
    size = sum(c.bytes for c in full.columns if c.name in full.stored)
    return {"states": block * blocks, "block [ms]": 1e3 * best["plain"] / blocks, "share of drawing states": best["states"] / best["plain"],
            "overhead, nothing stored": best["nothing stored"] / best["plain"] - 1, "overhead, stored": best["stored"] / best["saved"] - 1,
            "bytes of a state": size, "states/s, plain": block * blocks / best["plain"], "states/s, stored": block * blocks / best["stored"]}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--json", action="store_true")
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--blocks", type=int, default=60)
    options.add_argument("--folder", help="where results are stored, default a temporary folder")
    given = options.parse_args()
    found = {}
    with tempfile.TemporaryDirectory(dir=given.folder) as place:
        for name, *words in cases():
            for factor in (2, 8):
                *rest, block = words
                key = f"{name}, blocks of {block * factor}"
                found[key] = measured(*rest, block * factor, max(4, given.blocks // factor), pathlib.Path(place) / "study", given.repeats)
                if not given.json:
                    print(key)
                    for what, value in found[key].items():
                        print(f"  {what:26} {value:.4g}" if isinstance(value, float) else f"  {what:26} {value}")
    if given.json:
        json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
