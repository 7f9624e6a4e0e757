# SPDX-License-Identifier: BSD-3-Clause
"""pin.liegroups: the configuration spaces of joints as objects; `*` is their product."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import configurations
from ._arrays import Array
from .frames import ARG0, ARG1, ArgumentPosition
from .joints import JointModel, JointModelFreeFlyer, JointModelPlanar, JointModelPX, JointModelRUBX, JointModelSpherical
from .model import Model
from .spatial import SE3 as Pose

__all__ = ["LieGroup", "R1", "R2", "R3", "Rn", "SO2", "SO3", "SE2", "SE3"]


class LieGroup:
    """A product of groups: configurations of a chain of joints without bodies."""

    def __init__(self, name: str = "", joints: tuple[JointModel, ...] = ()) -> None:
        self.name, self._joints = name, joints
        self._model = Model()
        for k, joint in enumerate(joints):
            self._model.addJoint(k, joint, Pose.Identity(), f"joint{k}")

    nq = property(lambda self: self._model.nq, doc="Numbers of a configuration.")
    nv = property(lambda self: self._model.nv, doc="Numbers of an increment.")
    neutral = property(lambda self: configurations.neutral(self._model), doc="No displacement.")

    def __mul__(self, other: LieGroup) -> LieGroup:
        return LieGroup(f"{self.name}*{other.name}", self._joints + other._joints)

    def __imul__(self, other: LieGroup) -> LieGroup:
        return self * other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LieGroup) and self.name == other.name

    __hash__ = None  # type: ignore[assignment]

    def integrate(self, q: Any, v: Any) -> Array:
        """Where v leads from q."""
        return configurations.integrate(self._model, q, v)

    def difference(self, q0: Any, q1: Any) -> Array:
        """The increment from q0 to q1."""
        return configurations.difference(self._model, q0, q1)

    def interpolate(self, q0: Any, q1: Any, u: float) -> Array:
        """q0 at u = 0, q1 at u = 1."""
        return configurations.interpolate(self._model, q0, q1, u)

    def squaredDistance(self, q0: Any, q1: Any) -> float:
        """The square of the distance."""
        return float(np.sum(self.difference(q0, q1) ** 2))

    def distance(self, q0: Any, q1: Any) -> float:
        """The length of the difference."""
        return configurations.distance(self._model, q0, q1)

    def normalize(self, q: Any) -> Array:
        """q with quaternions and (cos, sin) of length 1."""
        return configurations.normalize(self._model, q)

    def randomConfiguration(self, lower: Any, upper: Any) -> Array:
        """Between bounds."""
        return configurations.randomConfiguration(self._model, lower, upper)

    def random(self) -> Array:
        """Translations between -1 and 1, rotations of every direction alike."""
        one = np.ones(self.nq)
        return self.randomConfiguration(-one, one)

    def dIntegrate(self, q: Any, v: Any, arg: ArgumentPosition) -> Array:
        """d integrate by q (ARG0) or v (ARG1)."""
        return np.asarray(configurations.dIntegrate(self._model, q, v, arg))

    def dIntegrate_dq(self, q: Any, v: Any) -> Array:
        """d integrate by q."""
        return self.dIntegrate(q, v, ARG0)

    def dIntegrate_dv(self, q: Any, v: Any) -> Array:
        """d integrate by v."""
        return self.dIntegrate(q, v, ARG1)

    def dIntegrateTransport(self, q: Any, v: Any, J: Any, arg: ArgumentPosition) -> Array:
        """dIntegrate times J."""
        return configurations.dIntegrateTransport(self._model, q, v, J, arg)

    def dDifference(self, q0: Any, q1: Any, arg: ArgumentPosition) -> Array:
        """d difference by q0 (ARG0) or q1 (ARG1)."""
        return np.asarray(configurations.dDifference(self._model, q0, q1, arg))

    def tangentMap(self, q: Any) -> Array:
        """d integrate(q, v) / dv at v = 0, in numbers of q."""
        return configurations.tangentMap(self._model, q)


def Rn(n: int) -> LieGroup:
    """Vectors of n numbers."""
    return LieGroup(f"R^{n}", tuple(JointModelPX() for _ in range(n)))


def R1() -> LieGroup:
    """Numbers."""
    return Rn(1)


def R2() -> LieGroup:
    """Vectors of two numbers."""
    return Rn(2)


def R3() -> LieGroup:
    """Vectors of three numbers."""
    return Rn(3)


def SO2() -> LieGroup:
    """Rotations of a plane: (cos, sin)."""
    return LieGroup("SO(2)", (JointModelRUBX(),))


def SO3() -> LieGroup:
    """Rotations: quaternion x y z w."""
    return LieGroup("SO(3)", (JointModelSpherical(),))


def SE2() -> LieGroup:
    """Displacements of a plane: x, y, cos, sin."""
    return LieGroup("SE(2)", (JointModelPlanar(),))


def SE3() -> LieGroup:
    """Displacements: position and quaternion."""
    return LieGroup("SE(3)", (JointModelFreeFlyer(),))
