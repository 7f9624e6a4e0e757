# SPDX-License-Identifier: BSD-3-Clause
"""Five boxes on each other, each ten times as heavy as the one below: what every face carries.

Solvers that iterate over contacts need thousands of sweeps for a ratio of 10^4. Here a step is an answer or says that it is none.
Prints what 16_stack.cpp prints.
"""
import sys

import numpy as np
import zwang as zw

BOXES = 5


def main() -> int:
    stack = zw.ModelBuilder("stack").add_link("world")
    for k in range(BOXES):
        m = 10.0**k
        stack.add_link(f"box{k}", mass=m, inertia=np.diag([m / 12 * 0.05, m / 12 * 0.05, m / 12 * 0.08]))
        stack.add_joint(f"free box{k}", "floating", "world", f"box{k}", origin=(0, 0, 0.05 + 0.1 * k))
    model = stack.build()
    scene = zw.Scene(model)
    scene.friction = 0.5
    for k in range(BOXES):
        scene.add_box(f"box{k}", (0.2, 0.2, 0.1), link=f"box{k}")
    scene.ground(friction=0.5)

    t = zw.simulate(model, None, model.neutral(), time=0.5, integrator="contact", scene=scene)
    force = np.zeros(BOXES)  # under each box
    for c in t.contacts[-1]:
        if c.name_b is not None:  # a point; b: the upper one of a pair
            force[int(c.name_b[-1])] += abs(c.force[2])
    above = 9.81 * np.cumsum([10.0**k for k in range(BOXES)][::-1])[::-1]
    print("box    mass [kg]    the face below carries [N]")
    for k in range(BOXES):
        print(f"{k:3d} {10.0**k:12.0f} {force[k]:29.4f}")
    good = t.status == "ok" and abs(force / above - 1).max() < 1e-11 and abs(t.v[-1]).max() < 1e-11
    print(f"each face carries what is above it to 1e-11, nothing moves: {'ok' if good else 'NOT ok'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
