# SPDX-License-Identifier: BSD-3-Clause
"""WrenchObserver: robots that stand still and move under forces that it is not told."""
import numpy as np
import pytest
import zwang as zw


def still(arm, push):
    q, v = arm.random(seed=1), np.zeros(arm.nv)
    return q, v, zw.inverse_dynamics(arm, q, v, v, external=push)


def test_a_push_is_found_with_the_time_constant_of_the_gain(arm):
    push = [1.0, 2, -20, 0.5, 0, 1.5]
    q, v, tau = still(arm, {"tool0": push})
    observer = zw.WrenchObserver(arm, at="tool0", gain=20)
    assert observer.names == ["tool0"] and observer.row_names[5] == "tool0:angular.z"
    assert np.all(observer.start(q, v, tau).torque == 0)
    seen = observer.update(q, v, tau, dt=0.05)
    assert seen.status == zw.Status.ok and seen.rank == 6 and seen.redundant == []
    np.testing.assert_allclose(seen["tool0"], (1 - np.exp(-1)) * np.array(push), atol=1e-10)
    np.testing.assert_allclose(seen.unexplained, 0, atol=1e-10)
    np.testing.assert_allclose(seen.torque, (1 - np.exp(-1)) * (zw.gravity_forces(arm, q) - tau), atol=1e-10)


def test_many_samples_at_once_are_samples_one_by_one(arm):
    rng = np.random.default_rng(2)
    q = arm.random(seed=3) + 0.01 * np.cumsum(rng.normal(size=(30, arm.nv)), axis=0)
    v, tau = rng.normal(size=(30, arm.nv)), rng.normal(size=(30, arm.nv))
    one, many = (zw.WrenchObserver(arm, at={"tool0": "linear"}) for _ in range(2))
    for o in (one, many):
        o.start(q[0], v[0], tau[0])
    all_of_them = many.update(q[1:], v[1:], tau[1:], dt=1e-3)
    for k in range(1, 30):
        seen = one.update(q[k], v[k], tau[k], dt=1e-3)
        assert np.array_equal(all_of_them.torque[k - 1], seen.torque)
        assert np.array_equal(all_of_them["tool0"][k - 1], seen["tool0"])
    assert all_of_them["tool0"].shape == (29, 3) and len(all_of_them.statuses) == 29


def test_constraints_take_up_what_does_not_move(arm):
    q, v, tau = still(arm, {"tool0": [3.0, 1, 2, 1, 0, 1]})
    weld = zw.ConstraintSet(arm)
    weld.add_frame("weld", "tool0")
    observer = zw.WrenchObserver(arm, constraints=weld, gain=np.inf)
    observer.start(q, v, tau)
    assert np.abs(observer.update(q, v, tau, dt=1e-3).torque).max() < 1e-9
    observer.set_active("weld", False)
    observer.resume(q, v, tau)
    assert np.abs(observer.update(q, v, tau, dt=1e-3).torque).max() > 1


def test_known_wrenches_gravity_and_axes(arm):
    push = {"tool0": [3.0, 1, 2, 1, 0, 1]}
    q, v, tau = still(arm, push)
    observer = zw.WrenchObserver(arm, "tool0", gain=np.inf, in_="local")
    observer.start(q, v, tau, external=push)
    assert np.abs(observer.update(q, v, tau, 1e-3, external=push).torque).max() < 1e-10
    seen = observer.update(q, v, tau, 1e-3)  # half of the interval with the push known: the mean of the two samples
    half = zw.frame_pose(arm, q, "tool0")[:3, :3].T @ np.array(push["tool0"][:3]) / 2
    np.testing.assert_allclose(seen["tool0"][:3], half, atol=1e-9)
    floats = zw.WrenchObserver(arm, "tool0", gravity=[0, 0, 0], gain=np.inf)
    floats.start(q, v)
    assert np.abs(floats.update(q, v, None, 1e-3).torque).max() < 1e-12


def test_a_momentum_that_matrices_give(arm):
    q, v = arm.random(seed=4), np.linspace(-1, 1, arm.nv)
    p, turning = zw.generalised_momentum(arm, q, v)
    np.testing.assert_allclose(p, zw.mass_matrix(arm, q) @ v, atol=1e-12)
    np.testing.assert_allclose(turning, zw.coriolis_matrix(arm, q, v).T @ v, atol=1e-12)


def test_bad_input_is_named(arm):
    q, v = arm.random(seed=1), np.zeros(arm.nv)
    with pytest.raises(ValueError, match="nowhere"):
        zw.WrenchObserver(arm, at="nowhere")
    with pytest.raises(ValueError, match="at"):
        zw.WrenchObserver(arm, at=3)
    with pytest.raises(ValueError, match="constraints"):
        zw.WrenchObserver(arm, constraints="feet")
    with pytest.raises(ValueError, match="gain"):
        zw.WrenchObserver(arm, gain=0)
    soft = zw.ConstraintSet(arm)
    soft.add_frame("spring", "tool0", policy="soft", compliance=1.0)
    with pytest.raises(zw.UnsupportedError, match="spring"):
        zw.WrenchObserver(arm, constraints=soft)
    observer = zw.WrenchObserver(arm, at="tool0")
    with pytest.raises(RuntimeError, match="start"):
        observer.update(q, v, None, 1e-3)
    observer.start(q, v)
    for arguments, name in (((q[:3], v, None, 1e-3), "q"), ((q, np.nan * v, None, 1e-3), "v"), ((q, v, None, 0.0), "dt")):
        with pytest.raises(ValueError, match=name):
            observer.update(*arguments)
    with pytest.raises(ValueError, match="sample"):
        observer.start(np.stack([q, q]), np.stack([v, v]))
    with pytest.raises(ValueError, match="tool0"):
        observer.update(q, v, None, 1e-3)["tool"]
    with pytest.raises(ValueError, match="wish|weld|tool0"):
        observer.set_active("weld", True)
