# SPDX-License-Identifier: BSD-3-Clause
"""The Delassus operator through Python: J M^-1 J^T, its products and inverses."""
import numpy as np
import pytest
import zwang as zw
from conftest import close

METHODS = ("automatic", "pv_osimr", "efpa", "dense")


def feet_of_a_quadruped(loop=False):
    m = zw.sample("quadruped", root="floating")
    cs = zw.ConstraintSet(m)
    for foot in ("LF_foot", "RF_foot", "RH_foot"):
        cs.add_frame(foot, frame=foot, rows="linear")
    if loop:
        cs.add_loop("loop", ("LF_foot", "LH_foot"), "linear")
    return m, cs


@pytest.mark.parametrize("loop", (False, True))
def test_is_the_product_of_the_matrices(loop):
    m, cs = feet_of_a_quadruped(loop)
    q = m.random(3)
    d = zw.Delassus(m, cs, q)
    feet = np.vstack([zw.jacobian(m, q, foot)[:3] for foot in ("LF_foot", "RF_foot", "RH_foot")])
    G = feet @ np.linalg.solve(zw.mass_matrix(m, q), feet.T)
    if loop:
        close(d.matrix("dense")[:9, :9], G, scale=100 * np.abs(G).max())
        G = d.matrix("dense")
    size = np.abs(G).max()
    assert d.rows == len(G)
    for method in METHODS:
        got = d.matrix(method)
        assert np.array_equal(got, got.T)
        close(got / size, G / size, scale=100)
    x = np.linspace(-1, 1, 2 * d.rows).reshape(2, d.rows)
    close(d.apply(x) / size, x @ G / size, scale=100)
    close(d.apply(x[0]), d.apply(x)[0])
    mu = 0.1 * size * np.linspace(1, 2, d.rows)
    b = d.apply(x) + mu * x
    close(d.solve(b, mu), x, scale=1e3)
    close(d.damped_inverse(mu) @ b[0], x[0], scale=1e3)
    close(d.damped_inverse(0.1 * size) @ b[0], d.solve(b[0], 0.1 * size), scale=1e3)
    out = np.empty_like(G)
    assert d.matrix(out=out) is out


def test_soft_rows_count_with_their_compliance_and_held_joints_stay():
    m, cs = feet_of_a_quadruped()
    q = m.random(4)
    d = zw.Delassus(m, cs, q)
    G = d.matrix()
    cs["RF_foot"].policy, cs["RF_foot"].compliance = "soft", 0.5
    d.compute(q)
    assert np.allclose(d.matrix() - G, np.diag([0, 0, 0, 0.5, 0.5, 0.5, 0, 0, 0]), atol=1e-12)
    cs["RF_foot"].active = False
    d.compute(q)
    assert d.rows == 6 and np.allclose(d.matrix(), G[np.ix_([0, 1, 2, 6, 7, 8], [0, 1, 2, 6, 7, 8])])
    d.compute(q, held=m.coordinate_names)
    assert np.array_equal(d.matrix(), np.zeros((6, 6)))


def test_refuses_by_name():
    m, cs = feet_of_a_quadruped()
    d = zw.Delassus(m, cs)
    with pytest.raises(RuntimeError, match="compute"):
        d.matrix()
    with pytest.raises(ValueError, match="'q'"):
        d.compute(np.zeros(3))
    d.compute(m.random(1))
    with pytest.raises(ValueError, match="pv_osim"):
        d.matrix("pv_osim")
    with pytest.raises(ValueError, match="'x'"):
        d.apply(np.ones(4))
    with pytest.raises(ValueError, match="mu"):
        d.solve(np.ones(9), 0.0)
    with pytest.raises(ValueError, match="mu"):
        d.damped_inverse(np.full(9, np.nan))
    with pytest.raises(ValueError, match="nobody"):
        d.compute(m.random(1), held=["nobody"])
    with pytest.raises(zw.WorkspaceMismatch):
        zw.Delassus(zw.sample("arm7"), cs)
