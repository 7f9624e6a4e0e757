# SPDX-License-Identifier: BSD-3-Clause
"""Two fingers press a box and lift it: friction holds it as long as 2 mu F exceeds its weight and what the lift adds.

The box is lifted by 0.1 m with an acceleration of 2 m/s^2 and braked likewise. Below the force F = m (g + 2) / (2 mu) it slips.
Prints what 17_grip.cpp prints.
"""
import math
import sys

import numpy as np
import zwang as zw
from numpy.typing import NDArray

MU, MASS = 0.5, 0.4


def inertia(mass: float, x: float, y: float, z: float) -> NDArray[np.float64]:
    return mass / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])


def hand() -> zw.Model:
    """A hand that moves along z, its fingers along x, and a box on the ground between them."""
    finger = (0.02, 0.04, 0.08)
    return (zw.ModelBuilder("hand").add_link("world").add_link("palm", mass=1, inertia=inertia(1, 0.1, 0.1, 0.02))
            .add_link("left", mass=0.2, inertia=inertia(0.2, *finger)).add_link("right", mass=0.2, inertia=inertia(0.2, *finger))
            .add_link("box", mass=MASS, inertia=inertia(MASS, 0.08, 0.06, 0.1))
            .add_joint("lift", "prismatic", "world", "palm", axis=(0, 0, 1), origin=(0, 0, 0.2))
            .add_joint("left_finger", "prismatic", "palm", "left", axis=(1, 0, 0), origin=(-0.0505, 0, -0.15))
            .add_joint("right_finger", "prismatic", "palm", "right", axis=(-1, 0, 0), origin=(0.0505, 0, -0.15))
            .add_joint("free", "floating", "world", "box", origin=(0, 0, 0.05)).build())


def main() -> int:
    model = hand()
    scene = zw.Scene(model).ground(friction=0.3)
    for name in ("left", "right"):
        scene.add_box(name, (0.02, 0.04, 0.08), link=name)
    scene.add_box("box", (0.08, 0.06, 0.1), link="box")
    for name in ("left", "right"):
        scene.set_pair(name, "box", friction=MU)
    lift = zw.ConstraintSet(model)
    lift.add_joint("lift", ["lift"], role="driver")

    limit, rise = MASS * (9.81 + 2) / (2 * MU), math.sqrt(0.1 / 2)
    tau = model.zero()
    box, at = model.joint("free").q.start + 2, model.joint("lift").q.start

    def targets(t: float) -> dict[str, dict[str, list[float]]]:
        t = t - 0.2 + 1e-9
        return {"lift": {"beta": [0.0 if t < 0 else 2.0 if t < rise else -2.0]}}

    good = True
    print("F / F needed    box rises by [m]    it slips down by [m]")
    for part in (0.8, 0.95, 1.05, 1.5):
        tau[model.joint("left_finger").v] = tau[model.joint("right_finger").v] = part * limit
        t = zw.simulate(model, lift, model.neutral(), tau=tau, targets=targets, time=0.2 + 2 * rise, integrator="contact", scene=scene)
        rises, lifted = t.q[-1, box], t.q[-1, at]
        print(f"{part:12.2f} {abs(rises):19.4f} {abs(lifted - rises):23.4f}")
        good = bool(good and t.status == "ok" and (lifted - rises < 1e-4) == (part > 1) and lifted > 0.09)
    print(f"above the force of the closed form it is held, below it slips: {'ok' if good else 'NOT ok'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
