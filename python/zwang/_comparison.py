# SPDX-License-Identifier: BSD-3-Clause
"""What verify() compares, and how large a difference rounding explains.

A tolerance is a multiple of eps times a magnitude. The multiple is 1e-12/eps for every joint of the longest path: numbers of a file
within 1e-12 of 0 and 1 count as these in zwang, so each placement may differ by as much from that of another library. The
magnitude is what the terms of a sum can reach, by reach (lengths along the path to the farthest link), masses and accelerations:
a difference of large terms may be small, and its rounding is theirs.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _zwang as zw
from .peers import Array, Mass, NotComparable, Peer, message_of, spans

EPS = float(np.finfo(float).eps)
NO_EFFECTS = zw.JointEffects(armature=False, damping=False, springs=False, gravity_scale=False)


def effects_of(peer: Peer) -> zw.JointEffects:
    """What counts in torques and accelerations on both sides."""
    return zw.JointEffects(armature=False, damping=False, springs=False, gravity_scale=peer.scales_gravity)


@dataclass
class Difference:
    """One quantity in both libraries: the entry that differs most, measured by its tolerance."""
    quantity: str
    unit: str
    largest: float  #: the difference there
    scale: float  #: magnitude of the terms there
    tolerance: float
    multiple: float  #: tolerance / (eps scale)
    where: str  #: coordinate, link or joint
    ours: float
    theirs: float
    entries: int  #: how many numbers were compared
    note: str = ""

    @property
    def agrees(self) -> bool:
        return self.largest <= self.tolerance


@dataclass
class PeerReport:
    """What came out for one library. refusal: why there is nothing, in its own words."""
    peer: str
    version: str = ""
    installed: bool = True
    reads: bool = True  #: files of this format
    refusal: str = ""
    differences: list[Difference] = field(default_factory=list)
    not_compared: list[tuple[str, str]] = field(default_factory=list)  #: quantity, reason
    notes: list[str] = field(default_factory=list)
    joint_order: list[str] = field(default_factory=list)  #: its joints that move, in its order
    coordinate_order: list[int] = field(default_factory=list)  #: v there is v[coordinate_order] here

    @property
    def compared(self) -> bool:
        return bool(self.differences)

    @property
    def agrees(self) -> bool:
        return self.compared and all(row.agrees for row in self.differences)


class Worst:
    """Collects entries of one quantity over samples."""

    def __init__(self, quantity: str, unit: str, multiple: float) -> None:
        self.quantity, self.unit, self.multiple = quantity, unit, multiple
        self.found: Difference | None = None
        self.ratio, self.entries = -1.0, 0

    def add(self, ours: Any, theirs: Any, scale: Any, label: Callable[..., str]) -> None:
        x, y = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
        if x.shape != y.shape:
            raise ValueError(f"shape {y.shape}, expected {x.shape}")
        if x.size == 0:
            return
        size = np.broadcast_to(np.asarray(scale, dtype=float), x.shape)
        with np.errstate(invalid="ignore"):
            gap = np.where(x == y, 0.0, np.abs(x - y))  # the same infinity is no difference
        gap = np.where(np.isnan(gap), np.inf, gap)
        tolerance = self.multiple * EPS * size
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(gap == 0, 0.0, gap / tolerance)
        self.entries += x.size
        at = np.unravel_index(int(np.argmax(ratio)), x.shape)
        if ratio[at] > self.ratio:
            self.ratio = float(ratio[at])
            self.found = Difference(self.quantity, self.unit, float(gap[at]), float(size[at]), float(tolerance[at]), self.multiple,
                                    label(*at), float(x[at]), float(y[at]), 0)

    def row(self) -> Difference | None:
        if self.found is not None:
            self.found.entries = self.entries
        return self.found


class State:
    """A random state, and the magnitudes of what is computed there."""

    def __init__(self, robot: Robot, seed: int, moving: list[int] | None = None) -> None:
        m, r = robot.model, np.random.default_rng(seed)
        self.q = m.random(seed)
        self.v, self.a, self.tau = (r.uniform(-1, 1, m.nv) for _ in range(3))
        if moving is not None:
            still = np.setdiff1d(np.arange(m.nv), moving)
            self.v[still] = self.a[still] = 0
        sliding = sum(float(np.abs(self.q[j.q][:3 if j.type in ("floating", "planar") else None]).sum()) for j in m.joints if j.type in robot.slides)
        self.reach = robot.reach + sliding
        self.gravity = float(np.linalg.norm(m.gravity))
        #: M[i, j] is at most arm[i] arm[j], a torque at most lever times an acceleration
        self.arm = np.sqrt(robot.carried) * np.where(robot.angular, self.reach, 1.0)
        self.lever = robot.carried * np.where(robot.angular, self.reach, 1.0)

    def accelerations(self, robot: Robot, a: Array) -> float:
        """Of any point of the robot, with gravity, at most."""
        m, largest = robot.model, 0.0
        for link in robot.ends:
            v = zw.frame_velocity(m, self.q, self.v, link)
            moved = zw.frame_acceleration(m, self.q, self.v, a, link)
            turning = np.abs(moved[3:]).max() + np.abs(v[3:]).max() ** 2
            largest = max(largest, float(np.linalg.norm(moved[:3]) + 2 * self.reach * turning))
        return largest + self.gravity

    def speed(self, robot: Robot) -> float:
        found = [zw.frame_velocity(robot.model, self.q, self.v, link) for link in robot.ends]
        return max((float(np.linalg.norm(x[:3]) + self.reach * np.linalg.norm(x[3:])) for x in found), default=0.0)


class Robot:
    """zwang's side: a model, its names, its constant magnitudes."""
    slides = ("prismatic", "planar", "floating", "helical")

    def __init__(self, model: zw.Model) -> None:
        self.model = model
        joints = {j.name: j for j in model.joints}
        self.depth, self.reach = 1, 1e-3
        for link in model.links:
            steps, length, here = 1, float(np.abs(link.centre).sum()) if link.mass > 0 else 0.0, link
            while here.joint is not None:
                joint = joints[here.joint]
                length += float(np.linalg.norm(joint.origin[:3, 3]))
                steps += 1
                if joint.parent is None:
                    break
                here = model.link(joint.parent)
            self.depth, self.reach = max(self.depth, steps), max(self.reach, length)
        self.carried, self.angular = np.zeros(model.nv), np.zeros(model.nv, dtype=bool)
        for joint in model.joints:
            if spans(joint) == 0:
                continue
            mass = float(zw.subtree_mass(model, joint.child))
            faster = 1.0 if joint.mimic is None or not follows(model, joint) else max(1.0, joint.mimic[1] ** 2)
            self.carried[joint.v] += faster * mass
            first = joint.v.start
            self.angular[first + {"prismatic": 1, "planar": 2, "floating": 3}.get(joint.type, 0):joint.v.stop] = True
        inner = {j.parent for j in model.joints}
        self.ends = [link.name for link in model.links if link.name not in inner]
        self.multiple = self.depth * 1e-12 / EPS

    def coordinate(self, k: int, *_: int) -> str:
        return str(self.model.coordinate_names[k])


