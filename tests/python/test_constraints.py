# SPDX-License-Identifier: BSD-3-Clause
"""Constraints between bodies: each type, custom ones in Python, what is refused."""

import numpy as np
import pytest
import zwang as zw
from conftest import EPS


def state(model, seed=1):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, model.nq), rng.uniform(-1, 1, model.nv), rng.uniform(-5, 5, model.nv)


CASES = {
    "loop": lambda s: s.add_loop("c", ("link3", "tool0"), {"joint": "ball"}, time_constant=0.1),
    "distance": lambda s: s.add_distance("c", ("link2", "tool0"), 0.5, point=[0.1, 0, 0], time_constant=0.1),
    "coupling": lambda s: s.add_coupling("c", ["joint2", "joint5"], [1, -3], offset=0.1, time_constant=0.1),
    "rolling": lambda s: s.add_rolling("c", "tool0", 0.1, "y", rows="normal", time_constant=0.1),
    "centre_of_mass": lambda s: s.add_centre_of_mass("c", "linear.x linear.z", time_constant=0.1),
    "frame": lambda s: s.add_frame("c", "tool0", target_pose=np.eye(4), rows="linear", time_constant=0.1),
    "contact": lambda s: s.add_contact("c", "tool0", rows=1, target_point=[0, 0, 0], time_constant=0.1),
}


@pytest.mark.parametrize("type_", CASES)
def test_the_motion_agrees_with_the_forces(arm, type_):
    constraints = zw.ConstraintSet(arm)
    c = CASES[type_](constraints)
    assert c.type == type_ and c.time_constant == 0.1 and c.damping_ratio == 1
    assert c.frame in repr(c) and c.other in repr(c) and c.other in repr(constraints)
    q, v, tau = state(arm)
    s = zw.Solver(arm, constraints).solve(q, v, tau)
    # M a + h = tau + J^T lambda; all of it is the world's here. Of size 10, condition 1e3.
    assert np.abs(zw.inverse_dynamics(arm, q, v, s.acceleration) - tau - s.reaction).max() < 1e5 * EPS
    assert np.abs(s.residual).max() < 1e7 * EPS
    dense = zw.Solver(arm, constraints, method="dense_cod").solve(q, v, tau)
    assert np.allclose(dense.acceleration, s.acceleration, rtol=1e-8, atol=1e-8)


def pair(arm, function, rows=1, coordinates=("joint2", "joint5"), **more):
    constraints = zw.ConstraintSet(arm)
    constraints.add_custom("own", function, rows, coordinates, **more)
    return constraints


def circle(q, v):
    """q_2^2 + q_5^2 = 1."""
    return [q[1] ** 2 + q[4] ** 2 - 1], [[2 * q[1], 2 * q[4]]], [2 * v[1] ** 2 + 2 * v[4] ** 2]


def test_custom_rows_hold(arm):
    q, v, tau = state(arm)
    solver = zw.Solver(arm, pair(arm, circle))
    a = solver.solve(q, v, tau).acceleration
    assert abs(2 * (q[1] * a[1] + q[4] * a[4] + v[1] ** 2 + v[4] ** 2)) < 1e6 * EPS
    T = 0.2
    a = zw.Solver(arm, pair(arm, circle, time_constant=T)).solve(q, v, tau).acceleration
    rate = 2 * (q[1] * v[1] + q[4] * v[4])
    wanted = -2 / T * rate - (q[1] ** 2 + q[4] ** 2 - 1) / T**2
    assert abs(2 * (q[1] * a[1] + q[4] * a[4] + v[1] ** 2 + v[4] ** 2) - wanted) < 1e7 * EPS

    class Rows:
        def evaluate(self, q, v):
            return None, [1.0, -1.0], [0.0]

    a = zw.Solver(arm, pair(arm, Rows(), row_names=["equal"])).solve(q, v, tau).acceleration
    assert abs(a[1] - a[4]) < 1e6 * EPS


