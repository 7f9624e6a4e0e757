# SPDX-License-Identifier: BSD-3-Clause
"""Pinocchio for verify(): it reads the URDF by itself.

Its order of joints is its own; an angle without limits is (cos, sin) in q, and so is that of a planar joint; free joints have zwang's
coordinates. Links behind fixed joints are merged into bodies and stay frames; what is fixed to the world is in no sum of masses.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from .peers import ROOT_JOINT, Array, Mass, NotInstalled, Peer, Refused, message_of, unlimited


class Pinocchio(Peer):
    name = "pinocchio"
    merges = True
    counts_ground = False

    def read(self) -> None:
        self.pin = self.imported("pinocchio", "pip install pin")
        self.version = str(getattr(self.pin, "__version__", ""))
        if not hasattr(self.pin, "buildModelFromXML"):
            raise NotInstalled(f"the package pinocchio at {getattr(self.pin, '__file__', '?')} has no buildModelFromXML: another package; to install it: pip install pin")
        joints = {"fixed": (), "floating": ("JointModelFreeFlyer",), "planar": ("JointModelPlanar",)}
        if self.root not in joints:
            raise Refused(f"it has no root joint of the type {self.root}")
        arguments = [self.text, *(getattr(self.pin, word)() for word in joints[self.root])]
        if self.keep_mimic:
            try:
                self.robot = self.pin.buildModelFromXML(*arguments, mimic=True)
                self.follows_mimic = True
            except Exception as error:  # every failure is reported with its message
                self.notes.append(f"with mimic=True it refuses the file ({message_of(error)}): all joints are free there")
        if not self.follows_mimic:
            try:
                self.robot = self.pin.buildModelFromXML(*arguments)
            except Exception as error:
                raise Refused(message_of(error)) from error
        self.robot.gravity.linear = self.gravity
        self.damping, self.friction = self._numbers("damping"), self._numbers("friction", "upperDryFrictionLimit")
        self.armature = self._numbers("armature")
        if self.armature is not None:
            self.robot.armature = np.zeros(self.robot.nv)
        self.data = self.robot.createData()
        self.own = [k for k in range(1, self.robot.njoints) if self.robot.joints[k].nv > 0]

    def _numbers(self, *names: str) -> Array | None:
        for name in names:
            if hasattr(self.robot, name):
                return np.array(getattr(self.robot, name), dtype=float)
        return None

    def _joint_name(self, k: int) -> str:
        return ROOT_JOINT if k == 1 and self.root != "fixed" else str(self.robot.names[k])

    def joints(self) -> dict[str, int]:
        return {self._joint_name(k): int(self.robot.joints[k].nv) for k in self.own}

    def _per_joint(self, x: Array | None) -> dict[str, Array] | None:
        if x is None:
            return None
        joints = {self._joint_name(k): self.robot.joints[k] for k in self.own}
        return {name: unlimited(x[j.idx_v:j.idx_v + j.nv]) for name, j in joints.items()}

    def limits(self) -> dict[str, dict[str, Array] | None]:
        lower: dict[str, Array] = {}
        upper: dict[str, Array] = {}
        for k in self.own:
            j, name = self.robot.joints[k], self._joint_name(k)
            if j.nq == 1:
                lower[name] = unlimited(self.robot.lowerPositionLimit[j.idx_q:j.idx_q + 1])
                upper[name] = unlimited(self.robot.upperPositionLimit[j.idx_q:j.idx_q + 1])
            elif j.nq == 2:  # on a circle: no limit
                lower[name], upper[name] = np.array([-np.inf]), np.array([np.inf])
        return {"lower": lower, "upper": upper, "velocity": self._per_joint(self._numbers("upperVelocityLimit", "velocityLimit")),
                "effort": self._per_joint(self._numbers("upperEffortLimit", "effortLimit"))}

    def effects(self) -> dict[str, dict[str, Array] | None]:
        return {"damping": self._per_joint(self.damping), "friction": self._per_joint(self.friction),
                "armature": self._per_joint(self.armature)}

    def mimics(self) -> dict[str, tuple[str, float, float]] | None:
        if not self.follows_mimic:
            return None
        found = {}
        for k in range(1, self.robot.njoints):
            j = self.robot.joints[k]
            if "Mimic" in j.shortname():
                leader = next(n for n in self.own if self.robot.joints[n].idx_v == j.idx_v)
                inner = j.extract() if hasattr(j, "extract") else j
                found[self._joint_name(k)] = (self._joint_name(leader), float(inner.scaling), float(inner.offset))
        return found

    def links(self) -> list[str]:
        kind = self.pin.FrameType.BODY
        return [str(f.name) for f in self.robot.frames if f.type == kind and f.name != "universe"]

    def masses(self) -> dict[str, Mass]:
        found = {}
        for k in range(1, self.robot.njoints):
            name = self._joint_name(k)
            y = self.robot.inertias[k]
            found[self.model.joint(name).child] = Mass(float(y.mass), np.array(y.lever), np.array(y.inertia))
        return found

    def total_mass(self) -> float:
        return float(self.pin.computeTotalMass(self.robot))

    def to_peer(self, q: Array) -> Array:
        """q as Pinocchio has it."""
        out = np.empty(self.robot.nq)
        for k, joint in zip(self.own, self.order):
            j, x = self.robot.joints[k], q[joint.q]
            if j.nq == joint.q.stop - joint.q.start + 1:  # the last number is an angle
                x = np.array([*x[:-1], np.cos(x[-1]), np.sin(x[-1])])
            out[j.idx_q:j.idx_q + j.nq] = x
        return out

    def frame_of(self, link: str) -> int:
        return int(self.robot.getFrameId(link, self.pin.FrameType.BODY))

    def poses(self, q: Array, links: list[str]) -> Array:
        self.pin.framesForwardKinematics(self.robot, self.data, self.to_peer(q))
        return np.array([self.data.oMf[self.frame_of(link)].homogeneous for link in links])

    def jacobians(self, q: Array, links: list[str]) -> Array:
        here = self.to_peer(q)
        out = np.zeros((len(links), 6, self.model.nv))
        for k, link in enumerate(links):
            J: Any = self.pin.computeFrameJacobian(self.robot, self.data, here, self.frame_of(link), self.pin.LOCAL_WORLD_ALIGNED)
            out[k][:, self.at_v] = J
        return out

    def centre_of_mass(self, q: Array) -> Array:
        return np.array(self.pin.centerOfMass(self.robot, self.data, self.to_peer(q)))

    def mass_matrix(self, q: Array) -> Array:
        M = np.triu(np.array(self.pin.crba(self.robot, self.data, self.to_peer(q))))  # older versions fill the upper triangle alone
        return self.matrix_in_order(M + np.triu(M, 1).T)

    def gravity_torque(self, q: Array) -> Array:
        return self.in_order(self.pin.computeGeneralizedGravity(self.robot, self.data, self.to_peer(q)))

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self.in_order(self.pin.rnea(self.robot, self.data, self.to_peer(q), v[self.at_v], a[self.at_v]))

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return self.in_order(self.pin.aba(self.robot, self.data, self.to_peer(q), v[self.at_v], tau[self.at_v]))

    def kinetic_energy(self, q: Array, v: Array) -> float:
        return float(self.pin.computeKineticEnergy(self.robot, self.data, self.to_peer(q), v[self.at_v]))

    def potential_energy(self, q: Array) -> float:
        return float(self.pin.computePotentialEnergy(self.robot, self.data, self.to_peer(q)))
