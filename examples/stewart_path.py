# SPDX-License-Identifier: BSD-3-Clause
"""A Stewart platform on a path: its platform goes along a circle while it tilts, as fast as the legs' speeds and accelerations allow.

Inverse kinematics with the six loops held gives the legs along the path; the fastest law of time follows from their limits, and
constrained inverse dynamics gives the forces of the six motors. With a path as argument a page of the motion is written there.
"""
import sys

import numpy as np
import zwang as zw

HEIGHT, FEET, HEADS, TRAVEL = 0.9, 0.8, 0.5, 0.35  # [m]


def pose(rotation: np.ndarray, position: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    return T


def axes_along(y: np.ndarray) -> np.ndarray:
    y = y / np.linalg.norm(y)
    z = np.cross([1.0, 0.0, 0.0], y)
    z = z / np.linalg.norm(z)
    return np.column_stack([np.cross(y, z), y, z])


def corner(radius: float, angle: float) -> np.ndarray:
    return radius * np.array([np.cos(angle), np.sin(angle), 0.0])


def platform() -> tuple[zw.Model, zw.ConstraintSet]:
    """Of each leg a cylinder on a universal joint and a piston with a motor; loops tie the pistons to the platform by balls."""
    builder = zw.ModelBuilder("stewart")
    builder.add_link("base")
    builder.add_shape("base", "cylinder", (FEET, 0.04), pose(np.eye(3), np.array([0, 0, -0.05])), (0.75, 0.78, 0.82))
    builder.add_link("platform", mass=20.0, inertia=np.diag([1.0, 1.0, 2.0]))
    builder.add_shape("platform", "cylinder", (HEADS, 0.05), colour=(0.93, 0.55, 0.2))
    builder.add_joint("platform_joint", type="floating", parent="base", child="platform", origin=pose(np.eye(3), np.array([0, 0, HEIGHT])))
    tube = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], float)  # the axis of cylinders is z, that of a leg y
    for k in range(6):
        third, side = 2 * np.pi / 3 * (k // 2), -1 if k % 2 == 0 else 1
        foot, head = corner(FEET, third + side * 0.75), corner(HEADS, third + side * 0.2)
        way = head + [0, 0, HEIGHT] - foot
        for name, radius in ((f"cylinder{k}", 0.04), (f"piston{k}", 0.025)):
            builder.add_link(name, mass=2.5, centre=[0, 0.3, 0], inertia=np.diag([0.1, 0.01, 0.1]))
            builder.add_shape(name, "cylinder", (radius, 0.6), pose(tube, np.array([0, 0.3, 0])))
        builder.add_joint(f"foot{k}", type="universal", parent="base", child=f"cylinder{k}", origin=pose(axes_along(way), foot))
        builder.add_joint(f"leg{k}", type="prismatic", parent=f"cylinder{k}", child=f"piston{k}", axis=[0, 1, 0],
                          lower=-TRAVEL, upper=TRAVEL, origin=pose(np.eye(3), np.array([0, np.linalg.norm(way) - 0.6, 0])))
        builder.add_frame(f"head{k}", f"piston{k}", pose(np.eye(3), np.array([0, 0.6, 0])))
        builder.add_frame(f"seat{k}", "platform", pose(np.eye(3), head))
    robot = builder.build()
    loops = zw.ConstraintSet(robot)
    for k in range(6):
        loops.add_loop(f"leg{k}", (f"head{k}", f"seat{k}"), {"joint": "ball"})
    return robot, loops


def main() -> int:
    robot, loops = platform()
    legs = [f"leg{k}" for k in range(6)]
    rise = np.linspace(0, 2 * np.pi, 13)
    poses = []
    for angle in rise:
        tilt = 0.15 * np.sin(angle)
        R = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
        poses.append(pose(R, np.array([0.15 * np.cos(angle) - 0.15, 0.15 * np.sin(angle), HEIGHT + 0.05 * np.sin(angle)])))
    circle = zw.PosePath.through(np.array(poses), rise / rise[-1])
    followed = zw.follow(robot, "platform", circle, robot.neutral(), constraints=loops, tolerance=1e-6)
    if followed.status != zw.Status.ok or followed.path is None:
        print(followed.reason)
        return 1
    print(f"{followed.samples} configurations keep platform and loops to {followed.error:.0e} or better")

    speed = dict.fromkeys(legs, 0.4)
    timing = zw.time_path(followed.path, velocity=limits(robot, speed), acceleration=limits(robot, dict.fromkeys(legs, 2.0)), torque=np.inf)
    motion = timing.motion
    if timing.status != zw.Status.ok or motion is None:
        print(timing.reason)
        return 1
    t = np.linspace(0, motion.duration, 201)
    state = motion.at(t)
    places = [robot.joint(leg).v.start for leg in legs]
    fastest, hardest = np.abs(state.v[:, places]).max(), np.abs(state.a[:, places]).max()
    print(f"{motion.duration:.3f} s, legs up to {fastest:.3f} m/s and {hardest:.3f} m/s^2")

    # The motors: what they give lets the forward dynamics go the planned way.
    r = zw.constrained_inverse_dynamics(robot, loops, state.q, state.v, state.a, actuated=legs)
    again = zw.Solver(robot, loops)
    off = max(np.abs(again.solve(state.q[k], state.v[k], r.tau[k]).acceleration - state.a[k]).max() for k in range(0, 201, 10))
    print(f"motors give up to {np.abs(r.tau).max():.0f} N; forward dynamics gives the plan's accelerations to 0.005: {bool(off < 5e-3)}")
    if len(sys.argv) > 1:
        zw.view(robot, state.q, time=t, constraints=loops, multipliers=r.multipliers, html=sys.argv[1], title="a platform on a circle")
    ok = fastest < 0.4 * 1.001 and hardest < 2.0 * 1.01 and off < 5e-3
    print(f"the legs keep their limits, the motors' forces give the planned motion: {'ok' if ok else 'NOT ok'}")
    return 0 if ok else 1


def limits(robot: zw.Model, of: dict[str, float]) -> np.ndarray:
    """Of the joints named; the others have none."""
    out = np.full(robot.nv, np.inf)
    for name, x in of.items():
        out[robot.joint(name).v] = x
    return out


if __name__ == "__main__":
    sys.exit(main())
