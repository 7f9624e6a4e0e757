# SPDX-License-Identifier: BSD-3-Clause
"""Second derivatives in Python: against central differences of first derivatives along q (+) d, and what they refuse."""
import numpy as np
import pytest
import zwang as zw

H = 1e-3  # of fourth order, so that the rounding of M^-1 (a condition of 1e5) over H is small


def differences(f, nv):
    along = lambda e: 8 * (f(H * e) - f(-H * e)) - (f(2 * H * e) - f(-2 * H * e))
    return np.stack([along(e) / (12 * H) for e in np.eye(nv)], axis=-1)


def close(ours, theirs):
    return np.abs(ours - theirs).max() < 1e-7 * (1 + np.abs(theirs).max())


@pytest.mark.parametrize("axes", ["local", "local_world_aligned", "world"])
def test_are_limits_of_differences(zoo, axes):
    model, q, v, a, external = zoo
    words = {"external": external, "in_": axes}
    at = lambda x: zw.integrate(model, q, x)
    first = lambda q, v: zw.inverse_dynamics_derivatives(model, q, v, a, **words)
    h = zw.inverse_dynamics_second_derivatives(model, q, v, a, **words)
    swap = lambda x: x.swapaxes(1, 2)
    assert close(h.qq, differences(lambda x: first(at(x), v).q, model.nv))
    assert close(h.qv, swap(differences(lambda x: first(at(x), v).v, model.nv)))
    assert close(h.vv, differences(lambda x: first(q, v + x).v, model.nv))
    assert close(h.qa, swap(differences(lambda x: first(at(x), v).a, model.nv)))


def test_of_forward_dynamics(zoo):
    model, q, v, tau, external = zoo
    at = lambda x: zw.integrate(model, q, x)
    first = lambda q, v: zw.forward_dynamics_derivatives(model, q, v, tau, external=external)
    f = zw.forward_dynamics_second_derivatives(model, q, v, tau, external=external)
    swap = lambda x: x.swapaxes(1, 2)
    for ours, theirs in (
        (f.qq, differences(lambda x: first(at(x), v).q, model.nv)),
        (f.qv, swap(differences(lambda x: first(at(x), v).v, model.nv))),
        (f.vv, differences(lambda x: first(q, v + x).v, model.nv)),
        (f.qtau, swap(differences(lambda x: first(at(x), v).tau, model.nv))),
    ):
        assert close(ours, theirs)


def test_the_symmetric_part_is_the_hessian(zoo):
    """d.H.d is the second difference of tau along q (+) s d, whatever the order of increments."""
    model, q, v, a, _ = zoo
    h = zw.inverse_dynamics_second_derivatives(model, q, v, a)
    assert np.abs(h.qq - h.qq.swapaxes(1, 2)).max() > 0.1  # a floating base: increments do not commute
    assert np.array_equal(h.symmetric("qq"), h.symmetric("qq").swapaxes(1, 2))
    d = np.random.default_rng(1).uniform(-1, 1, model.nv)
    tau = lambda s: zw.inverse_dynamics(model, zw.integrate(model, q, s * d), v, a)
    s = 1e-3  # differences of fourth order
    second = (-tau(2 * s) + 16 * tau(s) - 30 * tau(0) + 16 * tau(-s) - tau(-2 * s)) / (12 * s * s)
    ours = np.einsum("txy,x,y->t", h.symmetric("qq"), d, d)
    assert np.abs(ours - second).max() < 1e-6 * np.abs(ours).max()


def test_many_states_sums_and_refusals(zoo):
    model, q, v, a, _ = zoo
    one = zw.inverse_dynamics_second_derivatives(model, q, v, a)
    two = zw.inverse_dynamics_second_derivatives(model, *[np.stack([x, x]) for x in (q, v, a)])
    assert two.qq.shape == (2,) + 3 * (model.nv,)
    for name in ("qq", "qv", "vv", "qa"):
        assert np.array_equal(two.dense(name)[1], getattr(one, name))
    w = np.arange(model.nv)
    assert np.allclose(one.contract(w).qv, np.einsum("t,txy->xy", w, one.qv))
    assert np.allclose(two.contract(np.stack([w, 2 * w])).qa[1], 2 * one.contract(w).qa)
    with pytest.raises(ValueError, match="qq, qv, vv or qa"):
        one.dense("va")
    with pytest.raises(ValueError, match="expected qq or vv"):
        one.symmetric("qv")
    with pytest.raises(ValueError, match="'w'"):
        one.contract(w[:-1])
    with pytest.raises(ValueError, match="'v'"):
        zw.inverse_dynamics_second_derivatives(model, q, v[:-1], a)
