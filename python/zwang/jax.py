# SPDX-License-Identifier: BSD-3-Clause
"""Dynamics and kinematics as functions of JAX arrays, with exact gradients: zwang.jax.

    import jax
    jax.config.update("jax_enable_x64", True)
    import zwang as zw, zwang.jax
    # q (..., nq), v and a (..., nv); they broadcast
    cost = lambda q: zw.jax.inverse_dynamics(arm, q, v, a) @ v
    jax.jit(jax.grad(cost))(q)

- They run on the host (jax.pure_callback), under jit, grad, jacrev and vmap; a mapped batch is one call of the library.
- float64 alone: float32 is refused, and so is JAX without jax_enable_x64.
- Gradients by q are by its nq numbers, of the function that reads the direction of each quaternion (and point of a
  circle) alone: they are tangent, for any length. Where the velocity is q's rate they are the plain gradients.
- First derivatives only, by reverse mode: no jvp, jacfwd, hessian.
"""
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

try:
    import jax as _jax  # type: ignore[import-not-found,unused-ignore]
    import jax.numpy as _jnp  # type: ignore[import-not-found,unused-ignore]
except ImportError as error:
    raise ImportError("zwang.jax needs the package jax: pip install zwang[jax]") from error

from . import _operations as _of
from ._zwang import JointEffects, Model, Solver

Array: TypeAlias = _jax.Array
__all__ = ["Solved", "centre_of_mass", "difference", "forward_dynamics", "frame_acceleration", "frame_pose",
           "frame_position", "frame_velocity", "integrate", "inverse_dynamics", "solve"]
_shape: Any = _jax.ShapeDtypeStruct
_X64 = 'jax.config.update("jax_enable_x64", True)'


class Solved(NamedTuple):
    """What solve() returns: q'' (..., nv), lambda (..., rows), motor torques (..., nv), zw.Status as uint8 (...,)."""
    acceleration: Array
    multipliers: Array
    motor_torque: Array
    status: Array


def _flat(x: Any, width: int) -> Any:
    x = np.asarray(x, np.float64)
    return np.ascontiguousarray(x).reshape(-1, *x.shape[x.ndim - width:])


def _function(op: _of.Operation) -> Callable[..., Any]:
    """op of arrays that all have the same leading dimensions."""

    def value(*x: Any) -> Any:
        lead = np.shape(x[0])[:-1]
        return np.array(op.value(*(_flat(y, 1) for y in x))).reshape(*lead, *op.shape)

    def gradient(*xw: Any) -> Any:
        lead = np.shape(xw[0])[:-1]
        found = op.vjp(*(_flat(y, 1) for y in xw[:-1]), _flat(xw[-1], len(op.shape)))
        return tuple(np.array(g).reshape(*lead, g.shape[-1]) for g in found)

    @_jax.custom_vjp  # type: ignore[untyped-decorator,unused-ignore]
    def function(*x: Any) -> Any:
        result = _shape((*x[0].shape[:-1], *op.shape), np.float64)
        return _jax.pure_callback(value, result, *x, vmap_method="broadcast_all")

    def forward(*x: Any) -> Any:
        return function(*x), x

    def backward(x: Any, w: Any) -> Any:
        result = tuple(_shape(y.shape, np.float64) for y in x)
        return _jax.pure_callback(gradient, result, *x, w, vmap_method="broadcast_all")

    function.defvjp(forward, backward)
    found: Callable[..., Any] = function
    return found


def _array(op: _of.Operation, name: str, size: int, x: Any) -> Any:
    if hasattr(x, "dtype") and x.dtype in (np.float32, np.float16, _jnp.bfloat16):
        raise TypeError(f"zwang.jax.{op.name}: argument '{name}' is {x.dtype}, expected float64 ({_X64} at the start)")
    x = _jnp.asarray(x, np.float64)
    if x.ndim == 0 or x.shape[-1] != size:
        raise ValueError(f"zwang.jax.{op.name}: argument '{name}' has the shape {x.shape}, expected (..., {size})")
    return x