def test_custom_rows_in_many_states(arm):
    rng = np.random.default_rng(2)
    q, v, tau = (rng.uniform(-1, 1, (100, 7)) for _ in range(3))
    for n in (3, 100):  # short calls, too
        solver = zw.Solver(arm, pair(arm, circle))
        a = solver.solve(q[:n], v[:n], tau[:n]).acceleration
        each = [solver.solve(q[k], v[k], tau[k]).acceleration for k in range(n)]
        assert np.allclose(a, each, rtol=1e-9, atol=1e-9)


def test_what_custom_rows_raise_comes_out_of_solve(arm):
    def broken(q, v):
        raise KeyError("mine")

    q, v, tau = state(arm)
    solver = zw.Solver(arm, pair(arm, broken))
    with pytest.raises(KeyError, match="mine"):
        solver.solve(q, v, tau)
    with pytest.raises(KeyError, match="mine"):
        solver.solve(np.tile(q, (200, 1)), v, tau)
    for answer in ([1.0], ([1.0, 2.0], [1, 2], [0]), ([1.0], [1, 2, 3], [0]), ([1.0], [[1, 2], [3, 4]], [0])):
        with pytest.raises(ValueError):
            zw.Solver(arm, pair(arm, lambda q, v, answer=answer: answer)).solve(q, v, tau)


def test_custom_rows_may_not_use_their_own_set(arm):
    q, v, tau = state(arm)
    held = []

    def selfish(q, v):
        held[0]["own"].active = False
        return circle(q, v)

    held.append(pair(arm, selfish))
    with pytest.raises(RuntimeError, match="uses the object that calls it"):
        zw.Solver(arm, held[0]).solve(q, v, tau)
    held.clear()  # the set holds the function, which holds the set: Python cannot see this cycle


def test_what_is_wrong_is_refused(arm):
    s = zw.ConstraintSet(arm)
    for add in (
        lambda: s.add_distance("a", ("link2", "tol0"), 1.0),
        lambda: s.add_distance("a", ("link2", "tool0"), 0.0),
        lambda: s.add_coupling("a", ["jiont2"], [1]),
        lambda: s.add_coupling("a", ["joint2"], [1, 2]),
        lambda: s.add_rolling("a", "tool0", -1.0),
        lambda: s.add_rolling("a", "tool0", 1.0, rows="tangent3"),
        lambda: s.add_rolling("a", "tool0", 1.0, axis=[0, 0, 0]),
        lambda: s.add_centre_of_mass("a", "angular"),
        lambda: s.add_centre_of_mass("a", [[1, 2]]),
        lambda: s.add_custom("a", 7, 1),
        lambda: s.add_custom("a", circle, 0),
        lambda: s.add_custom("a", circle, 1, ["joint2", "joint2"]),
        lambda: s.add_frame("a", "tool0", time_constant=1.0),
        lambda: s.add_contact("a", "tool0", target=[0, 0, 0]),
    ):
        with pytest.raises(ValueError):
            add()
    with pytest.raises(ValueError, match="constraint 'a': there is no coordinate named 'jiont2'; did you mean 'joint2'"):
        s.add_coupling("a", ["jiont2"], [1])
    with pytest.raises(ValueError, match="add_loop"):
        s.add_loop("a", ("tool0", "link3"), [[1, 2, 3, 4, 5]])
    assert len(s) == 0


def test_what_overflows_is_an_outcome(arm):
    for name, add in (("loop", lambda s: s.add_loop("a", ("link3", "tool0"), "linear")),
                      ("distance", lambda s: s.add_distance("a", ("link3", "tool0"), 0.3)),
                      ("frame", lambda s: s.add_frame("a", "tool0", "linear"))):
        s = zw.ConstraintSet(arm)
        add(s)
        solver, q, v = zw.Solver(arm, s), arm.random(1), np.full(7, 1e160)
        assert solver.solve(q, v).report.status == "overflow", name
        status = np.zeros(3, dtype=np.uint8)
        solver.solve(np.tile(q, (3, 1)), np.stack([v, 0 * v, v]), status=status)
        assert [zw.Status(x).name for x in status] == ["overflow", "ok", "overflow"], name
