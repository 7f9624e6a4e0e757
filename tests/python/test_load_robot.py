# SPDX-License-Identifier: BSD-3-Clause
"""load_robot: the model, constraints and configurations of a file."""
import pickle
from pathlib import Path

import numpy as np
import pytest
import zwang as zw

MODELS = Path(__file__).resolve().parents[2] / "models"


def test_a_slider_crank_is_closed_and_geared() -> None:
    robot = zw.load_robot(MODELS / "slider_crank.sdf")
    model, constraints, configurations = robot
    assert robot.model is model and constraints.model is model
    assert [c.name for c in constraints] == ["pin", "gear"]
    q, v = configurations["file"]
    assert q.shape == (model.nq,) and not v.any()
    solution = zw.Solver(model, constraints).solve(q, tau={"motor": 0.1})
    assert solution.status == "ok"
    J = constraints.evaluate(q, np.zeros(model.nv)).jacobian
    assert np.abs(J @ solution.acceleration).max() < 1e-9 * np.abs(solution.acceleration).max()
    M, h = zw.mass_matrix(model, q), zw.bias_forces(model, q, np.zeros(model.nv))
    left = M @ solution.acceleration + h - np.array([0.1, 0, 0, 0])
    assert np.abs(left - J.T @ np.linalg.lstsq(J.T, left, rcond=None)[0]).max() < 1e-9


def test_documents_are_read_as_files_are(tmp_path: Path) -> None:
    robot = zw.load_robot(MODELS / "slider_crank.sdf")
    (tmp_path / "r.json").write_text(zw.robot_to_json(robot))
    (tmp_path / "r.cbor").write_bytes(zw.robot_to_cbor(robot))
    (tmp_path / "m.json").write_text(robot.model.to_json())
    for name in ("r.json", "r.cbor"):
        again = zw.load_robot(tmp_path / name)
        assert again.model == robot.model and again.constraints == robot.constraints
        assert "N_CONSTRAINTS" in [d.code for d in zw.load(tmp_path / name).diagnostics]
        assert {d.severity for d in zw.check(tmp_path / name)} <= {"note"}
    assert zw.loads_robot(zw.robot_to_json(robot)).constraints == robot.constraints
    assert zw.load_robot(tmp_path / "m.json").model == robot.model
    with pytest.raises(zw.ModelError, match="E_DOCUMENT.*options root"):
        zw.load_robot(tmp_path / "r.json", root="floating")


def test_load_names_what_the_model_lacks() -> None:
    model = zw.load(MODELS / "slider_crank.sdf")
    assert [d.found for d in model.diagnostics if d.code == "N_CONSTRAINTS"] == ["the file has 2 constraints (pin, gear)"]
    with pytest.raises(zw.ModelError):
        zw.load(MODELS / "slider_crank.sdf", mode="strict")


def test_motors_that_are_named_keep_the_constraints() -> None:
    robot = zw.load_robot(MODELS / "slider_crank.sdf", actuated=["motor"])
    assert [j.name for j in robot.model.joints if any(robot.model.actuated[j.v])] == ["motor"]
    assert robot.constraints.rows == 6


def test_gravity_is_the_files_unless_it_is_given() -> None:
    text = '<sdf version="1.9"><world name="w"><model name="m"><link name="a"/></model></world></sdf>'
    assert zw.loads(text).gravity[2] == -9.8
    assert zw.loads(text, gravity=(0, 0, -9.81)).gravity[2] == -9.81
    assert zw.loads_robot(text).configurations["file"].q[6] == 1


def test_a_robot_is_pickled_with_its_constraints() -> None:
    robot = zw.load_robot(MODELS / "slider_crank.sdf")
    again = pickle.loads(pickle.dumps(robot))
    assert isinstance(again, zw.Robot)
    assert again.model == robot.model and again.constraints == robot.constraints
    assert np.array_equal(again.configurations["file"].q, robot.configurations["file"].q)


def test_check_reads_every_format() -> None:
    assert not [d for d in zw.check(MODELS / "toys.sdf") if d.severity == "error"]
    assert [d.code for d in zw.check_text("<sdf version='1.9'/>")] == ["E_EMPTY"]


SRDF = """<robot name="arm7"><group_state name="up" group="arm"><joint name="joint2" value="0.6"/></group_state>
<passive_joint name="joint7"/><disable_collisions link1="link1" link2="link2" reason="Adjacent"/></robot>"""


def test_an_srdf_adds_configurations(tmp_path: Path) -> None:
    robot = zw.load_robot(MODELS / "arm7.urdf", srdf_text=SRDF)
    assert list(robot.configurations) == ["file", "up"]
    assert robot.configurations["up"].q.tolist() == [0, 0.6, 0, 0, 0, 0, 0]
    assert np.flatnonzero(~robot.model.actuated).tolist() == [6]
    file = tmp_path / "arm7.srdf"
    file.write_text(SRDF)
    for of_file in (zw.load(MODELS / "arm7.urdf", srdf=file), zw.load(MODELS / "arm7.urdf", srdf=str(file))):
        assert of_file == robot.model
    file.write_text(SRDF.replace("joint2", "joint22"))
    assert [d.code for d in zw.check(MODELS / "arm7.urdf", srdf=file) if d.severity == "warning"] == ["W_SRDF_JOINT"]
    with pytest.raises(ValueError, match="srdf"):
        zw.load(MODELS / "arm7.urdf", srdf=file, srdf_text=SRDF)
    with pytest.raises(zw.ModelError, match="E_FORMAT"):
        zw.load(file)
