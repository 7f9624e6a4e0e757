# SPDX-License-Identifier: BSD-3-Clause
"""Dynamics and kinematics as CasADi functions with exact first derivatives: zwang.casadi.

    import casadi, zwang as zw, zwang.casadi
    fd = zw.casadi.forward_dynamics(arm)          # a casadi.Function (q, v, tau) -> a
    x = casadi.MX.sym("q", arm.nq)
    a = fd(x, v, tau)                             # in expressions, Opti and nlpsol

- The functions call the library: they take numbers and MX, not SX, and cannot be written as C code. With symbolic=True
  they are formulas instead, made of CasADi's own operations: they take SX, are differentiated by CasADi to any order and
  can be written as C code. They check nothing at run time.
- Jacobians and adjoints of calls are exact. Second derivatives are central differences of them: IPOPT's exact Hessian works, to
  about six digits. hessian_approximation "limited-memory" needs none.
- Derivatives by q are by its nq numbers, of the function that reads the direction of each quaternion (and point of a
  circle) alone: an optimiser may leave unit length, and constrains it where that matters.
- CasADi needs the Python object as long as an expression with it is evaluated. The module keeps the functions: the same
  call gives the same function, until clear() forgets them all.
"""
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

try:
    import casadi as _ca  # type: ignore[import-not-found,import-untyped,unused-ignore]
except ImportError as error:
    raise ImportError("zwang.casadi needs the package casadi: pip install zwang[casadi]") from error

from . import _formula
from . import _operations as _of
from ._zwang import JointEffects, Model, Solver

Function: TypeAlias = Any  # casadi.Function, which has no types
__all__ = ["centre_of_mass", "clear", "difference", "forward_dynamics", "frame_acceleration", "frame_pose",
           "frame_position", "frame_velocity", "integrate", "inverse_dynamics", "solve"]
_alive: dict[int, Any] = {}
_formulas: dict[tuple[int, str], tuple[Any, Function]] = {}


def _rows(op: _of.Operation) -> int:
    return int(np.prod(op.shape))


def _numbers(x: Any) -> Any:
    """A column of CasADi as one state."""
    return np.array(x.full(), dtype=np.float64).reshape(1, -1)


class _Callback(_ca.Callback):  # type: ignore[misc,unused-ignore]
    """A callback with named inputs and outputs of given shapes. It holds those that CasADi makes from it."""

    def __init__(self, name: str, inputs: Sequence[tuple[str, int, int]], outputs: Sequence[tuple[str, int, int]],
                 options: Mapping[str, Any]) -> None:
        _ca.Callback.__init__(self)
        self._inputs, self._outputs = list(inputs), list(outputs)
        self._made: list[Any] = []
        self.construct(name, dict(options))

    def get_n_in(self) -> int:
        return len(self._inputs)

    def get_n_out(self) -> int:
        return len(self._outputs)

    def get_name_in(self, i: int) -> str:
        return self._inputs[i][0]

    def get_name_out(self, i: int) -> str:
        return self._outputs[i][0]

    def get_sparsity_in(self, i: int) -> Any:
        return _ca.Sparsity.dense(*self._inputs[i][1:])

    def get_sparsity_out(self, i: int) -> Any:
        return _ca.Sparsity.dense(*self._outputs[i][1:])


class _Derivative(_Callback):
    """A Jacobian or an adjoint. Its own derivatives are CasADi's central differences."""

    def __init__(self, op: _of.Operation, name: str, inames: Sequence[str], onames: Sequence[str],
                 columns: int, options: Mapping[str, Any]) -> None:
        self._op, self._columns = op, columns  # columns: of adjoint directions; 0: the Jacobian
        shapes = [(s, 1) for s in op.sizes] + [(_rows(op), 1)] + [(_rows(op), columns)] * (columns > 0)
        results = [(s, columns) if columns else (_rows(op), s) for s in op.sizes]
        super().__init__(name, [(n, *s) for n, s in zip(inames, shapes)], [(n, *s) for n, s in zip(onames, results)],
                         {**options, "enable_fd": True, "fd_method": "central"})

    def eval(self, arg: Sequence[Any]) -> Sequence[Any]:
        x = [_numbers(y) for y in arg[:len(self._op.sizes)]]
        if not self._columns:
            return [_ca.DM(J[0]) for J in self._op.jacobians(*x)]
        w = np.array(arg[-1].full()).T.reshape(self._columns, *self._columns_of_result())
        found = self._op.vjp(*(np.repeat(y, self._columns, axis=0) for y in x), w)
        return [_ca.DM(np.ascontiguousarray(g.T)) for g in found]

    def _columns_of_result(self) -> tuple[int, ...]:
        """The shape of the result, whose numbers CasADi and NumPy order alike here: a column is row after row."""
        return self._op.shape


class _Value(_Callback):
    def __init__(self, op: _of.Operation) -> None:
        self._op = op
        super().__init__(f"zwang_{op.name}", [(n, s, 1) for n, s in zip(_names(op), op.sizes)],
                         [(_RESULTS[op.name], _rows(op), 1)], {})

    def eval(self, arg: Sequence[Any]) -> Sequence[Any]:
        return [_ca.DM(self._op.value(*(_numbers(y) for y in arg)).reshape(-1, 1))]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, inames: Sequence[str], onames: Sequence[str], opts: Mapping[str, Any]) -> Any:
        return self._keep(_Derivative(self._op, name, inames, onames, 0, opts))

    def has_reverse(self, nadj: int) -> bool:
        return True

    def get_reverse(self, nadj: int, name: str, inames: Sequence[str], onames: Sequence[str],
                    opts: Mapping[str, Any]) -> Any:
        return self._keep(_Derivative(self._op, name, inames, onames, nadj, opts))

    def _keep(self, made: Any) -> Any:
        self._made.append(made)
        return made


