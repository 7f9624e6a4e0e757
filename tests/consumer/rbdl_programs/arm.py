# SPDX-License-Identifier: BSD-3-Clause
"""A script for RBDL's Python module, with its import changed: a planar arm reaches for a wall, presses against it, and strikes it.
Prints `name number` lines."""
import numpy as np

import zwang.rbdl as rbdl  # import rbdl


def show(name, x):
    for k, y in enumerate(np.atleast_1d(x)):
        print(f"{name}[{k}] {float(y)!r}")


model = rbdl.Model()
model.gravity = np.array([0.0, -9.81, 0.0])
hinge = rbdl.Joint.fromJointType("JointTypeRevoluteZ")
at_base, at_end = rbdl.SpatialTransform(), rbdl.SpatialTransform()
at_end.r = np.array([0.5, 0.0, 0.0])
upper = rbdl.Body.fromMassComInertia(2.0, np.array([0.25, 0.01, 0.0]), np.diag([0.01, 0.05, 0.06]))
fore = rbdl.Body.fromMassComInertia(1.5, np.array([0.2, 0.0, 0.0]), np.diag([0.01, 0.03, 0.04]))
hand = rbdl.Body.fromMassComInertia(0.5, np.array([0.1, -0.02, 0.0]), np.diag([0.002, 0.004, 0.005]))
shoulder = model.AppendBody(at_base, hinge, upper, "upper")
elbow = model.AppendBody(at_end, hinge, fore, "fore")
wrist = model.AppendBody(at_end, hinge, hand, "hand")
tip = np.array([0.2, 0.0, 0.0])

# The tip at a place of the wall, the hand level.
targets = rbdl.InverseKinematicsConstraintSet()
targets.AddFullConstraint(wrist, tip, np.array([0.8, 0.3, 0.0]), np.eye(3))
q, start = np.zeros(3), np.array([1.0, -1.0, 0.2])
assert rbdl.InverseKinematics(model, start, targets, q) and targets.error_norm < 1e-12
show("q", q)
again = np.zeros(3)
assert rbdl.InverseKinematics(model, q + 0.01, [elbow, wrist],
                              [np.zeros(3), tip], [rbdl.CalcBodyToBaseCoordinates(model, q, elbow, np.zeros(3)),
                                                   np.array([0.8, 0.3, 0.0])], again)
show("by points", again)

qdot, tau = np.array([0.4, -0.7, 0.9]), np.array([5.0, 3.0, 1.0])
qddot, H, G = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
rbdl.CompositeRigidBodyAlgorithm(model, q, H)
show("H", H.ravel())
rbdl.CalcPointJacobian(model, q, wrist, tip, G)
show("G", G[:2].ravel())
rbdl.ForwardDynamics(model, q, qdot, tau, qddot)
show("free", qddot)

# The tip slides along the wall.
wall = rbdl.ConstraintSet()
wall.AddContactConstraint(wrist, tip, np.array([1.0, 0.0, 0.0]), "wall")
wall.Bind(model)
rbdl.ComputeConstraintImpulsesDirect(model, q, qdot, wall, again)
show("after", again)
show("impulse", wall.impulse)
rbdl.ForwardDynamicsConstraintsDirect(model, q, again, tau, wall, qddot)
show("pressed", qddot)
show("force", wall.force)
show("tip", rbdl.CalcPointAcceleration(model, q, again, qddot, wrist, tip)[:2])

# Torques for a motion of the tip along the wall, by the motors of the shoulder and the wrist.
wall.SetActuationMap(model, [True, False, True])
wanted, out, torque = np.array([0.3, 0.0, -0.2]), np.zeros(3), np.zeros(3)
if rbdl.isConstrainedSystemFullyActuated(model, q, again, wall):
    rbdl.InverseDynamicsConstraints(model, q, again, wanted, wall, out, torque)
    show("moved", out)
    show("torque", torque)

com, velocity, momentum = np.zeros(3), np.zeros(3), np.zeros(3)
mass = rbdl.CalcCenterOfMass(model, q, again, com, com_velocity=velocity, angular_momentum=momentum)
show("mass", mass)
show("com", com)
show("com velocity", velocity)
show("momentum", momentum)
show("energy", rbdl.CalcKineticEnergy(model, q, again))
show("height", rbdl.CalcPotentialEnergy(model, q))
