# SPDX-License-Identifier: BSD-3-Clause
"""out= is whole or untouched: what is refused has written nothing; what overlaps itself or an argument is refused."""
import numpy as np
import pytest
import zwang as zw
from conftest import close


def states_of(model, n, seed=1):
    r = np.random.default_rng(seed)
    return np.stack([model.random(k) for k in range(n)]), r.uniform(-1, 1, (n, model.nv)), r.uniform(-1, 1, (n, model.nv))


def held(model):
    s = zw.ConstraintSet(model)
    s.add_frame("tool", "tool0", "linear", role="driver")
    return s


N = 300
CALLS = {
    "lanes": lambda m, q, v, a, out: zw.inverse_dynamics(m, q, v, a, out=out),
    "external": lambda m, q, v, a, out: zw.inverse_dynamics(m, q, v, a, external={"tool0": np.ones(6)}, out=out),
    "one by one": lambda m, q, v, a, out: zw.inverse_dynamics(m, q, v, a, gravity=[0, 0, -1], out=out),
    "acceleration": lambda m, q, v, a, out: zw.forward_dynamics(m, q, v, a, out=out),
    "transport": lambda m, q, v, a, out: zw.transport(m, q, v, a, out=out),
}


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("call", CALLS)
def test_a_refused_state_leaves_out_as_it_was(arm, call, bad):
    for row in (0, 170, N - 1):
        for which in range(3):
            x = states_of(arm, N)
            x[which][row, 2] = bad
            out = np.full((N, arm.nv), 3.0)
            with pytest.raises(ValueError, match=f"state {row}: E_NUMBER.* in entry 2"):
                CALLS[call](arm, *x, out)
            assert (out == 3).all()
    x = states_of(arm, N)
    assert np.array_equal(CALLS[call](arm, *x, out), CALLS[call](arm, *x, None))


def test_a_quaternion_of_another_length_leaves_out_as_it_was(dog):
    q, v, a = states_of(dog, N)
    q[N - 2, 3:7] *= 1.01
    for more in ({}, {"gravity": [0, 0, -1]}):
        for kind in (float, np.float32):
            if more and kind is np.float32:
                continue
            out = np.full((N, dog.nv), 3.0, kind)
            with pytest.raises(ValueError, match=f"state {N - 2}: .*root_joint"):
                zw.inverse_dynamics(dog, q.astype(kind), v.astype(kind), a.astype(kind), out=out, **more)
            assert (out == 3).all()
    out = tuple(np.full((N, 3), 3.0) for _ in range(3))
    with pytest.raises(ValueError, match=f"state {N - 2}"):
        zw.centre_of_mass_motion(dog, q, v, a, out=out)
    assert all((x == 3).all() for x in out)
    q[7] = 0
    out = np.full((N, dog.nq), 3.0)
    with pytest.raises(ValueError, match="state 7"):
        zw.normalize(dog, q, out=out)
    assert (out == 3).all()
    with pytest.raises(ValueError, match=f"state {N - 1}"):
        zw.cholesky(dog, dog.neutral()).solve(np.vstack([v[:-1], np.full((1, dog.nv), np.nan)]), out=out[:, :dog.nv])
    assert (out == 3).all()


def test_wrenches_and_strided_arrays_are_looked_at_too(arm):
    q, v, a = states_of(arm, N)
    wrench = np.ones((N, 6))
    wrench[200, 4] = np.nan
    out = np.full((N, arm.nv), 3.0)
    with pytest.raises(ValueError, match="state 200.*external"):
        zw.inverse_dynamics(arm, q, v, a, external={"tool0": wrench}, out=out)
    wide = np.zeros((N, 20))
    wide[:, :7], wide[:, 7:14] = q, v
    wide[90, 9] = np.nan
    with pytest.raises(ValueError, match="state 90: .*'v' has nan in entry 2"):
        zw.bias_forces(arm, wide[:, :7], wide[:, 7:14], out=out)
    wide[90, 9], wide[90, 19] = 0, np.nan  # beside the arguments
    zw.bias_forces(arm, wide[:, :7], wide[:, 7:14], out=out)
    out[:] = 3
    with pytest.raises(ValueError, match="state 0: .*'v' has nan in entry 6"):
        zw.bias_forces(arm, q, np.r_[np.zeros(6), np.nan], out=out)
    assert (out == 3).all()


