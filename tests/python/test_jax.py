# SPDX-License-Identifier: BSD-3-Clause
"""zwang.jax: gradients against differences and against the library's matrices, under jit, grad, vmap and jacrev."""
import subprocess
import sys

import numpy as np
import pytest

import zwang as zw

jax = pytest.importorskip("jax", reason="the package jax is not installed")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
zj = zw.jax


@pytest.fixture(scope="module")
def dog():
    return zw.load("models/quadruped.urdf", root="floating")


def draw(model, n, seed=1):
    r = np.random.default_rng(seed)
    q = np.stack([model.random(seed + k) for k in range(n)])
    return q, *(r.uniform(-1, 1, (n, model.nv)) for _ in range(3))


def differences(f, x, h=1e-6):
    """The gradient of a number by every entry: quaternions of any length are allowed."""
    g = np.zeros(x.size)
    for k, e in enumerate(np.eye(x.size)):
        e = h * e.reshape(x.shape)
        g[k] = (f(x + e) - f(x - e)) / (2 * h)
    return g.reshape(x.shape)


def test_gradients_of_every_argument(dog):
    q, v, x, dq = draw(dog, 1)
    wrench = np.array([[1., -2, 3, 0.4, 0.5, -0.6]])
    w = np.linspace(-1, 1, dog.nv)
    functions = {
        "inverse": (lambda *a: zj.inverse_dynamics(dog, *a[:3], {"LF_foot": a[3]}) @ w, (q, v, x, wrench)),
        "forward": (lambda *a: zj.forward_dynamics(dog, *a[:3], {"LF_foot": a[3]}) @ w, (q, v, x, wrench)),
        "pose": (lambda q: (zj.frame_pose(dog, q, "LF_foot") ** 2 * jnp.arange(16.).reshape(4, 4)), (q,)),
        "position": (lambda q: zj.frame_position(dog, q, "LF_foot") ** 2, (q,)),
        "velocity": (lambda *a: zj.frame_velocity(dog, *a, "LF_foot") ** 2, (q, v)),
        "acceleration": (lambda *a: zj.frame_acceleration(dog, *a, "LF_foot"), (q, v, x)),
        "centre": (lambda q: zj.centre_of_mass(dog, q) ** 2, (q,)),
        "integrate": (lambda *a: zj.integrate(dog, *a) * jnp.arange(1., dog.nq + 1), (q, dq)),
        "difference": (lambda *a: zj.difference(dog, *a) @ w, (q, zw.integrate(dog, q, 0.3 * dq))),
    }
    for name, (f, arguments) in functions.items():
        scalar = jax.jit(lambda *a: f(*a).sum())
        for k, argument in enumerate(arguments):
            got = np.asarray(jax.jit(jax.grad(scalar, argnums=k))(*arguments))
            expected = differences(lambda y: float(scalar(*arguments[:k], y, *arguments[k + 1:])), argument)
            assert np.abs(got - expected).max() < 1e-6 * (1 + np.abs(expected).max()), (name, k)


def test_values_and_batches_are_those_of_the_library(dog):
    q, v, a, _ = draw(dog, 5)
    batch = zj.inverse_dynamics(dog, q, v, a)
    assert np.allclose(batch, zw.inverse_dynamics(dog, q, v, a), rtol=1e-12)
    mapped = jax.jit(jax.vmap(lambda *x: zj.inverse_dynamics(dog, *x), in_axes=(0, 0, None)))(q, v, a[0])
    assert np.allclose(mapped, zw.inverse_dynamics(dog, q, v, a[0]), rtol=1e-12)
    twice = jax.vmap(jax.vmap(lambda x: zj.inverse_dynamics(dog, x, v[0], a[0])))(q[:4].reshape(2, 2, -1))
    assert np.allclose(twice.reshape(4, -1), zw.inverse_dynamics(dog, q[:4], v[0], a[0]), rtol=1e-12)
    w = np.linspace(-1, 1, dog.nv)
    gradient = jax.vmap(jax.grad(lambda q, v: zj.forward_dynamics(dog, q, v, a[0]) @ w, argnums=1))(q, v)
    assert np.allclose(gradient, zw.forward_dynamics_vjp(dog, q, v, a[0], np.tile(w, (5, 1))).v, rtol=1e-11)
    J = jax.jacrev(lambda x: zj.inverse_dynamics(dog, q[0], v[0], x))(a[0])
    assert np.allclose(J, zw.mass_matrix(dog, q[0]), atol=1e-11)


