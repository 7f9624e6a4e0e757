# SPDX-License-Identifier: BSD-3-Clause
"""zw.verify: whether a robot means the same in other libraries. `python -m zwang verify` is its command."""
from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _zwang as zw
from ._comparison import NO_EFFECTS, Difference, PeerReport, Robot, State, Worst, effects_of, follows, model_numbers, shortened
from ._peer_kdl import Kdl
from ._peer_mujoco import Mujoco
from ._peer_pinocchio import Pinocchio
from .peers import Array, NotInstalled, Peer, Refused, message_of, spans

__all__ = ["Difference", "Peer", "PeerReport", "Verification", "peers", "verify"]
_FORMATS = {"robot": "URDF", "sdf": "SDF", "mujoco": "MJCF"}
PEERS: dict[str, type[Peer]] = {"pinocchio": Pinocchio, "mujoco": Mujoco, "kdl": Kdl}  #: THE list of peers


@dataclass
class Verification:
    """What verify() found: a report for each library that was asked for; print shows the tables."""
    model: zw.Model
    samples: int
    seed: int
    reports: dict[str, PeerReport]
    asked: bool = True  #: libraries were named; otherwise those that are not installed, or do not read the format, do not count

    @property
    def agrees(self) -> bool:
        """Every library was compared, at least one, and no difference is above its tolerance."""
        counted = [report for report in self.reports.values() if self.asked or (report.installed and report.reads)]
        return bool(counted) and all(report.agrees for report in counted)

    @property
    def differs(self) -> bool:
        """A difference above its tolerance was found."""
        return any(not row.agrees for report in self.reports.values() for row in report.differences)

    @property
    def differences(self) -> list[tuple[str, Difference]]:
        """The rows above their tolerance, each with the library's name."""
        return [(name, row) for name, report in self.reports.items() for row in report.differences if not row.agrees]

    def table(self, peer: str | None = None) -> str:
        """The rows as text, of one library or of all."""
        names = list(self.reports) if peer is None else [peer]
        return "\n\n".join(_table(self, self.reports[name]) for name in names)

    def __str__(self) -> str:
        return self.table()

    def to_dict(self) -> dict[str, Any]:
        """For JSON: numbers that are not finite become texts."""
        found = {}
        for name, report in self.reports.items():
            data = asdict(report)
            for row, made in zip(report.differences, data["differences"]):
                made["agrees"] = row.agrees
            data["not_compared"] = [{"quantity": quantity, "reason": reason} for quantity, reason in report.not_compared]
            found[name] = {"agrees": report.agrees, "compared": report.compared, **data}
        finite: dict[str, Any] = _finite({"agrees": self.agrees, "robot": self.model.name, "samples": self.samples, "seed": self.seed, "peers": found})
        return finite


def peers() -> list[str]:
    """The names that verify() takes."""
    return list(PEERS)


def verify(path: str | os.PathLike[str], against: str | Sequence[str | type[Peer]] | None = None, samples: int = 8, seed: int = 1,
           root: str | None = None, *, gravity: ArrayLike | None = None, expand_mimic: bool = False, mode: str = "standard") -> Verification:
    """Whether a file of a robot means the same in other libraries: joints, limits, masses, and dynamics at random states.

    A file is refused by each library whose `Peer.reads` does not name its root element: of those here all read URDF, MuJoCo reads MJCF, too. Its
    equalities, actuators and passive forces but gravcomp are left out there.

    against: names out of pinocchio, mujoco, kdl (a list, or one text with commas), or classes derived from Peer; None: all.
    samples, seed: random configurations within limits, v and a in [-1, 1]. root: fixed, floating or planar, as in load.
    expand_mimic: compare with all mimicking joints free. Shapes are not looked at.
    Returns a Verification: agrees, differences, table(); a library that is not installed or refuses the file is in it with its own
    message. Raises ModelError for a file that zwang refuses, ValueError for a wrong argument, OSError for a file that cannot be read.
    """
    classes, place = _classes(against, samples, seed), pathlib.Path(path)
    try:
        text = "" if place.suffix == ".cbor" and place.is_file() else place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        zw.load(place, resolve_meshes=False)  # its message says what is wrong with the file
        raise
    return _verified(text, str(place), classes, against is not None, samples, seed, root, gravity, expand_mimic, mode)


def verify_standard_input(text: str, *, against: str | None, samples: int, seed: int, root: str | None, gravity: ArrayLike | None,
                          expand_mimic: bool, mode: str) -> Verification:
    return _verified(text, "-", _classes(against, samples, seed), against is not None, samples, seed, root, gravity, expand_mimic, mode)