def model_numbers(robot: Robot, plain: zw.Model, peer: Peer, mimicking: list[zw.Joint], report: PeerReport) -> Iterator[Difference]:
    """Numbers of the model: limits, effects of joints, mimic, masses. mimicking: as in the file, also where the model frees them.

    plain: the model with all joints free, whose numbers are those of the file: those of a leader hold what its followers add.
    """
    model, exact = robot.model, 8.0
    kinds = {"lower": ("lower limit", "rad, m"), "upper": ("upper limit", "rad, m"), "velocity": ("velocity limit", "rad/s, m/s"),
             "effort": ("effort limit", "N m, N"), "damping": ("damping", "N m s, N s/m"), "friction": ("friction", "N m, N"),
             "armature": ("armature", "kg m², kg")}
    fields = {"velocity": "velocity_limit", "effort": "effort_limit"}
    for kind, theirs in {**peer.limits(), **peer.effects()}.items():
        quantity, unit = kinds[kind]
        if theirs is None:
            report.not_compared.append((quantity, "the library does not keep it"))
            continue
        worst, unknown = Worst(quantity, unit, exact), []
        for joint in model.joints:
            if joint.name not in theirs or follows(model, joint):
                continue
            ours = np.array(getattr(plain.joint(joint.name), fields.get(kind, kind)))
            there = ~np.isnan(ours)
            if not there.all():
                unknown.append(joint.name)
            x, y = ours[there], theirs[joint.name][there]
            with np.errstate(invalid="ignore"):
                size = np.where(np.isfinite(x), np.abs(x), 1.0)
            worst.add(x, y, size, lambda _k, name=joint.name: str(name))
        row = worst.row()
        if row is not None and kind == "armature" and not row.agrees and row.theirs == 0:
            row.note = f"{peer.name} reads no rotor inertia in the file; what follows is compared without it"
        if unknown:
            report.not_compared.append((quantity, "the file does not say it for " + shortened(unknown)))
        if row is not None:
            yield row
    if mimicking:
        yield mimic_numbers(mimicking, peer, exact)
    yield from mass_numbers(robot, peer, report)


