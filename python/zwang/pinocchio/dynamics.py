# SPDX-License-Identifier: BSD-3-Clause
"""Inverse and forward dynamics, matrices, energies. Armature counts; damping and friction of the model do not, as there."""
from __future__ import annotations

from typing import Any

import zwang as zw

from . import _compiled
from ._arrays import Array
from ._compiled import (State, aba, computeAllTerms, computeCoriolisMatrix, computeGeneralizedGravity, computeMinverse, crba, getCoriolisMatrix,
                        nonLinearEffects, rnea)
from .data import Data
from .inertia import Inertia
from .model import Model
from .spatial import Force

__all__ = ["rnea", "aba", "crba", "nonLinearEffects", "nle", "computeGeneralizedGravity", "computeStaticTorque",
           "computeCoriolisMatrix", "getCoriolisMatrix", "computeMinverse", "computeAllTerms", "computeKineticEnergy",
           "computePotentialEnergy", "computeMechanicalEnergy", "abaInParallel", "rneaInParallel"]


nle = nonLinearEffects


def computeStaticTorque(model: Model, data: Data, q: Any, fext: Any) -> Array:
    """data.tau: torques that hold the robot still under the external forces."""
    core = data.core_of(model)
    data.tau = core.rows(zw.static_torque(core.model, core.q(q), external=core.external(fext), in_="local"))
    return data.tau


_compiled.register_all_terms({
    "hg": lambda s: Force.view(zw.centroidal_momentum(s.core.model, s.q, s.v)),
    "Ig": lambda s: Inertia(zw.centroidal_inertia(s.core.model, s.q)),
    "Jcom": lambda s: s.core.columns(zw.centre_of_mass_jacobian(s.core.model, s.q)),
    "kinetic_energy": lambda s: float(zw.kinetic_energy(s.core.model, s.q, s.v)),
    "potential_energy": lambda s: float(zw.potential_energy(s.core.model, s.q)),
    "mechanical_energy": lambda s: float(zw.mechanical_energy(s.core.model, s.q, s.v)),
})


def _energy_state(model: Model, data: Data, q: Any, v: Any, who: str, moving: bool) -> State:
    if q is not None:
        return data.move(model, q, v)
    return data.moving(model, who) if moving else data.now(model, who)


def computeKineticEnergy(model: Model, data: Data, q: Any = None, v: Any = None) -> float:
    """data.kinetic_energy."""
    s = _energy_state(model, data, q, v, "computeKineticEnergy", True)
    data.kinetic_energy = float(zw.kinetic_energy(s.core.model, s.q, s.need_v("computeKineticEnergy")))
    return data.kinetic_energy


def computePotentialEnergy(model: Model, data: Data, q: Any = None) -> float:
    """data.potential_energy, 0 at the world's origin."""
    s = _energy_state(model, data, q, None, "computePotentialEnergy", False)
    data.potential_energy = float(zw.potential_energy(s.core.model, s.q))
    return data.potential_energy


def computeMechanicalEnergy(model: Model, data: Data, q: Any = None, v: Any = None) -> float:
    """data.mechanical_energy: the sum of the two."""
    s = _energy_state(model, data, q, v, "computeMechanicalEnergy", True)
    data.kinetic_energy = float(zw.kinetic_energy(s.core.model, s.q, s.need_v("computeMechanicalEnergy")))
    data.potential_energy = float(zw.potential_energy(s.core.model, s.q))
    data.mechanical_energy = data.kinetic_energy + data.potential_energy
    return data.mechanical_energy


def abaInParallel(*_: Any) -> None:
    """Refused: zwang's calls take many states at once."""
    raise NotImplementedError("zwang.pinocchio has no abaInParallel: zwang.forward_dynamics(model.core().model, q, v, tau) takes arrays (N, nv)")


def rneaInParallel(*_: Any) -> None:
    """Refused: zwang's calls take many states at once."""
    raise NotImplementedError("zwang.pinocchio has no rneaInParallel: zwang.inverse_dynamics(model.core().model, q, v, a) takes arrays (N, nv)")
