# SPDX-License-Identifier: BSD-3-Clause
"""Model: joints, bodies and frames that may be changed, and the immutable zwang.Model made of them when next used."""
from __future__ import annotations

import pathlib
import pickle
from typing import Any
from collections.abc import Iterable

import numpy as np

from . import _compiled
from ._arrays import Array, Items, positional, vector
from .core import Core
from .frames import ANY_FRAME, BODY, FIXED_JOINT, JOINT, OP_FRAME, FrameType
from .inertia import Inertia, write_inertia
from .joints import JointModel, JointModelMimic
from .spatial import SE3, Motion, write_pose

LARGEST = float(np.finfo(np.float64).max)


class Frame:
    """A frame on a joint: its name, the joint that carries it, the frame before it, its pose in the joint's frame, its kind."""

    def __init__(self, *parts: Any, **named: Any) -> None:
        self._owner: Model | None = None
        if named:
            with_previous = "parent_frame" in named or len(parts) > 2 and not isinstance(parts[2], SE3)
            parts = positional("Frame", parts, named, "name", "parent_joint", *(["parent_frame"] if with_previous else []), "placement", "type", "inertia")
        self._name, self._joint, self._previous, self._type = "", 0, 0, OP_FRAME
        self._placement, self.inertia = SE3(), Inertia.Zero()
        if len(parts) == 1 and isinstance(parts[0], Frame):
            f = parts[0]
            self._name, self._joint, self._previous, self._type = f._name, f._joint, f._previous, f._type
            self._placement, self.inertia = f._placement.copy(), f.inertia.copy()
        elif parts:
            name, joint, *rest = parts
            self._name, self._joint = str(name), int(joint)
            if rest and not isinstance(rest[0], SE3):
                self._previous = int(rest.pop(0))
            if len(rest) not in (2, 3):
                raise TypeError("Frame takes name, parent_joint, [parent_frame,] placement, type [, inertia]")
            self._placement, self._type = rest[0].copy(), FrameType(rest[1])
            if len(rest) == 3:
                self.inertia = rest[2].copy()

    def _touch(self) -> None:
        if self._owner is not None:
            self._owner._changed()

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value
        self._touch()

    @property
    def parentJoint(self) -> int:
        """The joint that carries it."""
        return self._joint

    @parentJoint.setter
    def parentJoint(self, value: int) -> None:
        self._joint = int(value)
        self._touch()

    parent = parentJoint

    @property
    def parentFrame(self) -> int:
        """The frame before it."""
        return self._previous

    @parentFrame.setter
    def parentFrame(self, value: int) -> None:
        self._previous = int(value)

    previousFrame = parentFrame

    @property
    def type(self) -> FrameType:
        """OP_FRAME, JOINT, FIXED_JOINT, BODY or SENSOR."""
        return self._type

    @type.setter
    def type(self, value: FrameType) -> None:
        self._type = FrameType(value)
        self._touch()

    @property
    def placement(self) -> SE3:
        """Its pose in the frame of the joint."""
        if self._owner is not None:
            self._owner._hand_out("poses")
        return self._placement

    @placement.setter
    def placement(self, value: Any) -> None:
        write_pose(self.placement._m, value)

    def copy(self) -> Frame:
        """One that belongs to no model."""
        return Frame(self)

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Frame) and (self.name, self._joint, self._previous, self._type)
                == (other.name, other._joint, other._previous, other._type) and self.placement == other.placement and self.inertia == other.inertia)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Frame name: {self.name} paired to (parent joint/ parent frame)({self._joint}/{self._previous}), {self._type.name}"


def _per_coordinate(names: tuple[str, ...]) -> Any:
    """Properties that are arrays of the model: writing one copies the numbers."""
    def make(name: str) -> property:
        def get(self: Model) -> Array:
            if name == "armature":
                self._hand_out(name)
            return self._arrays[name]

        def put(self: Model, value: Any) -> None:
            get(self)[:] = vector(value, self._arrays[name].size, name)
        return property(get, put, doc=f"{name}, one number per coordinate.")
    return [make(name) for name in names]


