# SPDX-License-Identifier: BSD-3-Clause
"""Joint models: what moves, and where its numbers are in q and v."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._arrays import Array, vector
from .spatial import SE3

__all__ = ["JointModel", "JointModelRX", "JointModelRY", "JointModelRZ", "JointModelPX", "JointModelPY",
           "JointModelPZ", "JointModelRUBX", "JointModelRUBY", "JointModelRUBZ", "JointModelRevoluteUnaligned",
           "JointModelRevoluteUnboundedUnaligned", "JointModelPrismaticUnaligned", "JointModelFreeFlyer",
           "JointModelSpherical", "JointModelSphericalZYX", "JointModelTranslation", "JointModelPlanar",
           "JointModelEllipsoid", "JointModelHelicalUnaligned", "JointModelHX", "JointModelHY", "JointModelHZ",
           "JointModelComposite", "JointModelUniversal", "JointModelMimic"]


class Atom(NamedTuple):
    """A joint of zwang of which a joint model consists."""
    type: str
    origin: Array
    axis: Array
    parameters: tuple[float, ...]
    nq: int  # numbers in Pinocchio's q
    nv: int


X, Y, Z = np.eye(3)
# zwang's type: numbers in Pinocchio's q, numbers in v
SIZES = {"revolute": (1, 1), "prismatic": (1, 1), "revolute_unbounded": (2, 1), "floating": (7, 6), "spherical": (4, 3), "planar": (4, 3),
         "translation": (3, 3), "helical": (1, 1), "spherical_zyx": (3, 3), "ellipsoid": (3, 3)}


class JointModel:
    """A type of joint with its place in q and v; JointModelRX() and so on are its kinds."""

    def __init__(self, other: JointModel | None = None) -> None:
        self.atoms: list[Atom] = []
        self._name = "JointModel"
        self.id, self.idx_q, self.idx_v = -1, -1, -1
        if other is not None:
            self.__dict__.update(other.__dict__)
            self.atoms = list(other.atoms)

    def _be(self, name: str, type: str, axis: Array = Z, parameters: tuple[float, ...] = ()) -> None:
        JointModel.__init__(self)
        length = float(np.linalg.norm(axis))
        if not length > 0:
            raise ValueError(f"{name}: the axis has no direction")
        self._name = name
        self.atoms = [Atom(type, np.eye(4), axis / length, parameters, *SIZES[type])]

    @property
    def nq(self) -> int:
        """Numbers in q."""
        return sum(atom.nq for atom in self.atoms)

    @property
    def nv(self) -> int:
        """Numbers in v."""
        return sum(atom.nv for atom in self.atoms)

    nvExtended = nv

    @property
    def idx_vExtended(self) -> int:
        """idx_v, as long as no joint mimics another."""
        return self.idx_v

    def shortname(self) -> str:
        """JointModelRX and so on."""
        return self._name

    def classname(self) -> str:
        """The same."""
        return self._name

    def extract(self) -> JointModel:
        """Itself: nothing wraps it."""
        return self

    def setIndexes(self, id: int, q: int, v: int) -> None:
        """Its number and its places in q and v."""
        self.id, self.idx_q, self.idx_v = id, q, v

    def hasSameIndexes(self, other: JointModel) -> bool:
        """Whether number and places are the same."""
        return (self.id, self.idx_q, self.idx_v) == (other.id, other.idx_q, other.idx_v)

    def hasConfigurationLimit(self) -> list[bool]:
        """Of each number in q, whether a bound of it means anything: not of quaternions, cosines and sines."""
        out: list[bool] = []
        for atom in self.atoms:
            bounded = {"floating": 3, "planar": 2, "spherical": 0, "revolute_unbounded": 0}.get(atom.type, atom.nq)
            out += [True] * bounded + [False] * (atom.nq - bounded)
        return out

    def hasConfigurationLimitInTangent(self) -> list[bool]:
        """The same of each number in v."""
        out: list[bool] = []
        for atom in self.atoms:
            bounded = {"floating": 3, "planar": 2, "spherical": 0, "revolute_unbounded": 0}.get(atom.type, atom.nv)
            out += [True] * bounded + [False] * (atom.nv - bounded)
        return out

    def createData(self) -> Any:
        """Refused: joints compute nothing by themselves here."""
        raise NotImplementedError("zwang.pinocchio has no JointData: ask for pose and columns of a joint with forwardKinematics and getJointJacobian")

    calc = createData

    def copy(self) -> JointModel:
        """One with the same numbers."""
        out = JointModel(self)
        out.__class__ = self.__class__
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointModel) or self._name != other._name or len(self.atoms) != len(other.atoms):
            return False
        same = all(a.type == b.type and a.parameters == b.parameters and bool(np.all(a.axis == b.axis) and np.all(a.origin == b.origin))
                   for a, b in zip(self.atoms, other.atoms))
        return same and self.hasSameIndexes(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self._name}(id={self.id}, idx_q={self.idx_q}, idx_v={self.idx_v}, nq={self.nq}, nv={self.nv})"


def _axis(values: tuple[Any, ...], what: str) -> Array:
    if not values:
        return X
    return vector(values[0] if len(values) == 1 else values, 3, what)


def _along(name: str, type: str, axis: Array) -> type[JointModel]:
    def __init__(self: JointModel) -> None:
        self._be(name, type, axis)
    letter = "xyz"[int(np.argmax(axis))]
    return _type(name, (JointModel,), {"__init__": __init__, "__doc__": f"{type.replace('_', ' ')} about or along {letter}.", "__module__": __name__})


_type = type
JointModelRX, JointModelRY, JointModelRZ = (_along(f"JointModelR{x}", "revolute", a) for x, a in zip("XYZ", (X, Y, Z)))
JointModelPX, JointModelPY, JointModelPZ = (_along(f"JointModelP{x}", "prismatic", a) for x, a in zip("XYZ", (X, Y, Z)))
JointModelRUBX, JointModelRUBY, JointModelRUBZ = (_along(f"JointModelRUB{x}", "revolute_unbounded", a) for x, a in zip("XYZ", (X, Y, Z)))


class JointModelRevoluteUnaligned(JointModel):
    """Revolute about any axis: three numbers or a vector."""

    def __init__(self, *axis: Any) -> None:
        self._be("JointModelRevoluteUnaligned", "revolute", _axis(axis, "axis"))


class JointModelRevoluteUnboundedUnaligned(JointModel):
    """Revolute without limits about any axis; (cos, sin) in q."""

    def __init__(self, *axis: Any) -> None:
        self._be("JointModelRevoluteUnboundedUnaligned", "revolute_unbounded", _axis(axis, "axis"))


class JointModelPrismaticUnaligned(JointModel):
    """Prismatic along any axis: three numbers or a vector."""

    def __init__(self, *axis: Any) -> None:
        self._be("JointModelPrismaticUnaligned", "prismatic", _axis(axis, "axis"))


class JointModelFreeFlyer(JointModel):
    """Free: position and quaternion x y z w; the body's twist in its axes."""

    def __init__(self) -> None:
        self._be("JointModelFreeFlyer", "floating")


