#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares zwang with Pinocchio on every URDF of the folders given: RNEA, ABA, CRBA, gravity, centre of mass,
Jacobians and their rates in three frames.

    pinocchio_test.py <dump_states> <folder> [<folder> ...]

Exit code 0: all agree; 1: something differs; 77: skipped, `import pinocchio` fails or there are no robots.

The two order and store coordinates differently, so joints are matched by name: Pinocchio visits siblings
alphabetically and stores a continuous joint as (cos q, sin q); zwang goes by the document and stores the angle. Mimic
joints are compared with coordinates of their own, and once more removed, where Pinocchio has inverse dynamics and the
mass matrix (no ABA).
"""
import glob
import json
import os
import subprocess
import sys

TOLERANCE = 1e-10
STATES = 3


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


try:
    import numpy as np
    import pinocchio as pin
except ImportError as error:
    skip(f"Pinocchio cannot be imported ({error})")


def ask(program, urdf, root, form):
    run = subprocess.run([program, urdf, root, form, str(STATES)], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"{program} {urdf}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def pinocchio_model(urdf, root, form):
    mimic = {"mimic": True} if form == "reduced" else {}
    if root == "floating":
        return pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer(), **mimic)
    return pin.buildModelFromUrdf(urdf, **mimic)


class Layout:
    """Where each of zwang's coordinates is in Pinocchio."""

    def __init__(self, model, robot):
        self.nq = model.nq
        self.joints = []
        self.v = np.full(robot["nv"], -1)
        for joint in robot["joints"]:
            if joint["follows"] and joint["name"] not in model.names:
                continue
            if not model.existJointName(joint["name"]):
                raise RuntimeError(f"Pinocchio has no joint '{joint['name']}'")
            j = model.joints[model.getJointId(joint["name"])]
            if joint["follows"] and j.nv == 0:
                continue  # removed in both
            self.joints.append((joint, j))
            first, size = joint["v"]
            if j.nv != size:
                raise RuntimeError(f"joint '{joint['name']}': nv is {j.nv} in Pinocchio and {size} in zwang")
            self.v[first:first + size] = range(j.idx_v, j.idx_v + size)
        if (self.v < 0).any() or sorted(self.v) != list(range(model.nv)):
            raise RuntimeError("the coordinates of the two models do not match")

    def configuration(self, q):
        out = np.zeros(self.nq)
        for joint, j in self.joints:
            first, size = joint["q"]
            own = q[first:first + size]
            if j.nq == 2 and size == 1:
                own = [np.cos(own[0]), np.sin(own[0])]
            out[j.idx_q:j.idx_q + j.nq] = own
        return out

    def tangent(self, v):
        out = np.zeros(len(self.v))
        out[self.v] = v
        return out


class Comparison:
    def __init__(self):
        self.worst = {}
        self.failures, self.notes = [], []

    def check(self, where, what, got, expected, floor=1.0):
        """Largest difference over the largest magnitude; `floor` where all is zero."""
        got, expected = np.asarray(got, dtype=float), np.asarray(expected, dtype=float)
        scale = max(floor, np.abs(expected).max(initial=0.0))
        error = np.abs(got - expected).max(initial=0.0) / scale
        self.worst[what] = max(self.worst.get(what, 0.0), error)
        if not error <= TOLERANCE:
            self.failures.append(f"{where}: {what} differs by {error:.2e} of {scale:.2e}")


def compare_frames(c, where, model, data, layout, q, v, state):
    pin.computeJointJacobians(model, data, q)
    pin.computeJointJacobiansTimeVariation(model, data, q, v)
    pin.updateFramePlacements(model, data)
    for frame in state["frames"]:
        i = model.getFrameId(frame["link"], pin.BODY)
        at = f"{where}, {frame['link']}"
        c.check(at, "position", frame["position"], data.oMf[i].translation)
        for name in ("LOCAL", "WORLD", "LOCAL_WORLD_ALIGNED"):
            reference = getattr(pin.ReferenceFrame, name)
            J = pin.getFrameJacobian(model, data, i, reference)
            c.check(at, "jacobian " + name, frame["jacobian"][name], J[:, layout.v])
            Jdot = pin.getFrameJacobianTimeVariation(model, data, i, reference)
            c.check(at, "jacobian rate " + name, frame["jacobian_dot"][name], Jdot[:, layout.v])


def compare(c, program, urdf, root, form):
    robot = ask(program, urdf, root, form)
    try:
        model = pinocchio_model(urdf, root, form)
    except ValueError as error:
        if form != "reduced":
            raise
        c.notes.append(f"{os.path.basename(urdf)}: Pinocchio does not remove its mimic joints ({error})")
        return
    layout = Layout(model, robot)
    model.armature = layout.tangent(robot["armature"])
    data = model.createData()
    for k, state in enumerate(robot["states"]):
        where = f"{os.path.basename(urdf)} ({root}, {form}) state {k}"
        q, v, a, tau = layout.configuration(state["q"]), *(layout.tangent(state[x]) for x in ("v", "a", "tau"))
        c.check(where, "rnea", state["rnea"], pin.rnea(model, data, q, v, a)[layout.v])
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        c.check(where, "crba", state["crba"], M[np.ix_(layout.v, layout.v)])
        c.check(where, "gravity", state["gravity"], pin.computeGeneralizedGravity(model, data, q)[layout.v])
        if form == "reduced" and any(j["follows"] for j in robot["joints"]):
            continue  # Pinocchio has no ABA for mimic joints
        qdd = pin.aba(model, data, q, v, tau)[layout.v]
        # As forces: accelerations of grams behind tons carry the condition of M.
        c.check(where, "aba", M[np.ix_(layout.v, layout.v)] @ (np.array(state["aba"]) - qdd), np.zeros(len(qdd)),
                floor=np.abs(M).max() * np.abs(qdd).max())
        com = pin.centerOfMass(model, data, q, v, False)
        c.check(where, "centre of mass", state["com"], com)
        c.check(where, "velocity of the centre of mass", state["com_velocity"], data.vcom[0])
        c.check(where, "mass", robot["moving_mass"], data.mass[0])
        compare_frames(c, where, model, data, layout, q, v, state)


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        sys.exit(1)
    robots = sorted(f for folder in sys.argv[2:] for f in glob.glob(os.path.join(folder, "*.urdf"))
                    if os.path.basename(f) != "five_bar.urdf")  # it holds a loop, which Pinocchio's reader refuses
    if not robots:
        skip("no robots in " + ", ".join(sys.argv[2:]))
    c = Comparison()
    for urdf in robots:
        for root in ("fixed", "floating"):
            for form in ("expanded", "reduced"):
                try:
                    compare(c, sys.argv[1], urdf, root, form)
                except (RuntimeError, ValueError) as error:
                    c.failures.append(f"{os.path.basename(urdf)} ({root}, {form}): {error}")
    print(f"Pinocchio {pin.__version__}, {len(robots)} robots, worst differences:")
    for what, error in c.worst.items():
        print(f"  {what:40s} {error:.1e}")
    for note in c.notes:
        print("note: " + note)
    for failure in c.failures:
        print("FAILED " + failure)
    sys.exit(1 if c.failures else 0)


if __name__ == "__main__":
    main()
