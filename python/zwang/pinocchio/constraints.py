# SPDX-License-Identifier: BSD-3-Clause
"""Rigid constraints: contacts with the world and between bodies, as rows on the acceleration of points and frames.

With c1 and c2 the two frames of a constraint (c2 in the world where joint2 is the universe), its acceleration is that of c1 minus that of c2,
in the axes of c1 (LOCAL) or the world's (LOCAL_WORLD_ALIGNED): CONTACT_3D the classical acceleration of the two origins, CONTACT_6D the
spatial acceleration at the origin of c1, in LOCAL with v1 x v2: the rate of the velocity that one sees who moves with c1. The
multipliers are the wrench on the body of c1: M a + nle = tau + J' lambda.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import zwang as zw

from . import _compiled
from ._arrays import Array
from .core import Core
from .explog import log6
from .frames import LOCAL, LOCAL_WORLD_ALIGNED, ReferenceFrame, Word
from .model import Model
from .spatial import SE3, Motion, skew


class ContactType(Word):
    """Which of the six rows a constraint has."""
    CONTACT_3D = 0
    CONTACT_6D = 1
    CONTACT_UNDEFINED = 2


CONTACT_3D, CONTACT_6D, CONTACT_UNDEFINED = ContactType


class BaumgarteCorrectorParameters:
    """Gains by which errors of position (Kp) and velocity (Kd) are pulled back; numbers, or one for each row."""

    def __init__(self, Kp: Any = 0.0, Kd: Any = 0.0) -> None:
        self.Kp, self.Kd = Kp, Kd


class ProximalSettings:
    """Accuracies, mu and max_iter of Pinocchio's iteration. Here constraints are solved directly: mu and max_iter are read by nobody."""

    def __init__(self, *values: float, **named: float) -> None:
        names = ("absolute_accuracy", "relative_accuracy", "mu", "max_iter") if len(values) == 4 else ("absolute_accuracy", "mu", "max_iter")
        given = {**dict(zip(names, values)), **named}
        if "accuracy" in given:
            given["absolute_accuracy"] = given.pop("accuracy")
        self.absolute_accuracy = float(given.get("absolute_accuracy", 1e-12))
        self.relative_accuracy = float(given.get("relative_accuracy", self.absolute_accuracy))
        self.mu, self.max_iter, self.iter = float(given.get("mu", 0.0)), int(given.get("max_iter", 1)), 0
        self.absolute_residual = self.relative_residual = 0.0


class RigidConstraintData(_compiled.RigidConstraintData):
    """What the last constraintDynamics or impulseDynamics found for one constraint: contact_force, errors, oMc1, oMc2, c1Mc2."""

    _members = ("contact_force", "contact_placement_error", "contact_velocity_error", "oMc1", "oMc2", "c1Mc2")

    def __init__(self, model: RigidConstraintModel | None = None) -> None:
        super().__init__()

    def copy(self) -> RigidConstraintData:
        """One with the same numbers."""
        out = RigidConstraintData()
        out.__setstate__(self.__getstate__())
        return out

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> RigidConstraintData:
        return self.copy()

    def __reduce__(self) -> Any:
        return RigidConstraintData, (), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._members}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


