# SPDX-License-Identifier: BSD-3-Clause
"""A quadruped is dropped, tilted, on ground: each foot lands by an event, with its impulse, and stays.

Springs and dampers of a controller hold the legs. A foot's rows are switched on where its height falls through zero, which is located
inside of a step. Between two touch-downs energy is lost by the dampers alone, in one by the impulse.
"""
import pathlib
import math
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
from numpy.typing import NDArray


def main() -> bool:
    robot = zw.load(MODELS / "quadruped.urdf", root="floating")
    feet = zw.ConstraintSet(robot)
    names = ["LF_foot", "RF_foot", "LH_foot", "RH_foot"]
    for name in names:
        feet.add_contact(name, frame=name, normal=[0, 0, 1])
        feet[name].active = False

    q = robot.neutral()
    q[3], q[6] = math.sin(0.05), math.cos(0.05)  # rolled by 0.1 rad
    q[8::3], q[9::3] = 0.6, -1.2
    q[2] = 0.1 - min(zw.frame_pose(robot, q, name)[2, 3] for name in names)  # the lowest foot 10 cm above the ground

    wanted = q[7:].copy()

    def hold(t: float, q: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([np.zeros(6), 150 * (wanted - q[7:]) - 6 * v[6:]])

    t = zw.simulate(robot, feet, q, tau=hold, time=1, integrator="rk4", keep="projection",
                    events=[{"name": name, "when": {"frame": name}, "on": name} for name in names])
    if t.status != "ok":
        print(t.reason)
        return False
    good = len(t.events) == 4 and abs(t.events[0].time - math.sqrt(0.2 / 9.81)) < 1e-2
    for e in t.events:
        print(f"{e.name} lands at {e.time:.4f} s: kinetic energy {e.energy_before:.4f} J, then {e.energy_after:.4f} J")
        good = good and e.energy_after < e.energy_before
    weight = robot.mass * 9.81
    up = t.multipliers[-1, 2::3].sum()
    print(f"after a second the ground carries {up / weight:.3f} of the weight")
    good = good and abs(up / weight - 1) < 0.1 and t.velocity_error.max() < 1e-10
    print(f"four feet land one after the other and stay where they are: {'ok' if good else 'NOT ok'}")
    return bool(good)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
