# SPDX-License-Identifier: BSD-3-Clause
"""Identities of mechanics through the Python functions."""
import numpy as np
import zwang as zw
from conftest import State, close


def test_forward_dynamics_undoes_inverse_dynamics(robots):
    for m in robots:
        s = State(m)
        tau = zw.inverse_dynamics(m, s.q, s.v, s.a)
        M = zw.mass_matrix(m, s.q)
        close(zw.forward_dynamics(m, s.q, s.v, tau), s.a, scale=np.linalg.cond(M))


def test_the_equation_of_motion_is_mass_matrix_and_bias(robots):
    for m in robots:
        s = State(m, 2)
        M, h = zw.mass_matrix(m, s.q), zw.bias_forces(m, s.q, s.v)
        tau = zw.inverse_dynamics(m, s.q, s.v, s.a)
        close(M @ s.a + h, tau, scale=np.abs(M).max() + np.abs(h).max())
        close(M, M.T)
        close(0.5 * s.v @ M @ s.v, zw.kinetic_energy(m, s.q, s.v))
        close(zw.mass_matrix_inverse(m, s.q) @ M, np.eye(m.nv), scale=np.linalg.cond(M))


def test_aliases_are_the_same_functions(arm):
    s = State(arm)
    assert zw.rnea is zw.inverse_dynamics and zw.aba is zw.forward_dynamics and zw.crba is zw.mass_matrix
    assert np.array_equal(zw.rnea(arm, s.q, s.v, s.a), zw.inverse_dynamics(arm, s.q, s.v, s.a))


def test_gravity_is_the_gradient_of_the_potential_energy(robots):
    plain = zw.JointEffects(springs=False)
    for m in robots:
        s, h = State(m, 3), 1e-6
        g = zw.gravity_forces(m, s.q)
        slope = [(zw.potential_energy(m, zw.integrate(m, s.q, h * e), joint_effects=plain)
                  - zw.potential_energy(m, zw.integrate(m, s.q, -h * e), joint_effects=plain)) / (2 * h)
                 for e in np.eye(m.nv)]
        assert np.abs(np.array(slope) - g).max() <= 1e-7 * (1 + np.abs(g).max() + m.mass)  # h^2 and eps / h


def test_an_external_wrench_acts_through_the_jacobian(robots):
    for m in robots:
        s, r = State(m, 4), np.random.default_rng(0)
        frame, axes = r.choice(m.frame_names), r.choice(m.link_names)
        wrench = r.uniform(-5, 5, 6)
        for word in ("local", "world", "local_world_aligned", axes):
            J = zw.jacobian(m, s.q, frame, reference=word)
            with_it = zw.inverse_dynamics(m, s.q, s.v, s.a, external={frame: wrench}, in_=word)
            without = zw.inverse_dynamics(m, s.q, s.v, s.a)
            close(with_it, without - J.T @ wrench, scale=np.abs(without).max() + np.abs(J).max() * 60)


def test_velocities_and_accelerations_follow_the_jacobian(robots):
    for m in robots:
        s, r = State(m, 5), np.random.default_rng(1)
        frame, axes = r.choice(m.frame_names), r.choice(m.link_names)
        for word in ("local", "world", "local_world_aligned"):
            J, Jdot = zw.jacobian(m, s.q, frame, word), zw.jacobian_dot(m, s.q, s.v, frame, word)
            close(zw.frame_velocity(m, s.q, s.v, frame, word), J @ s.v, scale=np.abs(J).max() * m.nv)
            kind = "classical" if word == "local_world_aligned" else "spatial"
            close(zw.frame_acceleration(m, s.q, s.v, s.a, frame, kind=kind, reference=word), J @ s.a + Jdot @ s.v,
                  scale=(np.abs(J).max() + np.abs(Jdot).max()) * m.nv)
        # A frame's name: origin of the frame, axes of the other.
        R = zw.frame_pose(m, s.q, axes)[:3, :3]
        turn = np.kron(np.eye(2), R.T)
        J = zw.jacobian(m, s.q, frame)
        close(zw.jacobian(m, s.q, frame, axes), turn @ J, scale=np.abs(J).max())
        close(zw.frame_velocity(m, s.q, s.v, frame, axes), turn @ J @ s.v, scale=np.abs(J).max() * m.nv)
        h = 1e-6
        steps = [zw.jacobian(m, zw.integrate(m, s.q, t * s.v), frame, axes) for t in (h, -h)]
        Jdot = zw.jacobian_dot(m, s.q, s.v, frame, axes)
        assert np.abs((steps[0] - steps[1]) / (2 * h) - Jdot).max() < 1e-6 * (1 + np.abs(Jdot).max()) * (1 + np.abs(J).max())


