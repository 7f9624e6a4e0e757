# SPDX-License-Identifier: BSD-3-Clause
"""Robots on the ground as environments of Gymnasium: zwang.gym.

    import zwang as zw, zwang.gym
    robot = zw.load("models/quadruped.urdf", root="floating")
    stance = robot.neutral()
    stance[2] = 0.43
    envs = zw.gym.LeggedVectorEnv(robot, stance, num_envs=4096)
    observations, infos = envs.reset(seed=1)
    observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())

All of them are copies of one BatchSimulator: exact friction and a certificate, no softness to tune. What an environment does depends on
its own actions and on its start alone, to the bit.
"""
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

try:
    import gymnasium as _gymnasium  # type: ignore[import-not-found,unused-ignore]
    from gymnasium.vector import AutoresetMode as _Mode  # type: ignore[import-not-found,unused-ignore]
    from gymnasium.vector.utils import batch_space as _batch_space  # type: ignore[import-not-found,unused-ignore]
except ImportError as error:
    raise ImportError("zwang.gym needs the package gymnasium, 1.1 or later: pip install zwang[gym]") from error

from ._zwang import BatchSimulator, Model, Scene

Array: TypeAlias = NDArray[np.float64]
Observations: TypeAlias = NDArray[np.float32]
_Base: Any = _gymnasium.vector.VectorEnv
__all__ = ["LeggedVectorEnv"]


