# SPDX-License-Identifier: BSD-3-Clause
"""Data: what was computed last. Members that follow from a state are computed when they are read, and then kept.

Each group of members belongs to the state of the last function that Pinocchio documents to fill it. Members are the caller's: another call
makes new ones and leaves those that were read as they are.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar
from collections.abc import Callable, Iterator

import numpy as np

import zwang as zw

from . import _compiled
from ._arrays import Array
from ._compiled import State
from .inertia import Inertia
from .spatial import SE3, Force, Motion

if TYPE_CHECKING:
    from .model import Model

T = TypeVar("T")


class Lazy(Generic[T]):
    """A list whose entries are computed when they are read."""

    def __init__(self, size: int, make: Callable[[int], T]) -> None:
        self._size, self._make = size, make
        self._have: dict[int, T] = {}

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(self._size))]
        if place in self._have:
            return self._have[place]
        k = place.__index__()
        if not -self._size <= k < self._size:
            raise IndexError(f"index {k} is out of range: there are {self._size}")
        k %= self._size
        if k not in self._have:
            self._have[k] = self._make(k)
        return self._have[k]

    def __iter__(self) -> Iterator[T]:
        return (self[k] for k in range(self._size))

    def tolist(self) -> list[T]:
        """A Python list of the entries."""
        return list(self)

    def __repr__(self) -> str:
        return "[" + ", ".join(map(repr, self)) + "]"


def _motions(s: State, one: Callable[[int], Array], ground: Array | None = None) -> Lazy[Motion]:
    first = np.zeros(6) if ground is None else ground
    return Lazy(s.core.njoints, lambda k: Motion.view(one(s.core.joint_ids[k]) if k else first.copy()))


def _minus_gravity(s: State) -> Array:
    return np.concatenate([-s.core.model.gravity, np.zeros(3)])


def _li(s: State) -> Lazy[SE3]:
    c = s.core
    return Lazy(c.njoints, lambda k: SE3.view(zw.relative_pose(c.model, s.q, c.joint_ids[k], c.joint_ids[c.parents[k]])) if k else SE3())


def _velocity(reference: str) -> Callable[[State], Any]:
    return lambda s: _motions(s, lambda f: zw.frame_velocity(s.core.model, s.q, s.need_v("data.v"), f, reference))


def _acceleration(reference: str, with_gravity: bool) -> Callable[[State], Any]:
    return lambda s: _motions(s, lambda f: zw.frame_acceleration(s.core.model, s.q, s.need_v("data.a"), s.need_a("data.a"), f, "spatial", reference,
                                                                 with_gravity=with_gravity), _minus_gravity(s) if with_gravity else None)


def column_dots(s: State) -> Array:
    """Their rates, (6, nv). About the world's origin a column has one rate, of whichever frame it moves: those at the ends of branches do."""
    c, v, out = s.core, s.need_v("data.dJ"), np.zeros((6, s.core.nv))
    for frame, moved in c.ends():
        out[:, moved] = zw.jacobian_dot(c.model, s.q, v, frame, "world")[:, moved]
    return c.columns(out)


def _in_world(s: State, k: int, f: Array) -> Force:
    out: Force = s.pose(s.core.joint_ids[k]).act(Force(f))
    return out


def _wrenches(s: State) -> list[Force]:
    c = s.core
    found = zw.joint_wrenches(c.model, s.q, s.need_v("data.f"), s.need_a("data.f"), external=s.external, in_="local")
    own = [Force.Zero()] + [Force(found[name]) for name in c.names[1:]]
    for k in range(1, c.njoints):
        if c.parents[k] == 0:
            own[0] += _in_world(s, k, own[k].vector)
    return own


def _wrenches_in_world(s: State) -> list[Force]:
    own = _wrenches(s)
    return own[:1] + [_in_world(s, k, own[k].vector) for k in range(1, s.core.njoints)]


def _momentum(s: State, k: int) -> Force:
    return Force.view(zw.body_momentum(s.core.model, s.q, s.need_v("data.h"), s.core.joint_ids[k])) if k else Force.Zero()


def to_inertia(M: Array) -> Inertia:
    """An Inertia of a 6 x 6 matrix, which may be 0."""
    return Inertia(M) if M[0, 0] > 0 else Inertia(0.0, np.zeros(3), M[3:, 3:])


