# SPDX-License-Identifier: BSD-3-Clause
"""Five programs written for Pinocchio, with one line changed: `import pinocchio as pin` is `import zwang.pinocchio as pin`.

Inverse kinematics, a whole-body controller, dynamics on two feet with its derivatives, a plan of the centre of mass, and the
identification of a load. `python examples/written_for_pinocchio.py pinocchio` runs them with Pinocchio, where it is installed; the
numbers are the same.
"""
import importlib
import pathlib
import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import zwang.pinocchio as pin
else:
    pin = importlib.import_module("pinocchio" if sys.argv[1:] == ["pinocchio"] else "zwang.pinocchio")

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def inverse_kinematics() -> None:
    """Newton steps on the logarithm of the error, damped."""
    model = pin.buildModelFromUrdf(str(MODELS / "arm7.urdf"))
    data, frame = model.createData(), model.getFrameId("tool0")
    q = np.array([0.2, 0.5, 0.1, 1.2, 0.1, 0.7, 0.0])
    pin.framesForwardKinematics(model, data, q)
    goal = data.oMf[frame] * pin.SE3(pin.rpy.rpyToMatrix(0.3, 0.5, -0.4), np.array([0.1, -0.05, 0.2]))
    for step in range(100):
        pin.framesForwardKinematics(model, data, q)
        error = data.oMf[frame].actInv(goal)
        e = pin.log6(error).vector
        if np.linalg.norm(e) < 1e-10:
            break
        J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
        J = -pin.Jlog6(error.inverse()) @ J
        q = pin.integrate(model, q, -J.T @ np.linalg.solve(J @ J.T + 1e-8 * np.eye(6), e))
    print(f"inverse kinematics: {step} steps, q =", *(f"{x:.6f}" for x in q))


def whole_body_control() -> None:
    """Accelerations that keep the feet and move the trunk, and the torques for them, by least squares."""
    model = pin.buildModelFromUrdf(str(MODELS / "quadruped.urdf"), pin.JointModelFreeFlyer())
    data, q = model.createData(), pin.neutral(model)
    rng = np.random.default_rng(1)
    q = pin.integrate(model, q, 0.2 * rng.uniform(-1, 1, model.nv))
    v = 0.1 * rng.uniform(-1, 1, model.nv)
    feet = [model.getFrameId(name) for name in ("LF_foot", "RF_foot", "LH_foot", "RH_foot")]
    pin.computeAllTerms(model, data, q, v)
    M, h = data.M, data.nle
    M = np.triu(M) + np.triu(M, 1).T  # older versions fill the upper triangle alone
    pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
    J = np.vstack([pin.getFrameJacobian(model, data, k, pin.LOCAL_WORLD_ALIGNED)[:3] for k in feet])
    drift = np.concatenate([pin.getFrameClassicalAcceleration(model, data, k, pin.LOCAL_WORLD_ALIGNED).linear for k in feet])
    wanted = np.concatenate([[0.1, 0.0, 0.2, 0.0, 0.0, 0.0], np.zeros(model.nv - 6)]) - v
    # minimise |a - wanted|^2 + 1e-4 |force|^2 with M a + h = S tau + J' force and J a + drift = 0
    n, m = model.nv, len(J)
    H = np.diag(np.concatenate([np.ones(n), 1e-4 * np.ones(m)]))
    A = np.block([[M[:6], -J.T[:6]], [J, np.zeros((m, m))]])
    b = np.concatenate([-h[:6], -drift])
    K = np.block([[H, A.T], [A, np.zeros((len(b), len(b)))]])
    x = np.linalg.solve(K, np.concatenate([wanted, np.zeros(m), b]))
    a, force = x[:n], x[n:n + m]
    tau = (M @ a + h - J.T @ force)[6:]
    print("whole-body control: force on the feet", *(f"{x:.4f}" for x in force.reshape(4, 3).sum(axis=0)), "N, torque",
          f"{np.linalg.norm(tau):.6f} N m")


