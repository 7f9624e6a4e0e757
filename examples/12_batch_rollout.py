# SPDX-License-Identifier: BSD-3-Clause
"""Sampling control: 256 guesses of a torque are rolled out at once, and the best of them moves the arm, again and again.

The arm is to bring its tool to a point. In each round every guess is the torque that holds the arm still plus a change that is
constant for the horizon; all of them are rolled out in one call, the one that ends nearest (with little speed) is applied for one
horizon. A batch is told from a loop by nothing but its speed: the chosen guess, stepped alone, ends at the same state.
Prints what 12_batch_rollout.cpp prints.
"""
import pathlib
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
GUESSES, ROUNDS, STEPS, STEP = 256, 40, 50, 1e-3


def guess(k: int, j: int, turn: int) -> float:
    """A number in [-1, 1), scattered evenly (Weyl 1916); the guess 0 changes nothing."""
    return 0.0 if k == 0 else 2 * ((k * (0.5545497 + 0.0637 * j) + 0.7548777 * turn) % 1.0) - 1


def main() -> int:
    arm = zw.load(MODELS / "arm7.urdf")
    q, v = np.linspace(0.2, 0.8, arm.nv), arm.zero()
    target = zw.frame_pose(arm, q, "tool0")[:3, 3] + [0.15, -0.2, 0.1]
    apart = 0.0
    distance = float(np.linalg.norm(zw.frame_pose(arm, q, "tool0")[:3, 3] - target))
    begin = distance
    print("round   distance [mm]   speed [mm/s]   guess")
    for turn in range(ROUNDS):
        size = 0.2 + 2 * distance  # smaller changes near the target
        change = np.array([[guess(k, j, turn) for j in range(arm.nv)] for k in range(GUESSES)])
        reach = size * np.diag(zw.mass_matrix(arm, q)) * 20
        tau = zw.bias_forces(arm, q, v) - 8 * zw.mass_matrix(arm, q) @ v + change * reach

        end = zw.rollout(arm, np.tile(q, (GUESSES, 1)), np.tile(v, (GUESSES, 1)), tau, steps=STEPS, dt=STEP)
        miss = np.linalg.norm(zw.frame_pose(arm, end.q, "tool0")[:, :3, 3] - target, axis=1)
        speed = np.linalg.norm(zw.frame_velocity(arm, end.q, end.v, "tool0")[:, :3], axis=1)
        best = int(np.argmin(miss + 0.015 * speed))

        # The proof: the chosen guess alone.
        alone = zw.rollout(arm, q, v, tau[best], steps=STEPS, dt=STEP)
        apart = max(apart, float(abs(alone.q - end.q[best]).max()))
        q, v = end.q[best].copy(), end.v[best].copy()
        distance = float(miss[best])
        if turn % 10 == 0 or turn == ROUNDS - 1:
            print(f"{turn:5d} {distance * 1e3:15.4f} {speed[best] * 1e3:14.4f} {best:7d}")
    good = apart == 0 and distance < 0.1 * begin
    print(f"{GUESSES * ROUNDS * STEPS} steps; the tool came from {begin * 1e3:.2f} mm to {distance * 1e3:.2f} mm")
    print(f"a guess in a batch and alone end at the same state, the tool is at its target: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
