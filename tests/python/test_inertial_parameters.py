# SPDX-License-Identifier: BSD-3-Clause
"""Pseudo-inertia and log-Cholesky parameters: points of mass, eigenvalues, differences, identification in their coordinates."""
import numpy as np
import pytest
import zwang as zw
from conftest import close

RNG = np.random.default_rng(8)


def of_points(points, masses):
    """m, m c, I of points of mass, by their definition."""
    I = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for x, m in zip(points, masses))
    return np.array([masses.sum(), *(masses @ points), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def drawn():
    return of_points(RNG.normal(size=(6, 3)), RNG.uniform(0.1, 2, 6))


def test_pseudo_inertia_is_the_sum_over_points():
    x, m = RNG.normal(size=(6, 3)), RNG.uniform(0.1, 2, 6)
    P = zw.pseudo_inertia_from_parameters(of_points(x, m))
    y = np.column_stack([x, np.ones(6)])
    close(P, (y.T * m) @ y)
    close(zw.parameters_from_pseudo_inertia(P), of_points(x, m))


def test_log_cholesky_there_and_back():
    for _ in range(20):
        phi = drawn()
        x = zw.log_cholesky_from_parameters(phi)
        close(zw.parameters_from_log_cholesky(x), phi)
        a, d, s, t = x[0], x[1:4], x[4:7], x[7:]
        U = np.exp(a) * np.array([[np.exp(d[0]), s[0], s[2], t[0]], [0, np.exp(d[1]), s[1], t[1]], [0, 0, np.exp(d[2]), t[2]],
                                  [0, 0, 0, 1]])
        close(U @ U.T, zw.pseudo_inertia_from_parameters(phi))


def test_jacobians_are_differences_and_inverses():
    h = 1e-6
    for _ in range(10):
        x = RNG.uniform(-1, 1, 10)
        J = zw.log_cholesky_jacobian(x)
        steps = h * np.eye(10)
        columns = (zw.parameters_from_log_cholesky(x + steps) - zw.parameters_from_log_cholesky(x - steps)).T / (2 * h)
        assert np.abs(J - columns).max() < 1e-7 * np.abs(J).max()
        close(zw.log_cholesky_jacobian_inverse(x) @ J, np.eye(10))


def test_margin_is_the_smallest_eigenvalue():
    for k in range(40):
        phi = drawn()
        phi[4] -= (k % 4) * 2
        close(zw.consistency_margin(phi), np.linalg.eigvalsh(zw.pseudo_inertia_from_parameters(phi)).min())
    arm = zw.sample("arm7")
    margins = zw.consistency_margin(arm.inertial_parameters.reshape(-1, 10))
    masses = np.array([link.mass for link in arm.links])
    assert np.all(margins[masses > 0] > 0) and np.all(np.abs(margins[masses == 0]) == 0)


def test_a_robot_is_identified_in_coordinates_without_bounds():
    """Gauss-Newton on torques of random motions ends at torques' own parameters, and each step is a robot."""
    one = zw.ModelBuilder("one").add_link("base").add_link("body", 1.3, (0.1, 0.2, -0.1), np.diag([0.2, 0.3, 0.25]))
    model = one.add_joint("joint", "floating", "base", "body").build()
    truth = model.inertial_parameters[-10:]
    q, v, a = np.stack([model.random(seed=k) for k in range(30)]), RNG.normal(size=(30, 6)), RNG.normal(size=(30, 6))
    Y = zw.inverse_dynamics_regressor(model, q, v, a)[..., -10:].reshape(-1, 10)
    x = zw.log_cholesky_from_parameters(of_points(np.vstack([np.eye(3), -np.eye(3)]) * 0.4, np.full(6, 0.3)))
    for _ in range(60):
        phi = zw.parameters_from_log_cholesky(x)
        assert zw.consistency_margin(phi) > 0
        step = np.linalg.lstsq(Y @ zw.log_cholesky_jacobian(x), Y @ (truth - phi), rcond=None)[0]
        x = x + step * min(1, 0.5 / np.abs(step).max())
    close(phi, truth)


def test_a_link_gets_its_identified_numbers():
    arm = zw.sample("arm7")
    k = arm.link_names.index("link3")
    phi = arm.inertial_parameters.reshape(-1, 10)[k] * 1.5
    again = zw.with_parameters(arm, {"link3": zw.link_from_parameters(phi)})
    close(again.inertial_parameters.reshape(-1, 10)[k], phi)
    for bad in (np.zeros(10), -phi, np.zeros((2, 10)), np.full(10, np.inf)):
        with pytest.raises(ValueError, match="link_from_parameters"):
            zw.link_from_parameters(bad)


def test_many_are_one_after_the_other():
    phi = np.stack([drawn() for _ in range(5)])
    x = zw.log_cholesky_from_parameters(phi)
    for f, given in [(zw.pseudo_inertia_from_parameters, phi), (zw.log_cholesky_from_parameters, phi), (zw.consistency_margin, phi),
                     (zw.parameters_from_log_cholesky, x), (zw.log_cholesky_jacobian, x), (zw.log_cholesky_jacobian_inverse, x),
                     (zw.parameters_from_pseudo_inertia, zw.pseudo_inertia_from_parameters(phi))]:
        assert np.array_equal(f(given), np.stack([f(y) for y in given]))


def test_what_they_refuse():
    for bad in (np.zeros(10), -drawn(), [1, 0, 0, 0, 1, 0, 1, 0, 0, 3]):
        with pytest.raises(ValueError, match="of no body"):
            zw.log_cholesky_from_parameters(bad)
    P = zw.pseudo_inertia_from_parameters(drawn())
    P[0, 3] += 1
    with pytest.raises(ValueError, match="not symmetric"):
        zw.parameters_from_pseudo_inertia(P)
    for f in (zw.log_cholesky_jacobian, zw.consistency_margin, zw.pseudo_inertia_from_parameters):
        for bad in (np.zeros(9), np.full(10, np.nan), "x", np.zeros((2, 2, 10))):
            with pytest.raises(ValueError, match=f.__name__):
                f(bad)
    with pytest.raises(zw.ArithmeticOverflowError):
        zw.parameters_from_log_cholesky(np.full(10, 500.0))
