# SPDX-License-Identifier: BSD-3-Clause
"""A closed loop: the crank of a four-bar linkage is driven, the rocker swings.

The file holds a tree; a hinge between the frames rod_end and crank_pin closes it. Of its five rows a planar linkage needs two: the
solver finds the three others dependent and shares the force. Rows on accelerations alone let the loop drift open by the errors of
the integration; Baumgarte stabilisation closes it again. Prints what 05_four_bar.cpp prints.
"""
import pathlib
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
STEP, DURATION, GAIN, SPEED = 1e-3, 2.0, 0.1, 6.0


def main() -> int:
    robot = zw.load(MODELS / "four_bar.urdf")
    gaps, proof = [], 0.0
    for time_constant in (0.0, 0.02):
        constraints = zw.ConstraintSet(robot)
        pin = constraints.add_loop("pin", ("rod_end", "crank_pin"), {"joint": "hinge", "axis": "z"},
                                   time_constant=time_constant)
        solver = zw.Solver(robot, constraints)
        q, v, tau = robot.neutral(), robot.zero(), robot.zero()
        print(f"time constant {time_constant:.2f} s, {len(pin)} rows")
        print("  t [s]   crank [rad]   gap [um]   rank")
        for k in range(round(DURATION / STEP) + 1):
            tau[0] = GAIN * (SPEED - v[0])  # a motor on the crank
            s = solver.solve(q, v, tau)
            if s.report.status != "ok":
                print(s.report.explain())
                return 1
            gap = np.linalg.norm(zw.frame_pose(robot, q, "rod_end")[:3, 3] - zw.frame_pose(robot, q, "crank_pin")[:3, 3])
            scale = 1 + abs(s.acceleration).max()
            plain = zw.forward_dynamics(robot, q, v, s.motor_torque + s.reaction)
            proof = max(proof, abs(plain - s.acceleration).max() / scale)
            if k % 500 == 0:
                print(f"{k * STEP:7.2f} {q[0]:13.5f} {gap * 1e6:10.3f} {s.report.rank:6d}")
            v = v + STEP * s.acceleration
            q = zw.integrate(robot, q, STEP * v)
        gaps.append(gap)
    ok = gaps[1] < 0.5 * gaps[0] and proof < 1e-9
    print(f"the stabilised loop stays closed, its force in plain forward dynamics gives the same motion: {'ok' if ok else 'NOT ok'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
