# SPDX-License-Identifier: BSD-3-Clause
"""inverse_kinematics from Python: what C++ tests, through the door of Python; poses by frame_pose and by plain NumPy."""
import numpy as np
import pytest

import zwang as zw
from conftest import ROOT

MODELS = ROOT / "models"


@pytest.fixture(scope="module")
def arm():
    return zw.load(MODELS / "arm7.urdf")


def error(a, b):
    """Largest entry of the error of a pose, small angles."""
    turn = b[:3, :3] @ a[:3, :3].T
    return max(np.abs(b[:3, 3] - a[:3, 3]).max(), np.abs(turn - turn.T).max() / 2, np.abs(turn - np.eye(3)).max() ** 2)


def test_one_pose(arm):
    for seed in range(50):
        target = zw.frame_pose(arm, arm.random(seed=seed), "tool0")
        r = zw.inverse_kinematics(arm, {"tool0": target})
        assert r.status == "ok" and r.serial and r.iterations > 0
        assert error(zw.frame_pose(arm, r.q, "tool0"), target) < 1.1e-8
        assert r.error <= 1e-8 and r.errors.shape == (1, 6)
        assert (arm.limits.lower <= r.q).all() and (r.q <= arm.limits.upper).all()
    q0 = arm.random(seed=1)
    assert (zw.inverse_kinematics(arm, {"tool0": zw.frame_pose(arm, q0, "tool0")}, q0).q == q0).all()


def test_many_poses_are_those_of_one(arm):
    q = np.array([arm.random(seed=k) for k in range(100)])
    targets = zw.frame_pose(arm, q, "tool0")
    r = zw.inverse_kinematics(arm, {"tool0": targets})
    assert r.q.shape == (100, arm.nq) and (r.status == "ok").all() and r.error.max() <= 1e-8 and r.serial.all()
    solver = zw.InverseKinematics(arm, "tool0")
    for k in range(0, 100, 7):
        assert (solver.solve(targets[k]).q == r.q[k]).all()
    assert (solver.solve(targets, q).q == q).all()
    targets[3, 0, 3] = np.nan
    bad = solver.solve(targets)
    assert bad.status[3] == "non_finite_input" and np.isnan(bad.q[3]).all() and bad.status[4] == "ok"


def test_two_targets_of_one_arm(arm):
    q = np.array([arm.random(seed=k) for k in range(40)])
    targets = {"tool0": zw.frame_pose(arm, q, "tool0"), "link4": zw.frame_pose(arm, q, "link4")}
    many = zw.inverse_kinematics(arm, targets)
    assert (many.status == "ok").all() and many.serial.all()
    one = zw.inverse_kinematics(arm, {name: poses[7] for name, poses in targets.items()})
    assert one.serial is True and (one.q == many.q[7]).all()
    for name, poses in targets.items():
        assert error(zw.frame_pose(arm, one.q, name), poses[7]) < 1.1e-8


def test_nearest(arm):
    target = np.eye(4)
    target[0, 3] = 5
    r = zw.inverse_kinematics(arm, {"tool0": target})
    assert r.status == "nearest_found" and r.out_of_reach and r.gradient < 1e-9
    assert "farther away than the chain is long" in r.explain()


def test_rows_weights_posture_and_fixed(arm):
    target = zw.frame_pose(arm, arm.random(seed=4), "tool0")
    r = zw.inverse_kinematics(arm, {"tool0": target}, rows="linear")
    assert r.serial and np.abs(zw.frame_pose(arm, r.q, "tool0")[:3, 3] - target[:3, 3]).max() < 1e-8
    r = zw.inverse_kinematics(arm, {"tool0": target}, rows={"tool0": ["linear", "angular.x"]})
    assert r.status == "ok" and not r.serial
    rest = arm.random(seed=9)
    near = zw.inverse_kinematics(arm, {"tool0": target}, posture=rest)
    assert near.status == "ok"
    assert np.linalg.norm(near.q - rest) <= np.linalg.norm(zw.inverse_kinematics(arm, {"tool0": target}).q - rest)
    q0 = arm.random(seed=4)
    held = zw.inverse_kinematics(arm, {"tool0": target}, q0 + 0.01, fixed="joint2", rows="linear", limits=False)
    assert held.status == "ok" and held.q[1] == q0[1] + 0.01


def test_loops_and_tasks():
    five_bar = zw.load(MODELS / "five_bar.urdf", loops="constraints")
    loops = zw.ConstraintSet(five_bar)
    loops.add_loops()
    start = zw.assemble(five_bar, loops, five_bar.neutral() + 0.05).q
    tip = five_bar.link_names[-1]
    target = zw.frame_pose(five_bar, start, tip)
    r = zw.inverse_kinematics(five_bar, {tip: target}, rows="linear", constraints=loops)
    assert r.status == "ok" and np.abs(loops.evaluate(r.q, five_bar.zero()).position_error).max() < 1e-9


def test_refusals(arm):
    with pytest.raises(ValueError, match="tool0"):
        zw.inverse_kinematics(arm, {"tool": np.eye(4)})
    with pytest.raises(ValueError, match="no target"):
        zw.inverse_kinematics(arm, {})
    with pytest.raises(ValueError, match="4"):
        zw.inverse_kinematics(arm, {"tool0": np.eye(4)[:, :3]})
    with pytest.raises(ValueError, match="right-handed"):
        zw.inverse_kinematics(arm, {"tool0": np.diag([1.0, 1, -1, 1])})
    with pytest.raises(ValueError, match="no pose of 'tool0'"):
        zw.InverseKinematics(arm, ["tool0"]).solve({"link3": np.eye(4)})
    with pytest.raises(ValueError, match="tolerance"):
        zw.inverse_kinematics(arm, {"tool0": np.eye(4)}, tolerance=0)