class RigidConstraintModel:
    """(contact_type, model, joint1_id, [joint1_placement, [joint2_id, joint2_placement,]] [reference_frame])."""

    def __init__(self, contact_type: ContactType | RigidConstraintModel, model: Model | None = None, joint1_id: int = -1, *args: Any, **named: Any) -> None:
        if isinstance(contact_type, RigidConstraintModel):
            self.__dict__.update(contact_type.copy().__dict__)
            return
        if model is None or not 0 <= joint1_id < model.njoints:
            raise ValueError(f"RigidConstraintModel: joint1_id is {joint1_id}, which is no joint")
        rest = list(args)
        self.type, self.joint1_id, self.joint2_id = ContactType(contact_type), int(joint1_id), 0
        self.reference_frame: ReferenceFrame = named.pop("reference_frame", LOCAL)
        if rest and isinstance(rest[-1], ReferenceFrame):
            self.reference_frame = rest.pop()
        self.joint1_placement: SE3 = (rest.pop(0) if rest else named.pop("joint1_placement", SE3())).copy()
        if rest or "joint2_id" in named:
            self.joint2_id = int(rest.pop(0) if rest else named.pop("joint2_id"))
        self.joint2_placement: SE3 = (rest.pop(0) if rest else named.pop("joint2_placement", SE3())).copy()
        if rest or named:
            raise TypeError("RigidConstraintModel: arguments that it does not have")
        if not 0 <= self.joint2_id < model.njoints:
            raise ValueError(f"RigidConstraintModel: joint2_id is {self.joint2_id}, which is no joint")
        if self.type == CONTACT_UNDEFINED or self.reference_frame not in (LOCAL, LOCAL_WORLD_ALIGNED):
            raise ValueError("RigidConstraintModel: expected CONTACT_3D or CONTACT_6D, LOCAL or LOCAL_WORLD_ALIGNED")
        self.name = ""
        self.corrector = BaumgarteCorrectorParameters()
        self.desired_contact_placement = SE3()
        self.desired_contact_velocity: Motion = Motion.Zero()
        self.desired_contact_acceleration: Motion = Motion.Zero()

    @property
    def m_baumgarte_parameters(self) -> BaumgarteCorrectorParameters:
        """corrector, under its other name."""
        return self.corrector

    @m_baumgarte_parameters.setter
    def m_baumgarte_parameters(self, value: BaumgarteCorrectorParameters) -> None:
        self.corrector = value

    def setBaumgarteCorrectorParameters(self, bp: BaumgarteCorrectorParameters, *_: Any) -> None:
        """corrector = bp."""
        self.corrector = bp

    def size(self) -> int:
        """Rows."""
        return 3 if self.type == CONTACT_3D else 6

    residualSize = size

    def createData(self) -> RigidConstraintData:
        """A RigidConstraintData for it."""
        return RigidConstraintData(self)

    def copy(self) -> RigidConstraintModel:
        """One with the same numbers."""
        out = RigidConstraintModel.__new__(RigidConstraintModel)
        out.__dict__.update({k: v.copy() if hasattr(v, "copy") else v for k, v in self.__dict__.items()})
        out.corrector = BaumgarteCorrectorParameters(self.corrector.Kp, self.corrector.Kd)
        return out


AsSolved = tuple[bool, bool, int, SE3, int, SE3, bool]


def as_solved(c: RigidConstraintModel) -> AsSolved:
    """What derivatives need: whether it is CONTACT_3D, in LOCAL, both joints with placements, whether it has gains."""
    gains = bool(np.any(c.corrector.Kp) or np.any(c.corrector.Kd))
    return c.type == CONTACT_3D, c.reference_frame == LOCAL, c.joint1_id, c.joint1_placement, c.joint2_id, c.joint2_placement, gains


def contact_as_solved(model: Model, is_point: bool, is_local: bool, joint1: int, placement1: SE3, joint2: int, placement2: SE3,
                      gains: bool) -> RigidConstraintModel:
    """A constraint of these; its gains are 1 or 0."""
    out = RigidConstraintModel(CONTACT_3D if is_point else CONTACT_6D, model, joint1, placement1, joint2, placement2,
                               LOCAL if is_local else LOCAL_WORLD_ALIGNED)
    out.corrector.Kp = float(gains)
    return out


class Side(NamedTuple):
    """A frame of a constraint at a state: id in zwang, pose, and Jacobian at its origin in world axes."""
    frame: int
    pose: Array
    J: Array


