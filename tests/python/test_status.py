# SPDX-License-Identifier: BSD-3-Clause
"""Statuses of one state and of N states: entries are zw.Status everywhere, compare and print alike; N of them print as a count."""
import copy
import pickle

import numpy as np
import pytest
import zwang as zw

ARM = zw.load("models/arm7.urdf")
Q = np.array([ARM.random(k) for k in range(6)])
V = np.zeros((6, 7))
BAD = Q.copy()
BAD[2, 3] = np.nan


def held(rows="linear"):
    constraints = zw.ConstraintSet(ARM)
    constraints.add_frame("tool", "tool0", rows)
    return constraints


def solved(many):
    return zw.Solver(ARM, held()).solve(Q if many else Q[0], V if many else V[0])


def posed(many):
    T = zw.frame_pose(ARM, Q if many else Q[0], "tool0").copy()
    T[..., 0, 3] += 0.001
    return zw.inverse_kinematics(ARM, {"tool0": T}, Q if many else Q[0])


def derived(many):
    solver = zw.Solver(ARM, held())
    solver.solve(Q if many else Q[0], V if many else V[0])
    return solver.derivatives()


def system(many):
    M, J = np.eye(3), np.ones((1, 3))
    return zw.solve_system(np.tile(M, (6, 1, 1)) if many else M, np.tile(J, (6, 1, 1)) if many else J,
                           np.ones((6, 3)) if many else np.ones(3), np.ones((6, 1)) if many else np.ones(1))


