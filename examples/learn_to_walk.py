# SPDX-License-Identifier: BSD-3-Clause
"""A quadruped learns to walk: 48 of them try gaits in one batch of scenes, and the best ones give the next generation.

The environments are those of zwang.gym (Gymnasium), copies of one BatchSimulator with exact friction. A gait moves diagonal pairs of
legs in turn by sines of hips and knees, six numbers in all; the cross-entropy method looks for those that earn most. What the best one
does in the batch it does alone, to the bit. Without the package gymnasium nothing is computed.
"""
import importlib.util
import pathlib
import sys

import numpy as np
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
FEET = ["LF_foot", "RF_foot", "LH_foot", "RH_foot"]
COPIES, GENERATIONS, ELITE, SECONDS, SPEED = 48, 6, 8, 2.0, 0.6
#                 rate [Hz], hip: swing and middle, knee: swing and middle [1], knee behind hip [rad]
MEAN = np.array([2.5, 0.2, 0.0, 0.2, 0.0, 1.5])
SPREAD = np.array([0.5, 0.2, 0.2, 0.3, 0.2, 1.0])


def actions(gaits: np.ndarray, time: float) -> np.ndarray:
    """Of each gait: abduction, hip and knee of the legs LF, RF, LH, RH."""
    rate, hip, hip_middle, knee, knee_middle, behind = gaits.T
    out = np.zeros((len(gaits), 12))
    for leg, phase in enumerate((0.0, np.pi, np.pi, 0.0)):
        angle = 2 * np.pi * rate * time + phase
        out[:, 3 * leg + 1] = hip_middle + hip * np.sin(angle)
        out[:, 3 * leg + 2] = knee_middle + knee * np.sin(angle + behind)
    return out


def walk(robot: zw.Model, stance: np.ndarray, gaits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each gait earns until it falls, and how far its robot is then [m]."""
    from zwang.gym import LeggedVectorEnv
    envs = LeggedVectorEnv(robot, stance, len(gaits), feet=FEET, speed=SPEED, seconds=SECONDS, noise=0.0, autoreset_mode="Disabled")
    envs.reset(seed=1)
    earned, way, walks = np.zeros(len(gaits)), np.zeros(len(gaits)), np.ones(len(gaits), bool)
    for k in range(round(SECONDS / (envs.steps * envs.simulator.dt))):
        _, rewards, fallen, _, _ = envs.step(actions(gaits, k * envs.steps * envs.simulator.dt))
        earned[walks] += rewards[walks]
        way[walks] = envs.simulator.q[walks, 0]
        walks &= ~fallen
    return earned, way


def main() -> int:
    if importlib.util.find_spec("gymnasium") is None:
        print("learn_to_walk needs the package gymnasium: pip install zwang[gym]")
        return 0
    robot = zw.load(MODELS / "quadruped.urdf", root="floating")
    stance = robot.neutral()
    stance[2] = 0.43
    random = np.random.default_rng(1)
    mean, spread = MEAN.copy(), SPREAD.copy()
    best, most, far, first = mean, -np.inf, 0.0, 0.0
    for generation in range(GENERATIONS):
        gaits = mean + spread * random.standard_normal((COPIES, len(mean)))
        earned, way = walk(robot, stance, gaits)
        order = np.argsort(-earned)
        if earned[order[0]] > most:
            best, most, far = gaits[order[0]], earned[order[0]], way[order[0]]
        first = first or float(np.median(earned))
        mean, spread = gaits[order[:ELITE]].mean(0), gaits[order[:ELITE]].std(0) + 0.02
        print(f"generation {generation + 1}: median {np.median(earned):5.1f}, best {earned[order[0]]:5.1f}, "
              f"{way[order[0]] / SECONDS:.2f} m/s")
    alone, there = walk(robot, stance, best[None])
    good = alone[0] == most and there[0] == far and far > 0.5 * SPEED * SECONDS and np.median(earned) > first
    print(f"the best gait walks at {far / SECONDS:.2f} m/s, in a batch and alone to the same bit: {'ok' if good else 'NOT ok'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
