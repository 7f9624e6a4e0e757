# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of kinematics, dynamics and momentum, by increments of q.

Each is the true derivative of the function with the same reference_frame. Pinocchio's of velocities and accelerations in
LOCAL_WORLD_ALIGNED leave out that the axes of the frame turn: docs/migrate/pinocchio.md.
"""
from __future__ import annotations

from typing import Any

import zwang as zw

from ._arrays import Array, positional
from ._compiled import State, computeABADerivatives, computeRNEADerivatives
from .data import Data
from .frames import REFERENCES, WORLD, ReferenceFrame
from .kinematics import frame_of, joint_of, on_joint
from .model import Model
from .spatial import SE3

__all__ = ["computeForwardKinematicsDerivatives", "getJointVelocityDerivatives", "getJointAccelerationDerivatives",
           "getFrameVelocityDerivatives", "getFrameAccelerationDerivatives", "getPointVelocityDerivatives",
           "getPointClassicAccelerationDerivatives", "getCenterOfMassVelocityDerivatives", "computeRNEADerivatives",
           "computeABADerivatives", "computeGeneralizedGravityDerivatives", "computeStaticTorqueDerivatives",
           "computeCentroidalDynamicsDerivatives", "getCentroidalDynamicsDerivatives"]


def computeForwardKinematicsDerivatives(model: Model, data: Data, q: Any, v: Any, a: Any) -> None:
    """The state of the getters below."""
    data.moved(model, "computeForwardKinematicsDerivatives", q, v, a)


def _velocity(s: State, frame: int, reference: ReferenceFrame, who: str) -> tuple[Array, Array]:
    d = zw.frame_velocity_derivatives(s.core.model, s.q, s.need_v(who), frame, REFERENCES[reference])
    return s.core.columns(d.q), s.core.columns(d.v)


def _acceleration(s: State, frame: int, reference: ReferenceFrame, who: str, kind: str = "spatial") -> tuple[Array, Array, Array, Array]:
    d = zw.frame_acceleration_derivatives(s.core.model, s.q, s.need_v(who), s.need_a(who), frame, kind, REFERENCES[reference])
    return _velocity(s, frame, reference, who)[0], s.core.columns(d.q), s.core.columns(d.v), s.core.columns(d.a)


def getJointVelocityDerivatives(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame) -> tuple[Array, Array]:
    """d getVelocity / dq, / dv, (6, nv) each."""
    s = data.moving(model, "getJointVelocityDerivatives")
    return _velocity(s, joint_of(s, joint_id, "getJointVelocityDerivatives"), reference_frame, "getJointVelocityDerivatives")


def getJointAccelerationDerivatives(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame) -> tuple[Array, Array, Array, Array]:
    """d getVelocity / dq, then d getAcceleration / dq, / dv, / da, (6, nv) each."""
    s = data.moving(model, "getJointAccelerationDerivatives")
    return _acceleration(s, joint_of(s, joint_id, "getJointAccelerationDerivatives"), reference_frame, "getJointAccelerationDerivatives")


def getFrameVelocityDerivatives(model: Model, data: Data, *args: Any, **named: Any) -> tuple[Array, Array]:
    """d getFrameVelocity / dq, / dv, (6, nv) each: (frame_id, reference_frame) or (joint_id, placement, reference_frame)."""
    s, frame, reference = _frame_or_placement(model, data, args, named, "getFrameVelocityDerivatives")
    return _velocity(s, frame, reference, "getFrameVelocityDerivatives")


def getFrameAccelerationDerivatives(model: Model, data: Data, *args: Any, **named: Any) -> tuple[Array, Array, Array, Array]:
    """d getFrameVelocity / dq, then d getFrameAcceleration / dq, / dv, / da, (6, nv) each; arguments as above."""
    s, frame, reference = _frame_or_placement(model, data, args, named, "getFrameAccelerationDerivatives")
    return _acceleration(s, frame, reference, "getFrameAccelerationDerivatives")


def _frame_or_placement(model: Model, data: Data, args: tuple[Any, ...], named: dict[str, Any], who: str) -> tuple[State, int, ReferenceFrame]:
    """State, frame and reference_frame of the two forms (frame_id, reference_frame) and (joint_id, placement, reference_frame)."""
    s = data.moving(model, who)
    if len(args) == 3 or {"joint_id", "placement"} & set(named):
        joint_id, placement, reference = positional(who, args, named, "joint_id", "placement", "reference_frame", optional={})
        return *on_joint(s, joint_id, placement, who), reference
    frame_id, reference = positional(who, args, named, "frame_id", "reference_frame", optional={})
    return s, frame_of(s, frame_id, who), reference


def getPointVelocityDerivatives(model: Model, data: Data, joint_id: int, placement: SE3, reference_frame: ReferenceFrame) -> tuple[Array, Array]:
    """d v / dq, / dv of the velocity of a point fixed to a joint, in the axes of its frame or the world's, (3, nv) each."""
    who = "getPointVelocityDerivatives"
    s, frame = on_joint(data.moving(model, who), joint_id, placement, who)
    _not_world(reference_frame, who)
    dq, dv = _velocity(s, frame, reference_frame, who)
    return dq[:3], dv[:3]


