# SPDX-License-Identifier: BSD-3-Clause
"""SE3, Motion and Force: rigid displacements, twists and wrenches, linear part first, as NumPy arrays behind names."""
from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

import zwang as zw

from . import _arrays
from ._arrays import Array, close, matrix, positional, vector


def skew(u: Any) -> Array:
    """The matrix of u x, of a vector of three."""
    x, y, z = vector(u, 3, "u")
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


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


def rotation_of(quaternion: Array) -> Array:
    """The rotation of a unit quaternion x y z w."""
    u, w = quaternion[:3], quaternion[3]
    s = skew(u)
    return np.asarray(np.eye(3) + 2 * w * s + 2 * s @ s)


S = TypeVar("S", bound="Six")
NUMBER = (int, float, np.integer, np.floating)


class Six:
    """Six numbers, linear part first: what Motion and Force share."""

    __slots__ = ("_v",)
    _v: Array

    def __init__(self, *parts: Any, **named: Any) -> None:
        if named:
            parts = positional(type(self).__name__, parts, named, "linear", "angular")
        if not parts:
            self._v = np.zeros(6)
        elif len(parts) == 2:
            self._v = np.concatenate([vector(parts[0], 3, "linear"), vector(parts[1], 3, "angular")])
        elif len(parts) == 1:
            source = parts[0]
            if isinstance(source, Six):
                if type(source) is not type(self):
                    raise TypeError(f"{type(self).__name__} is not made of a {type(source).__name__}")
                source = source._v
            self._v = vector(source, 6, "vector").copy()
        else:
            raise TypeError(f"{type(self).__name__} takes six numbers, or a linear and an angular part")

    @classmethod
    def view(cls: type[S], six: Array) -> S:
        """An object on these six numbers, not on a copy."""
        out = cls.__new__(cls)
        out._v = six
        return out

    @classmethod
    def Zero(cls: type[S]) -> S:
        """Six zeros."""
        return cls()

    @classmethod
    def Random(cls: type[S]) -> S:
        """Six numbers between -1 and 1."""
        return cls.view(_arrays.uniform(6))

    @property
    def linear(self) -> Array:
        """The first three numbers: a view."""
        return self._v[:3]

    @linear.setter
    def linear(self, value: Any) -> None:
        self._v[:3] = vector(value, 3, "linear")

    @property
    def angular(self) -> Array:
        """The last three numbers: a view."""
        return self._v[3:]

    @angular.setter
    def angular(self, value: Any) -> None:
        self._v[3:] = vector(value, 3, "angular")

    @property
    def vector(self) -> Array:
        """The six numbers: a view."""
        return self._v

    @vector.setter
    def vector(self, value: Any) -> None:
        self._v[:] = vector(value, 6, "vector")

    @property
    def np(self) -> Array:
        """The six numbers: a view."""
        return self._v

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

    def copy(self: S) -> S:
        """One of its own numbers."""
        return self.view(self._v.copy())

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

    def _same(self, other: Any) -> bool:
        return type(other) is type(self)

    def __add__(self, other: Any) -> Any:
        return self.view(self._v + other._v) if self._same(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self.view(self._v - other._v) if self._same(other) else NotImplemented

    def __iadd__(self, other: Any) -> Any:
        if not self._same(other):
            return NotImplemented
        self._v += other._v
        return self

    def __isub__(self, other: Any) -> Any:
        if not self._same(other):
            return NotImplemented
        self._v -= other._v
        return self

    def __neg__(self) -> Any:
        return self.view(-self._v)

    def __mul__(self, factor: Any) -> Any:
        return self.view(self._v * float(factor)) if isinstance(factor, NUMBER) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Any:
        return self.view(self._v / float(divisor)) if isinstance(divisor, NUMBER) else NotImplemented

    def __repr__(self) -> str:
        return f"{type(self).__name__}(linear={self._v[:3]}, angular={self._v[3:]})"

    def __str__(self) -> str:
        return "  v = " + " ".join(f"{x:g}" for x in self._v[:3]) + "\n  w = " + " ".join(f"{x:g}" for x in self._v[3:]) + "\n"


class Force(Six):
    """A wrench: force and moment, about the origin of the frame in whose axes it is."""

    __slots__ = ()

    def dot(self, motion: Any) -> float:
        """The power with a Motion."""
        return float(self._v @ motion._v)

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

    def dot(self, force: Any) -> float:
        """The power with a Force."""
        return float(self._v @ force._v)

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

    def cross(self, other: Any) -> Any:
        """self x other, of a Motion or a Force."""
        if isinstance(other, Motion):
            return Motion.view(self.action @ other._v)
        if isinstance(other, Force):
            return Force.view(self.dualAction @ other._v)
        raise TypeError(f"Motion.cross: expected a Motion or a Force, got {type(other).__name__}")

    __xor__ = cross

    def se3Action(self, M: SE3) -> Motion:
        """The same twist in the axes and at the origin that M's are given in."""
        out: Motion = M.act(self)
        return out

    def se3ActionInverse(self, M: SE3) -> Motion:
        """The same twist in the axes and at the origin of M."""
        out: Motion = M.actInv(self)
        return out


class SE3:
    """A rigid displacement or pose [R p; 0 1]: it takes coordinates in its frame to those in which it is given."""

    __slots__ = ("_m",)
    _m: Array

    def __init__(self, *parts: Any, **named: Any) -> None:
        self._m = np.eye(4)
        if named:
            parts = positional("SE3", parts, named, "rotation", "translation")
        if len(parts) == 2:
            rotation = parts[0]
            if hasattr(rotation, "toRotationMatrix"):
                rotation = rotation.toRotationMatrix()
            self._m[:3, :3] = matrix(rotation, 3, 3, "rotation")
            self._m[:3, 3] = vector(parts[1], 3, "translation")
        elif len(parts) == 1:
            source = parts[0]
            if isinstance(source, SE3):
                self._m[:] = source._m
            elif not (np.isscalar(source) and source == 1):
                self._m[:] = matrix(source, 4, 4, "homogeneous")
        elif parts:
            raise TypeError("SE3 takes a 4 x 4 matrix, or a rotation and a translation")

    @classmethod
    def view(cls, m: Array) -> SE3:
        """An object on this 4 x 4 array, not on a copy."""
        out = cls.__new__(cls)
        out._m = m
        return out

    @classmethod
    def Identity(cls) -> SE3:
        """No displacement."""
        return cls()

    @classmethod
    def Random(cls) -> SE3:
        """A rotation of every direction alike, a translation between -1 and 1."""
        return cls(random_rotation(), _arrays.uniform(3))

    @staticmethod
    def Interpolate(A: SE3, B: SE3, alpha: float) -> SE3:
        """A exp(alpha log(A^-1 B)): along the screw from A to B."""
        return SE3.view(A._m @ zw.exp_se3(alpha * zw.log_se3(A.inverse()._m @ B._m)))

    @property
    def rotation(self) -> Array:
        """3 x 3: a view."""
        return self._m[:3, :3]

    @rotation.setter
    def rotation(self, value: Any) -> None:
        self._m[:3, :3] = matrix(value, 3, 3, "rotation")

    @property
    def translation(self) -> Array:
        """(3,): a view."""
        return self._m[:3, 3]

    @translation.setter
    def translation(self, value: Any) -> None:
        self._m[:3, 3] = vector(value, 3, "translation")

    @property
    def homogeneous(self) -> Array:
        """4 x 4, a copy."""
        return self._m.copy()

    @property
    def np(self) -> Array:
        """4 x 4, a copy."""
        return self._m.copy()

    @property
    def action(self) -> Array:
        """The 6 x 6 matrix that takes twists along: [R, p x R; 0, R]."""
        R = self._m[:3, :3]
        out = np.zeros((6, 6))
        out[:3, :3] = out[3:, 3:] = R
        out[:3, 3:] = skew(self._m[:3, 3]) @ R
        return out

    @property
    def actionInverse(self) -> Array:
        """action of the inverse."""
        return self.inverse().action

    @property
    def dualAction(self) -> Array:
        """The 6 x 6 matrix that takes wrenches along: [R, 0; p x R, R]."""
        R = self._m[:3, :3]
        out = np.zeros((6, 6))
        out[:3, :3] = out[3:, 3:] = R
        out[3:, :3] = skew(self._m[:3, 3]) @ R
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

    def inverse(self) -> SE3:
        """[R' -R'p; 0 1]."""
        out = np.eye(4)
        R = self._m[:3, :3].T
        out[:3, :3], out[:3, 3] = R, -R @ self._m[:3, 3]
        return SE3.view(out)

    def act(self, x: Any) -> Any:
        """x, given in this frame, in the one in which this frame is given: SE3, Motion, Force, Inertia, point or points (3, n)."""
        if isinstance(x, SE3):
            return SE3.view(self._m @ x._m)
        R, p = self._m[:3, :3], self._m[:3, 3]
        if isinstance(x, Motion):
            w = R @ x._v[3:]
            return Motion.view(np.concatenate([R @ x._v[:3] + np.cross(p, w), w]))
        if isinstance(x, Force):
            f = R @ x._v[:3]
            return Force.view(np.concatenate([f, R @ x._v[3:] + np.cross(p, f)]))
        if hasattr(x, "se3Action"):
            return x.se3Action(self)
        x = np.asarray(x, dtype=np.float64)
        if x.ndim not in (1, 2) or x.shape[0] != 3:
            raise ValueError(f"SE3.act: got shape {x.shape}, expected (3,) or (3, n)")
        return R @ x + (p if x.ndim == 1 else p[:, None])

    def actInv(self, x: Any) -> Any:
        """inverse().act(x)."""
        return self.inverse().act(x)

    def __mul__(self, x: Any) -> Any:
        return self.act(x)

    __matmul__ = __mul__

    def isApprox(self, other: SE3, prec: float = 1e-12) -> bool:
        """Whether rotation and translation are the same but for prec."""
        R, p, S, r = self.rotation, self.translation, other.rotation, other.translation
        return close(R, S, prec) and bool(np.linalg.norm(p - r) <= prec * max(min(float(np.linalg.norm(p)), float(np.linalg.norm(r))), 1.0))

    def isIdentity(self, prec: float = 1e-12) -> bool:
        """Whether it displaces by no more than prec."""
        return bool(np.abs(self._m - np.eye(4)).max() <= prec)

    def setIdentity(self) -> None:
        """Writes the identity."""
        self._m[:] = np.eye(4)

    def setRandom(self) -> None:
        """Writes a random one."""
        self._m[:] = SE3.Random()._m

    def copy(self) -> SE3:
        """One of its own numbers."""
        return SE3.view(self._m.copy())

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
