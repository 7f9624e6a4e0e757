# SPDX-License-Identifier: BSD-3-Clause
"""Scene and motions with contact, by their closed forms; stacks, impacts and loops are tested in C++."""
import base64
import copy
import json
import math
import pickle

import numpy as np
import pytest
import zwang as zw
from conftest import EPS, ROOT

G = 9.81
FRICTION = zw.JointEffects(friction=True)


def loose(*shape, mass=2.0, inertia=0.01):
    """A body that floats, with one shape."""
    b = zw.ModelBuilder("loose").add_link("base").add_link("body", mass, inertia=inertia * np.eye(3))
    b.add_joint("free", "floating", "base", "body")
    if shape:
        b.add_shape("body", *shape, collision=True)
    return b.build()


def slide(**joint):
    b = zw.ModelBuilder("slide").add_link("base").add_link("block", mass=1, inertia=1e-3 * np.eye(3))
    return b.add_joint("j", "prismatic", "base", "block", axis=(1, 0, 0), **joint).build()


def at(*position, turned=(0, 0, 0, 1)):
    return np.array([*position, *turned], float)


def touch(model, q, v=None, **given):
    return zw.simulate(model, None, q, v, integrator="contact", **given)


def standing(dog, drop=0.0):
    """Its joints and the height at which the feet, balls of 20 mm, touch the ground."""
    q = dog.neutral()
    q[2] += 0.02 + drop - min(zw.frame_pose(dog, q, f"{leg}_foot")[2, 3] for leg in ("LF", "RF", "LH", "RH"))
    return q


@pytest.fixture(scope="module")
def dog():
    return zw.load(ROOT / "models" / "quadruped.urdf", root="floating")


@pytest.mark.parametrize("friction", [0.0, 0.2, 0.55])
def test_a_box_on_an_incline_slides_as_coulomb_says(friction):
    angle = 0.5
    m = loose("box", (0.2, 0.2, 0.1))
    normal = np.array([math.sin(angle), 0, math.cos(angle)])
    scene = zw.Scene(m).ground(friction, normal=3 * normal)
    q = at(*0.05 * normal, turned=(0, math.sin(angle / 2), 0, math.cos(angle / 2)))
    t = touch(m, q, scene=scene, time=0.5, dt=1e-3)
    assert t.status == "ok" and t.contact_report.residual < 1e-9
    a = G * max(math.sin(angle) - friction * math.cos(angle), 0)  # tan 0.5 = 0.546: at 0.55 it stays
    # Rounding of a gap of some ulp of the lengths is divided by dt in each of the 500 steps.
    np.testing.assert_allclose(t.v[:, 0], a * t.time, atol=1e-9)
    np.testing.assert_allclose(t.v[:, 1:], 0, atol=1e-9)
    last = t.contacts[-1]
    assert [x.what for x in last] == ["point"] * len(last) and len(last) >= 3
    assert {x.kind for x in last if x.force.any()} == {"stick" if a == 0 else "slip"}
    assert {x.name_a for x in last} == {"ground"} and {x.name_b for x in last} == {scene.shapes[0]}
    np.testing.assert_allclose(sum(x.force for x in last), [2 * a * math.cos(angle), 0, 2 * (G - a * math.sin(angle))], atol=1e-6)
    for x in last:
        assert abs(x.normal @ normal - 1) < 8 * EPS and abs(x.gap) < 1e-12 and x.joint is None
        slip = a * t.time[-1] * np.array([math.cos(angle), 0, -math.sin(angle)])
        np.testing.assert_allclose(x.slip, slip, atol=1e-9)


