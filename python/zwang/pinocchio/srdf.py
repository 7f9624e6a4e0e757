# SPDX-License-Identifier: BSD-3-Clause
"""SRDF: reference configurations and rotors."""
from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np

from .configurations import neutral
from .joints import JointModelMimic
from .model import Model

__all__ = ["loadReferenceConfigurationsFromXML", "loadReferenceConfigurations", "loadRotorParameters"]


def _root(text: str) -> Any:
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"the SRDF is no XML: {error}") from error


def _text(srdf_filename: Any) -> str:
    with open(os.fspath(srdf_filename), encoding="utf-8") as file:
        return file.read()


def _numbers(text: str, what: str) -> list[float]:
    try:
        return [float(x) for x in text.split()]
    except ValueError:
        raise ValueError(f"{what} is '{text}', expected numbers") from None


def loadReferenceConfigurationsFromXML(model: Model, srdf_xml_stream: str, verbose: bool = False) -> None:
    """model.referenceConfigurations of every group_state; joints that it does not name are neutral, names that the model lacks are left out.

    A joint without limits has one number, its angle, or its cosine and sine.
    """
    for state in _root(srdf_xml_stream).iter("group_state"):
        q = neutral(model)
        for given in state.iter("joint"):
            name, values = given.get("name", ""), _numbers(given.get("value", ""), f"the value of joint '{given.get('name')}'")
            if not model.existJointName(name) or isinstance(model.joints[model.getJointId(name)], JointModelMimic):
                if verbose:
                    print(f"SRDF: the model has no joint '{name}' of its own")
                continue
            joint = model.joints[model.getJointId(name)]
            if joint.nq == 2 and joint.nv == 1 and len(values) == 1:
                values = [np.cos(values[0]), np.sin(values[0])]
            if len(values) != joint.nq:
                raise ValueError(f"SRDF: joint '{name}' has {len(values)} numbers in '{state.get('name')}', expected {joint.nq}")
            q[joint.idx_q:joint.idx_q + joint.nq] = values
        model.referenceConfigurations[state.get("name", "")] = q


def loadReferenceConfigurations(model: Model, srdf_filename: Any, verbose: bool = False) -> None:
    """The same of a file."""
    loadReferenceConfigurationsFromXML(model, _text(srdf_filename), verbose)


def loadRotorParameters(model: Model, srdf_filename: Any, verbose: bool = False) -> bool:
    """model.rotorInertia, rotorGearRatio and armature = ratio^2 inertia, of the rotor_params of a file."""
    for group in _root(_text(srdf_filename)).iter("rotor_params"):
        for given in group.iter("joint"):
            name = given.get("name", "")
            if not model.existJointName(name):
                if verbose:
                    print(f"SRDF: the model has no joint '{name}'")
                continue
            joint = model.joints[model.getJointId(name)]
            inertia, ratio = float(given.get("mass", given.get("inertia", "0"))), float(given.get("gear_ratio", "1"))
            at = slice(joint.idx_v, joint.idx_v + joint.nv)
            model.rotorInertia[at], model.rotorGearRatio[at], model.armature[at] = inertia, ratio, ratio**2 * inertia
    return True
