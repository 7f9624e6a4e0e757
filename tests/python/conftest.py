# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python package share: robots, random states, tolerances, Ctrl-C, memory in use.

No verdict depends on time: looks are counted (zw.ProgressEvery(0, ...)), not waited for, and what hangs is ended by ctest alone. A test that
has to measure time is marked `timed` and runs where it is asked for: pytest -m timed.
"""
import contextlib
import ctypes
import functools
import gc
import os
import pathlib
import signal
import sys
import threading

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


def torques(arm, states=1000, block=128, over=None, **more):
    """A study of inverse dynamics."""
    over = over or zw.study.Sample(states, seed=3, q="limits", v=(-1, 1), a=(-5, 5))
    return zw.Study(arm, what=["inverse_dynamics"], over=over, block=block, **more)


def close(got, expected, scale=None, k=1e4):
    """Rounding of sums over some hundred bodies: k eps times the largest term (scale, or the result itself)."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    if expected.size == 0:
        return
    scale = np.abs(expected).max() if scale is None else scale
    difference = np.abs(got - expected).max()
    assert difference <= k * EPS * (1 + scale), f"differ by {difference:.3g} of {scale:.3g}"


def presses_ctrl_c():
    """A callable (done, total) that presses Ctrl-C. It is raise() of C: Python does nothing before the call looks again."""
    return functools.partial(ctypes.CDLL(None)["raise"], int(signal.SIGINT))


@contextlib.contextmanager
def ctrl_c_of_another_thread():
    """Presses Ctrl-C as soon as a call of the block lets other threads run, and never where none does: the interpreter does not switch
    threads by itself meanwhile."""
    wanted, over, interval = threading.Lock(), [], sys.getswitchinterval()
    wanted.acquire()

    def press():
        wanted.acquire()
        if not over:
            signal.raise_signal(signal.SIGINT)
    thread = threading.Thread(target=press)
    thread.start()
    sys.setswitchinterval(1e5)  # more than a day
    wanted.release()
    try:
        yield
    finally:
        over.append(True)
        sys.setswitchinterval(interval)
        thread.join()


class _Mallinfo2(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def growth(work, rounds=8):
    """Of blocks of Python's allocator and of bytes of malloc (numbers of arrays, all that C++ holds), in the round of work() that adds least,
    after two that fill what is kept. A leak adds to every round, whatever else is in the process; what an allocator keeps for later does not."""
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("this C library does not say how much memory is in use (glibc 2.33 does)")
    mallinfo2.restype = _Mallinfo2
    held = np.zeros((rounds + 3, 2), int)
    for k in range(rounds + 3):
        gc.collect()
        found = mallinfo2()
        held[k] = sys.getallocatedblocks(), found.uordblks + found.hblkhd
        work()
    return np.diff(held, axis=0)[2:].min(axis=0)


@pytest.fixture(scope="session")
def arm():
    return load_project("arm7", "fixed")


@pytest.fixture(scope="session")
def dog():
    return load_project("quadruped", "floating")


@pytest.fixture(scope="session")
def zoo():
    """A joint of every type: model, q, v, a, and wrenches on two frames."""
    model = zw.sample("zoo", root="floating")
    rng = np.random.default_rng(5)
    q, v, a = model.random(seed=3), rng.uniform(-1, 1, model.nv), rng.uniform(-1, 1, model.nv)
    frames = model.frame_names
    external = {frames[-1]: [1, -2, 3, 0.4, 0.5, -0.6], frames[len(frames) // 2]: [-3, 1, 2, 0.1, 0, 0.3]}
    return model, q, v, a, external


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
