# SPDX-License-Identifier: BSD-3-Clause
"""inverse_kinematics from Python: what C++ tests, through the door of Python; poses by frame_pose and by plain NumPy."""
import numpy as np
import pytest

import zwang as zw
from conftest import ROOT

MODELS = ROOT / "models"


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


def planar():
    """Two links of a metre in the plane."""
    T = np.eye(4)
    T[0, 3] = 1
    b = zw.ModelBuilder("planar").add_link("base")
    b.add_link("a", 1, (0.5, 0, 0), 0.1 * np.eye(3)).add_joint("s", "revolute", "base", "a", axis=(0, 0, 1), lower=-3, upper=3)
    b.add_link("b", 1, (0.5, 0, 0), 0.1 * np.eye(3)).add_joint("e", "revolute", "a", "b", T, (0, 0, 1), lower=-3, upper=3)
    return b.add_frame("tip", "b", T).build()


def at(x, y=0.0, z=0.0):
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def test_fewer_rows_are_measured():
    m = planar()
    missed = zw.inverse_kinematics(m, {"tip": at(2.1)}, [0.4, 1.0], rows="linear")
    assert missed.status == "nearest_found" and missed.error == pytest.approx(0.1, abs=1e-9)
    assert missed.residual == pytest.approx(0.1, abs=1e-9)
    many = zw.inverse_kinematics(m, {"tip": np.stack([at(2.1), at(1.0)])}, [0.4, 1.0], rows="linear")
    assert many.error == pytest.approx([0.1, 0], abs=1e-8) and many.errors.shape == (2, 1, 6)
    assert many.errors[0, 0, 0] == pytest.approx(0.1, abs=1e-9)
    two = zw.inverse_kinematics(m, {"tip": np.stack([at(2.1)] * 3), "b": at(1.0)}, rows="linear")
    assert two.errors.shape == (3, 2, 6) and (two.error > 0.05).all()


def test_an_axis_that_can_only_point_the_other_way():
    hinge = zw.ModelBuilder("h").add_link("b").add_link("l", 1.0, inertia=np.eye(3))
    hinge = hinge.add_joint("j", "continuous", "b", "l").build()
    down = np.diag([1.0, -1, -1, 1])
    for rows in (["angular.x", "angular.y"], ["linear", "angular.x", "angular.y"]):
        r = zw.inverse_kinematics(hinge, {"l": down}, rows=rows)
        assert r.status != "ok" and r.error == pytest.approx(np.pi) and r.errors.shape == (1, 6) and r.q.shape == (1,)
        many = zw.inverse_kinematics(hinge, {"l": np.stack([down, np.eye(4)])}, rows=rows)
        assert list(many.status == "ok") == [False, True] and many.error == pytest.approx([np.pi, 0], abs=1e-8)
    held = zw.ConstraintSet(hinge)
    held.add_joint("j", ["j"], target=[0.3])
    assert zw.inverse_kinematics(hinge, {"l": down}, rows=["angular.x", "angular.y"], constraints=held).error == pytest.approx(np.pi)
    path = zw.PosePath.line(down, at(0.1) @ down)
    assert zw.follow(hinge, "l", path, [0.0], rows=["angular.x", "angular.y"]).status.name != "ok"


def test_one_angular_row_is_never_half_a_turn_away():
    hinge = zw.ModelBuilder("h").add_link("b").add_link("l", 1.0, inertia=np.eye(3))
    hinge = hinge.add_joint("j", "continuous", "b", "l").build()
    cs = zw.ConstraintSet(hinge)
    cs.add_frame("yaw", "l", ["angular.z"], target_pose=np.eye(4), time_constant=0.05)
    for start in (2.0, -2.9, 3.1):
        assert np.remainder(zw.assemble(hinge, cs, [start]).q[0] + 1, 2 * np.pi) == pytest.approx(1, abs=1e-9)
        assert cs.evaluate([start], [0]).position_error == pytest.approx([start], abs=1e-12)
        t = zw.simulate(hinge, cs, [start], time=1, dt=1e-3, keep="stabilisation")
        assert abs(t.q[-1, 0]) < 1e-3


