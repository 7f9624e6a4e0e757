# SPDX-License-Identifier: BSD-3-Clause
"""A quadruped shifts its trunk over four feet on the ground: passes of DDP in its Gauss-Newton form (iLQR).

Backwards every step is linearised by the derivatives of its solve, in which the contacts hold. Forwards the plan is
rolled out with feedback. The expected decrease of the cost and the actual one agree to first order, which is checked
first: a wrong derivative shows there. Contacts could also pull: the smallest force of the ground shows they do not.
"""
import pathlib
import sys
from typing import Any

import numpy as np
import zwang as zw
from numpy.typing import NDArray

Array = NDArray[Any]
State = tuple[Array, Array]  # q, v
MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
STEPS, H = 50, 0.01
FEET = ("LF_foot", "RF_foot", "LH_foot", "RH_foot")
W_POSE, W_SPEED, W_TORQUE = 1e4, 1.0, 1e-4  # of the trunk's pose and of v at the end, of torques


class Plan:
    def __init__(self) -> None:
        self.robot = zw.load(MODELS / "quadruped.urdf", root="floating")
        self.n, self.q0, self.push = self.robot.nv, self.robot.neutral(), float("inf")
        self.S = np.eye(self.n)[:, self.robot.actuated]
        self.contacts = zw.ConstraintSet(self.robot)
        for foot in FEET:
            self.contacts.add_contact(foot, frame=foot, target_point=self.foot(self.q0, foot), time_constant=0.1)
        self.solver = zw.Solver(self.robot, self.contacts)
        held = dict.fromkeys(self.robot.coordinate_names[6:], 0.0)
        self.stand = self.S.T @ self.solver.solve(self.q0, prescribed=held).motor_torque
        lean = np.zeros(self.n)
        lean[:6] = [0.03, 0.05, -0.04, 0.05, 0.0, 0.1]  # where the trunk shall be [m, rad], seen from where it is
        self.goal = zw.integrate(self.robot, self.q0, lean)

    def foot(self, q: Array, foot: str) -> Array:
        return zw.frame_pose(self.robot, q, foot)[:3, 3]

    def step(self, q: Array, v: Array, u: Array) -> State:
        s = self.solver.solve(q, v, self.S @ u)
        self.push = min(self.push, s.multipliers[2::3].min())
        v = v + H * s.acceleration
        return zw.integrate(self.robot, q, H * v), v

    def linearised(self, q: Array, v: Array, u: Array) -> tuple[Array, Array]:
        """A, B of the step at (q, v, u), along q (+) d."""
        v1 = self.step(q, v, u)[1]
        d, n = self.solver.derivatives(), self.n
        if d.status != "ok":
            raise RuntimeError(d.reason)
        Jq, Jd = zw.integrate_jacobians(self.robot, q, H * v1)
        Av, Bv = np.hstack([H * d.acceleration.q, np.eye(n) + H * d.acceleration.v]), H * d.acceleration.tau @ self.S
        return np.vstack([H * Jd @ Av + np.hstack([Jq, np.zeros((n, n))]), Av]), np.vstack([H * Jd @ Bv, Bv])

    def miss(self, q: Array) -> Array:
        return zw.difference(self.robot, self.goal, q)[:6]  # of the trunk: log of the pose error

    def cost(self, states: list[State], controls: list[Array]) -> float:
        q, v = states[-1]
        torques = np.sum((np.array(controls) - self.stand)**2)
        return float(0.5 * (W_POSE * self.miss(q) @ self.miss(q) + W_SPEED * v @ v + W_TORQUE * torques))

    def backwards(self, states: list[State], controls: list[Array]) -> tuple[list[Array], list[Array], float, float]:
        """Steps k, feedback K, and the change of the cost that a step scaled by s expects: s d1 + s^2 d2 / 2."""
        q, v = states[-1]
        J = zw.difference_jacobians(self.robot, self.goal, q)[1][:6]
        gradient = np.concatenate([W_POSE * J.T @ self.miss(q), W_SPEED * v])
        hessian = np.diag(np.repeat([0.0, W_SPEED], self.n))
        hessian[:self.n, :self.n] = W_POSE * J.T @ J
        k: list[Array] = []
        K: list[Array] = []
        d1 = d2 = 0.0
        for (q, v), u in zip(states[-2::-1], controls[::-1]):
            A, B = self.linearised(q, v, u)
            Qu, Qux = W_TORQUE * (u - self.stand) + B.T @ gradient, B.T @ hessian @ A
            Quu = W_TORQUE * np.eye(len(u)) + B.T @ hessian @ B
            k.append(-np.linalg.solve(Quu, Qu))
            K.append(-np.linalg.solve(Quu, Qux))
            d1, d2 = d1 + float(k[-1] @ Qu), d2 + float(k[-1] @ Quu @ k[-1])
            gradient, hessian = A.T @ gradient + Qux.T @ k[-1], A.T @ hessian @ A + Qux.T @ K[-1]
        return k[::-1], K[::-1], d1, d2

    def forwards(self, states: list[State], controls: list[Array], k: list[Array], K: list[Array],
                 scale: float) -> tuple[list[State], list[Array]]:
        out: list[State] = [states[0]]
        chosen: list[Array] = []
        for (q, v), u, k_i, K_i in zip(states, controls, k, K):
            dx = np.concatenate([zw.difference(self.robot, q, out[-1][0]), out[-1][1] - v])
            chosen.append(u + scale * k_i + K_i @ dx)
            out.append(self.step(*out[-1], chosen[-1]))
        return out, chosen


def main() -> int:
    plan = Plan()
    controls, states = [plan.stand] * STEPS, [(plan.q0, plan.robot.zero())]
    for u in controls:
        states.append(plan.step(*states[-1], u))
    costs = [plan.cost(states, controls)]
    k, K, d1, d2 = plan.backwards(states, controls)
    print(f"cost {costs[0]:.4f}; one pass, its step scaled\n  scale   expected decrease   actual decrease     ratio")
    for scale in (1.0, 0.1, 0.01, 0.001):
        expected = -(scale * d1 + 0.5 * scale**2 * d2)
        actual = costs[0] - plan.cost(*plan.forwards(states, controls, k, K, scale))
        print(f"{scale:7.3f} {expected:19.6f} {actual:17.6f} {actual / expected:9.6f}")
    first_order = abs(actual / expected - 1)
    print("passes\n       cost   trunk misses [mm]   [mrad]   largest torque [N m]   least force of the ground [N]")
    for _ in range(5):
        plan.push = np.inf
        states, controls = plan.forwards(states, controls, k, K, 1.0)
        costs.append(plan.cost(states, controls))
        k, K, d1, d2 = plan.backwards(states, controls)
        miss = plan.miss(states[-1][0])
        print(f"{costs[-1]:11.4f} {1e3 * np.linalg.norm(miss[:3]):19.3f} {1e3 * np.linalg.norm(miss[3:]):8.3f} "
              f"{abs(np.array(controls)).max():22.2f} {plan.push:31.2f}")
    slipped = max(np.linalg.norm(plan.foot(states[-1][0], foot) - plan.foot(plan.q0, foot)) for foot in FEET)
    good = first_order < 1e-5 and abs(d1) < 1e-6 * costs[0] and plan.push > 0 and slipped < 1e-3
    good = good and costs[-1] < 0.01 * costs[0] and max(np.diff(costs)) < 1e-9 * costs[0]
    print(f"feet moved by {slipped * 1e3:.3f} mm; one more pass expects {-d1 / 2:.0e} of decrease")
    print(f"the cost falls as expected to its least, feet push and stay: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
