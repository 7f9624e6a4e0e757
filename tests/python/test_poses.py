# SPDX-License-Identifier: BSD-3-Clause
"""Poses as arguments: float32, lists, N positions; refusals name the shape that was given and the shape of a pose."""
import numpy as np
import pytest
import zwang as zw

ARM = zw.load("models/arm7.urdf")
Q = ARM.random(seed=3)
T = zw.frame_pose(ARM, Q, "tool0")
TAKERS = {
    "inverse_kinematics": lambda pose: zw.inverse_kinematics(ARM, {"tool0": pose}, Q).q,
    "InverseKinematics.solve": lambda pose: zw.InverseKinematics(ARM, "tool0").solve(pose, Q).q,
    "with_frame": lambda pose: zw.frame_pose(ARM.with_frame("t", parent="tool0", pose=pose), Q, "t"),
    "target_pose": lambda pose: zw.ConstraintSet(ARM).add_frame("t", frame="tool0", rows="all", target_pose=pose).definition["target_pose"],
    "PosePath.line": lambda pose: zw.PosePath.line(pose, np.eye(4)).at(0.3),
    "PosePath.arc": lambda pose: zw.PosePath.arc(pose, [0, 0, 1], [0, 1, 0], 1.0).at(0.3),
    "PosePath.through": lambda pose: zw.PosePath.through([pose, np.eye(4)]).at(0.3),
    "append": lambda pose: zw.frame_pose(zw.append(ARM, ARM, "tool0", pose, prefix="x_"), np.r_[Q, Q], "x_tool0"),
    "add_joint": lambda pose: (zw.ModelBuilder("b").add_link("a", 1).add_link("b", 1)
                               .add_joint("j", "revolute", "a", "b", pose).build().joint("j").origin),
    "log_se3": zw.log_se3,
}


@pytest.mark.parametrize("name", TAKERS)
def test_a_pose_of_float32_is_that_pose_in_float64(name):
    rounded = T.astype(np.float32)
    given = TAKERS[name](rounded.astype(float))  # the same numbers, exactly
    assert np.array_equal(TAKERS[name](rounded), given) and np.array_equal(TAKERS[name](np.asfortranarray(rounded)), given)
    assert np.array_equal(TAKERS[name](rounded.astype(float).tolist()), given)
    assert np.abs(given - TAKERS[name](T)).max() < 3e-6  # rounding of float32, 6e-8, through inverse kinematics and arcs


WRONG = {"(3, 4)": np.ones((3, 4)), "(4,)": np.ones(4), "(7,)": np.ones(7), "(3, 3)": np.eye(3), "(4, 4, 1)": np.ones((4, 4, 1)),
         "complex128": np.eye(4, dtype=complex), "bool": np.eye(4, dtype=bool), "()": np.array(1.0), "(2, 5, 4)": np.ones((2, 5, 4))}


@pytest.mark.parametrize("name", TAKERS)
@pytest.mark.parametrize("given", WRONG)
def test_a_refusal_names_the_shape_that_was_given_and_that_of_a_pose(name, given):
    with pytest.raises(ValueError) as caught:
        TAKERS[name](WRONG[given])
    text = str(caught.value)
    assert given in text and ("4 x 4" in text or "(4, 4)" in text), text
    assert "(4,) or" not in text


@pytest.mark.parametrize("name", sorted(TAKERS.keys() - {"log_se3"}))
@pytest.mark.parametrize("given, said", [("pose", "str"), ({"a": 1}, "dict|no pose of"), ([[1, 2], [3]], "rows of different lengths"),
                                         (np.diag([1.0, 1, 1, 2]), "another last row")])
