# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of a model that a study varies: edits of its document, after which the model is built and checked anew.

    mass:LINK                   mass [kg]; the inertia is scaled with it, as by another density
    inertia:LINK                a factor of the inertia about the centre of mass
    centre:LINK.x .y .z         centre of mass in the link's frame [m]
    length:JOINT                a factor of the joint's position in its parent
    position:JOINT.x .y .z      that position [m]
    payload:LINK                mass [kg] of a point at the origin of the link's frame
    gravity:x, :y, :z           [m/s^2]
    damping:JOINT, friction:JOINT, stiffness:JOINT, rotor_inertia:JOINT, effort:JOINT    of all coordinates of the joint
"""
from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from .. import _zwang as zw
from ._words import among, nearest

Document: TypeAlias = dict[str, Any]
_OF_LINKS = ("mass", "inertia", "centre", "payload")
_OF_JOINTS = ("length", "position", "damping", "friction", "stiffness", "rotor_inertia", "effort")
_ORDER = ("mass", "inertia", "centre", "payload", "position", "length")
EFFECTS = ("damping:", "friction:", "stiffness:")  # count where a call is given joint effects
KINDS = (*_OF_LINKS, *_OF_JOINTS, "gravity")


def order(name: str) -> tuple[int, str]:
    """Edits are made in this order, whatever order they are given in: a payload comes onto the changed mass."""
    kind = name.split(":", 1)[0]
    return (_ORDER.index(kind) if kind in _ORDER else len(_ORDER), name)


def is_parameter(name: str) -> bool:
    return ":" in name


def units(name: str) -> str:
    kind = name.split(":", 1)[0]
    return {"mass": "kg", "payload": "kg", "centre": "m", "position": "m", "gravity": "m/s^2", "inertia": "1", "length": "1"}.get(kind, "")


def document_of(model: zw.Model) -> Document:
    """The model's document without what its motion does not depend on: files, lines, shapes."""
    found: Document = _without(json.loads(model.to_json()), ("place", "shapes", "source"))
    return found


def _without(given: Any, keys: tuple[str, ...]) -> Any:
    if isinstance(given, dict):
        return {k: _without(x, keys) for k, x in given.items() if k not in keys}
    return [_without(x, keys) for x in given] if isinstance(given, list) else given


def model_of(document: Mapping[str, Any]) -> zw.Model:
    return zw.model_from_json(json.dumps(document))


def changed(document: Document, values: Mapping[str, float]) -> zw.Model:
    """The model with parameters of these values. Raises ValueError naming the parameter, ModelError for a robot that is refused."""
    own: Document = json.loads(json.dumps(document))
    for name, value in sorted(values.items(), key=lambda x: order(x[0])):
        _edit(own, name, float(value))
    return model_of(own)


def check(document: Document, name: str) -> None:
    """Raises ValueError where the model has no such parameter."""
    _edit(json.loads(json.dumps(document)), name, 1.0)


def _edit(document: Document, name: str, value: float) -> None:
    kind, _, whom = name.partition(":")
    if kind not in KINDS:
        raise ValueError(f"parameter '{name}': there is no kind '{kind}'{among(kind, KINDS, 'Kinds')}")
    if kind == "gravity":
        if whom not in ("x", "y", "z"):
            raise ValueError(f"parameter '{name}': expected gravity:x, gravity:y or gravity:z")
        document.setdefault("options", {}).setdefault("gravity", [0.0, 0.0, -9.81])["xyz".index(whom)] = value
        return
    part = None
    if kind in ("centre", "position"):
        whom, _, part = whom.rpartition(".")
        if part not in ("x", "y", "z"):
            raise ValueError(f"parameter '{name}': expected {kind}:NAME.x, .y or .z")
    what = "link" if kind in _OF_LINKS else "joint"
    entries = document[what + "s"]
    entry = next((x for x in entries if x["name"] == whom), None)
    if entry is None:
        raise ValueError(f"parameter '{name}': the model has no {what} '{whom}'{nearest(whom, [x['name'] for x in entries])}")
    _EDITS[kind](entry, value, part, name, kind)


def _mass(link: Document, value: float, _part: str | None, name: str, _kind: str) -> None:
    mass = link.get("mass", 0.0)
    if mass <= 0:
        raise ValueError(f"parameter '{name}': the link has no mass, whose inertia could be scaled")
    link["inertia"] = [x * (value / mass) for x in link.get("inertia", [0.0] * 6)]
    link["mass"] = value


def _inertia(link: Document, value: float, _part: str | None, _name: str, _kind: str) -> None:
    link["inertia"] = [x * value for x in link.get("inertia", [0.0] * 6)]


def _centre(link: Document, value: float, part: str | None, _name: str, _kind: str) -> None:
    link.setdefault("centre", [0.0, 0.0, 0.0])["xyz".index(str(part))] = value


def _payload(link: Document, value: float, _part: str | None, name: str, _kind: str) -> None:
    """A point mass at the origin: inertias about the new centre by the parallel-axis theorem."""
    mass, centre = link.get("mass", 0.0), np.array(link.get("centre", [0.0, 0.0, 0.0]))
    if mass + value <= 0:
        if value == 0:
            return
        raise ValueError(f"parameter '{name}': {value:g} kg leaves the link a mass of {mass + value:g} kg")
    reduced = mass * value / (mass + value)
    xx, xy, xz, yy, yz, zz = (reduced * x for x in _about(centre))
    link["inertia"] = [a + b for a, b in zip(link.get("inertia", [0.0] * 6), (xx, xy, xz, yy, yz, zz))]
    link["centre"], link["mass"] = (centre * (mass / (mass + value))).tolist(), mass + value


def _about(r: Any) -> tuple[float, ...]:
    x, y, z = map(float, r)
    return (y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y)


def _position(joint: Document) -> list[float]:
    origin: Document = joint.setdefault("origin", {})
    found: list[float] = origin.setdefault("position", [0.0, 0.0, 0.0])
    return found


def _length(joint: Document, value: float, _part: str | None, _name: str, _kind: str) -> None:
    _position(joint)[:] = [x * value for x in _position(joint)]


def _place(joint: Document, value: float, part: str | None, _name: str, _kind: str) -> None:
    _position(joint)["xyz".index(str(part))] = value


def _of_coordinates(joint: Document, value: float, _part: str | None, name: str, kind: str) -> None:
    known = joint.get(kind)
    count = len(known) if known else _COORDINATES.get(joint["type"])
    if not count:
        raise ValueError(f"parameter '{name}': joint '{joint['name']}' ({joint['type']}) has no {kind}")
    joint[kind] = [value] * count


_COORDINATES = {name: nv for name, (_, nv, _) in zw._joint_table().items()}  # type: ignore[attr-defined]  # no name of the stub
_EDITS: dict[str, Callable[[Document, float, str | None, str, str], None]] = {
    "mass": _mass, "inertia": _inertia, "centre": _centre, "payload": _payload, "length": _length, "position": _place,
    "damping": _of_coordinates, "friction": _of_coordinates, "stiffness": _of_coordinates, "rotor_inertia": _of_coordinates,
    "effort": _of_coordinates}
