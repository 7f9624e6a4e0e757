# SPDX-License-Identifier: BSD-3-Clause
"""Shapes on joints as data: GeometryObject, GeometryModel, GeometryData. They are placed and drawn; nothing here looks for collisions."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from .data import Data
from .frames import Word
from .model import Model
from .spatial import SE3

_NOT = "zwang.pinocchio has no {}: zwang.Scene finds what touches, C++ nearest_points finds distances"


class GeometryType(Word):
    """What shapes of a file are for."""
    VISUAL = 0
    COLLISION = 1


VISUAL, COLLISION = GeometryType


class GeometryObject:
    """A shape fixed to a joint: (name, parent_joint, parent_frame, placement, geometry, [meshPath, meshScale, overrideMaterial, meshColor]),
    or without parent_frame, or in pinocchio 2's order (name, parent_joint, geometry, placement). geometry is what you keep there: a zwang Shape
    where a file was read.
    """

    def __init__(self, name: str, parent_joint: int, *args: Any, **named: Any) -> None:
        rest = list(args)
        self.name, self.parentJoint = str(name), int(parent_joint)
        self.parentFrame = int(rest.pop(0)) if rest and isinstance(rest[0], (int, np.integer)) else int(named.pop("parent_frame", 0))
        if len(rest) > 1 and isinstance(rest[1], SE3):
            rest[:2] = rest[1], rest[0]
        placement = rest.pop(0) if rest else named.pop("placement", SE3())
        if not isinstance(placement, SE3):
            raise TypeError(f"GeometryObject: placement has type {type(placement).__name__}, expected SE3")
        self.placement: SE3 = placement.copy()
        self.geometry: Any = rest.pop(0) if rest else named.pop("collision_geometry", named.pop("geometry", None))
        self.meshPath: str = rest.pop(0) if rest else named.pop("mesh_path", "")
        self.meshScale = np.array(rest.pop(0) if rest else named.pop("mesh_scale", np.ones(3)), dtype=np.float64)
        self.overrideMaterial = bool(rest.pop(0) if rest else named.pop("override_material", False))
        self.meshColor = np.array(rest.pop(0) if rest else named.pop("mesh_color", [0.0, 0.0, 0.0, 1.0]), dtype=np.float64)
        self.meshTexturePath: str = rest.pop(0) if rest else named.pop("mesh_texture_path", "")
        self.disableCollision = False
        if rest or named:
            raise TypeError("GeometryObject: arguments that it does not have")

    def copy(self) -> GeometryObject:
        """One of its own numbers, with the same geometry."""
        out = GeometryObject.__new__(GeometryObject)
        out.__dict__.update({k: x.copy() if k in ("placement", "meshScale", "meshColor") else x for k, x in self.__dict__.items()})
        return out

    clone = __copy__ = copy

    def __repr__(self) -> str:
        return f"<GeometryObject '{self.name}' on joint {self.parentJoint}>"


class CollisionPair:
    """Two geometry objects by number."""

    def __init__(self, first: int = 0, second: int = 0) -> None:
        self.first, self.second = int(first), int(second)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CollisionPair) and {self.first, self.second} == {other.first, other.second}

    def __hash__(self) -> int:
        return hash(frozenset((self.first, self.second)))

    def __repr__(self) -> str:
        return f"({self.first},{self.second})"


class GeometryModel:
    """Geometry objects, and pairs of them."""

    def __init__(self) -> None:
        self.geometryObjects: list[GeometryObject] = []
        self.collisionPairs: list[CollisionPair] = []
        self._robot: zw.Model | None = None  # of a file: what a visualizer draws

    @property
    def ngeoms(self) -> int:
        """How many objects there are."""
        return len(self.geometryObjects)

    def addGeometryObject(self, geometry_object: GeometryObject, model: Model | None = None) -> int:
        """Keeps a copy; its number. With a model, the joint of the object's frame becomes its joint. Raises ValueError for a name that is there
        already.
        """
        if self.existGeometryName(geometry_object.name):
            raise ValueError(f"addGeometryObject: there is a geometry object '{geometry_object.name}' already")
        own = geometry_object.copy()
        if model is not None:
            if not 0 <= own.parentFrame < model.nframes:
                raise ValueError(f"addGeometryObject: frame {own.parentFrame} does not exist, there are {model.nframes}")
            own.parentJoint = model.frames[own.parentFrame].parentJoint
        self.geometryObjects.append(own)
        return self.ngeoms - 1

    def removeGeometryObject(self, name: str) -> None:
        """Takes it away, with its pairs; later objects move up. Raises ValueError for a name that is not there."""
        k = self.getGeometryId(name)
        if k == self.ngeoms:
            raise ValueError(f"removeGeometryObject: there is no geometry object '{name}'")
        del self.geometryObjects[k]
        self.collisionPairs = [CollisionPair(p.first - (p.first > k), p.second - (p.second > k)) for p in self.collisionPairs
                               if k not in (p.first, p.second)]

    def getGeometryId(self, name: str) -> int:
        """The number of the object, or ngeoms where there is none."""
        return next((k for k, x in enumerate(self.geometryObjects) if x.name == name), self.ngeoms)

    def existGeometryName(self, name: str) -> bool:
        """Whether there is an object of that name."""
        return self.getGeometryId(name) < self.ngeoms

    def addCollisionPair(self, pair: CollisionPair) -> None:
        """One more pair. Raises ValueError where it names no two objects."""
        if pair.first == pair.second or not (0 <= pair.first < self.ngeoms and 0 <= pair.second < self.ngeoms):
            raise ValueError(f"addCollisionPair: {pair} names no two geometry objects, there are {self.ngeoms}")
        if not self.existCollisionPair(pair):
            self.collisionPairs.append(pair)

    def addAllCollisionPairs(self) -> None:
        """Every two objects that are not on one joint."""
        self.collisionPairs = [CollisionPair(i, k) for i in range(self.ngeoms) for k in range(i + 1, self.ngeoms)
                               if self.geometryObjects[i].parentJoint != self.geometryObjects[k].parentJoint]

    def existCollisionPair(self, pair: CollisionPair) -> bool:
        """Whether it is there."""
        return pair in self.collisionPairs

    def findCollisionPair(self, pair: CollisionPair) -> int:
        """Its number, or that of all pairs where it is not there."""
        return self.collisionPairs.index(pair) if pair in self.collisionPairs else len(self.collisionPairs)

    def removeCollisionPair(self, pair: CollisionPair) -> None:
        """Takes it away."""
        self.collisionPairs = [p for p in self.collisionPairs if p != pair]

    def removeAllCollisionPairs(self) -> None:
        """Takes all away."""
        self.collisionPairs = []

    def createData(self) -> GeometryData:
        """A GeometryData for it."""
        return GeometryData(self)

    def copy(self) -> GeometryModel:
        """One with objects of its own."""
        out = GeometryModel()
        out.geometryObjects = [x.copy() for x in self.geometryObjects]
        out.collisionPairs, out._robot = [CollisionPair(p.first, p.second) for p in self.collisionPairs], self._robot
        return out

    clone = __copy__ = copy

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(_NOT.format(f"GeometryModel.{name}"))


class GeometryData:
    """Where the objects of a GeometryModel are: oMg, by updateGeometryPlacements."""

    def __init__(self, geometry_model: GeometryModel) -> None:
        self.oMg = [SE3() for _ in geometry_model.geometryObjects]
        self.activeCollisionPairs = [True] * len(geometry_model.collisionPairs)

    def activateCollisionPair(self, pair_id: int) -> None:
        """Counts the pair again."""
        self.activeCollisionPairs[pair_id] = True

    def deactivateCollisionPair(self, pair_id: int) -> None:
        """Leaves the pair out."""
        self.activeCollisionPairs[pair_id] = False

    def activateAllCollisionPairs(self) -> None:
        """Counts all pairs."""
        self.activeCollisionPairs = [True] * len(self.activeCollisionPairs)

    def deactivateAllCollisionPairs(self) -> None:
        """Leaves all pairs out."""
        self.activeCollisionPairs = [False] * len(self.activeCollisionPairs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(_NOT.format(f"GeometryData.{name}"))


def updateGeometryPlacements(model: Model, data: Data, geometry_model: GeometryModel, geometry_data: GeometryData, q: Any = None) -> None:
    """geometry_data.oMg of the last configuration, or of q."""
    if q is not None:
        data.move(model, q)
    data.now(model, "updateGeometryPlacements")
    poses = data.oMi
    geometry_data.oMg = [poses[x.parentJoint] * x.placement for x in geometry_model.geometryObjects]


def shapes_of(robot: zw.Model, model: Model, kind: GeometryType) -> GeometryModel:
    """The shapes of a zwang.Model on the joints of a Model with frames of the same names, `<link>_<number>`."""
    out = GeometryModel()
    out._robot = robot
    for link in robot.links:
        frame = model.getBodyId(link.name)
        if frame == model.nframes:
            continue
        shapes = [s for s in link.shapes if s.collision == (kind == COLLISION)]
        for k, shape in enumerate(shapes):
            place = model.frames[frame]
            colour = shape.colour
            out.addGeometryObject(GeometryObject(
                f"{link.name}_{k}", place.parentJoint, frame, place._placement * SE3(shape.origin), shape, shape.mesh_path or shape.kind.upper(),
                shape.size if shape.kind == "mesh" else np.ones(3), bool(np.all(np.isfinite(colour))),
                np.where(np.isfinite(colour), colour, [0.9, 0.9, 0.9, 1.0])))
    return out


class _Refused:
    """A type of geometry that may be named, in annotations and isinstance, and not made."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(_NOT.format(type(self).__name__))


class CollisionResult(_Refused):
    """Refused."""


class DistanceResult(_Refused):
    """Refused."""


__all__ = ["GeometryType", "VISUAL", "COLLISION", "GeometryObject", "CollisionPair", "GeometryModel", "GeometryData", "updateGeometryPlacements",
           "CollisionResult", "DistanceResult"]
