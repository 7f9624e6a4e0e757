# SPDX-License-Identifier: BSD-3-Clause
"""A quadruped trots: planned feet, inverse kinematics, a spline in time, the forces that carry the motion, and a page that plays it.

The trunk goes forward at a constant speed. Diagonal pairs of feet stand and swing in turn. Joint values are solved for at samples, a
spline through them gives velocities and accelerations, and constrained inverse dynamics gives motor torques and contact forces. Two
point feet cannot stop the trunk from tilting about the line between them: the motion nearest to the plan is taken. With a path as
argument the page is written there.
"""
import pathlib
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"

PAIRS = (("LF_foot", "RH_foot"), ("RF_foot", "LH_foot"))
FEET = [foot for pair in PAIRS for foot in pair]
PERIOD, SPEED, LIFT = 0.5, 0.4, 0.05  # [s, m/s, m]


def foot_at(time: float, home: np.ndarray, pair: int) -> np.ndarray:
    """A foot stands for half of the period and swings for the other half, at rest where the two meet."""
    stride = SPEED * PERIOD
    phase = time / PERIOD + 0.5 * pair
    step, part = divmod(phase, 1.0)
    standing = (step - 0.5 * pair + 0.25) * stride  # below its place on the trunk in the middle of the stance
    swing = np.clip(2 * part - 1, 0, 1)
    forward = standing + stride * (swing - np.sin(2 * np.pi * swing) / (2 * np.pi))
    place: np.ndarray = home + np.array([float(forward), 0.0, float(LIFT * (1 - np.cos(2 * np.pi * swing)) / 2)])
    return place


def main() -> int:
    robot = zw.load(MODELS / "quadruped.urdf", root="floating")
    root = robot.joint("root_joint").q
    stance = robot.neutral()
    home = {foot: zw.frame_pose(robot, stance, foot)[:3, 3] for foot in FEET}
    solver = zw.InverseKinematics(robot, FEET, rows="linear", fixed="root_joint")

    # joint values at samples of two periods, and a spline in time
    times = np.linspace(0, 2 * PERIOD, 161)
    samples, q, worst = [], stance, 0.0
    for time in times:
        q = q.copy()
        q[root][0] = SPEED * time
        targets = {}
        for k, pair in enumerate(PAIRS):
            for foot in pair:
                targets[foot] = np.eye(4)
                targets[foot][:3, 3] = foot_at(time, home[foot], k)
        r = solver.solve(targets, q)
        if r.status != "ok":
            print(f"t = {time:.3f} s: {r.explain()}")
            return 1
        q = r.q
        samples.append(q)
        worst = max(worst, *(np.abs(zw.frame_pose(robot, q, f)[:3, 3] - targets[f][:3, 3]).max() for f in FEET))
    print(f"{len(times)} configurations: feet where they are planned to {1e6 * worst:.0f} micrometres")
    path = zw.ConfigurationPath.through(robot, np.array(samples), times)

    # forces in the middle between samples, where no foot lands or leaves
    contacts = zw.ConstraintSet(robot)
    for foot in FEET:
        contacts.add_contact(foot, frame=foot, normal=[0, 0, 1])
    shown = (times[1:] + times[:-1]) / 2
    state = path.at(shown)
    forces = np.zeros((len(shown), contacts.rows))
    tilt, torque = 0.0, 0.0
    for k, time in enumerate(shown):
        standing = PAIRS[int(2 * time / PERIOD) % 2]
        for foot in FEET:
            contacts[foot].active = foot in standing
        carried = zw.constrained_inverse_dynamics(robot, contacts, state.q[k], state.first[k], state.second[k])
        forces[k] = carried.multipliers
        tilt = max(tilt, np.abs(carried.acceleration[3:6] - state.second[k][3:6]).max())
        torque = max(torque, np.abs(carried.tau).max())
    for foot in FEET:
        contacts[foot].active = True
    lift = forces[:, 2::3].sum(axis=1).mean() / (9.81 * robot.mass)
    print(f"the feet carry {100 * lift:.1f} % of the weight on average, motors give up to {torque:.1f} N m")
    print(f"what two feet cannot hold: the trunk tilts with up to {tilt:.1f} rad/s^2")

    view = zw.view(robot, state.q, time=shown, constraints=contacts, multipliers=forces, title="a trot")
    print(f"a page with {view.shown} states, {len(view.html) / 1e6:.1f} MB" if len(sys.argv) < 2 else f"written to {sys.argv[1]}")
    if len(sys.argv) > 1:
        view.save(sys.argv[1])
    ok = worst < 1e-6 and abs(lift - 1) < 0.02 and len(view.html) < 3e6
    print(f"the feet go where they are planned, their forces carry the weight: {'ok' if ok else 'NOT ok'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
