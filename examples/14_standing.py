# SPDX-License-Identifier: BSD-3-Clause
"""A humanoid from an MJCF file stands and crouches: torques within its motors' limits, forces within friction cones.

load_robot gives the model, its motors and the keyframes of the file as configurations. Four sites at the corners of each sole touch
the ground. Of all torques and forces that hold the robot, those of least norm are chosen. What they are is checked by the motion
that they give. Prints what 14_standing.cpp prints.
"""
import pathlib
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MU = 0.6


def main() -> int:
    biped = zw.load_robot(MODELS / "biped.xml")
    robot = biped.model
    still, weight = robot.zero(), 9.81 * robot.mass

    feet = zw.ConstraintSet(robot)
    corners = [f"{side}_{end}_{edge}" for side in ("left", "right") for end in ("heel", "toe") for edge in ("out", "in")]
    for corner in corners:
        feet.add_contact(corner, corner)
    solver = zw.Solver(robot, feet)
    good = True
    print(f"{int(np.sum(robot.actuated))} motors, {robot.mass:.4f} kg")
    print("keyframe   knee [N m]   ankle [N m]   steepest force   ground carries [N]")
    for name, (q, _) in biped.configurations.items():
        if name == "file":
            continue
        r = zw.constrained_inverse_dynamics(robot, feet, q, still, still, friction=dict.fromkeys(corners, MU), effort_limits=True)
        forces = np.array([r[corner] for corner in corners])
        steepest = float((np.hypot(forces[:, 0], forces[:, 1]) / forces[:, 2]).max())
        up = float(forces[:, 2].sum())
        print(f"{name:<8} {r.tau[robot.joint('left_knee').v][0]:12.4f} {r.tau[robot.joint('left_ankle_pitch').v][0]:13.4f} "
              f"{steepest:16.4f} {up:20.4f}")
        s = solver.solve(q, still, r.tau)
        height = abs(zw.frame_pose(robot, q, "left_toe_in")[2, 3])
        good = bool(good and r.status == "ok" and steepest < MU and abs(up / weight - 1) < 1e-9 and height < 1e-12
                    and s.status == "ok" and abs(s.acceleration).max() < 1e-9)
    print(f"the soles lie on the ground, nothing moves: {'ok' if good else 'NOT ok'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
