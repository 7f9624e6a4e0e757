#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares zwang's derivatives with Pinocchio's on every URDF of the folders given, and prints a table: RNEA, ABA, gravity
and static torque with a wrench from outside, motion of a frame in three axes, velocity of the centre of mass, momentum and
its rate, and constrained dynamics with a held frame and with held points.

    pinocchio_derivatives.py <dump_derivatives> <folder> [<folder> ...]

Exit code 0: all agree; 1: something differs; 77: skipped, `import pinocchio` fails or there are no robots.

Linear rows by q in the world's axes at the frame: Pinocchio's are not the derivatives of its getFrameVelocity and
getFrameAcceleration (the origin of the frame is held while q moves, its differences say otherwise). They are compared with
what follows from its derivatives in local axes, R dV + w x R V, and its own difference from these is printed.

Second derivatives of RNEA are not in Pinocchio's Python module. What divides by the mass matrix is compared as forces:
M times the difference, over the forces that cancel.
"""
import glob
import json
import os
import subprocess
import sys

import pinocchio_layout as common

np, pin = common.np, common.pin
TOLERANCE = 1e-9
STATES = 3
WRENCH = (1, -2, 3, 0.4, 0.5, -0.6)


class Table:
    def __init__(self):
        self.worst, self.failures, self.notes, self.defects = {}, [], [], {}

    def check(self, where, what, got, expected, scale=0.0):
        got, expected = np.asarray(got, float), np.asarray(expected, float)
        scale = max(scale, np.abs(expected).max(initial=0.0), 1.0)
        error = np.abs(got - expected).max(initial=0.0) / scale
        if not error <= self.worst.get(what, (-1.0, ""))[0]:
            self.worst[what] = error, where
        if not error <= TOLERANCE:
            self.failures.append(f"{where}: {what} differs by {error:.1e} of {scale:.1e}")

    def defect(self, what, theirs, right):
        error = np.abs(theirs - right).max(initial=0.0) / max(np.abs(right).max(initial=0.0), 1.0)
        self.defects[what] = max(self.defects.get(what, 0.0), error)


class Robot:
    def __init__(self, urdf, root, described):
        self.model = common.pinocchio_model(urdf, root)
        self.layout = common.Layout(self.model, described)
        self.model.armature = self.layout.tangent(described["armature"])
        self.data = self.model.createData()
        self.order = self.layout.v

    def square(self, matrix):
        return np.asarray(matrix)[np.ix_(self.order, self.order)]

    def columns(self, matrix):
        return np.asarray(matrix)[:, self.order]


def seen_turned(data, frame, by_q, J, motion):
    """Of R V from those of V in local axes: the frame turns by the angular rows of J."""
    R = data.oMf[frame].rotation
    out = np.empty_like(by_q)
    for k in range(by_q.shape[1]):
        w = R @ J[3:, k]
        out[:3, k] = R @ by_q[:3, k] + np.cross(w, R @ motion.linear)
        out[3:, k] = R @ by_q[3:, k] + np.cross(w, R @ motion.angular)
    return out


def whole(M):
    return np.triu(M) + np.triu(M, 1).T


def compare(table, where, robot, state):
    m, d, square, columns = robot.model, robot.data, robot.square, robot.columns
    q = robot.layout.configuration(state["q"])
    v, a, tau = (robot.layout.tangent(state[x]) for x in ("v", "a", "tau"))
    frame = m.getFrameId(state["end"], pin.BODY)
    push = pin.StdVec_Force()
    for joint in range(m.njoints):
        here = joint == m.frames[frame].parentJoint
        push.append(pin.Force(np.array(WRENCH)) if here else pin.Force.Zero())

    by_q, by_v, by_a = pin.computeRNEADerivatives(m, d, q, v, a, push)
    M = whole(square(by_a))
    for x, theirs in (("q", square(by_q)), ("v", square(by_v)), ("a", M)):
        table.check(where, "rnea by " + x, state["rnea"][x], theirs)
    forces = max(np.abs(by_q).max(), np.abs(by_v).max())
    by_q, by_v, by_tau = pin.computeABADerivatives(m, d, q, v, tau, push)
    for x, theirs in (("q", square(by_q)), ("v", square(by_v)), ("tau", whole(square(by_tau)))):
        size = np.abs(M).max() * np.abs(theirs).max() * len(M)
        table.check(where, "aba by " + x, M @ (np.array(state["aba"][x]) - theirs), np.zeros_like(M), forces + size)
    table.check(where, "gravity by q", state["gravity"]["q"], square(pin.computeGeneralizedGravityDerivatives(m, d, q)))
    table.check(where, "static torque by q", state["static"]["q"],
                square(pin.computeStaticTorqueDerivatives(m, d, q, push)))

    pin.computeForwardKinematicsDerivatives(m, d, q, v, a)
    pin.updateFramePlacements(m, d)
    turned = {}
    for name in ("LOCAL", "WORLD", "LOCAL_WORLD_ALIGNED"):
        reference = getattr(pin.ReferenceFrame, name)
        by_q, by_v = pin.getFrameVelocityDerivatives(m, d, frame, reference)
        if name == "LOCAL":
            turned["velocity"] = seen_turned(d, frame, by_q, by_v, pin.getFrameVelocity(m, d, frame, reference))
        if name == "LOCAL_WORLD_ALIGNED":
            table.defect("velocity by q in LOCAL_WORLD_ALIGNED", by_q, turned["velocity"])
            by_q = turned["velocity"]
        for x, theirs in (("q", by_q), ("v", by_v)):
            table.check(where, f"velocity {name} by {x}", state["velocity"][name][x], columns(theirs))
        _, by_q, by_v, by_a = pin.getFrameAccelerationDerivatives(m, d, frame, reference)
        if name == "LOCAL":
            turned["acceleration"] = seen_turned(d, frame, by_q, by_a, pin.getFrameAcceleration(m, d, frame, reference))
        if name == "LOCAL_WORLD_ALIGNED":
            table.defect("acceleration by q in LOCAL_WORLD_ALIGNED", by_q, turned["acceleration"])
            by_q = turned["acceleration"]
        for x, theirs in (("q", by_q), ("v", by_v), ("a", by_a)):
            table.check(where, f"acceleration {name} by {x}", state["acceleration"][name][x], columns(theirs))
    pin.centerOfMass(m, d, q, v, True)
    table.check(where, "centre's velocity by q", state["centre"]["q"],
                columns(pin.getCenterOfMassVelocityDerivatives(m, d)))
    by_q, rate_q, rate_v, rate_a = pin.computeCentroidalDynamicsDerivatives(m, d, q, v, a)
    table.check(where, "momentum by q", state["momentum"]["q"], columns(by_q))
    for x, theirs in (("q", rate_q), ("v", rate_v), ("a", rate_a)):
        table.check(where, "momentum rate by " + x, state["momentum rate"][x], columns(theirs))
    for what, kind in (("held frame", pin.ContactType.CONTACT_6D), ("held points", pin.ContactType.CONTACT_3D)):
        compare_held(table, where, robot, state, what, kind, M, (q, v, tau))


def compare_held(table, where, robot, state, what, kind, M, at):
    m, ours = robot.model, state[what]
    if ours["status"] != "ok" or not ours["full"]:
        table.notes.append(f"{where}, {what}: rows depend on each other here, {ours['status']}")
        return
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for link in ours["links"]:
        joint = m.frames[m.getFrameId(link, pin.BODY)].parentJoint
        models.append(pin.RigidConstraintModel(kind, m, joint, pin.SE3.Identity(), pin.ReferenceFrame.LOCAL))
        datas.append(models[len(models) - 1].createData())
    data = m.createData()
    settings = pin.ProximalSettings(1e-14, 1e-14, 0.0, 1)
    pin.initConstraintDynamics(m, data, models, datas)
    pin.constraintDynamics(m, data, *at, models, datas, settings)
    pin.computeConstraintDynamicsDerivatives(m, data, models, datas, settings)
    for x, a, l in (("q", data.ddq_dq, data.dlambda_dq), ("v", data.ddq_dv, data.dlambda_dv),
                    ("tau", data.ddq_dtau, data.dlambda_dtau)):
        a, l = robot.square(a), robot.columns(l)
        size = np.abs(M).max() * np.abs(a).max() * len(M) + np.abs(l).max()
        table.check(where, f"{what}: acceleration by {x}", M @ (np.array(ours["acceleration"][x]) - a),
                    np.zeros_like(M), size)
        table.check(where, f"{what}: multipliers by {x}", ours["multipliers"][x], l)


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        sys.exit(1)
    robots = sorted(f for folder in sys.argv[2:] for f in glob.glob(os.path.join(folder, "*.urdf"))
                    if os.path.basename(f) != "five_bar.urdf")  # it holds a loop, which Pinocchio's reader refuses
    if not robots:
        common.skip("no robots in " + ", ".join(sys.argv[2:]))
    table = Table()
    for urdf in robots:
        for root in ("fixed", "floating"):
            where = f"{os.path.basename(urdf)}, {root}"
            run = subprocess.run([sys.argv[1], urdf, root, str(STATES)], capture_output=True, text=True, check=False)
            if run.returncode != 0:
                table.failures.append(f"{where}: {run.stderr.strip()}")
                continue
            described = json.loads(run.stdout)
            robot = Robot(urdf, root, described)
            for state in described["states"]:
                compare(table, where, robot, state)
    print(f"Pinocchio {pin.__version__}, {len(robots)} robots, worst differences:")
    for what, (error, where) in table.worst.items():
        print(f"  {what:40} {error:8.1e}  {where}{'' if error <= TOLERANCE else '   DIFFERS'}")
    for what, error in table.defects.items():
        print(f"  Pinocchio's own {what} differs from its function by {error:.1e}")
    for note in sorted(set(table.notes)):
        print("note: " + note)
    for failure in table.failures:
        print("FAILED " + failure)
    sys.exit(1 if table.failures else 0)


if __name__ == "__main__":
    main()
