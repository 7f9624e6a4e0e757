# SPDX-License-Identifier: BSD-3-Clause
"""zwang.gym: Gymnasium's own checker, modes of resetting, seeds, copies beside a single one; what it says without the package."""
import subprocess
import sys

import numpy as np
import pytest

import zwang as zw


def test_says_what_is_missing():
    code = "import sys; sys.modules['gymnasium'] = None\nimport zwang as zw\nzw.gym"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode != 0 and "pip install zwang[gym]" in done.stderr


gymnasium = pytest.importorskip("gymnasium", reason="the package gymnasium is not installed")
FEET = ["LF_foot", "RF_foot", "LH_foot", "RH_foot"]


@pytest.fixture(scope="module")
def dog():
    return zw.load("models/quadruped.urdf", root="floating")


@pytest.fixture(scope="module")
def stance(dog):
    q = dog.neutral()
    q[2] = 0.43
    return q


def made(dog, stance, n, **words):
    return zw.gym.LeggedVectorEnv(dog, stance, n, feet=FEET, **words)


def fail(envs, k):
    """The copy of environment k has no next state from now on."""
    tau = np.zeros((envs.num_envs, envs.simulator.model.nv))
    tau[k] = np.nan
    before = envs.simulator.time.copy()
    q, v = envs.simulator.q.copy(), envs.simulator.v.copy()
    contacts = [envs.simulator.contacts(i) for i in range(envs.num_envs)]
    envs.simulator.step(tau)
    for i in range(envs.num_envs):  # the others are where they were
        if i != k:
            envs.simulator.reset_copy(i, q[i], v[i], contacts=contacts[i], time=before[i])


class Single(gymnasium.Env):
    """One of them, as the checker wants it."""

    def __init__(self, dog, stance):
        self.envs = made(dog, stance, 1, seconds=0.5, autoreset_mode="Disabled")
        self.observation_space, self.action_space = self.envs.single_observation_space, self.envs.single_action_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        observations, infos = self.envs.reset(seed=seed, options=options)
        if seed is not None:
            self.np_random = self.envs.np_random
        return observations[0], infos

    def step(self, action):
        observations, rewards, terminations, truncations, infos = self.envs.step(action[None])
        return observations[0], float(rewards[0]), bool(terminations[0]), bool(truncations[0]), infos


def test_the_checker_of_gymnasium(dog, stance):
    from gymnasium.utils.env_checker import check_env
    env = Single(dog, stance)
    check_env(env, skip_render_check=True)


def test_stands_and_is_truncated(dog, stance):
    envs = made(dog, stance, 3, seconds=1.0)
    observations, infos = envs.reset(seed=1)
    assert isinstance(envs, gymnasium.vector.VectorEnv) and infos == {}
    assert envs.observation_space.contains(observations) and envs.action_space.contains(envs.action_space.sample())
    still = np.zeros(envs.action_space.shape)
    for k in range(50):
        observations, rewards, terminations, truncations, infos = envs.step(still)
        assert not terminations.any() and truncations.all() == (k == 49)
        assert ((rewards > 0) & (rewards <= 1)).all()
    loads = observations[:, -4:].sum(1)
    np.testing.assert_allclose(loads, 1, atol=0.05)  # four feet carry the weight
    last = envs.simulator.q.copy()
    observations, rewards, terminations, truncations, _ = envs.step(still)  # the next step begins anew
    assert (envs.simulator.time == 0).all() and not np.array_equal(envs.simulator.q, last)
    assert not (rewards.any() or terminations.any() or truncations.any())


def test_modes_of_resetting(dog, stance):
    envs = made(dog, stance, 2, seconds=0.1, autoreset_mode="SameStep")
    envs.reset(seed=1)
    for _ in range(5):
        observations, _, _, truncations, infos = envs.step(np.zeros((2, 12)))
    assert truncations.all() and (envs.simulator.time == 0).all() and infos["_final_obs"].all()
    assert infos["final_obs"][0].shape == observations[0].shape and not np.array_equal(infos["final_obs"][0], observations[0])
    envs = made(dog, stance, 2, seconds=0.1, autoreset_mode="Disabled")
    envs.reset(seed=1)
    for _ in range(5):
        envs.step(np.zeros((2, 12)))
    envs.reset(options={"reset_mask": np.array([True, False])})
    np.testing.assert_allclose(envs.simulator.time, [0, 0.1], rtol=1e-12)
    assert envs.metadata["autoreset_mode"].value == "Disabled"


