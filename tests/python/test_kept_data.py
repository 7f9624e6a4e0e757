# SPDX-License-Identifier: BSD-3-Clause
"""Data that files keep beside the dynamics: shapes with their contact, motors, pairs of links that never touch."""
import copy
import pickle

import numpy as np
import pytest
import zwang as zw

TEXT = """<mujoco><asset><material name="red" rgba="1 0 0 1"/></asset><worldbody>
  <geom type="plane" size="0 2 .1"/>
  <body name="a"><joint name="j"/><geom type="ellipsoid" size=".1 .2 .3" friction=".5 .01" condim="4" material="red"/></body>
</worldbody><contact><exclude body1="world" body2="a"/></contact>
<actuator><position name="p" joint="j" gear="-3" kp="7" ctrlrange="-1 2"/></actuator></mujoco>"""


def same(a, b):
    """Two named tuples with arrays."""
    return type(a) is type(b) and all(same(x, y) if isinstance(x, tuple) else np.array_equal(x, y, equal_nan=True)
                                      if isinstance(x, np.ndarray) else x == y for x, y in zip(a, b, strict=True))


def test_a_file_says_it():
    model = zw.loads(TEXT)
    plane, = model.link("world").shapes
    assert (plane.kind, plane.size[0], plane.size[1], plane.collision) == ("plane", 0, 4, True)
    shape, = model.link("a").shapes
    assert shape.kind == "ellipsoid" and np.array_equal(shape.size, [0.1, 0.2, 0.3]) and np.array_equal(shape.origin, np.eye(4))
    assert np.array_equal(shape.colour, [1, 0, 0, 1]) and shape.material == "red"
    assert np.array_equal(shape.contact.friction[:2], [0.5, 0.01]) and np.isnan(shape.contact.friction[2])
    assert shape.contact.dimension == 4
    motor, = model.motors
    assert motor[:4] == ("p", "j", "position", -3) and motor.attributes == {"kp": "7"}
    assert np.array_equal(motor.control, [-1, 2]) and np.isnan(motor.force).all()
    assert model.contact_exclusions == [zw.ContactExclusion("world", "a", "")]


def test_kept_by_pickle_copies_documents_and_builders():
    model = zw.loads(TEXT)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), zw.model_from_json(model.to_json()),
                  zw.model_from_cbor(model.to_cbor()), zw.ModelBuilder(model).build()):
        assert other == model
        assert same(other.motors[0], model.motors[0]) and other.contact_exclusions == model.contact_exclusions
        assert same(other.link("a").shapes[0], model.link("a").shapes[0])


def two():
    b = zw.ModelBuilder("two").add_link("base").add_link("a", 1, inertia=np.eye(3))
    return b.add_joint("j", "revolute", "base", "a")


def test_built_in_code():
    contact = {"friction": (0.8, 0.01), "type": 2, "affinity": 3, "dimension": 6, "priority": -1, "margin": 0.1}
    b = two().add_shape("base", "plane", (0, 3), collision=True, contact={"friction": 1})
    b.add_shape("a", "ellipsoid", (1, 2, 3), collision=True, contact=contact)
    b.add_motor("m", "j", gear=50, force=(-1, 2), attributes={"maker": "x"}).exclude_contact("base", "a", "Never")
    b.add_motor("n", "j", "position", control=(-1, np.nan))
    model = b.build()
    assert np.array_equal(model.link("base").shapes[0].size, [0, 3, 0])
    got = model.link("a").shapes[0].contact
    assert np.array_equal(got.friction[:2], contact["friction"])
    assert got[1:] == (2, 3, 6, -1, 0.1)
    m, n = model.motors
    assert (m.kind, m.gear, m.attributes) == ("motor", 50, {"maker": "x"}) and m.force[1] == 2
    assert n.kind == "position" and np.isnan(n.control[1])
    assert model.contact_exclusions[0].reason == "Never"
    assert [m.name for m in zw.append(model, zw.sample("arm7"), "a", prefix="x_").motors] == ["m", "n"]
    assert zw.lock_joints(model, ["j"], [0.1]).motors == []


@pytest.mark.parametrize("call, error, words", [
    (lambda b: b.add_motor("m", "k").build(), zw.ModelError, "E_MOTOR"),
    (lambda b: b.add_motor("m", "j").add_motor("m", "j").build(), zw.ModelError, "E_DUPLICATE"),
    (lambda b: b.add_motor("m", "j", gear=np.inf).build(), zw.ModelError, "E_NUMBER"),
    (lambda b: b.add_motor("m", "j", force=(0, np.inf)).build(), zw.ModelError, "E_NUMBER"),
    (lambda b: b.add_motor("m", "j", control=3), ValueError, "control"),
    (lambda b: b.add_motor("m", "j", attributes={"a": 1}), ValueError, "attributes"),
    (lambda b: b.add_motor("m", "j", attributes=[1]), ValueError, "attributes"),
    (lambda b: b.exclude_contact("base", "b").build(), zw.ModelError, "E_LINK"),
    (lambda b: b.add_shape("a", "plane", (1, -1)), ValueError, "size"),
    (lambda b: b.add_shape("a", "ellipsoid", (1, 1)), ValueError, "ellipsoid has 3"),
    (lambda b: b.add_shape("a", "sphere", 1, contact={"fricton": 1}), ValueError, "friction"),
    (lambda b: b.add_shape("a", "sphere", 1, contact={"friction": (1, 2, 3, 4)}), ValueError, "1 to 3"),
    (lambda b: b.add_shape("a", "sphere", 1, contact={"type": 1.5}), ValueError, "whole number"),
    (lambda b: b.add_shape("a", "sphere", 1, contact=3), ValueError, "contact"),
])
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(two())
