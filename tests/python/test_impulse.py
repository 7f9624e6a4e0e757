# SPDX-License-Identifier: BSD-3-Clause
"""Solver.impulse: laws of impact, N states, derivatives, refusals."""
import copy
import pathlib
import pickle

import numpy as np
import pytest
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parent.parent.parent / "models"
FEET = ("LF_foot", "RF_foot", "LH_foot")
MODELS_OF_RESTITUTION = ("newton", "poisson", "energetic")


@pytest.fixture(scope="module")
def robot():
    return zw.load(MODELS / "quadruped.urdf", root="floating")


@pytest.fixture
def feet(robot):
    feet = zw.ConstraintSet(robot)
    for foot in FEET:
        feet.add_contact(foot, foot, normal=[0, 0, 1])
    feet.add_loop("strap", ("LH_foot", "RH_foot"), rows="linear")
    feet.add_group("fore", ["LF_foot", "RF_foot"])
    return feet


def state(robot, seed=1):
    r = np.random.default_rng(seed)
    return robot.random(seed=seed), r.uniform(-1, 1, robot.nv)


@pytest.mark.parametrize("model", MODELS_OF_RESTITUTION)
def test_laws_of_an_impulse(robot, feet, model):
    q, v = state(robot)
    solver = zw.Solver(robot, feet)
    before = solver.solve(q, v).acceleration
    push = {"RH_foot": [1, 2, 3, 0, 0, 0]}
    s = np.zeros(robot.nv)
    s[8] = 0.3
    r = solver.impulse(q, v, {"fore": [0, 0, 0.4]}, {"LF_foot": [0.1, 0, 0]}, model=model, impulse=s, external=push)
    assert r.status == "ok", r.report.explain()
    M = zw.mass_matrix(robot, q)
    J = zw.jacobian(robot, q, "RH_foot")
    assert np.allclose(M @ r.change, r.motor_impulse + r.reaction + J.T @ push["RH_foot"], atol=1e-12)
    assert np.allclose(r.velocity, v + r.change, atol=1e-14)
    assert np.isclose(r.energy_before, 0.5 * v @ M @ v) and np.isclose(r.energy_after, 0.5 * r.velocity @ M @ r.velocity)
    work = sum(r[name].energy for name in (*FEET, "strap")) + 0.5 * (v + r.velocity) @ (s + J.T @ push["RH_foot"])
    assert np.isclose(r.energy_after - r.energy_before, work, atol=1e-12)
    foot = zw.jacobian(robot, q, "LF_foot")[:3]
    assert np.allclose(r["LF_foot"].velocity_before, foot @ v) and np.allclose(r["LF_foot"].velocity_after, foot @ r.velocity)
    assert np.allclose(r["LF_foot"].velocity_after[:2], [0.1, 0], atol=1e-12)
    assert np.allclose(r["strap"].velocity_after, 0, atol=1e-12)
    if model == "newton":
        assert np.isclose(r["RF_foot"].velocity_after[2], -0.4 * r["RF_foot"].velocity_before[2])
    assert np.array_equal(solver.solve(q, v).acceleration, before)
    assert "Impulse: ok" in repr(r)


def test_restitution_may_be_given_in_every_form(robot, feet):
    q, v = state(robot)
    solver = zw.Solver(robot, feet)
    e = np.zeros(12)
    e[[2, 5]] = 0.4
    by_rows = solver.impulse(q, v, restitution=e).velocity
    assert np.array_equal(by_rows, solver.impulse(q, v, restitution={"fore": [0, 0, 0.4]}).velocity)
    assert np.array_equal(solver.impulse(q, v, 0.3).velocity, solver.impulse(q, v, np.full(12, 0.3)).velocity)
    assert np.array_equal(solver.impulse(q, v, {"LF_foot": 1}).velocity, solver.impulse(q, v, {"LF_foot": [1, 1, 1]}).velocity)


@pytest.mark.parametrize("model", MODELS_OF_RESTITUTION)
def test_states_are_solved_as_one_is(robot, feet, model):
    n = 9
    q, v = (np.stack(x) for x in zip(*(state(robot, k) for k in range(n))))
    solver = zw.Solver(robot, feet)
    e = np.linspace(0, 1, n)[:, None] * [0, 0, 1]
    wheel = np.linspace(-1, 1, n)
    joint = robot.coordinate_names[9]
    many = solver.impulse(q, v, restitution={"LF_foot": e}, target={"RF_foot": [0, 0.1, 0]}, model=model, prescribed={joint: wheel})
    assert many.status.tolist() == [0] * n and many.report is None
    for k in range(n):
        one = solver.impulse(q[k], v[k], {"LF_foot": e[k]}, {"RF_foot": [0, 0.1, 0]}, model=model, prescribed={joint: wheel[k]})
        for name in ("velocity", "change", "multipliers", "motor_impulse", "reaction", "velocity_after", "energy_after"):
            assert np.allclose(getattr(many, name)[k], getattr(one, name), atol=1e-9), name
        assert np.allclose(many["strap"].wrench[k], one["strap"].wrench, atol=1e-9)
        assert np.isclose(many["LF_foot"].energy[k], one["LF_foot"].energy)
    v[3, 2] = np.nan
    with pytest.raises(ValueError, match="state 3"):
        solver.impulse(q, v)
    status = np.zeros(n, np.uint8)
    some = solver.impulse(q, v, status=status)
    assert status[3] != 0 and np.isnan(some.velocity[3]).all() and not np.isnan(some.velocity[4]).any()