class JointModelSpherical(JointModel):
    """A ball: quaternion x y z w; angular velocity in the body's axes."""

    def __init__(self) -> None:
        self._be("JointModelSpherical", "spherical")


class JointModelSphericalZYX(JointModel):
    """A ball by three angles about z, y, x, which turn with each other."""

    def __init__(self) -> None:
        self._be("JointModelSphericalZYX", "spherical_zyx")


class JointModelTranslation(JointModel):
    """Three translations."""

    def __init__(self) -> None:
        self._be("JointModelTranslation", "translation")


class JointModelPlanar(JointModel):
    """In the plane x y: x, y, cos, sin; velocity in the body's axes."""

    def __init__(self) -> None:
        self._be("JointModelPlanar", "planar")


class JointModelEllipsoid(JointModel):
    """On the surface of an ellipsoid of three radii."""

    def __init__(self, radius_x: float = 0.0, radius_y: float = 0.0, radius_z: float = 0.0) -> None:
        self._be("JointModelEllipsoid", "ellipsoid", Z, (float(radius_x), float(radius_y), float(radius_z)))


class JointModelHelicalUnaligned(JointModel):
    """A screw about any axis, with a pitch in metres per radian."""

    def __init__(self, *values: Any) -> None:
        axis, pitch = (values[:-1], float(values[-1])) if values else ((), 0.0)
        self._be("JointModelHelicalUnaligned", "helical", _axis(axis, "axis"), (pitch,))


