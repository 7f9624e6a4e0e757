# SPDX-License-Identifier: BSD-3-Clause
"""SE3, Motion and Force: rigid displacements, twists and wrenches, linear part first, as NumPy arrays behind names."""
from __future__ import annotations

from typing import Any, TypeVar

import numpy as np


from . import _arrays, _compiled
from ._arrays import Array, close, matrix, vector
from ._compiled import rotation_of as rotation_of, skew as skew


def unSkew(m: Any) -> Array:
    """The vector of the antisymmetric part of a 3 x 3 matrix."""
    m = matrix(m, 3, 3, "M")
    return np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]) / 2


def skewSquare(u: Any, v: Any) -> Array:
    """skew(u) skew(v)."""
    return skew(u) @ skew(v)


def random_rotation() -> Array:
    """Of every direction alike."""
    x = _arrays.generator.normal(size=4)
    return rotation_of(x / np.linalg.norm(x))


S = TypeVar("S", bound="Six")


class Six(_compiled.Six):
    """Six numbers, linear part first: what Motion and Force share. linear, angular, vector and np are views."""

    __slots__ = ()
    _labels = ("v", "w")

    @classmethod
    def view(cls: type[S], six: Array) -> S:
        """An object on these six numbers, not on a copy."""
        out: S = _compiled.six_view(cls, six)
        return out

    @classmethod
    def Zero(cls: type[S]) -> S:
        """Six zeros."""
        return cls()

    @classmethod
    def Random(cls: type[S]) -> S:
        """Six numbers between -1 and 1."""
        return cls.view(_arrays.uniform(6))

    def setZero(self) -> None:
        """Writes zeros."""
        self._v[:] = 0

    def setRandom(self) -> None:
        """Writes numbers between -1 and 1."""
        self._v[:] = _arrays.uniform(6)

    def isZero(self, prec: float = 1e-12) -> bool:
        """Whether no number is larger than prec."""
        return bool(np.abs(self._v).max() <= prec)

    def isApprox(self, other: Any, prec: float = 1e-12) -> bool:
        """Whether the difference is small beside both."""
        return close(self._v, other._v, prec)

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __reduce__(self) -> Any:
        return type(self), (self._v.copy(),)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._v, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and bool(np.all(self._v == other._v))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(linear={self._v[:3]}, angular={self._v[3:]})"

    def __str__(self) -> str:
        return "".join(f"{label:>3} = " + " ".join(f"{x:g}" for x in part) + "\n"
                       for label, part in zip(self._labels, (self._v[:3], self._v[3:])))


class Force(Six):
    """A wrench: force and moment, about the origin of the frame in whose axes it is."""

    __slots__ = ()
    _labels = ("f", "tau")

    def se3Action(self, M: SE3) -> Force:
        """The same wrench in the axes and about the origin that M's are given in."""
        out: Force = M.act(self)
        return out

    def se3ActionInverse(self, M: SE3) -> Force:
        """The same wrench in the axes and about the origin of M."""
        out: Force = M.actInv(self)
        return out


class Motion(Six):
    """A twist (or a spatial acceleration): of the point at the origin, and of the body."""

    __slots__ = ()

    @property
    def action(self) -> Array:
        """The 6 x 6 matrix of self x on twists: [w x, v x; 0, w x]."""
        out = np.zeros((6, 6))
        out[:3, :3] = out[3:, 3:] = skew(self.angular)
        out[:3, 3:] = skew(self.linear)
        return out

    @property
    def dualAction(self) -> Array:
        """The 6 x 6 matrix of self x on wrenches: minus the transpose of action."""
        return -self.action.T

    @property
    def homogeneous(self) -> Array:
        """The 4 x 4 matrix [w x, v; 0, 0]."""
        out = np.zeros((4, 4))
        out[:3, :3], out[:3, 3] = skew(self.angular), self.linear
        return out

    def __xor__(self, other: Any) -> Any:
        return self.cross(other)

    def se3Action(self, M: SE3) -> Motion:
        """The same twist in the axes and at the origin that M's are given in."""
        out: Motion = M.act(self)
        return out

    def se3ActionInverse(self, M: SE3) -> Motion:
        """The same twist in the axes and at the origin of M."""
        out: Motion = M.actInv(self)
        return out


class SE3(_compiled.SE3):
    """A rigid displacement or pose [R p; 0 1]: it takes coordinates in its frame to those in which it is given."""

    __slots__ = ()

    @classmethod
    def view(cls, m: Array) -> SE3:
        """An object on this 4 x 4 array, not on a copy."""
        return _compiled.pose_view(m)

    @classmethod
    def Random(cls) -> SE3:
        """A rotation of every direction alike, a translation between -1 and 1."""
        return cls(random_rotation(), _arrays.uniform(3))

    @staticmethod
    def Interpolate(A: SE3, B: SE3, alpha: float) -> SE3:
        """A exp(alpha log(A^-1 B)): along the screw from A to B."""
        out: SE3 = A.act(_compiled.exp6(_compiled.log6(A.actInv(B)) * alpha))
        return out

    def toActionMatrix(self) -> Array:
        """action."""
        return self.action

    def toActionMatrixInverse(self) -> Array:
        """actionInverse."""
        return self.actionInverse

    def toDualActionMatrix(self) -> Array:
        """dualAction."""
        return self.dualAction

    def isIdentity(self, prec: float = 1e-12) -> bool:
        """Whether it displaces by no more than prec."""
        return bool(np.abs(self._m - np.eye(4)).max() <= prec)

    def setIdentity(self) -> None:
        """Writes the identity."""
        self._m[:] = np.eye(4)

    def setRandom(self) -> None:
        """Writes a random one."""
        self._m[:] = SE3.Random()._m

    def __copy__(self) -> SE3:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> SE3:
        return self.copy()

    def __reduce__(self) -> Any:
        return SE3, (self._m.copy(),)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._m, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SE3) and bool(np.all(self._m == other._m))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"SE3(rotation={self.rotation.tolist()}, translation={self.translation.tolist()})"

    def __str__(self) -> str:
        return f"  R =\n{self.rotation}\n  p = {self.translation}\n"


_compiled.register(SE3, Motion, Force)


def write_pose(row: Array, value: Any) -> None:
    """Writes an SE3, or what SE3() takes, into a 4 x 4 array."""
    row[:] = value._m if isinstance(value, SE3) else SE3(value)._m


def write_six(row: Array, value: Any) -> None:
    """Writes a Motion or a Force into six numbers."""
    row[:] = value._v if isinstance(value, Six) else vector(value, 6, "vector")


def classicAcceleration(spatial_velocity: Motion, spatial_acceleration: Motion, placement: SE3 | None = None) -> Array:
    """Linear acceleration of the point at the origin, or at `placement` (in its axes): of spatial quantities."""
    v, a = spatial_velocity, spatial_acceleration
    if placement is not None:
        v, a = placement.actInv(v), placement.actInv(a)
    return np.asarray(a.linear + np.cross(v.angular, v.linear))
