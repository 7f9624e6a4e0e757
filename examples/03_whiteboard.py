# SPDX-License-Identifier: BSD-3-Clause
"""Writing on a whiteboard: the pen presses with 10 N along the board's normal z and draws a circle in its x-y plane.

Two solvers, as on a real robot. The controller holds the pen in all six directions by the motors (driver rows); the board is for
it a wrench from outside, the reaction that it wants. The world knows the board as a physical row. Where the controller is right,
the multiplier that the world finds is the wanted force, and both find the same acceleration. Prints what 03_whiteboard.cpp prints.
"""
import pathlib
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
STEP, DURATION, RADIUS, PRESS, KP, KD = 1e-3, 2.0, 0.06, 10.0, 400.0, 40.0


def main() -> int:
    bare = zw.load(MODELS / "arm7.urdf")
    q, v = bare.neutral(), bare.zero()
    q[5] = -np.pi / 2  # the tool points forward
    # The board's frame: origin where the pen touches first, x-y in the board, z into it.
    board = zw.frame_pose(bare, q, "tool0")
    arm = bare.with_frame("board", parent="base", pose=board)
    into = board[:3, 2]

    wishes, facts = zw.ConstraintSet(arm), zw.ConstraintSet(arm)
    wishes.add_frame("pen", frame="tool0", rows="all", in_="board", role="driver")
    facts.add_contact("board", frame="tool0", normal=-into, rows=1)
    controller, world = zw.Solver(arm, wishes), zw.Solver(arm, facts)
    reaction = {"tool0": np.concatenate([-PRESS * into, np.zeros(3)])}

    force_error = path_error = disagreement = proof = 0.0
    print("  t [s]   x [mm]   y [mm]   force [N]")
    for k in range(round(DURATION / STEP) + 1):
        # The circle: start and stop at rest, phase = 2 pi (10 s^3 - 15 s^4 + 6 s^5).
        s = k * STEP / DURATION
        f = 2 * np.pi * s**3 * (10 + s * (6 * s - 15))
        df = 2 * np.pi * 30 * s**2 * (1 + s * (s - 2)) / DURATION
        ddf = 2 * np.pi * 60 * s * (1 + s * (2 * s - 3)) / DURATION**2
        c, d = RADIUS * np.cos(f), RADIUS * np.sin(f)
        x_d, v_d = np.array([RADIUS - c, d, 0]), np.array([d * df, c * df, 0])
        a_d = np.array([c * df * df + d * ddf, c * ddf - d * df * df, 0])
        # Where the pen is and how it moves, seen from the board.
        pen = np.linalg.inv(board) @ zw.frame_pose(arm, q, "tool0")
        twist = zw.frame_velocity(arm, q, v, "tool0", reference="board")
        x, R = pen[:3, 3], pen[:3, :3]
        turn = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
        a = a_d + KD * (v_d - twist[:3]) + KP * (x_d - x)
        wishes["pen"].beta = np.concatenate([a, -KD * twist[3:] - KP * turn])
        facts["board"].beta = [-a[2]]  # the board is a stiff one: it pushes back what leaves its plane

        tau = zw.gravity_forces(arm, q) - 2 * v  # the one motion left over is calmed
        wish = controller.solve(q, v, tau, external=reaction)
        fact = world.solve(q, v, wish.motor_torque)
        if wish.report.status != "ok" or fact.report.status != "ok":
            return 1
        force = fact["board"].multipliers[0]
        force_error = max(force_error, abs(force - PRESS))
        path_error = max(path_error, float(np.linalg.norm(x - x_d)))
        disagreement = max(disagreement, abs(wish.acceleration - fact.acceleration).max())
        again = zw.forward_dynamics(arm, q, v, wish.motor_torque, external=reaction)
        proof = max(proof, abs(again - fact.acceleration).max())
        if k % 250 == 0:
            print(f"{k * STEP:7.2f} {x[0] * 1e3:8.3f} {x[1] * 1e3:8.3f} {force:11.6f}")
        v = v + STEP * fact.acceleration
        q = zw.integrate(arm, q, STEP * v)

    good = force_error < 1e-8 and path_error < 1e-3 and disagreement < 1e-8 and proof < 1e-8
    print(f"largest error of the force {force_error:.6f} N, of the path {path_error * 1e3:.3f} mm")
    print(f"controller and world, and plain forward dynamics, find one motion: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
