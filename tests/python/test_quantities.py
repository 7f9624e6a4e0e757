# SPDX-License-Identifier: BSD-3-Clause
"""Quantities in Python: their laws on a robot of every joint type, one state and many, and what they refuse."""
import copy

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


def test_centres_of_subtrees(robots):
    for m in robots:
        q, v, a = states_of(m, 3)
        frame = next(f for f in reversed(m.link_names) if len(m.support(f)) > 0)
        if not zw.subtree_mass(m, frame) > 0:
            continue
        J = zw.centre_of_mass_jacobian(m, q, subtree=frame)
        speed = zw.centre_of_mass_velocity(m, q, v, subtree=frame)
        assert J.shape == (3, 3, m.nv) and np.allclose(np.einsum("nij,nj->ni", J, v), speed, atol=1e-11)
        assert np.array_equal(zw.centre_of_mass(m, q, subtree=frame), zw.subtree_centre_of_mass(m, q, frame))
        rest = zw.centre_of_mass_acceleration(m, q, v, 0 * a, subtree=frame)
        both = zw.centre_of_mass_acceleration(m, q, v, a, subtree=frame)
        assert np.allclose(both - rest, np.einsum("nij,nj->ni", J, a), atol=1e-10)
        assert np.array_equal(zw.centre_of_mass(m, q, subtree=None), zw.centre_of_mass(m, q))
        given = np.empty(3)
        assert zw.centre_of_mass(m, q[0], subtree=frame, out=given) is given
        assert np.array_equal(zw.link_momentum(m, q, v, frame), zw.body_momentum(m, q, v, frame))
    assert "subtree" in zw.centre_of_mass.__doc__


def test_columns_of_joints_add_up(robots):
    for m in robots:
        q, v, _ = (x[0] for x in states_of(m, 3))
        tip, sum_of = m.link_names[-1], np.zeros((6, m.nv))
        parent = {j.child: j for j in m.joints}
        at, bias = tip, np.zeros(6)
        while at in parent:
            joint = parent[at]
            at = joint.parent
            if joint.lumped:
                continue
            S, S_dot, b = zw.joint_columns(m, q, v, joint.name)
            sum_of[:, joint.v] += S
            bias += b
        J = zw.jacobian(m, q, tip, reference="world")
        assert np.allclose(sum_of, J, atol=1e-11)
        assert np.allclose(bias, zw.jacobian_dot(m, q, v, tip, reference="world") @ v, atol=1e-10)
        assert set(np.flatnonzero(np.abs(J).max(axis=0) > 1e-9)) <= set(m.support(tip))


def test_base_parameters_and_small_regressors(robots):
    for m in robots:
        q, v, a = (x[0] for x in states_of(m, 3))
        base = zw.base_parameters(m)
        assert base.rank == len(base.columns) == len(base.names) and base.matrix.shape == (base.rank, 10 * len(m.links))
        Y = zw.inverse_dynamics_regressor(m, q, v, a)
        assert np.allclose(Y[:, base.columns] @ base.matrix, Y, atol=1e-8 * (1 + np.abs(Y).max()))
        none, drag = OFF, zw.JointEffects(armature=False, damping=True, springs=False, friction=True)
        added = zw.inverse_dynamics(m, q, v, a, joint_effects=drag) - zw.inverse_dynamics(m, q, v, a, joint_effects=none)
        assert np.linalg.lstsq(zw.friction_regressor(m, v), added, rcond=None)[0].shape == (2 * m.nv,)
        assert zw.kinematic_regressor(m, q, m.link_names[-1]).shape == (6, 6 * len(m.joints))
    with pytest.raises(ValueError, match="tolerance"):
        zw.base_parameters(robots[0], tolerance=0)


