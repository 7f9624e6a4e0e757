# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python package share: robots, random states, tolerances."""
import os
import pathlib

import numpy as np
import pytest
import zwang as zw

ROOT = pathlib.Path(__file__).resolve().parents[2]
EPS = np.finfo(float).eps
SHARED = pathlib.Path(os.environ.get("ZWANG_SHARED_ROBOTS", ROOT.parent / "shared" / "robots"))


def project_robots():
    return [("arm7", "fixed"), ("quadruped", "floating"), ("humanoid", "floating"), ("four_bar", "fixed")]


def load_project(name, root):
    return zw.load(ROOT / "models" / f"{name}.urdf", root=root)


def random_robots(count=8):
    """Trees of every joint type whose mass matrix is regular (a composite joint's parts may move alike)."""
    types = [t for t in zw.joint_types() if t != "fixed"]
    return [zw.random_robot(seed, joints=4 + 3 * seed, types=types, base=base)
            for seed in range(count // 2) for base in ("fixed", "floating")]


class State:
    """A configuration within limits and random v, a, tau: never zeros."""

    def __init__(self, model, seed=1):
        r = np.random.default_rng(seed)
        self.q = model.random(seed)
        self.v, self.a, self.tau = (r.uniform(-1, 1, model.nv) for _ in range(3))


def states_of(model, n, seed=0):
    """n configurations within limits, random v and tau."""
    r = np.random.default_rng(seed)
    q = np.stack([model.random(seed * 1000 + k) for k in range(n)])
    return q, *(r.uniform(-1, 1, (n, model.nv)) for _ in range(2))


def close(got, expected, scale=None, k=1e4):
    """Rounding of sums over some hundred bodies: k eps times the largest term (scale, or the result itself)."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    if expected.size == 0:
        return
    scale = np.abs(expected).max() if scale is None else scale
    difference = np.abs(got - expected).max()
    assert difference <= k * EPS * (1 + scale), f"differ by {difference:.3g} of {scale:.3g}"


@pytest.fixture(scope="session")
def arm():
    return load_project("arm7", "fixed")


@pytest.fixture(scope="session")
def dog():
    return load_project("quadruped", "floating")


@pytest.fixture(scope="session")
def robots():
    return [load_project(*r) for r in project_robots()] + random_robots()


@pytest.fixture(scope="module")
def held(arm):
    """A solver of the arm with the rows of a driver and one ordinary row."""
    cs = zw.ConstraintSet(arm)
    cs.add_frame("tool", frame="tool0", rows="linear", role="driver", beta=[0.1, 0.2, 0.3])
    cs.add_frame("elbow", frame="link4", rows=["linear.x"], beta=0.5)
    return zw.Solver(arm, cs)
