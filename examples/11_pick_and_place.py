# SPDX-License-Identifier: BSD-3-Clause
"""Pick and place: joint values for the poses of a tool along a path, every one near the one before."""
import pathlib

import numpy as np
from numpy.typing import NDArray

import zwang as zw

Array = NDArray[np.float64]
arm = zw.load(pathlib.Path(__file__).resolve().parents[1] / "models" / "arm7.urdf")


def down_at(x: float, y: float, z: float) -> Array:
    pose = np.diag([1.0, -1.0, -1.0, 1.0])  # the tool points down
    pose[:3, 3] = x, y, z
    return pose


corners = [down_at(*p) for p in ((0.35, -0.25, 0.35), (0.35, -0.25, 0.15), (0.35, -0.25, 0.35), (0.35, 0.25, 0.35), (0.35, 0.25, 0.2))]
path = [a + s * (b - a) for a, b in zip(corners, corners[1:]) for s in np.arange(25) / 25] + corners[-1:]

solver = zw.InverseKinematics(arm, "tool0", solutions=4)  # of four solutions the nearest to the pose before
before: Array = arm.neutral()
off = step = 0.0
inside = True
for k, pose in enumerate(path):
    r = solver.solve(pose, before)
    if r.status != "ok":
        raise SystemExit(r.explain())
    q: Array = np.array(r.q)
    if k > 0:
        step = max(step, float(np.abs(q - before).max()))
    inside = inside and bool(((arm.lower <= q) & (q <= arm.upper)).all())
    off = max(off, float(np.linalg.norm(zw.frame_pose(arm, q, "tool0")[:3, 3] - pose[:3, 3])))
    before = q
    if k % 25 == 0:
        print(f"corner {k // 25}:", *(f"{x:.4f}" for x in q), "rad")
good = inside and off < 1e-7 and step < 0.5
print(f"{len(path)} poses, largest step of a joint {step:.2f} rad")
print("the tool follows its path within the limits, without a jump:", "ok" if good else "no")
raise SystemExit(0 if good else 1)