def test_numbers_of_one_prescribed_joint_may_belong_to_a_call_of_many_states(robot, feet):
    q, v = state(robot)
    solver = zw.Solver(robot, feet)
    joint = robot.coordinate_names[9]
    for more in ({"restitution": np.zeros((3, feet.rows))}, {"target": np.zeros((3, feet.rows))}):
        status = np.zeros(3, np.uint8)
        solver.impulse(q, v, prescribed={joint: np.nan}, status=status, **more)
        assert (status != 0).all()
        with pytest.raises(ValueError, match="Solver.impulse"):
            solver.impulse(q, v, prescribed={joint: np.nan}, **more)
    with pytest.raises(ValueError, match="Solver.impulse: .*prescribed"):
        solver.impulse(q, v, prescribed={joint: np.nan})


class Adds:
    """Numbers whose conversion adds to a dictionary."""

    def __init__(self, to, *numbers):
        self.to, self.numbers = to, numbers

    def __array__(self, dtype=None, copy=None):
        self.to.update({f"new{k}": 0.0 for k in range(len(self.to), len(self.to) + 100)})
        return np.array(self.numbers, float)


def test_conversions_that_change_a_dictionary_do_not_change_what_is_read(robot, feet):
    q, v = state(robot)
    solver = zw.Solver(robot, feet)
    joint, other = robot.coordinate_names[9:11]

    def given(*entries):
        d = {}
        d.update((name, Adds(d, *numbers)) for name, numbers in entries)
        return d

    rows = ("LF_foot", (0.1, 0.2, 0.3)), ("RF_foot", (0.3, 0.2, 0.1))
    joints, push = ((joint, (1.0,)), (other, (2.0,))), (("LF_foot", (1, 2, 3, 4, 5, 6)), ("RF_foot", (0, 0, 1, 0, 0, 0)))
    changing = solver.impulse(q, v, given(*rows), given(*rows), prescribed=given(*joints), external=given(*push))
    plain = solver.impulse(q, v, dict(rows), dict(rows), prescribed=dict(joints), external=dict(push))
    assert np.array_equal(changing.velocity, plain.velocity) and np.array_equal(changing.multipliers, plain.multipliers)
    changing = solver.solve(q, v, given((joint, (1.0,)), (other, (2.0,))), prescribed=given(*joints), external=given(*push))
    plain = solver.solve(q, v, {joint: 1.0, other: 2.0}, prescribed=dict(joints), external=dict(push))
    assert np.array_equal(changing.acceleration, plain.acceleration)


