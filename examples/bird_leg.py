# SPDX-License-Identifier: BSD-3-Clause
"""A leg like Cassie's: two rods close it, and a foot that only pushes stands on the ground.

The Achilles rod (a distance) turns the ankle when the knee bends; assembly finds the angle, which a triangle gives, too. The plantar
rod (a hinge) turns the foot by the crank. With its motors locked the leg stands on heel and toe: contacts with a sense. A push
forward lifts the heel, a pull upwards both. Prints what bird_leg.cpp prints.
"""
import math
import pathlib
import sys

import numpy as np
import zwang as zw
from numpy.typing import NDArray

Array = NDArray[np.float64]
MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def place(robot: zw.Model, q: Array, frame: str) -> Array:
    return np.asarray(zw.frame_pose(robot, q, frame))[:3, 3]


def close(robot: zw.Model, constraints: zw.ConstraintSet) -> float:
    """The rods of a model of the leg, closed at q = 0. Returns the length of the Achilles rod."""
    q = robot.neutral()
    length = float(np.linalg.norm(place(robot, q, "rod_top") - place(robot, q, "heel_spring")))
    constraints.add_distance("achilles", ("rod_top", "heel_spring"), length)
    constraints.add_loop("plantar", ("rod_end", "foot_pin"), {"joint": "hinge", "axis": "y"})
    return length


def direction(a: Array) -> float:
    """Of a vector of the x-z plane; a turn about y makes it smaller."""
    return math.atan2(a[2], a[0])


def main() -> int:
    leg = zw.load(MODELS / "bird_leg.urdf")
    rods = zw.ConstraintSet(leg)
    rod = close(leg, rods)
    m = zw.mobility(leg, rods, leg.neutral())
    assert isinstance(m, zw.Mobility)  # of one configuration
    print(f"mobility {m.mobility}: {leg.nv} coordinates, rank {m.rank} of {m.rows} rows")

    # Knee, ankle and both ends of the rod are a triangle on each side of the line from the ankle to the rod's top.
    q = leg.neutral()
    heel0 = place(leg, q, "heel_spring") - place(leg, q, "tarsus")
    arm = float(np.linalg.norm(heel0))
    assembler = zw.Assembler(leg, rods, fixed=["hip_pitch", "knee", "crank_joint"])
    worst, ok = 0.0, True
    print("knee [rad]   ankle [rad]   tarsus to thigh [rad]   foot [rad]   steps")
    for knee in (-0.6, -0.3, 0.0, 0.3, 0.6):
        q = leg.neutral()
        q[leg.joint("knee").q] = knee
        q[leg.joint("ankle").q] = -knee  # a guess
        r = assembler.assemble(q)
        ok = ok and bool(r.report.status == "ok")
        q = r.q
        ankle = float(q[leg.joint("ankle").q][0])
        tarsus = knee + ankle
        way = place(leg, q, "rod_top") - place(leg, q, "tarsus")
        d = float(np.linalg.norm(way))
        angle = math.acos((d * d + arm * arm - rod * rod) / (2 * d * arm))
        worst = max(worst, abs(math.remainder(direction(heel0) - tarsus - direction(way) - angle, 2 * math.pi)))
        print(f"{knee:10.2f} {ankle:13.6f} {tarsus:23.6f} {q[leg.joint('toe').q][0]:12.6f} {r.iterations:7d}")

    # On the ground, with locked motors.
    robot = zw.load(MODELS / "bird_leg.urdf", root="floating")
    constraints = zw.ConstraintSet(robot)
    close(robot, constraints)
    for point in ("heel", "toe_tip"):
        constraints.add_contact(point, frame=point, rows=1, sense="at_least")
    solver = zw.Solver(robot, constraints)
    locked = {"hip_pitch": 0.0, "knee": 0.0, "crank_joint": 0.0}
    q0, rest = robot.neutral(), robot.zero()
    balance = 0.0
    print("push x, z [N]   ground [N]   held                 released")
    for x, z in ((0, 0), (60, 0), (0, 200)):
        s = solver.solve(q0, rest, external={"pelvis": [x, 0, z, 0, 0, 0]}, prescribed=locked)
        ok = ok and s.status == "ok"
        ground = s["heel"].wrench[2] + s["toe_tip"].wrench[2]
        a = zw.centre_of_mass_acceleration(robot, q0, rest, s.acceleration)[2]
        balance = max(balance, abs(ground + z - robot.mass * (9.81 + a)))
        held, released = ("".join(name + " " for name in names) for names in (s.report.held, s.report.released))
        print(f"{x:7.0f} {z:7.0f} {ground:12.4f}   {held:<20} {released}")
    ok = ok and worst < 1e-10 and balance < 1e-9 and m.mobility == 3
    print(f"the ankle follows the triangle of the rod, ground and weight move the centre of mass: {'ok' if ok else 'NOT ok'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
