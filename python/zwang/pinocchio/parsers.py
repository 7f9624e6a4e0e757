# SPDX-License-Identifier: BSD-3-Clause
"""Models of files: what zwang reads, as joints, bodies and frames in Pinocchio's order (siblings by the name of their joint)."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from .frames import BODY, FIXED_JOINT
from .inertia import Inertia
from .joints import (SIZES, Atom, JointModel, JointModelFreeFlyer, JointModelMimic, JointModelPlanar, JointModelSpherical,
                     JointModelTranslation, aligned)
from .model import Frame, Model
from .spatial import SE3


def joint_model_of(joint: zw.Joint) -> JointModel:
    """The joint model of a joint of zwang. Raises ValueError for a type that Pinocchio does not have."""
    axis, kind = joint.axis, joint.type
    if kind == "continuous" or kind == "revolute" and joint.lower[0] == -np.inf and joint.upper[0] == np.inf:
        kind = "revolute_unbounded"
    if kind in ("revolute", "prismatic", "revolute_unbounded"):
        return aligned(kind, axis)
    simple = {"floating": JointModelFreeFlyer, "spherical": JointModelSpherical, "translation": JointModelTranslation, "planar": JointModelPlanar}
    if kind in simple and (kind != "planar" or np.array_equal(axis, [0, 0, 1])):
        return simple[kind]()
    if kind in SIZES:
        out = JointModel()
        out._name, out.atoms = "JointModel" + kind.title().replace("_", ""), [Atom(kind, np.eye(4), axis, tuple(joint.parameters), *SIZES[kind])]
        return out
    raise ValueError(f"zwang.pinocchio: joint '{joint.name}' has the type {joint.type}, which Pinocchio does not have in this form; "
                     "build it of JointModelComposite with addJoint")


def _limits(joint: zw.Joint, model: JointModel) -> dict[str, Any]:
    """Limits of a joint as arguments of addJoint: what is unknown has none."""
    nq, nv = model.nq, model.nv
    lower, upper = np.full(nq, -np.inf), np.full(nq, np.inf)
    width = joint.q.stop - joint.q.start
    if width == nq:
        lower, upper = np.array(joint.lower), np.array(joint.upper)
    elif model.atoms[0].type == "planar":
        lower[:2], upper[:2] = joint.lower[:2], joint.upper[:2]
    for atom, start in zip(model.atoms, np.cumsum([0] + [a.nq for a in model.atoms])):
        if atom.type in ("revolute_unbounded", "planar"):
            lower[start + atom.nq - 2:start + atom.nq], upper[start + atom.nq - 2:start + atom.nq] = -1.01, 1.01
        elif atom.type in ("floating", "spherical"):
            lower[start + atom.nq - 4:start + atom.nq], upper[start + atom.nq - 4:start + atom.nq] = -1.01, 1.01
    lower[np.isnan(lower)], upper[np.isnan(upper)] = -np.inf, np.inf
    effort, velocity = (np.where(np.isnan(x), np.inf, x) for x in (joint.effort_limit, joint.velocity_limit))
    return {"max_effort": effort[:nv], "max_velocity": velocity[:nv], "min_config": lower, "max_config": upper,
            "min_friction": -np.array(joint.friction), "max_friction": np.array(joint.friction), "damping": np.array(joint.damping)}


def _body(link: zw.Link) -> Inertia:
    return Inertia(link.mass, link.centre, link.inertia)


def from_zwang(robot: zw.Model, root_joint: JointModel | None = None, root_joint_name: str = "root_joint", mimic: bool = False,
               into: Model | None = None, armature: bool = True) -> Model:
    """A Model of a zwang.Model, whose root link hangs on the universe fixed, by its own joint, or by root_joint.

    armature=False leaves it 0, as Pinocchio does, which reads no transmissions of URDF.
    """
    out = Model() if into is None else into
    if not out.name:
        out.name = robot.name
    if into is None:
        out.gravity.linear = robot.gravity
    links = {link.name: link for link in robot.links}
    children: dict[str | None, list[zw.Joint]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    numbers: dict[str, int] = {}

    def body(name: str, joint: int, previous: int, at: SE3, merged: bool) -> int:
        link = links[name]
        if joint == 0 and not merged:  # on the universe: its inertia stays with the frame
            return out.addFrame(Frame(name, joint, previous, at, BODY, _body(link)))
        if not merged and (link.mass > 0 or np.any(link.inertia)):
            out.appendBodyToJoint(joint, _body(link), at)
        return out.addFrame(Frame(name, joint, previous, at, BODY))

    root = next(link.name for link in robot.links if link.parent is None)
    own = children.get(None, [])
    if own and root_joint is not None:
        raise ValueError(f"the file has a joint between world and root link, '{own[0].name}': leave root_joint out")
    here, before, pose = 0, 0, SE3.Identity()
    if root_joint is not None:
        here = out.addJoint(0, root_joint, SE3.Identity(), root_joint_name)
        before = out.addJointFrame(here, 0)
    elif own and own[0].type != "fixed":
        model = joint_model_of(own[0])
        here = out.addJoint(0, model, SE3(own[0].origin), own[0].name, **_limits(own[0], model))
        before, pose = out.addJointFrame(here, 0), SE3(own[0].child_origin).inverse()
    # (joint to add, number of the joint that carries it, frame before it, pose of its parent link): depth first, by name
    waiting: list[tuple[zw.Joint, int, int, SE3]] = []

    def wait(link: str, joint: int, frame: int, at: SE3) -> None:
        waiting.extend((j, joint, frame, at) for j in sorted(children.get(link, []), key=lambda j: j.name, reverse=True))

    wait(root, here, body(root, here, before, pose, False), pose)
    later: list[tuple[zw.Joint, int, int, SE3]] = []
    while waiting or later:
        joint, carrier, frame, at = waiting.pop() if waiting else later.pop(0)
        placed = at * SE3(joint.origin)
        link = links[joint.child]
        to_link = SE3(joint.child_origin).inverse()
        if joint.type == "fixed":
            fixed_at = placed * to_link
            k = out.addFrame(Frame(joint.name, carrier, frame, placed, FIXED_JOINT, _body(link).se3Action(to_link)))
            wait(joint.child, carrier, body(joint.child, carrier, k, fixed_at, True), fixed_at)
            continue
        model = joint_model_of(joint)
        limits = _limits(joint, model)
        if mimic and joint.mimic is not None:
            leader, scaling, offset = joint.mimic
            if leader not in numbers:
                later.append((joint, carrier, frame, at))
                continue
            model = JointModelMimic(model, scaling, offset)
            model.leader = numbers[leader]
            model.idx_q, model.idx_v, limits = out.joints[model.leader].idx_q, out.joints[model.leader].idx_v, {}
        k = out.addJoint(carrier, model, placed, joint.name, **limits)
        numbers[joint.name] = k
        if armature and np.any(joint.armature) and out.joints[k].nv:
            out.armature[out.joints[k].idx_v:out.joints[k].idx_v + out.joints[k].nv] = joint.armature
        wait(joint.child, k, body(joint.child, k, out.addJointFrame(k, frame), to_link, False), to_link)
    for name in [f for f in robot.frame_names if f not in links and f not in {j.name for j in robot.joints}]:
        parent = _nearest(robot, name, out)
        if parent is not None:
            number, pose = parent
            out.addFrame(Frame(name, out.frames[number].parentJoint, number, out.frames[number].placement * pose, BODY), False)
    return out


def _nearest(robot: zw.Model, name: str, out: Model) -> tuple[int, SE3] | None:
    """A link whose body a frame without a link is on, and its pose there."""
    q = zw.neutral(robot)
    support = robot.support(name)
    for link in robot.links:
        if robot.support(link.name) == support and out.existFrame(link.name, BODY):
            return out.getFrameId(link.name, BODY), SE3(zw.relative_pose(robot, q, name, link.name))
    return None


def _options(args: tuple[Any, ...], named: dict[str, Any], who: str) -> dict[str, Any]:
    """The optional arguments of the readers, which are told apart by their type."""
    out = dict(named)
    for x in args:
        if isinstance(x, JointModel):
            out["root_joint"] = x
        elif isinstance(x, str):
            out["root_joint_name"] = x
        elif isinstance(x, Model):
            out["model"] = x
        elif isinstance(x, (bool, np.bool_)):
            out["mimic"] = bool(x)
        elif x is not None:
            raise TypeError(f"{who}: an argument of type {type(x).__name__}")
    unknown = set(out) - {"root_joint", "root_joint_name", "model", "mimic", "verbose"}
    if unknown:
        raise TypeError(f"{who}: unknown argument '{min(unknown)}'")
    return out


def _read(robot: zw.Model, o: dict[str, Any], armature: bool) -> Model:
    return from_zwang(robot, o.get("root_joint"), o.get("root_joint_name", "root_joint"), bool(o.get("mimic", False)), o.get("model"), armature)


def buildModelFromUrdf(urdf_filename: Any, *args: Any, **named: Any) -> Model:
    """A model of a URDF: [root_joint, root_joint_name, model, mimic]. Joints that mimic move on their own, but with mimic=True."""
    o = _options(args, named, "buildModelFromUrdf")
    return _read(zw.load(urdf_filename, root="fixed", expand_mimic=not o.get("mimic"), resolve_meshes=False), o, False)


def buildModelFromXML(urdf_xml_stream: str, *args: Any, **named: Any) -> Model:
    """The same of the text of a URDF."""
    o = _options(args, named, "buildModelFromXML")
    return _read(zw.loads(urdf_xml_stream, root="fixed", expand_mimic=not o.get("mimic"), resolve_meshes=False), o, False)


def buildModelFromMJCF(mjcf_filename: Any, *args: Any, **named: Any) -> Model:
    """A model of an MJCF file, with zwang's names of links. Constraints are not read: zwang.load_robot has them."""
    o = _options(args, named, "buildModelFromMJCF")
    return _read(zw.load(mjcf_filename, expand_mimic=not o.get("mimic"), resolve_meshes=False), o, True)


def buildModelFromSdf(filename: Any, *args: Any, **named: Any) -> Model:
    """A model of an SDF file. Loops are refused: zwang.load_robot has them."""
    o = _options(args, named, "buildModelFromSdf")
    return _read(zw.load(filename, expand_mimic=not o.get("mimic"), resolve_meshes=False), o, True)
