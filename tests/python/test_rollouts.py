# SPDX-License-Identifier: BSD-3-Clause
"""Rollouts of many states: steps of one state, constraints held, prescribed accelerations, out=."""
import pickle

import numpy as np
import pytest
import zwang as zw
from conftest import close, load_project, states_of


def test_rollouts_are_steps(robots):
    for m in robots:
        q, v, tau = states_of(m, 9)
        per_step = np.random.default_rng(5).uniform(-1, 1, (9, 6, m.nv))
        h = 1e-4
        for torque in (tau, per_step):
            x, y = q, v
            effects = zw.JointEffects(damping=False)
            together = zw.rollout(m, q, v, torque, steps=6, dt=h, trajectory=True, joint_effects=effects)
            if not (together.status == zw.Status.ok).all():
                continue  # a random robot may be singular somewhere
            for k in range(6):
                a = zw.forward_dynamics(m, x, y, torque if torque.ndim == 2 else torque[:, k], joint_effects=effects)
                y = y + h * a
                x = zw.integrate(m, x, h * y)
                close(together.q[:, k], x, k=1e6)
                close(together.v[:, k], y, k=1e6)
            end = zw.rollout(m, q, v, torque, steps=6, dt=h, joint_effects=effects)
            assert np.array_equal(end.q, together.q[:, -1]) and np.array_equal(end.v, together.v[:, -1])


def test_rollouts_hold_prescribed_accelerations(arm, held):
    q, v = np.array([0.3 * arm.random(seed=k) for k in range(9)]), np.full((9, arm.nv), 0.1)
    given = {"joint2": np.linspace(-1, 1, 9), "joint5": np.full(9, 0.5)}
    r = held.rollout(q, v, steps=20, dt=1e-3, prescribed=given)
    assert np.all(r.status == 0)
    assert np.allclose(r.v[:, 1], 0.1 + 0.02 * given["joint2"], atol=1e-15) and np.allclose(r.v[:, 4], 0.11, atol=1e-15)
    for k in (0, 4):
        one = held.rollout(q[k], v[k], steps=20, dt=1e-3, prescribed={name: x[k] for name, x in given.items()})
        assert np.array_equal(one.q, r.q[k]) and np.array_equal(one.v, r.v[k])
    feedback = held.rollout(q, v, lambda t, q, v: np.zeros_like(v), steps=20, dt=1e-3, prescribed=given)
    assert np.array_equal(feedback.v, r.v)
    with pytest.raises(ValueError, match="prescribed"):
        held.rollout(q, v, steps=2, dt=1e-3, prescribed={"joint2": np.nan})
    with pytest.raises(ValueError, match="did you mean"):
        held.rollout(q, v, steps=2, dt=1e-3, prescribed={"joint22": 1.0})


def test_rollouts_hold_constraints_and_fill_out(arm, held):
    q, v, tau = states_of(arm, 12)
    v[:] = 0
    still = zw.ConstraintSet(arm)
    still.add_frame("tool", frame="tool0", rows="linear")
    solver = zw.Solver(arm, still)
    end = solver.rollout(q, v, tau, steps=50, dt=1e-4)
    moved = np.abs(zw.frame_pose(arm, end.q, "tool0") - zw.frame_pose(arm, q, "tool0"))[:, :3, 3].max()
    free = solver.rollout(q, v, tau, steps=50, dt=1e-4, active=[False])
    fell = np.abs(zw.frame_pose(arm, free.q, "tool0") - zw.frame_pose(arm, q, "tool0"))[:, :3, 3].max()
    assert moved < 1e-6 < 1e-5 < fell
    plain = zw.rollout(arm, q, v, tau, steps=50, dt=1e-4)
    close(free.q, plain.q, k=1e6)
    out = (np.empty((12, 7)), np.empty((12, 7)))
    again = solver.rollout(q, v, tau, steps=50, dt=1e-4, out=out)
    assert again.q is out[0] and again.v is out[1] and np.array_equal(again.q, end.q)
    third = solver.rollout(q, v, tau, steps=50, dt=1e-4, out=again)
    assert third.q is again.q and third.status is again.status
    spread = np.empty((12, 100, 7))[:, ::2]
    path = solver.rollout(q, v, tau, steps=50, dt=1e-4, trajectory=True, out=(spread, np.empty((12, 50, 7))))
    assert path.q is spread and np.array_equal(spread[:, -1], end.q)
    one = solver.rollout(q[2], v[2], tau[2], steps=50, dt=1e-4, trajectory=True)
    assert one.q.shape == (50, 7) and one.status == 0 and np.array_equal(one.q[-1], end.q[2])
    single = solver.rollout(q.astype("f"), v.astype("f"), tau.astype("f"), steps=50, dt=1e-4)
    assert single.q.dtype == np.float32 and np.abs(single.q - end.q).max() < 1e-4
    with pytest.raises(ValueError, match="state 3: E_NUMBER Solver.rollout: argument 'v'"):
        v[3, 1] = np.inf
        solver.rollout(q, v, tau, steps=5, dt=1e-3)
    status = np.zeros(12, np.uint8)
    bad = solver.rollout(q, v, tau, steps=5, dt=1e-3, status=status)
    assert bad.status is status and status[3] == zw.Status.non_finite_input and np.isnan(bad.q[3]).all() and np.isfinite(bad.q[4]).all()
    for named, match in [({"steps": 0}, "steps"), ({"dt": 0}, "dt"), ({"dt": float("nan")}, "dt"), ({"tau": np.zeros((12, 3, 7))}, "tau"),
                         ({"in_": "link3", "external": {"tool0": [0] * 6}}, "in_"), ({"out": 3}, "out"), ({"steps": 1 << 30}, "steps"),
                         ({"out": (np.empty((12, 7)), np.empty((11, 7)))}, "out.1."), ({"active": [True, False]}, "active")]:
        with pytest.raises(ValueError, match=match):
            solver.rollout(q, **{"steps": 5, "dt": 1e-3, **named})


