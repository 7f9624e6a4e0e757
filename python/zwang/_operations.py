# SPDX-License-Identifier: BSD-3-Clause
"""What zwang.torch, zwang.jax and zwang.casadi share: functions with their gradients, on NumPy arrays of N states.

Gradients by a configuration are by its nq numbers (see _tangent).
"""
import atexit
import copy
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _zwang as zw
from ._tangent import Tangent

Array = NDArray[np.float64]
_tangents: dict[int, tuple[zw.Model, Tangent]] = {}  # the model is kept, so that its id stays its own


def tangent_of(model: zw.Model) -> Tangent:
    if id(model) not in _tangents:
        while len(_tangents) >= 64:
            _tangents.pop(next(iter(_tangents)))
        _tangents[id(model)] = (model, Tangent(model))
    return _tangents[id(model)][1]


class Operation:
    """A function of arrays: arguments (N, size) each, result (N, *shape). Attributes: names, sizes, shape, name."""

    name = ""

    def __init__(self, model: zw.Model, names: Sequence[str], sizes: Sequence[int], shape: tuple[int, ...]) -> None:
        self.model, self.tangent = model, tangent_of(model)
        self.names, self.sizes, self.shape = tuple(names), tuple(sizes), shape

    def value(self, *x: Array) -> Array:
        raise NotImplementedError

    def jacobians(self, *x: Array) -> tuple[Array, ...]:
        """Of the flat result by each argument, (N, prod(shape), size)."""
        raise NotImplementedError

    def vjp(self, *xw: Array) -> tuple[Array, ...]:
        """The last argument is the gradient by the result, (N, *shape)."""
        *x, w = xw
        flat = w.reshape(len(w), -1)
        return tuple(np.einsum("nr,nrk->nk", flat, J) for J in self.jacobians(*x))


class Dynamics(Operation):
    """inverse_dynamics and forward_dynamics, and their gradients by wrenches, too."""

    def __init__(self, name: str, model: zw.Model, frames: Sequence[str], in_: str, words: dict[str, Any]) -> None:
        self.name, self.frames, self.in_, self.words = name, tuple(frames), in_, words
        third = "a" if name == "inverse_dynamics" else "tau"
        sizes = [model.nq, model.nv, model.nv, *[6] * len(frames)]
        super().__init__(model, ["q", "v", third, *frames], sizes, (model.nv,))

    def _call(self, function: Callable[..., Any], x: Sequence[Array], *more: Array) -> Any:
        external = dict(zip(self.frames, x[3:])) or None
        q = self.tangent.unit(x[0])
        return function(self.model, q, x[1], x[2], *more, external=external, in_=self.in_, **self.words)

    def value(self, *x: Array) -> Array:
        result: Array = self._call(getattr(zw, self.name), x)
        return result

    def vjp(self, *xw: Array) -> tuple[Array, ...]:
        *x, w = xw
        g = self._call(getattr(zw, self.name + "_vjp"), x, w)
        inverse = self.name == "inverse_dynamics"
        by_force = -w if inverse else g.tau  # by generalised forces from outside
        unit = self.tangent.unit(x[0])
        wrenches = (zw.frame_velocity(self.model, unit, by_force, f, self.in_) for f in self.frames)
        return (self.tangent.raised(x[0], g.q), g.v, g.a if inverse else g.tau, *wrenches)

    def jacobians(self, *x: Array) -> tuple[Array, ...]:
        d = self._call(getattr(zw, self.name + "_derivatives"), x)
        inverse, unit = self.name == "inverse_dynamics", self.tangent.unit(x[0])
        wrenches = []
        for f in self.frames:
            transposed = np.swapaxes(zw.jacobian(self.model, unit, f, self.in_), -1, -2)
            wrenches.append(-transposed if inverse else d.tau @ transposed)
        return (self.tangent.raised(x[0][:, None], d.q), d.v, d.a if inverse else d.tau, *wrenches)


class Pose(Operation):
    """frame_pose as 16 numbers, (4, 4)."""

    name = "frame_pose"

    def __init__(self, model: zw.Model, frame: str) -> None:
        super().__init__(model, ["q"], [model.nq], (4, 4))
        self.frame = frame

    def value(self, *x: Array) -> Array:
        return zw.frame_pose(self.model, self.tangent.unit(x[0]), self.frame)

    def jacobians(self, *x: Array) -> tuple[Array, ...]:
        q = self.tangent.unit(x[0])
        T, J = zw.frame_pose(self.model, q, self.frame), zw.jacobian(self.model, q, self.frame)
        out = np.zeros((len(q), 4, 4, self.model.nv))
        out[:, :3, 3] = J[:, :3]
        columns = np.swapaxes(J[:, 3:], -1, -2)[:, :, None]  # turns about world axes: d R = w x R
        out[:, :3, :3] = np.transpose(np.cross(columns, np.swapaxes(T[:, :3, :3], -1, -2)[:, None]), (0, 3, 2, 1))
        return (self.tangent.raised(x[0][:, None], out.reshape(len(q), 16, -1)),)