def _verified(text: str, file_name: str, classes: dict[str, type[Peer]], asked: bool, samples: int, seed: int, root: str | None,
              gravity: ArrayLike | None, expand_mimic: bool, mode: str) -> Verification:
    if text.lstrip().startswith("{") or pathlib.PurePath(file_name).suffix in (".json", ".cbor"):
        raise ValueError(f"verify: {file_name} is no URDF: the other libraries read the same file, and they read no model documents or problems; "
                         "give the URDF that it was made from")

    path = "" if file_name == "-" else file_name

    def read(free: bool) -> zw.Model:
        return zw.loads(text, root="auto" if root is None else root, expand_mimic=free, mode=mode, gravity=gravity, resolve_meshes=False,
                        file_name=file_name, base_directory=pathlib.Path(path).parent if path else None)
    model = read(expand_mimic)
    found = Verification(model, samples, seed, {}, asked)
    mimicking = [j for j in model.joints if j.mimic is not None]
    element = _root_element(text)
    hung = next((j for j in model.joints if j.parent is None), None)
    for name, kind in classes.items():
        found.reports[name] = report = PeerReport(name)
        if element not in kind.reads:
            report.reads = False
            formats = " and ".join(_FORMATS.get(known, known) for known in kind.reads)
            report.refusal = f"it is given {formats} alone, and <{element}> is {_FORMATS.get(element, 'another format')}"
            continue
        try:
            peer = kind(text, "fixed" if hung is None else hung.type, np.array(model.gravity), bool(mimicking) and not expand_mimic, path)
        except NotInstalled as error:
            report.installed, report.refusal = False, str(error)
            continue
        except Refused as error:
            report.refusal = str(error)
            continue
        except Exception as error:  # whatever another library raises, the others are still asked
            report.refusal = f"{type(error).__name__}: {error}"
            continue
        report.version = peer.version
        plain = read(True) if mimicking else model
        relations = [] if expand_mimic else mimicking
        report.differences.extend(_compare(model if peer.follows_mimic else plain, plain, peer, relations, samples, seed, report))
        report.notes.extend(peer.notes)
    return found


def _root_element(text: str) -> str:
    start = re.search(r"<([A-Za-z_][^\s/>]*)", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL))
    return start[1] if start else ""


def _classes(against: str | Sequence[str | type[Peer]] | None, samples: int, seed: int) -> dict[str, type[Peer]]:
    for argument, value, least in (("samples", samples, 1), ("seed", seed, 0)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"verify: argument '{argument}' is {value!r}, expected a whole number from {least}")
    words: Sequence[str | type[Peer]] = [x.strip() for x in against.split(",")] if isinstance(against, str) else against or list(PEERS)
    found: dict[str, type[Peer]] = {}
    for word in words:
        if isinstance(word, type) and issubclass(word, Peer):
            found[word.name or word.__name__] = word
        elif isinstance(word, str) and word in PEERS:
            found[word] = PEERS[word]
        else:
            raise ValueError(f"verify: argument 'against' names {word!r}, expected some of {', '.join(PEERS)}")
    return found


def _compare(model: zw.Model, plain: zw.Model, peer: Peer, mimicking: list[zw.Joint], samples: int, seed: int,
             report: PeerReport) -> Iterator[Difference]:
    theirs = peer.joints()
    ours = {j.name: spans(j) for j in model.joints if spans(j) > 0 and not follows(model, j)}
    differ = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
    nv = sum(theirs.values())
    report.joint_order = list(theirs)
    yield Difference("joints", "1", float(len(differ)), 1.0, 0.0, 0.0, shortened(differ) or "all names and sizes", float(len(ours)),
                     float(len(theirs)), len(ours))
    yield Difference("coordinates", "1", float(abs(model.nv - nv)), 1.0, 0.0, 0.0, shortened(differ), float(model.nv), float(nv), 1)
    if differ:
        report.not_compared.append(("everything else", f"the joints differ: {shortened(differ)}"))
        return
    peer.attach(model)
    report.coordinate_order = [int(k) for k in peer.at_v]
    robot = Robot(model)
    yield from model_numbers(robot, plain, peer, mimicking, report)
    common = [name for name in peer.links() if name in set(model.link_names)]
    alone = [name for name in model.link_names if name not in common]
    if alone:
        report.not_compared.append(("poses of links", f"{peer.name} has no " + shortened(alone)))
    yield from _of_ground(robot, peer, report)
    if model.nv == 0:
        samples = 1
    for quantity in QUANTITIES:
        worst = Worst(quantity.name, quantity.unit, robot.multiple)
        try:
            for k in range(samples):
                quantity.compare(robot, peer, common, seed + k, worst)
        except Exception as error:  # every reason is reported
            report.not_compared.append((quantity.name, message_of(error)))
            continue
        row = worst.row()
        if row is not None:
            yield row