class Rows:
    """One constraint at a state: J, and the acceleration of its rows for any a."""

    def __init__(self, core: Core, q: Array, v: Array, constraint: RigidConstraintModel, frames: tuple[int, int]) -> None:
        self.core, self.q, self.v, self.constraint = core, q, v, constraint
        self.is_point, self.is_local = constraint.type == CONTACT_3D, constraint.reference_frame == LOCAL
        self.one, self.two = (Side(f, zw.frame_pose(core.model, q, f), zw.jacobian(core.model, q, f)) for f in frames)
        self.R, self.between = self.one.pose[:3, :3], self.one.pose[:3, 3] - self.two.pose[:3, 3]
        self.J = self._down(self._relative(self.one.J, self.two.J))

    def _shift(self, x: Array) -> Array:
        """A spatial vector (or columns) at the origin of c2 as one at that of c1, world axes."""
        out = x.copy()
        out[:3] -= skew(self.between) @ x[3:]
        return out

    def _relative(self, one: Array, two: Array) -> Array:
        """Of vectors at the two origins in world axes: c1 less c2, rows of the type."""
        return one[:3] - two[:3] if self.is_point else one - self._shift(two)

    def _down(self, x: Array) -> Array:
        """Rows in world axes as rows in the axes of the constraint."""
        if not self.is_local:
            return x
        return np.concatenate([self.R.T @ x[k:k + 3] for k in range(0, len(x), 3)])

    @property
    def kind(self) -> str:
        """The kind of acceleration."""
        return "classical" if self.is_point else "spatial"

    def acceleration(self, a: Array) -> Array:
        """Of the rows."""
        both = [zw.frame_acceleration(self.core.model, self.q, self.v, a, s.frame, self.kind) for s in (self.one, self.two)]
        return self._down(self._relative(both[0], both[1]) + self._crossed())

    def _velocities(self) -> tuple[Array, Array]:
        """Of both bodies at the origin of c1, world axes."""
        return self.one.J @ self.v, self._shift(self.two.J @ self.v)

    def _crossed(self) -> Array:
        """v1 x v2, of CONTACT_6D in LOCAL."""
        if self.is_point or not self.is_local:
            return np.zeros(3 if self.is_point else 6)
        one, two = self._velocities()
        return np.asarray(Motion.view(one).action @ two)

    def _crossed_derivatives(self) -> tuple[Array, Array]:
        """d (v1 x v2) / dq, / dv, world axes."""
        one, two = self._velocities()
        left, right = Motion.view(one).action, Motion.view(two).action
        first, second = (zw.frame_velocity_derivatives(self.core.model, self.q, self.v, s.frame).q for s in (self.one, self.two))
        second = self._shift(second)
        second[:3] += skew(two[3:]) @ (self.one.J[:3] - self.two.J[:3])
        return left @ second - right @ first, left @ self._shift(self.two.J) - right @ self.one.J

    def velocity(self, v: Array) -> Array:
        """Of the rows."""
        return self.J @ v

    def _derivative(self, value: tuple[Array, Array], by_q: tuple[Array, Array], more: Array | float = 0.0, more_by_q: Array | float = 0.0) -> Array:
        """d/dq of the rows, from values of both frames (at their origins, world axes) and their derivatives; `more` is added in world axes."""
        d = self._relative(*by_q) + more_by_q
        if not self.is_point:  # c2's is moved along, from its origin to that of c1
            d[:3] -= skew(value[1][3:]) @ (self.one.J[:3] - self.two.J[:3])
        if not self.is_local:
            return d
        y = self._down(self._relative(*value) + more)
        turning = self.R.T @ self.one.J[3:]
        return np.asarray(self._down(d) + np.concatenate([skew(y[k:k + 3]) @ turning for k in range(0, len(y), 3)]))

    def acceleration_derivatives(self, a: Array) -> tuple[Array, Array]:
        """d acceleration / dq, / dv."""
        sides = (self.one, self.two)
        values = tuple(zw.frame_acceleration(self.core.model, self.q, self.v, a, s.frame, self.kind) for s in sides)
        both = [zw.frame_acceleration_derivatives(self.core.model, self.q, self.v, a, s.frame, self.kind) for s in sides]
        crossed: tuple[Any, Any] = (0.0, 0.0) if self.is_point or not self.is_local else self._crossed_derivatives()
        by_q = self._derivative((values[0], values[1]), (both[0].q, both[1].q), self._crossed(), crossed[0])
        return by_q, self._down(self._relative(both[0].v, both[1].v) + crossed[1])

    def velocity_derivative(self, v: Array) -> Array:
        """d velocity(v) / dq."""
        sides = (self.one, self.two)
        both = [zw.frame_velocity_derivatives(self.core.model, self.q, v, s.frame).q for s in sides]
        return self._derivative((self.one.J @ v, self.two.J @ v), (both[0], both[1]))

    def force_derivative(self, multipliers: Array) -> Array:
        """d (J' multipliers) / dq, (nv, nv)."""
        model, six = self.core.model, np.zeros(6)
        six[:len(multipliers)] = multipliers
        axes = model.frame_names[self.one.frame] if self.is_local else "local_world_aligned"
        still = zw.JointEffects(springs=False, damping=False, gravity_scale=False)
        out = -zw.static_torque_derivatives(model, self.q, external={self.one.frame: six, self.two.frame: -six}, in_=axes, joint_effects=still,
                                            gravity=np.zeros(3))
        if self.is_point:
            return out
        force = self.R @ six[:3] if self.is_local else six[:3]  # its moment about the origin of c2, which lies elsewhere
        moment = np.concatenate([np.zeros(3), -np.cross(self.between, force)])
        out -= zw.static_torque_derivatives(model, self.q, external={self.two.frame: moment}, joint_effects=still, gravity=np.zeros(3))
        change = -skew(force) @ (self.one.J[:3] - self.two.J[:3])
        if self.is_local:
            change -= skew(self.between) @ skew(force) @ self.one.J[3:]
        return out - self.two.J[3:].T @ change

    def errors(self) -> tuple[Motion, Motion]:
        """Errors of position and velocity, in the axes of the constraint."""
        c1, c2 = SE3.view(self.one.pose), SE3.view(self.two.pose)
        between = c1.actInv(c2)
        if self.is_point:
            position = Motion(-between.translation if self.is_local else self.between, np.zeros(3))
        else:
            position = -log6(between)
        velocity = np.zeros(6)
        velocity[:len(self.J)] = self.velocity(self.v)
        return position, Motion.view(velocity)

    def target(self) -> Array:
        """The acceleration that the rows are to have."""
        c, n = self.constraint, len(self.J)
        Kp, Kd = (np.zeros(n) + np.asarray(k, dtype=np.float64).reshape(-1) for k in (c.corrector.Kp, c.corrector.Kd))
        out = np.array(c.desired_contact_acceleration.vector[:n])
        if np.any(Kp) or np.any(Kd):
            if np.any(c.desired_contact_velocity.vector) or not c.desired_contact_placement.isIdentity():
                raise NotImplementedError("zwang.pinocchio corrects no constraint with a desired_contact_placement or desired_contact_velocity: "
                                          "zwang.ConstraintSet.add_frame has target_pose, target_velocity and time_constant")
            if not self.is_point and not self.is_local:
                raise NotImplementedError("zwang.pinocchio corrects CONTACT_6D in LOCAL alone: zwang.ConstraintSet.add_frame has time_constant")
            position, velocity = self.errors()
            out -= Kp * position.vector[:n] + Kd * velocity.vector[:n]
        return out


