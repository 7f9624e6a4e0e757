# SPDX-License-Identifier: BSD-3-Clause
"""Links' own scales of gravity and springs of spherical joints, from Python."""
import pickle

import numpy as np
import pytest

import zwang as zw


def robot(scale=0.25, **spring):
    b = zw.ModelBuilder("two").add_link("base")
    b.add_link("arm", mass=2, centre=(0.3, 0, 0), inertia=0.02 * np.eye(3), gravity_scale=scale)
    b.add_link("hand", mass=1, centre=(0, 0.1, 0.2), inertia=0.01 * np.eye(3))
    b.add_joint("hinge", "revolute", "base", "arm", axis=(0, 1, 0))
    b.add_joint("ball", "spherical", "arm", "hand", actuated=True, **spring)
    return b.build()


def test_a_scale_is_a_force_at_the_centre_of_mass():
    m, plain = robot(), robot(1)
    assert (m.link("arm").gravity_scale, m.link("hand").gravity_scale) == (0.25, 1)
    q, v, a = m.random(seed=1), np.full(m.nv, 0.3), np.full(m.nv, -0.2)
    off = zw.JointEffects(gravity_scale=False)
    J = np.zeros(4)
    J[0] = 0.75 * 2 * 9.81 * 0.3 * np.cos(q[0])  # -J^T of the force, up
    np.testing.assert_allclose(zw.inverse_dynamics(m, q, v, a) - zw.inverse_dynamics(m, q, v, a, joint_effects=off), J, atol=1e-12)
    np.testing.assert_allclose(zw.inverse_dynamics(m, q, v, a, joint_effects=off), zw.inverse_dynamics(plain, q, v, a), atol=1e-12)
    np.testing.assert_allclose(zw.gravity_forces(m, q), zw.gravity_forces(plain, q), atol=1e-12)
    many = np.stack([m.random(seed=k) for k in range(9)])
    rows = zw.forward_dynamics(m, many, v, a)
    np.testing.assert_allclose(rows, [zw.forward_dynamics(m, x, v, a) for x in many], rtol=1e-9, atol=1e-9)
    for copy in (pickle.loads(pickle.dumps(m)), zw.model_from_json(m.to_json()), zw.ModelBuilder(m).build(),
                 zw.with_parameters(plain, {"arm": {"gravity_scale": 0.25}})):
        assert copy.link("arm").gravity_scale == 0.25
        np.testing.assert_allclose(zw.bias_forces(copy, q, v), zw.bias_forces(m, q, v), atol=1e-12)
    with pytest.raises(zw.ModelError):
        robot(np.nan)


def test_the_switch_is_a_field_of_joint_effects():
    e = zw.JointEffects(gravity_scale=False)
    assert e != zw.JointEffects()
    assert not pickle.loads(pickle.dumps(e)).gravity_scale
    assert "gravity_scale=False" in repr(e)


def test_the_spring_of_a_ball_pulls_along_the_logarithm():
    m = robot(1, stiffness=4)
    q = m.neutral()
    q[1:5] = 0, 0, np.sin(0.6), np.cos(0.6)
    only = zw.JointEffects(damping=False, armature=False, gravity_scale=False)
    np.testing.assert_allclose((zw.static_torque(m, q, joint_effects=only) - zw.gravity_forces(m, q))[1:], [0, 0, 4 * 1.2], atol=1e-12)
    with pytest.raises(zw.ModelError, match="E_SPRING"):
        robot(1, stiffness=(4, 4, 5))


def test_mujoco_has_the_same_torques(tmp_path):
    pytest.importorskip("mujoco")
    text = ('<mujoco><worldbody><body name="a" gravcomp=".7"><joint name="j" axis="0 1 0"/><geom size=".1" pos="1 0 0"/>'
            '<body name="b" pos="1 0 0" gravcomp="-.4"><joint name="k" type="ball"/><geom size=".2" pos="0 .3 .1"/></body></body></worldbody></mujoco>')
    (tmp_path / "two.xml").write_text(text)
    report = zw.verify(tmp_path / "two.xml", against="mujoco")
    assert report.agrees, report
