# SPDX-License-Identifier: BSD-3-Clause
"""solve_system: constrained dynamics from plain matrices."""
import numpy as np
import pytest
import zwang as zw
from conftest import close

METHODS = ("dense_lu", "dense_qr", "dense_cod", "range_space", "null_space")


def random_system(seed, n=6, m=3):
    rng = np.random.default_rng(seed)
    A = rng.uniform(-1, 1, (n, n))
    return A @ A.T + np.eye(n), rng.uniform(-1, 1, (m, n)), rng.uniform(-5, 5, n), rng.uniform(-2, 2, m)


def kkt(M, J, f, target, R):
    n = len(M)
    x = np.linalg.solve(np.block([[M, -J.T], [J, np.diag(R)]]), np.concatenate([f, target]))
    return x[:n], x[n:]


@pytest.mark.parametrize("method", METHODS)
def test_is_the_answer_of_the_kkt_matrix(method):
    for seed in range(10):
        M, J, f, target = random_system(seed)
        for R in (np.zeros(3), np.array([0.0, 0.4, 2.0])):
            s = zw.solve_system(M, J, f, target, R, method)
            x, multipliers = kkt(M, J, f, target, R)
            close(s.x, x, scale=1e4)
            close(s.multipliers, multipliers, scale=1e5)
            assert s.status == "ok" and s.rank == s.rows == 3 and s.redundant == s.infeasible == []
            assert s.residual <= s.tolerance
            assert np.isclose(s.objective, x @ M @ x / 2 - f @ x + multipliers @ (R * multipliers) / 2, atol=1e-9)


def test_a_leading_dimension_is_many_problems():
    parts = [random_system(seed) for seed in range(4)]
    M, J, f, target = (np.stack(x) for x in zip(*parts))
    J[2, 2] = J[2, 0]
    s = zw.solve_system(M, J, f, target)
    assert s.x.shape == (4, 6) and s.multipliers.shape == (4, 3)
    assert s.status.dtype == np.uint8 and list(s.status) == [0, 0, int(zw.Status.infeasible), 0]
    assert list(s.rank) == [3, 3, 2, 3]
    assert s.redundant == [[], [], [2], []] and s.infeasible == [[], [], [0, 2], []]
    for k in range(4):
        one = zw.solve_system(M[k], J[k], f[k], target[k])
        assert np.array_equal(one.x, s.x[k]) and np.array_equal(one.multipliers, s.multipliers[k])
        assert one.residual == s.residual[k] and one.objective == s.objective[k]
    shared = zw.solve_system(M[0], J[0].tolist(), f, target[0])  # arrays without N hold for all
    assert shared.x.shape == (4, 6) and np.array_equal(shared.x[0], s.x[0])
    assert zw.solve_system(M[:0], J[:0], f[:0], target[:0]).x.shape == (0, 6)


def test_a_robots_own_system():
    robot = zw.sample("quadruped", root="floating")
    constraints = zw.ConstraintSet(robot)
    for foot in ("LF_foot", "RF_foot", "RH_foot"):
        constraints.add_frame(foot, frame=foot, rows="linear")
    q, v, tau = robot.random(3), 0.3 * np.ones(robot.nv), np.linspace(-1, 1, robot.nv)
    solver = zw.Solver(robot, constraints)
    own = solver.solve(q, v, tau)
    M, h, J, target = solver.system()
    for method in METHODS:
        s = zw.solve_system(M, J, tau - h, target, method=method)
        close(s.x, own.acceleration, scale=1e5)
        close(s.multipliers, own.multipliers, scale=1e5)
        assert s.rank == own.report.rank


def test_a_robots_system_after_a_resolve():
    robot = zw.load("models/arm7.urdf")
    constraints = zw.ConstraintSet(robot)
    constraints.add_frame("tool", frame="tool0", rows="linear")
    solver, q, v = zw.Solver(robot, constraints), robot.neutral() + 0.3, 0.2 * np.ones(7)
    solver.solve(q, v, np.ones(7), external={"tool0": [0, 3, 0, 0, 0, 1]})
    tau = np.linspace(-1, 1, 7)
    for external in ({"tool0": [10, 0, 0, 0, 2, 0]}, None):
        found = solver.resolve(tau, external=external)
        M, h, J, target = solver.system()
        close(M @ found.acceleration + h, tau + J.T @ found.multipliers, scale=1e3)
        close(J @ found.acceleration, target, scale=1e3)


