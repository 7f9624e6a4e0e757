# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives after a solve of N states: those of the solve of each state, with a status and a reason for each."""
import pickle
import sys
import threading

import numpy as np
import pytest

import zwang as zw
from conftest import presses_ctrl_c
from zwang import _operations

N = 12
NAMES = ("acceleration", "multipliers", "motor_torque")
GRADIENTS = ("q", "v", "tau", "prescribed", "beta", "target", "target_velocity", "compliance", "time_constant",
             "damping_ratio", "armature", "damping", "stiffness", "gravity", "inertial_parameters", "placement")


class Problem:
    """A quadruped: two feet, one soft with a target, a driven trunk row, and a row that contradicts where it is on."""

    def __init__(self, n=N):
        r = self.robot = zw.load("models/quadruped.urdf", root="floating")
        self.set = zw.ConstraintSet(r)
        self.set.add_contact("hard", frame="LF_foot")
        self.set.add_contact("soft", frame="RF_foot", policy="soft", compliance=0.05, target_point=[0.1, 0.2, 0.3],
                             time_constant=0.2)
        self.set.add_frame("trunk", frame="trunk", rows=["angular.x"], role="driver")
        self.set.add_contact("against", frame="LF_foot", rows=1)
        rng = self.rng = np.random.default_rng(4)
        self.q = np.stack([zw.integrate(r, r.neutral(), rng.uniform(-0.4, 0.4, r.nv)) for _ in range(n)])
        self.v, self.tau = rng.uniform(-1, 1, (n, r.nv)), rng.uniform(-5, 5, (n, r.nv))
        self.beta = rng.uniform(-1, 1, (n, self.set.rows))
        self.active = np.ones((n, 4), bool)
        self.active[:, 3] = False
        self.active[3:4, 3] = True   # contradictory
        self.active[5:6, 1] = False
        self.wrench = rng.uniform(-3, 3, (n, 6))
        self.given = rng.uniform(-2, 2, n)
        self.weights = {"acceleration": rng.uniform(-1, 1, (n, r.nv)),
                        "multipliers": rng.uniform(-1, 1, (n, self.set.rows)),
                        "motor_torque": rng.uniform(-1, 1, (n, r.nv))}
        self.directions = {"q": rng.uniform(-1, 1, (n, r.nv)), "v": rng.uniform(-1, 1, (n, r.nv)),
                           "tau": rng.uniform(-1, 1, (n, r.nv)), "beta": rng.uniform(-1, 1, (n, self.set.rows))}
        self.solver = zw.Solver(r, self.set)

    def words(self, k=slice(None), **more):
        return {"external": {"RH_foot": self.wrench[k]}, "prescribed": {"LF_knee": self.given[k]}, **more}

    def solve(self, dtype=np.float64, **more):
        x = (a.astype(dtype) for a in (self.q, self.v, self.tau))
        return self.solver.solve(*x, active=self.active, beta=self.beta.astype(dtype), **self.words(**more))

    def solver_of(self, k, **more):
        """A new solver that has solved state k."""
        own = zw.ConstraintSet.from_json(self.robot, self.set.to_json())
        at = 0
        for name, on in zip(own.names, self.active[k]):
            own[name].active = bool(on)
            own[name].beta = self.beta[k, at:at + len(own[name].beta)]
            at += len(own[name].beta)
        solver = zw.Solver(self.robot, own)
        solver.solve(self.q[k], self.v[k], self.tau[k], **self.words(k, **more))
        return solver


@pytest.fixture
def problem():
    return Problem()


def same(all_states, one, k):
    assert np.array_equal(all_states[k], one, equal_nan=True), np.abs(all_states[k] - one).max()


def near(all_states, one, k, tolerance=1e-12):
    np.testing.assert_allclose(all_states[k], one, rtol=0, atol=tolerance * (1 + np.abs(one).max(initial=0)))


