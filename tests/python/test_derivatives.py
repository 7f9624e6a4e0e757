# SPDX-License-Identifier: BSD-3-Clause
"""First derivatives in Python: against central differences along q (+) d, one state and many, and what they refuse."""
import numpy as np
import pytest
import zwang as zw
from conftest import close

H = 1e-6

# name, number of vectors after q (v, then a or tau, then directions or weights), attributes of the result
ROWS = [("inverse_dynamics_derivatives", 2, ("q", "v", "a")), ("forward_dynamics_derivatives", 2, ("q", "v", "tau")),
        ("bias_forces_derivatives", 1, ("q", "v")), ("gravity_forces_derivatives", 0, ()), ("static_torque_derivatives", 0, ()),
        ("inverse_dynamics_jvp", 5, ()), ("inverse_dynamics_vjp", 3, ("q", "v", "a")),
        ("forward_dynamics_jvp", 5, ()), ("forward_dynamics_vjp", 3, ("q", "v", "tau"))]


def differences(f, nv):
    return np.stack([(f(H * e) - f(-H * e)) / (2 * H) for e in np.eye(nv)], axis=-1)


@pytest.mark.parametrize("axes", ["local", "local_world_aligned", "world", "joint6"])
def test_derivatives_are_limits_of_differences(zoo, axes):
    model, q, v, a, external = zoo
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
def test_bias_gravity_and_static_torque(zoo, axes):
    model, q, v, _, external = zoo
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


def test_many_states_and_refusals(zoo):
    model, q, v, a, _ = zoo
    many = [np.stack([x, x]) for x in (q, v, a)]
    one, two = zw.inverse_dynamics_derivatives(model, q, v, a), zw.inverse_dynamics_derivatives(model, *many)
    assert two.q.shape == (2, model.nv, model.nv)
    for k in "qva":
        close(getattr(two, k)[1], getattr(one, k))
    with pytest.raises(ValueError, match="'v'"):
        zw.inverse_dynamics_derivatives(model, q, v[:-1], a)
    with pytest.raises(ValueError, match="nan|NaN|finite"):
        zw.gravity_forces_derivatives(model, q * np.nan)
    with pytest.raises(ValueError, match="root_link_"):
        zw.static_torque_derivatives(model, q, external={"root_link_": [0] * 6})


def parts(result, names):
    return [getattr(result, name) for name in names] if names else [result]


@pytest.mark.parametrize("name, count, names", ROWS, ids=[row[0] for row in ROWS])
@pytest.mark.parametrize("axes", ["local", "local_world_aligned", "world", "joint6", None])
def test_many_states_give_what_each_gives(zoo, name, count, names, axes):
    model, _, _, _, external = zoo
    n = 7
    rng = np.random.default_rng(3)
    q = np.stack([model.random(seed=k) for k in range(n)])
    vectors = [rng.uniform(-1, 1, (n, model.nv)) for _ in range(count)]
    takes_wrenches = name != "gravity_forces_derivatives"
    words = {"external": external, "in_": axes} if axes and takes_wrenches else {}
    f = getattr(zw, name)
    k = 1e8 if name.startswith("forward") else 1e5  # as badly conditioned as M
    alone = [parts(f(model, q[s], *(x[s] for x in vectors), **words), names) for s in range(n)]
    many = parts(f(model, q, *vectors, **words), names)
    for s in range(n):
        for m, a in zip(many, alone[s]):
            close(m[s], a, k=k)

    out = tuple(np.full_like(m, 5.0) for m in many)
    status = np.full(n, 99, np.uint8)
    filled = parts(f(model, q, *vectors, **words, out=out if names else out[0], status=status), names)
    assert all(np.shares_memory(x, y) and np.array_equal(x, m) for x, y, m in zip(filled, out, many))
    assert (status == zw.Status.ok).all()

    spoiled = q.copy()
    spoiled[3, -1] = np.nan
    with pytest.raises(ValueError, match="state 3.*'q' has nan"):
        f(model, spoiled, *vectors, **words, out=out if names else out[0])
    assert all(np.array_equal(x, m) for x, m in zip(out, many))  # as they were
    kept = parts(f(model, spoiled, *vectors, **words, status=status), names)
    assert status[3] == zw.Status.non_finite_input and (np.delete(status, 3) == zw.Status.ok).all()
    assert all(np.isnan(x[3]).all() and np.array_equal(np.delete(x, 3, 0), np.delete(m, 3, 0)) for x, m in zip(kept, many))


@pytest.mark.parametrize("name, count, names", ROWS, ids=[row[0] for row in ROWS])
def test_float32_stays_float32(arm, name, count, names):
    rng = np.random.default_rng(3)
    q = np.stack([arm.random(seed=k) for k in range(9)])
    vectors = [rng.uniform(-1, 1, (9, arm.nv)) for _ in range(count)]
    f = getattr(zw, name)
    twice = parts(f(arm, q, *vectors), names)
    single = parts(f(arm, q.astype(np.float32), *(x.astype(np.float32) for x in vectors)), names)
    for s, t in zip(single, twice):
        assert s.dtype == np.float32 and np.abs(s - t).max() < 2e-3 * (1 + np.abs(t).max())


def test_outputs_are_a_tuple_of_the_right_arrays(arm):
    q = np.stack([arm.random(seed=k) for k in range(4)])
    v = np.zeros((4, arm.nv))
    square = np.empty((4, arm.nv, arm.nv))
    with pytest.raises(ValueError, match="'out' has type .*expected a tuple of three arrays"):
        zw.inverse_dynamics_derivatives(arm, q, v, v, out=square)
    with pytest.raises(ValueError, match=r"out\[1\]"):
        zw.inverse_dynamics_derivatives(arm, q, v, v, out=(square, np.empty((4, arm.nv)), square.copy()))
    with pytest.raises(ValueError, match="shares memory|another result"):
        zw.inverse_dynamics_derivatives(arm, q, v, v, out=(square, square, square))
    directions = zw.inverse_dynamics_jvp(arm, q, v, v, da=np.ones((4, arm.nv)))
    close(directions, zw.mass_matrix(arm, q).sum(axis=2))
