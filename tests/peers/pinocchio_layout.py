# SPDX-License-Identifier: BSD-3-Clause
"""Where the coordinates of zwang are in Pinocchio, of robots that a program of zwang prints.

The two order and store coordinates differently, so joints are matched by name: Pinocchio visits siblings
alphabetically and stores a continuous joint as (cos q, sin q); zwang goes by the document and stores the angle.
"""
import sys


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


try:
    import numpy as np
    import pinocchio as pin
except ImportError as error:
    skip(f"Pinocchio cannot be imported ({error})")


def pinocchio_model(urdf, root):
    return pin.buildModelFromUrdf(urdf, *([pin.JointModelFreeFlyer()] if root == "floating" else []))


class Layout:
    """Where each of zwang's coordinates is in Pinocchio."""

    def __init__(self, model, robot):
        self.nq = model.nq
        self.joints = []
        self.v = np.full(robot["nv"], -1)
        for joint in robot["joints"]:
            if not model.existJointName(joint["name"]):
                raise RuntimeError(f"Pinocchio has no joint '{joint['name']}'")
            j = model.joints[model.getJointId(joint["name"])]
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
