# SPDX-License-Identifier: BSD-3-Clause
"""A quadruped pushes off: crouched on four feet it accelerates its trunk upwards by 12 m/s^2, then lets the ground go and flies.

A trunk has no motor: what it shall do must come from the legs. Two solves on the same contacts find how:
  1. how the legs move when the trunk does as wished (a crane could do it: rows on the trunk, multipliers not used);
  2. those leg accelerations prescribed: one sweep gives the legs' torques, and of all ground reactions that carry the robot the
     smallest. The six coordinates of the trunk are free and need no torque.
In flight the contacts are switched off; the centre of mass must then follow the parabola of a thrown stone. Prints what
08_push_off.cpp prints.
"""
import pathlib
import sys

import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
STEP, PUSH, LIFT_OFF, G = 5e-4, 12.0, 0.35, 9.81
FEET = ("LF_foot", "RF_foot", "LH_foot", "RH_foot")


def main() -> int:
    robot = zw.load(MODELS / "quadruped.urdf", root="floating")
    q, v = robot.neutral(), robot.zero()
    q[8::3], q[9::3] = 0.35, -0.7  # crouched
    q[2] -= zw.frame_pose(robot, q, "LF_foot")[2, 3]  # soles at height 0

    crane, ground = zw.ConstraintSet(robot), zw.ConstraintSet(robot)
    for foot in FEET:
        crane.add_contact(foot, frame=foot)
        ground.add_contact(foot, frame=foot)
    crane.add_frame("trunk", frame="trunk", rows="all", beta=[0, 0, PUSH, 0, 0, 0], role="driver")
    wish, solver = zw.Solver(robot, crane), zw.Solver(robot, ground)
    legs = robot.coordinate_names[6:]

    t = proof = weight_error = 0.0
    print("pushing\n  t [s]   trunk [m]   reaction of the ground [N]   knee torque [N m]")
    k = 0
    while q[2] < LIFT_OFF:
        lifted = wish.solve(q, v)
        s = solver.solve(q, v, prescribed=dict(zip(legs, lifted.acceleration[6:])))
        if lifted.report.status != "ok" or s.report.status != "ok":
            return 1
        # Newton: the reactions carry the weight and accelerate the centre of mass.
        reactions = {foot: s[foot].wrench for foot in FEET}
        reaction = sum(float(w[2]) for w in reactions.values())
        a = zw.centre_of_mass_acceleration(robot, q, v, s.acceleration)[2]
        weight_error = max(weight_error, abs(reaction / robot.mass - G - a))
        again = zw.forward_dynamics(robot, q, v, s.motor_torque, external=reactions)
        proof = max(proof, abs(again - s.acceleration).max())
        proof = max(proof, abs(s.motor_torque[:6]).max())  # nobody pulls at the trunk
        if k % 50 == 0:
            print(f"{t:7.3f} {q[2]:11.6f} {reaction:28.4f} {s.motor_torque[8]:19.4f}")
        v = v + STEP * s.acceleration
        q = zw.integrate(robot, q, STEP * v)
        k, t = k + 1, t + STEP

    for foot in FEET:
        ground[foot].active = False
    rise, top = zw.centre_of_mass_velocity(robot, q, v)[2], zw.centre_of_mass(robot, q)[2]
    start, apex = t, top + rise**2 / (2 * G)
    print("flying\n  t [s]   trunk [m]")
    k = 0
    while t < start + rise / G:
        tau = -2 * v  # the legs are calmed
        tau[:6] = 0
        if k % 50 == 0:
            print(f"{t:7.3f} {q[2]:11.6f}")
        v = v + STEP * solver.solve(q, v, tau).acceleration
        q = zw.integrate(robot, q, STEP * v)
        top = max(top, zw.centre_of_mass(robot, q)[2])
        k, t = k + 1, t + STEP

    good = proof < 1e-7 and weight_error < 1e-9 and abs(top - apex) < 1e-3
    print(f"apex of the centre of mass {top:.4f} m, by the law of the thrown stone {apex:.4f} m")
    print(f"reactions carry weight and acceleration, torques and reactions give the same motion: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
