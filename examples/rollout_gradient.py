# SPDX-License-Identifier: BSD-3-Clause
"""A humanoid is pushed and shall come to rest: the gradient of how it ends through all that happens before.

Both feet stay flat on the ground (12 rows), a push gives the trunk a speed, and 60 steps later the robot shall stand
still over its feet. The rollout is kept; back through it Solver.vjp carries the gradient of the cost from one step to
the one before: one pass gives it by 1860 torques and by the first velocity. Central differences check it. Then it is
descended in the metric of the inertia that the motors feel: the inverse of dq''/dtau with the feet held, which
Solver.derivatives gives. The rows of a foot could pull or tip: force and centre of pressure show that they do not.
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
STEPS, H, PUSH, DESCENT = 60, 0.01, 0.08, 40
SOLE = (0.11, 0.05)  # half its length and width [m]
W_PLACE, W_TORQUE = 100.0, 1e-5  # of the centre of mass, of torques beyond standing; of v: 1
FEET = ("left_foot", "right_foot")


class Standing:
    def __init__(self) -> None:
        self.robot = zw.load(MODELS / "humanoid.urdf", root="floating")
        self.q0, self.S = self.robot.neutral(), np.eye(self.robot.nv)[:, self.robot.actuated]
        feet = zw.ConstraintSet(self.robot)
        for foot in FEET:
            feet.add_frame(foot, frame=foot, rows="all", target_pose=zw.frame_pose(self.robot, self.q0, foot),
                           time_constant=0.1)
        self.solver = zw.Solver(self.robot, feet)
        held = dict.fromkeys(self.robot.coordinate_names[6:], 0.0)
        self.stand = self.S.T @ self.solver.solve(self.q0, prescribed=held).motor_torque
        self.over_feet = zw.centre_of_mass(self.robot, self.q0)
        self.carried: list[Array] = []  # by each foot, in each step: [force; moment], world axes

    def rollout(self, v: Array, torques: Array) -> list[State]:
        q, self.carried = self.q0, []
        states = [(q, v)]
        for tau in torques:
            s = self.solver.solve(q, v, self.S @ tau)
            self.carried.append(s.multipliers.reshape(-1, 6))
            v = v + H * s.acceleration
            q = zw.integrate(self.robot, q, H * v)
            states.append((q, v))
        return states

    def cost(self, states: list[State], torques: Array) -> float:
        q, v = states[-1]
        off = zw.centre_of_mass(self.robot, q) - self.over_feet
        return float(0.5 * (v @ v + W_PLACE * off @ off + W_TORQUE * np.sum((torques - self.stand)**2)))

    def gradient(self, states: list[State], torques: Array) -> tuple[Array, Array]:
        """By the torques, and by the first velocity."""
        q, by_v = states[-1]
        off = zw.centre_of_mass(self.robot, q) - self.over_feet
        by_q = W_PLACE * zw.centre_of_mass_jacobian(self.robot, q).T @ off
        by_torques = W_TORQUE * (torques - self.stand)
        for k in reversed(range(len(torques))):
            (q, v), (_, v_next) = states[k:k + 2]
            self.solver.solve(q, v, self.S @ torques[k])
            Jq, Jd = zw.integrate_jacobians(self.robot, q, H * v_next)
            by_next = by_v + H * Jd.T @ by_q
            g = self.solver.vjp(acceleration=H * by_next, wrt=("q", "v", "tau"))
            if g.status != "ok":
                raise RuntimeError(g.reason)
            by_q, by_v = Jq.T @ by_q + g.q, by_next + g.v
            by_torques[k] += self.S.T @ g.tau
        return by_torques, by_v


def main() -> int:
    w = Standing()
    torques = np.tile(w.stand, (STEPS, 1))
    w.solver.solve(w.q0)
    allowed = w.solver.nullspace_projector()  # velocities that leave the feet where they are
    metric = np.linalg.inv(w.S.T @ w.solver.derivatives().acceleration.tau @ w.S + 1e-2 * np.eye(len(w.stand)))
    ahead, aside = allowed[:, 0], allowed[:, 1]
    v0 = PUSH * (2 * ahead + aside)
    states = w.rollout(v0, torques)
    g, by_v0 = w.gradient(states, torques)

    print("along         by vjp     by differences")
    rng, apart = np.random.default_rng(0), 0.0
    at_random = rng.normal(size=g.shape)
    for name, du, dv in (("torques", at_random, 0 * v0), ("ahead", 0 * g, ahead), ("aside", 0 * g, aside)):
        c = [w.cost(w.rollout(v0 + e * dv, torques + e * du), torques + e * du) for e in (-1e-5, 1e-5)]
        by_vjp, differences = np.sum(g * du) + by_v0 @ dv, (c[1] - c[0]) / 2e-5
        apart = max(apart, float(abs(by_vjp / differences - 1)))
        print(f"{name:<8} {by_vjp:12.6f} {differences:18.6f}")

    print("descent\n  step       cost     |v|   centre of mass off [mm]   largest torque [N m]")
    costs, size = [w.cost(states, torques)], 1 / np.sqrt(np.sum(g * (g @ metric)))
    for turn in range(DESCENT + 1):
        if turn % 10 == 0:
            q, v = states[-1]
            off = 1e3 * np.linalg.norm(zw.centre_of_mass(w.robot, q) - w.over_feet)
            print(f"{turn:6d} {costs[-1]:10.4f} {np.linalg.norm(v):7.3f} {off:25.2f} {abs(torques).max():22.2f}")
        while True:  # the step of Barzilai and Borwein (1988), smaller until the cost is below the last five
            moved = torques - size * g @ metric
            states = w.rollout(v0, moved)
            if w.cost(states, moved) <= max(costs[-5:]):
                break
            size /= 2
        new = w.gradient(states, moved)[0]
        dx, dg = moved - torques, new - g
        size = abs(np.sum(dx * dg)) / np.sum(dg * (dg @ metric))
        torques, g = moved, new
        costs.append(w.cost(states, torques))
    forces = np.array(w.carried)[:, :, 2]
    pressure = abs(np.array(w.carried)[:, :, [4, 3]] / forces[..., None]).max(axis=(0, 1))
    print(f"least force of a foot {forces.min():.1f} N of {w.robot.mass * 9.81:.1f} N; centre of pressure "
          f"{pressure[0] * 1e3:.1f} x {pressure[1] * 1e3:.1f} mm from the sole's")
    good = apart < 1e-6 and costs[-1] < 0.02 * costs[0] and forces.min() > 0 and np.all(pressure < SOLE)
    print(f"the gradient is that of differences, the robot comes to rest on its soles: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
