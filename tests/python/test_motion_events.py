# SPDX-License-Identifier: BSD-3-Clause
"""simulate: what bounces and what holds, feet that land again, friction of joints, notes."""
import pathlib

import numpy as np
import pytest

import zwang as zw

MODELS = pathlib.Path(__file__).parents[2] / "models"


def ball():
    m = zw.loads("""<robot name="ball"><link name="ball"><inertial><mass value="1"/>
      <inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>""", root="floating")
    floor = zw.ConstraintSet(m)
    floor.add_contact("floor", frame="ball", point=[0, 0, -0.1], normal=[0, 0, 1], rows=1)
    floor["floor"].active = False
    q = m.neutral()
    q[2] = 1.1
    return m, floor, q


HEIGHT = {"frame": "ball", "point": [0, 0, -0.1]}


def test_a_row_that_is_switched_on_does_not_rebound():
    m, floor, q = ball()
    for event in ({"on": "floor", "restitution": {"floor": 0.8}}, {"on": "floor", "bounce": "floor"},
                  {"on": "floor", "bounce": "floor", "restitution": {"floor": 0.3}}):
        with pytest.raises(ValueError, match="floor.*bounce"):
            zw.simulate(m, floor, q, time=1, events=[{"name": "hit", "when": HEIGHT, **event}])


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("height", [0.3, 1.1, 4.0])
def test_two_events_on_one_trigger_make_no_energy(first, height):
    m, floor, q = ball()
    q[2] = height
    events = [{"name": "hit", "when": HEIGHT, "bounce": "floor", "restitution": {"floor": 0.8}},
              {"name": "rest", "when": HEIGHT, "on": "floor"}]
    t = zw.simulate(m, floor, q, time=3, integrator="rk4", events=events[::1 - 2 * first])
    assert t.status == zw.Status.ok
    assert abs(t.q[-1, 2] - 0.1) < 1e-9
    assert (np.diff(t.energy) < 1e-9).all()


def test_a_row_with_a_sense_in_the_air_is_refused():
    m, _, q = ball()
    v = np.array([0, 0, 5.0, 0, 0, 0])
    bare = zw.ConstraintSet(m)
    bare.add_contact("floor", frame="ball", point=[0, 0, -0.1], normal=[0, 0, 1], rows=1, sense="at_least")
    with pytest.raises(ValueError, match="floor.*in the air.*target_point.*time_constant"):
        zw.simulate(m, bare, q, v, time=3)
    with pytest.raises(ValueError, match="floor.*in the air"):
        zw.Solver(m, bare).rollout(q, v, steps=10, dt=1e-3)
    ahead = zw.ConstraintSet(m)
    ahead.add_contact("floor", frame="ball", point=[0, 0, -0.1], normal=[0, 0, 1], rows=1, sense="at_least",
                      target_point=[0, 0, 0], time_constant=0.01)
    t = zw.simulate(m, ahead, q, v, time=3, integrator="rk4")
    assert t.status == zw.Status.ok and abs(t.q[-1, 2] - 0.1) < 1e-4
    assert abs(t.q[:, 2].max() - (1.1 + 25 / (2 * 9.81))) < 1e-5


@pytest.mark.parametrize("turn", [(0.1, 0.2), (0.0, 0.0), (-0.3, 0.1), (0.25, -0.15)])
def test_no_foot_falls_through_the_floor(turn):
    robot = zw.load(MODELS / "quadruped.urdf", root="floating")
    names = ["LF", "RF", "LH", "RH"]
    feet = zw.ConstraintSet(robot)
    for n in names:
        feet.add_contact(n, frame=n + "_foot", normal=[0, 0, 1])
        feet[n].active = False
    q = robot.neutral()
    q[2] = 0.3 - zw.frame_pose(robot, q, "LF_foot")[2, 3]
    q[7:] = np.tile([0.1, 0.5, -0.9], 4)
    q = zw.integrate(robot, q, np.r_[0, 0, 0, turn[0], turn[1], 0, np.zeros(12)])
    events = []
    for n in names:
        events.append({"name": n + " lands", "when": {"frame": n + "_foot"}, "on": [n]})
        events.append({"name": n + " lifts", "when": {"multiplier": n + ":normal"}, "off": [n]})
    t = zw.simulate(robot, feet, q, time=1, events=events, integrator="rk4", keep="projection")
    lowest = min(zw.frame_pose(robot, x, n + "_foot")[2, 3] for x in t.q for n in names)
    assert len(t.events) > 4
    assert lowest > -1e-3, (lowest, t.status, t.reason)