@pytest.mark.parametrize("through", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_an_impulse_is_copied_with_all_its_numbers(robot, feet, through):
    q, v = state(robot)
    solver = zw.Solver(robot, feet)
    for r in (solver.impulse(q, v, 0.5), solver.impulse(np.stack([q, q]), np.stack([v, -v]), 0.5)):
        other = through(r)
        for name in ("velocity", "change", "multipliers", "motor_impulse", "reaction", "velocity_before", "residual"):
            assert np.array_equal(getattr(other, name), getattr(r, name)) and getattr(other, name) is not getattr(r, name)
        assert np.array_equal(other["strap"].wrench, r["strap"].wrench) and other["strap"].rows == r["strap"].rows
        assert np.array_equal(other["strap"].energy, r["strap"].energy) and np.array_equal(other.status, r.status)
        assert np.array_equal(other.energy_after, r.energy_after) and repr(other) == repr(r)
    state_of = solver.impulse(q, v).__getstate__()
    for wrong in ((), state_of[:4], (*state_of[:2], (), *state_of[3:]), (7, *state_of[1:]), (*state_of[:-1], ()),
                  (*state_of[:-1], ("reports", ())), (*state_of[:2], ("velocity", q), *state_of[3:])):
        with pytest.raises(ValueError):
            zw.Impulse.__new__(zw.Impulse).__setstate__(wrong)


def test_derivatives_are_differences(robot, feet):
    q, v = state(robot)
    solver = zw.Solver(robot, feet)
    r = np.random.default_rng(2)
    e, w, s = r.uniform(0.1, 0.9, 12), r.uniform(-1, 1, 12), r.uniform(-1, 1, robot.nv)
    dq, dv, ds, de, dw = (r.uniform(-1, 1, n) for n in (robot.nv, robot.nv, robot.nv, 12, 12))

    def ask(h):
        return solver.impulse(zw.integrate(robot, q, h * dq), v + h * dv, e + h * de, w + h * dw, impulse=s + h * ds)

    ahead, behind, h = ask(1e-5), ask(-1e-5), 1e-5
    ask(0)
    d = solver.impulse_derivatives()
    assert d.status == "ok", d.reason
    for of, name in ((d.velocity, "velocity"), (d.multipliers, "multipliers")):
        along = of.q @ dq + of.v @ dv + of.impulse @ ds + of.target @ dw + of.restitution @ de
        difference = (getattr(ahead, name) - getattr(behind, name)) / (2 * h)
        assert np.allclose(along, difference, rtol=1e-6, atol=1e-6 * abs(difference).max())
    t = solver.impulse_jvp(q=dq, v_before=dv, impulse=ds, target=dw, restitution=de)
    assert t.status == "ok"
    assert np.allclose(t.velocity, d.velocity.q @ dq + d.velocity.v @ dv + d.velocity.impulse @ ds
                       + d.velocity.target @ dw + d.velocity.restitution @ de, atol=1e-9)
    assert np.allclose(t.multipliers, d.multipliers.q @ dq + d.multipliers.v @ dv + d.multipliers.impulse @ ds
                       + d.multipliers.target @ dw + d.multipliers.restitution @ de, atol=1e-9)
    a, b = r.uniform(-1, 1, robot.nv), r.uniform(-1, 1, 12)
    g = solver.impulse_vjp(velocity=a, multipliers=b)
    for name in ("q", "v", "impulse", "target", "restitution"):
        expected = getattr(d.velocity, name).T @ a + getattr(d.multipliers, name).T @ b
        assert np.allclose(getattr(g, name), expected, atol=1e-9 * (1 + abs(expected).max())), name


def test_a_wrench_in_the_axes_of_another_frame_turns_with_it(robot, feet):
    q, v = state(robot)
    solver = zw.Solver(robot, feet)
    dq = np.random.default_rng(3).uniform(-1, 1, robot.nv)
    push = {"RF_foot": [3, 2, 1, 0.1, 0.2, 0.3]}

    def ask(h):
        return solver.impulse(zw.integrate(robot, q, h * dq), v, external=push, in_="LH_foot").velocity

    difference = (ask(1e-5) - ask(-1e-5)) / 2e-5
    ask(0)
    assert np.allclose(solver.impulse_derivatives().velocity.q @ dq, difference, atol=1e-6 * abs(difference).max())
    assert np.allclose(solver.impulse_jvp(q=dq).velocity, difference, atol=1e-6 * abs(difference).max())


def test_what_has_no_meaning_is_refused(robot, feet):
    q, v = state(robot)
    solver = zw.Solver(robot, feet)
    with pytest.raises(RuntimeError, match="impulse"):
        solver.impulse_derivatives()
    for wrong, says in (
        ({"restitution": 1.5}, r"\[0, 1\]"),
        ({"restitution": {"LF_foto": 0.5}}, "LF_foot"),
        ({"restitution": {"LF_foot": [0.5, 0.5]}}, "restitution"),
        ({"restitution": {"LF_foot": 0.5, "fore": 0.1}}, "twice"),
        ({"restitution": float("nan")}, "restitution"),
        ({"target": {"LF_foot": [0, 0, float("inf")]}}, "target"),
        ({"target": np.zeros(3)}, "target"),
        ({"model": "newtons"}, "newton"),
        ({"impulse": np.zeros(2)}, "impulse"),
        ({"prescribed": {"nobody": 1.0}}, "nobody"),
        ({"active": [1, 1, 1, 1]}, "active"),
        ({"model": "energetic", "restitution": {"LF_foot": [0, 0.1, 0.2]}}, "energetic"),
    ):
        with pytest.raises(ValueError, match=says):
            solver.impulse(q, v, **wrong)
    with pytest.raises(ValueError, match="v_before"):
        solver.impulse(q, v[:-1])
    assert solver.impulse(q).energy_before == 0


def test_rows_of_the_user_take_part(robot):
    def gear(q, v):
        return [q[8] - 2 * q[9]], np.eye(robot.nv)[7] - 2 * np.eye(robot.nv)[8], [0.0]

    rows = zw.ConstraintSet(robot)
    rows.add_contact("foot", "LF_foot", normal=[0, 0, 1])
    rows.add_custom("gear", gear, 1)
    solver = zw.Solver(robot, rows)
    q, v = state(robot)
    r = solver.impulse(q, v, {"gear": 0.5})
    assert r.status == "ok" and np.isclose(r["gear"].velocity_after[0], -0.5 * (v[7] - 2 * v[8]))
    many = solver.impulse(np.stack([q, q]), np.stack([v, -v]), {"gear": 0.5})
    assert np.allclose(many.velocity, [r.velocity, -r.velocity], atol=1e-12)
    with pytest.raises(RuntimeError, match="impulse"):
        solver.impulse_derivatives()  # the last one was of N states

    def broken(q, v):
        raise KeyError("nothing here")

    rows.add_custom("broken", broken, 1)
    with pytest.raises(KeyError, match="nothing here"):
        zw.Solver(robot, rows).impulse(q, v)
    with pytest.raises(KeyError, match="nothing here"):
        zw.Solver(robot, rows).impulse(np.stack([q, q]), np.stack([v, v]))
