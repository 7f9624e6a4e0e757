# SPDX-License-Identifier: BSD-3-Clause
"""Where an arm can hold its tool downwards: inverse kinematics at every point of a grid, as a map.

What was found is checked by forward kinematics and by the limits of the joints.
"""
import pathlib
import sys
import tempfile

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
DOWN = np.diag([1.0, -1.0, -1.0])


def main() -> int:
    arm = zw.load(MODELS / "arm7.urdf")
    grid = zw.study.Grid({"targets.z": (0.9, -0.1, 11), "targets.x": (-0.9, 0.9, 37)}, {"targets.rotation": DOWN})
    study = zw.Study(arm, what=[zw.study.Call("inverse_kinematics", frame="tool0", name="ik", keep=["q", "status"]), "targets"],
                     over=grid, block=64, name="tool downwards")
    with tempfile.TemporaryDirectory() as folder:
        results = study.run(pathlib.Path(folder) / "ik")
        q, status, targets = results["ik.q"], results.grid("ik.status"), results["targets"]
    reached = status == "ok"
    for z, row in zip(grid.axes["targets.z"], reached):
        print(f"{z:5.1f} m  " + "".join("#" if x else "." for x in row))
    held = zw.frame_pose(arm, q[reached.ravel()], "tool0")
    error = np.abs(held - targets[reached.ravel()]).max()
    within = bool(((q >= arm.lower) & (q <= arm.upper))[reached.ravel()].all())
    share = reached.mean()
    print(f"{reached.sum()} of {reached.size} points; largest error of a pose {error:.1e}")
    good = error < 2e-8 and within and 0.2 < share < 0.9
    print(f"poses are held within limits: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
