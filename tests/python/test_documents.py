# SPDX-License-Identifier: BSD-3-Clause
"""Models, sets and solutions as JSON and CBOR; equality and hash."""
import copy
import json
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import zwang as zw
from conftest import close


def robots():
    for name in zw.sample_names():
        yield zw.sample(name, root="floating")
    for seed in range(12):
        yield zw.random_robot(seed, joints=1 + seed)


def test_models_read_back_to_the_last_bit():
    for arm in robots():
        text, data = arm.to_json(), arm.to_cbor()
        for again in (zw.model_from_json(text), zw.model_from_cbor(data), zw.Model.from_json(text),
                      zw.Model.from_cbor(bytearray(data)), zw.model_from_cbor(memoryview(data))):
            assert again == arm and hash(again) == hash(arm) and again is not arm
            assert again.joint_names == arm.joint_names
            q, v, a = arm.random(3), np.full(arm.nv, 0.5), np.full(arm.nv, -0.25)
            assert np.array_equal(zw.inverse_dynamics(arm, q, v, a), zw.inverse_dynamics(again, q, v, a))
            assert again.to_json() == text and again.to_cbor() == data
        document = json.loads(text)
        assert document["format"] == "zwang.model" and document["version"] == 1


def test_equality_and_hash_of_models():
    a, b = zw.sample("arm7"), zw.sample("arm7")
    assert a == b and hash(a) == hash(b) and len({a, b, copy.copy(a), pickle.loads(pickle.dumps(a))}) == 1
    assert a != zw.sample("arm7", lump=False) and a != zw.sample("quadruped")
    assert a != "arm7" and a != None  # noqa: E711
    assert {a: 1}[b] == 1


def test_the_hash_is_the_same_in_another_process():
    code = "import zwang as zw; print(hash(zw.sample('quadruped')))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(out) == hash(zw.sample("quadruped"))


def a_set(arm):
    constraints = zw.ConstraintSet(arm)
    constraints.add_frame("tool", frame="tool0", rows=["linear.x", "linear.y", "angular"], role="driver")
    constraints.add_group("all", ["tool"])
    return constraints


def test_sets():
    arm = zw.sample("arm7")
    constraints = a_set(arm)
    document = json.loads(constraints.to_json())
    assert document["format"] == "zwang.constraints" and document["version"] == 1
    again = zw.ConstraintSet.from_cbor(arm, constraints.to_cbor())
    assert again == constraints and again.to_json() == constraints.to_json()
    assert again == zw.ConstraintSet.from_json(zw.sample("arm7"), constraints.to_json())
    again["tool"].active = False
    assert again != constraints and constraints == constraints
    with pytest.raises(TypeError):
        hash(constraints)
    del document["format"], document["version"]
    assert zw.ConstraintSet.from_json(arm, json.dumps(document)) == constraints


def test_solutions():
    arm = zw.sample("arm7")
    solution = zw.Solver(arm, a_set(arm)).solve(arm.neutral(), arm.zero(), arm.zero())
    document = json.loads(solution.to_json())
    assert document["format"] == "zwang.solution" and document["status"] == "ok"
    assert np.array_equal(document["qdd"], solution.acceleration)
    assert document["names"] == arm.coordinate_names
    (tool,) = document["constraints"]
    assert tool["name"] == "tool" and np.array_equal(tool["lambda"], solution["tool"].multipliers)
    assert document["groups"]["all"]["constraints"] == ["tool"]
    assert (tool["type"], tool["role"], tool["policy"], tool["active"]) == ("frame", "driver", "hard", True)
    assert document["report"]["rank"] == solution.report.rank
    assert json.loads(solution.report.to_json()) == document["report"]
    assert solution.to_cbor()[0] >> 5 == 5  # a map
    assert json.loads(pickle.loads(pickle.dumps(solution)).to_json())["qdd"] == document["qdd"]


def test_a_solution_says_how_its_rows_were_held():
    arm = zw.sample("arm7")
    constraints = a_set(arm)
    solver = zw.Solver(arm, constraints)
    state = arm.neutral(), arm.zero(), arm.zero()
    held = solver.solve(*state)
    constraints["tool"].active = False
    free = solver.solve(*state)
    for solution, active in ((held, True), (free, False)):
        for s in (solution, pickle.loads(pickle.dumps(solution))):
            (tool,) = json.loads(s.to_json())["constraints"]
            assert (tool["active"], tool["role"]) == (active, "driver")


def test_solutions_of_many_states():
    arm = zw.sample("arm7")
    solution = zw.Solver(arm, a_set(arm)).solve(np.stack([arm.random(k) for k in range(3)]), arm.zero(), arm.zero())
    document = json.loads(solution.to_json())
    assert document["status"] == ["ok"] * 3 and np.array_equal(document["qdd"], solution.acceleration)
    assert np.shape(document["constraints"][0]["wrench"]) == (3, 6)


@pytest.mark.parametrize("text, message", [
    ("{}", "format"), ("[", "not JSON"), ('{"format": "zwang.model", "version": 2}', "version 2"),
    ('{"format": "zwang.model", "version": 1, "link": []}', "links"), ("\ud800", "text"), (3, "text"),
])
def test_refused_texts(text, message):
    with pytest.raises(ValueError, match=message):
        zw.model_from_json(text)


def test_refused_bytes():
    data = zw.sample("arm7").to_cbor()
    for wrong in (data[:-1], data + b"\0", b"", b"\xbf\xff", b"\xc2\x41\x00", 7, "text", None):
        with pytest.raises(ValueError):
            zw.model_from_cbor(wrong)
    with pytest.raises(zw.ModelError) as error:
        zw.model_from_json('{"format": "zwang.model", "version": 1}')
    assert error.value.code == "E_EMPTY"


def test_numbers_that_are_not_finite():
    limits = json.loads(zw.sample("arm7").to_json())
    limits["joints"][0].update(type="continuous", lower=["-inf"], upper=["inf"], velocity=["nan"])
    arm = zw.model_from_json(json.dumps(limits))
    joint = arm.joint(limits["joints"][0]["name"])
    assert math.isnan(joint.velocity_limit[0])


def test_a_state():
    arm = zw.sample("arm7")
    q, v, a = arm.random(4), np.linspace(-1, 1, arm.nv), np.linspace(2, -1, arm.nv)
    state = zw.state(arm, q, v, a)
    assert json.loads(zw.state_json(arm, q, v, a))["format"] == "zwang.state"
    assert np.array_equal(state["tau"], zw.inverse_dynamics(arm, q, v, a))
    close(state["mass_matrix"], zw.mass_matrix(arm, q))  # another sweep, which sums in another order
    close(state["bias_forces"], zw.bias_forces(arm, q, v))
    close(state["centroidal_momentum"], zw.centroidal_momentum(arm, q, v))
    pose = zw.frame_pose(arm, q, "tool0")
    tool = state["links"]["tool0"]
    assert np.array_equal(tool["position"], pose[:3, 3]) and np.array_equal(tool["rotation"], pose[:3, :3])
    assert np.array_equal(tool["velocity"], zw.frame_velocity(arm, q, v, "tool0"))
    assert np.array_equal(tool["acceleration"], zw.frame_acceleration(arm, q, v, a, "tool0"))
    assert set(state["frames"]) == set(arm.frame_names) - set(arm.link_names)
    assert not np.any(zw.state(arm, q)["v"])
    with pytest.raises(ValueError, match="'q'"):
        zw.state(arm, q[1:])