def test_rk4_is_that_of_simulate_and_of_order_four(robots, arm, held):
    for m in robots:
        q, v, tau = states_of(m, 5)
        r = zw.rollout(m, q, v, 0.1 * tau, steps=6, dt=1e-3, integrator="rk4", trajectory=True)
        for k in (0, 4):
            one = zw.rollout(m, q[k], v[k], 0.1 * tau[k], steps=6, dt=1e-3, integrator="rk4")
            assert np.array_equal(one.q, r.q[k, -1], equal_nan=True)
            if r.status[k] != zw.Status.ok:
                continue  # a random robot may be singular somewhere
            simulated = zw.simulate(m, None, q[k], v[k], 0.1 * tau[k], time=6e-3, dt=1e-3, integrator="rk4")
            close(r.q[k, -1], simulated.q[-1], k=1e6)
            close(r.v[k, -1], simulated.v[-1], k=1e6)
    q, v, tau = states_of(arm, 20)
    effects = zw.JointEffects(damping=False)
    ends = [held.rollout(q, 0.2 * v, tau, steps=n, dt=0.08 / n, integrator="rk4", joint_effects=effects).q for n in (4, 8, 16)]
    fine, coarse = np.abs(ends[2] - ends[1]).max(), np.abs(ends[1] - ends[0]).max()
    assert 10 < coarse / fine < 24, coarse / fine  # 16 at order 4
    single = held.rollout(*(x.astype("f") for x in (q, v, tau)), steps=8, dt=1e-3, integrator="rk4")
    assert single.q.dtype == np.float32
    assert np.abs(single.q - held.rollout(q, v, tau, steps=8, dt=1e-3, integrator="rk4").q).max() < 1e-4
    feedback = held.rollout(q, v, lambda t, q, v: tau, steps=3, dt=1e-3, integrator="rk4")
    close(feedback.q, held.rollout(q, v, tau, steps=3, dt=1e-3, integrator="rk4").q)
    with pytest.raises(ValueError, match="expected semi_implicit or rk4; zwang.simulate takes"):
        zw.rollout(arm, q, v, steps=2, dt=1e-3, integrator="variational")


def test_notes_count_the_states_that_violate_rows():
    dog = load_project("quadruped", "floating")
    feet = zw.ConstraintSet(dog)
    feet.add_contact("foot", "LF_foot")
    feet.add_distance("rod", frames=("RH_foot", "LH_foot"), length=0.3)
    solver = zw.Solver(dog, feet)
    q, v, tau = states_of(dog, 10)
    v[:4] = 0  # no velocity, and their rods are as long as they are
    r = solver.rollout(q, v, tau, steps=20, dt=1e-3)
    speeds = np.array([feet_speed(dog, a, b) for a, b in zip(q, v)])
    first = [n for n in r.notes if "where the last step begins" not in n]
    assert len(first) == 5 and len(r.notes) > 5 and f"{len(r.notes)} notes" in repr(r)
    for axis, row in enumerate(("tangent1", "tangent2", "normal")):
        note = [n for n in first if f"'foot:{row}'" in n]
        worst = speeds[np.argmax(abs(speeds[:, axis])), axis]
        assert len(note) == 1 and note[0].startswith("in 6 states, at worst: the velocity violates") and f"{worst:.3g}"[:5] in note[0], (note, worst)
    assert any(n.startswith("in 10 states") and "'rod" in n and "open" in n for n in first), first
    assert pickle.loads(pickle.dumps(r)).notes == r.notes
    fed = solver.rollout(q, v, lambda t, q, v: tau, steps=20, dt=1e-3)
    assert len(fed.notes) == len(r.notes) and fed.notes[0] == r.notes[0]
    assert len(solver.rollout(*(x.astype("float32") for x in (q, v, tau)), steps=20, dt=1e-3).notes) == len(r.notes)
    assert len(zw.rollout(dog, q, v, steps=2, dt=1e-3).notes) == 0


def feet_speed(dog, q, v):
    return zw.frame_velocity(dog, q, v, "LF_foot", "local_world_aligned")[:3]
