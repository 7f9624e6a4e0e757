# SPDX-License-Identifier: BSD-3-Clause
"""Models built in code, and models made from models."""
import pickle

import numpy as np
import pytest
import zwang as zw
from conftest import State, close, load_project

TEXT = """<robot name="two">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0 0.02"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="-0.002" iyz="0.0005"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0.1 0"/><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.012" izz="0.015" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="finger"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" velocity="3" effort="40"/><dynamics damping="0.3" friction="0.2"/></joint>
  <joint name="screw" type="helical" pitch="0.02"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0"/>
    <axis xyz="1 0 0"/></joint>
  <joint name="grip" type="prismatic"><parent link="lower"/><child link="finger"/><origin xyz="0 0.2 0"/><axis xyz="0 0 1"/>
    <limit lower="-9" upper="9" velocity="1" effort="5"/><mimic joint="screw" multiplier="-0.5" offset="0.1"/></joint>
</robot>"""


def at(x=0.0, y=0.0, z=0.0, turned=0.0):
    T = np.eye(4)
    c, s = np.cos(turned), np.sin(turned)
    T[:2, :2] = [[c, -s], [s, c]]
    T[:3, 3] = x, y, z
    return T


def two():
    b = zw.ModelBuilder("two")
    b.add_link("base")
    b.add_link("upper", 2, (0.1, 0, 0.02), [[0.02, 0.001, -0.002], [0.001, 0.03, 0.0005], [-0.002, 0.0005, 0.025]])
    b.add_link("lower", mass=1.5, centre=(0, 0.1, 0), inertia=np.diag([0.01, 0.012, 0.015]))
    b.add_link("finger", 0.1, inertia=1e-4 * np.eye(3))
    b.add_joint("shoulder", "revolute", "base", "upper", at(z=0.3), (0, 1, 0), lower=-1, upper=2, velocity=3, effort=40,
                damping=0.3, friction=0.2)
    b.add_joint("screw", "helical", "upper", "lower", at(x=0.4), axis=(1, 0, 0), parameters=0.02)
    return b.add_joint("grip", "prismatic", "lower", "finger", at(y=0.2), (0, 0, 1), lower=-9, upper=9, velocity=1, effort=5,
                       mimic=("screw", -0.5, 0.1))


def test_a_robot_built_in_code_is_the_one_of_the_file_to_the_last_bit():
    for root in ("fixed", "floating"):
        built, read = two().build(root=root), zw.loads(TEXT, root=root)
        s = State(read)
        assert built.name == "two" and built.frame_names == read.frame_names and built.names == read.names
        for got, expected in zip(built.limits, read.limits):
            assert np.array_equal(got, expected, equal_nan=True)
        assert np.array_equal(zw.mass_matrix(built, s.q), zw.mass_matrix(read, s.q))
        assert np.array_equal(zw.inverse_dynamics(built, s.q, s.v, s.a), zw.inverse_dynamics(read, s.q, s.v, s.a))
        assert built.joint("grip").mimic == ("screw", -0.5, 0.1) and list(built.joint("screw").parameters) == [0.02]
    assert "4 links, 3 joints" in repr(two())


def test_a_robot_can_be_rebuilt_from_what_its_joints_and_links_say():
    for name, root in (("arm7", "fixed"), ("quadruped", "floating")):  # no mimics, whose dampers are those of the group
        model = load_project(name, "fixed")
        b = zw.ModelBuilder(model.name)
        for link in model.links:
            b.add_link(link.name, link.mass, link.centre, link.inertia)
        for j in model.joints:
            moves = {} if j.type == "fixed" else dict(
                lower=j.lower, upper=j.upper, velocity=j.velocity_limit, effort=j.effort_limit, damping=j.damping,
                friction=j.friction, rotor_inertia=j.rotor_inertia, gear_ratio=j.gear_ratio, stiffness=j.stiffness,
                spring_reference=j.spring_reference, actuated=j.actuated)
            b.add_joint(j.name, j.type, j.parent, j.child, j.origin, j.axis, parameters=j.parameters, mimic=j.mimic, **moves)
        again, model = b.build(root=root), load_project(name, root)
        s = State(model)
        assert again.names == model.names and np.array_equal(again.armature, model.armature)
        assert np.array_equal(zw.mass_matrix(again, s.q), zw.mass_matrix(model, s.q))
        assert np.array_equal(zw.bias_forces(again, s.q, s.v), zw.bias_forces(model, s.q, s.v))


