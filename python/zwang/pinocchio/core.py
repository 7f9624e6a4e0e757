# SPDX-License-Identifier: BSD-3-Clause
"""The zwang.Model that a Model stands for: one link per joint; and the coordinates of each in the order of the other.

Columns come in the same order, and q is the same numbers, unless joints were not added depth first, or a planar joint is there: zwang
has its angle in q where Pinocchio has cosine and sine.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import zwang as zw

from . import _compiled
from ._arrays import Array
from .joints import Atom, JointModelMimic

if TYPE_CHECKING:
    from .model import Model


def _part(atom: Atom) -> dict[str, object]:
    return {"type": atom.type, "origin": atom.origin, "axis": atom.axis, "parameters": atom.parameters}


class Core(_compiled.Core):
    """A zwang.Model, the ids of its frames by number of joint and frame, and permutations.

    q, v and external turn Pinocchio's numbers into zwang's; q_back, columns, both and rows are the way back.
    """

    model: zw.Model
    njoints: int
    joint_ids: list[int]
    frame_ids: list[int]

    def __init__(self, model: Model) -> None:
        builder = zw.ModelBuilder(model.name or "robot")
        builder.add_link("universe")
        self.njoints, self.nq, self.nv = model.njoints, model.nq, model.nv
        links = ["universe"] + [f"body of {name}" for name in model.names[1:]]
        for k in range(1, model.njoints):
            y = model._inertias[k]
            builder.add_link(links[k], y.mass, y.lever, y.inertia)
            joint = model.joints[k]
            parts = joint.parts if isinstance(joint, JointModelMimic) else joint.atoms
            more: dict[str, Any] = {"rotor_inertia": model._arrays["armature"][joint.idx_v:joint.idx_v + joint.nv]} if joint.nv else {}
            if isinstance(joint, JointModelMimic):
                more = {"mimic": (model.names[joint.leader], joint.scaling, joint.offset)}
            at = model._placements.array[k]
            if len(parts) == 1:
                builder.add_joint(model.names[k], parts[0].type, links[model.parents[k]], links[k], at @ parts[0].origin, parts[0].axis,
                                  parameters=parts[0].parameters, **more)
            else:
                builder.add_joint(model.names[k], "composite", links[model.parents[k]], links[k], at, parts=[_part(p) for p in parts], **more)
        frames = [f"frame {k}: {frame.name}" for k, frame in enumerate(model.frames)]
        for name, frame in zip(frames, model.frames):
            builder.add_frame(name, links[frame.parentJoint], frame._placement._m)
        if np.any(model._gravity.angular):
            raise ValueError("model.gravity has an angular part; zwang's gravity is a linear acceleration")
        self.model = builder.build(root="fixed", gravity=model._gravity.linear)
        self.names = list(model.names)
        self.parents = list(model.parents)
        self.joint_ids = [self.model.frame_id(name) for name in links]
        self.frame_ids = [self.model.frame_id(name) for name in frames]
        self.frame_joints = [frame.parentJoint for frame in model.frames]
        self._ends: list[tuple[int, list[int]]] | None = None
        self.extended: tuple[Any, Core] | None = None  # with the frames of constraints, which the key names
        self._order(model)

    def _order(self, model: Model) -> None:
        """Where Pinocchio's numbers are in zwang's."""
        own = [j for j in model.joints[1:] if not isinstance(j, JointModelMimic)]
        at_v = np.concatenate([np.arange(s.start, s.stop) for s in (self.model.joint(model.names[j.id]).v for j in own)] or [np.zeros(0, int)])
        same = bool(np.array_equal(at_v, np.arange(self.nv)))
        self.at_v: Any = None if same else at_v  # zwang's column of each of Pinocchio's
        self.back_v: Any = None if same else np.argsort(at_v)
        self.quaternions: list[int] = []  # where they start in Pinocchio's q
        self.circles: list[int] = []
        self.pieces: list[list[int]] = []  # where in Pinocchio's q, in zwang's, how many numbers, whether planar
        self.spans = [[j.idx_q, j.nq, j.idx_v, j.nv] for j in own]
        for j in own:
            k, z = j.idx_q, self.model.joint(model.names[j.id]).q.start
            for atom in j.atoms:
                planar = atom.type == "planar"
                if atom.type in ("floating", "spherical"):
                    self.quaternions.append(k + atom.nq - 4)
                elif planar or atom.type == "revolute_unbounded":
                    self.circles.append(k + atom.nq - 2)
                width = 3 if planar else atom.nq
                self.pieces.append([k, z, atom.nq, planar])
                k, z = k + atom.nq, z + width
        self._start()

    def _start(self) -> None:
        super().__init__(self.model, self.nq, self.nv, self.joint_ids, self.frame_ids, [] if self.at_v is None else self.at_v.tolist(),
                         self.quaternions, self.circles, self.pieces, self.spans)

    def with_frames(self, frames: list[tuple[int, Array]]) -> Core:
        """The same with more frames, fixed to joints at these poses; their ids are the last of frame_ids."""
        out = Core.__new__(Core)
        out.__dict__.update(self.__dict__)
        out.extended = out._ends = None
        for k, (joint, pose) in enumerate(frames):
            out.model = out.model.with_frame(f"more {k}", out.model.frame_names[self.joint_ids[joint]], pose)
        out.joint_ids = [out.model.frame_id(self.model.frame_names[k]) for k in self.joint_ids]
        out.frame_ids = [out.model.frame_id(self.model.frame_names[k]) for k in self.frame_ids]
        out.frame_ids += [out.model.frame_id(f"more {k}") for k in range(len(frames))]
        out.frame_joints = self.frame_joints + [joint for joint, _ in frames]
        out._start()
        return out

    def ends(self) -> list[tuple[int, list[int]]]:
        """Frames of joints, with the columns of zwang that move them: every column once or more."""
        if self._ends is None:
            carries = set(self.parents[1:])
            own = range(1, self.njoints)
            if any(joint.mimic is not None for joint in self.model.joints):  # a column that several joints share: that of its own joint
                spans = {joint.child: list(range(joint.v.start, joint.v.stop)) for joint in self.model.joints if joint.mimic is None}
                names = self.model.frame_names
                self._ends = [(self.joint_ids[k], spans.get(names[self.joint_ids[k]], [])) for k in own]
            else:
                self._ends = [(self.joint_ids[k], self.model.support(self.joint_ids[k])) for k in own if k not in carries]
        return self._ends

    # zwang's numbers to Pinocchio's

    def columns(self, x: Any) -> Array:
        """The last axis in Pinocchio's order."""
        return np.asarray(x) if self.at_v is None else np.asarray(x)[..., self.at_v]

    def both(self, x: Any) -> Array:
        """A matrix (nv, nv) in Pinocchio's order."""
        return np.asarray(x) if self.at_v is None else np.asarray(x)[np.ix_(self.at_v, self.at_v)]

    def rows(self, x: Any) -> Array:
        """The first axis in Pinocchio's order."""
        return np.asarray(x) if self.at_v is None else np.asarray(x)[self.at_v]
