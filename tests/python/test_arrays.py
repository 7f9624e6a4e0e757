# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in and out: strides, dtypes, out=, batches, refusals that name the argument."""
import numpy as np
import pytest
import zwang as zw
from conftest import State, close

DYNAMICS = [
    ("inverse_dynamics", "qva"), ("forward_dynamics", "qvt"), ("bias_forces", "qv"), ("gravity_forces", "q"),
    ("mass_matrix", "q"), ("mass_matrix_inverse", "q"), ("kinetic_energy", "qv"), ("potential_energy", "q"),
    ("centre_of_mass", "q"), ("centre_of_mass_velocity", "qv"), ("centre_of_mass_acceleration", "qva"),
    ("centre_of_mass_jacobian", "q"), ("integrate", "qv"), ("difference", "qp"), ("distance", "qp"),
    ("squared_distances", "qp"), ("transport", "qva"), ("normalize", "q"), ("frame_pose", "qf"), ("frame_poses", "qm"),
    ("frame_velocity", "qvf"), ("frame_acceleration", "qvaf"), ("jacobian", "qf"), ("jacobian_dot", "qvf"),
    ("relative_velocity", "qvfl"), ("relative_jacobian", "qfl"), ("relative_pose", "qfl"),
]
PAIRS = [("integrate_jacobians", "qv"), ("difference_jacobians", "qp")]


def arguments(m, letters, states=None):
    """One state, or `states` of them; p is a second configuration."""
    def state(seed):
        s = State(m, seed)
        return {"q": s.q, "v": s.v, "a": s.a, "t": s.tau, "p": m.random(seed + 1000)}
    if states is None:
        values = state(5)
    else:
        each = [state(k) for k in range(states)]
        values = {key: np.stack([e[key] for e in each]) for key in each[0]}
    values["f"], values["l"] = m.link_names[-1], m.link_names[1]
    values["m"] = m.frame_names[::3]
    return [values[letter] for letter in letters]


@pytest.mark.parametrize("name, letters", DYNAMICS)
def test_a_batch_is_a_loop_over_states(dog, name, letters):
    f, n = getattr(zw, name), 4
    batch = arguments(dog, letters, n)
    together = f(dog, *batch)
    assert together.shape[0] == n and together.flags.c_contiguous and together.flags.owndata
    for k in range(n):
        one = f(dog, *[x[k] if isinstance(x, np.ndarray) else x for x in batch])
        # The same page in lanes: its sums are rounded in the same order, but where the compiler fuses others.
        close(together[k], one, k=256)
    # One-dimensional arguments serve every state.
    mixed = [x[0] if i > 0 and isinstance(x, np.ndarray) else x for i, x in enumerate(batch)]
    close(f(dog, *mixed)[2], f(dog, *[x[2] if i == 0 else x for i, x in enumerate(mixed)]), k=256)
    assert f(dog, *[x[:0] if isinstance(x, np.ndarray) else x for x in batch]).shape == (0,) + together.shape[1:]
    many = [np.concatenate([x] * 300) if isinstance(x, np.ndarray) else x for x in batch]  # long enough to release the GIL
    assert np.array_equal(f(dog, *many)[-n:], together)


@pytest.mark.parametrize("name, letters", DYNAMICS)
def test_out_receives_the_result_with_any_strides(dog, name, letters):
    f = getattr(zw, name)
    for states in (None, 3):
        given = arguments(dog, letters, states)
        expected = np.asarray(f(dog, *given))
        out = np.full(expected.shape, 7.0)
        assert f(dog, *given, out=out) is out and np.array_equal(out, expected)
        if expected.ndim == 0:
            continue
        spread = np.full(tuple(2 * n for n in expected.shape), 7.0)
        view = spread[tuple(slice(None, None, 2) for _ in expected.shape)]
        backwards = np.full(expected.shape, 7.0)[tuple(slice(None, None, -1) for _ in expected.shape)]
        fortran = np.full(expected.shape, 7.0, order="F")
        for target in (view, backwards, fortran):
            f(dog, *given, out=target)
            assert np.array_equal(target, expected), name
        assert np.all(spread[tuple(slice(1, None, 2) for _ in expected.shape)] == 7.0)