def test_a_joint_may_stand_off_the_frame_of_its_child_link():
    cycle = np.eye(4)[[2, 0, 1, 3]]  # x to y, y to z, z to x
    origin, on_child = at(0.3, -0.2, 0.5, turned=0.4) @ cycle, cycle @ at(0.1, 0.7, -0.4, turned=-1.1)
    arm = zw.ModelBuilder("arm").add_link("base").add_link("bar", 2.0, (0.1, 0, 0.3), np.diag([0.1, 0.2, 0.25]))
    model = arm.add_joint("hinge", "revolute", "base", "bar", origin, (0, 0, 1), child_origin=on_child).build()
    assert np.array_equal(model.joint("hinge").child_origin, on_child)
    expected = origin @ at(turned=0.7) @ np.linalg.inv(on_child)
    assert np.allclose(zw.frame_pose(model, [0.7], "bar"), expected, rtol=0, atol=16 * np.finfo(float).eps)
    with pytest.raises(ValueError, match="child_origin"):
        arm.add_joint("other", "revolute", "base", "bar", child_origin=np.eye(3))


def test_springs_rotors_and_composite_joints():
    b = zw.ModelBuilder().add_link("base").add_link("body", 2, inertia=0.1 * np.eye(3))
    b.add_joint("both", "composite", "base", "body", stiffness=3.0, spring_reference=[0.1, 0.2], rotor_inertia=0.01,
                gear_ratio=[2, 3], parts=[{"type": "prismatic", "axis": (1, 0, 0)},
                                          {"type": "revolute", "origin": at(z=0.5), "axis": (0, 0, 1)}])
    model = b.build(gravity=(0, 0, 0))
    assert model.nv == 2
    close(zw.mass_matrix(model, [0.3, 0.4]), np.diag([2 + 0.04, 0.1 + 0.09]))
    close(zw.bias_forces(model, [0.3, 0.4], [0, 0]), np.array([0.6, 0.6]))
    j = model.joint("both")
    assert list(j.stiffness) == [3, 3] and list(j.gear_ratio) == [2, 3] and list(j.spring_reference) == [0.1, 0.2]


def test_a_four_bar_built_in_code_closes():
    # A parallelogram: crank and rocker of length 1 stand up, the rod of length 2 lies on them. The loop is at the rocker's end.
    def bar(length):
        return dict(mass=1, centre=(length / 2, 0, 0), inertia=np.diag([0.001, length**2 / 12, length**2 / 12]))

    b = zw.ModelBuilder("four").add_link("ground").add_link("crank", **bar(1)).add_link("rod", **bar(2))
    b.add_link("rocker", 1, (-0.5, 0, 0), np.diag([0.001, 1 / 12, 1 / 12]))  # its frame is at the upper end
    b.add_joint("a", "continuous", "ground", "crank", at(turned=np.pi / 2))
    b.add_joint("b", "continuous", "crank", "rod", at(1, turned=-np.pi / 2))
    b.add_joint("c", "continuous", "rod", "rocker", at(2, turned=np.pi / 2))
    b.add_link("foot").add_joint("foot_mount", "fixed", "rocker", "foot", at(-1))
    b.add_loop("d", "revolute", "ground", "foot", at(2, turned=np.pi / 2))
    for loops in ("refuse", "constraints"):
        model = b.build(gravity=(0, 0, 0), loops=loops)
        assert model.nv == 3 and [x.name for x in model.loops] == ["d"]
        assert [x.name for x in pickle.loads(pickle.dumps(model)).loops] == ["d"]
    q, v = model.zero(), model.zero()
    close(zw.frame_pose(model, q, "d_predecessor"), zw.frame_pose(model, q, "d_successor"))
    constraints = zw.ConstraintSet(model)
    constraints.add_loops()
    solution = zw.Solver(model, constraints).solve(q, v, {"a": 1.0})
    # Crank and rocker turn alike (1/3 each) and carry the rod (1) round a circle of radius 1; the rod itself does not turn.
    acceleration = 1 / (1 / 3 + 1 / 3 + 1)
    close(solution.acceleration, acceleration * np.array([1, -1, 1]))
    # The loop on another link, which is merged: its frames stay where they are, and so does what it does.
    b.add_link("post").add_joint("post_mount", "fixed", "ground", "post", at(0.5)).add_link("end", 0.1, inertia=0.01 * np.eye(3))
    b.add_joint("end_mount", "fixed", "rod", "end", at(0.3)).add_loop("e", "revolute", "post", "foot", at(1.5, turned=np.pi / 2))
    model = b.build(gravity=(0, -9.81, 0))
    merged = zw.merge_fixed(model)
    assert merged.link_names == ["ground", "crank", "rod", "rocker", "foot"] and merged.loops[1].parent == "ground"
    results = []
    for m in (model, merged):
        constraints = zw.ConstraintSet(m)
        constraints.add_loops()
        results.append(zw.Solver(m, constraints).solve(q, [0.1, -0.1, 0.1], {"a": 1.0}).acceleration)
    close(results[1], results[0])
    assert set(model.frame_names) == set(merged.frame_names)
    for frame in model.frame_names:
        close(zw.frame_pose(merged, [0.1, 0.2, 0.3], frame), zw.frame_pose(model, [0.1, 0.2, 0.3], frame))


