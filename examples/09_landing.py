# SPDX-License-Identifier: BSD-3-Clause
"""A humanoid lands on its feet after a fall of 30 cm: on both soles at once, and on one and then the other.

A shock changes velocities alone: one call of impulse() for each touch-down. A sole that stays on the ground takes part in the
next one. With knees bent the legs give way and most of the momentum stays in the trunk; with straight legs the ground takes it at
once. Restitution 0.2 along the normals lets the robot bounce, on its way forward with 1 m/s: by Newton's law, by Poisson's and by
Stronge's. Prints what 09_landing.cpp prints.
"""
import math
import pathlib
import sys

import numpy as np
import zwang as zw
from numpy.typing import NDArray

Array = NDArray[np.float64]
MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def upwards(r: zw.Impulse) -> float:
    """The vertical impulse of all soles."""
    return float(r["left"].wrench[2] + r["right"].wrench[2])


def main() -> int:
    fall = math.sqrt(2 * 9.81 * 0.3)
    robot = zw.load(MODELS / "humanoid.urdf", root="floating")
    soles = zw.ConstraintSet(robot)
    for side in ("left", "right"):
        soles.add_frame(side, frame=side + "_sole", rows="all")
    solver = zw.Solver(robot, soles)
    momentum_error = energy_error = 0.0
    good = True

    def check(r: zw.Impulse, q: Array, before: Array) -> zw.Impulse:
        nonlocal momentum_error, energy_error, good
        m0, m1 = zw.centroidal_momentum(robot, q, before), zw.centroidal_momentum(robot, q, r.velocity)
        momentum_error = max(momentum_error, abs(m1[2] - m0[2] - upwards(r)))
        energy_error = max(energy_error, abs(r.energy_after - r.energy_before - r["left"].energy - r["right"].energy))
        good = good and r.status == "ok"
        return r

    print("legs       touch-down   impulse up [N s]   energy before [J]   after [J]")
    for legs in ("straight", "bent"):
        bent = legs == "bent"
        q, v = robot.neutral(), robot.zero()
        for side in ("left", "right"):
            q[robot.joint(side + "_hip_pitch").q] = -0.6 if bent else -0.02
            q[robot.joint(side + "_knee").q] = 1.2 if bent else 0.04
            q[robot.joint(side + "_ankle_pitch").q] = -0.6 if bent else -0.02
        v[2] = -fall

        def show(name: str, r: zw.Impulse) -> None:
            print(f"{legs:<8}   {name:<10} {upwards(r):18.4f} {r.energy_before:19.4f} {r.energy_after:11.4f}")

        show("both", check(solver.impulse(q, v), q, v))
        soles["right"].active = False
        first = check(solver.impulse(q, v), q, v)
        show("left", first)
        soles["right"].active = True
        show("then right", check(solver.impulse(q, first.velocity), q, first.velocity))
        e = {side: [0, 0, 0.2, 0, 0, 0] for side in ("left", "right")}
        v[0] = 1  # on the way forward: sticking is coupled with bouncing
        for model in ("newton", "poisson", "energetic"):
            r = check(solver.impulse(q, v, restitution=e, model=model), q, v)
            print(f"{legs:<8}   {model:<10} soles leave with {r['left'].velocity_after[2]:.6f} m/s, "
                  f"energy after {r.energy_after:.4f} J")
    good = good and momentum_error < 1e-10 and energy_error < 1e-10
    print(f"the ground's impulses are the change of momentum, their work that of energy: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