def test_a_quadruped_that_is_dropped_stands_on_its_feet(dog):
    scene = zw.Scene(dog).ground(0.8)
    rest = standing(dog)[7:]
    t = touch(dog, standing(dog, 0.05), time=3, dt=1e-3, scene=scene,
              tau=lambda t, q, v: np.r_[np.zeros(6), -300 * (q[7:] - rest) - 20 * v[6:]])
    assert t.status == "ok" and t.contact_report.free_steps > 50 and t.contact_report.residual < 1e-8
    assert len(t.contacts[0]) == 0 and t.contact_report.penetration < 1e-9
    last = [x for x in t.contacts[-1] if x.what == "point" and x.force.any()]
    assert {x.name_b for x in last} == {s for s in scene.shapes if "foot" in s} and len(last) == 4
    weight = sum(dog.link(name).mass for name in dog.link_names) * G
    assert sum(x.normal @ x.force for x in last) == pytest.approx(weight, rel=1e-6)  # speeds have died away to that
    for x in last:
        assert x.normal @ x.force > 0 and np.hypot(*x.force[:2]) <= 0.8 * x.force[2] * (1 + 1e-9)
    page = json.loads(zw.view(dog, t).scene)
    count = len(page["arrows"])
    assert count >= 4 and page["arrows"][0] == "contact 1"


def test_a_motion_goes_on_to_the_same_bits(dog):
    scene = zw.Scene(dog).ground()
    q, v = standing(dog, 0.01), dog.zero()
    whole = touch(dog, q, v, scene=scene, time=0.25, dt=1 / 512)
    half = touch(dog, q, v, scene=scene, time=0.125, dt=1 / 512)
    rest = touch(dog, half.q[-1], half.v[-1], scene=scene, time=0.125, dt=1 / 512, start=0.125, contacts=half.contacts[-1])
    assert half.states == rest.states == 65 and len(half.contacts[-1]) > 0
    for name in ("time", "q", "v"):
        assert np.array_equal(getattr(whole, name)[64:], getattr(rest, name)), name
    for x, y in zip(whole.contacts[-1], rest.contacts[-1], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(x, y, strict=True))
    again = pickle.loads(pickle.dumps(half)).contacts[-1]  # from a file of the day before
    assert np.array_equal(touch(dog, half.q[-1], half.v[-1], scene=scene, time=0.125, dt=1 / 512, start=0.125, contacts=again).q, rest.q)
    cold = touch(dog, half.q[-1], half.v[-1], scene=scene, time=0.125, dt=1 / 512, start=0.125)
    assert not np.array_equal(cold.q, rest.q)
    np.testing.assert_allclose(cold.q, rest.q, atol=1e-9)


def test_many_motions_are_single_ones_on_any_number_of_threads(dog):
    scene = zw.Scene(dog).ground()
    q = np.stack([standing(dog, 0.004 * k) for k in range(5)])
    one = [touch(dog, x, scene=scene, time=0.05, dt=1e-3) for x in q]
    for threads in (1, 3):
        zw.set_threads(threads)
        try:
            many = touch(dog, q, scene=scene, time=0.05, dt=1e-3)
        finally:
            zw.set_threads(0)
        assert len(many.contacts) == len(many.contact_report) == 5
        for k in range(5):
            assert np.array_equal(many.q[k], one[k].q) and many.contact_report[k] == one[k].contact_report
            assert np.array_equal(many.contacts[k].count, one[k].contacts.count)
    go_on = touch(dog, many.q[:, -1], many.v[:, -1], scene=scene, time=0.01, dt=1e-3, contacts=[c[-1] for c in many.contacts])
    single = touch(dog, one[3].q[-1], one[3].v[-1], scene=scene, time=0.01, dt=1e-3, contacts=one[3].contacts[-1])
    assert np.array_equal(go_on.q[3], single.q)


def test_dry_friction_of_a_joint_holds_and_slides():
    m = slide(friction=2.0)
    held = touch(m, [0.0], tau=[1.9], time=0.1, joint_effects=FRICTION)
    assert not held.q.any() and not held.v.any()
    (x,) = held.contacts[-1]
    assert (x.what, x.joint, x.kind, x.name_a, x.name_b) == ("friction", "j", "stick", None, None)
    assert x.force[0] == pytest.approx(-1.9, abs=1e-12)
    slides = touch(m, [0.0], tau=[2.5], time=0.1, joint_effects=FRICTION)
    np.testing.assert_allclose(slides.v[:, 0], 0.5 * slides.time, atol=1e-12)
    assert slides.contacts[-1][0].kind == "slip"
    free = touch(m, [0.0], tau=[1.9], time=0.1, joint_effects=zw.JointEffects())
    np.testing.assert_allclose(free.v[:, 0], 1.9 * free.time, atol=1e-12)


