# SPDX-License-Identifier: BSD-3-Clause
"""Centres of pressure, zero-moment points, and momenta, wrenches and inertias about other points and axes."""
import copy
import pickle

import numpy as np
import pytest
import zwang as zw
from conftest import close

RNG = np.random.default_rng(4)


@pytest.fixture(scope="module")
def dog():
    return zw.ModelBuilder(zw.sample("quadruped")).build(root="floating")


def state(model, seed=1):
    return model.random(seed=seed), *np.random.default_rng(seed).normal(size=(2, model.nv))


def test_centre_of_pressure_is_the_mean_of_points_by_force():
    normal, on = np.array([0.3, -0.2, 2]), np.array([0.5, 1, -2])
    e = normal / np.linalg.norm(normal)
    points = RNG.normal(size=(5, 3))
    points += np.outer((on - points) @ e, e)
    forces = RNG.normal(size=(5, 3)) + 6 * e
    wrench = np.concatenate([forces.sum(0), np.cross(points, forces).sum(0)])
    mean = (forces @ e) @ points / (forces @ e).sum()
    c = zw.centre_of_pressure(wrench, normal=normal, point=on)
    assert c.pressure == "pressing"
    close(c.point, mean)
    close(c.normal_force, (forces @ e).sum())
    close(c.normal_moment, e @ np.cross(points - mean, forces).sum(0))
    many = zw.centre_of_pressure(np.stack([wrench, -wrench, np.zeros(6)]), normal=normal, point=on)
    assert many.pressure == ["pressing", "pulling", "none"]
    close(many.point[:2], [mean, mean])
    assert np.all(np.isnan(many.point[2])) and np.isnan(many.normal_moment[2])
    for again in (copy.deepcopy(c), pickle.loads(pickle.dumps(c))):
        assert again.pressure == c.pressure and np.array_equal(again.point, c.point)


def test_zero_moment_point_is_where_standing_feet_press(dog):
    """The wrenches of a solve with held feet have the same centre of pressure as the motion that they make."""
    q, v = dog.neutral(), np.zeros(dog.nv)
    q[2] = 0.4
    feet = zw.ConstraintSet(dog)
    names = [n for n in dog.frame_names if "foot" in n][:4]
    assert names
    for name in names:
        feet.add_contact(name, name)
    feet.add_group("feet", names)
    s = zw.Solver(dog, feet).solve(q, v)
    of_wrench = zw.centre_of_pressure(s.group("feet").wrench, point=(0, 0, -0.3))
    of_motion = zw.zero_moment_point(dog, q, v, s.acceleration, point=(0, 0, -0.3))
    close(of_wrench.point, of_motion.point)
    close(of_wrench.normal_force, of_motion.normal_force)


def test_states_and_loads(dog):
    q, v, a = (np.stack(x) for x in zip(*(state(dog, k) for k in range(1, 5))))
    many = zw.zero_moment_point(dog, q, v, a, (0, 0, 1), (0, 0, 0))
    for k in range(4):
        close(many.point[k], zw.zero_moment_point(dog, q[k], v[k], a[k]).point)
    pulled = zw.zero_moment_point(dog, q[0], v[0], a[0], external={dog.link_names[0]: [0, 0, 7, 0, 0, 0]})
    close(many.normal_force[0] - pulled.normal_force, 7)
    fall = np.zeros(dog.nv)
    fall[2] = -9.81
    assert zw.zero_moment_point(dog, dog.neutral(), 0 * fall, fall).pressure == "none"
    with pytest.raises(ValueError, match="normal"):
        zw.zero_moment_point(dog, q[0], v[0], a[0], normal=(0, 0, 0))
    with pytest.raises(ValueError, match="wrench"):
        zw.centre_of_pressure([0, 0, 1])


def of_wrenches(R, p):
    x = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R, np.zeros((3, 3))], [x @ R, R]])


