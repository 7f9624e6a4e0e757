# SPDX-License-Identifier: BSD-3-Clause
"""Many states at once: lanes and threads give what one state gives; status, masks, float32, progress, Ctrl-C."""
import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
import zwang as zw
from conftest import close, ctrl_c_of_another_thread, growth, presses_ctrl_c, states_of

ANGULAR = {"local", "world", "local_world_aligned"}


def calls(m):
    """Every function with a batch: name, arguments out of (q, v, a), keywords."""
    tip, base = m.link_names[-1], m.link_names[1]
    push = {tip: np.linspace(-3, 4, 6)}
    yield from [
        ("inverse_dynamics", "qva", {}), ("inverse_dynamics", "qva", {"external": push}),
        ("inverse_dynamics", "qva", {"external": push, "in_": base}),
        ("inverse_dynamics", "qva", {"external": push, "in_": "world", "joint_effects": zw.JointEffects(friction=True)}),
        ("inverse_dynamics", "qva", {"gravity": [1, 2, -3]}), ("forward_dynamics", "qva", {}),
        ("forward_dynamics", "qva", {"external": push, "in_": "local"}), ("bias_forces", "qv", {}), ("gravity_forces", "q", {}),
        ("mass_matrix", "q", {}), ("mass_matrix", "q", {"joint_effects": zw.JointEffects(armature=False)}),
        ("mass_matrix_inverse", "q", {}), ("mass_matrix_solve", "qv", {}), ("kinetic_energy", "qv", {}), ("potential_energy", "q", {}), ("centre_of_mass", "q", {}),
        ("centre_of_mass_velocity", "qv", {}), ("centre_of_mass_acceleration", "qva", {}), ("centre_of_mass_jacobian", "q", {}),
        ("integrate", "qv", {}), ("coriolis_matrix", "qv", {}), ("static_torque", "q", {"external": push}),
        ("mechanical_energy", "qv", {}), ("centroidal_map", "q", {}), ("centroidal_map_dot", "qv", {}),
        ("centroidal_momentum", "qv", {}), ("centroidal_momentum_rate", "qva", {}), ("centroidal_inertia", "q", {}),
        ("inverse_dynamics_regressor", "qva", {}),
    ]
    for reference in (*sorted(ANGULAR), base):
        for name, letters in (("frame_velocity", "qv"), ("frame_acceleration", "qva"), ("jacobian", "q"), ("jacobian_dot", "qv")):
            yield name, letters, {"frame": tip, "reference": reference}
    yield "frame_pose", "q", {"frame": tip}
    yield "frame_poses", "q", {"frames": [tip, base, tip]}
    yield "frame_acceleration", "qva", {"frame": tip, "kind": "spatial", "with_gravity": True}


def test_every_function_in_lanes_is_the_function_of_one_state(robots):
    for m in robots:
        given = dict(zip("qva", states_of(m, 37)))  # no multiple of the lanes
        for name, letters, named in calls(m):
            f, batch = getattr(zw, name), [given[x] for x in letters]
            together = f(m, *batch, **named)
            for k in (0, 17, 36):
                one = np.asarray(f(m, *[x[k] for x in batch], **named))
                # Rounding: in lanes other sums are fused. Solutions carry the condition of M.
                M = zw.mass_matrix(m, given["q"][k]) if name in ("forward_dynamics", "mass_matrix_inverse", "mass_matrix_solve") else None
                close(together[k], one, scale=np.abs(one).max(initial=1) * (1 if M is None else np.linalg.cond(M)), k=256)


def test_several_results_are_a_tuple(dog):
    names = ("centre_of_mass", "centre_of_mass_velocity", "centre_of_mass_acceleration")
    q, v, a = states_of(dog, 21)
    for x in ((q, v, a), (q[0], v[0], a[0])):
        got = zw.centre_of_mass_motion(dog, *x)
        assert isinstance(got, tuple) and len(got) == 3
        for k, name in enumerate(names):
            close(got[k], getattr(zw, name)(dog, *x[:k + 1]), scale=np.abs(got[k]).max(), k=64)
    out = (np.empty((21, 3)), np.empty((21, 6))[:, ::2], np.empty((3, 21)).T)
    assert all(x is y for x, y in zip(zw.centre_of_mass_motion(dog, q, v, a, out=out), out))
    close(out[2], zw.centre_of_mass_acceleration(dog, q, v, a), scale=np.abs(out[2]).max(), k=64)
    status = np.full(21, 99, np.uint8)
    single = zw.centre_of_mass_motion(dog, *(np.float32(x) for x in (q, v, a)), status=status)
    assert {x.dtype.name for x in single} == {"float32"} and not status.any()
    with pytest.raises(ValueError, match="expected a tuple of three arrays"):
        zw.centre_of_mass_motion(dog, q, v, a, out=out[0])
    with pytest.raises(ValueError, match=r"out\[1\]"):
        zw.centre_of_mass_motion(dog, q, v, a, out=(out[0], np.empty((21, 4)), out[2]))