def test_joints_stay_between_their_limits_where_the_scene_says_so():
    m = slide(lower=-1, upper=0.5)
    t = touch(m, [0.4], [1.0], tau=[3.0], time=0.3)
    assert t.q.max() <= 0.5 + 1e-12 and abs(t.v[-1, 0]) < 1e-12
    (x,) = t.contacts[-1]
    assert (x.what, x.joint) == ("upper", "j") and x.force[0] == pytest.approx(-3, abs=1e-10)
    scene = zw.Scene(m)
    scene.limits = False
    assert touch(m, [0.4], [1.0], tau=[3.0], time=0.3, scene=scene).q.max() == pytest.approx(0.4 + 0.3 + 1.5 * 0.09, abs=1e-12)


TOPS = {
    "box": lambda s, **x: s.add_box("it", (0.4, 0.5, 0.2), **x), "sphere": lambda s, **x: s.add_sphere("it", 0.1, **x),
    "capsule": lambda s, **x: s.add_capsule("it", 0.04, 0.12, **x), "cylinder": lambda s, **x: s.add_cylinder("it", 0.3, 0.2, **x),
    "ellipsoid": lambda s, **x: s.add_ellipsoid("it", (0.3, 0.2, 0.1), **x),
    "half space": lambda s, **x: s.add_half_space("it", **{**x, "pose": np.add(x["pose"], [0, 0, 0.1])}),
    "convex": lambda s, **x: s.add_convex("it", [[x, y, z] for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (-0.3, 0.1)], **x),
    "height field": lambda s, **x: s.add_height_field("it", np.full((3, 5), 0.1), (2, 1), **x),
}


@pytest.mark.parametrize("kind", TOPS)
def test_a_ball_comes_to_rest_on_each_shape(kind):
    """The top of each is 0.1 above the origin of its pose."""
    m = loose("sphere", (0.05,))
    scene = TOPS[kind](zw.Scene(m), pose=[0.3, -0.2, 0.5], friction=0.5)
    assert scene.shapes[-1] == "it" and len(scene.shapes) == 2
    for one in (scene, copy.copy(scene), copy.deepcopy(scene), scene.copy(), pickle.loads(pickle.dumps((m, scene)))):
        robot, one = one if isinstance(one, tuple) else (m, one)
        t = touch(robot, at(0.3, -0.2, 0.7), scene=one, time=0.3)
        assert t.status == "ok" and t.q[-1, 2] == pytest.approx(0.65, abs=1e-11) and abs(t.v[-1]).max() < 1e-11
        (x,) = t.contacts[-1]
        assert {x.name_a, x.name_b} == {"it", scene.shapes[0]}
        np.testing.assert_allclose(x.point[:2], [0.3, -0.2], atol=1e-12)


def test_restitution_and_softness_are_those_of_the_pair():
    m = loose("sphere", (0.1,))
    bounce = zw.Scene(m).ground(restitution=0.5)
    t = touch(m, at(0, 0, 0.6), scene=bounce, time=0.5, dt=1e-3)
    land = math.sqrt(2 * 0.5 / G)
    np.testing.assert_allclose(t.v[-1, 2], 0.5 * G * land - G * (t.time[-1] - land), atol=1e-9)
    stays = copy.copy(bounce).set_pair("body", "ground", restitution=0, stiffness=1e4, damping=200)
    assert repr(stays) != repr(bounce)
    soft = touch(m, at(0, 0, 0.1), scene=stays, time=2, dt=1e-3)
    assert soft.q[-1, 2] == pytest.approx(0.1 - 2 * G / 1e4, rel=1e-9)
    # What a pair leaves open stays: the ground bounces still, with another friction.
    again = touch(m, at(0, 0, 0.6), scene=copy.copy(bounce).set_pair("body", "ground", friction=0.1), time=0.5, dt=1e-3)
    assert np.array_equal(again.q, t.q)
    falls = touch(m, at(0, 0, 0.6), scene=copy.copy(bounce).leave_out("ground", "body"), time=0.5, dt=1e-3)
    assert falls.q[-1, 2] == pytest.approx(0.6 - G * 0.125, abs=1e-9) and len(falls.contacts[-1]) == 0
    robot, kept = pickle.loads(pickle.dumps((m, stays)))
    assert np.array_equal(touch(robot, at(0, 0, 0.1), scene=kept, time=2, dt=1e-3).q, soft.q)


