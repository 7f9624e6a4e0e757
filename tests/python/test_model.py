# SPDX-License-Identifier: BSD-3-Clause
"""Models: reading, names, limits, pickle, copy, diagnostics."""
import copy
import pathlib
import pickle

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT, SHARED, State, close, load_project, project_robots, random_robots


def test_pickle_builds_the_same_robot_again():
    models = [load_project(*r) for r in project_robots()] + random_robots(12)
    models.append(zw.load(ROOT / "models" / "arm7.urdf", lump=False, gravity=(1, 2, 3), root="planar", root_joint="rail"))
    for m in models:
        tip = m.with_frame("tip of a test", m.joint_names[-1], np.eye(4)) if m.joint_names else m
        for original in (m, tip):
            again = pickle.loads(pickle.dumps(original))
            s = State(original)
            assert again.frame_names == original.frame_names and again.names == original.names
            assert np.array_equal(zw.inverse_dynamics(original, s.q, s.v, s.a), zw.inverse_dynamics(again, s.q, s.v, s.a))
            assert [str(d) for d in again.diagnostics] == [str(d) for d in original.diagnostics]
            assert np.array_equal(again.upper, original.upper, equal_nan=True)
            frame = original.frame_names[-1]
            assert np.array_equal(zw.frame_pose(original, s.q, frame), zw.frame_pose(again, s.q, frame))
            each = [zw.frame_pose(original, s.q, frame) for frame in original.frame_names]
            assert np.array_equal(zw.frame_poses(original, s.q, original.frame_names), each)
            assert np.array_equal(again.gravity, original.gravity)


def test_a_copy_is_the_model_itself_because_it_cannot_change(arm):
    assert copy.copy(arm) is arm and copy.deepcopy({"a": [arm]})["a"][0] is arm


def test_a_model_cannot_be_changed(arm):
    with pytest.raises(AttributeError):
        arm.nq = 3
    lower = arm.lower
    with pytest.raises(ValueError, match="read-only"):
        lower[:] = 0


def test_print_shows_a_table(arm):
    lines = repr(arm).splitlines()
    assert "nq = 7" in lines[0] and len(lines) == 2 + len(arm.joint_names)
    assert "joint3" in lines[4] and "revolute" in lines[4]
    assert "more joints" in repr(zw.random_robot(1, joints=500))


def test_joints_and_links_are_readable(dog):
    assert dog.joint_names[0] == "root_joint" and dog.joint("root_joint").type == dog.joint_types[0]
    assert dog.joint("root_joint").q == slice(0, 7) and dog.joint("root_joint").v == slice(0, 6)
    assert dog.joint("root_joint").parent is None and dog.parents[0] is None
    assert not dog.actuated[:6].any() and dog.actuated[6:].all()
    assert dog.coordinate_names[0] == "root_joint[0]" and len(dog.names) == dog.nv
    close(sum(link.mass for link in dog.links), dog.mass)
    for link in dog.links:
        assert link.inertia.shape == (3, 3) and np.array_equal(link.inertia, link.inertia.T)
        assert link.name in dog.frame_names and link.centre.shape == (3,)
        if link.joint is not None:
            assert dog.joint(link.joint).child == link.name
    for joint in dog.joints:
        assert np.array_equal(joint.lower, dog.lower[joint.q], equal_nan=True)
        assert np.array_equal(joint.effort_limit, dog.effort_limit[joint.v], equal_nan=True)
    assert np.array_equal(dog.limits.velocity, dog.velocity_limit, equal_nan=True)


def test_layout_leads_to_another_order(arm, dog):
    names = list(reversed(dog.joint_names))
    iq, iv = dog.layout(names)
    assert sorted(iq) == list(range(dog.nq)) and sorted(iv) == list(range(dog.nv))
    q = dog.random(3)
    assert np.array_equal(q[iq][-7:], q[dog.joint("root_joint").q])
    assert arm.layout(["joint3", "joint1"]).q.tolist() == [2, 0]
    with pytest.raises(ValueError, match="joint1"):
        arm.layout(["joimt1"])


def test_vectors_may_be_given_by_joint_name(dog):
    q = dog.neutral()
    q[dog.joint("LF_hip").q if "LF_hip" in dog.joint_names else dog.joints[1].q] = 0.3
    name = "LF_hip" if "LF_hip" in dog.joint_names else dog.joint_names[1]
    assert np.array_equal(zw.frame_pose(dog, {name: 0.3}, "LF_foot"), zw.frame_pose(dog, q, "LF_foot"))
    v = dog.zero()
    v[:6] = [1, 2, 3, 4, 5, 6]
    assert np.array_equal(zw.frame_velocity(dog, q, {"root_joint": [1, 2, 3, 4, 5, 6]}, "trunk"),
                          zw.frame_velocity(dog, q, v, "trunk"))
    for wrong in ({"nobody": 1.0}, {"root_joint": 1.0}, {name: [1, 2]}, {3: 1.0}):
        with pytest.raises(ValueError):
            zw.frame_pose(dog, wrong, "trunk")