def test_where_it_begins():
    limited = zw.ModelBuilder("h").add_link("b").add_link("l", 1.0, inertia=np.eye(3)).add_link("k", 1.0, inertia=np.eye(3))
    limited.add_joint("j", "revolute", "b", "l", lower=0.8, upper=2).add_joint("i", "revolute", "b", "k", lower=-1, upper=1)
    m = limited.build()
    target = zw.frame_pose(m, [1, 0.5], "k")
    assert zw.inverse_kinematics(m, {"k": target}).q == pytest.approx([0.8, 0.5])
    assert zw.inverse_kinematics(m, {"k": np.stack([target] * 2)}).q == pytest.approx(np.array([[0.8, 0.5]] * 2))
    beyond = zw.inverse_kinematics(m, {"l": zw.frame_pose(m, [2, 0], "l")}, [2 + 1e-6, 0])
    assert beyond.status == "ok" and beyond.q[0] <= 2


def test_along_a_path(arm):
    angle = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    circle = np.tile(np.diag([1.0, -1, -1, 1]), (20, 1, 1))
    circle[:, :3, 3] = np.stack([0.35 + 0.1 * np.cos(angle), 0.1 * np.sin(angle), 0 * angle + 0.35], axis=1)
    path = zw.inverse_kinematics(arm, {"tool0": circle}, along=True)
    assert (path.status == "ok").all() and np.abs(np.diff(path.q, axis=0)).max() < 0.5
    solver, q = zw.InverseKinematics(arm, "tool0"), None
    again = solver.solve(circle, along=True)
    assert (again.q == path.q).all()
    for k in range(20):
        q = solver.solve(circle[k], q).q
        assert (q == path.q[k]).all()
    with pytest.raises(ValueError, match="along=True begins each pose"):
        zw.inverse_kinematics(arm, {"tool0": circle}, path.q, along=True)


def test_loops_and_tasks():
    five_bar = zw.load(MODELS / "five_bar.urdf", loops="constraints")
    loops = zw.ConstraintSet(five_bar)
    loops.add_loops()
    start = zw.assemble(five_bar, loops, five_bar.neutral() + 0.05).q
    tip = five_bar.link_names[-1]
    target = zw.frame_pose(five_bar, start, tip)
    r = zw.inverse_kinematics(five_bar, {tip: target}, rows="linear", constraints=loops)
    assert r.status == "ok" and np.abs(loops.evaluate(r.q, five_bar.zero()).position_error).max() < 1e-9


def test_kept_solvers_are_those_of_the_same_question():
    """Solvers of the last calls are kept; names of frames are the user's, with any signs."""
    arm = zw.ModelBuilder("signs").add_link("ground").add_link("a", 1.0).add_link("b", 1.0).add_link("a|b", 1.0).add_link("|a", 1.0)
    parents = {"a": "ground", "b": "a", "a|b": "b", "|a": "a|b"}
    for k, (child, parent) in enumerate(parents.items()):
        arm.add_joint(f"j{k}", "revolute", parent, child, axis=[[0, 0, 1], [0, 1, 0]][k % 2], origin=[0.3, 0, 0.1])
    arm = arm.build()
    q = 0.3 * np.ones(arm.nq)
    pose = {frame: zw.frame_pose(arm, q, frame) for frame in parents}
    for targets in (["a", "b"], ["a|b"], ["a", "b"], ["b", "a"], ["|a"], ["a", "a|b"]):
        r = zw.inverse_kinematics(arm, {frame: pose[frame] for frame in targets}, q)
        assert r.status == "ok" and r.errors.shape == (len(targets), 6) and (r.q == q).all(), targets
    zw.inverse_kinematics(arm, {"a": pose["a"]}, q)
    with pytest.raises(ValueError):
        zw.inverse_kinematics(arm, {"a": pose["a"]}, q, rows="")


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
