# SPDX-License-Identifier: BSD-3-Clause
"""Inertia: mass, lever (centre of mass) and rotational inertia about the centre of mass; its other parametrisations."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from . import _arrays
from ._arrays import Array, close, inverse, matrix, positional, vector
from .spatial import SE3, Force, Motion, random_rotation, skew


class Inertia:
    """Inertia of a rigid body about the origin of a frame, in its axes."""

    __slots__ = ("_n",)
    _n: Array  # mass, lever, rows of the 3 x 3 inertia about the centre of mass

    def __init__(self, *parts: Any, **named: Any) -> None:
        self._n = np.zeros(13)
        if named:
            parts = positional("Inertia", parts, named, "mass", "lever", "inertia")
        if len(parts) == 3:
            self._n[0], self._n[1:4] = float(parts[0]), vector(parts[1], 3, "lever")
            self._n[4:] = _symmetric(parts[2]).reshape(-1)
        elif len(parts) == 1 and isinstance(parts[0], Inertia):
            self._n[:] = parts[0]._n
        elif len(parts) == 1:
            M = matrix(parts[0], 6, 6, "matrix")
            if not M[0, 0] > 0:
                raise ValueError("Inertia: the mass in the 6 x 6 matrix is not positive")
            c = np.array([M[5, 1], M[3, 2], M[4, 0]]) / M[0, 0]
            self._n[0], self._n[1:4] = M[0, 0], c
            self._n[4:] = (M[3:, 3:] + M[0, 0] * skew(c) @ skew(c)).reshape(-1)
        elif parts:
            raise TypeError("Inertia takes mass, lever and a 3 x 3 inertia, or a 6 x 6 matrix")

    @classmethod
    def view(cls, numbers: Array) -> Inertia:
        """An object on these 13 numbers, not on a copy."""
        out = cls.__new__(cls)
        out._n = numbers
        return out

    @staticmethod
    def Zero() -> Inertia:
        """No body."""
        return Inertia()

    @staticmethod
    def Identity() -> Inertia:
        """Mass 1 at the origin, inertia of ones."""
        return Inertia(1.0, np.zeros(3), np.eye(3))

    @staticmethod
    def Random() -> Inertia:
        """One that a body can have."""
        R, m = random_rotation(), _arrays.generator.uniform(0.1, 1.0, 3)
        return Inertia(_arrays.generator.uniform(0.1, 2.0), _arrays.uniform(3), R @ np.diag(m.sum() - m) @ R.T)

    @staticmethod
    def FromSphere(mass: float, radius: float) -> Inertia:
        """A full sphere."""
        return Inertia.FromEllipsoid(mass, radius, radius, radius)

    @staticmethod
    def FromEllipsoid(mass: float, x: float, y: float, z: float) -> Inertia:
        """A full ellipsoid of semi-axes x, y, z."""
        s = mass * np.array([x, y, z]) ** 2 / 5
        return Inertia(mass, np.zeros(3), np.diag(s.sum() - s))

    @staticmethod
    def FromBox(mass: float, x: float, y: float, z: float) -> Inertia:
        """A full box of lengths x, y, z."""
        s = mass * np.array([x, y, z]) ** 2 / 12
        return Inertia(mass, np.zeros(3), np.diag(s.sum() - s))

    @staticmethod
    def FromCylinder(mass: float, radius: float, length: float) -> Inertia:
        """A full cylinder along z."""
        s = mass * np.array([radius**2 / 4, radius**2 / 4, length**2 / 12])
        return Inertia(mass, np.zeros(3), np.diag(s.sum() - s))

    @staticmethod
    def FromCapsule(mass: float, radius: float, height: float) -> Inertia:
        """A cylinder along z of that height with two half spheres."""
        r, h = radius, height
        cylinder, ball = np.pi * r**2 * h, 4 * np.pi * r**3 / 3
        density = mass / (cylinder + ball)
        across = density * (cylinder * r**2 / 4 + ball * r**2 / 5)
        along = density * (cylinder * h**2 / 12 + ball * (r**2 / 5 + h**2 / 4 + 3 * h * r / 8))
        return Inertia(mass, np.zeros(3), np.diag([across + along, across + along, 2 * across]))

    @staticmethod
    def FromDynamicParameters(parameters: Any) -> Inertia:
        """Of m, m c, then Ixx Ixy Iyy Ixz Iyz Izz about the origin."""
        p = vector(parameters, 10, "dynamic_params")
        if not p[0] > 0:
            raise ValueError(f"Inertia.FromDynamicParameters: the mass is {p[0]:g}, expected a positive one")
        about = np.array([[p[4], p[5], p[7]], [p[5], p[6], p[8]], [p[7], p[8], p[9]]])
        c = p[1:4] / p[0]
        return Inertia(p[0], c, about + p[0] * skew(c) @ skew(c))

    def toDynamicParameters(self) -> Array:
        """m, m c, then Ixx Ixy Iyy Ixz Iyz Izz about the origin, (10,)."""
        m, c = self._n[0], self._n[1:4]
        A = self.inertia - m * skew(c) @ skew(c)
        return np.array([m, *(m * c), A[0, 0], A[0, 1], A[1, 1], A[0, 2], A[1, 2], A[2, 2]])

    @staticmethod
    def FromPseudoInertia(pseudo: PseudoInertia) -> Inertia:
        """Of a pseudo-inertia."""
        return pseudo.toInertia()

    def toPseudoInertia(self) -> PseudoInertia:
        """mass, first moment, and second moment of the mass."""
        return PseudoInertia.FromDynamicParameters(self.toDynamicParameters())

    @staticmethod
    def FromLogCholeskyParameters(log_cholesky: LogCholeskyParameters) -> Inertia:
        """Of log-Cholesky parameters."""
        return log_cholesky.toInertia()

    @property
    def mass(self) -> float:
        """[kg]"""
        return float(self._n[0])

    @mass.setter
    def mass(self, value: float) -> None:
        self._n[0] = value

    @property
    def lever(self) -> Array:
        """Centre of mass in the frame: a view."""
        return self._n[1:4]

    @lever.setter
    def lever(self, value: Any) -> None:
        self._n[1:4] = vector(value, 3, "lever")

    @property
    def inertia(self) -> Array:
        """3 x 3, about the centre of mass: a view."""
        return self._n[4:].reshape(3, 3)

    @inertia.setter
    def inertia(self, value: Any) -> None:
        self._n[4:] = _symmetric(value).reshape(-1)

    def matrix(self) -> Array:
        """6 x 6 about the origin: [m, -m c x; m c x, I - m c x c x]."""
        m, C = self._n[0], skew(self._n[1:4])
        out = np.zeros((6, 6))
        out[0, 0] = out[1, 1] = out[2, 2] = m
        out[:3, 3:], out[3:, :3] = -m * C, m * C
        out[3:, 3:] = self.inertia - m * C @ C
        return out

    @property
    def np(self) -> Array:
        """matrix()."""
        return self.matrix()

    def inverse(self) -> Array:
        """The inverse of matrix()."""
        return inverse(self.matrix())

    def se3Action(self, M: SE3) -> Inertia:
        """The same body about the origin and in the axes in which M is given."""
        R = M.rotation
        return Inertia(self.mass, R @ self.lever + M.translation, R @ self.inertia @ R.T)

    def se3ActionInverse(self, M: SE3) -> Inertia:
        """The same body about the origin and in the axes of M."""
        return self.se3Action(M.inverse())

    def vtiv(self, v: Motion) -> float:
        """v' I v: twice the kinetic energy."""
        return float(v.vector @ self.matrix() @ v.vector)

    def vxi(self, v: Motion) -> Array:
        """The matrix v x* I."""
        return v.dualAction @ self.matrix()

    def ivx(self, v: Motion) -> Array:
        """The matrix I v x."""
        return self.matrix() @ v.action

    def vxiv(self, v: Motion) -> Force:
        """v x* (I v)."""
        out: Force = v.cross(self * v)
        return out

    def variation(self, v: Motion) -> Array:
        """v x* I - I v x: the rate of a body's inertia that moves by v."""
        return self.vxi(v) - self.ivx(v)

    def setZero(self) -> None:
        """Writes no body."""
        self._n[:] = 0

    def setIdentity(self) -> None:
        """Writes mass 1 at the origin, inertia of ones."""
        self._n[:] = Inertia.Identity()._n

    def setRandom(self) -> None:
        """Writes one that a body can have."""
        self._n[:] = Inertia.Random()._n

    def isApprox(self, other: Inertia, prec: float = 1e-12) -> bool:
        """Whether mass, lever and inertia are the same but for prec."""
        return close(self._n, other._n, prec) or bool(np.abs(self._n - other._n).max() <= prec * 1e-3)

    def isZero(self, prec: float = 1e-12) -> bool:
        """Whether no number is larger than prec."""
        return bool(np.abs(self._n).max() <= prec)

    def copy(self) -> Inertia:
        """One of its own numbers."""
        return Inertia.view(self._n.copy())

    def __copy__(self) -> Inertia:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Inertia:
        return self.copy()

    def __reduce__(self) -> Any:
        return Inertia, (self.mass, self.lever.copy(), self.inertia.copy())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inertia) and bool(np.all(self._n == other._n))

    __hash__ = None  # type: ignore[assignment]

    def __mul__(self, v: Any) -> Any:
        return Force.view(self.matrix() @ v.vector) if isinstance(v, Motion) else NotImplemented

    def _sum(self, other: Inertia, sign: float) -> Inertia:
        mass = self.mass + sign * other.mass
        if mass == 0:
            rest = self.inertia + sign * other.inertia
            return Inertia(0.0, np.zeros(3), rest)
        c = (self.mass * self.lever + sign * other.mass * other.lever) / mass
        about = [i.inertia - i.mass * skew(i.lever - c) @ skew(i.lever - c) for i in (self, other)]
        return Inertia(mass, c, about[0] + sign * about[1])

    def __add__(self, other: Any) -> Any:
        return self._sum(other, 1.0) if isinstance(other, Inertia) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, -1.0) if isinstance(other, Inertia) else NotImplemented

    def __iadd__(self, other: Any) -> Any:
        if not isinstance(other, Inertia):
            return NotImplemented
        self._n[:] = self._sum(other, 1.0)._n
        return self

    def __repr__(self) -> str:
        return f"Inertia(mass={self.mass:g}, lever={self.lever.tolist()}, inertia={self.inertia.tolist()})"

    def __str__(self) -> str:
        return f"  m = {self.mass:g}\n  c = {self.lever}\n  I =\n{self.inertia}\n"


