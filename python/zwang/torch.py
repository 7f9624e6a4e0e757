# SPDX-License-Identifier: BSD-3-Clause
"""Dynamics and kinematics as functions of PyTorch tensors, with exact gradients: zwang.torch.

    import zwang as zw, zwang.torch
    # q (..., nq), v and a (..., nv); leading dimensions broadcast
    tau = zw.torch.inverse_dynamics(arm, q, v, a)
    tau.square().sum().backward()

- Tensors are float64 or float32, on any device. The library computes in float64 on the CPU: others are copied there,
  and results come back with the type and to the device of the arguments. All arguments are on one device.
- Gradients by q are by its nq numbers, of the function that reads the direction of each quaternion (and point of a
  circle) alone: they are tangent, for any length. Where the velocity is q's rate they are the plain gradients.
- First derivatives only, by reverse mode: backward(), torch.autograd.grad, torch.func.grad, jacrev, vmap.
"""
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

try:
    import torch as _torch  # type: ignore[import-not-found,unused-ignore]
except ImportError as error:
    raise ImportError("zwang.torch needs the package torch: pip install zwang[torch]") from error

from . import _operations as _of
from ._torch_function import Handle as _Handle, Value as _Value
from ._zwang import JointEffects, Model, Solver

Tensor: TypeAlias = _torch.Tensor
__all__ = ["Solved", "centre_of_mass", "difference", "forward_dynamics", "frame_acceleration", "frame_pose",
           "frame_position", "frame_velocity", "integrate", "inverse_dynamics", "solve"]


class Solved(NamedTuple):
    """What solve() returns: q'' (..., nv), lambda (..., rows), motor torques (..., nv), zw.Status as uint8 (...,)."""
    acceleration: Tensor
    multipliers: Tensor
    motor_torque: Tensor
    status: Tensor


def _tensor(op: _of.Operation, name: str, size: int, x: Any) -> Any:
    if not isinstance(x, _torch.Tensor):
        x = _torch.as_tensor(x, dtype=_torch.float64)
    if x.dtype not in (_torch.float64, _torch.float32):
        raise TypeError(f"zwang.torch.{op.name}: argument '{name}' is {x.dtype}, expected torch.float64 or float32")
    if x.dim() == 0 or x.shape[-1] != size:
        raise ValueError(f"zwang.torch.{op.name}: argument '{name}' has the shape {tuple(x.shape)}, "
                         f"expected (..., {size})")
    return x


def _call(op: _of.Operation, *arguments: Any) -> Tensor:
    x = [_tensor(op, *given) for given in zip(op.names, op.sizes, arguments)]
    if len({y.device for y in x}) > 1:
        raise ValueError(f"zwang.torch.{op.name}: arguments on several devices, "
                         f"{', '.join(f'{n} on {y.device}' for n, y in zip(op.names, x))}, expected one")
    lead = np.broadcast_shapes(*(tuple(y.shape[:-1]) for y in x))
    if not hasattr(op, "of_torch"):
        op.of_torch = _Handle(op)  # type: ignore[attr-defined]
    result: Tensor = _Value.apply(op.of_torch, *(y.expand(*lead, y.shape[-1]) for y in x))  # type: ignore[attr-defined]
    return result


def inverse_dynamics(model: Model, q: Tensor, v: Tensor, a: Tensor, external: Mapping[str, Tensor] | None = None, *,
                     in_: str = "local_world_aligned", joint_effects: JointEffects | None = None,
                     gravity: ArrayLike | None = None) -> Tensor:
    """tau = M(q) a + h(q, v), (..., nv), as zwang.inverse_dynamics; gradients by q, v, a, wrenches (..., 6)."""
    external = external or {}
    op = _of.dynamics("inverse_dynamics", model, list(external), in_, joint_effects, gravity)
    return _call(op, q, v, a, *external.values())


def forward_dynamics(model: Model, q: Tensor, v: Tensor, tau: Tensor, external: Mapping[str, Tensor] | None = None, *,
                     in_: str = "local_world_aligned", joint_effects: JointEffects | None = None,
                     gravity: ArrayLike | None = None) -> Tensor:
    """a = M(q)^-1 (tau - h(q, v)), (..., nv), as zwang.forward_dynamics; gradients by q, v, tau, wrenches (..., 6)."""
    external = external or {}
    op = _of.dynamics("forward_dynamics", model, list(external), in_, joint_effects, gravity)
    return _call(op, q, v, tau, *external.values())


def solve(solver: Solver, q: Tensor, v: Tensor, tau: Tensor, external: Mapping[str, Tensor] | None = None, *,
          beta: Tensor | None = None, in_: str = "local_world_aligned") -> Solved:
    """Solver.solve: accelerations, multipliers, motor torques; differentiable by q, v, tau, beta (..., rows), wrenches.

    beta: None: those of the constraints. Backward solves each state again, with the set as it is then: do not change it
    between. Raises RuntimeError in backward where a solution has no derivative (contradictory rows, a rank
    that changes).
    """
    external = external or {}
    op = _of.solve(solver, beta is not None, list(external), in_)
    flat = _call(op, q, v, tau, *([] if beta is None else [beta]), *external.values())
    ends = np.cumsum(op.parts)
    return Solved(flat[..., :ends[0]], flat[..., ends[0]:ends[1]], flat[..., ends[1]:ends[2]],
                  flat.detach()[..., ends[2]].to(_torch.uint8))


def frame_pose(model: Model, q: Tensor, frame: str) -> Tensor:
    """The pose [R p; 0 1] of a frame in the world, (..., 4, 4)  [m]."""
    return _call(_of.simple("frame_pose", model, frame), q)


def frame_position(model: Model, q: Tensor, frame: str) -> Tensor:
    """The position of a frame's origin in the world, (..., 3)  [m]."""
    return _call(_of.simple("frame_position", model, frame), q)


def frame_velocity(model: Model, q: Tensor, v: Tensor, frame: str, reference: str = "local_world_aligned") -> Tensor:
    """[linear; angular] velocity of a frame, (..., 6). reference: local, world, local_world_aligned."""
    return _call(_of.simple("frame_velocity", model, frame, reference), q, v)


def frame_acceleration(model: Model, q: Tensor, v: Tensor, a: Tensor, frame: str, kind: str = "classical",
                       reference: str = "local_world_aligned") -> Tensor:
    """[linear; angular] acceleration of a frame, (..., 6), as zwang.frame_acceleration."""
    return _call(_of.simple("frame_acceleration", model, frame, kind, reference), q, v, a)


def centre_of_mass(model: Model, q: Tensor) -> Tensor:
    """The centre of mass in the world, (..., 3)  [m]."""
    return _call(_of.simple("centre_of_mass", model), q)


def integrate(model: Model, q: Tensor, dq: Tensor) -> Tensor:
    """q (+) dq, (..., nq), with quaternions of unit length."""
    return _call(_of.simple("integrate", model), q, dq)


def difference(model: Model, q0: Tensor, q1: Tensor) -> Tensor:
    """dq (..., nv) with q0 (+) dq = q1, by the shortest rotation."""
    return _call(_of.simple("difference", model), q0, q1)
