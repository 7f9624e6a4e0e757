# SPDX-License-Identifier: BSD-3-Clause
"""How the torques of a standing quadruped depend on what is not known of its trunk: mass, centre of mass, inertia.

A Monte-Carlo study over parameters of the model: each state has a robot of its own. At rest the torques are linear in
mass times centre of mass, and the inertia has no part in them, which is checked.
"""
import pathlib
import sys
import tempfile

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
FEET = ("LF_foot", "RF_foot", "LH_foot", "RH_foot")


def main() -> int:
    robot = zw.load(MODELS / "quadruped.urdf", root="floating")
    trunk = robot.link("trunk")
    contacts = zw.ConstraintSet(robot)
    for foot in FEET:
        contacts.add_contact(foot, frame=foot)
    still = dict.fromkeys(robot.coordinate_names[6:], 0.0)
    unknown = {"mass:trunk": {"normal": (trunk.mass, 0.05 * trunk.mass)}, "inertia:trunk": (0.7, 1.3),
               "centre:trunk.x": {"normal": (float(trunk.centre[0]), 0.01)}}
    study = zw.Study(robot, contacts, what=[zw.study.Call("solve", prescribed=still, keep="motor_torque"), *unknown],
                     over=zw.study.Sample(400, seed=1, variables={"q": {"value": robot.neutral()}, **unknown}),
                     reduce={"solve.motor_torque": ["mean", "std"]}, store=["solve.motor_torque", *unknown], name="stance")
    with tempfile.TemporaryDirectory() as folder:
        results = study.run(pathlib.Path(folder) / "stance")
        found, reduced = results.numpy(), results.reduced["solve.motor_torque"]
    print("coordinate       mean [N m]   std [N m]")
    for name, mean, std in list(zip(robot.coordinate_names, reduced["mean"], reduced["std"]))[6:12]:
        print(f"{name:<15} {mean:11.4f} {std:11.4f}")
    mass, x, inertia = (found[name] for name in ("mass:trunk", "centre:trunk.x", "inertia:trunk"))
    A = np.stack([np.ones_like(mass), mass, mass * x, inertia], axis=1)
    tau = found["solve.motor_torque"][:, 6:]
    parts, *_ = np.linalg.lstsq(A, tau, rcond=None)
    left, largest = np.abs(A @ parts - tau).max(), np.abs(tau).max()
    print(f"linear in m and m x to {left / largest:.1e}; the inertia adds {np.abs(parts[3]).max() / largest:.1e}")
    good = left < 1e-11 * largest and np.abs(parts[3]).max() < 1e-11 * largest and reduced["std"][6:].max() > 0.01
    print(f"torques of rest know mass and centre alone: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
