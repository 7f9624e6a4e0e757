# SPDX-License-Identifier: BSD-3-Clause
"""A biped whose legs are closed by rods and driven through gears, as Cassie's are: all of it is read from an SDF.

load_robot gives the tree, its loops and gears as constraints, and the configuration in which the file draws the robot. The robot
hangs by its pelvis and swings: the loops stay closed. Then it stands on its feet: motors behind the gears and rods hold it. Another
SDF may be given: the first two parts are those of any robot that floats. Prints what 13_closed_legs.cpp prints.
"""
import copy
import pathlib
import sys

import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def main() -> int:
    bird = zw.load_robot(sys.argv[1] if len(sys.argv) > 1 else MODELS / "bird.sdf")
    robot, q = bird.model, bird.configurations["file"].q
    still = robot.zero()

    # 1. What the file holds, and whether it is drawn closed.
    opened = abs(bird.constraints.evaluate(q).position_error).max(initial=0)
    m = zw.mobility(robot, bird.constraints, q)
    assert isinstance(m, zw.Mobility)  # of one configuration
    print(f"{robot.nv} coordinates, {len(robot.loops)} loops, {len(bird.constraints)} constraints of {bird.constraints.rows} rows; "
          f"drawn closed: {'yes' if opened < 1e-12 else 'no'}")
    print(f"mobility {m.mobility}: rank {m.rank} of the rows")

    # 2. It hangs by its pelvis and swings for half a second.
    hanging = copy.copy(bird.constraints)
    hanging.add_frame("hook", robot.joints[0].child)
    t = zw.simulate(robot, hanging, q, time=0.5, dt=1e-3, keep="projection")
    closed = t.status == "ok" and t.error.max() < 1e-10
    print(f"hanging for 0.5 s: {t.status}, loops and gears {'closed to 1e-10' if closed else 'open'}")
    if "left_sole" not in robot.frame_names:
        return 0 if opened < 1e-12 and closed else 1

    # 3. It stands: the torques of its eight motors.
    standing = copy.copy(bird.constraints)
    for side in ("left", "right"):
        standing.add_frame(side, side + "_sole")
    motors = [side + joint for side in ("left", "right") for joint in ("_hip_roll", "_hip_pitch", "_knee_motor", "_foot_motor")]
    held = zw.constrained_inverse_dynamics(robot, standing, q, still, still, actuated=motors)
    print(f"standing: {held.status}")
    for name in motors:
        torque = held.tau[robot.joint(name).v][0]
        print(f"  {name:<17} {0.0 if abs(torque) < 1e-10 else torque:9.4f} N m")
    s = zw.Solver(robot, standing).solve(q, still, held.tau)
    up = s["left"].multipliers[2] + s["right"].multipliers[2]
    good = (opened < 1e-12 and closed and s.status == "ok" and abs(s.acceleration).max() < 1e-9
            and abs(up / (9.81 * robot.mass) - 1) < 1e-12)
    print(f"with these torques it stays where it is, the feet carry {up:.4f} N: {'ok' if good else 'NOT ok'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