class LeggedVectorEnv(_Base):  # type: ignore[misc,unused-ignore]
    """Robots with legs and a floating root, which shall walk along x without falling.

    An action, one number in [-1, 1] for each joint, moves the position that the joint's controller holds: q = stance + action_scale
    action, tau = stiffness (q - joint) - damping velocity, within the joint's effort. It holds for `steps` steps of dt. An observation
    is, in float32: the height of the root, the direction up in its axes (3), joints less stance, the velocity (nv; of the root in its
    own axes), the last action, the vertical force on each of `feet` (links; None: all with shapes) beside the robot's weight (in N
    where the model has no gravity).

    The reward of an action is exp(-|velocity of the root in x and y, less (speed, 0)|^2 / 0.25) - 0.01 |change of the action|^2 / joints,
    in m/s. An environment ends (termination) where the root is below `lowest` or turned by more than 60 degrees, or where its copy has
    no next state, with the word in infos["status"]; it is truncated after `seconds`. Starts: the stance, joints moved by up to `noise`
    [rad], turned about z by any angle where `turned`.

    autoreset_mode: "NextStep", "SameStep" or "Disabled" (reset(options={"reset_mask": ...})), as Gymnasium describes them; a step
    with SameStep has the last observations in infos["final_obs"]. Raises ValueError for a robot without a floating root.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": _Mode.NEXT_STEP}

    def __init__(self, model: Model, stance: Array, num_envs: int, *, scene: Scene | None = None, feet: Sequence[str] | None = None, dt: float = 1e-3,
                 steps: int = 20, speed: float = 0.5, stiffness: float = 300.0, damping: float = 8.0, action_scale: float = 0.4,
                 lowest: float = 0.25, seconds: float = 10.0, noise: float = 0.05, turned: bool = False,
                 autoreset_mode: str = "NextStep") -> None:
        root = next((j for j in map(model.joint, model.joint_names) if j.type == "floating"), None)
        if root is None or root.q.start != 0 or root.v.start != 0:
            raise ValueError("E_VALUE LeggedVectorEnv: the robot has no floating root: load it with root=\"floating\"")
        if num_envs < 1 or steps < 1:
            raise ValueError(f"E_NUMBER LeggedVectorEnv: num_envs is {num_envs} and steps is {steps}, expected at least 1")
        self.simulator = BatchSimulator(model, None, num_envs, scene=Scene(model).ground() if scene is None else scene, dt=dt)
        self.num_envs, self.stance, self.speed, self.steps = num_envs, np.array(stance, np.float64), speed, steps
        if self.stance.shape != (model.nq,):
            raise ValueError(f"E_SIZE LeggedVectorEnv: argument 'stance' has shape {self.stance.shape}, expected ({model.nq},)")
        self.stiffness, self.damping, self.action_scale = stiffness, damping, action_scale
        self.lowest, self.seconds, self.noise, self.turned = lowest, seconds, noise, turned
        self._mode = _Mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        self._joints = model.nv - 6
        if self._joints < 1 or model.nq != model.nv + 1:
            raise ValueError(f"E_VALUE LeggedVectorEnv: the robot has nq = {model.nq} and nv = {model.nv}, expected joints of one number each")
        effort = model.effort_limit[6:]
        self._effort = np.where(effort > 0, effort, np.inf)
        self._weight = float(np.linalg.norm(model.gravity)) * model.mass or 1.0
        names = self.simulator.links
        feet = [link for link in names if any(x.collision for x in model.link(link).shapes)] if feet is None else feet
        self._touching = [names.index(model.link(link).name) for link in feet]
        size = 1 + 3 + self._joints + model.nv + self._joints + len(self._touching)
        self.single_observation_space = _gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float32)
        self.single_action_space = _gymnasium.spaces.Box(-1.0, 1.0, (self._joints,), np.float32)
        self.observation_space = _batch_space(self.single_observation_space, num_envs)
        self.action_space = _batch_space(self.single_action_space, num_envs)
        self._random: list[np.random.Generator] = []
        self._action = np.zeros((num_envs, self._joints))
        self._over = np.zeros(num_envs, bool)
        self._tau = np.zeros((num_envs, model.nv))

    def _begin(self, mask: NDArray[np.bool_]) -> None:
        """New starts where `mask` is, by random numbers of each environment: when others begin anew does not matter."""
        q, angle = np.tile(self.stance, (self.num_envs, 1)), np.zeros(self.num_envs)
        for k in np.flatnonzero(mask):
            angle[k] = self._random[k].uniform(-np.pi, np.pi)
            q[k, 7:] += self.noise * self._random[k].uniform(-1, 1, self._joints)
        if self.turned:  # about z of the world: (0, 0, sin, cos) times the quaternion x y z w
            s, c = np.sin(angle / 2), np.cos(angle / 2)
            x, y, z, w = q[:, 3:7].T.copy()
            q[:, 3:7] = np.stack([c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z], 1)
        self.simulator.reset(q, mask=mask)
        self._action[mask] = 0.0

    def _axes(self) -> tuple[Array, Array, Array]:
        """The axes x, y, z of the world in those of the roots."""
        x, y, z, w = self.simulator.q[:, 3:7].T
        return (np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], 1),
                np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], 1),
                np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 1))

    def _observations(self) -> Observations:
        s = self.simulator
        parts = [s.q[:, 2:3], self._axes()[2], s.q[:, 7:] - self.stance[7:], s.v, self._action,
                 s.contact_force[:, self._touching, 2] / self._weight]
        return np.concatenate(parts, 1).astype(np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observations, dict[str, Any]]:
        """New starts, of those in options["reset_mask"] (num_envs,) if it is given. The same seed: the same starts."""
        super().reset(seed=seed)
        if seed is not None or not self._random:
            self._random = [np.random.default_rng(x) for x in self.np_random.integers(2**62, size=self.num_envs)]
        mask = np.ones(self.num_envs, bool)
        if options is not None and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"])
        self._begin(mask)
        self._over[mask] = False
        return self._observations(), {}

    def step(self, actions: Any) -> tuple[Observations, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """An action for each environment, beyond [-1, 1] cut off. Raises ValueError, before anything moves, for a NaN."""
        s, tau = self.simulator, self._tau
        actions = np.clip(np.asarray(actions, np.float64).reshape(self.num_envs, self._joints), -1, 1)
        bad = np.argwhere(np.isnan(actions))
        if bad.size > 0:
            raise ValueError(f"E_NUMBER LeggedVectorEnv.step: argument 'actions' is NaN at {tuple(map(int, bad[0]))} (environment, joint), "
                             f"in {len(np.unique(bad[:, 0]))} of {self.num_envs} environments")
        wanted = self.stance[7:] + self.action_scale * actions
        for _ in range(self.steps):
            np.clip(self.stiffness * (wanted - s.q[:, 7:]) - self.damping * s.v[:, 6:], -self._effort, self._effort, out=tau[:, 6:])
            s.step(tau)
        ahead, aside, up = self._axes()
        velocity = np.stack([(ahead * s.v[:, :3]).sum(1), (aside * s.v[:, :3]).sum(1)], 1)
        rewards = (np.exp(-((velocity - [self.speed, 0.0]) ** 2).sum(1) / 0.25)
                   - 0.01 * ((actions - self._action) ** 2).sum(1) / self._joints)
        self._action[:] = actions
        failed = np.asarray(s.status) != 0
        terminations = failed | (s.q[:, 2] < self.lowest) | (up[:, 2] < 0.5)
        truncations = ~terminations & (s.time >= self.seconds - 0.5 * s.dt)
        infos: dict[str, Any] = {}
        again = self._over.copy() if self._mode is _Mode.NEXT_STEP else np.zeros_like(self._over)
        if (failed & ~again).any():
            infos["status"], infos["_status"] = np.array([str(x) for x in s.status], object), failed & ~again
        self._over = terminations | truncations
        if again.any():  # what their action did is not seen
            self._begin(again)
            rewards[again] = 0.0
            terminations[again] = truncations[again] = self._over[again] = False
        elif self._mode is _Mode.SAME_STEP and self._over.any():
            last = self._observations()
            infos["final_obs"], infos["_final_obs"] = np.full(self.num_envs, None, object), self._over.copy()
            for k in np.flatnonzero(self._over):
                infos["final_obs"][k] = last[k]
            self._begin(self._over)
        return self._observations(), rewards, terminations, truncations, infos