def _composite(s: State, k: int) -> Inertia:
    if k:
        return to_inertia(zw.composite_inertia(s.core.model, s.q, s.core.joint_ids[k]))
    out = Inertia.Zero()
    for j in range(1, s.core.njoints):
        if s.core.parents[j] == 0:
            out += _composite_in_world(s, j)
    return out


def _composite_in_world(s: State, k: int) -> Inertia:
    own = _composite(s, k)
    return own.se3Action(s.pose(s.core.joint_ids[k])) if k else own


def _subtree(level: int) -> Callable[[State], Any]:
    def one(s: State, k: int, in_world: bool) -> Array:
        m, f = s.core.model, s.core.joint_ids[k]
        if level == 0:
            x = zw.centre_of_mass(m, s.q) if k == 0 else zw.subtree_centre_of_mass(m, s.q, f)
        elif level == 1:
            v = s.need_v("data.vcom")
            x = zw.centre_of_mass_velocity(m, s.q, v) if k == 0 else zw.subtree_centre_of_mass_velocity(m, s.q, v, f)
        else:
            v, a = s.need_v("data.acom"), s.need_a("data.acom")
            x = zw.centre_of_mass_acceleration(m, s.q, v, a) if k == 0 else zw.subtree_centre_of_mass_acceleration(m, s.q, v, a, f)
        if k == 0 or in_world:
            return x
        pose = zw.frame_pose(m, s.q, f)
        return np.asarray(pose[:3, :3].T @ (x - pose[:3, 3] if level == 0 else x))

    def entries(s: State) -> Lazy[Array]:
        in_world = s.com_in_world
        return Lazy(s.core.njoints, lambda k: one(s, k, in_world))
    return entries


def _masses(s: State) -> list[float]:
    c = s.core
    own = [float(zw.subtree_mass(c.model, f)) for f in c.joint_ids[1:]]
    return [sum(m for k, m in enumerate(own, 1) if c.parents[k] == 0), *own]


# member: (group of members that one state fills, what it is in that state)
OF_STATE: dict[str, tuple[str, Callable[[State], Any]]] = {
    "liMi": ("poses", _li),
    "J": ("poses", _compiled.columns),
    "dJ": ("poses", column_dots),
    "v": ("motion", _velocity("local")),
    "ov": ("motion", _velocity("world")),
    "a": ("motion", _acceleration("local", False)),
    "oa": ("motion", _acceleration("world", False)),
    "a_gf": ("motion", _acceleration("local", True)),
    "oa_gf": ("motion", _acceleration("world", True)),
    "f": ("forces", _wrenches),
    "of": ("forces", _wrenches_in_world),
    "h": ("motion", lambda s: Lazy(s.core.njoints, lambda k: _momentum(s, k))),
    "oh": ("motion", lambda s: Lazy(s.core.njoints, lambda k: _in_world(s, k, _momentum(s, k).vector) if k else Force.Zero())),
    "Ycrb": ("poses", lambda s: Lazy(s.core.njoints, lambda k: _composite(s, k))),
    "oYcrb": ("poses", lambda s: Lazy(s.core.njoints, lambda k: _composite_in_world(s, k))),
    "com": ("centre", _subtree(0)),
    "vcom": ("centre", _subtree(1)),
    "acom": ("centre", _subtree(2)),
    "_mass of state": ("centre", _masses),
}

ABSENT = {
    "Yaba": "zwang.articulated_inertia(model.core().model, q, frame) has a body's articulated inertia",
    "oYaba": "zwang.articulated_inertia(model.core().model, q, frame) has a body's articulated inertia",
    "U": "zwang.cholesky(model.core().model, q) has the factors of the mass matrix; pin.cholesky.solve solves with them",
    "D": "zwang.cholesky(model.core().model, q) has the factors of the mass matrix; pin.cholesky.solve solves with them",
    "joints": "the face keeps no JointData; getJointJacobian and forwardKinematics have what moves",
    "contact_chol": "zwang.Solver.contact_cholesky(q) has the factorisation of the constrained system",
    "osim": "zwang.Delassus has the inverse of the operational-space inertia",
}