def _ground(model: zw.Model) -> list[zw.Link]:
    return [link for link in model.links if link.body == 0]


def _of_ground(robot: Robot, peer: Peer, report: PeerReport) -> Iterator[Difference]:
    """Total mass. What is said of links on the ground is once here, for all sums of masses."""
    model, worst = robot.model, Worst("total mass", "kg", robot.multiple)
    ground = 0.0 if peer.counts_ground else sum(link.mass for link in _ground(model))
    try:
        worst.add([model.mass - ground], [peer.total_mass()], [model.mass], lambda _k: "all links")
    except Exception as error:
        report.not_compared.append(("total mass", message_of(error)))
        return
    if ground > 0:
        report.notes.append(f"{ground:g} kg of links fixed to the world are in no sum there: left out here, too")
    row = worst.row()
    if row is not None:
        yield row


@dataclass(frozen=True)
class Quantity:
    """One line of THE list: compare() adds entries of one state."""
    name: str
    unit: str
    compare: Callable[[Robot, Peer, list[str], int, Worst], None]


def _positions(robot: Robot, peer: Peer, links: list[str], seed: int, worst: Worst) -> None:
    s = State(robot, seed)
    ours, theirs = zw.frame_poses(robot.model, s.q, links), peer.poses(s.q, links)
    worst.add(ours[:, :3, 3], theirs[:, :3, 3], s.reach, lambda i, k: f"{links[i]}: {'xyz'[k]}")


def _orientations(robot: Robot, peer: Peer, links: list[str], seed: int, worst: Worst) -> None:
    s = State(robot, seed)
    ours, theirs = zw.frame_poses(robot.model, s.q, links), peer.poses(s.q, links)
    worst.add(ours[:, :3, :3], theirs[:, :3, :3], 1.0, lambda i, *_: links[i])


def _centre(robot: Robot, peer: Peer, _links: list[str], seed: int, worst: Worst) -> None:
    s, m = State(robot, seed), robot.model
    centre = zw.centre_of_mass(m, s.q)  # of what moves
    if peer.counts_ground and m.mass > 0:
        still = _ground(m)
        moving = m.mass - sum(x.mass for x in still)
        centre = (moving * centre + sum((x.mass * _centre_of(m, s.q, x) for x in still), np.zeros(3))) / m.mass
    worst.add(centre, peer.centre_of_mass(s.q), s.reach, lambda k: "xyz"[k])


def _centre_of(model: zw.Model, q: Array, link: zw.Link) -> Array:
    X = zw.frame_pose(model, q, link.name)
    out: Array = X[:3, :3] @ link.centre + X[:3, 3]
    return out


def _jacobians(robot: Robot, peer: Peer, links: list[str], seed: int, worst: Worst) -> None:
    s, m = State(robot, seed), robot.model
    ours = np.array([zw.jacobian(m, s.q, link, "local_world_aligned") for link in links])
    faster = np.maximum(1.0, [max((abs(j.mimic[1]) for j in m.joints if j.mimic and j.v.start <= k < j.v.stop), default=1.0) for k in range(m.nv)])
    worst.add(ours, peer.jacobians(s.q, links), np.maximum(1.0, s.reach) * faster, lambda i, _r, k: f"{links[i]} by {robot.coordinate(k)}")


def _mass_matrix(robot: Robot, peer: Peer, _links: list[str], seed: int, worst: Worst) -> None:
    s = State(robot, seed)
    ours = zw.mass_matrix(robot.model, s.q, joint_effects=NO_EFFECTS)
    worst.add(ours, peer.mass_matrix(s.q), np.outer(s.arm, s.arm), lambda i, k: f"{robot.coordinate(i)}, {robot.coordinate(k)}")


def _gravity(robot: Robot, peer: Peer, _links: list[str], seed: int, worst: Worst) -> None:
    s = State(robot, seed)
    worst.add(zw.static_torque(robot.model, s.q, joint_effects=effects_of(peer)), peer.gravity_torque(s.q), s.lever * s.gravity, robot.coordinate)