def test_a_refused_solve_leaves_the_earlier_solution_as_it_was(arm):
    q, v, tau = states_of(arm, 40)
    bad = v.copy()
    bad[33, 2] = np.nan
    constraints = held(arm)
    solver = zw.Solver(arm, constraints)
    for more in ({}, {"gravity": [0, 0, -1]}):
        kept = solver.solve(q, v, tau, **more)
        parts = ("acceleration", "multipliers", "motor_torque", "reaction", "status")
        before = [getattr(kept, p).copy() for p in parts]
        with pytest.raises(ValueError, match="state 33: .*'v' has nan in entry 2"):
            solver.solve(q, bad, 2 * tau, out=kept, **more)
        with pytest.raises(ValueError, match="prescribed"):
            solver.solve(q, v, 2 * tau, prescribed={"joint2": bad[:, 2]}, out=kept, **more)
        assert all(np.array_equal(getattr(kept, p), x) for p, x in zip(parts, before))
        fresh = solver.solve(q, v, tau, **more)
        close(kept.residual, fresh.residual)
        assert [r.rank for r in kept.reports] == [3] * 40
    one = solver.solve(q[0], v[0])
    text, acceleration = repr(one), one.acceleration.copy()
    with pytest.raises(ValueError):
        solver.solve(q[0], bad[33], out=one)
    constraints.add_frame("more", "link3", "linear.x")
    follows = zw.Solver(arm, constraints)
    kept = follows.solve(q[0])
    constraints.add_frame("most", "link4", "linear.x")
    with pytest.raises(ValueError):
        follows.solve(q[0], out=kept)
    assert repr(one) == text and np.array_equal(one.acceleration, acceleration) and "most" not in repr(kept)
    inactive = zw.Solver(arm, held(arm))
    inactive.constraints["tool"].active = False
    kept = inactive.solve(q)
    beta = np.full((40, 3), np.nan)  # of rows that nobody reads
    inactive.solve(q, beta=beta, out=kept)
    with pytest.raises(ValueError):
        inactive.solve(q, beta=beta, active=np.arange(40)[:, None] == 17, out=kept)


def test_a_refused_rollout_leaves_out_as_it_was(arm):
    q, v, tau = states_of(arm, 40)
    bad = v.copy()
    bad[39, 6] = np.inf
    solver = zw.Solver(arm, held(arm))
    for roll in (lambda *x, **more: zw.rollout(arm, *x, **more), solver.rollout):
        out = np.full((40, 7), 3.0), np.full((40, 7), 3.0)
        with pytest.raises(ValueError, match="state 39"):
            roll(q, bad, tau, steps=3, dt=1e-3, out=out)
        with pytest.raises(ValueError, match="state 39"):
            roll(q, v, np.stack([v, bad, v], axis=1), steps=3, dt=1e-3, out=out)
        one = np.full(7, 3.0), np.full(7, 3.0)
        with pytest.raises(ValueError):
            roll(q[0], bad[39], steps=3, dt=1e-3, out=one)
        assert all((x == 3).all() for x in out + one)
        earlier = roll(q, v, tau, steps=3, dt=1e-3)
        before = [x.copy() for x in earlier]
        with pytest.raises(ValueError, match="state 39"):
            roll(q, bad, tau, steps=3, dt=1e-3, out=earlier)
        assert all(np.array_equal(x, y) for x, y in zip(earlier, before))