def test_falls_and_fails(dog, stance):
    tilted = stance.copy()
    tilted[3], tilted[6] = np.sin(0.6), np.cos(0.6)  # rolled by 1.2 rad
    envs = made(dog, tilted, 2)
    envs.reset(seed=1)
    assert envs.step(np.zeros((2, 12)))[2].all()
    envs = made(dog, stance, 2)
    envs.reset(seed=1)
    fail(envs, 1)
    observations, rewards, terminations, _, infos = envs.step(np.zeros((2, 12)))
    assert list(terminations) == [False, True] and infos["status"][1] == "non_finite_input"
    assert np.isfinite(observations).all() and np.isfinite(rewards).all()
    _, _, terminations, _, infos = envs.step(np.zeros((2, 12)))
    assert not terminations.any() and "status" not in infos and (envs.simulator.status == "ok").all()


def test_refuses_actions_that_are_no_numbers(dog, stance):
    envs = made(dog, stance, 3)
    before = envs.reset(seed=1)[0]
    action = np.zeros((3, 12))
    action[1, 3] = action[2, 0] = np.nan
    with pytest.raises(ValueError, match=r"'actions' is NaN at \(1, 3\).*2 of 3"):
        envs.step(action)
    assert (envs.simulator.time == 0).all()  # nothing has moved
    action[1:] = np.inf  # cut off, as all beyond 1
    observations, rewards, *_ = envs.step(action)
    assert np.isfinite(observations).all() and np.isfinite(rewards).all() and not np.array_equal(observations, before)


@pytest.mark.parametrize("gravity", [(0, 0, -1.62), (0, 0, 0)])
def test_weight_is_that_of_the_models_gravity(stance, gravity):
    moon = zw.load("models/quadruped.urdf", root="floating", gravity=gravity)
    envs = made(moon, stance, 1, seconds=4.0, noise=0.0)
    observations, _ = envs.reset(seed=1)
    for _ in range(150):
        observations = envs.step(np.zeros((1, 12)))[0]
    assert np.isfinite(observations).all()
    if any(gravity):
        assert observations[0, -4:].sum() == pytest.approx(1, abs=0.05)


def test_seeds_and_copies(dog, stance):
    def run(n, seed):
        envs = made(dog, stance, n, turned=True)
        envs.reset(seed=seed)
        envs.action_space.seed(seed)
        return envs, [envs.step(envs.action_space.sample())[0] for _ in range(10)][-1]
    envs, one = run(4, 7)
    assert np.array_equal(one, run(4, 7)[1]) and not np.array_equal(one, run(4, 8)[1])
    # What happens to one of them does not change the others, nor where they begin anew.
    calm, wild = (made(dog, stance, 2, seconds=0.1) for _ in range(2))
    for k in range(8):
        for e in (calm, wild):
            if k == 0:
                e.reset(seed=5)
            if e is wild and k == 2:
                fail(e, 0)
            e.step(np.zeros((2, 12)))
    assert np.array_equal(calm.simulator.q[1], wild.simulator.q[1]) and calm.simulator.time[1] < 0.1
    assert not np.array_equal(calm.simulator.q[0], wild.simulator.q[0])
    # Turned about z nothing else changes: the observations are those of the robot's own axes.
    straight = made(dog, stance, 4, noise=0.0)
    round_about = made(dog, stance, 4, noise=0.0, turned=True)
    straight.reset(seed=1)
    round_about.reset(seed=1)
    assert np.abs(round_about.simulator.q[:, 5]).min() > 1e-3
    for _ in range(5):
        a, b = (e.step(np.full((4, 12), 0.2))[0] for e in (straight, round_about))
    np.testing.assert_allclose(a, b, atol=1e-4)


def test_refusals(dog, stance):
    with pytest.raises(ValueError, match="floating root"):
        zw.gym.LeggedVectorEnv(zw.sample("arm7"), np.zeros(7), 1)
    with pytest.raises(ValueError, match="num_envs"):
        made(dog, stance, 0)
    with pytest.raises(ValueError, match="stance"):
        made(dog, stance[:-1], 1)
