# SPDX-License-Identifier: BSD-3-Clause
"""Orocos KDL for verify(), by PyKDL. KDL reads no URDF: the tree is made here from the file itself, without zwang's reader.

PyKDL has solvers for chains alone. M and gravity of a tree are put together from the chains to its tips, each carrying what
branches off it at the same configuration; inverse dynamics is asked of one chain after the other, the other joints at rest. KDL's root
link has no inertia, and its joints neither mimic nor float.
"""
from __future__ import annotations

import pathlib
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np

from .peers import Array, Mass, NotInstalled, Peer, Refused

_KINDS = {"revolute": "RotAxis", "continuous": "RotAxis", "prismatic": "TransAxis", "fixed": "Fixed"}


def _numbers(element: Any, attribute: str, otherwise: str) -> list[float]:
    text = otherwise if element is None else element.get(attribute, otherwise)
    return [float(word) for word in text.split()]


class Kdl(Peer):
    name = "kdl"
    counts_ground = False

    def read(self) -> None:
        self.kdl = self.imported("PyKDL", "apt install python3-pykdl, for the system's Python")
        place = pathlib.Path(getattr(self.kdl, "__file__", "") or "").resolve().parent
        if self.kdl.__name__.startswith("zwang") or place == pathlib.Path(__file__).resolve().parent:
            raise NotInstalled("PyKDL is zwang.kdl here, which is no other library")
        self.version = str(getattr(self.kdl, "__version__", ""))
        if self.root != "fixed":
            raise Refused(f"its root link is fixed, it has no {self.root} joint")
        robot = ElementTree.fromstring(self.text)
        self.inertias = {str(link.get("name")): self._inertia(link) for link in robot.findall("link")}
        self.segments: dict[str, tuple[str, Any, Any]] = {}  # by link: parent link, joint, pose of the link at 0
        self.moving: dict[str, str] = {}  # by joint: its link
        self.file_joints = {str(joint.get("name")): joint for joint in robot.findall("joint")}
        for name, joint in self.file_joints.items():
            kind = str(joint.get("type"))
            if kind not in _KINDS:
                raise Refused(f"it has no {kind} joint ('{name}')")
            parent, child = (joint.find(word).get("link") for word in ("parent", "child"))  # type: ignore[union-attr]
            if child in self.segments:
                raise Refused(f"link '{child}' has two parents: its trees have no loops")
            self.segments[str(child)] = (str(parent), *self._joint(name, kind, joint))
            if kind != "fixed":
                self.moving[name] = str(child)
        inner = {parent for parent, *_ in self.segments.values()}
        self.tips = [link for link in self.segments if link not in inner]

    def _frame(self, element: Any) -> Any:
        rpy, xyz = _numbers(element, "rpy", "0 0 0"), _numbers(element, "xyz", "0 0 0")
        return self.kdl.Frame(self.kdl.Rotation.RPY(*rpy), self.kdl.Vector(*xyz))

    def _inertia(self, link: Any) -> Any:
        kdl, inertial = self.kdl, link.find("inertial")
        if inertial is None:
            return kdl.RigidBodyInertia()
        mass, tensor = inertial.find("mass"), inertial.find("inertia")
        six = [_numbers(tensor, word, "0")[0] for word in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
        about_centre = kdl.RigidBodyInertia(_numbers(mass, "value", "0")[0], kdl.Vector(0, 0, 0), kdl.RotationalInertia(*six))
        return self._frame(inertial.find("origin")) * about_centre

    def _joint(self, name: str, kind: str, joint: Any) -> tuple[Any, Any]:
        kdl, place = self.kdl, self._frame(joint.find("origin"))
        if kind == "fixed":
            return kdl.Joint(name, kdl.Joint.Fixed), place
        axis = kdl.Vector(*_numbers(joint.find("axis"), "xyz", "1 0 0"))
        return kdl.Joint(name, place.p, place.M * axis, getattr(kdl.Joint, _KINDS[kind])), place

    def joints(self) -> dict[str, int]:
        return dict.fromkeys(self.moving, 1)

    def limits(self) -> dict[str, dict[str, Array] | None]:
        self.notes.append("it keeps no limits and reads no effects of joints")
        return super().limits()

    def links(self) -> list[str]:
        return list(self.inertias)

    def masses(self) -> dict[str, Mass]:
        found = {}
        for link, y in self.inertias.items():
            if link not in self.segments:
                continue  # the root link, whose inertia KDL ignores
            mass, centre = y.getMass(), y.getCOG()
            about = self.kdl.Frame(-1.0 * centre) * y
            found[link] = Mass(mass, np.array([centre[k] for k in range(3)]), _tensor(about.getRotationalInertia()))
        return found

    def _path(self, link: str) -> list[str]:
        path: list[str] = []
        while link in self.segments:
            path.insert(0, link)
            link = self.segments[link][0]
        return path

    def _columns(self, path: list[str]) -> list[int]:
        at = {self.moving[joint.name]: joint.v.start for joint in self.order}
        return [at[link] for link in path if link in at]

    def attach(self, model: Any) -> None:
        super().attach(model)
        self.paths = {link: self._path(link) for link in self.inertias}
        self.columns = {link: self._columns(path) for link, path in self.paths.items()}

    def independent(self) -> list[list[int]]:
        return [self.columns[tip] for tip in self.tips if self.columns[tip]]

    def _chain(self, link: str, carried: dict[str, Any] | None = None) -> Any:
        chain = self.kdl.Chain()
        for name in self.paths[link]:
            _, joint, place = self.segments[name]
            inertia = (carried or self.inertias)[name]
            chain.addSegment(self.kdl.Segment(name, joint, place, inertia))
        return chain

    def _array(self, x: Array) -> Any:
        out = self.kdl.JntArray(len(x))
        for k, value in enumerate(x):
            out[k] = float(value)
        return out

    def _q(self, q: Array, link: str) -> Any:
        # Joints of one freedom: of several coordinates of q and v the order is the same.
        start = {joint.v.start: joint.q.start for joint in self.order}
        return self._array(q[[start[k] for k in self.columns[link]]])

    def _pose(self, q: Array, link: str) -> Any:
        pose = self.kdl.Frame()
        if self.paths[link]:
            chain = self._chain(link)  # by name: a solver does not keep its chain alive
            self._done(self.kdl.ChainFkSolverPos_recursive(chain).JntToCart(self._q(q, link), pose))
        return pose

    @staticmethod
    def _done(code: int) -> None:
        if code != 0:
            raise RuntimeError(f"a solver of KDL returned {code}")

    def poses(self, q: Array, links: list[str]) -> Array:
        return np.array([_matrix(self._pose(q, link)) for link in links])

    def jacobians(self, q: Array, links: list[str]) -> Array:
        out = np.zeros((len(links), 6, self.model.nv))
        for k, link in enumerate(links):
            columns = self.columns[link]
            if columns:
                chain, J = self._chain(link), self.kdl.Jacobian(len(columns))
                self._done(self.kdl.ChainJntToJacSolver(chain).JntToJac(self._q(q, link), J))
                out[k][:, columns] = [[J[i, j] for j in range(len(columns))] for i in range(6)]
        return out

    def _carrying(self, q: Array, tip: str) -> dict[str, Any]:
        """Inertias along the chain to a tip, with those of all that branches off it, at this configuration."""
        path = self.paths[tip]
        poses = {link: self._pose(q, link) for link in self.inertias}
        carried = {link: self.inertias[link] for link in path}
        for link in self.segments:
            if link in carried:
                continue
            hosts = [name for name in self.paths[link] if name in carried]
            if hosts:
                host = hosts[-1]
                carried[host] = carried[host] + poses[host].Inverse() * poses[link] * self.inertias[link]
        return carried

    def _loaded(self, q: Array, tip: str) -> Any:
        return self._chain(tip, self._carrying(q, tip))

    def _vector(self, x: Array) -> Any:
        return self.kdl.Vector(*(float(value) for value in x))

    def mass_matrix(self, q: Array) -> Array:
        out = np.zeros((self.model.nv, self.model.nv))
        for tip in self.tips:
            columns = self.columns[tip]
            if columns:
                chain, M = self._loaded(q, tip), self.kdl.JntSpaceInertiaMatrix(len(columns))
                parameters = self.kdl.ChainDynParam(chain, self._vector(self.gravity))
                self._done(parameters.JntToMass(self._q(q, tip), M))
                n = range(len(columns))
                out[np.ix_(columns, columns)] = [[M[i, j] for j in n] for i in n]
        return out

    def gravity_torque(self, q: Array) -> Array:
        out = np.zeros(self.model.nv)
        for tip in self.tips:
            columns = self.columns[tip]
            if columns:
                chain, g = self._loaded(q, tip), self.kdl.JntArray(len(columns))
                parameters = self.kdl.ChainDynParam(chain, self._vector(self.gravity))
                self._done(parameters.JntToGravity(self._q(q, tip), g))
                out[columns] = [g[k] for k in range(len(columns))]
        return out

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        moving = {k for k in range(self.model.nv) if v[k] or a[k]}
        tip = next(tip for tip in self.tips if moving <= set(self.columns[tip]))
        columns, kdl = self.columns[tip], self.kdl
        chain, tau = self._loaded(q, tip), kdl.JntArray(len(columns))
        solver = kdl.ChainIdSolver_RNE(chain, self._vector(self.gravity))
        none = [kdl.Wrench() for _ in range(chain.getNrOfSegments())]
        self._done(solver.CartToJnt(self._q(q, tip), self._array(v[columns]), self._array(a[columns]), none, tau))
        out = np.full(self.model.nv, np.nan)  # of the other joints it says nothing
        out[columns] = [tau[k] for k in range(len(columns))]
        return out


def _matrix(pose: Any) -> Array:
    return np.array([[pose[i, k] for k in range(4)] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]])


def _tensor(inertia: Any) -> Array:
    return np.array([[inertia[3 * i + k] for k in range(3)] for i in range(3)])
