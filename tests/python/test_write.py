# SPDX-License-Identifier: BSD-3-Clause
"""write_urdf, write_sdf, write_mjcf: robots as files of other programs."""
import pickle
from pathlib import Path

import numpy as np
import pytest
import zwang as zw

TWO = (
    "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1'"
    " iyz='0' izz='1'/></inertial></link><joint name='j' type='prismatic'><parent link='a'/><child link='b'/>"
    "<limit lower='-1' effort='1' velocity='1'/></joint></robot>"
)
MODELS = Path(__file__).resolve().parents[2] / "models"


@pytest.mark.parametrize("write", [zw.write_urdf, zw.write_sdf])
def test_a_robot_comes_back(write) -> None:
    robot = zw.load_robot(MODELS / "slider_crank.sdf")
    written = write(robot)
    assert written.text.startswith("<?xml")
    again = zw.loads_robot(written.text)
    assert [j.name for j in again.model.joints if j.v.stop > j.v.start] == [
        j.name for j in robot.model.joints if j.v.stop > j.v.start
    ]
    q = robot.configurations["file"].q
    assert np.allclose(zw.mass_matrix(again.model, q), zw.mass_matrix(robot.model, q), rtol=0, atol=1e-13)


def test_losses_are_records() -> None:
    arm = zw.load(MODELS / "arm7.urdf")
    text, losses = zw.write_sdf(arm)
    assert "<sdf" in text
    assert {loss.code for loss in losses} >= {"L_ARMATURE"}
    loss = next(loss for loss in losses if loss.code == "L_ARMATURE")
    assert (loss.element, loss.name) == ("joint", "joint1") and "rotor" in loss.lost and loss.instead == ""
    assert loss.severity == "motion"
    limits = zw.loads(TWO.replace("<limit", "<limit upper='inf'"))
    assert {(x.code, x.severity) for x in zw.write_urdf(limits).losses} == {("L_LIMIT", "data")}
    assert isinstance(loss, zw.Loss) and pickle.loads(pickle.dumps(loss)) == loss
    assert zw.write_urdf(arm).losses == []


def test_strict_refuses_losses() -> None:
    arm = zw.load(MODELS / "arm7.urdf")
    with pytest.raises(zw.ModelError) as refused:
        zw.write_sdf(arm, strict=True)
    assert refused.value.code.startswith("L_")
    assert [d.code for d in refused.value.diagnostics] == [loss.code for loss in zw.write_sdf(arm).losses]
    zw.write_urdf(arm, strict=True)


def test_shapes_are_left_out() -> None:
    mesh = "<visual><geometry><mesh filename='no_such_file.stl'/></geometry></visual>"
    robot = zw.loads(TWO.replace("<link name='b'>", "<link name='b'>" + mesh))
    assert "no_such_file" not in zw.write_mjcf(robot).text
    assert [x.code for x in zw.write_mjcf(robot).losses if "MuJoCo refuses" in x.lost] == ["L_MESH"]
    assert "no_such_file" in zw.write_mjcf(robot, shapes="all").text
    for write in (zw.write_urdf, zw.write_sdf, zw.write_mjcf):
        assert "visual" not in write(robot, shapes="none").text
    with pytest.raises(ValueError, match="found, all or none"):
        zw.write_sdf(robot, shapes="some")


def test_wrong_arguments_are_named() -> None:
    robot = zw.load_robot(MODELS / "slider_crank.sdf")
    for wrong in (None, 3, "arm.urdf", robot.constraints):
        with pytest.raises((TypeError, ValueError), match="robot"):
            zw.write_urdf(wrong)
    other = zw.load(MODELS / "arm7.urdf")
    with pytest.raises(ValueError, match="another model"):
        zw.write_urdf(robot._replace(model=other))
    short = {"file": robot.configurations["file"]._replace(q=np.zeros(1))}
    with pytest.raises(ValueError, match="expected"):
        zw.write_urdf(robot._replace(configurations=short))
