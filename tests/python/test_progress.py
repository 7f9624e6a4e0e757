# SPDX-License-Identifier: BSD-3-Clause
"""progress=: every long call looks as often as a ProgressEvery says, and a look ends it."""
import dataclasses
import io
import pickle

import numpy as np
import pytest
import zwang as zw
from conftest import load_project, presses_ctrl_c, states_of

N = 600
ARM = load_project("arm7", "fixed")
SETS = zw.ConstraintSet(ARM)
SETS.add_frame("tool", frame="tool0", rows="linear")
SOLVER = zw.Solver(ARM, SETS)
Q, V, TAU = states_of(ARM, N)
WEIGHTS = np.ones((N, 7))
STILL = [0, 0, -1.6]  # with a gravity of the call there are no lanes


def solved():
    SOLVER.solve(Q, V, TAU)
    return SOLVER


CALLS = {
    "inverse_dynamics": lambda **w: zw.inverse_dynamics(ARM, Q, V, TAU, **w),
    "inverse_dynamics, float32": lambda **w: zw.inverse_dynamics(ARM, *(x.astype(np.float32) for x in (Q, V, TAU)), **w),
    "inverse_dynamics, one by one": lambda **w: zw.inverse_dynamics(ARM, Q, V, TAU, gravity=STILL, **w),
    "inverse_dynamics_derivatives": lambda **w: zw.inverse_dynamics_derivatives(ARM, Q, V, TAU, **w),
    "rollout": lambda **w: zw.rollout(ARM, Q, V, TAU, steps=3, dt=1e-3, **w),
    "rollout with feedback": lambda **w: zw.rollout(ARM, Q[:2], V[:2], lambda t, q, v: -v, steps=5, dt=1e-3, **w),
    "Solver.rollout": lambda **w: SOLVER.rollout(Q, V, TAU, steps=3, dt=1e-3, **w),
    "Solver.solve": lambda **w: SOLVER.solve(Q, V, TAU, **w),
    "Solver.solve, one by one": lambda **w: SOLVER.solve(Q, V, TAU, gravity=STILL, **w),
    "Solver.solve of one state": lambda **w: SOLVER.solve(Q[0], V[0], TAU[0], **w),
    "Solver.impulse": lambda **w: SOLVER.impulse(Q, V, **w),
    "Solver.impulse of one state": lambda **w: SOLVER.impulse(Q[0], V[0], **w),
    "Solver.derivatives": lambda **w: solved().derivatives(**w),
    "Solver.vjp": lambda **w: solved().vjp(acceleration=WEIGHTS, **w),
    "Solver.jvp": lambda **w: solved().jvp(q=WEIGHTS, **w),
    "simulate": lambda **w: zw.simulate(ARM, SETS, Q[0], V[0], time=0.005, dt=1e-3, **w),
    "simulate, many": lambda **w: zw.simulate(ARM, SETS, Q[:3], V[:3], time=0.005, dt=1e-3, **w),
    "simulate, one after the other": lambda **w: zw.simulate(ARM, SETS, Q[:3], V[:3], lambda t, q, v: -v, time=0.005, dt=1e-3, **w),
}
EACH = pytest.mark.parametrize("name", CALLS)


@EACH
def test_with_an_interval_of_0_a_call_looks_at_every_chunk(name):
    seen = []
    with zw.set_threads(1):
        CALLS[name](progress=zw.ProgressEvery(0, lambda *at: seen.append(at)))
    assert len(seen) > 1 and seen == sorted(seen) and len({total for _, total in seen}) == 1
    assert all(0 <= done <= total for done, total in seen) and ("of one state" in name or seen[-1][0] > 0)


@EACH
def test_with_a_long_interval_a_call_does_not_look(name):
    seen = []
    CALLS[name](progress=zw.ProgressEvery(1e9, lambda *at: seen.append(at)))
    assert seen == []


@EACH
def test_what_a_look_raises_ends_a_call_there(name):
    seen = []

    def enough(done, total):
        seen.append(done)
        raise LookupError("enough")
    with pytest.raises(LookupError, match="enough"):
        CALLS[name](progress=zw.ProgressEvery(0, enough))
    assert len(seen) == 1


@EACH
def test_ctrl_c_is_seen_at_the_next_look(name):
    status = np.zeros(() if "of one state" in name else N, np.uint8)
    words = {} if name.startswith(("simulate", "rollout with", "Solver.derivatives", "Solver.vjp", "Solver.jvp")) else {"status": status}
    with zw.set_threads(1), pytest.raises(KeyboardInterrupt):
        CALLS[name](progress=zw.ProgressEvery(0, presses_ctrl_c()), **words)
    assert not words or (status == zw.Status.stopped).any()  # it was stopped; Python did not raise after its end


def test_one_state_of_a_loop_is_one_chunk():
    seen = []
    zw.inverse_dynamics(ARM, Q, V, TAU, gravity=STILL, progress=zw.ProgressEvery(0, lambda *at: seen.append(at)))
    assert seen == [(k, N) for k in range(N)]


@pytest.mark.parametrize("call, interval, shown", [(True, 0, True), (True, 1e9, False), (None, 0, False), (False, 0, False)])
def test_a_bar_is_drawn_on_a_terminal_alone_and_wiped_away(call, interval, shown, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True
    for kind, drawn in ((Terminal, shown), (io.StringIO, False)):
        with monkeypatch.context() as patch:
            patch.setattr("sys.stderr", kind())
            import sys
            CALLS["inverse_dynamics"](progress=zw.ProgressEvery(interval, call))
            said = sys.stderr.getvalue()
        assert bool(said) == drawn
        if drawn:
            lines = said.split("\r")
            assert lines[1] == f"inverse_dynamics [{' ' * 30}] 0 of {N}" and lines[-1] == "" and not lines[-2].strip()


def test_a_progress_every_is_a_frozen_value():
    every = zw.ProgressEvery()
    assert (every.interval, every.call) == (0.1, None) and repr(every) == "ProgressEvery(interval=0.1, call=None)"
    assert pickle.loads(pickle.dumps(zw.ProgressEvery(np.float32(2), True))) == zw.ProgressEvery(2, True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        every.interval = 3


@pytest.mark.parametrize("interval", [-1, -1e-300, float("nan"), "fast", None, 1j, [0]])
def test_an_interval_that_is_no_time_is_refused_by_its_name(interval):
    with pytest.raises(ValueError, match="E_NUMBER ProgressEvery: argument 'interval' is .*, expected a time of 0 or more"):
        zw.ProgressEvery(interval)


def test_a_call_that_cannot_be_called_is_refused_by_its_name():
    with pytest.raises(ValueError, match="E_DTYPE ProgressEvery: argument 'call' has type int"):
        zw.ProgressEvery(1, 7)
    with pytest.raises(ValueError, match="'progress' has type int, expected True, False, a callable .* or a ProgressEvery"):
        CALLS["inverse_dynamics"](progress=7)


def test_a_study_is_told_as_often(tmp_path):
    pytest.importorskip("pyarrow", reason="studies write Parquet: pip install zwang[study]")
    study = zw.Study(ARM, what="gravity_forces", over=zw.study.Sample(40, 1, q="limits"), block=10)
    for k, (interval, expected) in enumerate(((0, [10, 20, 30, 40]), (1e9, [40]))):  # the end is always told
        told = []
        study.run(tmp_path / str(k), progress=zw.ProgressEvery(interval, lambda done, total: told.append(done)))
        assert told == expected
    with pytest.raises(ValueError, match="argument 'progress' is 7"):
        study.run(tmp_path / "wrong", progress=7)
