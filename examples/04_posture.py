# SPDX-License-Identifier: BSD-3-Clause
"""A posture at lower priority: the tool stays where it is; the elbow moves as near to a wished place as that allows.

Level 0 holds the tool in six directions, level 1 pulls the elbow aside in three. Of seven joints one motion is left to the elbow,
a circle: level 1 is met in least squares on it, level 0 never feels it. The other way to a posture is a feed-forward torque whose
free motion is the wish; then q'' is that motion seen through the null-space projector (Khatib 1987), which is checked first.
Prints what 04_posture.cpp prints.
"""
import pathlib
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
STEP, DURATION, KP, KD = 1e-3, 3.0, 100.0, 20.0


def main() -> int:
    arm = zw.load(MODELS / "arm7.urdf")
    q, v = arm.neutral(), arm.zero()
    constraints = zw.ConstraintSet(arm)
    constraints.add_frame("tool", frame="tool0", rows="all", role="driver")
    constraints.add_frame("elbow", frame="link4", rows="linear", role="driver", priority=1)
    solver = zw.Solver(arm, constraints)

    # 1. The posture as a torque, at rest: q'' = N q''_wish.
    wish = np.linspace(1, 2, arm.nv)
    constraints["elbow"].active = False
    seen = solver.solve(q, v, zw.inverse_dynamics(arm, q, v, wish)).acceleration
    khatib = abs(solver.nullspace_projector() @ wish - seen).max()
    print(f"posture as a torque: |q''| {np.linalg.norm(seen):.6f} of |wish| {np.linalg.norm(wish):.6f} passes the projector")

    # 2. The posture as rows of level 1.
    constraints["elbow"].active = True
    hold = zw.frame_pose(arm, q, "tool0")[:3, 3]
    target = zw.frame_pose(arm, q, "link4")[:3, 3] + [0, 0.25, 0]
    strayed = proof = row_error = 0.0
    miss = np.zeros(3)
    print("  t [s]   elbow y [mm]   distance [mm]   rows given up")
    for k in range(round(DURATION / STEP) + 1):
        off, at = hold - zw.frame_pose(arm, q, "tool0")[:3, 3], zw.frame_pose(arm, q, "link4")[:3, 3]
        vt, ve = zw.frame_velocity(arm, q, v, "tool0"), zw.frame_velocity(arm, q, v, "link4")
        miss = target - at
        constraints["tool"].beta = np.concatenate([KP * off - KD * vt[:3], -KD * vt[3:]])
        constraints["elbow"].beta = KP * miss - KD * ve[:3]
        s = solver.solve(q, v, zw.gravity_forces(arm, q))
        if s.report.status != "ok":
            print(s.report.explain())
            return 1
        strayed = max(strayed, float(np.linalg.norm(off)))
        row_error = max(row_error, abs(s["tool"].residual).max())
        proof = max(proof, abs(zw.forward_dynamics(arm, q, v, s.motor_torque) - s.acceleration).max())
        if k % 500 == 0:
            print(f"{k * STEP:7.2f} {at[1] * 1e3:14.4f} {np.linalg.norm(miss) * 1e3:15.4f} {len(s.report.given_up):15d}")
        v = v + STEP * s.acceleration
        q = zw.integrate(arm, q, STEP * v)

    # At the end the elbow is at the nearest point of its circle: what it misses is square to the motion that is left.
    constraints["elbow"].active = False
    solver.solve(q, v)
    left_over = zw.jacobian(arm, q, "link4")[:3] @ solver.nullspace_projector()
    missed = np.linalg.norm(miss)
    along = np.linalg.norm(left_over.T @ miss) / (np.linalg.norm(left_over) * missed)
    good = khatib < 1e-9 and strayed < 1e-3 and row_error < 1e-9 and proof < 1e-8 and along < 1e-3
    print(f"the tool strayed by {strayed * 1e3:.4f} mm; the elbow misses its wish by {missed * 1e3:.2f} mm, "
          f"along its circle by {along * missed * 1e3:.4f} mm")
    print(f"level 0 is exact, level 1 the best that is left, the torques give the same motion: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
