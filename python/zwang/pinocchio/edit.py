# SPDX-License-Identifier: BSD-3-Clause
"""Models of models: one on a frame of another, joints held, joints that follow others; sample models."""
from __future__ import annotations

from typing import Any
from collections.abc import Iterable

import numpy as np

import zwang as zw

from ._arrays import Array, positional, vector
from .frames import FIXED_JOINT, JOINT, FrameType
from .inertia import Inertia
from .joints import JointModelFreeFlyer, JointModelMimic, JointModelRX, JointModelRY, JointModelRZ
from .model import ARRAYS, Frame, Model
from .spatial import SE3

__all__ = ["appendModel", "buildReducedModel", "transformJointIntoMimic", "findCommonAncestor",
           "buildSampleModelManipulator", "buildSampleModelHumanoid", "buildSampleModelHumanoidRandom"]


class _Copier:
    """Adds joints and frames of other models to a new one, under new numbers."""

    def __init__(self, name: str, gravity: Any) -> None:
        self.out = Model()
        self.out.name, self.out.gravity = name, gravity

    def joint(self, source: Model, k: int, parent: int, placement: SE3, joints: dict[int, int]) -> None:
        """Joint k of source, with its body and its numbers per coordinate."""
        model, out = source.joints[k].copy(), self.out
        if isinstance(model, JointModelMimic):
            model.leader = joints[model.leader]
            leader = out.joints[model.leader]
            model.idx_q, model.idx_v = leader.idx_q, leader.idx_v
        new = out.addJoint(parent, model, placement, source.names[k])
        joints[k] = new
        for name, (size, _) in ARRAYS.items():
            n, at, there = (model.nq, out.joints[new].idx_q, source.joints[k].idx_q) if size == "nq" else (
                model.nv, out.joints[new].idx_v, source.joints[k].idx_v)
            out._arrays[name][at:at + n] = source._arrays[name][there:there + n]
        out._inertias[new] = source._inertias[k]
        out.nbodies += 1

    def frame(self, source: Frame, parent: int, before: int, placement: SE3, kind: FrameType) -> int:
        """A frame; its inertia is in that of the joint already."""
        self.out.addFrame(Frame(source.name, parent, before, placement, kind, source.inertia), False)
        return self.out.getFrameId(source.name, kind)

    def configurations(self, source: Model, joints: dict[int, int]) -> None:
        """Reference configurations, of the joints that are in the new model; other numbers are neutral."""
        from .configurations import neutral
        self.out._changed()
        for name, q in source.referenceConfigurations.items():
            now = self.out.referenceConfigurations.get(name)
            now = neutral(self.out) if now is None else now
            for k, new in joints.items():
                a, b = source.joints[k], self.out.joints[new]
                if k and a.nq:
                    now[b.idx_q:b.idx_q + b.nq] = q[a.idx_q:a.idx_q + a.nq]
            self.out.referenceConfigurations[name] = now


def appendModel(modelA: Model, modelB: Model, *args: Any, **named: Any) -> Model:
    """B on a frame of A, at the pose aMb: (frame_in_modelA, aMb). Joints of B stand behind those that the joint of
    that frame carries.

    Names that both have are refused, but the name of the universe.
    """
    if len(args) > 2:
        raise NotImplementedError("zwang.pinocchio appends models without geometry: leave the geometry models out")
    frame_id, aMb = positional("appendModel", args, named, "frame_in_modelA", "aMb", optional={})
    both = (set(modelA.names) & set(modelB.names)) - {"universe"}
    if both:
        raise ValueError(f"appendModel: both models have a joint '{min(both)}'")
    if not 0 <= frame_id < modelA.nframes:
        raise ValueError(f"appendModel: the frame {frame_id} does not exist, there are {modelA.nframes}")
    at = modelA.frames[frame_id]
    on, pose = at.parentJoint, at.placement * aMb
    copier = _Copier(modelA.name, modelA.gravity)
    out, of_a, of_b = copier.out, {0: 0}, {0: 0}

    def joints_of_a(numbers: Iterable[int]) -> None:
        for k in numbers:
            copier.joint(modelA, k, of_a[modelA.parents[k]], modelA._placements[k], of_a)

    last = max(modelA.subtrees[on])
    joints_of_a(range(1, last + 1))
    of_b[0] = of_a[on]
    for k in range(1, modelB.njoints):
        placement = modelB._placements[k]
        copier.joint(modelB, k, of_b[modelB.parents[k]], pose * placement if modelB.parents[k] == 0 else placement, of_b)
    joints_of_a(range(last + 1, modelA.njoints))
    frames_a, frames_b = {0: 0}, {}

    def frames_of_a(wanted: Any) -> None:
        for k, f in enumerate(modelA.frames):
            if k and wanted(f.parentJoint) and k not in frames_a:
                frames_a[k] = copier.frame(f, of_a[f.parentJoint], frames_a.get(f.parentFrame, 0), f.placement, f.type)

    frames_of_a(lambda joint: joint <= last)
    frames_b[0] = frames_a[frame_id]
    for k, f in enumerate(modelB.frames):
        if k:
            placement = pose * f.placement if f.parentJoint == 0 else f.placement
            if out.existFrame(f.name, f.type):
                raise ValueError(f"appendModel: both models have a frame '{f.name}' of this kind")
            frames_b[k] = copier.frame(f, of_b[f.parentJoint], frames_b.get(f.parentFrame, 0), placement, f.type)
            if f.parentJoint == 0:
                out._inertias[of_b[0]] += f.inertia.se3Action(placement)
    frames_of_a(lambda joint: joint > last)
    copier.configurations(modelA, of_a)
    copier.configurations(modelB, of_b)
    return out


