# SPDX-License-Identifier: BSD-3-Clause
"""Centre of mass, and momentum about it."""
from __future__ import annotations

from typing import Any

import numpy as np

import zwang as zw

from ._arrays import Array, positional
from ._compiled import State, centerOfMass, jacobianCenterOfMass
from .data import Data
from .inertia import Inertia
from .kinematics import joint_of
from .model import Model
from .spatial import Force

__all__ = ["centerOfMass", "jacobianCenterOfMass", "jacobianSubtreeCenterOfMass", "getJacobianSubtreeCenterOfMass",
           "computeTotalMass", "computeSubtreeMasses", "ccrba", "computeCentroidalMap", "dccrba",
           "computeCentroidalMapTimeVariation", "computeCentroidalMomentum", "computeCentroidalMomentumTimeVariation"]


def jacobianSubtreeCenterOfMass(model: Model, data: Data, *args: Any, **named: Any) -> Array:
    """Jacobian of the centre of mass of what a joint carries: (q, subtree_root_joint_id) or (subtree_root_joint_id), (3, nv)."""
    first = ["q"] if "q" in named or len(args) + len(named) > 1 else []
    *state, joint_id = positional("jacobianSubtreeCenterOfMass", args, named, *first, "subtree_root_joint_id", optional={})
    s = data.move(model, *state) if state else data.now(model, "jacobianSubtreeCenterOfMass")
    frame = joint_of(s, joint_id, "jacobianSubtreeCenterOfMass")
    if joint_id == 0:
        return s.core.columns(zw.centre_of_mass_jacobian(s.core.model, s.q))
    return s.core.columns(zw.subtree_centre_of_mass_jacobian(s.core.model, s.q, frame))


getJacobianSubtreeCenterOfMass = jacobianSubtreeCenterOfMass


def computeTotalMass(model: Model, data: Data | None = None) -> float:
    """Of all that moves."""
    return float(model._inertias.array[1:, 0].sum())


def computeSubtreeMasses(model: Model, data: Data) -> None:
    """data.mass: of each joint with all that it carries; [0] is the sum."""
    core = data.core_of(model)
    data.mass = np.array([computeTotalMass(model)] + [float(zw.subtree_mass(core.model, f)) for f in core.joint_ids[1:]])


def ccrba(model: Model, data: Data, q: Any, v: Any) -> Array:
    """data.Ag with data.hg = Ag v: momentum about the centre of mass, world axes; data.Ig."""
    s = data.moved(model, "ccrba", q, v)
    _map(data, s)
    data.later(s, {"hg": lambda x: Force.view(zw.centroidal_momentum(x.core.model, x.q, x.need_v("ccrba")))})
    return data.Ag


def computeCentroidalMap(model: Model, data: Data, q: Any) -> Array:
    """data.Ag, (6, nv)."""
    _map(data, data.move(model, q))
    return data.Ag


def _map(data: Data, s: State) -> None:
    data.centre(s, True)
    data.Ag = s.core.columns(zw.centroidal_map(s.core.model, s.q))
    data.later(s, {"Ig": lambda x: Inertia(zw.centroidal_inertia(x.core.model, x.q))})


def dccrba(model: Model, data: Data, q: Any, v: Any) -> Array:
    """data.dAg: the rate of data.Ag, with Ag and hg."""
    ccrba(model, data, q, v)
    s = data.moving(model, "dccrba")
    data.dAg = s.core.columns(zw.centroidal_map_dot(s.core.model, s.q, s.need_v("dccrba")))
    return data.dAg


computeCentroidalMapTimeVariation = dccrba


def computeCentroidalMomentum(model: Model, data: Data, q: Any = None, v: Any = None) -> Force:
    """data.hg."""
    s = data.moving(model, "computeCentroidalMomentum") if q is None else data.move(model, q, v)
    data.centre(s, True)
    data.hg = Force.view(zw.centroidal_momentum(s.core.model, s.q, s.need_v("computeCentroidalMomentum")))
    return data.hg


def computeCentroidalMomentumTimeVariation(model: Model, data: Data, q: Any = None, v: Any = None, a: Any = None) -> Force:
    """data.dhg: the rate of data.hg, without gravity; data.hg."""
    who = "computeCentroidalMomentumTimeVariation"
    s = data.moving(model, who) if q is None else data.move(model, q, v, a)
    data.centre(s, True)
    data.hg = Force.view(zw.centroidal_momentum(s.core.model, s.q, s.need_v(who)))
    data.dhg = Force.view(zw.centroidal_momentum_rate(s.core.model, s.q, s.need_v(who), s.need_a(who)))
    return data.dhg