_RESULTS = {"inverse_dynamics": "tau", "forward_dynamics": "a", "frame_pose": "pose", "frame_position": "position",
            "frame_velocity": "velocity", "frame_acceleration": "acceleration", "centre_of_mass": "centre",
            "integrate": "q_end", "difference": "dq", "solve": "solution"}


def _names(op: _of.Operation) -> list[str]:
    """Names that CasADi allows: letters, digits and single underscores, each once."""
    found: list[str] = []
    for k, name in enumerate(op.names):
        plain = "_".join(filter(None, "".join(c if c.isascii() and c.isalnum() else "_" for c in name).split("_")))
        good = plain if plain[:1].isalpha() and plain not in ("null", "jac", "hess") else f"wrench_{plain}".rstrip("_")
        found.append(good if good not in found else f"{good}_{k}")
    return found


def _function(op: _of.Operation) -> Function:
    if id(op) not in _alive:
        _alive[id(op)] = _Value(op)
    return _alive[id(op)]


def _symbolic(op: _of.Operation, **words: Any) -> Function:
    key = id(op), "symbolic"
    if key not in _formulas:
        if isinstance(op, _of.Dynamics):
            words = {"wrenches": op.frames, "in_": op.in_, **op.words}
        _formulas[key] = op, _formula.function(_ca, f"zwang_{op.name}", list(zip(_names(op), op.sizes)),
                                               _RESULTS[op.name], _formula.of(op.model, op.name, **words))
    return _formulas[key][1]


def clear() -> None:
    """Forgets all functions. Expressions that hold one that calls the library can no longer be evaluated."""
    _alive.clear()
    _formulas.clear()


def inverse_dynamics(model: Model, external: Sequence[str] = (), *, in_: str = "local_world_aligned",
                     joint_effects: JointEffects | None = None, gravity: ArrayLike | None = None,
                     symbolic: bool = False) -> Function:
    """(q, v, a) -> tau, as zwang.inverse_dynamics. external: frames whose wrenches (6,) are further inputs."""
    op = _of.dynamics("inverse_dynamics", model, external, in_, joint_effects, gravity)
    return _symbolic(op) if symbolic else _function(op)


def forward_dynamics(model: Model, external: Sequence[str] = (), *, in_: str = "local_world_aligned",
                     joint_effects: JointEffects | None = None, gravity: ArrayLike | None = None,
                     symbolic: bool = False) -> Function:
    """(q, v, tau) -> a, as zwang.forward_dynamics. external: frames whose wrenches (6,) are further inputs."""
    op = _of.dynamics("forward_dynamics", model, external, in_, joint_effects, gravity)
    return _symbolic(op) if symbolic else _function(op)


def solve(solver: Solver, external: Sequence[str] = (), *, beta: bool = False,
          in_: str = "local_world_aligned") -> Function:
    """(q, v, tau) -> solution: q'' (nv), lambda (rows), motor torques (nv), zw.Status as a number; below each other.

    beta: desired accelerations (rows,) are an input. Else they are those of the set when the function is evaluated.
    """
    return _function(_of.solve(solver, beta, external, in_))


def frame_pose(model: Model, frame: str, *, symbolic: bool = False) -> Function:
    """q -> the pose [R p; 0 1] of a frame in the world, 16 numbers row by row  [m]."""
    op = _of.simple("frame_pose", model, frame)
    return _symbolic(op, frame=frame) if symbolic else _function(op)


def frame_position(model: Model, frame: str, *, symbolic: bool = False) -> Function:
    """q -> the position of a frame's origin in the world, (3,)  [m]."""
    op = _of.simple("frame_position", model, frame)
    return _symbolic(op, frame=frame) if symbolic else _function(op)


def frame_velocity(model: Model, frame: str, reference: str = "local_world_aligned", *,
                   symbolic: bool = False) -> Function:
    """(q, v) -> [linear; angular] velocity of a frame, (6,). reference: local, world, local_world_aligned."""
    op = _of.simple("frame_velocity", model, frame, reference)
    return _symbolic(op, frame=frame, reference=reference) if symbolic else _function(op)


def frame_acceleration(model: Model, frame: str, kind: str = "classical",
                       reference: str = "local_world_aligned", *, symbolic: bool = False) -> Function:
    """(q, v, a) -> [linear; angular] acceleration of a frame, (6,), as zwang.frame_acceleration."""
    op = _of.simple("frame_acceleration", model, frame, kind, reference)
    return _symbolic(op, frame=frame, kind=kind, reference=reference) if symbolic else _function(op)


def centre_of_mass(model: Model, *, symbolic: bool = False) -> Function:
    """q -> the centre of mass in the world, (3,)  [m]."""
    op = _of.simple("centre_of_mass", model)
    return _symbolic(op) if symbolic else _function(op)


def integrate(model: Model, *, symbolic: bool = False) -> Function:
    """(q, dq) -> q (+) dq, with quaternions of unit length."""
    op = _of.simple("integrate", model)
    return _symbolic(op) if symbolic else _function(op)


def difference(model: Model, *, symbolic: bool = False) -> Function:
    """(q0, q1) -> dq with q0 (+) dq = q1, by the shortest rotation."""
    op = _of.simple("difference", model)
    return _symbolic(op) if symbolic else _function(op)
