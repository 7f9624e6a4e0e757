# SPDX-License-Identifier: BSD-3-Clause
"""A robot in the browser that moves as the program says, by the package viser."""
from __future__ import annotations

import base64
import importlib
import json
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _zwang

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from . import ConstraintSet, Model, TimedPath, Trajectory

_COLOURS = ((228, 87, 46), (47, 111, 222), (23, 163, 152), (178, 58, 152), (242, 161, 4), (91, 110, 225), (122, 158, 58), (193, 18, 31))


def _unit_sphere(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles, n steps from pole to pole."""
    up, round_ = np.meshgrid(np.linspace(0, np.pi, n + 1), np.linspace(0, 2 * np.pi, 2 * n + 1), indexing="ij")
    points = np.stack([np.sin(up) * np.cos(round_), np.sin(up) * np.sin(round_), np.cos(up)], -1).reshape(-1, 3)
    a = (np.arange(n)[:, None] * (2 * n + 1) + np.arange(2 * n)).ravel().astype(np.uint32)
    b = a + 2 * n + 1
    return points, np.concatenate([np.stack([a, b, a + 1], -1), np.stack([a + 1, b, b + 1], -1)])


class LiveView:
    """A page of a server in this program: `show` moves the robot in every browser that has it open.

    constraints: with multipliers in `show`, their forces are arrows, `arrow` metres long for each newton. geometry, frames: as in view.
    """

    def __init__(
        self,
        model: Model,
        constraints: ConstraintSet | None = None,
        *,
        geometry: str = "visual",
        frames: bool = False,
        arrow: float = 0.005,
        host: str = "127.0.0.1",
        port: int = 8080,
    ) -> None:
        try:  # by name: viser need not be there for type checkers
            viser = importlib.import_module("viser")
        except ImportError as error:
            raise ImportError("LiveView needs the package viser: pip install zwang[view]") from error
        scene = json.loads(_zwang.view(model, geometry=geometry).scene)
        self._model, self._constraints, self._arrow = model, constraints, arrow
        self._server: Any = viser.ViserServer(host=host, port=port, verbose=False)
        self._server.scene.set_up_direction("+z")
        self._server.scene.add_grid("/ground", 20.0, 20.0)
        self._names = [link["name"] for link in scene["links"]]
        self._links: list[Any] = []
        size = float(scene["size"])
        for k, link in enumerate(scene["links"]):
            handle = self._server.scene.add_frame(f"/links/{k}", show_axes=frames, axes_length=0.15 * size, axes_radius=0.004 * size)
            self._links.append(handle)
            for i, shape in enumerate(link["shapes"]):
                self._add(f"/links/{k}/{i}", shape, scene["meshes"])
        self._forces: Any = None
        self._width = 0.012 * size
        self.show(model.neutral())

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{self._server.get_host()}:{self._server.get_port()}"

    def _add(self, name: str, shape: dict[str, Any], meshes: list[dict[str, Any]]) -> None:
        s, o = shape["s"], shape["o"]
        colour = tuple(int(shape["c"][k : k + 2], 16) for k in (1, 3, 5))
        place = {"position": o[:3], "wxyz": (o[6], *o[3:6]), "opacity": shape.get("a")}
        add = self._server.scene
        if shape["k"] == "box":
            add.add_box(name, color=colour, dimensions=tuple(s), **place)
        elif shape["k"] == "sphere":
            add.add_icosphere(name, radius=s[0], color=colour, **place)
        elif shape["k"] == "plane":
            add.add_box(name, color=colour, dimensions=(s[0], s[1], 1e-4 * max(s[:2])), **place)
        elif shape["k"] == "ellipsoid":
            points, corners = _unit_sphere(24)
            add.add_mesh_simple(name, points * s, corners, color=colour, **place)
        elif shape["k"] in ("cylinder", "capsule"):
            add.add_cylinder(name, radius=s[0], height=s[1], color=colour, **place)
            for end in (-0.5, 0.5) if shape["k"] == "capsule" else ():
                add.add_icosphere(f"{name}/{end}", radius=s[0], color=colour, position=(0, 0, end * s[1]))
        else:
            m = meshes[shape["m"]]
            points = np.frombuffer(base64.b64decode(m["p"]), np.uint16).reshape(-1, 3) * m["step"] + m["low"]
            corners = np.frombuffer(base64.b64decode(m["t"]), np.uint32 if m["wide"] else np.uint16).reshape(-1, 3)
            add.add_mesh_simple(name, points * s, corners.astype(np.uint32), color=colour, flat_shading=True, **place)

    def show(self, q: ArrayLike, multipliers: ArrayLike | None = None) -> None:
        """Moves the robot to a configuration; multipliers of the rows of `constraints` make their forces arrows."""
        poses = [_zwang.frame_pose(self._model, q, name) for name in self._names]
        wrenches = None
        if multipliers is not None:
            if self._constraints is None:
                raise ValueError("LiveView.show: there are multipliers, expected LiveView(model, constraints)")
            wrenches = _zwang.constraint_wrenches(self._constraints, q, multipliers)
        with self._server.atomic():
            for handle, pose in zip(self._links, poses, strict=True):
                handle.position, handle.wxyz = pose[:3, 3], _quaternion(pose[:3, :3])
            if self._forces is not None:
                self._forces.remove()
                self._forces = None
            if wrenches is not None and len(wrenches.names) > 0:
                ends = np.stack([wrenches.point, wrenches.point + self._arrow * wrenches.force], axis=1)
                colours = np.array([_COLOURS[k % len(_COLOURS)] for k in range(len(ends))], np.uint8)
                self._forces = self._server.scene.add_arrows(
                    "/forces", ends, colours, shaft_radius=self._width, head_radius=2.4 * self._width, head_length=5 * self._width
                )

    def play(self, motion: Trajectory | TimedPath, speed: float = 1.0, rate: float = 50.0) -> None:
        """Shows a motion in its time, `rate` states a second; returns at its end."""
        if not speed > 0 or not rate > 0:
            raise ValueError(f"LiveView.play: speed is {speed} and rate {rate}, expected numbers above 0")
        t = motion if isinstance(motion, _zwang.Trajectory) else motion.sample(speed / rate)
        if t.time.ndim != 1:
            raise ValueError(f"LiveView.play: there are {t.time.shape[0]} motions, expected one")
        forces = self._constraints is not None and t.multipliers.shape[1] > 0
        begin = time.monotonic()
        while True:
            now = min(t.time[0] + speed * (time.monotonic() - begin), t.time[-1])
            k = int(np.searchsorted(t.time, now, side="right")) - 1
            self.show(t.q[k], t.multipliers[k] if forces else None)
            if now >= t.time[-1]:
                return
            time.sleep(1 / rate)

    def close(self) -> None:
        """Ends the server."""
        self._server.stop()


def _quaternion(R: Any) -> Any:
    """w x y z, by the largest of the four (Shepperd 1978)."""
    w = np.array([1 + R[0, 0] + R[1, 1] + R[2, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], 1 - R[0, 0] + R[1, 1] - R[2, 2], 1 - R[0, 0] - R[1, 1] + R[2, 2]])
    k = int(np.argmax(w))
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    q = np.array([[w[0], x, y, z], [x, w[1], xy, xz], [y, xy, w[2], yz], [z, xz, yz, w[3]]][k])
    return q / np.linalg.norm(q)
