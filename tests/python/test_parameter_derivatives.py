# SPDX-License-Identifier: BSD-3-Clause
"""wrt= of the derivatives of dynamics, and derivatives of the wrenches in joints: against what is linear, central differences
of models written anew, and along q (+) d; one state and many, and what they refuse."""
import json

import numpy as np
import pytest
import zwang as zw
from conftest import State, close

H = 1e-6  # central differences: H^2 of the third derivative, and eps / H of the value: 1e-9 of the largest
TOLERANCE = 1e-7
OFF = zw.JointEffects(armature=False, damping=False, springs=False)
ALL = ("q", "v", "inertial_parameters", "placement", "armature", "damping", "stiffness", "gravity", "external")


@pytest.fixture(scope="module")
def held():
    model = zw.sample("zoo", root="floating")  # a joint of every type
    frames = model.frame_names
    external = {frames[-1]: np.array([1.0, -2, 3, 0.5, 0.6, -0.7]), frames[len(frames) // 2]: np.array([-3.0, 1, 2, 0, 1, 0])}
    return model, State(model), external


def dynamics(forward):
    return zw.forward_dynamics if forward else zw.inverse_dynamics


def derivatives(forward):
    return zw.forward_dynamics_derivatives if forward else zw.inverse_dynamics_derivatives


@pytest.mark.parametrize("forward", [False, True])
def test_without_wrt_nothing_changes(held, forward):
    model, s, external = held
    third = "tau" if forward else "a"
    plain = derivatives(forward)(model, s.q, s.v, s.a, external=external)
    for wrt in (None, ["v", "q", third], {"q", "v", third}):
        d = derivatives(forward)(model, s.q, s.v, s.a, wrt=wrt, external=external)
        for name in ("q", "v", third):
            assert np.array_equal(getattr(d, name), getattr(plain, name))
    d = derivatives(forward)(model, s.q, s.v, s.a, wrt="v", external=external)
    assert np.array_equal(d.v, plain.v) and not hasattr(d, "q") and "v" in repr(d)
    with pytest.raises(AttributeError, match="wrt"):
        d.placement


def test_torques_are_linear_in_inertia_and_gravity(held):
    model, s, _ = held
    d = zw.inverse_dynamics_derivatives(model, s.q, s.v, s.a, wrt=["inertial_parameters", "gravity", "damping", "armature"])
    tau = zw.inverse_dynamics(model, s.q, s.v, s.a, joint_effects=OFF)
    close(d.inertial_parameters @ model.inertial_parameters, tau, scale=100)
    close(d.gravity @ model.gravity, zw.gravity_forces(model, s.q), scale=100)
    off = zw.inverse_dynamics_derivatives(model, s.q, s.v, s.a, wrt=["damping", "armature", "stiffness"], joint_effects=OFF)
    assert not off.damping.any() and not off.armature.any() and not off.stiffness.any()
    one = zw.JointEffects(armature=True, damping=False, springs=False)
    rotors = zw.inverse_dynamics(model, s.q, s.v, s.a, joint_effects=one) - tau
    close(d.armature @ model.armature, rotors, scale=100)


def test_forward_dynamics_has_them_through_the_inverse_of_m(held):
    model, s, external = held
    wrt = [name for name in ALL if name not in ("q", "v")]
    d = zw.forward_dynamics_derivatives(model, s.q, s.v, s.tau, wrt=wrt, external=external)
    a = zw.forward_dynamics(model, s.q, s.v, s.tau, external=external)
    by = zw.inverse_dynamics_derivatives(model, s.q, s.v, a, wrt=wrt, external=external)
    inverse = -zw.mass_matrix_inverse(model, s.q)
    for name in wrt[:-1]:
        got, of_torque = getattr(d, name), getattr(by, name)
        known = ~np.isnan(of_torque)
        assert np.array_equal(known, ~np.isnan(got)) and known.any()
        expected = np.tensordot(inverse, np.where(known, of_torque, 0), 1)
        assert np.abs(np.where(known, got - expected, 0)).max() < 1e-9 * (1 + np.abs(expected).max())


@pytest.mark.parametrize("in_", ["local", "world", "local_world_aligned", "frame"])
@pytest.mark.parametrize("forward", [False, True])
def test_by_wrenches_in_any_axes(held, forward, in_):
    model, s, external = held
    frame, in_ = model.frame_names[-1], model.frame_names[3] if in_ == "frame" else in_
    d = derivatives(forward)(model, s.q, s.v, s.a, wrt="external").external(frame, in_=in_)
    f = lambda w: dynamics(forward)(model, s.q, s.v, s.a, external={frame: w}, in_=in_)
    expected = np.stack([(f(e) - f(-e)) / 2 for e in np.eye(6)], axis=1)  # linear
    assert np.abs(d - expected).max() < 1e-9 * (1 + np.abs(expected).max())


@pytest.mark.parametrize("in_", ["local", "world", "local_world_aligned", "frame"])
@pytest.mark.parametrize("forward", [False, True])
def test_by_placements(forward, in_):
    model = zw.random_robot(5, joints=5, types=[t for t in zw.joint_types() if t != "fixed"], base="floating")
    s, frame = State(model), model.frame_names[-1]
    external, in_ = {frame: [1.0, -2, 3, 0.5, 0.6, -0.7]}, model.frame_names[2] if in_ == "frame" else in_
    d = derivatives(forward)(model, s.q, s.v, s.a, wrt=["placement"], external=external, in_=in_).placement
    document = json.loads(model.to_json())
    joints = {j["name"]: j for j in document["joints"]}
    assert d.shape == (model.nv, len(model.joint_names), 6)
    assert set(model.joint_names) == set(joints)
    for k, name in enumerate(model.joint_names):
        origin = np.array(joints[name].get("origin", {}).get("position", [0, 0, 0]), dtype=float)
        rotation = np.array(joints[name].get("origin", {}).get("rotation", np.eye(3).tolist()), dtype=float)
        X = np.block([[rotation.reshape(3, 3), origin[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

        def moved(twist):
            Y = X @ zw.exp_se3(twist)
            joints[name]["origin"] = {"position": Y[:3, 3].tolist(), "rotation": Y[:3, :3].tolist()}
            other = zw.model_from_json(json.dumps(document))
            return dynamics(forward)(other, s.q, s.v, s.a, external=external, in_=in_)

        h = 1e-5  # a file may round: h^2 of the third derivative, 1e-10
        expected = np.stack([(moved(h * e) - moved(-h * e)) / (2 * h) for e in np.eye(6)], axis=1)
        moved(np.zeros(6))
        assert np.abs(d[:, k] - expected).max() < 1e-6 * (1 + np.abs(expected).max()), name


@pytest.mark.parametrize("forward", [False, True])
def test_many_states_are_each_alone(held, forward):
    model, s, external = held
    many = np.stack([s.q, model.random(8)])
    d = derivatives(forward)(model, many, s.v, s.a, wrt=ALL, external=external)
    for k in range(2):
        alone = derivatives(forward)(model, many[k], s.v, s.a, wrt=ALL, external=external)
        for name in ALL[:-1]:
            assert np.array_equal(getattr(d, name)[k], getattr(alone, name), equal_nan=True)
        assert np.array_equal(d.external(model.frame_names[-1])[k], alone.external(model.frame_names[-1]))


def test_merged_joints_have_no_placement(dog):
    s = State(dog)
    d = zw.inverse_dynamics_derivatives(dog, s.q, s.v, s.a, wrt="placement").placement
    merged = [dog.joint_names.index(name) for name in dog.joint_names if name.endswith("foot_mount")]
    assert merged and np.isnan(d[:, merged]).all() and not np.isnan(np.delete(d, merged, axis=1)).any()


def test_refusals_name_what_is_wrong(held):
    model, s, external = held
    with pytest.raises(ValueError, match="placements.*did you mean 'placement'"):
        zw.inverse_dynamics_derivatives(model, s.q, s.v, s.a, wrt=["q", "placements"])
    with pytest.raises(ValueError, match="names nothing"):
        zw.forward_dynamics_derivatives(model, s.q, s.v, s.tau, wrt=[])
    with pytest.raises(ValueError, match="wrt"):
        zw.forward_dynamics_derivatives(model, s.q, s.v, s.tau, wrt="a")  # of inverse dynamics
    with pytest.raises(ValueError, match="wrt"):
        zw.inverse_dynamics_derivatives(model, s.q, s.v, s.a, wrt=3)
    with pytest.raises(ValueError, match="'v'"):
        zw.inverse_dynamics_derivatives(model, s.q, s.v[:-1], s.a, wrt="q")
    d = zw.inverse_dynamics_derivatives(model, s.q, s.v, s.a, wrt="external")
    with pytest.raises(ValueError):
        d.external("nothing_like_it")


@pytest.mark.parametrize("in_", ["local", "world", "local_world_aligned", "frame"])
def test_wrenches_of_joints(held, in_):
    model, s, external = held
    in_ = model.frame_names[3] if in_ == "frame" else in_
    words = {"external": external, "in_": in_}
    of = lambda q, v, a: zw.joint_wrenches(model, q, v, a, **words)

    def differences(f):
        pairs = [(f(H * e), f(-H * e)) for e in np.eye(model.nv)]
        return {name: np.stack([(x[name] - y[name]) / (2 * H) for x, y in pairs], axis=1) for name in pairs[0][0]}

    by_q = differences(lambda x: of(zw.integrate(model, s.q, x), s.v, s.a))
    by_v, by_a = differences(lambda x: of(s.q, s.v + x, s.a)), differences(lambda x: of(s.q, s.v, s.a + x))
    assert len(by_q) > 5
    for name in by_q:
        d = zw.joint_wrench_derivatives(model, s.q, s.v, s.a, name, **words)
        scale = 1 + np.abs(by_q[name]).max() + np.abs(by_v[name]).max()
        for got, expected in ((d.q, by_q[name]), (d.v, by_v[name]), (d.a, by_a[name])):
            assert got.shape == (6, model.nv) and np.abs(got - expected).max() < 5 * TOLERANCE * scale, name


def test_wrenches_of_joints_of_many_states_and_refusals(held, dog):
    model, s, external = held
    many, joint = np.stack([s.q, model.random(8)]), list(zw.joint_wrenches(model, s.q, s.v, s.a))[-1]
    d = zw.joint_wrench_derivatives(model, many, s.v, s.a, joint, external=external)
    for k in range(2):
        alone = zw.joint_wrench_derivatives(model, many[k], s.v, s.a, joint, external=external)
        assert np.array_equal(d.q[k], alone.q) and np.array_equal(d.v[k], alone.v) and np.array_equal(d.a[k], alone.a)
    t = State(dog)
    with pytest.raises(ValueError, match="LF_knee"):
        zw.joint_wrench_derivatives(dog, t.q, t.v, t.a, "LF_kne")
    with pytest.raises(zw.UnsupportedError, match="lump"):
        zw.joint_wrench_derivatives(dog, t.q, t.v, t.a, "LF_foot_mount")
