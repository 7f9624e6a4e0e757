# SPDX-License-Identifier: BSD-3-Clause
"""Placements, velocities, accelerations and Jacobians of joints and frames. Every getter's default is LOCAL, as there."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from ._arrays import Array
from .data import Data, State
from .frames import LOCAL, LOCAL_WORLD_ALIGNED, REFERENCES, WORLD, ReferenceFrame
from .model import Model
from .spatial import SE3, Motion, skew

__all__ = ["forwardKinematics", "updateFramePlacements", "updateFramePlacement", "updateGlobalPlacements",
           "framesForwardKinematics", "getVelocity", "getAcceleration", "getClassicalAcceleration",
           "getFrameVelocity", "getFrameAcceleration", "getFrameClassicalAcceleration", "computeJointJacobians",
           "getJointJacobian", "computeJointJacobian", "getFrameJacobian", "computeFrameJacobian",
           "computeJointJacobiansTimeVariation", "getJointJacobianTimeVariation", "getFrameJacobianTimeVariation",
           "frameJacobianTimeVariation", "computeJointKinematicHessians", "getJointKinematicHessian",
           "getFrameKinematicHessian"]


def joint_of(state: State, joint_id: int, who: str) -> int:
    """The frame of a joint in zwang. Raises IndexError for a number that is no joint."""
    if not 0 <= joint_id < state.core.njoints:
        raise IndexError(f"{who}: joint {joint_id} does not exist, there are {state.core.njoints}")
    return state.core.joint_ids[joint_id]


def frame_of(state: State, frame_id: int, who: str) -> int:
    """A frame in zwang. Raises IndexError for a number that is no frame."""
    if not 0 <= frame_id < len(state.core.frame_ids):
        raise IndexError(f"{who}: frame {frame_id} does not exist, there are {len(state.core.frame_ids)}; getFrameId gives that for a name it does not know")
    return state.core.frame_ids[frame_id]


def on_joint(s: State, joint_id: int, placement: SE3, who: str) -> tuple[State, int]:
    """The same state of the robot with one more frame, fixed to a joint."""
    joint_of(s, joint_id, who)
    if not isinstance(placement, SE3):
        raise TypeError(f"{who}: placement has type {type(placement).__name__}, expected SE3")
    core = s.core.with_frames([(joint_id, placement.homogeneous)])
    return State(core, s.q, s.v, s.a), core.frame_ids[-1]


def forwardKinematics(model: Model, data: Data, q: Any, v: Any = None, a: Any = None) -> None:
    """Placements of all joints; with v their velocities, with a their accelerations (without gravity)."""
    data.move(model, q, v, a)


def updateFramePlacements(model: Model, data: Data) -> Any:
    """data.oMf: it follows the last configuration without this call, too."""
    data.now(model, "updateFramePlacements")
    return data.oMf


def updateFramePlacement(model: Model, data: Data, frame_id: int) -> SE3:
    """The placement of one frame."""
    frame_of(data.now(model, "updateFramePlacement"), frame_id, "updateFramePlacement")
    return data.oMf[frame_id]  # type: ignore[no-any-return]


def updateGlobalPlacements(model: Model, data: Data) -> None:
    """data.oMi: it follows the last configuration without this call, too."""
    data.now(model, "updateGlobalPlacements")


def framesForwardKinematics(model: Model, data: Data, q: Any = None) -> None:
    """Placements of all joints and frames."""
    if q is not None:
        data.move(model, q)
    data.now(model, "framesForwardKinematics")


def _velocity(model: Model, data: Data, who: str, frame: Any, number: int, reference: ReferenceFrame) -> Motion:
    s = data.moving(model, who, reference == LOCAL)
    return Motion.view(zw.frame_velocity(s.core.model, s.q, s.need_v(who), frame(s, number, who), REFERENCES[reference]))


def _acceleration(model: Model, data: Data, who: str, frame: Any, number: int, reference: ReferenceFrame, kind: str) -> Motion:
    s = data.moving(model, who, reference == LOCAL)
    return Motion.view(zw.frame_acceleration(s.core.model, s.q, s.need_v(who), s.need_a(who), frame(s, number, who), kind, REFERENCES[reference]))


def _at_placement(who: str, number: int, second: Any, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, SE3 | None, ReferenceFrame]:
    """(number, placement or None, reference) of the two forms (frame_id, reference) and (joint_id, placement, reference)."""
    rest = [*([] if second is None else [second]), *args]
    placement = rest.pop(0) if rest and isinstance(rest[0], SE3) else named.pop("placement", None)
    reference = rest.pop(0) if rest else named.pop("reference_frame", LOCAL)
    if rest or named:
        raise TypeError(f"{who}: arguments that it does not have")
    return number, placement, ReferenceFrame(reference)


def _moved(x: Motion, s: State, joint: int, placement: SE3, reference: ReferenceFrame) -> Motion:
    """A twist of a joint in its axes, as one of a frame fixed to it, with the axes and the point that `reference` says."""
    local: Motion = placement.actInv(x)
    if reference == LOCAL:
        return local
    pose = SE3.view(zw.frame_pose(s.core.model, s.q, s.core.joint_ids[joint])) * placement
    if reference == LOCAL_WORLD_ALIGNED:
        pose.translation[:] = 0
    out: Motion = pose.act(local)
    return out


def getVelocity(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame = LOCAL) -> Motion:
    """Velocity of a joint's frame."""
    return _velocity(model, data, "getVelocity", joint_of, joint_id, reference_frame)