def buildReducedModel(model: Model, *args: Any, **named: Any) -> Model:
    """Joints of these numbers held where reference_configuration has them; their frames become FIXED_JOINT."""
    if len(args) > 2:
        raise NotImplementedError("zwang.pinocchio reduces models without geometry: leave the geometry models out")
    locked, reference = positional("buildReducedModel", args, named, "list_of_joints_to_lock", "reference_configuration", optional={})
    locked = {int(k) for k in locked}
    q = vector(reference, model.nq, "reference_configuration")
    for k in locked:
        if not 0 < k < model.njoints:
            raise ValueError(f"buildReducedModel: there is no joint {k} to lock")
    core = model.core()
    z = core.q(q)
    copier = _Copier(model.name, model.gravity)
    out, joints = copier.out, {0: 0}
    poses: list[SE3] = [SE3()]  # of each old joint in the new joint that carries it
    for k in range(1, model.njoints):
        p = model.parents[k]
        joint = model.joints[k]
        if k in locked or isinstance(joint, JointModelMimic) and joint.leader in locked:
            moved = zw.relative_pose(core.model, z, core.joint_ids[k], core.joint_ids[p])
            poses.append(poses[p] * SE3(moved))
            joints[k] = joints[p]
            out._inertias[joints[k]] += model._inertias[k].se3Action(poses[k])
        else:
            copier.joint(model, k, joints[p], poses[p] * model._placements[k], joints)
            poses.append(SE3())
    frames = {0: 0}
    for k, f in enumerate(model.frames):
        if k:
            kind = FIXED_JOINT if f.parentJoint in locked and f.type == JOINT else f.type
            frames[k] = copier.frame(f, joints[f.parentJoint], frames.get(f.parentFrame, 0), poses[f.parentJoint] * f.placement, kind)
            if kind != f.type:
                out.frames[frames[k]].inertia = model._inertias[f.parentJoint].copy()
    copier.configurations(model, {k: new for k, new in joints.items() if k not in locked})
    return out


def transformJointIntoMimic(input_model: Model, index_mimicked: int, index_mimicking: int, scaling: float, offset: float) -> Model:
    """A model whose joint index_mimicking follows: its angle is scaling times that of index_mimicked, plus offset."""
    leader, follower = input_model.joints[index_mimicked], input_model.joints[index_mimicking]
    if index_mimicked >= index_mimicking or leader.nq != 1 or follower.nq != 1:
        raise ValueError("transformJointIntoMimic: both joints have one number in q, the mimicked one comes first")
    copier, joints = _Copier(input_model.name, input_model.gravity), {0: 0}
    source = input_model.copy()
    mimic = JointModelMimic(follower, scaling, offset)
    mimic.leader = index_mimicked
    source.joints[index_mimicking] = mimic
    for k in range(1, source.njoints):
        copier.joint(source, k, joints[source.parents[k]], source._placements[k], joints)
    for k, f in enumerate(source.frames):
        if k:
            copier.frame(f, f.parentJoint, f.parentFrame, f.placement, f.type)
    return copier.out


def findCommonAncestor(model: Model, joint1_id: int, joint2_id: int) -> tuple[int, int, int]:
    """The last joint that carries both, and its places in model.supports of each."""
    ways = model.supports
    one, two = ways[joint1_id], ways[joint2_id]
    k = max(i for i, (a, b) in enumerate(zip(one, two)) if a == b)
    return one[k], k, k


# Sample models: joints and frames of the names of Pinocchio's, sizes and masses of zwang's own

def _joint(model: Model, parent: int, kind: Any, name: str, at: Array, body: Inertia | None = None, limit: float = 3.14) -> int:
    joint = kind()
    n = joint.nv
    free = isinstance(joint, JointModelFreeFlyer)
    low = np.concatenate([-np.ones(3), -1.01 * np.ones(4)]) if free else np.full(joint.nq, -limit)
    k = model.addJoint(parent, joint, SE3(np.eye(3), at), name, np.full(n, 100.0), np.full(n, 10.0), low, -low)
    model.addJointFrame(k, -1)
    if body is not None:
        model.appendBodyToJoint(k, body)
        model.addBodyFrame(name.replace("_joint", "_body"), k, SE3(), -1)
    return k