def test_what_is_added_to_a_link_moves_with_it():
    m = slide()
    scene = zw.Scene(m).add_sphere("tip", 0.1, link="block", pose=[0.3, 0, 0]).add_box("wall", (0.1, 1, 1), pose=[1.05, 0, 0])
    t = touch(m, [0.0], [2.0], scene=scene, time=1)
    assert t.q[-1, 0] == pytest.approx(0.6, abs=1e-11) and abs(t.v[-1, 0]) < 1e-12


def test_arrows_of_a_page_are_the_forces():
    m = loose("box", (0.2, 0.2, 0.1))
    t = touch(m, at(0, 0, 0.05), scene=zw.Scene(m).ground(), time=0.01)
    page = zw.view(m, t)
    scene = json.loads(page.scene)
    forces = np.frombuffer(base64.b64decode(scene["forces"]), np.float32).reshape(page.shown, -1, 9)
    assert scene["arrows"] == [f"contact {k + 1}" for k in range(forces.shape[1])]
    for drawn, records in zip(forces, t.contacts, strict=True):
        wanted = np.array([np.r_[x.point, x.force, 0, 0, 0] for x in records if x.force.any()]).reshape(-1, 9)
        np.testing.assert_allclose(drawn[: len(wanted)], wanted, rtol=1e-6, atol=1e-6)
        assert not drawn[len(wanted) :].any()
    assert json.loads(zw.view(m, zw.simulate(m, None, at(0, 0, 1), time=0.01)).scene)["arrows"] == []


def test_pages_show_what_was_added_to_a_scene():
    m = loose("box", (0.2, 0.2, 0.1))
    scene = zw.Scene(m).ground().add_box("wall", (0.1, 1, 1), pose=[1, 0, 0])
    page = zw.view(m, touch(m, at(0, 0, 0.05), scene=scene, time=0.01), scene=scene)
    assert [x["k"] for x in json.loads(page.scene)["scenery"]] == ["plane", "box"]
    assert json.loads(zw.view(m).scene)["scenery"] == []
    with pytest.raises(ValueError, match="another model"):
        zw.view(loose(), scene=scene)


def corners(m, friction, size=(0.2, 0.2, 0.1)):
    feet = zw.ConstraintSet(m)
    for k in range(4):
        point = [(0.5 if k & 1 else -0.5) * size[0], (0.5 if k & 2 else -0.5) * size[1], -size[2] / 2]
        feet.add_contact(f"corner{k}", frame="body", point=point, target_point=[0, 0, 0], sense="at_least", friction=friction)
    return feet


