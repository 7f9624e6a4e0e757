# SPDX-License-Identifier: BSD-3-Clause
"""A Stewart platform: built in code, assembled in a pose, moved along a path, and projected after steps of an integrator.

Six legs (a universal joint and a slide each) carry a platform on balls. The platform's pose is fixed; assembly finds the legs, whose
lengths are known in closed form. Prints what stewart.cpp prints.
"""
import sys

import numpy as np
import zwang as zw

HEIGHT, FEET, HEADS = 0.9, 0.8, 0.5


def corner(radius: float, angle: float) -> np.ndarray:
    return radius * np.array([np.cos(angle), np.sin(angle), 0.0])


def axes_along(y: np.ndarray) -> np.ndarray:
    y = y / np.linalg.norm(y)
    z = np.cross([1.0, 0.0, 0.0], y)
    z = z / np.linalg.norm(z)
    return np.column_stack([np.cross(y, z), y, z])


def pose(rotation: np.ndarray, position: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    return T


def platform() -> tuple[zw.Model, list[np.ndarray], list[np.ndarray]]:
    builder = zw.ModelBuilder("stewart")
    builder.add_link("base")
    builder.add_link("platform", mass=20.0, inertia=np.diag([1.0, 1.0, 2.0]))
    builder.add_joint("platform_joint", type="floating", parent="base", child="platform",
                      origin=pose(np.eye(3), np.array([0, 0, HEIGHT])))
    feet, heads = [], []
    for k in range(6):
        third, side = 2 * np.pi / 3 * (k // 2), -1 if k % 2 == 0 else 1
        foot, head = corner(FEET, third + side * 0.75), corner(HEADS, third + side * 0.2)
        way = head + [0, 0, HEIGHT] - foot
        builder.add_link(f"cylinder{k}", mass=3.0, centre=[0, 0.3, 0], inertia=np.diag([0.1, 0.01, 0.1]))
        builder.add_link(f"piston{k}", mass=2.0, centre=[0, 0.3, 0], inertia=np.diag([0.1, 0.01, 0.1]))
        builder.add_joint(f"foot{k}", type="universal", parent="base", child=f"cylinder{k}",
                          origin=pose(axes_along(way), foot))
        builder.add_joint(f"leg{k}", type="prismatic", parent=f"cylinder{k}", child=f"piston{k}", axis=[0, 1, 0],
                          origin=pose(np.eye(3), np.array([0, np.linalg.norm(way) - 0.6, 0])))
        builder.add_frame(f"head{k}", f"piston{k}", pose(np.eye(3), np.array([0, 0.6, 0])))
        builder.add_frame(f"seat{k}", "platform", pose(np.eye(3), head))
        feet.append(foot)
        heads.append(head)
    return builder.build(), feet, heads


def main() -> int:
    robot, feet, heads = platform()
    constraints = zw.ConstraintSet(robot)
    for k in range(6):
        constraints.add_loop(f"leg{k}", (f"head{k}", f"seat{k}"), {"joint": "ball"})
    assembler = zw.Assembler(robot, constraints, fixed=["platform_joint"])
    q, root = robot.neutral(), robot.joint("platform_joint").q
    neutral_lengths = [float(np.linalg.norm(h + [0, 0, HEIGHT] - f)) for f, h in zip(feet, heads)]

    print("pose of the platform -> travel of the legs [m]")
    worst = 0.0
    for angle in np.linspace(0, 0.3, 4):
        shift = np.array([0.1 * np.sin(3 * angle), 0.0, 0.2 * angle])
        q[root] = np.concatenate([shift, [0, 0, np.sin(angle / 2), np.cos(angle / 2)]])
        r = assembler.assemble(q)
        if r.report.status != "ok":
            print(r.report.explain())
            return 1
        q = r.q
        R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        travel = np.array([q[robot.joint(f"leg{k}").q][0] for k in range(6)])
        closed_form = [float(np.linalg.norm(R @ h + shift + [0, 0, HEIGHT] - f)) - n
                       for f, h, n in zip(feet, heads, neutral_lengths)]
        worst = max(worst, abs(travel - closed_form).max())
        print(f"  {angle:.1f} rad:", " ".join(f"{x:.4f}" for x in travel) + f", {r.iterations} steps")

    projector = zw.Assembler(robot, constraints, weights="mass")
    v = projector.assemble_velocity(q, np.linspace(-0.3, 0.3, robot.nv)).v
    for _ in range(50):  # an integrator that knows nothing of the loops, and a projection after each step
        state = projector.project(zw.integrate(robot, q, 0.01 * v), v)
        q, v = state.q, state.v
    held = ["ok" if x <= 1e-12 else "NOT ok" for x in (state.report.residual, state.report.velocity_residual)]
    print(f"after 50 projected steps: residual {held[0]}, velocities {held[1]}")
    ok = worst < 1e-10 and bool(state.report.status == "ok")
    print(f"the legs have the lengths of the closed form: {'ok' if ok else 'NOT ok'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