def _call(op: _of.Operation, *arguments: Any) -> Array:
    if not getattr(_jax.config, "jax_enable_x64"):
        raise TypeError(f"zwang.jax.{op.name}: JAX computes in float32, expected float64: {_X64} at the start")
    x = [_array(op, *given) for given in zip(op.names, op.sizes, arguments)]
    lead = np.broadcast_shapes(*(y.shape[:-1] for y in x))
    if not hasattr(op, "of_jax"):
        op.of_jax = _function(op)  # type: ignore[attr-defined]
    result: Array = op.of_jax(*(_jnp.broadcast_to(y, (*lead, y.shape[-1])) for y in x))  # type: ignore[attr-defined]
    return result


def inverse_dynamics(model: Model, q: Array, v: Array, a: Array, external: Mapping[str, Array] | None = None, *,
                     in_: str = "local_world_aligned", joint_effects: JointEffects | None = None,
                     gravity: ArrayLike | None = None) -> Array:
    """tau = M(q) a + h(q, v), (..., nv), as zwang.inverse_dynamics; gradients by q, v, a, wrenches (..., 6)."""
    external = external or {}
    op = _of.dynamics("inverse_dynamics", model, list(external), in_, joint_effects, gravity)
    return _call(op, q, v, a, *external.values())


def forward_dynamics(model: Model, q: Array, v: Array, tau: Array, external: Mapping[str, Array] | None = None, *,
                     in_: str = "local_world_aligned", joint_effects: JointEffects | None = None,
                     gravity: ArrayLike | None = None) -> Array:
    """a = M(q)^-1 (tau - h(q, v)), (..., nv), as zwang.forward_dynamics; gradients by q, v, tau, wrenches (..., 6)."""
    external = external or {}
    op = _of.dynamics("forward_dynamics", model, list(external), in_, joint_effects, gravity)
    return _call(op, q, v, tau, *external.values())


def solve(solver: Solver, q: Array, v: Array, tau: Array, external: Mapping[str, Array] | None = None, *,
          beta: Array | None = None, in_: str = "local_world_aligned") -> Solved:
    """Solver.solve: accelerations, multipliers, motor torques; differentiable by q, v, tau, beta (..., rows), wrenches.

    beta: None: those of the constraints. The gradient solves each state again, with the set as it is then: do not
    change it between. A solution without a derivative (contradictory rows, a rank that changes)
    is an error of the callback.
    """
    external = external or {}
    op = _of.solve(solver, beta is not None, list(external), in_)
    flat = _call(op, q, v, tau, *([] if beta is None else [beta]), *external.values())
    ends = np.cumsum(op.parts)
    return Solved(flat[..., :ends[0]], flat[..., ends[0]:ends[1]], flat[..., ends[1]:ends[2]],
                  _jax.lax.stop_gradient(flat[..., ends[2]]).astype(np.uint8))


def frame_pose(model: Model, q: Array, frame: str) -> Array:
    """The pose [R p; 0 1] of a frame in the world, (..., 4, 4)  [m]."""
    return _call(_of.simple("frame_pose", model, frame), q)


def frame_position(model: Model, q: Array, frame: str) -> Array:
    """The position of a frame's origin in the world, (..., 3)  [m]."""
    return _call(_of.simple("frame_position", model, frame), q)


def frame_velocity(model: Model, q: Array, v: Array, frame: str, reference: str = "local_world_aligned") -> Array:
    """[linear; angular] velocity of a frame, (..., 6). reference: local, world, local_world_aligned."""
    return _call(_of.simple("frame_velocity", model, frame, reference), q, v)


def frame_acceleration(model: Model, q: Array, v: Array, a: Array, frame: str, kind: str = "classical",
                       reference: str = "local_world_aligned") -> Array:
    """[linear; angular] acceleration of a frame, (..., 6), as zwang.frame_acceleration."""
    return _call(_of.simple("frame_acceleration", model, frame, kind, reference), q, v, a)


def centre_of_mass(model: Model, q: Array) -> Array:
    """The centre of mass in the world, (..., 3)  [m]."""
    return _call(_of.simple("centre_of_mass", model), q)


def integrate(model: Model, q: Array, dq: Array) -> Array:
    """q (+) dq, (..., nq), with quaternions of unit length."""
    return _call(_of.simple("integrate", model), q, dq)


def difference(model: Model, q0: Array, q1: Array) -> Array:
    """dq (..., nv) with q0 (+) dq = q1, by the shortest rotation."""
    return _call(_of.simple("difference", model), q0, q1)