# name: (size, number of a joint that says nothing)
ARRAYS = {"lowerPositionLimit": ("nq", -LARGEST), "upperPositionLimit": ("nq", LARGEST), "positionLimitMargin": ("nq", 0.0),
          "upperVelocityLimit": ("nv", LARGEST), "lowerVelocityLimit": ("nv", -LARGEST), "upperEffortLimit": ("nv", LARGEST),
          "lowerEffortLimit": ("nv", -LARGEST), "upperDryFrictionLimit": ("nv", 0.0), "lowerDryFrictionLimit": ("nv", 0.0),
          "damping": ("nv", 0.0), "armature": ("nv", 0.0), "rotorInertia": ("nv", 0.0), "rotorGearRatio": ("nv", 0.0)}


class Model(_compiled.Model):
    """A robot as a list of joints. Joint 0 is the universe; each other joint carries one body with the sum of what was added to it."""

    def __init__(self) -> None:
        super().__init__()
        self.name = ""
        self.names: list[str] = ["universe"]
        self.joints: list[JointModel] = [JointModel()]
        self.joints[0].id = 0
        self.parents: list[int] = [0]
        self.frames: list[Frame] = []
        self.referenceConfigurations: dict[str, Array] = {}
        self.nbodies, self.nq, self.nv = 1, 0, 0
        self._placements: Items[SE3] = Items(np.eye(4)[None].copy(), SE3.view, write_pose)
        self._inertias: Items[Inertia] = Items(np.zeros((1, 13)), Inertia.view, write_inertia)
        self._arrays = {name: np.zeros(0) for name in ARRAYS}
        self._gravity = Motion(np.array([0.0, 0.0, -9.81]), np.zeros(3))
        self._poses = np.zeros((0, 4, 4))
        self._handed_out: set[str] = set()
        self._ids: dict[str, list[int]] | None = None
        self.addFrame(Frame("universe", 0, 0, SE3.Identity(), FIXED_JOINT))

    (lowerPositionLimit, upperPositionLimit, positionLimitMargin, upperVelocityLimit, lowerVelocityLimit, upperEffortLimit, lowerEffortLimit,
     upperDryFrictionLimit, lowerDryFrictionLimit, damping, armature, rotorInertia, rotorGearRatio) = _per_coordinate(tuple(ARRAYS))
    velocityLimit, effortLimit, friction = upperVelocityLimit, upperEffortLimit, upperDryFrictionLimit

    # What algorithms compute on

    def _changed(self) -> None:
        """Joints, frames or names are others than before."""
        self._ids = None
        self._touch(self.nq, self.nv, self.njoints)
        self._watch()

    def _hand_out(self, what: str) -> None:
        """These numbers may be written by others from now on: core() compares them."""
        if what not in self._handed_out:
            self._handed_out.add(what)
            self._watch()

    def _watch(self) -> None:
        places = {"placements": self._placements.array, "inertias": self._inertias.array, "poses": self._poses,
                  "armature": self._arrays["armature"], "gravity": self._gravity._v}
        self._watch_arrays([places[name] for name in sorted(self._handed_out)])

    def _make_core(self) -> Core:
        return Core(self)

    @property
    def inertias(self) -> Items[Inertia]:
        """What each joint carries, in its frame."""
        self._hand_out("inertias")
        return self._inertias

    @inertias.setter
    def inertias(self, values: Iterable[Inertia]) -> None:
        for k, value in enumerate(values):
            self.inertias[k] = value

    @property
    def jointPlacements(self) -> Items[SE3]:
        """The frame of each joint in that of its parent, at neutral."""
        self._hand_out("placements")
        return self._placements

    @jointPlacements.setter
    def jointPlacements(self, values: Iterable[SE3]) -> None:
        for k, value in enumerate(values):
            self.jointPlacements[k] = value

    @property
    def gravity(self) -> Motion:
        """Gravity as an acceleration: its linear part counts."""
        self._hand_out("gravity")
        return self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._hand_out("gravity")
        self._gravity._v[:] = value._v if isinstance(value, Motion) else vector(value, 6, "gravity")

    gravity981 = np.array([0.0, 0.0, -9.81])

    # Building

    def addJoint(self, parent_id: int, joint_model: JointModel, joint_placement: SE3, joint_name: str, *limits: Any, **named: Any) -> int:
        """A joint, placed in the frame of its parent; its number.

        limits: (max_effort, max_velocity, min_config, max_config), or (min_effort, max_effort, min_velocity, max_velocity, min_config,
        max_config, min_friction, max_friction, damping), or these with config_limit_margin before the friction.
        """
        if not 0 <= parent_id < self.njoints:
            raise ValueError(f"addJoint: the parent {parent_id} is no joint, there are {self.njoints}")
        if joint_name in self.names:
            raise ValueError(f"addJoint: there is a joint '{joint_name}' already")
        joint = joint_model.copy()
        if isinstance(joint, JointModelMimic):
            joint.id = self.njoints
        else:
            if not joint.atoms:
                raise ValueError(f"addJoint: {joint.shortname()} has no type")
            joint.setIndexes(self.njoints, self.nq, self.nv)
        given = _limits(limits, named)
        for name, (size, otherwise) in ARRAYS.items():
            n = joint.nq if size == "nq" else joint.nv
            new = np.full(n, otherwise) if given.get(name) is None else vector(given[name], n, name)
            self._arrays[name] = np.concatenate([self._arrays[name], new])
        self.joints.append(joint)
        self.names.append(joint_name)
        self.parents.append(int(parent_id))
        self._placements.append(joint_placement)
        self._inertias.append(Inertia.Zero())
        self.nq, self.nv = self.nq + joint.nq, self.nv + joint.nv
        self._changed()
        return joint.id

    def appendBodyToJoint(self, joint_id: int, body_inertia: Inertia, body_placement: SE3 | None = None) -> None:
        """Adds a body to what the joint carries."""
        more = body_inertia if body_placement is None else body_inertia.se3Action(body_placement)
        self._inertias[joint_id] += more
        self.nbodies += 1
        self._changed()

    def addFrame(self, frame: Frame, append_inertia: bool = True) -> int:
        """A frame; its number, or that of the frame that has its name and kind already. Its inertia is added to the joint's."""
        if not 0 <= frame.parentJoint < self.njoints:
            raise ValueError(f"addFrame: '{frame.name}' is on joint {frame.parentJoint}, there are {self.njoints}")
        if self.frames and not 0 <= frame.parentFrame < self.nframes:
            raise ValueError(f"addFrame: '{frame.name}' is behind frame {frame.parentFrame}, there are {self.nframes}")
        if self.existFrame(frame.name, frame.type):
            return self.getFrameId(frame.name, frame.type)
        own = Frame(frame)
        own._owner = self
        self.frames.append(own)
        self._poses = np.stack([f._placement._m for f in self.frames])
        for f, pose in zip(self.frames, self._poses):
            f._placement._m = pose
        if append_inertia and not own.inertia.isZero(0.0):
            self._inertias[own.parentJoint] += own.inertia.se3Action(own._placement)
        self._changed()
        return self.nframes - 1

    def addJointFrame(self, joint_id: int, previous_frame_id: int = 0) -> int:
        """The frame of a joint; previous_frame_id = -1 means that of the joint before it."""
        if previous_frame_id < 0:
            previous_frame_id = 0 if self.parents[joint_id] == 0 else self.getFrameId(self.names[self.parents[joint_id]], JOINT | FIXED_JOINT)
        return self.addFrame(Frame(self.names[joint_id], joint_id, previous_frame_id, SE3.Identity(), JOINT))

    def addBodyFrame(self, body_name: str, parentJoint: int, body_placement: SE3 | None = None, previous_frame: int = -1) -> int:
        """The frame of a body."""
        if previous_frame < 0:
            previous_frame = self.getFrameId(self.names[parentJoint], JOINT | FIXED_JOINT)
        return self.addFrame(Frame(body_name, parentJoint, previous_frame, SE3() if body_placement is None else body_placement, BODY))

    # Names and numbers

    @property
    def njoints(self) -> int:
        """Joints, with the universe."""
        return len(self.joints)

    @property
    def nframes(self) -> int:
        """Frames, with the universe."""
        return len(self.frames)

    def getJointId(self, name: str) -> int:
        """The number of the joint, or njoints where there is none of that name."""
        return self.names.index(name) if name in self.names else self.njoints

    def existJointName(self, name: str) -> bool:
        """Whether there is a joint of that name."""
        return name in self.names

    def getFrameId(self, name: str, type: int = ANY_FRAME) -> int:
        """The number of the first frame of that name and kind, or nframes where there is none."""
        if self._ids is None:
            self._ids = {}
            for k, frame in enumerate(self.frames):
                self._ids.setdefault(frame.name, []).append(k)
        for k in self._ids.get(name, ()):
            if self.frames[k]._type & type:
                return k
        return self.nframes

    def existFrame(self, name: str, type: int = ANY_FRAME) -> bool:
        """Whether there is a frame of that name and kind."""
        return self.getFrameId(name, type) < self.nframes

    def getBodyId(self, name: str) -> int:
        """The number of the body's frame, or nframes where there is none."""
        return self.getFrameId(name, BODY)

    def existBodyName(self, name: str) -> bool:
        """Whether there is a body of that name."""
        return self.existFrame(name, BODY)

    idx_qs = property(lambda self: [max(j.idx_q, 0) for j in self.joints], doc="Where each joint starts in q.")
    idx_vs = property(lambda self: [max(j.idx_v, 0) for j in self.joints], doc="Where each joint starts in v.")
    nqs = property(lambda self: [j.nq for j in self.joints], doc="Numbers of each joint in q.")
    nvs = property(lambda self: [j.nv for j in self.joints], doc="Numbers of each joint in v.")

    @property
    def mimicking_joints(self) -> list[int]:
        """The joints that follow others."""
        return [k for k, j in enumerate(self.joints) if isinstance(j, JointModelMimic)]

    @property
    def mimicked_joints(self) -> list[int]:
        """The joints that they follow."""
        return [j.leader for j in self.joints if isinstance(j, JointModelMimic)]

    @property
    def children(self) -> list[list[int]]:
        """The joints that each joint carries directly."""
        return [[k for k in range(1, self.njoints) if self.parents[k] == j] for j in range(self.njoints)]

    @property
    def supports(self) -> list[list[int]]:
        """The joints from the universe to each joint, with both."""
        out: list[list[int]] = [[0]]
        for k in range(1, self.njoints):
            out.append([*out[self.parents[k]], k])
        return out

    @property
    def subtrees(self) -> list[list[int]]:
        """Each joint with all that it carries."""
        on_way = self.supports
        return [[k for k in range(self.njoints) if j in on_way[k]] for j in range(self.njoints)]

    def getChildJoints(self) -> list[int]:
        """The joints that carry no other."""
        return [k for k, carried in enumerate(self.children) if not carried]

    def hasConfigurationLimit(self) -> list[bool]:
        """Of each number in q, whether a bound of it means anything."""
        return [x for j in self.joints for x in j.hasConfigurationLimit()]

    def hasConfigurationLimitInTangent(self) -> list[bool]:
        """Of each number in v, likewise."""
        return [x for j in self.joints for x in j.hasConfigurationLimitInTangent()]

    # Itself

    def createData(self) -> Any:
        """A Data for this model."""
        from .data import Data
        return Data(self)

    def check(self, data: Any = None) -> bool:
        """Whether a Data was made for a model of these sizes."""
        return data is None or (data.nq, data.nv, data.njoints) == (self.nq, self.nv, self.njoints)

    def copy(self) -> Model:
        """One with the same numbers."""
        return pickle.loads(pickle.dumps(self))  # type: ignore[no-any-return]

    def __copy__(self) -> Model:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Model:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in ("_ids", "_placements", "_inertias")}
        return {**state, "placements": self._placements.array, "bodies": self._inertias.array}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__init__()
        placements, bodies = state.pop("placements"), state.pop("bodies")
        self.__dict__.update(state)
        self._placements, self._inertias = Items(placements, SE3.view, write_pose), Items(bodies, Inertia.view, write_inertia)
        self._changed()
        for f, pose in zip(self.frames, self._poses):
            f._placement._m = pose

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model) or self.names != other.names or self.parents != other.parents or self.nframes != other.nframes:
            return False
        mine, theirs = self._numbers(), other._numbers()
        return all(a == b for a, b in zip(self.joints, other.joints)) and self.frames == other.frames and all(
            np.array_equal(a, b) for a, b in zip(mine, theirs))

    __hash__ = None  # type: ignore[assignment]

    def _numbers(self) -> Iterable[Array]:
        return [self._placements.array, self._inertias.array, self._gravity._v, *self._arrays.values()]

    def __repr__(self) -> str:
        lines = [f"Nb joints = {self.njoints} (nq={self.nq},nv={self.nv})"]
        return "\n".join(lines + [f"  Joint {k} {name}: parent={self.parents[k]}" for k, name in enumerate(self.names)]) + "\n"

    def saveToText(self, filename: Any) -> None:
        """Writes the model as zwang's JSON document, which zwang.load reads. Pinocchio's archives are not written."""
        pathlib.Path(filename).write_text(self.saveToString(), encoding="utf-8")

    saveToXML = saveToBinary = saveToText

    def saveToString(self) -> str:
        """zwang's JSON document of the model: one link for each joint."""
        return self.core().model.to_json()

    def loadFromText(self, filename: Any, *_: Any) -> None:
        """Refused, by the name of what the file is: pickle keeps a Model."""
        with open(filename, "rb") as file:
            head = file.read(200)
        theirs = b"serialization::archive" in head or b"boost_serialization" in head
        raise NotImplementedError(f"'{filename}' is {'an archive of Pinocchio' if theirs else 'no pickle'}, which zwang.pinocchio does not read: read the URDF, "
                                  "or pickle the Model; zwang.load reads zwang's JSON")

    loadFromXML = loadFromBinary = loadFromText

    def loadFromString(self, *_: Any) -> None:
        """Refused: pickle keeps a Model."""
        raise NotImplementedError("zwang.pinocchio reads no archives of Pinocchio: pickle the Model; zwang.Model.from_json reads zwang's JSON")


