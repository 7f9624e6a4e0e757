# SPDX-License-Identifier: BSD-3-Clause
"""A quadruped is dropped on the ground, tilted: it lands, slides, and stands on its feet by springs and dampers of its controller.

The scene knows the shapes of the robot's file and the ground. Nobody says which foot lands when: every step finds what touches and
the impulses that obey Signorini's and Coulomb's laws, and says how exactly they do. Prints what 15_on_its_feet.cpp prints.
"""
import math
import pathlib
import sys

import numpy as np
import zwang as zw
from numpy.typing import NDArray

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def main() -> int:
    robot = zw.load(MODELS / "quadruped.urdf", root="floating")
    scene = zw.Scene(robot).ground(friction=0.6)

    q, v = robot.neutral(), robot.zero()
    q[2], q[3], q[6] = 0.75, math.sin(0.1), math.cos(0.1)  # rolled by 0.2 rad
    q[8::3], q[9::3] = 0.2, -0.3
    wanted = q[7:].copy()
    v[0] = 0.8

    def hold(t: float, q: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([np.zeros(6), 300 * (wanted - q[7:]) - 8 * v[6:]])

    t = zw.simulate(robot, None, q, v, hold, time=3, dt=1e-3, integrator="contact", scene=scene)
    landed = next(time for time, state in zip(t.time, t.contacts) if any(c.kind != "open" for c in state))
    forces = [c.force[2] for c in t.contacts[-1] if c.what == "point" and c.force[2] > 0]
    weight, fastest = 9.81 * robot.mass, float(abs(t.v[-1]).max())
    print(f"{robot.mass:.4f} kg, {len(scene.shapes)} shapes that can touch")
    print(f"the first foot lands after {landed:.3f} s")
    print(f"after {t.time[-1]:.1f} s {len(forces)} feet carry {sum(forces) / weight:.4f} of the weight, "
          f"the fastest coordinate moves at {0.0 if fastest < 1e-4 else fastest:.0e}")
    report = t.contact_report
    good = (t.status == "ok" and len(forces) == 4 and abs(sum(forces) / weight - 1) < 1e-3 and report.residual < 1e-10
            and report.penetration < 1e-6)
    print(f"laws hold to 1e-10 in every step, nothing sinks in by more than 1e-6 m: {'ok' if good else 'NOT ok'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