def test_a_builder_continues_a_model():
    arm = load_project("arm7", "fixed")
    more = zw.ModelBuilder(arm).add_link("cup", 0.3, inertia=1e-3 * np.eye(3))
    more.add_joint("hold", "fixed", arm.link_names[-1], "cup")
    model = more.build()
    close(model.mass, arm.mass + 0.3)
    assert np.array_equal(model.gravity, arm.gravity) and model.names == arm.names
    assert more.build(root="floating").nv == arm.nv + 6


def test_locked_kept_and_merged_joints():
    arm = load_project("arm7", "fixed")
    s = State(arm)
    names = arm.names
    locked = zw.lock_joints(arm, names[2:4], s.q)
    free = [k for k in range(arm.nv) if k not in (2, 3)]
    M = zw.mass_matrix(arm, s.q)
    close(zw.mass_matrix(locked, s.q[arm.layout(locked.names).q]), M[np.ix_(free, free)])
    kept = zw.keep_joints(arm, locked.names, dict(zip(names, s.q)))
    assert kept.names == locked.names and zw.lock_joints(arm, names[0], s.q).names == names[1:]
    merged = zw.merge_fixed(locked)
    assert "fixed" not in merged.joint_types and set(arm.frame_names) <= set(merged.frame_names)
    close(zw.mass_matrix(merged, s.q[free]), M[np.ix_(free, free)])
    dog = load_project("quadruped", "floating")
    q = dog.random(3)
    standing = zw.lock_joints(dog, "root_joint", q)
    assert standing.nv == dog.nv - 6 and standing.joint("root_joint").parent == "world"
    foot = dog.frame_names[-1]
    close(zw.frame_pose(standing, q[7:], foot), zw.frame_pose(dog, q, foot))


def test_robots_are_put_together_and_taken_apart():
    arm, hand = load_project("arm7", "fixed"), two().build()
    both = zw.append(arm, hand, at="tool0", pose=at(z=0.1), prefix="hand_")
    s = State(both)
    close(both.mass, arm.mass + hand.mass)
    q1, q2 = s.q[both.layout(arm.names).q], s.q[both.layout(["hand_" + n for n in hand.names]).q]
    close(zw.frame_pose(both, s.q, "hand_finger"),
          zw.frame_pose(arm, q1, "tool0") @ at(z=0.1) @ zw.frame_pose(hand, q2, "finger"))
    assert both.joint("hand_grip").mimic == ("hand_screw", -0.5, 0.1)
    part, rest = zw.subtree(both, "hand_base"), zw.remove_subtree(both, "hand_base")
    assert rest.names == arm.names and np.array_equal(zw.mass_matrix(rest, q1), zw.mass_matrix(arm, q1))
    close(zw.mass_matrix(part, q2), zw.mass_matrix(hand, q2))
    free = zw.remove_mimic(hand, "grip")
    assert free.nv == 3
    assert np.array_equal(zw.mass_matrix(zw.add_mimic(free, "grip", "screw", -0.5, 0.1), q2), zw.mass_matrix(hand, q2))


def test_another_root():
    arm = load_project("arm7", "fixed")
    turned = zw.re_root(arm, "tool0")
    assert set(turned.names) == set(arm.names) and turned.link("tool0").parent is None
    q = arm.random(2)
    x = turned.neutral()
    x[turned.layout(arm.names).q] = q
    base = arm.link_names[0]
    close(zw.frame_pose(turned, x, base) @ zw.frame_pose(arm, q, "tool0"), zw.frame_pose(arm, q, base))


