# SPDX-License-Identifier: BSD-3-Clause
"""Robots of hinges, sliders and bodies that float, by textbook mechanics and dense matrices: Jacobians from the axes of the joints, their
rates by a complex step, equations of motion by d'Alembert's principle, constraints by the KKT matrix. NumPy alone."""
import numpy as np

_STEP = 1e-30


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turn(axis, angle):
    """Rodrigues; the angle may be complex."""
    u = skew(np.asarray(axis, float))
    return np.eye(3) + np.sin(angle) * u + (1 - np.cos(angle)) * u @ u


def rotation(quaternion):
    x, y, z, w = np.asarray(quaternion) / np.linalg.norm(quaternion)
    u = skew([x, y, z])
    return np.eye(3) + 2 * w * u + 2 * u @ u


class Robot:
    def __init__(self, gravity):
        self.gravity, self.joints, self.bodies = np.array(gravity, float), [], []

    def add(self, parent, kind, axis, origin=(0, 0, 0), attitude=None):
        """A joint behind the joint `parent` (-1: the base): `turn` or `slide` along an axis, or `ball` with three coordinates."""
        n = 3 if kind == "ball" else 1
        first = sum(j["n"] for j in self.joints)
        self.joints.append(dict(parent=parent, kind=kind, axis=np.array(axis, float), origin=np.array(origin, float),
                                attitude=np.eye(3) if attitude is None else attitude, n=n, first=first))
        return len(self.joints) - 1

    def body(self, joint, mass, centre, inertia):
        inertia = np.asarray(inertia, float)
        self.bodies.append((joint, mass, np.array(centre, float), np.diag(inertia) if inertia.ndim == 1 else inertia))

    @property
    def n(self):
        return sum(j["n"] for j in self.joints)

    def frames(self, q, attitude=None, rate=None):
        """Rotation, origin, Jw and Jp of each joint's child. `rate` moves the state by i h rate."""
        q = np.asarray(q, complex if rate is not None else float)
        if rate is not None:
            q = q + 1j * _STEP * np.asarray(rate)
        out = []
        for j in self.joints:
            if j["parent"] < 0:
                R, p = np.eye(3), np.zeros(3)
                Jw, Jp = np.zeros((3, self.n), q.dtype), np.zeros((3, self.n), q.dtype)
            else:
                R, p, Jw, Jp = out[j["parent"]]
            arm = R @ j["origin"]
            Jp = Jp - skew(arm) @ Jw
            p, R, k = p + arm, R @ j["attitude"], j["first"]
            Jw, axis = Jw.copy(), R @ j["axis"]
            if j["kind"] == "turn":
                Jw[:, k] += axis
                R = R @ turn(j["axis"], q[k])
            elif j["kind"] == "slide":
                Jp = Jp - skew(axis * q[k]) @ Jw
                Jp[:, k] += axis
                p = p + axis * q[k]
            else:
                R = R @ attitude
                if rate is not None:
                    R = R @ (np.eye(3) + 1j * _STEP * skew(np.asarray(rate)[k:k + 3]))
                Jw[:, k:k + 3] += R
            out.append((R, p, Jw, Jp))
        return out

    def point(self, frames, joint, x):
        """Place and Jacobian of a point."""
        R, p, Jw, Jp = frames[joint]
        arm = R @ np.asarray(x, float)
        return p + arm, Jp - skew(arm) @ Jw

    def dynamics(self, q, v, attitude=None):
        """H, C and, for the mass, its centre and its Jacobian, of the whole: mass, c, Jc, dJc v."""
        now, later = self.frames(q, attitude), self.frames(q, attitude, v)
        H, C, mass, c, Jc, bias = np.zeros((self.n, self.n)), np.zeros(self.n), 0, np.zeros(3), np.zeros((3, self.n)), np.zeros(3)
        for joint, m, centre, inertia in self.bodies:
            R, _, Jw, _ = now[joint]
            x, J = self.point(now, joint, centre)
            I, w = R @ inertia @ R.T, Jw @ v
            dJ, dJw = self.point(later, joint, centre)[1].imag @ v / _STEP, later[joint][2].imag @ v / _STEP
            H += m * J.T @ J + Jw.T @ I @ Jw
            C += m * J.T @ (dJ - self.gravity) + Jw.T @ (I @ dJw + np.cross(w, I @ w))
            mass, c, Jc, bias = mass + m, c + m * x, Jc + m * J, bias + m * dJ
        return H, C, mass, c / mass, Jc / mass, bias / mass


def kkt(H, G, force, gamma):
    """q'' and forces with H q'' = force + G^T f, G q'' = gamma."""
    m = len(gamma)
    x = np.linalg.solve(np.block([[H, -G.T], [G, np.zeros((m, m))]]), np.concatenate([force, gamma]))
    return x[:-m], x[-m:]


def rk4(acceleration, t, q, v, h):
    v1, a1 = v, acceleration(t, q, v)
    v2 = v + 0.5 * h * a1
    a2 = acceleration(t + 0.5 * h, q + 0.5 * h * v1, v2)
    v3 = v + 0.5 * h * a2
    a3 = acceleration(t + 0.5 * h, q + 0.5 * h * v2, v3)
    v4 = v + h * a3
    a4 = acceleration(t + h, q + h * v3, v4)
    return q + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