@pytest.mark.parametrize("name, letters", DYNAMICS)
def test_a_wrong_out_is_refused_by_name(dog, name, letters):
    f = getattr(zw, name)
    given = arguments(dog, letters, 3)
    shape = f(dog, *given).shape
    read_only = np.zeros(shape)
    read_only.flags.writeable = False
    raw = np.zeros(8 * int(np.prod(shape)) + 8, dtype=np.uint8)[4:-4]
    unaligned = raw.view(float).reshape(shape) if raw.ctypes.data % 8 else None
    wrong = [read_only, np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=int), np.zeros(shape[1:]),
             np.zeros((shape[0] + 1,) + shape[1:]), np.zeros(shape + (1,)), [0.0], "out", 3.0, np.zeros(shape, dtype=">f8"),
             np.zeros(shape, dtype=complex), np.zeros(shape, dtype=object), b"x" * 64]
    for out in wrong + ([unaligned] if unaligned is not None else []):
        with pytest.raises(ValueError, match="out.*expected a writable float64 array of shape"):
            f(dog, *given, out=out)


def test_out_may_not_share_memory_with_an_argument(arm):
    s = State(arm)
    for shared in (s.q, s.v, s.a):
        kept = shared.copy()
        with pytest.raises(ValueError, match="shares memory"):
            zw.inverse_dynamics(arm, s.q, s.v, s.a, out=shared)
        assert np.array_equal(shared, kept)
    block = np.zeros(20)
    block[0:14:2], block[1:15:2] = s.q, 0  # interleaved, but apart: allowed
    q, out = block[0:14:2], block[1:15:2]
    assert np.array_equal(zw.gravity_forces(arm, q, out=out), zw.gravity_forces(arm, s.q))
    both = np.zeros((arm.nv, arm.nv))
    with pytest.raises(ValueError, match="another result"):
        zw.integrate_jacobians(arm, s.q, s.v, out=(both, both))
    wrench = np.zeros(7)
    with pytest.raises(ValueError, match="external"):
        zw.inverse_dynamics(arm, s.q, s.v, s.a, external={"tool0": wrench[:6]}, out=wrench)


def test_pairs_come_and_go_as_tuples(dog):
    for name, letters in PAIRS:
        f = getattr(zw, name)
        given = arguments(dog, letters, 2)
        first, second = f(dog, *given)
        out = (np.zeros_like(first), np.zeros_like(second))
        a, b = f(dog, *given, out=out)
        assert a is out[0] and b is out[1] and np.array_equal(a, first) and np.array_equal(b, second)
        with pytest.raises(ValueError):
            f(dog, *given, out=[out[0], out[1]])


def test_inputs_of_every_layout_give_one_answer(dog):
    s = State(dog)
    expected = zw.inverse_dynamics(dog, s.q, s.v, s.a)
    wide = np.zeros((dog.nq, 3))
    wide[:, 1] = s.q
    column = np.asfortranarray(np.stack([s.v, s.v]))[1]
    raw = np.zeros(8 * dog.nv + 1, dtype=np.uint8)
    unaligned = raw[1:].view(float)
    unaligned[:] = s.a
    read_only = s.q.copy()
    read_only.flags.writeable = False
    for q in (list(s.q), tuple(s.q), wide[:, 1], s.q[::-1].copy()[::-1], read_only, memoryview(s.q)):
        for v, a in ((column, unaligned), (list(s.v), s.a)):
            assert np.array_equal(zw.inverse_dynamics(dog, q, v, a), expected)
    whole = np.ones(dog.nv, dtype=np.int32)
    assert np.array_equal(zw.inverse_dynamics(dog, s.q, whole, list(map(int, whole))), zw.inverse_dynamics(dog, s.q, whole * 1.0, whole * 1.0))
    nested = [list(s.q), list(s.q)]
    assert np.array_equal(zw.gravity_forces(dog, nested), zw.gravity_forces(dog, np.array(nested)))

    class Foreign:
        def __array__(self, dtype=None, copy=None):
            return s.q
    assert np.array_equal(zw.gravity_forces(dog, Foreign()), zw.gravity_forces(dog, s.q))