@pytest.mark.parametrize("more", [{}, {"gravity": [0.3, -0.2, -1.6]}, {"joint_effects": zw.JointEffects(damping=False)}])
def test_are_those_of_each_state(problem, more):
    p = problem
    s = p.solve(**more)
    d, g, t = p.solver.derivatives(), p.solver.vjp(**p.weights), p.solver.jvp(**p.directions)
    for x in (d, g, t):
        assert [zw.Status(y) for y in x.status] == ["not_differentiable" if k == 3 else "ok" for k in range(N)]
        assert x.reason[3] == "the last solve is not ok" and not any(x.reason[:3])
    for k in range(N):
        one = p.solver_of(k, **more)
        dk, gk, tk = one.derivatives(), one.vjp(**{n: w[k] for n, w in p.weights.items()}), \
            one.jvp(**{n: w[k] for n, w in p.directions.items()})
        for name in NAMES:
            for by in ("q", "v", "tau", "beta"):
                same(getattr(getattr(d, name), by), getattr(getattr(dk, name), by), k)
            for frame, in_ in (("trunk", "local"), ("RH_foot", "LF_foot")):
                near(getattr(d, name).external(frame, in_), getattr(dk, name).external(frame, in_), k)
            same(getattr(t, name), getattr(tk, name), k)
        for by in ("q", "v", "a"):
            same(getattr(d.residual, by), getattr(dk.residual, by), k)
        same(d.velocity_error.q, dk.velocity_error.q, k)
        same(d.velocity_error.v, dk.velocity_error.v, k)
        same(d.position_error.q, dk.position_error.q, k)
        for by in GRADIENTS:
            same(getattr(g, by), getattr(gk, by), k)
        near(g.external("trunk", "RF_foot"), gk.external("trunk", "RF_foot"), k)
    assert not d.acceleration.q[3].any() and not g.q[3].any() and not d.motor_torque.external("trunk")[3].any()
    assert d.velocity_error.a is None and d.position_error.v is None
    assert s.acceleration.shape == (N, p.robot.nv)


def test_wrenches_along_the_axes_of_a_frame_turn_with_it(problem):
    p = problem
    p.solve(in_="LH_foot")
    d, g, t = p.solver.derivatives(), p.solver.vjp(**p.weights), p.solver.jvp(**p.directions)
    for k in range(N):
        one = p.solver_of(k, in_="LH_foot")
        dk, gk, tk = one.derivatives(), one.vjp(**{n: w[k] for n, w in p.weights.items()}), \
            one.jvp(**{n: w[k] for n, w in p.directions.items()})
        for name in NAMES:
            near(getattr(d, name).q, getattr(dk, name).q, k)
            near(getattr(t, name), getattr(tk, name), k)
        near(g.q, gk.q, k)
        known = ~np.isnan(gk.placement)  # of joints that were not merged
        assert np.array_equal(known, ~np.isnan(g.placement[k]))
        near([g.placement[k][known]], gk.placement[known], 0)


def test_of_float32_are_float32(problem):
    p = problem
    p.solve()
    d, g, t = p.solver.derivatives(), p.solver.vjp(**p.weights), p.solver.jvp(**p.directions)
    p.solve(np.float32)
    ds = p.solver.derivatives()
    gs = p.solver.vjp(**{n: w.astype(np.float32) for n, w in p.weights.items()})
    ts = p.solver.jvp(**p.directions)  # of either precision
    for a, b in ((d.acceleration.q, ds.acceleration.q), (g.beta, gs.beta), (t.multipliers, ts.multipliers),
                 (d.multipliers.external("trunk"), ds.multipliers.external("trunk"))):
        assert b.dtype == np.float32
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-3 * np.abs(a).max())


def test_one_vector_holds_for_all_states(problem):
    p = problem
    p.solve()
    one = {n: w[0] for n, w in p.weights.items()}
    g = p.solver.vjp(**one)
    h = p.solver.vjp(**{n: np.tile(w, (N, 1)) for n, w in one.items()})
    assert np.array_equal(g.q, h.q)
    assert np.array_equal(p.solver.jvp(q=p.directions["q"][0]).acceleration,
                          p.solver.jvp(q=np.tile(p.directions["q"][0], (N, 1))).acceleration)


def test_belong_to_the_last_solve(problem):
    p = problem
    p.solve()
    assert p.solver.derivatives().acceleration.q.shape == (N, p.robot.nv, p.robot.nv)
    p.solver.solve(p.q[0], p.v[0], p.tau[0])
    assert p.solver.derivatives().acceleration.q.shape == (p.robot.nv, p.robot.nv)
    s = p.solve()
    p.solver.solve(p.q, p.v, p.tau, active=p.active, beta=2 * p.beta, out=s, **p.words())
    again = p.solver.vjp(**p.weights).beta
    p.set["hard"].beta = [7, 8, 9]  # the solve had others
    p.set["soft"].time_constant = 0.5
    p.q += 1
    assert np.array_equal(p.solver.vjp(**p.weights).beta, again)
    p.solver.resolve(p.tau[0])
    assert p.solver.vjp(acceleration=p.weights["acceleration"][0]).q.shape == (p.robot.nv,)
    fresh = zw.Solver(p.robot, p.set)
    fresh.solve(p.q[0] - 1, p.v[0])
    fresh.derivatives()
    with pytest.raises(ValueError):
        fresh.solve(np.full_like(p.q, np.nan), p.v, p.tau)
    for call in (fresh.derivatives, fresh.vjp, fresh.jvp):
        with pytest.raises(RuntimeError):  # the last solve has failed
            call()