class Kinematics(Operation):
    """Functions of q, v, a whose derivatives the library gives as matrices."""

    def __init__(self, name: str, model: zw.Model, count: int, rows: int, value: Callable[..., Any],
                 derivatives: Callable[..., Sequence[Array]]) -> None:
        super().__init__(model, ["q", "v", "a"][:count], [model.nq, model.nv, model.nv][:count], (rows,))
        self.name, self._value, self._derivatives = name, value, derivatives

    def value(self, *x: Array) -> Array:
        result: Array = self._value(self.tangent.unit(x[0]), *x[1:])
        return result

    def jacobians(self, *x: Array) -> tuple[Array, ...]:
        d = self._derivatives(self.tangent.unit(x[0]), *x[1:])
        return (self.tangent.raised(x[0][:, None], d[0]), *d[1:])


def frame_velocity(model: zw.Model, frame: str, reference: str) -> Operation:
    def derivatives(q: Array, v: Array) -> Sequence[Array]:
        d = zw.frame_velocity_derivatives(model, q, v, frame, reference)
        return d.q, d.v

    return Kinematics("frame_velocity", model, 2, 6, lambda q, v: zw.frame_velocity(model, q, v, frame, reference),
                      derivatives)


def frame_acceleration(model: zw.Model, frame: str, kind: str, reference: str) -> Operation:
    def derivatives(q: Array, v: Array, a: Array) -> Sequence[Array]:
        d = zw.frame_acceleration_derivatives(model, q, v, a, frame, kind, reference)
        return d.q, d.v, d.a

    return Kinematics("frame_acceleration", model, 3, 6,
                      lambda q, v, a: zw.frame_acceleration(model, q, v, a, frame, kind, reference), derivatives)


def frame_position(model: zw.Model, frame: str) -> Operation:
    return Kinematics("frame_position", model, 1, 3, lambda q: zw.frame_pose(model, q, frame)[:, :3, 3].copy(),
                      lambda q: (zw.jacobian(model, q, frame)[:, :3],))


def centre_of_mass(model: zw.Model) -> Operation:
    return Kinematics("centre_of_mass", model, 1, 3, lambda q: zw.centre_of_mass(model, q),
                      lambda q: (zw.centre_of_mass_jacobian(model, q),))


class Integrate(Operation):
    name = "integrate"

    def __init__(self, model: zw.Model) -> None:
        super().__init__(model, ["q", "dq"], [model.nq, model.nv], (model.nq,))

    def value(self, *x: Array) -> Array:
        return zw.integrate(self.model, self.tangent.unit(x[0]), x[1])

    def jacobians(self, *x: Array) -> tuple[Array, ...]:
        each = np.broadcast_to(np.eye(self.model.nq), (len(x[0]), self.model.nq, self.model.nq))
        by_q, by_dq = self._tangents(x, each)
        return self.tangent.raised(x[0][:, None], by_q), by_dq

    def _tangents(self, x: Sequence[Array], w: Array) -> tuple[Array, Array]:
        q = self.tangent.unit(x[0])
        end = zw.integrate(self.model, q, x[1])
        by_q, by_dq = zw.integrate_jacobians(self.model, q, x[1])
        g = self.tangent.lowered(end[:, None], w)
        return g @ by_q, g @ by_dq

    def vjp(self, *xw: Array) -> tuple[Array, ...]:
        by_q, by_dq = self._tangents(xw[:2], xw[2][:, None])
        return self.tangent.raised(xw[0], by_q[:, 0]), by_dq[:, 0]


class Difference(Operation):
    name = "difference"

    def __init__(self, model: zw.Model) -> None:
        super().__init__(model, ["q0", "q1"], [model.nq, model.nq], (model.nv,))

    def value(self, *x: Array) -> Array:
        return zw.difference(self.model, self.tangent.unit(x[0]), self.tangent.unit(x[1]))

    def jacobians(self, *x: Array) -> tuple[Array, ...]:
        by = zw.difference_jacobians(self.model, self.tangent.unit(x[0]), self.tangent.unit(x[1]))
        return self.tangent.raised(x[0][:, None], by[0]), self.tangent.raised(x[1][:, None], by[1])


# by the id of a solver, which stays its own as long as an operation holds both
_locks: "weakref.WeakValueDictionary[int, threading.RLock]" = weakref.WeakValueDictionary()


