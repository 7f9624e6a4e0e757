# SPDX-License-Identifier: BSD-3-Clause
"""A tray stays level while the arm carries it 30 cm aside and 10 cm up, and another controller turns the arm's first joint.

Five driver rows hold the tray: two angular ones keep it level (turning about the vertical is left free), three linear ones lead
it. The first joint is prescribed: its acceleration is an input, its torque a result. Six joints remain for five rows; the solve
chooses the motion nearest to the free one. Prints what 02_tray.cpp prints.
"""
import pathlib
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
STEP, DURATION, KP, KD = 1e-3, 1.5, 400.0, 40.0


def smooth(t: float) -> tuple[float, float, float]:
    """From 0 to 1 in DURATION, at rest at both ends: s, s', s''."""
    x = min(t / DURATION, 1.0)
    return (x**3 * (10 + x * (6 * x - 15)), 30 * x**2 * (1 + x * (x - 2)) / DURATION,
            60 * x * (1 + x * (2 * x - 3)) / DURATION**2)


def main() -> int:
    arm = zw.load(MODELS / "arm7.urdf")
    q, v = arm.neutral(), arm.zero()
    start, way = zw.frame_pose(arm, q, "tool0")[:3, 3], np.array([0, 0.3, 0.1])

    constraints = zw.ConstraintSet(arm)
    constraints.add_frame("level", frame="tool0", rows=["angular.x", "angular.y"], role="driver")
    constraints.add_frame("path", frame="tool0", rows="linear", role="driver")
    solver = zw.Solver(arm, constraints)

    tilt = path_error = proof = 0.0
    print("  t [s]    y [mm]    z [mm]  joint1 [rad]  torque of joint1 [N m]")
    for k in range(round(DURATION / STEP) + 1):
        s, ds, dds = smooth(k * STEP)
        pose, twist = zw.frame_pose(arm, q, "tool0"), zw.frame_velocity(arm, q, v, "tool0")
        x, x_d = pose[:3, 3], start + s * way
        a = dds * way + KD * (ds * way - twist[:3]) + KP * (x_d - x)
        lean = np.cross([0, 0, -1], pose[:3, 2])  # the tool's z points down: the turn that would bring it back there
        constraints["path"].beta = a
        constraints["level"].beta = -KD * twist[3:5] - KP * lean[:2]

        tau = zw.gravity_forces(arm, q) - 2 * v
        answer = solver.solve(q, v, tau, prescribed={"joint1": 0.5 * dds})
        if answer.report.status != "ok":
            print(answer.report.explain())
            return 1
        tilt = max(tilt, float(np.linalg.norm(lean)))
        path_error = max(path_error, float(np.linalg.norm(x_d - x)))
        again = zw.forward_dynamics(arm, q, v, answer.motor_torque)
        proof = max(proof, abs(again - answer.acceleration).max())
        if k % 250 == 0:
            print(f"{k * STEP:7.2f} {x[1] * 1e3:9.3f} {x[2] * 1e3:9.3f} {q[0]:13.6f} {answer.motor_torque[0]:23.6f}")
        v = v + STEP * answer.acceleration
        q = zw.integrate(arm, q, STEP * v)

    good = tilt < 1e-3 and path_error < 1e-3 and proof < 1e-8 and abs(q[0] - 0.5) < 1e-3
    print(f"largest tilt {tilt:.6f} rad, largest error of the path {path_error * 1e3:.3f} mm")
    print(f"the motor torques in plain forward dynamics give the same motion: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