def slider(friction, axis=(1, 0, 0)):
    b = zw.ModelBuilder("s").add_link("b").add_link("a", 1.0, (0, 0, 0), 0.01 * np.eye(3))
    return b.add_joint("j", "prismatic", "b", "a", axis=axis, friction=friction).build()


ON = zw.JointEffects(friction=True)


def test_friction_at_rest_holds():
    m = slider(2.0)
    for tau in (0.0, 0.5, -1.9, 2.0):
        assert zw.forward_dynamics(m, [0.0], [0.0], [tau], joint_effects=ON)[0] == 0
    assert abs(zw.forward_dynamics(m, [0.0], [0.0], [5.0], joint_effects=ON)[0] - 3) < 1e-12
    a = zw.forward_dynamics(m, np.zeros((3, 1)), np.array([[0.0], [1.0], [0.0]]), np.array([[1.0], [1.0], [-4.0]]),
                            joint_effects=ON)
    assert np.allclose(a.ravel(), [0, -1, -2], atol=1e-12, rtol=0)
    with pytest.raises(ValueError, match="'j' is at rest"):
        zw.forward_dynamics_derivatives(m, [0.0], [0.0], [0.0], joint_effects=ON)
    solver = zw.Solver(m, zw.ConstraintSet(m), joint_effects=ON)
    with pytest.raises(ValueError, match="'j' is at rest.*limit"):
        solver.solve([0.0], [0.0])
    with pytest.raises(ValueError, match="friction.*simulate"):
        solver.rollout([0.0], [1.0], steps=3, dt=1e-3)
    row = zw.ConstraintSet(m)
    row.add_joint("rub", coordinates=["j"], limit=2.0)
    assert abs(zw.Solver(m, row).solve([0.0], [0.0], [0.5]).acceleration[0]) < 1e-15


def test_a_motion_with_friction_stops_and_sticks():
    m = slider(4.0, (np.cos(0.2), 0, -np.sin(0.2)))
    t = zw.simulate(m, None, [0.0], [0.0], time=1, joint_effects=ON)
    assert abs(t.q[-1, 0]) < 1e-15 and (t.v == 0).all()  # q: rounding of accelerations that cancel
    for integrator in ("semi_implicit", "rk4", "half_explicit"):
        t = zw.simulate(m, None, [0.0], [-3.0], time=2, integrator=integrator, joint_effects=ON)
        assert t.status == zw.Status.ok and (t.v[-500:] == 0).all()
        exact = 4.5 / (9.81 * np.sin(0.2) + 4)
        assert abs(-t.q[-1, 0] - exact) < (2e-3 if integrator == "semi_implicit" else 1e-9)
    with pytest.raises(ValueError, match="variational"):
        zw.simulate(m, None, [0.0], [-3.0], time=2, integrator="variational", joint_effects=ON)


def limited():
    return zw.loads("""<robot name="l"><link name="base"/><link name="box"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="rail" type="prismatic"><parent link="base"/><child link="box"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics friction="3"/></joint></robot>""")


def test_one_note_names_what_a_motion_leaves_out():
    m = limited()
    note, = zw.simulate(m, None, [0.0], time=0.01).notes
    for word in ("limits of 1 joint", "add_joint_limits", "friction", "effort", "motor_limits", "speed"):
        assert word in note
    kept = zw.ConstraintSet(m)
    kept.add_joint_limits(time_constant=0.05)
    note, = zw.simulate(m, kept, [0.0], time=0.01, joint_effects=ON).notes
    assert "limits of" not in note.replace("motor_limits", "") and "friction" not in note and "effort" in note
    arm = zw.load(MODELS / "arm7.urdf")
    note, = zw.simulate(arm, None, arm.neutral(), time=0.01).notes
    assert "limits of 7 joints" in note
    assert zw.simulate(*ball()[:1], None, ball()[2], time=0.01).notes == []


def test_many_motions_count_their_notes():
    m, floor, q = ball()
    floor["floor"].active = True
    many = np.tile(q, (5, 1))
    v = np.zeros((5, 6))
    v[1:4, 2] = [0.1, -0.2, 0.3]
    t = zw.simulate(m, floor, many, v, time=0.01)
    assert t.notes == [n for n in t.notes if "floor" in n and "3 of 5 motions" in n] and len(t.notes) == 1
    one = zw.simulate(m, floor, q, v[1], time=0.01)
    assert len(one.notes) == 1 and "floor" in one.notes[0] and "0.1" in one.notes[0]