class Data(_compiled.Data):
    """Results for one model. Not to be shared by threads while functions write to it."""

    nframes: int
    liMi: Lazy[SE3]
    v: Lazy[Motion]
    ov: Lazy[Motion]
    a: Lazy[Motion]
    oa: Lazy[Motion]
    a_gf: Lazy[Motion]
    oa_gf: Lazy[Motion]
    f: list[Force]
    of: list[Force]
    h: Lazy[Force]
    oh: Lazy[Force]
    Ycrb: Lazy[Inertia]
    oYcrb: Lazy[Inertia]
    com: Lazy[Array]
    vcom: Lazy[Array]
    acom: Lazy[Array]
    hg: Force
    dhg: Force
    Ig: Inertia
    kinetic_energy: float
    potential_energy: float
    mechanical_energy: float
    J: Array
    dJ: Array
    Jcom: Array
    Ag: Array
    dAg: Array
    dHdq: Array
    M: Array
    Minv: Array
    C: Array
    g: Array
    nle: Array
    tau: Array
    ddq: Array
    lambda_c: Array
    dq_after: Array
    impulse_c: Array
    dtau_dq: Array
    dtau_dv: Array
    ddq_dq: Array
    ddq_dv: Array
    ddq_dtau: Array
    dlambda_dq: Array
    dlambda_dv: Array
    dlambda_dtau: Array
    jointTorqueRegressor: Array
    staticRegressor: Array
    kineticEnergyRegressor: Array
    potentialEnergyRegressor: Array
    _struck: Any

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.nframes = model.nframes
        self._kept: dict[str, tuple[tuple[int, bool], Any]] = {}  # members that follow from a state: which one, the member
        self._later: dict[str, tuple[State, Callable[[State], Any]]] = {}

    @property
    def mass(self) -> Any:
        """Of each joint with all that it carries; [0] is the sum."""
        given = self._mass
        return self.__getattr__("_mass of state") if given is None else given

    @mass.setter
    def mass(self, value: Any) -> None:
        self._mass = value

    def later(self, state: State, makers: dict[str, Callable[[State], Any]]) -> None:
        """Members of a state that are computed when they are read."""
        for name, make in makers.items():
            self.__dict__.pop(name, None)
            self._later[name] = state, make

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._later:
            state, make = self._later.pop(name)
            value = self.__dict__[name] = make(state)
            return value
        if name in OF_STATE:
            group, make = OF_STATE[name]
            of = self._state(group)
            if of is None:
                raise AttributeError(f"data.{name}: no function has computed it yet")
            stamp = of.stamp, of.com_in_world
            kept = self._kept.get(name)
            if kept is not None and kept[0] == stamp:
                return kept[1]
            value = make(of)
            self._kept[name] = stamp, value
            return value
        if name in ABSENT:
            raise AttributeError(f"zwang.pinocchio has no data.{name}: {ABSENT[name]}")
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"data.{name}: no function has computed it yet, or zwang.pinocchio does not serve it; docs/migrate/pinocchio.md "
                             "names what zwang has in its place")

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *OF_STATE, *type(self).__dict__})

    def moved(self, model: Model, who: str, q: Any, v: Any, *a: Any) -> State:
        """move() to a state whose velocity (and acceleration) the caller gives. Raises TypeError for None."""
        for name, x in zip("va", (v, *a)):
            if x is None:
                raise TypeError(f"{who}: {name} is None, expected {model.nv} numbers")
        return self.move(model, q, v, *a)

    def copy(self) -> Data:
        """One with the same members, none of them shared."""
        out = Data.__new__(Data)
        _compiled.Data.__init__(out, self)
        out.__dict__.update({k: v.copy() if hasattr(v, "copy") else v for k, v in self.__dict__.items()})
        out._kept = {}
        if hasattr(self._mass, "copy"):
            out._mass = self._mass.copy()
        for name, (stamp, value) in self._kept.items():
            group = OF_STATE[name][0]
            old, own = self._state(group), out._state(group)
            if isinstance(value, np.ndarray) and old is not None and own is not None and old.stamp == stamp[0]:
                out._kept[name] = (own.stamp, stamp[1]), value.copy()
        return out

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Data:
        return self.copy()

    def __reduce__(self) -> Any:
        raise TypeError("a Data is not pickled: pickle the Model, and the states that functions are called with; model.createData() makes a Data")
