# SPDX-License-Identifier: BSD-3-Clause
"""A Delta robot: three motors on the ground move a platform through three pairs of rods.

Each rod hangs on two balls, so that 18 rows close the robot. Its mobility is nine: three of the platform, and six of rods that turn
about themselves. The Jacobian by the motors leaves those out. The torques of a motion of the platform are those of the three motors;
constrained forward dynamics with them gives the motion again. Prints what delta.cpp prints.
"""
import sys

import numpy as np
import zwang as zw
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
ARM, ROD, BASE, PLATFORM, HALF = 0.2, 0.45, 0.2, 0.05, 0.04  # [m]: lengths, radii, half the distance of a pair


def pose(rotation: Matrix = np.eye(3), x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Matrix:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, (x, y, z)
    return T


def about_x(angle: float) -> Matrix:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def rod(builder: zw.ModelBuilder, name: str, mass: float, length: float) -> None:  # slender, along y from its origin
    builder.add_link(name, mass, (0, length / 2, 0), np.diag([mass * length**2 / 12, mass * 1e-5, mass * length**2 / 12]))


def delta(tilt: float = 0.5) -> tuple[zw.Model, zw.ConstraintSet]:
    """The robot with its arms `tilt` below the horizontal at q = 0, and the rows that close it."""
    drop = ARM * np.sin(tilt) + np.sqrt(ROD**2 - (BASE + ARM * np.cos(tilt) - PLATFORM)**2)
    b = zw.ModelBuilder("delta").add_link("ground").add_link("platform", 0.3, (0, 0, 0), np.diag([3e-4, 3e-4, 6e-4]))
    b.add_joint("platform_joint", "floating", "ground", "platform", pose(z=-drop))
    pairs = []
    for k in range(3):
        c, s = np.cos(2 * np.pi / 3 * k), np.sin(2 * np.pi / 3 * k)
        out = np.array([[s, c, 0], [-c, s, 0], [0, 0, 1]])  # y outwards, x the axis of the motor
        rod(b, f"arm{k}", 0.25, ARM)
        b.add_joint(f"motor{k}", "revolute", "ground", f"arm{k}", pose(out @ about_x(-tilt), BASE * c, BASE * s), (1, 0, 0))
        inwards = np.arctan2(ARM * np.sin(tilt) - drop, PLATFORM - BASE - ARM * np.cos(tilt))  # from elbow to platform
        for side in (-1, 1):
            name = f"{k}{'lr'[side > 0]}"
            rod(b, f"rod{name}", 0.08, ROD)
            b.add_joint(f"elbow{name}", "spherical", f"arm{k}", f"rod{name}", pose(about_x(inwards + tilt), HALF * side, ARM))
            b.add_frame(f"end{name}", f"rod{name}", pose(y=ROD))
            b.add_frame(f"seat{name}", "platform", pose(x=out[0, 0] * HALF * side + out[0, 1] * PLATFORM,
                                                        y=out[1, 0] * HALF * side + out[1, 1] * PLATFORM))
            pairs.append(name)
    robot = zw.with_actuated(b.build(), ["motor0", "motor1", "motor2"])
    constraints = zw.ConstraintSet(robot)
    for name in pairs:
        constraints.add_loop(f"ball{name}", (f"end{name}", f"seat{name}"), {"joint": "ball"})
    return robot, constraints


def main() -> int:
    robot, constraints = delta()
    q = robot.neutral()
    m = zw.mobility(robot, constraints, q)
    assert isinstance(m, zw.Mobility)  # of one configuration; of a path it would be a PathMobility
    print(f"mobility {m.mobility}: {robot.nv} coordinates, rank {m.rank} of {m.rows} rows; it goes on in {m.finite_mobility}")
    J = m.jacobian("platform")
    print(f"{J.passive} rods turn about themselves; motors lock the platform: {not J.type2}, move it: {not J.type1}")
    print("platform [m/s] by the motors [rad/s], vertical:", *(f"{x:.6f}" for x in J.jacobian[2]))

    up = robot.joint("platform_joint").v
    wish, weight = robot.zero(), robot.zero()
    wish[up][2], weight[up] = 5.0, 1.0  # the platform is demanded to rise, nothing else
    r = zw.constrained_inverse_dynamics(robot, constraints, q, None, wish, weight=weight)
    print(r.report.explain().splitlines()[0])
    motors = [robot.joint(f"motor{k}").v.start for k in range(3)]
    print("torques [N m]:", *(f"{x:.6f}" for x in r.tau[motors]), "acceleration of the platform [m/s2]:",
          *(f"{x:.6f}" for x in r.acceleration[up][:3]))

    again = zw.Solver(robot, constraints).solve(q, robot.zero(), r.tau)
    error = abs(again.acceleration - r.acceleration).max() / (1 + abs(r.acceleration).max())
    rates = J.jacobian @ r.acceleration[motors]  # at rest accelerations follow as velocities do
    ok = r.status == "ok" and error < 1e-10 and abs(rates - r.acceleration[up]).max() < 1e-9
    ok = ok and np.count_nonzero(abs(r.tau) > 0) == 3 and (m.mobility, J.passive) == (9, 6)
    print(f"three torques give the platform's motion in forward dynamics, the Jacobian agrees: {'ok' if ok else 'NOT ok'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
