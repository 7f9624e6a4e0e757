# SPDX-License-Identifier: BSD-3-Clause
"""MuJoCo for verify(): it reads a URDF by itself, without shapes, with the settings below; an MJCF as it is.

The file is read with static links kept and inertias as they are (fusestatic, balanceinertia, boundmass, boundinertia, inertiafromgeom);
other settings of a <mujoco> element in the file stay. Linear velocities of free joints are in the axes of the world there, of planar
joints in those of the parent; here in those of the body. Poses of free joints are from the world there; quaternions are w x y z.
Constraints, contacts and passive forces other than gravcomp are off in what is computed.
"""
from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np

from .peers import ROOT_JOINT, Array, Mass, NotInstalled, Peer, Refused, message_of
from ._zwang import Joint, frame_pose

_SETTINGS = {"balanceinertia": "false", "boundmass": "0", "boundinertia": "0", "inertiafromgeom": "false", "discardvisual": "true"}
_PLANAR = ("_TX", "_TY", "_RZ")  # a planar joint is three joints of these names there


class Mujoco(Peer):
    name = "mujoco"
    reads: tuple[str, ...] = ("robot", "mujoco")
    scales_gravity = True
    inertia_rounding = 2e-12  # its principal axes stop turning at 1e-12, whatever the size of the inertia

    def read(self) -> None:
        self.mj = self.imported("mujoco", "pip install mujoco")
        self.version = str(getattr(self.mj, "__version__", ""))
        self.names: dict[str, str] = {}  # of links that are called otherwise there
        if not hasattr(self.mj, "MjSpec"):
            raise NotInstalled(f"version {self.version} has no MjSpec, which came with 3.2; to install it: pip install --upgrade mujoco")
        if int("0" + self.version.split(".")[0]) < 4:
            self.notes.append("before version 4 it ignores the rotation of inertial frames, and products of inertia that are small")
        if self.root not in ("fixed", "floating"):
            raise Refused(f"it hangs root links on the world fixed or floating, not {self.root}")
        try:
            self.robot = self._compile(fuse=False)
        except Exception as error:  # every failure is reported with its message
            if "free joint" not in str(error):  # a floating joint of the file is on top where the root link is fused
                raise Refused(message_of(error)) from error
            try:
                self.robot = self._compile(fuse=True)
            except Exception as again:
                raise Refused(message_of(again)) from again
            self.notes.append("links behind fixed joints are fused, for a free joint must be on top there")
        m, kinds = self.robot, self.mj.mjtJoint
        self.damping, self.friction, self.armature = (np.array(x, dtype=float) for x in (m.dof_damping, m.dof_frictionloss, m.dof_armature))
        m.dof_damping[:] = m.dof_frictionloss[:] = m.dof_armature[:] = 0
        for name in ("dof_dampingpoly", "jnt_stiffness", "jnt_stiffnesspoly", "tendon_stiffness", "tendon_stiffnesspoly", "tendon_damping",
                     "tendon_dampingpoly"):
            if hasattr(m, name):
                getattr(m, name)[:] = 0
        if self.is_mjcf:
            self._leave_out_actuators()
            m.jnt_actgravcomp[:] = 0  # else gravcomp would be a force of these actuators
            self.notes.append("equalities, contacts, actuators and passive forces of the file but gravcomp are left out; zwang.Solver has the equalities")
        m.opt.gravity[:] = self.gravity
        m.opt.disableflags |= int(self.mj.mjtDisableBit.mjDSBL_CONSTRAINT)
        m.opt.enableflags |= int(self.mj.mjtEnableBit.mjENBL_ENERGY)
        self.data = self.mj.MjData(m)
        self.bodies = {m.body(k).name or f"body_{k}": k for k in range(m.nbody)}
        names = self._joint_names()
        self.parts: dict[str, list[int]] = {}
        for k, name in enumerate(names):
            base = name[:-3]
            if name[-3:] in _PLANAR and all(base + word in names for word in _PLANAR) and base not in names:
                self.parts.setdefault(base, []).append(k)
            else:
                self.parts[name] = [k]
        self.sizes = {int(kinds.mjJNT_FREE): 6, int(kinds.mjJNT_BALL): 3, int(kinds.mjJNT_SLIDE): 1, int(kinds.mjJNT_HINGE): 1}

    @property
    def is_mjcf(self) -> bool:
        return ElementTree.fromstring(self.text).tag == "mujoco"

    def _leave_out_actuators(self) -> None:
        """Their armature and damping, behind the gear, are those of their joints; they, and what flows around the robot, make no force."""
        m, transmissions = self.robot, self.mj.mjtTrn
        m.opt.disableflags |= int(self.mj.mjtDisableBit.mjDSBL_ACTUATION)
        m.opt.density = m.opt.viscosity = 0
        for name, of_joints in (("actuator_armature", self.armature), ("actuator_damping", self.damping)):
            of_motors = getattr(m, name, np.zeros(0))  # since version 4
            for k, x in enumerate(of_motors):
                if int(m.actuator_trntype[k]) in (int(transmissions.mjTRN_JOINT), int(transmissions.mjTRN_JOINTINPARENT)):
                    of_joints[m.jnt_dofadr[m.actuator_trnid[k, 0]]] += m.actuator_gear[k, 0] ** 2 * x
            of_motors[:] = 0

    def _joint_names(self) -> list[str]:
        """Those without a name have one by their body, as zwang names them."""
        m, names, unnamed = self.robot, [], dict.fromkeys(range(self.robot.nbody), 0)
        of_body = {k: name for name, k in self.bodies.items()}
        for k in range(m.njnt):
            name, body = m.joint(k).name, int(m.jnt_bodyid[k])
            unnamed[body] += 1
            suffix = "" if unnamed[body] == 1 else str(unnamed[body])
            names.append(name or f"{of_body[body]}_joint{suffix}")
        return names

    def _compile(self, fuse: bool) -> Any:
        if self.is_mjcf:
            spec = self.mj.MjSpec.from_file(self.path) if self.path else self.mj.MjSpec.from_string(self.text)
            return spec.compile()
        robot = ElementTree.fromstring(self.text)
        for link in robot.iter("link"):
            for shape in [x for x in link if x.tag in ("visual", "collision")]:
                link.remove(shape)
        names = {str(link.get("name")) for link in robot.findall("link")}
        if "world" in names:  # the name of its ground, on which no joint may be
            free = next(word for word in ("world_link" + "_" * k for k in range(len(names) + 1)) if word not in names)
            self.names = {"world": free}
            for element in [*robot.findall("link"), *robot.findall("joint/parent"), *robot.findall("joint/child")]:
                key = "name" if element.tag == "link" else "link"
                if element.get(key) == "world":
                    element.set(key, free)
        extension = robot.find("mujoco")
        if extension is None:
            extension = ElementTree.SubElement(robot, "mujoco")
        compiler = extension.find("compiler")
        if compiler is None:
            compiler = ElementTree.SubElement(extension, "compiler")
        for key, value in {**_SETTINGS, "fusestatic": str(fuse).lower()}.items():
            compiler.set(key, value)
        spec = self.mj.MjSpec.from_string(ElementTree.tostring(robot, encoding="unicode"))
        if self.root == "floating":
            children = {child.get("link") for joint in robot.findall("joint") for child in joint.findall("child")}
            base = next(link.get("name") for link in robot.findall("link") if link.get("name") not in children)
            spec.body(base).add_freejoint(name=ROOT_JOINT)
        return spec.compile()

    def joints(self) -> dict[str, int]:
        return {name: sum(self.sizes[int(self.robot.jnt_type[k])] for k in parts) for name, parts in self.parts.items()}

    def _per_joint(self, x: Array) -> dict[str, Array]:
        first, sizes = self.robot.jnt_dofadr, self.joints()
        return {name: x[first[parts[0]]:first[parts[0]] + sizes[name]].copy() for name, parts in self.parts.items()}

    def limits(self) -> dict[str, dict[str, Array] | None]:
        m = self.robot
        bound: dict[str, dict[str, Array] | None] = {"lower": {}, "upper": {}, "effort": {}, "velocity": None}
        for name, parts in self.parts.items():
            if any(self.sizes[int(m.jnt_type[k])] > 1 for k in parts):
                continue
            limited = m.jnt_limited[parts].astype(bool)
            bound["lower"][name] = np.where(limited, m.jnt_range[parts, 0], -np.inf)  # type: ignore[index]
            bound["upper"][name] = np.where(limited, m.jnt_range[parts, 1], np.inf)  # type: ignore[index]
            if self.is_mjcf:  # there bounds of actuators stand apart
                continue
            bound["effort"][name] = np.where(m.jnt_actfrclimited[parts].astype(bool), m.jnt_actfrcrange[parts, 1], np.inf)  # type: ignore[index]
        if self.is_mjcf:
            bound["effort"] = None
        return bound

    def effects(self) -> dict[str, dict[str, Array] | None]:
        return {"damping": self._per_joint(self.damping), "friction": self._per_joint(self.friction), "armature": self._per_joint(self.armature)}

    def mimics(self) -> dict[str, tuple[str, float, float]] | None:
        m, found = self.robot, {}
        if self.is_mjcf:  # equalities are constraints
            return None
        for k in range(m.neq):
            if int(m.eq_type[k]) == int(self.mj.mjtEq.mjEQ_JOINT) and m.eq_obj2id[k] >= 0:
                offset, slope = m.eq_data[k, :2]
                found[m.joint(m.eq_obj1id[k]).name] = (m.joint(m.eq_obj2id[k]).name, float(slope), float(offset))
        if found:
            self.notes.append("mimicking joints keep coordinates, and soft equality constraints hold them: all joints are free in what follows")
        return found or None

    def _body(self, link: str) -> int:
        return self.bodies[self.names.get(link, link)]

    def links(self) -> list[str]:
        back = {there: here for here, there in self.names.items()}
        there = list(self.bodies)[1:]
        return [back.get(name, name) for name in there]

    def masses(self) -> dict[str, Mass]:
        found, m = {}, self.robot
        for link in self.links():
            k, R = self._body(link), np.empty(9)
            self.mj.mju_quat2Mat(R, m.body_iquat[k])
            turn = R.reshape(3, 3)
            found[link] = Mass(float(m.body_mass[k]), m.body_ipos[k].copy(), turn @ np.diag(m.body_inertia[k]) @ turn.T)
        return found

    def total_mass(self) -> float:
        return float(np.sum(self.robot.body_mass))

    # qvel = (T v) in MuJoCo's order; what the rate of qvel has more than T a is T (omega x v) of free and planar joints.
    def _axes(self, q: Array) -> Array:
        T = np.eye(self.model.nv)
        for joint in self.order:
            if joint.type in ("floating", "planar"):
                turn, size = frame_pose(self.model, q, joint.child)[:3, :3], 3
                if joint.type == "planar":
                    turn, size = self._origin(q, joint)[:3, :3].T @ turn, 2
                at = slice(joint.v.start, joint.v.start + size)
                T[at, at] = turn[:size, :size]
        return T

    def _origin(self, q: Array, joint: Joint) -> Array:
        out: Array = joint.origin if joint.parent is None else frame_pose(self.model, q, joint.parent) @ joint.origin
        return out

    def _turning(self, v: Array) -> Array:
        more = np.zeros(self.model.nv)
        for joint in self.order:
            x, first = v[joint.v], joint.v.start
            if joint.type == "floating":
                more[first:first + 3] = np.cross(x[3:], x[:3])
            elif joint.type == "planar":
                more[first:first + 2] = -x[2] * x[1], x[2] * x[0]
        return more

    def _set(self, q: Array, v: Array | None = None) -> Array:
        out = q.copy()
        for joint in self.order:
            if joint.type in ("floating", "spherical"):
                at = slice(joint.q.stop - 4, joint.q.stop)
                out[at] = np.roll(out[at], 1)
            if joint.type == "floating":  # from the world, not from the joint's origin
                X, place, turned = self._origin(q, joint), slice(joint.q.start, joint.q.start + 3), np.empty(4)
                out[place] = X[:3, :3] @ out[place] + X[:3, 3]
                self.mj.mju_mat2Quat(turned, X[:3, :3].flatten())
                both = np.empty(4)
                self.mj.mju_mulQuat(both, turned, out[at])
                out[at] = both
        self.data.qpos[:] = out[self.at_q]
        T = self._axes(q)
        self.data.qvel[:] = 0 if v is None else (T @ v)[self.at_v]
        return T

    def poses(self, q: Array, links: list[str]) -> Array:
        self._set(q)
        self.mj.mj_kinematics(self.robot, self.data)
        out = np.tile(np.eye(4), (len(links), 1, 1))
        for k, link in enumerate(links):
            out[k, :3, :3] = self.data.xmat[self._body(link)].reshape(3, 3)
            out[k, :3, 3] = self.data.xpos[self._body(link)]
        return out

    def jacobians(self, q: Array, links: list[str]) -> Array:
        T, out = self._set(q), np.zeros((len(links), 6, self.model.nv))
        self.mj.mj_kinematics(self.robot, self.data)
        self.mj.mj_comPos(self.robot, self.data)
        for k, link in enumerate(links):
            J = np.zeros((6, self.robot.nv))
            self.mj.mj_jacBody(self.robot, self.data, J[:3], J[3:], self._body(link))
            out[k][:, self.at_v] = J
        return out @ T

    def centre_of_mass(self, q: Array) -> Array:
        self._set(q)
        self.mj.mj_fwdPosition(self.robot, self.data)
        return np.array(self.data.subtree_com[0])

    def mass_matrix(self, q: Array) -> Array:
        T, M = self._set(q), np.zeros((self.robot.nv, self.robot.nv))
        self.mj.mj_fwdPosition(self.robot, self.data)
        for k in range(self.robot.nv):  # column by column: how M is stored is another in each version
            unit, column = np.zeros(self.robot.nv), np.zeros(self.robot.nv)
            unit[k] = 1
            self.mj.mj_mulM(self.robot, self.data, column, unit)
            M[:, k] = column
        out: Array = T.T @ self.matrix_in_order(M) @ T
        return out

    def gravity_torque(self, q: Array) -> Array:
        return self.inverse_dynamics(q, np.zeros(self.model.nv), np.zeros(self.model.nv))

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        T = self._set(q, v)
        self.data.qacc[:] = (T @ (a + self._turning(v)))[self.at_v]
        self.mj.mj_inverse(self.robot, self.data)
        out: Array = T.T @ self.in_order(self.data.qfrc_inverse)
        return out

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        T = self._set(q, v)
        self.data.qfrc_applied[:] = (T @ tau)[self.at_v]
        self.mj.mj_forward(self.robot, self.data)
        self.data.qfrc_applied[:] = 0
        out: Array = T.T @ self.in_order(self.data.qacc) - self._turning(v)
        return out

    def _energies(self, q: Array, v: Array | None) -> Array:
        self._set(q, v)
        self.mj.mj_forward(self.robot, self.data)
        return np.array(self.data.energy)

    def kinetic_energy(self, q: Array, v: Array) -> float:
        return float(self._energies(q, v)[1])

    def potential_energy(self, q: Array) -> float:
        return float(self._energies(q, None)[0])