class JointModelHX(JointModel):
    """A screw about x."""

    def __init__(self, pitch: float = 0.0) -> None:
        self._be("JointModelHX", "helical", X, (float(pitch),))


class JointModelHY(JointModel):
    """A screw about y."""

    def __init__(self, pitch: float = 0.0) -> None:
        self._be("JointModelHY", "helical", Y, (float(pitch),))


class JointModelHZ(JointModel):
    """A screw about z."""

    def __init__(self, pitch: float = 0.0) -> None:
        self._be("JointModelHZ", "helical", Z, (float(pitch),))


class JointModelComposite(JointModel):
    """Joints one after the other, without bodies between them."""

    def __init__(self, joint_model: Any = None, joint_placement: SE3 | None = None) -> None:
        JointModel.__init__(self)
        self._name = "JointModelComposite"
        if isinstance(joint_model, JointModel):
            self.addJoint(joint_model, joint_placement)

    @property
    def njoints(self) -> int:
        """Joints of which it consists; those of a composite in it count by themselves."""
        return len(self.atoms)

    def addJoint(self, joint_model: JointModel, joint_placement: SE3 | None = None) -> JointModelComposite:
        """One more, placed in the frame that the one before moves."""
        at = np.eye(4) if joint_placement is None else joint_placement.homogeneous
        for k, atom in enumerate(joint_model.atoms):
            self.atoms.append(atom._replace(origin=at @ atom.origin if k == 0 else atom.origin))
        return self


class JointModelUniversal(JointModel):
    """Two revolute axes, the second of which turns with the first; they are perpendicular."""

    def __init__(self, *values: Any) -> None:
        JointModel.__init__(self)
        self._name = "JointModelUniversal"
        if not values:
            axes = [X, Y]
        elif len(values) == 2:
            axes = [vector(values[0], 3, "axis1"), vector(values[1], 3, "axis2")]
        else:
            six = vector(values, 6, "axes")
            axes = [six[:3], six[3:]]
        if abs(float(axes[0] @ axes[1])) > 1e-6 * float(np.linalg.norm(axes[0]) * np.linalg.norm(axes[1])):
            raise ValueError("JointModelUniversal: the axes are not perpendicular; a JointModelComposite of two revolute joints takes any")
        self.atoms = [Atom("revolute", np.eye(4), a / np.linalg.norm(a), (), 1, 1) for a in axes]


class JointModelMimic(JointModel):
    """A joint that follows: q = scaling * (q of the joint `leader`) + offset. It has no numbers of its own."""

    def __init__(self, joint_model: JointModel | None = None, scaling: float = 1.0, offset: float = 0.0) -> None:
        JointModel.__init__(self)
        self._name = "JointModelMimic"
        self.scaling, self.offset, self.leader = float(scaling), float(offset), -1
        if joint_model is not None:
            self.leader, self.idx_q, self.idx_v = joint_model.id, joint_model.idx_q, joint_model.idx_v
            self.moves = list(joint_model.atoms)

    @property
    def parts(self) -> list[Atom]:
        """How it moves."""
        return self.moves


def aligned(kind: str, axis: Array) -> JointModel:
    """The joint model of a revolute, revolute_unbounded or prismatic joint: JointModelRX and so on where the axis is x, y or z."""
    short = {"revolute": "R", "prismatic": "P", "revolute_unbounded": "RUB"}[kind]
    for letter, unit in zip("XYZ", (X, Y, Z)):
        if np.array_equal(axis, unit):
            return globals()[f"JointModel{short}{letter}"]()  # type: ignore[no-any-return]
    long = {"revolute": JointModelRevoluteUnaligned, "prismatic": JointModelPrismaticUnaligned,
            "revolute_unbounded": JointModelRevoluteUnboundedUnaligned}[kind]
    return long(axis)
