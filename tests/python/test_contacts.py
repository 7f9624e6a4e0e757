# SPDX-License-Identifier: BSD-3-Clause
"""solve_contacts: laws and refusals from Python; the numbers are tested in C++."""
import pickle

import numpy as np
import pytest
import zwang as zw

W = np.eye(3) / np.sqrt(2)


def test_signorini_and_coulomb() -> None:
    rng = np.random.default_rng(3)
    W = rng.normal(size=(7, 9))
    s = zw.solve_contacts([0.3, 0.0, 0.8], W, rng.normal(size=7))
    assert s.status == "ok" and s.residual < 1e-12 and s.stage in ("none", "admm")
    impulses, velocities = s.impulses.reshape(3, 3), s.row_velocities.reshape(3, 3)
    for mu, force, speed in zip((0.3, 0.0, 0.8), impulses, velocities):
        assert force[2] >= 0 and speed[2] > -1e-12 and abs(force[2] * speed[2]) < 1e-12
        assert np.hypot(*force[:2]) <= mu * force[2] * (1 + 1e-15)
        slip = np.hypot(*speed[:2])
        if slip > 1e-9:
            assert np.allclose(force[:2], -mu * force[2] * speed[:2] / slip, atol=1e-10)


def test_the_matrix_says_the_same() -> None:
    rng = np.random.default_rng(5)
    W, y = rng.normal(size=(8, 7)), rng.normal(size=8)
    cones = [0.4, ("unilateral", 0), 0.1]
    by_rows, by_matrix = zw.solve_contacts(cones, W, y), zw.solve_contacts(cones, G=W.T @ W, g=W.T @ y)
    assert by_rows.status == by_matrix.status == "ok"
    assert np.allclose(by_rows.impulses, by_matrix.impulses, atol=1e-9)
    warm = zw.solve_contacts(cones, W, y, warm=by_rows.impulses)
    assert warm.stage in ("warm", "none")


def test_dry_friction_and_compliance() -> None:
    assert zw.solve_contacts([("friction", 2.0)], [[0.5]], [2.0]).row_velocities[0] == pytest.approx(0.5)
    soft = zw.solve_contacts([("unilateral", 0)], [[1.0]], [-1.0], compliance=[3.0])
    assert soft.impulses[0] == pytest.approx(0.25)


def test_contradictions_are_named() -> None:
    s = zw.solve_contacts([("unilateral", 0)] * 2, [[1, -1]], [0], offset=[-1, -1])
    assert s.status == "infeasible" and s.conflicts == [0, 1]
    assert "0, 1" in s.explain()


def test_refusals_name_the_argument() -> None:
    y = np.zeros(3)
    for call, says in (
            (lambda: zw.solve_contacts([0.5], W, np.zeros(2)), "y"),
            (lambda: zw.solve_contacts([], W, y), "W"),
            (lambda: zw.solve_contacts([-0.5], W, y), "negative"),
            (lambda: zw.solve_contacts([("sticky", 1)], W, y), "unilateral"),
            (lambda: zw.solve_contacts(["0.5"], W, y), "cones"),
            (lambda: zw.solve_contacts([0.5], W, y, G=np.eye(3), g=y), "not both"),
            (lambda: zw.solve_contacts([0.5], G=-np.eye(3), g=y), "eigenvalue"),
            (lambda: zw.solve_contacts([0.5], W, y, accept=0), "accept"),
            (lambda: zw.solve_contacts([0.5], W), "y")):
        with pytest.raises(ValueError, match=says):
            call()
    assert zw.solve_contacts([0.5], W, [np.nan, 0, 0]).status == "non_finite_input"


def test_a_solution_is_pickled() -> None:
    s = zw.solve_contacts([0.5], W, [1.0, 0, -1])
    again = pickle.loads(pickle.dumps(s))
    assert isinstance(again, zw.ContactSolution)
    assert np.array_equal(again.impulses, s.impulses) and again.stage == s.stage and again.explain() == s.explain()