def test_what_is_no_array_of_numbers_is_refused_by_name(name, given, said):
    with pytest.raises((ValueError, TypeError), match=said):
        TAKERS[name](given)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("rows, count", [("linear", 3), (["linear.x", "linear.z"], 2), ("linear.y", 1),
                                         (np.array([[1.0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]), 2)])
def test_positions_are_n_targets_of_linear_rows(rows, count, kind):
    r = np.random.default_rng(count)
    states = [zw.integrate(ARM, Q, 0.1 * r.uniform(-1, 1, ARM.nv)) for _ in range(20)]
    positions = np.array([zw.frame_pose(ARM, q, "tool0")[:3, 3] for q in states]).astype(kind)
    poses = np.tile(np.eye(4), (20, 1, 1))
    poses[:, :3, 3] = positions
    found = zw.inverse_kinematics(ARM, {"tool0": positions}, Q, rows=rows)
    assert found.q.shape == (20, ARM.nq) and (found.status == "ok").all()
    assert np.array_equal(found.q, zw.inverse_kinematics(ARM, {"tool0": poses}, Q, rows=rows).q)
    reached = np.array([zw.frame_pose(ARM, q, "tool0")[:3, 3] for q in found.q])
    axes = np.eye(3) if isinstance(rows, str) and rows == "linear" else np.array(
        [row[:3] for row in rows]) if isinstance(rows, np.ndarray) else np.eye(3)[["xyz".index(w[-1]) for w in np.atleast_1d(rows)]]
    assert np.abs((reached - positions) @ axes.T).max() < 1e-7  # tolerance 1e-8 of each row, on rows that are not unit


def test_positions_of_targets_with_an_attitude_are_refused_with_the_word_that_helps():
    for rows in (None, "all", ["linear", "angular.x"], "angular"):
        with pytest.raises(ValueError, match=r"shape \(20, 3\).*rows='linear'"):
            zw.inverse_kinematics(ARM, {"tool0": np.tile([0.3, 0.1, 0.4], (20, 1))}, Q, rows=rows)


def test_several_targets_may_be_positions_and_poses():
    q = np.array([zw.integrate(ARM, Q, 0.02 * k * np.ones(7)) for k in range(5)])
    poses = zw.frame_pose(ARM, q, "tool0")
    elbows = zw.frame_pose(ARM, q, "link4")[:, :3, 3]
    found = zw.inverse_kinematics(ARM, {"tool0": poses, "link4": elbows}, Q, rows={"link4": "linear"})
    assert np.abs(zw.frame_pose(ARM, found.q, "tool0") - poses).max() < 1e-7
    assert np.abs(zw.frame_pose(ARM, found.q, "link4")[:, :3, 3] - elbows).max() < 1e-7


def test_other_constants_in_float32_are_read_like_those_in_float64():
    g = np.array([0, 0, -1.62], np.float32)
    assert np.array_equal(zw.gravity_forces(ARM, Q, gravity=g), zw.gravity_forces(ARM, Q, gravity=g.astype(float)))
    point = np.array([0.1, 0.2, 0.3], np.float32)
    a = zw.ConstraintSet(ARM).add_contact("c", "tool0", point=point).definition["point"]
    assert np.array_equal(a, point.astype(float))


@pytest.mark.parametrize("seed", range(4))
def test_a_target_of_float32_is_met_to_the_tolerance(seed):
    q = ARM.random(seed)
    constraints = zw.ConstraintSet(ARM)
    constraints.add_frame("t", frame="tool0", rows="all", target_pose=zw.frame_pose(ARM, q, "tool0").astype(np.float32))
    found = zw.assemble(ARM, constraints, q)
    assert found.status == "ok" and found.residual <= 1e-12
    assert np.abs(zw.frame_pose(ARM, found.q, "tool0") - zw.frame_pose(ARM, q, "tool0")).max() < 1e-6  # rounding of float32, 6e-8


def test_a_state_of_float32_is_refused_with_what_to_do():
    with pytest.raises(ValueError, match=r"E_DTYPE mass_matrix: argument 'q' has dtype float32, .*\(7,\) or \(N, 7\); .astype\(float\)"):
        zw.mass_matrix(ARM, Q.astype(np.float32))
