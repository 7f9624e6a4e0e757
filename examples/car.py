# SPDX-License-Identifier: BSD-3-Clause
"""A car-like robot on three wheels that roll without slip: it drives a circle, and then along a slalom by its steering.

Two wheels behind, one steered wheel in front; the chassis is free, and nine rows hold the wheels to the ground. They have rank eight, for
both wheels behind forbid the same sideways motion: two freedoms are left, driving and steering. With a path as argument a page of the
slalom is written there.
"""
import sys

import numpy as np
import zwang as zw

LENGTH, WIDTH, RADIUS = 1.2, 0.7, 0.25  # [m]


def car() -> tuple[zw.Model, zw.ConstraintSet]:
    builder = zw.ModelBuilder("car")
    builder.add_link("ground")
    builder.add_link("chassis", mass=60.0, centre=[0.5, 0, 0.1], inertia=np.diag([3.0, 12.0, 14.0]))
    builder.add_joint("root", type="floating", parent="ground", child="chassis")
    disc = np.diag([0.04, 0.06, 0.04])

    def at(x: float, y: float) -> np.ndarray:
        T = np.eye(4)
        T[:2, 3] = x, y
        return T

    for name, y in (("left", WIDTH / 2), ("right", -WIDTH / 2)):
        builder.add_link(name, mass=2.0, inertia=disc)
        builder.add_joint(f"{name}_axle", type="continuous", parent="chassis", child=name, axis=[0, 1, 0], origin=at(0, y))
    builder.add_link("fork", mass=1.0, inertia=np.diag([0.01, 0.01, 0.01]))
    builder.add_joint("steering", type="revolute", parent="chassis", child="fork", axis=[0, 0, 1], lower=-1, upper=1, origin=at(LENGTH, 0))
    builder.add_link("front", mass=2.0, inertia=disc)
    builder.add_joint("front_axle", type="continuous", parent="fork", child="front", axis=[0, 1, 0])
    along_y = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)  # the axis of cylinders is z
    for name in ("left", "right", "front"):
        builder.add_shape(name, "cylinder", (RADIUS, 0.08), along_y, (0.2, 0.22, 0.25))
        builder.add_shape(name, "box", (1.6 * RADIUS, 0.1, 0.05), colour=(0.75, 0.78, 0.82))
    hull = np.eye(4)
    hull[:3, 3] = 0.5, 0, 0.18
    builder.add_shape("chassis", "box", (1.3, 0.45, 0.16), hull, (0.93, 0.55, 0.2))
    robot = builder.build()
    wheels = zw.ConstraintSet(robot)
    for name in ("left", "right", "front"):
        wheels.add_rolling(name, frame=name, radius=RADIUS, axis="y")
    return robot, wheels


def start(robot: zw.Model, angle: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """On the ground, steered by an angle, with the velocity at which the wheels roll."""
    turn = speed * np.tan(angle) / LENGTH
    q, v, root = robot.neutral(), robot.zero(), robot.joint("root")
    q[root.q][2] = RADIUS
    q[robot.joint("steering").q] = angle
    v[root.v] = [speed, 0, 0, 0, 0, turn]
    for name, rate in (("left", speed - turn * WIDTH / 2), ("right", speed + turn * WIDTH / 2), ("front", speed / np.cos(angle))):
        v[robot.joint(f"{name}_axle").v] = rate / RADIUS
    return q, v


def main() -> int:
    robot, wheels = car()
    rank = zw.Solver(robot, wheels).solve(*start(robot, 0.3, 0.0)).report.rank
    print(f"{wheels.rows} rows of rank {rank}: {robot.nv - rank} freedoms")

    # a circle: the middle of the axle behind turns about a point at a distance of length / tan(angle)
    angle, speed = 0.3, 1.5
    q, v = start(robot, angle, speed)
    t = zw.simulate(robot, wheels, q, v, time=4, dt=2e-3, integrator="half_explicit", keep="projection", prescribed={"steering": 0.0})
    if t.status != zw.Status.ok:
        print(t.reason)
        return 1
    radius = LENGTH / np.tan(angle)
    root = robot.joint("root").q
    away = np.hypot(t.q[:, root][:, 0], t.q[:, root][:, 1] - radius)
    bend = np.abs(away - radius).max()
    energy = np.abs(t.energy / t.energy[0] - 1).max()
    print(f"circle of {radius:.3f} m: off by less than 1e-7 m: {bool(bend < 1e-7)}, energy kept to 1e-8: {bool(energy < 1e-8)}")

    # a slalom: the steering is prescribed, the wheels behind drive
    swing, rhythm = 0.5, 2 * np.pi / 3
    q, v = start(robot, 0.0, 1.0)
    v[robot.joint("steering").v] = swing * rhythm
    t = zw.simulate(robot, wheels, q, v, tau={"left_axle": 2.0, "right_axle": 2.0}, time=6, dt=2e-3, integrator="half_explicit",
                    keep="projection", prescribed={"steering": lambda t, q, v: -swing * rhythm**2 * np.sin(rhythm * t)})
    if t.status != zw.Status.ok:
        print(t.reason)
        return 1
    forward = t.v[-1, robot.joint("root").v][0]
    sideways = np.abs(t.v[:, robot.joint("root").v][:, 1]).max()
    print(f"slalom: {t.q[-1, root][0]:.2f} m, then at {forward:.2f} m/s; sideways slip below 1e-10 m/s: {bool(sideways < 1e-10)}")
    if len(sys.argv) > 1:
        zw.view(robot, t, constraints=wheels, html=sys.argv[1], title="a slalom")
    ok = rank == 8 and bend < 1e-7 and energy < 1e-8 and sideways < 1e-10
    print(f"no wheel slips, the circle is that of its closed form, the energy is kept: {'ok' if ok else 'NOT ok'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
