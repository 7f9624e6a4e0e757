# SPDX-License-Identifier: BSD-3-Clause
"""Regressors: ten columns a joint (of its whole body), in the order of joints, the universe left out."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from ._arrays import Array
from ._compiled import State
from .data import Data
from .frames import REFERENCES, ReferenceFrame
from .kinematics import frame_of, joint_of, on_joint
from .model import Model
from .spatial import SE3, Motion

__all__ = ["computeJointTorqueRegressor", "bodyRegressor", "jointBodyRegressor", "frameBodyRegressor",
           "computeStaticRegressor", "computeKineticEnergyRegressor", "computePotentialEnergyRegressor",
           "computeJointKinematicRegressor", "computeFrameKinematicRegressor"]


def computeJointTorqueRegressor(model: Model, data: Data, q: Any, v: Any, a: Any) -> Array:
    """data.jointTorqueRegressor (nv, 10 (njoints - 1)): times the dynamic parameters of the joints' inertias it is rnea without armature."""
    core = data.core_of(model)
    x, w, b = core.q(q), core.v(v), core.v(a, "a")
    data._hold(State(core, x, w, b), ["motion"])
    data.jointTorqueRegressor = core.rows(zw.inverse_dynamics_regressor(core.model, x, w, b))[:, 10:]
    return data.jointTorqueRegressor


def bodyRegressor(velocity: Motion, acceleration: Motion) -> Array:
    """(6, 10): times dynamic parameters it is the wrench of a body of that velocity and spatial acceleration minus gravity, in its axes."""
    return zw.body_regressor(velocity.vector, acceleration.vector)


def jointBodyRegressor(model: Model, data: Data, joint_id: int) -> Array:
    """bodyRegressor of the frame of a joint, in the state of the last rnea or forwardKinematics(q, v, a)."""
    s = data.moving(model, "jointBodyRegressor")
    frame = joint_of(s, joint_id, "jointBodyRegressor")
    return zw.frame_regressor(s.core.model, s.q, s.need_v("jointBodyRegressor"), s.need_a("jointBodyRegressor"), frame)


def frameBodyRegressor(model: Model, data: Data, frame_id: int) -> Array:
    """bodyRegressor of a frame, in the state of the last rnea or forwardKinematics(q, v, a)."""
    s = data.moving(model, "frameBodyRegressor")
    frame = frame_of(s, frame_id, "frameBodyRegressor")
    return zw.frame_regressor(s.core.model, s.q, s.need_v("frameBodyRegressor"), s.need_a("frameBodyRegressor"), frame)


def computeStaticRegressor(model: Model, data: Data, q: Any) -> Array:
    """data.staticRegressor (3, 4 (njoints - 1)): times mass and first moment of each body it is the centre of mass."""
    s = data.move(model, q)
    data.staticRegressor = np.asarray(zw.static_regressor(s.core.model, s.q)[:, 4:])
    return data.staticRegressor


def computeKineticEnergyRegressor(model: Model, data: Data, q: Any, v: Any) -> Array:
    """data.kineticEnergyRegressor (10 (njoints - 1),)."""
    s = data.moved(model, "computeKineticEnergyRegressor", q, v)
    data.kineticEnergyRegressor = np.asarray(zw.kinetic_energy_regressor(s.core.model, s.q, s.need_v("computeKineticEnergyRegressor"))[10:])
    return data.kineticEnergyRegressor


def computePotentialEnergyRegressor(model: Model, data: Data, q: Any) -> Array:
    """data.potentialEnergyRegressor (10 (njoints - 1),)."""
    s = data.move(model, q)
    data.potentialEnergyRegressor = np.asarray(zw.potential_energy_regressor(s.core.model, s.q)[10:])
    return data.potentialEnergyRegressor


def _kinematic(s: State, frame: int, reference: ReferenceFrame) -> Array:
    core = s.core
    Y = zw.kinematic_regressor(core.model, s.q, frame, REFERENCES[reference])
    at = {name: k for k, name in enumerate(core.model.joint_names)}
    return np.concatenate([Y[:, 6 * at[name]:6 * at[name] + 6] for name in core.names[1:]], axis=1)


def computeJointKinematicRegressor(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame, placement: SE3 | None = None) -> Array:
    """(6, 6 (njoints - 1)): how a frame on a joint moves with small changes of the placements of all joints, in their own axes."""
    s = data.now(model, "computeJointKinematicRegressor")
    frame = joint_of(s, joint_id, "computeJointKinematicRegressor")
    if placement is not None:
        s, frame = on_joint(s, joint_id, placement, "computeJointKinematicRegressor")
    return _kinematic(s, frame, reference_frame)


def computeFrameKinematicRegressor(model: Model, data: Data, frame_id: int, reference_frame: ReferenceFrame) -> Array:
    """The same of a frame."""
    s = data.now(model, "computeFrameKinematicRegressor")
    return _kinematic(s, frame_of(s, frame_id, "computeFrameKinematicRegressor"), reference_frame)