def rows_of(core: Core, q: Array, v: Array, constraints: Any) -> list[Rows]:
    """The rows of constraints at a state in zwang's order."""
    constraints = list(constraints)
    for k, c in enumerate(constraints):
        if not isinstance(c, RigidConstraintModel):
            raise TypeError(f"constraint {k} has type {type(c).__name__}, expected RigidConstraintModel")
    frames = [f for c in constraints for f in ((c.joint1_id, c.joint1_placement.homogeneous), (c.joint2_id, c.joint2_placement.homogeneous))]
    key = tuple((j, pose.tobytes()) for j, pose in frames)
    if core.extended is None or core.extended[0] != key:
        core.extended = (key, core.with_frames(frames))
    more = core.extended[1]
    ids = more.frame_ids[len(more.frame_ids) - len(frames):]
    return [Rows(more, q, v, c, (ids[2 * k], ids[2 * k + 1])) for k, c in enumerate(constraints)]


def stacked(rows: list[Rows], nv: int) -> Array:
    """J of all rows."""
    return np.concatenate([r.J for r in rows]) if rows else np.zeros((0, nv))


__all__ = ["ContactType", "CONTACT_3D", "CONTACT_6D", "CONTACT_UNDEFINED", "BaumgarteCorrectorParameters", "ProximalSettings",
           "RigidConstraintModel", "RigidConstraintData"]