class Solve(Operation):
    """Solver.solve: the flat result is acceleration, multipliers, motor torque and the status as a number."""

    name = "solve"

    def __init__(self, solver: zw.Solver, with_beta: bool, frames: Sequence[str], in_: str) -> None:
        model, rows = solver.model, solver.constraints.rows
        self.solver, self.with_beta, self.frames, self.in_ = solver, with_beta, tuple(frames), in_
        self.parts = (model.nv, rows, model.nv, 1)
        # frameworks call from threads of their own, and no solve may come between a solve and its derivatives
        self._lock = _locks.setdefault(id(solver), threading.RLock())
        super().__init__(model, ["q", "v", "tau", *["beta"] * with_beta, *frames],
                         [model.nq, model.nv, model.nv, *[rows] * with_beta, *[6] * len(frames)], (sum(self.parts),))

    def _words(self, x: Sequence[Array]) -> dict[str, Any]:
        return {"external": dict(zip(self.frames, x[3 + self.with_beta:])) or None, "in_": self.in_}

    def value(self, *x: Array) -> Array:
        if len(x[0]) == 0:
            return np.zeros((0, *self.shape))
        beta = x[3] if self.with_beta else None
        with self._lock:
            s = self.solver.solve(self.tangent.unit(x[0]), x[1], x[2], beta=beta, **self._words(x))
        status = np.asarray(s.status, float)[:, None]
        return np.concatenate([s.acceleration, s.multipliers, s.motor_torque, status], axis=1)

    def _derived(self, x: Sequence[Array], derive: Callable[[], Any]) -> Any:
        """derive() after the solve of all states. Raises where one of them has no derivative."""
        beta = x[3] if self.with_beta else None
        with self._lock:
            self.solver.solve(self.tangent.unit(x[0]), x[1], x[2], beta=beta, **self._words(x))
            found = derive()
        for k in np.flatnonzero(found.status != zw.Status.ok):
            raise RuntimeError(f"zwang: the solution of state {k} has no derivative: "
                               f"{zw.Status(found.status[k])}: {found.reason[k]}")
        return found

    def vjp(self, *xw: Array) -> tuple[Array, ...]:
        *x, w = xw
        if len(w) == 0:
            return tuple(np.zeros_like(y) for y in x)
        split = np.cumsum(self.parts)
        a, m, t = w[:, :split[0]], w[:, split[0]:split[1]], w[:, split[1]:split[2]]
        wrt = ("q", "v", "tau", "beta", "external")
        g = self._derived(x, lambda: self.solver.vjp(acceleration=a, multipliers=m, motor_torque=t, wrt=wrt))
        others = (g.v, g.tau, *[g.beta] * self.with_beta, *(g.external(f, self.in_) for f in self.frames))
        return (self.tangent.raised(x[0], g.q), *others)

    def jacobians(self, *x: Array) -> tuple[Array, ...]:
        if len(x[0]) == 0:
            return tuple(np.zeros((0, *self.shape, y.shape[1])) for y in x)
        d = self._derived(x, self.solver.derivatives)
        three = (d.acceleration, d.multipliers, d.motor_torque)
        blocks = [[getattr(y, name) for y in three] for name in ("q", "v", "tau", *["beta"] * self.with_beta)]
        blocks += [[y.external(f, self.in_) for y in three] for f in self.frames]
        status = [np.zeros((len(x[0]), 1, b[0].shape[2])) for b in blocks]
        q, *others = (np.concatenate([*b, z], axis=1) for b, z in zip(blocks, status))
        return (self.tangent.raised(x[0][:, None], q), *others)


_kept: dict[tuple[Any, ...], tuple[Any, Operation]] = {}


def kept(key: tuple[Any, ...], owner: object, make: Callable[[], Operation]) -> Operation:
    """The same operation for the same arguments: what frameworks compile for it is compiled once."""
    key = (id(owner), *key)
    if key not in _kept:
        while len(_kept) >= 256:
            _kept.pop(next(iter(_kept)))
        _kept[key] = (owner, make())
    return _kept[key][1]


def dynamics(name: str, model: zw.Model, frames: Sequence[str], in_: str, joint_effects: zw.JointEffects | None,
             gravity: ArrayLike | None) -> Operation:
    g = None if gravity is None else tuple(np.asarray(gravity, float).ravel())
    e = joint_effects
    effects = None if e is None else (e.armature, e.damping, e.springs, e.friction, e.gravity_scale)
    words: dict[str, Any] = {"joint_effects": copy.copy(joint_effects), "gravity": g}
    return kept((name, tuple(frames), in_, effects, g), model, lambda: Dynamics(name, model, frames, in_, words))


def solve(solver: zw.Solver, with_beta: bool, frames: Sequence[str], in_: str) -> Solve:
    key = ("solve", solver.constraints.rows, with_beta, tuple(frames), in_)
    op = kept(key, solver, lambda: Solve(solver, with_beta, frames, in_))
    assert isinstance(op, Solve)
    return op


def simple(name: str, model: zw.Model, *words: str) -> Operation:
    """The operation of a name, with the words that name a frame, a kind, a reference."""
    makers: Mapping[str, Callable[..., Operation]] = {
        "frame_pose": Pose, "frame_position": frame_position, "frame_velocity": frame_velocity,
        "frame_acceleration": frame_acceleration, "centre_of_mass": centre_of_mass, "integrate": Integrate,
        "difference": Difference}
    return kept((name, *words), model, lambda: makers[name](model, *words))


@atexit.register
def _forget() -> None:
    """Before the interpreter ends: models that caches hold would be reported as leaks."""
    _kept.clear()
    _tangents.clear()
