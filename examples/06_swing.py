# SPDX-License-Identifier: BSD-3-Clause
"""A four-bar linkage swings for three seconds by five integrators: what its energy does, and how closed it stays.

Nothing drives it and nothing brakes it, so that its energy is constant. The variational integrator lets it oscillate, but never
drift; Runge and Kutta's and the half-explicit method drift by the fourth power of the step, semi-implicit Euler by its first; that of
Dormand and Prince divides its steps until their error is within what is asked for. The loop
is kept by projection, but by the variational integrator, which closes it by its own multipliers.
"""
import pathlib
import math
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def main() -> bool:
    robot = zw.load(MODELS / "four_bar.urdf")
    pin = zw.ConstraintSet(robot)
    pin.add_loop("pin", frames=("rod_end", "crank_pin"), rows={"joint": "hinge", "axis": [0, 0, 1]})
    without_losses = zw.JointEffects(damping=False)

    ok = True
    print("integrator        step [ms]   energy off by at most [mJ]   gap [m, rad]")
    for name in zw.integrators():
        if name == "contact":  # its links would touch each other
            continue
        off, gap = [], 0.0
        for dt in (1e-3, 5e-4):
            t = zw.simulate(robot, pin, robot.neutral(), time=3, dt=dt, integrator=name, keep="projection",
                            joint_effects=without_losses)
            if t.status != "ok":
                print(t.reason)
                return False
            off.append(float(np.abs(t.energy - t.energy[0]).max()))
            gap = max(gap, float(t.error.max()))
            print(f"{name:<16} {1e3 * dt:10.1f} {1e3 * off[-1]:28.6f}   {'below 1e-10' if t.error.max() < 1e-10 else 'open'}")
        order = math.log2(off[0] / off[1])
        falls = off[0] < 1e-6 if name == "dormand_prince" else order > {"semi_implicit": 0.8, "variational": 1.8}.get(name, 3.5)
        ok = ok and gap < 1e-10 and falls
    print(f"the loop stays closed, the energy's error falls with the order of each integrator: {'ok' if ok else 'NOT ok'}")
    return ok


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