def _arm(model: Model, parent: int, prefix: str, at: Array, length: float = 0.4) -> None:
    light, middle = Inertia.FromSphere(0.1, 0.05), SE3(np.eye(3), [0, 0, length / 2])
    rod = Inertia.FromCylinder(5.0 * length, 0.05, length).se3Action(middle)
    k = parent
    for kind, word, place in ((JointModelRX, "shoulder1", at), (JointModelRY, "shoulder2", np.zeros(3)), (JointModelRZ, "shoulder3", np.zeros(3))):
        k = _joint(model, k, kind, f"{prefix}{word}_joint", place, light)
    model.appendBodyToJoint(k, rod)
    model.addBodyFrame(f"{prefix}upperarm_body", k, middle, -1)
    k = _joint(model, k, JointModelRY, f"{prefix}elbow_joint", np.array([0, 0, length]), light)
    model.appendBodyToJoint(k, rod)
    model.addBodyFrame(f"{prefix}lowerarm_body", k, middle, -1)
    k = _joint(model, k, JointModelRX, f"{prefix}wrist1_joint", np.array([0, 0, length]), light)
    k = _joint(model, k, JointModelRY, f"{prefix}wrist2_joint", np.zeros(3), light)
    model.appendBodyToJoint(k, Inertia.FromBox(0.3, 0.08, 0.06, 0.1).se3Action(SE3(np.eye(3), [0, 0, 0.08])))
    model.addBodyFrame(f"{prefix}effector_body", k, SE3(np.eye(3), [0, 0, 0.08]), -1)


def buildSampleModelManipulator() -> Model:
    """An arm of six joints that reaches 2 m, with the names of Pinocchio's sample and numbers of zwang's own."""
    out = Model()
    out.name = "manipulator"
    _arm(out, 0, "", np.zeros(3), 1.0)
    return out


def buildSampleModelHumanoid(using_free_flyer: bool = True) -> Model:
    """A humanoid of arms as limbs, with the names of Pinocchio's sample and numbers of zwang's own."""
    out = Model()
    out.name = "humanoid"
    k = _joint(out, 0, JointModelFreeFlyer, "root_joint", np.zeros(3)) if using_free_flyer else 0
    if using_free_flyer:
        out.appendBodyToJoint(k, Inertia.FromBox(8.0, 0.2, 0.3, 0.2))
    for prefix, side in (("rleg_", -0.1), ("lleg_", 0.1)):
        _arm(out, k, prefix, np.array([0, side, -0.2]))
    chest = _joint(out, _joint(out, k, JointModelRX, "chest1_joint", np.array([0, 0, 0.3]), Inertia.FromSphere(5.0, 0.1)), JointModelRY,
                   "chest2_joint", np.array([0, 0, 0.1]), Inertia.FromBox(5.0, 0.2, 0.3, 0.2))
    _joint(out, _joint(out, chest, JointModelRX, "head1_joint", np.array([0, 0, 0.3]), Inertia.FromSphere(1.0, 0.1)), JointModelRY,
           "head2_joint", np.zeros(3), Inertia.FromSphere(2.0, 0.1))
    for prefix, side in (("rarm_", -0.2), ("larm_", 0.2)):
        _arm(out, chest, prefix, np.array([0, side, 0.2]))
    return out


def buildSampleModelHumanoidRandom(using_free_flyer: bool = True, mimic: bool = False) -> Model:
    """A humanoid of random bodies and placements, with the names of Pinocchio's sample."""
    if mimic:
        raise NotImplementedError("zwang.pinocchio makes no random humanoid with mimic joints: zwang.random_robot(seed, mimic=0.25) is one")
    out = Model()
    out.name = "humanoid"
    root = 0
    if using_free_flyer:
        root = _joint(out, 0, JointModelFreeFlyer, "root_joint", np.zeros(3), Inertia.Random())

    def chain(parent: int, names: list[str], kinds: str) -> int:
        for name, kind in zip(names, kinds):
            joint = {"x": JointModelRX, "y": JointModelRY, "z": JointModelRZ}[kind]
            parent = _joint(out, parent, joint, f"{name}_joint", np.zeros(3), Inertia.Random())
            out.jointPlacements[parent] = SE3.Random()
        return parent

    for leg in ("lleg", "rleg"):
        chain(root, [f"{leg}{k}" for k in range(1, 7)], "xyzyyx")
    chest = chain(root, ["torso1", "chest"], "yz")
    for arm in ("rarm", "larm"):
        chain(chest, [f"{arm}{k}" for k in range(1, 7)], "xyzyyx")
    return out
