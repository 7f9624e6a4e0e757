# SPDX-License-Identifier: BSD-3-Clause
"""Hostile calls: a clear exception or a right answer, never a crash, never memory that grows.

ZWANG_TEST_EFFORT scales the number of fuzzed calls (1: 100 000).
"""
import gc
import os
import threading

import numpy as np
import pytest
import zwang as zw
from conftest import State, close, ctrl_c_of_another_thread, growth, load_project

CALLS = int(100_000 * float(os.environ.get("ZWANG_TEST_EFFORT", 1)))
EXPECTED = (ValueError, TypeError, RuntimeError, ArithmeticError, LookupError, AttributeError, OverflowError, BufferError)


class Liar:
    """Says one thing, does another."""

    def __len__(self):
        return 7

    def __getitem__(self, k):
        raise KeyError(k)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no")

    def __float__(self):
        raise ZeroDivisionError


class Shrinking(list):
    """Empties itself while it is read."""

    def __getitem__(self, k):
        self.clear()
        return 1.0


class Shy:
    def __init__(self, victim):
        self.victim = victim

    def __float__(self):
        self.victim.clear()
        return 1.0


def shy_list():
    victim = [0.0] * 7
    victim[2] = Shy(victim)
    return victim


def values(r, model):
    """Something that might be a vector of the model, or might not."""
    n = int(r.choice([model.nq, model.nv, 3, 6, 0, 1, model.nv + 1]))
    x = r.normal(size=n)
    kinds = [
        lambda: x, lambda: list(x), lambda: tuple(x), lambda: x.astype(np.float32), lambda: x.astype(complex), lambda: x * np.nan,
        lambda: np.stack([x, x]), lambda: np.stack([x, x])[:, ::-1], lambda: np.stack([x, x, x]).astype(np.float32),
        lambda: np.stack([x] * 40), lambda: np.lib.stride_tricks.as_strided(np.zeros(60), (3, n), (8, 8)) if n < 50 else x,
        lambda: np.stack([model.random(k) for k in range(3)]), lambda: np.stack([model.random(k) for k in range(3)]).astype(np.float32),
        lambda: np.zeros((2, 3, n)), lambda: None, lambda: "abc",
        lambda: b"abcdefg", lambda: 3.5, lambda: np.float64(1), lambda: x.astype(object), lambda: Liar(), lambda: shy_list(),
        lambda: Shrinking([1.0] * n), dict, lambda: {"joint1": 1.0}, lambda: {"x": x}, lambda: np.full(n, np.inf),
        lambda: np.full(n, 1e300), lambda: model.random(int(r.integers(1000))), lambda: model.zero(), lambda: np.broadcast_to(1.0, (4, n)),
        lambda: x.reshape(n, 1), lambda: np.ma.masked_array(x), lambda: memoryview(x), lambda: range(n), lambda: [x, x], lambda: [[1.0], [2.0, 3.0]],
        lambda: np.zeros(n, dtype=">f8"), lambda: model, lambda: type, lambda: np.zeros((0, n)), lambda: np.zeros((1 << 20, 0)),
    ]
    return kinds[int(r.integers(len(kinds)))]()


def words(r, model):
    pool = [*model.link_names, *model.joint_names, "", "x", "local", "world", "\0", "é" * 50, None, 3, b"tool0", "a" * 10000]
    return pool[int(r.integers(len(pool)))]


FUNCTIONS = [
    ("inverse_dynamics", "vvv"), ("forward_dynamics", "vvv"), ("bias_forces", "vv"), ("gravity_forces", "v"), ("mass_matrix", "v"),
    ("mass_matrix_inverse", "v"), ("cholesky", "v"), ("kinetic_energy", "vv"), ("potential_energy", "v"), ("centre_of_mass", "v"),
    ("centre_of_mass_velocity", "vv"), ("centre_of_mass_jacobian", "v"), ("joint_wrenches", "vvv"), ("frame_pose", "vw"), ("frame_poses", "vw"),
    ("frame_velocity", "vvw"), ("frame_acceleration", "vvvw"), ("jacobian", "vw"), ("jacobian_dot", "vvw"), ("jacobian_at", "vwv"),
    ("relative_velocity", "vvww"), ("relative_jacobian", "vww"), ("relative_pose", "vww"), ("integrate", "vv"), ("difference", "vv"), ("interpolate", "vvv"),
    ("distance", "vv"), ("squared_distances", "vv"), ("normalize", "v"), ("is_normalized", "v"), ("integrate_jacobians", "vv"),
    ("difference_jacobians", "vv"), ("transport", "vvv"), ("rollout", "vvv"),
]
KEYWORDS = ["out", "external", "in_", "joint_effects", "gravity", "reference", "kind", "nonsense", "status", "progress"]


