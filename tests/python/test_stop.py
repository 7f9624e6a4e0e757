# SPDX-License-Identifier: BSD-3-Clause
"""A long solve of one state: Ctrl-C and progress= end it wherever it looks, other threads run meanwhile, and the solver is as good as new."""
import signal
import threading
import time

import numpy as np
import pytest
import zwang as zw
from conftest import ctrl_c_of_another_thread, presses_ctrl_c

JOINTS = 100
"""Of a chain, each link held by six rows: 600 rows of rank 100. From 512 rows on the interpreter's lock is released."""


def chain(joints):
    text = "<link name='l0'/>"
    for k in range(1, joints + 1):
        text += (f"<link name='l{k}'><inertial><origin xyz='.1 .02 .3'/><mass value='1'/>"
                 "<inertia ixx='.08' iyy='.07' izz='.05' ixy='.01' ixz='0' iyz='0'/></inertial></link>"
                 f"<joint name='j{k}' type='continuous'><origin xyz='.1 .2 .3' rpy='.3 .2 .1'/><parent link='l{k - 1}'/>"
                 f"<child link='l{k}'/><axis xyz='{('0 0 1', '0 1 0', '1 0 0')[k % 3]}'/></joint>")
    return zw.loads(f"<robot name='chain'>{text}</robot>")


def held(model):
    constraints = zw.ConstraintSet(model)
    for k in range(1, model.nv + 1):
        constraints.add_frame(f"c{k}", f"l{k}")
    return constraints


@pytest.fixture(scope="module")
def long_solve():
    model = chain(JOINTS)
    constraints = held(model)
    return zw.Solver(model, constraints), constraints, np.full(model.nq, 0.3)


def solves_a_small_problem(solver, constraints, q):
    """With most rows switched off: the bits of a new solver's."""
    model = solver.model
    for k in range(1, model.nv + 1):
        constraints[f"c{k}"].active = k < 4
    try:
        got, fresh = solver.solve(q), zw.Solver(model, constraints).solve(q)
        assert got.status == "ok" and np.array_equal(got.acceleration, fresh.acceleration)
        assert np.array_equal(got.multipliers, fresh.multipliers) and got.report.rank == fresh.report.rank == 3
    finally:
        for k in range(1, model.nv + 1):
            constraints[f"c{k}"].active = True


def test_ctrl_c_ends_a_long_solve_and_leaves_the_solver_as_new(long_solve):
    solver, constraints, q = long_solve
    for call in (solver.solve, lambda q, **words: solver.impulse(q, np.ones(q.shape), **words)):
        status = np.zeros((), np.uint8)
        with pytest.raises(KeyboardInterrupt):  # pressed at the first look, seen at the second
            call(q, status=status, progress=zw.ProgressEvery(0, presses_ctrl_c()))
        assert status == zw.Status.stopped
        with pytest.raises((RuntimeError, zw.WorkspaceMismatch)):
            solver.resolve()  # no factorisation is left
        solves_a_small_problem(solver, constraints, q)


def test_a_long_solve_lets_other_threads_run_and_their_ctrl_c_end_it(long_solve):
    solver, constraints, q = long_solve
    with pytest.raises(KeyboardInterrupt), ctrl_c_of_another_thread():
        while True:
            solver.solve(q)
    solves_a_small_problem(solver, constraints, q)


def test_ctrl_c_ends_long_solves_that_states_are_solved_by(long_solve):
    solver, constraints, q = long_solve
    status = np.zeros(3, np.uint8)
    with pytest.raises(KeyboardInterrupt):
        solver.solve(np.tile(q, (3, 1)), gravity=[0, 0, -9], status=status, progress=zw.ProgressEvery(0, presses_ctrl_c()))  # one by one
    assert (status == zw.Status.stopped).all()

    def in_the_second(done, total):
        assert total == 3
        if done == 1:
            raise LookupError("enough")
    with pytest.raises(LookupError):
        solver.solve(np.tile(q, (3, 1)), gravity=[0, 0, -9], status=status, progress=zw.ProgressEvery(0, in_the_second))
    assert list(status == zw.Status.stopped) == [False, True, True]
    solves_a_small_problem(solver, constraints, q)


def test_an_exception_of_progress_ends_a_long_solve_at_whatever_look(long_solve):
    solver, constraints, q = long_solve
    status, calls, last = np.zeros((), np.uint8), [], None
    small = zw.Solver(solver.model, zw.ConstraintSet(solver.model)).solve(q)
    before = small.acceleration.copy()

    def progress(done, total):
        calls.append((done, total))
        if len(calls) == last:
            raise LookupError("enough")
    solver.solve(q, progress=zw.ProgressEvery(0, progress))
    looks = len(calls)
    assert looks > constraints.rows and set(calls) == {(0, 1)}  # at each row at least
    for last in (1, 2, looks // 7, looks // 3, looks // 2, looks - 1, looks):
        calls.clear()
        with pytest.raises(LookupError, match="enough"):
            solver.solve(q, progress=zw.ProgressEvery(0, progress), status=status)
        assert len(calls) == last and status == zw.Status.stopped
    assert np.array_equal(small.acceleration, before)
    solves_a_small_problem(solver, constraints, q)


def test_a_solve_that_is_let_pass_keeps_its_bits():
    model = chain(60)
    q = np.full(model.nq, 0.3)
    solver = zw.Solver(model, held(model))
    calls = []
    assert np.array_equal(solver.solve(q, progress=zw.ProgressEvery(0, lambda *x: calls.append(x))).multipliers, solver.solve(q).multipliers)
    assert calls


@pytest.mark.timed
def test_ctrl_c_ends_a_solve_of_1920_rows_within_a_second():
    model = chain(320)
    solver, said = zw.Solver(model, held(model)), []

    def press(done, total):
        if not said:
            said.append(time.monotonic())
            threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        solver.solve(np.full(model.nq, 0.3), progress=press)
    assert time.monotonic() - said[0] < 1.3
