# SPDX-License-Identifier: BSD-3-Clause
"""Quaternion (x y z w) and AngleAxis."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from ._arrays import Array, close, matrix, vector
from ._compiled import SE3ToXYZQUAT as SE3ToXYZQUAT, XYZQUATToSE3 as XYZQUATToSE3, coefficients_of, rotation_of
from .spatial import SE3


class Quaternion:
    """x y z w of a rotation; Quaternion(w, x, y, z), Quaternion(coefficients x y z w), Quaternion(matrix), Quaternion(from, to)."""

    __slots__ = ("_c",)
    _c: Array

    def __init__(self, *parts: Any) -> None:
        if len(parts) == 4:
            w, x, y, z = map(float, parts)
            self._c = np.array([x, y, z, w])
        elif len(parts) == 2:
            self._c = Quaternion.FromTwoVectors(*parts)._c
        elif len(parts) == 1:
            source = parts[0]
            if isinstance(source, Quaternion):
                self._c = source._c.copy()
            elif isinstance(source, AngleAxis):
                self._c = coefficients_of(source.matrix())
            elif np.size(source) == 9:
                self._c = coefficients_of(matrix(source, 3, 3, "R"))
            else:
                self._c = vector(source, 4, "coefficients").copy()
        elif not parts:
            self._c = np.array([0.0, 0.0, 0.0, 1.0])
        else:
            raise TypeError("Quaternion takes w, x, y, z, a vector x y z w, a 3 x 3 matrix, or two vectors")

    @staticmethod
    def Identity() -> Quaternion:
        """No rotation."""
        return Quaternion()

    @staticmethod
    def FromTwoVectors(u: Any, v: Any) -> Quaternion:
        """The smallest rotation that takes the direction of u to that of v."""
        a, b = vector(u, 3, "u"), vector(v, 3, "v")
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        axis, w = np.cross(a, b), 1 + float(a @ b)
        if w < 1e-12:  # opposite: half a turn about any axis across
            axis = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
            w = 0.0
        return Quaternion(np.append(axis, w)).normalized()

    @property
    def x(self) -> float:
        """First coefficient."""
        return float(self._c[0])

    @x.setter
    def x(self, value: float) -> None:
        self._c[0] = value

    @property
    def y(self) -> float:
        """Second coefficient."""
        return float(self._c[1])

    @y.setter
    def y(self, value: float) -> None:
        self._c[1] = value

    @property
    def z(self) -> float:
        """Third coefficient."""
        return float(self._c[2])

    @z.setter
    def z(self, value: float) -> None:
        self._c[2] = value

    @property
    def w(self) -> float:
        """The scalar part."""
        return float(self._c[3])

    @w.setter
    def w(self, value: float) -> None:
        self._c[3] = value

    def coeffs(self) -> Array:
        """x y z w."""
        return self._c.copy()

    def vec(self) -> Array:
        """x y z."""
        return self._c[:3].copy()

    def norm(self) -> float:
        """Length of the four coefficients."""
        return float(np.linalg.norm(self._c))

    def squaredNorm(self) -> float:
        """Its square."""
        return float(self._c @ self._c)

    def normalize(self) -> Quaternion:
        """Brings this one to unit length."""
        self._c /= np.linalg.norm(self._c)
        return self

    def normalized(self) -> Quaternion:
        """One of unit length."""
        return Quaternion(self._c / np.linalg.norm(self._c))

    def conjugate(self) -> Quaternion:
        """The opposite rotation, of unit quaternions."""
        return Quaternion(self._c * [-1, -1, -1, 1])

    def inverse(self) -> Quaternion:
        """Conjugate over squared norm."""
        return Quaternion(self._c * [-1, -1, -1, 1] / self.squaredNorm())

    def dot(self, other: Quaternion) -> float:
        """Sum of products of coefficients."""
        return float(self._c @ other._c)

    def angularDistance(self, other: Quaternion) -> float:
        """Angle of the rotation between them [rad]."""
        d = (self * other.conjugate())._c
        return float(2 * np.arctan2(np.linalg.norm(d[:3]), abs(d[3])))

    def slerp(self, t: float, other: Quaternion) -> Quaternion:
        """self at t = 0, other at t = 1, the shorter way."""
        A, B = self.matrix(), other.matrix()
        return Quaternion(A @ zw.exp_so3(t * zw.log_so3(A.T @ B)))

    def matrix(self) -> Array:
        """3 x 3; of a quaternion that is not of unit length it is no rotation, as there."""
        return rotation_of(self._c)

    toRotationMatrix = matrix

    def setIdentity(self) -> Quaternion:
        """Writes no rotation."""
        self._c[:] = [0, 0, 0, 1]
        return self

    def isApprox(self, other: Quaternion, prec: float = 1e-12) -> bool:
        """Whether the coefficients are the same but for prec."""
        return close(self._c, other._c, prec)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Quaternion):
            a, b = self._c, other._c
            return Quaternion(np.append(a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3]), a[3] * b[3] - a[:3] @ b[:3]))
        return self.matrix() @ np.asarray(other, dtype=np.float64)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quaternion) and bool(np.all(self._c == other._c))

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, place: int) -> float:
        return float(self._c[place])

    def __setitem__(self, place: int, value: float) -> None:
        self._c[place] = value

    def __len__(self) -> int:
        return 4

    def __reduce__(self) -> Any:
        return Quaternion, (self._c.copy(),)

    def __repr__(self) -> str:
        return "(x,y,z,w) = " + " ".join(f"{x:g}" for x in self._c)


class AngleAxis:
    """A rotation by an angle about a unit axis: AngleAxis(angle, axis), AngleAxis(matrix), AngleAxis(quaternion)."""

    def __init__(self, *parts: Any) -> None:
        if len(parts) == 2:
            self.angle, self.axis = float(parts[0]), vector(parts[1], 3, "axis").copy()
            return
        source = parts[0] if parts else np.eye(3)
        if isinstance(source, AngleAxis):
            self.angle, self.axis = source.angle, source.axis.copy()
            return
        phi = zw.log_so3(source.normalized().matrix() if isinstance(source, Quaternion) else matrix(source, 3, 3, "R"))
        self.angle = float(np.linalg.norm(phi))
        self.axis = phi / self.angle if self.angle > 0 else np.array([1.0, 0.0, 0.0])

    def matrix(self) -> Array:
        """3 x 3."""
        return zw.exp_so3(self.angle * self.axis)

    toRotationMatrix = matrix

    def inverse(self) -> AngleAxis:
        """The opposite rotation."""
        return AngleAxis(-self.angle, self.axis)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (AngleAxis, Quaternion)):
            return Quaternion(self.matrix() @ other.matrix())
        return self.matrix() @ np.asarray(other, dtype=np.float64)

    def __repr__(self) -> str:
        return f"angle: {self.angle:g}, axis: {self.axis}"


def SE3ToXYZQUATtuple(M: SE3) -> tuple[float, ...]:
    """The same seven numbers as a tuple."""
    return tuple(SE3ToXYZQUAT(M).tolist())
