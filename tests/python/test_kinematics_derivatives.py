# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of the motion of frames, of the centre of mass and of its momentum: against central differences along
q (+) d, one state and many, and what they refuse."""
import numpy as np
import pytest
import zwang as zw

H = 1e-6  # central differences: H^2 of the third derivative, and eps / H of the value: 1e-9 of the largest
TOLERANCE = 1e-7


def differences(f, nv):
    return np.stack([(f(H * e) - f(-H * e)) / (2 * H) for e in np.eye(nv)], axis=-1)


def close(d, f, nv, scale):
    return np.abs(d - differences(f, nv)).max() < TOLERANCE * scale


@pytest.fixture(scope="module")
def state(zoo):
    return *zoo[:4], zoo[0].frame_names[-1]


@pytest.mark.parametrize("reference", ["local", "world", "local_world_aligned"])
def test_motion_of_a_frame(state, reference):
    model, q, v, a, frame = state
    nv = model.nv
    d = zw.frame_velocity_derivatives(model, q, v, frame, reference=reference)
    scale = 1 + np.abs(d.q).max() + np.abs(d.v).max()
    assert close(d.q, lambda x: zw.frame_velocity(model, zw.integrate(model, q, x), v, frame, reference), nv, scale)
    assert np.allclose(d.v, zw.jacobian(model, q, frame, reference), rtol=0, atol=1e-12 * scale)
    for kind in ("classical", "spatial"):
        for gravity in (False, True):
            words = {"kind": kind, "reference": reference, "with_gravity": gravity}
            d = zw.frame_acceleration_derivatives(model, q, v, a, frame, **words)
            scale = 1 + np.abs(d.q).max() + np.abs(d.v).max()
            by_q = lambda x: zw.frame_acceleration(model, zw.integrate(model, q, x), v, a, frame, **words)
            assert close(d.q, by_q, nv, scale)
            assert close(d.v, lambda x: zw.frame_acceleration(model, q, v + x, a, frame, **words), nv, scale)
            assert np.allclose(d.a, zw.jacobian(model, q, frame, reference), rtol=0, atol=1e-12 * scale)


def test_centre_of_mass_and_momentum(state):
    model, q, v, a, _ = state
    nv = model.nv
    d = zw.centre_of_mass_velocity_derivatives(model, q, v)
    jacobian = zw.centre_of_mass_jacobian(model, q)
    assert d.q.shape == d.v.shape == (3, nv) and np.allclose(d.v, jacobian, rtol=0, atol=1e-12)
    moved = lambda x: zw.centre_of_mass_jacobian(model, zw.integrate(model, q, x)) @ v
    assert close(d.q, moved, nv, 1 + np.abs(d.q).max())
    d = zw.centroidal_derivatives(model, q, v, a)
    scale = 1 + np.abs(d.momentum.q).max() + np.abs(d.momentum.v).max()
    assert close(d.momentum.q, lambda x: zw.centroidal_momentum(model, zw.integrate(model, q, x), v), nv, scale)
    assert np.allclose(d.momentum.v, zw.centroidal_map(model, q), rtol=0, atol=1e-12 * scale)
    scale = 1 + np.abs(d.rate.q).max() + np.abs(d.rate.v).max()
    assert close(d.rate.q, lambda x: zw.centroidal_momentum_rate(model, zw.integrate(model, q, x), v, a), nv, scale)
    assert close(d.rate.v, lambda x: zw.centroidal_momentum_rate(model, q, v + x, a), nv, scale)
    assert np.array_equal(d.rate.a, d.momentum.v) and not np.shares_memory(d.rate.a, d.momentum.v)


def test_many_states_are_each_alone(state):
    model, q, v, a, frame = state
    many = np.stack([q, model.random(seed=8)])
    d = zw.frame_acceleration_derivatives(model, many, v, a, frame)
    c = zw.centroidal_derivatives(model, many, v, a)
    for k in range(2):
        alone = zw.frame_acceleration_derivatives(model, many[k], v, a, frame)
        assert np.array_equal(d.q[k], alone.q) and np.array_equal(d.v[k], alone.v) and np.array_equal(d.a[k], alone.a)
        assert np.array_equal(c.rate.q[k], zw.centroidal_derivatives(model, many[k], v, a).rate.q)


def test_refusals_name_what_is_wrong(state):
    model, q, v, a, frame = state
    with pytest.raises(ValueError, match="frame"):
        zw.frame_velocity_derivatives(model, q, v, "nothing_like_it")
    with pytest.raises(ValueError, match="local_world_aligned"):
        zw.frame_velocity_derivatives(model, q, v, frame, reference=frame)
    with pytest.raises(ValueError, match="spatial"):
        zw.frame_acceleration_derivatives(model, q, v, a, frame, kind="angular")
    with pytest.raises(ValueError, match="v"):
        zw.centroidal_derivatives(model, q, v[:-1], a)