def _limits(values: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    short = ("max_effort", "max_velocity", "min_config", "max_config")
    long = ("min_effort", "max_effort", "min_velocity", "max_velocity", "min_config", "max_config", "min_friction", "max_friction", "damping")
    longest = (*long[:6], "config_limit_margin", *long[6:])
    forms = {0: (), 4: short, 9: long, 10: longest}
    if len(values) not in forms:
        raise TypeError(f"addJoint: got {len(values)} limits, expected 4, 9 or 10")
    given = {**dict(zip(forms[len(values)], values)), **named}
    word = {"min_effort": "lowerEffortLimit", "max_effort": "upperEffortLimit", "min_velocity": "lowerVelocityLimit",
            "max_velocity": "upperVelocityLimit", "min_config": "lowerPositionLimit", "max_config": "upperPositionLimit",
            "config_limit_margin": "positionLimitMargin", "min_friction": "lowerDryFrictionLimit", "max_friction": "upperDryFrictionLimit",
            "damping": "damping"}
    unknown = set(given) - set(word)
    if unknown:
        raise TypeError(f"addJoint: unknown argument '{min(unknown)}'")
    out = {word[name]: value for name, value in given.items()}
    for kind in ("Effort", "Velocity"):
        if f"upper{kind}Limit" in out and f"lower{kind}Limit" not in out:
            out[f"lower{kind}Limit"] = -np.asarray(out[f"upper{kind}Limit"], dtype=np.float64)
    return out