def test_contacts_of_a_set_with_friction_slide_as_coulomb_says():
    m = loose()
    feet = corners(m, 0.4)
    assert feet["corner0"].friction == 0.4 and feet["corner0"].definition["friction"] == 0.4
    t = zw.simulate(m, feet, at(0, 0, 0.05), [1.0, 0, 0, 0, 0, 0], time=0.125, dt=1 / 512, integrator="contact")
    assert t.v[-1, 0] == pytest.approx(1 - 0.4 * G * 0.125, abs=1e-12)
    up = [t.multipliers[k, 2::3].sum() for k in range(1, t.states)]
    np.testing.assert_allclose(up, 2 * G, rtol=1e-11)
    last = t.contacts[-1]
    assert {x.what for x in last} == {"contact"} and {x.name_b for x in last} == {f"corner{k}" for k in range(4)}
    assert all(x.name_a is None and x.joint is None and x.kind == "slip" for x in last)
    rest = zw.simulate(m, feet, t.q[-1], t.v[-1], time=0.125, dt=1 / 512, start=0.125, integrator="contact", contacts=last)
    whole = zw.simulate(m, feet, at(0, 0, 0.05), [1.0, 0, 0, 0, 0, 0], time=0.25, dt=1 / 512, integrator="contact")
    assert np.array_equal(rest.q[-1], whole.q[-1]) and np.array_equal(rest.v[-1], whole.v[-1])
    again = pickle.loads(pickle.dumps(t)).contacts[-1]
    assert [x.name_b for x in again] == [x.name_b for x in last]
    assert zw.ConstraintSet.from_json(m, feet.to_json())["corner1"].friction == 0.4
    with pytest.raises(ValueError, match="friction of constraint 'corner0'"):
        zw.Solver(m, feet).solve(at(0, 0, 0.05), np.zeros(6), np.zeros(6))
    with pytest.raises(ValueError, match="corner9"):
        zw.simulate(m, feet, t.q[-1], time=0.01, integrator="contact", contacts=[last[0]._replace(name_b="corner9")])


@pytest.mark.parametrize("friction", [math.nan, -1.0, math.inf])
def test_the_friction_of_a_contact_is_a_number(friction):
    with pytest.raises(ValueError, match="friction is a number >= 0"):
        corners(loose(), friction)


def test_row_0_of_a_height_field_is_at_the_lowest_y_and_beyond_its_edge_nothing_holds():
    m = loose("sphere", (0.1,))
    scene = zw.Scene(m).add_height_field("step", [[1, 1]] * 2 + [[0, 0]] * 2, (2, 6))  # y from -3 to 3
    ends = [touch(m, at(0, y, 1.2), scene=scene, time=1).q[-1, 2] for y in (-2, 2, -3.5)]
    np.testing.assert_allclose(ends, [1.1, 0.1, 1.2 - G / 2], atol=1e-2)


def test_events_of_touch_and_leave():
    m = loose("sphere", (0.1,))
    scene = zw.Scene(m).ground(friction=0, restitution=0.8)
    events = [{"name": "hits", "when": {"touch": ["body", "ground"]}}, {"name": "flies", "when": {"leave": None}}]
    t = touch(m, at(0, 0, 1.1), scene=scene, time=1, events=events)
    assert [e.name for e in t.events] == ["hits", "flies"] * t.contact_report.impacts
    hit = t.events[0]
    assert math.isnan(hit.energy_before) and math.isnan(hit.energy_after)
    for names in ([None, "ground"], ["ground", None], (None, None), [None]):
        again = touch(m, at(0, 0, 1.1), scene=scene, time=1, events=[{"name": "hits", "when": {"touch": names}}])
        assert [e.time for e in again.events] == [e.time for e in t.events if e.name == "hits"]
    assert hit.time == pytest.approx(math.sqrt(2 / G), abs=1e-11) and {hit.a, hit.b} == {scene.shapes[0], "ground"}
    np.testing.assert_allclose(hit.point, [0, 0, 0], atol=1e-9)
    stopped = touch(m, at(0, 0, 1.1), scene=scene, time=1, dt=1e-3, events=[{"name": "hits", "when": {"touch": "ground"}, "stop": True}])
    assert stopped.status == "ok" and stopped.time[-1] == pytest.approx(0.452, abs=1e-9)
    fallen = zw.simulate(m, None, at(0, 0, 1.1), time=0.1, events=[{"name": "e", "when": lambda t, q, v: q[2] - 1.09, "stop": True}])
    assert fallen.events[0].a is None and fallen.events[0].point is None


def test_events_of_limits_and_rows_have_no_point():
    m, stops = slide(lower=-1, upper=0.1), [{"name": "stops", "when": {"touch": None}}]
    t = touch(m, [0.0], [1.0], time=0.3, events=stops)
    assert [(e.a, e.b, e.point) for e in t.events] == [(None, "j", None)]
    rope = zw.ConstraintSet(slide())
    rope.add_distance("rope", ("base", "block"), length=0.1, sense="at_most")
    t = zw.simulate(rope.model, rope, [0.0], [1.0], time=0.3, integrator="contact", events=stops)
    assert [(e.a, e.b, e.point) for e in t.events] == [(None, "rope", None)]
    m = loose()
    feet = corners(m, 0.4)
    t = zw.simulate(m, feet, at(0, 0, 0.06), time=0.3, dt=1 / 512, integrator="contact", events=stops)
    assert {e.b for e in t.events} == {f"corner{k}" for k in range(4)} and all(abs(e.point[2]) < 1e-3 for e in t.events)