def test_relative_motion_is_seen_from_the_other_frame(robots):
    for m in robots:
        s, r = State(m, 6), np.random.default_rng(2)
        frame, other = r.choice(m.frame_names, 2)
        J = zw.relative_jacobian(m, s.q, frame, other, "world")
        close(J, zw.jacobian(m, s.q, frame, "world") - zw.jacobian(m, s.q, other, "world"), scale=np.abs(J).max() + 10)
        close(zw.relative_pose(m, s.q, frame, other),
              np.linalg.inv(zw.frame_pose(m, s.q, other)) @ zw.frame_pose(m, s.q, frame), scale=100)
        close(zw.relative_velocity(m, s.q, s.v, frame, other), zw.relative_jacobian(m, s.q, frame, other) @ s.v,
              scale=np.abs(J).max() * m.nv)


def test_the_centre_of_mass_moves_by_its_jacobian(robots):
    for m in robots:
        s, h = State(m, 7), 1e-6
        J = zw.centre_of_mass_jacobian(m, s.q)
        close(zw.centre_of_mass_velocity(m, s.q, s.v), J @ s.v, scale=np.abs(J).max() * m.nv)
        c = [zw.centre_of_mass(m, zw.integrate(m, s.q, t * s.v)) for t in (h, -h)]
        v = zw.centre_of_mass_velocity(m, s.q, s.v)
        assert np.abs((c[0] - c[1]) / (2 * h) - v).max() < 1e-7 * (1 + np.abs(v).max())
        without = zw.centre_of_mass_acceleration(m, s.q, s.v, 0 * s.a)
        close(zw.centre_of_mass_acceleration(m, s.q, s.v, s.a) - without, J @ s.a, scale=np.abs(without).max() + m.nv)


def test_configurations_are_a_manifold(robots):
    for m in robots:
        s, other = State(m, 8), m.random(9)
        dq = zw.difference(m, s.q, other)
        close(zw.difference(m, zw.integrate(m, s.q, dq), other), 0 * dq, scale=10)
        close(zw.distance(m, s.q, other), np.linalg.norm(dq))
        close(zw.squared_distances(m, s.q, other).sum(), dq @ dq)
        close(zw.interpolate(m, s.q, other, 0.5), zw.integrate(m, s.q, 0.5 * dq))
        by_q, by_dq = zw.integrate_jacobians(m, s.q, s.v)
        u, h = s.a, 1e-6
        close(zw.transport(m, s.q, s.v, u), by_q @ u, scale=m.nv)
        step = zw.difference(m, zw.integrate(m, s.q, s.v - h * u), zw.integrate(m, s.q, s.v + h * u)) / (2 * h)
        assert np.abs(step - by_dq @ u).max() < 1e-7
        by_0, by_1 = zw.difference_jacobians(m, s.q, zw.integrate(m, s.q, 0.3 * s.v))
        step = (zw.difference(m, s.q, zw.integrate(m, zw.integrate(m, s.q, 0.3 * s.v), h * u))
                - zw.difference(m, s.q, zw.integrate(m, zw.integrate(m, s.q, 0.3 * s.v), -h * u))) / (2 * h)
        assert np.abs(step - by_1 @ u).max() < 1e-7
        assert by_0.shape == by_1.shape == (m.nv, m.nv)
        assert zw.is_normalized(m, s.q)
        close(zw.normalize(m, s.q), s.q)


def test_the_factorisation_is_the_mass_matrix(robots):
    for m in robots:
        s = State(m, 10)
        M, c = zw.mass_matrix(m, s.q), zw.cholesky(m, s.q)
        close(c.lower.T @ np.diag(c.diagonal) @ c.lower, M, scale=np.abs(M).max())
        x = np.stack([s.v, s.a, s.tau])
        close(c.multiply(x), x @ M, scale=np.abs(M).max() * m.nv)
        close(c.solve(c.multiply(x)), x, scale=np.linalg.cond(M))
        close(c.multiply_lower(s.v), c.lower @ s.v, scale=m.nv)
        close(c.multiply_transposed(s.v), c.lower.T @ s.v, scale=m.nv)
        close(c.solve_lower(c.multiply_lower(s.v)), s.v, scale=np.linalg.cond(M))
        close(c.solve_transposed(c.multiply_transposed(s.v)), s.v, scale=np.linalg.cond(M))
        close(c.inverse() @ M, np.eye(m.nv), scale=np.linalg.cond(M))


