# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of a file, and a visualizer that is zwang's viewer."""
from __future__ import annotations

import time
from typing import Any

import numpy as np

import zwang as zw

from ._arrays import Array
from .configurations import neutral
from .geometry import COLLISION, VISUAL, GeometryModel, GeometryType, shapes_of
from .joints import JointModel
from .model import Model
from .parsers import buildModelFromUrdf

__all__ = ["BaseVisualizer", "MeshcatVisualizer", "ViserVisualizer"]


def buildGeomFromUrdf(model: Model, urdf_filename: Any, geom_type: GeometryType = VISUAL, package_dirs: Any = None, *_: Any, **__: Any) -> GeometryModel:
    """The visual or collision shapes of a URDF, on the joints of the model."""
    return shapes_of(zw.load(urdf_filename, root="fixed", expand_mimic=True, package_dirs=package_dirs), model, GeometryType(geom_type))


def buildModelsFromUrdf(filename: Any, package_dirs: Any = None, root_joint: JointModel | None = None, verbose: bool = False,
                        meshLoader: Any = None, geometry_types: Any = None, mimic: bool = False) -> tuple[Model, GeometryModel, GeometryModel]:
    """(model, collision_model, visual_model) of a URDF."""
    model = buildModelFromUrdf(filename, root_joint, bool(mimic))
    shapes = zw.load(filename, root="fixed", expand_mimic=not mimic, package_dirs=package_dirs)
    return model, shapes_of(shapes, model, COLLISION), shapes_of(shapes, model, VISUAL)


class BaseVisualizer:
    """Draws a robot in zwang's LiveView, a page in the browser; `pip install zwang[view]`."""

    def __init__(self, model: Model, collision_model: GeometryModel | None = None, visual_model: GeometryModel | None = None, *_: Any, **__: Any) -> None:
        self.model, self.collision_model, self.visual_model = model, collision_model, visual_model
        shown = visual_model or collision_model
        self._robot = shown._robot if shown is not None and shown._robot is not None else model.core().model
        self.viewer: zw.LiveView | None = None

    def initViewer(self, viewer: zw.LiveView | None = None, open: bool = False, loadModel: bool = False, **_: Any) -> None:
        """Opens the page, or takes a LiveView that shows this robot; `open` opens a browser."""
        self.viewer = viewer if viewer is not None else zw.LiveView(self.drawn())
        if open:
            import webbrowser
            webbrowser.open(self.viewer.url)

    def loadViewerModel(self, *_: Any, **__: Any) -> None:
        """The model is there already."""

    def drawn(self) -> zw.Model:
        """The robot that is drawn: the shapes of the file on a free root where the model has one."""
        first = self.model.joints[1] if self.model.njoints > 1 else None
        if self._robot is self.model.core().model or first is None or self.model.names[1] in self._robot.joint_names:
            return self._robot
        roots = {"JointModelFreeFlyer": "floating", "JointModelPlanar": "planar"}
        if first.shortname() not in roots:
            raise NotImplementedError(f"zwang.pinocchio draws no root of the type {first.shortname()}: zwang.LiveView(zwang.load(path, root=...))")
        if "root" not in self.__dict__:
            builder = zw.ModelBuilder(self._robot)
            self.root = builder.build(root=roots[first.shortname()], root_joint=self.model.names[1])
        return self.root

    def configuration(self, q: Any) -> Array:
        """A configuration of the model as one of what is drawn."""
        core, robot = self.model.core(), self.drawn()
        if robot is core.model:
            return core.q(q)
        x, out = core.own_q(q), zw.neutral(robot)
        for k, name in enumerate(self.model.names[1:], 1):
            joint, own = self.model.joints[k], robot.joint(name).q
            part = x[joint.idx_q:joint.idx_q + joint.nq]
            if joint.nq == own.stop - own.start + 1:
                part = np.append(part[:-2], np.arctan2(part[-1], part[-2]))
            if joint.nq:
                out[own] = part
        return np.asarray(out)

    def display(self, q: Any = None) -> None:
        """Moves the robot in the page."""
        if self.viewer is None:
            raise RuntimeError("display: call initViewer first")
        self.viewer.show(self.configuration(neutral(self.model) if q is None else q))

    def play(self, q_trajectory: Any, dt: float | None = None, *_: Any, **__: Any) -> None:
        """Shows configurations one after the other, dt seconds each."""
        for q in q_trajectory:
            begin = time.monotonic()
            self.display(q)
            if dt is not None:
                time.sleep(max(0.0, dt - (time.monotonic() - begin)))

    def displayVisuals(self, visibility: bool) -> None:
        """Visual shapes are what is drawn."""

    def displayCollisions(self, visibility: bool) -> None:
        """Refused: one kind of shapes is drawn."""
        if visibility:
            raise NotImplementedError("zwang.pinocchio draws visual shapes: zwang.LiveView(model, geometry='collision') draws the others")

    def clean(self) -> None:
        """Ends the page."""
        if self.viewer is not None:
            self.viewer.close()
            self.viewer = None


MeshcatVisualizer = ViserVisualizer = BaseVisualizer
