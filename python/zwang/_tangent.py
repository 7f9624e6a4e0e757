# SPDX-License-Identifier: BSD-3-Clause
"""Gradients by the nq numbers of q from gradients along q (+) d, and back.

Tools of automatic differentiation see q as nq plain numbers. G(q) = d(q (+) d)/dd at d = 0, (nq, nv), has full rank,
but is not square where q holds quaternions or points of a circle. A function f of q is taken as one of directions,
f(q / |q|) for each quaternion and circle: constant along the normal. Then its gradient by the nq numbers is (G^+)^T g
for a gradient g along q (+) d, with the pseudo-inverse of G: it lies in the range of G, and G^T brings it back to g.
"""
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._zwang import Model, _joint_table  # type: ignore[attr-defined]  # no name of the stub

Array = NDArray[np.float64]
_JOINTS = _joint_table()  # by type: nq, nv, the group that q moves in
# By group, the parts of q whose gradients are not those along q (+) d: which, its place in q and in v. Other numbers are plain.
_PARTS: dict[str, list[tuple[str, int, int]]] = {
    "additive": [], "unit_circle": [("circles", 0, 0)], "rotations": [("quaternions", 0, 0)],
    "planar_motions": [("planes", 0, 0)], "rigid_motions": [("positions", 0, 0), ("quaternions", 3, 3)]}
_SIZES = {"circles": (2, 1), "quaternions": (4, 3), "planes": (2, 2), "positions": (3, 3)}  # in q and in v


def _joints(model: Model) -> Iterator[tuple[str, int, int]]:
    """(group, first of q, first of v) of every joint or part of a composite joint that has coordinates of its own."""
    described: dict[str, Any] = {}
    if "composite" in model.joint_types:
        described = {j["name"]: j for j in json.loads(model.to_json())["joints"]}
    next_q = 0
    for joint in model.joints:
        if joint.mimic is not None or joint.q.start < next_q or joint.q.start == joint.q.stop:
            continue
        next_q = joint.q.stop
        q, v = joint.q.start, joint.v.start
        types = [p["type"] for p in described[joint.name]["parts"]] if joint.type == "composite" else [joint.type]
        for type_ in types:
            nq, nv, group = (0, 0, "additive") if type_ == "user" else _JOINTS.get(type_, (0, 0, "unknown"))  # user: never a part
            if group not in _PARTS:
                raise NotImplementedError(f"zwang: gradients do not know the joint type '{type_}' (joint '{joint.name}')")
            yield group, q, v
            q, v = q + nq, v + nv


def _turn(quaternion: Array, x: Array, back: bool = False) -> Array:
    """R(quaternion) x, or R^T x."""
    u, w = quaternion[..., :3], quaternion[..., 3:]
    u = -u if back else u
    t = 2 * np.cross(u, x)
    return np.asarray(x + w * t + np.cross(u, t))


class Tangent:
    """The maps of one model. Arrays have any leading dimensions, which broadcast."""

    def __init__(self, model: Model) -> None:
        self.nq, self.nv = model.nq, model.nv
        self.quaternions: list[tuple[int, int]] = []
        self.positions: list[tuple[int, int]] = []
        self.circles: list[tuple[int, int]] = []
        self.planes: list[tuple[int, int]] = []
        plain_q, plain_v = np.ones(model.nq, bool), np.ones(model.nv, bool)
        for group, q, v in _joints(model):
            for part, at_q, at_v in _PARTS[group]:
                i, k, (nq, nv) = q + at_q, v + at_v, _SIZES[part]
                getattr(self, part).append((i, k))
                plain_q[i:i + nq] = plain_v[k:k + nv] = False
        self.plain_q, self.plain_v = np.flatnonzero(plain_q), np.flatnonzero(plain_v)
        self.is_plain = len(self.plain_q) == model.nq

    def unit(self, q: Array) -> Array:
        """q with quaternions and points of circles of unit length; zeros and NaN stay, for the library to refuse."""
        if not self.quaternions and not self.circles:
            return q
        q = np.array(q)
        for pairs, width in ((self.quaternions, 4), (self.circles, 2)):
            for i, _ in pairs:
                x = q[..., i:i + width]
                length = np.linalg.norm(x, axis=-1, keepdims=True)
                x /= np.where((length > 0) & (np.abs(length - 1) > 1e-15), length, 1)
        return q

    def raised(self, q: Array, g: Array) -> Array:
        """(G^+)^T g: the gradient by the nq numbers of q from that along q (+) d."""
        if self.is_plain:
            return g
        out = np.empty(np.broadcast_shapes(q.shape[:-1], g.shape[:-1]) + (self.nq,))
        out[..., self.plain_q] = g[..., self.plain_v]
        for i, k in self.quaternions:
            u, w, x = q[..., i:i + 3], q[..., i + 3:i + 4], g[..., k:k + 3]
            scale = 2 / (np.sum(u * u, -1, keepdims=True) + w * w)
            out[..., i:i + 3] = scale * (w * x + np.cross(u, x))
            out[..., i + 3:i + 4] = -scale * np.sum(u * x, -1, keepdims=True)
        unit = self.unit(q)
        for i, k in self.positions:
            out[..., i:i + 3] = _turn(unit[..., i + 3:i + 7], g[..., k:k + 3])
        for i, k in self.circles:
            c, s = q[..., i], q[..., i + 1]
            x = g[..., k] / (c * c + s * s)
            out[..., i], out[..., i + 1] = -s * x, c * x
        for i, k in self.planes:
            c, s = np.cos(q[..., i + 2]), np.sin(q[..., i + 2])
            out[..., i] = c * g[..., k] - s * g[..., k + 1]
            out[..., i + 1] = s * g[..., k] + c * g[..., k + 1]
        return out

    def lowered(self, q: Array, w: Array, inverse: bool = False) -> Array:
        """G^T w: the gradient along q (+) d from that by the numbers of q. inverse: G^+ w, the increment of a step."""
        if self.is_plain:
            return w
        out = np.empty(np.broadcast_shapes(q.shape[:-1], w.shape[:-1]) + (self.nv,))
        out[..., self.plain_v] = w[..., self.plain_q]
        for i, k in self.quaternions:
            u, s = q[..., i:i + 3], q[..., i + 3:i + 4]
            x, y = w[..., i:i + 3], w[..., i + 3:i + 4]
            scale = 2 / (np.sum(u * u, -1, keepdims=True) + s * s) if inverse else 0.5
            out[..., k:k + 3] = scale * (s * x - np.cross(u, x) - u * y)
        unit = self.unit(q)
        for i, k in self.positions:
            out[..., k:k + 3] = _turn(unit[..., i + 3:i + 7], w[..., i:i + 3], back=True)
        for i, k in self.circles:
            c, s = q[..., i], q[..., i + 1]
            out[..., k] = (c * w[..., i + 1] - s * w[..., i]) / ((c * c + s * s) if inverse else 1)
        for i, k in self.planes:
            c, s = np.cos(q[..., i + 2]), np.sin(q[..., i + 2])
            out[..., k] = c * w[..., i] + s * w[..., i + 1]
            out[..., k + 1] = c * w[..., i + 1] - s * w[..., i]
        return out