def test_joint_effects_say_what_counts(robots):
    none = zw.JointEffects(armature=False, damping=False, springs=False, friction=False)
    for m in robots:
        s = State(m, 11)
        bare, rotors = zw.mass_matrix(m, s.q, joint_effects=none), zw.mass_matrix(m, s.q)
        assert np.all(np.linalg.eigvalsh(rotors - bare) > -1e-9 * np.abs(rotors).max())
        effects = zw.JointEffects(friction=True)
        with_it = zw.inverse_dynamics(m, s.q, s.v, s.a, joint_effects=effects)
        close(zw.forward_dynamics(m, s.q, s.v, with_it, joint_effects=effects), s.a, scale=np.linalg.cond(rotors))


def test_gravity_may_be_given_per_call_and_does_not_stay(arm):
    s = State(arm)
    moon = (0.1, 0, -1.62)
    g = zw.gravity_forces(arm, s.q)
    on_moon = zw.gravity_forces(arm, s.q, gravity=moon)
    other = zw.load(arm_path(), gravity=moon)
    assert np.array_equal(on_moon, zw.gravity_forces(other, s.q)) and np.abs(on_moon - g).max() > 1
    assert np.array_equal(g, zw.gravity_forces(arm, s.q))
    close(zw.forward_dynamics(arm, s.q, s.v, on_moon, gravity=moon), zw.forward_dynamics(other, s.q, s.v, on_moon))


def arm_path():
    from conftest import ROOT
    return ROOT / "models" / "arm7.urdf"


def test_joint_wrenches_carry_the_torques(robots):
    for m in robots:
        s = State(m, 12)
        effects = zw.JointEffects(armature=False, damping=False, springs=False)
        tau = zw.inverse_dynamics(m, s.q, s.v, s.a, joint_effects=effects)
        wrenches = zw.joint_wrenches(m, s.q, s.v, s.a, joint_effects=effects)
        for joint in m.joints:
            if joint.type == "revolute" and joint.mimic is None and not any(j.mimic and j.mimic[0] == joint.name for j in m.joints):
                # The child's frame is the joint's, turned about its axis: the moment about the axis is the motor's.
                close(wrenches[joint.name][3:] @ joint.axis, tau[joint.v][0], scale=np.abs(wrenches[joint.name]).max())
        again = zw.joint_wrenches(m, s.q, 2 * s.v, s.a, out=wrenches)
        assert again is wrenches


def test_a_plane_turns_the_shorter_way_round():
    """One state and N, from angles that differ by more than half a turn: by whole turns, by the same step from both."""
    m = zw.load("models/arm7.urdf", root="planar")
    rng = np.random.default_rng(2)
    a = np.array([m.random(k) for k in range(6)])
    step = rng.uniform(-1, 1, (6, m.nv))
    b = zw.integrate(m, a, step)
    far = b.copy()
    far[:, 2] += 2 * np.pi * np.array([1, -1, 2, 5, -3, 0])
    close(zw.difference(m, a, far), step, scale=10)
    close(zw.distance(m, a, far), np.linalg.norm(step, axis=1), scale=10)
    close(zw.difference_jacobians(m, a, far)[1], zw.difference_jacobians(m, a, b)[1], scale=10)
    half = zw.integrate(m, a, step / 2)
    for k in range(6):
        close(zw.difference(m, a[k], far[k]), step[k], scale=10)
        close(zw.interpolate(m, a[k], far[k], 0.5), half[k], scale=10)
        path = zw.ConfigurationPath.line(m, a[k], far[k])
        close(path.at(1.0)[0], b[k], scale=10)  # the angle counts on


GRIPPER = """<robot name="gripper"><link name="palm"/>
<link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="r"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="left" type="prismatic"><parent link="palm"/><child link="l"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
<joint name="right" type="prismatic"><parent link="palm"/><child link="r"/><limit lower="0" upper="1" effort="1" velocity="1"/>
<mimic joint="left" multiplier="-1" offset="0.01"/></joint></robot>"""


def test_a_mimic_tag_without_effect_names_no_leader():
    free, bound = zw.loads(GRIPPER, expand_mimic=True), zw.loads(GRIPPER)
    fixed = zw.loads(GRIPPER.replace('name="right" type="prismatic"', 'name="right" type="fixed"'))
    assert bound.joint("right").mimic == ("left", -1.0, 0.01)
    assert free.joint("right").mimic is None and fixed.joint("right").mimic is None
    assert np.array_equal(zw.integrate(free, free.neutral(), {"left": 0.1, "right": 0.2}), [0.1, 0.2])
    for m in (free, fixed):
        cs = zw.ConstraintSet(m)
        cs.add_frame("finger", "l", rows="linear.x", role="driver", beta=[2.0])
        for method in ("constrained_aba", "loop_aba", "dense_cod"):
            assert abs(zw.Solver(m, cs, method=method).solve(m.neutral(), m.zero(), m.zero()).acceleration[0] - 2) < 1e-9