def mimic_numbers(mimicking: list[zw.Joint], peer: Peer, exact: float) -> Difference:
    theirs = peer.mimics()
    worst = Worst("mimic", "1", exact)
    note = ""
    if theirs is None:
        worst.add([1.0], [0.0], [1.0], lambda _k: mimicking[0].name)
        note = f"{peer.name} moves {shortened([j.name for j in mimicking])} freely; the rest is compared with all joints free in zwang, too"
    for joint in mimicking if theirs is not None else []:
        assert joint.mimic is not None and theirs is not None
        leader, *numbers = joint.mimic
        found = theirs.get(joint.name, ("", np.nan, np.nan))
        ours = np.array([1.0, *numbers])
        worst.add(ours, [float(found[0] == leader), *found[1:]], 1 + np.abs(ours),
                  lambda k, name=joint.name: f"{name}: {('leader', 'multiplier', 'offset')[k]}")
    row = worst.row()
    assert row is not None
    row.note = note
    return row


def merged_masses(model: zw.Model) -> dict[str, Mass]:
    """Of bodies, by the link that the joint carries: what fixed joints add is theirs."""
    joints = {j.name: j for j in model.joints}
    q = model.neutral()
    heads: dict[str, str] = {}
    for link in model.links:
        here = link
        while here.joint is not None and joints[here.joint].type == "fixed":
            parent = joints[here.joint].parent
            if parent is None:
                break
            here = model.link(parent)
        if here.joint is not None:
            heads[link.name] = here.name
    found: dict[str, Mass] = {}
    for head in sorted(set(heads.values()), key=model.link_names.index):
        parts = [model.link(name) for name, other in heads.items() if other == head]
        back = np.linalg.inv(zw.frame_pose(model, q, head))
        mass, moment, about = 0.0, np.zeros(3), np.zeros((3, 3))
        for part in parts:
            X = back @ zw.frame_pose(model, q, part.name)
            c = X[:3, :3] @ part.centre + X[:3, 3]
            mass, moment = mass + part.mass, moment + part.mass * c
            about += X[:3, :3] @ part.inertia @ X[:3, :3].T + part.mass * (c @ c * np.eye(3) - np.outer(c, c))
        centre = moment / mass if mass > 0 else moment
        found[head] = Mass(mass, centre, about - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre)))
    return found


def mass_numbers(robot: Robot, peer: Peer, report: PeerReport) -> Iterator[Difference]:
    model = robot.model
    try:
        theirs = peer.masses()
    except NotComparable as error:
        report.not_compared.append(("mass, centre and inertia of links", message_of(error)))
        return
    ours = merged_masses(model) if peer.merges else {x.name: Mass(x.mass, x.centre, x.inertia) for x in model.links}
    missing = [name for name, x in ours.items() if name not in theirs and x.mass > 0]
    of = "bodies" if peer.merges else "links"
    if missing:
        report.not_compared.append((f"mass, centre and inertia of {of}", f"{peer.name} does not keep them for " + shortened(missing)))
    mass, centre, inertia = (Worst(f"{word} of {of}", unit, robot.multiple) for word, unit in
                             (("mass", "kg"), ("centre of mass", "m"), ("inertia", "kg m²")))
    for name, x in ours.items():
        if name not in theirs:
            continue
        y = theirs[name]
        mass.add([x.mass], [y.mass], [max(x.mass, y.mass)], lambda _k, name=name: name)
        if x.mass > 0:
            size = robot.reach if peer.merges else float(np.abs(x.centre).max() + 1e-3)
            centre.add(x.centre, y.centre, size, lambda k, name=name: f"{name}: {'xyz'[k]}")
            turning = float(np.abs(x.inertia).max() + x.mass * (x.centre @ x.centre))
            turning += peer.inertia_rounding / (robot.multiple * np.finfo(float).eps)
            inertia.add(x.inertia, y.inertia, turning, lambda i, k, name=name: f"{name}: {'xyz'[i]}{'xyz'[k]}")
    for worst in (mass, centre, inertia):
        row = worst.row()
        if row is not None:
            yield row


def follows(model: zw.Model, joint: zw.Joint) -> bool:
    """Whether it has no coordinates of its own (a mimicking joint has them where the model frees it)."""
    return joint.mimic is not None and joint.v == model.joint(joint.mimic[0]).v


def shortened(names: list[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