def test_refusals_say_what_is_wrong():
    arm, b = load_project("arm7", "fixed"), two()
    q = arm.neutral()
    for match, call in (
            (arm.names[1], lambda: zw.lock_joints(arm, [arm.names[1] + "x"], q)),
            ("argument 'q'", lambda: zw.lock_joints(arm, [], q[:3])),
            ("several states", lambda: zw.keep_joints(arm, [], np.stack([q, q]))),
            ("argument 'joints'", lambda: zw.lock_joints(arm, [3], q)),
            ("prefix", lambda: zw.append(arm, arm, at="tool0")),
            ("tool0", lambda: zw.append(arm, arm, at="tool")),
            ("4 x 4 pose", lambda: zw.append(arm, arm, at="tool0", pose=2 * np.ones((4, 4)))),
            ("E_MIMIC", lambda: zw.remove_mimic(arm, arm.names[0])),
            ("root link", lambda: zw.remove_subtree(arm, arm.link_names[0])),
            ("argument 'inertia' is not symmetric", lambda: b.add_link("x", inertia=np.triu(np.ones((3, 3))))),
            ("did you mean 'axis'", lambda: b.add_joint("x", "composite", "base", "upper", parts=[{"axes": (1, 0, 0)}])),
            ("leader, multiplier, offset", lambda: b.add_joint("x", "revolute", "base", "upper", mimic=3)),
            ("argument 'damping'", lambda: b.add_joint("x", "revolute", "base", "upper", damping="much")),
            ("argument 'mode'", lambda: b.build(mode="strickt")),
            ("argument 'loops'", lambda: b.build(loops=True)),
            ("E_LINK.*'lower'", lambda: two().add_joint("x", "fixed", "lover", "base").build()),
            ("E_JOINT_TYPE", lambda: two().add_link("x").add_joint("x", "revolut", "lower", "x").build()),
            ("E_DUPLICATE", lambda: two().add_link("base").build()),
            ("E_TWO_PARENTS", lambda: two().add_joint("x", "revolute", "base", "lower").build()),
    ):
        with pytest.raises(ValueError, match=match):
            call()
    assert len(two().add_joint("x", "revolute", "base", "lower").build(loops="constraints").loops) == 1


def one_joint(**words):
    b = zw.ModelBuilder().add_link("a").add_link("b", 1, inertia=np.eye(3))
    return b.add_joint("j", words.pop("type", "revolute"), "a", "b", **words).build().joint("j")


def test_numbers_of_a_joint_may_be_scalars_of_numpy():
    for one in (np.float32(-1), np.int64(-1), np.array(-1.0), -1, [-1]):
        assert one_joint(lower=one).lower == -1


@pytest.mark.parametrize("words, message", [
    ({"lower": (x for x in [1])}, "'lower' is of type generator"), ({"upper": "1"}, "'upper' is of type str"),
    ({"effort": 10**400}, "'effort' is beyond the range"), ({"damping": [[1.0]]}, "'damping' is of several rows"),
    ({"parts": 3}, "'parts' is of type int"), ({"parts": {"type": "revolute"}}, "'parts' is of type dict"),
])
def test_numbers_of_a_joint_that_are_none(words, message):
    with pytest.raises(ValueError, match=message):
        one_joint(**words)


def test_what_has_no_meaning_is_refused():
    for words, code in (({"parts": [{"type": "revolute"}]}, "E_PARAMETERS"), ({"rotor_inertia": 1, "gear_ratio": 1e200}, "E_NUMBER")):
        with pytest.raises(zw.ModelError, match=code):
            one_joint(**words)
    model = two().build()
    with pytest.raises(ValueError, match="'joints' is of type int"):
        zw.lock_joints(model, 3, model.neutral())