def test_refused_states_keep_their_status(problem):
    p = problem
    p.q[2, 0] = np.nan
    status = np.empty(N, np.uint8)
    p.solve(status=status)
    assert status[2] == zw.Status.non_finite_input
    g = p.solver.vjp(**p.weights)
    assert g.status[2] == zw.Status.non_finite_input and np.isnan(g.q[2]).all() and np.isfinite(g.q[4]).all()
    assert np.isnan(g.external("trunk")[2]).all() and np.isfinite(g.external("trunk")[4]).all()
    assert np.isnan(p.solver.derivatives().multipliers.external("trunk")[2]).all()
    p.solve(status=status, in_="LH_foot")
    for x in (p.solver.jvp(**p.directions).acceleration, p.solver.vjp(**p.weights).q):
        assert np.isnan(x[2]).all() and np.isfinite(x[4]).all()


def test_threads_do_not_change_a_bit(problem):
    p = problem
    found = []
    for threads in (1, 2, 5):
        zw.set_threads(threads)
        p.solve()
        found.append(p.solver.vjp(**p.weights).inertial_parameters)
    zw.set_threads(0)
    assert all(np.array_equal(x, found[0]) for x in found)


def test_every_method(problem):
    p = problem
    p.active[3, 3] = False
    p.set["soft"].policy = "hard"
    expected = None
    for method in zw.methods():
        if method == "pv_soft":
            continue
        solver = zw.Solver(p.robot, p.set, method)
        try:
            solver.solve(p.q, p.v, p.tau, active=p.active, beta=p.beta, external={"RH_foot": p.wrench})
        except zw.UnsupportedError:
            continue
        g = solver.vjp(**p.weights)
        assert (g.status == zw.Status.ok).all(), (method, g.reason)
        expected = g.q if expected is None else expected
        np.testing.assert_allclose(g.q, expected, rtol=0, atol=1e-7 * np.abs(expected).max())
    assert expected is not None


def test_by_the_numbers_of_stabilisation():
    p = Problem(1)
    weights = {n: w[0] for n, w in p.weights.items()}

    def cost(**more):
        for name, x in more.items():
            setattr(p.set["soft"], name, x)
        s = p.solver.solve(p.q[0], p.v[0], p.tau[0])
        return sum(w @ getattr(s, n) for n, w in weights.items())
    p.set["against"].active = False
    cost()
    g = p.solver.vjp(**weights)
    assert g.time_constant.shape == g.damping_ratio.shape == (4,)
    h = 1e-5
    t = (cost(time_constant=0.2 + h) - cost(time_constant=0.2 - h)) / (2 * h)
    cost(time_constant=0.2)
    z = (cost(damping_ratio=1 + h) - cost(damping_ratio=1 - h)) / (2 * h)
    np.testing.assert_allclose([g.time_constant[1], g.damping_ratio[1]], [t, z], rtol=1e-6)
    assert not g.time_constant[[0, 2, 3]].any() and not g.damping_ratio[[0, 2, 3]].any()


def test_progress_and_interruption():
    p = Problem(600)
    p.solve()
    seen = []
    p.solver.vjp(**p.weights, progress=zw.ProgressEvery(0, lambda done, total: seen.append((done, total))))
    assert len(seen) > 1 and seen == sorted(seen) and all(0 <= a <= b == 600 for a, b in seen)

    def stop(done, total):
        seen.append(done)
        raise LookupError("enough")
    seen.clear()
    with pytest.raises(LookupError, match="enough"):
        p.solver.derivatives(progress=zw.ProgressEvery(0, stop))
    assert len(seen) == 1
    with pytest.raises(KeyboardInterrupt):
        p.solver.derivatives(progress=zw.ProgressEvery(0, presses_ctrl_c()))