def test_a_state_does_not_depend_on_its_place_nor_on_threads(dog):
    q, v, a = states_of(dog, 301)
    zw.set_threads(1)
    assert zw.threads() == 1
    alone = zw.forward_dynamics(dog, q, v, a)
    try:
        for n in (2, 3, 0):
            zw.set_threads(n)
            assert zw.threads() == n or n == 0
            assert np.array_equal(zw.forward_dynamics(dog, q, v, a), alone)
        assert np.array_equal(zw.forward_dynamics(dog, q[5:29], v[5:29], a[5:29]), alone[5:29])
        assert np.array_equal(zw.forward_dynamics(dog, q[::-1], v[::-1], a[::-1]), alone[::-1])
    finally:
        zw.set_threads(0)
    for wrong in (-1, 5000):
        with pytest.raises(ValueError, match="set_threads"):
            zw.set_threads(wrong)


def test_the_number_of_threads_is_as_before_after_a_block():
    before = zw.threads()
    with zw.set_threads(3):
        with zw.set_threads(2):
            assert zw.threads() == 2
        assert zw.threads() == 3
    assert zw.threads() == before
    with pytest.raises(KeyError), zw.set_threads(3):
        raise KeyError
    assert zw.threads() == before


def test_arrays_of_every_layout_give_one_answer(dog):
    q, v, a = states_of(dog, 45)
    expected = zw.inverse_dynamics(dog, q, v, a)

    def layouts(x):
        wide = np.zeros((2 * x.shape[0], x.shape[1] + 3))
        wide[::2, 1:-2] = x
        yield wide[::2, 1:-2]
        yield np.asfortranarray(x)
        yield x[::-1].copy()[::-1]
        yield x[:, ::-1].copy()[:, ::-1]
        yield x.tolist()
    for Q, V, A in zip(layouts(q), layouts(v), layouts(a)):
        assert np.array_equal(zw.inverse_dynamics(dog, Q, V, A), expected)
    one = np.broadcast_to(v[0], v.shape)
    assert np.array_equal(zw.bias_forces(dog, q, one), zw.bias_forces(dog, q, v[0]))
    assert np.array_equal(zw.bias_forces(dog, q[0], v)[3], zw.bias_forces(dog, q[:4] * 0 + q[0], v[:4])[3])
    last = np.concatenate([q.ravel(), np.full(3, np.nan)])[:q.size].reshape(q.shape)  # nothing behind the end is read into it
    assert np.array_equal(zw.gravity_forces(dog, last), zw.gravity_forces(dog, q))


def test_out_is_filled_without_a_copy_and_nothing_beside_it(dog):
    q, v, a = states_of(dog, 45)
    expected, M = zw.inverse_dynamics(dog, q, v, a), zw.mass_matrix(dog, q)
    wide = np.full((45, dog.nv + 5), 7.0)
    assert zw.inverse_dynamics(dog, q, v, a, out=wide[:, 2:-3]) is not None
    assert np.array_equal(wide[:, 2:-3], expected) and (wide[:, :2] == 7).all() and (wide[:, -3:] == 7).all()
    for out in (np.empty(M.shape, order="F"), np.empty((45, dog.nv, dog.nv + 1))[:, :, :-1], np.empty((90, dog.nv, dog.nv))[::-2]):
        assert zw.mass_matrix(dog, q, out=out) is out and np.array_equal(out, M)


