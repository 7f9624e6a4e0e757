# SPDX-License-Identifier: BSD-3-Clause
"""First steps: the torques of a motion, and an arm whose tool is held in five directions and free in the sixth.

Prints what 01_first_steps.cpp prints.
"""
import pathlib
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def main() -> int:
    arm = zw.load(MODELS / "arm7.urdf")
    q, v, a = arm.random(seed=1), np.full(arm.nv, 0.1), arm.zero()
    tau = zw.inverse_dynamics(arm, q, v, a)

    constraints = zw.ConstraintSet(arm)
    constraints.add_frame("tool", frame="tool0", rows="linear.x linear.y angular", role="driver")
    solver = zw.Solver(arm, constraints)  # allocates everything once
    s = solver.solve(q, v, tau)
    print(s.report.explain())
    for name, acceleration, torque in zip(arm.coordinate_names, s.acceleration, s.motor_torque):
        print(f"{name}: acceleration {acceleration:+.4f} rad/s^2, motor torque {torque:+.4f} N m")
    return 0 if s.status == zw.Status.ok else 1


if __name__ == "__main__":
    sys.exit(main())
