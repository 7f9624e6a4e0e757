# SPDX-License-Identifier: BSD-3-Clause
"""What a motion says of itself: torques of motors beside dry friction, and notes of what moves the robot without a force."""
import numpy as np
import pytest
import zwang as zw

FRICTION = zw.JointEffects(friction=True)


def slide(**joint):
    b = zw.ModelBuilder("slide").add_link("base").add_link("block", mass=1, inertia=1e-3 * np.eye(3))
    b.add_joint("j", "prismatic", "base", "block", axis=(1, 0, 0), **joint)
    return b.build()


@pytest.mark.parametrize("integrator", ["dormand_prince", "rk4", "half_explicit", "semi_implicit"])
def test_motors_overcome_the_friction_that_slides(integrator):
    def torque(v, tau=None, **given):
        t = zw.simulate(slide(friction=1.0), None, [0.0], [v], tau, time=0.1, joint_effects=FRICTION, integrator=integrator, **given)
        assert t.status == "ok"
        return t.motor_torque.ravel()

    assert np.allclose(torque(1.0), 0, atol=1e-12)  # nobody drives it
    assert np.allclose(torque(0.0, [3.0]), 3, atol=1e-12)
    assert np.allclose(torque(0.3, prescribed={"j": 0.5}), 1.5, atol=1e-12)  # m a + c
    assert np.allclose(torque(-0.3, prescribed={"j": -0.5}), -1.5, atol=1e-12)


def test_friction_at_rest_of_a_robot_without_inertia_along_a_motion_is_not_ok():
    b = zw.ModelBuilder("plane").add_link("base").add_link("i").add_link("h").add_link("l", mass=1, inertia=0.1 * np.eye(3))
    for name, parent, child, axis in ("p", "base", "i", (1, 0, 0)), ("q", "i", "h", (0, 1, 0)), ("r", "h", "l", (0.02, -1, 0)):
        b.add_joint(name, "prismatic", parent, child, axis=axis, friction=1.0)
    status = np.zeros(1, np.uint8)
    zw.forward_dynamics(b.build(gravity=(0, 0, 0)), np.zeros((1, 3)), np.zeros((1, 3)), np.array([[6.0, 1, 6]]), joint_effects=FRICTION, status=status)
    assert status[0] != zw.Status.ok
    with pytest.raises(ValueError, match="which drives"):
        zw.simulate(slide(friction=-1.0), None, [0.0], [1.0], joint_effects=FRICTION)


def noted(t, words):
    return t.status == "ok" and sum(words in n for n in t.notes) == 1


def test_notes_name_what_projections_hide():
    m = slide()
    row = zw.ConstraintSet(m)
    row.add_joint("s", target=[5.0])
    row["s"].active = False
    on = [{"name": "on", "when": lambda t, q, v: t - 0.5, "crossing": "rising", "on": "s"}]
    assert noted(zw.simulate(m, row, [0.0], [1.0], time=1, events=on), "is switched on where it does not hold")
    row = zw.ConstraintSet(m)
    row.add_joint("s", target=[0.0])
    moves = {"target": np.sin, "target_velocity": np.cos, "beta": lambda t: -np.sin(t)}
    for words in ["target"], ["target", "target_velocity", "beta"]:
        t = zw.simulate(m, row, [0.0], [1.0 * (len(words) > 1)], time=0.5, targets=lambda t: {"s": {w: [moves[w](t)] for w in words}})
        assert noted(t, "the target of 's:j' moves by") == (len(words) == 1), t.notes
    assert noted(zw.simulate(m, row, [0.0], [1.0], time=0.1), "velocities at the start are changed by up to 1,")
    assert noted(zw.simulate(slide(stiffness=2e9), None, [1e-3], time=0.1), "the error of one part of a step is up to")


def test_energy_drifts_where_nothing_works_only():
    m = slide()
    assert zw.simulate(m, None, [0.0], [1.0], time=0.1).energy_drift == 0
    for held in {"role": "driver"}, {"time_constant": 0.1}:
        row = zw.ConstraintSet(m)
        row.add_joint("s", target=[1.0], **held)
        assert np.isnan(zw.simulate(m, row, [0.0], time=0.1).energy_drift)


def test_what_an_event_switches_off_takes_no_part_in_its_impulse():
    m = slide()
    rows = zw.ConstraintSet(m)
    rows.add_joint("a")
    rows.add_joint("b", target_velocity=[1.0])
    rows["b"].active = False
    event = {"name": "x", "when": lambda t, q, v: t - 0.5, "crossing": "rising", "off": "a", "on": "b"}
    t = zw.simulate(m, rows, [0.0], time=1, events=[event])
    assert t.status == "ok" and abs(t.q[-1, 0] - 0.5) < 1e-9 and abs(t.v[-1, 0] - 1) < 1e-12


def test_a_loop_that_the_set_leaves_out_is_named():
    five = zw.load("models/five_bar.urdf", loops=True)
    closed = zw.ConstraintSet(five)
    closed.add_loops()
    assert "loops of 1 joint (add_loops()" in zw.simulate(five, None, five.neutral(), time=0.01).notes[0]
    assert "loops of" not in zw.simulate(five, closed, five.neutral(), time=0.01).notes[0]