@pytest.mark.parametrize("words, message", [
    ({"acceleration": np.ones((N - 1, 18))}, "as many states as the last solve"),
    ({"acceleration": np.ones((N, 3))}, "acceleration"),
    ({"multipliers": np.full((N, 8), np.nan)}, "state 0: .*multipliers.*0.*nan"),
    ({"motor_torque": "x"}, "motor_torque"),
    ({"acceleration": np.ones((N, 18), np.float32)}, "float32"),
])
def test_hostile_arguments(problem, words, message):
    problem.solve()
    with pytest.raises((ValueError, TypeError), match=message):
        problem.solver.vjp(**words)


def test_no_states(problem):
    p = problem
    p.solver.solve(p.q[:0], p.v[:0], p.tau[:0])
    d, g = p.solver.derivatives(), p.solver.vjp()
    assert d.acceleration.q.shape == (0, 18, 18) and g.q.shape == (0, 18) and list(g.status) == [] and g.reason == []
    assert d.multipliers.external("trunk").shape == (0, 8, 6)


def test_rows_of_the_user_have_none_and_raise_what_they_raise():
    arm = zw.load("models/arm7.urdf")
    s = zw.ConstraintSet(arm)
    fails = [False]

    def rows(q, v):
        if fails[0]:
            raise KeyError("rows")
        return None, np.eye(7)[2:3], np.zeros(1)
    s.add_custom("own", rows, rows=1)
    s.add_frame("tool", frame="tool0", rows=["linear.x"])
    solver = zw.Solver(arm, s)
    n = 40
    on = np.ones((n, 2), bool)
    on[::2, 0] = False
    solver.solve(np.stack([arm.random(seed=k) for k in range(n)]), active=on)
    g = solver.vjp(acceleration=np.ones(7))
    assert list(g.status[:2]) == [zw.Status.ok, zw.Status.not_differentiable]
    assert set(g.reason[1::2]) == {"rows written by the user have no derivatives"} and not g.q[1::2].any()
    fails[0] = True
    with pytest.raises(KeyError, match="rows"):
        solver.derivatives()


def test_no_solve_comes_between_a_solve_and_its_derivatives():
    """What zwang.torch, jax and casadi call, from threads: JAX's callbacks have threads of their own."""
    arm = zw.load("models/arm7.urdf")
    constraints = zw.ConstraintSet(arm)
    constraints.add_frame("hold", frame="tool0", rows=["linear"], beta=[1, 2, 3])
    op = _operations.solve(zw.Solver(arm, constraints), False, [], "local_world_aligned")
    rng = np.random.default_rng(7)
    states = [tuple(rng.uniform(-1, 1, (3, 40, 7))) for _ in range(4)]
    weights = rng.uniform(-1, 1, (40, *op.shape))
    expected = [op.vjp(*x, weights) for x in states]
    wrong = []

    def work(k):
        for _ in range(60):
            found = op.vjp(*states[k], weights)
            wrong.extend(k for a, b in zip(found, expected[k]) if not np.array_equal(a, b))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


@pytest.mark.parametrize("wrt", ["q", ("tau", "beta"), {"v", "inertial_parameters", "external"}, ["placement", "gravity"]])
def test_a_gradient_has_what_wrt_names(problem, wrt):
    p = problem
    p.solve()
    whole, part = p.solver.vjp(**p.weights), p.solver.vjp(**p.weights, wrt=wrt)
    one = p.solver_of(0)
    weights = {n: w[0] for n, w in p.weights.items()}
    whole_of_one, part_of_one = one.vjp(**weights), pickle.loads(pickle.dumps(one.vjp(**weights, wrt=wrt)))
    names = {wrt} if isinstance(wrt, str) else set(wrt)
    for g, all_of_it in ((part, whole), (part_of_one, whole_of_one)):
        for name in GRADIENTS:
            if name in names:
                assert np.array_equal(getattr(g, name), getattr(all_of_it, name), equal_nan=True)
            else:
                assert not hasattr(g, name)
        if "external" in names:
            assert np.array_equal(g.external("trunk"), all_of_it.external("trunk"))
        else:
            with pytest.raises(AttributeError, match="'external' was not asked for"):
                g.external("trunk")


def test_wrt_refuses_other_names(problem):
    problem.solve()
    with pytest.raises(ValueError, match="E_NAME Solver.vjp: argument 'wrt' names 'tua'.*did you mean 'tau'"):
        problem.solver.vjp(wrt=("q", "tua"))
    with pytest.raises(ValueError, match="names nothing"):
        problem.solver.vjp(wrt=())
    with pytest.raises(ValueError, match="has type int"):
        problem.solver.vjp(wrt=3)
