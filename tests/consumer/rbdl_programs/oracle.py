#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the programs beside this file must print, computed by mechanics.py from models written for it.

    oracle.py                  writes expected/<program>.txt
    oracle.py --program gait   prints the numbers of one
"""
import argparse
import pathlib

import numpy as np
from mechanics import Robot, kkt, rk4, rotation, skew, turn

Z, Y, X = (0, 0, 1), (0, 1, 0), (1, 0, 0)


class Loop:
    """Two rows: the end b of one joint's child at the end c of another's, in the axes of the first."""

    def __init__(self, robot, b, xb, c, xc):
        self.robot, self.ends = robot, (b, xb, c, xc)

    def rows(self, frames):
        b, xb, c, xc = self.ends
        (pb, Jb), (pc, Jc) = self.robot.point(frames, b, xb), self.robot.point(frames, c, xc)
        R, Jw = frames[b][0], frames[b][2]
        return (R.T @ (pc - pb))[:2], (R.T @ (Jc - Jb + skew(pc - pb) @ Jw))[:2]

    def at(self, q, v):
        """phi, G, -dG/dt v"""
        phi, G = self.rows(self.robot.frames(q))
        return phi, G, -self.rows(self.robot.frames(q, rate=v))[1].imag @ v / 1e-30


def nearest_velocity(G, weights, wanted):
    W, m = np.diag(weights), len(G)
    return np.linalg.solve(np.block([[W, G.T], [G, np.zeros((m, m))]]), np.concatenate([W @ wanted, np.zeros(m)]))[:len(wanted)]


def loop_closure(say):
    robot = Robot((0, -9.81, 0))
    crank = robot.add(-1, "turn", Z)
    coupler = robot.add(crank, "turn", Z, (0.5, 0, 0))
    rocker = robot.add(-1, "turn", Z, (1.1, -0.1, 0))
    robot.body(crank, 1.2, (0.25, 0.02, 0), (0.01, 0.02, 0.03))
    robot.body(coupler, 2, (0.6, -0.05, 0), (0.02, 0.1, 0.12))
    robot.body(rocker, 1.5, (0.4, 0, 0), (0.02, 0.06, 0.08))
    loop = Loop(robot, coupler, (1.2, 0, 0), rocker, (0.8, 0, 0))
    guess, weights = np.array([1.2, -0.9, 1.4]), np.array([10, 1, 1.0])
    q = guess
    for _ in range(200):  # least motion by the weights: its gradient is a combination of the rows
        phi, G, _ = loop.at(q, np.zeros(3))
        K = np.block([[np.diag(weights), G.T], [G, np.zeros((2, 2))]])
        q = q + np.linalg.solve(K, np.concatenate([weights * (guess - q), -phi]))[:3]
    say("Q", q)
    v = nearest_velocity(loop.at(q, np.zeros(3))[1], weights, np.array([1, 0, 0.0]))
    say("QDot", v)
    H, C = robot.dynamics(q, v)[:2]
    _, G, gamma = loop.at(q, v)
    say("G.x", G[0])
    say("G.y", G[1])

    def acceleration(q, v, tau):
        H, C = robot.dynamics(q, v)[:2]
        phi, G, gamma = loop.at(q, v)
        return kkt(H, G, tau - C, gamma - 2 / 0.05 * G @ v - phi / 0.05**2)

    a, force = acceleration(q, v, np.array([1, 0, 0.0]))
    say("Direct", a)
    say("force", force)
    say("RangeSpaceSparse", a)
    say("NullSpace", a)
    say("gamma", gamma)
    say("C", C)
    for k in range(500):
        q, v = rk4(lambda _, x, y: acceleration(x, y, np.array([0.5 - 0.2 * y[0], 0, 0]))[0], k * 0.001, q, v, 0.001)
    say("Q(0.5)", q)
    say("QDot(0.5)", v)


def impact(say):
    robot = Robot((0, 0, -9.81))
    slides = -1
    for axis in (X, Y, Z):
        slides = robot.add(slides, "slide", axis)
    box = robot.add(slides, "ball", Z)
    upper = robot.add(box, "turn", Y, (0.1, 0.2, 0.15), turn(Z, 0.3))
    lower = robot.add(upper, "turn", X, (0, 0, 0.4))
    robot.body(box, 4, (0.02, -0.01, 0.03), [[0.2, 0.01, 0], [0.01, 0.3, 0.02], [0, 0.02, 0.25]])
    robot.body(upper, 1.1, (0, 0, 0.2), (0.03, 0.04, 0.01))
    robot.body(lower, 0.7, (0.05, 0, 0.15), (0.02, 0.015, 0.005))
    attitude = turn((0.6, 0, 0.8), 0.5)
    assert np.allclose(attitude, rotation([0.6 * np.sin(0.25), 0, 0.8 * np.sin(0.25), np.cos(0.25)]), atol=1e-15)
    q, before = np.array([0.3, -0.2, 0.4, 0, 0, 0, 0.4, -0.9]), np.array([0.5, -0.1, -2, 0.3, 1.2, -0.4, 0.7, -1.5])
    H, _, mass, c, Jc, _ = robot.dynamics(q, before, attitude)
    frames = robot.frames(q, attitude)
    Jl, Jr = robot.point(frames, box, (0.2, 0.1, -0.3))[1], robot.point(frames, box, (0.2, -0.1, -0.3))[1]
    G = np.vstack([Jl, Jr[1:]])

    def shock(target):
        return kkt(H, G, H @ before, target)

    after, impulse = shock(np.zeros(5))
    say("QDotPlus", after)
    say("impulse", impulse)
    say("lost", (before @ H @ before - after @ H @ after) / 2)
    say("RangeSpaceSparse", after)
    say("NullSpace", after)
    after, impulse = shock(np.array([0, 0, -Jl[2] @ before / 3, 0, -Jr[2] @ before / 3]))
    say("rebound", after)
    say("rebound impulse", impulse)
    say("com", c)
    say("com velocity", Jc @ after)
    momentum = np.zeros(3)
    for joint, m, centre, inertia in robot.bodies:
        (x, J), (R, _, Jw, _) = robot.point(frames, joint, centre), frames[joint]
        momentum += m * np.cross(x - c, J @ after) + R @ inertia @ R.T @ Jw @ after
    say("momentum", momentum)


def inverse_dynamics(say):
    robot = Robot((0, -9.81, 0))
    a = robot.add(-1, "turn", Z)
    b = robot.add(a, "turn", Z, (0.4, 0, 0))
    c = robot.add(-1, "turn", Z, (0.5, 0, 0))
    d = robot.add(c, "turn", Z, (0.4, 0, 0))
    for joint in (a, c):
        robot.body(joint, 1, (0.2, 0.01, 0), (0.01, 0.01, 0.02))
    for joint in (b, d):
        robot.body(joint, 0.8, (0.3, -0.02, 0), (0.01, 0.02, 0.03))
    tool = Loop(robot, b, (0.6, 0, 0), d, (0.6, 0, 0))
    left = 2.2
    forearm = np.arccos((0.25 - 0.4 * np.cos(left)) / 0.6)
    q = np.array([left, forearm - left, np.pi - left, np.pi - forearm - (np.pi - left)])
    phi, G, _ = tool.at(q, np.zeros(4))
    assert np.abs(phi).max() < 1e-14
    v = nearest_velocity(G, [1, 0, 1, 0], np.array([0.8, 0, -0.3, 0]))
    say("QDot", v)
    desired = np.array([2, 0, -1, 0.0])
    H, C = robot.dynamics(q, v)[:2]
    _, G, gamma = tool.at(q, v)
    S = np.eye(4)[[0, 2]]
    # Motors and rows determine all: S q'' = S q''*, G q'' = gamma; then H q'' + C = S^T tau + G^T force.
    acceleration = np.linalg.solve(np.vstack([S, G]), np.concatenate([S @ desired, gamma]))
    solved = np.linalg.solve(np.hstack([S.T, G.T]), H @ acceleration + C)
    say("actuated", 1)
    say("QDDot", acceleration)
    say("Tau", S.T @ solved[:2])
    say("force", solved[2:])
    say("forward", acceleration)
    frames, later = robot.frames(q), robot.frames(q, rate=v)
    J, dJ = (robot.point(f, b, (0.6, 0, 0))[1] for f in (frames, later))
    say("tool", (J @ acceleration + dJ.imag @ v / 1e-30)[1])
    say("actuated by one", 0)
    # tau = S C + W (S q''* - S q''), W = 100 S H S^T
    S = np.eye(4)[:1]
    W = 100 * S @ H @ S.T
    K = np.block([[H + S.T @ W @ S, -G.T], [G, np.zeros((2, 2))]])
    acceleration = np.linalg.solve(K, np.concatenate([S.T @ (S @ C + W @ S @ desired) - C, gamma]))[:4]
    say("relaxed QDDot", acceleration)
    say("relaxed Tau", S.T @ (S @ C + W @ S @ (desired - acceleration)))
    say("relaxed forward", acceleration)


def gait(say):
    robot = Robot((0, 0, -9.81))
    trunk = robot.add(robot.add(robot.add(-1, "slide", X), "slide", Z), "turn", Y)
    robot.body(trunk, 12, (0, 0, 0.3), (0.5, 0.6, 0.2))
    shanks = []
    for _ in range(2):
        thigh = robot.add(trunk, "turn", Y)
        shanks.append(robot.add(thigh, "turn", Y, (0, 0, -0.5)))
        robot.body(thigh, 4, (0.01, 0, -0.2), (0.06, 0.07, 0.01))
        robot.body(shanks[-1], 2.5, (0, 0, -0.22), (0.04, 0.05, 0.005))
    stance, begin = 0, 0.0

    def foot(frames, leg):
        p, J = robot.point(frames, shanks[leg], (0, 0, -0.5))
        return p, J[[0, 2]]

    def torque(t, q, v):
        phase = 2 * np.pi * min(t - begin, 0.5)
        swing, lift, out = 0.4 * np.cos(phase), 0.7 * np.sin(phase)**2, np.zeros(7)
        for leg in range(2):
            hip, knee = 3 + 2 * leg, 4 + 2 * leg
            out[knee] = 150 * (0.1 + (0 if leg == stance else lift) - q[knee]) - 10 * v[knee]
            out[hip] = 500 * (q[2] - 0.05) + 60 * v[2] if leg == stance else 150 * (swing - q[hip]) - 10 * v[hip]
        return out

    def solve(t, q, v):
        H, C = robot.dynamics(q, v)[:2]
        G, dG = foot(robot.frames(q), stance)[1], foot(robot.frames(q, rate=v), stance)[1].imag / 1e-30
        return kkt(H, G, torque(t, q, v) - C, -dG @ v)

    def shock(q, v, leg):
        return kkt(robot.dynamics(q, v)[0], foot(robot.frames(q), leg)[1], robot.dynamics(q, v)[0] @ v, np.zeros(2))

    q, v = np.array([0, 0, 0.05, -0.3, 0.1, 0.35, 0.1]), np.array([0.9, 0, 0, 0, 0, 0, 0])
    q[1] -= foot(robot.frames(q), 0)[0][2]
    v = shock(q, v, 0)[0]
    say("start", v)
    h, shocks, earliest = 0.001, 0, 100
    for k in range(1500):
        if shocks == 2:
            break
        q, v = rk4(lambda t, x, y: solve(t, x, y)[0], k * h, q, v, h)
        p, J = foot(robot.frames(q), 1 - stance)
        if k < earliest or p[2] > 0 or J[1] @ v > 0:
            continue
        v, impulse = shock(q, v, 1 - stance)
        stance, begin = 1 - stance, (k + 1) * h
        say("shock", k)
        say("shock Q", q)
        say("shock QDot", v)
        say("shock impulse", impulse)
        shocks, earliest = shocks + 1, k + 150
    say("shocks", shocks)
    say("Q", q)
    say("QDot", v)
    a, force = solve(1.5, q, v)
    say("QDDot", a)
    say("ground", force)
    _, _, mass, c, Jc, bias = robot.dynamics(q, v)
    rate = Jc @ a + bias
    say("com", c)
    say("com velocity", Jc @ v)
    say("com acceleration", rate)
    # The point of the ground without moment: z = n x (moment of the ground's wrench about the origin) / (n . force).
    now, later, moment = robot.frames(q), robot.frames(q, rate=v), np.zeros(3)
    for joint, m, centre, inertia in robot.bodies:
        (x, J), (R, _, Jw, _) = robot.point(now, joint, centre), now[joint]
        dJ, dJw, I, w = robot.point(later, joint, centre)[1].imag / 1e-30, later[joint][2].imag / 1e-30, R @ inertia @ R.T, Jw @ v
        moment += m * np.cross(x, J @ a + dJ @ v - robot.gravity) + I @ (Jw @ a + dJw @ v) + np.cross(w, I @ w)
    say("zmp", np.cross(Z, moment) / (mass * (rate - robot.gravity))[2])


def arm(say):
    robot = Robot((0, -9.81, 0))
    upper = robot.add(-1, "turn", Z)
    fore = robot.add(upper, "turn", Z, (0.5, 0, 0))
    hand = robot.add(fore, "turn", Z, (0.5, 0, 0))
    robot.body(upper, 2, (0.25, 0.01, 0), (0.01, 0.05, 0.06))
    robot.body(fore, 1.5, (0.2, 0, 0), (0.01, 0.03, 0.04))
    robot.body(hand, 0.5, (0.1, -0.02, 0), (0.002, 0.004, 0.005))
    # The wrist at (0.6, 0.3), by the law of cosines, the elbow above.
    reach, bearing = np.hypot(0.6, 0.3), np.arctan2(0.3, 0.6)
    lift = np.arccos(reach / 2 / 0.5)
    q = np.array([bearing + lift, -2 * lift, lift - bearing])
    say("q", q)
    say("by points", q)
    v, tau = np.array([0.4, -0.7, 0.9]), np.array([5, 3, 1.0])
    H, C = robot.dynamics(q, v)[:2]
    say("H", H.ravel())

    def tip(v):
        J = robot.point(robot.frames(q), hand, (0.2, 0, 0))[1]
        return J, robot.point(robot.frames(q, rate=v), hand, (0.2, 0, 0))[1].imag @ v / 1e-30

    J = tip(v)[0]
    say("G", J[:2].ravel())
    say("free", np.linalg.solve(H, tau - C))
    v, impulse = kkt(H, J[:1], H @ v, np.zeros(1))
    say("after", v)
    say("impulse", impulse)
    H, C, mass, c, Jc, _ = robot.dynamics(q, v)
    J, bias = tip(v)
    a, force = kkt(H, J[:1], tau - C, -bias[:1])
    say("pressed", a)
    say("force", force)
    say("tip", (J @ a + bias)[:2])
    S, wanted = np.eye(3)[[0, 2]], np.array([0.3, 0, -0.2])
    a = np.linalg.solve(np.vstack([S, J[:1]]), np.concatenate([S @ wanted, -bias[:1]]))
    say("moved", a)
    say("torque", S.T @ np.linalg.solve(np.hstack([S.T, J[:1].T]), H @ a + C)[:2])
    say("mass", [mass])
    say("com", c)
    say("com velocity", Jc @ v)
    frames, momentum = robot.frames(q), np.zeros(3)
    for joint, m, centre, inertia in robot.bodies:
        (x, Jx), (R, _, Jw, _) = robot.point(frames, joint, centre), frames[joint]
        momentum += m * np.cross(x - c, Jx @ v) + R @ inertia @ R.T @ Jw @ v
    say("momentum", momentum)
    say("energy", [v @ H @ v / 2])
    say("height", [mass * 9.81 * c[1]])


PROGRAMS = {"arm": arm, "loop_closure": loop_closure, "impact": impact, "inverse_dynamics": inverse_dynamics, "gait": gait}


def numbers(program):
    """[(name, number)] in the order of the program."""
    out = []

    def say(name, x):
        if np.ndim(x) == 0:
            out.append((name, float(x)))
        else:
            out.extend((f"{name}[{k}]", float(y)) for k, y in enumerate(x))

    PROGRAMS[program](say)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", choices=PROGRAMS)
    setup = parser.parse_args()
    folder = pathlib.Path(__file__).parent / "expected"
    for program in [setup.program] if setup.program else PROGRAMS:
        lines = "".join(f"{name} {x!r}\n" for name, x in numbers(program))
        if setup.program:
            print(lines, end="")
        else:
            folder.mkdir(exist_ok=True)
            (folder / f"{program}.txt").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()
