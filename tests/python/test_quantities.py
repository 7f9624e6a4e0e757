# SPDX-License-Identifier: BSD-3-Clause
"""Quantities in Python: their laws on a robot of every joint type, one state and many, and what they refuse."""
import numpy as np
import pytest

import zwang as zw

OFF = zw.JointEffects(armature=False, damping=False, springs=False, friction=False)


def states_of(model, n):
    r = np.random.default_rng(1)
    q = np.stack([model.random(k) for k in range(n)])
    return q, *(r.uniform(-1, 1, (n, model.nv)) for _ in range(2))


def test_laws_of_one_state(robots):
    for m in robots:
        q, v, a = (x[0] for x in states_of(m, 3))
        C = zw.coriolis_matrix(m, q, v)
        h, g = zw.bias_forces(m, q, v, joint_effects=OFF), zw.gravity_forces(m, q)
        size = np.abs(C).sum() + np.abs(h).max() + 1
        assert np.abs(C @ v + g - h).max() < 1e-12 * size
        A, rate = zw.centroidal_map(m, q), zw.centroidal_map_dot(m, q, v)
        assert np.allclose(A @ v, zw.centroidal_momentum(m, q, v), atol=1e-11)
        assert np.allclose(A @ a + rate @ v, zw.centroidal_momentum_rate(m, q, v, a), atol=1e-10)
        phi = m.inertial_parameters
        assert phi.shape == (10 * len(m.links),)
        tau = zw.inverse_dynamics(m, q, v, a, joint_effects=OFF)
        assert np.abs(zw.inverse_dynamics_regressor(m, q, v, a) @ phi - tau).max() < 1e-12 * (np.abs(tau).max() + size)
        assert np.isclose(zw.kinetic_energy_regressor(m, q, v) @ phi, zw.kinetic_energy(m, q, v, joint_effects=OFF))
        assert np.isclose(zw.potential_energy_regressor(m, q) @ phi, zw.potential_energy(m, q, joint_effects=OFF))
        tip = m.link_names[-1]
        for reference in ("local", "world", "local_world_aligned", m.link_names[1]):
            H = zw.kinematic_hessian(m, q, tip, reference=reference)
            assert np.allclose(H @ v, zw.jacobian_dot(m, q, v, tip, reference=reference), atol=1e-11)


def test_many_states_are_one_after_the_other(dog):
    q, v, a = states_of(dog, 5)
    foot = dog.link_names[-1]
    for name, given, more in (("kinetic_energy_regressor", (q, v), {}), ("potential_energy_regressor", (q,), {}),
                              ("momentum_regressor", (q, v), {}), ("static_regressor", (q,), {}),
                              ("kinematic_hessian", (q,), {"frame": foot}), ("frame_regressor", (q, v, a), {"frame": foot}),
                              ("composite_inertia", (q,), {"frame": foot}), ("articulated_inertia", (q,), {"frame": foot}),
                              ("composite_inertia_rate", (q, v), {"frame": foot}), ("body_momentum", (q, v), {"frame": foot}),
                              ("subtree_centre_of_mass", (q,), {"frame": foot})):
        got = getattr(zw, name)(dog, *given, **more)
        for k in range(5):
            assert np.array_equal(got[k], getattr(zw, name)(dog, *(x[k] for x in given), **more)), name


def test_subtrees_of_the_root_are_the_robot(dog):
    q = dog.random(1)
    root = dog.link_names[0]
    assert np.isclose(zw.subtree_mass(dog, root), dog.mass)
    assert np.allclose(zw.subtree_centre_of_mass(dog, q, root), zw.centre_of_mass(dog, q))
    A = zw.articulated_inertia(dog, q, root)
    assert np.allclose(A, A.T) and np.linalg.eigvalsh(A).min() > 0


def test_refusals(arm):
    q, v = arm.neutral(), arm.zero()
    with pytest.raises(ValueError, match="ground"):
        zw.subtree_mass(arm, arm.link_names[0])
    with pytest.raises(ValueError, match="coriolis_matrix"):
        zw.coriolis_matrix(arm, q, v[:-1])
    with pytest.raises(ValueError, match="did you mean"):
        zw.kinematic_hessian(arm, q, "tool")
