# SPDX-License-Identifier: BSD-3-Clause
"""Impulses of contact beside Pinocchio's ADMM and projected Gauss-Seidel, on the same problems in one process.

Random problems by the condition of G and by the ratio of masses, cold. All answers are judged by one measure that belongs to neither: the
largest distance of a contact's impulse and velocity from the laws of Signorini and Coulomb, in rows of length 1, beside the speeds.

Needs the wheels of pin (4.1) and zwang. Times are of one machine, by its clock; nothing depends on them.
"""
import argparse
import time

import numpy as np
import pinocchio as pin
import zwang as zw
from numpy.typing import NDArray

Array = NDArray[np.float64]
PROBLEM = tuple[Array, Array, Array]  # W [n, m], y [n], friction of each contact; rows t1 t2 n


def of_condition(kappa: float, seed: int, contacts: int = 5) -> PROBLEM:
    rng = np.random.default_rng(seed)
    m = 3 * contacts
    q, _ = np.linalg.qr(rng.normal(size=(m, m)))
    s = kappa ** (rng.uniform(0, 1, m) / 2)
    s[0], s[-1] = 1, np.sqrt(kappa)
    return s[:, None] * q.T, rng.normal(size=m), rng.uniform(0, 1.2, contacts)


def of_bodies(ratio: float, seed: int, bodies: int = 4, contacts: int = 10) -> PROBLEM:
    """Contacts anywhere among free bodies and the ground; masses between 1 and `ratio`."""
    rng = np.random.default_rng(seed)
    mass = ratio ** rng.uniform(0, 1, bodies)
    mass[0], mass[1] = 1, ratio
    size = rng.uniform(0.05, 0.5, bodies)
    root = np.concatenate([[1 / np.sqrt(a)] * 3 + [1 / np.sqrt(0.4 * a * b * b)] * 3 for a, b in zip(mass, size)])
    jacobian = np.zeros((3 * contacts, 6 * bodies))
    for c in range(contacts):
        one, other = rng.integers(bodies), rng.integers(bodies + 1) - 1
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        t = np.cross(n, rng.normal(size=3))
        t /= np.linalg.norm(t)
        axes = np.array([t, np.cross(n, t), n])
        for body, sign in ((one, 1), (other, -1)):
            if body < 0 or (one == other and sign < 0):
                continue
            r = size[body] * rng.normal(size=3)
            jacobian[3 * c:3 * c + 3, 6 * body:6 * body + 3] += sign * axes
            jacobian[3 * c:3 * c + 3, 6 * body + 3:6 * body + 6] += sign * np.cross(r, axes)
    y = rng.normal(size=6 * bodies)
    y[2::6] -= 1
    return (jacobian * root).T, y / root, rng.uniform(0, 1.2, contacts)


def violation(problem: PROBLEM, impulses: Array) -> float:
    """In long double; open, stuck and slipping contacts apart, the nearest counts."""
    W, y, mu = (x.astype(np.longdouble) for x in problem)
    impulses = impulses.astype(np.longdouble)
    after = y + W @ impulses
    scale = np.sqrt((W * W).sum(0).reshape(-1, 3).mean(1))
    scale[scale == 0] = 1
    velocity = (W.T @ after).reshape(-1, 3) / scale[:, None]
    force = impulses.reshape(-1, 3) * scale[:, None]
    worst = np.longdouble(0)
    for f, v, m in zip(force, velocity, mu):
        along, slip = np.hypot(f[0], f[1]), np.hypot(v[0], v[1])
        outside = max(0, along - m * f[2]) + max(0, -f[2])
        against = f[:2] / along if along > 0 else np.zeros(2)
        part = min(0, v[:2] @ against)
        across = np.linalg.norm(v[:2] - part * against) if m > 0 else 0
        worst = max(worst, min(np.hypot(along, f[2]) + max(0, -v[2]), np.hypot(slip, v[2]) + outside,
                               abs(along - m * f[2]) + max(0, -f[2]) + abs(v[2]) + across))
    return float(worst / (np.linalg.norm(y) + np.linalg.norm(after)))


class Peer:
    """Pinocchio's rows of a contact are t1 t2 n, as zwang's."""

    def __init__(self, which: str, iterations: int, tolerance: float) -> None:
        self.which, self.iterations, self.tolerance = which, iterations, tolerance
        self.model = pin.Model()
        self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")

    def solve(self, problem: PROBLEM) -> tuple[Array, bool, float]:
        W, y, friction = problem
        models, data = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for mu in friction:
            contact = pin.PointContactConstraintModel(self.model, 0, pin.SE3.Identity(), 1, pin.SE3.Identity())
            contact.setFriction(float(mu))
            models.append(pin.ConstraintModel(contact))
            data.append(models[len(models) - 1].createData())
        size = W.shape[1]
        operator = pin.DelassusOperatorDense(W.T @ W)
        if self.which == "pgs":
            settings, solver, result = pin.PGSSolverSettings(), pin.PGSConstraintSolver(size), pin.PGSSolverResult()
        else:
            settings, solver, result = pin.ADMMSolverSettings(), pin.ADMMConstraintSolver(size), pin.ADMMSolverResult()
            settings.admm_update_rule = getattr(pin.ADMMUpdateRule, self.which)
        for name in ("complementarity", "feasibility"):
            setattr(settings, f"absolute_{name}_tol", self.tolerance)
            setattr(settings, f"relative_{name}_tol", 0.0)
        settings.max_iterations = self.iterations
        begin = time.perf_counter()
        solver.solve(operator, W.T @ y, models, data, settings, result)
        spent = time.perf_counter() - begin
        return np.array(result.retrieveConstraintImpulses()), bool(result.converged), spent


def by_zwang(problem: PROBLEM) -> tuple[Array, bool, float]:
    W, y, friction = problem
    cones = [float(x) for x in friction]
    begin = time.perf_counter()
    answer = zw.solve_contacts(cones, W=W, y=y)
    return answer.impulses, answer.status == "ok", time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=200)
    count = parser.parse_args().problems
    solvers = {"zwang": by_zwang, "ADMM, spectral": Peer("SPECTRAL", 1000, 1e-9).solve, "ADMM, OSQP": Peer("OSQP", 1000, 1e-9).solve,
               "PGS": Peer("pgs", 5000, 1e-9).solve}
    print(f"{'':<16}{'':<16}{'says ok':>8}{'< 1e-9':>8}{'< 1e-6':>8}{'ok beyond 1e-6':>16}{'us median':>11}{'us 95 %':>9}")
    for name, make in [(f"condition 1e{k}", lambda seed, k=k: of_condition(10.0**k, seed)) for k in (0, 2, 4, 6, 8)] + [
            (f"masses 1 : 1e{k}", lambda seed, k=k: of_bodies(10.0**k, seed)) for k in (0, 3, 5)]:
        for label, solve in solvers.items():
            errors, said, times = [], [], []
            for seed in range(count):
                problem = make(seed)
                impulses, ok, spent = solve(problem)
                errors.append(violation(problem, impulses))
                said.append(ok)
                times.append(spent * 1e6)
            e, s = np.array(errors), np.array(said)
            print(f"{name:<16}{label:<16}{s.mean():8.1%}{(e < 1e-9).mean():8.1%}{(e < 1e-6).mean():8.1%}{int((s & ~(e < 1e-6)).sum()):16d}"
                  f"{np.median(times):11.0f}{np.quantile(times, 0.95):9.0f}", flush=True)


if __name__ == "__main__":
    main()