def _inverse(robot: Robot, peer: Peer, _links: list[str], seed: int, worst: Worst) -> None:
    for moving in peer.independent():
        s = State(robot, seed, moving)
        ours = zw.inverse_dynamics(robot.model, s.q, s.v, s.a, joint_effects=effects_of(peer))[moving]
        scale = (s.lever * s.accelerations(robot, s.a))[moving]
        worst.add(ours, peer.inverse_dynamics(s.q, s.v, s.a)[moving], scale, lambda k, at=moving: robot.coordinate(at[k]))


def _forward(robot: Robot, peer: Peer, _links: list[str], seed: int, worst: Worst) -> None:
    s, m = State(robot, seed), robot.model
    tau = s.tau * np.abs(zw.inverse_dynamics(m, s.q, s.v, s.a, joint_effects=NO_EFFECTS))
    ours = zw.forward_dynamics(m, s.q, s.v, tau, joint_effects=effects_of(peer))
    inverse = np.abs(np.linalg.inv(zw.mass_matrix(m, s.q, joint_effects=NO_EFFECTS)))
    scale = inverse @ (np.abs(tau) + s.lever * s.accelerations(robot, ours))
    worst.add(ours, peer.forward_dynamics(s.q, s.v, tau), scale, robot.coordinate)


def _kinetic(robot: Robot, peer: Peer, _links: list[str], seed: int, worst: Worst) -> None:
    s, m = State(robot, seed), robot.model
    ours = zw.kinetic_energy(m, s.q, s.v, joint_effects=NO_EFFECTS)
    scale = 0.5 * m.mass * s.speed(robot) ** 2
    worst.add([ours], [peer.kinetic_energy(s.q, s.v)], scale, lambda _k: "whole robot")


def _potential(robot: Robot, peer: Peer, _links: list[str], seed: int, worst: Worst) -> None:
    s, m = State(robot, seed), robot.model
    ours = zw.potential_energy(m, s.q, joint_effects=NO_EFFECTS)
    if peer.counts_ground:  # zwang's is of what moves
        ours -= sum(x.mass * float(m.gravity @ _centre_of(m, s.q, x)) for x in _ground(m))
    worst.add([ours], [peer.potential_energy(s.q)], m.mass * s.gravity * s.reach, lambda _k: "whole robot")


QUANTITIES = (
    Quantity("position of links", "m", _positions),
    Quantity("orientation of links", "1", _orientations),
    Quantity("centre of mass", "m", _centre),
    Quantity("Jacobian", "1, m", _jacobians),
    Quantity("mass matrix", "kg m²", _mass_matrix),
    Quantity("gravity torque", "N m, N", _gravity),
    Quantity("inverse dynamics", "N m, N", _inverse),
    Quantity("forward dynamics", "rad/s², m/s²", _forward),
    Quantity("kinetic energy", "J", _kinetic),
    Quantity("potential energy", "J", _potential),
)


def _finite(x: Any) -> Any:
    if isinstance(x, dict):
        return {key: _finite(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [_finite(value) for value in x]
    return repr(x) if isinstance(x, float) and not np.isfinite(x) else x


def _table(found: Verification, report: PeerReport) -> str:
    title = f"{report.peer} {report.version}".rstrip()
    if report.refusal:
        return f"{title}: {'refuses the robot' if report.installed else 'cannot be imported'}: {report.refusal}"
    bad = [row for row in report.differences if not row.agrees]
    verdict = "agrees" if not bad else "differs in " + ", ".join(dict.fromkeys(row.quantity for row in bad))
    lines = [f"{title}: {verdict} ({found.samples} states, seed {found.seed})"]
    head = ("quantity", "difference", "tolerance", "of eps x", "largest at", "zwang", report.peer)
    rows = [head]
    for row in report.differences:
        factor = f"{row.multiple:.0f} x {row.scale:.2g}" if row.tolerance else "exact"
        rows.append((f"{row.quantity} [{row.unit}]", f"{row.largest:.2g}", f"{row.tolerance:.2g}", factor, row.where, f"{row.ours:.10g}",
                     f"{row.theirs:.10g}" + ("" if row.agrees else "  differs")))
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    lines += ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    lines += [f"  {row.quantity}: {row.note}" for row in report.differences if row.note]
    if report.coordinate_order != sorted(report.coordinate_order):
        lines.append("  other order: v there is v here at " + " ".join(map(str, report.coordinate_order)))
    lines += [f"  note: {note}" for note in report.notes]
    lines += [f"  not compared: {quantity}: {reason}" for quantity, reason in report.not_compared]
    return "\n".join(lines)
