# SPDX-License-Identifier: BSD-3-Clause
"""How the states of a study ended: columns that are always kept, a count as the last line, exit codes; parameters in tables."""
import json
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT

pytest.importorskip("pyarrow", reason="studies write Parquet: pip install zwang[study]")
S = zw.study
ARM = zw.load("models/arm7.urdf")


def command(*words):
    return subprocess.run([sys.executable, "-m", "zwang", "study", *map(str, words)], capture_output=True, text=True, timeout=300,
                          cwd=ROOT, check=False)


def written(folder: pathlib.Path, document):
    path = folder / "study.json"
    path.write_text(json.dumps(document))
    return path


def reach(keep=None, low=0.2, count=5, name="ik"):
    """Inverse kinematics on a grid that leaves the reach of arm7."""
    call = {"call": "inverse_kinematics", "frame": "tool0", "name": name} | ({} if keep is None else {"keep": keep})
    return {"name": "reach", "model": str(ROOT / "models/arm7.urdf"), "what": [call],
            "over": {"grid": {"targets.x": {"from": low, "to": 3.0, "count": count}, "targets.y": [0.0, 0.1], "targets.z": [0.3]}}}


def direct(low=0.2, count=5):
    """The same by calls of the library."""
    found = []
    for x in np.linspace(low, 3.0, count):
        for y in (0.0, 0.1):
            T = np.eye(4)
            T[:3, 3] = x, y, 0.3
            found.append(str(zw.inverse_kinematics(ARM, {"tool0": T}).status))
    return found


@pytest.mark.parametrize("keep", [None, ["q"], ["error", "iterations"]])
def test_a_study_of_poses_counts_those_that_are_not_ok_and_exits_with_3(tmp_path, keep):
    expected = direct()
    assert set(expected) > {"ok"}  # some are in reach, others are not
    file, out = written(tmp_path, reach(keep)), tmp_path / "out"
    said = command(file, "--out", out)
    counts = {word: expected.count(word) for word in expected}
    line = said.stdout.splitlines()[-1]
    assert said.returncode == 3 and line.startswith("10 states: ")
    assert sorted(line.removeprefix("10 states: ").split(", ")) == sorted(f"{n} {word}" for word, n in counts.items())
    again = json.loads(command(file, "--out", out, "--json").stdout)
    assert again["status"] == "not_ok" and again["statuses"] == {"ik.status": counts} and again["result"]
    results = zw.open_study(out)
    assert results.statuses == {"ik.status": counts} and [str(s) for s in results["ik.status"]] == expected
    assert type(results["ik.status"]) is zw.Statuses and str(results["ik.status"]) == line


def test_a_study_whose_states_are_all_ok_exits_with_0(tmp_path):
    document = {"name": "torques", "model": str(ROOT / "models/arm7.urdf"), "what": ["inverse_dynamics", "gravity_forces"],
                "over": {"sample": 20, "seed": 1, "variables": {"q": "limits", "v": [-1, 1], "a": [-1, 1]}}}
    said = command(written(tmp_path, document), "--out", tmp_path / "out")
    assert said.returncode == 0
    assert said.stdout.splitlines()[-2:] == ["inverse_dynamics: 20 states: 20 ok", "gravity_forces: 20 states: 20 ok"]


def test_a_rollout_that_overflows_is_counted(tmp_path):
    wrists = {"name": "pin", "type": "loop", "frames": ["right_wrist_predecessor", "right_wrist_successor"], "rows": ["linear.x", "linear.y"]}
    document = {"name": "roll", "model": {"file": str(ROOT / "models/five_bar.urdf"), "loops": True}, "constraints": [wrists],
                "over": [{"grid": {"gravity:z": [-9.81, -1.62]}}, {"sample": 10, "seed": 1, "variables": {"q": "limits", "v": [-1, 1]}}],
                "what": [{"call": "rollout", "steps": 2000, "dt": 0.005, "name": "r"}]}
    said = command(written(tmp_path, document), "--out", tmp_path / "out")
    assert said.returncode == 3, said.stderr
    status = zw.open_study(tmp_path / "out")["r.status"]
    assert said.stdout.splitlines()[-1] == str(status) and (status != "ok").any()


@pytest.mark.parametrize("more", [{"store": ["ik.q"]}, {"store": []}, {"reduce": {"ik.q": "mean"}}, {"reduce": {"ik.status": "max"}}])
def test_statuses_are_stored_whatever_is_chosen(tmp_path, more):
    q = np.array([ARM.random(k) for k in range(6)])
    targets = zw.frame_pose(ARM, q, "tool0").copy()
    targets[4, 0, 3] = 9
    study = zw.Study(ARM, what=S.Call("inverse_kinematics", frame="tool0", name="ik", keep=["q"]), over=S.Arrays(targets=targets), **more)
    results = study.run(tmp_path / "out")
    assert "ik.status" in study.stored and str(results["ik.status"]) == str(zw.inverse_kinematics(ARM, {"tool0": targets}).status)


def test_tables_have_parameters_and_values_on_axes(tmp_path, monkeypatch):
    over = [S.Grid({"gravity:z": [-9.81, -1.62], "mass:link3": (1.0, 2.0, 3)}), S.Grid({"q.joint2": (0.0, 1.0, 4)}), S.Sample(2, seed=1, v=(-1, 1))]
    results = zw.Study(ARM, what=S.Call("bias_forces", name="h"), over=over).run(tmp_path / "out")
    monkeypatch.setattr(sys.modules["zwang.study.results"], "package", lambda *_: types.SimpleNamespace(DataFrame=dict))
    table = results.pandas()
    assert list(table)[:3] == ["gravity:z", "mass:link3", "q.joint2"] and set(table) >= {"h[0]", "h[6]", "h.status"}
    expected = np.array([(g, m, x) for g in (-9.81, -1.62) for m in np.linspace(1, 2, 3) for x in np.linspace(0, 1, 4) for _ in range(2)])
    for k, name in enumerate(("gravity:z", "mass:link3", "q.joint2")):
        assert np.array_equal(table[name], expected[:, k])
    assert set(table["h.status"]) == {"ok"} and len(table["h.status"]) == results.states == 48
    assert list(results.pandas(["h.status"])) == ["gravity:z", "mass:link3", "q.joint2", "h.status"]