def test_float32_stays_float32(dog, held):
    q, v, a = states_of(dog, 33)
    single = [x.astype(np.float32) for x in (q, v, a)]
    eps = np.finfo(np.float32).eps
    for name, letters, named in calls(dog):
        picked = [dict(zip("qva", range(3)))[x] for x in letters]
        got = getattr(zw, name)(dog, *[single[k] for k in picked], **named)
        assert got.dtype == np.float32
        exact = getattr(zw, name)(dog, *[single[k].astype(float) for k in picked], **named)
        condition = 1e4 if name in ("forward_dynamics", "mass_matrix_inverse") else 64  # of M, of long sums
        assert np.abs(got - exact).max() <= condition * eps * (1 + np.abs(exact).max()), name
        out = np.empty_like(got)
        assert getattr(zw, name)(dog, *[single[k] for k in picked], **named, out=out) is out and np.array_equal(out, got)
    for given in ((single[0], v, a), (q, single[1], a), (single[0][0], single[1][0], single[2][0]), (single[0], [0] * dog.nv, single[2])):
        with pytest.raises(ValueError, match="E_DTYPE inverse_dynamics: argument .* float32, expected float64"):
            zw.inverse_dynamics(dog, *given)
    with pytest.raises(ValueError, match="E_OUT.*writable float32 array"):
        zw.inverse_dynamics(dog, *single, out=np.empty((33, dog.nv)))
    with pytest.raises(ValueError, match="E_DTYPE.*float32"):
        zw.distance(dog, single[0], single[0])
    arm = held.model
    q, v, a = (x.astype(np.float32) for x in states_of(arm, 20))
    x, y = held.solve(q, v, a), held.solve(q.astype(float), v.astype(float), a.astype(float))
    assert x.acceleration.dtype == np.float32 and (x.status == 0).all()
    assert np.abs(x.acceleration - y.acceleration).max() < 1e-3 * np.abs(y.acceleration).max()


def test_status_instead_of_an_exception(dog):
    q, v, a = states_of(dog, 50)
    v[7, 3], q[9, 3:7], a[11] = np.nan, 3.0, 1e308
    for kind in (np.uint8, np.int8):
        status = np.full(100, 77, kind)
        tau = zw.inverse_dynamics(dog, q, v, a, status=status[::2])
        assert [zw.Status(k).name for k in status[[14, 18, 22, 0]]] == ["non_finite_input", "invalid_input", "overflow", "ok"]
        assert (status[1::2] == 77).all() and np.isnan(tau[[7, 9, 11]]).all() and np.isfinite(np.delete(tau, [7, 9, 11], 0)).all()
        assert zw.Status.ok == 0 and zw.Status(status[14]) == zw.Status.non_finite_input
    looped = np.zeros(50, np.uint8)
    alone = zw.inverse_dynamics(dog, q, v, a, gravity=[0, 0, -9.81], status=looped)  # state by state
    assert looped[7] == zw.Status.non_finite_input and looped[9] == zw.Status.invalid_input and np.isnan(alone[[7, 9]]).all()
    for wrong in (np.zeros(49, np.uint8), np.zeros(50), np.zeros(50, bool), "x", [0] * 50, np.zeros((50, 1), np.uint8)):
        with pytest.raises(ValueError, match="E_OUT inverse_dynamics: argument 'status'.*uint8 array of shape .50,"):
            zw.inverse_dynamics(dog, q, v, a, status=wrong)
    with pytest.raises(ValueError, match="state 7: E_NUMBER bias_forces: argument 'v' has nan in entry 3"):
        zw.bias_forces(dog, q, v)
    with pytest.raises(ValueError, match="state 9: .*root_joint"):
        zw.gravity_forces(dog, q)
    one = np.zeros((), np.uint8)
    zw.gravity_forces(dog, q[9], status=one)
    assert one == zw.Status.invalid_input


def test_a_status_is_its_name_and_its_number(arm, held):
    s = held.solve(arm.random(1))
    many = held.solve(np.stack([arm.random(1)] * 3))
    for status in (s.status, s.report.status, many.report[2].status, zw.Status(many.status[1])):
        assert status is zw.Status.ok
        assert status == "ok" and "ok" == status and not status != "ok" and status != "overflow" and "overflow" != status
        assert status == 0 and status == zw.Status.ok and status != zw.Status.overflow and status != 6 and status is not None
        assert (status == None) is False and status != 0.5 and str(status) == f"{status}" == "ok" and f"{status:>4}" == "  ok"  # noqa: E711
        assert {"ok": 1}[status] == 1 and hash(status) == hash("ok") and {zw.Status.ok: 2}["ok"] == 2
        assert pickle.loads(pickle.dumps(status)) is copy.deepcopy(status) is status
    assert [k.name for k in zw.Status] == [str(k) for k in zw.Status] and [int(k) for k in zw.Status] == list(range(11))
    assert (many.status == zw.Status.ok).all() and (zw.Status.ok == many.status).all() and not (many.status != zw.Status.ok).any()
    assert len({*zw.Status, *(k.name for k in zw.Status)}) == 11


