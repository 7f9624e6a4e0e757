# SPDX-License-Identifier: BSD-3-Clause
"""First derivatives in Python: against central differences along q (+) d, one state and many, and what they refuse."""
import numpy as np
import pytest
import zwang as zw

H = 1e-6


def differences(f, nv):
    return np.stack([(f(H * e) - f(-H * e)) / (2 * H) for e in np.eye(nv)], axis=-1)


@pytest.fixture(scope="module")
def state():
    model = zw.sample("zoo", root="floating")  # a joint of every type
    rng = np.random.default_rng(5)
    q, v, a = model.random(seed=3), rng.uniform(-1, 1, model.nv), rng.uniform(-1, 1, model.nv)
    frames = model.frame_names
    external = {frames[-1]: [1, -2, 3, 0.4, 0.5, -0.6], frames[len(frames) // 2]: [-3, 1, 2, 0.1, 0, 0.3]}
    return model, q, v, a, external


@pytest.mark.parametrize("axes", ["local", "local_world_aligned", "world", "joint6"])
def test_derivatives_are_limits_of_differences(state, axes):
    model, q, v, a, external = state
    words = {"external": external, "in_": axes}
    d = zw.inverse_dynamics_derivatives(model, q, v, a, **words)
    tau = zw.inverse_dynamics(model, q, v, a, **words)
    scale = np.abs(d.q).max() + np.abs(d.v).max()
    by_q = differences(lambda x: zw.inverse_dynamics(model, zw.integrate(model, q, x), v, a, **words), model.nv)
    by_v = differences(lambda x: zw.inverse_dynamics(model, q, v + x, a, **words), model.nv)
    assert np.abs(d.q - by_q).max() < 1e-7 * scale and np.abs(d.v - by_v).max() < 1e-7 * scale
    assert np.allclose(d.a, zw.mass_matrix(model, q), rtol=0, atol=1e-12 * np.abs(d.a).max())
    forward = zw.forward_dynamics_derivatives(model, q, v, tau, **words)  # at the same accelerations
    assert np.allclose(d.a @ forward.q, -d.q, rtol=0, atol=1e-9 * scale)
    assert np.allclose(d.a @ forward.v, -d.v, rtol=0, atol=1e-9 * scale)
    assert np.allclose(d.a @ forward.tau, np.eye(model.nv), rtol=0, atol=1e-9)


@pytest.mark.parametrize("axes", ["local_world_aligned", "joint6"])
def test_bias_gravity_and_static_torque(state, axes):
    model, q, v, _, external = state
    at = lambda x: zw.integrate(model, q, x)
    words = {"external": external, "in_": axes}
    bias = zw.bias_forces_derivatives(model, q, v, **words)
    for ours, theirs in (
        (bias.q, differences(lambda x: zw.bias_forces(model, at(x), v, **words), model.nv)),
        (bias.v, differences(lambda x: zw.bias_forces(model, q, v + x, **words), model.nv)),
        (zw.gravity_forces_derivatives(model, q), differences(lambda x: zw.gravity_forces(model, at(x)), model.nv)),
        (zw.static_torque_derivatives(model, q, **words),
         differences(lambda x: zw.static_torque(model, at(x), **words), model.nv)),
    ):
        assert np.abs(ours - theirs).max() < 1e-7 * (np.abs(ours).max() + 1)


def test_many_states_and_refusals(state):
    model, q, v, a, _ = state
    many = [np.stack([x, x]) for x in (q, v, a)]
    one, two = zw.inverse_dynamics_derivatives(model, q, v, a), zw.inverse_dynamics_derivatives(model, *many)
    assert two.q.shape == (2, model.nv, model.nv)
    assert all(np.array_equal(getattr(two, k)[1], getattr(one, k)) for k in "qva")
    with pytest.raises(ValueError, match="'v'"):
        zw.inverse_dynamics_derivatives(model, q, v[:-1], a)
    with pytest.raises(ValueError, match="nan|NaN|finite"):
        zw.gravity_forces_derivatives(model, q * np.nan)
    with pytest.raises(ValueError, match="root_link_"):
        zw.static_torque_derivatives(model, q, external={"root_link_": [0] * 6})