def dynamics_on_two_feet() -> None:
    """Accelerations under contacts, and how they change with state and torques."""
    model = pin.buildModelFromUrdf(str(MODELS / "quadruped.urdf"), pin.JointModelFreeFlyer())
    data, rng = model.createData(), np.random.default_rng(2)
    q = pin.integrate(model, pin.neutral(model), 0.3 * rng.uniform(-1, 1, model.nv))
    v, tau = 0.2 * rng.uniform(-1, 1, (2, model.nv))
    contacts, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for name in ("LF_foot", "RH_foot"):
        foot = model.frames[model.getFrameId(name)]
        contacts.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, foot.parentJoint, foot.placement, pin.LOCAL))
        datas.append(contacts[-1].createData())
    settings = pin.ProximalSettings(1e-12, 0.0, 1)
    pin.initConstraintDynamics(model, data, contacts, datas)
    a = pin.constraintDynamics(model, data, q, v, tau, contacts, datas, settings)
    sizes = [np.linalg.norm(x) for x in (a, data.lambda_c)]
    derivatives = pin.computeConstraintDynamicsDerivatives(model, data, contacts, datas, settings)
    print("dynamics on two feet: |a|, |force|, and of the derivatives", *(f"{x:.6f}" for x in sizes),
          *(f"{np.linalg.norm(x):.5f}" for x in derivatives))


def plan_of_the_centre_of_mass() -> None:
    """The centre of mass is led along a circle while the trunk's attitude stays."""
    model = pin.buildModelFromUrdf(str(MODELS / "humanoid.urdf"), pin.JointModelFreeFlyer())
    data, q = model.createData(), pin.neutral(model)
    start = pin.centerOfMass(model, data, q).copy()
    dt, error = 0.01, 0.0
    for k in range(100):
        angle = 2 * np.pi * k * dt
        goal = start + 0.02 * np.array([np.cos(angle) - 1, np.sin(angle), 0])
        rate = 0.02 * 2 * np.pi * np.array([-np.sin(angle), np.cos(angle), 0])
        com = pin.centerOfMass(model, data, q)
        J = np.vstack([pin.jacobianCenterOfMass(model, data, q), np.eye(3, model.nv, 3)])
        v = np.linalg.pinv(J) @ np.concatenate([rate + 10 * (goal - com), np.zeros(3)])
        error = max(error, float(np.linalg.norm(goal - com)))
        q = pin.integrate(model, q, dt * v)
    momentum = pin.computeCentroidalMomentum(model, data, q, v)
    print(f"plan of the centre of mass: error {1e3 * error:.6f} mm, momentum", *(f"{x:.6f}" for x in momentum.linear))


def identification_of_a_load() -> None:
    """Mass and centre of what hangs on the last link, from torques."""
    model = pin.buildModelFromUrdf(str(MODELS / "arm7.urdf"))
    loaded = model.copy()
    load = pin.Inertia.FromSphere(1.5, 0.05)
    loaded.appendBodyToJoint(7, load, pin.SE3(np.eye(3), np.array([0.02, 0.0, 0.12])))
    data, other, rng = model.createData(), loaded.createData(), np.random.default_rng(4)
    rows, torques = [], []
    for _ in range(20):
        q, v, a = rng.uniform(-1, 1, (3, model.nv))
        rows.append(pin.computeJointTorqueRegressor(model, data, q, v, a)[:, -10:].copy())
        torques.append(pin.rnea(loaded, other, q, v, a) - pin.rnea(model, data, q, v, a))
    phi = np.linalg.lstsq(np.vstack(rows), np.concatenate(torques), rcond=None)[0]
    print(f"identification of a load: {phi[0]:.6f} kg at", *(f"{x:.6f}" for x in phi[1:4] / phi[0]))


def main() -> int:
    inverse_kinematics()
    whole_body_control()
    dynamics_on_two_feet()
    plan_of_the_centre_of_mass()
    identification_of_a_load()
    return 0


if __name__ == "__main__":
    sys.exit(main())
