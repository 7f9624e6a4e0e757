# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of steps and motions with contact, from Python."""
import pickle
import subprocess
import sys

import numpy as np
import pytest
import zwang as zw


def landing():
    """A quadruped just before its feet meet the ground, and what it meets."""
    robot = zw.load("models/quadruped.urdf", root="floating")
    scene = zw.Scene(robot).ground(friction=0.6)
    q, v = robot.neutral(), 0.2 * np.sin(1.0 + np.arange(robot.nv))
    q[2] = 0.6
    motion = zw.ContactRollout(robot, None, q, v, np.zeros((400, robot.nv)), scene=scene)
    assert motion.status == zw.Status.ok, motion.reason
    for k in range(motion.steps):
        d = zw.contact_step_derivatives(robot, None, motion.q[k], motion.v[k], scene=scene)
        if not d.is_free:
            return robot, scene, motion.q[k], motion.v[k]
    raise AssertionError("it does not land")


def test_a_step_is_differentiated():
    robot, scene, q, v = landing()
    n = robot.nv
    d = zw.contact_step_derivatives(robot, None, q, v, scene=scene)
    assert d.status == "ok" and d.is_unique and d.borders == [] and d.geometry_error == 0 and d.left_out == 0
    assert d.q_by.q.shape == d.v_by.tau.shape == (n, n)
    along = np.cos(np.arange(n))
    e = 1e-7
    ends = [zw.contact_step_derivatives(robot, None, q, v + s * e * along, scene=scene) for s in (-1, 1)]
    np.testing.assert_allclose((ends[1].v - ends[0].v) / (2 * e), d.v_by.v @ along, atol=1e-6)
    np.testing.assert_allclose(zw.difference(robot, ends[0].q, ends[1].q) / (2 * e), d.q_by.v @ along, atol=1e-8)
    variation = d.jvp(v=along)
    np.testing.assert_allclose(variation.v, d.v_by.v @ along, rtol=1e-12, atol=1e-12)
    gradient = d.vjp(q=along, v=2 * along)
    np.testing.assert_allclose(gradient.tau, d.q_by.tau.T @ along + 2 * d.v_by.tau.T @ along, rtol=1e-12, atol=1e-12)
    again = pickle.loads(pickle.dumps(d))
    assert again.status == d.status and np.array_equal(again.v_by.q, d.v_by.q)


def test_a_motion_is_the_product_of_its_steps():
    robot, scene, q, v = landing()
    torques = 0.1 * np.sin(np.arange(5 * robot.nv)).reshape(5, robot.nv)
    motion = zw.ContactRollout(robot, None, q, v, torques, scene=scene)
    assert motion.status == "ok" and motion.steps == 5 and motion.q.shape == (6, robot.nq)
    weights = np.sin(np.arange(6 * robot.nv)).reshape(6, robot.nv)
    gradient = motion.vjp(q=weights, v=0.5 * weights)
    assert gradient.tau.shape == torques.shape
    dq, dv, dtau = np.cos(np.arange(robot.nv)), np.sin(np.arange(robot.nv)), np.cos(torques)
    varied = motion.jvp(dq, dv, dtau)
    forward = np.sum(weights * varied.q) + 0.5 * np.sum(weights * varied.v)
    back = gradient.q @ dq + gradient.v @ dv + np.sum(gradient.tau * dtau)
    assert abs(forward - back) <= 1e-11 * np.sum(abs(weights * varied.q) + abs(weights * varied.v))


def test_borders_are_named():
    robot = (zw.ModelBuilder("wheel").add_link("base").add_link("wheel", 1, inertia=np.diag([0.02, 0.02, 0.02]))
             .add_joint("pin", "continuous", "base", "wheel", friction=2).build())
    d = zw.contact_step_derivatives(robot, None, robot.neutral(), tau=[2.0],
                                    joint_effects=zw.JointEffects(friction=True))
    assert d.status == "ok" and not d.is_unique
    assert d.borders == [("yields", "friction of pin")] and d.borders[0].what == "yields"