def getAcceleration(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame = LOCAL) -> Motion:
    """Spatial acceleration of a joint's frame, without gravity."""
    return _acceleration(model, data, "getAcceleration", joint_of, joint_id, reference_frame, "spatial")


def getClassicalAcceleration(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame = LOCAL) -> Motion:
    """Classical acceleration of a joint's frame, without gravity."""
    return _acceleration(model, data, "getClassicalAcceleration", joint_of, joint_id, reference_frame, "classical")


def getFrameVelocity(model: Model, data: Data, frame_id: int, second: Any = None, *args: Any, **named: Any) -> Motion:
    """Velocity of a frame: (frame_id, reference_frame=LOCAL) or (joint_id, placement, reference_frame=LOCAL)."""
    who = "getFrameVelocity"
    if type(second) is ReferenceFrame and not args and not named:
        return _velocity(model, data, who, frame_of, frame_id, second)
    number, placement, reference = _at_placement(who, frame_id, second, args, named)
    if placement is None:
        return _velocity(model, data, who, frame_of, number, reference)
    return _moved(_velocity(model, data, who, joint_of, number, LOCAL), data.moving(model, who, reference == LOCAL), number, placement, reference)


def getFrameAcceleration(model: Model, data: Data, frame_id: int, second: Any = None, *args: Any, **named: Any) -> Motion:
    """Spatial acceleration of a frame, without gravity; arguments as of getFrameVelocity."""
    who = "getFrameAcceleration"
    if type(second) is ReferenceFrame and not args and not named:
        return _acceleration(model, data, who, frame_of, frame_id, second, "spatial")
    number, placement, reference = _at_placement(who, frame_id, second, args, named)
    if placement is None:
        return _acceleration(model, data, who, frame_of, number, reference, "spatial")
    return _moved(_acceleration(model, data, who, joint_of, number, LOCAL, "spatial"), data.moving(model, who, reference == LOCAL), number, placement, reference)


def getFrameClassicalAcceleration(model: Model, data: Data, frame_id: int, second: Any = None, *args: Any, **named: Any) -> Motion:
    """Classical acceleration of a frame, without gravity; arguments as of getFrameVelocity."""
    who = "getFrameClassicalAcceleration"
    if type(second) is ReferenceFrame and not args and not named:
        return _acceleration(model, data, who, frame_of, frame_id, second, "classical")
    number, placement, reference = _at_placement(who, frame_id, second, args, named)
    if placement is None:
        return _acceleration(model, data, who, frame_of, number, reference, "classical")
    a = getFrameAcceleration(model, data, number, placement, reference)
    v = getFrameVelocity(model, data, number, placement, reference)
    a.linear += np.cross(v.angular, v.linear)
    return a


def computeJointJacobians(model: Model, data: Data, q: Any = None) -> Array:
    """data.J: the columns of all joints about the world's origin, in world axes."""
    if q is not None:
        data.move(model, q)
    data.now(model, "computeJointJacobians")
    return data.J


def _jacobian(s: State, frame: int, reference: ReferenceFrame) -> Array:
    return s.core.columns(zw.jacobian(s.core.model, s.q, frame, REFERENCES[reference]))