def test_singular_mass_and_refusals():
    M, J, f, target = random_system(1)
    M[5], M[:, 5] = 0, 0
    assert zw.solve_system(M, J, f, target).status == "ok"
    assert zw.solve_system(M, J, f, target, method="range_space").status == "singular_mass"
    M, J, f, target = random_system(1)
    for words, arguments in (
        ("E_SIZE.*'J'.*3 x 5.*3 x 6", (M, J[:, :5], f, target)),
        ("E_SIZE.*'R'.*2.*3", (M, J, f, target, [1.0, 2.0])),
        ("E_SIZE.*'f' has 2 states, expected 3", (np.stack([M] * 3), J, np.stack([f] * 2), target)),
        ("E_NUMBER.*'R'.*0 or more", (M, J, f, target, [0, 0, -1])),
        ("E_NUMBER.*'M'.*symmetric", (M + np.triu(np.ones((6, 6)), 1), J, f, target)),
        ("E_NUMBER.*'f'.*nan", (M, J, f * np.nan, target)),
        ("E_NUMBER.*state 1", (M, J, np.stack([f, f * np.nan]), target)),
        ("E_DTYPE.*'M'.*complex", (M + 0j, J, f, target)),
        ("dense_cod", (M, J, f, target, None, "dense_cood")),
    ):
        with pytest.raises(ValueError, match=words):
            zw.solve_system(*arguments)
    with pytest.raises(zw.UnsupportedError, match="needs a model"):
        zw.solve_system(M, J, f, target, method="bbo")


def test_the_contact_cholesky_of_a_solve():
    robot = zw.sample("quadruped", root="floating")
    constraints = zw.ConstraintSet(robot)
    for foot in ("LF_foot", "RF_foot", "RH_foot"):
        constraints.add_frame(foot, frame=foot, rows="linear")
    constraints["RF_foot"].policy, constraints["RF_foot"].compliance = "soft", 0.5
    constraints["RH_foot"].active = False
    q, v, tau = robot.random(3), 0.3 * np.ones(robot.nv), np.linspace(-1, 1, robot.nv)
    solver = zw.Solver(robot, constraints)
    own = solver.solve(q, v, tau)
    M, h, J, target = solver.system()
    c = solver.contact_cholesky()
    R = np.diag([0, 0, 0, 0.5, 0.5, 0.5])
    K = np.block([[-R, J], [J.T, M]])
    assert c.rows == 6 and c.size == 6 + robot.nv and np.array_equal(c.matrix(), K)
    U, D = c.U(), c.D()
    close(U * D @ U.T, K, scale=1e3)
    assert np.array_equal(U, np.triu(U)) and (np.diag(U) == 1).all()
    x = c.solve(np.concatenate([target, tau - h]))
    close(-x[:6], own.multipliers[:6], scale=1e5)
    close(x[6:], own.acceleration, scale=1e5)
    close(c.inverse() @ K, np.eye(c.size), scale=1e6)
    G = J @ np.linalg.solve(M, J.T) + R
    close(c.delassus(), G, scale=1e5)
    close(c.operational_inertia() @ G, np.eye(6), scale=1e6)
    close(c.jacobian_times_inverse_mass() @ M, J, scale=1e5)
    b = np.linspace(-1, 1, 2 * c.size).reshape(2, -1)
    close(c.multiply(b), b @ K, scale=1e4)
    close(c.multiply_upper(b), b @ U.T, scale=1e3)
    close(c.solve_upper(c.multiply_upper(b)), b, scale=1e5)
    close(c.solve_upper_transposed(c.multiply_upper_transposed(b)), b, scale=1e5)
    close(c.mass_matrix_solve(M @ b[0, 6:]), b[0, 6:], scale=1e5)
    constraints.add_frame("again", frame="LF_foot", rows="linear")
    twice = zw.Solver(robot, constraints)
    twice.solve(q, v, tau)
    with pytest.raises(ValueError, match="E_SINGULAR.*'LF_foot:linear.z'"):
        twice.contact_cholesky()
    constraints["RH_foot"].active = True
    with pytest.raises(ValueError, match="solve again|other rows"):
        twice.contact_cholesky()
    constraints["RH_foot"].active, constraints["again"].active = False, False
    twice.solve(q, v, tau)
    rows = twice.contact_cholesky().rows
    constraints["LF_foot"].active, constraints["again"].active = False, True  # as many rows, but others
    with pytest.raises(ValueError, match="solve again"):
        twice.contact_cholesky()
    twice.solve(q, v, tau)
    assert twice.contact_cholesky().rows == rows


def test_sizes_are_refused_before_memory_is_taken():
    for f, target in ((np.zeros(200_000), [0.0]), (np.zeros(2), np.zeros(200_000))):
        with pytest.raises(ValueError, match="200000"):
            zw.solve_system(np.eye(2), [[1.0, 0.0]], f, target)
