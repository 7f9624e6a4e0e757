# SPDX-License-Identifier: BSD-3-Clause
"""Placements, velocities, accelerations and Jacobians of joints and frames. Every getter's default is LOCAL, as there."""
from __future__ import annotations

from typing import Any

import zwang as zw

from ._arrays import Array
from ._compiled import (State, computeFrameJacobian, computeJointJacobian, computeJointJacobians, forwardKinematics, framesForwardKinematics,
                        getAcceleration, getClassicalAcceleration, getFrameAcceleration, getFrameClassicalAcceleration, getFrameJacobian,
                        getFrameVelocity, getJointJacobian, getVelocity, updateFramePlacement, updateFramePlacements, updateGlobalPlacements)
from .data import Data
from .frames import LOCAL, REFERENCES, ReferenceFrame
from .model import Model
from .spatial import SE3

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