def getJointJacobian(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """Jacobian of a joint's frame, (6, nv)."""
    s = data.now(model, "getJointJacobian")
    return _jacobian(s, joint_of(s, joint_id, "getJointJacobian"), reference_frame)


def computeJointJacobian(model: Model, data: Data, q: Any, joint_id: int) -> Array:
    """Jacobian of a joint's frame in its axes, (6, nv); data.J is that matrix in Pinocchio, too."""
    core = data.core_of(model)
    s = State(core, core.q(q))
    return _jacobian(s, joint_of(s, joint_id, "computeJointJacobian"), LOCAL)


def getFrameJacobian(model: Model, data: Data, frame_id: int, second: Any = None, *args: Any, **named: Any) -> Array:
    """Jacobian of a frame, (6, nv): (frame_id, reference_frame) or (joint_id, placement, reference_frame)."""
    s = data.now(model, "getFrameJacobian")
    if type(second) is ReferenceFrame and not args and not named:
        return _jacobian(s, frame_of(s, frame_id, "getFrameJacobian"), second)
    number, placement, reference = _at_placement("getFrameJacobian", frame_id, second, args, named)
    if placement is None:
        return _jacobian(s, frame_of(s, number, "getFrameJacobian"), reference)
    joint = joint_of(s, number, "getFrameJacobian")
    if reference == WORLD:
        return _jacobian(s, joint, WORLD)
    if reference == LOCAL:
        return placement.actionInverse @ _jacobian(s, joint, LOCAL)
    J = _jacobian(s, joint, LOCAL_WORLD_ALIGNED)
    J[:3] -= skew(zw.frame_pose(s.core.model, s.q, joint)[:3, :3] @ placement.translation) @ J[3:]
    return J


def computeFrameJacobian(model: Model, data: Data, q: Any, frame_id: int, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """Jacobian of a frame, (6, nv), at q."""
    s = data.move(model, q)
    return _jacobian(s, frame_of(s, frame_id, "computeFrameJacobian"), reference_frame)


def computeJointJacobiansTimeVariation(model: Model, data: Data, q: Any = None, v: Any = None) -> Array:
    """data.dJ: the rates of data.J."""
    if q is not None:
        data.move(model, q, v)
    data.now(model, "computeJointJacobiansTimeVariation")
    return data.dJ


def getJointJacobianTimeVariation(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """d/dt of getJointJacobian with the same reference_frame."""
    who = "getJointJacobianTimeVariation"
    s = data.moving(model, who)
    return s.core.columns(zw.jacobian_dot(s.core.model, s.q, s.need_v(who), joint_of(s, joint_id, who), REFERENCES[reference_frame]))


def getFrameJacobianTimeVariation(model: Model, data: Data, frame_id: int, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """d/dt of getFrameJacobian with the same reference_frame."""
    who = "getFrameJacobianTimeVariation"
    s = data.moving(model, who)
    return s.core.columns(zw.jacobian_dot(s.core.model, s.q, s.need_v(who), frame_of(s, frame_id, who), REFERENCES[reference_frame]))


def frameJacobianTimeVariation(model: Model, data: Data, q: Any, v: Any, frame_id: int, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """The same at q and v."""
    data.moved(model, "frameJacobianTimeVariation", q, v)
    return getFrameJacobianTimeVariation(model, data, frame_id, reference_frame)


def computeJointKinematicHessians(model: Model, data: Data, q: Any = None) -> None:
    """The configuration of getJointKinematicHessian."""
    if q is not None:
        data.move(model, q)
    data.now(model, "computeJointKinematicHessians")


def _hessian(s: State, frame: int, reference: ReferenceFrame) -> Array:
    H = zw.kinematic_hessian(s.core.model, s.q, frame, REFERENCES[reference])
    at = s.core.at_v
    return H if at is None else H[:, at][:, :, at]


def getJointKinematicHessian(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """H[:, :, k] = d getJointJacobian / d q_k, for increments, (6, nv, nv)."""
    s = data.now(model, "getJointKinematicHessian")
    return _hessian(s, joint_of(s, joint_id, "getJointKinematicHessian"), reference_frame)


def getFrameKinematicHessian(model: Model, data: Data, frame_id: int, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """The same of a frame."""
    s = data.now(model, "getFrameKinematicHessian")
    return _hessian(s, frame_of(s, frame_id, "getFrameKinematicHessian"), reference_frame)
