# SPDX-License-Identifier: BSD-3-Clause
"""Whole robots as documents: robot_to_json and the like."""
import json
from pathlib import Path

import numpy as np
import pytest
import zwang as zw

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"


@pytest.mark.parametrize("name", ["slider_crank.sdf", "gripper.xml", "arm7.urdf", "bird.sdf", "biped.xml"])
def test_a_robot_comes_back(name: str) -> None:
    robot = zw.load_robot(MODELS / name)
    text, data = zw.robot_to_json(robot), zw.robot_to_cbor(robot)
    for again in (zw.robot_from_json(text), zw.robot_from_cbor(data)):
        assert isinstance(again, zw.Robot)
        assert again.model == robot.model and again.constraints == robot.constraints
        assert again.constraints.model is again.model
        assert list(again.configurations) == list(robot.configurations)
        for key, state in robot.configurations.items():
            assert np.array_equal(again.configurations[key].q, state.q)
            assert np.array_equal(again.configurations[key].v, state.v)
        assert zw.robot_to_json(again) == text
    keys = set(json.loads((ROOT / "docs" / "schema" / "robot.json").read_text())["properties"])
    assert set(json.loads(text)) == keys


def test_a_model_is_a_robot_at_rest() -> None:
    arm = zw.load(MODELS / "arm7.urdf")
    robot = zw.robot_from_json(zw.robot_to_json(arm))
    assert robot.model == arm and len(robot.constraints) == 0
    assert list(robot.configurations) == ["file"] and np.array_equal(robot.configurations["file"].q, arm.neutral())


def test_what_is_wrong_is_said() -> None:
    robot = zw.load_robot(MODELS / "slider_crank.sdf")
    with pytest.raises(ValueError, match="format"):
        zw.robot_from_json("{}")
    with pytest.raises(ValueError, match="robot"):
        zw.robot_to_json(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"configurations\[0\].q"):
        zw.robot_from_json(zw.robot_to_json(robot).replace('"q": [', '"q": [1, ', 1))
    with pytest.raises(ValueError, match="another model"):
        zw.robot_to_json(robot._replace(model=zw.load(MODELS / "arm7.urdf")))
    wrong = robot._replace(configurations={"x": zw.Configuration(np.zeros(1), np.zeros(robot.model.nv))})
    with pytest.raises(ValueError, match="'x': q has 1 numbers, expected 4"):
        zw.robot_to_json(wrong)