def getPointClassicAccelerationDerivatives(model: Model, data: Data, joint_id: int, placement: SE3,
                                           reference_frame: ReferenceFrame) -> tuple[Array, Array, Array, Array]:
    """d v / dq, then d a / dq, / dv, / da of velocity and classical acceleration of a point fixed to a joint, (3, nv) each."""
    who = "getPointClassicAccelerationDerivatives"
    s, frame = on_joint(data.moving(model, who), joint_id, placement, who)
    _not_world(reference_frame, who)
    v_dq, a_dq, a_dv, a_da = _acceleration(s, frame, reference_frame, who, "classical")
    return v_dq[:3], a_dq[:3], a_dv[:3], a_da[:3]


def _not_world(reference_frame: ReferenceFrame, who: str) -> None:
    if reference_frame == WORLD:
        raise ValueError(f"{who}: reference_frame is WORLD, expected LOCAL or LOCAL_WORLD_ALIGNED")


def getCenterOfMassVelocityDerivatives(model: Model, data: Data) -> Array:
    """d vcom / dq, (3, nv)."""
    s = data.moving(model, "getCenterOfMassVelocityDerivatives")
    return s.core.columns(zw.centre_of_mass_velocity_derivatives(s.core.model, s.q, s.need_v("getCenterOfMassVelocityDerivatives")).q)


def computeGeneralizedGravityDerivatives(model: Model, data: Data, q: Any) -> Array:
    """d computeGeneralizedGravity / dq."""
    core = data.core_of(model)
    return core.both(zw.gravity_forces_derivatives(core.model, core.q(q)))


def computeStaticTorqueDerivatives(model: Model, data: Data, q: Any, fext: Any) -> Array:
    """d computeStaticTorque / dq, the external forces staying in the axes of their joints."""
    core = data.core_of(model)
    return core.both(zw.static_torque_derivatives(core.model, core.q(q), external=core.external(fext), in_="local"))


def computeCentroidalDynamicsDerivatives(model: Model, data: Data, q: Any, v: Any, a: Any) -> tuple[Array, Array, Array, Array]:
    """d hg / dq, d dhg / dq, / dv, / da, (6, nv) each: of momentum about the centre of mass and its rate, without gravity."""
    data.moved(model, "computeCentroidalDynamicsDerivatives", q, v, a)
    return getCentroidalDynamicsDerivatives(model, data)


def getCentroidalDynamicsDerivatives(model: Model, data: Data) -> tuple[Array, Array, Array, Array]:
    """The same of the state of the last call."""
    who = "getCentroidalDynamicsDerivatives"
    s = data.moving(model, who)
    data.centre(s, True)
    d = zw.centroidal_derivatives(s.core.model, s.q, s.need_v(who), s.need_a(who))
    data.dHdq = s.core.columns(d.momentum.q)
    return data.dHdq, s.core.columns(d.rate.q), s.core.columns(d.rate.v), s.core.columns(d.rate.a)