@pytest.mark.parametrize("wrong, code", [
    (np.zeros(5), "E_SIZE"), (np.zeros((2, 2, 2)), "E_SIZE"), (np.zeros((7, 1)), "E_SIZE"), (np.float64(3), "E_SIZE"),
    (np.zeros(7, dtype=np.float32), "E_DTYPE"), (np.zeros(7, dtype=complex), "E_DTYPE"), (np.zeros(7, dtype=bool), "E_DTYPE"),
    (np.array(["a"] * 7), "E_DTYPE"), (np.zeros(7, dtype=object), "E_DTYPE"), (np.zeros(7, dtype=">f8"), "E_DTYPE"),
    (np.zeros(7, dtype="M8[s]"), "E_DTYPE"), (None, "E_DTYPE"), ("1234567", "E_DTYPE"), (b"1234567", "E_DTYPE"),
    ([1, 2, 3, "x", 5, 6, 7], "E_DTYPE"), ([1, 2, 3], "E_SIZE"), ([[1] * 7, [1] * 6], "E_SIZE"), ([], "E_SIZE"),
    (3.0, "E_DTYPE"), (object(), "E_DTYPE"), ({1, 2}, "E_DTYPE"), (range(7), "E_DTYPE"), (np.array([0, 0, np.nan, 0, 0, 0, 0]), "E_NUMBER"),
    ([0, 0, 0, np.inf, 0, 0, 0], "E_NUMBER"), (np.full((3, 7), np.nan), "E_NUMBER"),
])
def test_a_wrong_vector_is_refused_naming_argument_got_and_expected(arm, wrong, code):
    zero = arm.zero()
    for position, name in enumerate("qva"):
        given = [zero, zero, zero]
        given[position] = wrong
        with pytest.raises(ValueError, match=rf"{code} \S*inverse_dynamics: argument '{name}' has .*expected|"
                                             rf"state 0: {code} \S*: argument '{name}' has .*expected"):
            zw.inverse_dynamics(arm, *given)


def test_batches_of_different_lengths_are_refused(arm):
    with pytest.raises(ValueError, match="'v' has 3 states, but 'q' has 2"):
        zw.bias_forces(arm, np.zeros((2, 7)), np.zeros((3, 7)))


def test_a_bad_state_of_a_batch_is_counted(arm):
    q = np.zeros((2000, 7))
    q[1234, 3] = np.nan
    with pytest.raises(ValueError, match="state 1234: .*entry 3"):
        zw.gravity_forces(arm, q)


def test_unknown_words_are_refused_with_the_nearest(arm):
    q = arm.neutral()
    for call, match in [
        (lambda: zw.frame_pose(arm, q, "tool"), "tool0"),
        (lambda: zw.jacobian(arm, q, "tool0", reference="locl"), "local"),
        (lambda: zw.frame_acceleration(arm, q, q, q, "tool0", kind="clasical"), "classical"),
        (lambda: zw.inverse_dynamics(arm, q, q, q, external={"tool1": [0] * 6}), "tool0"),
        (lambda: zw.inverse_dynamics(arm, q, q, q, external={"tool0": [0] * 5}), "external"),
        (lambda: zw.inverse_dynamics(arm, q, q, q, external=[1]), "external"),
        (lambda: zw.inverse_dynamics(arm, q, q, q, external={"tool0": [0] * 6}, in_="wurld"), "in_"),
        (lambda: zw.inverse_dynamics(arm, q, q, q, gravity=[1, 2]), "gravity"),
        (lambda: zw.inverse_dynamics(arm, q, q, q, gravity=[1, 2, np.nan]), "gravity"),
        (lambda: arm.joint("joint_1"), "joint1"), (lambda: arm.link("link"), "link1"), (lambda: zw.sample("arm8"), "arm7"),
    ]:
        with pytest.raises(ValueError, match=match):
            call()


def test_quaternions_that_are_not_of_unit_length_are_refused(dog):
    q = dog.neutral()
    q[3:7] *= 1.1
    with pytest.raises(ValueError, match="root_joint"):
        zw.gravity_forces(dog, q)
    assert not zw.is_normalized(dog, q) and zw.is_normalized(dog, zw.normalize(dog, q))
