# SPDX-License-Identifier: BSD-3-Clause
"""A solve of one state that takes long: Ctrl-C and progress= end it, other threads run meanwhile, and the solver is as good as new."""
import os
import signal
import threading
import time

import numpy as np
import pytest
import zwang as zw

JOINTS = 320
"""Of a chain, each link held by six rows: 1920 rows of rank 320. A solve takes about six seconds."""


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


class Interrupted:
    """Ctrl-C `after` so many seconds, and how long it takes until the block ends; while another thread counts."""

    def __init__(self, after):
        self.after, self.said, self.late, self.counted = after, None, None, 0

    def _say(self):
        end = time.monotonic() + self.after
        while time.monotonic() < end:  # needs the interpreter's lock
            self.counted += 1
            time.sleep(0.005)
        self.said = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self):
        self.thread = threading.Thread(target=self._say)
        self.thread.start()
        return self

    def __exit__(self, *_):
        end = time.monotonic()
        self.thread.join()
        self.late = end - self.said


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
    with pytest.raises(KeyboardInterrupt), Interrupted(0.3) as x:
        solver.solve(q)
    assert x.late < 1
    assert x.counted > 5, "the solve holds the interpreter's lock"
    with pytest.raises(RuntimeError):
        solver.resolve()  # no factorisation is left
    solves_a_small_problem(solver, constraints, q)
    with pytest.raises(KeyboardInterrupt), Interrupted(0.3) as x:
        solver.impulse(q, np.ones(q.shape))
    assert x.late < 1
    solves_a_small_problem(solver, constraints, q)


def test_ctrl_c_ends_long_solves_that_states_are_solved_by(long_solve):
    solver, constraints, q = long_solve
    status = np.zeros(3, np.uint8)
    with pytest.raises(KeyboardInterrupt), Interrupted(0.6) as x:
        solver.solve(np.tile(q, (3, 1)), gravity=[0, 0, -9], status=status)  # one by one
    assert x.late < 1.5
    assert (status == zw.Status.stopped).all()
    solves_a_small_problem(solver, constraints, q)


def test_an_exception_of_progress_ends_a_long_solve(long_solve):
    solver, constraints, q = long_solve
    calls, status = [], np.zeros((), np.uint8)
    small = zw.Solver(solver.model, zw.ConstraintSet(solver.model)).solve(q)
    before = small.acceleration.copy()

    def progress(done, total):
        calls.append((done, total))
        if len(calls) == 3:
            raise LookupError("enough")

    begin = time.monotonic()
    with pytest.raises(LookupError, match="enough"):
        solver.solve(q, progress=progress, status=status)
    assert 0.2 < time.monotonic() - begin < 2
    assert calls == [(0, 1)] * 3 and status == zw.Status.stopped
    assert np.array_equal(small.acceleration, before)
    solves_a_small_problem(solver, constraints, q)


def test_a_solve_that_is_let_pass_keeps_its_bits():
    model = chain(60)
    q = np.full(model.nq, 0.3)
    solver = zw.Solver(model, held(model))
    calls = []
    assert np.array_equal(solver.solve(q, progress=lambda *x: calls.append(x)).multipliers, solver.solve(q).multipliers)
