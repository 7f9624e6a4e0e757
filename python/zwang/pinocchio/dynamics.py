# SPDX-License-Identifier: BSD-3-Clause
"""Inverse and forward dynamics, matrices, energies. Armature counts; damping and friction of the model do not, as there."""
from __future__ import annotations

from typing import Any

import zwang as zw

from ._arrays import Array
from .data import Data, State
from .frames import Convention
from .inertia import Inertia
from .model import Model
from .spatial import Force

__all__ = ["rnea", "aba", "crba", "nonLinearEffects", "nle", "computeGeneralizedGravity", "computeStaticTorque",
           "computeCoriolisMatrix", "getCoriolisMatrix", "computeMinverse", "computeAllTerms", "computeKineticEnergy",
           "computePotentialEnergy", "computeMechanicalEnergy", "abaInParallel", "rneaInParallel"]


def rnea(model: Model, data: Data, q: Any, v: Any, a: Any, fext: Any = None) -> Array:
    """data.tau: torques that produce the acceleration a. fext: a Force per joint, in its axes about its origin."""
    core = data.core_of(model)
    x, w, b, external = core.q(q), core.v(v), core.v(a, "a"), core.external(fext)
    data._at["motion"] = data._at["forces"] = State(core, x, w.copy(), b.copy(), external)
    if external is None:
        data.tau = core.rows(zw.inverse_dynamics(core.model, x, w, b))
    else:
        data.tau = core.rows(zw.inverse_dynamics(core.model, x, w, b, external=external, in_="local"))
    return data.tau


def aba(model: Model, data: Data, q: Any, v: Any, tau: Any, fext: Any = None, convention: Convention = Convention.LOCAL) -> Array:
    """data.ddq: accelerations that torques cause."""
    if isinstance(fext, Convention):
        fext, convention = None, fext
    core = data.core_of(model)
    external = core.external(fext)
    x, w, t = core.q(q), core.v(v), core.v(tau, "tau")
    if external is None:
        data.ddq = core.rows(zw.forward_dynamics(core.model, x, w, t))
    else:
        data.ddq = core.rows(zw.forward_dynamics(core.model, x, w, t, external=external, in_="local"))
    if convention == Convention.WORLD:
        data.move(model, q, v, data.ddq)
    return data.ddq


def crba(model: Model, data: Data, q: Any, convention: Convention = Convention.LOCAL) -> Array:
    """data.M: the mass matrix, both triangles, armature on its diagonal."""
    core = data.core_of(model)
    data.M = core.both(zw.mass_matrix(core.model, core.q(q)))
    if convention == Convention.WORLD:
        data.move(model, q)
    return data.M


def nonLinearEffects(model: Model, data: Data, q: Any, v: Any) -> Array:
    """data.nle: C v + g."""
    core = data.core_of(model)
    data.nle = core.rows(zw.bias_forces(core.model, core.q(q), core.v(v)))
    return data.nle


nle = nonLinearEffects


def computeGeneralizedGravity(model: Model, data: Data, q: Any) -> Array:
    """data.g: torques that hold the robot still."""
    core = data.core_of(model)
    data.g = core.rows(zw.gravity_forces(core.model, core.q(q)))
    return data.g


def computeStaticTorque(model: Model, data: Data, q: Any, fext: Any) -> Array:
    """data.tau: torques that hold the robot still under the external forces."""
    core = data.core_of(model)
    data.tau = core.rows(zw.static_torque(core.model, core.q(q), external=core.external(fext), in_="local"))
    return data.tau


def computeCoriolisMatrix(model: Model, data: Data, q: Any, v: Any) -> Array:
    """data.C with C v + g = nle, and dM/dt - 2 C antisymmetric."""
    s = data.moved(model, "computeCoriolisMatrix", q, v)
    data.C = s.core.both(zw.coriolis_matrix(s.core.model, s.q, s.need_v("computeCoriolisMatrix")))
    return data.C


def getCoriolisMatrix(model: Model, data: Data) -> Array:
    """data.C of the state of the last call."""
    s = data.moving(model, "getCoriolisMatrix")
    data.C = s.core.both(zw.coriolis_matrix(s.core.model, s.q, s.need_v("getCoriolisMatrix")))
    return data.C


def computeMinverse(model: Model, data: Data, q: Any = None) -> Array:
    """data.Minv: the inverse of the mass matrix, both triangles."""
    s = data.now(model, "computeMinverse") if q is None else data.move(model, q)
    data.Minv = s.core.both(zw.mass_matrix_inverse(s.core.model, s.q))
    return data.Minv


def computeAllTerms(model: Model, data: Data, q: Any, v: Any) -> None:
    """M, nle, g, kinematics, J, com, Jcom, Ag, hg, Ig, energies."""
    s = data.moved(model, "computeAllTerms", q, v)
    m, w = s.core.model, s.need_v("computeAllTerms")
    core, terms = s.core, zw.all_terms(m, s.q, w)
    data.centre(s, False)
    data.M, data.nle = core.both(terms.mass_matrix), core.rows(terms.bias_forces)
    data.later(g=lambda: core.rows(terms.gravity_forces), Ag=lambda: core.columns(zw.centroidal_map(m, s.q)),
               hg=lambda: Force.view(zw.centroidal_momentum(m, s.q, w)), Ig=lambda: Inertia(zw.centroidal_inertia(m, s.q)),
               Jcom=lambda: core.columns(zw.centre_of_mass_jacobian(m, s.q)),
               kinetic_energy=lambda: float(zw.kinetic_energy(m, s.q, w)), potential_energy=lambda: float(zw.potential_energy(m, s.q)),
               mechanical_energy=lambda: float(zw.mechanical_energy(m, s.q, w)))


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
