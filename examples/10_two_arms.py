# SPDX-License-Identifier: BSD-3-Clause
"""Two arms carry one object: a cube of 3 kg between the hands of a humanoid is lifted by 12 cm and tilted by 0.25 rad.

The object's motion is chosen once; where it goes, both hands must go: 12 driver rows, a_hand = a + alpha x r + w x (w x r). What
the object needs, m (a - g) and I alpha, the hands share as wrenches from outside, with 20 N of squeeze that cancel. The joints
that are in no arm are prescribed to stand still: 14 joints remain for 12 rows. Prints what 10_two_arms.cpp prints.
"""
import pathlib
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
STEP, DURATION, KP, KD, MASS, INERTIA, SQUEEZE = 1e-3, 1.5, 400.0, 40.0, 3.0, 0.03, 20.0
cross = np.cross


def turn(to: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The small turn that leads from one attitude to another, in world axes."""
    R = to @ start.T
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2


def main() -> int:
    robot = zw.load(MODELS / "humanoid.urdf", root="fixed")
    q, v = robot.neutral(), robot.zero()
    left_0, right_0 = zw.frame_pose(robot, q, "left_hand"), zw.frame_pose(robot, q, "right_hand")
    object_0 = np.eye(4)
    object_0[:3, 3] = (left_0[:3, 3] + right_0[:3, 3]) / 2
    grip_left, grip_right = np.linalg.inv(object_0) @ left_0, np.linalg.inv(object_0) @ right_0

    constraints = zw.ConstraintSet(robot)
    for hand in ("left_hand", "right_hand"):
        constraints.add_frame(hand, frame=hand, rows="all", role="driver")
    solver = zw.Solver(robot, constraints)
    arms = ("shoulder", "elbow", "wrist")
    still = {name: 0.0 for name in robot.coordinate_names if not any(part in name for part in arms)}
    elbow = robot.joint("left_elbow").v.start
    up, axis, gravity = np.array([0, 0, 0.12]), np.array([0.25, 0, 0]), np.array([0, 0, -9.81])

    path_error = grip_error = newton = proof = 0.0
    print("  t [s]   height [m]   tilt [rad]   torque of left elbow [N m]")
    for k in range(round(DURATION / STEP) + 1):
        x = min(k * STEP / DURATION, 1.0)
        s, ds = x**3 * (10 + x * (6 * x - 15)), 30 * x**2 * (1 + x * (x - 2)) / DURATION
        dds = 60 * x * (1 + x * (2 * x - 3)) / DURATION**2
        l, r = zw.frame_pose(robot, q, "left_hand"), zw.frame_pose(robot, q, "right_hand")
        vl, vr = zw.frame_velocity(robot, q, v, "left_hand"), zw.frame_velocity(robot, q, v, "right_hand")
        # The object sits in the right hand; there it is, and thus it moves.
        held = r @ np.linalg.inv(grip_right)
        p, arm_r, w = held[:3, 3], r[:3, 3] - held[:3, 3], vr[3:]
        v_o = vr[:3] - cross(w, arm_r)
        c, d = np.cos(axis[0] * s), np.sin(axis[0] * s)
        wanted = np.array([[1, 0, 0], [0, c, -d], [0, d, c]])
        lag = object_0[:3, 3] + s * up - p
        a = dds * up + KD * (ds * up - v_o) + KP * lag
        alpha = dds * axis + KD * (ds * axis - w) + KP * turn(wanted, held[:3, :3])
        # Where the object holds the left hand; what it strays from there is corrected.
        hold = held @ grip_left
        arm_l, slip = hold[:3, 3] - p, hold[:3, 3] - l[:3, 3]
        a_r = a + cross(alpha, arm_r) + cross(w, cross(w, arm_r))
        a_l = a + cross(alpha, arm_l) + cross(w, cross(w, arm_l)) + KD * (v_o + cross(w, arm_l) - vl[:3]) + KP * slip
        w_l = alpha + KD * (w - vl[3:]) + KP * turn(hold[:3, :3], l[:3, :3])
        constraints["right_hand"].beta = np.concatenate([a_r, alpha])
        constraints["left_hand"].beta = np.concatenate([a_l, w_l])
        # What the object needs, shared: forces by halves, and the moment that is missing by halves.
        force, u = MASS * (a - gravity), r[:3, 3] - l[:3, 3]
        u = SQUEEZE * u / np.linalg.norm(u)
        f_l, f_r = force / 2 + u, force / 2 - u
        n = (INERTIA * alpha - cross(l[:3, 3] - p, f_l) - cross(arm_r, f_r)) / 2
        load = {"left_hand": -np.concatenate([f_l, n]), "right_hand": -np.concatenate([f_r, n])}
        answer = solver.solve(q, v, zw.gravity_forces(robot, q) - 2 * v, external=load, prescribed=still)
        if answer.report.status != "ok":
            return 1
        # The object's law of motion, with the acceleration that the right hand really has.
        got = zw.frame_acceleration(robot, q, v, answer.acceleration, "right_hand", kind="classical")
        a_o = got[:3] - cross(got[3:], arm_r) - cross(w, cross(w, arm_r))
        newton = max(newton, float(np.linalg.norm(MASS * (a_o - gravity) - f_l - f_r)))
        path_error, grip_error = max(path_error, float(np.linalg.norm(lag))), max(grip_error, float(np.linalg.norm(slip)))
        again = zw.forward_dynamics(robot, q, v, answer.motor_torque, external=load)
        proof = max(proof, abs(again - answer.acceleration).max())
        if k % 250 == 0:
            print(f"{k * STEP:7.2f} {p[2]:12.6f} {np.arcsin(held[2, 1]):12.6f} {answer.motor_torque[elbow]:28.6f}")
        v = v + STEP * answer.acceleration
        q = zw.integrate(robot, q, STEP * v)

    good = path_error < 1e-3 and grip_error < 1e-4 and newton < 1e-8 and proof < 1e-7
    print(f"largest error of the path {path_error * 1e3:.4f} mm, of the grip {grip_error * 1e3:.4f} mm")
    print(f"the hands' forces move the object, torques and wrenches give the same motion: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
