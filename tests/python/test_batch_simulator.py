# SPDX-License-Identifier: BSD-3-Clause
"""BatchSimulator: bits of simulate(), copies that fail, masks, views, refusals by name."""
import copy
import gc
import pickle
import threading

import numpy as np
import pytest

import zwang as zw


BOX = """<robot name="box"><link name="box"><inertial><mass value="2"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


@pytest.fixture(scope="module")
def dog():
    return zw.load("models/quadruped.urdf", root="floating")


@pytest.fixture(scope="module")
def scene(dog):
    return zw.Scene(dog).ground(friction=0.6)


def starts(dog, n):
    q = np.tile(dog.neutral(), (n, 1))
    q[:, 2] = 0.5 + 0.01 * np.arange(n)
    q[:, 3], q[:, 6] = np.sin(0.05 * np.arange(n)), np.cos(0.05 * np.arange(n))
    v = np.zeros((n, dog.nv))
    v[:, 0] = 0.3 * np.arange(n)
    return q, v


def hold(batch, q):
    tau = np.zeros((batch.copies, batch.model.nv))
    tau[:, 6:] = 300 * (q[:, 7:] - batch.q[:, 7:]) - 8 * batch.v[:, 6:]
    return tau


def test_copies_move_as_simulate(dog, scene):
    q, v = starts(dog, 3)
    tau = np.zeros((3, dog.nv))
    tau[:, 6:] = np.sin(np.arange(36)).reshape(3, 12)
    batch = zw.BatchSimulator(dog, None, 3, scene=scene, dt=1e-3)
    batch.reset(q, v)
    batch.step(tau, 1)
    batch.step(tau, 999)
    assert batch.status.counts() == {"ok": 3} and np.array_equal(batch.time, [1, 1, 1])
    motions = zw.simulate(dog, None, q, v, tau, time=1.5, dt=1e-3, integrator="contact", scene=scene, every=1000)
    # the last step of simulate() ends at its time, others are dt long
    for k in range(3):
        assert np.array_equal(batch.q[k], motions.q[k, 1]) and np.array_equal(batch.v[k], motions.v[k, 1])
        assert batch.energy[k] == motions.energy[k, 1]
        theirs = motions.contacts[k][1]
        assert [c.name_a for c in batch.contacts(k)] == [c.name_a for c in theirs] and len(theirs) > 0
        assert all(np.array_equal(a.force, b.force) for a, b in zip(batch.contacts(k), theirs))
        assert batch.contact_report(k).residual <= motions.contact_report[k].residual
        on = sum((c.force for c in theirs if c.what == "point"), np.zeros(3))
        if all("ground" in (c.name_a, c.name_b) for c in theirs if c.what == "point"):
            np.testing.assert_allclose(batch.contact_force[k].sum(0), on, atol=1e-9)


def test_threads_do_not_change_bits(dog, scene):
    q, v = starts(dog, 9)
    ends = []
    before = zw.threads()
    try:
        for threads in (1, 2, 3):
            zw.set_threads(threads)
            batch = zw.BatchSimulator(dog, None, 9, scene=scene)
            assert batch.threads == threads
            batch.reset(q, v)
            for _ in range(300):
                batch.step(hold(batch, q))
            ends.append(np.concatenate([batch.q, batch.v], 1))
    finally:
        zw.set_threads(before)
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[0], ends[2])


def test_a_copy_that_fails_and_goes_on(dog, scene):
    q, v = starts(dog, 4)
    batch, well = (zw.BatchSimulator(dog, None, 4, scene=scene) for _ in range(2))
    batch.reset(q, v)
    well.reset(q, v)
    for k in range(200):
        tau = hold(batch, q)
        if k == 100:
            tau[2, 7] = np.nan
        batch.step(tau)
        well.step(hold(well, q))
    assert list(batch.status) == ["ok", "ok", "non_finite_input", "ok"]
    assert "tau" in batch.reason(2) and batch.reason(1) == ""
    assert batch.time[2] == pytest.approx(0.1) and np.isfinite(batch.q).all()
    others = [0, 1, 3]
    assert np.array_equal(batch.q[others], well.q[others]) and np.array_equal(batch.v[others], well.v[others])
    batch.reset(q, v, mask=batch.status != "ok")
    assert (batch.status == "ok").all() and batch.time[2] == 0 and batch.time[1] == well.time[1]
    assert np.array_equal(batch.q[2], q[2])
    bad = q.copy()
    bad[1, 3] = 2
    batch.reset(bad, mask=[False, True, False, False])
    assert batch.status[1] == "invalid_input" and "quaternion" in batch.reason(1)
    assert np.array_equal(batch.q[1], well.q[1])  # it stays where it was


def test_one_copy_goes_on_from_a_trajectory(dog, scene):
    q, v = starts(dog, 1)
    whole = zw.simulate(dog, None, q[0], v[0], time=0.8, dt=1e-3, integrator="contact", scene=scene)
    batch = zw.BatchSimulator(dog, None, 2, scene=scene, dt=1e-3)
    assert batch.reset_copy(1, whole.q[500], whole.v[500], contacts=whole.contacts[500], time=0.5) == "ok"
    assert list(batch.status) == ["stopped", "ok"]
    batch.step(count=250)
    assert np.array_equal(batch.q[1], whole.q[750]) and np.array_equal(batch.v[1], whole.v[750])


def test_arrays_are_views(dog, scene):
    batch = zw.BatchSimulator(dog, None, 2, scene=scene)
    q, v, force = batch.q, batch.v, batch.contact_force
    assert force.shape == (2, len(batch.links), 3) and np.isnan(batch.energy).all()
    start = starts(dog, 1)[0][0]
    batch.reset(start)
    assert np.array_equal(q[0], start) and np.shares_memory(q, batch.q)
    for array in (q, v, force, batch.time, batch.energy):
        with pytest.raises(ValueError):
            array[0] = 1
    before = q.copy()
    del batch
    gc.collect()
    assert np.array_equal(q, before)  # the memory lives as long as its views


def test_refusals_by_name(dog, scene):
    batch = zw.BatchSimulator(dog, None, 3, scene=scene)
    with pytest.raises(RuntimeError, match="reset"):
        batch.step()
    q = dog.neutral()
    for wrong, words in [(lambda: batch.reset(q[:-1]), "'q'"), (lambda: batch.reset(np.tile(q, (2, 1))), "'q'.*expected 3"),
                         (lambda: batch.reset(q, v=q), "'v'"), (lambda: batch.reset(q, mask=[True]), "'mask'"),
                         (lambda: batch.reset(q, mask=[1, 0, 1]), "'mask'.*bool")]:
        with pytest.raises(ValueError, match=words):
            wrong()
    batch.reset(q)
    for wrong, words in [(lambda: batch.step(np.zeros((2, dog.nv))), "'tau'.*expected 3"), (lambda: batch.step(np.zeros(3)), "'tau'"),
                         (lambda: batch.step(count=0), "count"), (lambda: batch.reset_copy(0, np.tile(q, (3, 1))), "one"),
                         (lambda: zw.BatchSimulator(dog, None, -1), "copies"), (lambda: zw.BatchSimulator(dog, None, 1, dt=0), "dt"),
                         (lambda: batch.reset_copy(0, q, contacts=[3]), "contacts")]:
        with pytest.raises(ValueError, match=words):
            wrong()
    for wrong in (lambda: batch.contacts(3), lambda: batch.reason(-1), lambda: batch.reset_copy(3, q), lambda: batch.notes(7)):
        with pytest.raises(IndexError, match="no copy"):
            wrong()
    other = zw.sample("arm7")
    with pytest.raises(ValueError, match="another model"):
        zw.BatchSimulator(other, None, 1, scene=scene)
    for keep in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="BatchSimulator"):
            keep(batch)


def test_progress_and_threads_of_the_caller(dog, scene):
    batch = zw.BatchSimulator(dog, None, 4, scene=scene)
    batch.reset(dog.neutral())
    seen = []
    batch.step(count=2, progress=zw.ProgressEvery(0, lambda done, total: seen.append((done, total))))
    assert seen and all(total == 4 for _, total in seen)

    def stop(done, total):
        raise KeyError("enough")
    with pytest.raises(KeyError):
        batch.step(count=1000, progress=zw.ProgressEvery(0, stop))
    assert (batch.status == "ok").all()
    batch.reset(dog.neutral())
    threads = [threading.Thread(target=lambda: [batch.step() for _ in range(20)]) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    np.testing.assert_allclose(batch.time, 0.06, rtol=1e-12)  # one call after the other


def test_its_own_callback_may_read_arrays_alone(dog, scene):
    batch = zw.BatchSimulator(dog, None, 4, scene=scene)
    q = dog.neutral()
    batch.reset(q)
    said = []

    def look(done, total):
        assert batch.q.shape == (4, dog.nq) and "4 copies" in repr(batch)
        for use in (lambda: batch.step(), lambda: batch.reset(q), lambda: batch.reset_copy(0, q), lambda: batch.contacts(0),
                    lambda: batch.reason(0), lambda: batch.notes(0), lambda: batch.contact_report(0), lambda: batch.status):
            with pytest.raises(RuntimeError, match="progress callback"):
                use()
            said.append(done)

    runner = threading.Thread(target=lambda: batch.step(count=3, progress=zw.ProgressEvery(0, look)), daemon=True)
    runner.start()
    runner.join(60)
    assert not runner.is_alive() and len(said) >= 8
    np.testing.assert_allclose(batch.time, 3e-3, rtol=1e-12)  # none of them has moved it
    batch.step()
    assert batch.reason(0) == "" and (batch.status == "ok").all()


def test_reads_wait_for_the_call_that_runs(dog, scene):
    q, v = starts(dog, 8)
    q[:, 2] = 0.42
    batch = zw.BatchSimulator(dog, None, 8, scene=scene)
    batch.reset(q, v)
    begun, times = threading.Event(), []

    def look(done, total):
        begun.set()

    runner = threading.Thread(target=lambda: batch.step(count=300, progress=zw.ProgressEvery(0, look)), daemon=True)
    runner.start()
    assert begun.wait(60)
    read = [lambda: batch.contacts(7), lambda: batch.reason(7), lambda: batch.notes(7), lambda: batch.contact_report(7), lambda: batch.status]

    def ask(what):
        what()
        times.append(batch.time.copy())
    readers = [threading.Thread(target=ask, args=(x,), daemon=True) for x in read]
    for t in readers:
        t.start()
    for t in [*readers, runner]:
        t.join(60)
        assert not t.is_alive()
    assert len(times) == 5
    for time in times:
        np.testing.assert_allclose(time, 0.3, rtol=1e-12)  # what they saw is what the call has left


def test_contacts_of_a_set():
    box = zw.loads(BOX, root="floating")
    s = zw.ConstraintSet(box)
    for k in range(4):
        s.add_contact(f"corner{k}", "box", point=(0.2 if k & 1 else -0.2, 0.15 if k & 2 else -0.15, -0.1), friction=0.4,
                      sense="at_least", target_point=(0, 0, 0))
    batch = zw.BatchSimulator(box, s, 2, dt=1e-3)
    q = box.neutral()
    q[2] = 0.1
    batch.reset(q)
    batch.step(count=50)
    assert (batch.status == "ok").all(), batch.reason(0)
    np.testing.assert_allclose(batch.contact_force[0, batch.links.index("box")], [0, 0, 2 * 9.81], atol=1e-9)
    contacts = batch.contacts(0)
    assert {c.name_b for c in contacts} == {f"corner{k}" for k in range(4)}  # 12 rows, 6 coordinates
    assert batch.reset_copy(1, batch.q[0], batch.v[0], contacts=contacts, time=batch.time[0]) == "ok"
    batch.step(count=20)
    assert np.array_equal(batch.q[0], batch.q[1]) and np.array_equal(batch.v[0], batch.v[1])


def test_overlaps_beyond_drift_tolerance():
    ball = zw.loads(BOX.replace("</inertial>", '</inertial><collision name="ball"><geometry><sphere radius="0.1"/></geometry></collision>'),
                    root="floating")
    scene = zw.Scene(ball).ground(normal=(0.3, 0.2, 1), friction=0.5)
    batch = zw.BatchSimulator(ball, None, 2, scene=scene, drift_tolerance=1e-18)  # below rounding
    q, v = np.tile(ball.neutral(), (2, 1)), np.zeros((2, 6))
    q[:, 2] = 0.11, 9.0
    v[0, [1, 4]] = 0.7, 3.0
    batch.reset(q, v)
    batch.step(count=500)
    assert list(batch.status) == ["drifted", "ok"] and "overlap" in batch.reason(0) and batch.time[0] < 0.5
    with pytest.raises(ValueError, match="drift_tolerance"):
        zw.BatchSimulator(ball, None, 2, scene=scene, drift_tolerance=0)