def test_all_terms_at_once(robots):
    for m in robots:
        q, v, a = states_of(m, 2)
        x = zw.all_terms(m, q, v, a)
        for name, given in (("mass_matrix", (q,)), ("coriolis_matrix", (q, v)), ("bias_forces", (q, v)), ("gravity_forces", (q,)),
                            ("centroidal_map", (q,)), ("centre_of_mass", (q,)), ("centre_of_mass_velocity", (q, v)),
                            ("kinetic_energy", (q, v)), ("potential_energy", (q,))):
            expected = getattr(zw, name)(m, *given)
            assert np.allclose(getattr(x, name), expected, rtol=1e-10, atol=1e-10 * (1 + np.abs(expected).max())), name
        tau = zw.inverse_dynamics(m, q, v, a)
        assert np.allclose(x.torque, tau, atol=1e-9 * (1 + np.abs(tau).max()))
        one = zw.all_terms(m, q[1], v[1])
        assert np.array_equal(one.columns, x.columns[1]) and one.torque is None and one.columns.shape == (6, m.nv)
    with pytest.raises(ValueError, match="all_terms"):
        zw.all_terms(robots[0], q[0][:-1], v[0])


def test_the_regressor_of_a_body():
    I = np.diag([1.0, 2, 3])
    twist, acceleration = np.array([0, 0, 0, 0.3, -0.4, 0.5]), np.array([0, 0, 9.81, 1, 2, 3.0])
    phi = np.array([2.0, 0, 0, 0, 1, 0, 2, 0, 0, 3])
    w, al = twist[3:], acceleration[3:]
    wrench = np.concatenate([2 * acceleration[:3], I @ al + np.cross(w, I @ w)])
    assert np.allclose(zw.body_regressor(twist, acceleration) @ phi, wrench)
    with pytest.raises(ValueError, match="velocity"):
        zw.body_regressor(twist[:5], acceleration)


def test_rows_of_a_set_without_a_solve(arm):
    q, v, _ = states_of(arm, 4)
    held = zw.ConstraintSet(arm)
    held.add_frame("tool", frame="tool0", rows=["linear.x", "angular"], beta=[1, 2, 3, 4])
    many = held.evaluate(q, v)
    solver = zw.Solver(arm, held)
    for k in range(4):
        one = held.evaluate(q[k], v[k])
        assert many.names == one.names == ["tool:linear.x", "tool:angular.x", "tool:angular.y", "tool:angular.z"]
        for name in ("position_error", "velocity_error", "gamma", "jacobian"):
            assert np.array_equal(getattr(many, name)[k], getattr(one, name), equal_nan=True), name
        solution = solver.solve(q[k], v[k])
        assert np.allclose(one.jacobian @ solution.acceleration, one.gamma, atol=1e-9)
        assert np.allclose(one.velocity_error, solution.velocity_error)
        assert np.isnan(one.position_error).all()
    assert np.array_equal(held.evaluate(q[0]).velocity_error, np.zeros(4))
    free = solver.free_acceleration()
    assert np.allclose(free, zw.forward_dynamics(arm, q[3], v[3], arm.zero()))
    assert np.isclose(0.5 * (solution.acceleration - free) @ zw.mass_matrix(arm, q[3]) @ (solution.acceleration - free), solution.zwang)
    assert np.array_equal(solution.free_acceleration, free)
    again = solver.solve(q[0], v[0])
    assert np.allclose(again.free_acceleration, zw.forward_dynamics(arm, q[0], v[0], arm.zero()))
    for stale in (solution, copy.copy(again), solver.solve(q, v)):
        with pytest.raises(RuntimeError, match="free_acceleration"):
            stale.free_acceleration
    held["tool"].active = False
    assert held.evaluate(q, v).jacobian.shape == (4, 0, arm.nv)
    with pytest.raises(ValueError, match="'q'"):
        held.evaluate(q[0][:-1])
    with pytest.raises(ValueError, match="'v'"):
        held.evaluate(q, v[:2])


def test_columns_of_a_joint_at_rest(arm):
    q, v = arm.random(2), np.linspace(-1, 1, arm.nv)
    for one, other in zip(zw.joint_columns(arm, q, "joint3", v), zw.joint_columns(arm, q, v, "joint3")):
        assert np.array_equal(one, other)
    S, rate, bias = zw.joint_columns(arm, q, "joint3")
    assert np.array_equal(S, zw.joint_columns(arm, q, v, "joint3")[0]) and not rate.any() and not bias.any()
    with pytest.raises(ValueError, match="joint3"):
        zw.joint_columns(arm, q, "joint33")