def test_a_singular_mass_raises_or_is_a_status():
    text = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/>
              <axis xyz="0 0 1"/></joint></robot>"""
    try:
        m = zw.loads(text)
    except zw.ModelError:
        pytest.skip("refused when read")
    x, status = np.zeros((5, m.nv)), np.zeros(5, np.uint8)
    with pytest.raises(zw.SingularMassError, match="j"):
        zw.forward_dynamics(m, np.zeros((5, m.nq)), x, x)
    assert np.isnan(zw.forward_dynamics(m, np.zeros((5, m.nq)), x, x, status=status)).all()
    assert (status == zw.Status.singular_mass).all()


def test_solves_of_many_states_are_solves_of_one(arm, held):
    q, v, tau = states_of(arm, 41)
    push = {"link5": np.linspace(-2, 3, 41 * 6).reshape(41, 6)}
    many = held.solve(q, v, tau, external=push, prescribed={"joint2": 0.25})
    assert many.status.dtype == np.uint8 and (many.status == zw.Status.ok).all() and many.acceleration.shape == (41, 7)
    for k in (0, 13, 40):
        one = held.solve(q[k], v[k], tau[k], external={"link5": push["link5"][k]}, prescribed={"joint2": 0.25})
        for name in ("acceleration", "multipliers", "motor_torque", "reaction", "articulated_constraint_torque", "residual", "zwang"):
            close(getattr(many, name)[k], getattr(one, name), scale=np.abs(one.motor_torque).max(), k=1e5)
        close(many["tool"].wrench[k], one["tool"].wrench)
        close(many.joint_wrenches["joint3"][k], one.joint_wrenches["joint3"])
        assert many.report[k].rank == one.report.rank and one.status == zw.Status.ok
    assert len(many.reports) == 41 and "41 states" in repr(many)
    held.constraints["tool"].beta = [9, 9, 9]  # a snapshot: what is found later is of then
    late = held.solve(q, v, tau)
    held.constraints["tool"].beta = [0.1, 0.2, 0.3]
    residual = np.einsum("nij,nj->ni", zw.jacobian(arm, q, "tool0")[:, :3], late.acceleration)
    drift = np.einsum("nij,nj->ni", zw.jacobian_dot(arm, q, v, "tool0")[:, :3], v)
    close(residual + drift, np.full((41, 3), 9.0), scale=100)
    assert np.abs(late["tool"].residual).max() < 1e-9
    first = many.acceleration
    assert held.solve(q, v, out=many) is many and many.acceleration is first
    close(first, held.solve(q, v).acceleration, k=1)


def test_masks_differ_from_state_to_state(arm, held):
    n = 40
    q, v, tau = states_of(arm, n)
    r = np.random.default_rng(3)
    active, beta = r.random((n, 2)) < 0.5, r.uniform(-1, 1, (n, 4))
    wished = r.uniform(-1, 1, n)
    many = held.solve(q, v, tau, active=active, beta=beta, prescribed={"joint1": wished})
    named = held.solve(q, v, tau, active={"tool": active[:, 0], "elbow": active[:, 1]}, beta=beta, prescribed={"joint1": wished[:, None]})
    assert np.array_equal(many.acceleration, named.acceleration)
    close(many.acceleration[:, 0], wished)
    tool, elbow = held.constraints["tool"], held.constraints["elbow"]
    for k in range(n):
        tool.active, elbow.active = bool(active[k, 0]), bool(active[k, 1])
        tool.beta, elbow.beta = beta[k, :3], beta[k, 3:]
        one = held.solve(q[k], v[k], tau[k], prescribed={"joint1": wished[k]})
        close(many.acceleration[k], one.acceleration, scale=np.abs(one.motor_torque).max() * 100)
        close(many.multipliers[k], one.multipliers, scale=np.abs(one.motor_torque).max() * 100)
        assert many.reports[k].rows == one.report.rows
    tool.active = elbow.active = True
    tool.beta, elbow.beta = [0.1, 0.2, 0.3], 0.5
    off = held.solve(q, v, tau, active=[False, False])
    close(off.acceleration, zw.forward_dynamics(arm, q, v, tau), k=1e6)
    only = held.solve(q, v, tau, active={"tool": False})
    assert (only["tool"].multipliers == 0).all() and (only["elbow"].multipliers != 0).all()
    for named, match in [({"active": np.ones((n, 3), bool)}, "E_SIZE.*active"), ({"active": np.ones((n, 2))}, "E_DTYPE.*active"),
                         ({"active": np.ones((n - 1, 2), bool)}, "'active' has 39 states"), ({"active": {"tol": True}}, "tool"),
                         ({"beta": np.ones((n, 3))}, "E_SIZE.*beta"), ({"prescribed": {"joint1": np.ones(n + 1)}}, "prescribed"),
                         ({"prescribed": {"joint1": np.full(n, np.nan)}}, "state 0: .*prescribed"), ({"beta": np.full(4, np.inf)}, "state 0: .*beta")]:
        with pytest.raises(ValueError, match=match):
            held.solve(q, v, tau, **named)
    with pytest.raises(ValueError, match="E_SIZE.*N states"):
        held.solve(q[0], active=[True, True])
    status = np.zeros(n, np.uint8)
    beta[4] = np.nan
    x = held.solve(q, v, tau, beta=beta, status=status)
    assert status[4] == zw.Status.non_finite_input and np.isnan(x.acceleration[4]).all() and np.array_equal(x.status, status)


def test_dependent_rows_and_levels_are_solved_alone(arm):
    cs = zw.ConstraintSet(arm)
    cs.add_frame("tool", frame="tool0", rows="all")
    cs.add_frame("again", frame="tool0", rows="linear", beta=[1, 1, 1])  # contradicts
    q, v, tau = states_of(arm, 20)
    solver = zw.Solver(arm, cs)
    x = solver.solve(q, v, tau)
    assert (x.status == zw.Status.infeasible).all() and np.isfinite(x.acceleration).all()
    one = solver.solve(q[3], v[3], tau[3])
    assert np.array_equal(x.acceleration[3], one.acceleration) and x.reports[3].infeasible == one.report.infeasible
    moon = solver.solve(q, v, tau, gravity=[0, 0, -1.6])
    close(moon.acceleration[5], solver.solve(q[5], v[5], tau[5], gravity=[0, 0, -1.6]).acceleration, k=1)


def test_progress_is_called_and_what_it_raises_stops(arm):
    q, v, tau = states_of(arm, 600)
    seen, nan = [], np.isnan

    def note(done, total):
        seen.append((done, total))
        zw.gravity_forces(arm, q)  # a batch of the same model from within
    out, status = (np.full(q.shape, 7.0), np.full(v.shape, 7.0)), np.zeros(600, np.uint8)
    zw.rollout(arm, q, v, tau, steps=100, dt=1e-6, progress=zw.ProgressEvery(0, note), out=out)
    assert len(seen) > 1 and seen == sorted(seen) and all(0 <= done <= total == 600 for done, total in seen)

    def enough(done, total):
        if done >= least:
            raise KeyError("enough")
    for threads, least in ((1, 1), (1, 0), (2, 0)):  # of two threads one may have finished all its states before the first look
        with zw.set_threads(threads), pytest.raises(KeyError, match="enough"):
            zw.rollout(arm, q, v, tau, steps=100, dt=1e-6, progress=zw.ProgressEvery(0, enough), out=out, status=status)
        finished = status == zw.Status.ok
        assert (status[~finished] == zw.Status.stopped).all() and not finished.all() and (threads == 2 or finished.any() == least)
        assert np.isfinite(out[0][finished]).all() and nan(out[0][~finished]).all() and nan(out[1][~finished]).all()
    assert zw.rollout(arm, q, v, tau, steps=2, dt=1e-6, progress=True).q.shape == q.shape
    for wrong in (3, "yes", [1]):
        with pytest.raises(ValueError, match="progress"):
            zw.gravity_forces(arm, q, progress=wrong)


def test_ctrl_c_stops_and_keeps_what_is_finished(arm):
    n = 4096
    q, v, tau = states_of(arm, 8)
    q, v, tau = (np.tile(x, (n // 8, 1)) for x in (q, v, tau))
    out, status = (np.full(q.shape, 7.0), np.full(v.shape, 7.0)), np.zeros(n, np.uint8)
    press = presses_ctrl_c()
    with zw.set_threads(1), pytest.raises(KeyboardInterrupt):
        zw.rollout(arm, q, v, tau, steps=3, dt=1e-6, out=out, status=status, progress=zw.ProgressEvery(0, lambda done, _: done and press()))
    finished = status == zw.Status.ok
    assert finished.any() and (status[~finished] == zw.Status.stopped).any()
    assert np.isfinite(out[0][finished]).all() and np.isnan(out[0][~finished]).all()
    for progress in (None, zw.ProgressEvery(0)):
        with pytest.raises(KeyboardInterrupt), ctrl_c_of_another_thread():
            zw.rollout(arm, q, v, tau, steps=10**8, dt=1e-9, out=out, status=status, progress=progress)  # days
        assert (status == zw.Status.stopped).all() and np.isnan(out[0]).all()
    with pytest.raises(KeyboardInterrupt), ctrl_c_of_another_thread():
        while True:  # calls that are long, and those of a loop over states
            zw.squared_distances(arm, np.tile(q, (8, 1)), np.tile(q, (8, 1)))
    assert np.array_equal(zw.gravity_forces(arm, q)[:8], zw.gravity_forces(arm, q[:8]))  # nothing is left broken


def test_threads_of_python_share_models_and_solvers(arm, held):
    q, v, tau = states_of(arm, 500)
    torque, solved = zw.inverse_dynamics(arm, q, v, tau), held.solve(q, v, tau).acceleration
    end = held.rollout(q, v, tau, steps=5, dt=1e-3).q
    failures = []

    def work():
        try:
            for _ in range(10):
                assert np.array_equal(zw.inverse_dynamics(arm, q, v, tau), torque)
                assert np.array_equal(held.solve(q, v, tau).acceleration, solved)
                assert np.array_equal(held.rollout(q, v, tau, steps=5, dt=1e-3).q, end)
                held.constraints["tool"].active = True
                assert held.solve(q[:50], v[:50]).reports[7].rank == 4
        except BaseException as error:  # reported by the main thread
            failures.append(error)
    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures, failures


def child(connection, arm, q, expected):
    connection.send(bool(np.array_equal(zw.gravity_forces(arm, q), expected)))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # forking beside threads is what is tested
def test_a_forked_child_computes(arm):
    q = states_of(arm, 2000)[0]
    expected = zw.gravity_forces(arm, q)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=child, args=(theirs, arm, q, expected))
    process.start()
    theirs.close()  # of a child that ends without a word, recv() raises
    assert ours.recv()
    process.join()
    assert process.exitcode == 0


def test_memory_stays_flat(arm, held):
    q, v, tau = states_of(arm, 200)
    x, status = held.solve(q, v, tau), np.zeros(200, np.uint8)

    def work(n):
        for k in range(n):
            zw.inverse_dynamics(arm, q, v, tau, status=status)
            zw.mass_matrix(arm, q, out=np.empty((200, 7, 7), order="F"))
            held.solve(q, v, tau, out=x)
            held.solve(q, v, active={"tool": k % 2 == 0})
            held.rollout(q, v, tau, steps=2, dt=1e-3)
            if k % 10 == 0:
                x.residual, x.reports
            try:
                zw.gravity_forces(arm, q * np.nan)
            except ValueError:
                pass
    for threads in (1, 2):
        with zw.set_threads(threads):
            blocks, size = growth(lambda: work(40))
        assert blocks <= 0 and size < 40 * 8  # a leak of the smallest block of malloc, 32 bytes, in each call would be 1280


def test_states_without_coordinates_and_no_states(arm, held):
    empty = np.zeros((0, 7))
    assert zw.inverse_dynamics(arm, empty, empty, empty).shape == (0, 7)
    x = held.solve(empty)
    assert x.acceleration.shape == (0, 7) and x.status.shape == (0,) and x.reports == [] and x.residual.shape == (0, 4)
    assert zw.rollout(arm, empty, steps=3, dt=0.1, trajectory=True).q.shape == (0, 3, 7)
    stone = zw.loads('<robot name="stone"><link name="a"/></robot>')
    assert stone.nv == 0
    nothing = np.zeros((5, 0))
    assert zw.forward_dynamics(stone, nothing, nothing, nothing).shape == (5, 0) and zw.mass_matrix(stone, nothing).shape == (5, 0, 0)
    assert zw.rollout(stone, nothing, steps=3, dt=0.1).q.shape == (5, 0)
    assert zw.instruction_set() in ("plain", "v3", "v4")


def test_an_instruction_set_that_does_not_exist_is_refused():
    program = "import zwang as zw\nm = zw.sample('quadruped')\nzw.Solver(m, zw.ConstraintSet(m))"
    for word in ("banana", "V3", "v5"):
        said = subprocess.run([sys.executable, "-c", program], env={**os.environ, "ZWANG_ISA": word}, capture_output=True, text=True)
        assert said.returncode == 1 and f"the environment variable ZWANG_ISA is '{word}', expected plain, v2, v3 or v4" in said.stderr