def _symmetric(value: Any) -> Array:
    if hasattr(value, "matrix") and callable(value.matrix):
        value = value.matrix()
    out = matrix(value, 3, 3, "inertia")
    return (out + out.T) / 2


def write_inertia(row: Array, value: Any) -> None:
    """Writes an Inertia into 13 numbers."""
    row[:] = value._n if isinstance(value, Inertia) else Inertia(value)._n


class PseudoInertia:
    """mass, h = m c, and sigma = the integral of x x' over the mass: [sigma, h; h', m] is positive for every body."""

    def __init__(self, mass: Any, h: Any, sigma: Any) -> None:
        self.mass, self.h, self.sigma = float(mass), vector(h, 3, "h").copy(), _symmetric(sigma)

    @staticmethod
    def FromDynamicParameters(parameters: Any) -> PseudoInertia:
        """Of m, m c, then Ixx Ixy Iyy Ixz Iyz Izz about the origin."""
        return PseudoInertia.FromMatrix(zw.pseudo_inertia_from_parameters(vector(parameters, 10, "dynamic_params")))

    @staticmethod
    def FromMatrix(m: Any) -> PseudoInertia:
        """Of the 4 x 4 matrix."""
        m = matrix(m, 4, 4, "pseudo_inertia")
        return PseudoInertia(m[3, 3], m[:3, 3], m[:3, :3])

    @staticmethod
    def FromInertia(inertia: Inertia) -> PseudoInertia:
        """Of an Inertia."""
        return inertia.toPseudoInertia()

    def toMatrix(self) -> Array:
        """[sigma, h; h', m]."""
        out = np.empty((4, 4))
        out[:3, :3], out[:3, 3], out[3, :3], out[3, 3] = self.sigma, self.h, self.h, self.mass
        return out

    def toDynamicParameters(self) -> Array:
        """m, m c, then Ixx Ixy Iyy Ixz Iyz Izz about the origin, (10,)."""
        return zw.parameters_from_pseudo_inertia(self.toMatrix())

    def toInertia(self) -> Inertia:
        """The Inertia."""
        return Inertia.FromDynamicParameters(self.toDynamicParameters())


class LogCholeskyParameters:
    """(alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3): any ten numbers are an inertia that a body can have (Rucker and Wensing 2022)."""

    def __init__(self, parameters: Any) -> None:
        self.parameters = vector(parameters, 10, "log_cholesky").copy()

    def toPseudoInertia(self) -> PseudoInertia:
        """U U' of the triangular U that the parameters fill."""
        return PseudoInertia.FromDynamicParameters(self.toDynamicParameters())

    def toDynamicParameters(self) -> Array:
        """m, m c, then Ixx Ixy Iyy Ixz Iyz Izz about the origin, (10,)."""
        return zw.parameters_from_log_cholesky(self.parameters)

    def toInertia(self) -> Inertia:
        """The Inertia."""
        return self.toPseudoInertia().toInertia()

    def calculateJacobian(self) -> Array:
        """d toDynamicParameters / d parameters, 10 x 10."""
        return zw.log_cholesky_jacobian(self.parameters)