RESULTS = {
    "solve": solved, "inverse_kinematics": posed, "derivatives": derived, "solve_system": system,
    "impulse": lambda many: zw.Solver(ARM, held()).impulse(Q if many else Q[0], V if many else V[0]),
    "assemble": lambda many: zw.assemble(ARM, held(), Q if many else Q[0]),
    "rollout": lambda many: zw.rollout(ARM, Q if many else Q[0], V if many else V[0], steps=3, dt=0.001),
    "rollout with feedback": lambda many: zw.rollout(ARM, Q if many else Q[0], V if many else V[0], lambda t, q, v: -v, steps=3, dt=0.001),
    "simulate": lambda many: zw.simulate(ARM, None, Q if many else Q[0], time=0.005),
    "constrained_inverse_dynamics": lambda many: zw.constrained_inverse_dynamics(ARM, held(), Q if many else Q[0], V if many else V[0]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_one_state_and_n_states_have_one_type(name):
    one, many = RESULTS[name](False).status, RESULTS[name](True).status
    assert type(one) is zw.Status and type(many) is zw.Statuses and many.shape == (6,) and many.dtype == np.uint8
    assert many[0] is one is zw.Status.ok and str(many[0]) == str(one) == f"{many[0]}" == "ok"
    assert (many == zw.Status.ok).all() and (many == "ok").all() and (many == 0).all() and not (many != "ok").any()
    assert all(type(s) is zw.Status for s in many) and many.tolist() == [zw.Status.ok] * 6
    assert str(many) == f"{many}" == "6 states: 6 ok" and repr(many) == "<zwang.Statuses 6 states: 6 ok>"


def test_the_path_of_an_assembly_has_one_for_each_step():
    posed_ = zw.ConstraintSet(ARM)
    posed_.add_joint("joint", ARM.joint_names[0])
    path = zw.assemble_path(ARM, posed_, Q[0], "joint", Q[0, 0] + np.linspace(0, 0.1, 4).reshape(-1, 1))
    assert type(path.status) is zw.Statuses and path.status[-1] is zw.Status.ok and str(path.status) == "4 states: 4 ok"


def test_states_that_end_differently_are_counted():
    status = np.zeros(6, np.uint8)
    zw.mass_matrix(ARM, BAD, status=status)
    found = zw.Statuses(status)
    assert str(found) == "6 states: 5 ok, 1 non_finite_input" and found.counts() == {"ok": 5, "non_finite_input": 1}
    assert found[2] is zw.Status.non_finite_input and list(np.flatnonzero(found != "ok")) == [2]
    assert str(zw.Statuses([int(s) for s in (zw.Status.overflow, zw.Status.ok, zw.Status.overflow)])) == "3 states: 1 ok, 2 overflow"
    assert str(zw.Statuses([])) == "0 states" and str(zw.Statuses([3])) == "1 state: 1 not_converged"


def test_words_of_inverse_kinematics_are_statuses():
    far = np.tile(np.eye(4), (4, 1, 1))
    far[1:3, 0, 3] = 5
    far[0], far[3] = zw.frame_pose(ARM, Q[0], "tool0"), np.nan
    far[3, 3] = [0, 0, 0, 1]
    found = zw.inverse_kinematics(ARM, {"tool0": far}, Q[0])
    assert list(found.status) == [zw.Status.ok, zw.Status.nearest_found, "nearest_found", "non_finite_input"]
    assert found.explain() == str(found.status) == "4 states: 1 ok, 1 non_finite_input, 2 nearest_found"
    assert zw.inverse_kinematics(ARM, {"tool0": far[1]}, Q[0]).status is zw.Status.nearest_found
    assert pickle.loads(pickle.dumps(zw.Status.nearest_found)) is zw.Status.nearest_found
    assert zw.Status.nearest_found == "nearest_found" and hash(zw.Status.nearest_found) == hash("nearest_found")


def test_statuses_are_arrays():
    x = zw.Statuses([0, 1, 0, 6])
    assert type(x[1:3]) is zw.Statuses and str(x[1:3]) == "2 states: 1 ok, 1 infeasible" and str(x[[0, 2]]) == "2 states: 2 ok"
    assert (x == x).all() and (x == ["ok", "infeasible", zw.Status.ok, "overflow"]).all() and (x == [0, 1, 0, 6]).all() and not (x == "no such word").any()
    assert np.bincount(x).tolist() == [2, 1, 0, 0, 0, 0, 1] and int(np.asarray(x).max()) == 6
    assert type(x + 1) is np.ndarray and (x + 1).tolist() == [1, 2, 1, 7] and type(x.reshape(2, 2) == "ok") is np.ndarray
    assert x.reshape(2, 2)[1, 1] is zw.Status.overflow and (x > zw.Status.ok).tolist() == [False, True, False, True]
    for again in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(again) is zw.Statuses and (again == x).all() and str(again) == str(x)
    for nothing in (None, [0, None, 0, object()], ..., np.nan):
        assert np.shape(x == nothing) == (4,) and not (x == nothing)[[1, 3]].any()
    x[0] = zw.Status.stopped
    assert x[0] is zw.Status.stopped


def test_reports_of_n_states_print_as_a_count():
    pair = zw.ConstraintSet(ARM)
    for k in range(2):
        pair.add_frame(f"tool{k}", "tool0", "linear.x")
    s = zw.Solver(ARM, pair).solve(Q, V, beta=np.array([[0, 0]] * 4 + [[0, 1.0]] * 2))
    assert str(s.report) == str(s.status) == "6 states: 4 ok, 2 infeasible" and repr(s.report) == f"<zwang.Reports {s.report}>"
    assert s.report.notes == [] and s.report.explain() == str(s.report)
    fast = zw.Solver(ARM, held()).solve(Q, V + 1)
    assert fast.report.notes and all(n.startswith("in 6 states, at worst: the velocity violates") for n in fast.report.notes)
    assert isinstance(s.report, list) and s.report[5].status is zw.Status.infeasible
    r = zw.constrained_inverse_dynamics(ARM, held(), Q, V)
    assert str(r.reports) == "6 states: 6 ok"


def test_a_removed_constraint_says_so():
    for remove in (lambda s: s.clear(), lambda s: s.clear() or s.add_frame("other", "link3", "linear")):
        constraints = zw.ConstraintSet(ARM)
        made = [constraints.add_frame("t", "tool0", "linear"), constraints.add_joint("j", "joint2"),
                constraints.add_contact("c", "link5")]
        remove(constraints)
        for c, name in zip(made, "tjc"):
            assert repr(c) == f"<Constraint '{name}', removed>" and "beta" in dir(c)
            for attribute in ("anything", "beta", "frame", "definition", "normal", "row_names"):
                assert not hasattr(c, attribute)
            with pytest.raises(AttributeError, match=f"'{name}' was removed"):
                c.beta
    constraints.add_frame("t", "tool0", "all")
    assert made[0].row_names[0] == "t:linear.x" and hasattr(made[0], "beta")


@pytest.mark.parametrize("many", (False, True))
@pytest.mark.parametrize("q, v, expected", (
    (BAD[2], V[0], zw.Status.non_finite_input), (Q[0], np.full(7, np.inf), zw.Status.non_finite_input)))
def test_refused_arguments_give_their_status_and_no_numbers(many, q, v, expected):
    """With status= nothing is raised: the result must not look like an answer."""
    states = (lambda x: np.stack([Q[1] if x is q else V[1], x])) if many else (lambda x: x)
    status = np.zeros((2,) if many else (), np.uint8)
    solver = zw.Solver(ARM, held())
    s = solver.solve(states(q), states(v), status=status)
    assert np.atleast_1d(status)[-1] == expected and np.atleast_1d(s.status)[-1] == expected
    report = s.report[-1] if many else s.report
    assert report.status == expected
    assert np.isnan(np.atleast_2d(s.acceleration)[-1]).all() and np.isnan(np.atleast_2d(s.multipliers)[-1]).all()
    shock = solver.impulse(states(q), states(v), status=status)
    assert np.atleast_1d(status)[-1] == expected and np.atleast_1d(shock.status)[-1] == expected
    assert np.isnan(np.atleast_2d(shock.velocity)[-1]).all() and np.isnan(np.atleast_2d(shock.multipliers)[-1]).all()