def test_regressors_of_many_bodies_and_results_of_the_caller(arm):
    r = np.random.default_rng(4)
    V, A = r.normal(size=(2, 5, 6))
    Y = zw.body_regressor(V, A)
    assert Y.shape == (5, 6, 10) and np.array_equal(Y, np.stack([zw.body_regressor(x, y) for x, y in zip(V, A)]))
    assert np.array_equal(zw.body_regressor(V[0], A)[2], zw.body_regressor(V[0], A[2]))
    out = np.empty((5, 6, 10))
    assert zw.body_regressor(V, A, out=out) is out and np.array_equal(out, Y)
    with pytest.raises(ValueError, match="5"):
        zw.body_regressor(V, A[:2])
    A[3, 1] = np.nan
    with pytest.raises(ValueError, match="acceleration"):
        zw.body_regressor(V, A, out=out)
    assert np.array_equal(out, Y)
    Q, v, a = np.stack([arm.random(k) for k in range(3)]), np.ones(arm.nv), np.ones(arm.nv)
    inertia, force = np.empty((3, 6, 6)), np.empty((3, 6))
    assert zw.supported_inertia(arm, Q, "link3", out=inertia) is inertia
    assert np.array_equal(inertia, zw.supported_inertia(arm, Q, "link3"))
    assert zw.supported_force(arm, Q, v, a, "link3", out=force) is force
    assert np.array_equal(force, zw.supported_force(arm, Q, v, a, "link3"))


def test_refusals(arm):
    q, v = arm.neutral(), arm.zero()
    with pytest.raises(ValueError, match="ground"):
        zw.subtree_mass(arm, arm.link_names[0])
    with pytest.raises(ValueError, match="coriolis_matrix"):
        zw.coriolis_matrix(arm, q, v[:-1])
    with pytest.raises(ValueError, match="did you mean"):
        zw.kinematic_hessian(arm, q, "tool")


def test_what_a_frame_supports():
    arm = zw.sample("arm7")  # its tool is merged with the last link
    free = zw.sample("arm7", lump=False)
    q, v, a = (np.random.default_rng(k).uniform(-1, 1, (5, arm.nv)) for k in range(3))
    wrench = {"tool0": [1, 2, 3, 0.1, 0.2, 0.3]}
    joint = next(j for j in free.joints if j.child == "tool0").name
    sensor = zw.supported_force(arm, q, v, a, "tool0", external=wrench)
    assert sensor.shape == (5, 6)
    assert np.allclose(sensor, zw.joint_wrenches(free, q, v, a, external=wrench)[joint], rtol=0, atol=1e-11)
    assert np.allclose(zw.supported_inertia(arm, q[0], "tool0"), zw.composite_inertia(free, q[0], "tool0"), atol=1e-13)
    with pytest.raises(ValueError, match="tool0"):
        zw.supported_force(arm, q, v, a, "tool1")


def test_composite_inertia_with_velocities_is_a_pair():
    arm = zw.sample("arm7")
    q, v = arm.random(seed=1), np.arange(7.0)
    inertia, rate = zw.composite_inertia(arm, q, "tool0", v=v)
    assert np.array_equal(inertia, zw.composite_inertia(arm, q, "tool0"))
    assert np.array_equal(rate, zw.composite_inertia_rate(arm, q, v, "tool0"))
    again = zw.composite_inertia(model=arm, q=q, frame="tool0", v=v)
    assert np.array_equal(rate, again[1])
    with pytest.raises(ValueError, match="two results"):
        zw.composite_inertia(arm, q, "tool0", v=v, out=np.zeros((6, 6)))


@pytest.mark.parametrize("bad", [np.zeros(5), np.zeros((2, 2, 6)), np.full(6, np.nan), None])
def test_the_regressor_of_a_body_refuses_what_is_no_motion(bad):
    for motions in ((bad, np.zeros(6)), (np.zeros(6), bad)):
        with pytest.raises(ValueError, match="velocity" if motions[0] is bad else "acceleration"):
            zw.body_regressor(*motions)


def test_all_terms_reads_its_acceleration():
    arm = zw.sample("arm7")
    q, v = arm.neutral(), arm.zero()
    with pytest.raises(ValueError, match="'a' has nan in entry 2"):
        zw.all_terms(arm, q, v, [0, 0, np.nan, 0, 0, 0, 0])
    with pytest.raises(zw.ArithmeticOverflowError):
        zw.all_terms(arm, q, v, np.full(7, 1e308))
    with pytest.raises(ValueError, match="'q'"):
        zw.all_terms(arm, None, v)
