# SPDX-License-Identifier: BSD-3-Clause
"""Frames by their ids and by lists made once, and matrices into arrays of every layout: the same bits as by names into new arrays."""
import copy
import inspect
import pickle

import numpy as np
import pytest
import zwang as zw
from zwang import _zwang

DOG = zw.sample("quadruped")
FOOT, HIP = "RH_foot", DOG.link_names[1]
Q = DOG.random(seed=3)
V, A, TAU = np.random.default_rng(4).normal(size=(3, DOG.nv))


def same(x, y):
    x, y = np.asarray(x), np.asarray(y)
    return x.shape == y.shape and x.tobytes() == y.tobytes()


CALLS = {
    "frame_pose": lambda f: zw.frame_pose(DOG, Q, f),
    "frame_velocity": lambda f: zw.frame_velocity(DOG, Q, V, f),
    "frame_acceleration": lambda f: zw.frame_acceleration(DOG, Q, V, A, f),
    "jacobian": lambda f: zw.jacobian(DOG, Q, f),
    "jacobian_dot": lambda f: zw.jacobian_dot(DOG, Q, V, f, reference="local"),
    "jacobian_at": lambda f: zw.jacobian_at(DOG, Q, f, [0.1, 0.2, 0.3]),
    "relative_pose": lambda f: zw.relative_pose(DOG, Q, f, HIP),
    "kinematic_hessian": lambda f: zw.kinematic_hessian(DOG, Q, f),
    "body_momentum": lambda f: zw.body_momentum(DOG, Q, V, f),
    "composite_inertia": lambda f: zw.composite_inertia(DOG, Q, f),
    "articulated_inertia": lambda f: zw.articulated_inertia(DOG, Q, f),
    "subtree_mass": lambda f: zw.subtree_mass(DOG, f),
    "subtree_centre_of_mass": lambda f: zw.subtree_centre_of_mass(DOG, Q, f),
    "centre_of_mass of a subtree": lambda f: zw.centre_of_mass(DOG, Q, subtree=f),
    "frame_regressor": lambda f: zw.frame_regressor(DOG, Q, V, A, f),
    "supported_inertia": lambda f: zw.supported_inertia(DOG, Q, f),
    "supported_force": lambda f: zw.supported_force(DOG, Q, V, A, f),
    "frame_velocity_derivatives": lambda f: zw.frame_velocity_derivatives(DOG, Q, V, f).q,
    "frame_acceleration_derivatives": lambda f: zw.frame_acceleration_derivatives(DOG, Q, V, A, f).q,
    "support": lambda f: DOG.support(f),
    "external": lambda f: zw.inverse_dynamics(DOG, Q, V, A, external={f: [1, 2, 3, 4, 5, 6]}),
    "derivatives with an external wrench": lambda f: zw.forward_dynamics_derivatives(DOG, Q, V, TAU, external={f: np.ones(6)}).q,
    "derivatives by a wrench": lambda f: zw.inverse_dynamics_derivatives(DOG, Q, V, A, wrt="external").external(f),
    "many states": lambda f: zw.jacobian(DOG, np.stack([Q, Q, Q]), f),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_id_gives_the_bits_that_the_name_gives(name):
    call = CALLS[name]
    number = DOG.frame_id(FOOT)
    assert DOG.frame_names[number] == FOOT
    assert same(call(number), call(FOOT))
    assert same(call(np.int64(number)), call(FOOT))
    assert not same(call(DOG.frame_id("RF_foot")), call(FOOT)) or name == "subtree_mass"


@pytest.mark.parametrize("wrong, message", [
    (-1, r"E_NAME jacobian: argument 'frame' is -1, but ids of frames are 0 to "),
    (len(DOG.frame_names), rf"argument 'frame' is {len(DOG.frame_names)}, but ids of frames are 0 to {len(DOG.frame_names) - 1}$"),
    (2**80, r"argument 'frame' is 1208925819614629174706176, but ids"),
    (-2**80, r"argument 'frame' is -1208925819614629174706176, but ids"),
    ("RH_foo", r"there is no frame named 'RH_foo'; did you mean 'RH_foot'"),
])
def test_an_id_that_no_frame_has_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        zw.jacobian(DOG, Q, wrong)


@pytest.mark.parametrize("wrong", [True, np.True_, 1.0, np.float64(1), None, [1], b"RH_foot"])
def test_what_is_neither_a_name_nor_an_integer_is_no_frame(wrong):
    kind = "None" if wrong is None else type(wrong).__name__
    with pytest.raises(TypeError, match=rf"E_ARGUMENT jacobian: argument 'frame' has type (numpy\.)?{kind}_?, expected str \| int"):
        zw.jacobian(DOG, Q, wrong)
    with pytest.raises(TypeError, match=r"argument 'frames' holds type .*, expected str \| int"):
        zw.frame_poses(DOG, Q, [FOOT, wrong])
    if wrong is not None:
        with pytest.raises(TypeError, match=r"centre_of_mass: argument 'subtree' has type .*, expected str \| int"):
            zw.centre_of_mass(DOG, Q, subtree=wrong)


def test_the_argument_with_the_wrong_id_is_named():
    with pytest.raises(ValueError, match="relative_pose: argument 'seen_from' is 999"):
        zw.relative_pose(DOG, Q, FOOT, 999)
    with pytest.raises(ValueError, match="frame_poses: argument 'frames' holds -2"):
        zw.frame_poses(DOG, Q, [FOOT, -2])
    with pytest.raises(ValueError, match="inverse_dynamics: argument 'external' is 999"):
        zw.inverse_dynamics(DOG, Q, V, A, external={999: np.ones(6)})
    with pytest.raises(TypeError, match=r"argument 'external' has type bool, expected str \| int"):
        zw.inverse_dynamics(DOG, Q, V, A, external={True: np.ones(6)})


def test_a_list_made_once_gives_the_poses_of_its_names():
    names = [FOOT, HIP, DOG.joint_names[-1], FOOT]
    made = DOG.frames(names)
    expected = np.stack([zw.frame_pose(DOG, Q, name) for name in names])
    for frames in (made, names, tuple(names), made.ids, np.array(made.ids), [names[0], *made.ids[1:]]):
        assert same(zw.frame_poses(DOG, Q, frames), expected)
    many = np.stack([Q, DOG.random(seed=5)])
    assert same(zw.frame_poses(DOG, many, made), zw.frame_poses(DOG, many, names))
    assert made.names == list(made) == names and len(made) == 4 and made[-2] == names[2]
    assert DOG.frames().names == DOG.frame_names and DOG.frames(made).ids == made.ids
    assert zw.frame_poses(DOG, Q, DOG.frames([])).shape == (0, 4, 4)
    with pytest.raises(IndexError):
        made[4]
    with pytest.raises(ValueError, match="did you mean 'RH_foot'"):
        DOG.frames(["RH_foo"])


@pytest.mark.parametrize("state", [(), (1,), (DOG,), (DOG, None), (DOG, 3), (DOG, "RH_foot"), (None, [0]), (DOG, [10**6]), (DOG, [0], 1), [DOG, [0]],
                                   (zw.Model.__new__(zw.Model), [0])])
def test_a_pickle_that_is_none_is_refused(state):
    with pytest.raises((ValueError, TypeError)):
        zw.FrameList.__new__(zw.FrameList).__setstate__(state)


def test_an_array_that_numpy_warns_to_write_is_no_place_for_a_result():
    shared = np.broadcast_arrays(np.zeros((3, DOG.nv)), np.zeros(DOG.nv))[1]
    with pytest.raises(ValueError, match="out"):
        zw.gravity_forces(DOG, np.stack([Q, Q, Q]), out=shared)
    assert not np.any(shared)


def test_a_frame_says_what_it_is_fixed_to_and_where():
    dog = zw.load("models/quadruped.urdf", root="floating").with_frame("mark", FOOT, [0, 0, 0.1]).with_frame("on mark", "mark", [0, 0, 0.2])
    q = dog.random(seed=8)
    frames = dog.frames().frames
    assert [f.name for f in frames] == dog.frame_names and [f.id for f in frames] == list(range(len(frames)))
    for f in frames:
        placed = zw.frame_pose(dog, q, f"link:{f.link}") @ f.placement
        assert np.allclose(placed, zw.frame_pose(dog, q, f.id), atol=1e-14) and f.joint == dog.link(f.link).joint
        assert f.body == dog.link(f.link).body and f.kind in ("link", "joint", "user")
        assert f.kind != "link" or f.link == f.name and np.array_equal(f.placement, np.eye(4))
        assert f.kind != "joint" or f.link == dog.joint(f.name).child and f.joint == f.name
    mark = dog.frame("on mark")
    assert (mark.kind, mark.link, mark.id) == ("user", FOOT, dog.frame_id("on mark")) and np.allclose(mark.placement[:3, 3], (0, 0, 0.3), atol=1e-16)
    assert dog.frame(mark.id).name == "on mark" == pickle.loads(pickle.dumps(mark)).name and repr(mark) == f"<Frame 'on mark': on link '{FOOT}'>"
    assert zw.sample("arm7").frames().frames[0].joint is None
    with pytest.raises(ValueError, match="did you mean 'mark'"):
        dog.frame("mrk")
    with pytest.raises(ValueError, match=r"frame: argument 'frame' is -1, but ids of frames are 0 to "):
        dog.frame(-1)


def test_a_frame_on_a_joint_is_there_after_a_pickle():
    model = (zw.ModelBuilder("two").add_link("a", 1).add_link("b", 1)
             .add_joint("hinge", "revolute", "a", "b", child_origin=[[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0.2], [0, 0, 0, 1]]).build())
    more = model.with_frame("mark", "hinge", [0, 0, 1])
    assert np.array_equal(more.frame("mark").placement[:3, 3], (0.5, 0, 1.2))
    again = pickle.loads(pickle.dumps(more))
    assert np.allclose(zw.frame_pose(again, [0.3], "mark"), zw.frame_pose(more, [0.3], "mark"), atol=1e-15)


def test_the_coordinates_of_a_subtree():
    dog = zw.load("models/quadruped.urdf", root="floating")
    q, v = dog.joint("root_joint").subtree
    assert np.array_equal(q, np.arange(dog.nq)) and np.array_equal(v, np.arange(dog.nv))
    hip = next(j for j in dog.joints if j.parent == "trunk" and j.type != "fixed")
    leg = [j for j in dog.joints if j.name == hip.name or any(n in dog.support(j.child) for n in range(hip.v.start, hip.v.stop))]
    expected = dog.layout([j.name for j in leg])
    assert np.array_equal(hip.subtree.q, expected.q) and np.array_equal(hip.subtree.v, expected.v)
    assert np.array_equal(dog.link(hip.child).subtree.v, expected.v[1:]) and dog.link(FOOT).subtree.q.size == 0
    hand = zw.sample("gripper")
    leader, follower = sorted((j for j in hand.joints if j.type == "prismatic"), key=lambda j: j.mimic is not None)
    assert np.array_equal(follower.subtree.v, [leader.v.start]) and follower.subtree.q.dtype == np.intp


def test_a_list_of_another_model_is_refused():
    made = DOG.frames([FOOT])
    tool = DOG.with_frame("tool", FOOT, [0, 0, 0.1])
    with pytest.raises(ValueError, match=r"frame_poses: argument 'frames' is a FrameList of another model"):
        zw.frame_poses(tool, Q, made)
    assert same(zw.frame_poses(copy.copy(DOG), Q, made), zw.frame_poses(DOG, Q, [FOOT]))


def test_a_list_is_pickled_with_its_model():
    model, made = pickle.loads(pickle.dumps((DOG, DOG.frames([FOOT, HIP]))))
    assert made.names == [FOOT, HIP]
    assert same(zw.frame_poses(model, Q, made), zw.frame_poses(DOG, Q, [FOOT, HIP]))
    assert copy.deepcopy(made).ids == made.ids


def test_every_function_that_takes_a_frame_takes_its_id():
    for name, function in vars(_zwang).items():
        if name.startswith("_") or inspect.isclass(function):
            continue
        for text, *_ in getattr(function, "__nb_signature__", ()):
            assert "frame: str," not in text and "frame: str)" not in text and "seen_from: str," not in text, text


# --- one way from the kernel into every array ------------------------------------------------------------------------

MATRICES = {
    "mass_matrix": (lambda m, q, v, a, **k: zw.mass_matrix(m, q, **k), lambda n: (n, n)),
    "mass_matrix_inverse": (lambda m, q, v, a, **k: zw.mass_matrix_inverse(m, q, **k), lambda n: (n, n)),
    "coriolis_matrix": (lambda m, q, v, a, **k: zw.coriolis_matrix(m, q, v, **k), lambda n: (n, n)),
    "jacobian": (lambda m, q, v, a, **k: zw.jacobian(m, q, FOOT, **k), lambda n: (6, n)),
    "kinematic_hessian": (lambda m, q, v, a, **k: zw.kinematic_hessian(m, q, FOOT, **k), lambda n: (6, n, n)),
    "frame_poses": (lambda m, q, v, a, **k: zw.frame_poses(m, q, [FOOT, HIP, FOOT], **k), lambda n: (3, 4, 4)),
    "gravity_forces_derivatives": (lambda m, q, v, a, **k: zw.gravity_forces_derivatives(m, q, **k), lambda n: (n, n)),
    "inverse_dynamics": (lambda m, q, v, a, **k: zw.inverse_dynamics(m, q, v, a, **k), lambda n: (n,)),
}


def layouts(shape):
    yield "rows", np.full(shape, np.nan)
    yield "columns", np.full(shape, np.nan, order="F")
    yield "gaps", np.full((*shape[:-1], 2 * shape[-1]), np.nan)[..., ::2]
    yield "backwards", np.full(shape, np.nan)[::-1]
    yield "wide rows", np.full((*shape[:-1], shape[-1] + 3), np.nan)[..., 1:-2]
    if len(shape) == 3:
        yield "matrices last", np.full((*shape[1:], shape[0]), np.nan).transpose(2, 0, 1)


@pytest.mark.parametrize("name", MATRICES)
def test_every_layout_of_out_receives_the_bits_of_a_new_array(name):
    call, shape = MATRICES[name]
    fresh = call(DOG, Q, V, A)
    assert fresh.shape == shape(DOG.nv) and fresh.flags.c_contiguous and fresh.flags.owndata and fresh.flags.writeable
    for layout, out in layouts(fresh.shape):
        assert call(DOG, Q, V, A, out=out) is out
        assert same(out, fresh), layout
    states = np.stack([Q, DOG.random(seed=9)])
    many = np.full((2, *fresh.shape), np.nan, order="F")
    call(DOG, states, np.stack([V, V]), np.stack([A, A]), out=many)
    np.testing.assert_allclose(many[0], fresh, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", MATRICES)
def test_an_array_of_the_caller_keeps_its_numbers_where_a_call_is_refused(name):
    call, shape = MATRICES[name]
    bad = Q.copy()
    bad[-1] = np.nan
    out = np.full(shape(DOG.nv), 7.0)
    with pytest.raises(ValueError):
        call(DOG, bad, V, A, out=out)
    assert np.all(out == 7)


@pytest.mark.parametrize("name", [name for name in MATRICES if name != "kinematic_hessian"])  # which has no status=
def test_a_status_that_is_not_ok_leaves_nan_in_a_new_array(name):
    call, _ = MATRICES[name]
    bad = Q.copy()
    bad[-1] = np.nan
    status = np.empty((), np.uint8)
    result = call(DOG, bad, V, A, status=status)
    assert status == zw.Status.non_finite_input and np.all(np.isnan(result))


def test_a_result_belongs_to_the_caller_alone():
    first = zw.mass_matrix(DOG, Q)
    kept = first.copy()
    zw.mass_matrix(DOG, DOG.random(seed=8))
    zw.inverse_dynamics_derivatives(DOG, Q, V, A)
    assert same(first, kept)
    terms = zw.all_terms(DOG, Q, V)
    mass = terms.mass_matrix.copy()
    zw.all_terms(DOG, DOG.random(seed=8), V)
    assert same(terms.mass_matrix, mass)


def test_derivatives_with_wrenches_along_turning_axes_agree_with_differences():
    push = dict(external={FOOT: [1.0, 2, 3, 4, 5, 6]}, in_=HIP)
    for function, x in ((zw.inverse_dynamics, A), (zw.forward_dynamics, TAU)):
        by_q = getattr(zw, function.__name__ + "_derivatives")(DOG, Q, V, x, **push).q
        for k, e in enumerate(np.eye(DOG.nv)):
            h = 1e-6
            rise = function(DOG, zw.integrate(DOG, Q, h * e), V, x, **push) - function(DOG, zw.integrate(DOG, Q, -h * e), V, x, **push)
            np.testing.assert_allclose(by_q[:, k], rise / (2 * h), atol=2e-6 * max(1, np.abs(by_q).max()))


class Own(np.ndarray):
    """A class derived from numpy.ndarray."""


@pytest.mark.parametrize("given", [
    lambda x: x, lambda x: x.tolist(), lambda x: np.repeat(x, 2)[::2], lambda x: x[::-1].copy()[::-1], lambda x: x.astype(">f8"),
    lambda x: x.view(Own), lambda x: memoryview(x), lambda x: np.frombuffer(x.tobytes()), lambda x: np.array(x, dtype=np.longdouble).astype(float),
])
def test_every_kind_of_vector_is_read_to_the_same_bits(given):
    expected = zw.inverse_dynamics(DOG, Q, V, A)
    if getattr(given(Q), "dtype", None) == np.dtype(">f8"):
        with pytest.raises(ValueError, match="dtype >f8"):
            zw.inverse_dynamics(DOG, given(Q), V, A)
        return
    assert same(zw.inverse_dynamics(DOG, given(Q), given(V), given(A)), expected)


def test_arrays_that_may_not_be_written_are_read_and_never_written():
    q = Q.copy()
    q.flags.writeable = False
    assert same(zw.mass_matrix(DOG, q), zw.mass_matrix(DOG, Q))
    out = np.empty((DOG.nv, DOG.nv))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        zw.mass_matrix(DOG, Q, out=out)
    with pytest.raises(ValueError, match="shares memory"):
        zw.integrate(DOG, q2 := Q.copy(), V, out=q2)