def keyword(r, model, name):
    if name in ("in_", "reference", "kind"):
        return words(r, model)
    if name == "external" and r.random() < 0.7:
        return {words(r, model): values(r, model)}
    if name == "status" and r.random() < 0.7:
        return np.zeros(int(r.integers(4)), dtype=r.choice([np.uint8, np.int8, bool]))
    if name == "progress" and r.random() < 0.7:
        return r.choice([True, False, print, None])
    if name == "joint_effects" and r.random() < 0.5:
        return zw.JointEffects(friction=True)
    return values(r, model)


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("seed", range(4))
def test_fuzzed_calls_raise_or_answer(seed):
    r = np.random.default_rng(seed)
    models = [load_project("arm7", "fixed"), load_project("quadruped", "floating"), zw.random_robot(seed, joints=6)]
    answered = raised = 0
    for _ in range(CALLS // 4):
        m = models[int(r.integers(3))]
        name, letters = FUNCTIONS[int(r.integers(len(FUNCTIONS)))]
        given = [values(r, m) if letter == "v" else words(r, m) for letter in letters]
        if r.random() < 0.5:  # mostly right: what is behind the first check is reached, too
            s = State(m, 1)
            right = [s.q, s.q if name in ("difference", "distance", "squared_distances", "difference_jacobians") else s.v, s.a]
            keep = int(r.integers(len(given) + 1))
            it = iter(right)
            given = [(next(it, s.a) if k != keep else x) if letters[k] == "v" else (m.link_names[1] if k != keep else x)
                     for k, x in enumerate(given)]
        if r.random() < 0.3:  # many states
            given = [np.stack([x] * 3) if isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype == float else x for x in given]
            if r.random() < 0.3:
                given = [x.astype(np.float32) if isinstance(x, np.ndarray) and x.dtype == float else x for x in given]
        named = {k: keyword(r, m, k) for k in r.choice(KEYWORDS, size=int(r.integers(0, 3)), replace=False)} if r.random() < 0.4 else {}
        if name == "rollout":
            named |= {"steps": int(r.integers(-1, 4)), "dt": float(r.choice([0.01, 0, np.nan, 1e300]))}
        try:
            getattr(zw, name)(m, *given, **named)
            answered += 1
        except EXPECTED as error:
            assert str(error)
            raised += 1
    assert answered > CALLS // 40 and raised > CALLS // 40
    for m in models:  # nothing of it stays
        s = State(m, 3)
        fresh = m.with_frame("fresh", m.link_names[0], np.eye(4))
        assert np.array_equal(zw.inverse_dynamics(m, s.q, s.v, s.a), zw.inverse_dynamics(fresh, s.q, s.v, s.a))


def test_fuzzed_constraints_and_solves_raise_or_answer(arm):
    r = np.random.default_rng(11)
    cs = zw.ConstraintSet(arm)
    cs.add_frame("tool", frame="tool0", rows="linear")
    solver = zw.Solver(arm, cs, spare_rows=12)
    kept = solver.solve(arm.random(1))
    for _ in range(CALLS // 20):
        try:
            what = int(r.integers(8))
            if what == 0 and len(cs) < 5:
                cs.add_frame(words(r, arm), words(r, arm), rows=values(r, arm), beta=values(r, arm))
            elif what == 1 and len(cs) < 5:
                cs.add_contact(words(r, arm), words(r, arm), normal=values(r, arm), rows=int(r.integers(-1, 5)))
            elif what == 2:
                setattr(cs["tool"], str(r.choice(["beta", "active", "role", "weight", "compliance", "policy", "priority", "compensate"])),
                        values(r, arm) if r.random() < 0.7 else words(r, arm))
            elif what == 3:
                solver.solve(arm.random(2), values(r, arm), values(r, arm), prescribed=values(r, arm), out=None if r.random() < 0.5 else kept)
            elif what == 4:
                n = int(r.integers(4))
                q = np.stack([arm.random(k) for k in range(n)]) if n and r.random() < 0.8 else values(r, arm)
                x = solver.solve(q, values(r, arm), active=values(r, arm) if r.random() < 0.3 else {"tool": r.random(n) < 0.5},
                                 beta=values(r, arm) if r.random() < 0.3 else None, prescribed={"joint2": values(r, arm)})
                x.residual, x.reports
            elif what == 5:
                solver.rollout(values(r, arm), values(r, arm), values(r, arm), steps=int(r.integers(1, 4)), dt=0.01,
                               active=None if r.random() < 0.5 else values(r, arm), out=None if r.random() < 0.7 else (values(r, arm),) * 2)
            elif what == 6:
                solver.resolve(values(r, arm), external={words(r, arm): values(r, arm)})
            else:
                solver.solve(values(r, arm), out=values(r, arm))
        except EXPECTED as error:
            assert str(error)
    cs["tool"].active = True


@pytest.mark.filterwarnings("ignore:nanobind")
def test_objects_that_were_never_made_are_refused(arm):
    for kind in (zw.Model, zw.Solver, zw.ConstraintSet, zw.Constraint, zw.Solution, zw.SolveReport, zw.Joint, zw.Link, zw.TreeCholesky,
                 zw.JointEffects, zw.Diagnostic, zw.ConstraintSolution, zw.Delassus, zw.FrameList, zw.Frame):
        empty = kind.__new__(kind)
        for name in [n for n in dir(kind) if not n.startswith(("__", "from_"))] + ["__repr__", "__getitem__", "__len__", "__getstate__"]:
            with pytest.raises((TypeError, AttributeError, RuntimeError)):
                getattr(empty, name)("tool") if callable(getattr(kind, name, None)) else getattr(empty, name)
    empty = zw.Model.__new__(zw.Model)
    with pytest.raises(TypeError):
        zw.inverse_dynamics(empty, [], [], [])
    state = arm.__getstate__()
    for wrong in ((), (1,), (1, 2, 3), ((1, ()), state[1], state[2]), (state[0], (), state[2]), (state[0], state[1], ((1,),)),
                  ((99, state[0][1]), *state[1:]), ((1, tuple([b"x"] * 4)), *state[1:])):
        with pytest.raises(Exception):  # noqa: B017  any will do, but no crash
            zw.Model.__new__(zw.Model).__setstate__(wrong)
    q = arm.random(5)
    before = zw.gravity_forces(arm, q)
    try:
        arm.__setstate__(zw.sample("quadruped").__getstate__())
    except (TypeError, RuntimeError):
        pass
    assert np.array_equal(zw.gravity_forces(arm, q), before)


def test_finite_numbers_lead_to_no_nan(arm):
    """What leaves the range of double raises, of one state and of many; with status= it is a status."""
    q, z = arm.random(seed=1), arm.zero()
    huge, far = np.full(7, 1e160), np.full(7, 1e308)
    calls = {
        "inverse_dynamics": (q, huge, z), "forward_dynamics": (q, huge, z), "bias_forces": (q, huge), "kinetic_energy": (q, huge),
        "centre_of_mass_acceleration": (q, huge, z), "centre_of_mass_motion": (q, huge, z), "mass_matrix_solve": (q, far),
        "integrate": (far, far), "difference": (far, -far),
    }
    for name, x in calls.items():
        f = getattr(zw, name)
        for k, given in enumerate((x, [np.tile(e, (3, 1)) for e in x])):
            with pytest.raises(zw.ArithmeticOverflowError, match="E_OVERFLOW") as raised:
                f(arm, *given)
            assert isinstance(raised.value, OverflowError) and (k == 0 or "state 0: " in str(raised.value)), name
        status = np.zeros(3, np.uint8)
        f(arm, *given, status=status)
        assert (status == zw.Status.overflow).all(), name
        one = np.zeros((), np.uint8)
        f(arm, *x, status=one)
        assert one == zw.Status.overflow, name
    for f, x in [(zw.frame_acceleration, (q, huge, z, "tool0")), (zw.distance, (far, -far)),
                 (zw.interpolate, (far, -far, -3.0)), (zw.squared_distances, (far, -far)), (zw.joint_wrenches, (q, huge, z))]:
        with pytest.raises(ArithmeticError, match="E_OVERFLOW"):
            f(arm, *x)
    single = np.full((3, 7), 1e30, np.float32)
    with pytest.raises(zw.ArithmeticOverflowError):
        zw.inverse_dynamics(arm, np.tile(q, (3, 1)).astype(np.float32), single, single)


def test_a_far_body_overflows_with_a_word():
    body = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
    joint = '<axis xyz="0 1 0"/></joint>'
    m = zw.loads(f'<robot name="r"><link name="a"/><link name="b">{body}<link name="c">{body}'
                 f'<joint name="j" type="continuous"><parent link="a"/><child link="b"/>{joint}'
                 f'<joint name="k" type="continuous"><origin xyz="0 0 1e200"/><parent link="b"/><child link="c"/>{joint}</robot>')
    q, v, a = [0.3, 0.4], [1.0, 2.0], [0.0, 0.0]
    for f, x in [(zw.inverse_dynamics, (q, v, [1.0, 1.0])), (zw.forward_dynamics, (q, v, a)), (zw.mass_matrix, (q,)),
                 (zw.mass_matrix_inverse, (q,)), (zw.mass_matrix_solve, (q, v)), (zw.cholesky, (q,)), (zw.kinetic_energy, (q, v))]:
        with pytest.raises(ArithmeticError, match="E_OVERFLOW|E_SINGULAR"):
            f(m, *x)


def test_joints_and_links_keep_their_model_alive():
    m = load_project("humanoid", "floating")
    joints, links, link = m.joints, m.links, m.link(m.link_names[3])
    names, factor = m.joint_names, zw.cholesky(m, m.random(2))
    del m
    gc.collect()
    junk = [load_project("arm7", "fixed") for _ in range(20)]
    assert [j.name for j in joints] == names and sum(x.mass for x in links) > 0 and link.inertia.shape == (3, 3)
    assert np.isfinite(factor.solve(np.ones(factor.lower.shape[0]))).all() and junk


def test_memory_stays_flat():
    arm = load_project("arm7", "fixed")
    s = State(arm)
    cs = zw.ConstraintSet(arm)
    cs.add_frame("tool", frame="tool0", rows="linear", role="driver")
    solver = zw.Solver(arm, cs)
    x, tau, J, wrenches = solver.solve(s.q), arm.zero(), np.zeros((6, 7)), zw.joint_wrenches(arm, s.q, s.v, s.a)

    def work(n):
        for k in range(n):
            zw.inverse_dynamics(arm, s.q, s.v, s.a, external={"tool0": s.q[:6]}, out=tau)
            zw.jacobian(arm, s.q, "tool0", out=J)
            cs["tool"].beta = J[:3, 0]
            cs["tool"].active = k % 3 != 0
            solver.solve(s.q, s.v, tau, out=x)
            solver.resolve(tau, out=x)
            zw.joint_wrenches(arm, s.q, s.v, s.a, out=wrenches)
            x["tool"].wrench, arm.lower, arm.joints, x.report
            try:
                zw.frame_pose(arm, s.q, "nobody")
            except ValueError:
                pass
    blocks, size = growth(lambda: work(300))
    assert blocks <= 0 and size < 300 * 8  # a leak of the smallest block of malloc, 32 bytes, in each call would be 9600


def test_threads_share_models_and_solvers():
    arm = load_project("arm7", "fixed")
    cs = zw.ConstraintSet(arm)
    tool = cs.add_frame("tool", frame="tool0", rows="linear", role="driver")
    shared = zw.Solver(arm, cs)
    states = [State(arm, k) for k in range(8)]
    many = np.concatenate([np.stack([s.q for s in states])] * 100)
    expected = [zw.inverse_dynamics(arm, s.q, s.v, s.a) for s in states]
    forces, solved = zw.gravity_forces(arm, many), shared.solve(many).acceleration
    failures = []

    def work(k):
        try:
            for _ in range(40):
                s = states[k]
                assert np.array_equal(zw.inverse_dynamics(arm, s.q, s.v, s.a), expected[k])
                assert np.array_equal(zw.gravity_forces(arm, many), forces)
                assert np.array_equal(shared.solve(many).acceleration, solved)
                tool.beta = [0, 0, 0]
                shared.solve(s.q, s.v)
                if k == 0:
                    cs["tool"].active = True
                with pytest.raises(ValueError):
                    zw.gravity_forces(arm, many * np.nan)
        except BaseException as error:  # reported by the main thread
            failures.append(error)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures, failures


def test_long_calls_release_the_gil():
    chain = zw.sample("chain")
    q = np.zeros((20000, chain.nq))
    with pytest.raises(KeyboardInterrupt), ctrl_c_of_another_thread():  # which runs within a call or never
        while True:
            zw.mass_matrix(chain, q)


def test_numbers_at_the_end_of_the_range_do_not_crash(arm):
    for big in (1e150, 1e300):
        with np.errstate(all="ignore"):
            close(np.zeros(1), np.zeros(1))
            try:
                assert np.isfinite(zw.inverse_dynamics(arm, arm.neutral(), np.full(7, big), np.full(7, big))).all()
            except zw.ArithmeticOverflowError:
                pass
            cs = zw.ConstraintSet(arm)
            cs.add_frame("tool", frame="tool0")
            x = zw.Solver(arm, cs).solve(arm.neutral(), np.full(7, big))
            assert x.report.status != "ok" or np.isfinite(x.acceleration).all()
