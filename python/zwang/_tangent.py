# SPDX-License-Identifier: BSD-3-Clause
"""Gradients by the nq numbers of q from gradients along q (+) d, and back.

Tools of automatic differentiation see q as nq plain numbers. G(q) = d(q (+) d)/dd at d = 0, (nq, nv), has full rank,
but is not square where q holds quaternions or points of a circle. A function f of q is taken as one of directions,
f(q / |q|) for each quaternion and circle: constant along the normal. Then its gradient by the nq numbers is (G^+)^T g
for a gradient g along q (+) d, with the pseudo-inverse of G: it lies in the range of G, and G^T brings it back to g.
"""
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._zwang import Model

Array = NDArray[np.float64]
# nq = nv, of others 1
_SIZES = {"translation": 3, "cylindrical": 2, "universal": 2, "spherical_zyx": 3, "ellipsoid": 3, "fixed": 0}


def _parts(model: Model) -> list[tuple[str, int, int]]:
    """(type, first of q, first of v) of every joint or part of a composite joint that has coordinates of its own."""
    described: dict[str, Any] = {}
    if "composite" in model.joint_types:
        described = {j["name"]: j for j in json.loads(model.to_json())["joints"]}
    found, next_q = [], 0
    for joint in model.joints:
        if joint.mimic is not None or joint.q.start < next_q or joint.q.start == joint.q.stop:
            continue
        next_q = joint.q.stop
        q, v = joint.q.start, joint.v.start
        types = [p["type"] for p in described[joint.name]["parts"]] if joint.type == "composite" else [joint.type]
        for type_ in types:
            found.append((type_, q, v))
            nq, nv = {"floating": (7, 6), "spherical": (4, 3), "planar": (3, 3), "revolute_unbounded": (2, 1)}.get(
                type_, (_SIZES.get(type_, 1),) * 2)
            q, v = q + nq, v + nv
    return found


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
        plain = np.ones(model.nq, bool)
        for type_, q, v in _parts(model):
            if type_ == "floating":
                self.positions.append((q, v))
                self.quaternions.append((q + 3, v + 3))
                plain[q:q + 7] = False
            elif type_ == "spherical":
                self.quaternions.append((q, v))
                plain[q:q + 4] = False
            elif type_ == "revolute_unbounded":
                self.circles.append((q, v))
                plain[q:q + 2] = False
            elif type_ == "planar":
                self.planes.append((q, v))
                plain[q:q + 2] = False
        taken = np.zeros(model.nv, bool)
        for pairs, width in ((self.quaternions, 3), (self.positions, 3), (self.circles, 1), (self.planes, 2)):
            for _, v in pairs:
                taken[v:v + width] = True
        self.plain_q, self.plain_v = np.flatnonzero(plain), np.flatnonzero(~taken)
        if len(self.plain_q) != len(self.plain_v):
            raise NotImplementedError("zwang: this model has joints whose coordinates the gradients do not know")
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