def test_what_has_none():
    robot = zw.load("models/quadruped.urdf", root="floating")
    scene = zw.Scene(robot).ground(friction=0.6, restitution=0.5)
    q = robot.neutral()
    q[2] = 0.6
    motion = zw.ContactRollout(robot, None, q, None, np.zeros((400, robot.nv)), scene=scene)
    assert motion.status == "not_differentiable" and "restitution" in motion.reason
    d = zw.contact_step_derivatives(robot, None, motion.q[-1], motion.v[-1], scene=scene)
    assert d.status == "not_differentiable"
    with pytest.raises(RuntimeError, match="no derivatives: an impact"):
        d.vjp(v=robot.zero())
    rows = zw.ConstraintSet(robot)
    rows.add_frame("held", frame="trunk", rows="linear")
    with pytest.raises(zw.UnsupportedError, match="stabilisation"):
        zw.contact_step_derivatives(robot, rows, q, scene=scene)
    with pytest.raises(ValueError, match="torques"):
        zw.ContactRollout(robot, None, q, None, np.zeros((3, 2)), scene=scene)
    with pytest.raises(ValueError, match="expected one"):
        zw.contact_step_derivatives(robot, None, np.stack([q, q]), scene=scene)


class Clears(list):
    """A list that empties a set of constraints when it is read."""

    def __init__(self, entries, rows):
        super().__init__(entries)
        self.rows = rows

    def __iter__(self):
        self.rows.clear()
        return super().__iter__()


def test_rows_are_those_that_the_call_was_given():
    """What changes a set while its arguments are read changes nothing of the call; threads may do so, too."""
    robot = zw.ModelBuilder("slide").add_link("base").add_link("block", mass=1, inertia=0.01 * np.eye(3)).add_joint(
        "j", "prismatic", "base", "block", axis=(1, 0, 0)).build()

    def rope():
        rows = zw.ConstraintSet(robot)
        rows.add_distance("rope", ("base", "block"), length=0.1, sense="at_most")
        return rows
    q, v, tau = np.array([0.1]), np.zeros(1), np.array([2.0])
    contacts = zw.simulate(robot, rope(), q, v, tau, time=0.01, integrator="contact").contacts[-1]
    assert [x.name_b for x in contacts] == ["rope:distance"]
    given = {"keep": "stabilisation", "contacts": contacts}
    whole = zw.contact_step_derivatives(robot, rope(), q, v, tau, **given)
    assert "rope:distance" in whole.reason and not whole.is_free  # rows with a sense have no derivatives, but a step
    rows = rope()
    found = zw.contact_step_derivatives(robot, rows, q, v, tau, keep="stabilisation", contacts=Clears(contacts, rows))
    assert len(rows) == 0 and np.array_equal(found.v, whole.v) and found.reason == whole.reason
    rows = rope()
    moved = zw.ContactRollout(robot, rows, q, v, [tau], keep="stabilisation", contacts=Clears(contacts, rows))
    assert len(rows) == 0 and "rope:distance" in moved.reason
    event = {"name": "touches", "when": {"touch": "rope"}}
    rows = rope()
    t = zw.simulate(robot, rows, q, v, tau, time=0.01, integrator="contact", events=Clears([event], rows))
    assert len(rows) == 0 and [x.name_b for x in t.contacts[-1]] == ["rope:distance"]


def test_two_threads_may_use_one_rollout():
    """Python turns to the other thread while it makes the results: in a process of its own, since two threads that wait for each other
    never end."""
    program = """
import sys, threading
import numpy as np, zwang as zw
sys.setswitchinterval(1e-6)
m = zw.sample("arm7")
rollout = zw.ContactRollout(m, None, np.zeros(m.nv), None, np.zeros((3, m.nv)), dt=0.001)
ones = np.ones((4, m.nv))
threads = [threading.Thread(target=lambda: [rollout.vjp(q=ones) for _ in range(3000)]) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
"""
    subprocess.run([sys.executable, "-c", program], check=True)
