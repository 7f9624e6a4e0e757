# SPDX-License-Identifier: BSD-3-Clause
"""Pick and place: joint values for the poses of a tool along a path, every one near the one before."""
import pathlib

import numpy as np

import zwang as zw

arm = zw.load(pathlib.Path(__file__).resolve().parents[1] / "models" / "arm7.urdf")
down = np.diag([1.0, -1.0, -1.0, 1.0])  # the tool points down


def at(x, y, z):
    pose = down.copy()
    pose[:3, 3] = x, y, z
    return pose


corners = [at(0.35, -0.25, 0.35), at(0.35, -0.25, 0.15), at(0.35, -0.25, 0.35), at(0.35, 0.25, 0.35), at(0.35, 0.25, 0.2)]
path = [a + s * (b - a) for a, b in zip(corners, corners[1:]) for s in np.linspace(0, 1, 25, endpoint=False)] + corners[-1:]

solver = zw.InverseKinematics(arm, "tool0", solutions=4)  # of four solutions the nearest to the pose before
q = [solver.solve(path[0], arm.neutral()).q]
for pose in path[1:]:
    r = solver.solve(pose, q[-1])
    assert r.status == "ok", r.explain()
    q.append(r.q)
q = np.array(q)
steps = np.abs(np.diff(q, axis=0)).max(axis=1)
off = max(np.abs(zw.frame_pose(arm, x, "tool0") - pose).max() for x, pose in zip(q, path))
print(f"{len(path)} poses, the tool is off by at most {off:.0e}; largest step of a joint {steps.max():.2f} rad")
inside = bool(((arm.limits.lower <= q) & (q <= arm.limits.upper)).all())
print("within limits:", inside)
raise SystemExit(0 if inside and off < 1e-7 and steps.max() < 0.5 else 1)