@pytest.mark.parametrize("when, words", [
    ({"touch": ["body", "grund"]}, "ground"), ({"touch": ["a", "b", "c"]}, "touch"), ({"touch": "body", "leave": "body"}, "stands alone"),
    ({"touch": 3}, "touch"), ({"touch": [None, 3]}, "touch"), ({"touch": [None, None, None]}, "touch")])
def test_events_that_are_none_are_refused_by_name(when, words):
    m = loose("sphere", (0.1,))
    with pytest.raises((ValueError, TypeError), match=words):
        touch(m, at(0, 0, 1.1), scene=zw.Scene(m).ground(), events=[{"name": "e", "when": when}])


def test_sequences_of_contacts_are_lists():
    m = loose("box", (0.2, 0.2, 0.1))
    t = touch(m, at(0, 0, 0.05), scene=zw.Scene(m).ground(), time=0.01)
    c = t.contacts
    assert len(c) == t.states and [len(x) for x in c] == list(c.count) and "in 11 states" in repr(c)
    with pytest.raises(IndexError, match="11"):
        c[11]
    other = zw.simulate(m, None, at(0, 0, 1), time=0.01)
    assert [len(x) for x in other.contacts] == [0] * other.states and other.contact_report.most_points == 0


@pytest.mark.parametrize("wrong, words", [
    *[(lambda s, x=x: s.ground(friction=x), "friction is a number >= 0") for x in (-1, math.nan, math.inf)],
    *[(lambda s, x=x: s.add_box("b", (1, 1, 1), friction=x), "'b': friction is a number >= 0") for x in (-1, math.nan, math.inf)],
    *[(lambda s, x=x: s.ground().set_pair("body", "ground", friction=x), "'body', 'ground': friction is") for x in (-1, math.nan, math.inf)],
    *[(lambda s, k=k: s.ground().set_pair("body", "ground", **{k: math.nan}), k) for k in ("restitution", "stiffness", "damping")],
 (lambda s: s.ground(normal=(0, 0, 0)), "normal"), (lambda s: s.ground(normal=(0, 1)), "normal"),
    (lambda s: s.ground(offset=math.nan), "offset"), (lambda s: s.ground(restitution=2), "restitution"),
    (lambda s: s.ground(stiffness=0), "stiffness"), (lambda s: s.ground(stiffness=math.nan), "stiffness"), (lambda s: s.ground(damping=-1), "damping"),
    (lambda s: s.add_box("b", (1, 1)), "size"), (lambda s: s.add_box("b", (1, 1, -1)), "box"), (lambda s: s.add_sphere("b", 0), "radius"),
    (lambda s: s.add_box("b", (1, 1, 1), link="bdy"), "body"), (lambda s: s.add_box("b", (1, 1, 1), pose=np.eye(3)), "pose"),
    (lambda s: s.add_box("", (1, 1, 1)), "name"), (lambda s: s.ground().ground(), "ground"), (lambda s: s.add_capsule("b", 1, -1), "length"),
    (lambda s: s.add_cylinder("b", 1, 0), "length"), (lambda s: s.add_ellipsoid("b", (1, 0, 1)), "ellipsoid"),
    (lambda s: s.add_convex("b", np.eye(3)), "plane"), (lambda s: s.add_convex("b", np.ones((4, 2))), "points"),
    (lambda s: s.add_height_field("b", np.ones(4), (1, 1)), "heights"), (lambda s: s.add_height_field("b", np.ones((2, 2)), (1, 1, 1)), "size"),
    (lambda s: s.add_height_field("b", [[1, 1], [1, math.nan]], (1, 1)), "height"), (lambda s: s.set_pair("body", "grund"), "grund"),
    (lambda s: s.leave_out("bdy", "body"), "bdy"), (lambda s: s.ground().set_pair("body", "ground", restitution=-1), "restitution"),
    (lambda s: setattr(s, "friction", -1.0), "friction"), (lambda s: setattr(s, "friction", math.nan), "friction"),
    (lambda s: touch(s.model, at(0, 0, 1), scene=s, contacts=[1]), "contacts"),
    (lambda s: zw.simulate(s.model, None, at(0, 0, 1), scene=s), "integrator 'contact'"),
    (lambda s: zw.simulate(s.model, None, at(0, 0, 1), contacts=[]), "contacts"),
    (lambda s: touch(loose(), at(0, 0, 1), scene=s), "another model: make it of this very object"),
    (lambda s: touch(s.model, [at(0, 0, 1)] * 2, scene=s, contacts=[[]]), "contacts"),
])
def test_refusals_name_what_is_wrong(wrong, words):
    scene = zw.Scene(loose("sphere", (0.1,)))
    with pytest.raises(ValueError, match=words):
        wrong(scene)


