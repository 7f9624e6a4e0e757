# SPDX-License-Identifier: BSD-3-Clause
"""Rows with senses and limits through Python: conditions of the optimum, the report, documents, refusals."""
import pathlib
import pickle

import numpy as np
import pytest
import zwang as zw

MODELS = pathlib.Path(__file__).parents[2] / "models"
FEET = ("LF_foot", "RF_foot", "LH_foot", "RH_foot")


def quadruped(**options):
    m = zw.sample("quadruped", root="floating")
    cs = zw.ConstraintSet(m)
    for foot in FEET:
        cs.add_contact(foot, foot, normal=[0, 0, 1], rows=1, **options)
    return m, cs


def test_contacts_push_or_let_go():
    m, cs = quadruped(sense="at_least")
    solver = zw.Solver(m, cs)
    rng = np.random.default_rng(5)
    seen = set()
    for k in range(60):
        q, v = m.random(k), 0.3 * rng.normal(size=m.nv)
        push = {"trunk": [0, 0, rng.uniform(-100, 500), *rng.uniform(-50, 50, 3)]}
        s = solver.solve(q, v, 5 * rng.normal(size=m.nv), external=push)
        assert s.status == "ok", s.report.explain()
        free = np.array([zw.frame_acceleration(m, q, v, s.acceleration, foot)[2] for foot in FEET])  # K a; beta = 0
        size = 1 + np.abs(s.acceleration).max()
        assert (free / size > -1e-9).all() and (s.multipliers > -1e-9).all()
        assert np.abs(s.multipliers * free / size).max() < 1e-7 * (1 + np.abs(s.multipliers).max())
        assert s.report.complementarity <= 1e-9
        assert len(s.report.held) + len(s.report.released) == 4
        seen.add(len(s.report.released))
    assert len(seen) > 2


def test_limits_and_the_report():
    m = zw.sample("arm7")
    cs = zw.ConstraintSet(m)
    cs.add_frame("tool", frame="tool0", rows="linear", beta=[0, 0, 30], role="driver", limit=60)
    assert list(cs["tool"].limit) == [60.0] * 3 and len(cs["tool"].sense) == 0
    q = m.neutral() + 0.3
    s = zw.Solver(m, cs).solve(q, m.zero(), zw.gravity_forces(m, q))
    assert s.status == "ok" and s.report.at_limit and np.abs(s.multipliers).max() <= 60 * (1 + 1e-12)
    again = pickle.loads(pickle.dumps(s))
    assert again.report.at_limit == s.report.at_limit and again.report.held == s.report.held
    assert "limit" in s.report.explain()


def test_joint_limits_and_documents():
    m = zw.sample("arm7")
    cs = zw.ConstraintSet(m)
    rows = cs.add_joint_limits(time_constant=0.05)
    assert len(rows) == 2 * m.nv and {r.sense[0] for r in rows} <= {"at_least", "at_most"}
    copy = zw.ConstraintSet.from_json(m, cs.to_json())
    assert [c.sense for c in copy] == [c.sense for c in cs] and copy.to_json() == cs.to_json()
    q = m.neutral()
    q[1] = m.upper[1]
    tau = zw.gravity_forces(m, q)
    tau[1] += 20
    for these in (cs, copy):
        s = zw.Solver(m, these).solve(q, m.zero(), tau)
        assert s.report.held == ["joint2:upper:coupling"] and abs(s.acceleration[1]) < 1e-9
    hit = zw.Solver(m, cs).impulse(q, np.ones(m.nv))
    assert hit.status == "ok" and hit.report.held == ["joint2:upper:coupling"] and abs(hit.velocity[1]) < 1e-12


def test_many_states_are_those_of_one():
    m, cs = quadruped(sense="at_least")
    q = np.array([m.random(k) for k in range(9)])
    v = np.zeros((9, m.nv))
    tau = np.random.default_rng(1).normal(size=(9, m.nv)) * 5
    many = zw.Solver(m, cs).solve(q, v, tau)
    for k in range(9):
        one = zw.Solver(m, cs).solve(q[k], v[k], tau[k])
        assert np.array_equal(many.acceleration[k], one.acceleration)


def test_words_and_numbers_are_checked():
    m, cs = quadruped()
    for bad in (dict(sense="up"), dict(limit=-1.0), dict(limit=[1.0, 2.0]), dict(sense=["at_least", "at_least"])):
        with pytest.raises((ValueError, KeyError)):
            cs.add_contact("other", "LF_foot", rows=1, **bad)
    with pytest.raises((ValueError, KeyError)):
        cs["LF_foot"].sense = ["at_lest"]
    cs["LF_foot"].sense = ["at_least"]
    cs["LF_foot"].priority = 1
    with pytest.raises(zw.UnsupportedError):
        zw.Solver(m, cs).solve(m.neutral(), m.zero())