def test_with_parameters_gives_a_model_with_other_numbers():
    arm = load_project("arm7", "fixed")
    link, joint = arm.links[-2].name, arm.names[2]
    tensor = np.array([[0.2, 0.01, 0], [0.01, 0.3, 0], [0, 0, 0.25]])
    other = zw.with_parameters(
        arm, links={link: {"mass": 3, "centre": (0.1, 0, 0.2), "inertia": tensor}},
        joints={joint: {"damping": 0.4, "lower": -1, "upper": [np.inf], "armature": 0.05}, arm.names[0]: {"effort": 7, "velocity": None}})
    old, new = arm.link(link), other.link(link)
    assert new.mass == 3 and np.array_equal(new.centre, (0.1, 0, 0.2)) and np.array_equal(new.inertia, tensor)
    assert abs(other.mass - arm.mass - (3 - old.mass)) < 1e-14 * arm.mass and arm.link(link).mass == old.mass
    j = other.joint(joint)
    assert (j.damping[0], j.lower[0], j.upper[0], j.armature[0]) == (0.4, -1, np.inf, 0.05)
    assert other.effort_limit[0] == 7 and np.isnan(other.velocity_limit[0]) and other.names == arm.names
    q, v, a = arm.random(1), np.linspace(0.2, 0.9, 7), np.linspace(-1, 1, 7)
    damped = zw.with_parameters(arm, joints={joint: {"damping": 2.0}})
    change = zw.inverse_dynamics(damped, q, v, a) - zw.inverse_dynamics(arm, q, v, a)
    expected = np.zeros(7)
    expected[2] = (2.0 - arm.joint(joint).damping[0]) * v[2]
    assert np.allclose(change, expected, atol=1e-12)
    assert zw.with_parameters(arm) == arm and zw.with_parameters(other, links={link: {"mass": old.mass}}).link(link).mass == old.mass
    for match, call in (
            ("did you mean 'mass'", lambda: zw.with_parameters(arm, links={link: {"mas": 1}})),
            ("did you mean 'damping'", lambda: zw.with_parameters(arm, joints={joint: {"dampin": 1}})),
            (joint, lambda: zw.with_parameters(arm, joints={joint + "x": {}})),
            (link, lambda: zw.with_parameters(arm, links={link + "x": {}})),
            ("argument 'links'", lambda: zw.with_parameters(arm, links=[link])),
            ("argument 'joints'", lambda: zw.with_parameters(arm, joints={joint: 3})),
            ("argument 'mass'", lambda: zw.with_parameters(arm, links={link: {"mass": [1, 2]}})),
            ("argument 'damping'", lambda: zw.with_parameters(arm, joints={joint: {"damping": "much"}})),
            ("not symmetric", lambda: zw.with_parameters(arm, links={link: {"inertia": np.triu(np.ones((3, 3)))}})),
            ("E_INERTIA", lambda: zw.with_parameters(arm, links={link: {"mass": -1}})),
            ("E_LIMIT", lambda: zw.with_parameters(arm, joints={joint: {"lower": 2, "upper": 1}})),
            ("E_NUMBER", lambda: zw.with_parameters(arm, joints={joint: {"damping": np.nan}}))):
        with pytest.raises((ValueError, zw.ModelError), match=match):
            call()


def test_edits_of_one_link_or_joint_are_with_parameters_of_it():
    arm = load_project("arm7", "fixed")
    link, joint = arm.links[-2].name, arm.names[2]
    tensor = np.array([[0.2, 0.01, 0], [0.01, 0.3, 0], [0, 0, 0.25]])
    of_link = {"mass": 3, "centre": (0.1, 0, 0.2), "inertia": tensor, "gravity_scale": 0.5}
    old = arm.link(link)
    heavy = zw.with_link(arm, link, **of_link)
    assert heavy == zw.with_parameters(arm, links={link: of_link}) != arm
    assert zw.with_link(heavy, link, mass=old.mass, centre=old.centre, inertia=old.inertia, gravity_scale=1) == arm == zw.with_link(arm, link)
    origin = arm.joint(joint).origin.copy()
    origin[:3, 3] += (0.1, 0.2, 0.3)
    of_joint = {"lower": -1, "upper": [1.5], "velocity": 3, "effort": 9, "damping": 0.4, "friction": 0.1, "stiffness": 5, "spring_reference": 0.2,
                "armature": 0.05, "origin": origin}
    other = zw.with_joint(arm, joint, **of_joint)
    assert other == zw.with_parameters(arm, joints={joint: of_joint})
    assert np.array_equal(other.joint(joint).origin, origin) and other.joint(joint).armature[0] == 0.05
    assert zw.with_joint(arm, joint, rotor_inertia=0.02, gear_ratio=5).joint(joint).armature[0] == 0.02 * 25
    q = arm.random(3)
    moved = zw.frame_pose(arm, q, joint)
    parent = zw.frame_pose(arm, q, arm.joint(joint).parent)
    moved[:3, 3] += parent[:3, :3] @ (0.1, 0.2, 0.3)
    assert np.allclose(zw.frame_pose(other, q, joint), moved, atol=1e-14)
    fixed = next(j for j in arm.joints if j.type == "fixed")
    assert np.array_equal(zw.with_joint(arm, fixed.name, origin=[0, 0, 1]).joint(fixed.name).origin[:3, 3], (0, 0, 1))
    moon = zw.with_gravity(arm, (0, 0, -1.62))
    assert np.array_equal(moon.gravity, (0, 0, -1.62)) and zw.with_gravity(moon, arm.gravity) == arm
    assert np.array_equal(zw.gravity_forces(moon, q), zw.gravity_forces(arm, q, gravity=(0, 0, -1.62)))
    for match, call in (
            ("did you mean", lambda: zw.with_link(arm, link + "x", mass=1)),
            ("did you mean", lambda: zw.with_joint(arm, joint + "x")),
            ("with_link: argument 'mass'", lambda: zw.with_link(arm, link, mass="much")),
            ("with_link: argument 'centre'", lambda: zw.with_link(arm, link, centre=[1, 2])),
            ("with_joint: argument 'origin'", lambda: zw.with_joint(arm, joint, origin=np.full((4, 4), np.nan))),
            ("with_joint: argument 'origin'", lambda: zw.with_joint(arm, joint, origin=2 * np.eye(4))),
            ("with_joint: argument 'damping'", lambda: zw.with_joint(arm, joint, damping="much")),
            ("E_INERTIA", lambda: zw.with_link(arm, link, inertia=np.diag([1.0, -1, 1]))),
            ("E_LIMIT", lambda: zw.with_joint(arm, joint, lower=2, upper=1)),
            ("E_PARAMETERS", lambda: zw.with_joint(arm, joint, damping=[1, 2])),
            ("a fixed joint", lambda: zw.with_joint(arm, fixed.name, damping=1)),
            ("armature alone", lambda: zw.with_joint(arm, joint, armature=1, gear_ratio=2)),
            ("with_gravity: argument 'gravity'", lambda: zw.with_gravity(arm, [0, 0])),
            ("gravity", lambda: zw.with_gravity(arm, [0, 0, np.nan]))):
        with pytest.raises((ValueError, zw.ModelError), match=match):
            call()