def test_random_is_seeded_and_within_limits(robots):
    for m in robots:
        q = m.random(seed=3)
        assert np.array_equal(q, m.random(3)) and not np.array_equal(q, m.random(4))
        known = np.isfinite(m.lower)
        assert np.all(q[known] >= m.lower[known] - 1e-12)
        assert np.array_equal(zw.neutral(m), m.neutral()) and m.zero().shape == (m.nv,)


def test_a_refused_file_says_everything_it_found(tmp_path):
    bad = tmp_path / "bad.urdf"
    bad.write_text('<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
                   '<parent link="a"/><child link="bb"/><axis xyz="0 0 1"/></joint></robot>')
    with pytest.raises(zw.ModelError) as caught:
        zw.load(bad)
    error = caught.value
    assert isinstance(error, ValueError) and error.code == error.diagnostics[0].code == "E_LINK"
    assert error.diagnostics[0].line == 1 and "bad.urdf" in str(error)
    assert any(d.severity == "error" and "b" in d.hint for d in error.diagnostics)
    assert [d.code for d in zw.check(bad)] == [d.code for d in zw.check_text(bad.read_text())]
    found = pickle.loads(pickle.dumps(error.diagnostics))
    assert [str(d) for d in found] == [str(d) for d in error.diagnostics]
    with pytest.raises(zw.ModelError, match="E_FILE"):
        zw.load(tmp_path / "nobody.urdf")
    with pytest.raises(ValueError, match="strict"):
        zw.load(bad, mode="loose")
    for name in (str(ROOT / "models" / "arm7.urdf"), ROOT / "models" / "arm7.urdf"):
        assert zw.check(name) == [] or all(d.severity != "error" for d in zw.check(name))


def test_names_that_are_no_text_are_shown_all_the_same():
    with pytest.raises(zw.ModelError) as caught:
        zw.load(b"\xff.urdf")
    found = caught.value.diagnostics[0]
    assert "\ufffd.urdf" in found.file and "\ufffd" in str(found) and "\ufffd" in repr(found)
    assert pickle.loads(pickle.dumps(caught.value)).code == "E_FILE"
    assert "é" in repr(zw.loads('<robot name="é"><link name="ü"/></robot>'))
    for wrong in (3, "\ud800"):
        with pytest.raises(ValueError, match="expected text"):
            zw.loads(wrong)
    for wrong in (3, None):
        with pytest.raises(TypeError):
            zw.load(wrong)


def test_loads_reads_what_load_reads(arm):
    text = (ROOT / "models" / "arm7.urdf").read_text()
    s = State(arm)
    assert np.array_equal(zw.rnea(zw.loads(text), s.q, s.v, s.a), zw.rnea(arm, s.q, s.v, s.a))
    assert zw.loads(text, root="floating").nq == 14


def test_with_frame_gives_a_new_model(arm):
    pose = np.eye(4)
    pose[:3, 3] = [0, 0, 0.1]
    more = arm.with_frame("tcp", parent="tool0", pose=pose)
    q = arm.random(2)
    close(zw.frame_pose(more, q, "tcp"), zw.frame_pose(arm, q, "tool0") @ pose)
    assert "tcp" not in arm.frame_names and more.frame_names[-1] == "tcp"
    with pytest.raises(zw.ModelError, match="E_DUPLICATE"):
        more.with_frame("tcp", "tool0", pose)
    for wrong in (np.eye(3), 2 * np.eye(4), np.full((4, 4), np.nan)):
        with pytest.raises(ValueError):
            arm.with_frame("tcp", "tool0", wrong)


def test_a_massless_tip_is_named():
    whip = zw.loads("""<robot name="whip"><link name="base"/><link name="tip"/><joint name="wrist" type="continuous">
        <parent link="base"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>""")
    with pytest.raises(zw.SingularMassError, match="wrist") as caught:
        zw.forward_dynamics(whip, [0.3], [0.1], [1.0])
    assert isinstance(caught.value, ArithmeticError)


def test_every_shared_robot_loads_and_moves():
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED} is not there")
    tried = 0
    for path in sorted(pathlib.Path(SHARED).rglob("*.urdf")):
        try:
            m = zw.load(path, resolve_meshes=False)
        except zw.ModelError:
            continue
        s = State(m)
        M, h = zw.mass_matrix(m, s.q), zw.bias_forces(m, s.q, s.v)
        close(M @ s.a + h, zw.inverse_dynamics(m, s.q, s.v, s.a), scale=np.abs(M).max() + np.abs(h).max())
        tried += 1
    assert tried > 5