@pytest.mark.parametrize("wrong", [
    lambda s: s.ground(0.7, (0, 0, 1)), lambda s: s.ground(frictoin=1), lambda s: s.add_sphere("b", "1"), lambda s: s.add_box("b"),
    lambda s: s.add_box("b", (1, 1, 1), stiffness=None), lambda s: s.set_pair("a"), lambda s: zw.Scene(3), lambda s: touch(s.model, at(0, 0, 1), scene=3)])
def test_wrong_calls_raise_type_errors(wrong):
    with pytest.raises(TypeError):
        wrong(zw.Scene(loose("sphere", (0.1,))))


def test_missing_meshes_are_refused_or_left_out_by_name():
    urdf = """<robot name="toy"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
    iyz="0"/></inertial><collision><geometry><mesh filename="package://toys/arm.stl"/></geometry></collision><collision><geometry>
    <sphere radius="0.1"/></geometry></collision></link><joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""
    m = zw.loads(urdf)
    with pytest.raises(ValueError, match="arm.stl.*missing_meshes"):
        zw.Scene(m)
    scene = zw.Scene(m, missing_meshes=True).ground(offset=-1)
    assert scene.shapes == ["arm:1", "ground"] and "package://toys/arm.stl of 'arm'" in scene.notes[0]
    again = pickle.loads(pickle.dumps(scene))
    assert again.shapes == scene.shapes and again.notes == scene.notes
    assert scene.notes[0] in touch(m, [0.0], scene=scene, time=0.01).notes


def test_contacts_of_another_scene_are_refused_by_name():
    m = loose("sphere", (0.1,))
    t = touch(m, at(0, 0, 0.1), scene=zw.Scene(m).ground(name="floor"), time=0.01)
    with pytest.raises(ValueError, match="floor"):
        touch(m, t.q[-1], t.v[-1], scene=zw.Scene(m).ground(), contacts=t.contacts[-1])
    changed = t.contacts[-1][0]._replace(kind="sticks")
    with pytest.raises(ValueError, match="stick"):
        touch(m, t.q[-1], scene=zw.Scene(m).ground(name="floor"), contacts=[changed])


def test_all_notes_of_a_motion_are_there():
    """A start beyond a limit is said beside what the scene leaves out."""
    b = zw.ModelBuilder("b").add_link("base").add_link("a", mass=1, inertia=np.eye(3))
    m = b.add_joint("j", "prismatic", "base", "a", axis=(1, 0, 0), lower=-0.1, upper=0.1).build()
    for v in (0.0, 1.0):
        t = zw.simulate(m, None, [5.0], [v], time=0.002, dt=1e-3, integrator="contact")
        assert t.status == "ok" and abs(t.q[0, 0] - 0.1) < 1e-12
        assert [x for x in t.notes if "overlap at the start, 'upper limit of j" in x and "by up to 4.9" in x]
        assert [x for x in t.notes if "nothing that moves can touch" in x]