@pytest.mark.parametrize("source", ["text", "document", "builder"])
def test_a_bound_of_zero_and_an_infinite_one_mean_one_thing(source):
    def robot(velocity, effort):
        inertia = '<inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>'
        if source != "builder":
            m = zw.loads(f'''<robot name="r"><link name="base"/><link name="a">{inertia}</link><joint name="j" type="revolute"><parent
                link="base"/><child link="a"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="{effort}" velocity="{velocity}"/>
                </joint></robot>''')
            return m if source == "text" else zw.Model.from_json(m.to_json())
        b = zw.ModelBuilder("r").add_link("base").add_link("a", 1, inertia=0.1 * np.eye(3))
        return b.add_joint("j", "revolute", "base", "a", axis=(0, 1, 0), lower=-1, upper=1, velocity=float(velocity), effort=float(effort)).build()

    free = zw.move(robot("inf", "inf"), [0.0], [0.5], acceleration=1).duration
    assert free == pytest.approx(2 * np.sqrt(0.5), rel=1e-12)  # half of the way at 1 rad/s^2, half of it back
    for velocity, effort, told in (("inf", "inf", False), ("0", "0", True), ("0.0", "inf", True), ("inf", "-0", True)):
        m = robot(velocity, effort)
        assert any(d.code == "W_LIMIT" for d in m.diagnostics) == told
        assert zw.move(m, [0.0], [0.5], acceleration=1).duration == free
        assert zw.move(m, [0.0], [0.5], velocity=m.limits.velocity, acceleration=1).duration == free
        path = zw.ConfigurationPath.through(m, np.array([[0.0], [0.5]]))
        alone = zw.time_path(path, acceleration=1)
        given = zw.time_path(path, velocity=m.velocity_limit, torque=m.effort_limit, acceleration=1)
        assert alone.status.name == given.status.name == "ok" and alone.motion.duration == given.motion.duration
        hold = zw.ConstraintSet(m)
        hold.add_joint("hold", coordinates=["j"], role="driver", beta=[1.0])
        one = zw.Solver(m, hold).solve([0.3], [0.0], [0.0]).motor_torque[0]
        assert one != 0 and zw.Solver(m, hold, motor_limits=True).solve([0.3], [0.0], [0.0]).motor_torque[0] == one
        with pytest.raises(ValueError, match="is 0 for 'j'"):
            zw.Solver(m, hold, motor_limits={"j": 0})
        assert zw.Solver(m, hold, motor_limits={"j": (0, 0)}).solve([0.3], [0.0], [0.0]).motor_torque[0] == 0
        with pytest.raises(ValueError, match="infinity where there is no limit"):
            zw.move(m, [0.0], [0.5], velocity=[0.0], acceleration=1)
