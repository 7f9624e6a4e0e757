# SPDX-License-Identifier: BSD-3-Clause
"""Other libraries as verify() asks them: a robot from a URDF text, vectors in zwang's order, axes and units.

A class derived from Peer stands in `against` of verify() beside the names.
"""
from __future__ import annotations

import abc
import importlib
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._zwang import Joint, Model

__all__ = ["Mass", "NotComparable", "NotInstalled", "Peer", "Refused"]
Array: TypeAlias = NDArray[np.float64]
ROOT_JOINT = "root_joint"


class NotInstalled(Exception):
    """The library is not there; the message is Python's own, with what installs it."""


class Refused(Exception):
    """The library does not take the robot; the message is its own."""


class NotComparable(Exception):
    """The library has no such quantity, or says why it does not compute it."""


class Mass(NamedTuple):
    """Of a link: mass [kg], centre of mass in link axes [m], inertia about it in link axes [kg m^2]."""
    mass: float
    centre: Array
    inertia: Array


class Peer(abc.ABC):
    """A robot in another library. The constructor reads it: raises NotInstalled or Refused.

    text: the robot's file, a URDF unless `reads` says otherwise; path: where it lies, for files that it names; empty:
    nowhere. root: how the root link hangs on the world: fixed, floating or planar. gravity: the true vector [m/s^2].
    keep_mimic: mimicking joints shall have no coordinate of their own; a peer that cannot do so sets follows_mimic to False.
    Then verify() calls attach() with zwang's model of the same coordinates. Quantities that are not overridden are not comparable.
    Joint effects (damping, friction, armature) are left out of M, torques and accelerations: they are compared as numbers.
    """

    name = ""
    version = ""
    reads: tuple[str, ...] = ("robot",)  #: root elements of the files that it is given: URDF
    follows_mimic = False
    merges = False  #: masses() are of bodies, with all that fixed joints add to them
    inertia_rounding = 0.0  #: of masses() [kg m^2], where the library rounds inertias itself
    scales_gravity = False  #: torques and accelerations know links' own scales of gravity (MJCF gravcomp)
    counts_ground = True  #: mass, centre of mass and energy are also of links that cannot move

    def __init__(self, text: str, root: str, gravity: Array, keep_mimic: bool, path: str = "") -> None:
        self.text, self.root, self.gravity, self.keep_mimic, self.path = text, root, gravity, keep_mimic, path
        self.notes: list[str] = []
        self.read()

    @abc.abstractmethod
    def read(self) -> None:
        """Takes the robot in."""

    @abc.abstractmethod
    def joints(self) -> dict[str, int]:
        """Joints with coordinates of their own, in the peer's order: name and number of velocities."""

    def attach(self, model: Model) -> None:
        """zwang's model, with joints of the same names and sizes."""
        self.model = model
        names = list(self.joints())
        self.order = [model.joint(name) for name in names]
        layout = model.layout(names)
        self.at_q, self.at_v = layout.q, layout.v

    def independent(self) -> list[list[int]]:
        """Sets of coordinates that may move together in one call: usually all."""
        return [list(range(self.model.nv))]

    # Of the model. A number for each coordinate is an array by joint; None: the library has no such number.
    def limits(self) -> dict[str, dict[str, Array] | None]:
        """lower, upper (of q, not of quaternions), velocity, effort: inf where there is none."""
        return {"lower": None, "upper": None, "velocity": None, "effort": None}

    def effects(self) -> dict[str, dict[str, Array] | None]:
        """damping, friction, armature."""
        return {"damping": None, "friction": None, "armature": None}

    def mimics(self) -> dict[str, tuple[str, float, float]] | None:
        """Joint: leader, multiplier, offset. None: the library does not read them."""
        return None

    def links(self) -> list[str]:
        """Names of all links whose poses it knows."""
        raise NotComparable("it has no poses of links")

    def masses(self) -> dict[str, Mass]:
        """Of each link, or of bodies where `merges`."""
        raise NotComparable("it does not say what links weigh")

    def total_mass(self) -> float:
        """[kg]"""
        raise NotComparable("it computes no total mass")

    # Of a state. Vectors, rows and columns are zwang's.
    def poses(self, q: Array, links: list[str]) -> Array:
        """(links, 4, 4) in the world."""
        raise NotComparable("it computes no poses")

    def jacobians(self, q: Array, links: list[str]) -> Array:
        """(links, 6, nv), [linear; angular], world axes, at the link's origin."""
        raise NotComparable("it computes no Jacobian")

    def centre_of_mass(self, q: Array) -> Array:
        """(3,) in the world [m]."""
        raise NotComparable("it computes no centre of mass")

    def mass_matrix(self, q: Array) -> Array:
        """(nv, nv), without rotor inertias."""
        raise NotComparable("it computes no mass matrix")

    def gravity_torque(self, q: Array) -> Array:
        """(nv,), what holds the robot at rest."""
        raise NotComparable("it computes no gravity torque")

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """(nv,), the torques."""
        raise NotComparable("it computes no inverse dynamics")

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """(nv,), the accelerations."""
        raise NotComparable("it computes no forward dynamics")

    def kinetic_energy(self, q: Array, v: Array) -> float:
        """[J]"""
        raise NotComparable("it computes no energies")

    def potential_energy(self, q: Array) -> float:
        """[J], 0 at the origin of the world."""
        raise NotComparable("it computes no energies")

    # For adapters.
    @staticmethod
    def imported(module: str, install: str) -> Any:
        """The library's module. NotInstalled, with `install` (what the user types), where it is not there."""
        try:
            return importlib.import_module(module)
        except ImportError as error:
            raise NotInstalled(f"{message_of(error)}; to install it: {install}") from error

    def in_order(self, x: Array) -> Array:
        """zwang's entries of v, a or tau from the peer's."""
        out = np.zeros(self.model.nv)
        out[self.at_v] = x
        return out

    def matrix_in_order(self, x: Array) -> Array:
        """The same of both indices of a matrix."""
        out = np.zeros((self.model.nv, self.model.nv))
        out[np.ix_(self.at_v, self.at_v)] = x
        return out


def unlimited(x: Any) -> Array:
    """Numbers as large as the largest double stand for no limit in some libraries."""
    values = np.atleast_1d(np.array(x, dtype=float))
    values[np.abs(values) > 1e300] = np.copysign(np.inf, values[np.abs(values) > 1e300])
    return values


def message_of(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def spans(joint: Joint) -> int:
    return int(joint.v.stop - joint.v.start)
