#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times of the calls used most in Python, of pinocchio and of zwang.pinocchio in one process. Decides nothing.

    pinocchio_times.py [<call> ...]

Three robots: an arm of 6 degrees of freedom, a quadruped of 18 and a humanoid of 38, the last two with a free flyer. The libraries take turns,
lot by lot; a number is the lower quartile of the lots' CPU time of this thread, in microseconds a call. Each call has another state than the one
before it, as in a loop of control, where it takes one. <call>: only those whose name has this in it. Exit code 77: skipped, since Python does
not import pinocchio or zwang.
"""
import gc
import pathlib
import sys
import time

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


try:
    import numpy as np
    import pinocchio as pin
    import zwang.pinocchio as face
except ImportError as error:
    skip(str(error))

LOTS, LOT_TIME, STATES = 24, 1.5e-3, 64


class Robot:
    """A robot in one of the libraries, and states that both share."""

    def __init__(self, lib, name, root, locked):
        self.lib = lib
        self.model = lib.buildModelFromUrdf(str(MODELS / name), *([lib.JointModelFreeFlyer()] if root else []))
        if locked:
            self.model = lib.buildReducedModel(self.model, [self.model.getJointId(x) for x in locked], lib.neutral(self.model))
        self.data = self.model.createData()
        rng = np.random.default_rng(5)
        zero = lib.neutral(self.model)
        self.v, self.a, self.tau = ([rng.uniform(-1, 1, self.model.nv) for _ in range(STATES)] for _ in range(3))
        self.q = [lib.integrate(self.model, zero, x) for x in rng.uniform(-1, 1, (STATES, self.model.nv))]
        self.joint, self.frame = self.model.njoints - 1, self.model.nframes - 1
        self.M, self.N = (lib.SE3(R, x) for R, x in ((np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]]), np.arange(3.0)),
                                                     (np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), np.ones(3))))
        self.twist, self.point, self.R, self.x = lib.Motion(np.arange(6.0)), np.array([1.0, 2, 3]), np.array(self.M.rotation), np.ones(3)
        self.low, self.high = np.full(self.model.nq, -1.0), np.full(self.model.nq, 1.0)
        contacts = [lib.RigidConstraintModel(lib.ContactType.CONTACT_6D, self.model, self.joint, lib.SE3.Identity(), lib.LOCAL)]
        self.contacts, self.contact_data = lib.StdVec_RigidConstraintModel(), lib.StdVec_RigidConstraintData()
        for contact in contacts:
            self.contacts.append(contact)
            self.contact_data.append(contact.createData())
        lib.initConstraintDynamics(self.model, self.data, self.contacts, *([self.contact_data] if lib is pin else []))
        self.settings = lib.ProximalSettings(1e-12, 1e-12, 1e-9, 10)
        self.at = 0

    def state(self):
        """Another state than last time."""
        self.at = (self.at + 1) % STATES
        return self.q[self.at], self.v[self.at], self.a[self.at]

    def still(self):
        """Kinematics of one state, which getters read."""
        lib = self.lib
        lib.forwardKinematics(self.model, self.data, self.q[0], self.v[0], self.a[0])
        lib.updateFramePlacements(self.model, self.data)
        lib.computeJointJacobians(self.model, self.data, self.q[0])


def contact_dynamics(r):
    q, v, _ = r.state()
    r.lib.constraintDynamics(r.model, r.data, q, v, r.tau[r.at], r.contacts, r.contact_data, r.settings)


def control(r):
    """A cycle of a controller: kinematics, two frames with Jacobian, velocity and drift, centre of mass, torques, next configuration."""
    lib, model, data = r.lib, r.model, r.data
    q, v, a = r.state()
    lib.forwardKinematics(model, data, q, v, 0 * a)
    lib.computeJointJacobians(model, data, q)
    lib.updateFramePlacements(model, data)
    for frame in (r.frame, r.frame // 2):
        M = data.oMf[frame]
        error = lib.log6(M.actInv(r.M)).vector
        J = lib.getFrameJacobian(model, data, frame, lib.LOCAL)
        speed = lib.getFrameVelocity(model, data, frame, lib.LOCAL)
        drift = lib.getFrameClassicalAcceleration(model, data, frame, lib.LOCAL)
        J.T @ (error - speed.vector - drift.vector)
    lib.jacobianCenterOfMass(model, data, q)
    lib.rnea(model, data, q, v, a)
    lib.integrate(model, q, 1e-3 * v)


def each_frame(r):
    lib = r.lib
    lib.framesForwardKinematics(r.model, r.data, r.state()[0])
    oMf = r.data.oMf
    for k in range(r.model.nframes):
        oMf[k]


# Of several robots: what one call is. `r` is a Robot; calls that take a state get another one each time.
OF_ROBOTS = {
    "integrate": lambda r: r.lib.integrate(r.model, *r.state()[:2]),
    "difference": lambda r: r.lib.difference(r.model, r.q[0], r.state()[0]),
    "neutral": lambda r: r.lib.neutral(r.model),
    "randomConfiguration": lambda r: r.lib.randomConfiguration(r.model, r.low, r.high),
    "forwardKinematics q": lambda r: r.lib.forwardKinematics(r.model, r.data, r.state()[0]),
    "forwardKinematics q v a": lambda r: r.lib.forwardKinematics(r.model, r.data, *r.state()),
    "framesForwardKinematics": lambda r: r.lib.framesForwardKinematics(r.model, r.data, r.state()[0]),
    "... and all of oMf": each_frame,
    "updateFramePlacements": lambda r: r.lib.updateFramePlacements(r.model, r.data),
    "updateFramePlacement": lambda r: r.lib.updateFramePlacement(r.model, r.data, r.frame),
    "data.oMf[i]": lambda r: r.data.oMf[r.frame],
    "data.oMi[i].translation": lambda r: r.data.oMi[r.joint].translation,
    "centerOfMass": lambda r: r.lib.centerOfMass(r.model, r.data, r.state()[0]),
    "jacobianCenterOfMass": lambda r: r.lib.jacobianCenterOfMass(r.model, r.data, r.state()[0]),
    "getFrameVelocity": lambda r: r.lib.getFrameVelocity(r.model, r.data, r.frame, r.lib.LOCAL_WORLD_ALIGNED),
    "getFrameAcceleration": lambda r: r.lib.getFrameAcceleration(r.model, r.data, r.frame, r.lib.LOCAL),
    "computeJointJacobians": lambda r: r.lib.computeJointJacobians(r.model, r.data, r.state()[0]),
    "getFrameJacobian": lambda r: r.lib.getFrameJacobian(r.model, r.data, r.frame, r.lib.LOCAL_WORLD_ALIGNED),
    "getJointJacobian": lambda r: r.lib.getJointJacobian(r.model, r.data, r.joint, r.lib.LOCAL),
    "computeFrameJacobian": lambda r: r.lib.computeFrameJacobian(r.model, r.data, r.state()[0], r.frame, r.lib.LOCAL),
    "rnea": lambda r: r.lib.rnea(r.model, r.data, *r.state()),
    "aba": lambda r: r.lib.aba(r.model, r.data, *r.state()),
    "crba": lambda r: r.lib.crba(r.model, r.data, r.state()[0]),
    "nle": lambda r: r.lib.nle(r.model, r.data, *r.state()[:2]),
    "computeGeneralizedGravity": lambda r: r.lib.computeGeneralizedGravity(r.model, r.data, r.state()[0]),
    "computeAllTerms": lambda r: r.lib.computeAllTerms(r.model, r.data, *r.state()[:2]),
    "computeRNEADerivatives": lambda r: r.lib.computeRNEADerivatives(r.model, r.data, *r.state()),
    "computeABADerivatives": lambda r: r.lib.computeABADerivatives(r.model, r.data, *r.state()),
    "constraintDynamics": contact_dynamics,
    "cycle of a controller": control,
}
OF_NONE = {
    "SE3(R, p)": lambda r: r.lib.SE3(r.R, r.x),
    "SE3 * SE3": lambda r: r.M * r.N,
    "SE3.inverse()": lambda r: r.M.inverse(),
    "SE3.actInv(SE3)": lambda r: r.M.actInv(r.N),
    "SE3.act(point)": lambda r: r.M.act(r.point),
    "SE3.act(Motion)": lambda r: r.M.act(r.twist),
    "SE3.translation": lambda r: r.M.translation,
    "SE3.action": lambda r: r.M.action,
    "Motion + Motion": lambda r: r.twist + r.twist,
    "exp3": lambda r: r.lib.exp3(r.x),
    "log3": lambda r: r.lib.log3(r.R),
    "exp6": lambda r: r.lib.exp6(r.twist),
    "log6": lambda r: r.lib.log6(r.M),
    "Jlog6": lambda r: r.lib.Jlog6(r.M),
}


def lot(f, r, n):
    start = time.thread_time_ns()
    for _ in range(n):
        f(r)
    return (time.thread_time_ns() - start) / n / 1e3


def times(f, theirs, ours):
    """Microseconds a call of both."""
    for r in (theirs, ours):
        r.still()
    n = max(3, int(LOT_TIME * 1e6 / max(lot(f, theirs, 20), lot(f, ours, 20))))
    found = []
    for k in range(LOTS):
        pair = (theirs, ours) if k % 2 else (ours, theirs)
        x = [lot(f, r, n) for r in pair]
        found.append(x if k % 2 else x[::-1])
    return np.quantile(found, 0.25, axis=0)


def main():
    words = sys.argv[1:]
    gc.disable()
    slower, rows = [], 0
    robots = [("arm", "arm7.urdf", False, ["joint7"]), ("quadruped", "quadruped.urdf", True, []), ("humanoid", "humanoid.urdf", True, [])]
    pairs = {name: [Robot(lib, *rest) for lib in (pin, face)] for name, *rest in robots}
    print(f"pinocchio {pin.__version__}, microseconds a call: Pinocchio, zwang, zwang / Pinocchio\n")
    for calls, of in ((OF_NONE, ["humanoid"]), (OF_ROBOTS, list(pairs))):
        print(f"{'':28s}" + ("" if calls is OF_NONE else "".join(f"{f'{x}, nv = {pairs[x][0].model.nv}':>26s}" for x in of)))
        for name, f in calls.items():
            if words and not any(w in name for w in words):
                continue
            line, rows = f"{name:28s}", rows + 1
            for robot in of:
                a, b = times(f, *pairs[robot])
                line += f"{a:10.2f}{b:9.2f}{b / a:7.2f}"
                if b > 1.05 * a:
                    slower.append(f"{name} ({robot} {b / a:.2f})")
            print(line, flush=True)
        print()
    print(f"{rows} calls; zwang slower by more than 5 %: " + ("; ".join(slower) or "none"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