def test_loops_of_a_file_are_refused_or_become_constraints():
    path = ROOT / "models" / "five_bar.urdf"
    with pytest.raises(zw.ModelError, match="E_TWO_PARENTS.*loops = constraints"):
        zw.load(path)
    with pytest.raises(ValueError, match="'loops' is 'cut', expected refuse or constraints"):
        zw.load(path, loops="cut")
    assert any(d.code == "E_TWO_PARENTS" for d in zw.check(path))
    assert [d.severity for d in zw.check(path, loops="constraints") if d.code == "N_LOOP"] == ["note"]
    robot = zw.load(path, loops="constraints", mode="strict")
    assert zw.load(ROOT / "models" / "arm7.urdf", loops="constraints").loops == []
    for model in (robot, pickle.loads(pickle.dumps(robot)), zw.loads(path.read_text(), loops="constraints"),
                  robot.with_frame("eye", "right_wrist_predecessor", np.eye(4))):
        assert model.nv == 4 and len(model.loops) == 1
        loop = model.loops[0]
        assert (loop.name, loop.type, loop.parent, loop.child) == ("right_wrist", "continuous", "right_forearm", "tool")
        assert (loop.predecessor, loop.successor) == ("right_wrist_predecessor", "right_wrist_successor")
        assert np.array_equal(loop.axis, [0, 0, 1]) and "right_wrist" in repr(loop) and "right_wrist" in repr(model)
        again = pickle.loads(pickle.dumps(model))
        assert again.frame_names == model.frame_names
    constraints = zw.ConstraintSet(robot)
    added = constraints.add_loops(time_constant=0.05, damping_ratio=0.5)
    assert [c.name for c in added] == constraints.names == ["right_wrist"] and constraints.rows == 5
    with pytest.raises(ValueError, match="right_wrist"):
        constraints.add_loops()
    assert zw.ConstraintSet(zw.sample("arm7")).add_loops() == []


def test_a_closed_robot_moves_as_its_loop_says():
    robot = zw.load(ROOT / "models" / "five_bar.urdf", loops="constraints")
    constraints, by_hand = zw.ConstraintSet(robot), zw.ConstraintSet(robot)
    constraints.add_loops()
    by_hand.add_loop("wrist", ("right_wrist_predecessor", "tool"), {"joint": "hinge", "axis": "z"})
    q, v, tau = robot.neutral(), robot.zero(), np.array([0.3, 0, -0.1, 0])
    s, t = (zw.Solver(robot, c).solve(q, v, tau) for c in (constraints, by_hand))
    close(s.acceleration, t.acceleration)
    ends = [zw.frame_acceleration(robot, q, v, s.acceleration, f, kind="classical") for f in
            ("right_wrist_predecessor", "right_wrist_successor")]
    close(ends[0][:3], ends[1][:3])
    assert s.report.rank == 2 and np.abs(ends[0][:3]).max() > 0.1
    # Shoulders that turn alike move the tool along the middle.
    middle = zw.Solver(robot, constraints).solve(q, v, tau, prescribed={"left_shoulder": 2, "right_shoulder": -2})
    a = zw.frame_acceleration(robot, q, v, middle.acceleration, "tool", kind="classical")
    assert abs(a[0]) < 1e-9 < abs(a[2])


def test_a_frame_named_by_a_link_and_another_joint_is_refused_everywhere():
    b = zw.ModelBuilder("r")
    for name in ("base", "elbow", "hand"):
        b.add_link(name, 1, inertia=np.eye(3))
    b.add_joint("first", "revolute", "base", "elbow").add_joint("elbow", "revolute", "elbow", "hand", [2, 0, 0])
    m = b.build()
    q = [0.3, 0.4]
    assert np.allclose(zw.frame_pose(m, q, "joint:elbow"), zw.frame_pose(m, q, "hand"))
    assert not np.allclose(zw.frame_pose(m, q, "link:elbow"), zw.frame_pose(m, q, "hand"))
    constraints = zw.ConstraintSet(m)
    constraints.add_frame("held", frame="joint:elbow", rows="linear.x")
    assert zw.ConstraintSet.from_json(m, constraints.to_json()).rows == 1
    for call in (lambda: zw.frame_pose(m, q, "elbow"), lambda: zw.jacobian(m, q, "elbow"),
                 lambda: zw.jacobian(m, q, "hand", reference="elbow"),
                 lambda: zw.ConstraintSet(m).add_frame("x", frame="elbow"), lambda: m.frame_id("elbow"), lambda: m.frames(["elbow"]),
                 lambda: zw.inverse_kinematics(m, {"elbow": np.eye(4)}), lambda: zw.view(m, frames=["elbow"]),
                 lambda: zw.append(m, m, at="elbow", prefix="x_")):
        with pytest.raises(ValueError, match="'elbow' is ambiguous.*link:elbow.*joint:elbow"):
            call()


def test_a_text_and_a_name_that_are_exchanged_name_the_other_call(tmp_path):
    text = (ROOT / "models" / "arm7.urdf").read_text(encoding="utf-8")
    with pytest.raises(zw.ModelError, match="loads reads a text") as caught:
        zw.load(text)
    assert len(str(caught.value)) < 300
    for name in (str(ROOT / "models" / "arm7.urdf"), "arm7.urdf", ROOT / "models" / "arm7.urdf"):
        with pytest.raises((zw.ModelError, ValueError), match="load reads a file|expected text") as caught:
            zw.loads(name)
        assert len(str(caught.value)) < 300


def test_a_zero_quaternion_is_answered_with_the_word_that_helps():
    m = zw.load(ROOT / "models" / "quadruped.urdf", root="floating")
    with pytest.raises(ValueError, match="has no direction.*neutral"):
        zw.forward_dynamics(m, np.zeros(m.nq), m.zero(), m.zero())