def test_joint_wrenches_fill_all_arrays_or_none(arm):
    q, v, a = states_of(arm, 5)
    out = zw.joint_wrenches(arm, q, v, a)
    before = {name: x.copy() for name, x in out.items()}
    last = list(out)[-1]
    for wrong in (np.zeros((5, 5)), np.zeros((4, 6)), out[list(out)[0]]):
        with pytest.raises(ValueError, match="E_OUT joint_wrenches"):
            zw.joint_wrenches(arm, q, 2 * v, a, out=out | {last: wrong})
        assert all(np.array_equal(out[name], before[name]) for name in out)


def test_with_status_refused_states_are_nan_as_before(arm):
    q, v, a = states_of(arm, N)
    v[170, 2] = np.nan
    out, status = np.full((N, arm.nv), 3.0), np.zeros(N, np.uint8)
    zw.inverse_dynamics(arm, q, v, a, out=out, status=status)
    assert np.isnan(out[170]).all() and np.isfinite(np.delete(out, 170, 0)).all() and status[170] == zw.Status.non_finite_input


def strided(shape, strides, dtype=float):
    size = sum((n - 1) * s for n, s in zip(shape, strides)) + 1
    return np.lib.stride_tricks.as_strided(np.zeros(size, dtype), shape, [s * np.dtype(dtype).itemsize for s in strides])


@pytest.mark.parametrize("strides", [(1, 1), (0, 1), (6, 1), (7, 0), (3, 2), (1, 8)])
def test_an_out_that_overlaps_itself_is_refused(arm, strides):
    q, v, a = states_of(arm, 9)
    with pytest.raises(ValueError, match="E_OUT inverse_dynamics: argument 'out' has rows or entries that share memory"):
        zw.inverse_dynamics(arm, q, v, a, out=strided((9, 7), strides))
    with pytest.raises(ValueError, match="E_OUT"):
        zw.rollout(arm, q, v, a, steps=1, dt=1e-3, out=(strided((9, 7), strides), np.zeros((9, 7))))


@pytest.mark.parametrize("strides", [(7, 1), (8, 1), (1, 9), (20, 2), (2, 27), (9, 2), (14, 2), (1, 10)])
def test_an_out_with_gaps_or_interleaved_rows_is_filled(arm, strides):
    q, v, a = states_of(arm, 9)
    out = strided((9, 7), strides)
    assert np.array_equal(zw.inverse_dynamics(arm, q, v, a, out=out), zw.inverse_dynamics(arm, q, v, a))


def test_a_broadcast_out_of_any_size_is_refused_at_once(arm):
    with pytest.raises(ValueError, match="E_OUT"):
        zw.gravity_forces(arm, np.broadcast_to(arm.neutral(), (10**9, 7)), out=strided((10**9, 7), (0, 1)))


def test_a_status_may_not_overlap_itself_nor_an_argument(arm):
    q, v, a = states_of(arm, 9)
    with pytest.raises(ValueError, match="E_OUT inverse_dynamics: argument 'status' has entries that share memory"):
        zw.inverse_dynamics(arm, q, v, a, status=strided((9,), (0,), np.uint8))
    for more in ({}, {"gravity": [0, 0, -1]}):
        with pytest.raises(ValueError, match="E_OUT inverse_dynamics: argument 'status' shares memory with 'v'"):
            zw.inverse_dynamics(arm, q, v, a, status=v.view(np.uint8).reshape(-1)[:9], **more)


def test_columns_of_a_solve_go_to_memory_of_their_own(arm):
    solver = zw.Solver(arm, held(arm))
    solver.solve(arm.random(1))
    both = np.zeros((4, 7))
    with pytest.raises(ValueError, match="E_OUT Solver.solve_columns"):
        solver.solve_columns(np.zeros((4, 7)), np.zeros((4, 3)), out=(both, both[:, :3]))


def test_a_refused_row_leaves_what_delassus_writes_as_it_was(arm):
    d = zw.Delassus(arm, held(arm), arm.random(1))
    x, out = np.ones((5, 3)), np.full((5, 3), 3.0)
    x[4, 1] = np.nan
    try:
        d.apply(x, out=out)
    except ValueError:
        assert (out == 3).all()