def test_one_call_for_a_mapped_batch(dog, monkeypatch):
    from zwang import _operations
    sizes, real = [], _operations.Dynamics.value
    monkeypatch.setattr(_operations.Dynamics, "value", lambda self, *x: sizes.append(len(x[0])) or real(self, *x))
    q, v, a, _ = draw(dog, 6)
    jax.vmap(lambda *x: zj.inverse_dynamics(dog, *x))(q, v, a).block_until_ready()
    assert sizes == [6]


def test_a_gradient_through_a_scanned_rollout(dog):
    q0, v0, _, _ = draw(dog, 2)

    def cost(tau):
        def step(state, tau):
            q, v = state
            v = v + 0.01 * zj.forward_dynamics(dog, q, v, tau)
            return (zj.integrate(dog, q, 0.01 * v), v), None

        (q, v), _ = jax.lax.scan(step, (jnp.asarray(q0), jnp.asarray(v0)), tau)
        return (zj.difference(dog, q0, q) ** 2).sum() + (v ** 2).sum()

    r = np.random.default_rng(3)
    tau, d = r.uniform(-1, 1, (2, 4, 2, dog.nv))
    got = float((jax.jit(jax.grad(cost))(tau) * d).sum())
    expected = float(cost(tau + 1e-4 * d) - cost(tau - 1e-4 * d)) / 2e-4
    assert abs(got - expected) < 1e-6 * (1 + abs(expected))


def test_solve(dog):
    s = zw.ConstraintSet(dog)
    s.add_contact("hard", frame="LF_foot")
    s.add_contact("soft", frame="RF_foot", policy="soft", compliance=0.05)
    solver = zw.Solver(dog, s)
    r = np.random.default_rng(2)
    q = zw.integrate(dog, dog.neutral(), r.uniform(-0.4, 0.4, dog.nv))[None]
    v, tau, beta = r.uniform(-1, 1, (1, dog.nv)), r.uniform(-5, 5, (1, dog.nv)), r.uniform(-1, 1, (1, s.rows))

    def f(*x):
        out = zj.solve(solver, *x[:3], {"RH_foot": x[4]}, beta=x[3])
        return out.acceleration.sum() + 0.1 * out.multipliers.sum() + 0.1 * (out.motor_torque ** 2).sum()

    arguments = (q, v, tau, beta, r.uniform(-5, 5, (1, 6)))
    assert zj.solve(solver, q, v, tau).status.tolist() == [0]
    for k, argument in enumerate(arguments):
        got = np.asarray(jax.jit(jax.grad(f, argnums=k))(*arguments))
        expected = differences(lambda y: float(f(*arguments[:k], y, *arguments[k + 1:])), argument)
        assert np.abs(got - expected).max() < 1e-5 * (1 + np.abs(expected).max()), k


def test_single_precision_and_shapes_are_refused(dog):
    q, v, a, _ = draw(dog, 1)
    with pytest.raises(TypeError, match=r"'q' is float32, expected float64 \(jax.config.update\("):
        zj.inverse_dynamics(dog, jnp.asarray(q, jnp.float32), v, a)
    with pytest.raises(ValueError, match=r"'v' has the shape \(1, 17\), expected \(\.\.\., 18\)"):
        zj.inverse_dynamics(dog, q, v[:, 1:], a)
    program = ("import zwang as zw\narm = zw.load('models/arm7.urdf')\nx = arm.zero()\n"
               "try: zw.jax.inverse_dynamics(arm, x, x, x)\nexcept TypeError as e: print(e)")
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert 'jax.config.update("jax_enable_x64", True)' in said.stdout, said
