# SPDX-License-Identifier: BSD-3-Clause
"""The functions of zwang.torch as PyTorch sees them.

PyTorch does not free tensors that live until the end of the program, nor their graphs. Therefore nothing here leads to the
extension module (nanobind would report its types and models as leaked): a graph holds a Handle, which is emptied at the end.
"""
import atexit
import weakref
from typing import Any

import torch as _torch  # type: ignore[import-not-found,unused-ignore]
from torch import Tensor


class Handle:
    """value, vjp, shape and name of an operation."""

    def __init__(self, op: Any) -> None:
        self.value, self.vjp, self.shape, self.name = op.value, op.vjp, op.shape, op.name
        _handles.add(self)


_handles: "weakref.WeakSet[Handle]" = weakref.WeakSet()


@atexit.register
def _empty() -> None:
    for handle in _handles:
        handle.value = handle.vjp = None


def _numpy(x: Tensor) -> Any:
    return x.detach().to("cpu", _torch.float64).contiguous().numpy()


def _flat(x: Tensor, width: int) -> Any:
    return _numpy(x).reshape(-1, *x.shape[x.dim() - width:])


def _in_front(dims: tuple[int | None, ...], tensors: tuple[Tensor, ...], batch: int) -> list[Tensor]:
    return [t.unsqueeze(0).expand(batch, *t.shape) if d is None else t.movedim(d, 0) for d, t in zip(dims, tensors)]


class Gradient(_torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """The gradient as a function of its own: so it runs under torch.func and torch.vmap, too."""

    @staticmethod
    def forward(op: Handle, *xw: Tensor) -> Any:
        lead = xw[0].shape[:-1]
        found = op.vjp(*(_flat(x, 1) for x in xw[:-1]), _flat(xw[-1], len(op.shape)))
        return tuple(_torch.from_numpy(g.copy()).reshape(*lead, g.shape[-1]).to(x.device, x.dtype)
                     for g, x in zip(found, xw))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.name = inputs[0].name

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise RuntimeError(f"zwang.torch.{ctx.name}: first derivatives only, a gradient of its gradient was asked for")

    @staticmethod
    def vmap(info: Any, in_dims: Any, op: Handle, *xw: Tensor) -> Any:
        found = Gradient.apply(op, *_in_front(in_dims[1:], xw, info.batch_size))
        return found, (0,) * len(found)


class Value(_torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """op of tensors that all have the same leading dimensions."""

    @staticmethod
    def forward(op: Handle, *x: Tensor) -> Tensor:
        found = op.value(*(_flat(y, 1) for y in x))
        kind = x[0].dtype
        for y in x[1:]:
            kind = _torch.promote_types(kind, y.dtype)
        return _torch.from_numpy(found.copy()).reshape(*x[0].shape[:-1], *op.shape).to(x[0].device, kind)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.op = inputs[0]
        ctx.save_for_backward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return (None, *Gradient.apply(ctx.op, *ctx.saved_tensors, gradient))

    @staticmethod
    def vmap(info: Any, in_dims: Any, op: Handle, *x: Tensor) -> Any:
        return Value.apply(op, *_in_front(in_dims[1:], x, info.batch_size)), 0