def arm_with_task():
    arm = zw.load(str(MODELS / "arm7.urdf"))
    task = zw.ConstraintSet(arm)
    task.add_frame("tool", frame="tool0", rows="linear", beta=[0, 0, 30], role="driver")
    q = arm.neutral() + 0.3
    return arm, task, q, zw.gravity_forces(arm, q)


def test_motors_with_limits():
    arm, task, q, tau = arm_with_task()
    free = zw.Solver(arm, task).solve(q, arm.zero(), tau).motor_torque
    most = 0.8 * np.abs(free).max()
    limits = dict.fromkeys(arm.coordinate_names, most)
    solver = zw.Solver(arm, task, motor_limits=limits)
    assert solver.motor_limits == dict.fromkeys(arm.coordinate_names, (-most, most))
    s = solver.solve(q, arm.zero(), tau)
    assert s.status == "ok" and s.report.motors_at_limit, s.report.explain()
    assert np.abs(s.motor_torque).max() <= most * (1 + 1e-9)
    assert np.allclose(zw.forward_dynamics(arm, q, arm.zero(), s.motor_torque), s.acceleration, rtol=1e-9, atol=1e-9)
    given = {g.row: g for g in s.report.given_up}
    assert given and all(g.reason == "limit" for g in given.values())
    again = pickle.loads(pickle.dumps(s))
    assert again.report.motors_at_limit == s.report.motors_at_limit
    many = solver.solve(np.tile(q, (3, 1)), None, np.tile(tau, (3, 1)))
    assert np.allclose(many.acceleration, s.acceleration, rtol=1e-9) and (many.status == 0).all()
    solver.solve(q, arm.zero(), tau)
    assert solver.derivatives().status == "not_differentiable"
    solver.motor_limits = {"joint2": (-1e4, 1e4)}
    assert np.allclose(solver.solve(q, arm.zero(), tau).motor_torque, free)
    solver.motor_limits = None
    assert solver.motor_limits == {} and np.allclose(solver.solve(q, arm.zero(), tau).motor_torque, free)


def test_efforts_of_the_model_are_limits_of_motors():
    arm, task, q, tau = arm_with_task()
    solver = zw.Solver(arm, task, motor_limits=True)
    efforts = {name: (-e, e) for name, e in zip(arm.coordinate_names, arm.effort_limit) if np.isfinite(e)}
    assert solver.motor_limits == efforts
    s = solver.solve(q, arm.zero(), tau)
    assert all(lower * (1 + 1e-9) <= s.motor_torque[k] <= upper * (1 + 1e-9)
               for k, (lower, upper) in enumerate(efforts.values()))


@pytest.mark.parametrize("wrong, said", [
    ({"joint22": 1.0}, "joint2"), ({"joint2": "strong"}, "expected a number"), ({"joint2": (1.0, -1.0)}, "lower <= upper"),
    ([1.0], "expected a dictionary"), ({"joint2": float("nan")}, "lower <= upper"), ({2: 1.0}, "motor_limits")])
def test_wrong_limits_of_motors_are_refused(wrong, said):
    arm, task, _, _ = arm_with_task()
    with pytest.raises((ValueError, TypeError), match=said):
        zw.Solver(arm, task, motor_limits=wrong)


def test_impulses_refuse_limits_of_motors():
    arm, task, q, _ = arm_with_task()
    with pytest.raises(zw.UnsupportedError, match="motor_limits"):
        zw.Solver(arm, task, motor_limits={"joint2": 100.0}).impulse(q, arm.zero())


def test_the_driver_of_lower_priority_gives_way_to_a_limit():
    arm, task, q, tau = arm_with_task()
    task.add_frame("elbow", frame="link4", rows="linear.z", beta=[4.0], role="driver", priority=1)
    free = zw.Solver(arm, task).solve(q, arm.zero(), tau)
    most = 0.9 * np.abs(free.motor_torque).max()
    joint = arm.coordinate_names[np.abs(free.motor_torque).argmax()]
    s = zw.Solver(arm, task, motor_limits={joint: most}).solve(q, arm.zero(), tau)
    assert s.status == "ok" and s.report.motors_at_limit == [joint], s.report.explain()
    assert {g.row for g in s.report.given_up} == {"elbow:linear.z"}
    tool = task.evaluate(q, arm.zero()).jacobian[:3] @ s.acceleration - np.array([0, 0, 30])  # v = 0: gamma = 0
    assert np.abs(tool).max() < 1e-9