@pytest.mark.parametrize("reference", ["local", "world", "local_world_aligned", "trunk"])
def test_references(dog, reference):
    q, v, a = state(dog)
    if reference == "trunk":
        reference = dog.link_names[0]
    for frame in (dog.link_names[2], dog.link_names[-1]):
        X = zw.frame_pose(dog, q, frame)
        A = {"local": np.eye(6), "world": of_wrenches(X[:3, :3], X[:3, 3]),
             "local_world_aligned": of_wrenches(X[:3, :3], np.zeros(3))}.get(reference)
        if A is None:
            A = of_wrenches(zw.frame_pose(dog, q, reference)[:3, :3].T @ X[:3, :3], np.zeros(3))
        close(zw.body_momentum(dog, q, v, frame, reference=reference), A @ zw.body_momentum(dog, q, v, frame))
        close(zw.link_momentum(dog, q=q, v=v, frame=frame, reference=reference), A @ zw.body_momentum(dog, q, v, frame))
        I, rate = zw.composite_inertia(dog, q, frame), zw.composite_inertia_rate(dog, q, v, frame)
        close(zw.composite_inertia(dog, q, frame, reference=reference), A @ I @ A.T)
        close(zw.composite_inertia_rate(dog, q, v, frame, reference=reference), A @ rate @ A.T)
        both = zw.composite_inertia(dog, q, frame, v=v, reference=reference)
        close(both[0], A @ I @ A.T)
        close(both[1], A @ rate @ A.T)
        out = np.empty((6, 6))
        assert zw.composite_inertia(dog, q, frame, reference=reference, out=out) is out
        many = zw.body_momentum(dog, np.stack([q, q]), np.stack([v, 2 * v]), frame, reference=reference)
        close(many[1], 2 * many[0])
    local, seen = zw.joint_wrenches(dog, q, v, a), zw.joint_wrenches(dog, q, v, a, reference=reference)
    assert list(local) == list(seen)
    for joint in dog.joints:
        if joint.name not in local:
            continue
        X = zw.frame_pose(dog, q, f"link:{joint.child}")
        A = {"local": np.eye(6), "world": of_wrenches(X[:3, :3], X[:3, 3]),
             "local_world_aligned": of_wrenches(X[:3, :3], np.zeros(3))}.get(reference)
        if A is None:
            A = of_wrenches(zw.frame_pose(dog, q, reference)[:3, :3].T @ X[:3, :3], np.zeros(3))
        close(seen[joint.name], A @ local[joint.name])


def test_unknown_references_and_frames_are_refused(dog):
    q, v, a = state(dog)
    for call in (lambda: zw.body_momentum(dog, q, v, dog.link_names[0], reference="here"),
                 lambda: zw.composite_inertia(dog, q, dog.link_names[0], reference="here"),
                 lambda: zw.joint_wrenches(dog, q, v, a, reference="here")):
        with pytest.raises(ValueError, match="here"):
            call()
    with pytest.raises(ValueError, match="nowhere"):
        zw.body_inertia(dog, "nowhere")
    with pytest.raises(ValueError, match="ground"):
        zw.body_inertia(zw.sample("arm7"), zw.sample("arm7").link_names[0])


def test_inertia_of_a_merged_body():
    pose = np.eye(4)
    pose[:3, :3], pose[0, 3] = zw.rotation_from_rpy([0, 0, np.pi / 2]), 1
    model = (zw.ModelBuilder("m").add_link("base").add_link("a", 2, (0.1, 0, 0), np.eye(3) * 0.1)
             .add_link("b", 3, (0, 0.2, 0), np.eye(3) * 0.2).add_joint("j", "revolute", "base", "a")
             .add_joint("f", "fixed", "a", "b", origin=pose).build())
    whole = zw.body_inertia(model, "a")
    assert whole[0, 0] == 5
    close(whole, zw.composite_inertia(model, [0.3], "a"))
    centre = (2 * np.array([0.1, 0, 0]) + 3 * np.array([0.8, 0, 0])) / 5
    close(np.array([whole[5, 1], whole[3, 2], whole[4, 0]]), 5 * centre)
    assert zw.body_inertia(model, "b").shape == (6, 6)
